//! Diagnostics of single lines.

use std::collections::BTreeMap;
use std::ops::Range;

use memchr::memchr_iter;

use super::intent::Intent;
use super::text;
use crate::{Finding, Limits, Path, Report, Rule};

/// Parts of the file that could not be read, so the document may lack them without violating a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::formats::seed) struct Unreadable {
    /// There are lines of unknown intent.
    pub lines: bool,
    /// There are malformed properties.
    pub properties: bool,
}

impl Unreadable {
    pub(in crate::formats::seed) fn and(self, other: Unreadable) -> Unreadable {
        Unreadable { lines: self.lines || other.lines, properties: self.properties || other.properties }
    }
}

/// A diagnostic of a line.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::formats::seed) struct Diagnostic {
    pub rule: &'static Rule,
    /// The byte range in the line.
    pub range: Range<usize>,
    pub message: String,
    /// The intended kind of the line.
    pub intent: Intent,
}

impl Diagnostic {
    pub(super) fn new(rule: &'static Rule, range: Range<usize>, message: impl Into<String>) -> Diagnostic {
        Diagnostic { rule, range, message: message.into(), intent: Intent::Unknown }
    }
}

/// A diagnostic with its location.
#[derive(Debug)]
pub(in crate::formats::seed) struct Located {
    pub diagnostic: Diagnostic,
    /// The file offset of the line.
    pub start: usize,
    /// The index of the line among lines of its kind.
    pub index: usize,
}

impl Located {
    /// Converts the diagnostic to a finding on this line number.
    pub(in crate::formats::seed) fn finding(&self, file: &[u8], number: u64) -> Finding {
        let Diagnostic { rule, range, message, intent } = &self.diagnostic;
        let line = file.get(self.start..).unwrap_or_default();
        Finding {
            rule,
            path: match intent {
                Intent::Attribute(kind) => kind.path().index(self.index),
                Intent::Property | Intent::Unknown => Path::default(),
            },
            span: Some(text::span(line, range.clone(), self.start, number)),
            message: message.clone(),
        }
    }
}

/// The diagnostics of a text, up to a limit for each rule; the others are only counted.
#[derive(Debug, Default)]
pub(in crate::formats::seed) struct Diagnostics {
    pub kept: Vec<Located>,
    /// The number of dropped diagnostics of each rule.
    pub suppressed: BTreeMap<&'static str, (&'static Rule, usize)>,
    pub unreadable: Unreadable,
}

impl Diagnostics {
    pub(super) fn add(&mut self, located: Located, limits: &Limits) {
        let rule = located.diagnostic.rule;
        match located.diagnostic.intent {
            Intent::Attribute(_) => {}
            Intent::Property => self.unreadable.properties = true,
            Intent::Unknown => self.unreadable.lines = true,
        }
        let seen = self.kept.iter().filter(|other| std::ptr::eq(other.diagnostic.rule, rule)).count();
        if seen < limits.max_findings_per_rule {
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
        self.unreadable = self.unreadable.and(next.unreadable);
    }

    /// Adds the diagnostics to the report on a file.
    pub(in crate::formats::seed) fn report(&self, file: &[u8], report: &mut Report) {
        let (mut start, mut number) = (0, 1);
        for located in &self.kept {
            number += memchr_iter(b'\n', &file[start..located.start]).count() as u64;
            start = located.start;
            report.add_with(located.diagnostic.rule, || located.finding(file, number));
        }
        for (rule, count) in self.suppressed.values() {
            report.add_suppressed(rule, *count);
        }
    }
}
