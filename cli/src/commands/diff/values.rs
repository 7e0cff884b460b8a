//! Comparison of two files of one format, value by value.

use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput};
use meshspec::layout::walk::Segment;

use super::difference::{Difference, Differences, Kind};
use super::tree::{self, Node, Number, Tree};
use crate::terminal::shortened;

/// Compares the values of two files.
pub struct Comparison<'t> {
    pub before: &'t Tree,
    pub after: &'t Tree,
    /// The largest ignored difference of floats.
    pub tolerance: f64,
    pub differences: &'t mut Differences,
}

impl Comparison<'_> {
    /// Compares two nodes with this path.
    pub fn compare(&mut self, path: &mut Vec<Segment>, before: usize, after: usize) {
        let (Some(a), Some(b)) = (self.before.node(before), self.after.node(after)) else { return };
        if a.digest == b.digest {
            return;
        }
        let [x, y] = [self.before.numbers(&a.kind), self.after.numbers(&b.kind)];
        match (&a.kind, &b.kind) {
            (tree::Kind::Group, tree::Kind::Group) => self.groups(path, before, after),
            (tree::Kind::Numbers { is_tuple: false, .. }, tree::Kind::Numbers { is_tuple: false, .. }) => {
                self.numbers(path, x, y);
            }
            _ if are_equal(x, y, self.tolerance) => {}
            _ => {
                let by = largest_difference(x, y);
                let [from, to] = [text(self.before, a), text(self.after, b)];
                self.differences.add_at(path, |path| Difference::changed(path, from, to, by));
            }
        }
    }

    fn groups(&mut self, path: &mut Vec<Segment>, before: usize, after: usize) {
        let [before, after] = [
            self.before.children(before).collect::<Vec<_>>(),
            self.after.children(after).collect::<Vec<_>>(),
        ];
        let is_item = |tree: &Tree, child: &usize| {
            tree.node(*child).is_some_and(|node| matches!(node.segment, Segment::Index(_)))
        };
        if before.iter().all(|child| is_item(self.before, child))
            && after.iter().all(|child| is_item(self.after, child))
        {
            return self.items(path, &before, &after);
        }
        let segment = |tree: &Tree, child: usize| tree.node(child).map(|node| node.segment);
        let mut others: HashMap<Segment, usize> = HashMap::new();
        for child in &after {
            segment(self.after, *child).map(|segment| others.entry(segment).or_insert(*child));
        }
        for child in before {
            let Some(own) = segment(self.before, child) else { continue };
            match others.remove(&own) {
                Some(other) => self.within(path, own, |this, path| this.compare(path, child, other)),
                None => self.missing(path, Kind::Removed, child),
            }
        }
        for child in after {
            if segment(self.after, child).is_some_and(|segment| others.get(&segment) == Some(&child)) {
                self.missing(path, Kind::Added, child);
            }
        }
    }

    fn within(
        &mut self,
        path: &mut Vec<Segment>,
        segment: Segment,
        compare: impl FnOnce(&mut Self, &mut Vec<Segment>),
    ) {
        path.push(segment);
        compare(self, path);
        path.pop();
    }

    /// Adds a node that one of the files lacks.
    fn missing(&mut self, path: &mut Vec<Segment>, kind: Kind, child: usize) {
        let tree = if kind == Kind::Removed { self.before } else { self.after };
        let Some(node) = tree.node(child) else { return };
        let value = matches!(node.kind, tree::Kind::Numbers { is_tuple: true, .. } | tree::Kind::Text(_));
        let value = value.then(|| text(tree, node));
        self.within(path, node.segment, |this, path| {
            this.differences.add_at(path, |path| Difference::missing(path, kind, value));
        });
    }

    fn items(&mut self, path: &mut Vec<Segment>, before: &[usize], after: &[usize]) {
        let digests = |tree: &Tree, items: &[usize]| -> Vec<u64> {
            items.iter().filter_map(|item| tree.node(*item)).map(|node| node.digest).collect()
        };
        for (a, b) in align(&digests(self.before, before), &digests(self.after, after)) {
            for (a, b) in before[a.clone()].iter().zip(&after[b.clone()]) {
                let Some(segment) = self.before.node(*a).map(|node| node.segment) else { continue };
                self.within(path, segment, |this, path| this.compare(path, *a, *b));
            }
            let (removed, added) = rest((a, b));
            before[removed].iter().for_each(|item| self.missing(path, Kind::Removed, *item));
            after[added].iter().for_each(|item| self.missing(path, Kind::Added, *item));
        }
    }

    /// Compares lists of plain numbers.
    fn numbers(&mut self, path: &mut Vec<Segment>, before: &[Number], after: &[Number]) {
        let keys = |numbers: &[Number]| numbers.iter().map(|number| number.bits()).collect::<Vec<_>>();
        for (a, b) in align(&keys(before), &keys(after)) {
            let index = |index: usize| Segment::Index(index as u64);
            for (place, (x, y)) in a.clone().zip(before[a.clone()].iter().zip(&after[b.clone()])) {
                if !are_equal(&[*x], &[*y], self.tolerance) {
                    self.within(path, index(place), |this, path| {
                        let by = largest_difference(&[*x], &[*y]);
                        let changed = |path| Difference::changed(path, x.to_string(), y.to_string(), by);
                        this.differences.add_at(path, changed);
                    });
                }
            }
            let (removed, added) = rest((a, b));
            for (kind, range, numbers) in [(Kind::Removed, removed, before), (Kind::Added, added, after)] {
                for place in range {
                    let value = numbers.get(place).map(ToString::to_string);
                    self.within(path, index(place), |this, path| {
                        this.differences.add_at(path, |path| Difference::missing(path, kind, value));
                    });
                }
            }
        }
    }
}

