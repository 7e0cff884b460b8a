//! Checks files against their declaration, and converts faults to errors and findings.

use super::check_bytes;
use super::declaration::Type;
use super::general_rules::{RULES, TRAILING, rule_for};
use super::walk::{self, Fault, FaultKind, Segment, Visitor};
use crate::text::bytes_follow;
use crate::{Error, ErrorKind, Finding, Limit, Limits, Path, Report, Result, Rule, Span};

/// The type of a whole file, and the rules for its faults.
#[derive(Clone, Copy)]
pub(crate) struct Structure {
    pub ty: &'static Type,
    /// The rules of the format, which take precedence over the general rules.
    pub rules: &'static [&'static Rule],
    /// The name of the format for error messages; `None` for a type outside any format.
    pub format: Option<&'static str>,
}

impl Structure {
    /// Returns the structure of a type outside any format.
    pub fn of(ty: &'static Type) -> Structure {
        Structure {
            ty,
            rules: RULES,
            format: None,
        }
    }

    /// Converts a fault to an error with its path, byte range and rule, if any.
    pub fn to_error(self, fault: &Fault) -> Error {
        let kind = match fault.kind {
            FaultKind::Limit => ErrorKind::LimitExceeded(Limit::Decoded),
            FaultKind::EmptyItems => ErrorKind::LimitExceeded(Limit::EmptyItems),
            FaultKind::Unsupported => ErrorKind::Unsupported,
            _ => ErrorKind::Malformed,
        };
        let error = self.with_format_name(Error::new(kind, &fault.message));
        let error = error
            .at(fault.path.clone())
            .with_span(Some(fault.span.clone()));
        match rule_for(self.rules, fault) {
            Some(rule) => error.with_rule(rule),
            None => error,
        }
    }

    /// Adds the format name to a codec error, and the byte range if the error has a path. Without a path, replaces the
    /// error with the first fault, if any.
    pub fn locate(&self, error: Error, bytes: &[u8], limits: &Limits) -> Error {
        if !error.path().is_empty() {
            let span = walk::find(self.ty, bytes, error.path(), limits);
            return self.with_format_name(error).with_span(span);
        }
        match walk::first_fault(self.ty, bytes, limits) {
            Some(fault) => self.to_error(&fault),
            None => self.with_format_name(error),
        }
    }

    /// Adds the name of the format to an error, if there is a format.
    pub fn with_format_name(&self, error: Error) -> Error {
        match self.format {
            Some(format) => error.in_format(format),
            None => error,
        }
    }

    /// Reports the first fault, and trailing bytes of blocks before it. For a file without faults, reports trailing
    /// bytes, violated constraints and wrong checksums, and returns `true`. Returns an error if decoding would exceed
    /// `limits`, or needs a packing whose feature is disabled.
    pub fn check(&self, bytes: &[u8], limits: &Limits, report: &mut Report) -> Result<bool> {
        let Err(fault) = walk::walk(self.ty, bytes, limits, &mut TrailingVisitor(report)) else {
            // `check_bytes` walks the file again, and returns an error only for a fault.
            return Ok(check_bytes(self.ty, bytes, limits, report).is_ok());
        };
        let error = self.to_error(&fault);
        let Some(rule) = error.rule() else {
            return Err(error);
        };
        report.add_with(rule, || error.to_finding(rule));
        Ok(false)
    }

    /// Adds byte ranges to findings that have none.
    pub fn locate_findings(&self, report: &mut Report, bytes: &[u8], limits: &Limits) {
        report.locate(|path| walk::find(self.ty, bytes, path, limits));
    }
}

/// Reports trailing bytes of the file and of its blocks.
pub(crate) struct TrailingVisitor<'r>(pub &'r mut Report);

impl Visitor for TrailingVisitor<'_> {
    fn should_visit_empty_items(&self) -> bool {
        false
    }

    fn visit_trailing(&mut self, path: &[Segment], span: Span, bytes: &[u8]) {
        self.0.add_with(&TRAILING, || Finding {
            rule: &TRAILING,
            path: Path::from(path).field(walk::TRAILING),
            span: Some(span),
            message: bytes_follow(bytes.len() as u64, "the last field"),
        });
    }
}
