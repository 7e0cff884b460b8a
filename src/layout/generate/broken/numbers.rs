//! Breaks dependencies on single numbers: checks, conditions, counts, offsets, sizes, variants.

use std::ops::Range;

use super::attempt::{Alteration, Attempt};
use super::dependencies::Dependency;
use super::places::{Number, Places};
use super::{Breakage, Miscount};
use crate::layout::program::Role;
use crate::layout::walk::Segment;

/// Returns all attempts on the numbers of a file.
pub(super) fn attempts(places: &Places, size: u64) -> Vec<Attempt> {
    let mut attempts = Vec::new();
    for number in &places.numbers {
        for dependency in &number.dependencies {
            attempts.extend(attempts_on(places, size, number, dependency));
        }
    }
    attempts
}

fn attempts_on(places: &Places, size: u64, number: &Number, dependency: &Dependency) -> Vec<Attempt> {
    let value = number.value;
    let one = |breakage, numbers: Vec<i128>| vec![Attempt::new(breakage, number.set_to(numbers))];
    match dependency.role {
        Role::Check(check) => {
            let attempt = |changes| Attempt::new(Breakage::Check(check), changes);
            vec![attempt(number.near(dependency, places)), attempt(number.without_block(places))]
        }
        Role::Holds(constraint) => {
            let changes = number.near(dependency, places);
            vec![Attempt {
                field: dependency.field,
                ..Attempt::new(Breakage::Constraint(constraint), changes)
            }]
        }
        // If the size of the block is also the unpacked size, the content is found faulty first.
        Role::Count(_) if number.has(|role| role == Role::UnpackedSize) => Vec::new(),
        Role::Count(item) => {
            let item = item.max(1);
            let miscount =
                |miscount, value| Attempt::new(Breakage::Count(miscount), number.set_to(vec![value]));
            let near = [
                miscount(Miscount::More, value + item),
                miscount(Miscount::Less, value - item),
                miscount(Miscount::Huge, number.range.1 - (number.range.1 - value) % item),
            ];
            let wrapped = WRAPS.map(|bits| miscount(Miscount::Wrapped(bits), value + (item << bits)));
            near.into_iter().chain(wrapped).collect()
        }
        Role::Offset => {
            // Past the end of the file, at a multiple of 16 as offsets may require.
            let past_end = i128::from(size.next_multiple_of(16)) + 16;
            let unfinished = Alteration::Unfinished { path: number.path.clone(), text: size.to_string() };
            vec![
                Attempt::new(Breakage::Offset, number.set_to(vec![past_end, number.range.1 & !15])),
                Attempt::new(Breakage::Offset, vec![unfinished]),
            ]
        }
        Role::UnpackedSize => one(Breakage::UnpackedSize, vec![value + 1, value - 1]),
        Role::Checksum => {
            // Other checksums that cover it are recomputed.
            let number = Number { recounts: true, ..number.clone() };
            let changes = number.set_to(vec![value ^ 1, value ^ 2]);
            vec![Attempt { rule: dependency.origin.rule, ..Attempt::new(Breakage::Checksum, changes) }]
        }
        Role::Choice => one(Breakage::Value, number.candidates(dependency)),
        Role::Presence | Role::Bytes => Vec::new(),
    }
}

/// Counts of 8 and 16 bits wrap at the first two; with the others, the size of items of 4, 2 and 1 bytes overflows 32
/// bits.
const WRAPS: [u32; 5] = [8, 16, 30, 31, 32];

/// The number of low bits that are flipped, since each may be a flag.
const LOWEST_BITS: u32 = 16;

impl Number<'_> {
    /// Returns changes to each of these numbers that differs and fits.
    fn set_to(&self, numbers: Vec<i128>) -> Vec<Alteration> {
        let fits = |number: &i128| *number != self.value && (self.range.0..=self.range.1).contains(number);
        let set = |number: i128| Alteration::Set {
            path: self.path.clone(),
            text: number.to_string(),
            recounts: self.recounts,
        };
        numbers.into_iter().filter(fits).map(set).collect()
    }

    /// Returns candidate numbers: near this one and those in the expressions, the limits, and this number with a
    /// low bit flipped.
    fn candidates(&self, dependency: &Dependency) -> Vec<i128> {
        let near = |number: i128| [number, number.saturating_add(1), number.saturating_sub(1)];
        let mut numbers = near(self.value).to_vec();
        numbers.extend(dependency.literals.iter().flat_map(|literal| near(*literal)));
        numbers.extend(self.swapped());
        numbers.extend([0, 1, self.range.0, self.range.1]);
        numbers.extend((0..LOWEST_BITS).map(|bit| self.value ^ (1 << bit)));
        let mut unique: Vec<i128> = Vec::new();
        for number in numbers {
            if !unique.contains(&number) {
                unique.push(number);
            }
        }
        unique
    }

    /// Returns this number with its bytes in the other order; for a byte, with its nibbles.
    fn swapped(&self) -> Option<i128> {
        let bytes = self.value.to_le_bytes();
        match self.range {
            (0, 0xff) => Some(u8::rotate_left(bytes[0], 4).into()),
            (0, 0xffff) => Some(u16::from_be_bytes([bytes[0], bytes[1]]).into()),
            (0, 0xffff_ffff) => Some(u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]).into()),
            _ => None,
        }
    }

    /// Returns the changes for a check or constraint: for a size, one more byte; for a count, one item less or
    /// none; then all candidates.
    fn near(&self, dependency: &Dependency, places: &Places) -> Vec<Alteration> {
        let is_size = self.has(|role| role == Role::UnpackedSize);
        let blocks = places.blocks.iter().filter(|(block, _)| is_size && self.may_belong_to(block));
        let mut changes: Vec<_> = blocks.map(|(block, _)| Alteration::Lengthen(block.clone())).collect();
        let is_count = self.has(|role| matches!(role, Role::Count(_)));
        for (list, count) in places.lists.iter().filter(|(list, _)| is_count && self.may_belong_to(list)) {
            let last = [list, &[Segment::Index(count - 1)][..]].concat();
            changes.extend([Alteration::Remove(last), Alteration::Empty(list.clone())]);
        }
        // Changing only the count would decode the following bytes as other values.
        let is_alone = is_count && matches!(dependency.role, Role::Holds(_));
        if !is_alone {
            changes.extend(self.set_to(self.candidates(dependency)));
        }
        changes
    }

    /// Returns the change that sets the size of a packed block to 0 and removes its bytes.
    fn without_block(&self, places: &Places) -> Vec<Alteration> {
        let is_size = self.has(|role| matches!(role, Role::Count(_)));
        let group = self.path.split_last().map(|(_, group)| group);
        let is_own = |block: &[Segment]| is_size && block.split_last().map(|(_, group)| group) == group;
        let blocks = places.blocks.iter().filter(|(block, _)| is_own(block));
        let without = |(_, range): &(_, Range<u64>)| Alteration::Without {
            path: self.path.clone(),
            text: "0".to_owned(),
            range: range.clone(),
        };
        blocks.map(without).collect()
    }

    fn has(&self, is_it: impl Fn(Role) -> bool) -> bool {
        self.dependencies.iter().any(|dependency| is_it(dependency.role))
    }

    /// Returns `true` unless the list or block belongs to another item than the number.
    fn may_belong_to(&self, place: &[Segment]) -> bool {
        let other = self.path.iter().zip(place).find(|(own, other)| own != other);
        !matches!(other, Some((Segment::Index(_), _)))
    }
}
