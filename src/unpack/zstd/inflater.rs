//! Incremental unpacking of zstd frames from a stream.

use std::io::{self, Read};

use zstd::zstd_safe::{DCtx, DParameter, FrameFormat, InBuffer, OutBuffer};

use super::error::{MAX_WINDOW_LOG, ZstdError, decoder_error, excess_error, shortfall_error};

/// A stated size up to this number of bytes is trusted for any packed size.
pub(super) const TRUSTED_SIZE: u64 = 8 << 20;
/// A stated size up to this multiple of the packed size is trusted.
pub(super) const TRUSTED_RATIO: u64 = 16;

/// Creates a decoder for frames without magic bytes, as in IyMA.
pub(super) fn create_decoder() -> DCtx<'static> {
    let mut decoder = DCtx::create();
    for parameter in [
        DParameter::Format(FrameFormat::Magicless),
        DParameter::WindowLogMax(MAX_WINDOW_LOG),
    ] {
        // Cannot fail: both values are in range.
        let _ = decoder.set_parameter(parameter);
    }
    decoder
}

/// Unpacks frames while reading their source.
pub(crate) struct Inflater<R> {
    source: R,
    decoder: DCtx<'static>,
    input: Box<[u8]>,
    /// The range of `input` that is not yet decompressed.
    start: usize,
    end: usize,
    /// Whether the decoder is inside a frame.
    is_in_frame: bool,
    /// The number of frames unpacked completely.
    frame_count: u64,
    /// The number of bytes unpacked so far.
    unpacked_size: u64,
}

impl<R: Read> Inflater<R> {
    pub(crate) fn new(source: R) -> Inflater<R> {
        Inflater {
            source,
            decoder: create_decoder(),
            input: vec![0; DCtx::in_size()].into(),
            start: 0,
            end: 0,
            is_in_frame: false,
            frame_count: 0,
            unpacked_size: 0,
        }
    }

    /// Reads more input. Returns `false` at the end of the source.
    fn refill(&mut self) -> Result<bool, ZstdError> {
        let read = loop {
            match self.source.read(&mut self.input) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result.map_err(ZstdError::Io)?,
            }
        };
        (self.start, self.end) = (0, read);
        Ok(read > 0)
    }

    /// Decompresses into `out[filled..]`. Returns the number of bytes produced.
    fn decompress_step(&mut self, out: &mut [u8], filled: usize) -> Result<usize, ZstdError> {
        let mut input = InBuffer::around(&self.input[self.start..self.end]);
        let mut output = OutBuffer::around_pos(out, filled);
        let remaining = self.decoder.decompress_stream(&mut output, &mut input);
        let (read, written) = (input.pos(), output.pos() - filled);
        let remaining = remaining.map_err(|code| decoder_error(code, self.unpacked_size))?;
        self.start += read;
        self.unpacked_size += written as u64;
        // A decoder between two frames does not advance without input.
        if remaining == 0 && (self.is_in_frame || read > 0) {
            self.frame_count += 1;
        }
        self.is_in_frame = remaining != 0 && (self.is_in_frame || read > 0);
        Ok(written)
    }

    /// Refills the input if used up. Returns `true` if nothing is left to unpack. `written` is the number of bytes that
    /// the last step produced.
    fn is_done(&mut self, written: usize) -> Result<bool, ZstdError> {
        Ok(self.start == self.end && written == 0 && !self.refill()?)
    }

    /// Fills `out`, or its beginning if the content ends earlier. Returns the number of bytes filled.
    fn fill(&mut self, out: &mut [u8]) -> Result<usize, ZstdError> {
        let mut filled = 0;
        loop {
            let written = self.decompress_step(out, filled)?;
            filled += written;
            if filled == out.len() || self.is_done(written)? {
                return Ok(filled);
            }
        }
    }

    /// Unpacks the whole content of exactly `size` bytes directly into the result. The decoder allocates no window.
    pub(super) fn read_direct(mut self, size: u64) -> Result<Vec<u8>, ZstdError> {
        // Cannot fail: the decoder supports this parameter.
        let _ = self
            .decoder
            .set_parameter(DParameter::StableOutBuffer(true));
        let mut content = vec![0; size as usize];
        let mut filled = 0;
        loop {
            let written = self.decompress_step(&mut content, filled)?;
            filled += written;
            if self.is_done(written)? {
                break;
            }
        }
        if self.is_in_frame || self.frame_count == 0 || filled < content.len() {
            return Err(self.end_error(size));
        }
        Ok(content)
    }

    /// Unpacks the whole content of exactly `size` bytes. The result grows with the content, as `size` may be wrong.
    pub(crate) fn read_growing(mut self, size: u64) -> Result<Vec<u8>, ZstdError> {
        let content = self.read_vec(size)?;
        self.finish(size).map(|()| content)
    }

    /// Unpacks the next `size` bytes.
    pub(crate) fn read_vec(&mut self, size: u64) -> Result<Vec<u8>, ZstdError> {
        let mut content = Vec::new();
        self.append(size, &mut content).map(|()| content)
    }

    /// Appends the next `size` bytes to `content`, which grows in few steps as the bytes arrive.
    pub(crate) fn append(&mut self, size: u64, content: &mut Vec<u8>) -> Result<(), ZstdError> {
        let first = content.len();
        // Each step is a sixteenth of the next. The last step is the full size.
        let mut step = size;
        while step > TRUSTED_SIZE {
            step = step.div_ceil(TRUSTED_RATIO);
        }
        while ((content.len() - first) as u64) < size {
            let start = content.len();
            let target = first + step.min(size) as usize;
            step = step.saturating_mul(TRUSTED_RATIO);
            content.reserve_exact(target - start);
            content.resize(target, 0);
            let filled = self.fill(&mut content[start..])?;
            if start + filled < target {
                return Err(self.end_error(size));
            }
        }
        Ok(())
    }

    pub(crate) fn skip(&mut self, mut size: u64) -> Result<(), ZstdError> {
        let mut scratch = vec![0; DCtx::out_size()];
        while size > 0 {
            let count = size.min(scratch.len() as u64) as usize;
            if self.fill(&mut scratch[..count])? < count {
                return Err(self.end_error(self.unpacked_size + size));
            }
            size -= count as u64;
        }
        Ok(())
    }

    /// Returns an error if the frames do not end after `size` unpacked bytes.
    fn finish(&mut self, size: u64) -> Result<(), ZstdError> {
        match self.fill(&mut [0])? {
            0 if self.is_in_frame || self.frame_count == 0 => Err(self.end_error(size)),
            0 => Ok(()),
            _ => Err(excess_error(size)),
        }
    }

    /// Returns the error for content that ends before `size` bytes.
    fn end_error(&self, size: u64) -> ZstdError {
        if self.is_in_frame || self.frame_count == 0 {
            ZstdError::Invalid("the frame is truncated".into())
        } else {
            shortfall_error(self.unpacked_size, size)
        }
    }
}
