//! Groups of similar losses, displayed as one line each.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::fmt;

use super::item::{Affected, Loss};
use super::quantity::{Unit, format_rounded_up};
use crate::Path;

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        LossGroup::new(self, String::new()).fmt(f)
    }
}

/// Losses that differ only in indices, names and values, displayed as one line.
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
/// let lines: Vec<_> = LossGroup::from_losses(&losses).iter().map(ToString::to_string).collect();
/// assert_eq!(
///     lines,
///     ["dropped: meshes[0].name and 1 more, up to meshes[1].name: Crucible does not store mesh names: \"a\", \"b\""]
/// );
/// # }
/// # Ok::<(), meshspec::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LossGroup {
    /// The first loss, with the total number of items that the group affects.
    pub example: Loss,
    /// The number of losses.
    pub count: usize,
    /// The path of the last loss.
    pub last_path: Path,
    /// The key of the group: kind, path without indices and names, message, items, quantity, and whether total and
    /// error are known. Only losses with equal keys are grouped.
    pub pattern: String,
    /// The largest error of a loss; `None` if no loss has an error.
    pub largest_error: Option<LargestError>,
    /// The largest [harm](Loss::harm) of a loss.
    pub harm: f64,
    /// The error that is largest relative to the size of its mesh; `None` if no size is known.
    pub largest_relative_error: Option<LargestError>,
    details: Details,
}

/// The error of a loss in a group.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LargestError {
    /// The path of the loss.
    pub path: Path,
    /// The error, in the unit of the quantity.
    pub error: f64,
    /// The longest side of the mesh, in the same unit, if known.
    pub size: Option<f64>,
}

/// The first three distinct details of a group, and the number of further details.
#[derive(Debug, Clone, Default, PartialEq)]
struct Details {
    listed: Vec<String>,
    /// The number of details that are not listed, counting duplicates.
    omitted: usize,
}

impl LossGroup {
    fn new(loss: &Loss, pattern: String) -> LossGroup {
        let error = LargestError::from_loss(loss);
        let mut details = Details::default();
        details.add(loss.detail.as_ref());
        LossGroup {
            example: loss.clone(),
            count: 1,
            last_path: loss.path.clone(),
            pattern,
            harm: loss.harm(),
            largest_relative_error: error
                .clone()
                .filter(|error| error.relative_error().is_some()),
            largest_error: error,
            details,
        }
    }

    /// Groups losses. Sorts the groups by [harm](LossGroup::harm), the most harmful first, then by category, then by
    /// first occurrence.
    pub fn from_losses<'a>(losses: impl IntoIterator<Item = &'a Loss>) -> Vec<LossGroup> {
        let mut groups: Vec<LossGroup> = Vec::new();
        let mut indices = HashMap::new();
        for loss in losses {
            let group = LossGroup::new(loss, group_key(loss));
            match indices.get(&group.pattern) {
                Some(index) => LossGroup::merge(&mut groups[*index], group),
                None => {
                    indices.insert(group.pattern.clone(), groups.len());
                    groups.push(group);
                }
            }
        }
        groups.sort_by(LossGroup::compare_importance);
        groups
    }

    /// Orders groups by descending [harm](LossGroup::harm), then by category.
    pub fn compare_importance(&self, other: &LossGroup) -> Ordering {
        let categories = self.example.category.cmp(&other.example.category);
        other.harm.total_cmp(&self.harm).then(categories)
    }

    /// Adds the losses of a group with the same pattern, such as a group from another file.
    pub fn merge(&mut self, other: LossGroup) {
        self.count += other.count;
        self.last_path = other.last_path;
        self.harm = self.harm.max(other.harm);
        if let (Some(own), Some(others)) = (&mut self.example.affected, other.example.affected) {
            own.count = own.count.saturating_add(others.count);
            own.of = own
                .of
                .zip(others.of)
                .map(|(own, others)| own.saturating_add(others));
        }
        LargestError::keep_larger(&mut self.largest_error, other.largest_error, |error| {
            Some(error.error)
        });
        LargestError::keep_larger(
            &mut self.largest_relative_error,
            other.largest_relative_error,
            LargestError::relative_error,
        );
        self.details.merge(other.details);
    }

    /// Prefixes all paths with `prefix`, such as a file name.
    ///
    /// ```
    /// use meshspec::{Loss, LossGroup, LossKind};
    ///
    /// let losses = vec![Loss::new(LossKind::Dropped, "strings", "no strings")];
    /// let mut groups = LossGroup::from_losses(&losses);
    /// groups[0].prefix_paths("walk.mesh: ");
    /// assert_eq!(groups[0].to_string(), "dropped: walk.mesh: strings: no strings");
    /// ```
    pub fn prefix_paths(&mut self, prefix: &str) {
        let errors = [&mut self.largest_error, &mut self.largest_relative_error];
        let errors = errors.into_iter().flatten().map(|error| &mut error.path);
        for path in errors.chain([&mut self.example.path, &mut self.last_path]) {
            *path = Path::text(format!("{prefix}{path}"));
        }
    }

    /// Formats the group as one line, with `location` in place of the first and last path.
    ///
    /// ```
    /// use meshspec::{Loss, LossGroup, LossKind};
    ///
    /// let losses = [0, 1].map(|mesh| Loss::new(LossKind::Dropped, format!("meshes[{mesh}].name"), "not stored"));
    /// let groups = LossGroup::from_losses(&losses);
    /// assert_eq!(groups[0].format_at("two meshes"), "dropped: two meshes: not stored");
    /// ```
    pub fn format_at(&self, location: &str) -> String {
        let Loss {
            kind,
            message,
            affected,
            ..
        } = &self.example;
        let colon = if location.is_empty() { "" } else { ": " };
        let affected = match affected {
            Some(Affected {
                count,
                of: Some(of),
                items,
            }) => format!(", {count} of {of} {items}"),
            Some(Affected { count, items, .. }) if message.contains(items) => format!(": {count}"),
            Some(Affected {
                count: 1, items, ..
            }) => format!(": 1 {}", singular(items)),
            Some(Affected { count, items, .. }) => format!(": {count} {items}"),
            None => String::new(),
        };
        format!(
            "{kind}: {location}{colon}{message}{}{affected}{}",
            self.details,
            self.format_errors()
        )
    }

    /// Formats the largest error, then the largest relative error if another loss has it.
    fn format_errors(&self) -> String {
        let Some(largest) = &self.largest_error else {
            return String::new();
        };
        let unit = self
            .example
            .quantity
            .map_or(Unit::None, |quantity| quantity.unit);
        let at = |error: &LargestError| match error.path == self.example.path
            && error.path == self.last_path
        {
            true => String::new(),
            false => format!(" at {}", error.path),
        };
        let mut text = format!(
            ", off by at most {}{}",
            unit.format(largest.error),
            at(largest)
        );
        let of_mesh =
            |fraction: f64| format!("{} % of the mesh", format_rounded_up(100.0 * fraction));
        if let Some(fraction) = largest.relative_error() {
            text += &format!(" ({})", of_mesh(fraction));
        }
        if let Some(other) = &self.largest_relative_error
            && let Some(fraction) = other
                .relative_error()
                .filter(|fraction| Some(*fraction) > largest.relative_error())
        {
            text += &format!(", and by at most {}{}", of_mesh(fraction), at(other));
        }
        text
    }
}

