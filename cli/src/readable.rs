//! The encodings that each command reads.

use std::path::Path;

use meshspec::{AnyFormat, Formats};

use crate::encoding::Encoding;
use crate::failure::{Failure, Result};
use crate::input::{is_standard, name_of};
use crate::shell::shell_quoted;

/// The encodings that a command reads. Determines the values of `--from`.
#[derive(Debug, Clone, Copy)]
pub struct Readable {
    /// The command and its verb, such as `dump shows`.
    pub subject: &'static str,
    /// Whether the command reads files of a format.
    pub reads_format: fn(AnyFormat) -> bool,
    pub reads_interchange: bool,
    /// Whether the command reads documents as JSON.
    pub reads_json: bool,
}

impl Readable {
    /// Everything that the program reads.
    pub const ALL: Readable = Readable {
        subject: "meshspec reads",
        reads_format: |_| true,
        reads_interchange: true,
        reads_json: true,
    };

    pub fn contains(self, encoding: Encoding) -> bool {
        match encoding {
            Encoding::Format(format) => (self.reads_format)(format),
            Encoding::Interchange(_) => self.reads_interchange,
            Encoding::Json => self.reads_json,
        }
    }

    /// Returns a usage error about the file `path` if the command does not read the encoding.
    pub fn require(self, encoding: Encoding, path: &Path, formats: &Formats) -> Result<()> {
        match self.contains(encoding) {
            true => Ok(()),
            false => Err(self.failure(encoding, path, formats)),
        }
    }

    /// Returns the usage error for the file `path`, whose encoding the command does not read.
    pub fn failure(self, encoding: Encoding, path: &Path, formats: &Formats) -> Failure {
        let mut names: Vec<_> =
            formats.iter().filter(|format| (self.reads_format)(*format)).map(AnyFormat::name).collect();
        names.extend(self.reads_interchange.then_some("interchange formats"));
        names.extend(self.reads_json.then_some("JSON"));
        let found = match encoding {
            Encoding::Json => "JSON".to_owned(),
            Encoding::Format(_) | Encoding::Interchange(_) => encoding.to_string(),
        };
        let message = format!("{} {} only, not {found}", self.subject, names.join(", "));
        Failure::usage(&name_of(path), message).with_hint(alternative(encoding, path))
    }
}

/// Returns what to do with the file `path`, whose encoding a command does not read.
pub fn alternative(encoding: Encoding, path: &Path) -> String {
    let file = argument_of(path);
    match encoding {
        Encoding::Interchange(_) => {
            "convert it first; `info`, `check`, `convert`, `render`, `diff` and `view` read \
                                     interchange formats"
                .to_owned()
        }
        Encoding::Json => format!("write the document as a file first: `meshspec convert {file} OUT`"),
        Encoding::Format(format) if format.about().layouts().is_empty() => format!(
            "change its lines in a text editor, or its values as JSON: `meshspec convert {file} values.json`, then \
             `meshspec convert values.json OUT --to {format}`"
        ),
        Encoding::Format(format) if format.conventions().is_some() => {
            format!("convert it first: `meshspec convert {file} OUT`")
        }
        Encoding::Format(_) => {
            "print the values of a file with `dump --json`, and write a file from them with `assemble`"
                .to_owned()
        }
    }
}

/// Returns an input file as an argument of a suggested command.
pub fn argument_of(path: &Path) -> String {
    if is_standard(path) { path.display().to_string() } else { shell_quoted(&name_of(path)) }
}
