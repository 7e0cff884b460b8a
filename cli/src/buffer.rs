//! Reads files and streams into memory.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::ops::Deref;

use memmap2::MmapMut;
use meshspec::Limits;

/// The minimum size of a file that is read into huge pages, in bytes. With small pages, page faults would take most of
/// the time. Of a larger file, this many bytes are read before it is recognised: more than any format inspects.
pub const MIN_LARGE_SIZE: u64 = 4 << 20;

/// Returns `false` if the bytes are the start of another kind of file than the expected ones. Also receives the size of
/// a regular file.
pub type StartCheck<'c> = &'c dyn Fn(&[u8], Option<u64>) -> bool;

/// The bytes of a file in memory.
///
/// Files are read rather than memory-mapped, so a file truncated by another process cannot crash the program.
pub enum Buffer {
    Small(Vec<u8>),
    /// Anonymous memory, and the number of bytes at its start that belong to the file.
    Large(MmapMut, usize),
}

/// Reads the first [`MIN_LARGE_SIZE`] bytes of a stream; fewer if the stream is smaller.
pub fn read_start(stream: &mut dyn Read) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    stream.take(MIN_LARGE_SIZE).read_to_end(&mut start)?;
    Ok(start)
}

/// A stream whose size is limited: it may be endless.
pub struct LimitedStream<R> {
    stream: R,
    remaining: u64,
}

impl<R: Read> LimitedStream<R> {
    pub fn new(stream: R) -> LimitedStream<R> {
        LimitedStream {
            stream,
            remaining: max_size(),
        }
    }
}

impl<R: Read> Read for LimitedStream<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = self.stream.read(buffer)?;
        let remaining = self.remaining.checked_sub(size as u64);
        self.remaining = remaining.ok_or_else(|| too_large("stream"))?;
        Ok(size)
    }
}

impl Buffer {
    /// Reads a file. Returns fewer bytes if the file is truncated while reading.
    ///
    /// # Errors
    ///
    /// See [`read_stream`](Buffer::read_stream).
    pub fn read_file(mut file: File, is_possible: StartCheck) -> io::Result<Buffer> {
        let metadata = file.metadata()?;
        let size = metadata.len();
        // FIFOs and devices have no size.
        if size < MIN_LARGE_SIZE || !metadata.is_file() {
            return Buffer::read_stream(&mut file, is_possible);
        }
        let mut start = vec![0; MIN_LARGE_SIZE as usize];
        let start_size = fill(&mut start, &mut file)?;
        start.truncate(start_size);
        if !is_possible(&start, Some(size)) {
            return Ok(Buffer::Small(start));
        }
        if size > max_size() {
            return Err(too_large("file"));
        }
        let size = usize::try_from(size).map_err(|_| ErrorKind::OutOfMemory)?;
        let mut memory = MmapMut::map_anon(size)?;
        // Ignores an error, since huge pages are optional.
        #[cfg(target_os = "linux")]
        let _ = memory.advise(memmap2::Advice::HugePage);
        memory[..start_size].copy_from_slice(&start);
        drop(start);
        let read = start_size + fill(&mut memory[start_size..], &mut file)?;
        Ok(Buffer::Large(memory, read))
    }

    /// Reads a stream to its end, or only its first 4 MiB if `is_possible` returns `false` for them. These are then
    /// rejected like a small file.
    ///
    /// # Errors
    ///
    /// Returns an error if reading fails, or if the stream exceeds [`Limits::max_file_size`]: it may be endless.
    pub fn read_stream(stream: &mut dyn Read, is_possible: StartCheck) -> io::Result<Buffer> {
        let mut bytes = read_start(stream)?;
        if bytes.len() as u64 == MIN_LARGE_SIZE && is_possible(&bytes, None) {
            stream
                .take(max_size() + 1 - MIN_LARGE_SIZE)
                .read_to_end(&mut bytes)?;
        }
        if bytes.len() as u64 > max_size() {
            Err(too_large("stream"))
        } else {
            Ok(Buffer::Small(bytes))
        }
    }
}

/// The maximum size of a file or stream in bytes.
pub fn max_size() -> u64 {
    Limits::default().max_file_size
}

fn too_large(kind: &str) -> io::Error {
    let message = format!(
        "the {kind} is larger than {} GiB, the limit for files that are read whole",
        max_size() >> 30
    );
    io::Error::new(ErrorKind::FileTooLarge, message)
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
        Buffer::read_file(file.reopen().unwrap(), &|_, _| true).unwrap()
    }

    #[test]
    fn large_and_small_files_are_read_completely() {
        let bytes: Vec<u8> = (0..MIN_LARGE_SIZE + 3)
            .map(|index| (index % 251) as u8)
            .collect();
        for size in [
            0,
            1,
            MIN_LARGE_SIZE - 1,
            MIN_LARGE_SIZE,
            MIN_LARGE_SIZE + 1,
            MIN_LARGE_SIZE + 3,
        ] {
            let buffer = read(&bytes[..size as usize]);
            assert_eq!(matches!(buffer, Buffer::Large(..)), size >= MIN_LARGE_SIZE);
            assert!(*buffer == bytes[..size as usize], "{size} bytes");
        }
    }

    #[test]
    fn the_rest_of_a_large_file_of_another_kind_is_not_read() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for size in [MIN_LARGE_SIZE, MIN_LARGE_SIZE + 1, max_size() + 1] {
            // A sparse file.
            file.as_file().set_len(size).unwrap();
            let mut received = None;
            let received_cell = std::cell::RefCell::new(&mut received);
            let is_possible = |start: &[u8], size| {
                **received_cell.borrow_mut() = Some((start.len() as u64, size));
                false
            };
            let buffer = Buffer::read_file(file.reopen().unwrap(), &is_possible).unwrap();
            assert_eq!(buffer.len() as u64, MIN_LARGE_SIZE);
            let stream =
                Buffer::read_stream(&mut io::repeat(0), &|_, size| size.is_some()).unwrap();
            assert_eq!(stream.len() as u64, MIN_LARGE_SIZE);
            assert_eq!(received, Some((MIN_LARGE_SIZE, Some(size))));
        }
        let error = Buffer::read_file(file.reopen().unwrap(), &|_, _| true)
            .err()
            .unwrap();
        assert_eq!(error.kind(), ErrorKind::FileTooLarge);
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
        assert_eq!(
            fill(&mut memory, &mut SlowReader(b"12345678", false)).unwrap(),
            8
        );
        assert_eq!(&memory, b"12345678\0\0");
        assert_eq!(
            fill(&mut memory[..4], &mut SlowReader(b"abcdefgh", false)).unwrap(),
            4
        );
        assert_eq!(&memory[..5], b"abcd5");
    }
}
