//! What a conversion could not keep.

use std::collections::HashMap;
use std::fmt;

/// Something that the target of a conversion cannot hold, or holds otherwise.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Loss {
    /// What happened to it.
    pub kind: LossKind,
    /// The field of the source. Meshes are numbered as those that are left by the losses before this one.
    pub path: String,
    /// What changed, and to what or why: the same words wherever the same happens.
    pub message: String,
    /// The value that it happened to, such as a name.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub detail: Option<String>,
    /// How many items are affected, where not all of them are.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub affected: Option<Affected>,
    /// The largest distance of a value from what it was, where values were rounded.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub error: Option<f32>,
    /// The size of the whole that the error is a part of, in the same unit: the longest side of a mesh.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub size: Option<f32>,
}

/// What happened to something that the target cannot hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum LossKind {
    /// It is not in the target.
    Dropped,
    /// The target has values near those of the source.
    Quantised,
    /// It is several things in the target.
    Split,
    /// Several things are one in the target.
    Merged,
    /// It has another name in the target.
    Renamed,
    /// The target has something else in its place.
    Changed,
}

impl fmt::Display for LossKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LossKind::Dropped => "dropped",
            LossKind::Quantised => "quantised",
            LossKind::Split => "split",
            LossKind::Merged => "merged",
            LossKind::Renamed => "renamed",
            LossKind::Changed => "changed",
        })
    }
}

/// How many items of a whole a loss affects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Affected {
    /// How many are affected.
    pub count: u64,
    /// How many there are.
    pub of: u64,
    /// What they are, in the plural: `vertices`.
    pub items: &'static str,
}

#[cfg_attr(
    not(all(feature = "mesh", feature = "bmd", feature = "scene")),
    allow(dead_code, reason = "each format tells some of this")
)]
impl Loss {
    /// Something that happened to a field of the source: its path, and what is lost and why. Crates with formats of their own
    /// can make them, too.
    pub fn new(kind: LossKind, path: impl Into<String>, message: impl Into<String>) -> Loss {
        let (path, message) = (path.into(), message.into());
        Loss { kind, path, message, detail: None, affected: None, error: None, size: None }
    }

    /// Something that is not in the target.
    pub(crate) fn dropped(path: impl Into<String>, message: impl Into<String>) -> Loss {
        Loss::new(LossKind::Dropped, path, message)
    }

    /// Something that is something else in the target.
    #[cfg(feature = "scene")]
    pub(crate) fn changed(path: impl Into<String>, message: impl Into<String>) -> Loss {
        Loss::new(LossKind::Changed, path, message)
    }

    /// Something that has another name in the target.
    #[cfg(feature = "scene")]
    pub(crate) fn renamed(path: impl Into<String>, message: impl Into<String>) -> Loss {
        Loss::new(LossKind::Renamed, path, message)
    }

    /// Values that are at most this far from what they were.
    #[cfg(feature = "scene")]
    pub(crate) fn quantised(path: impl Into<String>, message: impl Into<String>, error: f32) -> Loss {
        Loss { error: Some(error), ..Loss::new(LossKind::Quantised, path, message) }
    }

    /// Names the value that it happened to.
    #[cfg(feature = "scene")]
    pub(crate) fn detail(self, detail: impl fmt::Display) -> Loss {
        Loss { detail: Some(detail.to_string()), ..self }
    }

    /// Says how many items are affected.
    #[cfg(feature = "scene")]
    pub(crate) fn affecting(self, count: usize, of: usize, items: &'static str) -> Loss {
        Loss { affected: Some(Affected { count: count as u64, of: of as u64, items }), ..self }
    }

    /// Says how large the whole is that the error is a part of.
    #[cfg(feature = "scene")]
    pub(crate) fn of_size(self, size: f32) -> Loss {
        Loss { size: Some(size).filter(|size| *size > 0.0 && size.is_finite()), ..self }
    }

