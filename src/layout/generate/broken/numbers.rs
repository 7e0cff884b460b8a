//! Breaks dependencies on numbers: checks, conditions, counts, offsets, sizes, checksums, variants.

use std::collections::BTreeSet;

use super::attempt::{Alteration, Attempt, Patch};
use super::dependencies::Dependency;
use super::targets::{Number, Targets};
use super::{Breakage, Miscount};
use crate::layout::program::Role;
use crate::layout::tree::UntypedValue;
use crate::layout::walk::Segment;

/// Returns all attempts on the numbers of a file.
pub(super) fn attempts(targets: &Targets, size: u64) -> Vec<Attempt> {
    let attempts = targets.numbers.iter().flat_map(|number| {
        let dependencies = number.dependencies.iter();
        dependencies.flat_map(move |dependency| attempts_for(targets, size, number, dependency))
    });
    attempts.collect()
}

fn attempts_for(
    targets: &Targets,
    size: u64,
    number: &Number,
    dependency: &Dependency,
) -> Vec<Attempt> {
    let value = number.value;
    let one =
        |breakage, numbers: Vec<i128>| vec![Attempt::new(breakage, number.changes_to(numbers))];
    match dependency.role {
        Role::Check(check) => {
            let changes = [
                number.changes_near(dependency, targets),
                number.block_removals(targets),
            ];
            changes
                .map(|changes| Attempt::new(Breakage::Check(check), changes))
                .into()
        }
        Role::Holds(constraint) => {
            let changes = number.changes_near(dependency, targets);
            let attempt = Attempt::new(Breakage::Constraint(constraint), changes);
            vec![Attempt {
                field: dependency.field,
                ..attempt
            }]
        }
        // A block size that is also the unpacked size cannot be wrong alone: the content is damaged, too.
        Role::Count(_) if number.has_role(|role| role == Role::UnpackedSize) => Vec::new(),
        Role::Count(item) => {
            let item = item.max(1);
            let miscount =
                |kind, value| Attempt::new(Breakage::Count(kind), number.changes_to(vec![value]));
            let near = [
                miscount(Miscount::More, value + item),
                miscount(Miscount::Less, value - item),
                miscount(
                    Miscount::Huge,
                    number.range.1 - (number.range.1 - value) % item,
                ),
            ];
            let wrapped =
                WRAP_BITS.map(|bits| miscount(Miscount::Wrapped(bits), value + (item << bits)));
            near.into_iter().chain(wrapped).collect()
        }
        Role::Offset => {
            // Past the end of the file, at a multiple of 16, since offsets may need to be aligned.
            let past_end = i128::from(size.next_multiple_of(16)) + 16;
            // An unterminated string at the end of the file.
            let unfinished =
                Alteration::set(&number.path, size.to_string(), false).then(Patch::Append(b'a'));
            vec![
                Attempt::new(
                    Breakage::Offset,
                    number.changes_to(vec![past_end, number.range.1 & !15]),
                ),
                Attempt::new(Breakage::Offset, vec![unfinished]),
            ]
        }
        Role::UnpackedSize => one(Breakage::UnpackedSize, vec![value + 1, value - 1]),
        Role::Checksum => {
            // Other checksums that cover this checksum are recomputed.
            let changes = Number {
                recount: true,
                ..number.clone()
            }
            .changes_to(vec![value ^ 1, value ^ 2]);
            vec![Attempt {
                rule: dependency.origin.rule,
                ..Attempt::new(Breakage::Checksum, changes)
            }]
        }
        Role::Choice => one(Breakage::Value, number.candidates(dependency)),
        Role::Presence | Role::Bytes => Vec::new(),
    }
}

/// The exponents of the powers of two that are added to counts. 2⁸ and 2¹⁶ wrap counts of 8 and 16 bits. The others
/// overflow 32 bits when they are multiplied by an item size of 4, 2 or 1 bytes.
const WRAP_BITS: [u32; 5] = [8, 16, 30, 31, 32];

/// The number of low bits that are flipped, since each may be a flag.
const LOWEST_BITS: u32 = 16;

