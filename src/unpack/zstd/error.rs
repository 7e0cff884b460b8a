//! Errors of unpacking zstd frames.

use crate::text::bytes_follow;
use std::{fmt, io};

use zstd::zstd_safe;

/// The largest allowed window in bytes (I7).
pub(super) const MAX_WINDOW: u64 = 1 << MAX_WINDOW_LOG;
/// The base-2 logarithm of [`MAX_WINDOW`].
pub(super) const MAX_WINDOW_LOG: u32 = 27;

/// The reason frames could not be unpacked.
#[derive(Debug)]
pub(crate) enum ZstdError {
    /// A frame is damaged or truncated.
    Invalid(String),
    /// A frame requires a window larger than the maximum.
    Window(String),
    /// The content is shorter or longer than declared.
    Size(String),
    /// The last frame is followed by this number of bytes that are not a frame.
    Trailing(usize),
    /// The data exceeds the limits.
    Limit(String),
    /// The source could not be read.
    Io(io::Error),
}

impl fmt::Display for ZstdError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            ZstdError::Invalid(message)
            | ZstdError::Window(message)
            | ZstdError::Size(message)
            | ZstdError::Limit(message) => f.write_str(message),
            ZstdError::Trailing(bytes) => {
                f.write_str(&bytes_follow(*bytes as u64, "the last frame"))
            }
            ZstdError::Io(error) => error.fmt(f),
        }
    }
}

/// Returns the error for content that exceeds `size`, the declared size in bytes.
pub(super) fn excess_error(size: u64) -> ZstdError {
    ZstdError::Size(format!("unpacks to more than the declared {size} bytes"))
}

/// Returns the error for content that ends before `size`, the declared size in bytes.
pub(super) fn shortfall_error(unpacked: u64, size: u64) -> ZstdError {
    ZstdError::Size(format!(
        "unpacks to {unpacked} bytes, but {size} are declared"
    ))
}

/// Converts an error code of the decoder. `size` is the declared size of the content in bytes.
pub(super) fn decoder_error(code: usize, size: u64) -> ZstdError {
    match zstd_safe::get_error_name(code) {
        "Destination buffer is too small" => excess_error(size),
        "Frame requires too much memory for decoding" => ZstdError::Window(format!(
            "a frame requires a window larger than {MAX_WINDOW} bytes"
        )),
        name => ZstdError::Invalid(format!("not a valid zstd frame: {name}")),
    }
}
