//! Aligns two lists, to find inserted and removed items.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput};

/// The ranges of two lists that correspond to each other and differ. All items outside of hunks are equal.
pub type Hunk = (Range<usize>, Range<usize>);

/// The maximum length of lists that are aligned item by item, which takes quadratic time: about 40 ms at this length if
/// most items differ and occur several times.
const MAX_LEN: usize = 1 << 13;

/// The number of items in a window. In long lists, windows that occur once are found first. Single items may occur
/// often, such as a vertex in a list of indices; a few in a row seldom do.
const WINDOW_LEN: usize = 8;

/// Returns the differing ranges of two lists after alignment. Lists of equal length are compared item by item, unless
/// the alignment has less than half as many differences.
pub fn align(before: &[u64], after: &[u64]) -> Vec<Hunk> {
    let aligned = hunks(before, after);
    let cost = |hunks: &[Hunk]| -> usize {
        let costs = hunks.iter().map(|(own, other)| own.len().max(other.len()));
        costs.sum()
    };
    if before.len() == after.len() {
        let in_order = hunks_in_order(before, after);
        if 2 * cost(&aligned) >= cost(&in_order) {
            return in_order;
        }
    }
    aligned
}

/// Returns the ranges of ascending indices.
pub fn ranges(indices: impl Iterator<Item = usize>) -> impl Iterator<Item = Range<usize>> {
    let mut indices = indices.peekable();
    std::iter::from_fn(move || {
        let start = indices.next()?;
        let mut end = start + 1;
        while indices.next_if_eq(&end).is_some() {
            end += 1;
        }
        Some(start..end)
    })
}

fn hunks(before: &[u64], after: &[u64]) -> Vec<Hunk> {
    if before.len().max(after.len()) <= MAX_LEN {
        return hunks_of_short_lists(before, after);
    }
    let mut found = Vec::new();
    let mut start = (0, 0);
    let ends = [(before.len(), after.len())];
    for (index, other) in common_windows(before, after).into_iter().chain(ends) {
        let (own, others) = (&before[start.0..index], &after[start.1..other]);
        let between = if own.len().max(others.len()) <= MAX_LEN {
            hunks_of_short_lists(own, others)
        } else {
            hunks_in_order(own, others)
        };
        let moved = |range: Range<usize>, start: usize| start + range.start..start + range.end;
        let between = between.into_iter();
        found.extend(between.map(|(own, others)| (moved(own, start.0), moved(others, start.1))));
        start = (index + 1, other + 1);
    }
    found
}

/// Returns the pairs of items with the same index that differ. The last items of the longer list have no counterpart.
fn hunks_in_order(before: &[u64], after: &[u64]) -> Vec<Hunk> {
    let pairs = before.iter().zip(after).enumerate();
    let unequal = pairs.filter(|(_, (own, other))| own != other);
    let mut hunks: Vec<Hunk> = ranges(unequal.map(|(index, _)| index))
        .map(|range| (range.clone(), range))
        .collect();
    let len = before.len().min(after.len());
    if before.len() != after.len() {
        hunks.push((len..before.len(), len..after.len()));
    }
    hunks
}

fn hunks_of_short_lists(before: &[u64], after: &[u64]) -> Vec<Hunk> {
    // Between two windows, there is often nothing.
    if before.is_empty() && after.is_empty() {
        return Vec::new();
    }
    let mut input = InternedInput::default();
    input.update_before(before.iter().copied());
    input.update_after(after.iter().copied());
    let range = |range: Range<u32>| range.start as usize..range.end as usize;
    let diff = Diff::compute(Algorithm::Myers, &input);
    diff.hunks()
        .map(|hunk| (range(hunk.before), range(hunk.after)))
        .collect()
}

/// Returns the indices of windows that occur once in each list, in an order that is the same in both lists: as many as
/// possible.
fn common_windows(before: &[u64], after: &[u64]) -> Vec<(usize, usize)> {
    let keys = RandomState::new();
    let [own, others] = [before, after].map(|list| single_windows(list, &keys));
    let mut pairs: Vec<(usize, usize)> = own
        .iter()
        .filter_map(|(window, index)| Some(((*index)?, (*others.get(window)?)?)))
        .collect();
    pairs.sort_unstable();
    longest_ascending(&pairs)
}

/// Returns the index of each window of a list by its digest; `None` for a window that occurs several times.
fn single_windows(list: &[u64], keys: &RandomState) -> HashMap<u64, Option<usize>> {
    let mut found = HashMap::with_capacity(list.len());
    for (index, window) in list.windows(WINDOW_LEN).enumerate() {
        let seen = found.entry(keys.hash_one(window));
        seen.and_modify(|index| *index = None)
            .or_insert(Some(index));
    }
    found
}

