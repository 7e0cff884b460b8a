//! Access to one attribute of interleaved records.

use super::{PlainData, to_value};

/// One attribute of interleaved records: a value of type `T` at the same offset in each record.
///
/// ```
/// use meshspec::bulk::Column;
///
/// // Two vertices of 4 bytes, each with a 16-bit id at offset 2.
/// let ids = Column::<u16>::new(&[0, 0, 7, 0, 0, 0, 8, 1], 4, 2).unwrap();
/// assert_eq!(ids.to_vec(), [7, 264]);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Column<'a, T> {
    /// The bytes from the first value to the end of the records.
    bytes: &'a [u8],
    stride: usize,
    len: usize,
    value: std::marker::PhantomData<T>,
}

impl<T> Default for Column<'_, T> {
    /// Returns an empty column.
    fn default() -> Self {
        Column {
            bytes: &[],
            stride: 1,
            len: 0,
            value: std::marker::PhantomData,
        }
    }
}

impl<'a, T: PlainData> Column<'a, T> {
    /// Returns the values at `offset` in each record of `stride` bytes; `None` if a value would exceed the record.
    pub fn new(records: &'a [u8], stride: usize, offset: usize) -> Option<Self> {
        if offset.checked_add(size_of::<T>())? > stride {
            return None;
        }
        let len = records.len() / stride;
        let bytes = records.get(offset..).unwrap_or_default();
        Some(Column {
            bytes,
            stride,
            len,
            value: std::marker::PhantomData,
        })
    }

    /// Returns the number of values.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns `true` if the column is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the value of record `index`; `None` if out of range.
    pub fn get(&self, index: usize) -> Option<T> {
        if index >= self.len {
            return None;
        }
        let start = index * self.stride;
        self.bytes.get(start..start + size_of::<T>()).map(to_value)
    }

    /// Returns the values in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = T> + Clone + use<'a, T> {
        self.bytes
            .chunks(self.stride)
            .take(self.len)
            .map(|record| to_value(&record[..size_of::<T>()]))
    }

    /// Copies the values to a list.
    pub fn to_vec(&self) -> Vec<T> {
        self.iter().collect()
    }
}

/// Writes the values to the records of `stride` bytes, one value per record, at `offset`.
#[cfg(feature = "mesh")]
pub(crate) fn write_column<T: PlainData>(
    values: &[T],
    records: &mut [u8],
    stride: usize,
    offset: usize,
) {
    for (value, record) in values.iter().zip(records.chunks_exact_mut(stride)) {
        record[offset..offset + size_of::<T>()].copy_from_slice(&super::as_bytes(&[*value]));
    }
}
