//! The values of a file one by one, for other programs.

use meshspec_derive::ToJson;
use std::ops::{ControlFlow, Range};

use super::wording::{enum_name, meaning_of, type_of};
use crate::Span;
use crate::layout::coverage::Coverage;
use crate::layout::declaration::BitRange;
use crate::layout::decoding::Decoded;
use crate::layout::expr::Value;
use crate::layout::walk::{Node, Segment, TRAILING, Visitor, path_text};

/// A value and its place.
#[derive(Debug, Clone, PartialEq, ToJson)]
pub struct Entry {
    /// The whole path; of magic bytes that of their struct, empty for a gap.
    pub path: String,
    /// The first byte.
    pub offset: u64,
    /// Number of bytes.
    pub size: u64,
    /// The bits of a field of a packed word, counted from the lowest bit of the word at `offset`.
    pub bits: Option<BitRange>,
    /// Where the packed block lies in the file that the offset counts in.
    #[json(name = "in")]
    pub packed: Option<Range<u64>>,
    /// What sort of value it is.
    pub kind: EntryKind,
    /// The type; empty for bytes without one.
    #[json(name = "type", optional)]
    pub ty: String,
    /// The value; none of gaps and trailing bytes.
    #[json(with = "data::value")]
    pub value: Option<Value>,
    /// The numbers that the value stands for, where the declaration says so.
    #[json(with = "data::decoded")]
    pub decoded: Option<Decoded>,
    /// Their unit, or that of the value.
    #[json(optional)]
    pub unit: &'static str,
    /// The name of an enum's value.
    pub name: Option<&'static str>,
    /// The bytes; none of fields of words.
    #[json(with = "data::bytes", optional)]
    pub bytes: Vec<u8>,
    /// The first sentence of the documentation.
    #[json(optional)]
    pub meaning: String,
}

/// What sort of value an [`Entry`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ToJson)]
#[expect(missing_docs, reason = "the names say it")]
pub enum EntryKind {
    Int,
    Float,
    Bool,
    Enum,
    /// A packed word; its fields follow it.
    Word,
    String,
    Magic,
    /// The bytes of a packed block, whose content follows.
    Packed,
    /// Bytes between fields that no field covers.
    Gap,
    /// Bytes behind all fields.
    Trailing,
}

/// Passes each entry to a closure.
pub(super) struct Entries<F> {
    each: F,
    coverage: Coverage,
    /// Whether nothing more is to be told of.
    has_stopped: bool,
}

impl<F: FnMut(&Entry) -> ControlFlow<()>> Entries<F> {
    pub(super) fn new(each: F) -> Entries<F> {
        Entries { each, coverage: Coverage::default(), has_stopped: false }
    }

