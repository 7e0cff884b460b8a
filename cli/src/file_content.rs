//! Compares the content of files.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use crate::job_log::hash_file;

/// Returns `true` if a file has the SHA-256 `expected`; `false` if `expected` is `None` or the file cannot be read.
pub fn has_hash(path: &Path, expected: Option<&str>) -> bool {
    expected.is_some_and(|expected| hash_file(path).is_ok_and(|found| found == expected))
}

/// Returns `Some(true)` if the content of the file at `path` equals `bytes`, `Some(false)` if they differ, and `None`
/// if the file does not exist.
pub fn compare_content(path: &Path, bytes: &[u8]) -> io::Result<Option<bool>> {
    match File::open(path) {
        Ok(file) => has_content(file, bytes).map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns `true` if a file is regular and its content equals `bytes`.
fn has_content(file: File, bytes: &[u8]) -> io::Result<bool> {
    let metadata = file.metadata()?;
    if !metadata.is_file() || metadata.len() != bytes.len() as u64 {
        return Ok(false);
    }
    let mut content = Vec::with_capacity(bytes.len());
    file.take(bytes.len() as u64).read_to_end(&mut content)?;
    Ok(content == bytes)
}

/// Returns `true` if `file` and the file at `path` have the same content.
pub fn have_same_content(mut file: File, path: &Path) -> io::Result<bool> {
    let mut content = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_end(&mut content)?;
    has_content(File::open(path)?, &content)
}
