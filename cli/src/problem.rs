//! Prints problems of a file with their bytes.

use std::io::{self, Write};
use std::ops::Range;

use anstyle::Style;
use meshspec::layout::declaration::Type;
use meshspec::layout::walk::{self, Fault};
use meshspec::{Finding, Limits, Rule, Severity, Span};

use crate::excerpt::Excerpt;
use crate::terminal::{ERROR, Escaped, WARNING};
use crate::text_excerpt::TextExcerpt;

/// A finding, or a structural error.
pub struct Problem<'p> {
    text: String,
    span: Option<&'p Span>,
    rule: Option<&'static Rule>,
}

impl<'p> Problem<'p> {
    pub fn of_finding(finding: &'p Finding) -> Problem<'p> {
        Problem { text: finding.to_string(), span: finding.span.as_ref(), rule: Some(finding.rule) }
    }

    pub fn of_fault(fault: &'p Fault, rule: Option<&'static Rule>) -> Problem<'p> {
        let reference = rule.map(|rule| format!(" [{}]", rule.reference())).unwrap_or_default();
        Problem { text: format!("{fault}{reference}"), span: Some(&fault.span), rule }
    }
}

/// The bytes of a file with problems.
pub struct Bytes<'b> {
    layout: Option<&'static Type>,
    file: &'b [u8],
    limits: &'b Limits,
    /// The last unpacked block, which often contains the next problem as well.
    unpacked: Option<(Range<u64>, Vec<u8>)>,
}

impl<'b> Bytes<'b> {
    pub fn new(layout: Option<&'static Type>, file: &'b [u8], limits: &'b Limits) -> Bytes<'b> {
        Bytes { layout, file, limits, unpacked: None }
    }

    /// Prints a problem, its bytes and its rule.
    pub fn print(&mut self, problem: &Problem, out: &mut impl Write) -> io::Result<()> {
        let severity = problem.rule.map_or(Severity::Fatal, |rule| rule.severity);
        let style = if severity == Severity::Warning { WARNING } else { ERROR };
        writeln!(out, "{style}{}{style:#}: {}", severity.label(), Escaped(&problem.text))?;
        if let Some(span) = problem.span {
            self.excerpt(span, style, out)?;
        }
        match problem.rule {
            Some(rule) if rule.section.is_empty() => writeln!(out, "  = {}\n", rule.summary),
            Some(rule) => writeln!(out, "  = {}: {}\n", rule.section, rule.summary),
            None => writeln!(out),
        }
    }

    /// Prints the bytes or the line of a span, marked.
    pub fn excerpt(&mut self, span: &Span, style: Style, out: &mut impl Write) -> io::Result<()> {
        match span {
            Span::Text { range, line, .. } => {
                let excerpt = TextExcerpt { file: self.file, marked: range.clone(), line: *line, style };
                write!(out, "{excerpt}")
            }
            span => {
                let is_unpacked = matches!(span, Span::Unpacked { .. });
                let marked = span.range().clone();
                let excerpt = Excerpt { bytes: self.at(span), marked, is_unpacked, style };
                write!(out, "{excerpt}")
            }
        }
    }

    /// Returns the bytes that the span refers to: the file or an unpacked block.
    fn at(&mut self, span: &Span) -> &[u8] {
        let Span::Unpacked { packed, .. } = span else { return self.file };
        if self.unpacked.as_ref().is_none_or(|(range, _)| range != packed) {
            let content =
                self.layout.and_then(|layout| walk::unpack_block(layout, self.file, self.limits, packed));
            self.unpacked = Some((packed.clone(), content.unwrap_or_default()));
        }
        self.unpacked.as_ref().map_or(&[], |(_, content)| content)
    }
}
