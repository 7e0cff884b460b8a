//! A strategy for files that shrinks what they hold: lists to fewer items, values to simpler ones.

use std::collections::HashSet;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::{NewTree, ValueTree};
use proptest::test_runner::TestRunner;

use super::choices::{Choice, Choices, List, Trace};
use super::{Config, assembled, require_constraints};
use crate::layout::declaration::Type;

/// How often a file is gone through from its beginning at most: what was in the way may be gone.
const MAX_ROUNDS: usize = 5;

/// The simplest numbers: of an integer or a float they are 0, 1, 2 and the boundaries.
const SIMPLE: [u64; 15] = [0, 4, 1, 2, 3, 8, 5, 9, 13, 17, 21, 25, 29, 33, 37];

/// Ways to make a number less, by much at first. They leave the two lowest bits, which say what sort of number it is.
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

/// Files of a type.
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

/// The simplest file so far that a test fails with, and one that is simpler yet, to be tried.
#[derive(Debug)]
pub(super) struct Tree {
    files: Files,
    best: File,
    candidate: Option<File>,
    next: Next,
    round: usize,
    /// Whether anything helped in this round.
    has_progress: bool,
    /// What need not be tried again.
    seen: HashSet<Vec<u8>>,
}

/// What to make simpler next: each list of the file, then each choice. What comes before it in the file stays as it is, so
/// that it keeps its number.
#[derive(Debug, Default)]
struct Next {
    list: usize,
    choice: usize,
    /// Which of the ways to make it simpler.
    way: usize,
}

impl Tree {
    /// Goes on to the next candidate, if there is one: a file that was not tried yet.
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

/// What a way to make something simpler leads to.
enum Way {
    Choices(Vec<Choice>),
    /// To what there is already.
    Same,
    /// There are no more ways.
    End,
}

/// Only the first items, then all but one.
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

/// A number that is less.
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

    /// The test fails with the candidate as well: it is the best now, and what made it is tried again.
    fn simplify(&mut self) -> bool {
        if let Some(candidate) = self.candidate.take() {
            self.best = candidate;
            self.has_progress = true;
        }
        self.propose()
    }

    /// The test passes with the candidate: the next is proposed, or else the best comes back.
    fn complicate(&mut self) -> bool {
        if self.candidate.take().is_none() {
            return false;
        }
        self.next.way += 1;
        self.propose();
        true
    }
}