    /// The error as a part of the size, or as it is; below all others where it is not a number.
    fn relative_error(&self) -> f32 {
        let error = self.error.map(|error| error / self.size.unwrap_or(1.0));
        error.filter(|error| !error.is_nan()).unwrap_or(f32::NEG_INFINITY)
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        LossGroup::new(self, String::new()).fmt(f)
    }
}

/// Losses that differ only in numbers and names, shown as one.
///
/// ```
/// # #[cfg(all(feature = "obj", feature = "crucible"))] {
/// # use std::collections::BTreeMap;
/// use meshspec::interop::Interchange;
/// use meshspec::scene::{FromScene, SceneOptions};
/// use meshspec::{Limits, LossGroup, crucible};
///
/// let options = SceneOptions::default();
/// let text = b"v 0 0 0\nv 1 0 0\nv 0 1 0\no a\nf 1 2 3\no b\nf 3 2 1\n";
/// let (scene, _) = Interchange::Obj.read(text, &BTreeMap::new(), &options, &Limits::default())?;
/// let (_, losses) = crucible::Document::from_scene(scene, &options)?;
/// let lines: Vec<_> = LossGroup::of(&losses).iter().map(ToString::to_string).collect();
/// assert_eq!(
///     lines,
///     ["dropped: meshes[0].name and 1 more, up to meshes[1].name: Crucible has no names of meshes: \"a\", \"b\""]
/// );
/// # }
/// # Ok::<(), meshspec::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LossGroup {
    /// The first of them, with what is affected by all together, and the largest error, relative to its size where that
    /// is known.
    pub example: Loss,
    /// How many there are.
    pub count: usize,
    /// The path of the last one.
    pub last_path: String,
    /// What they have in common: kind, path and message with `#` for numbers and nothing between quotes.
    pub pattern: String,
    /// Other details than that of the first, and how many more there are.
    details: (Vec<String>, usize),
}

impl LossGroup {
    fn new(loss: &Loss, pattern: String) -> LossGroup {
        let last_path = loss.path.clone();
        LossGroup { example: loss.clone(), count: 1, last_path, pattern, details: Default::default() }
    }

    /// Groups losses in the order in which each group first occurs.
    pub fn of<'a>(losses: impl IntoIterator<Item = &'a Loss>) -> Vec<LossGroup> {
        let mut groups: Vec<LossGroup> = Vec::new();
        let mut places = HashMap::new();
        for loss in losses {
            let (path, message) = (without_specifics(&loss.path), without_specifics(&loss.message));
            let pattern = format!("{}: {path}: {message}", loss.kind);
            let place = *places.entry(pattern.clone()).or_insert(groups.len());
            match groups.get_mut(place) {
                Some(group) => group.add(loss),
                None => groups.push(LossGroup::new(loss, pattern)),
            }
        }
        groups
    }

    fn add(&mut self, loss: &Loss) {
        self.count += 1;
        self.last_path.clone_from(&loss.path);
        self.add_detail(loss.detail.as_ref());
        let example = &mut self.example;
        example.affected = match (example.affected, loss.affected) {
            (Some(a), Some(b)) if a.items == b.items => {
                Some(Affected { count: a.count + b.count, of: a.of + b.of, ..a })
            }
            _ => None,
        };
        if loss.relative_error() > example.relative_error() {
            (example.error, example.size) = (loss.error, loss.size);
        }
    }

    fn add_detail(&mut self, detail: Option<&String>) {
        const SHOWN: usize = 2;
        let (shown, more) = &mut self.details;
        match detail {
            Some(detail) if shown.contains(detail) || self.example.detail.as_ref() == Some(detail) => {}
            Some(detail) if shown.len() < SHOWN => shown.push(detail.clone()),
            Some(_) => *more += 1,
            None => {}
        }
    }
}

