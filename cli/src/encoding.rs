//! What files are, and what they shall be.

use std::ffi::OsStr;
use std::fmt;
use std::path::Path;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use meshspec::FormatId;
use meshspec::interop::Interchange;

use crate::failure::{Failure, Result};
use crate::input::{format_values, is_standard, name_of};
use crate::output;

/// How the content of a file is encoded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Encoding {
    /// A document as JSON.
    Json,
    /// One of the formats of this project.
    Format(FormatId),
    /// An interchange format.
    Interchange(Interchange),
}

impl Encoding {
    /// What the name of the file says; nothing if its extension is that of several formats.
    pub fn of_path(path: &Path) -> Option<Encoding> {
        if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json")) {
            return Some(Encoding::Json);
        }
        match formats_of(path)[..] {
            [format] => Some(Encoding::Format(format)),
            _ => Interchange::by_extension(path).map(Encoding::Interchange),
        }
    }

    /// What IN is. Extensions of JSON and interchange formats decide. Without a known extension, the content of
    /// interchange formats goes first: a line of OBJ looks like a wrong one of Seed.
    pub fn of_input(bytes: &[u8], path: &Path) -> Result<Encoding> {
        if let Some(encoding @ (Encoding::Json | Encoding::Interchange(_))) = Encoding::of_path(path) {
            return Ok(encoding);
        }
        let interchange = Interchange::detect(bytes).map(Encoding::Interchange);
        match (interchange, meshspec::detect(bytes, Some(path))) {
            (Some(encoding), _) if formats_of(path).is_empty() => Ok(encoding),
            (_, Ok(detected)) => Ok(Encoding::Format(detected.format)),
            (Some(encoding), Err(_)) => Ok(encoding),
            (None, Err(error)) => {
                Err(Failure::of(&name_of(path), &error).with_hint("name the format with --from FORMAT"))
            }
        }
    }

    /// What OUT shall be where its extension is that of several formats: the format of IN if it is one of them, else the
    /// one whose name it is.
    pub fn of_shared_extension(path: &Path, own: Option<FormatId>) -> Result<Encoding> {
        let formats = formats_of(path);
        let named =
            |format: &&FormatId| path.extension().is_some_and(|e| e.eq_ignore_ascii_case(format.name()));
        let format = own.filter(|own| formats.contains(own)).or(formats.iter().find(named).copied());
        format.map(Encoding::Format).ok_or_else(|| no_format(path))
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

    /// The name as people write it.
    pub fn title(self) -> &'static str {
        match self {
            Encoding::Json => "JSON document",
            Encoding::Format(format) => format.about().title,
            Encoding::Interchange(format) => format.title(),
        }
    }

    /// The name that options take.
    pub fn name(self) -> &'static str {
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

/// The formats that have the extension of this path.
fn formats_of(path: &Path) -> Vec<FormatId> {
    let Some(extension) = path.extension() else { return Vec::new() };
    let has = |format: &&FormatId| {
        format.about().extensions.iter().any(|known| extension.eq_ignore_ascii_case(known))
    };
    FormatId::ALL.iter().filter(has).copied().collect()
}

fn no_format(path: &Path) -> Failure {
    let message = match path.extension() {
        Some(extension) if !is_standard(path) => {
            format!("no output format: `.{}` is unknown", extension.display())
        }
        _ => "no output format".to_owned(),
    };
    let formats = FormatId::ALL.iter().map(|format| format.name());
    let others = Interchange::ALL.iter().map(|format| format.name());
    let names: Vec<_> = formats.chain(others).chain(["json"]).collect();
    Failure::usage(&output::name_of(path), message)
        .with_hint(format!("name one with --to ({}), or give OUT a known extension", names.join(", ")))
}

/// The encodings as values of an option, with what they are.
pub fn parser() -> impl TypedValueParser<Value = Encoding> {
    let others = Interchange::ALL.iter().map(|format| {
        PossibleValue::new(format.name()).help(format!("{}, {}", format.title(), format.summary()))
    });
    let json = PossibleValue::new("json").help("a document as JSON");
    PossibleValuesParser::new(format_values().chain(others).chain([json])).try_map(|name| match &*name {
        "json" => Ok(Encoding::Json),
        name => match name.parse() {
            Ok(format) => Ok(Encoding::Format(format)),
            Err(_) => name.parse().map(Encoding::Interchange),
        },
    })
}
