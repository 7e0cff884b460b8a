//! Packing and unpacking of streams.

use std::cell::RefCell;

use super::chunk::{AttributeFlags, Values};
use crate::bulk::{Bulk, Plain};
use crate::layout::declaration::Packing;
use crate::{Dialect, Error, Limits, Result, unpack};

/// The file that a chunk is read from.
#[derive(Debug)]
pub struct Input<'i> {
    /// The bytes of the file.
    pub bytes: &'i [u8],
    /// Limits on unpacked data.
    pub limits: Limits,
    /// The index of the chunk, for errors.
    pub chunk: usize,
    /// The values of the streams read so far: their attributes and blocks.
    pub deferred: RefCell<Vec<(AttributeFlags, Block<'i>)>>,
}

/// Packed values.
#[derive(Debug)]
pub struct Block<'b> {
    /// The compression method.
    pub packing: Packing,
    /// The packed bytes.
    pub bytes: &'b [u8],
    /// The unpacked size in bytes.
    pub size: i32,
    /// Limits on unpacked data.
    pub limits: Limits,
}

impl<'i> Input<'i> {
    /// Creates the input of the chunk at this position.
    pub fn new(bytes: &'i [u8], limits: Limits, chunk: usize) -> Input<'i> {
        Input { bytes, limits, chunk, deferred: RefCell::default() }
    }

    /// Adds a block to the deferred ones and returns an empty list for its values.
    pub fn defer(&self, attribute: AttributeFlags, dialect: Dialect, block: Block<'i>) -> Result<Values> {
        self.deferred.borrow_mut().push((attribute, block));
        Values::unpack(&Block::EMPTY, attribute, dialect)
    }

    /// Returns the LZ4 block of this field, which must unpack to `size` bytes.
    pub fn lz4(&self, data: &Bulk<'_, u8>, size: i32) -> Block<'i> {
        Block { packing: Packing::Lz4, bytes: data.bytes(self.bytes), size, limits: self.limits }
    }
}

impl Block<'_> {
    /// An empty block.
    pub const EMPTY: Block<'static> = Block {
        packing: Packing::Stored,
        bytes: &[],
        size: 0,
        limits: Limits { max_decoded: 0, max_libraries: 0, max_findings_per_rule: 0, max_triangles: 0 },
    };

    /// Unpacks the values. The walker locates any fault.
    pub fn values<T: Plain>(&self) -> Result<Vec<T>> {
        let size = u64::try_from(self.size).unwrap_or_default();
        if !size.is_multiple_of(size_of::<T>() as u64) {
            return Err(Error::malformed("the size is not a multiple of the size of a value"));
        }
        let mut values = unpack::values(self.packing, self.bytes, size, &self.limits)?;
        T::swap_on_big_endian(&mut values);
        Ok(values)
    }
}

/// A raw LZ4 block.
#[derive(Debug)]
pub struct Lz4 {
    /// The unpacked size in bytes.
    pub unpacked_size: i32,
    /// The packed bytes.
    pub bytes: Vec<u8>,
}

impl Lz4 {
    /// Compresses the content.
    pub fn pack(content: &[u8]) -> Result<Lz4> {
        let unpacked_size = i32::try_from(content.len()).map_err(|_| {
            Error::inexpressible(format!("{} bytes, but a stream has at most {}", content.len(), i32::MAX))
        })?;
        let bytes = unpack::pack((Packing::Lz4, None), content).map_err(Error::inexpressible)?;
        Ok(Lz4 { unpacked_size, bytes })
    }
}
