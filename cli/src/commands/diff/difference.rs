//! Differences, grouped if their paths differ in one index only.

use std::collections::HashMap;
use std::fmt;

use meshspec::layout::walk::{Segment, path_text};
use serde::Serialize;

use crate::terminal::{counted, number};

/// A difference of two files, or a group of the same kind at items of one list.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// The path in the first file; for added values, in the second. The path of a group has a range of indices:
    /// `vertices[3..90].position`.
    pub path: String,
    pub kind: Kind,
    /// The number of values or items.
    pub count: u64,
    /// The value in the first file; `None` for groups.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The value in the second file; `None` for groups.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The largest difference between two numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Changed,
    /// Only in the first file.
    Removed,
    /// Only in the second file.
    Added,
}

impl Difference {
    /// Creates the difference of a changed value.
    pub fn changed(path: impl Into<String>, from: String, to: String, by: Option<f64>) -> Difference {
        let (path, kind) = (path.into(), Kind::Changed);
        Difference { path, kind, count: 1, from: Some(from), to: Some(to), by }
    }

    /// Creates the difference of a value that one of the files lacks.
    pub fn missing(path: impl Into<String>, kind: Kind, value: Option<String>) -> Difference {
        let (from, to) = if kind == Kind::Removed { (value, None) } else { (None, value) };
        Difference { path: path.into(), kind, count: 1, from, to, by: None }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { path, kind, count, from, to, by } = self;
        write!(f, "{path}: ")?;
        match (kind, from, to) {
            (Kind::Changed, Some(from), Some(to)) => write!(f, "{from} → {to}")?,
            (Kind::Changed, ..) => write!(f, "{}", counted(*count, "differs", "differ"))?,
            (Kind::Removed, Some(value), _) => write!(f, "removed {value}")?,
            (Kind::Added, _, Some(value)) => write!(f, "added {value}")?,
            (Kind::Removed, ..) => write!(f, "{count} removed")?,
            (Kind::Added, ..) => write!(f, "{count} added")?,
        }
        match by {
            Some(by) if *count > 1 => write!(f, ", by at most {}", number(*by as f32)),
            Some(by) => write!(f, ", by {}", number(*by as f32)),
            None => Ok(()),
        }
    }
}

/// Collects differences, grouped unless each is listed.
#[derive(Default)]
pub struct Differences {
    pub list: Vec<Difference>,
    /// The groups by path without the innermost index; `None` to list each difference.
    groups: Option<HashMap<(String, Kind), Group>>,
    pub total: u64,
}

/// The items that a difference covers.
struct Group {
    place: usize,
    first: u64,
    last: u64,
}

impl Differences {
    pub fn grouped() -> Differences {
        Differences { groups: Some(HashMap::new()), ..Differences::default() }
    }

    /// Adds a difference outside of any list.
    pub fn add(&mut self, difference: Difference) {
        self.total += 1;
        self.list.push(difference);
    }

    /// Adds a difference at a path of a file.
    pub fn add_at(&mut self, path: &[Segment], difference: impl FnOnce(String) -> Difference) {
        let index = path.iter().enumerate().rev().find_map(|(place, segment)| match segment {
            Segment::Index(index) => Some((place, *index)),
            Segment::Field(_) => None,
        });
        let difference = difference(path_text(path));
        let (Some((place, index)), Some(groups)) = (index, &mut self.groups) else {
            return self.add(difference);
        };
        self.total += 1;
        let (before, after) = (path_text(&path[..place]), tail_text(&path[place + 1..]));
        let next = self.list.len();
        let group = groups.entry((format!("{before}[]{after}"), difference.kind)).or_insert(Group {
            place: next,
            first: index,
            last: index,
        });
        let Some(known) = self.list.get_mut(group.place) else { return self.list.push(difference) };
        group.first = group.first.min(index);
        group.last = group.last.max(index);
        let by = known.by.into_iter().chain(difference.by).reduce(f64::max);
        let path = format!("{before}[{}..{}]{after}", group.first, group.last + 1);
        *known = Difference { path, count: known.count + 1, from: None, to: None, by, ..difference };
    }
}

/// Returns the rest of a path after an index as text.
fn tail_text(path: &[Segment]) -> String {
    let text = path_text(path);
    if matches!(path.first(), Some(Segment::Field(_))) { format!(".{text}") } else { text }
}
