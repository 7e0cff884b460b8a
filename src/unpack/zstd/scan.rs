//! Checks the headers of zstd frames before decompression.

use super::error::{MAX_WINDOW, ZstdError};

/// The largest decompressed size of a zstd block in bytes.
const MAX_BLOCK: u64 = 128 << 10;

/// The range of content sizes, in bytes, that the headers of frames and blocks allow.
#[derive(Debug, Default, PartialEq)]
pub(super) struct SizeRange {
    pub(super) min: u64,
    pub(super) max: u64,
}

/// Reads from a byte slice. Stores the unread bytes.
struct ByteReader<'b>(&'b [u8]);

impl<'b> ByteReader<'b> {
    fn take(&mut self, count: usize) -> Result<&'b [u8], ZstdError> {
        let truncated = || ZstdError::Invalid("the frame is truncated".into());
        let (taken, rest) = self.0.split_at_checked(count).ok_or_else(truncated)?;
        self.0 = rest;
        Ok(taken)
    }

    /// Reads a little-endian number of `size` bytes.
    fn read_uint(&mut self, size: usize) -> Result<u64, ZstdError> {
        Ok(self
            .take(size)?
            .iter()
            .rev()
            .fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }
}

/// Checks the headers of all frames. Returns the range of possible content sizes.
pub(super) fn scan(packed: &[u8]) -> Result<SizeRange, ZstdError> {
    let mut bytes = ByteReader(packed);
    let mut sizes = SizeRange::default();
    scan_frame(&mut bytes, &mut sizes)?;
    while !bytes.0.is_empty() {
        let remaining = bytes.0.len();
        scan_frame(&mut bytes, &mut sizes).map_err(|error| match error {
            ZstdError::Invalid(_) => ZstdError::Trailing(remaining),
            other => other,
        })?;
    }
    Ok(sizes)
}

/// Checks a frame without a magic number (RFC 8878, 3.1.1). Adds the range of its content size to `sizes`.
fn scan_frame(bytes: &mut ByteReader, sizes: &mut SizeRange) -> Result<(), ZstdError> {
    let invalid = |message: &str| Err(ZstdError::Invalid(message.into()));
    let flags = bytes.read_uint(1)?;
    let single_segment = flags & 0x20 != 0;
    if flags & 0x08 != 0 {
        return invalid("the frame header has its reserved bit set");
    }
    let window = if single_segment {
        None
    } else {
        Some(window_size(bytes.read_uint(1)?))
    };
    if bytes.read_uint([0, 1, 2, 4][(flags & 3) as usize])? != 0 {
        return invalid("the frame requires a dictionary");
    }
    let content_size = match (flags >> 6, single_segment) {
        (0, false) => None,
        (0, true) => Some(bytes.read_uint(1)?),
        (1, _) => Some(bytes.read_uint(2)? + 256),
        (2, _) => Some(bytes.read_uint(4)?),
        _ => Some(bytes.read_uint(8)?),
    };
    // The window of a single segment is as large as its content.
    let window = window.or(content_size).unwrap_or_default();
    if window > MAX_WINDOW {
        let message =
            format!("the frame requires a window of {window} bytes; the maximum is {MAX_WINDOW}");
        return Err(ZstdError::Window(message));
    }
    let (mut min, mut max) = (0, 0);
    loop {
        let header = bytes.read_uint(3)?;
        let (kind, size) = (header >> 1 & 3, header >> 3);
        // The size of a block has 21 bits.
        let (packed, low, high) = match kind {
            0 => (size as usize, size, size),
            1 => (1, size, size),
            2 => (size as usize, 0, MAX_BLOCK),
            _ => return invalid("a block has the reserved type"),
        };
        bytes.take(packed)?;
        min += low;
        max += high;
        if header & 1 != 0 {
            break;
        }
    }
    if flags & 0x04 != 0 {
        bytes.take(4)?;
    }
    sizes.min = sizes.min.saturating_add(min);
    sizes.max = sizes
        .max
        .saturating_add(content_size.map_or(max, |size| max.min(size)));
    Ok(())
}

/// Decodes a window size in bytes: a power of two, plus up to seven eighths of it.
fn window_size(descriptor: u64) -> u64 {
    let base = 1 << (10 + (descriptor >> 3));
    base + base / 8 * (descriptor & 7)
}
