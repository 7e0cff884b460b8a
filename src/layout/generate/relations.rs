//! Relations between lists and numbers: indices, permutations, parents.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::layout::constraint::ListCounts;
use crate::layout::declaration::{Requirement, Type};
use crate::layout::walk::Segment;

/// The numbers of items in lists, and requirements on lists that are drawn later.
#[derive(Default)]
pub(super) struct Relations {
    pub list_counts: ListCounts,
    /// The minimum number of items in a list, by each possible path of the list.
    min_counts: HashMap<Vec<Segment>, u64>,
    /// The paths of weights that must be 0.
    zero_weights: HashSet<Vec<Segment>>,
    /// The common length of the lists in the items of an outer list, by the path of the outer list.
    lengths: HashMap<Vec<Segment>, u64>,
    /// The path of the value that counts the items of a later list, by each possible path of the list.
    pub counters: HashMap<Vec<Segment>, Vec<Segment>>,
    /// The values drawn so far for a unique field, by the field's path without the index.
    seen_values: HashMap<Vec<Segment>, BTreeSet<u128>>,
}

impl Relations {
    pub fn new(ty: &'static Type) -> Relations {
        Relations {
            list_counts: ListCounts::new(ty),
            ..Relations::default()
        }
    }

    /// Converts a drawn number to an index into a list, or to `none`. Returns `None` if `requirement` is not
    /// [`Requirement::IndexInto`], or no index is valid. A list that is drawn later gets enough items.
    pub fn index_for(
        &mut self,
        path: &[Segment],
        number: i128,
        requirement: &Requirement,
        none: Option<i128>,
        max_items: u64,
    ) -> Option<i128> {
        let Requirement::IndexInto { list, weights, .. } = requirement else {
            return None;
        };
        let size = self.list_counts.find(path, list);
        let limit = i128::from(size.unwrap_or(max_items));
        // For an empty list, any number becomes "no item"; otherwise, an odd number past the end does.
        if let Some(none) = none.filter(|_| limit == 0 || number >= limit && number % 2 == 1) {
            if let (Some(weights), [outer @ .., Segment::Field(_), index @ Segment::Index(_)]) =
                (weights, path)
            {
                self.zero_weights
                    .insert([outer, &[Segment::Field(weights), *index]].concat());
            }
            return Some(none);
        }
        let position = if limit == 0 {
            return None;
        } else {
            number.rem_euclid(limit)
        };
        if size.is_none() {
            for depth in 0..path.len() {
                let count = self
                    .min_counts
                    .entry([&path[..depth], list].concat())
                    .or_default();
                *count = (*count).max(position as u64 + 1);
            }
        }
        Some(position)
    }

    /// Returns `drawn`, raised to the required minimum; if `has_same_length`, the common length of the lists.
    pub fn required_count(&mut self, path: &[Segment], drawn: u64, has_same_length: bool) -> u64 {
        let count = drawn.max(self.min_counts.get(path).copied().unwrap_or_default());
        let list = path
            .iter()
            .rposition(|step| matches!(step, Segment::Index(_)));
        match list.filter(|_| has_same_length) {
            Some(list) => *self.lengths.entry(path[..list].to_vec()).or_insert(count),
            None => count,
        }
    }

    /// Records that the value at `path` counts the items of a list.
    pub fn record_counter(&mut self, path: &[Segment], list: &[Segment]) {
        for depth in 0..path.len() {
            self.counters
                .insert([&path[..depth], list].concat(), path.to_vec());
        }
    }

    /// Returns `true` for a weight that must be 0.
    pub fn is_zero_weight(&self, path: &[Segment]) -> bool {
        self.zero_weights.contains(path)
    }

    /// Returns `true` if no earlier item of the enclosing list has this value.
    pub fn is_new(&self, path: &[Segment], word: u128) -> bool {
        let seen = path_without_index(path).and_then(|list| self.seen_values.get(&list));
        seen.is_none_or(|seen| !seen.contains(&word))
    }

    pub fn record_value(&mut self, path: &[Segment], word: u128) {
        if let Some(list) = path_without_index(path) {
            self.seen_values.entry(list).or_default().insert(word);
        }
    }
}

/// Returns the path without its last index; `None` if it has none.
fn path_without_index(path: &[Segment]) -> Option<Vec<Segment>> {
    let list = path
        .iter()
        .rposition(|step| matches!(step, Segment::Index(_)))?;
    Some([&path[..list], &path[list + 1..]].concat())
}

/// Returns the rank of each number, from 0; the ranks are a permutation.
pub(super) fn ranks(numbers: &[i128]) -> Vec<i128> {
    let mut sorted: Vec<_> = numbers
        .iter()
        .enumerate()
        .map(|(index, number)| (*number, index))
        .collect();
    sorted.sort_unstable();
    let mut ranks = vec![0; numbers.len()];
    sorted
        .into_iter()
        .enumerate()
        .for_each(|(rank, (_, index))| ranks[index] = rank as i128);
    ranks
}

/// Converts drawn numbers to parents in a forest. If the first number is odd, parents follow their children.
pub(super) fn to_forest(parents: &[i128], none: Option<i128>) -> Vec<i128> {
    if parents.first().is_none_or(|parent| parent % 2 == 0) {
        return to_ordered_forest(parents, none, false);
    }
    let reversed: Vec<i128> = parents.iter().rev().copied().collect();
    let mirrored = |parent| {
        if Some(parent) == none {
            parent
        } else {
            parents.len() as i128 - 1 - parent
        }
    };
    to_ordered_forest(&reversed, none, false)
        .into_iter()
        .rev()
        .map(mirrored)
        .collect()
}

/// Converts drawn numbers to parents that precede their children. Drawn numbers for "no parent" are kept, except in the
/// first item of a rooted forest.
pub(super) fn to_ordered_forest(parents: &[i128], none: Option<i128>, rooted: bool) -> Vec<i128> {
    let mut inside: Vec<i128> = Vec::new();
    let mut forest = Vec::new();
    for (item, parent) in parents.iter().enumerate() {
        let chosen = inside.get(parent.rem_euclid(inside.len().max(1) as i128) as usize);
        let is_beyond = *parent >= parents.len() as i128;
        let is_first_root = rooted && item == 0;
        forest.push(match (none, chosen) {
            (Some(none), _) if *parent == none && !is_first_root => none,
            (Some(none), _) if !rooted && is_beyond => none,
            (Some(none), None) if !rooted => none,
            (_, None) => 0,
            (_, Some(chosen)) => *chosen,
        });
        if !rooted || none != forest.last().copied() {
            inside.push(item as i128);
        }
    }
    forest
}
