//! Packed words: integers whose bits are fields.

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
    /// The range of bits in the word.
    pub bits: BitRange,
    /// Whether the value is signed, in two's complement.
    pub signed: bool,
    /// Whether the bits are reserved: they have no meaning and no getter, but are preserved.
    pub reserved: bool,
    /// Whether the field is a one-bit flag.
    pub flag: bool,
    /// The declaration of a nested packed word; `None` for other fields.
    pub declared: Option<&'static Declaration>,
    /// The constraints on the value.
    pub constraints: &'static [Constraint],
    /// How the stored value is decoded.
    pub decoding: Decoding,
}

/// A range of bits in a word. `#[derive(Layout)]` generates a constant for each bit field.
///
/// ```
/// use meshspec::layout::declaration::BitRange;
///
/// let bits = BitRange { offset: 4, width: 3 };
/// assert_eq!(bits.mask(), 0b111_0000);
/// assert_eq!((bits.extract(0x5f), bits.extract_signed(0x5f)), (5, -3));
/// assert_eq!(bits.insert(0x5f, 2), 0x2f);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, ToJson)]
pub struct BitRange {
    /// The lowest bit, counted from the least significant bit of the word.
    pub offset: u32,
    /// The number of bits, 1 to 128.
    pub width: u32,
}

impl BitRange {
    /// Returns the range of `width` bits that starts where `self` ends.
    pub const fn then(self, width: u32) -> BitRange {
        BitRange {
            offset: self.offset + self.width,
            width,
        }
    }

    /// Returns this range as bits of an outer word, in which the inner word starts at bit `offset`.
    pub(crate) const fn after(self, offset: u32) -> BitRange {
        BitRange {
            offset: self.offset + offset,
            ..self
        }
    }

    /// Extracts this range from a word of up to 128 bits, as an unsigned integer.
    pub const fn extract(self, word: u128) -> u128 {
        (word >> self.offset) & (u128::MAX >> (128 - self.width))
    }

    /// Returns a word with exactly the bits of this range set.
    pub const fn mask(self) -> u128 {
        (u128::MAX >> (128 - self.width)) << self.offset
    }

    /// Returns `word` with this range replaced by the lowest bits of `bits`.
    pub const fn insert(self, word: u128, bits: u128) -> u128 {
        word & !self.mask() | bits << self.offset & self.mask()
    }

    /// Extracts this range from a word of up to 64 bits, as an unsigned integer. Compiles to a shift and a mask.
    #[inline(always)]
    pub const fn extract_u64(self, word: u64) -> u64 {
        (word >> self.offset) & (u64::MAX >> (64 - self.width))
    }

    /// Extracts this range from a word of up to 128 bits, as a signed integer in two's complement.
    pub const fn extract_signed(self, word: u128) -> i128 {
        let unused = 128 - self.width;
        ((self.extract(word) << unused) as i128) >> unused
    }
}

/// Reads a little-endian word of up to 16 bytes.
pub(in crate::layout) fn read_word_le(bytes: &[u8]) -> u128 {
    match *bytes {
        [a] => a.into(),
        [a, b] => u16::from_le_bytes([a, b]).into(),
        [a, b, c, d] => u32::from_le_bytes([a, b, c, d]).into(),
        _ => bytes
            .iter()
            .rev()
            .fold(0, |word, byte| word << 8 | u128::from(*byte)),
    }
}

impl IntType {
    /// Returns the smallest and the largest value; the largest unsigned 128-bit value is clamped to `i128::MAX`.
    pub(crate) fn range(self) -> (i128, i128) {
        match self.signed {
            true => (
                i128::MIN >> (128 - self.bits),
                i128::MAX >> (128 - self.bits),
            ),
            false => (0, i128::MAX >> 127_u32.saturating_sub(self.bits)),
        }
    }
}

impl BitField {
    /// Extracts the value of this field from `word`.
    pub fn value(&self, word: u128) -> Value {
        if self.flag {
            Value::Bool(self.bits.extract(word) != 0)
        } else if let Some(declaration) = self.declared {
            Value::Bits(self.bits.extract(word), declaration)
        } else if self.signed {
            Value::Int(self.bits.extract_signed(word))
        } else {
            Value::unsigned(self.bits.extract(word))
        }
    }

