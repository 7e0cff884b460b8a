//! Draws mutated files and shrinks them: to fewer mutations, simpler mutations, a smaller file.

use std::fmt;

use proptest::prelude::*;
use proptest::strategy::{NewTree, ValueTree};
use proptest::test_runner::{Reason, TestRunner};

use super::MutatedFile;
use super::mutation::{CHOICES_PER_MUTATION, Mutation};

/// The maximum number of mutations per file.
const MAX_MUTATIONS: usize = 4;

/// The maximum number of draws for a mutation that changes the file.
const MAX_DRAWS: usize = 8;

/// The strategy that [`mutations`](super::mutations()) returns: it mutates the files of another strategy.
#[derive(Debug, Clone)]
pub(super) struct Mutations<S> {
    pub files: S,
}

impl<S: Strategy<Value = Vec<u8>>> Strategy for Mutations<S> {
    type Tree = MutatedTree<S::Tree>;
    type Value = MutatedFile;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let files = self.files.new_tree(runner)?;
        let other = self.files.new_tree(runner)?.current();
        let best = mutate(runner, files.current(), &other)?;
        let next = NextStep::RemoveMutation(0);
        Ok(MutatedTree {
            files,
            best,
            candidate: None,
            next,
            anchors_to_end: false,
            is_smallest: false,
        })
    }
}

/// Draws one to four mutations of a file; `other` is the file to splice with.
pub(crate) fn mutate(
    runner: &mut TestRunner,
    file: Vec<u8>,
    other: &[u8],
) -> Result<MutatedFile, Reason> {
    let count = (1..=MAX_MUTATIONS).new_tree(runner)?.current();
    let (mut bytes, mut mutations) = (file.clone(), Vec::new());
    for _ in 0..count {
        let mutation = draw_mutation(runner, &bytes, other)?;
        mutation.apply(&mut bytes);
        mutations.push(mutation);
    }
    Ok(MutatedFile {
        bytes,
        file,
        mutations,
    })
}

/// Draws a mutation that changes `bytes`. If [`MAX_DRAWS`] mutations change nothing, returns one that appends a zero
/// byte.
fn draw_mutation(runner: &mut TestRunner, bytes: &[u8], other: &[u8]) -> Result<Mutation, Reason> {
    for _ in 0..MAX_DRAWS {
        let numbers = any::<[u64; CHOICES_PER_MUTATION]>()
            .new_tree(runner)?
            .current();
        let mutation = Mutation::draw(numbers, bytes, other);
        let mut mutated = bytes.to_vec();
        mutation.apply(&mut mutated);
        if mutated != bytes {
            return Ok(mutation);
        }
    }
    Ok(Mutation::Insert {
        at: bytes.len(),
        bytes: vec![0],
    })
}

/// The simplest failing case so far, and a simpler candidate.
pub(super) struct MutatedTree<T> {
    files: T,
    best: MutatedFile,
    candidate: Option<MutatedFile>,
    next: NextStep,
    /// Whether the mutations of a smaller file keep their distance from its end.
    anchors_to_end: bool,
    /// Whether the file is fully shrunk.
    is_smallest: bool,
}

impl<T> fmt::Debug for MutatedTree<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("MutatedTree").field(&self.best).finish()
    }
}

/// The next simplification. Mutations are simplified before and after the file is shrunk.
#[derive(Debug, Clone, Copy)]
enum NextStep {
    /// Removes the mutation at this index.
    RemoveMutation(usize),
    /// Simplifies the mutation at the first index; the second index is the index of the simpler mutation.
    SimplifyMutation(usize, usize),
    /// Shrinks the file.
    ShrinkFile,
}

impl<T: ValueTree<Value = Vec<u8>>> MutatedTree<T> {
    /// Proposes the next candidate; returns `false` if no candidate is left.
    fn propose(&mut self) -> bool {
        loop {
            let mut mutations = self.best.mutations.clone();
            match self.next {
                NextStep::RemoveMutation(index) if index < mutations.len() => {
                    mutations.remove(index);
                }
                NextStep::RemoveMutation(_) => {
                    self.next = NextStep::SimplifyMutation(0, 0);
                    continue;
                }
                NextStep::SimplifyMutation(index, way) if index < mutations.len() => {
                    let before = mutations[..index].to_vec();
                    let size = MutatedFile::new(self.best.file.clone(), before).bytes.len();
                    let Some(simpler) = mutations[index]
                        .simpler_mutations(size)
                        .into_iter()
                        .nth(way)
                    else {
                        self.next = NextStep::SimplifyMutation(index + 1, 0);
                        continue;
                    };
                    mutations[index] = simpler;
                }
                NextStep::SimplifyMutation(..) if self.is_smallest => return false,
                NextStep::SimplifyMutation(..) => {
                    self.next = NextStep::ShrinkFile;
                    continue;
                }
                NextStep::ShrinkFile if self.files.simplify() => return self.propose_file(false),
                NextStep::ShrinkFile => {
                    self.is_smallest = true;
                    self.next = NextStep::RemoveMutation(0);
                    continue;
                }
            }
            self.candidate = Some(MutatedFile::new(self.best.file.clone(), mutations));
            return true;
        }
    }

    /// Proposes the current file, with the mutations at the same distance from its start or end. Returns `true`.
    fn propose_file(&mut self, anchors_to_end: bool) -> bool {
        self.anchors_to_end = anchors_to_end;
        let (old, file) = (self.best.file.len(), self.files.current());
        let moved = |mutation: &Mutation| match anchors_to_end {
            true => mutation.moved_with_end(old, file.len()),
            false => mutation.clone(),
        };
        let mutations = self.best.mutations.iter().map(moved).collect();
        self.candidate = Some(MutatedFile::new(file, mutations));
        true
    }
}

impl<T: ValueTree<Value = Vec<u8>>> ValueTree for MutatedTree<T> {
    type Value = MutatedFile;

    fn current(&self) -> MutatedFile {
        self.candidate.as_ref().unwrap_or(&self.best).clone()
    }

    /// Called if the test fails with the candidate: makes it the best case, and proposes the next candidate.
    fn simplify(&mut self) -> bool {
        if let Some(candidate) = self.candidate.take() {
            self.best = candidate;
            if let NextStep::SimplifyMutation(_, way) = &mut self.next {
                *way = 0;
            }
        }
        self.propose()
    }

    /// Called if the test passes with the candidate: proposes the next candidate, or else returns to the best case.
    fn complicate(&mut self) -> bool {
        if self.candidate.take().is_none() {
            return false;
        }
        match &mut self.next {
            NextStep::RemoveMutation(index) => *index += 1,
            NextStep::SimplifyMutation(_, way) => *way += 1,
            NextStep::ShrinkFile if !self.anchors_to_end => return self.propose_file(true),
            NextStep::ShrinkFile if self.files.complicate() => return self.propose_file(false),
            NextStep::ShrinkFile => {
                self.is_smallest = true;
                self.next = NextStep::RemoveMutation(0);
            }
        }
        self.propose();
        true
    }
}
