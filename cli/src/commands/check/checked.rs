//! The result of checking one file.

use std::io::{self, Write};

use meshspec::layout::declaration::Type;
use meshspec::{Limits, Report, Rule};
use serde::Serialize;

use crate::buffer::Buffer;
use crate::failure::Status;
use crate::findings::{Others, Shown};
use crate::messages::Verbosity;
use crate::per_file::FileResult;
use crate::problem::{Bytes, Problem};
use crate::terminal::{Escaped, TITLE, counted};

/// The result of checking one file.
#[derive(Serialize)]
pub struct Checked {
    pub file: String,
    pub format: &'static str,
    /// Whether reading accepts the file in the requested strictness.
    pub valid: bool,
    pub errors: usize,
    pub warnings: usize,
    #[serde(flatten)]
    pub report: Report,
    #[serde(skip)]
    pub bytes: Buffer,
    #[serde(skip)]
    pub layout: Option<&'static Type>,
    #[serde(skip)]
    pub limits: Limits,
    #[serde(skip)]
    pub max_findings: Option<usize>,
    #[serde(skip)]
    pub verbosity: Verbosity,
    /// Whether there are many files: prints nothing without findings, and lists findings only with `--max-findings`.
    #[serde(skip)]
    pub brief: bool,
    /// Whether `--deny warnings` makes the file fail.
    #[serde(skip)]
    pub is_denied: bool,
}

impl FileResult for Checked {
    fn status(&self) -> Status {
        if self.valid && !self.is_denied { Status::Fine } else { Status::Invalid }
    }

    fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let shown = Shown::of(&self.report, self.verbosity, self.max_findings);
        let is_empty = shown.findings.is_empty() && shown.others.is_empty();
        if is_empty && (self.verbosity.quiet || self.brief) {
            return Ok(());
        }
        if !self.brief || self.max_findings.is_some() {
            self.print_findings(&shown, out)?;
        }
        writeln!(out, "{TITLE}{}{TITLE:#}: {}", Escaped(&self.file), self.counts())
    }
}

impl Checked {
    /// Returns the numbers of errors and warnings: `1 error, 0 warnings`.
    pub fn counts(&self) -> String {
        let errors = counted(self.errors as u64, "error", "errors");
        format!("{errors}, {}", counted(self.warnings as u64, "warning", "warnings"))
    }

    /// Returns the first of the most severe rules with findings.
    pub fn worst_rule(&self) -> Option<&'static Rule> {
        let listed = self.report.findings().iter().map(|finding| finding.rule);
        let rules = listed.chain(self.report.rules().map(|(rule, _)| rule));
        rules.reduce(|worst, rule| if rule.severity > worst.severity { rule } else { worst })
    }

    /// Returns a line per finding, and a line per rule with further findings.
    pub fn findings_text(&self) -> String {
        let findings = self.report.findings().iter();
        let findings = findings.map(|finding| format!("{}: {finding}\n", finding.rule.severity.label()));
        let is_listed = |code: &str| self.report.findings().iter().any(|finding| finding.rule.code == code);
        let others = self.report.suppressed();
        let others = others.map(|(code, count)| rest(is_listed(code), count, code) + "\n");
        findings.chain(others).collect()
    }

    fn print_findings(&self, shown: &Shown, out: &mut impl Write) -> io::Result<()> {
        let mut bytes = Bytes::new(self.layout, &self.bytes, &self.limits);
        for finding in &shown.findings {
            bytes.print(&Problem::of_finding(finding), out)?;
        }
        for Others { code, count, last } in &shown.others {
            let is_listed = shown.findings.iter().any(|finding| finding.rule.code == *code);
            write!(out, "{}", rest(is_listed, *count, code))?;
            match last {
                Some(path) if !path.is_empty() => writeln!(out, ", up to {}", Escaped(&path.to_string()))?,
                _ => writeln!(out)?,
            }
        }
        if shown.is_shortened { writeln!(out, "--verbose lists more") } else { Ok(()) }
    }
}

/// Counts the findings of a rule that are not listed.
fn rest(is_listed: bool, count: impl std::fmt::Display, code: &str) -> String {
    if is_listed { format!("and {count} more of {code}") } else { format!("{count} of {code}") }
}
