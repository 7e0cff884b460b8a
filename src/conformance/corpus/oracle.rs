//! Determines verdicts by reading files.

use std::collections::BTreeSet;

use super::entry::Verdict;
use crate::{AnyFormat, Dialect, Finding, ReadOptions, Report, Result, Rule, Span};

/// Judges the files of a format.
#[derive(Clone, Copy)]
pub struct Oracle {
    format: AnyFormat,
}

/// The verdicts on a file.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Judgement {
    /// The verdict of strict reading.
    pub strict: Verdict,
    /// The verdict of lenient reading.
    pub lenient: Verdict,
    /// The reason why strict reading rejects the file, or the first warning of an accepted file.
    pub reason: Option<Reason>,
    /// The codes of all rules that the file breaks, including warnings.
    pub codes: BTreeSet<&'static str>,
    /// Whether all other broken rules are less severe than that of the reason.
    is_worst: bool,
}

/// The reason for a rejection.
#[derive(Debug, Clone, PartialEq)]
pub struct Reason {
    /// The broken rule.
    pub rule: &'static Rule,
    /// The path of the value; empty for the whole file.
    pub path: String,
    /// The start and end of the value in the file, in bytes. For a packed value, the range of its block.
    pub bytes: Option<[u64; 2]>,
    /// The message with the found and expected values.
    pub message: String,
}

impl Judgement {
    /// Returns the broken rule: the only one, or the most severe one if it is unique.
    pub(super) fn rule(&self) -> Option<&'static Rule> {
        self.reason.as_ref().filter(|_| self.is_worst).map(|reason| reason.rule)
    }
}

impl Oracle {
    /// Creates the oracle of a format.
    pub fn new(format: impl Into<AnyFormat>) -> Oracle {
        Oracle { format: format.into() }
    }

    /// Judges a file in this dialect, or in the detected one. Formats without a codec are read through their declaration.
    ///
    /// Returns `None` without a verdict: if reading exceeds the default limits, or disagrees with
    /// [`check`](crate::check).
    pub fn judge(&self, bytes: &[u8], dialect: Option<Dialect>) -> Option<Judgement> {
        let strict = ReadOptions { dialect, ..ReadOptions::default() };
        let report = self.format.check(bytes, &strict).ok()?;
        let codes = report.findings().iter().map(|finding| finding.rule.code).collect();
        let lenient = ReadOptions { dialect, ..ReadOptions::lenient() };
        let strict = self.verdict(bytes, &strict, &report)?;
        let lenient = self.verdict(bytes, &lenient, &report)?;
        let verdict = |is_accepted| if is_accepted { Verdict::Accept } else { Verdict::Reject };
        let (is_strict, lenient) = (verdict(strict.is_ok()), verdict(lenient.is_ok()));
        let reason = strict.err().or_else(|| report.findings().first().map(Reason::of));
        let is_worst = reason.as_ref().is_some_and(|Reason { rule, .. }| {
            let is_less = |other: &Finding| other.rule == *rule || other.rule.severity < rule.severity;
            report.findings().iter().all(is_less)
        });
        Some(Judgement { strict: is_strict, lenient, reason, codes, is_worst })
    }

    /// Returns the verdict of reading, with the reason for a rejection; `None` if it disagrees with `check`.
    fn verdict(
        &self,
        bytes: &[u8],
        options: &ReadOptions,
        report: &Report,
    ) -> Option<std::result::Result<(), Reason>> {
        let rejected = report.first_rejected(options.strictness);
        let Some(id) = self.format.built_in() else {
            return Some(rejected.map_or(Ok(()), |finding| Err(Reason::of(finding))));
        };
        match (id.read(bytes, options), rejected) {
            (Ok(_), None) => Some(Ok(())),
            (Err(error), Some(_)) => {
                let rule = error.rule()?;
                let is_found = report.findings().iter().any(|finding| finding.rule == rule);
                is_found.then(|| {
                    Err(Reason {
                        rule,
                        path: error.path().to_string(),
                        bytes: error.span().map(range_of),
                        message: error.message().to_owned(),
                    })
                })
            }
            _ => None,
        }
    }

    /// Judges a file in this dialect; `None` unless the judgement in the detected dialect is equal.
    pub(super) fn judge_alike(&self, bytes: &[u8], dialect: Dialect) -> Option<Judgement> {
        let judgement = self.judge(bytes, Some(dialect))?;
        let is_alike = self.format.detect(bytes).dialect == dialect
            || self.judge(bytes, None).as_ref() == Some(&judgement);
        is_alike.then_some(judgement)
    }

    /// Judges a file; `None` unless strict reading accepts it and this dialect is detected.
    pub(super) fn accepted(&self, bytes: &[u8], dialect: Dialect) -> Option<Judgement> {
        let is_detected = self.format.detect(bytes).dialect == dialect;
        self.judge(bytes, Some(dialect))
            .filter(|judgement| is_detected && judgement.strict == Verdict::Accept)
    }

    /// Returns the codes of all rules that a file breaks.
    pub(super) fn codes(&self, bytes: &[u8], dialect: Dialect) -> Result<BTreeSet<&'static str>> {
        let report = self.format.check(bytes, &ReadOptions::default().with_dialect(dialect))?;
        Ok(report.findings().iter().map(|finding| finding.rule.code).collect())
    }
}

impl Reason {
    fn of(finding: &Finding) -> Reason {
        Reason {
            rule: finding.rule,
            path: finding.path.to_string(),
            bytes: finding.span.as_ref().map(range_of),
            message: finding.message.clone(),
        }
    }
}

/// Returns the start and end of a span in the file.
fn range_of(span: &Span) -> [u64; 2] {
    let range = match span {
        Span::Bytes(range) | Span::Text { range, .. } => range,
        Span::Unpacked { packed, .. } => packed,
    };
    [range.start, range.end]
}
