//! Encodings of input and output files: formats, interchange formats and JSON.

use std::ffi::OsStr;
use std::fmt;
use std::path::Path;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser, ValueParser};
use meshspec::interop::Interchange;
use meshspec::scene::Conventions;
use meshspec::{AnyFormat, Formats};

use crate::extension;
use crate::failure::{Failure, Result};
use crate::input::{is_standard, name_of};
use crate::json;
use crate::output;
use crate::readable::Readable;

/// The encoding of a file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Encoding {
    /// A document as JSON.
    Json,
    /// A registered format, built-in or custom.
    Format(AnyFormat),
    /// An interchange format.
    Interchange(Interchange),
}

impl Encoding {
    /// Returns the encoding for the file extension of `path`; `None` if the extension is unknown or several formats
    /// share it.
    pub fn by_extension(path: &Path, formats: &Formats) -> Option<Encoding> {
        if path
            .extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case("json"))
        {
            return Some(Encoding::Json);
        }
        match formats_with_extension(path, formats)[..] {
            [format] => Some(Encoding::Format(format)),
            _ => Interchange::by_extension(path).map(Encoding::Interchange),
        }
    }

    /// Returns `true` if the encoding has the file extension of `path`.
    pub fn has_extension(self, path: &Path) -> bool {
        let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
        match self {
            Encoding::Format(format) => format.about().has_extension(extension),
            _ => extension.eq_ignore_ascii_case(self.name()),
        }
    }

    /// Returns `true` if no encoding has the file extension of `path`.
    pub fn is_extension_unknown(path: &Path, formats: &Formats) -> bool {
        Encoding::titles_by_extension(path, formats).is_empty()
    }

    /// Returns the titles of the encodings with the file extension of `path`.
    pub fn titles_by_extension(path: &Path, formats: &Formats) -> Vec<&'static str> {
        match formats_with_extension(path, formats)[..] {
            [] => Encoding::by_extension(path, formats)
                .into_iter()
                .map(Encoding::title)
                .collect(),
            ref with_extension => with_extension
                .iter()
                .map(|format| format.about().title)
                .collect(),
        }
    }

    /// Detects the encoding of an input file: by extension if JSON or an interchange format uses it, otherwise by
    /// content.
    ///
    /// If no format uses the extension, interchange formats take precedence, since a line of OBJ looks like a malformed
    /// line of Seed. If the content matches no format, guesses the format by extension.
    ///
    /// # Errors
    ///
    /// Returns an error if neither the content nor the extension determines the encoding.
    pub fn detect(bytes: &[u8], path: &Path, formats: &Formats) -> Result<Encoding> {
        if let Some(encoding @ (Encoding::Json | Encoding::Interchange(_))) =
            Encoding::by_extension(path, formats)
        {
            return Ok(encoding);
        }
        let interchange = Interchange::detect(bytes).map(Encoding::Interchange);
        match (interchange, formats.detect(bytes, Some(path))) {
            (Some(encoding), _) if formats_with_extension(path, formats).is_empty() => Ok(encoding),
            (_, Ok(detected)) => Ok(Encoding::Format(detected.format)),
            (Some(encoding), Err(_)) => Ok(encoding),
            (None, Err(error)) => guess_format(bytes, path, formats)
                .map(Encoding::Format)
                .ok_or_else(|| {
                    let failure = Failure::from_error(&name_of(path), &error);
                    if bytes.is_empty() {
                        failure
                    } else {
                        failure.with_hint("specify the format with --from FORMAT")
                    }
                }),
        }
    }

    /// Returns `false` if a file that starts with the bytes `start` is not read as `from` or, if that is `None`, not
    /// [detected](Encoding::detect) with certainty. `size` is the size of the file, if known.
    pub fn may_read(
        from: Option<Encoding>,
        path: &Path,
        formats: &Formats,
        start: &[u8],
        size: Option<u64>,
    ) -> bool {
        let is_decisive = |encoding: &Encoding| !matches!(encoding, Encoding::Format(_));
        match from.or_else(|| Encoding::by_extension(path, formats).filter(is_decisive)) {
            Some(encoding) => encoding.may_start_with(start),
            None => formats.may_detect(start) || Interchange::may_detect(start, size),
        }
    }

    /// Returns `false` if no file of this encoding starts with the bytes `start`.
    pub fn may_start_with(self, start: &[u8]) -> bool {
        match self {
            Encoding::Json => {
                let text = json::without_byte_order_mark(start).trim_ascii_start();
                text.first().is_none_or(|first| *first == b'{')
            }
            Encoding::Format(format) => format.may_start_with(start),
            Encoding::Interchange(format) => format.may_start_with(start),
        }
    }

    /// Returns the encoding of an output file whose extension several formats share. See [`Formats::for_output`].
    /// Returns a usage error if there is none.
    pub fn by_shared_extension(
        path: &Path,
        input_format: Option<AnyFormat>,
        formats: &Formats,
    ) -> Result<Encoding> {
        let format = formats.for_output(path, input_format);
        format
            .map(Encoding::Format)
            .ok_or_else(|| unknown_output_format(path, formats))
    }

    /// Returns a usage error if the extension of the output file `path` is that of another kind of file.
    pub fn require_extension(self, path: &Path, formats: &Formats) -> Result<()> {
        let own = match self {
            Encoding::Format(format) => format.about().extensions,
            _ => &[self.name()],
        };
        extension::require(path, own, self.title(), formats)
    }

    /// Returns the extension for an output file. For JSON and interchange formats, it is their name. For a format, it
    /// is the extension of `input` if the format uses it, otherwise the first extension of the format, or its name if
    /// it has no extension.
    pub fn output_extension(self, input: &Path) -> &str {
        let input_extension = input.extension().and_then(OsStr::to_str);
        match self {
            Encoding::Format(format) => {
                let extensions = format.about().extensions;
                let input_extension =
                    input_extension.filter(|input_extension| extensions.contains(input_extension));
                input_extension
                    .or(extensions.first().copied())
                    .unwrap_or(format.name())
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

    /// Returns the name used in command-line options.
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

/// Returns the formats with the file extension of `path`.
fn formats_with_extension(path: &Path, formats: &Formats) -> Vec<AnyFormat> {
    let Some(extension) = path.extension().and_then(OsStr::to_str) else {
        return Vec::new();
    };
    formats
        .iter()
        .filter(|format| format.about().has_extension(extension))
        .collect()
}

/// Guesses the format of a damaged file by its extension: the only text format with this extension or, if the first 64
/// bytes contain control characters other than whitespace, the only binary format. Returns `None` if the file is empty,
/// or if no format or several formats qualify.
fn guess_format(bytes: &[u8], path: &Path, formats: &Formats) -> Option<AnyFormat> {
    let is_whitespace = |byte: u8| byte.is_ascii_whitespace() || byte == b'\x0b';
    let is_binary = bytes
        .iter()
        .take(64)
        .any(|byte| byte.is_ascii_control() && !is_whitespace(*byte));
    let mut candidates = formats_with_extension(path, formats);
    candidates.retain(|format| format.grammar().is_none() == is_binary);
    match candidates[..] {
        [format] if !bytes.is_empty() => Some(format),
        _ => None,
    }
}

/// Returns the usage error for an output file without a known format.
fn unknown_output_format(path: &Path, formats: &Formats) -> Failure {
    let message = match path.extension() {
        Some(extension) if !is_standard(path) => {
            format!("no output format: `.{}` is unknown", extension.display())
        }
        _ => "no output format".to_owned(),
    };
    let convertible = formats
        .iter()
        .filter(|format| format.can_write_scenes())
        .map(|format| format.name());
    let interchange_formats = Interchange::ALL.iter().map(|format| format.name());
    let names: Vec<_> = convertible
        .chain(interchange_formats)
        .chain(["json"])
        .collect();
    Failure::usage(&output::name_of(path), message).with_hint(format!(
        "specify it with --to ({}), or give OUT a known extension",
        names.join(", ")
    ))
}

/// Returns the conventions of the format. Returns a usage error about `subject`, a file or an option, if the format has
/// no scenes.
pub fn require_scenes(format: AnyFormat, subject: &str) -> Result<Conventions> {
    format.conventions().ok_or_else(|| {
        Failure::usage(
            subject,
            format_args!("{format} has no scenes: it cannot be converted, drawn or compared as a model"),
        )
        .with_hint(
            "print the values of a file with `dump --json`, and write a file from them with `assemble`",
        )
    })
}

/// Like [`require_scenes`], but also returns a usage error if scenes cannot be converted to the format.
pub fn require_target(format: AnyFormat, subject: &str) -> Result<Conventions> {
    let conventions = require_scenes(format, subject)?;
    match format.can_write_scenes() {
        true => Ok(conventions),
        false => Err(Failure::usage(
            subject,
            format_args!("{format} can be converted to other formats, but not written"),
        )),
    }
}

/// Returns a usage error if a format has the name or extension of JSON or of an interchange format.
pub fn reject_reserved(formats: &Formats) -> Result<()> {
    let reserved: Vec<_> = Interchange::ALL
        .iter()
        .map(|format| format.name())
        .chain(["json"])
        .collect();
    for format in formats.iter() {
        if reserved.contains(&format.name()) {
            return Err(Failure::usage(
                format.name(),
                "the name is reserved for another file format; choose a different one",
            ));
        }
        if let Some(extension) = reserved
            .iter()
            .find(|name| format.about().has_extension(name))
        {
            let message = format!("the extension `.{extension}` is reserved for {extension} files");
            return Err(Failure::usage(format.name(), message));
        }
    }
    Ok(())
}

/// Returns the possible value of an option that selects a format, with its summary as help.
fn possible_value(format: AnyFormat) -> PossibleValue {
    PossibleValue::new(format.name()).help(format.about().summary)
}

/// Returns the parser of an option whose value is a format in `formats`.
pub fn format_parser(formats: &Formats) -> ValueParser {
    let parser = PossibleValuesParser::new(formats.iter().map(possible_value));
    let formats = formats.clone();
    parser.try_map(move |name| formats.get(&name)).into()
}

/// Returns the parser of an option whose value is an encoding in `readable`: a format in `formats`, an interchange
/// format, or JSON.
pub fn encoding_parser(formats: &Formats, readable: Readable) -> ValueParser {
    let formats_read = formats
        .iter()
        .filter(|format| (readable.reads_format)(*format));
    let interchange: &[Interchange] = if readable.reads_interchange {
        Interchange::ALL
    } else {
        &[]
    };
    let interchange_formats = interchange.iter().map(|format| {
        PossibleValue::new(format.name()).help(format!("{}, {}", format.title(), format.summary()))
    });
    let json = PossibleValue::new("json").help("a document as JSON");
    let json = readable.reads_json.then_some(json);
    let values = formats_read
        .map(possible_value)
        .chain(interchange_formats)
        .chain(json);
    let parser = PossibleValuesParser::new(values);
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
    use meshspec::{About, Format, ReadOptions, WriteOptions};

    use super::*;

    struct Named(Vec<u8>);

    impl Format for Named {
        const ABOUT: &'static About = &About::new("glb", "", || &[]);

        fn read(bytes: &[u8], options: &ReadOptions) -> meshspec::Result<Named> {
            Self::require_valid(bytes, options)?;
            Ok(Named(bytes.to_vec()))
        }

        fn write(&self, options: &WriteOptions) -> meshspec::Result<Vec<u8>> {
            Self::require_valid(&self.0, &options.to_read_options())?;
            Ok(self.0.clone())
        }
    }

    struct Extended(Vec<u8>);

    impl Format for Extended {
        const ABOUT: &'static About =
            &About::new("extended", "", || &[]).with_extensions(&["ext", "OBJ"]);

        fn read(bytes: &[u8], options: &ReadOptions) -> meshspec::Result<Extended> {
            Self::require_valid(bytes, options)?;
            Ok(Extended(bytes.to_vec()))
        }

        fn write(&self, options: &WriteOptions) -> meshspec::Result<Vec<u8>> {
            Self::require_valid(&self.0, &options.to_read_options())?;
            Ok(self.0.clone())
        }
    }

    #[test]
    fn names_of_other_files_are_rejected() {
        let rejection = |formats: meshspec::Result<Formats>| {
            formats.map(|formats| {
                reject_reserved(&formats).map_err(|failure| failure.message().to_owned())
            })
        };
        assert_eq!(rejection(Ok(Formats::builtin())).ok(), Some(Ok(())));
        assert_eq!(
            rejection(Formats::builtin().with::<Named>()).ok(),
            Some(Err(
                "glb: the name is reserved for another file format; choose a different one"
                    .to_owned()
            ))
        );
        assert_eq!(
            rejection(Formats::builtin().with::<Extended>()).ok(),
            Some(Err(
                "extended: the extension `.obj` is reserved for obj files".to_owned()
            ))
        );
    }
}
