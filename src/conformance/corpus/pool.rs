//! Valid files to choose from.

use std::collections::{BTreeSet, HashMap, HashSet};

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config as RunnerConfig, RngAlgorithm, TestRng, TestRunner};

use super::Config;
use super::oracle::Oracle;
use crate::conformance::Files;
use crate::conformance::coverage::{MANY, observed};
use crate::layout::generate;
use crate::{AnyFormat, Dialect, Error, Result};

/// The maximum numbers of list items, for files of different sizes.
const SIZES: [u64; 4] = [1, 2, 6, 3];

/// A strategy is dropped after this many failed draws in a row, each after this many attempts: some constraints need
/// more items.
const FAILURES: usize = 2;
const ATTEMPTS: u32 = 500;

/// The minimum and maximum number of draws.
const DRAWS: [usize; 2] = [600, 3000];

/// The number of draws without a new kind of value after which drawing ends.
const QUIET: usize = 400;

/// A valid file.
#[derive(Debug, Clone)]
pub(super) struct ValidFile {
    pub(super) dialect: Dialect,
    pub(super) bytes: Vec<u8>,
    /// The kinds of values of its fields, as indices into the kinds of the pool.
    kinds: Vec<usize>,
    /// The codes of the warnings.
    pub(super) codes: BTreeSet<&'static str>,
}

/// A dialect, a field and a kind of value.
type FieldKind = (Dialect, String, &'static str);

/// Valid files to choose from.
pub(super) struct Pool {
    draw: Draw,
    pub(super) files: Vec<ValidFile>,
    kinds: Vec<FieldKind>,
    known: HashMap<FieldKind, usize>,
    seen: HashSet<Vec<u8>>,
}

impl Pool {
    /// Draws files until no new kinds of values occur.
    pub(super) fn new(format: AnyFormat, oracle: Oracle, config: &Config) -> Result<Pool> {
        let draw = Draw::new(format, config)?;
        let (known, seen) = (HashMap::new(), HashSet::new());
        let mut pool = Pool { draw, files: Vec::new(), kinds: Vec::new(), known, seen };
        let (mut draws, mut last_new) = (0, 0);
        while draws < DRAWS[1] && (draws < DRAWS[0] || draws - last_new < QUIET) {
            draws += 1;
            if let Some((dialect, bytes)) = pool.draw.next()
                && pool.add(format, oracle, dialect, bytes)
            {
                last_new = draws;
            }
        }
        Ok(pool)
    }

    /// Adds a valid file. Returns `true` if it has a new kind of value.
    pub(super) fn add(
        &mut self,
        format: AnyFormat,
        oracle: Oracle,
        dialect: Dialect,
        bytes: Vec<u8>,
    ) -> bool {
        if !self.seen.insert(bytes.clone()) {
            return false;
        }
        let Some(judgement) = oracle.accepted(&bytes, dialect) else { return false };
        let (before, mut kinds) = (self.kinds.len(), Vec::new());
        for (field, own) in observed(format, &bytes, dialect) {
            for kind in own.into_keys() {
                let key = (dialect, field.clone(), kind);
                let next = self.kinds.len();
                let id = *self.known.entry(key.clone()).or_insert(next);
                if id == next {
                    self.kinds.push(key);
                }
                kinds.push(id);
            }
        }
        self.files.push(ValidFile { dialect, bytes, kinds, codes: judgement.codes });
        self.kinds.len() > before
    }

    /// Returns `true` if a file has this kind of value.
    pub(super) fn has(&self, field: &str, kind: &str) -> bool {
        self.kinds.iter().any(|(_, other, own)| other == field && *own == kind)
    }

    /// Returns the files with a value of a field, those without findings and the smallest ones first.
    pub(super) fn with_field(&self, field: &str) -> Vec<&ValidFile> {
        let is_value = |(_, own, kind): &FieldKind| own == field && !["absent", "no items"].contains(kind);
        let has = |file: &&ValidFile| file.kinds.iter().any(|kind| is_value(&self.kinds[*kind]));
        let mut files: Vec<_> = self.files.iter().filter(has).collect();
        files.sort_by_key(|file| (file.codes.len(), file.bytes.len()));
        files
    }

    /// Draws a file without adding it to the pool; `None` if the draw failed.
    pub(super) fn draw(&mut self) -> Option<(Dialect, Vec<u8>)> {
        self.draw.next()
    }

    pub(super) fn runner(&mut self) -> &mut TestRunner {
        &mut self.draw.runner
    }

    /// Returns all files without findings, the smallest first.
    pub(super) fn clean(&self) -> Vec<&ValidFile> {
        let mut files: Vec<_> = self.files.iter().filter(|file| file.codes.is_empty()).collect();
        files.sort_by_key(|file| file.bytes.len());
        files
    }

    /// Chooses small files that together cover all kinds of values in the pool, each with its newly covered kinds.
    pub(super) fn covering<'p>(&'p self) -> Vec<(&'p ValidFile, Vec<String>)> {
        let mut chosen = self.choose(|_| true, |_| true);
        self.drop_covered(&mut chosen);
        let mut listed = vec![false; self.kinds.len()];
        let with_new = |file: &'p ValidFile| {
            let new = file.kinds.iter().filter(|kind| !std::mem::replace(&mut listed[**kind], true));
            let new = new.map(|kind| format!("{}: {}", self.kinds[*kind].1, self.kinds[*kind].2));
            (file, new.collect())
        };
        chosen.into_iter().map(with_new).collect()
    }

    /// Drops files whose kinds of values other chosen files cover, the largest first.
    fn drop_covered(&self, chosen: &mut Vec<&ValidFile>) {
        let mut covered = vec![0_usize; self.kinds.len()];
        chosen.iter().flat_map(|file| &file.kinds).for_each(|kind| covered[*kind] += 1);
        let mut by_size = chosen.clone();
        by_size.sort_by_key(|file| std::cmp::Reverse(file.bytes.len()));
        for file in by_size {
            if file.kinds.iter().all(|kind| covered[*kind] > 1) {
                file.kinds.iter().for_each(|kind| covered[*kind] -= 1);
                chosen.retain(|other| !std::ptr::eq(*other, file));
            }
        }
    }

    /// Chooses small files without findings that together cover every field, alternative and list length.
    pub(super) fn bases(&self) -> Vec<&ValidFile> {
        let is_number = |kind: &str| {
            ["1", "sign bit", "largest", "-0", "infinity", "quiet NaN", "signalling NaN", "subnormal"]
                .contains(&kind)
        };
        let is_wanted = |kind: &str| !is_number(kind) && kind != MANY;
        let mut files = self.choose(|file| file.codes.is_empty(), is_wanted);
        files.sort_by_key(|file| file.bytes.len());
        files
    }

    fn choose(
        &self,
        is_allowed: impl Fn(&ValidFile) -> bool,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Vec<&ValidFile> {
        let mut files: Vec<_> = self.files.iter().filter(|file| is_allowed(file)).collect();
        files.sort_by_key(|file| file.bytes.len());
        let mut holders = vec![Vec::new(); self.kinds.len()];
        for file in &files {
            file.kinds.iter().for_each(|kind| holders[*kind].push(*file));
        }
        let mut order: Vec<usize> = (0..self.kinds.len()).collect();
        // Rare kinds first, since their files also cover common kinds.
        order.sort_by_key(|kind| holders[*kind].len());
        let mut covered = vec![false; self.kinds.len()];
        let mut chosen = Vec::new();
        for kind in order {
            let is_needed = !covered[kind] && is_wanted(self.kinds[kind].2);
            let Some(file) = holders[kind].first().filter(|_| is_needed) else { continue };
            file.kinds.iter().for_each(|kind| covered[*kind] = true);
            chosen.push(*file);
        }
        chosen
    }
}

