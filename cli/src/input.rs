//! Reads input files and standard input, and parses dialect options.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser, ValueParser};
use meshspec::interop::{Files, Folder, from_name};
use meshspec::{AnyFormat, Dialect, Formats, ReadOptions};

use crate::buffer::{Buffer, StartCheck};
use crate::failure::{Failure, Result};
use crate::readable::Readable;
use crate::regular_files;

pub fn read_options(lenient: bool) -> ReadOptions {
    if lenient {
        ReadOptions::lenient()
    } else {
        ReadOptions::default()
    }
}

/// Returns a usage error about `subject`, a file or an option, if the format lacks the dialect.
pub fn require_dialect(format: AnyFormat, dialect: Dialect, subject: &str) -> Result<()> {
    format
        .about()
        .require_dialect(dialect)
        .map_err(|error| Failure::usage(subject, error.message()))
}

/// The path that represents standard input or output.
pub const STANDARD: &str = "-";

/// Returns `true` if the path is `-`: standard input or output.
pub fn is_standard(path: &Path) -> bool {
    path.as_os_str() == STANDARD
}

/// Returns the name of an input file for messages.
pub fn name_of(path: &Path) -> String {
    if is_standard(path) {
        "standard input".to_owned()
    } else {
        text_of(path)
    }
}

/// Returns a path as text. Bytes that are not UTF-8 are written as `\xFF`, and backslashes as `\\`, so that different
/// files have different texts. On Windows, backslashes separate folders and are unchanged.
pub fn text_of(path: impl AsRef<OsStr>) -> String {
    let mut text = String::new();
    for chunk in path.as_ref().as_encoded_bytes().utf8_chunks() {
        text += &if cfg!(windows) {
            chunk.valid().into()
        } else {
            chunk.valid().replace('\\', r"\\")
        };
        text.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02X}")));
    }
    text
}

/// Returns the path with these bytes; `None` if paths are Unicode on this system, and the bytes are not UTF-8.
#[cfg(unix)]
pub fn path_from_bytes(bytes: &[u8]) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    Some(OsStr::from_bytes(bytes).into())
}

#[cfg(not(unix))]
pub fn path_from_bytes(bytes: &[u8]) -> Option<PathBuf> {
    std::str::from_utf8(bytes).map(PathBuf::from).ok()
}

/// Returns `true` if a path contains a wildcard: `*`, `?` or `[`.
pub fn is_pattern(path: &Path) -> bool {
    path.as_os_str()
        .as_encoded_bytes()
        .iter()
        .any(|byte| b"*?[".contains(byte))
}

/// Creates the failure for an error when opening or reading the file `path`.
/// Returns the failure for a file or stream that cannot be read.
pub fn read_failure(path: &Path, error: io::Error) -> Failure {
    let error = match error.kind() {
        io::ErrorKind::NotFound if is_pattern(path) => {
            io::Error::new(error.kind(), "no file matches this pattern")
        }
        _ => error,
    };
    Failure::io(&name_of(path), &error)
}

/// Reads a file or standard input.
pub fn read(path: &Path) -> Result<Buffer> {
    read_expected(path, &|_, _| true)
}

/// Like [`read`], but reads only the first bytes if they show that the file is of another kind.
pub fn read_expected(path: &Path, is_possible: StartCheck) -> Result<Buffer> {
    let bytes = if is_standard(path) {
        Buffer::read_stream(&mut io::stdin().lock(), is_possible)
    } else {
        File::open(path).and_then(|file| Buffer::read_file(file, is_possible))
    };
    bytes.map_err(|error| read_failure(path, error))
}

/// Opens a file or standard input as a stream.
pub fn open(path: &Path) -> Result<Box<dyn Read + Send>> {
    if is_standard(path) {
        return Ok(Box::new(io::stdin()));
    }
    match File::open(path) {
        Ok(file) => Ok(Box::new(file)),
        Err(error) => Err(read_failure(path, error)),
    }
}

/// The regular files in the folder of an input file and its subfolders.
pub struct SiblingFiles<'a>(&'a Path);

impl<'a> SiblingFiles<'a> {
    pub fn new(path: &'a Path) -> SiblingFiles<'a> {
        SiblingFiles(path)
    }

    /// Returns `true` if the companion file `name` does not exist; `false` for names that lead out of the folder, and if
    /// the input is standard input.
    pub fn is_missing(&self, name: &str) -> bool {
        self.locate(name)
            .is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
    }

    /// Returns the size of the companion file `name` in bytes.
    pub fn size(&self, name: &str) -> io::Result<u64> {
        regular_files::file_size(&self.locate(name)?)
    }

    /// Returns the path of the companion file `name`; an error if it is missing or outside the folder.
    fn locate(&self, name: &str) -> io::Result<PathBuf> {
        match is_standard(self.0) {
            true => Err(io::Error::new(
                io::ErrorKind::Unsupported,
                "standard input has no folder",
            )),
            false => Folder::of(self.0).locate(from_name(name)),
        }
    }
}

impl Files for SiblingFiles<'_> {
    fn read(&self, name: &str, limit: u64) -> io::Result<Vec<u8>> {
        regular_files::read(&self.locate(name)?, limit)
    }

    fn create(&mut self, name: &str) -> io::Result<Box<dyn Write + '_>> {
        Err(io::Error::new(
            io::ErrorKind::Unsupported,
            format!("\"{name}\": inputs are not written to"),
        ))
    }
}

/// Returns the parser of an option whose value is a dialect of a format in `formats` that a command reads. The help of
/// each value names the formats that have the dialect.
pub fn dialect_parser(formats: &Formats, readable: Readable) -> ValueParser {
    let formats: Vec<_> = formats
        .iter()
        .filter(|format| (readable.reads_format)(*format))
        .collect();
    let mut dialects: Vec<Dialect> = Vec::new();
    for dialect in formats.iter().flat_map(|format| format.about().dialects) {
        if !dialects.contains(dialect) {
            dialects.push(*dialect);
        }
    }
    let values: Vec<_> = dialects
        .iter()
        .map(|dialect| {
            let with_dialect = formats
                .iter()
                .filter(|format| format.about().dialects.contains(dialect));
            let names: Vec<_> = with_dialect.map(|format| format.name()).collect();
            PossibleValue::new(dialect.name()).help(names.join(", "))
        })
        .collect();
    let find = move |name: String| {
        let known = dialects.iter().find(|dialect| dialect.name() == name);
        known
            .copied()
            .ok_or_else(|| format!("unknown dialect `{name}`"))
    };
    PossibleValuesParser::new(values).try_map(find).into()
}
