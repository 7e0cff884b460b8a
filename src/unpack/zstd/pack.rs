//! Compresses data into a zstd frame.

use zstd::zstd_safe::{
    self, CCtx, CParameter, FrameFormat, InBuffer, OutBuffer, ResetDirective,
    zstd_sys::ZSTD_EndDirective,
};

/// The default compression level of zstd.
pub(crate) const DEFAULT_LEVEL: i32 = 3;

pub(crate) fn compression_levels() -> std::ops::RangeInclusive<i32> {
    zstd_safe::min_c_level()..=zstd_safe::max_c_level()
}

/// Compresses the concatenated `parts` into one frame, with the settings of IyMA's specification. Appends it to `out`.
pub(crate) fn pack(
    parts: &[&[u8]],
    level: i32,
    threads: u32,
    out: &mut Vec<u8>,
) -> Result<(), String> {
    let total: usize = parts.iter().map(|part| part.len()).sum();
    let message = |code| zstd_safe::get_error_name(code).to_owned();
    let mut encoder = CCtx::create();
    encoder
        .reset(ResetDirective::SessionAndParameters)
        .map_err(message)?;
    for parameter in [
        CParameter::CompressionLevel(level),
        CParameter::Format(FrameFormat::Magicless),
        CParameter::ChecksumFlag(false),
        CParameter::ContentSizeFlag(false),
        CParameter::DictIdFlag(false),
        CParameter::EnableLongDistanceMatching(true),
    ] {
        encoder.set_parameter(parameter).map_err(message)?;
    }
    set_threads(&mut encoder, total, threads).map_err(message)?;
    encoder
        .set_pledged_src_size(Some(total as u64))
        .map_err(message)?;
    out.reserve_exact(zstd_safe::compress_bound(total));
    for (index, part) in parts.iter().enumerate() {
        compress_part(&mut encoder, part, index + 1 == parts.len(), out).map_err(message)?;
    }
    Ok(())
}

/// Compresses `part`, which ends the frame if `is_last` is set.
fn compress_part(
    encoder: &mut CCtx,
    part: &[u8],
    is_last: bool,
    out: &mut Vec<u8>,
) -> Result<(), usize> {
    let mut input = InBuffer::around(part);
    loop {
        out.reserve(CCtx::out_size());
        let position = out.len();
        let mut output = OutBuffer::around_pos(out, position);
        let end = if is_last {
            ZSTD_EndDirective::ZSTD_e_end
        } else {
            ZSTD_EndDirective::ZSTD_e_continue
        };
        let remaining = encoder.compress_stream2(&mut output, &mut input, end)?;
        if input.pos() == part.len() && (remaining == 0 || !is_last) {
            return Ok(());
        }
    }
}

/// Sets the number of threads. Any number above 1 yields the same output, which may differ from that of one thread.
#[cfg(feature = "parallel")]
fn set_threads(encoder: &mut CCtx, total: usize, threads: u32) -> Result<(), usize> {
    const JOBS: usize = 16;
    const SMALLEST_JOB: usize = 1 << 20;
    const OVERLAP: u32 = 5;
    if threads > 1 {
        let job = (total / JOBS).clamp(SMALLEST_JOB, 512 << 20);
        encoder.set_parameter(CParameter::NbWorkers(threads))?;
        encoder.set_parameter(CParameter::JobSize(job as u32))?;
        // Each job first loads a part of the previous job. The default at high levels, a full overlap, would cost as
        // much time as the threads save.
        encoder.set_parameter(CParameter::OverlapSizeLog(OVERLAP))?;
    }
    Ok(())
}

#[cfg(not(feature = "parallel"))]
fn set_threads(_: &mut CCtx, _: usize, _: u32) -> Result<(), usize> {
    Ok(())
}
