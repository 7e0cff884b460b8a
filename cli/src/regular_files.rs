//! Access to regular files only, since reading a FIFO or a device may block or never end.

use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use crate::memory;

/// Reads a regular file; if it has more than `limit` bytes, only the first `limit` bytes.
///
/// # Errors
///
/// Returns an error if the file is not regular or cannot be read, or if memory is exhausted. Does not open FIFOs or
/// devices.
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    require_regular(path)?;
    let mut options = File::options();
    options.read(true);
    // If a FIFO has replaced the file since the check, opening it does not wait for a writer.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    let file = options.open(path)?;
    let metadata = file.metadata()?;
    check_type(&metadata)?;
    let mut bytes = Vec::new();
    let size = usize::try_from(metadata.len().min(limit)).map_err(|_| ErrorKind::OutOfMemory)?;
    memory::with_fallible(|| bytes.try_reserve_exact(size)).map_err(|_| ErrorKind::OutOfMemory)?;
    file.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Checks that a file is regular. Follows links.
///
/// # Errors
///
/// Returns an error if the file is missing or not regular.
pub fn require_regular(path: &Path) -> io::Result<()> {
    check_type(&fs::metadata(path)?)
}

/// Returns the size of a regular file in bytes. Follows links.
///
/// # Errors
///
/// Returns an error if the file is missing or not regular.
pub fn file_size(path: &Path) -> io::Result<u64> {
    let metadata = fs::metadata(path)?;
    check_type(&metadata)?;
    Ok(metadata.len())
}

fn check_type(metadata: &Metadata) -> io::Result<()> {
    if metadata.is_file() {
        return Ok(());
    }
    let message = format!("{}, not a regular file: not read", describe_type(metadata));
    Err(io::Error::new(ErrorKind::InvalidInput, message))
}

fn describe_type(metadata: &Metadata) -> &'static str {
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
    if kind.is_dir() {
        "a folder"
    } else {
        "a special file"
    }
}
