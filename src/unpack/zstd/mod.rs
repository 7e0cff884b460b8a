//! Zstandard frames without magic bytes, as used by IyMA (I7).
//!
//! Headers are checked before decompression, so that wrong sizes and excessive windows are rejected cheaply. A block of
//! plausible size decompresses into one buffer of exactly that size. Otherwise, the buffer grows with the content.

mod chunks;
mod fault;
mod inflater;
mod pack;
mod scan;

pub(crate) use chunks::Chunks;
pub(crate) use fault::Fault;
pub(crate) use inflater::Inflater;
pub(crate) use pack::{DEFAULT_LEVEL, levels, pack};

use crate::Limits;
use fault::{fault_of, too_little, too_much};
use inflater::{TRUSTED_RATIO, TRUSTED_SIZE, decoder};
use scan::{Sizes, scan};

/// Unpacks frames to exactly `size` bytes.
pub(crate) fn unpack(packed: &[u8], size: u64, limits: &Limits) -> Result<Vec<u8>, Fault> {
    let Sizes { min, max } = scan(packed)?;
    if size < min || size > max {
        let content = if min == max { format!("{min}") } else { format!("{min} to {max}") };
        let packed = packed.len();
        return Err(Fault::Size(format!(
            "{size} bytes are declared, but {packed} packed bytes hold {content}"
        )));
    }
    if size > limits.max_decoded {
        let message = format!("unpacks to {size} bytes, over the limit of {}", limits.max_decoded);
        return Err(Fault::Limit(message));
    }
    if !is_plausible(size, packed.len() as u64) {
        return Inflater::new(packed).read_only(size);
    }
    let mut content = Vec::with_capacity(size as usize);
    match decoder().decompress(&mut content, packed) {
        Ok(unpacked) if unpacked as u64 == size => Ok(content),
        Ok(unpacked) if unpacked as u64 > size => Err(too_much(size)),
        Ok(unpacked) => Err(too_little(unpacked as u64, size)),
        Err(code) => Err(fault_of(code, size)),
    }
}

/// Unpacks the frames of a stream to exactly `size` bytes.
pub(crate) fn unpack_chunks(chunks: Chunks, size: u64) -> Result<Vec<u8>, Fault> {
    let plausible = is_plausible(size, chunks.len());
    let inflater = Inflater::new(chunks);
    if plausible { inflater.read_all(size) } else { inflater.read_only(size) }
}

/// Returns `true` if a stated size is small enough for this packed size to be allocated at once.
fn is_plausible(size: u64, packed: u64) -> bool {
    size <= TRUSTED_SIZE.max(packed.saturating_mul(TRUSTED_RATIO))
}
