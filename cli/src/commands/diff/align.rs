//! Alignment of lists.

use std::hash::Hash;
use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput};

/// Ranges of two lists that differ; all items between such ranges are equal.
pub type Hunk = (Range<usize>, Range<usize>);

/// Aligns two lists of items or hashes. Lists of equal length are compared item by item, unless an alignment has less than
/// half of the differences.
pub fn align<T: Copy + Default + Eq + Hash>(before: &[T], after: &[T]) -> Vec<Hunk> {
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