/// Draws valid files of a format.
struct Draw {
    runner: TestRunner,
    /// The strategies, each with its number of failed draws in a row.
    strategies: Vec<(Files, usize)>,
    dialect: Option<Dialect>,
    count: usize,
}

impl Draw {
    fn new(format: AnyFormat, config: &Config) -> Result<Draw> {
        let sorts = if config.plausible { &[true][..] } else { &[true, false] };
        let mut strategies = Vec::new();
        for (max_items, plausible) in SIZES.iter().flat_map(|size| sorts.iter().map(|sort| (*size, *sort))) {
            let config = generate::Config { max_items, plausible, max_choices: 1024, ..Default::default() };
            let files = format.files(config).ok_or_else(|| {
                Error::unsupported("no declaration states how to generate files of it")
                    .in_format(format.name())
            })?;
            strategies.push((files, 0));
        }
        let mut seed = [0; 32];
        seed[..8].copy_from_slice(&config.seed.to_le_bytes());
        let runner = runner(TestRng::from_seed(RngAlgorithm::ChaCha, &seed));
        Ok(Draw { runner, strategies, dialect: config.dialect, count: 0 })
    }

    /// Draws a file of the next size; `None` if the draw failed or the file is of another dialect.
    fn next(&mut self) -> Option<(Dialect, Vec<u8>)> {
        self.count += 1;
        // A new runner, which counts only the attempts of this draw.
        let mut runner = runner(self.runner.new_rng());
        let index = self.count.checked_rem(self.strategies.len())?;
        let (strategy, failures) = &mut self.strategies[index];
        let Ok(file) = strategy.new_tree(&mut runner) else {
            *failures += 1;
            if *failures >= FAILURES {
                drop(self.strategies.remove(index));
            }
            return None;
        };
        *failures = 0;
        let (dialect, bytes) = file.current();
        self.dialect.is_none_or(|wanted| wanted == dialect).then_some((dialect, bytes))
    }
}

fn runner(rng: TestRng) -> TestRunner {
    let config =
        RunnerConfig { max_local_rejects: ATTEMPTS, failure_persistence: None, ..RunnerConfig::default() };
    TestRunner::new_with_rng(config, rng)
}
