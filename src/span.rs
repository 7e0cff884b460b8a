//! Places in a file.

use meshspec_derive::ToJson;
use std::fmt;
use std::ops::Range;

/// A place in a file, for errors and findings.
#[derive(Debug, Clone, PartialEq, Eq, ToJson)]
#[non_exhaustive]
pub enum Span {
    /// Bytes of the file.
    Bytes(Range<u64>),
    /// Bytes of the unpacked content of a block.
    Unpacked {
        /// Where the packed block lies in the file.
        packed: Range<u64>,
        /// The bytes in its unpacked content.
        range: Range<u64>,
    },
    /// Part of a line of a text file.
    Text {
        /// The bytes of the file.
        range: Range<u64>,
        /// The line, counted from 1.
        line: u64,
        /// The column of the first byte, in characters, counted from 1.
        column: u64,
    },
}

impl Span {
    /// The bytes, in the space that they are counted in.
    pub fn range(&self) -> &Range<u64> {
        match self {
            Span::Bytes(range) | Span::Unpacked { range, .. } | Span::Text { range, .. } => range,
        }
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Span::Text { line, column, .. } = self {
            return write!(f, "line {line}, column {column}");
        }
        let Range { start, end } = self.range();
        match self {
            Span::Unpacked { packed, .. } => {
                let (first, last) = (packed.start, packed.end);
                write!(f, "unpacked bytes {start:#x}..{end:#x} of the block at {first:#x}..{last:#x}")
            }
            Span::Bytes(_) | Span::Text { .. } => write!(f, "bytes {start:#x}..{end:#x}"),
        }
    }
}
