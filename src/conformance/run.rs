//! Runs a loader over files, and compares its verdicts with those of strict reading.

use std::collections::BTreeMap;

use super::disagreement::Cause;
use super::files::{Files, Making, TestFile};
use super::{Disagreement, FileKind, Mismatch, RuleCoverage, Subject};
use crate::{ErrorKind, Path, Rule};

/// A function that loads a file. It gets the document if the file is valid.
pub(super) type Load<'l, D> = &'l mut dyn FnMut(&[u8], Option<&D>) -> Loaded;

/// The result of a loader for a file.
pub(super) enum Loaded {
    Accepted,
    Otherwise(Mismatch),
}

/// A loader, its test files, and the results so far.
pub(super) struct Run<'r, S: Subject> {
    pub files: Files<'r, S>,
    /// Whether to skip files that are detected as another dialect.
    pub detects: bool,
    /// Codes of rules; files that violate any of them are skipped.
    pub ignored: Vec<&'static str>,
    pub load: Load<'r, S::Document>,
    pub counts: BTreeMap<FileKind, usize>,
    pub coverage: Vec<RuleCoverage>,
    pub found: BTreeMap<Cause, Found>,
}

/// The smallest file with a disagreement.
pub(super) struct Found {
    /// The index of the case of the file.
    pub case: u32,
    pub disagreement: Disagreement,
}

impl<'r, S: Subject> Run<'r, S> {
    pub fn new(
        files: Files<'r, S>,
        detects: bool,
        ignored: Vec<&'static str>,
        load: Load<'r, S::Document>,
    ) -> Run<'r, S> {
        let rules = files.subject.about().rules.iter();
        let coverage = rules.map(|rule| RuleCoverage { rule, broken: 0, almost_broken: 0 }).collect();
        Run { files, detects, ignored, load, counts: BTreeMap::new(), coverage, found: BTreeMap::new() }
    }

    /// Runs the loader over the files of a case: a valid file, the files derived from it, and mutated files.
    pub fn case(&mut self, case: u32, mutations: u32) {
        use proptest::strategy::ValueTree as _;

        let Some(file) = self.files.valid(case).map(|tree| tree.current()) else { return };
        let mut valid = None;
        for file in self.files.made_from(case, &file) {
            let cause = self.add(case, file, valid.as_ref());
            valid = valid.or(cause);
        }
        for number in 0..mutations {
            if let Some(mutated) = self.files.mutated(case, number).map(|tree| tree.current()) {
                self.add(case, TestFile::mutated(mutated, number), None);
            }
        }
    }

    /// Runs the loader over a file and counts it. Returns the cause of a disagreement about a valid file. `valid` is the
    /// cause for the file that this one is derived from.
    fn add(&mut self, case: u32, file: TestFile, valid: Option<&Cause>) -> Option<Cause> {
        let making = file.making;
        let judged = self.judge(file)?;
        *self.counts.entry(making.kind()).or_default() += 1;
        let rule = match making {
            Making::Broken(_, named) => judged.rule.or(named),
            _ => judged.rule,
        };
        self.cover(rule, |coverage| &mut coverage.broken);
        if let Making::AlmostBroken(_, rule) = making {
            self.cover(rule, |coverage| &mut coverage.almost_broken);
        }
        let disagreement = judged.disagreement?;
        let cause = disagreement.cause();
        // The valid file has the same disagreement, so the change is irrelevant.
        if let Some(valid) = valid.filter(|valid| **valid == cause.clone().without_rule()) {
            if let Some(found) = self.found.get_mut(valid) {
                found.disagreement.files += 1;
            }
            return None;
        }
        let own = (making == Making::Valid).then(|| cause.clone());
        let files = self.found.get(&cause).map_or(0, |found| found.disagreement.files);
        let found =
            self.found.entry(cause).or_insert_with(|| Found { case, disagreement: disagreement.clone() });
        if disagreement.order() < found.disagreement.order() {
            *found = Found { case, disagreement };
        }
        found.disagreement.files = files + 1;
        own
    }

    fn cover(&mut self, rule: Option<&Rule>, count: fn(&mut RuleCoverage) -> &mut usize) {
        let coverage = self.coverage.iter_mut().find(|coverage| Some(coverage.rule) == rule);
        coverage.into_iter().for_each(|coverage| *count(coverage) += 1);
    }

    /// Runs the loader over a file. Returns `None` for files of other dialects, files that violate an ignored rule, and
    /// files without a verdict.
    pub fn judge(&mut self, file: TestFile) -> Option<TestOutcome> {
        let TestFile { bytes, making, change } = file;
        let Files { subject, dialect, .. } = self.files;
        if self.detects && subject.detect(&bytes) != dialect {
            return None;
        }
        let is_ignored = |rule: &&Rule| self.ignored.contains(&rule.code);
        if !self.ignored.is_empty() && self.files.violated(&bytes).iter().any(is_ignored) {
            return None;
        }
        let (path, span, message, rule, mismatch) = match subject.read(&bytes, dialect) {
            Ok(document) => {
                let mismatch = match (self.load)(&bytes, Some(&document)) {
                    Loaded::Accepted => None,
                    Loaded::Otherwise(mismatch) => Some(mismatch),
                };
                (Path::default(), None, String::new(), None, mismatch)
            }
            Err(error) if matches!(error.kind(), ErrorKind::LimitExceeded(_) | ErrorKind::Unsupported) => {
                return None;
            }
            Err(error) => {
                let mismatch = match (self.load)(&bytes, None) {
                    Loaded::Accepted => Some(Mismatch::Accepted),
                    Loaded::Otherwise(Mismatch::Rejected(_)) => None,
                    Loaded::Otherwise(mismatch) => Some(mismatch),
                };
                let (path, span) = (error.path().clone(), error.span().cloned());
                (path, span, error.message().to_owned(), error.rule(), mismatch)
            }
        };
        let disagreement = mismatch.map(|mismatch| {
            let almost = match (making, &mismatch) {
                (Making::AlmostBroken(_, rule), Mismatch::Rejected(_)) => rule,
                _ => None,
            };
            let (rule, kind) = (rule.or(almost), making.kind());
            Disagreement {
                mismatch,
                rule,
                path,
                span,
                message,
                warnings: Vec::new(),
                kind,
                change,
                bytes,
                files: 1,
                runs: 0,
                making,
            }
        });
        Some(TestOutcome { rule, disagreement })
    }
}

/// The verdict on a file.
pub(super) struct TestOutcome {
    /// The rule that the file breaks in strict reading.
    pub rule: Option<&'static Rule>,
    pub disagreement: Option<Disagreement>,
}
