//! Groups of equal losses, displayed as one line each.

use std::collections::HashMap;
use std::fmt;

use super::data::{Affected, Loss};
use super::quantity::{Unit, rounded};
use crate::Path;

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        LossGroup::new(self, String::new()).fmt(f)
    }
}

/// Losses that differ only in indices, names and values, displayed as one.
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
///     ["dropped: meshes[0].name and 1 more, up to meshes[1].name: Crucible does not store mesh names: \"a\", \"b\""]
/// );
/// # }
/// # Ok::<(), meshspec::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LossGroup {
    /// The first loss, with the number of items that all of them affect.
    pub example: Loss,
    /// The number of losses.
    pub count: usize,
    /// The path of the last loss.
    pub last_path: Path,
    /// The key of the group: kind, path without indices and names, message, items and quantity. Losses that differ in
    /// more than values never share a group.
    pub pattern: String,
    /// The largest error.
    pub largest_error: Option<LargestError>,
    /// The largest error relative to the size of its mesh.
    pub largest_fraction: Option<LargestError>,
    details: Details,
}

/// The error of one loss of a group.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LargestError {
    /// The path of the loss.
    pub path: Path,
    /// The error, in the unit of the group's quantity.
    pub error: f32,
    /// The longest side of the mesh, in the same unit.
    pub size: Option<f32>,
}

/// The first three distinct details of a group.
#[derive(Debug, Clone, Default, PartialEq)]
struct Details {
    shown: Vec<String>,
    /// The number of further details.
    more: usize,
}

impl LossGroup {
    fn new(loss: &Loss, pattern: String) -> LossGroup {
        let own = LargestError::of(loss);
        let mut details = Details::default();
        details.add(loss.detail.as_ref());
        LossGroup {
            example: loss.clone(),
            count: 1,
            last_path: loss.path.clone(),
            pattern,
            largest_fraction: own.clone().filter(|own| own.fraction().is_some()),
            largest_error: own,
            details,
        }
    }

    /// Groups losses. The groups are in order of category, then of first occurrence.
    pub fn of<'a>(losses: impl IntoIterator<Item = &'a Loss>) -> Vec<LossGroup> {
        let mut groups: Vec<LossGroup> = Vec::new();
        let mut places = HashMap::new();
        for loss in losses {
            let group = LossGroup::new(loss, pattern(loss));
            match places.get(&group.pattern) {
                Some(place) => LossGroup::merge(&mut groups[*place], group),
                None => {
                    places.insert(group.pattern.clone(), groups.len());
                    groups.push(group);
                }
            }
        }
        groups.sort_by_key(|group| group.example.category);
        groups
    }

    /// Adds a group with the same pattern, such as one of another file.
    pub fn merge(&mut self, other: LossGroup) {
        self.count += other.count;
        self.last_path = other.last_path;
        if let (Some(own), Some(others)) = (&mut self.example.affected, other.example.affected) {
            own.count = own.count.saturating_add(others.count);
            own.of = own.of.zip(others.of).map(|(own, others)| own.saturating_add(others));
        }
        LargestError::keep(&mut self.largest_error, other.largest_error, |error| Some(error.error));
        LargestError::keep(&mut self.largest_fraction, other.largest_fraction, LargestError::fraction);
        self.details.merge(other.details);
    }

    /// Prefixes all paths with a text, such as the name of a file.
    pub fn prefix_paths(&mut self, prefix: &str) {
        let errors = [&mut self.largest_error, &mut self.largest_fraction];
        let errors = errors.into_iter().flatten().map(|error| &mut error.path);
        for path in errors.chain([&mut self.example.path, &mut self.last_path]) {
            *path = Path::text(format!("{prefix}{path}"));
        }
    }

    /// Formats the group as one line, with `place` instead of its paths.
    pub fn at(&self, place: &str) -> String {
        let Loss { kind, message, affected, .. } = &self.example;
        let colon = if place.is_empty() { "" } else { ": " };
        let affected = match affected {
            Some(Affected { count, of: Some(of), items }) => format!(", {count} of {of} {items}"),
            Some(Affected { count, items, .. }) if message.contains(items) => format!(": {count}"),
            Some(Affected { count, items, .. }) => format!(": {count} {items}"),
            None => String::new(),
        };
        format!("{kind}: {place}{colon}{message}{}{affected}{}", self.details, self.errors())
    }

    /// Formats the largest error, then the largest fraction if it belongs to another loss.
    fn errors(&self) -> String {
        let Some(largest) = &self.largest_error else { return String::new() };
        let unit = self.example.quantity.map_or(Unit::None, |quantity| quantity.unit);
        let at = |error: &LargestError| match error.path == self.example.path && error.path == self.last_path
        {
            true => String::new(),
            false => format!(" at {}", error.path),
        };
        let mut text = format!(", off by at most {}{}", unit.show(largest.error), at(largest));
        let of_mesh = |fraction: f32| format!("{} % of the mesh", rounded(100.0 * fraction));
        if let Some(fraction) = largest.fraction() {
            text += &format!(" ({})", of_mesh(fraction));
        }
        if let Some(other) = &self.largest_fraction
            && let Some(fraction) = other.fraction().filter(|fraction| Some(*fraction) > largest.fraction())
        {
            text += &format!(", and by at most {}{}", of_mesh(fraction), at(other));
        }
        text
    }
}

