//! Address spaces.

use std::cell;
use std::ops::Range;

use crate::Span;

/// An address space: the file, or the unpacked content of a block.
pub(super) struct Space<'b> {
    pub bytes: &'b [u8],
    /// The offset of the bytes in the file or in the unpacked content.
    pub start: u64,
    /// For unpacked content, the range of the packed bytes in the file.
    pub packed: Option<Range<u64>>,
    /// The largest end of a field with an explicit offset.
    pub max_end: cell::Cell<u64>,
}

impl<'b> Space<'b> {
    pub fn of(bytes: &'b [u8]) -> Space<'b> {
        Space {
            bytes,
            start: 0,
            packed: None,
            max_end: cell::Cell::new(0),
        }
    }

    /// Creates the space of bytes at a span.
    pub fn at(bytes: &'b [u8], span: &Span) -> Space<'b> {
        let packed = match span {
            Span::Unpacked { packed, .. } => Some(packed.clone()),
            Span::Bytes(_) | Span::Text { .. } => None,
        };
        Space {
            start: span.range().start,
            packed,
            ..Space::of(bytes)
        }
    }

    /// Returns the range of trailing bytes, given the end of the fields without explicit offsets.
    pub fn trailing_range(&self, end: u64) -> Range<u64> {
        end.max(self.max_end.get())..self.len()
    }

    pub fn span(&self, range: Range<u64>) -> Span {
        let range = self.start + range.start..self.start + range.end;
        match &self.packed {
            None => Span::Bytes(range),
            Some(packed) => Span::Unpacked {
                packed: packed.clone(),
                range,
            },
        }
    }

    /// Returns the bytes that start at `at`; none after the end.
    pub fn bytes_from(&self, at: u64) -> &'b [u8] {
        self.bytes.get(at as usize..).unwrap_or_default()
    }

    pub fn len(&self) -> u64 {
        self.bytes.len() as u64
    }
}
