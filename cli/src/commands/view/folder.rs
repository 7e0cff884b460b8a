//! The folder that is served: lists and finds its files.

use std::fmt::Write;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use meshspec::{Formats, interop};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};

use crate::input::text_of;
use crate::listing::{files_in, has_mesh_extension};
use crate::regular_files;
use crate::terminal::Escaped;

/// The maximum number of files in the list.
const MAX_FILES: usize = 2000;

/// The characters that are percent-encoded in URL paths.
const PERCENT_ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'.')
    .remove(b'-')
    .remove(b'_');

const MARKUP: &str = include_str!("../../view/folder.html");

/// A folder whose files are served. Paths outside of it are rejected.
pub struct Folder {
    /// The canonical path.
    path: PathBuf,
}

impl Folder {
    /// Opens a folder.
    ///
    /// # Errors
    ///
    /// Returns an error if the path is missing or not a folder.
    pub fn open(path: &Path) -> io::Result<Folder> {
        let path = fs::canonicalize(path)?;
        if path.is_dir() {
            Ok(Folder { path })
        } else {
            Err(ErrorKind::NotADirectory.into())
        }
    }

    /// Returns the path of a regular file in the folder or a subfolder.
    ///
    /// # Errors
    ///
    /// Returns an error if the file is missing or not regular, or if the name or a link leads out of the folder.
    pub fn locate(&self, name: &Path) -> io::Result<PathBuf> {
        let path = interop::Folder::new(&self.path).locate(name)?;
        regular_files::require_regular(&path)?;
        Ok(path)
    }

    /// Returns a page with links to the first [`MAX_FILES`] files with a supported extension.
    ///
    /// # Errors
    ///
    /// Returns an error if the folder cannot be read.
    pub fn page(&self, formats: &Formats) -> io::Result<String> {
        let files = files_in(&self.path, None, &|path| has_mesh_extension(path, formats))?;
        let names = files
            .iter()
            .filter_map(|file| file.strip_prefix(&self.path).ok());
        let mut links = String::new();
        for name in names.take(MAX_FILES) {
            let address = percent_encode(name.as_os_str().as_encoded_bytes(), PERCENT_ENCODED);
            // Writing to a string cannot fail.
            let _ = writeln!(
                links,
                "<li><a href=\"view/{address}\">{}</a></li>",
                escape_html(&text_of(name))
            );
        }
        let note = match files.len() {
            0 => "No file in this folder has a supported extension.".to_owned(),
            count if count > MAX_FILES => {
                format!("The first {MAX_FILES} of {count} files are listed.")
            }
            _ => String::new(),
        };
        Ok(MARKUP
            .replace("<!-- note -->", &note)
            .replace("<!-- files -->", &links))
    }
}

/// Escapes text for HTML, including characters that change the direction of text.
fn escape_html(text: &str) -> String {
    let text = Escaped(text).to_string();
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