    /// Returns the integer type of the stored value.
    pub(crate) fn int_type(&self) -> IntType {
        IntType {
            bits: self.bits.width,
            signed: self.signed,
        }
    }
}

impl Declaration {
    /// Returns the bit fields of a packed word; empty for other declarations.
    pub(crate) fn bit_fields(&self) -> &'static [BitField] {
        if let Shape::Bits { fields, .. } = self.shape {
            fields
        } else {
            &[]
        }
    }

    /// Returns the bit field at a path, and its range in this word. The path may lead through nested words.
    pub(crate) fn bit_field_at(&self, path: &[&str]) -> Option<(BitRange, &'static BitField)> {
        let (name, rest) = path.split_first()?;
        let field = self.bit_fields().iter().find(|field| field.name == *name)?;
        if rest.is_empty() {
            return Some((field.bits, field));
        }
        let (bits, inner) = field.declared?.bit_field_at(rest)?;
        Some((bits.after(field.bits.offset), inner))
    }

    /// Returns all bit fields, each with the word that declares it and its range in this word. The fields of a nested
    /// word follow the field of that word.
    pub(crate) fn all_bit_fields(
        &'static self,
    ) -> Vec<(&'static Declaration, BitRange, &'static BitField)> {
        let mut all = Vec::new();
        for field in self.bit_fields() {
            all.push((self, field.bits, field));
            let inner = field
                .declared
                .into_iter()
                .flat_map(Declaration::all_bit_fields);
            all.extend(
                inner.map(|(word, bits, inner)| (word, bits.after(field.bits.offset), inner)),
            );
        }
        all
    }
}

impl Type {
    /// Returns the type of the stored number without its byte order: an unsigned integer for an enum or packed word.
    pub(in crate::layout) fn stored_type(&self) -> Type {
        match self.without_byte_order() {
            Type::Declared(Declaration {
                shape: Shape::Enum { size, .. } | Shape::Bits { size, .. },
                ..
            }) => Type::Unsigned(*size),
            ty => *ty,
        }
    }

    /// Returns the width and signedness of an integer type; `None` for other types, including enums.
    pub(crate) fn int_type(&self) -> Option<IntType> {
        match *self.without_byte_order() {
            Type::Unsigned(size) => Some(IntType {
                bits: 8 * size,
                signed: false,
            }),
            Type::Signed(size) => Some(IntType {
                bits: 8 * size,
                signed: true,
            }),
            _ => None,
        }
    }

    /// Reads a packed word from its bytes; 0 for other types.
    pub(in crate::layout) fn read_word(&self, bytes: &[u8]) -> u128 {
        if let Value::Bits(word, _) = self.read_value(bytes) {
            word
        } else {
            0
        }
    }

    /// Reads a number, enum value or packed word from its bytes.
    pub(in crate::layout) fn read_value(&self, bytes: &[u8]) -> Value {
        if let Type::BigEndian(number) = self {
            let (mut reversed, size) = ([0; 16], bytes.len().min(16));
            reversed[..size].copy_from_slice(&bytes[..size]);
            reversed[..size].reverse();
            return number.read_value(&reversed[..size]);
        }
        let word = read_word_le(bytes);
        let unused = 128 - 8 * bytes.len().clamp(1, 16) as u32;
        match self {
            Type::Signed(_) => Value::Int(((word << unused) as i128) >> unused),
            Type::Float(4) => Value::F32(f32::from_bits(word as u32)),
            Type::Float(_) => Value::F64(f64::from_bits(word as u64)),
            Type::Declared(declaration) if matches!(declaration.shape, Shape::Bits { .. }) => {
                Value::Bits(word, declaration)
            }
            _ => Value::unsigned(word),
        }
    }
}

/// Looks up the bit fields of a packed word, then the names of the enclosing struct.
pub(in crate::layout) struct WordFields<'w> {
    pub(in crate::layout) word: u128,
    pub(in crate::layout) fields: &'static [BitField],
    pub(in crate::layout) outer: &'w dyn Lookup,
}

impl Lookup for WordFields<'_> {
    fn lookup(&self, path: &[&str]) -> Option<Value> {
        let field = self.fields.iter().find(|field| path == [field.name]);
        field.map_or_else(
            || self.outer.lookup(path),
            |field| Some(field.value(self.word)),
        )
    }
}