    /// Tells of an entry, unless that is to stop.
    fn tell(&mut self, entry: &Entry) -> ControlFlow<()> {
        if self.has_stopped || (self.each)(entry).is_break() {
            self.has_stopped = true;
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    /// Tells of the gaps in a whole file.
    pub(super) fn finish(mut self, file: &[u8]) {
        for gap in std::mem::take(&mut self.coverage).gaps(file.len() as u64) {
            // Gaps are within the file.
            let bytes = file.get(gap.start as usize..gap.end as usize).unwrap_or_default().to_vec();
            let entry = Entry { bytes, ..Entry::at(String::new(), &Span::Bytes(gap), EntryKind::Gap) };
            if self.tell(&entry).is_break() {
                return;
            }
        }
    }
}

impl<F: FnMut(&Entry) -> ControlFlow<()>> Visitor for Entries<F> {
    fn leaf(&mut self, node: &Node, value: &Value) -> ControlFlow<()> {
        self.coverage.add(&node.span);
        let name = enum_name(node, value);
        let (decoded, unit) = node.decoded(value);
        let kind = match value {
            _ if name.is_some() => EntryKind::Enum,
            Value::Bool(_) => EntryKind::Bool,
            Value::F32(_) | Value::F64(_) => EntryKind::Float,
            Value::Bits(..) => EntryKind::Word,
            Value::Text(_) => EntryKind::String,
            Value::Int(_) | Value::Struct(_) => EntryKind::Int,
        };
        self.tell(&Entry {
            bits: node.bits,
            ty: type_of(node),
            value: Some(value.clone()),
            decoded,
            unit,
            name,
            bytes: if node.bits.is_some() { Vec::new() } else { node.bytes.to_vec() },
            meaning: meaning_of(node),
            ..Entry::at(path_text(node.path), &node.span, kind)
        })
    }

    fn magic(&mut self, node: &Node) -> ControlFlow<()> {
        self.coverage.add(&node.span);
        self.tell(&Entry {
            value: Some(Value::Text(node.bytes.to_vec())),
            bytes: node.bytes.to_vec(),
            ..Entry::at(path_text(node.path), &node.span, EntryKind::Magic)
        })
    }

    fn unpacked(&mut self, node: &Node, _: &[u8]) {
        self.coverage.add(&node.span);
        let packing = node.field.and_then(|field| field.block).map_or("", |block| block.packing.name());
        let entry = Entry {
            ty: packing.to_owned(),
            bytes: node.bytes.to_vec(),
            meaning: meaning_of(node),
            ..Entry::at(path_text(&node.own_path()), &node.span, EntryKind::Packed)
        };
        // The next value ends the walk.
        let _ = self.tell(&entry);
    }

    fn visits_partial_arrays(&self) -> bool {
        true
    }

    fn leave(&mut self, node: &Node) -> ControlFlow<()> {
        self.coverage.add(&node.span);
        ControlFlow::Continue(())
    }

    fn trailing(&mut self, path: &[Segment], span: Span, bytes: &[u8]) {
        self.coverage.add(&span);
        let path: Vec<_> = path.iter().copied().chain([Segment::Field(TRAILING)]).collect();
        let entry =
            Entry { bytes: bytes.to_vec(), ..Entry::at(path_text(&path), &span, EntryKind::Trailing) };
        // The next value ends the walk.
        let _ = self.tell(&entry);
    }
}

impl Entry {
    fn at(path: String, span: &Span, kind: EntryKind) -> Entry {
        let Range { start, end } = *span.range();
        let packed = match span {
            Span::Bytes(_) | Span::Text { .. } => None,
            Span::Unpacked { packed, .. } => Some(packed.clone()),
        };
        Entry {
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
mod data {
    use serde::{Serialize, Serializer};

    use crate::layout::decoding::Decoded;
    use crate::layout::expr::Value;
    use crate::{Text, float};

    struct Shown<'v>(&'v Value);

    impl Serialize for Shown<'_> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            match self.0 {
                Value::Int(number) => serializer.serialize_i128(*number),
                Value::Bool(truth) => serializer.serialize_bool(*truth),
                Value::F32(number) => float::serialize(number, serializer),
                Value::F64(number) => float::serialize_f64(*number, serializer),
                Value::Bits(word, _) => serializer.serialize_u128(*word),
                Value::Text(bytes) => Text::from(bytes.clone()).serialize(serializer),
                Value::Struct(_) => serializer.serialize_none(),
            }
        }
    }

    pub(super) fn value<S: Serializer>(value: &Option<Value>, serializer: S) -> Result<S::Ok, S::Error> {
        value.as_ref().map(Shown).serialize(serializer)
    }

    pub(super) fn decoded<S: Serializer>(
        decoded: &Option<Decoded>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match decoded {
            Some(Decoded::Number(number)) => Shown(number).serialize(serializer),
            Some(Decoded::List(list)) => serializer.collect_seq(list.iter().map(Shown)),
            None => serializer.serialize_none(),
        }
    }

    /// Two hexadecimal digits a byte.
    pub(super) fn bytes<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        serializer.serialize_str(&digits)
    }
}
