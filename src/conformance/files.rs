//! The files of a run: valid files and files derived from them.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};

use super::Subject;
use crate::layout::generate::{self, Breakage, Config, Mutated};
use crate::{Dialect, Limits, ReadOptions, Rule};

/// The origin of a test file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FileKind {
    /// Generated from the declaration.
    Valid,
    /// A valid file with a value at the limit of what is allowed.
    AlmostBroken,
    /// A valid file with exactly one defect added.
    Broken,
    /// A valid file with a replaced number or changed bytes.
    Mutated,
}

/// A file for testing a loader.
#[derive(Debug, Clone)]
pub(super) struct TestFile {
    pub bytes: Vec<u8>,
    pub making: Making,
    /// The change to a valid file; empty for a valid file.
    pub change: String,
}

/// The change to a valid file, repeatable on a smaller file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Making {
    Valid,
    /// The breakage, and its rule if the declaration names one.
    AlmostBroken(Breakage, Option<&'static Rule>),
    Broken(Breakage, Option<&'static Rule>),
    /// A replaced number in a field with this name.
    Substituted(&'static str),
    /// The index of the mutated file in its case.
    Mutated(u32),
}

impl Making {
    pub fn kind(self) -> FileKind {
        match self {
            Making::Valid => FileKind::Valid,
            Making::AlmostBroken(..) => FileKind::AlmostBroken,
            Making::Broken(..) => FileKind::Broken,
            Making::Substituted(_) | Making::Mutated(_) => FileKind::Mutated,
        }
    }
}

/// The number of cases per large case.
const LARGE_CASES: u32 = 8;

fn is_large(case: u32) -> bool {
    case % LARGE_CASES == LARGE_CASES - 1
}

/// The factor for the maximum number of list items in large files.
const LARGER: u64 = 4;

/// Makes the files of one format and dialect.
pub(super) struct Files<'s, S> {
    pub subject: &'s S,
    pub dialect: Dialect,
    small: BoxedStrategy<Vec<u8>>,
    large: BoxedStrategy<Vec<u8>>,
    seed: u64,
}

impl<'s, S: Subject> Files<'s, S> {
    pub fn new(subject: &'s S, dialect: Dialect, config: Config, seed: u64) -> Files<'s, S> {
        let large = Config { max_items: config.max_items.saturating_mul(LARGER), ..config };
        let [small, large] = [config, large].map(|config| subject.files(config, dialect));
        Files { subject, dialect, small, large, seed }
    }

    /// Returns the rules that a file violates, sorted by code, warnings included.
    pub fn violated(&self, bytes: &[u8]) -> Vec<&'static Rule> {
        let options = ReadOptions::default().with_dialect(self.dialect);
        let report = self.subject.format().check(bytes, &options).unwrap_or_default();
        let mut rules: Vec<_> = report.rules().map(|(rule, _)| rule).collect();
        rules.sort_by_key(|rule| rule.code);
        rules
    }

    /// Returns the valid file of a case as a shrinkable tree; `None` if generation failed.
    pub fn valid(&self, case: u32) -> Option<impl ValueTree<Value = Vec<u8>> + use<S>> {
        self.strategy(case).new_tree(&mut self.runner(case, 0)).ok()
    }

    /// Returns a mutated file of a case as a shrinkable tree; `None` if generation failed.
    pub fn mutated(&self, case: u32, number: u32) -> Option<impl ValueTree<Value = Mutated> + use<S>> {
        let mutations = generate::mutations(self.strategy(case).clone());
        mutations.new_tree(&mut self.runner(case, number + 1)).ok()
    }

    /// Returns the strategy for the valid file of a case. Every eighth case is large.
    fn strategy(&self, case: u32) -> &BoxedStrategy<Vec<u8>> {
        if is_large(case) { &self.large } else { &self.small }
    }

    /// Returns a test runner with its own seed, so that each file can be generated independently.
    fn runner(&self, case: u32, number: u32) -> TestRunner {
        let numbers = [self.seed, case.into(), number.into(), 0];
        let seed: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
        TestRunner::new_with_rng(ProptestConfig::default(), rng)
    }

    /// Returns the valid file of a case, then the files derived from it. Large files are not broken, since small ones
    /// break in the same ways.
    pub fn made_from(&self, case: u32, file: &[u8]) -> Vec<TestFile> {
        let mut files = vec![TestFile::valid(file)];
        let Some(layout) = self.subject.layout(file, self.dialect) else {
            files.extend(self.made_from_text(file));
            return files;
        };
        let (rules, limits) = (self.subject.about().rules, Limits::default());
        if let Ok(substituted) = generate::substitutions(layout, file, &limits) {
            files.extend(substituted.map(TestFile::substituted));
        }
        if is_large(case) {
            return files;
        }
        if let Ok(broken) = generate::breakages(layout, file, rules, &limits) {
            files.extend(broken.map(TestFile::broken));
        }
        if let Ok(almost) = generate::almost_broken(layout, file, rules, &limits) {
            files.extend(almost.map(TestFile::almost_broken));
        }
        files
    }

    /// Returns the files derived from a valid one by the change `making`.
    pub fn made_alike(&self, file: &[u8], making: Making) -> Vec<TestFile> {
        let (rules, limits) = (self.subject.about().rules, Limits::default());
        let layout = self.subject.layout(file, self.dialect);
        match (making, layout) {
            (Making::Broken(breakage, _), Some(layout)) => {
                let is_alike = |other: &Breakage| match (other, breakage) {
                    (Breakage::Truncation(_), Breakage::Truncation(_)) => true,
                    (other, breakage) => *other == breakage,
                };
                let broken = generate::breakages_of(layout, file, rules, &limits, 1, is_alike);
                broken.into_iter().flatten().map(TestFile::broken).collect()
            }
            (Making::AlmostBroken(breakage, _), Some(layout)) => {
                let is_it = |other: &Breakage| *other == breakage;
                let almost = generate::almost_broken_of(layout, file, rules, &limits, is_it);
                almost.into_iter().flatten().map(TestFile::almost_broken).collect()
            }
            (Making::Substituted(_), Some(layout)) => {
                let substituted = generate::substitutions(layout, file, &limits);
                let files = substituted.into_iter().flatten().map(TestFile::substituted);
                files.filter(|file| file.making == making).collect()
            }
            (Making::Broken(..) | Making::AlmostBroken(..), None) => {
                self.made_from_text(file).filter(|file| file.making == making).collect()
            }
            _ => vec![TestFile::valid(file)],
        }
    }

    /// Returns the files derived from a valid text.
    fn made_from_text(&self, file: &[u8]) -> impl Iterator<Item = TestFile> + use<S> {
        let (format, options) = (self.subject.format(), ReadOptions::default().with_dialect(self.dialect));
        let broken: Vec<_> = format.breakages(file, &options).into_iter().flatten().collect();
        let almost: Vec<_> = format.almost_broken(file, &options).into_iter().flatten().collect();
        broken.into_iter().map(TestFile::broken).chain(almost.into_iter().map(TestFile::almost_broken))
    }
}

impl TestFile {
    fn valid(file: &[u8]) -> TestFile {
        TestFile { bytes: file.to_vec(), making: Making::Valid, change: String::new() }
    }

    fn broken(broken: generate::Broken) -> TestFile {
        let change = broken.to_string();
        TestFile { making: Making::Broken(broken.breakage, broken.rule), change, bytes: broken.bytes }
    }

    fn almost_broken(almost: generate::AlmostBroken) -> TestFile {
        let change = almost.to_string();
        TestFile { making: Making::AlmostBroken(almost.breakage, almost.rule), change, bytes: almost.bytes }
    }

    fn substituted(substituted: generate::Substituted) -> TestFile {
        let (change, field) = (substituted.to_string(), substituted.field());
        TestFile { making: Making::Substituted(field), change, bytes: substituted.bytes }
    }

    pub fn mutated(mutated: Mutated, number: u32) -> TestFile {
        let change = mutated.to_string();
        TestFile { making: Making::Mutated(number), change, bytes: mutated.bytes }
    }
}
