//! Operations on built-in formats chosen at run time.

use std::str::FromStr;

use super::{About, AnyFormat, Detection, Document, Format};
use crate::layout::declaration::Type;
use crate::layout::schema::{Schema, SchemaFile};
use crate::{Dialect, Error, FormatId, ReadOptions, Result};

impl From<FormatId> for AnyFormat {
    fn from(id: FormatId) -> AnyFormat {
        with_format!(id, FormatId {}, |D| {
            let format = AnyFormat::of::<D>().with_id(id);
            #[cfg(feature = "scene")]
            let format = format.with_scenes::<D>().with_info_of(format);
            format
        })
    }
}

impl FormatId {
    /// The description of the format.
    pub fn about(self) -> &'static About {
        AnyFormat::from(self).about()
    }

    /// Rates how well `bytes` match the format, and detects the dialect. See
    /// [`Declared::detect`](crate::Declared::detect).
    pub fn detect(self, bytes: &[u8]) -> Detection {
        AnyFormat::from(self).detect(bytes)
    }

    /// Returns the layout of a file in `dialect`; `None` for a text format.
    pub fn layout_of(self, bytes: &[u8], dialect: Dialect) -> Option<&'static Type> {
        AnyFormat::from(self).layout_of(bytes, dialect)
    }

    /// Exports the declaration. See [`AnyFormat::schema`].
    pub fn schema(self, schema: Schema) -> Vec<SchemaFile> {
        AnyFormat::from(self).schema(schema)
    }

    /// Decodes a file of this format.
    ///
    /// # Errors
    ///
    /// See [`Format::read`].
    pub fn read(self, bytes: &[u8], options: &ReadOptions) -> Result<Document> {
        with_format!(self, FormatId {}, |D| D::read(bytes, options)
            .map(Document::from))
    }
}

impl FromStr for FormatId {
    type Err = Error;

    fn from_str(name: &str) -> Result<FormatId> {
        FormatId::ALL
            .iter()
            .find(|format| format.name() == name)
            .copied()
            .ok_or_else(|| {
                let names: Vec<_> = FormatId::ALL.iter().map(|format| format.name()).collect();
                Error::unsupported(format!(
                    "unknown format `{name}`: the formats are {}",
                    names.join(", ")
                ))
            })
    }
}
