//! Regular files. Other kinds are rejected, since reading a FIFO or a device may block or never end.

use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use crate::memory;

/// Reads the first bytes of a regular file, at most `limit`.
///
/// # Errors
///
/// Returns an error if the file is not a regular one or cannot be read, or if memory is exhausted. FIFOs and devices
/// are not opened.
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    require(path)?;
    let mut options = File::options();
    options.read(true);
    // If a FIFO replaced the file meanwhile, opening does not wait for a writer.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    let file = options.open(path)?;
    let metadata = file.metadata()?;
    check(&metadata)?;
    let mut bytes = Vec::new();
    let size = usize::try_from(metadata.len().min(limit)).map_err(|_| ErrorKind::OutOfMemory)?;
    memory::fallible(|| bytes.try_reserve_exact(size)).map_err(|_| ErrorKind::OutOfMemory)?;
    file.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Checks that a file is regular; follows links.
///
/// # Errors
///
/// Returns an error if the file is missing or not a regular one.
pub fn require(path: &Path) -> io::Result<()> {
    check(&fs::metadata(path)?)
}

/// Returns the size of a regular file in bytes; follows links.
///
/// # Errors
///
/// Returns an error if the file is missing or not a regular one.
pub fn size(path: &Path) -> io::Result<u64> {
    let metadata = fs::metadata(path)?;
    check(&metadata)?;
    Ok(metadata.len())
}

fn check(metadata: &Metadata) -> io::Result<()> {
    if metadata.is_file() {
        return Ok(());
    }
    let message = format!("{}, not a regular file: not read", kind_of(metadata));
    Err(io::Error::new(ErrorKind::InvalidInput, message))
}

fn kind_of(metadata: &Metadata) -> &'static str {
    let kind = metadata.file_type();
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return "a FIFO";
        }
        if kind.is_socket() {
            return "a socket";
        }
        if kind.is_char_device() || kind.is_block_device() {
            return "a device";
        }
    }
    if kind.is_dir() { "a folder" } else { "a special file" }
}
