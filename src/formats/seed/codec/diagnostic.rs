//! Diagnostics: violations of rules in individual lines.

use std::collections::BTreeMap;
use std::ops::Range;

use memchr::memchr_iter;

use super::intent::Intent;
use super::text;
use crate::{Finding, Limits, Path, Report, Rule};

/// The kinds of lines that could not be read. Checks must not report such lines as missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::formats::seed) struct UnreadableLines {
    /// Whether the file has malformed lines of unknown kind.
    pub has_unknown_lines: bool,
    /// Whether the file has malformed properties.
    pub has_properties: bool,
}

/// A violation of a rule in a line.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::formats::seed) struct Diagnostic {
    pub rule: &'static Rule,
    /// The byte range of the violation in the line.
    pub range: Range<usize>,
    pub message: String,
    /// The intended kind of the line.
    pub intent: Intent,
}

impl Diagnostic {
    pub(super) fn new(
        rule: &'static Rule,
        range: Range<usize>,
        message: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic {
            rule,
            range,
            message: message.into(),
            intent: Intent::Unknown,
        }
    }
}

/// A diagnostic with the location of its line.
#[derive(Debug)]
pub(in crate::formats::seed) struct LocatedDiagnostic {
    pub diagnostic: Diagnostic,
    /// The file offset of the line.
    pub start: usize,
    /// The index among the lines of the same kind.
    pub index: usize,
}

impl LocatedDiagnostic {
    /// Converts the diagnostic to a finding. `number` is the line number.
    pub(in crate::formats::seed) fn to_finding(&self, file: &[u8], number: u64) -> Finding {
        let Diagnostic {
            rule,
            range,
            message,
            intent,
        } = &self.diagnostic;
        let line = file.get(self.start..).unwrap_or_default();
        Finding {
            rule,
            path: match intent {
                Intent::Attribute(kind) => kind.path().index(self.index),
                Intent::Property | Intent::Unknown => Path::default(),
            },
            span: Some(text::line_span(line, range.clone(), self.start, number)),
            message: message.clone(),
        }
    }
}

/// The diagnostics of a file, up to the maximum number of findings per rule. Further diagnostics are only counted.
#[derive(Debug, Default)]
pub(in crate::formats::seed) struct Diagnostics {
    pub kept: Vec<LocatedDiagnostic>,
    /// The rules whose diagnostics exceed the maximum, by code, each with the number of diagnostics that were not kept.
    pub suppressed: BTreeMap<&'static str, (&'static Rule, usize)>,
    pub unreadable: UnreadableLines,
}

impl Diagnostics {
    pub(super) fn add(&mut self, located: LocatedDiagnostic, limits: &Limits) {
        let rule = located.diagnostic.rule;
        match located.diagnostic.intent {
            Intent::Attribute(_) => {}
            Intent::Property => self.unreadable.has_properties = true,
            Intent::Unknown => self.unreadable.has_unknown_lines = true,
        }
        let count = self
            .kept
            .iter()
            .filter(|other| std::ptr::eq(other.diagnostic.rule, rule))
            .count();
        if count < limits.max_findings_per_rule {
            self.kept.push(located);
        } else {
            self.suppressed.entry(rule.code).or_insert((rule, 0)).1 += 1;
        }
    }

    /// Appends the diagnostics of the next chunk.
    pub(super) fn append(&mut self, next: Diagnostics, limits: &Limits) {
        for located in next.kept {
            self.add(located, limits);
        }
        for (code, (rule, count)) in next.suppressed {
            self.suppressed.entry(code).or_insert((rule, 0)).1 += count;
        }
        self.unreadable.has_unknown_lines |= next.unreadable.has_unknown_lines;
        self.unreadable.has_properties |= next.unreadable.has_properties;
    }

    /// Adds the diagnostics to the report of a file.
    pub(in crate::formats::seed) fn report(&self, file: &[u8], report: &mut Report) {
        let (mut start, mut number) = (0, 1);
        for located in &self.kept {
            number += memchr_iter(b'\n', &file[start..located.start]).count() as u64;
            start = located.start;
            report.add_with(located.diagnostic.rule, || located.to_finding(file, number));
        }
        for (rule, count) in self.suppressed.values() {
            report.add_suppressed(rule, *count);
        }
    }
}
