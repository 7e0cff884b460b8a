//! The encodings of input and output files.

use std::ffi::OsStr;
use std::fmt;
use std::path::Path;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser, ValueParser};
use meshspec::interop::Interchange;
use meshspec::scene::Conventions;
use meshspec::{AnyFormat, Formats};

use crate::failure::{Failure, Result};
use crate::input::{is_standard, name_of};
use crate::output;

/// The encoding of a file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Encoding {
    /// A document as JSON.
    Json,
    /// A format of the registry.
    Format(AnyFormat),
    /// An interchange format.
    Interchange(Interchange),
}

impl Encoding {
    /// Returns the encoding by file extension; `None` if several formats share it.
    pub fn of_path(path: &Path, formats: &Formats) -> Option<Encoding> {
        if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json")) {
            return Some(Encoding::Json);
        }
        match formats_of(path, formats)[..] {
            [format] => Some(Encoding::Format(format)),
            _ => Interchange::by_extension(path).map(Encoding::Interchange),
        }
    }

    /// Detects the encoding of IN. The extensions of JSON and interchange formats decide. Otherwise, interchange formats
    /// are detected first: a line of OBJ looks like a malformed line of Seed. A file that resembles no format has the one
    /// of its extension.
    pub fn of_input(bytes: &[u8], path: &Path, formats: &Formats) -> Result<Encoding> {
        if let Some(encoding @ (Encoding::Json | Encoding::Interchange(_))) = Encoding::of_path(path, formats)
        {
            return Ok(encoding);
        }
        let interchange = Interchange::detect(bytes).map(Encoding::Interchange);
        match (interchange, formats.detect(bytes, Some(path))) {
            (Some(encoding), _) if formats_of(path, formats).is_empty() => Ok(encoding),
            (_, Ok(detected)) => Ok(Encoding::Format(detected.format)),
            (Some(encoding), Err(_)) => Ok(encoding),
            (None, Err(error)) => resembling(bytes, path, formats).map(Encoding::Format).ok_or_else(|| {
                let failure = Failure::of(&name_of(path), &error);
                if bytes.is_empty() {
                    failure
                } else {
                    failure.with_hint("name the format with --from FORMAT")
                }
            }),
        }
    }

    /// Returns the encoding of OUT if several formats share its extension. Prefers the format of IN, then the format named
    /// like the extension.
    pub fn of_shared_extension(path: &Path, own: Option<AnyFormat>, formats: &Formats) -> Result<Encoding> {
        let sharing = formats_of(path, formats);
        let named =
            |format: &&AnyFormat| path.extension().is_some_and(|e| e.eq_ignore_ascii_case(format.name()));
        let format = own.filter(|own| sharing.contains(own)).or(sharing.iter().find(named).copied());
        format.map(Encoding::Format).ok_or_else(|| no_format(path, formats))
    }

    /// Returns the extension of the output file: that of the input if the format has it, otherwise the usual one.
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

    /// Returns the display name.
    pub fn title(self) -> &'static str {
        match self {
            Encoding::Json => "JSON document",
            Encoding::Format(format) => format.about().title,
            Encoding::Interchange(format) => format.title(),
        }
    }

    /// Returns the name used in options.
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

/// Returns the formats with the extension of this path.
fn formats_of(path: &Path, formats: &Formats) -> Vec<AnyFormat> {
    let Some(extension) = path.extension().and_then(OsStr::to_str) else { return Vec::new() };
    formats.iter().filter(|format| format.about().has_extension(extension)).collect()
}

/// Returns the only format with the extension of this path that is text or binary, as the bytes are: a file with a damaged
/// header.
fn resembling(bytes: &[u8], path: &Path, formats: &Formats) -> Option<AnyFormat> {
    let is_whitespace = |byte: u8| byte.is_ascii_whitespace() || byte == b'\x0b';
    let is_binary = bytes.iter().take(64).any(|byte| byte.is_ascii_control() && !is_whitespace(*byte));
    let mut sharing = formats_of(path, formats);
    sharing.retain(|format| format.grammar().is_none() == is_binary);
    match sharing[..] {
        [format] if !bytes.is_empty() => Some(format),
        _ => None,
    }
}