/// Returns the longest subsequence whose second numbers ascend. The first numbers ascend in `pairs`.
fn longest_ascending(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // For each length, the position of the pair that ends a subsequence of this length with the smallest number.
    let mut ends: Vec<usize> = Vec::new();
    // For each pair, the position of the one before it in its subsequence.
    let mut previous: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (position, (_, number)) in pairs.iter().enumerate() {
        let len = ends.partition_point(|end| pairs[*end].1 < *number);
        previous.push(len.checked_sub(1).map(|shorter| ends[shorter]));
        match ends.get_mut(len) {
            Some(end) => *end = position,
            None => ends.push(position),
        }
    }
    let last = ends.last().copied();
    let mut longest: Vec<_> = std::iter::successors(last, |position| previous[*position])
        .map(|position| pairs[position])
        .collect();
    longest.reverse();
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns pseudorandom numbers below `end`, the same in each run.
    fn random(seed: u64, end: u64) -> impl Iterator<Item = u64> {
        let next = |state: &u64| Some(state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1));
        let states = std::iter::successors(next(&seed), next);
        states.map(move |state| (state >> 33) % end)
    }

    /// Checks that the hunks ascend, and that everything outside of them is equal.
    fn assert_aligned(before: &[u64], after: &[u64], hunks: &[Hunk]) {
        let (mut start, mut other_start) = (0, 0);
        let end = (before.len()..before.len(), after.len()..after.len());
        for (own, others) in hunks.iter().chain([&end]) {
            assert_eq!(before[start..own.start], after[other_start..others.start]);
            (start, other_start) = (own.end, others.end);
        }
    }

    #[test]
    fn items_outside_of_hunks_are_equal() {
        for seed in 0..500 {
            let kinds = 1 + seed % 5;
            let lens: Vec<_> = random(seed, 40).take(2).collect();
            let list = |seed, len: u64| random(seed, kinds).take(len as usize).collect::<Vec<_>>();
            let (before, after) = (list(seed, lens[0]), list(seed + 1, lens[1]));
            assert_aligned(&before, &after, &align(&before, &after));
            assert_aligned(&before, &after, &hunks_in_order(&before, &after));
        }
    }

    /// Items of a few kinds, so that most windows occur once, but single items often.
    #[test]
    fn long_lists_are_aligned_by_windows() {
        for seed in 0..20 {
            let before: Vec<u64> = random(seed, 99).take(3 * MAX_LEN).collect();
            let mut after = before.clone();
            let changes = (random(seed, 3 * MAX_LEN as u64).zip(random(seed + 1, 12))).take(9);
            for (index, change) in changes {
                let (removed, inserted) = ((change % 3) as usize, (change / 3) as usize);
                let start = (index as usize).min(after.len() - removed);
                after.splice(start..start + removed, std::iter::repeat_n(99, inserted));
            }
            let hunks = align(&before, &after);
            assert_aligned(&before, &after, &hunks);
            let cost = |(own, others): &Hunk| own.len() + others.len();
            assert!(
                hunks.iter().map(cost).sum::<usize>() <= 9 * 5,
                "{seed}: {hunks:?}"
            );
        }
    }

    /// A moved block is removed in one place and added in another.
    #[test]
    fn moved_items_of_long_lists_are_aligned() {
        let before: Vec<u64> = random(0, 99).take(3 * MAX_LEN).collect();
        let mut after = before.clone();
        after.rotate_left(MAX_LEN);
        let hunks = align(&before, &after);
        assert_aligned(&before, &after, &hunks);
        assert!(
            hunks
                .iter()
                .all(|(own, others)| own.len().max(others.len()) <= MAX_LEN)
        );
    }

    /// Without windows that occur once, long lists are compared in order.
    #[test]
    fn long_lists_of_equal_items_are_compared_in_order() {
        let (before, after) = (vec![1; 2 * MAX_LEN], vec![1; 2 * MAX_LEN + 3]);
        let tail = 2 * MAX_LEN..2 * MAX_LEN + 3;
        let expected = [(tail.start..tail.start, tail)];
        assert_eq!(align(&before, &after), expected);
    }

    #[test]
    fn the_longest_ascending_subsequence_is_found() {
        let pairs = [(0, 5), (1, 1), (2, 7), (3, 2), (4, 3), (5, 0), (6, 9)];
        assert_eq!(longest_ascending(&pairs), [(1, 1), (3, 2), (4, 3), (6, 9)]);
        assert_eq!(longest_ascending(&[]), []);
    }
}
