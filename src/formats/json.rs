//! Converts between files and the JSON of their values.

use std::marker::PhantomData;
use std::{fmt, io};

use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Serialize, de};

use super::any::JsonFunctions;
use super::{AnyFormat, Document, Format};
use crate::layout::declaration::Type;
use crate::layout::dump::{Dump, JsonHead};
use crate::layout::tree::Tree;
use crate::{Dialect, Error, ErrorKind, FormatId, Limits, ReadOptions, Result, WriteOptions};

impl AnyFormat {
    /// Replaces the JSON of values by the JSON of documents, which serde reads and writes.
    pub const fn with_json<T: Format + Serialize + DeserializeOwned>(mut self) -> AnyFormat {
        self.json = Some(JsonFunctions {
            write: file_to_json::<T>,
            read: json_to_file::<T>,
        });
        self
    }

    /// Returns `true` if files can be converted to JSON: the format has a layout, or [documents as JSON](AnyFormat::with_json).
    pub fn has_json(self) -> bool {
        self.json.is_some() || !self.about().layouts().is_empty()
    }

    /// Returns `true` if files are converted to JSON by their layout, without any loss of bytes.
    pub fn has_json_of_values(self) -> bool {
        self.json.is_none() && !self.about().layouts().is_empty()
    }

    /// Writes the values of a file as JSON, as docs/json.md describes it. Values that are computed from others are omitted.
    ///
    /// # Errors
    ///
    /// Returns an error if the file is rejected, or writing fails.
    pub fn file_to_json(
        self,
        bytes: &[u8],
        options: &ReadOptions,
        out: &mut impl io::Write,
    ) -> Result<()> {
        if let Some(json) = self.json {
            let text = (json.write)(bytes, options)?;
            return writeln!(out, "{text}").map_err(|error| self.write_error(error));
        }
        let report = self.check(bytes, options)?;
        if let Some(finding) = report.first_rejected(options.strictness) {
            return Err(Error::from_finding(ErrorKind::Malformed, finding).in_format(self.name()));
        }
        let dialect = self.dialect_of(bytes, options)?;
        let Some(layout) = self.layout_of(bytes, dialect) else {
            return Err(self.missing_error("layout for this dialect"));
        };
        let mut layouts = self.about().layouts().iter();
        let own = layouts.find(|(_, own)| std::ptr::eq(*own, layout));
        let head = JsonHead {
            format: self.name(),
            layout: own.map_or(self.name(), |(name, _)| *name),
            ..JsonHead::default()
        };
        let dump = Dump::new(layout, bytes).with_limits(&options.limits);
        match dump.write_values(&head, out) {
            Ok(None) => Ok(()),
            Ok(Some(fault)) => Err(self.about().structure(layout).to_error(&fault)),
            Err(error) => Err(self.write_error(error)),
        }
    }

    /// Reads the values of a file from JSON, and returns the file.
    ///
    /// ```
    /// # #[cfg(feature = "mesh")] {
    /// use meshspec::{AnyFormat, FormatId};
    ///
    /// let format = AnyFormat::from(FormatId::Mesh);
    /// let bytes = std::fs::read("samples/mesh/flag.mesh")?;
    /// let mut json = Vec::new();
    /// format.file_to_json(&bytes, &Default::default(), &mut json)?;
    /// assert_eq!(format.json_to_file(&json, &Default::default())?, bytes);
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the text does not contain the values of a file of the format, a value that is omitted cannot be
    /// computed, or the strictness in the options rejects the file.
    pub fn json_to_file(self, text: &[u8], options: &WriteOptions) -> Result<Vec<u8>> {
        if let Some(json) = self.json {
            return (json.read)(text, options);
        }
        let (dialect, layout) = self.layout_in_json(text)?;
        let bytes = Tree::from_json(layout, text)?.assemble_consistent(&Limits::default())?;
        let read_options = ReadOptions::default()
            .with_strictness(options.strictness)
            .with_dialect(dialect);
        let report = self.check(&bytes, &read_options)?;
        match report.first_rejected(options.strictness) {
            Some(finding) => {
                let error = Error::from_finding(ErrorKind::Inexpressible, finding);
                Err(error.in_format(self.name()))
            }
            None => Ok(bytes),
        }
    }

