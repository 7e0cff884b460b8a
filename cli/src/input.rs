//! What is read: files, standard input, and the options that say how to take them.

use std::fs::File;
use std::io::{self, Read, Write};
use std::ops::Deref;
use std::path::{Component, Path};

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use meshspec::interop::Files;
use meshspec::{Dialect, FormatId, ReadOptions, Strictness};

use crate::failure::{Failure, Result};

/// How to read the files of a command.
#[derive(Debug, Args)]
pub struct Reading {
    /// Take the files for this format instead of detecting it.
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    from: Option<FormatId>,
    /// Take the files for this dialect instead of detecting it.
    #[arg(long, value_parser = dialect_parser())]
    dialect: Option<Dialect>,
    /// Accept whatever can be decoded without guessing.
    #[arg(long)]
    lenient: bool,
}

impl Reading {
    pub fn options(&self) -> ReadOptions {
        let options = read_options(self.lenient);
        match self.dialect {
            Some(dialect) => options.with_dialect(dialect),
            None => options,
        }
    }

    pub fn strictness(&self) -> Strictness {
        self.options().strictness
    }

    /// The format to read the bytes of this file as.
    pub fn format_of(&self, bytes: &[u8], path: &Path) -> Result<FormatId> {
        let format = match self.from {
            Some(format) => format,
            None => detect(bytes, path)?,
        };
        match self.dialect {
            Some(dialect) => require_dialect(format, dialect, &name_of(path)).map(|()| format),
            None => Ok(format),
        }
    }
}

pub fn read_options(lenient: bool) -> ReadOptions {
    if lenient { ReadOptions::lenient() } else { ReadOptions::default() }
}

/// The format that the bytes are of.
pub fn detect(bytes: &[u8], path: &Path) -> Result<FormatId> {
    meshspec::detect(bytes, Some(path)).map_err(|error| {
        Failure::of(&name_of(path), &error).with_hint("--from FORMAT says which format it is")
    })
}

/// It is wrong usage to ask for a dialect that the format does not have.
pub fn require_dialect(format: FormatId, dialect: Dialect, place: &str) -> Result<()> {
    let dialects = format.about().dialects;
    if dialects.contains(&dialect) {
        return Ok(());
    }
    let names: Vec<_> = dialects.iter().map(|dialect| dialect.name()).collect();
    let message = format!("{format} has no dialect {dialect}; there are {}", names.join(", "));
    Err(Failure::usage(place, message))
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
pub fn read(path: &Path) -> Result<Vec<u8>> {
    let bytes = if is_standard(path) {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        std::fs::read(path)
    };
    bytes.map_err(|error| Failure::io(&name_of(path), &error))
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
            let message =
                format!("\"{name}\" is not in the folder of the file or below: it is not read, for safety");
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
        }
        std::fs::read(self.0.with_file_name(name))
    }

    fn create(&mut self, name: &str) -> io::Result<Box<dyn Write + '_>> {
        Err(io::Error::new(io::ErrorKind::Unsupported, format!("\"{name}\" is beside a file that is read")))
    }
}

/// The bytes of an input.
pub enum Content {
    Read(Vec<u8>),
    Mapped(memmap2::Mmap),
}

impl Deref for Content {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Content::Read(bytes) => bytes,
            Content::Mapped(bytes) => bytes,
        }
    }
}

/// As [`read`], for a command that looks at a small part of a file: regular files are mapped, not read.
pub fn map(path: &Path) -> Result<Content> {
    let fail = |error| Failure::io(&name_of(path), &error);
    if is_standard(path) || !std::fs::metadata(path).map_err(fail)?.is_file() {
        return read(path).map(Content::Read);
    }
    let file = File::open(path).map_err(fail)?;
    #[allow(unsafe_code, reason = "there is no other way to map a file")]
    // SAFETY: the bytes are only read, and nothing is concluded from them that a change could make unsound: the
    // walker checks each access. Another program that cuts the file short meanwhile ends this one with a signal.
    let mapped = unsafe { memmap2::Mmap::map(&file) };
    mapped.map(Content::Mapped).map_err(fail)
}

/// The formats as values of an option, with what they are.
pub fn format_values() -> impl Iterator<Item = PossibleValue> {
    FormatId::ALL.iter().map(|format| PossibleValue::new(format.name()).help(format.about().summary))
}

pub fn format_parser() -> impl TypedValueParser<Value = FormatId> {
    PossibleValuesParser::new(format_values()).try_map(|name| name.parse::<FormatId>())
}

pub fn dialect_parser() -> impl TypedValueParser<Value = Dialect> {
    PossibleValuesParser::new(Dialect::ALL.iter().map(|dialect| dialect.name()))
        .try_map(|name| name.parse::<Dialect>())
}
