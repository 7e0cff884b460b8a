//! Errors of zstd frames.

use std::{fmt, io};

use zstd::zstd_safe;

/// The largest window in bytes, and its logarithm (I7).
pub(super) const MAX_WINDOW: u64 = 1 << MAX_WINDOW_LOG;
pub(super) const MAX_WINDOW_LOG: u32 = 27;

/// The reason why frames could not be unpacked.
#[derive(Debug)]
pub(crate) enum Fault {
    /// A frame is damaged or truncated.
    Invalid(String),
    /// A frame requires a window larger than the maximum.
    Window(String),
    /// The content is shorter or longer than declared.
    Size(String),
    /// The number of trailing bytes that are not a frame.
    Trailing(usize),
    /// The data exceeds the limits.
    Limit(String),
    /// Reading failed.
    Io(io::Error),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Fault::Invalid(message)
            | Fault::Window(message)
            | Fault::Size(message)
            | Fault::Limit(message) => f.write_str(message),
            Fault::Trailing(1) => f.write_str("1 byte follows the last frame"),
            Fault::Trailing(bytes) => write!(f, "{bytes} bytes follow the last frame"),
            Fault::Io(error) => error.fmt(f),
        }
    }
}

pub(super) fn too_much(size: u64) -> Fault {
    Fault::Size(format!("unpacks to more than the declared {size} bytes"))
}

pub(super) fn too_little(unpacked: u64, size: u64) -> Fault {
    Fault::Size(format!("unpacks to {unpacked} bytes, but {size} are declared"))
}

pub(super) fn fault_of(code: usize, size: u64) -> Fault {
    match zstd_safe::get_error_name(code) {
        "Destination buffer is too small" => too_much(size),
        "Frame requires too much memory for decoding" => {
            Fault::Window(format!("a frame requires a window larger than {MAX_WINDOW} bytes"))
        }
        name => Fault::Invalid(format!("not a valid zstd frame: {name}")),
    }
}
