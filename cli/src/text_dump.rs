//! `meshspec dump` for texts: each line with what it means.

use std::io::{self, BufWriter, Write};
use std::ops::ControlFlow;

use meshspec::{Finding, FormatId, Line};
use serde::Serialize;

use crate::failure::{Failure, Result, Status};
use crate::problem::{Bytes, Problem};
use crate::terminal::{Escaped, TITLE, counted};

/// A text that is dumped.
pub struct TextDump<'d> {
    pub name: String,
    pub format: FormatId,
    pub bytes: &'d [u8],
    /// Only the lines of this field.
    pub path: Option<&'d str>,
    pub json: bool,
}

/// The first line of the data.
#[derive(Serialize)]
struct Head<'h> {
    file: &'h str,
    format: FormatId,
    size: u64,
}

/// One of the last lines of the data, where the lines are right and the file is not.
#[derive(Serialize)]
struct Last<'l> {
    error: &'l Finding,
}

impl TextDump<'_> {
    /// Prints the lines; `place` is the file as messages name it.
    pub fn run(&self, place: &str) -> Result<Status> {
        let mut status = Status::Fine;
        let mut shown = 0;
        // The stream takes out the colours where there is no terminal.
        let mut out = BufWriter::new(anstream::stdout().lock());
        self.head(&mut out)?;
        let mut written = Ok(());
        self.format.lines(self.bytes, &mut |line| {
            if self.path.is_some_and(|path| line.path != path) {
                return ControlFlow::Continue(());
            }
            shown += 1;
            if !line.findings.is_empty() {
                status = Status::Invalid;
            }
            written = if self.json { put(line, &mut out) } else { self.print(line, &mut out) };
            if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        written?;
        // Of the file as a whole, if it is shown as a whole.
        if self.path.is_none() {
            let report = self.format.check_lines(self.bytes);
            self.end(report.findings(), &mut out)?;
            status = status.max(if report.findings().is_empty() { Status::Fine } else { Status::Invalid });
        }
        out.flush()?;
        match self.path {
            Some(path) if shown == 0 => {
                let failure = Failure::usage(place, format!("no line gives `{path}`"));
                Err(failure.with_hint("without --path, all lines are shown with the fields that they give"))
            }
            _ => Ok(status),
        }
    }

    fn head(&self, out: &mut impl Write) -> io::Result<()> {
        let Self { name, format, bytes, .. } = self;
        let size = bytes.len() as u64;
        if self.json {
            return put(&Head { file: name, format: *format, size }, out);
        }
        let (title, size) = (format.about().title, counted(size, "byte", "bytes"));
        writeln!(out, "{TITLE}{}{TITLE:#}: {title}, {size}\n", Escaped(name))
    }

    fn print(&self, line: &Line, out: &mut impl Write) -> io::Result<()> {
        let Line { number, text, path, meaning, .. } = line;
        let text = Escaped(text).to_string();
        let shown = format!("{number:>7}  {text:<40}  {path:<15}  {}", Escaped(meaning));
        writeln!(out, "{}", shown.trim_end())?;
        self.problems(&line.findings, out)
    }

    /// Prints what is wrong with the file as a whole.
    fn end(&self, findings: &[Finding], out: &mut impl Write) -> io::Result<()> {
        if self.json {
            return findings.iter().try_for_each(|error| put(&Last { error }, out));
        }
        if !findings.is_empty() {
            writeln!(out)?;
        }
        self.problems(findings, out)
    }

    fn problems(&self, findings: &[Finding], out: &mut impl Write) -> io::Result<()> {
        let limits = Default::default();
        let mut bytes = Bytes::new(None, self.bytes, &limits);
        findings.iter().try_for_each(|finding| bytes.print(&Problem::of_finding(finding), out))
    }
}

fn put(data: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, data)?;
    writeln!(out)
}
