//! `meshspec dump` for text formats: each line with its meaning.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, BufWriter, Write};
use std::ops::ControlFlow;

use meshspec::{AnyFormat, Finding, Line};
use serde::Serialize;

use crate::failure::{Failure, Result, Status};
use crate::json::write_line;
use crate::output_format::OutputFormat::{self, Json};
use crate::problem::{Bytes, Problem};
use crate::terminal::{Escaped, TITLE, counted};

/// The maximum number of shown lines per list; more for a requested list.
const FEW: u64 = 24;
const MANY: u64 = 400;
/// The maximum number of lines with findings that are shown regardless of other limits.
const MAX_INVALID: u64 = 100;

/// A dump of a text file.
pub struct TextDump<'d> {
    pub name: String,
    pub format: AnyFormat,
    pub bytes: &'d [u8],
    /// Only the lines of this list, or the line of this item.
    pub path: Option<&'d str>,
    /// Shows every line of long lists.
    pub all: bool,
    pub output_format: OutputFormat,
}

/// The first line of the JSON output.
#[derive(Serialize)]
struct Head<'h> {
    file: &'h str,
    format: &'static str,
    size: u64,
}

/// A line at the end of the JSON output, for an error of the file as a whole.
#[derive(Serialize)]
struct Last<'l> {
    error: &'l Finding,
}

impl TextDump<'_> {
    /// Prints the lines. `place` is the name of the file in messages.
    pub fn run(&self, place: &str) -> Result<Status> {
        let limit = match self.path {
            _ if self.all || self.output_format == Json => u64::MAX,
            Some(_) => MANY,
            None => FEW,
        };
        let mut selection = Selection { limit, ..Selection::default() };
        let item = self.path.and_then(item);
        // The stream strips colours unless it is a terminal.
        let mut out = BufWriter::new(anstream::stdout().lock());
        self.head(&mut out)?;
        let mut written = Ok(());
        self.format.lines(self.bytes, &mut |line| {
            let is_item = item == Some((line.list, line.index));
            if self.path.is_some_and(|path| !is_item && line.list != path) {
                return ControlFlow::Continue(());
            }
            if selection.shows(line) {
                written = self.line(line, selection.skipped.take(), &mut out);
            }
            if written.is_ok() && !is_item { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        written?;
        if let Some(skipped) = selection.skipped.take() {
            writeln!(out, "{skipped}")?;
        }
        let mut is_valid = selection.invalid == 0;
        match self.path {
            Some(path) if selection.counts.is_empty() => {
                let failure = Failure::usage(place, format!("no line sets `{path}`"));
                return Err(
                    failure.with_hint("without --path, all lines are shown with the fields that they set")
                );
            }
            Some(_) => {}
            // Checks the whole file, if all of it is shown.
            None => {
                let report = self.format.check_lines(self.bytes);
                self.end(report.findings(), &mut out)?;
                is_valid &= report.findings().is_empty();
            }
        }
        out.flush()?;
        Ok(if is_valid { Status::Fine } else { Status::Invalid })
    }

    fn line(&self, line: &Line, skipped: Option<Skipped>, out: &mut impl Write) -> io::Result<()> {
        if self.output_format == Json {
            return write_line(line, out);
        }
        if let Some(skipped) = skipped {
            writeln!(out, "{skipped}")?;
        }
        self.print(line, out)
    }

    fn head(&self, out: &mut impl Write) -> io::Result<()> {
        let Self { name, format, bytes, .. } = self;
        let size = bytes.len() as u64;
        if self.output_format == Json {
            return write_line(&Head { file: name, format: format.name(), size }, out);
        }
        let (title, size) = (format.about().title, counted(size, "byte", "bytes"));
        writeln!(out, "{TITLE}{}{TITLE:#}: {title}, {size}\n", Escaped(name))
    }

    fn print(&self, line: &Line, out: &mut impl Write) -> io::Result<()> {
        let (text, path, meaning) = (Escaped(&line.text()).to_string(), line.path(), line.meaning());
        let shown = format!("{:>7}  {text:<40}  {path:<15}  {}", line.number, Escaped(&meaning));
        writeln!(out, "{}", shown.trim_end())?;
        self.problems(&line.findings, out)
    }

    /// Prints findings about the whole file.
    fn end(&self, findings: &[Finding], out: &mut impl Write) -> io::Result<()> {
        if self.output_format == Json {
            return findings.iter().try_for_each(|error| write_line(&Last { error }, out));
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

/// Splits the path of an item into list and index: `uvs[0][3]` into `uvs[0]` and 3.
fn item(path: &str) -> Option<(&str, usize)> {
    let (list, index) = path.strip_suffix(']')?.rsplit_once('[')?;
    Some((list, index.parse().ok()?))
}

/// Selects the lines to show.
#[derive(Default)]
struct Selection {
    /// The maximum number of lines per list.
    limit: u64,
    /// The number of lines of each list so far.
    counts: HashMap<&'static str, u64>,
    /// The number of lines with findings so far.
    invalid: u64,
    /// The hidden lines since the last shown one.
    skipped: Option<Skipped>,
}

impl Selection {
    fn shows(&mut self, line: &Line) -> bool {
        let count = self.counts.entry(line.list).or_default();
        *count += 1;
        let is_invalid = !line.findings.is_empty();
        self.invalid += u64::from(is_invalid);
        let shows = *count <= self.limit || (is_invalid && self.invalid <= MAX_INVALID);
        if !shows {
            self.skipped.get_or_insert_default().add(line);
        }
        shows
    }
}

/// Hidden lines.
#[derive(Default)]
struct Skipped {
    lines: u64,
    invalid: u64,
    /// The first and the last item of each list, in the order of the lines.
    lists: Vec<(&'static str, usize, usize)>,
}

impl Skipped {
    fn add(&mut self, line: &Line) {
        self.lines += 1;
        self.invalid += u64::from(!line.findings.is_empty());
        match self.lists.iter_mut().find(|(list, ..)| *list == line.list) {
            Some((_, _, last)) => *last = line.index,
            None => self.lists.push((line.list, line.index, line.index)),
        }
    }
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:9}… {}", "", counted(self.lines, "more line", "more lines"))?;
        if self.invalid > 0 {
            write!(f, ", {} with errors", counted(self.invalid, "line", "lines"))?;
        }
        let lists = self.lists.iter().filter(|(list, ..)| !list.is_empty());
        for (number, (list, first, last)) in lists.enumerate() {
            let separator = if number == 0 { ": " } else { ", " };
            match first == last {
                true => write!(f, "{separator}{list}[{first}]")?,
                false => write!(f, "{separator}{list}[{first}] to [{last}]")?,
            }
        }
        Ok(())
    }
}
