//! Reads files and streams into memory.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::ops::Deref;

use memmap2::MmapMut;

/// The minimum size of a file that is read into huge pages, in bytes. With small pages, page faults would take most of
/// the time.
const MIN_LARGE_SIZE: u64 = 4 << 20;

/// The maximum size of a stream in bytes.
const MAX_STREAM_SIZE: u64 = 4 << 30;

/// The bytes of a file in memory.
///
/// Files are read rather than memory-mapped, so a file truncated by another process cannot crash the program.
pub enum Buffer {
    Small(Vec<u8>),
    /// Anonymous memory, and the number of bytes at its start that belong to the file.
    Large(MmapMut, usize),
}

impl Buffer {
    /// Reads a file. Returns fewer bytes if the file is truncated while reading.
    pub fn read_file(mut file: File) -> io::Result<Buffer> {
        let size = file.metadata()?.len();
        if size < MIN_LARGE_SIZE {
            return Buffer::read_stream(&mut file);
        }
        let size = usize::try_from(size).map_err(|_| ErrorKind::OutOfMemory)?;
        let mut memory = MmapMut::map_anon(size)?;
        // Ignores an error, since huge pages are optional.
        #[cfg(target_os = "linux")]
        let _ = memory.advise(memmap2::Advice::HugePage);
        let read = fill(&mut memory, &mut file)?;
        Ok(Buffer::Large(memory, read))
    }

    /// Reads a stream to its end.
    ///
    /// # Errors
    ///
    /// Returns an error if reading fails, or if the stream is longer than [`MAX_STREAM_SIZE`]: it may be endless.
    pub fn read_stream(stream: &mut dyn Read) -> io::Result<Buffer> {
        let mut bytes = Vec::new();
        stream.take(MAX_STREAM_SIZE + 1).read_to_end(&mut bytes)?;
        match bytes.len() as u64 > MAX_STREAM_SIZE {
            true => Err(io::Error::new(
                ErrorKind::FileTooLarge,
                "the stream is longer than 4 GiB: save it as a file",
            )),
            false => Ok(Buffer::Small(bytes)),
        }
    }
}

/// Reads until the memory is full or the stream ends. Returns the number of bytes read.
fn fill(memory: &mut [u8], stream: &mut dyn Read) -> io::Result<usize> {
    let mut read = 0;
    while read < memory.len() {
        match stream.read(&mut memory[read..]) {
            Ok(0) => break,
            Ok(count) => read += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(read)
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Buffer::Small(bytes) => bytes,
            Buffer::Large(memory, size) => &memory[..*size],
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::io::Write;

    use super::*;

    fn read(bytes: &[u8]) -> Buffer {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        Buffer::read_file(file.reopen().unwrap()).unwrap()
    }

    #[test]
    fn large_and_small_files_are_read_completely() {
        let bytes: Vec<u8> = (0..MIN_LARGE_SIZE + 3).map(|index| (index % 251) as u8).collect();
        for size in [0, 1, MIN_LARGE_SIZE - 1, MIN_LARGE_SIZE, MIN_LARGE_SIZE + 1, MIN_LARGE_SIZE + 3] {
            let buffer = read(&bytes[..size as usize]);
            assert_eq!(matches!(buffer, Buffer::Large(..)), size >= MIN_LARGE_SIZE);
            assert!(*buffer == bytes[..size as usize], "{size} bytes");
        }
    }

    #[test]
    fn a_stream_may_return_few_bytes_per_read_and_end_early() {
        struct SlowReader<'b>(&'b [u8], bool);
        impl Read for SlowReader<'_> {
            fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
                self.1 = !self.1;
                if self.1 {
                    return Err(ErrorKind::Interrupted.into());
                }
                let few = into.len().min(3);
                self.0.read(&mut into[..few])
            }
        }
        let mut memory = [0; 10];
        assert_eq!(fill(&mut memory, &mut SlowReader(b"12345678", false)).unwrap(), 8);
        assert_eq!(&memory, b"12345678\0\0");
        assert_eq!(fill(&mut memory[..4], &mut SlowReader(b"abcdefgh", false)).unwrap(), 4);
        assert_eq!(&memory[..5], b"abcd5");
    }
}
