//! Prints findings and structural errors with the bytes concerned.

use std::io::{self, Write};
use std::ops::Range;

use anstyle::Style;
use meshspec::layout::declaration::Type;
use meshspec::layout::walk::{self, Fault};
use meshspec::{Finding, Limits, Rule, Severity, Span};

use crate::excerpt::HexExcerpt;
use crate::terminal::{ERROR, Escaped, WARNING};
use crate::text_excerpt::TextExcerpt;

/// A finding or a structural error, prepared for printing.
pub struct PrintedFinding<'p> {
    text: String,
    span: Option<&'p Span>,
    rule: Option<&'static Rule>,
}

impl<'p> PrintedFinding<'p> {
    pub fn of_finding(finding: &'p Finding) -> PrintedFinding<'p> {
        PrintedFinding {
            text: finding.to_string(),
            span: finding.span.as_ref(),
            rule: Some(finding.rule),
        }
    }

    pub fn of_fault(fault: &'p Fault, rule: Option<&'static Rule>) -> PrintedFinding<'p> {
        let reference = rule
            .map(|rule| format!(" [{}]", rule.reference()))
            .unwrap_or_default();
        PrintedFinding {
            text: format!("{fault}{reference}"),
            span: Some(&fault.span),
            rule,
        }
    }
}

/// Prints findings and structural errors of a file with excerpts of its bytes.
pub struct FindingPrinter<'b> {
    layout: Option<&'static Type>,
    file: &'b [u8],
    limits: &'b Limits,
    /// The range and content of the most recently unpacked block, which often also contains the next finding.
    unpacked: Option<(Range<u64>, Vec<u8>)>,
}

impl<'b> FindingPrinter<'b> {
    pub fn new(
        layout: Option<&'static Type>,
        file: &'b [u8],
        limits: &'b Limits,
    ) -> FindingPrinter<'b> {
        FindingPrinter {
            layout,
            file,
            limits,
            unpacked: None,
        }
    }

    /// Prints a finding or structural error, the bytes concerned, and the rule.
    pub fn print(&mut self, finding: &PrintedFinding, out: &mut impl Write) -> io::Result<()> {
        let severity = finding.rule.map_or(Severity::Fatal, |rule| rule.severity);
        let style = if severity == Severity::Warning {
            WARNING
        } else {
            ERROR
        };
        writeln!(
            out,
            "{style}{}{style:#}: {}",
            severity.label(),
            Escaped(&finding.text)
        )?;
        if let Some(span) = finding.span {
            self.print_excerpt(span, style, out)?;
        }
        match finding.rule {
            Some(rule) if rule.section.is_empty() => writeln!(out, "  = {}\n", rule.summary),
            Some(rule) => writeln!(out, "  = {}: {}\n", rule.section, rule.summary),
            None => writeln!(out),
        }
    }

    /// Prints the bytes or the line of a span, with the span underlined.
    pub fn print_excerpt(
        &mut self,
        span: &Span,
        style: Style,
        out: &mut impl Write,
    ) -> io::Result<()> {
        match span {
            Span::Text { range, line, .. } => {
                let excerpt = TextExcerpt {
                    file: self.file,
                    marked: range.clone(),
                    line: *line,
                    style,
                };
                write!(out, "{excerpt}")
            }
            span => {
                let is_unpacked = matches!(span, Span::Unpacked { .. });
                let marked = span.range().clone();
                let excerpt = HexExcerpt {
                    bytes: self.bytes_of(span),
                    marked,
                    is_unpacked,
                    style,
                };
                write!(out, "{excerpt}")
            }
        }
    }

    /// Returns the bytes that the offsets of a span refer to: the file, or the content of an unpacked block.
    fn bytes_of(&mut self, span: &Span) -> &[u8] {
        let Span::Unpacked { packed, .. } = span else {
            return self.file;
        };
        if self
            .unpacked
            .as_ref()
            .is_none_or(|(range, _)| range != packed)
        {
            let content = self
                .layout
                .and_then(|layout| walk::unpack_block(layout, self.file, self.limits, packed));
            self.unpacked = Some((packed.clone(), content.unwrap_or_default()));
        }
        self.unpacked.as_ref().map_or(&[], |(_, content)| content)
    }
}
