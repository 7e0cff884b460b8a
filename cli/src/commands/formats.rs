//! `meshspec formats`: what the program can read and write.

use std::io::Write;

use clap::Args;
use meshspec::{Dialect, FormatId};
use serde::Serialize;

use crate::failure::{Result, Status};
use crate::output::print_json;
use crate::terminal::TITLE;

/// List the formats with their dialects and extensions.
#[derive(Debug, Args)]
pub struct Formats {
    /// Print data for other programs.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Format {
    name: &'static str,
    title: &'static str,
    summary: &'static str,
    extensions: &'static [&'static str],
    dialects: &'static [Dialect],
}

impl Formats {
    pub fn run(&self) -> Result<Status> {
        let formats: Vec<Format> = FormatId::ALL.iter().map(|format| Format::of(*format)).collect();
        if self.json {
            print_json(&formats)?;
            return Ok(Status::Fine);
        }
        let mut out = anstream::stdout().lock();
        for format in formats {
            let extensions: Vec<_> = format.extensions.iter().map(|e| format!(".{e}")).collect();
            let dialects: Vec<_> = format.dialects.iter().map(|dialect| dialect.name()).collect();
            writeln!(out, "{TITLE}{}{TITLE:#}: {}, {}", format.name, format.title, format.summary)?;
            writeln!(out, "  extensions: {}", extensions.join(", "))?;
            writeln!(out, "  dialects:   {}", dialects.join(", "))?;
        }
        Ok(Status::Fine)
    }
}

impl Format {
    fn of(format: FormatId) -> Format {
        let about = format.about();
        Format {
            name: format.name(),
            title: about.title,
            summary: about.summary,
            extensions: about.extensions,
            dialects: about.dialects,
        }
    }
}
