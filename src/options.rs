//! How to read and write.

use std::fmt;
use std::str::FromStr;

use crate::layout::expr::Value;
use crate::{Limits, Severity};

/// What reading and writing refuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strictness {
    /// Refuses everything that the specification calls an error. The default.
    #[default]
    Strict,
    /// Accepts whatever can be decoded without guessing; the violations are findings of `check`.
    Lenient,
}

impl Strictness {
    /// The lowest severity that is refused.
    pub fn threshold(self) -> Severity {
        match self {
            Strictness::Strict => Severity::Error,
            Strictness::Lenient => Severity::Fatal,
        }
    }
}

/// A layout of a format: the one of its specification, or another one that the format's own software writes. Each format
/// lists [its dialects](crate::About::dialects).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// The specification's text.
    #[default]
    Spec,
    /// MESH: header of 78 bytes with a root transform, short animation headers, no strings (M17).
    Renderlib,
    /// Crucible: tangents at bit 4, colour at 5, bone weights at 6 (C10).
    Tangent,
    /// IyMA: what the author's tool writes (I1).
    Reference,
    /// A dialect of a format that is declared elsewhere.
    Own {
        /// The name, as the command line takes it.
        name: &'static str,
        /// The number that the declaration imports, such as a version.
        number: u8,
    },
}

impl Dialect {
    /// The dialects of the formats that are built in.
    pub const ALL: &[Dialect] = &[Dialect::Spec, Dialect::Renderlib, Dialect::Tangent, Dialect::Reference];

    /// The name, as the command line takes it.
    pub const fn name(self) -> &'static str {
        match self {
            Dialect::Spec => "spec",
            Dialect::Renderlib => "renderlib",
            Dialect::Tangent => "tangent",
            Dialect::Reference => "reference",
            Dialect::Own { name, .. } => name,
        }
    }

    /// The number that declarations import.
    pub const fn number(self) -> u8 {
        match self {
            Dialect::Spec => 0,
            Dialect::Renderlib => 1,
            Dialect::Tangent => 2,
            Dialect::Reference => 3,
            Dialect::Own { number, .. } => number,
        }
    }
}

/// What the declaration of a format with dialects imports.
impl From<Dialect> for Value {
    fn from(dialect: Dialect) -> Value {
        Value::Int(dialect.number().into())
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Not the name of a dialect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownDialect(String);

impl fmt::Display for UnknownDialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = Dialect::ALL.iter().map(|dialect| dialect.name()).collect();
        write!(f, "unknown dialect `{}`; there are {}", self.0, names.join(", "))
    }
}

impl std::error::Error for UnknownDialect {}

/// Finds the dialects of the formats that are built in.
impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(name: &str) -> Result<Dialect, UnknownDialect> {
        let known = Dialect::ALL.iter().find(|dialect| dialect.name() == name);
        known.copied().ok_or_else(|| UnknownDialect(name.to_owned()))
    }
}

/// The name.
#[cfg(feature = "serde")]
impl serde::Serialize for Dialect {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Finds the dialects of the formats that are built in.
#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Dialect {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Dialect, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// How to read.
///
/// ```
/// # #[cfg(feature = "mesh")] {
/// use meshspec::{Dialect, Format, Limits, ReadOptions, mesh};
///
/// let options = ReadOptions::lenient()
///     .with_dialect(Dialect::Renderlib)
///     .with_limits(Limits::default().with_max_decoded(1 << 20));
/// let document = mesh::Document::read(&std::fs::read("samples/mesh/flag_renderlib.mesh")?, &options)?;
/// assert_eq!(document.dialect(), Dialect::Renderlib);
/// # }
/// # Ok::<(), meshspec::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ReadOptions {
    /// What to refuse.
    pub strictness: Strictness,
    /// The dialect to take the file for; detected where `None`.
    pub dialect: Option<Dialect>,
    /// What decoding may cost.
    pub limits: Limits,
    /// Whether to keep the comments of text formats, so that writing gives them back in their place.
    pub comments: bool,
}

impl ReadOptions {
    /// Options that refuse only what cannot be decoded.
    pub fn lenient() -> ReadOptions {
        ReadOptions { strictness: Strictness::Lenient, ..ReadOptions::default() }
    }

    /// These options with a dialect to take the file for.
    pub fn with_dialect(mut self, dialect: Dialect) -> ReadOptions {
        self.dialect = Some(dialect);
        self
    }

    /// These options, keeping the comments of text formats or not.
    pub fn with_comments(mut self, comments: bool) -> ReadOptions {
        self.comments = comments;
        self
    }

    /// These options with other limits.
    pub fn with_limits(mut self, limits: Limits) -> ReadOptions {
        self.limits = limits;
        self
    }
}

/// How to write.
///
/// ```
/// # #[cfg(feature = "iyma")] {
/// use meshspec::WriteOptions;
///
/// let document = meshspec::open("samples/iyma/quads.ima")?;
/// let small = document.write(&WriteOptions::default().with_compression_level(19))?;
/// # assert!(!small.is_empty());
/// # }
/// # Ok::<(), meshspec::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct WriteOptions {
    /// Whether to refuse documents that strict reading would refuse.
    pub strictness: Strictness,
    /// How much to compress, where a format has levels: those of zstd in IyMA, 3 where `None`.
    pub compression_level: Option<i32>,
    /// Threads to compress with, where a format can: IyMA with the feature `parallel`. 0 and 1 are one thread, whose
    /// bytes are another encoding of the same content than those of several; how many these are makes no difference.
    pub threads: u32,
    /// Whether to write a checksum of the data, where a format leaves the choice: IyMA. The document's own where `None`.
    pub data_checksum: Option<bool>,
    /// Whether to write comments where the format is text: those of the document or, if it was read without them, a
    /// heading for each part.
    pub comments: bool,
}

impl Default for WriteOptions {
    fn default() -> WriteOptions {
        WriteOptions {
            strictness: Strictness::default(),
            compression_level: None,
            threads: 0,
            data_checksum: None,
            comments: true,
        }
    }
}

impl WriteOptions {
    /// Options that write whatever the format can express.
    pub fn lenient() -> WriteOptions {
        WriteOptions { strictness: Strictness::Lenient, ..WriteOptions::default() }
    }

    /// These options with a compression level.
    pub fn with_compression_level(mut self, level: i32) -> WriteOptions {
        self.compression_level = Some(level);
        self
    }

    /// These options with several threads.
    pub fn with_threads(mut self, threads: u32) -> WriteOptions {
        self.threads = threads;
        self
    }

    /// These options, with a checksum of the data or without, whatever the document has.
    pub fn with_data_checksum(mut self, data_checksum: bool) -> WriteOptions {
        self.data_checksum = Some(data_checksum);
        self
    }

    /// These options, with comments in text formats or without.
    pub fn with_comments(mut self, comments: bool) -> WriteOptions {
        self.comments = comments;
        self
    }
}
