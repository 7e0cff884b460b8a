//! Compresses and decompresses streams.

use std::cell::RefCell;

use crate::bulk::{Bulk, PlainData};
use crate::layout::declaration::Packing;
use crate::{Error, Limits, Result, unpack};

/// The input from which a chunk is read.
#[derive(Debug)]
pub struct ChunkInput<'i> {
    /// The bytes of the file or, in a container, of the chunk.
    pub bytes: &'i [u8],
    /// Limits on decompressed data.
    pub limits: Limits,
    /// The index of the chunk, for error paths.
    pub chunk: usize,
    /// The compressed values of each stream read so far.
    pub deferred: RefCell<Vec<CompressedBlock<'i>>>,
}

/// Compressed values.
#[derive(Debug)]
pub struct CompressedBlock<'b> {
    /// The compression method.
    pub packing: Packing,
    /// The compressed bytes.
    pub bytes: &'b [u8],
    /// The uncompressed size in bytes.
    pub size: i32,
    /// Limits on decompressed data.
    pub limits: Limits,
}

impl<'i> ChunkInput<'i> {
    /// Creates the input of the chunk with index `chunk`.
    pub fn new(bytes: &'i [u8], limits: Limits, chunk: usize) -> ChunkInput<'i> {
        ChunkInput {
            bytes,
            limits,
            chunk,
            deferred: RefCell::default(),
        }
    }

    /// Returns `data` as an LZ4 block that must decompress to `size` bytes.
    pub fn lz4_block(&self, data: &Bulk<'_, u8>, size: i32) -> CompressedBlock<'i> {
        CompressedBlock {
            packing: Packing::Lz4,
            bytes: data.bytes(self.bytes),
            size,
            limits: self.limits,
        }
    }
}

impl CompressedBlock<'_> {
    /// Decompresses the values. Errors have no path; the walker locates the fault.
    pub fn values<T: PlainData>(&self) -> Result<Vec<T>> {
        let size = u64::try_from(self.size).unwrap_or_default();
        if !size.is_multiple_of(size_of::<T>() as u64) {
            return Err(Error::malformed(
                "the size is not a multiple of the size of a value",
            ));
        }
        let mut values = unpack::unpack_values(self.packing, self.bytes, size, &self.limits)?;
        T::swap_on_big_endian(&mut values);
        Ok(values)
    }
}

/// A raw LZ4 block.
#[derive(Debug)]
pub struct Lz4Block {
    /// The uncompressed size in bytes.
    pub uncompressed_size: i32,
    /// The compressed bytes.
    pub bytes: Vec<u8>,
}

impl Lz4Block {
    /// Compresses the content.
    pub fn compress(content: &[u8]) -> Result<Lz4Block> {
        let uncompressed_size = i32::try_from(content.len()).map_err(|_| {
            Error::inexpressible(format!(
                "{} bytes, but a stream has at most {}",
                content.len(),
                i32::MAX
            ))
        })?;
        let bytes =
            unpack::pack((Packing::Lz4, None), content, None).map_err(Error::inexpressible)?;
        Ok(Lz4Block {
            uncompressed_size,
            bytes,
        })
    }
}