impl Number<'_> {
    /// Returns a change to each of `numbers` that differs from the current number and fits in the field.
    fn changes_to(&self, numbers: Vec<i128>) -> Vec<Alteration> {
        let fits =
            |number: &i128| *number != self.value && (self.range.0..=self.range.1).contains(number);
        let set = |number: i128| Alteration::set(&self.path, number.to_string(), self.recount);
        numbers.into_iter().filter(fits).map(set).collect()
    }

    /// Returns candidate numbers: this number and the literals in the equations, with their neighbours, 0, 1, and the
    /// limits of the field. Further candidates are this number with its bytes swapped or a low bit flipped.
    fn candidates(&self, dependency: &Dependency) -> Vec<i128> {
        let near = |number: i128| [number, number.saturating_add(1), number.saturating_sub(1)];
        let mut numbers = near(self.value).to_vec();
        numbers.extend(
            dependency
                .literals
                .iter()
                .flat_map(|literal| near(*literal)),
        );
        numbers.extend(self.with_swapped_bytes());
        numbers.extend([0, 1, self.range.0, self.range.1]);
        numbers.extend((0..LOWEST_BITS).map(|bit| self.value ^ (1 << bit)));
        let mut seen = BTreeSet::new();
        numbers.retain(|number| seen.insert(*number));
        numbers
    }

    /// Returns a 2- or 4-byte unsigned number with its bytes reversed, or a byte with its nibbles swapped; `None` for
    /// other numbers.
    fn with_swapped_bytes(&self) -> Option<i128> {
        let bytes = self.value.to_le_bytes();
        match self.range {
            (0, 0xff) => Some(u8::rotate_left(bytes[0], 4).into()),
            (0, 0xffff) => Some(u16::from_be_bytes([bytes[0], bytes[1]]).into()),
            (0, 0xffff_ffff) => {
                Some(u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]).into())
            }
            _ => None,
        }
    }

    /// Returns changes that may violate a check or constraint. An unpacked size yields a block longer by a byte. A
    /// count yields a list without its last item, and an empty list. Candidate numbers follow, except for a count in a
    /// constraint.
    fn changes_near(&self, dependency: &Dependency, targets: &Targets) -> Vec<Alteration> {
        let is_size = self.has_role(|role| role == Role::UnpackedSize);
        let blocks = targets
            .blocks
            .iter()
            .filter(|(block, _)| is_size && self.may_belong_to(block));
        let longer = blocks.map(|(block, _)| Alteration::patch(block, Patch::LengthenBlock));
        let mut changes: Vec<_> = longer.collect();
        let is_count = self.has_role(|role| matches!(role, Role::Count(_)));
        for (list, count) in targets
            .lists
            .iter()
            .filter(|(list, _)| is_count && self.may_belong_to(list))
        {
            let last = [list, &[Segment::Index(count - 1)][..]].concat();
            let empty = UntypedValue::List(Vec::new());
            changes.extend([
                Alteration::remove(&last),
                Alteration::set(list, empty, true),
            ]);
        }
        // With only the count changed, the following bytes would be decoded as other values.
        let needs_item_removal = is_count && matches!(dependency.role, Role::Holds(_));
        if !needs_item_removal {
            changes.extend(self.changes_to(self.candidates(dependency)));
        }
        changes
    }

    /// Returns the change that sets the size of a packed block to 0 and removes its bytes.
    fn block_removals(&self, targets: &Targets) -> Vec<Alteration> {
        let is_size = self.has_role(|role| matches!(role, Role::Count(_)));
        let group = self.path.split_last().map(|(_, group)| group);
        let is_own =
            |block: &[Segment]| is_size && block.split_last().map(|(_, group)| group) == group;
        let blocks = targets.blocks.iter().filter(|(block, _)| is_own(block));
        let set = Alteration::set(&self.path, "0", false);
        blocks
            .map(|(_, range)| set.clone().then(Patch::Remove(range.clone())))
            .collect()
    }

    fn has_role(&self, is_match: impl Fn(Role) -> bool) -> bool {
        self.dependencies
            .iter()
            .any(|dependency| is_match(dependency.role))
    }

    /// Returns `false` if the list or block and the number belong to different items.
    fn may_belong_to(&self, target: &[Segment]) -> bool {
        let other = self
            .path
            .iter()
            .zip(target)
            .find(|(own, other)| own != other);
        !matches!(other, Some((Segment::Index(_), _)))
    }
}
