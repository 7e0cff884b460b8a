//! Packed bytes of a stream, kept until their hash is verified.

use std::io::{self, Read};

use super::fault::Fault;

/// The size of a chunk in bytes, a multiple of the 48-byte blocks of the hash.
const CHUNK: usize = 48 * 21_845;

/// The content of a stream, in chunks that are freed as they are read again. A growing list would use up to three times
/// the memory while it reallocates.
#[derive(Default)]
pub(crate) struct Chunks {
    /// Chunks of [`CHUNK`] bytes. The last one may differ in size, but has at least 48 bytes unless it is the only one.
    chunks: Vec<Vec<u8>>,
    /// The index of the chunk to read next, and the offset in it.
    next: (usize, usize),
}

impl Chunks {
    /// Reads a stream to its end.
    pub(crate) fn read(mut source: impl Read, limit: u64) -> Result<Chunks, Fault> {
        let mut chunks: Vec<Vec<u8>> = Vec::new();
        let mut total = 0;
        loop {
            let mut chunk = Vec::new();
            // One byte beyond the limit reveals that the stream exceeds it.
            let size = (limit - total).saturating_add(1).min(CHUNK as u64);
            let read = source.by_ref().take(size).read_to_end(&mut chunk).map_err(Fault::Io)? as u64;
            total += read;
            if total > limit {
                return Err(Fault::Limit(format!("the packed data is over the limit of {limit} bytes")));
            }
            match chunks.last_mut() {
                Some(last) if read < 48 => last.append(&mut chunk),
                _ => chunks.push(chunk),
            }
            if read < size {
                return Ok(Chunks { chunks, next: (0, 0) });
            }
        }
    }

    pub(crate) fn as_slice(&self) -> &[Vec<u8>] {
        &self.chunks
    }

    pub(super) fn len(&self) -> u64 {
        self.chunks.iter().map(|chunk| chunk.len() as u64).sum()
    }
}

/// Frees each chunk after it has been read.
impl Read for Chunks {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let (index, start) = self.next;
        let Some(chunk) = self.chunks.get_mut(index) else { return Ok(0) };
        let read = (&chunk[start..]).read(buffer)?;
        self.next = (index, start + read);
        if start + read == chunk.len() {
            *chunk = Vec::new();
            self.next = (index + 1, 0);
        }
        Ok(read)
    }
}
