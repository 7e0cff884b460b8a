//! Copies of valid files that break a rule or only just satisfy it.

use super::{AnyFormat, DynFormat};
use crate::layout::generate::broken_text::{TextAttempt, attempts};
use crate::layout::generate::{self, AlmostBrokenFile, Breakage, BrokenFile};
use crate::{Finding, ReadOptions, Report, Result, Rule, Severity};

impl dyn DynFormat {
    /// Returns copies of a valid file, each with exactly one defect, and with the rule that `check` reports for it.
    ///
    /// Breakages violate the [layout](generate::breakages()) of a binary file, or the grammar of a line in a text file.
    ///
    /// ```
    /// # #[cfg(feature = "seed")] {
    /// use meshspec::seed;
    ///
    /// let file = b"[name]=a\np 0, 0, 0\np 1, 0, 0\np 0, 1, 0\nf 0, 1, 2\n";
    /// let options = meshspec::ReadOptions::lenient();
    /// let broken: Vec<String> =
    ///     seed::FORMAT.breakages(file, &options)?.map(|broken| broken.to_string()).collect();
    /// assert!(broken.iter().any(|broken| broken == "faces[0][0]: a value out of range"), "{broken:?}");
    /// # }
    /// # Ok::<(), meshspec::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if a binary file is invalid, a text file cannot be decoded, or the format lacks the dialect.
    pub fn breakages<'f>(
        &'static self,
        file: &'f [u8],
        options: &ReadOptions,
    ) -> Result<Box<dyn Iterator<Item = BrokenFile> + 'f>> {
        self.breakages_with_values(file, options, 1)
    }

    /// Like [`breakages`](Self::breakages), but with up to `max` values for each defect.
    pub(crate) fn breakages_with_values<'f>(
        &'static self,
        file: &'f [u8],
        options: &ReadOptions,
        max: usize,
    ) -> Result<Box<dyn Iterator<Item = BrokenFile> + 'f>> {
        let dialect = self.dialect_of(file, options)?;
        let options = options.clone().with_dialect(dialect);
        let Some(layout) = self.layout_of(file, dialect) else {
            let oracle = TextOracle::new(self, file, options)?;
            let attempts = self
                .grammar()
                .map_or(Vec::new(), |grammar| attempts(grammar, file));
            let broken = move |attempt| oracle.broken_files(&attempt).take(max).collect::<Vec<_>>();
            return Ok(Box::new(attempts.into_iter().flat_map(broken)));
        };
        let rules = self.about().rules;
        let broken = generate::breakages_of(layout, file, rules, &options.limits, max, |_| true)?;
        Ok(Box::new(broken.filter_map(move |broken| {
            self.with_verdict(broken, &options)
        })))
    }

    /// Returns copies of a valid file, each with one value at the limit of a rule. See [`generate::almost_broken`].
    ///
    /// # Errors
    ///
    /// See `breakages`.
    pub fn almost_broken<'f>(
        &'static self,
        file: &'f [u8],
        options: &ReadOptions,
    ) -> Result<Box<dyn Iterator<Item = AlmostBrokenFile> + 'f>> {
        let dialect = self.dialect_of(file, options)?;
        let options = options.clone().with_dialect(dialect);
        let Some(layout) = self.layout_of(file, dialect) else {
            let oracle = TextOracle::new(self, file, options)?;
            let attempts = self
                .grammar()
                .map_or(Vec::new(), |grammar| attempts(grammar, file));
            let almost = move |attempt| oracle.almost_broken(&attempt);
            return Ok(Box::new(attempts.into_iter().flat_map(almost)));
        };
        let almost = generate::almost_broken(layout, file, self.about().rules, &options.limits)?;
        Ok(Box::new(almost.filter(move |almost| {
            self.check(&almost.bytes, &options)
                .is_ok_and(|report| !has_errors(&report))
        })))
    }

    /// Sets a missing rule to the most severe rule that `check` reports, and sets the severity. `None` if `check` does
    /// not report the rule, or the validity of the file contradicts the expected severity.
    fn with_verdict(&self, broken: BrokenFile, options: &ReadOptions) -> Option<BrokenFile> {
        let report = self.check(&broken.bytes, options).ok()?;
        let mut findings = report.findings().iter();
        let found = match broken.rule {
            Some(rule) => findings.find(|finding| finding.rule == rule),
            None => findings.rev().max_by_key(|finding| finding.rule.severity),
        };
        let rule = found?.rule;
        let is_as_expected = has_errors(&report) == (broken.severity >= Severity::Error);
        is_as_expected.then_some(BrokenFile {
            rule: Some(rule),
            severity: rule.severity,
            ..broken
        })
    }
}

fn has_errors(report: &Report) -> bool {
    report
        .findings()
        .iter()
        .any(|finding| finding.rule.severity >= Severity::Error)
}

/// Compares the findings before and after a change to a text file.
struct TextOracle {
    format: AnyFormat,
    options: ReadOptions,
    before: Report,
}

impl TextOracle {
    fn new(format: AnyFormat, file: &[u8], options: ReadOptions) -> Result<TextOracle> {
        let before = format.check(file, &options)?;
        let mut findings = before.findings().iter();
        if let Some(fatal) = findings.find(|finding| finding.rule.severity == Severity::Fatal) {
            let message = format!("the file is invalid: {}", fatal.message);
            return Err(crate::Error::inexpressible(message).at(&fatal.path));
        }
        Ok(TextOracle {
            format,
            options,
            before,
        })
    }

    /// Returns the findings of each rule that the changed text breaks more often than the original.
    fn new_findings(&self, bytes: &[u8]) -> Vec<Finding> {
        let Ok(report) = self.format.check(bytes, &self.options) else {
            return Vec::new();
        };
        let is_new = |rule: &Rule| report.count_of(rule.code) > self.before.count_of(rule.code);
        report
            .findings()
            .iter()
            .filter(|finding| is_new(finding.rule))
            .cloned()
            .collect()
    }

    /// Returns the files of an attempt in which all new findings have the same rule.
    fn broken_files(&self, attempt: &TextAttempt) -> impl Iterator<Item = BrokenFile> {
        attempt.breaking.iter().filter_map(|bytes| {
            let found = self.new_findings(bytes);
            let first = found.first()?;
            let is_alone = found.iter().all(|finding| finding.rule == first.rule);
            is_alone.then(|| BrokenFile {
                bytes: bytes.clone(),
                breakage: Breakage::Line(attempt.defect),
                changed: first.path.clone(),
                value: None,
                path: first.path.clone(),
                rule: Some(first.rule),
                severity: first.rule.severity,
            })
        })
    }

    fn almost_broken(&self, attempt: &TextAttempt) -> Vec<AlmostBrokenFile> {
        let Some(broken) = self.broken_files(attempt).next() else {
            return Vec::new();
        };
        let valid = attempt
            .limits
            .iter()
            .filter(|bytes| self.new_findings(bytes).is_empty());
        let almost = valid.map(|bytes| AlmostBrokenFile {
            bytes: bytes.clone(),
            breakage: broken.breakage,
            changed: broken.changed.clone(),
            value: line_at(bytes, attempt.line),
            rule: broken.rule,
        });
        almost.collect()
    }
}

fn line_at(text: &[u8], index: usize) -> String {
    String::from_utf8_lossy(
        text.split(|byte| *byte == b'\n')
            .nth(index)
            .unwrap_or_default(),
    )
    .into_owned()
}
