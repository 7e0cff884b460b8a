//! `meshspec assemble`: writes a file from the output of `dump --json`.

use std::fmt;
use std::io::Read;
use std::path::PathBuf;

use clap::Args;
use meshspec::layout::declaration::Type;
use meshspec::layout::tree::Tree;
use meshspec::{AnyFormat, Formats, Limits};
use serde::Deserializer;
use serde::de::{IgnoredAny, MapAccess, Visitor};

use crate::buffer::{self, LimitedStream, MIN_LARGE_SIZE};
use crate::content_kind::ContentKind;
use crate::encoding::Encoding;
use crate::failure::{Failure, Result, Status};
use crate::input::{self, name_of};
use crate::readable;
use crate::{json, output, progress};

/// Write a file from the values printed by `dump --json`, edited or not.
///
/// Values are written as given, even if they contradict each other. Missing counts, sizes and offsets are computed.
#[derive(Debug, Args)]
pub struct Assemble {
    /// The values as JSON; `-` is standard input.
    #[arg(value_name = "DUMP")]
    input: PathBuf,
    /// The file to write; `-` is standard output.
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// Overwrite OUT if it exists.
    #[arg(long)]
    force: bool,
}

/// The names in the output of `dump --json`.
#[derive(Default)]
struct Names {
    format: Option<String>,
    layout: Option<String>,
}

impl<'de> Visitor<'de> for &mut Names {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with `format` and `layout`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        // The values follow, and need not be read twice.
        while self.format.is_none() || self.layout.is_none() {
            let Some(key) = map.next_key::<String>()? else {
                break;
            };
            match &*key {
                "format" => self.format = Some(map.next_value()?),
                "layout" => self.layout = Some(map.next_value()?),
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

impl Assemble {
    pub fn run(&self, formats: &Formats) -> Result<Status> {
        progress::on_file(&self.input, || self.assemble(formats))
    }

    fn assemble(&self, formats: &Formats) -> Result<Status> {
        output::reject_existing(&self.output, self.force)?;
        let name = name_of(&self.input);
        let read_failure = |error| input::read_failure(&self.input, error);
        let mut stream = input::open(&self.input)?;
        let start = buffer::read_start(&mut stream).map_err(read_failure)?;
        let text = json::without_byte_order_mark(&start);
        if text.trim_ascii().is_empty() {
            return Err(Failure::invalid(
                &name,
                "empty: expected the output of `dump --json`",
            ));
        }
        let layout = match ContentKind::of(text, formats) {
            None | Some(ContentKind::Dump { .. } | ContentKind::OtherJson) => {
                parse_layout(text, formats).map_err(|message| Failure::invalid(&name, message))
            }
            Some(other) => Err(self.not_a_dump(other)),
        };
        let (format, layout) = layout?;
        Encoding::Format(format).require_extension(&self.output, formats)?;
        // A large text is not kept in memory.
        let values = if (start.len() as u64) < MIN_LARGE_SIZE {
            Tree::from_json(layout, text)
        } else {
            Tree::read_json(layout, LimitedStream::new(text.chain(stream)))
        };
        let values = values.map_err(|error| Failure::from_error(&name, &error))?;
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

/// Returns the format and the layout of a dump, or an error message.
fn parse_layout(text: &[u8], formats: &Formats) -> Result<(AnyFormat, &'static Type), String> {
    let mut names = Names::default();
    let parsed = serde_json::Deserializer::from_slice(text).deserialize_map(&mut names);
    let Names { format, layout } = names;
    let format = match (format, parsed) {
        (Some(format), _) => format,
        (None, Err(error)) => return Err(error.to_string()),
        (None, Ok(())) => return Err("expected an object with `format` and `layout`".to_owned()),
    };
    let format = formats.get(&format).map_err(|error| error.to_string())?;
    let layouts = format.about().layouts();
    let names: Vec<_> = layouts.iter().map(|(name, _)| *name).collect();
    match (layout, layouts) {
        (_, []) => Err(format!(
            "{format} is a text format, which has no layout to assemble"
        )),
        (None, _) => Err(format!(
            "`layout` is missing, expected one of {}",
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
