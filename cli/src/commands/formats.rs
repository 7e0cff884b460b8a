//! `meshspec formats`: lists the supported formats.

use std::io::Write;

use clap::ArgAction::SetTrue;
use clap::Args;
use meshspec::interop::Interchange;
use meshspec::{AnyFormat, Dialect, Specification};
use serde::Serialize;

use crate::failure::{Result, Status};
use crate::output::print_json;
use crate::output_format::OutputFormat::{self, Json};
use crate::terminal::TITLE;

/// List the formats with their dialects and extensions.
#[derive(Debug, Args)]
pub struct Formats {
    /// Print JSON.
    #[arg(id = "json", long, action = SetTrue, value_parser = OutputFormat::json_flag())]
    output_format: OutputFormat,
}

#[derive(Serialize)]
struct FormatData {
    name: &'static str,
    title: &'static str,
    summary: &'static str,
    extensions: Vec<&'static str>,
    dialects: &'static [Dialect],
    #[serde(skip_serializing_if = "Option::is_none")]
    specification: Option<Specification>,
}

impl Formats {
    pub fn run(&self, formats: &meshspec::Formats) -> Result<Status> {
        let formats = formats.iter().map(FormatData::of);
        let others = Interchange::ALL
            .iter()
            .map(|format| FormatData::of_interchange(*format));
        let formats: Vec<FormatData> = formats.chain(others).collect();
        if self.output_format == Json {
            print_json(&formats)?;
            return Ok(Status::Success);
        }
        let mut out = anstream::stdout().lock();
        for format in formats {
            let extensions: Vec<_> = format.extensions.iter().map(|e| format!(".{e}")).collect();
            let dialects: Vec<_> = format
                .dialects
                .iter()
                .map(|dialect| dialect.name())
                .collect();
            writeln!(
                out,
                "{TITLE}{}{TITLE:#}: {}, {}",
                format.name, format.title, format.summary
            )?;
            writeln!(out, "  extensions: {}", extensions.join(", "))?;
            if !dialects.is_empty() {
                writeln!(out, "  dialects:   {}", dialects.join(", "))?;
            }
            if let Some(Specification {
                title,
                project,
                url,
            }) = format.specification
            {
                writeln!(out, "  specification: {title}, from {project}\n    {url}")?;
            }
        }
        Ok(Status::Success)
    }
}

impl FormatData {
    fn of(format: AnyFormat) -> FormatData {
        let about = format.about();
        FormatData {
            name: format.name(),
            title: about.title,
            summary: about.summary,
            extensions: about.extensions.to_vec(),
            dialects: about.dialects,
            specification: about.specification,
        }
    }

    /// Returns the data of an interchange format, which has no dialects.
    fn of_interchange(format: Interchange) -> FormatData {
        FormatData {
            name: format.name(),
            title: format.title(),
            summary: format.summary(),
            extensions: vec![format.name()],
            dialects: &[],
            specification: None,
        }
    }
}
