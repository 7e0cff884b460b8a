//! How to break what depends on single numbers: checks, conditions, counts, offsets, sizes, alternatives.

use std::ops::Range;

use super::attempt::{Alteration, Attempt};
use super::dependencies::Dependency;
use super::places::{Number, Places};
use super::{Breakage, Miscount};
use crate::layout::program::Role;
use crate::layout::walk::Segment;

/// All attempts on the numbers of a file.
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
        // Of a size that is that of unpacked content as well, the content is what is first found to be another.
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
            // Behind the end of the file, and as even as offsets have to be.
            let behind = i128::from(size.next_multiple_of(16)) + 16;
            let unfinished = Alteration::Unfinished { path: number.path.clone(), text: size.to_string() };
            vec![
                Attempt::new(Breakage::Offset, number.set_to(vec![behind, number.range.1 & !15])),
                Attempt::new(Breakage::Offset, vec![unfinished]),
            ]
        }
        Role::UnpackedSize => one(Breakage::UnpackedSize, vec![value + 1, value - 1]),
        Role::Checksum => {
            // Others that depend on it are computed anew.
            let number = Number { recounts: true, ..number.clone() };
            let changes = number.set_to(vec![value ^ 1, value ^ 2]);
            vec![Attempt { rule: dependency.origin.rule, ..Attempt::new(Breakage::Checksum, changes) }]
        }
        Role::Choice => one(Breakage::Value, number.candidates(dependency)),
        Role::Presence | Role::Bytes => Vec::new(),
    }
}

/// Powers of two that counts of 8 and 16 bits lack, and that make the size of items of four and of two bytes overflow 32 bits.
const WRAPS: [u32; 4] = [8, 16, 30, 31];

/// The number of bits that are flipped: those of flags, of which each may have another meaning.
const LOWEST_BITS: u32 = 16;

impl Number<'_> {
    /// This number as each of these that is another one and has room.
    fn set_to(&self, numbers: Vec<i128>) -> Vec<Alteration> {
        let fits = |number: &i128| *number != self.value && (self.range.0..=self.range.1).contains(number);
        let set = |number: i128| Alteration::Set {
            path: self.path.clone(),
            text: number.to_string(),
            recounts: self.recounts,
        };
        numbers.into_iter().filter(fits).map(set).collect()
    }

    /// Numbers that may not do: near this one, near those that the expression names, the boundaries, this one with one of
    /// its lowest bits flipped.
    fn candidates(&self, dependency: &Dependency) -> Vec<i128> {
        let near = |number: i128| [number, number.saturating_add(1), number.saturating_sub(1)];
        let mut numbers = near(self.value).to_vec();
        numbers.extend(dependency.literals.iter().flat_map(|literal| near(*literal)));
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

    /// Of a size, a byte more that is there; of a count, without an item that it counts, or without any; then this number as
    /// each of the candidates.
    fn near(&self, dependency: &Dependency, places: &Places) -> Vec<Alteration> {
        let is_size = self.has(|role| role == Role::UnpackedSize);
        let blocks = places.blocks.iter().filter(|(block, _)| is_size && self.is_beside(block));
        let mut changes: Vec<_> = blocks.map(|(block, _)| Alteration::Lengthen(block.clone())).collect();
        let is_count = self.has(|role| matches!(role, Role::Count(_)));
        for (list, count) in places.lists.iter().filter(|(list, _)| is_count && self.is_beside(list)) {
            let last = [list, &[Segment::Index(count - 1)][..]].concat();
            changes.extend([Alteration::Remove(last), Alteration::Empty(list.clone())]);
        }
        // With another count alone, the bytes after the list would be read as other values.
        let is_alone = is_count && matches!(dependency.role, Role::Holds(_));
        if !is_alone {
            changes.extend(self.set_to(self.candidates(dependency)));
        }
        changes
    }

    /// Of the size of a packed block, 0 without its bytes.
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

    /// Whether a list or block is not one of another item than the number is.
    fn is_beside(&self, place: &[Segment]) -> bool {
        let other = self.path.iter().zip(place).find(|(own, other)| own != other);
        !matches!(other, Some((Segment::Index(_), _)))
    }
}
