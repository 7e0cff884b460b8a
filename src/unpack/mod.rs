//! Packs and unpacks blocks.
//!
//! Stated sizes are not trusted. LZ4 expands n bytes to at most 255 · n ([C4](crate::crucible)), so larger sizes are
//! rejected. If a stated size is implausibly large for its block, the buffer starts smaller and grows with the content.

#[cfg(feature = "zstd")]
#[cfg_attr(
    not(feature = "iyma"),
    allow(dead_code, unused_imports, reason = "only IyMA uses all of it")
)]
pub(crate) mod zstd;

use std::borrow::Cow;

use crate::layout::declaration::Packing;
use crate::layout::expr::Value;
use crate::{Error, Limit, Limits};

/// The reason a block could not be unpacked, with the message.
#[derive(Debug, PartialEq)]
#[allow(dead_code, reason = "unused without the packings that need it")]
pub(crate) enum UnpackError {
    /// The block is invalid, or its stated size is wrong.
    Malformed(String),
    /// Bytes follow the block.
    Trailing(String),
    /// The content exceeds [`Limits::max_decoded`].
    Limit(String),
    /// The packing needs a feature of the crate that is not enabled.
    Unsupported(String),
}

impl From<UnpackError> for Error {
    fn from(error: UnpackError) -> Error {
        match error {
            UnpackError::Malformed(message) | UnpackError::Trailing(message) => {
                Error::malformed(message)
            }
            UnpackError::Limit(message) => Error::limit_exceeded(Limit::Decoded, message),
            UnpackError::Unsupported(message) => Error::unsupported(message),
        }
    }
}

/// Unpacks a block. LZ4 and zstd require `size`, the exact size of the content in bytes. Returns an error if the block
/// is invalid or exceeds the limits, its packing is not built in, or `size` is required but `None`.
pub(crate) fn unpack<'b>(
    (packing, encoding): (Packing, Option<Value>),
    packed: &'b [u8],
    size: Option<u64>,
    limits: &Limits,
) -> Result<Cow<'b, [u8]>, UnpackError> {
    match (packing, size) {
        (Packing::Stored, _) => Ok(Cow::Borrowed(packed)),
        (Packing::Lz4, Some(size)) => unpack_lz4::<u8>(packed, size, limits).map(Cow::Owned),
        (Packing::Lz4, None) => Err(UnpackError::Malformed(
            "an LZ4 block needs a stated size".into(),
        )),
        (Packing::Zstd, Some(size)) => unpack_zstd(packed, size, limits).map(Cow::Owned),
        (Packing::Zstd, None) => Err(UnpackError::Malformed(
            "zstd frames need a stated size".into(),
        )),
        (Packing::Custom { decode, .. }, _) => decode(packed, encoding)
            .map(Cow::Owned)
            .map_err(UnpackError::Malformed),
        (Packing::Updatable { packing, .. }, size) => {
            unpack((*packing, encoding), packed, size, limits)
        }
        (Packing::Chosen(packings), _) => {
            let packing = packing_by_number(packings, &encoding).map_err(UnpackError::Malformed)?;
            let content = unpack((packing, None), packed, size, limits)?;
            check_size(&content, size.unwrap_or(content.len() as u64)).map(|()| content)
        }
    }
}

/// Packs content into a block. An updatable packing keeps parts of `original`, the packed bytes before a change. Returns an
/// error if the packing cannot express the content, or is not built in.
pub(crate) fn pack(
    (packing, encoding): (Packing, Option<Value>),
    content: &[u8],
    original: Option<&[u8]>,
) -> Result<Vec<u8>, String> {
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
        Packing::Custom { encode, .. } => encode(content, encoding),
        Packing::Updatable { packing, update } => match original {
            Some(original) => update(content, original, encoding),
            None => pack((*packing, encoding), content, None),
        },
        Packing::Chosen(packings) => {
            let packing = packing_by_number(packings, &encoding)?;
            pack((packing, None), content, original)
        }
        #[cfg(not(all(feature = "lz4", feature = "zstd")))]
        _ => Err(format!("{} is not built in", packing.name())),
    }
}

fn check_size(content: &[u8], size: u64) -> Result<(), UnpackError> {
    match content.len() {
        length if length as u64 == size => Ok(()),
        length => Err(UnpackError::Malformed(format!(
            "unpacks to {length} bytes, but {size} are stated"
        ))),
    }
}

