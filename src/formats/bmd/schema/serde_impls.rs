//! Serde implementations of F8A, and of packed lists and tracks with one element per item.

use meshspec_derive::Json;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::forms::Form;
use super::packed::PackedList;
use super::{F8A, Key, Rotation, Track, Triple};

/// Serialises the code as a number.
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

impl<F: Form + Serialize> Serialize for PackedList<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.packed_items())
    }
}

impl<'de, F: Form + Deserialize<'de>> Deserialize<'de> for PackedList<F> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut list = PackedList::default();
        for item in Vec::<F>::deserialize(deserializer)? {
            list.push(item).map_err(de::Error::custom)?;
        }
        Ok(list)
    }
}

/// A key in serialised data. It has no tag, because the tag is derived from the other fields.
#[derive(Json)]
struct KeyData {
    skip: u8,
    rotation: Option<Rotation>,
    translation: Option<Triple>,
    scale: Option<Triple>,
}

impl Serialize for Track {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.packed_keys().map(
            |Key {
                 tag,
                 rotation,
                 translation,
                 scale,
             }| KeyData {
                skip: tag.skip(),
                rotation,
                translation,
                scale,
            },
        ))
    }
}

impl<'de> Deserialize<'de> for Track {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Track, D::Error> {
        let mut track = Track::default();
        for KeyData {
            skip,
            rotation,
            translation,
            scale,
        } in Vec::<KeyData>::deserialize(deserializer)?
        {
            track
                .push(skip, rotation, translation, scale)
                .map_err(de::Error::custom)?;
        }
        Ok(track)
    }
}
