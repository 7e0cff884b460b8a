//! A strategy for files that shrinks their content: lists to fewer items, values to simpler ones.

use std::collections::HashSet;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::{NewTree, ValueTree};
use proptest::test_runner::TestRunner;

use super::choices::{Choice, Choices, List, Trace};
use super::{Config, assembled, require_constraints};
use crate::layout::Layout;
use crate::layout::declaration::Type;

/// The maximum number of passes over a file, since a change can make an earlier one possible.
const MAX_ROUNDS: usize = 5;

/// The simplest choices: for an integer or a float, they yield 0, 1, 2 and the boundaries.
const SIMPLE: [u64; 15] = [0, 4, 1, 2, 3, 8, 5, 9, 13, 17, 21, 25, 29, 33, 37];

/// Ways to reduce a choice, the largest steps first. They keep its two lowest bits, which select the kind of
/// number.
const LESS: [fn(u64) -> u64; 9] = [
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

/// A strategy for files of a declared type. A failing file shrinks to the fewest items and the simplest values
/// with which the test still fails; the remaining values stay the same.
///
/// ```
/// use meshspec::layout::{Layout, generate};
/// use meshspec::mesh::schema::Joint;
/// use proptest::prelude::*;
///
/// proptest!(|(bytes in generate::valid::<Joint>(generate::Config::default()))| {
///     prop_assert_eq!(bytes.len(), 66);
/// });
/// ```
pub fn valid<T: Layout>(config: Config) -> impl Strategy<Value = Vec<u8>> {
    files(&T::TYPE, config)
}

/// As [`valid`], but for a layout: one of a [format](crate::About::layouts), or the result of
/// [`bind`](crate::layout::declaration::bind).
pub fn files(ty: &'static Type, config: Config) -> impl Strategy<Value = Vec<u8>> {
    Files { ty, config }
}

/// A strategy for the files of a type.
#[derive(Debug, Clone)]
pub(super) struct Files {
    pub ty: &'static Type,
    pub config: Config,
}

impl Strategy for Files {
    type Tree = Tree;
    type Value = Vec<u8>;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Files> {
        let numbers = vec(any::<u64>(), 0..=self.config.max_choices);
        loop {
            let numbers = numbers.new_tree(runner)?.current();
            if let Ok(best) = self.file(Choices::sequence(&numbers)) {
                let seen = HashSet::from([best.bytes.clone()]);
                let (next, files) = (Next::default(), self.clone());
                return Ok(Tree { files, best, candidate: None, next, round: 0, has_progress: false, seen });
            }
            runner.reject_local("a check or constraint over several values")?;
        }
    }
}

impl Files {
    fn file(&self, choices: Choices) -> crate::Result<File> {
        let (bytes, trace) = assembled(self.ty, choices, &self.config)?;
        require_constraints(self.ty, &bytes, &self.config)?;
        Ok(File { bytes, trace })
    }
}

#[derive(Debug)]
struct File {
    bytes: Vec<u8>,
    trace: Trace,
}

/// The simplest failing file so far, and a simpler candidate.
#[derive(Debug)]
pub(super) struct Tree {
    files: Files,
    best: File,
    candidate: Option<File>,
    next: Next,
    round: usize,
    /// Whether any candidate of this round failed.
    has_progress: bool,
    /// Files that need not be tried again.
    seen: HashSet<Vec<u8>>,
}

/// The next simplification: each list of the file, then each choice. Everything before it in the file keeps its
/// choices.
#[derive(Debug, Default)]
struct Next {
    list: usize,
    choice: usize,
    /// The index of the way to simplify it.
    way: usize,
}

impl Tree {
    /// Proposes the next new candidate; returns `false` if there is none.
    fn propose(&mut self) -> bool {
        while self.round < MAX_ROUNDS {
            let Trace { choices, lists } = &self.best.trace;
            let next = &mut self.next;
            let candidate = match (lists.get(next.list), choices.get(next.choice)) {
                (Some(list), _) => fewer_items(&self.best.trace, list, next.way),
                (None, Some(_)) => less(&self.best.trace, next.choice, next.way),
                (None, None) if self.has_progress => {
                    (self.round, self.has_progress, self.next) = (self.round + 1, false, Next::default());
                    continue;
                }
                (None, None) => break,
            };
            match candidate {
                Way::Same => next.way += 1,
                Way::Choices(choices) => {
                    if let Ok(file) = self.files.file(Choices::of_values(&choices))
                        && self.seen.insert(file.bytes.clone())
                    {
                        self.candidate = Some(file);
                        return true;
                    }
                    next.way += 1;
                }
                Way::End => {
                    next.way = 0;
                    *(if next.list < lists.len() { &mut next.list } else { &mut next.choice }) += 1;
                }
            }
        }
        false
    }
}

/// The result of a simplification.
enum Way {
    Choices(Vec<Choice>),
    /// The same choices as before.
    Same,
    /// There are no more ways.
    End,
}

/// Keeps only the first items, then removes single items.
fn fewer_items(trace: &Trace, list: &List, way: usize) -> Way {
    let items = trace.choices[list.count].number;
    let first = [0, items / 2, items - items / 4, items - items / 16];
    match first.get(way) {
        Some(count) if *count == items => Way::Same,
        Some(count) => Way::Choices(trace.with(list.count, *count)),
        None => match items.checked_sub((way - first.len()) as u64 + 1) {
            Some(item) => Way::Choices(trace.without_item(list, item)),
            None => Way::End,
        },
    }
}

/// Reduces a choice.
fn less(trace: &Trace, choice: usize, way: usize) -> Way {
    let number = trace.choices[choice].number;
    let less = match (SIMPLE.get(way), LESS.get(way.saturating_sub(SIMPLE.len()))) {
        (Some(simple), _) => number.min(*simple),
        (None, Some(less)) => less(number / 4) * 4 + number % 4,
        (None, None) => return Way::End,
    };
    if less == number { Way::Same } else { Way::Choices(trace.with(choice, less)) }
}

impl ValueTree for Tree {
    type Value = Vec<u8>;

    fn current(&self) -> Vec<u8> {
        self.candidate.as_ref().unwrap_or(&self.best).bytes.clone()
    }

    /// The test fails with the candidate, which becomes the best file; the same way is tried again.
    fn simplify(&mut self) -> bool {
        if let Some(candidate) = self.candidate.take() {
            self.best = candidate;
            self.has_progress = true;
        }
        self.propose()
    }

    /// The test passes with the candidate; proposes the next one, or else returns to the best file.
    fn complicate(&mut self) -> bool {
        if self.candidate.take().is_none() {
            return false;
        }
        self.next.way += 1;
        self.propose();
        true
    }
}