fn packing_by_number(
    packings: &[(i128, Packing)],
    number: &Option<Value>,
) -> Result<Packing, String> {
    let is_wanted = |known: &i128| *number == Some(Value::Int(*known));
    let found = packings
        .iter()
        .find(|(known, _)| is_wanted(known))
        .map(|(_, packing)| *packing);
    found.ok_or_else(|| match number {
        Some(number) => format!("unknown packing {number}"),
        None => "the number of the packing is missing".to_owned(),
    })
}

/// Unpacks a block to values with a total size of exactly `size` bytes.
#[cfg(feature = "crucible")]
pub(crate) fn unpack_values<T: bytemuck::Pod>(
    packing: Packing,
    packed: &[u8],
    size: u64,
    limits: &Limits,
) -> Result<Vec<T>, UnpackError> {
    if packing == Packing::Lz4 {
        return unpack_lz4(packed, size, limits);
    }
    let bytes = unpack((packing, None), packed, Some(size), limits)?;
    check_size(&bytes, size)?;
    Ok(bytemuck::allocation::pod_collect_to_vec(&bytes))
}

/// A stated size up to this multiple of the packed size is trusted.
#[cfg(feature = "lz4")]
const TRUSTED_RATIO: u64 = 8;

/// A stated size up to this number of bytes is trusted for any packed size.
#[cfg(feature = "lz4")]
const TRUSTED_SIZE: u64 = 1 << 20;

/// Unpacks a raw LZ4 block directly into values of type `T`, with a total size of exactly `size` bytes.
#[cfg(feature = "lz4")]
pub(crate) fn unpack_lz4<T: bytemuck::Pod>(
    packed: &[u8],
    size: u64,
    limits: &Limits,
) -> Result<Vec<T>, UnpackError> {
    let malformed = |message| Err(UnpackError::Malformed(message));
    let max = (packed.len() as u64).saturating_mul(255);
    if size > max {
        let packed = packed.len();
        return malformed(format!(
            "states {size} bytes, but {packed} packed bytes unpack to at most {max}"
        ));
    }
    limits.check_decoded(size).map_err(UnpackError::Limit)?;
    // As in the LZ4 library, empty content is packed to exactly the byte 0x00.
    if size == 0 && packed != [0] {
        return malformed("must be the single byte 0x00, since its content is empty".to_owned());
    }
    let mut capacity = size.min(
        (packed.len() as u64)
            .saturating_mul(TRUSTED_RATIO)
            .max(TRUSTED_SIZE),
    );
    loop {
        let mut values = vec![T::zeroed(); capacity.div_ceil(size_of::<T>() as u64) as usize];
        let bytes = bytemuck::cast_slice_mut(&mut values);
        match lz4_flex::block::decompress_into(packed, &mut bytes[..capacity as usize]) {
            Ok(unpacked) if unpacked as u64 == size => return Ok(values),
            Ok(unpacked) => {
                return malformed(format!(
                    "unpacks to {unpacked} bytes, but {size} are stated"
                ));
            }
            Err(lz4_flex::block::DecompressError::OutputTooSmall { .. }) if capacity < size => {
                capacity = size.min(capacity * 2);
            }
            Err(lz4_flex::block::DecompressError::OutputTooSmall { .. }) => {
                return malformed(format!("unpacks to more than the stated {size} bytes"));
            }
            Err(error) => return malformed(format!("is not a valid LZ4 block: {error}")),
        }
    }
}

/// Returns an error, because the feature `lz4` is off.
#[cfg(not(feature = "lz4"))]
fn unpack_lz4<T>(_: &[u8], _: u64, _: &Limits) -> Result<Vec<T>, UnpackError> {
    Err(UnpackError::Unsupported(
        "LZ4 blocks need the feature `lz4`".into(),
    ))
}

#[cfg(feature = "zstd")]
fn unpack_zstd(packed: &[u8], size: u64, limits: &Limits) -> Result<Vec<u8>, UnpackError> {
    zstd::unpack(packed, size, limits).map_err(|error| match error {
        zstd::ZstdError::Limit(message) => UnpackError::Limit(message),
        zstd::ZstdError::Trailing(_) => UnpackError::Trailing(error.to_string()),
        other => UnpackError::Malformed(other.to_string()),
    })
}

/// Returns an error, because the feature `zstd` is off.
#[cfg(not(feature = "zstd"))]
fn unpack_zstd(_: &[u8], _: u64, _: &Limits) -> Result<Vec<u8>, UnpackError> {
    Err(UnpackError::Unsupported(
        "zstd frames need the feature `zstd`".into(),
    ))
}
