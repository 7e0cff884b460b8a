//! Runs a loader over files, and compares its verdicts with those of strict reading.

use std::collections::BTreeMap;

use super::disagreement::Cause;
use super::files::{FileChange, TestFile, TestFiles};
use super::{Disagreement, FileKind, Mismatch, RuleCoverage};
use crate::{ErrorKind, Format, Path, ReadOptions, Rule};

/// A function that runs the loader on a file and compares its contents. The second argument is the document of a valid
/// file; `None` for an invalid file. Returns `None` if the loader accepts the file with equal contents. Otherwise,
/// returns the rejection, panic or difference.
pub(super) type LoadFn<'l, D> = &'l mut dyn FnMut(&[u8], Option<&D>) -> Option<Mismatch>;

/// The state of a run: the loader, its test files, and the results so far.
pub(super) struct TestRun<'r, D> {
    pub files: TestFiles<D>,
    /// Whether files that are detected as another dialect are skipped.
    pub skips_other_dialects: bool,
    /// The codes of ignored rules. Files that violate any of them are skipped.
    pub ignored: Vec<&'static str>,
    pub load: LoadFn<'r, D>,
    pub counts: BTreeMap<FileKind, usize>,
    pub coverage: Vec<RuleCoverage>,
    pub smallest: BTreeMap<Cause, SmallestCase>,
}

/// The smallest file found so far for a cause of disagreement.
pub(super) struct SmallestCase {
    /// The index of the case from which the file is derived.
    pub case: u32,
    pub disagreement: Disagreement,
}

impl<D: Format> TestRun<'_, D> {
    /// Runs the loader over the files of a case: a valid file, the files derived from it, and mutated files.
    pub fn run_case(&mut self, case: u32, mutations: u32) {
        use proptest::strategy::ValueTree as _;

        let Some(file) = self.files.valid(case).map(|tree| tree.current()) else {
            return;
        };
        let mut valid_cause = None;
        for file in self.files.derive_files(case, &file) {
            let cause = self.run_file(case, file, valid_cause.as_ref());
            valid_cause = valid_cause.or(cause);
        }
        for number in 0..mutations {
            if let Some(mutated) = self.files.mutated(case, number).map(|tree| tree.current()) {
                self.run_file(case, TestFile::mutated(mutated, number), None);
            }
        }
    }

    /// Runs the loader on a file and counts it. Returns the cause of a disagreement about an unchanged valid file.
    /// `valid_cause` is the cause of a disagreement about the valid file from which the file is derived.
    fn run_file(
        &mut self,
        case: u32,
        file: TestFile,
        valid_cause: Option<&Cause>,
    ) -> Option<Cause> {
        let file_change = file.file_change;
        let outcome = self.judge(file)?;
        *self.counts.entry(file_change.kind()).or_default() += 1;
        let rule = match file_change {
            FileChange::Broken(_, named) => outcome.rule.or(named),
            _ => outcome.rule,
        };
        self.count_rule(rule, |coverage| &mut coverage.broken);
        if let FileChange::AlmostBroken(_, rule) = file_change {
            self.count_rule(rule, |coverage| &mut coverage.almost_broken);
        }
        let disagreement = outcome.disagreement?;
        let cause = disagreement.cause();
        // The loader disagrees about the valid file for the same cause, so the change is irrelevant.
        if let Some(valid_cause) =
            valid_cause.filter(|valid| **valid == cause.clone().without_rule())
        {
            if let Some(found) = self.smallest.get_mut(valid_cause) {
                found.disagreement.files += 1;
            }
            return None;
        }
        let new_cause = (file_change == FileChange::Valid).then(|| cause.clone());
        let files = self
            .smallest
            .get(&cause)
            .map_or(0, |found| found.disagreement.files);
        let new = || SmallestCase {
            case,
            disagreement: disagreement.clone(),
        };
        let found = self.smallest.entry(cause).or_insert_with(new);
        if disagreement.sort_key() < found.disagreement.sort_key() {
            *found = SmallestCase { case, disagreement };
        }
        found.disagreement.files = files + 1;
        new_cause
    }

    fn count_rule(&mut self, rule: Option<&Rule>, count: fn(&mut RuleCoverage) -> &mut usize) {
        let coverage = self
            .coverage
            .iter_mut()
            .find(|coverage| Some(coverage.rule) == rule);
        coverage
            .into_iter()
            .for_each(|coverage| *count(coverage) += 1);
    }

    /// Runs the loader on a file. Returns `None` without running the loader if the file has another dialect, violates
    /// an ignored rule, exceeds a limit or is unsupported.
    pub fn judge(&mut self, file: TestFile) -> Option<TestOutcome> {
        let TestFile {
            bytes,
            file_change,
            change,
        } = file;
        let dialect = self.files.dialect;
        if self.skips_other_dialects && D::detect(&bytes).dialect != dialect {
            return None;
        }
        let is_ignored = |rule: &&Rule| self.ignored.contains(&rule.code);
        if !self.ignored.is_empty() && self.files.violated_rules(&bytes).iter().any(is_ignored) {
            return None;
        }
        let options = ReadOptions::default().with_dialect(dialect);
        let (path, span, message, rule, mismatch) = match D::read(&bytes, &options) {
            Ok(document) => {
                let mismatch = (self.load)(&bytes, Some(&document));
                (Path::default(), None, String::new(), None, mismatch)
            }
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::LimitExceeded(_) | ErrorKind::Unsupported
                ) =>
            {
                return None;
            }
            Err(error) => {
                let mismatch = match (self.load)(&bytes, None) {
                    None => Some(Mismatch::Accepted),
                    Some(Mismatch::Rejected(_)) => None,
                    panic => panic,
                };
                let (path, span) = (error.path().clone(), error.span().cloned());
                (
                    path,
                    span,
                    error.message().to_owned(),
                    error.rule(),
                    mismatch,
                )
            }
        };
        let disagreement = mismatch.map(|mismatch| {
            let almost = match (file_change, &mismatch) {
                (FileChange::AlmostBroken(_, rule), Mismatch::Rejected(_)) => rule,
                _ => None,
            };
            let (rule, kind) = (rule.or(almost), file_change.kind());
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
                file_change,
            }
        });
        Some(TestOutcome { rule, disagreement })
    }
}

pub(super) struct TestOutcome {
    /// The rule that the file breaks in strict reading.
    pub rule: Option<&'static Rule>,
    pub disagreement: Option<Disagreement>,
}
