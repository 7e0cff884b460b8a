//! Reads files, except for the rest of a large file whose first bytes are those of another kind of file.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::{Error, Limit, Limits, Result};

/// The number of bytes read before a file is recognised. Larger than the start that any format inspects, and small
/// enough to be read in about a millisecond.
const START_SIZE: u64 = 4 << 20;

/// Reads a file, or only its first [`START_SIZE`] bytes if `is_possible` returns `false` for them. The reader then
/// rejects these bytes as it rejects a small file. `is_possible` also receives the size of a regular file.
///
/// # Errors
///
/// Returns an error if the file cannot be read, exceeds [`Limits::max_file_size`], or memory is exhausted.
pub(crate) fn read_file(
    path: &Path,
    limits: &Limits,
    is_possible: impl FnOnce(&[u8], Option<u64>) -> bool,
) -> Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let metadata = file.metadata()?;
    let size = metadata.is_file().then_some(metadata.len());
    let mut bytes = Vec::new();
    file.by_ref().take(START_SIZE).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == START_SIZE && !is_possible(&bytes, size) {
        return Ok(bytes);
    }
    read_rest(&mut file, size, limits, &mut bytes)?;
    Ok(bytes)
}

/// Reads a stream to its end. `size` is its size in bytes, if known.
///
/// # Errors
///
/// Returns an error if reading fails, `bytes` would exceed [`Limits::max_file_size`], or memory is exhausted.
pub(crate) fn read_rest(
    input: &mut dyn Read,
    size: Option<u64>,
    limits: &Limits,
    bytes: &mut Vec<u8>,
) -> Result<()> {
    let max = limits.max_file_size;
    let too_large = || {
        Error::limit_exceeded(
            Limit::FileSize,
            format!("larger than the limit of {max} bytes"),
        )
    };
    if size.is_some_and(|size| size > max) {
        return Err(too_large());
    }
    let missing = size.unwrap_or_default().saturating_sub(bytes.len() as u64);
    let reserved = usize::try_from(missing).map(|missing| bytes.try_reserve_exact(missing));
    if !matches!(reserved, Ok(Ok(()))) {
        return Err(io::Error::from(io::ErrorKind::OutOfMemory).into());
    }
    let rest = max.saturating_add(1).saturating_sub(bytes.len() as u64);
    input.take(rest).read_to_end(bytes)?;
    if bytes.len() as u64 > max {
        Err(too_large())
    } else {
        Ok(())
    }
}
