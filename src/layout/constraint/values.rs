//! The numbers at a node of a walk, and their paths and spans.

use std::borrow::Cow;
use std::ops::Range;

use super::numbers::Numbers;
use crate::layout::declaration::data::Flat;
use crate::layout::declaration::{BitField, Declaration, Requirement, Type};
use crate::layout::expr::{Lookup, Scope, Value};
use crate::layout::walk::Node;
use crate::{Path, Span};

/// Returns the path and span of an item at a node.
pub(super) fn place(node: &Node, flat: &Flat, numbers: &Numbers, item: usize) -> (Path, Option<Span>) {
    let (path, range) = (Path::from(node.path), node.span.range());
    if flat.item == Type::NulString {
        // Locates the bytes after the last NUL: a string without a terminator.
        let end = node.bytes.iter().rposition(|byte| *byte == 0).map_or(0, |last| last + 1);
        let strings = node.bytes.iter().filter(|byte| **byte == 0).count();
        let path = if flat.is_list() { path.index(strings) } else { path };
        return (path, Some(within(&node.span, range.start + end as u64..range.end)));
    }
    if !flat.is_list() {
        return (path, Some(node.span.clone()));
    }
    let size = (range.end - range.start) / (numbers.len() as u64).max(1);
    let start = range.start + size * item as u64;
    (path.index(item), Some(within(&node.span, start..start + size)))
}

/// Returns the type and bytes of the value at a node. A bit field becomes a 128-bit integer.
pub(super) fn stored<'n>(node: &'n Node) -> (Type, Cow<'n, [u8]>) {
    let (Some(field), Some(bits)) = (node.bit_field, node.bits) else {
        return (*node.ty, Cow::Borrowed(node.bytes));
    };
    let value = match (BitField { bits, ..*field }).value(node.ty.word_of(node.bytes)) {
        Value::Int(number) => number,
        Value::Bool(flag) => flag.into(),
        Value::Bits(word, _) => word as i128,
        _ => 0,
    };
    (Type::Signed(16), Cow::Owned(value.to_le_bytes().to_vec()))
}

/// Returns the numbers that a requirement applies to.
pub(super) fn numbers_of<'n>(
    (_, bytes): &'n (Type, Cow<[u8]>),
    flat: &Flat,
    requirement: &Requirement,
) -> Numbers<'n> {
    let items = flat.items() as usize;
    let of = match requirement {
        Requirement::Sum { of, .. } | Requirement::Permutation { of, .. } => *of,
        _ => None,
    };
    match (flat.item, of) {
        (Type::NulString, _) => {
            let last = bytes.len().saturating_sub(1);
            Numbers::new(Type::Unsigned(1), &bytes[last..], 1)
        }
        (Type::Declared(declaration), Some(of)) => {
            let numbers = column(declaration, of, &Scope::default(), bytes);
            numbers.map_or_else(|| Numbers::new(flat.item, &[][..], 1), |(numbers, _)| numbers.grouped(items))
        }
        (item, _) => Numbers::new(item, &**bytes, items),
    }
}

/// Returns a field of all structs in `bytes`, and its offset in each; `None` if the offset depends on their
/// content.
pub(super) fn column<'b>(
    declaration: &'static Declaration,
    name: &str,
    values: &dyn Lookup,
    bytes: &'b [u8],
) -> Option<(Numbers<'b>, u64)> {
    let (offset, field) = declaration.offset_of(name, values)?;
    let (stride, flat) = (declaration.size(values)?, field.ty.flat());
    let place = (stride as usize, offset as usize);
    let numbers = || Numbers::column(flat.item, bytes, flat.items() as usize, place);
    (!flat.is_list()).then(|| (numbers(), offset))
}

/// Returns the span of a number within an item.
pub(super) fn part(span: &Span, numbers: &Numbers, slot: usize) -> Span {
    let start = span.range().start + (numbers.size() * slot) as u64;
    within(span, start..start + numbers.size() as u64)
}

/// Returns a subrange of a span.
pub(super) fn within(span: &Span, range: Range<u64>) -> Span {
    match span {
        Span::Unpacked { packed, .. } => Span::Unpacked { packed: packed.clone(), range },
        _ => Span::Bytes(range),
    }
}
