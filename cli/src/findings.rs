//! Selects the findings to print: all of them, or the first of each rule.

use meshspec::{Finding, Path, Report, Rule, Severity};

use crate::messages::Verbosity;

/// The maximum number of findings shown with their bytes.
const FEW: usize = 4;

/// The shown part of a report.
pub struct Shown<'r> {
    pub findings: Vec<&'r Finding>,
    /// The rules with further findings.
    pub others: Vec<Others<'r>>,
    /// Whether `--verbose` shows more findings.
    pub is_shortened: bool,
}

/// The hidden findings of a rule.
pub struct Others<'r> {
    pub code: &'static str,
    pub count: usize,
    /// The path of the last one, if known.
    pub last: Option<&'r Path>,
}

impl<'r> Shown<'r> {
    /// Selects findings: all with `--verbose`, or if the report has at most `most`.
    pub fn of(report: &'r Report, verbosity: Verbosity, most: Option<usize>) -> Shown<'r> {
        let is_asked = |rule: &Rule| !verbosity.quiet || rule.severity > Severity::Warning;
        let asked: Vec<&Finding> =
            report.findings().iter().filter(|finding| is_asked(finding.rule)).collect();
        let findings = match verbosity.verbose || asked.len() <= most.unwrap_or(FEW) {
            true => asked.clone(),
            false => first_of_each_rule(&asked),
        };
        // The rules in order of their findings, then those with suppressed findings only.
        let rules = report.rules().map(|(rule, _)| rule).filter(|rule| is_asked(rule));
        let mut others: Vec<Others> = Vec::new();
        for code in asked.iter().map(|finding| finding.rule).chain(rules).map(|rule| rule.code) {
            if others.iter().any(|others| others.code == code) {
                continue;
            }
            let count =
                report.count_of(code) - findings.iter().filter(|shown| shown.rule.code == code).count();
            if count > 0 {
                let is_whole = report.suppressed().all(|(suppressed, _)| suppressed != code);
                let mut of_rule = report.findings().iter().filter(|finding| finding.rule.code == code);
                let last = if is_whole { of_rule.next_back() } else { None };
                others.push(Others { code, count, last: last.map(|finding| &finding.path) });
            }
        }
        let is_shortened = findings.len() < asked.len();
        Shown { findings, others, is_shortened }
    }
}

fn first_of_each_rule<'r>(findings: &[&'r Finding]) -> Vec<&'r Finding> {
    let mut first: Vec<&Finding> = Vec::new();
    for finding in findings {
        if first.len() < FEW && first.iter().all(|known| known.rule.code != finding.rule.code) {
            first.push(finding);
        }
    }
    first
}
