//! A strategy for files that shrinks their content: lists to fewer items, values to simpler ones.

use std::collections::HashSet;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::{NewTree, ValueTree};
use proptest::test_runner::TestRunner;

use super::choices::{Choice, Choices, ListChoice, Trace};
use super::{Config, generate};
use crate::layout::Layout;
use crate::layout::declaration::Type;

/// The maximum number of rounds, each of which simplifies all lists and choices of a file. A later round can succeed
/// where an earlier one failed, since the file has changed.
const MAX_ROUNDS: usize = 5;

/// The simplest choices: for an integer or a float, they yield 0, 1, 2, the boundaries and the first literal.
const SIMPLE_CHOICES: [u64; 15] = [0, 4, 1, 2, 3, 8, 5, 9, 13, 17, 21, 25, 29, 33, 37];

/// Reductions of a choice without its two lowest bits. These bits select the kind of number and do not change. The
/// largest steps come first.
const REDUCTIONS: [fn(u64) -> u64; 9] = [
    |n| n >> 32,
    |n| n >> 16,
    |n| n >> 8,
    |n| n / 2,
    |n| n - n / 4,
    |n| n - n / 8,
    |n| n - n / 16,
    |n| n - n / 32,
    |n| n.saturating_sub(1),
];

/// A strategy for files of a declared type. A failing file shrinks to fewer items and simpler values with which the
/// test still fails; the remaining values stay the same.
///
/// ```
/// # #[cfg(feature = "mesh")] {
/// use meshspec::layout::{Layout, generate};
/// use meshspec::mesh::schema::Joint;
/// use proptest::prelude::*;
///
/// proptest!(|(bytes in generate::valid::<Joint>(generate::Config::default()))| {
///     prop_assert_eq!(bytes.len(), 66);
/// });
/// # }
/// ```
pub fn valid<T: Layout>(config: Config) -> impl Strategy<Value = Vec<u8>> {
    files(&T::TYPE, config)
}

/// Like [`valid`], but for a layout of a [format](crate::About::layouts), or the result of
/// [`bind`](crate::layout::declaration::bind).
///
/// ```
/// # #[cfg(feature = "mesh")] {
/// use meshspec::layout::generate::{Config, files};
/// use proptest::prelude::*;
///
/// let (_, layout) = meshspec::mesh::FORMAT.about().layouts()[0];
/// proptest!(ProptestConfig::with_cases(2), |(bytes in files(layout, Config::plausible()))| {
///     prop_assert!(meshspec::read(&bytes, &Default::default()).is_ok());
/// });
/// # }
/// ```
pub fn files(ty: &'static Type, config: Config) -> impl Strategy<Value = Vec<u8>> {
    FileStrategy { ty, config }
}

/// A strategy for the files of a type.
#[derive(Debug, Clone)]
pub(super) struct FileStrategy {
    pub ty: &'static Type,
    pub config: Config,
}

impl Strategy for FileStrategy {
    type Tree = FileTree;
    type Value = Vec<u8>;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<FileStrategy> {
        let numbers = vec(any::<u64>(), 0..=self.config.max_choices);
        loop {
            let numbers = numbers.new_tree(runner)?.current();
            if let Ok(best) = self.generate(Choices::sequence(&numbers)) {
                let (files, seen) = (self.clone(), HashSet::from([best.bytes.clone()]));
                let (next, round) = (NextStep::default(), 0);
                return Ok(FileTree {
                    files,
                    best,
                    candidate: None,
                    next,
                    round,
                    has_progress: false,
                    seen,
                });
            }
            runner.reject_local("a check or constraint over several values")?;
        }
    }
}

impl FileStrategy {
    fn generate(&self, choices: Choices) -> crate::Result<GeneratedFile> {
        let (bytes, trace) = generate(self.ty, choices, &self.config)?;
        Ok(GeneratedFile { bytes, trace })
    }
}

#[derive(Debug)]
struct GeneratedFile {
    bytes: Vec<u8>,
    trace: Trace,
}

