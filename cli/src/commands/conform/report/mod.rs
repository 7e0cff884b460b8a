//! The report of a run over a corpus.

mod junit;
mod markdown;
mod text;

use std::fmt;
use std::io::{self, Write};

use serde::Serialize;

use super::disagreement::DisagreementKind;
use super::group::{DisagreementGroup, LoaderOutcome};
use crate::output_format::OutputFormat::{Json, Junit, Markdown};
use crate::output_format::Printers;
use crate::terminal::counted;

/// The results of running a loader over a corpus.
#[derive(Debug, Serialize)]
pub struct Report<'a> {
    pub index: String,
    pub command: Vec<String>,
    /// Whether the expected verdicts are the verdicts of lenient reading.
    pub lenient: bool,
    pub files: usize,
    pub crashes: usize,
    pub hangs: usize,
    pub wrong_verdicts: usize,
    pub wrong_contents: usize,
    /// The numbers of compared contents; `None` if the corpus has none, or contents are not compared.
    pub contents: Option<ComparedContents>,
    pub groups: Vec<DisagreementGroup<'a>>,
    #[serde(skip)]
    pub outcomes: &'a [LoaderOutcome<'a>],
}

/// The numbers of compared contents.
#[derive(Debug, Serialize)]
pub struct ComparedContents {
    /// The number of files with contents.
    pub files: usize,
    /// The number of these files for which the loader printed contents.
    pub compared: usize,
    /// Whether the loader printed an empty object for any file.
    #[serde(skip)]
    pub has_empty_object: bool,
}

impl fmt::Display for ComparedContents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files = counted(self.files as u64, "file", "files");
        write!(f, "contents of {} of {files} compared", self.compared)?;
        match (self.compared, self.has_empty_object) {
            (0, true) => f.write_str(": the loader prints objects without keys"),
            (0, false) => f.write_str(": the loader prints no JSON object"),
            _ => Ok(()),
        }
    }
}

type ReportPrinter = fn(&Report, &mut dyn Write) -> io::Result<()>;

pub const PRINTERS: Printers<ReportPrinter> = Printers {
    text: text::print,
    others: &[
        (Json, print_json),
        (Junit, junit::print),
        (Markdown, markdown::print),
    ],
};

fn print_json(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, report)?;
    writeln!(out)
}

impl Report<'_> {
    /// Returns a one-line summary.
    fn summary(&self) -> String {
        let files = counted(self.files as u64, "file", "files");
        let counts = [
            self.crashes,
            self.hangs,
            self.wrong_verdicts,
            self.wrong_contents,
        ];
        let counted_kinds: Vec<_> = (DisagreementKind::ALL.into_iter().zip(counts))
            .filter(|(_, count)| *count > 0)
            .map(|(kind, count)| counted(count as u64, kind.singular(), kind.plural()))
            .collect();
        let verdict = match &*counted_kinds {
            [] => format!("{files}, no disagreement"),
            kinds => format!("{files}: {}", kinds.join(", ")),
        };
        match &self.contents {
            Some(contents) => format!("{verdict}; {contents}"),
            None => verdict,
        }
    }
}

/// Returns the path and byte range of the tested value in the smallest file of a group; `None` if unknown.
fn location_text(group: &DisagreementGroup) -> Option<String> {
    let bytes = group
        .smallest
        .bytes
        .map(|[start, end]| format!("bytes {start:#x}..{end:#x}"));
    match (group.smallest.path, bytes) {
        (Some(path), Some(bytes)) => Some(format!("{path} ({bytes})")),
        (Some(path), None) => Some(path.to_owned()),
        (None, bytes) => bytes,
    }
}
