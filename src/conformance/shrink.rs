//! Shrinks files with disagreements.

use proptest::strategy::ValueTree;

use super::Subject;
use super::disagreement::{Cause, Disagreement};
use super::files::{Making, TestFile};
use super::run::{Found, Run};

/// The maximum number of simpler files tried per disagreement.
const MAX_RUNS: usize = 2000;

/// Returns the smallest file with the same disagreement.
pub(super) fn shrunk<S: Subject>(run: &mut Run<'_, S>, cause: &Cause, found: Found) -> Disagreement {
    let Found { case, disagreement } = found;
    let making = disagreement.making;
    let mut smallest = Smallest { run, cause, files: disagreement.files, best: disagreement };
    let runs = match making {
        Making::Mutated(number) => smallest.run.files.mutated(case, number).map(|mut tree| {
            shrink(&mut tree, |mutated| smallest.try_file(TestFile::mutated(mutated, number)))
        }),
        _ => smallest.run.files.valid(case).map(|mut tree| {
            shrink(&mut tree, |file| {
                let files = smallest.run.files.made_alike(&file, making);
                files.into_iter().any(|file| smallest.try_file(file))
            })
        }),
    };
    Disagreement { runs: runs.unwrap_or_default(), ..smallest.best }
}

struct Smallest<'s, 'r, S: Subject> {
    run: &'s mut Run<'r, S>,
    cause: &'s Cause,
    files: usize,
    best: Disagreement,
}

impl<S: Subject> Smallest<'_, '_, S> {
    /// Returns `true` if a file has the same disagreement. Keeps the smallest such file.
    fn try_file(&mut self, file: TestFile) -> bool {
        let judged = self.run.judge(file).and_then(|judged| judged.disagreement);
        let Some(disagreement) = judged.filter(|other| other.cause() == *self.cause) else { return false };
        if disagreement.order() <= self.best.order() {
            self.best = Disagreement { files: self.files, ..disagreement };
        }
        true
    }
}

/// Simplifies a value as long as `fails` returns `true` for simpler ones. Returns the number of simpler values tried.
fn shrink<T: ValueTree>(tree: &mut T, mut fails: impl FnMut(T::Value) -> bool) -> usize {
    let (mut runs, mut has_failed) = (0, true);
    while runs < MAX_RUNS && if has_failed { tree.simplify() } else { tree.complicate() } {
        has_failed = fails(tree.current());
        runs += 1;
    }
    runs
}
