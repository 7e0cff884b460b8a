//! Zstandard frames without magic bytes, as used by IyMA (I7).
//!
//! [`unpack`] checks all headers before decompression, so that wrong sizes and excessive windows are rejected cheaply.
//! If the stated size is plausible, the content is decompressed into a buffer of this size. Otherwise, the buffer grows
//! with the content.

mod chunks;
mod error;
mod inflater;
mod pack;
mod scan;

pub(crate) use chunks::Chunks;
pub(crate) use error::ZstdError;
pub(crate) use inflater::Inflater;
pub(crate) use pack::{DEFAULT_LEVEL, compression_levels, pack};

use crate::Limits;
use error::{decoder_error, excess_error, shortfall_error};
use inflater::{TRUSTED_RATIO, TRUSTED_SIZE, create_decoder};
use scan::{SizeRange, scan};

/// Unpacks frames to exactly `size` bytes.
pub(crate) fn unpack(packed: &[u8], size: u64, limits: &Limits) -> Result<Vec<u8>, ZstdError> {
    let SizeRange { min, max } = scan(packed)?;
    if size < min || size > max {
        let content = if min == max {
            format!("{min}")
        } else {
            format!("{min} to {max}")
        };
        let packed = packed.len();
        let message =
            format!("{size} bytes are declared, but {packed} packed bytes unpack to {content}");
        return Err(ZstdError::Size(message));
    }
    limits.check_decoded(size).map_err(ZstdError::Limit)?;
    if !is_plausible(size, packed.len() as u64) {
        return Inflater::new(packed).read_growing(size);
    }
    let mut content = Vec::with_capacity(size as usize);
    match create_decoder().decompress(&mut content, packed) {
        Ok(unpacked) if unpacked as u64 == size => Ok(content),
        Ok(unpacked) if unpacked as u64 > size => Err(excess_error(size)),
        Ok(unpacked) => Err(shortfall_error(unpacked as u64, size)),
        Err(code) => Err(decoder_error(code, size)),
    }
}

/// Unpacks the frames of a stream to exactly `size` bytes.
pub(crate) fn unpack_chunks(chunks: Chunks, size: u64) -> Result<Vec<u8>, ZstdError> {
    let is_plausible = is_plausible(size, chunks.len());
    let inflater = Inflater::new(chunks);
    if is_plausible {
        inflater.read_direct(size)
    } else {
        inflater.read_growing(size)
    }
}

/// Returns `true` if the stated `size` is small enough, compared to the packed size, to be allocated at once.
fn is_plausible(size: u64, packed: u64) -> bool {
    size <= TRUSTED_SIZE.max(packed.saturating_mul(TRUSTED_RATIO))
}
