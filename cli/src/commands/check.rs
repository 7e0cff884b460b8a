//! `meshspec check`: everything that is wrong with a file, with the bytes that are.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use meshspec::layout::Type;
use meshspec::{FormatId, Limits, Report};
use serde::Serialize;

use crate::failure::{Failure, Result, Status};
use crate::input::{self, Content, Reading, name_of};
use crate::per_file::{self, FileResult};
use crate::problem::{Bytes, Problem};
use crate::terminal::{Escaped, TITLE, counted};

/// List everything that is wrong with files, with place, bytes and rule.
#[derive(Debug, Args)]
pub struct Check {
    /// The files; `-` is standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print data for other programs.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    reading: Reading,
}

#[derive(Serialize)]
struct Checked {
    file: String,
    format: FormatId,
    /// Whether reading accepts the file, leniently if that was asked for.
    valid: bool,
    errors: usize,
    warnings: usize,
    #[serde(flatten)]
    report: Report,
    #[serde(skip)]
    bytes: Content,
    #[serde(skip)]
    layout: Option<&'static Type>,
    #[serde(skip)]
    limits: Limits,
}

impl Check {
    pub fn run(&self) -> Result<Status> {
        per_file::run(&self.files, self.json, |path| self.look_at(path))
    }

    fn look_at(&self, path: &Path) -> Result<Checked> {
        let bytes = input::map(path)?;
        let format = self.reading.format_of(&bytes, path)?;
        let options = self.reading.options();
        let report =
            meshspec::check(&bytes, format, &options).map_err(|error| Failure::of(&name_of(path), &error))?;
        Ok(Checked {
            file: path.display().to_string(),
            format,
            valid: report.is_valid(self.reading.strictness()),
            errors: report.errors(),
            warnings: report.warnings(),
            report,
            layout: format.layout_of(&bytes, options.dialect),
            limits: options.limits,
            bytes,
        })
    }
}

impl FileResult for Checked {
    fn status(&self) -> Status {
        if self.valid { Status::Fine } else { Status::Invalid }
    }

    fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let mut bytes = Bytes::new(self.layout, &self.bytes, &self.limits);
        for finding in self.report.findings() {
            bytes.print(&Problem::of_finding(finding), out)?;
        }
        for (code, count) in self.report.suppressed() {
            writeln!(out, "and {count} more of {code}")?;
        }
        writeln!(
            out,
            "{TITLE}{}{TITLE:#}: {}, {}",
            Escaped(&self.file),
            counted(self.errors as u64, "error", "errors"),
            counted(self.warnings as u64, "warning", "warnings"),
        )
    }
}