    /// Returns the layout that JSON names, and its dialect.
    fn layout_in_json(self, text: &[u8]) -> Result<(Dialect, &'static Type)> {
        #[derive(Deserialize)]
        struct Head {
            layout: String,
        }
        let Head { layout } = serde_json::from_slice(text).map_err(Error::malformed)?;
        self.layout_named(&layout)
            .ok_or_else(|| self.missing_error(&format!("layout `{layout}`")))
    }

    fn write_error(self, error: io::Error) -> Error {
        Error::new(ErrorKind::Io(error.kind()), error).in_format(self.name())
    }
}

impl FormatId {
    /// Reads a document from JSON, whether or not it is valid.
    ///
    /// # Errors
    ///
    /// Returns an error if the text does not contain a document, or the values of a file, of the format.
    pub fn document_from_json(self, text: &[u8]) -> Result<Document> {
        match self {
            #[cfg(feature = "seed")]
            FormatId::Seed => read_document::<crate::seed::Document>(text).map(Document::from),
            #[cfg(feature = "iyma")]
            FormatId::Iyma => read_document::<crate::iyma::Document>(text).map(Document::from),
            #[allow(unreachable_patterns, reason = "if only these formats are enabled")]
            _ => {
                let format = AnyFormat::from(self);
                let (dialect, layout) = format.layout_in_json(text)?;
                let bytes =
                    Tree::from_json(layout, text)?.assemble_consistent(&Limits::default())?;
                self.read(&bytes, &ReadOptions::lenient().with_dialect(dialect))
            }
        }
    }
}

impl Document {
    /// Writes the document as JSON: for Seed and IyMA by serde, for other formats by the layout of its file.
    ///
    /// # Errors
    ///
    /// Returns an error if the dialect cannot express the document, or writing fails.
    pub fn write_json(&self, options: &WriteOptions, out: &mut impl io::Write) -> Result<()> {
        let format = AnyFormat::from(self.format());
        let text: Option<String> = match self {
            #[cfg(feature = "seed")]
            Document::Seed(document) => Some(document_to_json(document)?),
            #[cfg(feature = "iyma")]
            Document::Iyma(document) => Some(document_to_json(document)?),
            #[allow(unreachable_patterns, reason = "if only these formats are enabled")]
            _ => None,
        };
        if let Some(text) = text {
            return writeln!(out, "{text}").map_err(|error| format.write_error(error));
        }
        let bytes = self.write(options)?;
        let options = ReadOptions::lenient().with_dialect(self.dialect());
        format.file_to_json(&bytes, &options, out)
    }
}

fn file_to_json<T: Format + Serialize>(bytes: &[u8], options: &ReadOptions) -> Result<String> {
    document_to_json(&T::read(bytes, options)?)
}

fn document_to_json<T: Format + Serialize>(document: &T) -> Result<String> {
    #[derive(Serialize)]
    struct TaggedDocument<'d, T> {
        format: &'static str,
        #[serde(flatten)]
        document: &'d T,
    }
    let tagged = TaggedDocument {
        format: T::ABOUT.name,
        document,
    };
    serde_json::to_string_pretty(&tagged)
        .map_err(|error| Error::new(ErrorKind::Inexpressible, error).in_format(T::ABOUT.name))
}

fn json_to_file<T: Format + DeserializeOwned>(
    text: &[u8],
    options: &WriteOptions,
) -> Result<Vec<u8>> {
    read_document::<T>(text)?.write(options)
}

/// Reads a document from an object, ignoring the key `format`.
fn read_document<T: Format + DeserializeOwned>(text: &[u8]) -> Result<T> {
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let document = deserializer
        .deserialize_map(DocumentVisitor(PhantomData))
        .and_then(|document| deserializer.end().map(|()| document));
    document.map_err(|error| Error::malformed(error).in_format(T::ABOUT.name))
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
