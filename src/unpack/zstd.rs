//! Zstandard frames without magic bytes, which is how IyMA stores its data (I7).
//!
//! Headers are checked before anything is decompressed, so that false sizes and too large windows cost nothing. Then a
//! block of a plausible size decompresses into one buffer of exactly that size; for any other one the buffer grows with
//! the actual content.

use std::{fmt, io};

use zstd::zstd_safe::{
    self, CCtx, CParameter, DCtx, DParameter, FrameFormat, InBuffer, OutBuffer, ResetDirective,
    zstd_sys::ZSTD_EndDirective,
};

use super::inflater::Inflater;
use crate::Limits;

/// The largest window in bytes, and its logarithm (I7).
const MAX_WINDOW: u64 = 1 << MAX_WINDOW_LOG;
const MAX_WINDOW_LOG: u32 = 27;

/// The largest decompressed size of a block.
const MAX_BLOCK: u64 = 128 << 10;

/// Stated sizes up to this, or up to so many times the packed size, are trusted.
pub(super) const TRUSTED_SIZE: u64 = 8 << 20;
pub(super) const TRUSTED_RATIO: u64 = 16;

/// Why frames could not be unpacked.
#[derive(Debug)]
pub(crate) enum Fault {
    /// They are damaged or cut off.
    Invalid(String),
    /// A frame requires a larger window than is allowed.
    Window(String),
    /// They hold less or more than they should.
    Size(String),
    /// Bytes that are no frame follow the last one: so many.
    Trailing(usize),
    /// They would take more than the limits allow.
    Limit(String),
    /// Reading them failed.
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

/// The content size that the headers of frames and blocks allow.
#[derive(Debug, Default, PartialEq)]
struct Sizes {
    min: u64,
    max: u64,
}

/// Takes bytes off the front.
struct Bytes<'b>(&'b [u8]);

impl<'b> Bytes<'b> {
    fn take(&mut self, count: usize) -> Result<&'b [u8], Fault> {
        let cut = || Fault::Invalid("the frame is truncated".into());
        let (taken, rest) = self.0.split_at_checked(count).ok_or_else(cut)?;
        self.0 = rest;
        Ok(taken)
    }

    fn number(&mut self, size: usize) -> Result<u64, Fault> {
        Ok(self.take(size)?.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }
}

/// Goes over the headers of all frames.
fn scan(packed: &[u8]) -> Result<Sizes, Fault> {
    let mut bytes = Bytes(packed);
    let mut sizes = Sizes::default();
    scan_frame(&mut bytes, &mut sizes)?;
    while !bytes.0.is_empty() {
        let left = bytes.0.len();
        scan_frame(&mut bytes, &mut sizes).map_err(|fault| match fault {
            Fault::Invalid(_) => Fault::Trailing(left),
            other => other,
        })?;
    }
    Ok(sizes)
}

