//! Fields of bytes that hold another structure: how it is packed, and its checksum.

use super::Type;
use crate::layout::expr::{Expr, Value};

/// What a field of plain bytes holds: another structure, possibly compressed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Block {
    /// How the bytes are packed.
    pub packing: Packing,
    /// The value that chooses between the encodings of a [`Packing::Coded`], or between packings.
    pub encoding: Option<Expr>,
    /// Size of the content once unpacked, where the file states it.
    pub size: Option<Expr>,
    /// The content.
    pub content: Type,
    /// Values for the imports of the content.
    pub arguments: &'static [Expr],
    /// Whether the content's fields count as the containing struct's own in paths.
    pub inline: bool,
}

/// The checksum of the bytes of a field as they lie in the file, or of several fields of a struct: the last of them
/// declares it.
///
/// [`check_bytes`](crate::layout::check_bytes) verifies it, unless code enforces the rule of the field that stores it. The
/// [assembler](crate::layout::assemble) computes it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Checksum {
    /// The field that stores it: an earlier one, or a later one of the same struct.
    pub stored: Expr,
    /// The function.
    pub function: ChecksumFunction,
    /// The arguments of the function beside the bytes.
    pub arguments: &'static [Expr],
    /// The first field that it covers, `self` for the start of the struct; `None` if it covers one field.
    pub from: Option<&'static str>,
    /// The stored number that means "no checksum".
    pub none: Option<i128>,
}

/// A way to compute checksums.
#[derive(Debug, Clone, Copy)]
pub struct ChecksumFunction {
    /// The usual name.
    pub name: &'static str,
    /// The checksum of bytes, given the values of the [arguments](Checksum::arguments).
    pub compute: fn(&[u8], &[Value]) -> u64,
}

impl PartialEq for ChecksumFunction {
    fn eq(&self, other: &ChecksumFunction) -> bool {
        self.name == other.name
    }
}

/// How a [`Block`] is packed.
#[derive(Debug, Clone, Copy)]
pub enum Packing {
    /// As it is.
    Stored,
    /// One raw LZ4 block.
    Lz4,
    /// Zstandard frames without magic bytes.
    Zstd,
    /// Values that the format encodes in a way of its own, small enough to be decoded as a whole.
    Coded {
        /// The name of the encoding.
        name: &'static str,
        /// Lays the values out as plain fields. Where there are several encodings, the [value](Block::encoding)
        /// says which one it is.
        decode: Recode,
        /// Encodes plain fields, in the same encoding.
        encode: Recode,
    },
    /// One of several, by the [value](Block::encoding) that numbers them.
    Chosen(&'static [(i128, Packing)]),
}

/// The plain fields of an encoded block, or the other way round; or why there are none.
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
