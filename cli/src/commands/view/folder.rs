//! The folder that is served: its list, and the files in it.

use std::fmt::Write;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use meshspec::{Formats, interop};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::listing::{files_in, is_mesh};
use crate::regular;
use crate::terminal::Escaped;

/// Files of a list.
const MAX_FILES: usize = 2000;

/// What paths in addresses escape.
const IN_PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'.').remove(b'-').remove(b'_');

const MARKUP: &str = include_str!("../../view/folder.html");

/// A folder whose files are served, and nothing else.
pub struct Folder {
    /// Without links.
    path: PathBuf,
}

impl Folder {
    /// Returns a folder.
    ///
    /// # Errors
    ///
    /// If there is none at this path.
    pub fn open(path: &Path) -> io::Result<Folder> {
        let path = fs::canonicalize(path)?;
        if path.is_dir() { Ok(Folder { path }) } else { Err(ErrorKind::NotADirectory.into()) }
    }

    /// Returns the regular file of a name in the folder or below.
    ///
    /// # Errors
    ///
    /// If there is none, or the name or a link leads out of the folder.
    pub fn locate(&self, name: &str) -> io::Result<PathBuf> {
        let path = interop::Folder::new(&self.path).locate(name)?;
        regular::require(&path)?;
        Ok(path)
    }

    /// Returns a page with a link to each file that may be a mesh.
    ///
    /// # Errors
    ///
    /// If the folder cannot be read.
    pub fn page(&self, formats: &Formats) -> io::Result<String> {
        let files = files_in(&self.path, &|path| is_mesh(path, formats))?;
        let names = files.iter().filter_map(|file| file.strip_prefix(&self.path).ok()?.to_str());
        let mut links = String::new();
        for name in names.take(MAX_FILES) {
            let address = utf8_percent_encode(name, IN_PATH);
            // Writing to a string cannot fail.
            let _ = writeln!(links, "<li><a href=\"view/{address}\">{}</a></li>", html(name));
        }
        let note = match files.len() {
            0 => "No file in this folder has the extension of a format.".to_owned(),
            count if count > MAX_FILES => format!("The first {MAX_FILES} of {count} files are listed."),
            _ => String::new(),
        };
        Ok(MARKUP.replace("<!-- note -->", &note).replace("<!-- files -->", &links))
    }
}

/// Text as HTML, without characters that change the direction of text.
fn html(text: &str) -> String {
    let text = Escaped(text).to_string();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
