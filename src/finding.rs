//! Findings, and the report that [`check`](crate::check) returns.

use meshspec_derive::ToJson;
use std::collections::BTreeMap;
use std::fmt;

use crate::{Limits, Path, Rule, Severity, Span, Strictness};

/// A violation of a rule at one location in a file.
///
/// ```
/// # #[cfg(feature = "mesh")] {
///
/// let mut bytes = std::fs::read("samples/mesh/flag.mesh")?;
/// bytes[0x101] = 9;
/// let report = meshspec::check(&bytes, meshspec::mesh::FORMAT, &Default::default())?;
/// let finding = &report.findings()[0];
/// assert_eq!((finding.rule.code, &*finding.path.to_string()), ("MESH-INDEX-RANGE", "indices[1]"));
/// assert_eq!(finding.span.as_ref().unwrap().range(), &(0x101..0x105));
/// # }
/// # Ok::<(), meshspec::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, ToJson)]
#[non_exhaustive]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// The path of the field, such as `meshes[3].faces[17].v2`; empty for the whole file.
    pub path: Path,
    /// The location in the file; `None` if unknown, as for a document in memory.
    #[json(always)]
    pub span: Option<Span>,
    /// The message, with the found and expected values.
    pub message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_location(f, &self.path, self.span.as_ref())?;
        write!(f, "{} [{}]", self.message, self.rule.reference())
    }
}

/// Writes a prefix such as `path (bytes a..b): `. Omits an empty path or a missing span.
pub(crate) fn write_location(
    f: &mut fmt::Formatter<'_>,
    path: &Path,
    span: Option<&Span>,
) -> fmt::Result {
    match (path.is_empty(), span) {
        (true, None) => Ok(()),
        (true, Some(span)) => write!(f, "{span}: "),
        (false, None) => write!(f, "{path}: "),
        (false, Some(span)) => write!(f, "{path} ({span}): "),
    }
}

/// The findings of a check. Findings beyond a limit per rule are only counted.
///
/// ```
/// # #[cfg(feature = "seed")] {
/// use meshspec::Strictness;
///
/// let text = "f: 1, 2, 3\n";
/// let report = meshspec::check(text.as_bytes(), meshspec::seed::FORMAT, &Default::default())?;
/// assert!(!report.is_valid(Strictness::Strict));
/// for finding in report.findings() {
///     println!("{finding}");
/// }
/// # assert!(report.errors() > 0);
/// # }
/// # Ok::<(), meshspec::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, ToJson)]
pub struct Report {
    #[json(always)]
    findings: Vec<Finding>,
    /// The number of findings that are counted but not stored, by rule code.
    suppressed: BTreeMap<&'static str, usize>,
    /// Each violated rule and its number of findings, including suppressed ones.
    #[json(skip)]
    counts: BTreeMap<&'static str, (&'static Rule, usize)>,
    #[json(skip)]
    min_severity: Severity,
    #[json(skip)]
    max_per_rule: usize,
}

impl Default for Report {
    fn default() -> Report {
        Report::new(&Limits::default())
    }
}

impl Report {
    /// Creates an empty report.
    pub fn new(limits: &Limits) -> Report {
        Report {
            findings: Vec::new(),
            suppressed: BTreeMap::new(),
            counts: BTreeMap::new(),
            min_severity: Severity::Warning,
            max_per_rule: limits.max_findings_per_rule,
        }
    }

    /// Creates an empty report that ignores findings below `min_severity`, so checks need not search for them.
    pub(crate) fn at_least(min_severity: Severity, limits: &Limits) -> Report {
        Report {
            min_severity,
            ..Report::new(limits)
        }
    }

    /// Returns `true` if the report collects findings of `rule`. Expensive checks call this function first.
    pub fn is_enabled(&self, rule: &Rule) -> bool {
        rule.severity >= self.min_severity
    }

    /// Adds a finding. `path` and `message` are converted only if the report keeps the finding.
    pub fn add(&mut self, rule: &'static Rule, path: impl Into<Path>, message: impl fmt::Display) {
        self.add_with(rule, || Finding {
            rule,
            path: path.into(),
            span: None,
            message: message.to_string(),
        });
    }

    /// Adds the finding that `finding` returns. `finding` is called only if the report keeps its result.
    pub(crate) fn add_with(&mut self, rule: &'static Rule, finding: impl FnOnce() -> Finding) {
        if !self.is_enabled(rule) {
            return;
        }
        let (_, count) = self.counts.entry(rule.code).or_insert((rule, 0));
        *count += 1;
        if *count > self.max_per_rule {
            *self.suppressed.entry(rule.code).or_default() += 1;
            return;
        }
        self.findings.push(finding());
    }

