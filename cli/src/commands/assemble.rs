//! `meshspec assemble`: writes a file from the output of `dump --json`.

use std::borrow::Cow;
use std::path::PathBuf;

use clap::Args;
use meshspec::layout::declaration::Type;
use meshspec::layout::tree::{Tree, UntypedValue};
use meshspec::layout::walk::TRAILING;
use meshspec::{AnyFormat, Formats, Limits};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::content_kind::ContentKind;
use crate::encoding::Encoding;
use crate::failure::{Failure, Result, Status};
use crate::input::{self, name_of};
use crate::readable;
use crate::{json, output, progress, untyped_value};

/// Write a file from the values printed by `dump --json`, edited or not.
///
/// Values are written as given, even if they contradict each other. Missing counts, sizes and offsets are computed.
#[derive(Debug, Args)]
pub struct Assemble {
    /// The values, one JSON object per line; `-` is standard input.
    #[arg(value_name = "DUMP")]
    input: PathBuf,
    /// The file to write; `-` is standard output.
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// Overwrite OUT if it exists.
    #[arg(long)]
    force: bool,
}

/// The first line of a dump, with the names of format and layout.
#[derive(Deserialize)]
struct HeadLine {
    format: String,
    layout: Option<String>,
}

/// Any other line of a dump.
#[derive(Deserialize)]
struct ValueLine<'l> {
    #[serde(borrow, default)]
    path: Cow<'l, str>,
    #[serde(default)]
    offset: u64,
    #[serde(borrow, default)]
    kind: Cow<'l, str>,
    #[serde(borrow)]
    value: Option<&'l RawValue>,
    #[serde(borrow)]
    bytes: Option<Cow<'l, str>>,
    /// Present if the dump ends with an error.
    error: Option<IgnoredAny>,
}

impl Assemble {
    pub fn run(&self, formats: &Formats) -> Result<Status> {
        progress::on_file(&self.input, || self.assemble(formats))
    }

    fn assemble(&self, formats: &Formats) -> Result<Status> {
        output::reject_existing(&self.output, self.force)?;
        let name = name_of(&self.input);
        let text = input::read_expected(&self.input, &|start, _| {
            Encoding::Json.may_start_with(start)
        })?;
        let text = json::without_byte_order_mark(&text);
        let lines = text.split(|byte| *byte == b'\n').enumerate();
        let mut lines = lines.filter(|(_, line)| !line.trim_ascii().is_empty());
        let Some((_, head)) = lines.next() else {
            return Err(Failure::invalid(
                &name,
                "empty: expected the output of `dump --json`",
            ));
        };
        let layout = match ContentKind::of(text, formats) {
            None | Some(ContentKind::Dump { .. } | ContentKind::OtherJson) => {
                parse_layout(head, formats).map_err(|message| Failure::invalid(&name, message))
            }
            Some(other) => Err(self.not_a_dump(other)),
        };
        let (format, layout) = layout?;
        Encoding::Format(format).require_extension(&self.output, formats)?;
        let mut values = Tree::new(layout);
        for (index, line) in lines {
            add_line(line, &mut values).map_err(|message| {
                Failure::invalid(&name, format!("line {}: {message}", index + 1))
            })?;
        }
        let bytes = values
            .assemble(&Limits::default())
            .map_err(|error| Failure::from_error(&name, &error))?;
        output::write(&self.output, self.force, |out| out.write_all(&bytes))?;
        Ok(Status::Success)
    }

    /// Creates the failure for an input of another kind than the output of `dump --json`.
    fn not_a_dump(&self, kind: ContentKind) -> Failure {
        let name = name_of(&self.input);
        let argument = readable::argument_of(&self.input);
        let hint = match kind {
            ContentKind::Encoding(Encoding::Format(format))
                if !format.about().layouts().is_empty() =>
            {
                format!("print its values with `meshspec dump {argument} --json`")
            }
            ContentKind::Encoding(_) => {
                format!("write it in a format with `meshspec convert {argument} OUT`")
            }
            _ => "print the values of the file with `meshspec dump FILE --json`".to_owned(),
        };
        Failure::invalid(
            &name,
            format_args!("the content is {kind}, expected the output of `dump --json`"),
        )
        .with_hint(hint)
    }
}

