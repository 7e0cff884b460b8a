//! What files are, and what they shall be.

use std::ffi::OsStr;
use std::fmt;
use std::path::Path;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use meshspec::FormatId;
use meshspec::interop::Interchange;

use crate::failure::{Failure, Result};
use crate::input::{self, format_values, is_standard};

/// How the content of a file is encoded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Encoding {
    /// A document as JSON.
    Json,
    /// One of the formats of this project.
    Format(FormatId),
    /// One of the formats of the world.
    Interchange(Interchange),
}

impl Encoding {
    /// What the name of the file says; nothing for `.mesh`, which is the extension of several formats.
    pub fn of_path(path: &Path) -> Option<Encoding> {
        if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json")) {
            return Some(Encoding::Json);
        }
        let format = FormatId::by_extension(path).map(Encoding::Format);
        format.or_else(|| Interchange::by_extension(path).map(Encoding::Interchange))
    }

    /// What IN is.
    pub fn of_input(bytes: &[u8], path: &Path) -> Result<Encoding> {
        match Encoding::of_path(path) {
            Some(encoding @ (Encoding::Json | Encoding::Interchange(_))) => Ok(encoding),
            _ => input::detect(bytes, path).map(Encoding::Format),
        }
    }

    /// What OUT shall be.
    pub fn of_output(path: &Path) -> Result<Encoding> {
        Encoding::of_path(path).ok_or_else(|| {
            let out = path.display().to_string();
            let message = match path.extension() {
                _ if is_standard(path) => "what to write to standard output?".to_owned(),
                Some(extension) => format!("`.{}` does not say which format it is", extension.display()),
                None => "the name does not say which format it is".to_owned(),
            };
            Failure::usage(&out, message).with_hint(format!("add --to FORMAT, one of {}", names().join(", ")))
        })
    }

    /// The extension of the file that this one becomes: its own where the format has it, else the usual one.
    pub fn extension_for(self, input: &Path) -> &str {
        let own = input.extension().and_then(OsStr::to_str);
        match self {
            Encoding::Format(format) => {
                let known = format.about().extensions;
                let own = own.filter(|own| known.contains(own));
                own.or(known.first().copied()).unwrap_or(format.name())
            }
            _ => self.name(),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Encoding::Json => "json",
            Encoding::Format(format) => format.name(),
            Encoding::Interchange(format) => format.name(),
        }
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

fn names() -> Vec<&'static str> {
    let formats = FormatId::ALL.iter().map(|format| format.name());
    let others = Interchange::ALL.iter().map(|format| format.name());
    formats.chain(others).chain(["json"]).collect()
}

/// The encodings as values of an option, with what they are.
pub fn parser() -> impl TypedValueParser<Value = Encoding> {
    let others =
        Interchange::ALL.iter().map(|format| PossibleValue::new(format.name()).help(format.summary()));
    let json = PossibleValue::new("json").help("the document as JSON");
    PossibleValuesParser::new(format_values().chain(others).chain([json])).try_map(|name| match &*name {
        "json" => Ok(Encoding::Json),
        name => match name.parse() {
            Ok(format) => Ok(Encoding::Format(format)),
            Err(_) => name.parse().map(Encoding::Interchange),
        },
    })
}