/// `dropped: meshes[0].name and 41 more, up to meshes[41].name: Crucible has no names of meshes: "a", "b", "c" and 39 more`
impl fmt::Display for LossGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Loss { kind, path, message, detail, affected, error, size } = &self.example;
        write!(f, "{kind}: {path}")?;
        match (self.count - 1, path == &self.last_path) {
            (0, _) => {}
            (_, true) => write!(f, " ({} times)", self.count)?,
            (others, false) => write!(f, " and {others} more, up to {}", self.last_path)?,
        }
        f.write_str(if path.is_empty() { "" } else { ": " })?;
        f.write_str(message)?;
        if let Some(detail) = detail {
            let (others, more) = &self.details;
            let details: Vec<&str> = std::iter::once(detail).chain(others).map(String::as_str).collect();
            write!(f, ": {}", details.join(", "))?;
            if *more > 0 {
                write!(f, " and {more} more")?;
            }
        }
        if let Some(Affected { count, of, items }) = affected {
            write!(f, ", {count} of {of} {items}")?;
        }
        match (*error, *size) {
            (Some(error), Some(size)) => {
                let percent = rounded(100.0 * error / size);
                write!(f, ", off by at most {} ({percent} % of the size)", rounded(error))
            }
            (Some(error), None) => write!(f, ", off by at most {}", rounded(error)),
            (None, _) => Ok(()),
        }
    }
}

/// The text with every number and every quoted name replaced by a mark: what equal messages have in common.
fn without_specifics(text: &str) -> String {
    let mut common = String::with_capacity(text.len());
    let mut quoted = false;
    for c in text.chars() {
        match c {
            '"' => {
                quoted = !quoted;
                common.push(c);
            }
            _ if quoted => {}
            '0'..='9' if common.ends_with('#') => {}
            '0'..='9' => common.push('#'),
            _ => common.push(c),
        }
    }
    common
}

/// A number to two digits, as people write it: `0.0012`, `340`, `1.5e-7`.
pub(crate) fn rounded(number: f32) -> String {
    let rounded = format!("{number:.1e}").parse().unwrap_or(number);
    if rounded == 0.0 || (1e-4..1e6).contains(&rounded.abs()) {
        rounded.to_string()
    } else {
        format!("{rounded:e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_of_one_kind_with_the_same_message_are_one_group() {
        let name = |mesh: usize, name: &str| {
            let loss = Loss::dropped(format!("meshes[{mesh}].name"), "no names");
            loss.detail(name).affecting(mesh, 10, "bytes")
        };
        let mut losses: Vec<_> = "abacde".chars().enumerate().map(|(i, c)| name(i, &c.to_string())).collect();
        losses.insert(1, Loss::new(LossKind::Merged, "meshes", "no names"));
        losses.push(Loss::new(LossKind::Merged, "meshes", "no names"));
        let shown: Vec<_> = LossGroup::of(&losses).iter().map(LossGroup::to_string).collect();
        assert_eq!(
            shown,
            [
                "dropped: meshes[0].name and 5 more, up to meshes[5].name: no names: a, b, c and 2 more, \
                 15 of 60 bytes",
                "merged: meshes (2 times): no names",
            ]
        );
    }

    #[test]
    fn a_group_has_the_largest_error() {
        let loss = |error| Loss { error: Some(error), ..Loss::new(LossKind::Quantised, "a", "b") };
        let mut losses = [0.25, 0.5, f32::NAN, 0.125].map(loss);
        let shown = |losses: &[Loss]| LossGroup::of(losses)[0].to_string();
        assert_eq!(shown(&losses), "quantised: a (4 times): b, off by at most 0.5");
        // As a part of the size.
        (losses[0].size, losses[1].size, losses[3].size) = (Some(1.0), Some(100.0), Some(0.1));
        assert_eq!(shown(&losses), "quantised: a (4 times): b, off by at most 0.12 (120 % of the size)");
    }

    #[test]
    fn errors_are_rounded_as_people_write_numbers() {
        let numbers = [0.0, 1.002_427_6, 0.001_234, 99.9, 123_456.0, 1e-9, 1.5e-7, 3.21e9, f32::INFINITY];
        let shown: Vec<_> = numbers.into_iter().map(rounded).collect();
        assert_eq!(shown, ["0", "1", "0.0012", "100", "120000", "1e-9", "1.5e-7", "3.2e9", "inf"]);
    }
}
