//! The encodings that each command reads.

use std::path::Path;

use meshspec::{AnyFormat, Formats};

use crate::encoding::Encoding;
use crate::failure::Failure;
use crate::input::{STANDARD, name_of};
use crate::shell::shell_quoted;
use crate::terminal::is_terminal_control;

/// The encodings that a command reads. Determines the values of `--from`.
#[derive(Debug, Clone, Copy)]
pub struct Readable {
    /// The name of the command.
    pub command: &'static str,
    /// Whether the command reads files of a format.
    pub reads_format: fn(AnyFormat) -> bool,
    pub reads_interchange: bool,
    /// Whether the command reads documents as JSON.
    pub reads_json: bool,
}

impl Readable {
    /// Everything that the program reads.
    pub const ALL: Readable = Readable {
        command: "meshspec",
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

    /// Returns the usage error for the file `path`, whose encoding the command does not read.
    pub fn failure(self, encoding: Encoding, path: &Path, formats: &Formats) -> Failure {
        let mut names: Vec<_> = formats
            .iter()
            .filter(|format| (self.reads_format)(*format))
            .map(|format| format.name())
            .collect();
        names.extend(self.reads_interchange.then_some("interchange formats"));
        names.extend(self.reads_json.then_some("JSON"));
        let found = match encoding {
            Encoding::Json => "JSON".to_owned(),
            Encoding::Format(_) | Encoding::Interchange(_) => encoding.to_string(),
        };
        let names = match &names[..] {
            [others @ .., last] if !others.is_empty() => {
                format!("{} and {last}", others.join(", "))
            }
            names => names.concat(),
        };
        let message = format!("{} supports only {names}, not {found}", self.command);
        Failure::usage(&name_of(path), message).with_hint(alternative(encoding, path))
    }
}

/// Returns what to do with the file `path`, whose encoding a command does not read.
pub fn alternative(encoding: Encoding, path: &Path) -> String {
    let file = argument_of(path);
    match encoding {
        Encoding::Interchange(_) => {
            let commands = "`info`, `check`, `convert`, `render`, `diff` and `view`";
            format!("convert it first; {commands} read interchange formats")
        }
        Encoding::Json => format!("write the document as a file first: `meshspec convert {file} OUT`"),
        Encoding::Format(format) if format.conventions().is_some() => {
            format!("convert it first: `meshspec convert {file} OUT`")
        }
        Encoding::Format(_) => {
            "print the values of a file with `dump --json`, and write a file from them with `assemble`"
                .to_owned()
        }
    }
}

/// Returns an input file as an argument of a suggested command; `FILE` if its name cannot be printed.
pub fn argument_of(path: &Path) -> String {
    match path.to_str() {
        Some(STANDARD) => STANDARD.to_owned(),
        Some(name) if !name.chars().any(is_terminal_control) => shell_quoted(name),
        _ => "FILE".to_owned(),
    }
}
