//! The formats, one folder each, and what they have in common.

mod about;
#[cfg(feature = "bmd")]
pub mod bmd;
#[cfg(feature = "crucible")]
pub mod crucible;
#[cfg(feature = "serde")]
mod data;
mod detect;
#[cfg(feature = "iyma")]
pub mod iyma;
#[cfg(any(feature = "mesh", feature = "crucible", feature = "iyma", feature = "bmd"))]
mod locate;
#[cfg(feature = "mesh")]
pub mod mesh;
mod refuse;
#[cfg(feature = "seed")]
pub mod seed;

pub use about::About;
pub use detect::{Likelihood, detect};
#[cfg(any(feature = "mesh", feature = "crucible", feature = "iyma", feature = "bmd"))]
use locate::locate;
#[allow(unused_imports, reason = "each format refuses, and there may be no format")]
use refuse::refuse;

use std::fmt;
use std::ops::ControlFlow;
use std::path::Path;
use std::str::FromStr;

use crate::info::Info;
use crate::layout::{Grammar, Schema, SchemaFile, Type, walk};
use crate::lines::Line;
#[cfg(feature = "scene")]
use crate::scene::{Conventions, Scene, SceneOptions};
use crate::{Dialect, Error, ErrorKind, Loss, ReadOptions, Report, Result, Strictness, WriteOptions};

/// What every format's document can do.
pub trait Format: Sized {
    /// Name, extensions, dialects, rules, layouts.
    const ABOUT: &'static About;

    /// The declaration of a text format; `None` for a format of bytes, which has layouts.
    const GRAMMAR: Option<&'static Grammar> = None;

    /// How likely these bytes are a file of this format, judged by magic bytes and structure.
    fn detect(bytes: &[u8]) -> Likelihood;

    /// Decodes a file.
    ///
    /// # Errors
    ///
    /// The first thing that the strictness of the options does not accept, with its place.
    fn read(bytes: &[u8], options: &ReadOptions) -> Result<Self>;

    /// Encodes the document in its own dialect. The same document gives the same bytes on every machine.
    ///
    /// # Errors
    ///
    /// What the format or the dialect cannot express, or what strict reading would refuse.
    fn write(&self, options: &WriteOptions) -> Result<Vec<u8>>;

    /// Adds every breach of the format's rules to `report`.
    fn check_into(&self, report: &mut Report);

    /// Every breach of the format's rules.
    fn check(&self) -> Report {
        let mut report = Report::default();
        self.check_into(&mut report);
        report
    }

    /// The dialect that [`write`](Format::write) uses.
    fn dialect(&self) -> Dialect;

    /// The same content in another dialect, with a list of what that dialect cannot hold.
    ///
    /// # Errors
    ///
    /// If the format does not have the dialect.
    fn into_dialect(self, dialect: Dialect) -> Result<(Self, Vec<Loss>)>;

    /// Counts, attributes, bounds: what a person wants to know first.
    fn info(&self) -> Info;

    /// The declaration of the file as a whole that these bytes follow; `None` for a text format.
    fn layout_of(bytes: &[u8], dialect: Option<Dialect>) -> Option<&'static Type>;

    /// Everything that is wrong with a file, each finding with its place. See [`check`](crate::check).
    ///
    /// # Errors
    ///
    /// If decoding would take more than the limits allow or the dialect is not one of the format's.
    fn check_file(bytes: &[u8], options: &ReadOptions) -> Result<Report> {
        let mut report = Report::new(&options.limits);
        let lenient = ReadOptions { strictness: Strictness::Lenient, ..options.clone() };
        match Self::read(bytes, &lenient) {
            Ok(document) => document.check_into(&mut report),
            Err(error) => match error.rule() {
                Some(rule) => {
                    Self::check_undecoded(bytes, options, &mut report);
                    report.add_refusal(rule, &error);
                }
                None => return Err(error),
            },
        }
        if let Some(layout) = Self::layout_of(bytes, options.dialect) {
            report.locate(|path| walk::find(layout, bytes, path, &options.limits));
        }
        Ok(report)
    }

    /// Adds what is wrong with a file that cannot be decoded besides the reason for that: wrong checksums may be why.
    fn check_undecoded(bytes: &[u8], options: &ReadOptions, report: &mut Report) {
        let _ = (bytes, options, report);
    }

    /// Hands each line of a text file to `each`, with what it means, until that breaks off. A format of bytes has none.
    fn lines(bytes: &[u8], each: &mut dyn FnMut(&Line) -> ControlFlow<()>) {
        let _ = (bytes, each);
    }

    /// What keeps a text file from being decoded although each of its lines can be.
    fn check_lines(bytes: &[u8]) -> Report {
        let _ = bytes;
        Report::default()
    }
}

