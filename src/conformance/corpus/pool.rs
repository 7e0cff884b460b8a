//! Generates valid files, and chooses files that cover all kinds of values.

use std::collections::{BTreeSet, HashMap, HashSet};

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config as RunnerConfig, RngAlgorithm, TestRng, TestRunner};

use super::Config;
use super::oracle::Oracle;
use crate::conformance::Files;
use crate::conformance::coverage::{MANY, observe};
use crate::layout::generate;
use crate::{AnyFormat, Dialect, Error, Result};

/// The maximum number of list items, one per strategy, so that file sizes vary.
const MAX_ITEMS: [u64; 4] = [1, 2, 6, 3];

/// A strategy is dropped after [`MAX_FAILURES`] consecutive failed draws of up to [`MAX_ATTEMPTS`] attempts each, since
/// some constraints require more items.
const MAX_FAILURES: usize = 2;
const MAX_ATTEMPTS: u32 = 500;

/// The minimum and the maximum number of draws.
const DRAWS: [usize; 2] = [600, 3000];

/// After the minimum number of draws, drawing stops once this many consecutive draws have yielded no new kind of value.
const MAX_DRAWS_WITHOUT_NEW: usize = 400;

#[derive(Debug, Clone)]
pub(super) struct ValidFile {
    pub(super) dialect: Dialect,
    pub(super) bytes: Vec<u8>,
    /// The kinds of values in the file, as indices into `Pool::kinds`.
    kinds: Vec<usize>,
    pub(super) warning_codes: BTreeSet<&'static str>,
}

/// A dialect, a field and a kind of value.
type FieldKind = (Dialect, String, &'static str);

/// Valid files, with the kinds of values in them.
pub(super) struct Pool {
    oracle: Oracle,
    generator: FileGenerator,
    pub(super) files: Vec<ValidFile>,
    kinds: Vec<FieldKind>,
    kind_ids: HashMap<FieldKind, usize>,
    seen: HashSet<Vec<u8>>,
}

impl Pool {
    /// Draws files until they yield no new kinds of values; see [`DRAWS`] and [`MAX_DRAWS_WITHOUT_NEW`].
    pub(super) fn new(oracle: Oracle, config: &Config) -> Result<Pool> {
        let generator = FileGenerator::new(oracle.format, config)?;
        let (kind_ids, seen) = (HashMap::new(), HashSet::new());
        let mut pool = Pool {
            oracle,
            generator,
            files: Vec::new(),
            kinds: Vec::new(),
            kind_ids,
            seen,
        };
        let (mut draws, mut last_new) = (0, 0);
        while draws < DRAWS[1] && (draws < DRAWS[0] || draws - last_new < MAX_DRAWS_WITHOUT_NEW) {
            draws += 1;
            if let Some((dialect, bytes)) = pool.generator.draw()
                && pool.add(dialect, bytes)
            {
                last_new = draws;
            }
        }
        Ok(pool)
    }

    /// Adds a file if it is valid and not a duplicate. Returns `true` if it contains a new kind of value.
    pub(super) fn add(&mut self, dialect: Dialect, bytes: Vec<u8>) -> bool {
        if !self.seen.insert(bytes.clone()) {
            return false;
        }
        let Some(verdicts) = self.oracle.judge_accepted(&bytes, dialect) else {
            return false;
        };
        let (before, mut kinds) = (self.kinds.len(), Vec::new());
        for (field, own) in observe(self.oracle.format, &bytes, dialect) {
            for kind in own.into_keys() {
                let key = (dialect, field.clone(), kind);
                let next = self.kinds.len();
                let id = *self.kind_ids.entry(key.clone()).or_insert(next);
                if id == next {
                    self.kinds.push(key);
                }
                kinds.push(id);
            }
        }
        self.files.push(ValidFile {
            dialect,
            bytes,
            kinds,
            warning_codes: verdicts.codes,
        });
        self.kinds.len() > before
    }

    /// Returns `true` if a field has a value of the given kind in any file.
    pub(super) fn has_kind(&self, field: &str, kind: &str) -> bool {
        self.kinds
            .iter()
            .any(|(_, other, own)| other == field && *own == kind)
    }

    /// Returns the files that contain a value of a field, sorted by number of warnings, then by size.
    pub(super) fn with_field(&self, field: &str) -> Vec<&ValidFile> {
        let is_value =
            |(_, own, kind): &FieldKind| own == field && !["absent", "no items"].contains(kind);
        let has = |file: &&ValidFile| file.kinds.iter().any(|kind| is_value(&self.kinds[*kind]));
        let mut files: Vec<_> = self.files.iter().filter(has).collect();
        files.sort_by_key(|file| (file.warning_codes.len(), file.bytes.len()));
        files
    }

    /// Generates a file without adding it to the pool. Returns `None` if that fails.
    pub(super) fn draw(&mut self) -> Option<(Dialect, Vec<u8>)> {
        self.generator.draw()
    }

    pub(super) fn runner(&mut self) -> &mut TestRunner {
        &mut self.generator.runner
    }

    /// Returns all files without findings, sorted by size.
    pub(super) fn files_without_findings(&self) -> Vec<&ValidFile> {
        let mut files: Vec<_> = self
            .files
            .iter()
            .filter(|file| file.warning_codes.is_empty())
            .collect();
        files.sort_by_key(|file| file.bytes.len());
        files
    }

    /// Chooses small files that together contain all kinds of values in the pool. Returns each with the kinds that it
    /// adds.
    pub(super) fn covering_files<'p>(&'p self) -> Vec<(&'p ValidFile, Vec<String>)> {
        let mut chosen = self.choose_files(|_| true, |_| true);
        self.drop_covered(&mut chosen);
        let mut listed = vec![false; self.kinds.len()];
        let with_new_kinds = |file: &'p ValidFile| {
            let new = file
                .kinds
                .iter()
                .filter(|kind| !std::mem::replace(&mut listed[**kind], true));
            let new = new.map(|kind| format!("{}: {}", self.kinds[*kind].1, self.kinds[*kind].2));
            (file, new.collect())
        };
        chosen.into_iter().map(with_new_kinds).collect()
    }

    /// Drops files whose kinds of values all occur in other chosen files, the largest files first.
    fn drop_covered(&self, chosen: &mut Vec<&ValidFile>) {
        let mut covered = vec![0_usize; self.kinds.len()];
        chosen
            .iter()
            .flat_map(|file| &file.kinds)
            .for_each(|kind| covered[*kind] += 1);
        let mut by_size = chosen.clone();
        by_size.sort_by_key(|file| std::cmp::Reverse(file.bytes.len()));
        for file in by_size {
            if file.kinds.iter().all(|kind| covered[*kind] > 1) {
                file.kinds.iter().for_each(|kind| covered[*kind] -= 1);
                chosen.retain(|other| !std::ptr::eq(*other, file));
            }
        }
    }

    /// Chooses small files without findings that together contain every field, alternative and kind of list, except for
    /// lists of more than 255 items. Sorts the files by size.
    pub(super) fn base_files(&self) -> Vec<&ValidFile> {
        let is_number = |kind: &str| {
            [
                "1",
                "sign bit",
                "largest",
                "-0",
                "infinity",
                "quiet NaN",
                "signalling NaN",
                "subnormal",
            ]
            .contains(&kind)
        };
        let is_wanted = |kind: &str| !is_number(kind) && kind != MANY;
        let mut files = self.choose_files(|file| file.warning_codes.is_empty(), is_wanted);
        files.sort_by_key(|file| file.bytes.len());
        files
    }

    fn choose_files(
        &self,
        is_allowed: impl Fn(&ValidFile) -> bool,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Vec<&ValidFile> {
        let mut files: Vec<_> = self.files.iter().filter(|file| is_allowed(file)).collect();
        files.sort_by_key(|file| file.bytes.len());
        let mut files_with_kind = vec![Vec::new(); self.kinds.len()];
        for file in &files {
            file.kinds
                .iter()
                .for_each(|kind| files_with_kind[*kind].push(*file));
        }
        let mut order: Vec<usize> = (0..self.kinds.len()).collect();
        // Starts with rare kinds, since their files also contain common kinds.
        order.sort_by_key(|kind| files_with_kind[*kind].len());
        let mut covered = vec![false; self.kinds.len()];
        let mut chosen = Vec::new();
        for kind in order {
            let is_needed = !covered[kind] && is_wanted(self.kinds[kind].2);
            let Some(file) = files_with_kind[kind].first().filter(|_| is_needed) else {
                continue;
            };
            file.kinds.iter().for_each(|kind| covered[*kind] = true);
            chosen.push(*file);
        }
        chosen
    }
}

