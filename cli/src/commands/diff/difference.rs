//! Differences between two files. Groups differences of the same kind whose paths differ only in the last index.

use std::collections::HashMap;
use std::fmt;

use meshspec::Unit;
use meshspec::layout::walk::{Segment, path_text};
pub use meshspec::scene::DifferenceKind;
use meshspec::scene::{SceneDifference, UncomparedCorners};
use serde::Serialize;

use crate::json;
use crate::terminal::{counted, format_rounded_up};

/// A difference between two files, or a group of differences of the same kind at several items of a list.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// The path of the value in the first file or, if added, in the second. For a group, contains a range of indices:
    /// `vertices[3..90].position`.
    pub path: String,
    pub kind: DifferenceKind,
    /// The number of differences in a group. For scenes, the number of values that differ by more than the tolerance;
    /// otherwise 1.
    pub count: u64,
    /// The value in the first file; `None` for groups, added values, and removed lists and structs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The value in the second file; `None` for groups, removed values, and added lists and structs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The largest difference between the numbers, infinite between a number and NaN; `None` for other values.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "json::serialize_difference"
    )]
    pub by: Option<f64>,
    /// The mean difference of all compared values of scenes; `None` for other differences.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "json::serialize_difference"
    )]
    pub mean: Option<f64>,
    /// The number of compared values of scenes; `None` for other differences.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<u64>,
    /// The unit of `by` and `mean`: `m`, `°` or `s`; `None` for plain numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<&'static str>,
    /// The location of the largest difference between scenes, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
}

impl Difference {
    pub fn changed(
        path: impl Into<String>,
        from: String,
        to: String,
        by: Option<f64>,
    ) -> Difference {
        let difference = Difference::of_kind(path, DifferenceKind::Changed);
        Difference {
            from: Some(from),
            to: Some(to),
            by,
            ..difference
        }
    }

    /// Creates a difference for a removed or added value.
    pub fn missing(
        path: impl Into<String>,
        kind: DifferenceKind,
        value: Option<String>,
    ) -> Difference {
        let (from, to) = if kind == DifferenceKind::Removed {
            (value, None)
        } else {
            (None, value)
        };
        Difference {
            from,
            to,
            ..Difference::of_kind(path, kind)
        }
    }

    fn of_kind(path: impl Into<String>, kind: DifferenceKind) -> Difference {
        let (path, count) = (path.into(), 1);
        Difference {
            path,
            kind,
            count,
            from: None,
            to: None,
            by: None,
            mean: None,
            of: None,
            unit: None,
            at: None,
        }
    }
}

impl From<SceneDifference> for Difference {
    fn from(difference: SceneDifference) -> Difference {
        let unit = difference
            .quantity
            .and_then(|quantity| match quantity.unit {
                Unit::Metres => Some("m"),
                Unit::Degrees => Some("°"),
                Unit::Seconds => Some("s"),
                _ => None,
            });
        Difference {
            path: difference.path,
            kind: difference.kind,
            count: difference.count,
            from: difference.from,
            to: difference.to,
            by: difference.largest,
            mean: difference.mean,
            of: difference.compared,
            unit,
            at: difference.at,
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference {
            path,
            kind,
            count,
            from,
            to,
            by,
            mean,
            of,
            unit,
            at,
        } = self;
        let amount = |number: f64| match unit {
            Some("°") => format!("{}°", format_rounded_up(number)),
            Some(unit) => format!("{} {unit}", format_rounded_up(number)),
            None => format_rounded_up(number),
        };
        write!(f, "{path}: ")?;
        match (kind, from, to) {
            (DifferenceKind::Changed, Some(from), Some(to)) => write!(f, "{from} → {to}")?,
            (DifferenceKind::Changed, ..) => match of {
                Some(of) => write!(
                    f,
                    "{count} of {of} {}",
                    if *count == 1 { "differs" } else { "differ" }
                )?,
                None => write!(f, "{}", counted(*count, "differs", "differ"))?,
            },
            (DifferenceKind::Removed, Some(value), _) => write!(f, "removed {value}")?,
            (DifferenceKind::Added, _, Some(value)) => write!(f, "added {value}")?,
            (DifferenceKind::Removed, ..) => write!(f, "{count} removed")?,
            (DifferenceKind::Added, ..) => write!(f, "{count} added")?,
        }
        match by {
            Some(by) if *count > 1 => write!(f, ", by at most {}", amount(*by))?,
            Some(by) => write!(f, ", by {}", amount(*by))?,
            None => {}
        }
        if let (Some(at), Some(by)) = (at, by)
            && *by > 0.0
        {
            write!(f, " at {at}")?;
        }
        match mean {
            Some(mean) if *count > 1 => write!(f, ", {} on average", amount(*mean)),
            _ => Ok(()),
        }
    }
}

/// Collects differences, in groups or individually.
#[derive(Default)]
pub struct Differences {
    pub list: Vec<Difference>,
    /// The groups by kind and path without the last index; `None` to list differences individually.
    groups: Option<HashMap<(String, DifferenceKind), ItemGroup>>,
    pub total: u64,
    /// The compared parts of scenes; empty for values.
    pub compared_parts: Vec<String>,
    /// The corners of scenes whose attributes are not compared.
    pub uncompared_corners: UncomparedCorners,
}

/// The index of a group of differences in the list, and the first and last index of its items.
struct ItemGroup {
    index: usize,
    first: u64,
    last: u64,
}

impl Differences {
    pub fn grouped() -> Differences {
        Differences {
            groups: Some(HashMap::new()),
            ..Differences::default()
        }
    }

    /// Adds a difference without grouping it.
    pub fn push(&mut self, difference: Difference) {
        self.total += 1;
        self.list.push(difference);
    }

    /// Adds a difference at a path; to a group if differences are grouped and the path has an index. `difference`
    /// creates the difference from the path as text.
    pub fn add_at(&mut self, path: &[Segment], difference: impl FnOnce(String) -> Difference) {
        let index = path
            .iter()
            .enumerate()
            .rev()
            .find_map(|(position, segment)| match segment {
                Segment::Index(index) => Some((position, *index)),
                Segment::Field(_) => None,
            });
        let difference = difference(path_text(path));
        let (Some((position, index)), Some(groups)) = (index, &mut self.groups) else {
            return self.push(difference);
        };
        self.total += 1;
        let (before, after) = (
            path_text(&path[..position]),
            suffix_text(&path[position + 1..]),
        );
        let next = self.list.len();
        let group = groups
            .entry((format!("{before}[]{after}"), difference.kind))
            .or_insert(ItemGroup {
                index: next,
                first: index,
                last: index,
            });
        let Some(known) = self.list.get_mut(group.index) else {
            return self.list.push(difference);
        };
        group.first = group.first.min(index);
        group.last = group.last.max(index);
        let by = known.by.into_iter().chain(difference.by).reduce(f64::max);
        let path = format!("{before}[{}..{}]{after}", group.first, group.last + 1);
        *known = Difference {
            path,
            count: known.count + 1,
            from: None,
            to: None,
            by,
            ..difference
        };
    }
}

/// Returns the part of a path after an index as text.
fn suffix_text(path: &[Segment]) -> String {
    let text = path_text(path);
    if matches!(path.first(), Some(Segment::Field(_))) {
        format!(".{text}")
    } else {
        text
    }
}
