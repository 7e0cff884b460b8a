//! Packing and unpacking of streams.

use crate::bulk::{Bulk, Plain};
use crate::layout::declaration::Packing;
use crate::{Error, Limits, Result, unpack};

/// The file that chunks are read from.
#[derive(Debug, Clone, Copy)]
pub struct Input<'i> {
    /// The bytes that are read.
    pub bytes: &'i [u8],
    /// What unpacking them may take.
    pub limits: Limits,
    /// The number of the chunk, for errors.
    pub chunk: usize,
}

/// Packed values.
#[derive(Debug)]
pub struct Block<'b> {
    /// How they are packed.
    pub packing: Packing,
    /// The packed bytes.
    pub bytes: &'b [u8],
    /// Size of the values in bytes.
    pub size: i32,
    /// What unpacking them may take.
    pub limits: Limits,
}

impl<'i> Input<'i> {
    /// The LZ4 block that lies here, which states this size.
    pub fn lz4(&self, data: &Bulk<'_, u8>, size: i32) -> Block<'i> {
        Block { packing: Packing::Lz4, bytes: data.bytes(self.bytes), size, limits: self.limits }
    }
}

impl Block<'_> {
    /// No values.
    pub const EMPTY: Block<'static> = Block {
        packing: Packing::Stored,
        bytes: &[],
        size: 0,
        limits: Limits { max_decoded: 0, max_libraries: 0, max_findings_per_rule: 0, max_triangles: 0 },
    };

    /// The values. The walker finds the place of what is wrong with them.
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

/// One raw LZ4 block.
#[derive(Debug)]
pub struct Lz4 {
    /// Size of the content in bytes.
    pub unpacked_size: i32,
    /// The packed bytes.
    pub bytes: Vec<u8>,
}

impl Lz4 {
    /// Packs the content.
    pub fn pack(content: &[u8]) -> Result<Lz4> {
        let unpacked_size = i32::try_from(content.len()).map_err(|_| {
            Error::inexpressible(format!("{} bytes, but a stream has at most {}", content.len(), i32::MAX))
        })?;
        let bytes = unpack::pack((Packing::Lz4, None), content).map_err(Error::inexpressible)?;
        Ok(Lz4 { unpacked_size, bytes })
    }
}
