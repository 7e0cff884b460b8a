//! The packed bytes of a stream, kept in memory to verify their hash first.

use std::io::{self, Read};

use super::error::ZstdError;

/// The size of a chunk in bytes, a multiple of the 48-byte blocks of the hash.
const CHUNK_SIZE: usize = 48 * 21_845;

/// The content of a stream, in chunks. Reading frees each chunk after its last byte. A single growing list would need
/// up to three times the memory while it reallocates.
#[derive(Default)]
pub(crate) struct Chunks {
    /// Chunks of [`CHUNK_SIZE`] bytes. The last may differ in size, but has at least 48 bytes unless it is alone.
    chunks: Vec<Vec<u8>>,
    /// The position of the next byte to read: the index of the chunk, and the offset in it.
    position: (usize, usize),
}

impl Chunks {
    /// Reads a stream to its end. Returns an error if it has more than `limit` bytes.
    pub(crate) fn read(mut source: impl Read, limit: u64) -> Result<Chunks, ZstdError> {
        let mut chunks: Vec<Vec<u8>> = Vec::new();
        let mut total = 0;
        loop {
            let mut chunk = Vec::new();
            // Reads up to one byte beyond the limit, to detect that the stream exceeds it.
            let size = (limit - total).saturating_add(1).min(CHUNK_SIZE as u64);
            let read = source
                .by_ref()
                .take(size)
                .read_to_end(&mut chunk)
                .map_err(ZstdError::Io)? as u64;
            total += read;
            if total > limit {
                return Err(ZstdError::Limit(format!(
                    "the packed data is over the limit of {limit} bytes"
                )));
            }
            match chunks.last_mut() {
                Some(last) if read < 48 => last.append(&mut chunk),
                _ => chunks.push(chunk),
            }
            if read < size {
                return Ok(Chunks {
                    chunks,
                    position: (0, 0),
                });
            }
        }
    }

    pub(crate) fn as_slice(&self) -> &[Vec<u8>] {
        &self.chunks
    }

    /// The total size of the chunks in bytes.
    pub(super) fn len(&self) -> u64 {
        self.chunks.iter().map(|chunk| chunk.len() as u64).sum()
    }
}

impl Read for Chunks {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let (index, start) = self.position;
        let Some(chunk) = self.chunks.get_mut(index) else {
            return Ok(0);
        };
        let read = (&chunk[start..]).read(buffer)?;
        self.position = (index, start + read);
        if start + read == chunk.len() {
            *chunk = Vec::new();
            self.position = (index + 1, 0);
        }
        Ok(read)
    }
}
