//! Generates the files of a run: valid files, and files derived from them.

use std::marker::PhantomData;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};

use crate::layout::generate::{self, Breakage, Config, MutatedFile};
use crate::{Dialect, Format, Limits, ReadOptions, Rule, format_of};

/// The origin of a test file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FileKind {
    /// Generated from the declaration.
    Valid,
    /// A valid file in which a value is changed to the limit of its constraint.
    AlmostBroken,
    /// A valid file to which exactly one defect is added.
    Broken,
    /// A valid file with a replaced number or randomly changed bytes.
    Mutated,
}

#[derive(Debug, Clone)]
pub(super) struct TestFile {
    pub bytes: Vec<u8>,
    pub file_change: FileChange,
    /// A description of the change to a valid file; empty for a generated file.
    pub change: String,
}

/// The change to a valid file, which can be repeated on a smaller file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum FileChange {
    Valid,
    /// The breakage, and its rule if the declaration states one.
    AlmostBroken(Breakage, Option<&'static Rule>),
    Broken(Breakage, Option<&'static Rule>),
    /// A replaced number. Contains the name of the field.
    Substituted(&'static str),
    /// A random mutation. Contains the index of the mutated file in its case.
    Mutated(u32),
}

impl FileChange {
    pub fn kind(self) -> FileKind {
        match self {
            FileChange::Valid => FileKind::Valid,
            FileChange::AlmostBroken(..) => FileKind::AlmostBroken,
            FileChange::Broken(..) => FileKind::Broken,
            FileChange::Substituted(_) | FileChange::Mutated(_) => FileKind::Mutated,
        }
    }
}

/// One in `LARGE_CASES` cases is large.
const LARGE_CASES: u32 = 8;

fn is_large(case: u32) -> bool {
    case % LARGE_CASES == LARGE_CASES - 1
}

/// The item limit of large files, as a multiple of the configured limit.
const LARGE_ITEMS_FACTOR: u64 = 4;

/// Generates the files of one format and dialect.
pub(super) struct TestFiles<D> {
    format: PhantomData<fn() -> D>,
    pub dialect: Dialect,
    small: BoxedStrategy<Vec<u8>>,
    large: BoxedStrategy<Vec<u8>>,
    seed: u64,
}

impl<D: Format> TestFiles<D> {
    pub fn new(dialect: Dialect, config: Config, seed: u64) -> TestFiles<D> {
        let large = Config {
            max_items: config.max_items.saturating_mul(LARGE_ITEMS_FACTOR),
            ..config
        };
        let [small, large] = [config, large].map(|config| valid_files::<D>(config, dialect));
        TestFiles {
            format: PhantomData,
            dialect,
            small,
            large,
            seed,
        }
    }

    /// Returns the rules that a file violates, including warnings, sorted by code.
    pub fn violated_rules(&self, bytes: &[u8]) -> Vec<&'static Rule> {
        let options = ReadOptions::default().with_dialect(self.dialect);
        let report = D::check_file(bytes, &options).unwrap_or_default();
        let mut rules: Vec<_> = report.rules().map(|(rule, _)| rule).collect();
        rules.sort_by_key(|rule| rule.code);
        rules
    }

    /// Returns the valid file of a case as a shrinkable tree; `None` if generation failed.
    pub fn valid(&self, case: u32) -> Option<impl ValueTree<Value = Vec<u8>> + use<D>> {
        self.strategy(case).new_tree(&mut self.runner(case, 0)).ok()
    }

    /// Returns a mutated file of a case as a shrinkable tree; `None` if generation failed.
    pub fn mutated(
        &self,
        case: u32,
        number: u32,
    ) -> Option<impl ValueTree<Value = MutatedFile> + use<D>> {
        let mutations = generate::mutations(self.strategy(case).clone());
        mutations.new_tree(&mut self.runner(case, number + 1)).ok()
    }

    /// Returns the strategy for the valid file of a case. One in [`LARGE_CASES`] cases is large.
    fn strategy(&self, case: u32) -> &BoxedStrategy<Vec<u8>> {
        if is_large(case) {
            &self.large
        } else {
            &self.small
        }
    }

    /// Returns a test runner with a separate seed for each file, so that files can be generated independently.
    fn runner(&self, case: u32, number: u32) -> TestRunner {
        let numbers = [self.seed, case.into(), number.into(), 0];
        let seed: Vec<u8> = numbers
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect();
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
        TestRunner::new_with_rng(ProptestConfig::default(), rng)
    }

    /// Returns a valid file, followed by all files derived from it except randomly mutated ones. Does not break large
    /// binary files, since small files can be broken in the same ways.
    pub fn derive_files(&self, case: u32, file: &[u8]) -> Vec<TestFile> {
        let mut files = vec![TestFile::valid(file)];
        let Some(layout) = D::layout_of(file, self.dialect) else {
            files.extend(self.derive_from_text(file));
            return files;
        };
        let (rules, limits) = (D::ABOUT.rules, Limits::default());
        let substituted = generate::substitutions(layout, file, &limits);
        files.extend(substituted.into_iter().flatten().map(TestFile::substituted));
        if is_large(case) {
            return files;
        }
        let broken = generate::breakages(layout, file, rules, &limits);
        files.extend(broken.into_iter().flatten().map(TestFile::broken));
        let almost = generate::almost_broken(layout, file, rules, &limits);
        files.extend(almost.into_iter().flatten().map(TestFile::almost_broken));
        files
    }

    /// Returns the files derived from a valid file by the change `file_change`; for a truncation, by every truncation.
    pub fn derive_with(&self, file: &[u8], file_change: FileChange) -> Vec<TestFile> {
        let (rules, limits) = (D::ABOUT.rules, Limits::default());
        let layout = D::layout_of(file, self.dialect);
        match (file_change, layout) {
            (FileChange::Broken(breakage, _), Some(layout)) => {
                let is_truncation = |breakage| matches!(breakage, Breakage::Truncation(_));
                let is_alike = |other: &Breakage| {
                    *other == breakage || is_truncation(*other) && is_truncation(breakage)
                };
                let broken = generate::breakages_of(layout, file, rules, &limits, 1, is_alike);
                broken.into_iter().flatten().map(TestFile::broken).collect()
            }
            (FileChange::AlmostBroken(breakage, _), Some(layout)) => {
                let is_it = |other: &Breakage| *other == breakage;
                let almost = generate::almost_broken_of(layout, file, rules, &limits, is_it);
                almost
                    .into_iter()
                    .flatten()
                    .map(TestFile::almost_broken)
                    .collect()
            }
            (FileChange::Substituted(_), Some(layout)) => {
                let substituted = generate::substitutions(layout, file, &limits);
                let files = substituted.into_iter().flatten().map(TestFile::substituted);
                files
                    .filter(|file| file.file_change == file_change)
                    .collect()
            }
            (FileChange::Broken(..) | FileChange::AlmostBroken(..), None) => self
                .derive_from_text(file)
                .filter(|file| file.file_change == file_change)
                .collect(),
            _ => vec![TestFile::valid(file)],
        }
    }

    /// Returns the files derived from a valid file of a text format.
    fn derive_from_text(&self, file: &[u8]) -> impl Iterator<Item = TestFile> + use<D> {
        let format = format_of::<D>();
        let options = ReadOptions::default().with_dialect(self.dialect);
        let broken: Vec<_> = format
            .breakages(file, &options)
            .into_iter()
            .flatten()
            .collect();
        let almost: Vec<_> = format
            .almost_broken(file, &options)
            .into_iter()
            .flatten()
            .collect();
        broken
            .into_iter()
            .map(TestFile::broken)
            .chain(almost.into_iter().map(TestFile::almost_broken))
    }
}

/// Returns a strategy for valid files of a dialect.
fn valid_files<D: Format>(config: Config, dialect: Dialect) -> BoxedStrategy<Vec<u8>> {
    let of_dialect = move |(own, bytes)| (own == dialect).then_some(bytes);
    match D::files(config) {
        Some(files) => files
            .prop_filter_map("a file of another dialect", of_dialect)
            .boxed(),
        None => any::<()>()
            .prop_filter_map("files cannot be generated", |()| None)
            .boxed(),
    }
}

impl TestFile {
    fn valid(file: &[u8]) -> TestFile {
        TestFile {
            bytes: file.to_vec(),
            file_change: FileChange::Valid,
            change: String::new(),
        }
    }

    fn broken(file: generate::BrokenFile) -> TestFile {
        let (change, file_change) = (
            file.to_string(),
            FileChange::Broken(file.breakage, file.rule),
        );
        TestFile {
            bytes: file.bytes,
            file_change,
            change,
        }
    }

    fn almost_broken(file: generate::AlmostBrokenFile) -> TestFile {
        let (change, file_change) = (
            file.to_string(),
            FileChange::AlmostBroken(file.breakage, file.rule),
        );
        TestFile {
            bytes: file.bytes,
            file_change,
            change,
        }
    }

    fn substituted(substituted: generate::SubstitutedFile) -> TestFile {
        let (change, field) = (substituted.to_string(), substituted.field());
        TestFile {
            file_change: FileChange::Substituted(field),
            change,
            bytes: substituted.bytes,
        }
    }

    pub fn mutated(mutated: MutatedFile, number: u32) -> TestFile {
        let change = mutated.to_string();
        TestFile {
            file_change: FileChange::Mutated(number),
            change,
            bytes: mutated.bytes,
        }
    }
}