fn no_format(path: &Path, formats: &Formats) -> Failure {
    let message = match path.extension() {
        Some(extension) if !is_standard(path) => {
            format!("no output format: `.{}` is unknown", extension.display())
        }
        _ => "no output format".to_owned(),
    };
    let convertible = formats.iter().filter(|format| format.writes_scenes()).map(AnyFormat::name);
    let others = Interchange::ALL.iter().map(|format| format.name());
    let names: Vec<_> = convertible.chain(others).chain(["json"]).collect();
    Failure::usage(&output::name_of(path), message)
        .with_hint(format!("name one with --to ({}), or give OUT a known extension", names.join(", ")))
}

/// Returns the conventions of the format. Incorrect usage if it has no scenes, which conversions require.
pub fn require_scenes(format: AnyFormat, place: &str) -> Result<Conventions> {
    format.conventions().ok_or_else(|| {
        Failure::usage(
            place,
            format_args!("{format} has no scenes: it cannot be converted, drawn or compared as a model"),
        )
        .with_hint("`dump --json` prints the values of such a file, and `assemble` makes a file of them")
    })
}

/// Returns the conventions of the format. Incorrect usage if scenes do not convert to it.
pub fn require_target(format: AnyFormat, place: &str) -> Result<Conventions> {
    let conventions = require_scenes(format, place)?;
    match format.writes_scenes() {
        true => Ok(conventions),
        false => Err(Failure::usage(place, format_args!("{format} is only converted to other formats"))),
    }
}

/// Incorrect usage if a format has the name or extension of JSON or an interchange format.
pub fn reject_reserved(formats: &Formats) -> Result<()> {
    let reserved: Vec<_> = Interchange::ALL.iter().map(|format| format.name()).chain(["json"]).collect();
    for format in formats.iter() {
        if reserved.contains(&format.name()) {
            return Err(Failure::usage(
                format.name(),
                "is the name of another file format; choose a different one",
            ));
        }
        if let Some(extension) = reserved.iter().find(|name| format.about().has_extension(name)) {
            let message = format!("has the extension `.{extension}`, which is that of {extension} files");
            return Err(Failure::usage(format.name(), message));
        }
    }
    Ok(())
}

/// Returns these formats as values of an option, with their summaries.
fn values(formats: &Formats) -> impl Iterator<Item = PossibleValue> {
    formats.iter().map(|format| PossibleValue::new(format.name()).help(format.about().summary))
}

/// Returns the parser of an option for these formats.
pub fn format_parser(formats: &Formats) -> ValueParser {
    let parser = PossibleValuesParser::new(values(formats));
    let formats = formats.clone();
    parser.try_map(move |name| formats.get(&name)).into()
}

/// Returns the parser of an option for these formats, interchange formats and JSON.
pub fn parser(formats: &Formats) -> ValueParser {
    let others = Interchange::ALL.iter().map(|format| {
        PossibleValue::new(format.name()).help(format!("{}, {}", format.title(), format.summary()))
    });
    let json = PossibleValue::new("json").help("a document as JSON");
    let parser = PossibleValuesParser::new(values(formats).chain(others).chain([json]));
    let formats = formats.clone();
    let encoding = move |name: String| match &*name {
        "json" => Ok(Encoding::Json),
        name => match formats.get(name) {
            Ok(format) => Ok(Encoding::Format(format)),
            Err(_) => name.parse().map(Encoding::Interchange),
        },
    };
    parser.try_map(encoding).into()
}

#[cfg(test)]
mod tests {
    use meshspec::{About, Declared};

    use super::*;

    struct Named;

    impl Declared for Named {
        const ABOUT: &'static About = &About::new("glb", "", || &[]);
    }

    struct Extended;

    impl Declared for Extended {
        const ABOUT: &'static About = &About::new("extended", "", || &[]).with_extensions(&["ext", "OBJ"]);
    }

    #[test]
    fn names_of_other_files_are_rejected() {
        let rejection = |formats: meshspec::Result<Formats>| {
            formats.map(|formats| reject_reserved(&formats).map_err(|failure| failure.message().to_owned()))
        };
        assert_eq!(rejection(Ok(Formats::builtin())).ok(), Some(Ok(())));
        assert_eq!(
            rejection(Formats::builtin().with::<Named>()).ok(),
            Some(Err("glb: is the name of another file format; choose a different one".to_owned()))
        );
        assert_eq!(
            rejection(Formats::builtin().with::<Extended>()).ok(),
            Some(Err("extended: has the extension `.obj`, which is that of obj files".to_owned()))
        );
    }
}
