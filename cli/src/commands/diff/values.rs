//! Compares two files of the same format, value by value.

use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput};
use meshspec::layout::walk::Segment;

use super::difference::{Difference, DifferenceKind, Differences};
use super::tree::{self, Number, ValueNode, ValueTree};
use crate::terminal::shortened;

pub struct ValueComparison<'t> {
    pub before: &'t ValueTree,
    pub after: &'t ValueTree,
    /// The largest difference between floats that is ignored.
    pub tolerance: f64,
    pub differences: &'t mut Differences,
}

impl ValueComparison<'_> {
    /// Compares the nodes with the indices `before` and `after`, both at `path`.
    pub fn compare(&mut self, path: &mut Vec<Segment>, before: usize, after: usize) {
        let (Some(a), Some(b)) = (self.before.node(before), self.after.node(after)) else {
            return;
        };
        if a.digest == b.digest {
            return;
        }
        let [x, y] = [
            self.before.numbers(&a.content),
            self.after.numbers(&b.content),
        ];
        match (&a.content, &b.content) {
            (tree::NodeContent::Group, tree::NodeContent::Group) => {
                self.compare_groups(path, before, after)
            }
            (
                tree::NodeContent::Numbers {
                    is_tuple: false, ..
                },
                tree::NodeContent::Numbers {
                    is_tuple: false, ..
                },
            ) => {
                self.compare_numbers(path, x, y);
            }
            _ if are_equal(x, y, self.tolerance) => {}
            _ => {
                let by = largest_difference(x, y);
                let [from, to] = [format_value(self.before, a), format_value(self.after, b)];
                self.differences
                    .add_at(path, |path| Difference::changed(path, from, to, by));
            }
        }
    }

    fn compare_groups(&mut self, path: &mut Vec<Segment>, before: usize, after: usize) {
        let are_lists = self.before.has_only_items(before) && self.after.has_only_items(after);
        let [before, after] = [
            self.before.children(before).collect::<Vec<_>>(),
            self.after.children(after).collect::<Vec<_>>(),
        ];
        if are_lists {
            return self.compare_items(path, &before, &after);
        }
        let segment = |tree: &ValueTree, child: usize| tree.node(child).map(|node| node.segment);
        let mut others: HashMap<Segment, usize> = HashMap::new();
        for child in &after {
            segment(self.after, *child).map(|segment| others.entry(segment).or_insert(*child));
        }
        for child in before {
            let Some(own) = segment(self.before, child) else {
                continue;
            };
            match others.remove(&own) {
                Some(other) => {
                    self.with_segment(path, own, |this, path| this.compare(path, child, other))
                }
                None => self.add_missing(path, DifferenceKind::Removed, child),
            }
        }
        for child in after {
            if segment(self.after, child)
                .is_some_and(|segment| others.get(&segment) == Some(&child))
            {
                self.add_missing(path, DifferenceKind::Added, child);
            }
        }
    }

    fn with_segment(
        &mut self,
        path: &mut Vec<Segment>,
        segment: Segment,
        compare: impl FnOnce(&mut Self, &mut Vec<Segment>),
    ) {
        path.push(segment);
        compare(self, path);
        path.pop();
    }

    /// Adds the difference for a removed or added node, or one for each item of a list of structs or lines.
    fn add_missing(&mut self, path: &mut Vec<Segment>, kind: DifferenceKind, child: usize) {
        let tree = if kind == DifferenceKind::Removed {
            self.before
        } else {
            self.after
        };
        let Some(node) = tree.node(child) else { return };
        if tree.has_only_items(child) && tree.children(child).next().is_some() {
            return self.with_segment(path, node.segment, |this, path| {
                tree.children(child)
                    .for_each(|item| this.add_missing(path, kind, item));
            });
        }
        let value = matches!(
            node.content,
            tree::NodeContent::Numbers { is_tuple: true, .. } | tree::NodeContent::Text(_)
        );
        let value = value.then(|| format_value(tree, node));
        self.with_segment(path, node.segment, |this, path| {
            this.differences
                .add_at(path, |path| Difference::missing(path, kind, value));
        });
    }

    fn compare_items(&mut self, path: &mut Vec<Segment>, before: &[usize], after: &[usize]) {
        let digests = |tree: &ValueTree, items: &[usize]| -> Vec<u64> {
            items
                .iter()
                .filter_map(|item| tree.node(*item))
                .map(|node| node.digest)
                .collect()
        };
        for (a, b) in align(&digests(self.before, before), &digests(self.after, after)) {
            for (a, b) in before[a.clone()].iter().zip(&after[b.clone()]) {
                let Some(segment) = self.before.node(*a).map(|node| node.segment) else {
                    continue;
                };
                self.with_segment(path, segment, |this, path| this.compare(path, *a, *b));
            }
            let (removed, added) = unpaired((a, b));
            before[removed]
                .iter()
                .for_each(|item| self.add_missing(path, DifferenceKind::Removed, *item));
            after[added]
                .iter()
                .for_each(|item| self.add_missing(path, DifferenceKind::Added, *item));
        }
    }

    fn compare_numbers(&mut self, path: &mut Vec<Segment>, before: &[Number], after: &[Number]) {
        let keys = |numbers: &[Number]| {
            numbers
                .iter()
                .map(|number| number.key())
                .collect::<Vec<_>>()
        };
        for (a, b) in align(&keys(before), &keys(after)) {
            let index = |index: usize| Segment::Index(index as u64);
            for (position, (x, y)) in a
                .clone()
                .zip(before[a.clone()].iter().zip(&after[b.clone()]))
            {
                if !are_equal(&[*x], &[*y], self.tolerance) {
                    self.with_segment(path, index(position), |this, path| {
                        let by = largest_difference(&[*x], &[*y]);
                        let changed =
                            |path| Difference::changed(path, x.to_string(), y.to_string(), by);
                        this.differences.add_at(path, changed);
                    });
                }
            }
            let (removed, added) = unpaired((a, b));
            for (kind, range, numbers) in [
                (DifferenceKind::Removed, removed, before),
                (DifferenceKind::Added, added, after),
            ] {
                for position in range {
                    let value = numbers.get(position).map(ToString::to_string);
                    self.with_segment(path, index(position), |this, path| {
                        this.differences
                            .add_at(path, |path| Difference::missing(path, kind, value));
                    });
                }
            }
        }
    }
}

