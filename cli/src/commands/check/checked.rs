//! The result of checking one file.

use std::io::{self, Write};

use meshspec::layout::declaration::Type;
use meshspec::{Limits, Report, Rule};
use serde::Serialize;

use crate::buffer::Buffer;
use crate::failure::Status;
use crate::findings::{FindingSelection, HiddenFindings};
use crate::messages::Verbosity;
use crate::per_file::FileResult;
use crate::printed_finding::{FindingPrinter, PrintedFinding};
use crate::terminal::{Escaped, HINT, TITLE, counted};

#[derive(Serialize)]
pub struct CheckResult {
    pub file: String,
    pub format: &'static str,
    /// Whether the file can be read with the requested strictness.
    pub valid: bool,
    pub errors: usize,
    pub warnings: usize,
    #[serde(flatten)]
    pub report: Report,
    /// Hints about the geometry, which are not findings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<String>,
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
    /// Whether more than [`MAX_LINES`](crate::messages::MAX_LINES) files are checked without `--verbose`. If so,
    /// nothing is printed for a file without findings and hints, only the worst finding of any other, and hints
    /// are counted. `--max-findings` lists more findings.
    #[serde(skip)]
    pub is_brief: bool,
    /// Whether the file has warnings and `--deny warnings` is given.
    #[serde(skip)]
    pub is_denied: bool,
}

impl FileResult for CheckResult {
    fn status(&self) -> Status {
        if self.valid && !self.is_denied {
            Status::Success
        } else {
            Status::Invalid
        }
    }

    fn print(&self, out: &mut impl Write) -> io::Result<()> {
        // Denied warnings are the reason of the failure.
        let verbosity = Verbosity {
            quiet: self.verbosity.quiet && !self.is_denied,
            ..self.verbosity
        };
        let shown = FindingSelection::new(&self.report, verbosity, self.max_findings);
        let hints = if self.verbosity.quiet {
            &[][..]
        } else {
            &self.hints[..]
        };
        let is_empty = shown.findings.is_empty() && shown.hidden.is_empty() && hints.is_empty();
        if is_empty && (self.verbosity.quiet || self.is_brief) {
            return Ok(());
        }
        if !self.is_brief || self.max_findings.is_some() {
            self.print_findings(&shown, out)?;
        } else {
            self.print_worst_finding(&shown, out)?;
        }
        let mut counts = self.counts_text();
        if self.is_brief && !hints.is_empty() {
            counts += &format!(", {}", counted(hints.len() as u64, "hint", "hints"));
        }
        for hint in hints.iter().filter(|_| !self.is_brief) {
            writeln!(out, "{HINT}hint{HINT:#}: {}", Escaped(hint))?;
        }
        writeln!(out, "{TITLE}{}{TITLE:#}: {counts}", Escaped(&self.file))
    }
}

impl CheckResult {
    /// Returns the numbers of errors and warnings as text: `1 error, 0 warnings`.
    pub fn counts_text(&self) -> String {
        let errors = counted(self.errors as u64, "error", "errors");
        format!(
            "{errors}, {}",
            counted(self.warnings as u64, "warning", "warnings")
        )
    }

    /// Returns the most severe rule with findings, the first if there are several; `None` without findings.
    pub fn worst_rule(&self) -> Option<&'static Rule> {
        let listed = self.report.findings().iter().map(|finding| finding.rule);
        let rules = listed.chain(self.report.rules().map(|(rule, _)| rule));
        rules.reduce(|worst, rule| {
            if rule.severity > worst.severity {
                rule
            } else {
                worst
            }
        })
    }

    /// Returns a line for each finding, and a line for each rule with findings that the report only counts.
    pub fn findings_text(&self) -> String {
        let findings = self.report.findings().iter();
        let findings =
            findings.map(|finding| format!("{}: {finding}\n", finding.rule.severity.label()));
        let is_listed = |code: &str| {
            self.report
                .findings()
                .iter()
                .any(|finding| finding.rule.code == code)
        };
        let others = self.report.suppressed();
        let others =
            others.map(|(code, count)| describe_hidden(is_listed(code), count, code) + "\n");
        findings.chain(others).collect()
    }

    /// Prints the first of the most severe findings in one line, without its bytes.
    fn print_worst_finding(
        &self,
        shown: &FindingSelection,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let findings = shown.findings.iter();
        let worst = findings.reduce(|worst, next| {
            if next.rule.severity > worst.rule.severity {
                next
            } else {
                worst
            }
        });
        match worst {
            Some(finding) => {
                let label = finding.rule.severity.label();
                writeln!(out, "{label}: {}", Escaped(&finding.to_string()))
            }
            None => Ok(()),
        }
    }

    fn print_findings(&self, shown: &FindingSelection, out: &mut impl Write) -> io::Result<()> {
        let mut printer = FindingPrinter::new(self.layout, &self.bytes, &self.limits);
        for finding in &shown.findings {
            printer.print(&PrintedFinding::of_finding(finding), out)?;
        }
        for HiddenFindings { code, count, last } in &shown.hidden {
            let is_listed = shown
                .findings
                .iter()
                .any(|finding| finding.rule.code == *code);
            write!(out, "{}", describe_hidden(is_listed, *count, code))?;
            match last {
                Some(path) if !path.is_empty() => {
                    writeln!(out, ", up to {}", Escaped(&path.to_string()))?
                }
                _ => writeln!(out)?,
            }
        }
        if shown.is_shortened {
            writeln!(out, "--verbose lists more")
        } else {
            Ok(())
        }
    }
}

/// Describes the number of unlisted findings of a rule. `is_listed` is `true` if other findings of the rule are listed.
fn describe_hidden(is_listed: bool, count: impl std::fmt::Display, code: &str) -> String {
    if is_listed {
        format!("and {count} more of {code}")
    } else {
        format!("{count} of {code}")
    }
}