/// Parses the first line of a dump. Returns the format and the layout, or an error message.
fn parse_layout(head: &[u8], formats: &Formats) -> Result<(AnyFormat, &'static Type), String> {
    let HeadLine { format, layout } = serde_json::from_slice(head).map_err(|error| {
        format!("line 1: expected an object with `format` and `layout`: {error}")
    })?;
    let format = formats
        .get(&format)
        .map_err(|error| format!("line 1: {error}"))?;
    let layouts = format.about().layouts();
    let names: Vec<_> = layouts.iter().map(|(name, _)| *name).collect();
    match (layout, layouts) {
        (_, []) => Err(format!(
            "{format} is a text format, which has no layout to assemble"
        )),
        (None, _) => Err(format!(
            "line 1: `layout` is missing, expected one of {}",
            names.join(", ")
        )),
        (Some(layout), _) => match layouts.iter().find(|(name, _)| *name == layout) {
            Some((_, ty)) => Ok((format, ty)),
            None => Err(format!(
                "{format} has no layout \"{layout}\", only {}",
                names.join(", ")
            )),
        },
    }
}

/// Parses a line of a dump and adds its value. Returns an error message if the line or value is invalid.
fn add_line(line: &[u8], values: &mut Tree) -> Result<(), String> {
    let line: ValueLine = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    if line.error.is_some() {
        return Err("the dump ends with an error: the rest of the file is missing".to_owned());
    }
    let bytes = line.bytes.as_deref().map(decode_hex).transpose()?;
    let require_bytes =
        |bytes: Option<Vec<u8>>| bytes.ok_or_else(|| format!("a {} without `bytes`", line.kind));
    let path = &*line.path;
    let added = match &*line.kind {
        "gap" => {
            values.add_gap(line.offset, require_bytes(bytes)?);
            Ok(())
        }
        "packed" => values.set_packed(path, require_bytes(bytes)?),
        "trailing" => {
            let parent = path.strip_suffix(TRAILING).unwrap_or(path);
            values.set_trailing(
                parent.strip_suffix('.').unwrap_or(parent),
                require_bytes(bytes)?,
            )
        }
        "magic" => values.set_magic(path, parse_text(line.value)?),
        "string" => {
            let text = parse_text(line.value)?;
            let is_terminated = bytes.is_none_or(|bytes| bytes.last() == Some(&0));
            values.set(
                path,
                if is_terminated {
                    UntypedValue::Bytes(text)
                } else {
                    UntypedValue::Unterminated(text)
                },
            )
        }
        _ => {
            let value = line.value.ok_or("`value` is missing")?;
            values.set(
                path,
                untyped_value::parse_json(value).map_err(|error| error.to_string())?,
            )
        }
    };
    added.map_err(|error| error.to_string())
}

/// Parses a text value: a string, or a list of bytes if the text is not UTF-8.
fn parse_text(value: Option<&RawValue>) -> Result<Vec<u8>, String> {
    let value = value.ok_or("`value` is missing")?;
    let text: meshspec::Text =
        serde_json::from_str(value.get()).map_err(|error| error.to_string())?;
    Ok(text.as_bytes().to_vec())
}

/// Decodes hexadecimal digits to bytes. Returns an error message if their number is odd or another character occurs.
fn decode_hex(digits: &str) -> Result<Vec<u8>, String> {
    let pairs = digits.as_bytes().chunks(2);
    let byte = |pair| {
        std::str::from_utf8(pair)
            .ok()
            .and_then(|pair| u8::from_str_radix(pair, 16).ok())
    };
    // `from_str_radix` also accepts a sign.
    let is_hex =
        digits.len().is_multiple_of(2) && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    let bytes: Option<Vec<u8>> = if is_hex {
        pairs.map(byte).collect()
    } else {
        None
    };
    bytes.ok_or_else(|| "invalid `bytes`: expected an even number of hexadecimal digits".to_owned())
}