/// The simplest failing file so far, and a simpler candidate.
#[derive(Debug)]
pub(super) struct FileTree {
    files: FileStrategy,
    best: GeneratedFile,
    candidate: Option<GeneratedFile>,
    next: NextStep,
    round: usize,
    /// Whether the test failed with any candidate of this round.
    has_progress: bool,
    /// Files that need not be tried again.
    seen: HashSet<Vec<u8>>,
}

/// The next simplification. All lists of the file are simplified before the other choices.
#[derive(Debug, Default)]
struct NextStep {
    list: usize,
    choice: usize,
    /// The index of the next reduction of the list or choice.
    reduction: usize,
}

impl FileTree {
    /// Proposes the next new candidate; returns `false` if no candidate is left.
    fn propose(&mut self) -> bool {
        while self.round < MAX_ROUNDS {
            let Trace { choices, lists } = &self.best.trace;
            let next = &mut self.next;
            let candidate = match (lists.get(next.list), choices.get(next.choice)) {
                (Some(list), _) => remove_items(&self.best.trace, list, next.reduction),
                (None, Some(_)) => reduce_choice(&self.best.trace, next.choice, next.reduction),
                (None, None) if self.has_progress => {
                    (self.round, self.has_progress, self.next) =
                        (self.round + 1, false, NextStep::default());
                    continue;
                }
                (None, None) => break,
            };
            match candidate {
                Reduction::Unchanged => next.reduction += 1,
                Reduction::Changed(choices) => {
                    if let Ok(file) = self.files.generate(Choices::replay_by_path(&choices))
                        && self.seen.insert(file.bytes.clone())
                    {
                        self.candidate = Some(file);
                        return true;
                    }
                    next.reduction += 1;
                }
                Reduction::Exhausted => {
                    next.reduction = 0;
                    *(if next.list < lists.len() {
                        &mut next.list
                    } else {
                        &mut next.choice
                    }) += 1;
                }
            }
        }
        false
    }
}

/// The result of a simplification.
enum Reduction {
    Changed(Vec<Choice>),
    /// The same choices as before.
    Unchanged,
    /// No simplifications are left.
    Exhausted,
}

/// Returns simplification number `index` of a list. The first four keep only the first items; each of the others
/// removes one item, starting with the last.
fn remove_items(trace: &Trace, list: &ListChoice, index: usize) -> Reduction {
    let items = trace.choices[list.choice_index].number;
    let first = [0, items / 2, items - items / 4, items - items / 16];
    match first.get(index) {
        Some(count) if *count == items => Reduction::Unchanged,
        Some(count) => Reduction::Changed(trace.with_number(list.choice_index, *count)),
        None => match items.checked_sub((index - first.len()) as u64 + 1) {
            Some(item) => Reduction::Changed(trace.without_item(list, item)),
            None => Reduction::Exhausted,
        },
    }
}

fn reduce_choice(trace: &Trace, choice: usize, index: usize) -> Reduction {
    let number = trace.choices[choice].number;
    let less = match (
        SIMPLE_CHOICES.get(index),
        REDUCTIONS.get(index.saturating_sub(SIMPLE_CHOICES.len())),
    ) {
        (Some(simple), _) => number.min(*simple),
        (None, Some(less)) => less(number / 4) * 4 + number % 4,
        (None, None) => return Reduction::Exhausted,
    };
    if less == number {
        Reduction::Unchanged
    } else {
        Reduction::Changed(trace.with_number(choice, less))
    }
}

impl ValueTree for FileTree {
    type Value = Vec<u8>;

    fn current(&self) -> Vec<u8> {
        self.candidate.as_ref().unwrap_or(&self.best).bytes.clone()
    }

    /// Called if the test fails with the candidate: makes it the best file, and tries the same simplification again.
    fn simplify(&mut self) -> bool {
        if let Some(candidate) = self.candidate.take() {
            self.best = candidate;
            self.has_progress = true;
        }
        self.propose()
    }

    /// Called if the test passes with the candidate: proposes the next candidate, or else returns to the best file.
    fn complicate(&mut self) -> bool {
        if self.candidate.take().is_none() {
            return false;
        }
        self.next.reduction += 1;
        self.propose();
        true
    }
}
