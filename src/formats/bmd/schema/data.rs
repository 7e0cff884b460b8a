//! Packed words of BMD as data, for JSON and its like: maps of their bit fields, by the names of the
//! declaration.

use std::fmt;

use serde::de::{self, DeserializeSeed, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{
    AnimRate, BoneTransform, ControlFlags, F8A, FineSt, Normal, PseudoTransform, Rotation, ScaledSt, Triple,
    WideSt,
};
use crate::layout::{BitField, Declaration, Shape, Type};

/// A packed word and the bit fields that it is made of.
struct Word {
    bits: u128,
    fields: Fields,
}

/// The bit fields of a kind of words.
#[derive(Clone, Copy)]
struct Fields {
    fields: &'static [BitField],
    /// A word with the tags that all of the kind have.
    implied: u128,
}

impl Fields {
    fn of(ty: Type, implied: u128) -> Fields {
        match ty {
            Type::Declared(declaration) => Fields { implied, ..Fields::declared(declaration) },
            _ => Fields { fields: &[], implied },
        }
    }

    fn declared(declaration: &'static Declaration) -> Fields {
        match declaration.shape {
            Shape::Bits { fields, .. } => Fields { fields, implied: 0 },
            _ => Fields { fields: &[], implied: 0 },
        }
    }
}

/// Whether a field is left out where it has the implied value.
fn is_optional(field: &BitField) -> bool {
    field.reserved || matches!(field.name, "tag" | "tag2")
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
        let implied = self.fields.implied;
        let shown =
            |field: &&BitField| !is_optional(field) || field.bits.of(self.bits) != field.bits.of(implied);
        serializer.collect_map(self.fields.fields.iter().filter(shown).map(|field| {
            let part = match field.declared {
                Some(word) => {
                    Part::Word(Word { bits: field.bits.of(self.bits), fields: Fields::declared(word) })
                }
                None if field.flag => Part::Flag(field.bits.of(self.bits) != 0),
                // No number has more than 32 bits.
                None if field.signed => Part::Number(field.bits.signed_of(self.bits) as i64),
                None => Part::Number(field.bits.of(self.bits) as i64),
            };
            (field.name, part)
        }))
    }
}

/// Reads a word of this kind.
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
            match (seen & mask, is_optional(field)) {
                (0, true) => bits |= self.implied & mask,
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

/// The value of a field as its bits; those above its width are a sign.
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
        let message = format!("{}: {number} is not from {least} to {}", field.name, end - 1);
        return Err(de::Error::custom(message));
    }
    Ok(i128::from(number) as u128)
}

/// A packed word as a map.
pub fn serialize<S: Serializer>(
    bytes: &[u8],
    ty: Type,
    implied: u128,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let bits = bytes.iter().rev().fold(0, |word, byte| word << 8 | u128::from(*byte));
    Word { bits, fields: Fields::of(ty, implied) }.serialize(serializer)
}

/// The bytes of the packed word that a map describes.
pub fn deserialize<'de, const N: usize, D: Deserializer<'de>>(
    ty: Type,
    implied: u128,
    deserializer: D,
) -> Result<[u8; N], D::Error> {
    let word = Fields::of(ty, implied).deserialize(deserializer)?.to_le_bytes();
    let mut bytes = [0; N];
    bytes.copy_from_slice(&word[..N]);
    Ok(bytes)
}

/// Packed words as maps; with the tags that are the same in all of their kind.
macro_rules! words {
    ($($word:ident $implied:expr;)*) => {$(
        impl serde::Serialize for $word {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let ty = <$word as crate::layout::Layout>::TYPE;
                crate::formats::bmd::schema::data::serialize(&self.into_bytes(), ty, $implied, serializer)
            }
        }

        impl<'de> serde::Deserialize<'de> for $word {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<$word, D::Error> {
                let ty = <$word as crate::layout::Layout>::TYPE;
                let bytes = crate::formats::bmd::schema::data::deserialize(ty, $implied, deserializer)?;
                Ok($word::from_bytes(bytes))
            }
        }
    )*};
}

pub(super) use words;

words! {
    Triple 0;
    Normal 0;
    Rotation 0;
    ScaledSt 0;
    FineSt 0;
    WideSt 0;
    BoneTransform 0;
    PseudoTransform 0;
    ControlFlags 0;
    AnimRate 0;
}

/// Its code.
impl Serialize for F8A {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(self.code())
    }
}

impl<'de> Deserialize<'de> for F8A {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<F8A, D::Error> {
        u8::deserialize(deserializer).map(F8A::from)
    }
}
