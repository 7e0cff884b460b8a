//! Draws mutated files and shrinks them: to fewer mutations, simpler mutations, a smaller file.

use std::fmt;

use proptest::prelude::*;
use proptest::strategy::{NewTree, ValueTree};
use proptest::test_runner::{Reason, TestRunner};

use super::Mutated;
use super::mutation::{Mutation, NUMBERS};

/// The maximum number of mutations of a file.
const MAX_MUTATIONS: usize = 4;

/// The maximum number of draws for a mutation that changes the file.
const MAX_DRAWS: usize = 8;

/// Mutations of the files of a strategy.
#[derive(Debug, Clone)]
pub(super) struct Mutations<S> {
    pub files: S,
}

impl<S: Strategy<Value = Vec<u8>>> Strategy for Mutations<S> {
    type Tree = Tree<S::Tree>;
    type Value = Mutated;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let files = self.files.new_tree(runner)?;
        let other = self.files.new_tree(runner)?.current();
        let best = mutate(runner, files.current(), &other)?;
        Ok(Tree { files, best, candidate: None, next: Next::Without(0), from_end: false, is_smallest: false })
    }
}

/// Draws one to four mutations of a file; `other` is the file to splice with.
pub(crate) fn mutate(runner: &mut TestRunner, file: Vec<u8>, other: &[u8]) -> Result<Mutated, Reason> {
    let count = (1..=MAX_MUTATIONS).new_tree(runner)?.current();
    let (mut bytes, mut mutations) = (file.clone(), Vec::new());
    for _ in 0..count {
        let mutation = draw(runner, &bytes, other)?;
        mutation.apply(&mut bytes);
        mutations.push(mutation);
    }
    Ok(Mutated { bytes, file, mutations })
}

/// Draws a mutation that changes these bytes.
fn draw(runner: &mut TestRunner, bytes: &[u8], other: &[u8]) -> Result<Mutation, Reason> {
    for _ in 0..MAX_DRAWS {
        let numbers = any::<[u64; NUMBERS]>().new_tree(runner)?.current();
        let mutation = Mutation::draw(numbers, bytes, other);
        let mut mutated = bytes.to_vec();
        mutation.apply(&mut mutated);
        if mutated != bytes {
            return Ok(mutation);
        }
    }
    Ok(Mutation::Insert { at: bytes.len(), bytes: vec![0] })
}

/// The simplest failing case so far, and a simpler candidate.
pub(super) struct Tree<T> {
    files: T,
    best: Mutated,
    candidate: Option<Mutated>,
    next: Next,
    /// Whether the mutations of a smaller file keep their distance from its end.
    from_end: bool,
    /// Whether the file is fully shrunk.
    is_smallest: bool,
}

impl<T> fmt::Debug for Tree<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tree").field(&self.best).finish()
    }
}

/// The next simplification. Mutations are simplified before and after the file is shrunk.
#[derive(Debug, Clone, Copy)]
enum Next {
    /// Removes the mutation at this index.
    Without(usize),
    /// Simplifies a mutation: its index, and the index of the simpler one.
    Simpler(usize, usize),
    /// Shrinks the file.
    File,
}

impl<T: ValueTree<Value = Vec<u8>>> Tree<T> {
    /// Proposes the next candidate; returns `false` if there is none.
    fn propose(&mut self) -> bool {
        loop {
            let mut mutations = self.best.mutations.clone();
            match self.next {
                Next::Without(index) if index < mutations.len() => {
                    mutations.remove(index);
                }
                Next::Without(_) => {
                    self.next = Next::Simpler(0, 0);
                    continue;
                }
                Next::Simpler(index, way) => {
                    let count = mutations.len();
                    let (before, after) = mutations.split_at_mut(index.min(count));
                    match after.first_mut() {
                        Some(mutation) => {
                            let size = Mutated::new(self.best.file.clone(), before.to_vec()).bytes.len();
                            let Some(simpler) = mutation.simpler(size).into_iter().nth(way) else {
                                self.next = Next::Simpler(index + 1, 0);
                                continue;
                            };
                            *mutation = simpler;
                        }
                        None if self.is_smallest => return false,
                        None => {
                            self.next = Next::File;
                            continue;
                        }
                    }
                }
                Next::File if self.files.simplify() => {
                    self.from_end = false;
                    self.propose_file();
                    return true;
                }
                Next::File => {
                    self.is_smallest = true;
                    self.next = Next::Without(0);
                    continue;
                }
            }
            self.candidate = Some(Mutated::new(self.best.file.clone(), mutations));
            return true;
        }
    }

    /// Proposes the current file of the strategy, with the same mutations.
    fn propose_file(&mut self) {
        let (old, file) = (self.best.file.len(), self.files.current());
        let moved = |mutation: &Mutation| match self.from_end {
            true => mutation.moved_with_end(old, file.len()),
            false => mutation.clone(),
        };
        let mutations = self.best.mutations.iter().map(moved).collect();
        self.candidate = Some(Mutated::new(file, mutations));
    }
}

impl<T: ValueTree<Value = Vec<u8>>> ValueTree for Tree<T> {
    type Value = Mutated;

    fn current(&self) -> Mutated {
        self.candidate.as_ref().unwrap_or(&self.best).clone()
    }

    /// The test fails with the candidate, which becomes the best case.
    fn simplify(&mut self) -> bool {
        if let Some(candidate) = self.candidate.take() {
            self.best = candidate;
            if let Next::Simpler(_, way) = &mut self.next {
                *way = 0;
            }
        }
        self.propose()
    }

    /// The test passes with the candidate; proposes the next one, or else returns to the best case.
    fn complicate(&mut self) -> bool {
        if self.candidate.take().is_none() {
            return false;
        }
        match &mut self.next {
            Next::Without(index) => *index += 1,
            Next::Simpler(_, way) => *way += 1,
            Next::File if !self.from_end => {
                self.from_end = true;
                self.propose_file();
                return true;
            }
            Next::File if self.files.complicate() => {
                self.from_end = false;
                self.propose_file();
                return true;
            }
            Next::File => {
                self.is_smallest = true;
                self.next = Next::Without(0);
            }
        }
        self.propose();
        true
    }
}
