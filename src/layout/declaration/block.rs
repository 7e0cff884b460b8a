//! Byte fields that hold another structure: their packing and checksums.

use super::Type;
use crate::layout::expr::{Expr, Value};

/// The content of a byte field: another structure, possibly compressed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Block {
    /// How the bytes are packed.
    pub packing: Packing,
    /// The value that selects the encoding of a [`Packing::Coded`], or the packing of a [`Packing::Chosen`].
    pub encoding: Option<Expr>,
    /// The unpacked size in bytes, if the file stores it.
    pub size: Option<Expr>,
    /// The type of the content.
    pub content: Type,
    /// Arguments for the imports of the content.
    pub arguments: &'static [Expr],
    /// Whether paths treat the content's fields as fields of the containing struct.
    pub inline: bool,
}

/// The checksum of a field's stored bytes, or of several fields of a struct. The last of them declares it.
///
/// [`check_bytes`](crate::layout::check_bytes) verifies it, unless the rule of the field that stores it is enforced by
/// code. The [assembler](crate::layout::assemble) computes it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Checksum {
    /// The field that stores the checksum: an earlier field, or a later field of the same struct.
    pub stored: Expr,
    /// The checksum function.
    pub function: ChecksumFunction,
    /// The further arguments of the function, after the bytes.
    pub arguments: &'static [Expr],
    /// The first field covered, or `self` for the start of the struct; `None` if only the declaring field is
    /// covered.
    pub from: Option<&'static str>,
    /// The stored number for "no checksum".
    pub none: Option<i128>,
}

/// A checksum function.
#[derive(Debug, Clone, Copy)]
pub struct ChecksumFunction {
    /// The usual name.
    pub name: &'static str,
    /// Computes the checksum of bytes, given the values of the [arguments](Checksum::arguments).
    pub compute: fn(&[u8], &[Value]) -> u64,
}

impl PartialEq for ChecksumFunction {
    fn eq(&self, other: &ChecksumFunction) -> bool {
        self.name == other.name
    }
}

/// The packing of a [`Block`].
#[derive(Debug, Clone, Copy)]
pub enum Packing {
    /// Uncompressed.
    Stored,
    /// One raw LZ4 block.
    Lz4,
    /// Zstandard frames without magic bytes.
    Zstd,
    /// Values in a format-specific encoding, small enough to decode at once.
    Coded {
        /// The name of the encoding.
        name: &'static str,
        /// Decodes to plain fields. The [value](Block::encoding) selects among several encodings.
        decode: Recode,
        /// Encodes plain fields in the same encoding.
        encode: Recode,
    },
    /// A packing selected by the [value](Block::encoding).
    Chosen(&'static [(i128, Packing)]),
}

/// Converts an encoded block to plain fields or back; an error is the reason as text.
pub type Recode = fn(&[u8], Option<Value>) -> Result<Vec<u8>, String>;

impl PartialEq for Packing {
    fn eq(&self, other: &Packing) -> bool {
        match (self, other) {
            (Packing::Chosen(own), Packing::Chosen(other)) => own == other,
            _ => self.name() == other.name(),
        }
    }
}

impl Eq for Packing {}

impl Packing {
    /// The usual name of the packing.
    pub const fn name(self) -> &'static str {
        match self {
            Packing::Stored => "stored",
            Packing::Lz4 => "lz4",
            Packing::Zstd => "zstd",
            Packing::Coded { name, .. } => name,
            Packing::Chosen(_) => "chosen",
        }
    }
}