/// One frame, as RFC 8878 describes it in 3.1.1, without the magic number.
fn scan_frame(bytes: &mut Bytes, sizes: &mut Sizes) -> Result<(), Fault> {
    let invalid = |message: &str| Err(Fault::Invalid(message.into()));
    let flags = bytes.number(1)?;
    let single_segment = flags & 0x20 != 0;
    if flags & 0x08 != 0 {
        return invalid("the frame header has its reserved bit set");
    }
    let mut window = match single_segment {
        true => 0,
        false => window_of(bytes.number(1)?),
    };
    if bytes.number([0, 1, 2, 4][(flags & 3) as usize])? != 0 {
        return invalid("the frame requires a dictionary");
    }
    let content_size = match (flags >> 6, single_segment) {
        (0, false) => None,
        (0, true) => Some(bytes.number(1)?),
        (1, _) => Some(bytes.number(2)? + 256),
        (2, _) => Some(bytes.number(4)?),
        _ => Some(bytes.number(8)?),
    };
    if single_segment {
        window = content_size.unwrap_or_default();
    }
    if window > MAX_WINDOW {
        return Err(Fault::Window(format!(
            "the frame requires a window of {window} bytes; the maximum is {MAX_WINDOW}"
        )));
    }
    let (mut min, mut max) = (0, 0);
    loop {
        let header = bytes.number(3)?;
        let (kind, size) = (header >> 1 & 3, header >> 3);
        // A block has 21 bits for its size.
        let (packed, low, high) = match kind {
            0 => (size as usize, size, size),
            1 => (1, size, size),
            2 => (size as usize, 0, MAX_BLOCK),
            _ => return invalid("a block is of the reserved type"),
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
    sizes.max = sizes.max.saturating_add(content_size.map_or(max, |size| max.min(size)));
    Ok(())
}

/// The size of a window in bytes: a power of two and up to seven eighths of it.
fn window_of(descriptor: u64) -> u64 {
    let base = 1 << (10 + (descriptor >> 3));
    base + base / 8 * (descriptor & 7)
}

/// Unpacks frames that must give exactly `size` bytes.
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
    let trusted = TRUSTED_SIZE.max((packed.len() as u64).saturating_mul(TRUSTED_RATIO));
    if size > trusted {
        let mut inflater = Inflater::new(packed);
        let content = inflater.read_vec(size)?;
        return inflater.finish(size).map(|()| content);
    }
    let mut content = Vec::with_capacity(size as usize);
    match decoder().decompress(&mut content, packed) {
        Ok(unpacked) if unpacked as u64 == size => Ok(content),
        Ok(unpacked) if unpacked as u64 > size => Err(too_much(size)),
        Ok(unpacked) => Err(too_little(unpacked as u64, size)),
        Err(code) => Err(fault_of(code, size)),
    }
}

pub(super) fn decoder() -> DCtx<'static> {
    let mut decoder = DCtx::create();
    for parameter in [DParameter::Format(FrameFormat::Magicless), DParameter::WindowLogMax(MAX_WINDOW_LOG)] {
        // Both are in the range that the decoder has for them.
        let _ = decoder.set_parameter(parameter);
    }
    decoder
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

/// The levels that there are.
pub(crate) fn levels() -> std::ops::RangeInclusive<i32> {
    zstd_safe::min_c_level()..=zstd_safe::max_c_level()
}

/// Appends one frame that holds `parts`, one after the other, to `out`: with the settings of the specification.
pub(crate) fn pack(parts: &[&[u8]], level: i32, threads: u32, out: &mut Vec<u8>) -> Result<(), String> {
    let total: usize = parts.iter().map(|part| part.len()).sum();
    let failed = |code| zstd_safe::get_error_name(code).to_owned();
    let mut encoder = CCtx::create();
    encoder.reset(ResetDirective::SessionAndParameters).map_err(failed)?;
    for parameter in [
        CParameter::CompressionLevel(level),
        CParameter::Format(FrameFormat::Magicless),
        CParameter::ChecksumFlag(false),
        CParameter::ContentSizeFlag(false),
        CParameter::DictIdFlag(false),
        CParameter::EnableLongDistanceMatching(true),
    ] {
        encoder.set_parameter(parameter).map_err(failed)?;
    }
    share(&mut encoder, total, threads).map_err(failed)?;
    encoder.set_pledged_src_size(Some(total as u64)).map_err(failed)?;
    out.reserve_exact(zstd_safe::compress_bound(total));
    for (index, part) in parts.iter().enumerate() {
        push(&mut encoder, part, index + 1 == parts.len(), out).map_err(failed)?;
    }
    Ok(())
}

fn push(encoder: &mut CCtx, part: &[u8], finishes: bool, out: &mut Vec<u8>) -> Result<(), usize> {
    let mut input = InBuffer::around(part);
    loop {
        out.reserve(CCtx::out_size());
        let position = out.len();
        let mut output = OutBuffer::around_pos(out, position);
        let end = if finishes { ZSTD_EndDirective::ZSTD_e_end } else { ZSTD_EndDirective::ZSTD_e_continue };
        let left = encoder.compress_stream2(&mut output, &mut input, end)?;
        if input.pos() == part.len() && (left == 0 || !finishes) {
            return Ok(());
        }
    }
}

/// Shares the work between threads. What is written depends on whether there are several, not on how many.
#[cfg(feature = "parallel")]
fn share(encoder: &mut CCtx, total: usize, threads: u32) -> Result<(), usize> {
    const JOBS: usize = 16;
    const SMALLEST_JOB: usize = 1 << 20;
    const OVERLAP: u32 = 5;
    if threads > 1 {
        let job = (total / JOBS).clamp(SMALLEST_JOB, 512 << 20);
        encoder.set_parameter(CParameter::NbWorkers(threads))?;
        encoder.set_parameter(CParameter::JobSize(job as u32))?;
        // How much of the job before it each one looks at first. All of it, the default at high levels, takes as long
        // as the threads save.
        encoder.set_parameter(CParameter::OverlapSizeLog(OVERLAP))?;
    }
    Ok(())
}

#[cfg(not(feature = "parallel"))]
fn share(_: &mut CCtx, _: usize, _: u32) -> Result<(), usize> {
    Ok(())
}
