//! Lists of packed items of BMD as data, for JSON and its like: one entry for each item.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::forms::{Form, Packed};
use super::{Key, Rotation, Track, Triple};

impl<F: Form + Serialize> Serialize for Packed<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.packed())
    }
}

impl<'de, F: Form + Deserialize<'de>> Deserialize<'de> for Packed<F> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut list = Packed::default();
        for item in Vec::<F>::deserialize(deserializer)? {
            list.push(item).map_err(de::Error::custom)?;
        }
        Ok(list)
    }
}

/// A key without its tag, which follows from what is there.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyData {
    skip: u8,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rotation: Option<Rotation>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    translation: Option<Triple>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scale: Option<Triple>,
}

impl Serialize for Track {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.packed().map(|Key { tag, rotation, translation, scale }| KeyData {
            skip: tag.skip(),
            rotation,
            translation,
            scale,
        }))
    }
}

impl<'de> Deserialize<'de> for Track {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Track, D::Error> {
        let mut track = Track::default();
        for KeyData { skip, rotation, translation, scale } in Vec::<KeyData>::deserialize(deserializer)? {
            track.push(skip, rotation, translation, scale).map_err(de::Error::custom)?;
        }
        Ok(track)
    }
}
