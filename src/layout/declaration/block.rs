//! Checksums and blocks. A block is a byte field that contains a nested structure.

use super::Type;
use crate::layout::expr::{Expr, Value};

/// The content of a byte field: a nested structure, possibly compressed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Block {
    /// How the bytes are packed.
    pub packing: Packing,
    /// The value that selects the encoding for [`Packing::Custom`], or the packing for [`Packing::Chosen`].
    pub encoding: Option<Expr>,
    /// The unpacked size in bytes, if the file stores it.
    pub size: Option<Expr>,
    /// The type of the content.
    pub content: Type,
    /// The arguments for the imports of the content.
    pub arguments: &'static [Expr],
    /// Whether the path of a field in the content omits the name of the block.
    pub inline: bool,
}

/// A checksum over the stored bytes of one or more fields in a struct. The last of these fields declares it.
///
/// [`check_bytes`](crate::layout::check_bytes) verifies the checksum, unless the rule of the field that stores it is
/// enforced in code. The [assembler](crate::layout::assemble) computes it if it is omitted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Checksum {
    /// The field that stores the checksum: an earlier field, or a later field of the same struct.
    pub stored: Expr,
    /// The checksum function.
    pub function: ChecksumFunction,
    /// The arguments of the function in addition to the bytes, such as a seed.
    pub arguments: &'static [Expr],
    /// The first covered field, or `self` for the start of the struct; `None` to cover only the declaring field.
    pub from: Option<&'static str>,
    /// The stored number that means "no checksum".
    pub none: Option<i128>,
}

/// A checksum function.
#[derive(Debug, Clone, Copy)]
pub struct ChecksumFunction {
    /// The name, such as `CRC-32`.
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
    /// One or more Zstandard frames without magic bytes.
    Zstd,
    /// A format-specific encoding. Both functions process the whole block in memory.
    Custom {
        /// The name of the encoding.
        name: &'static str,
        /// Decodes a block to its unpacked content. The second argument is the [value](Block::encoding) that selects
        /// the encoding.
        decode: RecodeFn,
        /// Encodes unpacked content in the same encoding.
        encode: RecodeFn,
    },
    /// A custom packing whose packed bytes have parts that the content does not determine, such as the comments of a text.
    Updatable {
        /// The custom packing.
        packing: &'static Packing,
        /// Changes packed bytes so that they have other content, and keeps such parts.
        update: UpdateFn,
    },
    /// The packing whose number equals the [value](Block::encoding).
    Chosen(&'static [(i128, Packing)]),
}

/// A function that decodes a block to its unpacked content, or encodes that content.
pub type RecodeFn = fn(&[u8], Option<Value>) -> Result<Vec<u8>, String>;

/// A function that returns packed bytes with new content, the first argument. The second argument is the packed bytes before
/// the change, the third the value that selects the encoding.
pub type UpdateFn = fn(&[u8], &[u8], Option<Value>) -> Result<Vec<u8>, String>;

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
    /// Returns `true` for a format-specific encoding. Expressions can refer to the content of such a block.
    pub(crate) fn is_custom(self) -> bool {
        matches!(self, Packing::Custom { .. } | Packing::Updatable { .. })
    }

    /// Returns the name in schemas, such as `lz4`.
    pub const fn name(self) -> &'static str {
        match self {
            Packing::Stored => "stored",
            Packing::Lz4 => "lz4",
            Packing::Zstd => "zstd",
            Packing::Custom { name, .. } => name,
            Packing::Updatable { packing, .. } => packing.name(),
            Packing::Chosen(_) => "chosen",
        }
    }
}