/// Returns the ranges of removed and added items in a hunk, after its pairs of changed items.
fn unpaired((before, after): Hunk) -> Hunk {
    let pairs = before.len().min(after.len());
    (
        before.start + pairs..before.end,
        after.start + pairs..after.end,
    )
}

/// Returns `true` if both lists are non-empty and have equal numbers. Floats are equal if they differ by at most
/// `tolerance`.
fn are_equal(before: &[Number], after: &[Number], tolerance: f64) -> bool {
    let is_equal_pair = |(a, b): (&Number, &Number)| match (a, b) {
        (a, b) if a.key() == b.key() => true,
        (Number::Int(_) | Number::Large(_), Number::Int(_) | Number::Large(_)) => false,
        (a, b) => a.to_f64() == b.to_f64() || (a.to_f64() - b.to_f64()).abs() <= tolerance,
    };
    !before.is_empty() && before.len() == after.len() && before.iter().zip(after).all(is_equal_pair)
}

/// Returns the largest difference between numbers at the same index; `None` if the lengths differ. A number and NaN differ
/// infinitely.
fn largest_difference(before: &[Number], after: &[Number]) -> Option<f64> {
    if before.len() != after.len() {
        return None;
    }
    before
        .iter()
        .zip(after)
        .map(|(a, b)| match (a.to_f64(), b.to_f64()) {
            (a, b) if a == b || (a.is_nan() && b.is_nan()) => 0.0,
            (a, b) if a.is_finite() && b.is_finite() => (a - b).abs(),
            _ => f64::INFINITY,
        })
        .reduce(f64::max)
}

fn format_value(tree: &ValueTree, node: &ValueNode) -> String {
    let numbers = tree.numbers(&node.content);
    match (&node.content, numbers) {
        (tree::NodeContent::Text(text), _) => {
            format!("\"{}\"", shortened(&String::from_utf8_lossy(text)))
        }
        (tree::NodeContent::Group, _) => "fields".to_owned(),
        (_, [number]) => number.to_string(),
        (
            tree::NodeContent::Numbers {
                is_tuple: false,
                count,
                ..
            },
            _,
        ) => format!("{count} numbers"),
        _ => format!(
            "[{}]",
            numbers
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join(", ")
        ),
    }
}

/// The ranges of two lists that correspond to each other and differ. All items outside of hunks are equal.
type Hunk = (Range<usize>, Range<usize>);

/// Returns the differing ranges of two lists after alignment. Lists of equal length are compared item by item, unless
/// the alignment has less than half as many differences.
fn align<T: Copy + Default + Eq + Hash>(before: &[T], after: &[T]) -> Vec<Hunk> {
    let aligned: Vec<Hunk> = if before.iter().eq(after) {
        Vec::new()
    } else {
        hunks(before, after)
    };
    if before.len() != after.len() {
        return aligned;
    }
    let in_place = before
        .iter()
        .zip(after)
        .enumerate()
        .filter(|(_, (a, b))| a != b);
    let in_place: Vec<Hunk> = in_place
        .map(|(index, _)| (index..index + 1, index..index + 1))
        .collect();
    let cost: usize = aligned
        .iter()
        .map(|(before, after)| before.len().max(after.len()))
        .sum();
    if 2 * cost < in_place.len() {
        aligned
    } else {
        in_place
    }
}

fn hunks<T: Copy + Default + Eq + Hash>(before: &[T], after: &[T]) -> Vec<Hunk> {
    let mut input = InternedInput::default();
    input.update_before(before.iter().copied());
    input.update_after(after.iter().copied());
    let range = |range: Range<u32>| range.start as usize..range.end as usize;
    let diff = Diff::compute(Algorithm::Histogram, &input);
    diff.hunks()
        .map(|hunk| (range(hunk.before), range(hunk.after)))
        .collect()
}
