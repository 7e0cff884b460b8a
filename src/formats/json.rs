//! Converts between files and JSON documents, which contain the document fields and the name of the format.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Serialize, de};

use super::any::JsonFunctions;
use super::{AnyFormat, Format};
use crate::{Error, ErrorKind, ReadOptions, Result, WriteOptions};

impl AnyFormat {
    /// Adds conversion between files and JSON documents, through serde.
    pub const fn with_json<T: Format + Serialize + DeserializeOwned>(mut self) -> AnyFormat {
        self.json = Some(JsonFunctions {
            write: file_to_json::<T>,
            read: json_to_file::<T>,
        });
        self
    }

    /// Returns `true` if the format supports JSON documents.
    pub fn has_json(self) -> bool {
        self.json.is_some()
    }

    /// Decodes a file and returns the document as JSON, with the name of the format.
    ///
    /// # Errors
    ///
    /// Returns an error if the format does not support JSON, or the file is rejected.
    pub fn file_to_json(self, bytes: &[u8], options: &ReadOptions) -> Result<String> {
        let Some(json) = self.json else {
            return Err(self.missing_error("JSON documents"));
        };
        (json.write)(bytes, options)
    }

    /// Reads a document from JSON, encodes it, and returns the bytes of the file.
    ///
    /// ```
    /// # #[cfg(feature = "mesh")] {
    /// use meshspec::{AnyFormat, FormatId};
    ///
    /// let format = AnyFormat::from(FormatId::Mesh);
    /// let bytes = std::fs::read("samples/mesh/flag.mesh")?;
    /// let json = format.file_to_json(&bytes, &Default::default())?;
    /// assert_eq!(format.json_to_file(json.as_bytes(), &Default::default())?, bytes);
    /// # }
    /// # Ok::<(), meshspec::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the format does not support JSON, the text is not a document of the format, or the document
    /// cannot be written.
    pub fn json_to_file(self, text: &[u8], options: &WriteOptions) -> Result<Vec<u8>> {
        let Some(json) = self.json else {
            return Err(self.missing_error("JSON documents"));
        };
        (json.read)(text, options)
    }
}

fn file_to_json<T: Format + Serialize>(bytes: &[u8], options: &ReadOptions) -> Result<String> {
    #[derive(Serialize)]
    struct TaggedDocument<T> {
        format: &'static str,
        #[serde(flatten)]
        document: T,
    }
    let tagged = TaggedDocument {
        format: T::ABOUT.name,
        document: T::read(bytes, options)?,
    };
    serde_json::to_string_pretty(&tagged)
        .map_err(|error| Error::new(ErrorKind::Inexpressible, error).in_format(T::ABOUT.name))
}

fn json_to_file<T: Format + DeserializeOwned>(
    text: &[u8],
    options: &WriteOptions,
) -> Result<Vec<u8>> {
    let document = read::<T, _>(&mut serde_json::Deserializer::from_slice(text));
    document
        .map_err(|error| Error::malformed(error).in_format(T::ABOUT.name))?
        .write(options)
}

/// Deserialises a document of the format `T` from an object, ignoring the key `format`.
pub(super) fn read<'de, T: Deserialize<'de>, D: Deserializer<'de>>(json: D) -> Result<T, D::Error> {
    json.deserialize_map(DocumentVisitor(PhantomData))
}

struct DocumentVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for DocumentVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a document")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(FormatKeySkipper(map)))
    }
}

/// A map access that skips the key `format`.
struct FormatKeySkipper<A>(A);

impl<'de, A: MapAccess<'de>> MapAccess<'de> for FormatKeySkipper<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        let mut key = self.0.next_key::<String>()?;
        if key.as_deref() == Some("format") {
            self.0.next_value::<IgnoredAny>()?;
            key = self.0.next_key()?;
        }
        key.map(|key| seed.deserialize(de::value::StringDeserializer::new(key)))
            .transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.0.next_value_seed(seed)
    }
}
