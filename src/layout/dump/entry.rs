//! Lists the values of a file as entries, for other programs.

use meshspec_derive::ToJson;
use std::ops::{ControlFlow, Range};

use super::wording::{enum_name, short_doc, type_name};
use crate::Span;
use crate::layout::covered_ranges::CoveredRanges;
use crate::layout::declaration::BitRange;
use crate::layout::decoding::DecodedValue;
use crate::layout::expr::Value;
use crate::layout::walk::{Node, Segment, TRAILING, Visitor, path_text};

/// A value and its location.
#[derive(Debug, Clone, PartialEq, ToJson)]
pub struct DumpEntry {
    /// The full path. Magic bytes have the path of their struct; the path of a gap is empty.
    pub path: String,
    /// The offset of the first byte.
    pub offset: u64,
    /// The number of bytes.
    pub size: u64,
    /// The bit range of a bit field, counted from the lowest bit of the word at `offset`.
    pub bits: Option<BitRange>,
    /// The byte range of the packed block whose content the offset refers to; `None` if it refers to the file itself.
    #[json(name = "in")]
    pub packed: Option<Range<u64>>,
    /// The kind of value.
    pub kind: EntryKind,
    /// The type; empty for bytes without one.
    #[json(name = "type", optional)]
    pub ty: String,
    /// The value; `None` for gaps, trailing bytes and packed blocks.
    #[json(with = "serde_impls::serialize_value")]
    pub value: Option<Value>,
    /// The decoded value, if the declaration has a decoding.
    #[json(with = "serde_impls::serialize_decoded")]
    pub decoded: Option<DecodedValue>,
    /// The unit of the decoded value or, without one, of the stored value.
    #[json(optional)]
    pub unit: &'static str,
    /// The name of an enum value.
    pub name: Option<&'static str>,
    /// The bytes; empty for bit fields.
    #[json(with = "serde_impls::serialize_bytes", optional)]
    pub bytes: Vec<u8>,
    /// The first sentence of the documentation.
    #[json(optional)]
    pub meaning: String,
}

/// The kind of a [`DumpEntry`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, ToJson)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub enum EntryKind {
    Int,
    Float,
    Bool,
    Enum,
    /// A packed word; its bit fields follow.
    Word,
    String,
    Magic,
    /// A packed block; its content follows.
    Packed,
    /// Bytes that no field covers, except trailing bytes.
    Gap,
    /// Bytes after all fields.
    Trailing,
}

/// Passes all entries to a closure.
pub(super) struct EntryVisitor<F> {
    each: F,
    covered: CoveredRanges,
    /// Whether the closure has stopped the dump.
    has_stopped: bool,
}

impl<F: FnMut(&DumpEntry) -> ControlFlow<()>> EntryVisitor<F> {
    pub fn new(each: F) -> EntryVisitor<F> {
        EntryVisitor {
            each,
            covered: CoveredRanges::default(),
            has_stopped: false,
        }
    }

