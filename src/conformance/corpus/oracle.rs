//! Determines the verdicts on files by reading them.

use std::collections::BTreeSet;

use super::entry::Verdict;
use crate::{AnyFormat, Dialect, Finding, ReadOptions, Report, Result, Rule};

/// Determines the verdicts on files of a format.
#[derive(Clone, Copy)]
pub struct Oracle {
    pub(super) format: AnyFormat,
}

/// The verdicts of strict and lenient reading on a file.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Verdicts {
    /// The verdict of strict reading.
    pub strict: Verdict,
    /// The verdict of lenient reading.
    pub lenient: Verdict,
    /// The reason why strict reading rejects the file. For an accepted file, the first warning, if any.
    pub reason: Option<Reason>,
    /// The codes of all rules that the file breaks, including warnings.
    pub codes: BTreeSet<&'static str>,
    /// Whether all other broken rules are less severe than the rule in `reason`.
    is_most_severe: bool,
}

/// The reason for a rejection, or a warning.
#[derive(Debug, Clone, PartialEq)]
pub struct Reason {
    /// The broken rule.
    pub rule: &'static Rule,
    /// The path of the value that breaks the rule; empty for the whole file.
    pub path: String,
    /// The start and end of the value in the file, in bytes. For a value in a packed block, the range of the block.
    /// `None` if unknown.
    pub bytes: Option<[u64; 2]>,
    /// The message with the found and expected values.
    pub message: String,
}

impl Verdicts {
    /// Returns the broken rule; if several are broken, the most severe one. `None` if no rule is broken, or several
    /// broken rules are equally severe.
    pub(super) fn rule(&self) -> Option<&'static Rule> {
        self.reason
            .as_ref()
            .filter(|_| self.is_most_severe)
            .map(|reason| reason.rule)
    }
}

impl Oracle {
    /// Creates the oracle of a format.
    pub fn new(format: AnyFormat) -> Oracle {
        Oracle { format }
    }

    /// Determines the verdicts on a file in the given dialect; if `None`, in the detected dialect.
    ///
    /// Returns `None` if there are no verdicts because reading exceeds the default limits or disagrees with
    /// [`check`](crate::check).
    ///
    /// ```
    /// # #[cfg(feature = "seed")] {
    /// use meshspec::conformance::corpus::{Oracle, Verdict};
    ///
    /// let verdicts = Oracle::new(meshspec::seed::FORMAT).judge(b"f: 1, 2, 3\n", None).unwrap();
    /// assert_eq!(verdicts.strict, Verdict::Reject);
    /// println!("{}", verdicts.reason.unwrap().message);
    /// # }
    /// ```
    pub fn judge(&self, bytes: &[u8], dialect: Option<Dialect>) -> Option<Verdicts> {
        let strict = ReadOptions {
            dialect,
            ..ReadOptions::default()
        };
        let report = self.format.check(bytes, &strict).ok()?;
        let codes = report
            .findings()
            .iter()
            .map(|finding| finding.rule.code)
            .collect();
        let lenient = ReadOptions {
            dialect,
            ..ReadOptions::lenient()
        };
        let strict = self.read(bytes, &strict, &report)?;
        let lenient = self.read(bytes, &lenient, &report)?;
        let verdict = |is_accepted| {
            if is_accepted {
                Verdict::Accept
            } else {
                Verdict::Reject
            }
        };
        let (strict_verdict, lenient_verdict) = (verdict(strict.is_ok()), verdict(lenient.is_ok()));
        let reason = strict
            .err()
            .or_else(|| report.findings().first().map(Reason::of));
        let is_most_severe = reason.as_ref().is_some_and(|Reason { rule, .. }| {
            let is_less =
                |other: &Finding| other.rule == *rule || other.rule.severity < rule.severity;
            report.findings().iter().all(is_less)
        });
        Some(Verdicts {
            strict: strict_verdict,
            lenient: lenient_verdict,
            reason,
            codes,
            is_most_severe,
        })
    }

    /// Reads a file. Returns the reason for a rejection as `Err`, and `None` if the result disagrees with `report`.
    fn read(
        &self,
        bytes: &[u8],
        options: &ReadOptions,
        report: &Report,
    ) -> Option<Result<(), Reason>> {
        let rejected = report.first_rejected(options.strictness);
        match (self.format.read(bytes, options), rejected) {
            (Ok(_), None) => Some(Ok(())),
            (Err(error), Some(_)) => {
                let rule = error.rule()?;
                let is_found = report.findings().iter().any(|finding| finding.rule == rule);
                is_found.then(|| Err(Reason::of(&error.to_finding(rule))))
            }
            _ => None,
        }
    }

    /// Returns the verdicts on a file in the given dialect; `None` if the verdicts in the detected dialect differ.
    pub(super) fn judge_unambiguous(&self, bytes: &[u8], dialect: Dialect) -> Option<Verdicts> {
        let verdicts = self.judge(bytes, Some(dialect))?;
        let is_unambiguous = self.format.detect(bytes).dialect == dialect
            || self.judge(bytes, None).as_ref() == Some(&verdicts);
        is_unambiguous.then_some(verdicts)
    }

    /// Returns the verdicts on a file that strict reading accepts in the given dialect; `None` if it is rejected, or
    /// another dialect is detected.
    pub(super) fn judge_accepted(&self, bytes: &[u8], dialect: Dialect) -> Option<Verdicts> {
        let is_detected = self.format.detect(bytes).dialect == dialect;
        self.judge(bytes, Some(dialect))
            .filter(|verdicts| is_detected && verdicts.strict == Verdict::Accept)
    }

    /// Returns the codes of all rules that a file breaks, including warnings.
    pub(super) fn broken_rules(
        &self,
        bytes: &[u8],
        dialect: Dialect,
    ) -> Result<BTreeSet<&'static str>> {
        let report = self
            .format
            .check(bytes, &ReadOptions::default().with_dialect(dialect))?;
        Ok(report
            .findings()
            .iter()
            .map(|finding| finding.rule.code)
            .collect())
    }
}

impl Reason {
    fn of(finding: &Finding) -> Reason {
        Reason {
            rule: finding.rule,
            path: finding.path.to_string(),
            bytes: finding
                .span
                .as_ref()
                .map(|span| [span.file_range().start, span.file_range().end]),
            message: finding.message.clone(),
        }
    }
}
