//! Extracts the numbers at a node of a walk, and locates them.

use std::borrow::Cow;

use super::numbers::Numbers;
use crate::layout::declaration::data::FlatType;
use crate::layout::declaration::{BitField, Declaration, Requirement, Type};
use crate::layout::expr::{Lookup, Scope, Value};
use crate::layout::walk::Node;
use crate::{Path, Span};

/// Returns the path and span of an item at a node.
pub(super) fn locate(
    node: &Node,
    flat: &FlatType,
    numbers: &Numbers,
    item: usize,
) -> (Path, Option<Span>) {
    let (path, range) = (Path::from(node.path), node.span.range());
    if flat.item == Type::NulString {
        // The span of the string without a terminating NUL: the bytes after the last NUL.
        let end = node
            .bytes
            .iter()
            .rposition(|byte| *byte == 0)
            .map_or(0, |last| last + 1);
        let strings = node.bytes.iter().filter(|byte| **byte == 0).count();
        let path = if flat.is_list() {
            path.index(strings)
        } else {
            path
        };
        return (
            path,
            Some(node.span.with_range(range.start + end as u64..range.end)),
        );
    }
    if !flat.is_list() {
        return (path, Some(node.span.clone()));
    }
    let size = (range.end - range.start) / (numbers.len() as u64).max(1);
    let start = range.start + size * item as u64;
    (
        path.index(item),
        Some(node.span.with_range(start..start + size)),
    )
}

/// Returns the type and bytes of the value at a node. A bit field becomes a 128-bit integer.
pub(super) fn stored_value<'n>(node: &'n Node) -> (Type, Cow<'n, [u8]>) {
    let (Some(field), Some(bits)) = (node.bit_field, node.bits) else {
        return (*node.ty, Cow::Borrowed(node.bytes));
    };
    let value = match (BitField { bits, ..*field }).value(node.ty.read_word(node.bytes)) {
        Value::Int(number) => number,
        Value::Bool(flag) => flag.into(),
        Value::Wide(number) => {
            return (
                Type::Unsigned(16),
                Cow::Owned(number.to_le_bytes().to_vec()),
            );
        }
        Value::Bits(word, _) => word as i128,
        _ => 0,
    };
    (Type::Signed(16), Cow::Owned(value.to_le_bytes().to_vec()))
}

/// Returns the numbers that a requirement applies to, from the type and bytes of a value; for strings, only the last
/// byte.
pub(super) fn select_numbers<'n>(
    (_, bytes): &'n (Type, Cow<[u8]>),
    flat: &FlatType,
    requirement: &Requirement,
) -> Numbers<'n> {
    let items = flat.fixed_item_count() as usize;
    let of = match requirement {
        Requirement::Sum { of, .. } | Requirement::Permutation { of, .. } => *of,
        _ => None,
    };
    match (flat.item, of) {
        (Type::NulString, _) => Numbers::new(
            Type::Unsigned(1),
            &bytes[bytes.len().saturating_sub(1)..],
            1,
        ),
        (Type::Declared(declaration), Some(of)) => {
            let column = struct_column(declaration, of, &Scope::default(), bytes);
            column.map_or(Numbers::new(flat.item, &[][..], 1), |(numbers, _)| {
                numbers.regrouped(items)
            })
        }
        (item, _) => Numbers::new(item, &**bytes, items),
    }
}

/// Returns the values of a field in all structs in `bytes`, and the offset of the field in a struct. Returns `None` if
/// the field is missing or a list, or if its offset or the size of the structs is not fixed.
pub(super) fn struct_column<'b>(
    declaration: &'static Declaration,
    name: &str,
    values: &dyn Lookup,
    bytes: &'b [u8],
) -> Option<(Numbers<'b>, u64)> {
    let (offset, field) = declaration.offset_of(name, values)?;
    let (stride, flat) = (declaration.size(values)?, field.ty.flatten());
    let (per_item, position) = (
        flat.fixed_item_count() as usize,
        (stride as usize, offset as usize),
    );
    (!flat.is_list()).then(|| {
        (
            Numbers::from_records(flat.item, bytes, per_item, position),
            offset,
        )
    })
}

/// Returns the span of a number, given the span of its item.
pub(super) fn number_span(span: &Span, numbers: &Numbers, component: usize) -> Span {
    let start = span.range().start + (numbers.size() * component) as u64;
    span.with_range(start..start + numbers.size() as u64)
}
