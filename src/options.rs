//! Options for reading and writing.

use std::fmt;

use crate::layout::expr::Value;
use crate::{Limits, Severity};

/// Determines which violations reading and writing reject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strictness {
    /// Rejects errors and fatal errors; accepts warnings. The default.
    #[default]
    Strict,
    /// Accepts all data that can be decoded unambiguously; `check` reports the violations.
    Lenient,
}

impl Strictness {
    /// The lowest severity that is rejected.
    pub fn threshold(self) -> Severity {
        match self {
            Strictness::Strict => Severity::Error,
            Strictness::Lenient => Severity::Fatal,
        }
    }
}

/// The layout that the specification of a format defines, or a deviating layout that existing files have.
/// [`About`](crate::About::dialects) lists the dialects of a format.
///
/// ```
/// # #[cfg(feature = "mesh")] {
/// use meshspec::{Dialect, mesh};
///
/// let dialect = mesh::FORMAT.about().dialect("renderlib")?;
/// assert_eq!((dialect, dialect.number()), (Dialect::RENDERLIB, 1));
/// let (document, losses) = meshspec::open("samples/mesh/tentacle.mesh")?.into_dialect(dialect)?;
/// assert_eq!((document.dialect(), losses.len()), (dialect, 3));
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Dialect {
    name: &'static str,
    number: u8,
}

impl Dialect {
    /// The specification's layout.
    pub const SPEC: Dialect = Dialect::new("spec", 0);

    /// Creates a dialect from its name on the command line and the number passed to the declaration's import, such as a
    /// version.
    pub const fn new(name: &'static str, number: u8) -> Dialect {
        Dialect { name, number }
    }

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// The number passed to the declaration's import.
    pub const fn number(self) -> u8 {
        self.number
    }
}

impl Default for Dialect {
    /// The specification's layout.
    fn default() -> Dialect {
        Dialect::SPEC
    }
}

/// Converts a dialect to the value of a declaration's import.
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

/// Serialises a dialect as its name.
#[cfg(feature = "serde")]
impl serde::Serialize for Dialect {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Options for reading.
///
/// ```
/// # #[cfg(feature = "mesh")] {
/// use meshspec::{Dialect, Format, Limits, ReadOptions, mesh};
///
/// let options = ReadOptions::lenient()
///     .with_dialect(Dialect::RENDERLIB)
///     .with_limits(Limits::default().with_max_decoded(1 << 20));
/// let document = mesh::Document::read(&std::fs::read("samples/mesh/flag_renderlib.mesh")?, &options)?;
/// assert_eq!(document.dialect(), Dialect::RENDERLIB);
/// # }
/// # Ok::<(), meshspec::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ReadOptions {
    /// The violations to reject.
    pub strictness: Strictness,
    /// The dialect in which the file is read; detected if `None`.
    pub dialect: Option<Dialect>,
    /// Limits on memory and findings.
    pub limits: Limits,
    /// Whether to keep the comments of text formats, so that writing restores them at their original lines.
    pub comments: bool,
}

impl ReadOptions {
    /// Returns options that accept everything that can be decoded unambiguously.
    pub fn lenient() -> ReadOptions {
        ReadOptions {
            strictness: Strictness::Lenient,
            ..ReadOptions::default()
        }
    }

    /// Sets the violations to reject.
    pub fn with_strictness(self, strictness: Strictness) -> ReadOptions {
        ReadOptions { strictness, ..self }
    }

    /// Sets the dialect in which the file is read.
    pub fn with_dialect(self, dialect: Dialect) -> ReadOptions {
        ReadOptions {
            dialect: Some(dialect),
            ..self
        }
    }

    /// Sets whether to keep the comments of text formats.
    pub fn with_comments(self, comments: bool) -> ReadOptions {
        ReadOptions { comments, ..self }
    }

    /// Sets the limits.
    pub fn with_limits(self, limits: Limits) -> ReadOptions {
        ReadOptions { limits, ..self }
    }
}

/// Options for writing.
///
/// ```
/// # #[cfg(feature = "iyma")] {
/// use meshspec::WriteOptions;
///
/// let document = meshspec::open("samples/iyma/quads.ima")?;
/// let options = WriteOptions::default().with_compression_level(19).with_data_checksum(true);
/// let small = document.write(&options)?;
/// # assert!(!small.is_empty());
/// # }
/// # Ok::<(), meshspec::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct WriteOptions {
    /// Writing rejects a document if reading its file with this strictness would reject it.
    pub strictness: Strictness,
    /// The compression level. For IyMA, a zstd level, 3 if `None`.
    pub compression_level: Option<i32>,
    /// The number of compression threads, for IyMA with the feature `parallel`. 0 and 1 mean one thread. All larger
    /// numbers yield the same bytes, which may differ from those of one thread.
    pub threads: u32,
    /// Whether to write the data checksum, for formats in which it is optional (IyMA). If `None`, the document decides.
    pub data_checksum: Option<bool>,
    /// Whether to write comments in text formats: the comments of the document or, if they were not read, a heading for
    /// each section.
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
    /// Returns options for writing all documents that lenient reading accepts.
    pub fn lenient() -> WriteOptions {
        WriteOptions {
            strictness: Strictness::Lenient,
            ..WriteOptions::default()
        }
    }

    /// Returns options for reading with the same strictness.
    pub fn to_read_options(&self) -> ReadOptions {
        ReadOptions::default().with_strictness(self.strictness)
    }

    /// Sets the compression level.
    pub fn with_compression_level(self, level: i32) -> WriteOptions {
        WriteOptions {
            compression_level: Some(level),
            ..self
        }
    }

    /// Sets the number of threads.
    pub fn with_threads(self, threads: u32) -> WriteOptions {
        WriteOptions { threads, ..self }
    }

    /// Sets whether to write a data checksum, overriding the document.
    pub fn with_data_checksum(self, data_checksum: bool) -> WriteOptions {
        WriteOptions {
            data_checksum: Some(data_checksum),
            ..self
        }
    }

    /// Sets whether to write comments in text formats.
    pub fn with_comments(self, comments: bool) -> WriteOptions {
        WriteOptions { comments, ..self }
    }
}
