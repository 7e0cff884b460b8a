//! What a format can do that is chosen while the program runs.

use std::ops::ControlFlow;
use std::str::FromStr;

#[cfg(feature = "serde")]
use super::data;
use super::{About, Detection, Document, Format};
use crate::layout::{Grammar, Schema, SchemaFile, Type};
use crate::lines::Line;
#[cfg(feature = "scene")]
use crate::scene::{Conventions, FromScene};
use crate::{Dialect, Error, FormatId, ReadOptions, Report, Result};

/// The expression with the type of the format's documents under the name given.
macro_rules! with_document {
    ($id:expr, |$document:ident| $result:expr) => {
        match $id {
            #[cfg(feature = "mesh")]
            $crate::FormatId::Mesh => {
                type $document = $crate::mesh::Document;
                $result
            }
            #[cfg(feature = "crucible")]
            $crate::FormatId::Crucible => {
                type $document = $crate::crucible::Document;
                $result
            }
            #[cfg(feature = "iyma")]
            $crate::FormatId::Iyma => {
                type $document = $crate::iyma::Document;
                $result
            }
            #[cfg(feature = "seed")]
            $crate::FormatId::Seed => {
                type $document = $crate::seed::Document;
                $result
            }
            #[cfg(feature = "bmd")]
            $crate::FormatId::Bmd => {
                type $document = $crate::bmd::Document;
                $result
            }
        }
    };
}

#[cfg(feature = "scene")]
pub(super) use with_document;

impl FormatId {
    /// What there is to know about it.
    pub fn about(self) -> &'static About {
        with_document!(self, |D| D::ABOUT)
    }

    /// How the format understands space, with the evidence.
    #[cfg(feature = "scene")]
    pub fn conventions(self) -> Conventions {
        with_document!(self, |D| D::CONVENTIONS)
    }

    /// Whether programs that use files of the format need normals, so that converters generate them for scenes of other
    /// formats that have none.
    #[cfg(feature = "scene")]
    pub fn needs_normals(self) -> bool {
        with_document!(self, |D| D::NEEDS_NORMALS)
    }

    /// How surely these bytes are a file of this format, and its dialect. See [`Format::detect`].
    pub fn detect(self, bytes: &[u8]) -> Detection {
        with_document!(self, |D| D::detect(bytes))
    }

    /// The dialect to read these bytes as: that of the options or, without one, the one that is detected.
    ///
    /// # Errors
    ///
    /// If the format does not have the dialect of the options.
    pub fn dialect_of(self, bytes: &[u8], options: &ReadOptions) -> Result<Dialect> {
        with_document!(self, |D| D::dialect_of(bytes, options))
    }

    /// Decodes a file of this format.
    ///
    /// # Errors
    ///
    /// See [`Format::read`].
    pub fn read(self, bytes: &[u8], options: &ReadOptions) -> Result<Document> {
        with_document!(self, |D| D::read(bytes, options).map(Document::from))
    }

    /// Everything that is wrong with a file of this format. See [`check`](crate::check).
    pub(super) fn check_file(self, bytes: &[u8], options: &ReadOptions) -> Result<Report> {
        with_document!(self, |D| D::check_file(bytes, options))
    }

    /// The declaration of a whole file of this dialect with these bytes. A text format has none.
    pub fn layout_of(self, bytes: &[u8], dialect: Dialect) -> Option<&'static Type> {
        with_document!(self, |D| D::layout_of(bytes, dialect))
    }

    /// The declaration of a text format; `None` for a binary format, which has layouts.
    pub fn grammar(self) -> Option<&'static Grammar> {
        with_document!(self, |D| D::GRAMMAR)
    }

    /// The declaration of the format in another language: tables, parser definitions, a C header. Only Markdown and
    /// JSON can express that of a text format.
    pub fn schema(self, schema: Schema) -> Vec<SchemaFile> {
        let about = self.about();
        match self.grammar() {
            Some(grammar) => grammar.print(schema, self.name(), about.title),
            None => schema.print(self.name(), about.title, about.layouts()),
        }
    }

    /// Calls `each` with each line of a text file and its meaning, until it breaks. A binary format has none.
    pub fn lines(self, bytes: &[u8], each: &mut dyn FnMut(&Line) -> ControlFlow<()>) {
        with_document!(self, |D| D::lines(bytes, each));
    }

    /// What keeps a text file from being decoded although each of its lines can be: what [`lines`](Self::lines) does
    /// not say.
    pub fn check_lines(self, bytes: &[u8]) -> Report {
        with_document!(self, |D| D::check_lines(bytes))
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
        with_document!(self, |T| data::without_format::<T, _>(deserializer).map(Document::from))
    }
}
