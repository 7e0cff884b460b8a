//! Serialises and deserialises packed words as maps of their bit fields.

use std::fmt;

use serde::de::{self, DeserializeSeed, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserializer, Serialize, Serializer};

use crate::layout::Layout;
use crate::layout::declaration::bits::read_word_le;
use crate::layout::declaration::{BitField, Declaration};

/// The bit fields that are omitted from a serialised word if they have their default values.
#[derive(Debug, Clone, Copy, Default)]
pub struct ImpliedFields {
    /// A word with the default values.
    pub word: u128,
    /// The names of the fields that may be omitted, in addition to reserved fields.
    pub fields: &'static [&'static str],
}

/// The value and the bit fields of a packed word.
struct Word {
    bits: u128,
    fields: BitFields,
}

/// The bit fields of a packed word.
#[derive(Clone, Copy)]
struct BitFields {
    fields: &'static [BitField],
    implied: ImpliedFields,
}

impl BitFields {
    fn of<T: Layout>(implied: ImpliedFields) -> BitFields {
        BitFields {
            fields: T::TYPE
                .own_declaration()
                .map_or(&[][..], Declaration::bit_fields),
            implied,
        }
    }

    fn from_declaration(declaration: &'static Declaration) -> BitFields {
        BitFields {
            fields: declaration.bit_fields(),
            implied: ImpliedFields::default(),
        }
    }

    /// Returns `true` if the field is omitted when it has its default value.
    fn is_optional(self, field: &BitField) -> bool {
        field.reserved || self.implied.fields.contains(&field.name)
    }
}

impl Serialize for Word {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let implied = self.fields.implied.word;
        let is_written = |field: &&BitField| {
            !self.fields.is_optional(field)
                || field.bits.extract(self.bits) != field.bits.extract(implied)
        };
        let mut map = serializer.serialize_map(None)?;
        for field in self.fields.fields.iter().filter(is_written) {
            let bits = field.bits.extract(self.bits);
            match field.declared {
                Some(word) => {
                    let fields = BitFields::from_declaration(word);
                    map.serialize_entry(field.name, &Word { bits, fields })?;
                }
                None if field.flag => map.serialize_entry(field.name, &(bits != 0))?,
                // Bit fields that are numbers fit in an `i64`.
                None if field.signed => {
                    map.serialize_entry(
                        field.name,
                        &(field.bits.extract_signed(self.bits) as i64),
                    )?;
                }
                None => map.serialize_entry(field.name, &(bits as i64))?,
            }
        }
        map.end()
    }
}

impl<'de> DeserializeSeed<'de> for BitFields {
    type Value = u128;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<u128, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for BitFields {
    type Value = u128;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let names: Vec<_> = self.fields.iter().map(|field| field.name).collect();
        write!(f, "a word of {}", names.join(", "))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<u128, A::Error> {
        let mut bits = 0;
        let mut present_bits = 0;
        while let Some(name) = map.next_key::<String>()? {
            let Some(field) = self.fields.iter().find(|field| field.name == name) else {
                let expected: &dyn de::Expected = &self;
                return Err(de::Error::custom(format!(
                    "unknown field `{name}`, expected {expected}"
                )));
            };
            let mask = field.bits.mask();
            if present_bits & mask != 0 {
                return Err(de::Error::duplicate_field(field.name));
            }
            present_bits |= mask;
            bits |= (read_bits(field, &mut map)? << field.bits.offset) & mask;
        }
        for field in self.fields {
            let mask = field.bits.mask();
            match (present_bits & mask, self.is_optional(field)) {
                (0, true) => bits |= self.implied.word & mask,
                (0, false) => return Err(de::Error::missing_field(field.name)),
                _ => {}
            }
        }
        Ok(bits)
    }
}

/// Reads the value of a field. Negative numbers are sign-extended beyond the width of the field.
fn read_bits<'de, A: MapAccess<'de>>(field: &BitField, map: &mut A) -> Result<u128, A::Error> {
    if let Some(word) = field.declared {
        return map.next_value_seed(BitFields::from_declaration(word));
    }
    if field.flag {
        return map.next_value().map(|flag: bool| flag.into());
    }
    let number: i64 = map.next_value()?;
    let width = field.bits.width;
    let (least, end) = if field.signed {
        (-1 << (width - 1), 1 << (width - 1))
    } else {
        (0, 1i64 << width)
    };
    if number < least || number >= end {
        let message = format!(
            "{}: {number} is out of range {least}..={}",
            field.name,
            end - 1
        );
        return Err(de::Error::custom(message));
    }
    Ok(i128::from(number) as u128)
}

/// Serialises the little-endian bytes of a packed word as a map.
pub fn serialize<T: Layout, S: Serializer>(
    bytes: &[u8],
    implied: ImpliedFields,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    Word {
        bits: read_word_le(bytes),
        fields: BitFields::of::<T>(implied),
    }
    .serialize(serializer)
}

/// Deserialises a map to the little-endian bytes of a packed word.
pub fn deserialize<'de, T: Layout, const N: usize, D: Deserializer<'de>>(
    implied: ImpliedFields,
    deserializer: D,
) -> Result<[u8; N], D::Error> {
    let word = BitFields::of::<T>(implied)
        .deserialize(deserializer)?
        .to_le_bytes();
    Ok(std::array::from_fn(|index| word[index]))
}
