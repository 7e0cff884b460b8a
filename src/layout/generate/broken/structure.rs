//! Breaks the structure of a file: its end, magic bytes, packed blocks, and enums.

use std::ops::Range;

use super::Breakage;
use super::attempt::{Alteration, Attempt, Patch};
use super::targets::{Leaf, Targets};
use crate::layout::declaration::{Declaration, Shape, Type};

/// Returns all attempts on the structure of a file.
pub(super) fn attempts(targets: &Targets, file: &[u8]) -> Vec<Attempt> {
    let size = file.len() as u64;
    let cut = |at: &u64| {
        Attempt::new(
            Breakage::Truncation(*at),
            vec![Alteration::patch(&[], Patch::Truncate(*at))],
        )
    };
    let cuts = targets.boundaries.range(..size).map(cut);
    let magics = targets.magics.iter().map(|(path, Range { start, .. })| {
        let bytes = file
            .get(*start as usize)
            .map(|byte| !byte)
            .into_iter()
            .collect();
        Attempt::new(
            Breakage::Magic,
            vec![Alteration::patch(path, Patch::Overwrite(*start, bytes))],
        )
    });
    let blocks = targets.blocks.iter().map(|(path, range)| {
        // Which byte causes damage depends on the packing, so several are tried in order.
        let write = |at, byte| Alteration::patch(path, Patch::Overwrite(at, vec![byte]));
        let damage = |at| [write(at, 0xff), write(at, 0x00)];
        let changes = range.clone().take(MAX_DAMAGED).flat_map(damage);
        Attempt::new(Breakage::Packing, changes.collect())
    });
    let enums = targets
        .enums
        .iter()
        .map(|leaf| Attempt::new(Breakage::Value, changes_to_unlisted(leaf)));
    let trailing = Attempt::new(
        Breakage::Trailing,
        vec![Alteration::patch(&[], Patch::Append(0))],
    );
    cuts.chain([trailing])
        .chain(magics)
        .chain(blocks)
        .chain(enums)
        .collect()
}

/// The maximum number of bytes tried per packed block.
const MAX_DAMAGED: usize = 64;

/// Returns changes of an enum value to numbers that are not values of the enum.
fn changes_to_unlisted(leaf: &Leaf) -> Vec<Alteration> {
    let Type::Declared(Declaration {
        shape: Shape::Enum { values, .. },
        ..
    }) = leaf.ty.without_byte_order()
    else {
        return Vec::new();
    };
    let is_listed = |number: &i128| values.iter().any(|value| value.value == *number);
    let numbers = (0..)
        .filter(|number| !is_listed(number))
        .take(1)
        .map(|number: i128| number.to_string());
    leaf.changes_to(numbers.chain([leaf.largest()]).collect())
}
