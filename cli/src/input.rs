//! What is read: files, standard input, and the values of options that name dialects.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Component, Path};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use meshspec::interop::Files;
use meshspec::{AnyFormat, Dialect, ReadOptions};

use crate::buffer::Buffer;
use crate::failure::{Failure, Result};

pub fn read_options(lenient: bool) -> ReadOptions {
    if lenient { ReadOptions::lenient() } else { ReadOptions::default() }
}

/// Wrong usage if the format does not have the dialect.
pub fn require_dialect(format: impl Into<AnyFormat>, dialect: Dialect, place: &str) -> Result<()> {
    format.into().about().require_dialect(dialect).map_err(|error| Failure::usage(place, error.message()))
}

/// The path that stands for standard input or output.
pub const STANDARD: &str = "-";

/// Whether the path stands for standard input or output.
pub fn is_standard(path: &Path) -> bool {
    path.as_os_str() == STANDARD
}

/// The name of an input file, as messages have it.
pub fn name_of(path: &Path) -> String {
    if is_standard(path) { "standard input".to_owned() } else { path.display().to_string() }
}

/// All bytes of a file or of standard input.
pub fn read(path: &Path) -> Result<Buffer> {
    let bytes = if is_standard(path) {
        Buffer::of_stream(&mut io::stdin().lock())
    } else {
        File::open(path).and_then(Buffer::of_file)
    };
    bytes.map_err(|error| Failure::io(&name_of(path), &error))
}

/// A file or standard input, to be read part by part.
pub fn open(path: &Path) -> Result<Box<dyn Read + Send>> {
    if is_standard(path) {
        return Ok(Box::new(io::stdin()));
    }
    match File::open(path) {
        Ok(file) => Ok(Box::new(file)),
        Err(error) => Err(Failure::io(&name_of(path), &error)),
    }
}

/// Files that the one at a path refers to: in its folder or below.
pub struct Beside<'a>(&'a Path);

impl<'a> Beside<'a> {
    pub fn new(path: &'a Path) -> Beside<'a> {
        Beside(path)
    }
}

impl Files for Beside<'_> {
    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        let inside =
            Path::new(name).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if is_standard(self.0) || !inside {
            let message = format!("\"{name}\" is outside of the folder of the file: not read, for safety");
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
        }
        std::fs::read(self.0.with_file_name(name))
    }

    fn create(&mut self, name: &str) -> io::Result<Box<dyn Write + '_>> {
        Err(io::Error::new(io::ErrorKind::Unsupported, format!("\"{name}\": inputs are not written to")))
    }
}

pub fn dialect_parser() -> impl TypedValueParser<Value = Dialect> {
    PossibleValuesParser::new(Dialect::ALL.iter().map(|dialect| dialect.name()))
        .try_map(|name| name.parse::<Dialect>())
}
