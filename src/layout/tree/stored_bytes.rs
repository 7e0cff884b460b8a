//! Bytes that a tree borrows from a file, or shares between its values.

use std::ops::Range;
use std::sync::Arc;

/// A part of a file, or of the unpacked content of a block.
#[derive(Debug, Clone)]
pub(in crate::layout) enum StoredBytes<'b> {
    Borrowed(&'b [u8]),
    Shared(Arc<[u8]>, Range<usize>),
}

impl From<Vec<u8>> for StoredBytes<'_> {
    fn from(bytes: Vec<u8>) -> Self {
        let range = 0..bytes.len();
        StoredBytes::Shared(bytes.into(), range)
    }
}

impl<'b> StoredBytes<'b> {
    /// Copies bytes.
    pub fn copied(bytes: &[u8]) -> StoredBytes<'b> {
        StoredBytes::Shared(bytes.into(), 0..bytes.len())
    }

    pub fn as_slice(&self) -> &[u8] {
        match self {
            StoredBytes::Borrowed(bytes) => bytes,
            StoredBytes::Shared(bytes, range) => bytes.get(range.clone()).unwrap_or_default(),
        }
    }

    /// Returns a part of the bytes, without a copy; `None` if the range is not inside.
    pub fn slice(&self, range: Range<usize>) -> Option<StoredBytes<'b>> {
        match self {
            StoredBytes::Borrowed(bytes) => bytes.get(range).map(StoredBytes::Borrowed),
            StoredBytes::Shared(bytes, own) => {
                let range =
                    own.start.checked_add(range.start)?..own.start.checked_add(range.end)?;
                let is_inside = range.start <= range.end && range.end <= own.end;
                is_inside.then(|| StoredBytes::Shared(Arc::clone(bytes), range))
            }
        }
    }
}
