//! `meshspec dump` for text formats: prints each line with its meaning.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, BufWriter, Write};
use std::ops::ControlFlow;

use meshspec::{AnyFormat, Finding, Line};
use serde::Serialize;

use crate::failure::{Failure, Result, Status};
use crate::json::write_line;
use crate::output_format::OutputFormat::{self, Json};
use crate::printed_finding::{FindingPrinter, PrintedFinding};
use crate::terminal::{Escaped, TITLE, counted};

/// The maximum number of lines to print per list.
const MAX_PER_LIST: u64 = 24;
/// The maximum number of lines to print of a list selected by `--path`.
const MAX_SELECTED: u64 = 400;
/// The maximum number of lines with findings to print despite those limits: the first such lines of the file.
const MAX_INVALID: u64 = 100;

/// The dump of a text file.
pub struct TextDump<'d> {
    pub name: String,
    pub format: AnyFormat,
    pub bytes: &'d [u8],
    /// The path of the list or item to print; `None` to print all lines.
    pub path: Option<&'d str>,
    /// Whether to print every line of long lists.
    pub prints_all: bool,
    pub output_format: OutputFormat,
}

/// The first line of the JSON output.
#[derive(Serialize)]
struct HeadLine<'h> {
    file: &'h str,
    format: &'static str,
    size: u64,
}

/// A line at the end of the JSON output for a finding about the whole file.
#[derive(Serialize)]
struct ErrorLine<'l> {
    error: &'l Finding,
}