impl LargestError {
    /// Returns the error of a loss; `None` if it is missing or NaN.
    fn of(loss: &Loss) -> Option<LargestError> {
        let error = loss.error.filter(|error| !error.is_nan())?;
        Some(LargestError { path: loss.path.clone(), error, size: loss.size })
    }

    /// Returns the error divided by the size of its mesh.
    pub fn fraction(&self) -> Option<f32> {
        self.size.map(|size| self.error / size)
    }

    /// Keeps the larger error by this measure.
    fn keep(own: &mut Option<Self>, other: Option<Self>, by: impl Fn(&Self) -> Option<f32>) {
        if other.as_ref().and_then(&by) > own.as_ref().and_then(&by) {
            *own = other;
        }
    }
}

impl Details {
    fn add(&mut self, detail: Option<&String>) {
        const SHOWN: usize = 3;
        match detail {
            Some(detail) if self.shown.contains(detail) => {}
            Some(detail) if self.shown.len() < SHOWN => self.shown.push(detail.clone()),
            Some(_) => self.more += 1,
            None => {}
        }
    }

    fn merge(&mut self, other: Details) {
        other.shown.iter().for_each(|detail| self.add(Some(detail)));
        self.more += other.more;
    }
}

/// `: "a", "b", "c" and 39 more`
impl fmt::Display for Details {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.shown.is_empty() {
            write!(f, ": {}", self.shown.join(", "))?;
        }
        if self.more > 0 { write!(f, " and {} more", self.more) } else { Ok(()) }
    }
}

/// `dropped: meshes[0].name and 41 more, up to meshes[41].name: Crucible does not store mesh names: "a", "b", "c" and 39 more`
impl fmt::Display for LossGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = &self.example.path;
        let place = match (self.count - 1, *path == self.last_path) {
            (0, _) => path.to_string(),
            (_, true) => format!("{path} ({} times)", self.count),
            (others, false) => format!("{path} and {others} more, up to {}", self.last_path),
        };
        f.write_str(&self.at(&place))
    }
}

/// Returns the key of the group of a loss. Messages are compared verbatim, since they contain no values.
fn pattern(loss: &Loss) -> String {
    let items = loss.affected.map_or("", |affected| affected.items);
    let of = loss.affected.is_some_and(|affected| affected.of.is_some());
    let quantity = loss.quantity.map_or("", |quantity| quantity.name);
    let path = without_specifics(&loss.path.to_string());
    format!("{}: {path}: {} {items} {of} {quantity} {}", loss.kind, loss.message, loss.error.is_some())
}

/// Returns the path with `#` for every number, and without the text in quotes.
fn without_specifics(path: &str) -> String {
    let mut common = String::with_capacity(path.len());
    let mut quoted = false;
    for c in path.chars() {
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
