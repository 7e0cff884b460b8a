//! Little-endian words, and packed words: integers whose bits are fields.

use super::{Constraint, Declaration, Shape, Type};
use crate::layout::decoding::Decoding;
use crate::layout::expr::{IntType, Lookup, Value};
use meshspec_derive::ToJson;

/// One bit field of a packed word.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BitField {
    /// The name.
    pub name: &'static str,
    /// The doc comment.
    pub doc: &'static str,
    /// The range in the word.
    pub bits: BitRange,
    /// Whether the highest bit is the sign.
    pub signed: bool,
    /// Whether the bits have no meaning: they are preserved and have no getter.
    pub reserved: bool,
    /// Whether it is a single-bit flag.
    pub flag: bool,
    /// The declaration of the nested packed word, if it is one.
    pub declared: Option<&'static Declaration>,
    /// The constraints on the value.
    pub constraints: &'static [Constraint],
    /// The meaning of the stored value.
    pub decoding: Decoding,
}

/// A bit range of a word: declared once with modular-bitfield, used as constants in hot loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ToJson)]
pub struct BitRange {
    /// The lowest bit, counted from the least significant bit of the word.
    pub offset: u32,
    /// The number of bits, 1 to 128.
    pub width: u32,
}

impl BitRange {
    /// Returns a range of this width that starts where `self` ends.
    pub const fn then(self, width: u32) -> BitRange {
        BitRange { offset: self.offset + self.width, width }
    }

    /// Returns the range relative to an outer word, in which this word starts at bit `offset`.
    pub(crate) const fn after(self, offset: u32) -> BitRange {
        BitRange { offset: self.offset + offset, ..self }
    }

    /// Extracts the unsigned bits of this range from a word of up to 128 bits.
    pub const fn of(self, word: u128) -> u128 {
        (word >> self.offset) & (u128::MAX >> (128 - self.width))
    }

    /// Returns a word with exactly the bits of this range set.
    pub const fn mask(self) -> u128 {
        (u128::MAX >> (128 - self.width)) << self.offset
    }

    /// Returns the word with `bits` in this range; truncates bits above the width.
    pub const fn put(self, word: u128, bits: u128) -> u128 {
        word & !self.mask() | bits << self.offset & self.mask()
    }

    /// Extracts the unsigned bits of this range from a word of up to 64 bits. Inlines to a shift and a mask.
    #[inline(always)]
    pub const fn of_u64(self, word: u64) -> u64 {
        (word >> self.offset) & (u64::MAX >> (64 - self.width))
    }

    /// As [`of`](BitRange::of), but sign-extends the highest bit of the range.
    pub const fn signed_of(self, word: u128) -> i128 {
        let unused = 128 - self.width;
        ((self.of(word) << unused) as i128) >> unused
    }
}

/// Reads a little-endian word of up to 16 bytes.
pub(in crate::layout) fn word(bytes: &[u8]) -> u128 {
    match *bytes {
        [a] => a.into(),
        [a, b] => u16::from_le_bytes([a, b]).into(),
        [a, b, c, d] => u32::from_le_bytes([a, b, c, d]).into(),
        _ => bytes.iter().rev().fold(0, |word, byte| word << 8 | u128::from(*byte)),
    }
}

impl IntType {
    /// Returns the lowest and the highest value, clamped to `i128` for 128-bit integers.
    pub(crate) fn range(self) -> (i128, i128) {
        match self.signed {
            true => (i128::MIN >> (128 - self.bits), i128::MAX >> (128 - self.bits)),
            false => (0, i128::MAX >> 127_u32.saturating_sub(self.bits)),
        }
    }
}

impl BitField {
    /// Returns the type of the stored integer.
    pub(crate) fn int(&self) -> IntType {
        IntType { bits: self.bits.width, signed: self.signed }
    }
}

impl Declaration {
    /// Returns the fields of a packed word; empty for other declarations.
    pub(crate) fn bit_fields(&self) -> &'static [BitField] {
        if let Shape::Bits { fields, .. } = self.shape { fields } else { &[] }
    }

    /// Returns the bit field at a path, which may lead through nested words, and its range in the outermost word.
    pub(crate) fn bit_field_at(&self, path: &[&str]) -> Option<(BitRange, &'static BitField)> {
        let (name, rest) = path.split_first()?;
        let field = self.bit_fields().iter().find(|field| field.name == *name)?;
        if rest.is_empty() {
            return Some((field.bits, field));
        }
        let (bits, inner) = field.declared?.bit_field_at(rest)?;
        Some((bits.after(field.bits.offset), inner))
    }

    /// Returns all bit fields, each with its declaring word and its range in the outermost word. The fields of a
    /// nested word follow the field that holds it.
    pub(crate) fn all_bit_fields(&'static self) -> Vec<(&'static Declaration, BitRange, &'static BitField)> {
        let mut all = Vec::new();
        for field in self.bit_fields() {
            all.push((self, field.bits, field));
            let inner = field.declared.into_iter().flat_map(Declaration::all_bit_fields);
            all.extend(inner.map(|(word, bits, inner)| (word, bits.after(field.bits.offset), inner)));
        }
        all
    }
}

impl Type {
    /// Returns the type of the stored number: for an enum or packed word, an unsigned integer.
    pub(in crate::layout) fn stored(&self) -> Type {
        match self.without_order() {
            Type::Declared(Declaration {
                shape: Shape::Enum { size, .. } | Shape::Bits { size, .. },
                ..
            }) => Type::Unsigned(*size),
            ty => *ty,
        }
    }

    /// Returns the type of an integer; `None` for other types.
    pub(crate) fn int(&self) -> Option<IntType> {
        match *self.without_order() {
            Type::Unsigned(size) => Some(IntType { bits: 8 * size, signed: false }),
            Type::Signed(size) => Some(IntType { bits: 8 * size, signed: true }),
            _ => None,
        }
    }

    /// Returns the packed word in these bytes; 0 for other types.
    pub(in crate::layout) fn word_of(&self, bytes: &[u8]) -> u128 {
        if let Value::Bits(word, _) = self.value_of(bytes) { word } else { 0 }
    }

    /// Reads the number or packed word in these bytes.
    pub(in crate::layout) fn value_of(&self, bytes: &[u8]) -> Value {
        if let Type::Big(number) = self {
            let (mut reversed, size) = ([0; 16], bytes.len().min(16));
            reversed[..size].copy_from_slice(&bytes[..size]);
            reversed[..size].reverse();
            return number.value_of(&reversed[..size]);
        }
        let word = word(bytes);
        let unused = 128 - 8 * bytes.len().clamp(1, 16) as u32;
        match self {
            Type::Signed(_) => Value::Int(((word << unused) as i128) >> unused),
            Type::Float(4) => Value::F32(f32::from_bits(word as u32)),
            Type::Float(_) => Value::F64(f64::from_bits(word as u64)),
            Type::Declared(declaration) if matches!(declaration.shape, Shape::Bits { .. }) => {
                Value::Bits(word, declaration)
            }
            _ => Value::Int(word as i128),
        }
    }
}

/// The fields of a packed word, then the names of the enclosing struct.
pub(in crate::layout) struct WordFields<'w> {
    pub(in crate::layout) word: u128,
    pub(in crate::layout) fields: &'static [BitField],
    pub(in crate::layout) outer: &'w dyn Lookup,
}

impl Lookup for WordFields<'_> {
    fn lookup(&self, path: &[&str]) -> Option<Value> {
        let field = self.fields.iter().find(|field| path == [field.name]);
        field.map_or_else(|| self.outer.lookup(path), |field| Some(field.value(self.word)))
    }
}
