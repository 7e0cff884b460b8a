//! Selects the findings of a report to print: all, or the first of each rule.

use meshspec::{Finding, Path, Report, Rule, Severity};

use crate::messages::Verbosity;

/// The maximum number of findings to print without `--max-findings` or `--verbose`.
const DEFAULT_MAX: usize = 4;

/// The findings of a report to print, and counts of the others.
pub struct FindingSelection<'r> {
    pub findings: Vec<&'r Finding>,
    /// The rules with findings that are not printed.
    pub hidden: Vec<HiddenFindings<'r>>,
    /// Whether `--verbose` prints more findings.
    pub is_shortened: bool,
}

/// The findings of a rule that are not printed.
pub struct HiddenFindings<'r> {
    pub code: &'static str,
    pub count: usize,
    /// The path of the last finding; `None` if the report does not contain it.
    pub last: Option<&'r Path>,
}

impl<'r> FindingSelection<'r> {
    /// Selects all findings if `--verbose` is given or there are at most `max` findings, by default [`DEFAULT_MAX`].
    /// Otherwise, selects the first finding of each rule, for up to [`DEFAULT_MAX`] rules. `--quiet` excludes warnings.
    pub fn new(
        report: &'r Report,
        verbosity: Verbosity,
        max: Option<usize>,
    ) -> FindingSelection<'r> {
        let is_requested = |rule: &Rule| !verbosity.quiet || rule.severity > Severity::Warning;
        let requested: Vec<&Finding> = report
            .findings()
            .iter()
            .filter(|finding| is_requested(finding.rule))
            .collect();
        let findings = match verbosity.verbose || requested.len() <= max.unwrap_or(DEFAULT_MAX) {
            true => requested.clone(),
            false => first_of_each_rule(&requested),
        };
        // First the rules of listed findings, in the order of the findings, then rules whose findings are all
        // suppressed.
        let rules = report
            .rules()
            .map(|(rule, _)| rule)
            .filter(|rule| is_requested(rule));
        let mut hidden: Vec<HiddenFindings> = Vec::new();
        for code in requested
            .iter()
            .map(|finding| finding.rule)
            .chain(rules)
            .map(|rule| rule.code)
        {
            if hidden.iter().any(|hidden| hidden.code == code) {
                continue;
            }
            let count = report.count_of(code)
                - findings
                    .iter()
                    .filter(|shown| shown.rule.code == code)
                    .count();
            if count > 0 {
                let is_complete = report
                    .suppressed()
                    .all(|(suppressed, _)| suppressed != code);
                let mut of_rule = report
                    .findings()
                    .iter()
                    .filter(|finding| finding.rule.code == code);
                let last = if is_complete {
                    of_rule.next_back()
                } else {
                    None
                };
                hidden.push(HiddenFindings {
                    code,
                    count,
                    last: last.map(|finding| &finding.path),
                });
            }
        }
        let is_shortened = findings.len() < requested.len();
        FindingSelection {
            findings,
            hidden,
            is_shortened,
        }
    }
}

/// Returns the first finding of each rule, for up to [`DEFAULT_MAX`] rules.
fn first_of_each_rule<'r>(findings: &[&'r Finding]) -> Vec<&'r Finding> {
    let mut first: Vec<&Finding> = Vec::new();
    for finding in findings {
        if first.len() < DEFAULT_MAX
            && first
                .iter()
                .all(|known| known.rule.code != finding.rule.code)
        {
            first.push(finding);
        }
    }
    first
}
