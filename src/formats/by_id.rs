//! What a format that is built in can do, chosen while the program runs.

use std::str::FromStr;

#[cfg(feature = "serde")]
use super::data;
use super::document::with_format;
use super::{About, AnyFormat, Detection, Document, Format};
use crate::layout::declaration::Type;
use crate::layout::schema::{Schema, SchemaFile};
#[cfg(feature = "scene")]
use crate::scene::{Conventions, FromScene, ToScene};
use crate::{Dialect, Error, FormatId, ReadOptions, Result};

impl From<FormatId> for AnyFormat {
    fn from(id: FormatId) -> AnyFormat {
        with_format!(id, FormatId, |D| {
            let format = AnyFormat::of::<D>().with_id(id);
            #[cfg(feature = "scene")]
            let format = format.with_scenes::<D>().with_info_of(format);
            format
        })
    }
}

impl FormatId {
    /// What there is to know about it.
    pub fn about(self) -> &'static About {
        AnyFormat::from(self).about()
    }

    /// How surely these bytes are a file of this format, and its dialect. See [`Declared::detect`](crate::Declared::detect).
    pub fn detect(self, bytes: &[u8]) -> Detection {
        AnyFormat::from(self).detect(bytes)
    }

    /// The declaration of a whole file of this dialect with these bytes. A text format has none.
    pub fn layout_of(self, bytes: &[u8], dialect: Dialect) -> Option<&'static Type> {
        AnyFormat::from(self).layout_of(bytes, dialect)
    }

    /// The declaration of the format in another language. See [`AnyFormat::schema`].
    pub fn schema(self, schema: Schema) -> Vec<SchemaFile> {
        AnyFormat::from(self).schema(schema)
    }

    /// How the format understands space, with the evidence.
    #[cfg(feature = "scene")]
    pub fn conventions(self) -> Conventions {
        with_format!(self, FormatId, |D| D::CONVENTIONS)
    }

    /// Whether programs that use files of the format need normals, so that converters generate them for scenes of other
    /// formats that have none.
    #[cfg(feature = "scene")]
    pub fn needs_normals(self) -> bool {
        with_format!(self, FormatId, |D| D::NEEDS_NORMALS)
    }

    /// Decodes a file of this format.
    ///
    /// # Errors
    ///
    /// See [`Format::read`].
    pub fn read(self, bytes: &[u8], options: &ReadOptions) -> Result<Document> {
        with_format!(self, FormatId, |D| D::read(bytes, options).map(Document::from))
    }
}

impl FromStr for FormatId {
    type Err = Error;

    fn from_str(name: &str) -> Result<FormatId> {
        FormatId::ALL.iter().find(|format| format.name() == name).copied().ok_or_else(|| {
            let names: Vec<_> = FormatId::ALL.iter().map(|format| format.name()).collect();
            Error::unsupported(format!("unknown format `{name}`: the formats are {}", names.join(", ")))
        })
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::de::DeserializeSeed<'de> for FormatId {
    type Value = Document;

    /// Decodes the data of a document that is known to be of this format. Errors say where they are in the text, which
    /// those of `Document::deserialize` cannot: it has to find the format first.
    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Document, D::Error> {
        with_format!(self, FormatId, |T| data::without_format::<T, _>(deserializer).map(Document::from))
    }
}
