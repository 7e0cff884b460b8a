//! Compresses data into a zstd frame.

use zstd::zstd_safe::{
    self, CCtx, CParameter, FrameFormat, InBuffer, OutBuffer, ResetDirective, zstd_sys::ZSTD_EndDirective,
};

/// The default compression level, that of zstd.
pub(crate) const DEFAULT_LEVEL: i32 = 3;

/// Returns the range of valid levels.
pub(crate) fn levels() -> std::ops::RangeInclusive<i32> {
    zstd_safe::min_c_level()..=zstd_safe::max_c_level()
}

/// Appends one frame with the concatenated `parts` to `out`, with the settings of the specification.
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

/// Distributes the work over threads. The output for one thread differs from that for several, but does not depend on
/// their number.
#[cfg(feature = "parallel")]
fn share(encoder: &mut CCtx, total: usize, threads: u32) -> Result<(), usize> {
    const JOBS: usize = 16;
    const SMALLEST_JOB: usize = 1 << 20;
    const OVERLAP: u32 = 5;
    if threads > 1 {
        let job = (total / JOBS).clamp(SMALLEST_JOB, 512 << 20);
        encoder.set_parameter(CParameter::NbWorkers(threads))?;
        encoder.set_parameter(CParameter::JobSize(job as u32))?;
        // The part of the previous job that each job loads first. A full overlap, the default at high levels, would
        // take as long as the threads save.
        encoder.set_parameter(CParameter::OverlapSizeLog(OVERLAP))?;
    }
    Ok(())
}

#[cfg(not(feature = "parallel"))]
fn share(_: &mut CCtx, _: usize, _: u32) -> Result<(), usize> {
    Ok(())
}
