//! `meshspec assemble`: writes a file from the output of `dump --json`.

use std::borrow::Cow;
use std::path::PathBuf;

use clap::Args;
use meshspec::layout::assemble::{Part, Values};
use meshspec::layout::declaration::Type;
use meshspec::layout::walk::TRAILING;
use meshspec::{Formats, Limits};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::failure::{Failure, Result, Status};
use crate::input::{self, name_of};
use crate::{output, part, progress};

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

/// The first line of a dump.
#[derive(Deserialize)]
struct Head {
    format: String,
    layout: Option<String>,
}

/// A line with a value.
#[derive(Deserialize)]
struct Line<'l> {
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
    /// The error that ends the dump.
    error: Option<IgnoredAny>,
}

impl Assemble {
    pub fn run(&self, formats: &Formats) -> Result<Status> {
        progress::on_file(&self.input, || self.assemble(formats))
    }

    fn assemble(&self, formats: &Formats) -> Result<Status> {
        output::reject_existing(&self.output, self.force)?;
        let place = name_of(&self.input);
        let text = input::read(&self.input)?;
        let lines = text.split(|byte| *byte == b'\n').enumerate();
        let mut lines = lines.filter(|(_, line)| !line.trim_ascii().is_empty());
        let Some((_, head)) = lines.next() else {
            return Err(Failure::invalid(&place, "empty: expected the output of `dump --json`"));
        };
        let mut values =
            Values::new(layout_of(head, formats).map_err(|message| Failure::invalid(&place, message))?);
        for (index, line) in lines {
            add(line, &mut values)
                .map_err(|message| Failure::invalid(&place, format!("line {}: {message}", index + 1)))?;
        }
        let bytes = values.assemble(&Limits::default()).map_err(|error| Failure::of(&place, &error))?;
        output::write(&self.output, self.force, |out| out.write_all(&bytes))?;
        Ok(Status::Fine)
    }
}

/// Returns the layout named in the first line.
fn layout_of(head: &[u8], formats: &Formats) -> Result<&'static Type, String> {
    let Head { format, layout } = serde_json::from_slice(head)
        .map_err(|error| format!("line 1 does not name format and layout: {error}"))?;
    let format = formats.get(&format).map_err(|error| format!("line 1: {error}"))?;
    let layouts = format.about().layouts();
    let names: Vec<_> = layouts.iter().map(|(name, _)| *name).collect();
    match (layout, layouts) {
        (_, []) => Err(format!("{format} is a text format: its lines are the file")),
        (None, _) => Err(format!("line 1 does not name the layout: one of {}", names.join(", "))),
        (Some(layout), _) => match layouts.iter().find(|(name, _)| *name == layout) {
            Some((_, ty)) => Ok(ty),
            None => Err(format!("{format} has no layout \"{layout}\", only {}", names.join(", "))),
        },
    }
}

/// Adds the values of a line.
fn add(line: &[u8], values: &mut Values) -> Result<(), String> {
    let line: Line = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    if line.error.is_some() {
        return Err("the dump ends with an error: the rest of the file is missing".to_owned());
    }
    let bytes = line.bytes.as_deref().map(decode_hex).transpose()?;
    let required = |bytes: Option<Vec<u8>>| bytes.ok_or_else(|| format!("a {} without `bytes`", line.kind));
    let path = &*line.path;
    let given = match &*line.kind {
        "gap" => {
            values.add_gap(line.offset, required(bytes)?);
            Ok(())
        }
        "packed" => values.set_packed(path, required(bytes)?),
        "trailing" => {
            let whole = path.strip_suffix(TRAILING).unwrap_or(path);
            values.set_trailing(whole.strip_suffix('.').unwrap_or(whole), required(bytes)?)
        }
        "magic" => values.set_magic(path, text_of(line.value)?),
        "string" => {
            let text = text_of(line.value)?;
            let is_terminated = bytes.is_none_or(|bytes| bytes.last() == Some(&0));
            values.set(path, if is_terminated { Part::Bytes(text) } else { Part::Unterminated(text) })
        }
        _ => {
            let value = line.value.ok_or("it has no `value`")?;
            values.set(path, part::of_json(value).map_err(|error| error.to_string())?)
        }
    };
    given.map_err(|error| error.to_string())
}

/// Parses a string, or a list of bytes for text that is not UTF-8.
fn text_of(value: Option<&RawValue>) -> Result<Vec<u8>, String> {
    let value = value.ok_or("it has no `value`")?;
    let text: meshspec::Text = serde_json::from_str(value.get()).map_err(|error| error.to_string())?;
    Ok(text.as_bytes().to_vec())
}

/// Parses bytes from pairs of hexadecimal digits.
fn decode_hex(digits: &str) -> Result<Vec<u8>, String> {
    let pairs = digits.as_bytes().chunks(2);
    let byte = |pair| std::str::from_utf8(pair).ok().and_then(|pair| u8::from_str_radix(pair, 16).ok());
    let bytes: Option<Vec<u8>> =
        if digits.len().is_multiple_of(2) { pairs.map(byte).collect() } else { None };
    bytes.ok_or_else(|| "`bytes` is not a string of pairs of hexadecimal digits".to_owned())
}
