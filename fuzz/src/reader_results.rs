//! The results of all readers for a file, and contradictions between them.

use std::ops::ControlFlow;

use meshspec::layout::walk;
use meshspec::{Document, Limits, ReadOptions, Report, Severity};

use super::Input;

/// The results of all readers for a file.
pub struct ReaderResults {
    /// The result of strict reading.
    pub strict: meshspec::Result<Document>,
    /// The result of lenient reading.
    pub lenient: meshspec::Result<Document>,
    /// The result of `check`.
    pub report: meshspec::Result<Report>,
    /// The first fault that the walker finds or, in a text file, the first fatal finding. `None` if there is none.
    fault: Option<String>,
}

impl ReaderResults {
    /// Reads a file in its format and dialect with all readers.
    pub fn of(input: Input, limits: &Limits) -> ReaderResults {
        let Input {
            format,
            dialect,
            bytes,
        } = input;
        let strict = ReadOptions::default()
            .with_dialect(dialect)
            .with_limits(*limits);
        let lenient = ReadOptions::lenient()
            .with_dialect(dialect)
            .with_limits(*limits);
        ReaderResults {
            strict: Document::read(format, bytes, &strict),
            lenient: Document::read(format, bytes, &lenient),
            report: meshspec::check(bytes, format, &strict),
            fault: first_fault(input, limits),
        }
    }

    /// Returns the code of the rule of each finding whose severity is at least `min`.
    pub fn broken_rules(&self, min: Severity) -> Vec<&'static str> {
        let findings = self.report.iter().flat_map(|report| report.findings());
        findings
            .filter(|finding| finding.rule.severity >= min)
            .map(|finding| finding.rule.code)
            .collect()
    }

    /// Returns a description of the first contradiction between two results; `None` if they agree. Findings are
    /// compared by their rules only.
    pub fn contradiction(&self) -> Option<String> {
        let verdict = |result: &meshspec::Result<Document>| match result {
            Ok(_) => "accepts".to_owned(),
            Err(error) => format!("rejects ({})", error.rule().map_or("-", |rule| rule.code)),
        };
        let strict = || format!("strict reading {}", verdict(&self.strict));
        let lenient = || format!("lenient reading {}", verdict(&self.lenient));
        let (mut errors, fatal) = (
            self.broken_rules(Severity::Error),
            self.broken_rules(Severity::Fatal),
        );
        errors.dedup();
        let check = || match &self.report {
            Ok(_) => format!("check finds {errors:?}"),
            Err(error) => format!("check fails ({})", error.message()),
        };
        if self.strict.is_err() != (self.report.is_err() || !errors.is_empty()) {
            return Some(format!("{}, {}", strict(), check()));
        }
        if self.lenient.is_err() != (self.report.is_err() || !fatal.is_empty()) {
            return Some(format!("{}, {}", lenient(), check()));
        }
        for (result, rules) in [(&self.strict, &errors), (&self.lenient, &fatal)] {
            if let (Err(error), Ok(_)) = (result, &self.report)
                && error.rule().is_none_or(|rule| !rules.contains(&rule.code))
            {
                return Some(format!("reading {}, {}", verdict(result), check()));
            }
        }
        match &self.fault {
            Some(fault) if self.lenient.is_ok() => {
                Some(format!("{}, the walker finds {fault}", lenient()))
            }
            _ => None,
        }
    }
}

fn first_fault(
    Input {
        format,
        dialect,
        bytes,
    }: Input,
    limits: &Limits,
) -> Option<String> {
    if let Some(layout) = format.layout_of(bytes, dialect) {
        let fault = walk::first_fault(layout, bytes, limits)?;
        return Some(format!("{:?} {:?}", fault.kind, fault.rule));
    }
    let mut findings = format.check_lines(bytes).findings().to_vec();
    format.lines(bytes, &mut |line| {
        findings.extend_from_slice(&line.findings);
        ControlFlow::Continue(())
    });
    let fatal = findings
        .iter()
        .find(|finding| finding.rule.severity == Severity::Fatal);
    fatal.map(|finding| finding.rule.code.to_owned())
}
