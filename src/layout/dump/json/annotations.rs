//! Annotations of values: the keys that begin with `$`.

use std::collections::HashSet;
use std::fmt::{self, Write as _};
use std::ops::Range;
use std::{io, ptr};

use serde::Serialize;

use crate::layout::declaration::BitRange;
use crate::layout::decoding::DecodedValue;
use crate::layout::dump::wording::{enum_name, short_doc, type_name};
use crate::layout::expr::Value;
use crate::layout::walk::Node;
use crate::{Span, Text, float};

/// Keys that begin with `$`, with their values, in the object of a value.
#[derive(Default)]
pub(super) struct Annotations(String);

impl Annotations {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Adds the key `$key`.
    pub fn add(&mut self, key: &str, value: impl fmt::Display) {
        let comma = if self.0.is_empty() { "" } else { ", " };
        // Writing to a string never fails.
        let _ = write!(self.0, "{comma}\"${key}\": {value}");
    }

    pub fn append(&mut self, others: &Annotations) {
        if !self.0.is_empty() && !others.0.is_empty() {
            self.0.push_str(", ");
        }
        self.0.push_str(&others.0);
    }

    /// Adds a text, unless it is empty.
    pub fn add_text(&mut self, key: &str, text: &str) {
        if !text.is_empty() {
            self.add(key, json(text));
        }
    }

    pub fn add_range(&mut self, key: &str, Range { start, end }: &Range<u64>) {
        self.add(key, format_args!("[{start}, {end}]"));
    }

    pub fn add_value(&mut self, value: &Value) {
        match value {
            // Most values are integers, which need no serializer.
            Value::Int(number) => self.add("value", number),
            value => self.add("value", json(JsonValue(value))),
        }
    }

    /// Adds the name and the decoded value of a value.
    pub fn add_decoded(&mut self, node: &Node, value: &Value) {
        self.add_text("name", enum_name(node, value).unwrap_or_default());
        if let (Some(decoded), _) = node.decode(value) {
            self.add("decoded", json(JsonDecoded(&decoded)));
        }
    }

    /// Adds the bits, the type, the unit and the meaning of a field.
    pub fn add_declaration(&mut self, node: &Node) {
        if let Some(BitRange { offset, width }) = node.bits {
            self.add("bits", format_args!("[{offset}, {width}]"));
        }
        // Without the number of items, which differs between the values of a field.
        self.add_text("type", &type_name(node, None));
        self.add_text("unit", node.decoding.unit);
        self.add_text("meaning", &short_doc(node));
    }

    /// Returns an object with bytes that no value contains, and their place.
    pub fn of_bytes(span: &Span, bytes: &[u8], packing: &str) -> String {
        let mut annotations = Annotations::default();
        match as_text(bytes).filter(|_| !packing.is_empty()) {
            Some(text) => annotations.add("text", json(text)),
            None => {
                let mut digits = String::with_capacity(2 * bytes.len());
                for byte in bytes {
                    // Writing to a string never fails.
                    let _ = write!(digits, "{byte:02x}");
                }
                annotations.add("bytes", format_args!("\"{digits}\""));
            }
        }
        annotations.add_range("at", span.range());
        if let Some(block) = packed_block(span) {
            annotations.add_range("in", &block);
        }
        annotations.add_text("packing", packing);
        format!("{{{}}}", annotations.0)
    }
}

/// Returns bytes as text, which has no control characters except tabs and line endings; `None` for other bytes.
fn as_text(bytes: &[u8]) -> Option<&str> {
    let is_control = |c: char| c.is_control() && !matches!(c, '\t' | '\n' | '\r');
    std::str::from_utf8(bytes)
        .ok()
        .filter(|text| !text.contains(is_control))
}

/// The declarations of the values so far, since only the first value of a field states its declaration.
#[derive(Default)]
pub(super) struct SeenDeclarations(HashSet<DeclarationKey>);

/// The addresses of the type, field, variant and bit field, and the first bit in the whole word.
type DeclarationKey = [usize; 5];

impl SeenDeclarations {
    /// Returns `true` for the first value of a field.
    pub fn insert(&mut self, node: &Node) -> bool {
        self.0.insert([
            ptr::from_ref(node.ty).addr(),
            node.field.map_or(0, |field| ptr::from_ref(field).addr()),
            node.variant
                .map_or(0, |variant| ptr::from_ref(variant).addr()),
            node.bit_field
                .map_or(0, |field| ptr::from_ref(field).addr()),
            node.bits.map_or(0, |bits| bits.offset as usize),
        ])
    }
}

/// Returns the place of the packed block that contains a span.
pub(super) fn packed_block(span: &Span) -> Option<Range<u64>> {
    match span {
        Span::Unpacked { packed, .. } => Some(packed.clone()),
        Span::Bytes(_) | Span::Text { .. } => None,
    }
}

/// Returns data as JSON on one line.
pub(super) fn json(data: impl Serialize) -> String {
    // Strings, numbers and structs always have a JSON.
    serde_json::to_string(&data).unwrap_or_default()
}

/// Prints a number or string.
pub(super) fn print_value(out: &mut impl io::Write, value: &Value) -> io::Result<()> {
    let mut digits = itoa::Buffer::new();
    match value {
        // Most integers fit in 64 bits, which are divided much faster.
        Value::Int(number) => out.write_all(
            match i64::try_from(*number) {
                Ok(number) => digits.format(number),
                Err(_) => digits.format(*number),
            }
            .as_bytes(),
        ),
        value => Ok(serde_json::to_writer(out, &JsonValue(value))?),
    }
}

struct JsonValue<'v>(&'v Value);

impl Serialize for JsonValue<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Int(number) => serializer.serialize_i128(*number),
            Value::Wide(number) => serializer.serialize_u128(*number),
            Value::Bool(truth) => serializer.serialize_bool(*truth),
            Value::F32(number) => match float::string_of_f32(*number) {
                None => serializer.serialize_f32(*number),
                Some(text) => serializer.serialize_str(&text),
            },
            Value::F64(number) => match float::string_of_f64(*number) {
                None => serializer.serialize_f64(*number),
                Some(text) => serializer.serialize_str(&text),
            },
            Value::Bits(word, _) => serializer.serialize_u128(*word),
            Value::Text(bytes) => Text::from(bytes.clone()).serialize(serializer),
            Value::Struct(_) => serializer.serialize_none(),
        }
    }
}

struct JsonDecoded<'v>(&'v DecodedValue);

impl Serialize for JsonDecoded<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            DecodedValue::Number(number) => JsonValue(number).serialize(serializer),
            DecodedValue::List(list) => serializer.collect_seq(list.iter().map(JsonValue)),
        }
    }
}
