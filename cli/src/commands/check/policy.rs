//! Options that select rules and change their severity.

use clap::{Args, ValueEnum};
use meshspec::{Formats, Limits, Report, Rule, Severity};

use super::codes;
use crate::failure::{Failure, Result};

/// Options that select rules and change their severity.
#[derive(Debug, Args)]
pub struct Policy {
    /// Also fail on warnings.
    #[arg(long, value_enum, conflicts_with = "lenient")]
    deny: Option<Denied>,
    /// Drop findings of these rules; separate codes by commas.
    #[arg(long, value_name = "CODE", value_delimiter = ',')]
    ignore: Vec<String>,
    /// Keep only findings of these rules, and fatal ones.
    #[arg(long, value_name = "CODE", value_delimiter = ',')]
    only: Vec<String>,
    /// Report these rules as errors.
    #[arg(long, value_name = "CODE", value_delimiter = ',', conflicts_with = "lenient")]
    error: Vec<String>,
    /// Report these rules as warnings, unless they are fatal.
    #[arg(long, value_name = "CODE", value_delimiter = ',')]
    warn: Vec<String>,
    /// List up to N findings per file, and count the others.
    #[arg(long, value_name = "N")]
    max_findings: Option<usize>,
}

/// The values of `--deny`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Denied {
    Warnings,
}

/// A policy with resolved rules.
#[derive(Debug)]
pub struct Rulings {
    only: Vec<&'static Rule>,
    ignored: Vec<&'static Rule>,
    /// Rules with a changed severity, which replace those with the same codes.
    changed: Vec<&'static Rule>,
    denies_warnings: bool,
    pub max_findings: Option<usize>,
}

impl Policy {
    /// Looks up the codes.
    ///
    /// # Errors
    ///
    /// Returns incorrect usage if a code is unknown, or given for both `--error` and `--warn`.
    pub fn resolve(&self, formats: &Formats) -> Result<Rulings> {
        let rules = |option: &str, codes: &[String]| -> Result<Vec<&'static Rule>> {
            let named: Vec<_> =
                codes.iter().map(|code| code.trim()).filter(|code| !code.is_empty()).collect();
            if named.is_empty() && !codes.is_empty() {
                return Err(Failure::usage(option, "names no rule"));
            }
            named.into_iter().map(|code| Ok(codes::find(option, code, formats)?.rule)).collect()
        };
        let (errors, warnings) = (rules("--error", &self.error)?, rules("--warn", &self.warn)?);
        if let Some(both) = errors.iter().find(|rule| warnings.contains(rule)) {
            return Err(Failure::usage("--error", format!("--warn has {}, too", both.code)));
        }
        let errors = errors.into_iter().map(|rule| with_severity(rule, rule.severity.max(Severity::Error)));
        let warnings = warnings.into_iter().filter(|rule| !is_fatal(rule));
        let warnings = warnings.map(|rule| with_severity(rule, Severity::Warning));
        Ok(Rulings {
            only: rules("--only", &self.only)?,
            ignored: rules("--ignore", &self.ignore)?,
            changed: errors.chain(warnings).collect(),
            denies_warnings: self.deny == Some(Denied::Warnings),
            max_findings: self.max_findings,
        })
    }
}

/// Returns `true` if files that violate the rule cannot be decoded.
fn is_fatal(rule: &Rule) -> bool {
    rule.severity == Severity::Fatal
}

/// Returns a static copy of the rule with another severity.
fn with_severity(rule: &'static Rule, severity: Severity) -> &'static Rule {
    Box::leak(Box::new(Rule { severity, ..*rule }))
}

impl Rulings {
    /// Returns limits with which reports keep enough findings for the list.
    pub fn limits(&self, limits: Limits) -> Limits {
        self.max_findings.map_or(limits, |max| limits.with_max_findings_per_rule(max))
    }

    /// Applies the policy to a report. Fatal findings are dropped only if ignored explicitly.
    pub fn apply(&self, report: Report) -> Report {
        let is_selected =
            |rule: &&'static Rule| self.only.is_empty() || self.only.contains(rule) || is_fatal(rule);
        let is_kept = |rule: &&'static Rule| is_selected(rule) && !self.ignored.contains(rule);
        let ruled = |rule| self.changed.iter().find(|changed| **changed == rule).copied().unwrap_or(rule);
        let mut report = report.with_rules(|rule| Some(rule).filter(is_kept).map(ruled));
        if let Some(max) = self.max_findings {
            report.truncate(max);
        }
        report
    }

    /// Returns `true` if the warnings of a report make it fail.
    pub fn denies(&self, report: &Report) -> bool {
        self.denies_warnings && report.warnings() > 0
    }
}
