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
    /// What is lost and why.
    pub message: String,
    /// The largest distance of a value from what it was, where values were rounded.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub error: Option<f32>,
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

impl LossKind {
    fn name(self) -> &'static str {
        match self {
            LossKind::Dropped => "dropped",
            LossKind::Quantised => "quantised",
            LossKind::Split => "split",
            LossKind::Merged => "merged",
            LossKind::Renamed => "renamed",
            LossKind::Changed => "changed",
        }
    }
}

#[cfg(any(feature = "scene", feature = "mesh", feature = "crucible", feature = "iyma"))]
impl Loss {
    /// Something that happened to a field of the source.
    pub(crate) fn new(kind: LossKind, path: impl Into<String>, message: impl Into<String>) -> Loss {
        Loss { kind, path: path.into(), message: message.into(), error: None }
    }

    /// Something that is not in the target.
    pub(crate) fn dropped(path: impl Into<String>, message: impl Into<String>) -> Loss {
        Loss::new(LossKind::Dropped, path, message)
    }

    /// Values that are at most this far from what they were.
    #[cfg(feature = "scene")]
    pub(crate) fn quantised(path: impl Into<String>, message: impl Into<String>, error: f32) -> Loss {
        Loss { error: Some(error), ..Loss::new(LossKind::Quantised, path, message) }
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_loss(f, self.kind, &self.path, &self.message, self.error)
    }
}

/// Losses that differ in nothing but numbers and names, told as one.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LossGroup {
    /// The first of them, with the largest error of all.
    pub example: Loss,
    /// How many there are.
    pub count: usize,
    /// The path of the last one.
    pub last_path: String,
    /// What they have in common: kind, path and message with `#` for numbers and nothing between quotes.
    pub pattern: String,
}

impl LossGroup {
    /// Groups losses in the order in which each group first occurs.
    pub fn of<'a>(losses: impl IntoIterator<Item = &'a Loss>) -> Vec<LossGroup> {
        let mut groups: Vec<LossGroup> = Vec::new();
        let mut places = HashMap::new();
        for loss in losses {
            let (path, message) = (without_specifics(&loss.path), without_specifics(&loss.message));
            let pattern = format!("{}: {path}: {message}", loss.kind.name());
            let place = *places.entry(pattern.clone()).or_insert(groups.len());
            match groups.get_mut(place) {
                Some(group) => group.add(loss),
                None => groups.push(LossGroup {
                    example: loss.clone(),
                    count: 1,
                    last_path: loss.path.clone(),
                    pattern,
                }),
            }
        }
        groups
    }

    fn add(&mut self, loss: &Loss) {
        self.count += 1;
        self.last_path.clone_from(&loss.path);
        self.example.error = match (self.example.error, loss.error) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (a, b) => a.or(b),
        };
    }
}

/// `dropped: meshes[0].name and 41 more, up to meshes[41].name: Crucible has no place for …`
impl fmt::Display for LossGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Loss { kind, path, message, error } = &self.example;
        let others = self.count - 1;
        let path = match (others, path == &self.last_path) {
            (0, _) => path.clone(),
            (_, true) => format!("{path} ({} times)", self.count),
            (_, false) => format!("{path} and {others} more, up to {}", self.last_path),
        };
        write_loss(f, *kind, &path, message, *error)
    }
}

fn write_loss(
    f: &mut fmt::Formatter<'_>,
    kind: LossKind,
    path: &str,
    message: &str,
    error: Option<f32>,
) -> fmt::Result {
    write!(f, "{}: ", kind.name())?;
    if !path.is_empty() {
        write!(f, "{path}: ")?;
    }
    f.write_str(message)?;
    match error {
        Some(error) => write!(f, ", off by at most {}", rounded(error)),
        None => Ok(()),
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
fn rounded(number: f32) -> String {
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
    fn losses_that_differ_in_numbers_and_names_are_one_group() {
        let losses = [
            Loss::dropped("meshes[0].name", "no place for names: \"a\""),
            Loss::new(LossKind::Changed, "transform", "applied to 3 meshes"),
            Loss::dropped("meshes[1].name", "no place for names: \"b 2\""),
            Loss::dropped("meshes[12].name", "no place for names: \"\""),
            Loss::dropped("meshes[1].extras", "no place for names: \"b\""),
            Loss::new(LossKind::Changed, "transform", "applied to 14 meshes"),
        ];
        let told: Vec<_> = LossGroup::of(&losses).iter().map(LossGroup::to_string).collect();
        assert_eq!(
            told,
            [
                "dropped: meshes[0].name and 2 more, up to meshes[12].name: no place for names: \"a\"",
                "changed: transform (2 times): applied to 3 meshes",
                "dropped: meshes[1].extras: no place for names: \"b\"",
            ]
        );
    }

    #[test]
    fn a_group_has_the_largest_error() {
        let loss = |error| Loss { error: Some(error), ..Loss::new(LossKind::Quantised, "a", "b") };
        let groups = LossGroup::of(&[loss(0.25), loss(0.5), loss(f32::NAN), loss(0.125)]);
        assert_eq!(groups.len(), 1);
        assert_eq!(groups[0].to_string(), "quantised: a (4 times): b, off by at most 0.5");
    }

    #[test]
    fn errors_are_rounded_as_people_write_numbers() {
        let numbers = [0.0, 1.002_427_6, 0.001_234, 99.9, 123_456.0, 1e-9, 1.5e-7, 3.21e9, f32::INFINITY];
        let told: Vec<_> = numbers.into_iter().map(rounded).collect();
        assert_eq!(told, ["0", "1", "0.0012", "100", "120000", "1e-9", "1.5e-7", "3.2e9", "inf"]);
    }
}
