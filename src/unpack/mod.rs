//! Packed blocks: unpacking and packing.
//!
//! Stated sizes are untrusted. LZ4 expands n bytes to at most 255 · n ([C4](crate::crucible)), so larger sizes are
//! rejected. If a stated size is implausibly large for its block, the buffer starts smaller and grows as the block fills
//! it.

#[cfg(feature = "zstd")]
#[cfg_attr(
    not(feature = "iyma"),
    allow(dead_code, unused_imports, reason = "IyMA reads and writes in parts")
)]
pub(crate) mod zstd;

use std::borrow::Cow;

use crate::Limits;
use crate::layout::declaration::Packing;
use crate::layout::expr::Value;

/// The reason why a block could not be unpacked.
#[derive(Debug, PartialEq)]
#[allow(dead_code, reason = "the features for packings need some of these each")]
pub(crate) enum Failure {
    /// The block or its stated size is wrong.
    Malformed(String),
    /// Bytes follow the block.
    Trailing(String),
    /// The content exceeds [`Limits::max_decoded`].
    Limit(String),
    /// The packing needs a feature of the crate that is not enabled.
    Unsupported(String),
}

/// Unpacks a block. LZ4 and zstd require `size`, the exact size of the content.
///
/// # Errors
///
/// Returns an error if the block is invalid, exceeds the limits, or lacks a required size.
pub(crate) fn unpack<'b>(
    (packing, encoding): (Packing, Option<Value>),
    packed: &'b [u8],
    size: Option<u64>,
    limits: &Limits,
) -> Result<Cow<'b, [u8]>, Failure> {
    match (packing, size) {
        (Packing::Stored, _) => Ok(Cow::Borrowed(packed)),
        (Packing::Lz4, Some(size)) => lz4::<u8>(packed, size, limits).map(Cow::Owned),
        (Packing::Lz4, None) => Err(Failure::Malformed("an LZ4 block needs a stated size".into())),
        (Packing::Zstd, Some(size)) => unzstd(packed, size, limits).map(Cow::Owned),
        (Packing::Zstd, None) => Err(Failure::Malformed("zstd frames need a stated size".into())),
        (Packing::Coded { decode, .. }, _) => {
            decode(packed, encoding).map(Cow::Owned).map_err(Failure::Malformed)
        }
        (Packing::Chosen(packings), _) => {
            let packing = chosen(packings, &encoding).map_err(Failure::Malformed)?;
            let content = unpack((packing, None), packed, size, limits)?;
            match size {
                Some(size) if content.len() as u64 != size => Err(Failure::Malformed(format!(
                    "unpacks to {} bytes, but {size} are stated",
                    content.len()
                ))),
                _ => Ok(content),
            }
        }
    }
}

/// Packs content into a block.
///
/// # Errors
///
/// Returns an error if the content has no packed form, or the packing is not built in.
pub(crate) fn pack((packing, encoding): (Packing, Option<Value>), content: &[u8]) -> Result<Vec<u8>, String> {
    match packing {
        Packing::Stored => Ok(content.to_vec()),
        #[cfg(feature = "lz4")]
        Packing::Lz4 => Ok(lz4_flex::block::compress(content)),
        #[cfg(feature = "zstd")]
        Packing::Zstd => {
            let mut packed = Vec::new();
            zstd::pack(&[content], zstd::DEFAULT_LEVEL, 1, &mut packed)?;
            Ok(packed)
        }
        Packing::Coded { encode, .. } => encode(content, encoding),
        Packing::Chosen(packings) => pack((chosen(packings, &encoding)?, None), content),
        #[cfg(not(all(feature = "lz4", feature = "zstd")))]
        _ => Err(format!("{} is not built in", packing.name())),
    }
}

/// Returns the packing with this number.
fn chosen(packings: &[(i128, Packing)], number: &Option<Value>) -> Result<Packing, String> {
    let is_it = |known: &i128| *number == Some(Value::Int(*known));
    let found = packings.iter().find(|(known, _)| is_it(known)).map(|(_, packing)| *packing);
    found.ok_or_else(|| match number {
        Some(number) => format!("unknown packing {number}"),
        None => "the number of its packing is missing".to_owned(),
    })
}

