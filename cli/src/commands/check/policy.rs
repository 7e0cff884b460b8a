//! Options that select rules and change their severity.

use clap::{Args, ValueEnum};
use meshspec::{Formats, Limits, Report, Rule, Severity};

use super::codes;
use crate::failure::{Failure, Result};

/// Options that select rules and change their severity.
#[derive(Debug, Args)]
pub struct PolicyArgs {
    /// Also fail on warnings.
    #[arg(long, value_enum, conflicts_with = "lenient")]
    deny: Option<DeniedSeverity>,
    /// Drop findings of these rules. Codes are separated by commas.
    #[arg(long, value_name = "CODE", value_delimiter = ',')]
    ignore: Vec<String>,
    /// Keep only findings of these rules, and fatal findings.
    #[arg(long, value_name = "CODE", value_delimiter = ',')]
    only: Vec<String>,
    /// Report these rules as errors.
    #[arg(
        long,
        value_name = "CODE",
        value_delimiter = ',',
        conflicts_with = "lenient"
    )]
    error: Vec<String>,
    /// Report these rules as warnings, unless they are fatal.
    #[arg(long, value_name = "CODE", value_delimiter = ',')]
    warn: Vec<String>,
    /// List up to N findings per file, and count the rest.
    #[arg(long, value_name = "N")]
    max_findings: Option<usize>,
}

/// The values of `--deny`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DeniedSeverity {
    Warnings,
}

/// The options of [`PolicyArgs`], with rule codes resolved to rules.
#[derive(Debug)]
pub struct ResolvedPolicy {
    only: Vec<&'static Rule>,
    ignored: Vec<&'static Rule>,
    /// Copies of rules with changed severities, which replace the rules with the same codes.
    changed: Vec<&'static Rule>,
    denies_warnings: bool,
    pub max_findings: Option<usize>,
}

impl PolicyArgs {
    /// Looks up the rules by their codes.
    ///
    /// # Errors
    ///
    /// Returns a usage error if a code is unknown or given for both `--error` and `--warn`, or an option has no code.
    pub fn resolve(&self, formats: &Formats) -> Result<ResolvedPolicy> {
        let rules = |option: &str, codes: &[String]| -> Result<Vec<&'static Rule>> {
            let given: Vec<_> = codes
                .iter()
                .map(|code| code.trim())
                .filter(|code| !code.is_empty())
                .collect();
            if given.is_empty() && !codes.is_empty() {
                return Err(Failure::usage(option, "no rule code given"));
            }
            given
                .into_iter()
                .map(|code| Ok(codes::find_rule(option, code, formats)?.rule))
                .collect()
        };
        let (errors, warnings) = (rules("--error", &self.error)?, rules("--warn", &self.warn)?);
        if let Some(both) = errors.iter().find(|rule| warnings.contains(rule)) {
            return Err(Failure::usage(
                "--error",
                format!("{} is also given for --warn", both.code),
            ));
        }
        let errors = errors
            .into_iter()
            .map(|rule| with_severity(rule, rule.severity.max(Severity::Error)));
        let warnings = warnings.into_iter().filter(|rule| !is_fatal(rule));
        let warnings = warnings.map(|rule| with_severity(rule, Severity::Warning));
        Ok(ResolvedPolicy {
            only: rules("--only", &self.only)?,
            ignored: rules("--ignore", &self.ignore)?,
            changed: errors.chain(warnings).collect(),
            denies_warnings: self.deny == Some(DeniedSeverity::Warnings),
            max_findings: self.max_findings,
        })
    }
}

/// Returns `true` if files that violate `rule` cannot be decoded.
fn is_fatal(rule: &Rule) -> bool {
    rule.severity == Severity::Fatal
}

/// Returns a copy of `rule` with the given severity. Leaks the memory of the copy.
fn with_severity(rule: &'static Rule, severity: Severity) -> &'static Rule {
    Box::leak(Box::new(Rule { severity, ..*rule }))
}

impl ResolvedPolicy {
    /// Returns `limits` with `--max-findings`, if given, as the maximum number of findings per rule, so that reports
    /// contain enough findings.
    pub fn limits(&self, limits: Limits) -> Limits {
        self.max_findings
            .map_or(limits, |max| limits.with_max_findings_per_rule(max))
    }

    /// Applies the policy to a report. `--only` keeps fatal findings of all rules; `--ignore` also drops fatal
    /// findings. Lists at most `--max-findings` findings, and counts the others.
    pub fn apply(&self, report: Report) -> Report {
        let is_selected = |rule: &&'static Rule| {
            self.only.is_empty() || self.only.contains(rule) || is_fatal(rule)
        };
        let is_kept = |rule: &&'static Rule| is_selected(rule) && !self.ignored.contains(rule);
        let with_new_severity = |rule| {
            self.changed
                .iter()
                .find(|changed| **changed == rule)
                .copied()
                .unwrap_or(rule)
        };
        let mut report =
            report.with_rules(|rule| Some(rule).filter(is_kept).map(with_new_severity));
        if let Some(max) = self.max_findings {
            report.truncate(max);
        }
        report
    }

    /// Returns `true` if the report has warnings and `--deny warnings` is given.
    pub fn denies(&self, report: &Report) -> bool {
        self.denies_warnings && report.warnings() > 0
    }
}