impl LargestError {
    /// Returns the error of a loss; `None` if missing or NaN.
    fn from_loss(loss: &Loss) -> Option<LargestError> {
        let error = loss.error.filter(|error| !error.is_nan())?;
        Some(LargestError {
            path: loss.path.clone(),
            error,
            size: loss.size,
        })
    }

    /// Returns the error divided by the size of the mesh; `None` if the size is unknown.
    pub fn relative_error(&self) -> Option<f64> {
        self.size.map(|size| self.error / size)
    }

    /// Replaces `error` with `other` if `measure` is larger for `other`.
    fn keep_larger(
        error: &mut Option<Self>,
        other: Option<Self>,
        measure: impl Fn(&Self) -> Option<f64>,
    ) {
        if other.as_ref().and_then(&measure) > error.as_ref().and_then(&measure) {
            *error = other;
        }
    }
}

impl Details {
    fn add(&mut self, detail: Option<&String>) {
        const MAX_LISTED: usize = 3;
        match detail {
            Some(detail) if self.listed.contains(detail) => {}
            Some(detail) if self.listed.len() < MAX_LISTED => self.listed.push(detail.clone()),
            Some(_) => self.omitted += 1,
            None => {}
        }
    }

    fn merge(&mut self, other: Details) {
        other
            .listed
            .iter()
            .for_each(|detail| self.add(Some(detail)));
        self.omitted += other.omitted;
    }
}

/// Displays the details like `: "a", "b", "c" and 39 more`.
impl fmt::Display for Details {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.listed.is_empty() {
            write!(f, ": {}", self.listed.join(", "))?;
        }
        if self.omitted > 0 {
            write!(f, " and {} more", self.omitted)
        } else {
            Ok(())
        }
    }
}

/// Displays the group like `dropped: meshes[0].name and 41 more, up to meshes[41].name: Crucible does not store mesh
/// names: "a", "b", "c" and 39 more`.
impl fmt::Display for LossGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = &self.example.path;
        let location = match (self.count - 1, *path == self.last_path) {
            (0, _) => path.to_string(),
            (_, true) => format!("{path} ({} times)", self.count),
            (others, false) => format!("{path} and {others} more, up to {}", self.last_path),
        };
        f.write_str(&self.format_at(&location))
    }
}

/// Returns the key of the group that a loss belongs to. Messages contain no values, so they are compared verbatim.
fn group_key(loss: &Loss) -> String {
    let items = loss.affected.map_or("", |affected| affected.items);
    let of = loss.affected.is_some_and(|affected| affected.of.is_some());
    let quantity = loss.quantity.map_or("", |quantity| quantity.name);
    let path = path_pattern(&loss.path.to_string());
    format!(
        "{}: {path}: {} {items} {of} {quantity} {}",
        loss.kind,
        loss.message,
        loss.error.is_some()
    )
}

/// Replaces every number outside quotes with `#`, and removes quoted text.
fn path_pattern(path: &str) -> String {
    let mut pattern = String::with_capacity(path.len());
    let mut is_quoted = false;
    for c in path.chars() {
        match c {
            '"' => {
                is_quoted = !is_quoted;
                pattern.push(c);
            }
            _ if is_quoted => {}
            '0'..='9' if pattern.ends_with('#') => {}
            '0'..='9' => pattern.push('#'),
            _ => pattern.push(c),
        }
    }
    pattern
}

/// Returns the singular of a plural noun in [`Affected::items`], such as `vertex` for `vertices`.
fn singular(plural: &str) -> String {
    match plural {
        "vertices" => "vertex".to_owned(),
        "indices" => "index".to_owned(),
        "meshes" => "mesh".to_owned(),
        _ => match plural.strip_suffix("ies") {
            Some(stem) => format!("{stem}y"),
            None => plural.strip_suffix('s').unwrap_or(plural).to_owned(),
        },
    }
}
