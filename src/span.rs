//! Locations in a file.

use meshspec_derive::ToJson;
use std::fmt;
use std::ops::Range;

/// A location in a file, for errors and findings.
///
/// ```
/// # #[cfg(feature = "seed")] {
/// use meshspec::Span;
///
/// let report = meshspec::check(b"p 0, 0, 0\np 1, x, 0\n", meshspec::seed::FORMAT, &Default::default())?;
/// let goto = match report.findings()[0].span.as_ref().unwrap() {
///     Span::Text { line, column, .. } => format!("{line}:{column}"),
///     Span::Bytes(range) => format!("{:#x}", range.start),
///     span => span.to_string(),
/// };
/// assert_eq!(goto, "2:6");
/// # }
/// # Ok::<(), meshspec::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, ToJson)]
#[non_exhaustive]
pub enum Span {
    /// A byte range in the file.
    Bytes(Range<u64>),
    /// A byte range in the unpacked content of a block.
    Unpacked {
        /// The byte range of the packed block in the file.
        packed: Range<u64>,
        /// The byte range in its unpacked content.
        range: Range<u64>,
    },
    /// Part of a line in a text file.
    Text {
        /// The byte range in the file.
        range: Range<u64>,
        /// The line number, counted from 1.
        line: u64,
        /// The column of the first byte, in characters, counted from 1.
        column: u64,
    },
}

impl Span {
    /// The byte range: in the unpacked content for [`Span::Unpacked`], otherwise in the file.
    pub fn range(&self) -> &Range<u64> {
        match self {
            Span::Bytes(range) | Span::Unpacked { range, .. } | Span::Text { range, .. } => range,
        }
    }

    /// Returns `true` if both spans are in the file, or in the content of the same packed block.
    pub(crate) fn is_in_space_of(&self, other: &Span) -> bool {
        self.with_range(0..0) == other.with_range(0..0)
    }

    /// Returns the span of another range, in the same file or unpacked block.
    pub(crate) fn with_range(&self, range: Range<u64>) -> Span {
        match self {
            Span::Unpacked { packed, .. } => Span::Unpacked {
                packed: packed.clone(),
                range,
            },
            Span::Bytes(_) | Span::Text { .. } => Span::Bytes(range),
        }
    }

    /// The byte range in the file: the range of the packed block for [`Span::Unpacked`].
    #[cfg(feature = "proptest")]
    pub(crate) fn file_range(&self) -> &Range<u64> {
        match self {
            Span::Bytes(range)
            | Span::Text { range, .. }
            | Span::Unpacked { packed: range, .. } => range,
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
                write!(
                    f,
                    "unpacked bytes {start:#x}..{end:#x} of the block at {first:#x}..{last:#x}"
                )
            }
            Span::Bytes(_) | Span::Text { .. } => write!(f, "bytes {start:#x}..{end:#x}"),
        }
    }
}