impl TextDump<'_> {
    /// Prints the dump. `subject` is the name of the file in messages. Returns [`Status::Invalid`] if there are
    /// findings.
    pub fn run(&self, subject: &str) -> Result<Status> {
        let limit = match self.path {
            _ if self.prints_all || self.output_format == Json => u64::MAX,
            Some(_) => MAX_SELECTED,
            None => MAX_PER_LIST,
        };
        let mut selection = LineSelection {
            limit,
            ..LineSelection::default()
        };
        let item = self.path.and_then(split_item_path);
        // `anstream` strips colours unless standard output is a terminal.
        let mut out = BufWriter::new(anstream::stdout().lock());
        self.print_head(&mut out)?;
        let mut written = Ok(());
        self.format.lines(self.bytes, &mut |line| {
            let is_item = item == Some((line.list, line.index));
            if self.path.is_some_and(|path| !is_item && line.list != path) {
                return ControlFlow::Continue(());
            }
            if selection.select(line) {
                written = self.print_line(line, selection.skipped.take(), &mut out);
            }
            if written.is_ok() && !is_item {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        written?;
        if let Some(skipped) = selection.skipped.take() {
            writeln!(out, "{skipped}")?;
        }
        let mut is_valid = selection.invalid_count == 0;
        match self.path {
            Some(path) if selection.counts.is_empty() => {
                let failure = Failure::usage(subject, format!("no line has the field `{path}`"));
                return Err(failure.with_hint("omit --path to print all lines with their fields"));
            }
            Some(_) => {}
            // Without a path, also checks the file as a whole.
            None => {
                let report = self.format.check_lines(self.bytes);
                self.print_file_findings(report.findings(), &mut out)?;
                is_valid &= report.findings().is_empty();
            }
        }
        out.flush()?;
        Ok(if is_valid {
            Status::Success
        } else {
            Status::Invalid
        })
    }

    fn print_line(
        &self,
        line: &Line,
        skipped: Option<SkippedLines>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        if self.output_format == Json {
            return write_line(line, out);
        }
        if let Some(skipped) = skipped {
            writeln!(out, "{skipped}")?;
        }
        self.print_text(line, out)
    }

    fn print_head(&self, out: &mut impl Write) -> io::Result<()> {
        let Self {
            name,
            format,
            bytes,
            ..
        } = self;
        let size = bytes.len() as u64;
        if self.output_format == Json {
            return write_line(
                &HeadLine {
                    file: name,
                    format: format.name(),
                    size,
                },
                out,
            );
        }
        let (title, size) = (format.about().title, counted(size, "byte", "bytes"));
        writeln!(out, "{TITLE}{}{TITLE:#}: {title}, {size}\n", Escaped(name))
    }

    fn print_text(&self, line: &Line, out: &mut impl Write) -> io::Result<()> {
        let (text, path, meaning) = (
            Escaped(&line.text()).to_string(),
            line.path(),
            line.meaning(),
        );
        let shown = format!(
            "{:>7}  {text:<40}  {path:<15}  {}",
            line.number,
            Escaped(&meaning)
        );
        writeln!(out, "{}", shown.trim_end())?;
        self.print_findings(&line.findings, out)
    }

    /// Prints findings about the whole file.
    fn print_file_findings(&self, findings: &[Finding], out: &mut impl Write) -> io::Result<()> {
        if self.output_format == Json {
            return findings
                .iter()
                .try_for_each(|error| write_line(&ErrorLine { error }, out));
        }
        if !findings.is_empty() {
            writeln!(out)?;
        }
        self.print_findings(findings, out)
    }

    fn print_findings(&self, findings: &[Finding], out: &mut impl Write) -> io::Result<()> {
        let limits = Default::default();
        let mut printer = FindingPrinter::new(None, self.bytes, &limits);
        findings
            .iter()
            .try_for_each(|finding| printer.print(&PrintedFinding::of_finding(finding), out))
    }
}

/// Splits the path of an item into list and index: `uvs[0][3]` into `uvs[0]` and 3. `None` if it has no index.
fn split_item_path(path: &str) -> Option<(&str, usize)> {
    let (list, index) = path.strip_suffix(']')?.rsplit_once('[')?;
    Some((list, index.parse().ok()?))
}

/// Selects the lines to print.
#[derive(Default)]
struct LineSelection {
    /// The maximum number of lines per list.
    limit: u64,
    /// The number of lines of each list so far.
    counts: HashMap<&'static str, u64>,
    /// The number of lines with findings so far.
    invalid_count: u64,
    /// The lines skipped since the last printed line.
    skipped: Option<SkippedLines>,
}

impl LineSelection {
    /// Counts a line. Returns `true` if it is to be printed.
    fn select(&mut self, line: &Line) -> bool {
        let count = self.counts.entry(line.list).or_default();
        *count += 1;
        let is_invalid = !line.findings.is_empty();
        self.invalid_count += u64::from(is_invalid);
        let is_shown = *count <= self.limit || (is_invalid && self.invalid_count <= MAX_INVALID);
        if !is_shown {
            self.skipped.get_or_insert_default().add(line);
        }
        is_shown
    }
}

/// Consecutive lines that are not printed.
#[derive(Default)]
struct SkippedLines {
    line_count: u64,
    invalid_count: u64,
    /// The name, first index and last index of each list in the skipped lines.
    lists: Vec<(&'static str, usize, usize)>,
}

impl SkippedLines {
    fn add(&mut self, line: &Line) {
        self.line_count += 1;
        self.invalid_count += u64::from(!line.findings.is_empty());
        match self.lists.iter_mut().find(|(list, ..)| *list == line.list) {
            Some((_, _, last)) => *last = line.index,
            None => self.lists.push((line.list, line.index, line.index)),
        }
    }
}

impl fmt::Display for SkippedLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:9}… {}",
            "",
            counted(self.line_count, "more line", "more lines")
        )?;
        if self.invalid_count > 0 {
            write!(
                f,
                ", {} with errors",
                counted(self.invalid_count, "line", "lines")
            )?;
        }
        let lists = self.lists.iter().filter(|(list, ..)| !list.is_empty());
        for (index, (list, first, last)) in lists.enumerate() {
            let separator = if index == 0 { ": " } else { ", " };
            match first == last {
                true => write!(f, "{separator}{list}[{first}]")?,
                false => write!(f, "{separator}{list}[{first}] to [{last}]")?,
            }
        }
        Ok(())
    }
}
