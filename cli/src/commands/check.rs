//! `meshspec check`: everything that is wrong with a file, with the bytes that are.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use meshspec::layout::Type;
use meshspec::{Formats, Limits, Report};
use serde::Serialize;

use crate::buffer::Buffer;
use crate::encoding::Encoding;
use crate::failure::{Failure, Result, Status};
use crate::findings::{Others, Shown};
use crate::input::{self, Beside, name_of};
use crate::json;
use crate::many::Many;
use crate::messages::{SCREEN, Verbosity};
use crate::per_file::{FileResult, Files};
use crate::problem::{Bytes, Problem};
use crate::reading::{Bounds, Reading};
use crate::terminal::{Escaped, TITLE, counted};

/// List everything that is wrong with files, with place, bytes and rule.
///
/// Files of interchange formats are read; an error that prevents that is the only finding.
#[derive(Debug, Args)]
pub struct Check {
    /// The files, folders of files, or patterns such as `*.glb`; `-` is standard input.
    #[arg(required_unless_present = "files_from", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print data for other programs.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    many: Many,
    #[command(flatten)]
    verbosity: Verbosity,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    bounds: Bounds,
}

#[derive(Serialize)]
struct Checked {
    file: String,
    format: &'static str,
    /// Whether reading accepts the file, leniently if that was asked for.
    valid: bool,
    errors: usize,
    warnings: usize,
    #[serde(flatten)]
    report: Report,
    #[serde(skip)]
    bytes: Buffer,
    #[serde(skip)]
    layout: Option<&'static Type>,
    #[serde(skip)]
    limits: Limits,
    #[serde(skip)]
    verbosity: Verbosity,
    /// Whether there are so many files that each has one line, if anything is wrong with it.
    #[serde(skip)]
    brief: bool,
}

impl Check {
    pub fn run(&self, formats: &Formats) -> Result<Status> {
        let files = Files::new(&self.many, &self.files, "check", &(&self.reading, &self.bounds), formats)?;
        let brief = files.len() > SCREEN && !self.verbosity.verbose;
        let status = files.look_at(self.json, |path| self.look_at(path, brief, formats))?;
        if brief && !self.json && !self.verbosity.quiet {
            eprintln!("{} files checked; --verbose shows all of them and their findings", files.len());
        }
        Ok(status)
    }

    fn look_at(&self, path: &Path, brief: bool, formats: &Formats) -> Result<Checked> {
        let bytes = input::read(path)?;
        let encoding = self.reading.encoding_of(&bytes, path, formats)?;
        let options = self.reading.options(encoding, &bytes).with_limits(self.bounds.limits());
        let (report, layout) = match encoding {
            Encoding::Format(format) => {
                let report = meshspec::check(&bytes, format, &options);
                (report, format.layout_of(&bytes, options.dialect.unwrap_or_default()))
            }
            Encoding::Json => {
                let document = json::read_document(&bytes);
                let document = document.map_err(|error| Failure::invalid(&name_of(path), error))?;
                (Ok(document.check()), None)
            }
            Encoding::Interchange(format) => (format.check(&bytes, &Beside::new(path), &options), None),
        };
        let report = report.map_err(|error| Failure::of(&name_of(path), &error))?;
        Ok(Checked {
            file: path.display().to_string(),
            format: encoding.name(),
            valid: report.is_valid(self.reading.strictness()),
            errors: report.errors(),
            warnings: report.warnings(),
            report,
            layout,
            limits: options.limits,
            bytes,
            verbosity: self.verbosity,
            brief,
        })
    }
}

impl FileResult for Checked {
    fn status(&self) -> Status {
        if self.valid { Status::Fine } else { Status::Invalid }
    }

    fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let shown = Shown::of(&self.report, self.verbosity);
        let quiet = self.verbosity.quiet && shown.findings.is_empty();
        if quiet || (self.brief && self.report.findings().is_empty()) {
            return Ok(());
        }
        if !self.brief {
            self.print_findings(&shown, out)?;
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

impl Checked {
    fn print_findings(&self, shown: &Shown, out: &mut impl Write) -> io::Result<()> {
        let mut bytes = Bytes::new(self.layout, &self.bytes, &self.limits);
        for finding in &shown.findings {
            bytes.print(&Problem::of_finding(finding), out)?;
        }
        for Others { code, count, last } in &shown.others {
            write!(out, "and {count} more of {code}")?;
            match last {
                Some(path) if !path.is_empty() => writeln!(out, ", up to {}", Escaped(&path.to_string()))?,
                _ => writeln!(out)?,
            }
        }
        if shown.others.is_empty() || self.verbosity.verbose {
            Ok(())
        } else {
            writeln!(out, "--verbose lists more")
        }
    }
}