/// Returns the items of a hunk that have no counterpart.
fn rest((before, after): Hunk) -> Hunk {
    let pairs = before.len().min(after.len());
    (before.start + pairs..before.end, after.start + pairs..after.end)
}

/// Returns `true` if the numbers are equal; floats, within the tolerance.
fn are_equal(before: &[Number], after: &[Number], tolerance: f64) -> bool {
    let pair_is_equal = |(a, b): (&Number, &Number)| match (a, b) {
        (a, b) if a.bits() == b.bits() => true,
        (Number::Int(_) | Number::Large(_), Number::Int(_) | Number::Large(_)) => false,
        (a, b) => a.value() == b.value() || (a.value() - b.value()).abs() <= tolerance,
    };
    !before.is_empty() && before.len() == after.len() && before.iter().zip(after).all(pair_is_equal)
}

/// Returns the largest difference of two numbers at the same place.
fn largest_difference(before: &[Number], after: &[Number]) -> Option<f64> {
    let differences = before.iter().zip(after).map(|(a, b)| (a.value() - b.value()).abs());
    differences
        .filter(|difference| difference.is_finite())
        .reduce(f64::max)
        .filter(|_| before.len() == after.len())
}

/// Returns the value of a leaf as text.
fn text(tree: &Tree, node: &Node) -> String {
    let numbers = tree.numbers(&node.kind);
    match (&node.kind, numbers) {
        (tree::Kind::Text(text), _) => format!("\"{}\"", shortened(&String::from_utf8_lossy(text))),
        (tree::Kind::Group, _) => "fields".to_owned(),
        (_, [number]) => number.to_string(),
        (tree::Kind::Numbers { is_tuple: false, count, .. }, _) => format!("{count} numbers"),
        _ => format!("[{}]", numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// Ranges of two lists that differ; all items between such ranges are equal.
type Hunk = (Range<usize>, Range<usize>);

/// Aligns two lists of items or hashes. Lists of equal length are compared item by item, unless an alignment has less than
/// half of the differences.
fn align<T: Copy + Default + Eq + Hash>(before: &[T], after: &[T]) -> Vec<Hunk> {
    let aligned: Vec<Hunk> = if before.iter().eq(after) { Vec::new() } else { hunks(before, after) };
    if before.len() != after.len() {
        return aligned;
    }
    let in_place = before.iter().zip(after).enumerate().filter(|(_, (a, b))| a != b);
    let in_place: Vec<Hunk> = in_place.map(|(index, _)| (index..index + 1, index..index + 1)).collect();
    let cost: usize = aligned.iter().map(|(before, after)| before.len().max(after.len())).sum();
    if 2 * cost < in_place.len() { aligned } else { in_place }
}

fn hunks<T: Copy + Default + Eq + Hash>(before: &[T], after: &[T]) -> Vec<Hunk> {
    let mut input = InternedInput::default();
    input.update_before(before.iter().copied());
    input.update_after(after.iter().copied());
    let range = |range: Range<u32>| range.start as usize..range.end as usize;
    let diff = Diff::compute(Algorithm::Histogram, &input);
    diff.hunks().map(|hunk| (range(hunk.before), range(hunk.after))).collect()
}
