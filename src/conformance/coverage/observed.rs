//! Counts the kinds of values in a file.

use std::ops::ControlFlow;

use super::KindCounts;
use super::kinds::{
    FLAGS, PRESENCE, double_kind, float_kind, integer_kind, list_kind, string_kind,
};
use super::notation::{NOTATION, NOTATIONS};
use crate::AnyFormat;
use crate::layout::declaration::{Declaration, Shape, Type};
use crate::layout::expr::Value;
use crate::layout::grammar::ValueType;
use crate::layout::walk::{Node, Segment, Visit, Visitor};

#[derive(Default)]
pub(super) struct Observer {
    pub(super) counts: KindCounts,
    /// The names of the fields visited so far in each struct, list or choice that contains the current value.
    open_groups: Vec<Vec<&'static str>>,
}

impl Observer {
    fn add(&mut self, path: String, kind: &'static str) {
        *self
            .counts
            .entry(path)
            .or_default()
            .entry(kind)
            .or_default() += 1;
    }

    /// Records the field of a node as present in the innermost open group. Counts the variant of a choice.
    fn record_field(&mut self, node: &Node) {
        if node.bit_field.is_some() {
            return;
        }
        if let (Some(Segment::Field(name)), Some(seen)) =
            (node.path.last(), self.open_groups.last_mut())
        {
            seen.push(name);
        }
        if let Some(variant) = node.variant {
            self.add(field_names(node.path), variant.name);
        }
    }

    /// Counts the values and notations in the text of a file.
    pub(super) fn observe_text(&mut self, format: AnyFormat, text: &str) {
        let Some(grammar) = format.grammar() else {
            return;
        };
        for (name, _) in NOTATIONS.iter().filter(|(_, test)| test.matches(text)) {
            self.add(NOTATION.to_owned(), name);
        }
        for line in text.trim_start_matches('\u{feff}').lines() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if let Some((name, value)) =
                line.strip_prefix('[').and_then(|rest| rest.split_once(']'))
                && let Some(property) = grammar
                    .properties
                    .iter()
                    .find(|known| known.name == name.trim())
            {
                let value = value
                    .trim_start()
                    .strip_prefix('=')
                    .unwrap_or_default()
                    .trim_start();
                let name = format!("[{}]", property.name);
                let known = property.values.iter().find(|known| **known == value);
                known.iter().for_each(|known| self.add(name.clone(), known));
                self.add(name, PRESENCE[1]);
            }
            let Some((identifier, values)) = line.split_once(char::is_whitespace) else {
                continue;
            };
            let known = grammar
                .attributes
                .iter()
                .find(|attribute| attribute.identifier == identifier);
            let Some(attribute) = known else { continue };
            for value in values.split(',').map(str::trim) {
                let kind = match (value.parse::<f32>(), attribute.value_type) {
                    // The sign of an index 0 counts as a notation.
                    (Ok(number), ValueType::Index) => float_kind(number.abs()),
                    (Ok(number), _) => float_kind(number),
                    (Err(_), _) => "other",
                };
                self.add(identifier.to_owned(), kind);
            }
        }
        for attribute in grammar
            .attributes
            .iter()
            .filter(|attribute| !attribute.required)
        {
            let is_present = self.counts.contains_key(attribute.identifier);
            self.add(
                attribute.identifier.to_owned(),
                PRESENCE[usize::from(is_present)],
            );
        }
        for property in grammar.properties {
            let name = format!("[{}]", property.name);
            if !self.counts.contains_key(&name) {
                self.add(name, PRESENCE[0]);
            }
        }
    }
}

impl Visitor for Observer {
    fn should_visit_empty_items(&self) -> bool {
        false
    }

    fn enter(&mut self, node: &Node) -> Visit {
        self.record_field(node);
        self.open_groups.push(Vec::new());
        Visit::All
    }

    fn visit_leaf(&mut self, node: &Node, value: &Value) -> ControlFlow<()> {
        self.record_field(node);
        let kind = match (value, node.ty.without_byte_order()) {
            // The fields of packed words and structs are visited separately.
            (Value::Bits(..) | Value::Struct(_), _) => return ControlFlow::Continue(()),
            (
                Value::Int(number),
                Type::Declared(Declaration {
                    shape: Shape::Enum { values, .. },
                    ..
                }),
            ) => values
                .iter()
                .find(|value| value.value == *number)
                .map_or("other", |value| value.name),
            (Value::Int(number), _) => {
                let bits = node
                    .bits
                    .map_or(8 * node.bytes.len() as u32, |bits| bits.width);
                integer_kind(*number, bits)
            }
            (Value::Wide(number), _) => integer_kind(*number as i128, 128),
            (Value::Bool(flag), _) => FLAGS[usize::from(*flag)],
            (Value::F32(number), _) => float_kind(*number),
            (Value::F64(number), _) => double_kind(*number),
            (Value::Text(text), _) => string_kind(text),
        };
        self.add(field_names(node.path), kind);
        ControlFlow::Continue(())
    }

    fn leave(&mut self, node: &Node) -> ControlFlow<()> {
        let seen = self.open_groups.pop().unwrap_or_default();
        if let (Type::List(_), Some(count)) = (node.ty, node.count) {
            self.add(field_names(node.path), list_kind(count));
        }
        if let Type::Declared(Declaration {
            shape: Shape::Struct(fields),
            ..
        }) = node.ty
        {
            for field in fields
                .iter()
                .filter(|field| field.condition.is_some() && !field.lookahead)
            {
                let path = field_names(&[node.path, &[Segment::Field(field.name)]].concat());
                self.add(path, PRESENCE[usize::from(seen.contains(&field.name))]);
            }
        }
        ControlFlow::Continue(())
    }
}

/// Returns the field names of a path without list indices, separated by dots.
pub(in crate::conformance) fn field_names(path: &[Segment]) -> String {
    fields_of(path).collect::<Vec<_>>().join(".")
}

pub(in crate::conformance) fn fields_of(path: &[Segment]) -> impl Iterator<Item = &'static str> {
    path.iter().filter_map(|segment| segment.name())
}
