//! Unpacks zstd frames from a stream incrementally.

use std::io::{self, Read};

use zstd::zstd_safe::{DCtx, DParameter, FrameFormat, InBuffer, OutBuffer};

use super::fault::{Fault, MAX_WINDOW_LOG, fault_of, too_little, too_much};

/// Stated sizes up to this size, or up to this ratio to the packed size, are trusted.
pub(super) const TRUSTED_SIZE: u64 = 8 << 20;
pub(super) const TRUSTED_RATIO: u64 = 16;

/// Creates a decoder for IyMA's frames, which lack magic bytes.
pub(super) fn decoder() -> DCtx<'static> {
    let mut decoder = DCtx::create();
    for parameter in [DParameter::Format(FrameFormat::Magicless), DParameter::WindowLogMax(MAX_WINDOW_LOG)] {
        // Both values are in range.
        let _ = decoder.set_parameter(parameter);
    }
    decoder
}

/// Unpacks frames incrementally while reading.
pub(crate) struct Inflater<R> {
    source: R,
    decoder: DCtx<'static>,
    input: Box<[u8]>,
    /// The range of the input that is not yet decompressed.
    start: usize,
    end: usize,
    /// Whether the last frame is incomplete.
    inside: bool,
    frames: u64,
    /// The number of bytes unpacked so far.
    unpacked: u64,
}

impl<R: Read> Inflater<R> {
    pub(crate) fn new(source: R) -> Inflater<R> {
        Inflater {
            source,
            decoder: decoder(),
            input: vec![0; DCtx::in_size()].into(),
            start: 0,
            end: 0,
            inside: false,
            frames: 0,
            unpacked: 0,
        }
    }

    /// Reads more input. Returns `false` at its end.
    fn refill(&mut self) -> Result<bool, Fault> {
        let read = loop {
            match self.source.read(&mut self.input) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result.map_err(Fault::Io)?,
            }
        };
        (self.start, self.end) = (0, read);
        Ok(read > 0)
    }

    /// Decompresses into `out[filled..]`. Returns the number of bytes produced.
    fn step(&mut self, out: &mut [u8], filled: usize) -> Result<usize, Fault> {
        let mut input = InBuffer::around(&self.input[self.start..self.end]);
        let mut output = OutBuffer::around_pos(out, filled);
        let left = self.decoder.decompress_stream(&mut output, &mut input);
        let (read, written) = (input.pos(), output.pos() - filled);
        let left = left.map_err(|code| fault_of(code, self.unpacked))?;
        self.start += read;
        self.unpacked += written as u64;
        // Without input, the decoder stays between two frames.
        if left == 0 && (self.inside || read > 0) {
            self.frames += 1;
        }
        self.inside = left != 0 && (self.inside || read > 0);
        Ok(written)
    }

    /// Returns `true` if nothing is left to unpack, given the number of bytes that the last step produced.
    fn is_done(&mut self, written: usize) -> Result<bool, Fault> {
        Ok(self.start == self.end && written == 0 && !self.refill()?)
    }

    /// Fills `out` as far as the content suffices. Returns the number of bytes filled.
    fn fill(&mut self, out: &mut [u8]) -> Result<usize, Fault> {
        let mut filled = 0;
        loop {
            let written = self.step(out, filled)?;
            filled += written;
            if filled == out.len() || self.is_done(written)? {
                return Ok(filled);
            }
        }
    }

    /// Unpacks everything, exactly `size` bytes, directly into the result, so the decoder allocates no window.
    pub(super) fn read_all(mut self, size: u64) -> Result<Vec<u8>, Fault> {
        // The decoder supports this parameter.
        let _ = self.decoder.set_parameter(DParameter::StableOutBuffer(true));
        let mut content = vec![0; size as usize];
        let mut filled = 0;
        loop {
            let written = self.step(&mut content, filled)?;
            filled += written;
            if self.is_done(written)? {
                break;
            }
        }
        if self.inside || self.frames == 0 || filled < content.len() {
            return Err(self.ended(size));
        }
        Ok(content)
    }

    /// Unpacks everything, exactly `size` bytes, without relying on `size` for allocation.
    pub(crate) fn read_only(mut self, size: u64) -> Result<Vec<u8>, Fault> {
        let content = self.read_vec(size)?;
        self.finish(size).map(|()| content)
    }

    /// Unpacks the next `size` bytes.
    pub(crate) fn read_vec(&mut self, size: u64) -> Result<Vec<u8>, Fault> {
        let mut content = Vec::new();
        self.append(size, &mut content).map(|()| content)
    }

    /// Appends the next `size` bytes. Memory grows with the actual content, in steps that keep overhead small.
    pub(crate) fn append(&mut self, size: u64, content: &mut Vec<u8>) -> Result<(), Fault> {
        let first = content.len();
        // Each step is a sixteenth of the next; the last one is the full size.
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
                return Err(self.ended(size));
            }
        }
        Ok(())
    }

    /// Skips `size` bytes.
    pub(crate) fn skip(&mut self, mut size: u64) -> Result<(), Fault> {
        let mut scratch = vec![0; DCtx::out_size()];
        while size > 0 {
            let piece = size.min(scratch.len() as u64) as usize;
            if self.fill(&mut scratch[..piece])? < piece {
                return Err(self.ended(self.unpacked + size));
            }
            size -= piece as u64;
        }
        Ok(())
    }

    /// Returns an error if the frames do not end after `size` unpacked bytes.
    fn finish(&mut self, size: u64) -> Result<(), Fault> {
        match self.fill(&mut [0])? {
            0 if self.inside || self.frames == 0 => Err(self.ended(size)),
            0 => Ok(()),
            _ => Err(too_much(size)),
        }
    }

    fn ended(&self, size: u64) -> Fault {
        if self.inside || self.frames == 0 {
            Fault::Invalid("the frame is truncated".into())
        } else {
            too_little(self.unpacked, size)
        }
    }
}