    /// Counts `count` findings of `rule` without storing them.
    #[cfg(feature = "seed")]
    pub(crate) fn add_suppressed(&mut self, rule: &'static Rule, count: usize) {
        if self.is_enabled(rule) && count > 0 {
            self.counts.entry(rule.code).or_insert((rule, 0)).1 += count;
            *self.suppressed.entry(rule.code).or_default() += count;
        }
    }

    /// The findings, in the order they were added.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Sets each missing location to the result of `find` for the path of the finding.
    pub(crate) fn locate(&mut self, find: impl Fn(&Path) -> Option<Span>) {
        for finding in self
            .findings
            .iter_mut()
            .filter(|finding| finding.span.is_none())
        {
            finding.span = find(&finding.path);
        }
    }

    /// The codes of the rules with findings that are only counted, each with the number of these findings.
    ///
    /// ```
    /// # #[cfg(feature = "seed")] {
    /// use meshspec::{Limits, ReadOptions};
    ///
    /// let options = ReadOptions::default().with_limits(Limits::default().with_max_findings_per_rule(1));
    /// let report = meshspec::check(b"f: 1, 2, 3\nf: 1, 2, 3\n", meshspec::seed::FORMAT, &options)?;
    /// for (code, suppressed) in report.suppressed() {
    ///     assert_eq!(report.count_of(code), 1 + suppressed);
    /// }
    /// # assert!(report.suppressed().count() > 0);
    /// # }
    /// # Ok::<(), meshspec::Error>(())
    /// ```
    pub fn suppressed(&self) -> impl Iterator<Item = (&'static str, usize)> {
        self.suppressed.iter().map(|(code, count)| (*code, *count))
    }

    /// The number of findings of the rule with this `code`, including suppressed ones.
    pub fn count_of(&self, code: &str) -> usize {
        self.counts.get(code).map_or(0, |(_, count)| *count)
    }

    /// The violated rules, sorted by code, each with its number of findings, including suppressed ones.
    pub fn rules(&self) -> impl Iterator<Item = (&'static Rule, usize)> {
        self.counts.values().copied()
    }

    /// The number of errors and fatal errors, including suppressed ones.
    pub fn errors(&self) -> usize {
        self.count_by_severity(|severity| severity > Severity::Warning)
    }

    /// The number of warnings, including suppressed ones.
    pub fn warnings(&self) -> usize {
        self.count_by_severity(|severity| severity == Severity::Warning)
    }

    fn count_by_severity(&self, is_counted: impl Fn(Severity) -> bool) -> usize {
        self.counts
            .values()
            .filter(|(rule, _)| is_counted(rule.severity))
            .map(|(_, count)| count)
            .sum()
    }

    /// Replaces the rules in the report, for example to change severities. Drops the findings of a rule for which
    /// `replace` returns `None`.
    ///
    /// ```
    /// use meshspec::{Report, Rule, Severity};
    ///
    /// static STYLE: Rule = Rule::new("SAMPLE-STYLE", Severity::Warning, "Names are lower case.");
    /// static STRICT: Rule = Rule::new("SAMPLE-STYLE", Severity::Error, "Names are lower case.");
    ///
    /// let mut report = Report::default();
    /// report.add(&STYLE, meshspec::path!(name), "found `Cube`");
    /// let report = report.with_rules(|rule| if *rule == STYLE { Some(&STRICT) } else { None });
    /// assert_eq!((report.errors(), report.warnings()), (1, 0));
    /// ```
    pub fn with_rules(
        mut self,
        replace: impl Fn(&'static Rule) -> Option<&'static Rule>,
    ) -> Report {
        let replaced = |finding: Finding| {
            Some(Finding {
                rule: replace(finding.rule)?,
                ..finding
            })
        };
        self.findings = self.findings.into_iter().filter_map(replaced).collect();
        let mut suppressed = std::mem::take(&mut self.suppressed);
        for (code, (rule, count)) in std::mem::take(&mut self.counts) {
            if let Some(rule) = replace(rule) {
                self.counts.entry(rule.code).or_insert((rule, 0)).1 += count;
                if let Some(count) = suppressed.remove(code) {
                    *self.suppressed.entry(rule.code).or_default() += count;
                }
            }
        }
        self
    }

    /// Keeps the first `count` findings and only counts the rest.
    pub fn truncate(&mut self, count: usize) {
        for finding in self.findings.drain(count.min(self.findings.len())..) {
            *self.suppressed.entry(finding.rule.code).or_default() += 1;
        }
    }

    /// The first stored finding that `strictness` rejects.
    pub fn first_rejected(&self, strictness: Strictness) -> Option<&Finding> {
        self.findings
            .iter()
            .find(|f| f.rule.severity >= strictness.threshold())
    }

    /// Returns `true` if `strictness` rejects no finding, including suppressed ones.
    pub fn is_valid(&self, strictness: Strictness) -> bool {
        self.counts
            .values()
            .all(|(rule, _)| rule.severity < strictness.threshold())
    }
}
