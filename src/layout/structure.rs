//! Checks the structure of files.

use super::check_bytes;
use super::declaration::Type;
use super::general::{RULES, TRAILING, rule_for};
use super::walk::{self, Fault, FaultKind, Segment, Visitor};
use crate::{Error, ErrorKind, Finding, Limit, Limits, Path, Report, Result, Rule, Span};

/// The declaration of a whole file, and the rules for its faults.
#[derive(Clone, Copy)]
pub(crate) struct Structure {
    pub ty: &'static Type,
    /// The rules of the format, which replace the general rules.
    pub rules: &'static [&'static Rule],
    /// The name of the format; `None` for a declared type outside any format.
    pub format: Option<&'static str>,
}

impl Structure {
    /// Returns the structure of a declared type outside any format.
    pub fn of(ty: &'static Type) -> Structure {
        Structure { ty, rules: RULES, format: None }
    }

    /// Returns the error for a fault.
    pub fn error(&self, fault: &Fault) -> Error {
        let kind = match fault.kind {
            FaultKind::Limit => ErrorKind::LimitExceeded(Limit::Decoded),
            FaultKind::Unsupported => ErrorKind::Unsupported,
            _ => ErrorKind::Malformed,
        };
        let error = self.named(Error::new(kind, &fault.message));
        let error = error.at(fault.path.clone()).with_span(Some(fault.span.clone()));
        match rule_for(self.rules, fault) {
            Some(rule) => error.with_rule(rule),
            None => error,
        }
    }

    /// Locates a codec error at its path or, without one, at the first fault.
    pub fn locate(&self, error: Error, bytes: &[u8], limits: &Limits) -> Error {
        if !error.path().is_empty() {
            let span = walk::find(self.ty, bytes, error.path(), limits);
            return self.named(error).with_span(span);
        }
        match walk::first_fault(self.ty, bytes, limits) {
            Some(fault) => self.error(&fault),
            None => self.named(error),
        }
    }

    /// Adds the name of the format to an error.
    pub fn named(&self, error: Error) -> Error {
        match self.format {
            Some(format) => error.in_format(format),
            None => error,
        }
    }

    /// Reports the first fault or, without one, trailing bytes and violated constraints. Returns `true` without a
    /// fault.
    ///
    /// # Errors
    ///
    /// If decoding would exceed the limits, or needs a packing whose feature is disabled.
    pub fn check(&self, bytes: &[u8], limits: &Limits, report: &mut Report) -> Result<bool> {
        let Err(fault) = walk::walk(self.ty, bytes, limits, &mut Rest(report)) else {
            // The first walk met no fault, so neither does the second.
            return Ok(check_bytes(self.ty, bytes, limits, report).is_ok());
        };
        let error = self.error(&fault);
        let Some(rule) = error.rule() else { return Err(error) };
        report.add_with(rule, || error.to_finding(rule));
        Ok(false)
    }

    /// Adds the byte range of each finding that has none.
    pub fn place(&self, report: &mut Report, bytes: &[u8], limits: &Limits) {
        report.locate(|path| walk::find(self.ty, bytes, path, limits));
    }
}

/// Reports trailing bytes, at the end of the file or of a block.
pub(crate) struct Rest<'r>(pub &'r mut Report);

impl Visitor for Rest<'_> {
    fn trailing(&mut self, path: &[Segment], span: Span, bytes: &[u8]) {
        self.0.add_with(&TRAILING, || Finding {
            rule: &TRAILING,
            path: Path::from(path).field(walk::TRAILING),
            span: Some(span),
            message: match bytes.len() {
                1 => "1 byte follows the last field".to_owned(),
                count => format!("{count} bytes follow the last field"),
            },
        });
    }
}
