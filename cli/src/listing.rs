//! Lists the input files given on the command line as files, folders and patterns.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use glob::Pattern;
use meshspec::Formats;
use meshspec::interop::Interchange;

use crate::failure::{Failure, Result};
use crate::input::{is_pattern, text_of};
use crate::regular_files;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputFile {
    pub file: PathBuf,
    /// The path relative to the folder given on the command line. For a file in a list, the listed path without its
    /// root, `.` and `..`; for any other file, its name.
    pub relative_path: PathBuf,
    /// Whether the file itself is given on the command line, rather than a folder, a pattern or a list that contains
    /// it.
    pub is_explicit: bool,
}

impl InputFile {
    /// Returns `true` if the path is a pattern that matches no file.
    pub fn is_unmatched_pattern(&self) -> bool {
        self.is_explicit && is_pattern(&self.file) && !self.file.exists()
    }

    /// Checks that a file from a folder, pattern or list is regular, since reading an idle pipe would block a batch.
    ///
    /// # Errors
    ///
    /// Returns an error if the file is neither regular nor given explicitly on the command line.
    pub fn require_readable(&self) -> Result<()> {
        if self.is_explicit {
            return Ok(());
        }
        regular_files::require_regular(&self.file).map_err(|error| {
            let failure = Failure::io(&text_of(&self.file), &error);
            match error.kind() {
                io::ErrorKind::InvalidInput => {
                    failure.with_hint("to read it, give its path on the command line")
                }
                _ => failure,
            }
        })
    }
}

impl AsRef<Path> for InputFile {
    fn as_ref(&self) -> &Path {
        &self.file
    }
}

/// Lists the input files of `paths`: the files, the matches of patterns, and the files in folders and their subfolders
/// for which `is_wanted` returns `true`. Includes missing files and patterns without a match unchanged.
///
/// Skips the file `output`, or the files in the folder `output` and its subfolders, since they are outputs of earlier runs:
/// unless a file, folder or pattern in `output` is named.
pub fn list_files(
    paths: &[PathBuf],
    output: Option<&Path>,
    is_wanted: &dyn Fn(&Path) -> bool,
) -> Result<Vec<InputFile>> {
    // A missing output is no input.
    let output = output.and_then(|output| fs::canonicalize(output).ok());
    let is_in_output = |path: &Path| {
        let path = fs::canonicalize(or_current(path));
        output
            .as_ref()
            .is_some_and(|output| path.is_ok_and(|path| path.starts_with(output)))
    };
    let mut files: Vec<InputFile> = Vec::new();
    for named in paths {
        // The part of a pattern before its first wildcard.
        let parent = named
            .ancestors()
            .find(|ancestor| !is_pattern(ancestor))
            .unwrap_or(named);
        let output = output.as_deref().filter(|_| !is_in_output(parent));
        for path in expand(named)? {
            let is_explicit = path == *named && !path.is_dir();
            if !is_explicit && output.is_some() && is_in_output(&path) {
                continue;
            }
            let listed = if path.is_dir() {
                files_in(&path, output, is_wanted)
            } else {
                Ok(vec![path.clone()])
            };
            let mut listed = listed.map_err(|error| Failure::io(&text_of(&path), &error))?;
            if output.is_some_and(Path::is_file) {
                listed.retain(|file| is_explicit || !is_in_output(file));
            }
            let base = if path.is_dir() {
                &path
            } else {
                path.parent().unwrap_or(&path)
            };
            files.extend(listed.into_iter().map(|file| {
                let relative_path = file.strip_prefix(base).unwrap_or(&file).to_owned();
                InputFile {
                    file,
                    relative_path,
                    is_explicit,
                }
            }));
        }
    }
    Ok(files)
}

/// Like [`list_files`], but returns a usage error if there is no file.
pub fn list_at_least_one(
    paths: &[PathBuf],
    output: Option<&Path>,
    is_wanted: &dyn Fn(&Path) -> bool,
) -> Result<Vec<InputFile>> {
    let files = list_files(paths, output, is_wanted)?;
    match paths.first() {
        Some(path) if files.is_empty() => {
            let message =
                "no file in it has a supported extension; `meshspec formats` lists the extensions";
            Err(Failure::usage(&text_of(path), message))
        }
        _ => Ok(files),
    }
}

/// Returns the matches of a pattern that the shell has not expanded, sorted by path; otherwise, the path itself.
///
/// Matches names as text in which each sequence of bytes that is not UTF-8 is one character.
fn expand(path: &Path) -> Result<Vec<PathBuf>> {
    let unexpanded = || Ok(vec![path.to_owned()]);
    if !is_pattern(path) || path.exists() {
        return unexpanded();
    }
    let mut found = BTreeSet::from([PathBuf::new()]);
    let mut components = path.components();
    while let Some(component) = components.next() {
        let name = Path::new(component.as_os_str());
        if !is_pattern(name) {
            let joined = found.into_iter().map(|folder| folder.join(name));
            found = joined
                .filter(|path| path.symlink_metadata().is_ok())
                .collect();
            continue;
        }
        let is_recursive = component.as_os_str() == "**";
        if is_recursive && components.as_path().as_os_str().is_empty() {
            // A folder includes its subfolders.
            break;
        }
        let Ok(pattern) = Pattern::new(&name.to_string_lossy()) else {
            return unexpanded();
        };
        let mut matches = BTreeSet::new();
        let mut folders: Vec<PathBuf> = found
            .into_iter()
            .filter(|folder| or_current(folder).is_dir())
            .collect();
        while let Some(folder) = folders.pop() {
            for entry in
                entries_of(&folder).map_err(|error| Failure::io(&text_of(&folder), &error))?
            {
                let path = folder.join(entry.file_name());
                if is_recursive && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    folders.push(path);
                } else if !is_recursive && pattern.matches(&entry.file_name().to_string_lossy()) {
                    matches.insert(path);
                }
            }
            if is_recursive {
                matches.insert(folder);
            }
        }
        found = matches;
    }
    if found.is_empty() {
        unexpanded()
    } else {
        Ok(found.iter().map(|path| or_current(path)).collect())
    }
}

/// Returns the path, or `.` if it is empty.
fn or_current(path: &Path) -> PathBuf {
    if path.as_os_str().is_empty() {
        PathBuf::from(".")
    } else {
        path.to_owned()
    }
}

/// Returns the entries of a folder, sorted by name.
fn entries_of(folder: &Path) -> io::Result<Vec<fs::DirEntry>> {
    let mut entries = fs::read_dir(or_current(folder))?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    Ok(entries)
}

/// Returns the files in a folder and its subfolders for which `is_wanted` returns `true`, sorted by name within each
/// folder. Does not follow links to folders, and skips the subfolder with the canonical path `skipped`.
pub fn files_in(
    folder: &Path,
    skipped: Option<&Path>,
    is_wanted: &dyn Fn(&Path) -> bool,
) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in entries_of(folder)? {
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            if skipped
                .is_none_or(|skipped| fs::canonicalize(&path).is_ok_and(|path| path != skipped))
            {
                files.extend(files_in(&path, skipped, is_wanted)?);
            }
        } else if is_wanted(&path) {
            files.push(path);
        }
    }
    Ok(files)
}

/// Returns `true` if a file has a supported extension, except `.json`, since such a file may contain anything.
pub fn has_mesh_extension(path: &Path, formats: &Formats) -> bool {
    let Some(extension) = path.extension().and_then(OsStr::to_str) else {
        return false;
    };
    formats
        .iter()
        .any(|format| format.about().has_extension(extension))
        || Interchange::by_extension(path).is_some()
}
