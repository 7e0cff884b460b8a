//! Serde data of documents: the fields of the format, with the format's name.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, de};

/// Deserializes a document of one format from a map, ignoring the key `format`.
pub(super) fn without_format<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    deserializer.deserialize_map(DocumentVisitor(PhantomData))
}

struct DocumentVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for DocumentVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a document")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(WithoutFormat(map)))
    }
}

/// A map access that skips the key `format`.
struct WithoutFormat<A>(A);

impl<'de, A: MapAccess<'de>> MapAccess<'de> for WithoutFormat<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        let Some(mut key) = self.0.next_key::<String>()? else { return Ok(None) };
        if key == "format" {
            self.0.next_value::<IgnoredAny>()?;
            match self.0.next_key()? {
                Some(next) => key = next,
                None => return Ok(None),
            }
        }
        seed.deserialize(de::value::StringDeserializer::new(key)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.0.next_value_seed(seed)
    }
}