/// Unpacks a block of exactly `size` bytes to values.
#[cfg(feature = "crucible")]
pub(crate) fn values<T: bytemuck::Pod>(
    packing: Packing,
    packed: &[u8],
    size: u64,
    limits: &Limits,
) -> Result<Vec<T>, Failure> {
    if packing == Packing::Lz4 {
        return lz4(packed, size, limits);
    }
    let bytes = unpack((packing, None), packed, Some(size), limits)?;
    match bytes.len() as u64 == size {
        true => Ok(bytemuck::allocation::pod_collect_to_vec(&bytes)),
        false => Err(Failure::Malformed(format!("unpacks to {} bytes, but {size} are stated", bytes.len()))),
    }
}

/// The largest trusted ratio of a stated size to the packed size.
#[cfg(feature = "lz4")]
const TRUSTED_RATIO: u64 = 8;

/// The largest stated size that is trusted regardless of the packed size.
#[cfg(feature = "lz4")]
const TRUSTED_SIZE: u64 = 1 << 20;

/// Unpacks a raw LZ4 block of exactly `size` bytes directly into values of type `T`.
#[cfg(feature = "lz4")]
pub(crate) fn lz4<T: bytemuck::Pod>(packed: &[u8], size: u64, limits: &Limits) -> Result<Vec<T>, Failure> {
    let malformed = |message| Err(Failure::Malformed(message));
    let max = (packed.len() as u64).saturating_mul(255);
    if size > max {
        return malformed(format!(
            "states {size} bytes, but {} packed bytes unpack to {max} at most",
            packed.len()
        ));
    }
    if size > limits.max_decoded {
        let message = format!("unpacks to {size} bytes, over the limit of {}", limits.max_decoded);
        return Err(Failure::Limit(message));
    }
    let mut capacity = size.min((packed.len() as u64).saturating_mul(TRUSTED_RATIO).max(TRUSTED_SIZE));
    loop {
        let mut values = vec![T::zeroed(); capacity.div_ceil(size_of::<T>() as u64) as usize];
        let bytes = bytemuck::cast_slice_mut(&mut values);
        match lz4_flex::block::decompress_into(packed, &mut bytes[..capacity as usize]) {
            Ok(unpacked) if unpacked as u64 == size => return Ok(values),
            Ok(unpacked) => return malformed(format!("unpacks to {unpacked} bytes, but {size} are stated")),
            Err(lz4_flex::block::DecompressError::OutputTooSmall { .. }) if capacity < size => {
                capacity = size.min(capacity * 2);
            }
            Err(lz4_flex::block::DecompressError::OutputTooSmall { .. }) => {
                return malformed(format!("unpacks to more than the {size} bytes stated"));
            }
            Err(error) => return malformed(format!("is not a valid LZ4 block: {error}")),
        }
    }
}

/// Returns an error: LZ4 is built in only with its feature.
#[cfg(not(feature = "lz4"))]
fn lz4<T>(_: &[u8], _: u64, _: &Limits) -> Result<Vec<T>, Failure> {
    Err(Failure::Unsupported("LZ4 blocks need the feature `lz4`".into()))
}

#[cfg(feature = "zstd")]
fn unzstd(packed: &[u8], size: u64, limits: &Limits) -> Result<Vec<u8>, Failure> {
    zstd::unpack(packed, size, limits).map_err(|fault| match fault {
        zstd::Fault::Limit(message) => Failure::Limit(message),
        zstd::Fault::Trailing(_) => Failure::Trailing(fault.to_string()),
        other => Failure::Malformed(other.to_string()),
    })
}

/// Returns an error: zstd is built in only with its feature.
#[cfg(not(feature = "zstd"))]
fn unzstd(_: &[u8], _: u64, _: &Limits) -> Result<Vec<u8>, Failure> {
    Err(Failure::Unsupported("zstd frames need the feature `zstd`".into()))
}