    /// Passes an entry to the closure, unless the closure has stopped the dump.
    fn emit(&mut self, entry: &DumpEntry) -> ControlFlow<()> {
        if self.has_stopped || (self.each)(entry).is_break() {
            self.has_stopped = true;
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    /// Passes the gaps of a completely walked file to the closure.
    pub fn finish(mut self, file: &[u8]) {
        for gap in std::mem::take(&mut self.covered).gaps(file.len() as u64) {
            // Gaps are within the file.
            let bytes = file
                .get(gap.start as usize..gap.end as usize)
                .unwrap_or_default()
                .to_vec();
            let gap = DumpEntry::new(String::new(), &Span::Bytes(gap), EntryKind::Gap);
            if self.emit(&DumpEntry { bytes, ..gap }).is_break() {
                return;
            }
        }
    }
}

impl<F: FnMut(&DumpEntry) -> ControlFlow<()>> Visitor for EntryVisitor<F> {
    fn visit_leaf(&mut self, node: &Node, value: &Value) -> ControlFlow<()> {
        self.covered.add(&node.span);
        let name = enum_name(node, value);
        let (decoded, unit) = node.decode(value);
        let kind = match value {
            _ if name.is_some() => EntryKind::Enum,
            Value::Bool(_) => EntryKind::Bool,
            Value::F32(_) | Value::F64(_) => EntryKind::Float,
            Value::Bits(..) => EntryKind::Word,
            Value::Text(_) => EntryKind::String,
            Value::Int(_) | Value::Wide(_) | Value::Struct(_) => EntryKind::Int,
        };
        self.emit(&DumpEntry {
            bits: node.bits,
            ty: type_name(node),
            value: Some(value.clone()),
            decoded,
            unit,
            name,
            bytes: if node.bits.is_some() {
                Vec::new()
            } else {
                node.bytes.to_vec()
            },
            meaning: short_doc(node),
            ..DumpEntry::new(path_text(node.path), &node.span, kind)
        })
    }

    fn visit_magic(&mut self, node: &Node) -> ControlFlow<()> {
        self.covered.add(&node.span);
        self.emit(&DumpEntry {
            value: Some(Value::Text(node.bytes.to_vec())),
            bytes: node.bytes.to_vec(),
            ..DumpEntry::new(path_text(node.path), &node.span, EntryKind::Magic)
        })
    }

    fn visit_unpacked(&mut self, node: &Node, _: &[u8]) {
        self.covered.add(&node.span);
        let packing = node
            .field
            .and_then(|field| field.block)
            .map_or("", |block| block.packing.name());
        let entry = DumpEntry {
            ty: packing.to_owned(),
            bytes: node.bytes.to_vec(),
            meaning: short_doc(node),
            ..DumpEntry::new(path_text(&node.own_path()), &node.span, EntryKind::Packed)
        };
        // If the closure stopped, the next value ends the walk.
        let _ = self.emit(&entry);
    }

    fn should_visit_partial_arrays(&self) -> bool {
        true
    }

    fn leave(&mut self, node: &Node) -> ControlFlow<()> {
        self.covered.add(&node.span);
        ControlFlow::Continue(())
    }

    fn visit_trailing(&mut self, path: &[Segment], span: Span, bytes: &[u8]) {
        self.covered.add(&span);
        let path = path_text(&[path, &[Segment::Field(TRAILING)]].concat());
        let trailing = DumpEntry::new(path, &span, EntryKind::Trailing);
        let entry = DumpEntry {
            bytes: bytes.to_vec(),
            ..trailing
        };
        // If the closure stopped, the next value ends the walk.
        let _ = self.emit(&entry);
    }
}

impl DumpEntry {
    fn new(path: String, span: &Span, kind: EntryKind) -> DumpEntry {
        let Range { start, end } = *span.range();
        let packed = if let Span::Unpacked { packed, .. } = span {
            Some(packed.clone())
        } else {
            None
        };
        DumpEntry {
            path,
            offset: start,
            size: end - start,
            bits: None,
            packed,
            kind,
            ty: String::new(),
            value: None,
            decoded: None,
            unit: "",
            name: None,
            bytes: Vec::new(),
            meaning: String::new(),
        }
    }
}

#[cfg(feature = "serde")]
mod serde_impls {
    use serde::{Serialize, Serializer};

    use crate::layout::decoding::DecodedValue;
    use crate::layout::expr::Value;
    use crate::{Text, float};

    struct JsonValue<'v>(&'v Value);

    impl Serialize for JsonValue<'_> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            match self.0 {
                Value::Int(number) => serializer.serialize_i128(*number),
                Value::Wide(number) => serializer.serialize_u128(*number),
                Value::Bool(truth) => serializer.serialize_bool(*truth),
                Value::F32(number) => float::serialize(number, serializer),
                Value::F64(number) => float::serialize(number, serializer),
                Value::Bits(word, _) => serializer.serialize_u128(*word),
                Value::Text(bytes) => Text::from(bytes.clone()).serialize(serializer),
                Value::Struct(_) => serializer.serialize_none(),
            }
        }
    }

    pub(super) fn serialize_value<S: Serializer>(
        value: &Option<Value>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        value.as_ref().map(JsonValue).serialize(serializer)
    }

    pub(super) fn serialize_decoded<S: Serializer>(
        decoded: &Option<DecodedValue>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match decoded {
            Some(DecodedValue::Number(number)) => JsonValue(number).serialize(serializer),
            Some(DecodedValue::List(list)) => serializer.collect_seq(list.iter().map(JsonValue)),
            None => serializer.serialize_none(),
        }
    }

    /// Serialises bytes as a string with two hexadecimal digits per byte.
    pub(super) fn serialize_bytes<S: Serializer>(
        bytes: &[u8],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        serializer.serialize_str(&digits)
    }
}
