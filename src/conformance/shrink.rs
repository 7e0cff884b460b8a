//! Shrinks files on which a loader disagrees.

use proptest::strategy::ValueTree;

use super::disagreement::{Cause, Disagreement};
use super::files::{FileChange, TestFile};
use super::run::{SmallestCase, TestRun};
use crate::Format;

/// The maximum number of simplifications to try per disagreement.
const MAX_RUNS: usize = 2000;

/// Shrinks a file while the loader disagrees for the same cause. Returns the disagreement about the smallest file.
pub(super) fn shrink_disagreement<D: Format>(
    run: &mut TestRun<'_, D>,
    cause: &Cause,
    smallest: SmallestCase,
) -> Disagreement {
    let SmallestCase { case, disagreement } = smallest;
    let file_change = disagreement.file_change;
    let mut shrinker = Shrinker {
        run,
        cause,
        files: disagreement.files,
        best: disagreement,
    };
    let runs = match file_change {
        FileChange::Mutated(number) => shrinker.run.files.mutated(case, number).map(|mut tree| {
            shrink(&mut tree, |mutated| {
                shrinker.try_file(TestFile::mutated(mutated, number))
            })
        }),
        _ => shrinker.run.files.valid(case).map(|mut tree| {
            shrink(&mut tree, |file| {
                let files = shrinker.run.files.derive_with(&file, file_change);
                files.into_iter().any(|file| shrinker.try_file(file))
            })
        }),
    };
    Disagreement {
        runs: runs.unwrap_or_default(),
        ..shrinker.best
    }
}

/// Searches for the smallest file on which the loader disagrees for the same cause.
struct Shrinker<'s, 'r, D> {
    run: &'s mut TestRun<'r, D>,
    cause: &'s Cause,
    files: usize,
    best: Disagreement,
}

impl<D: Format> Shrinker<'_, '_, D> {
    /// Returns `true` if the loader disagrees about a file for the same cause. Keeps the smallest of these files.
    fn try_file(&mut self, file: TestFile) -> bool {
        let outcome = self
            .run
            .judge(file)
            .and_then(|outcome| outcome.disagreement);
        let Some(disagreement) = outcome.filter(|other| other.cause() == *self.cause) else {
            return false;
        };
        if disagreement.sort_key() <= self.best.sort_key() {
            self.best = Disagreement {
                files: self.files,
                ..disagreement
            };
        }
        true
    }
}

/// Searches for the simplest value for which `fails` returns `true`. Returns the number of values tried.
fn shrink<T: ValueTree>(tree: &mut T, mut fails: impl FnMut(T::Value) -> bool) -> usize {
    let (mut runs, mut has_failed) = (0, true);
    while runs < MAX_RUNS
        && if has_failed {
            tree.simplify()
        } else {
            tree.complicate()
        }
    {
        has_failed = fails(tree.current());
        runs += 1;
    }
    runs
}
