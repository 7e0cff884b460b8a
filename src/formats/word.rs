//! Packed words as data: their fields by name, flags as truth values. Reserved bits are only there if they are set.

use std::collections::BTreeMap;

use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serializer, de};

use crate::layout::{BitField, Layout, Shape, Type, Value};

fn fields<T: Layout>(but: &'static [&str]) -> impl Iterator<Item = &'static BitField> {
    let fields = match T::TYPE {
        Type::Declared(declaration) => match declaration.shape {
            Shape::Bits { fields, .. } => fields,
            _ => &[],
        },
        _ => &[],
    };
    fields.iter().filter(move |field| !but.contains(&field.name))
}

/// The fields of a word, but for some.
pub(super) fn serialize<T: Layout + Into<Value>, S: Serializer>(
    word: T,
    but: &'static [&str],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let Value::Bits(word, _) = word.into() else { return serializer.serialize_unit() };
    let mut map = serializer.serialize_map(None)?;
    for field in fields::<T>(but) {
        match field.bits.of(word) {
            0 if field.reserved => {}
            bits if field.flag => map.serialize_entry(field.name, &(bits != 0))?,
            bits => map.serialize_entry(field.name, &(bits as u64))?,
        }
    }
    map.end()
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Bits {
    Flag(bool),
    Number(u64),
}

/// The little-endian bytes of a word of type `T` that has these fields, and those of `base` otherwise.
pub(super) fn deserialize<'de, T: Layout, const N: usize, D: Deserializer<'de>>(
    base: [u8; N],
    but: &'static [&str],
    deserializer: D,
) -> Result<[u8; N], D::Error> {
    let mut given = BTreeMap::<String, Bits>::deserialize(deserializer)?;
    let mut word = base.iter().rev().fold(0, |word, byte| word << 8 | u128::from(*byte));
    for field in fields::<T>(but) {
        let bits = match given.remove(field.name) {
            Some(Bits::Flag(flag)) if field.flag => u128::from(flag),
            Some(Bits::Number(number)) if !field.flag => u128::from(number),
            Some(_) if field.flag => {
                return Err(de::Error::custom(format!("{} is true or false", field.name)));
            }
            Some(_) => return Err(de::Error::custom(format!("{} is a number", field.name))),
            None if field.reserved => continue,
            None => return Err(de::Error::missing_field(field.name)),
        };
        if bits != field.bits.of(bits << field.bits.offset) {
            return Err(de::Error::custom(format!("{}: more than {} bits", field.name, field.bits.width)));
        }
        word |= bits << field.bits.offset;
    }
    if let Some(unknown) = given.keys().next() {
        let known: Vec<_> = fields::<T>(but).map(|field| format!("`{}`", field.name)).collect();
        let message = format!("unknown field `{unknown}`, expected one of {}", known.join(", "));
        return Err(de::Error::custom(message));
    }
    let mut bytes = base;
    bytes.copy_from_slice(&word.to_le_bytes()[..N]);
    Ok(bytes)
}