struct FileGenerator {
    runner: TestRunner,
    /// The strategies, each with its number of consecutive failed draws.
    strategies: Vec<(Files, usize)>,
    dialect: Option<Dialect>,
    count: usize,
}

impl FileGenerator {
    fn new(format: AnyFormat, config: &Config) -> Result<FileGenerator> {
        let plausibilities = if config.plausible {
            &[true][..]
        } else {
            &[true, false]
        };
        let mut strategies = Vec::new();
        for (max_items, plausible) in MAX_ITEMS
            .iter()
            .flat_map(|size| plausibilities.iter().map(|plausible| (*size, *plausible)))
        {
            let config = generate::Config {
                max_items,
                plausible,
                max_choices: 1024,
                ..Default::default()
            };
            let files = format.files(config).ok_or_else(|| {
                Error::unsupported("files cannot be generated without a declaration")
                    .in_format(format.name())
            })?;
            strategies.push((files, 0));
        }
        let mut seed = [0; 32];
        seed[..8].copy_from_slice(&config.seed.to_le_bytes());
        let runner = new_runner(TestRng::from_seed(RngAlgorithm::ChaCha, &seed));
        Ok(FileGenerator {
            runner,
            strategies,
            dialect: config.dialect,
            count: 0,
        })
    }

    /// Generates a file with the next strategy. Returns `None` if generation fails, or the file has another dialect.
    fn draw(&mut self) -> Option<(Dialect, Vec<u8>)> {
        self.count += 1;
        // Uses a new runner, so that only the attempts of this draw count.
        let mut runner = new_runner(self.runner.new_rng());
        let index = self.count.checked_rem(self.strategies.len())?;
        let (strategy, failures) = &mut self.strategies[index];
        let Ok(file) = strategy.new_tree(&mut runner) else {
            *failures += 1;
            if *failures >= MAX_FAILURES {
                drop(self.strategies.remove(index));
            }
            return None;
        };
        *failures = 0;
        Some(file.current())
            .filter(|(dialect, _)| self.dialect.is_none_or(|wanted| wanted == *dialect))
    }
}

fn new_runner(rng: TestRng) -> TestRunner {
    let config = RunnerConfig {
        max_local_rejects: MAX_ATTEMPTS,
        failure_persistence: None,
        ..RunnerConfig::default()
    };
    TestRunner::new_with_rng(config, rng)
}
