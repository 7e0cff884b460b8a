//! Converts packed words to and from maps of their bit fields, for serde.

use std::fmt;

use serde::de::{self, DeserializeSeed, MapAccess, Visitor};
use serde::{Deserializer, Serialize, Serializer};

use crate::layout::Layout;
use crate::layout::declaration::{BitField, Declaration, Shape};

/// Bit fields that serialization omits if they equal those of a default word.
#[derive(Debug, Clone, Copy, Default)]
pub struct Implied {
    /// The default word.
    pub word: u128,
    /// The names of the fields; reserved fields are always candidates.
    pub fields: &'static [&'static str],
}

/// A packed word and its bit fields.
struct Word {
    bits: u128,
    fields: Fields,
}

/// The bit fields of a packed word.
#[derive(Clone, Copy)]
struct Fields {
    fields: &'static [BitField],
    implied: Implied,
}

impl Fields {
    fn of<T: Layout>(implied: Implied) -> Fields {
        let declared = T::TYPE.own_declaration().map(Fields::declared);
        Fields { implied, ..declared.unwrap_or(Fields { fields: &[], implied }) }
    }

    fn declared(declaration: &'static Declaration) -> Fields {
        let fields = if let Shape::Bits { fields, .. } = declaration.shape { fields } else { &[] };
        Fields { fields, implied: Implied::default() }
    }

    /// Whether a field is omitted when it has the implied value.
    fn is_optional(self, field: &BitField) -> bool {
        field.reserved || self.implied.fields.contains(&field.name)
    }
}

/// The value of a bit field.
enum Part {
    Flag(bool),
    Number(i64),
    Word(Word),
}

impl Serialize for Part {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Part::Flag(flag) => serializer.serialize_bool(*flag),
            Part::Number(number) => serializer.serialize_i64(*number),
            Part::Word(word) => word.serialize(serializer),
        }
    }
}

impl Serialize for Word {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let implied = self.fields.implied.word;
        let shown = |field: &&BitField| {
            !self.fields.is_optional(field) || field.bits.of(self.bits) != field.bits.of(implied)
        };
        serializer.collect_map(self.fields.fields.iter().filter(shown).map(|field| {
            let part = match field.declared {
                Some(word) => {
                    Part::Word(Word { bits: field.bits.of(self.bits), fields: Fields::declared(word) })
                }
                None if field.flag => Part::Flag(field.bits.of(self.bits) != 0),
                // Numbers have at most 32 bits.
                None if field.signed => Part::Number(field.bits.signed_of(self.bits) as i64),
                None => Part::Number(field.bits.of(self.bits) as i64),
            };
            (field.name, part)
        }))
    }
}

impl<'de> DeserializeSeed<'de> for Fields {
    type Value = u128;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<u128, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Fields {
    type Value = u128;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let names: Vec<_> = self.fields.iter().map(|field| field.name).collect();
        write!(f, "a word of {}", names.join(", "))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<u128, A::Error> {
        let mut bits = 0;
        let mut seen = 0;
        while let Some(name) = map.next_key::<String>()? {
            let known = self.fields.iter().find(|field| field.name == name);
            let field = known.ok_or_else(|| {
                de::Error::custom(format_args!("unknown field `{name}`, expected {}", Expected(self)))
            })?;
            let mask = field.bits.of(u128::MAX) << field.bits.offset;
            if seen & mask != 0 {
                return Err(de::Error::duplicate_field(field.name));
            }
            seen |= mask;
            bits |= (value_of(field, &mut map)? << field.bits.offset) & mask;
        }
        for field in self.fields {
            let mask = field.bits.of(u128::MAX) << field.bits.offset;
            match (seen & mask, self.is_optional(field)) {
                (0, true) => bits |= self.implied.word & mask,
                (0, false) => return Err(de::Error::missing_field(field.name)),
                _ => {}
            }
        }
        Ok(bits)
    }
}

struct Expected(Fields);

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        Visitor::expecting(&self.0, f)
    }
}

/// Reads the value of a field as bits. Negative numbers set all bits above the width.
fn value_of<'de, A: MapAccess<'de>>(field: &BitField, map: &mut A) -> Result<u128, A::Error> {
    if let Some(word) = field.declared {
        return map.next_value_seed(Fields::declared(word));
    }
    if field.flag {
        return map.next_value().map(|flag: bool| flag.into());
    }
    let number: i64 = map.next_value()?;
    let width = field.bits.width;
    let (least, end) = if field.signed { (-1 << (width - 1), 1 << (width - 1)) } else { (0, 1i64 << width) };
    if number < least || number >= end {
        let message = format!("{}: {number} is out of range {least}..={}", field.name, end - 1);
        return Err(de::Error::custom(message));
    }
    Ok(i128::from(number) as u128)
}

/// Serializes a packed word as a map.
pub fn serialize<T: Layout, S: Serializer>(
    bytes: &[u8],
    implied: Implied,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let bits = bytes.iter().rev().fold(0, |word, byte| word << 8 | u128::from(*byte));
    Word { bits, fields: Fields::of::<T>(implied) }.serialize(serializer)
}

/// Reads the bytes of a packed word from a map.
pub fn deserialize<'de, T: Layout, const N: usize, D: Deserializer<'de>>(
    implied: Implied,
    deserializer: D,
) -> Result<[u8; N], D::Error> {
    let word = Fields::of::<T>(implied).deserialize(deserializer)?.to_le_bytes();
    let mut bytes = [0; N];
    bytes.copy_from_slice(&word[..N]);
    Ok(bytes)
}
