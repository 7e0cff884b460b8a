//! Prints values without annotations, and without the computed ones.

use std::io::{self, Write};

use super::super::annotations::{Annotations, json, print_value};
use super::JsonWriter;
use crate::layout::declaration::Declaration;
use crate::layout::dump::wording::enum_name;
use crate::layout::expr::Value;
use crate::layout::tree::{ComputedFields, is_placed};
use crate::layout::walk::{Node, Segment};

impl<W: Write> JsonWriter<'_, W> {
    /// Prints a number or string without annotations, unless it is computed.
    pub fn print_given_leaf(
        &mut self,
        node: &Node,
        value: &Value,
        computed: &ComputedFields,
    ) -> io::Result<()> {
        let is_reserved = node.bit_field.is_some_and(|field| field.reserved);
        if computed.contains(node) || is_reserved && *value == Value::Int(0) {
            return Ok(());
        }
        self.start_value(node.path, node.bit_field.is_some())?;
        let is_unterminated = matches!(value, Value::Text(text) if text.len() == node.bytes.len());
        let may_have_trailing = std::mem::take(&mut self.may_have_trailing);
        let has_place = self.gives_place(node);
        let has_annotations = is_unterminated
            || may_have_trailing
            || has_place
            || !self.next_annotations.as_str().is_empty();
        let mut annotations = Annotations::default();
        match value {
            Value::Bits(word, declaration) if !is_composed_of_fields(*word, declaration) => {
                annotations.add_value(value);
            }
            Value::Bits(..) => {}
            _ => match (enum_name(node, value), has_annotations) {
                (Some(name), true) => annotations.add("value", json(name)),
                (Some(name), false) => return self.out.write_all(json(name).as_bytes()),
                (None, true) => annotations.add_value(value),
                (None, false) => return print_value(&mut self.out, value),
            },
        }
        if is_unterminated {
            annotations.add("unterminated", true);
        }
        annotations.append(&std::mem::take(&mut self.next_annotations));
        if has_place {
            annotations.add_range("at", node.span.range());
        }
        self.print_object(node, value, annotations, may_have_trailing)
    }

    /// Returns `true` for a computed value.
    pub fn omits(&self, node: &Node) -> bool {
        self.computed
            .is_some_and(|computed| computed.contains(node))
    }

    /// Returns `true` for a value at an explicit offset whose place JSON has even without other annotations.
    pub fn gives_place(&self, node: &Node) -> bool {
        // Items and bit fields have the place of their list or word.
        let is_part =
            node.bit_field.is_some() || matches!(node.path.last(), Some(Segment::Index(_)));
        if is_part || !self.computed.is_some_and(ComputedFields::gives_places) {
            return false;
        }
        let Some(last) = node.path.last() else {
            return true;
        };
        let outer = self
            .open
            .iter()
            .rfind(|outer| outer.depth < node.path.len());
        outer.is_some_and(|outer| is_placed(Some(outer.ty), last))
    }

    /// Prints `null` for an absent field if no given value shows that it is absent.
    pub fn print_absent(&mut self, node: &Node) -> io::Result<()> {
        match (self.computed, node.field) {
            (Some(computed), Some(field)) if computed.shows_absence(field) => {
                self.start_value(node.path, false)?;
                self.out.write_all(b"null")
            }
            _ => Ok(()),
        }
    }
}

/// Returns `true` if the printed fields of a packed word determine it: at least one is printed, and all other bits are
/// 0.
fn is_composed_of_fields(word: u128, declaration: &Declaration) -> bool {
    let mut other_bits = word;
    let mut is_printed = false;
    for field in declaration.bit_fields() {
        other_bits &= !field.bits.mask();
        // Reserved fields are omitted if they are 0.
        is_printed |= !field.reserved || field.bits.extract(word) != 0;
    }
    is_printed && other_bits == 0
}