macro_rules! formats {
    ($($(#[$doc:meta])* $variant:ident $module:ident $feature:literal,)*) => {
        /// One of the formats that are built in.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
        #[non_exhaustive]
        pub enum FormatId {
            $($(#[$doc])* #[cfg(feature = $feature)] $variant,)*
        }

        #[allow(unused_variables, reason = "without any format there is nothing to hand them to")]
        impl FormatId {
            /// The formats that are built in.
            pub const ALL: &[FormatId] = &[$(#[cfg(feature = $feature)] FormatId::$variant,)*];

            /// What there is to know about it.
            pub fn about(self) -> &'static About {
                match self {
                    $(#[cfg(feature = $feature)] FormatId::$variant => $module::Document::ABOUT,)*
                }
            }

            /// The name, as the command line takes it.
            pub fn name(self) -> &'static str {
                match self {
                    $(#[cfg(feature = $feature)] FormatId::$variant => stringify!($module),)*
                }
            }

            /// How the format understands space, with the evidence.
            #[cfg(feature = "scene")]
            pub fn conventions(self) -> Conventions {
                match self {
                    $(#[cfg(feature = $feature)] FormatId::$variant => <$module::Document as crate::scene::FromScene>::CONVENTIONS,)*
                }
            }

            /// How likely these bytes are a file of this format.
            pub fn likelihood(self, bytes: &[u8]) -> Likelihood {
                match self {
                    $(#[cfg(feature = $feature)] FormatId::$variant => $module::Document::detect(bytes),)*
                }
            }

            /// The declaration of a text format; `None` for a format of bytes, which has layouts.
            pub fn grammar(self) -> Option<&'static Grammar> {
                match self {
                    $(#[cfg(feature = $feature)] FormatId::$variant => $module::Document::GRAMMAR,)*
                }
            }

            /// Hands each line of a text file to `each`, with what it means, until that breaks off. A format of bytes
            /// has none.
            pub fn lines(self, bytes: &[u8], each: &mut dyn FnMut(&Line) -> ControlFlow<()>) {
                match self {
                    $(#[cfg(feature = $feature)] FormatId::$variant => $module::Document::lines(bytes, each),)*
                }
            }

            /// What keeps a text file from being decoded although each of its lines can be: what [`lines`](Self::lines)
            /// does not say.
            pub fn check_lines(self, bytes: &[u8]) -> Report {
                match self {
                    $(#[cfg(feature = $feature)] FormatId::$variant => $module::Document::check_lines(bytes),)*
                }
            }

            /// The declaration of the file as a whole that these bytes follow; the dialect is detected where `None`.
            /// A text format has none.
            pub fn layout_of(self, bytes: &[u8], dialect: Option<Dialect>) -> Option<&'static Type> {
                match self {
                    $(#[cfg(feature = $feature)] FormatId::$variant => $module::Document::layout_of(bytes, dialect),)*
                }
            }

            fn check_file(self, bytes: &[u8], options: &ReadOptions) -> Result<Report> {
                match self {
                    $(#[cfg(feature = $feature)] FormatId::$variant => $module::Document::check_file(bytes, options),)*
                }
            }

            /// Decodes a file of this format.
            ///
            /// # Errors
            ///
            /// See [`Format::read`].
            pub fn read(self, bytes: &[u8], options: &ReadOptions) -> Result<Document> {
                match self {
                    $(#[cfg(feature = $feature)] FormatId::$variant => {
                        $module::Document::read(bytes, options).map(Document::$variant)
                    })*
                }
            }
        }

        #[cfg(feature = "serde")]
        impl<'de> serde::de::DeserializeSeed<'de> for FormatId {
            type Value = Document;

            /// Decodes the data of a document that is known to be of this format. Errors say where they are in the
            /// text, which those of `Document::deserialize` cannot: it has to find the format first.
            fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Document, D::Error> {
                match self {
                    $(#[cfg(feature = $feature)] FormatId::$variant => {
                        data::without_format(deserializer).map(Document::$variant)
                    })*
                }
            }
        }

        /// A file of any of the formats, decoded without loss.
        #[derive(Debug, Clone, PartialEq)]
        #[cfg_attr(
            feature = "serde",
            derive(serde::Serialize, serde::Deserialize),
            serde(tag = "format", rename_all = "snake_case")
        )]
        #[non_exhaustive]
        pub enum Document {
            $($(#[$doc])* #[cfg(feature = $feature)] $variant($module::Document),)*
        }

        #[allow(unused_variables, reason = "without any format there is nothing to hand them to")]
        impl Document {
            /// The format of the document.
            pub fn format(&self) -> FormatId {
                match *self {
                    $(#[cfg(feature = $feature)] Document::$variant(_) => FormatId::$variant,)*
                }
            }

            /// The dialect that [`write`](Document::write) uses.
            pub fn dialect(&self) -> Dialect {
                match *self {
                    $(#[cfg(feature = $feature)] Document::$variant(ref document) => document.dialect(),)*
                }
            }

            /// Encodes the document in its own dialect.
            ///
            /// # Errors
            ///
            /// See [`Format::write`].
            pub fn write(&self, options: &WriteOptions) -> Result<Vec<u8>> {
                match *self {
                    $(#[cfg(feature = $feature)] Document::$variant(ref document) => document.write(options),)*
                }
            }

            /// Adds every breach of the format's rules to `report`.
            pub fn check_into(&self, report: &mut Report) {
                match *self {
                    $(#[cfg(feature = $feature)] Document::$variant(ref document) => document.check_into(report),)*
                }
            }

            /// The same content in another dialect, with a list of what that dialect cannot hold.
            ///
            /// # Errors
            ///
            /// If the format does not have the dialect.
            pub fn into_dialect(self, dialect: Dialect) -> Result<(Document, Vec<Loss>)> {
                match self {
                    $(#[cfg(feature = $feature)] Document::$variant(document) => {
                        let (document, losses) = document.into_dialect(dialect)?;
                        Ok((Document::$variant(document), losses))
                    })*
                }
            }

            /// The content as a [scene](crate::scene), with a list of what a scene cannot hold.
            ///
            /// # Errors
            ///
            /// If the parts of the document do not fit each other, as in a file that was read leniently.
            #[cfg(feature = "scene")]
            pub fn into_scene(self, options: &SceneOptions) -> Result<(Scene, Vec<Loss>)> {
                match self {
                    $(#[cfg(feature = $feature)] Document::$variant(document) => {
                        let (scene, losses) = crate::scene::FromScene::into_scene(document, options)?;
                        scene.check().map_err(|error| error.in_format(FormatId::$variant))?;
                        Ok((scene, losses))
                    })*
                }
            }

            /// A document of this format with the content of the scene, with a list of what the format cannot hold.
            ///
            /// # Errors
            ///
            /// If the parts of the scene do not fit each other, or the format cannot express it at all.
            #[cfg(feature = "scene")]
            pub fn from_scene(format: FormatId, scene: Scene, options: &SceneOptions) -> Result<(Document, Vec<Loss>)> {
                scene.check()?;
                match format {
                    $(#[cfg(feature = $feature)] FormatId::$variant => {
                        let (document, losses) = crate::scene::FromScene::from_scene(scene, options)?;
                        Ok((Document::$variant(document), losses))
                    })*
                }
            }

            /// Counts, attributes, bounds: what a person wants to know first.
            pub fn info(&self) -> Info {
                match *self {
                    $(#[cfg(feature = $feature)] Document::$variant(ref document) => document.info(),)*
                }
            }
        }
    };
}

formats! {
    /// MESH 1.0.
    Mesh mesh "mesh",
    /// Crucible mesh chunks.
    Crucible crucible "crucible",
    /// IyMA.
    Iyma iyma "iyma",
    /// Seed.
    Seed seed "seed",
    /// BMD images.
    Bmd bmd "bmd",
}

impl FormatId {
    /// The declaration of the format in another language: tables, parser definitions, a C header. Only Markdown and
    /// JSON can express that of a text format.
    pub fn schema(self, schema: Schema) -> Vec<SchemaFile> {
        let about = self.about();
        match self.grammar() {
            Some(grammar) => grammar.print(schema, self.name(), about.title),
            None => schema.print(self.name(), about.title, about.layouts),
        }
    }
}

impl Document {
    /// Every breach of the format's rules.
    pub fn check(&self) -> Report {
        let mut report = Report::default();
        self.check_into(&mut report);
        report
    }
}

impl fmt::Display for FormatId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for FormatId {
    type Err = Error;

    fn from_str(name: &str) -> Result<FormatId> {
        FormatId::ALL.iter().find(|format| format.name() == name).copied().ok_or_else(|| {
            let names: Vec<_> = FormatId::ALL.iter().map(|format| format.name()).collect();
            let message = format!("unknown format `{name}`; there are {}", names.join(", "));
            Error::new(ErrorKind::Unsupported, message)
        })
    }
}

/// Reads a file of whatever format it is.
///
/// # Errors
///
/// If the bytes are of no format that is built in, or break its rules.
pub fn read(bytes: &[u8], options: &ReadOptions) -> Result<Document> {
    detect(bytes, None)?.read(bytes, options)
}

/// Reads the file at `path`, strictly. Its extension only counts where the bytes leave several formats possible.
///
/// ```no_run
/// let document = meshspec::open("cube.cmodel")?;
/// println!("{}", document.format());
/// # Ok::<(), meshspec::Error>(())
/// ```
///
/// # Errors
///
/// If the file cannot be read, is of no format that is built in, or breaks its format's rules.
pub fn open(path: impl AsRef<Path>) -> Result<Document> {
    let path = path.as_ref();
    let bytes = std::fs::read(path)?;
    detect(&bytes, Some(path))?.read(&bytes, &ReadOptions::default())
}

/// Everything that is wrong with a file of this format, each finding with its place.
///
/// Of a file that cannot be decoded, the last finding says why; before it stand those that do not need it decoded.
///
/// # Errors
///
/// If decoding would take more than the limits allow or the dialect is not one of the format's.
pub fn check(bytes: &[u8], format: FormatId, options: &ReadOptions) -> Result<Report> {
    format.check_file(bytes, options)
}
