//! Lists the input files of a command line: files, folders and patterns.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use meshspec::Formats;
use meshspec::interop::Interchange;

use crate::failure::{Failure, Result};
use crate::input::is_pattern;
use crate::regular;

/// An input file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    pub file: PathBuf,
    /// The path relative to the folder on the command line; otherwise the file name.
    pub name: PathBuf,
    /// Whether the command line names the file itself, rather than a folder, a pattern or a list.
    pub is_named: bool,
}

impl Listed {
    /// Returns `true` if the command line has a pattern without a match.
    pub fn is_unmatched(&self) -> bool {
        self.is_named && is_pattern(&self.file) && !self.file.exists()
    }

    /// # Errors
    ///
    /// Returns an error for a file that is neither regular nor named on the command line: an idle pipe would block the
    /// batch.
    pub fn require_readable(&self) -> Result<()> {
        if self.is_named {
            return Ok(());
        }
        regular::require(&self.file).map_err(|error| {
            let failure = Failure::io(&self.file.display().to_string(), &error);
            match error.kind() {
                io::ErrorKind::InvalidInput => failure.with_hint("name it on the command line to read it"),
                _ => failure,
            }
        })
    }
}

impl AsRef<Path> for Listed {
    fn as_ref(&self) -> &Path {
        &self.file
    }
}

/// Lists the files of these paths: files, the files below folders for which `is_meant` returns `true`, and matches of
/// patterns. Missing files are listed as given.
pub fn list(paths: &[PathBuf], is_meant: &dyn Fn(&Path) -> bool) -> Result<Vec<Listed>> {
    let mut files: Vec<Listed> = Vec::new();
    for named in paths {
        for path in expand(named)? {
            let is_named = path == *named && !path.is_dir();
            let below = if path.is_dir() { files_in(&path, is_meant) } else { Ok(vec![path.clone()]) };
            let below = below.map_err(|error| Failure::io(&path.display().to_string(), &error))?;
            let base = if path.is_dir() { &path } else { path.parent().unwrap_or(&path) };
            files.extend(below.into_iter().map(|file| {
                let name = file.strip_prefix(base).unwrap_or(&file).to_owned();
                Listed { file, name, is_named }
            }));
        }
    }
    Ok(files)
}

/// Works as [`list`], but requires at least one file.
pub fn list_some(paths: &[PathBuf], is_meant: &dyn Fn(&Path) -> bool) -> Result<Vec<Listed>> {
    let files = list(paths, is_meant)?;
    match paths.first() {
        Some(path) if files.is_empty() => {
            let message = "no file in it has the extension of a format; `meshspec formats` lists them";
            Err(Failure::usage(&path.display().to_string(), message))
        }
        _ => Ok(files),
    }
}

/// Expands a pattern that the shell has not expanded, in the order of names.
fn expand(path: &Path) -> Result<Vec<PathBuf>> {
    let as_it_is = || Ok(vec![path.to_owned()]);
    let Some(pattern) = path.to_str().filter(|_| is_pattern(path) && !path.exists()) else {
        return as_it_is();
    };
    let Ok(matches) = glob::glob(pattern) else { return as_it_is() };
    let matches = matches
        .map(|found| found.map_err(|error| Failure::io(&error.path().display().to_string(), error.error())));
    let matches = matches.collect::<Result<Vec<_>>>()?;
    if matches.is_empty() { as_it_is() } else { Ok(matches) }
}

/// Returns the files below a folder for which `is_meant` returns `true`, sorted. Does not follow links to folders.
pub fn files_in(folder: &Path, is_meant: &dyn Fn(&Path) -> bool) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            files.extend(files_in(&path, is_meant)?);
        } else if is_meant(&path) {
            files.push(path);
        }
    }
    Ok(files)
}

/// Returns `true` if a file has the extension of a format. JSON does not count, since it may be anything.
pub fn is_mesh(path: &Path, formats: &Formats) -> bool {
    let Some(extension) = path.extension().and_then(OsStr::to_str) else { return false };
    formats.iter().any(|format| format.about().has_extension(extension))
        || Interchange::by_extension(path).is_some()
}
