//! Values that are left out, and what they follow from.
//!
//! Assembling takes as many passes as it needs: what one pass finds out is known to the next. Where nothing is left out,
//! there is one.

use std::collections::{HashMap, HashSet};

use super::frame::Frame;
use super::place::{Chunk, Placement};
use super::solve::{equation, solve};
use super::{Source, output::Output};
use crate::layout::walk::Segment;
use crate::layout::{Checksum, Expr};
use crate::{Error, Result};

type Path = Vec<Segment>;

/// What is known of values that are left out.
#[derive(Default)]
pub(super) struct Known {
    /// Whether values that are given are computed anew where others contradict them.
    recounts: bool,
    computed: HashMap<Path, i128>,
    placement: Placement,
    /// Which of the computed ones are checksums.
    checked: HashSet<Path>,
    /// Of this pass: what is neither given nor known.
    missing: HashSet<Path>,
    first_missing: Option<Path>,
    constraints: Vec<Constraint>,
    /// Checksums and the fields that they belong in.
    checksums: Vec<(Path, i128)>,
}

/// An expression whose value follows from what was written.
struct Constraint {
    /// What was written: a list, a block.
    path: Path,
    what: &'static str,
    target: i128,
    holds: bool,
    /// What the expression depends on, each with the number that would make it hold.
    leaves: Vec<(Path, Option<i128>)>,
}

impl Known {
    pub(super) fn new(recounts: bool, alignment: u64) -> Known {
        Known { recounts, placement: Placement::new(alignment), ..Known::default() }
    }

    /// Whether an earlier pass found out anything.
    pub(super) fn is_empty(&self) -> bool {
        self.computed.is_empty()
    }

    /// The number that was found out in an earlier pass.
    pub(super) fn computed(&self, path: &[Segment]) -> Option<i128> {
        if self.is_empty() { None } else { self.computed.get(path).copied() }
    }

    /// Notes that a value is left out and nothing is known of it yet.
    pub(super) fn miss(&mut self, path: &[Segment]) {
        self.first_missing.get_or_insert_with(|| path.to_vec());
        self.missing.insert(path.to_vec());
    }

    /// Whether something is left out that is not known yet, so that what is written now is not final.
    pub(super) fn is_incomplete(&self) -> bool {
        !self.missing.is_empty()
    }

    pub(super) fn is_missing(&self, path: &[Segment]) -> bool {
        self.missing.contains(path)
    }

    /// Notes that `expr` must be `target`, as `what` of the value at `path` is.
    pub(super) fn require(
        &mut self,
        expr: &Expr,
        target: u64,
        what: &'static str,
        frame: &Frame,
        path: &[Segment],
    ) {
        let target = i128::from(target);
        let found = frame.int(expr);
        // What is given stands, unless everything is to be counted anew.
        if found.is_some() && !self.recounts && self.computed.is_empty() {
            return;
        }
        self.add(expr, target, found == Some(target), what, frame, path);
    }

    /// Notes that a condition must be `truth`.
    pub(super) fn require_truth(&mut self, condition: &Expr, truth: bool, frame: &Frame, path: &[Segment]) {
        let found = frame.truth(condition);
        if found.is_some() && !self.recounts {
            return;
        }
        if let Some((expr, target)) = equation(condition, truth, frame) {
            self.add(&expr, target, found == Some(truth), "condition", frame, path);
        }
    }

    /// Notes the checksum of packed bytes, unless it is given that there is none.
    pub(super) fn require_checksum(
        &mut self,
        checksum: &Checksum,
        packed: &[u8],
        frame: &Frame,
        path: &[Segment],
    ) {
        let found = frame.int(&checksum.stored);
        if found.is_some_and(|found| found == 0 || (!self.recounts && self.is_empty())) {
            return;
        }
        let arguments = checksum.arguments.iter().map(|argument| argument.eval(&frame.scope));
        let (Ok(arguments), [leaf]) =
            (arguments.collect::<Result<Vec<_>, _>>(), &frame.leaves_of(&checksum.stored, path)[..])
        else {
            return;
        };
        let computed = (checksum.function.compute)(packed, &arguments);
        if found != Some(computed.into()) {
            self.checksums.push((leaf.clone(), computed.into()));
        }
    }

    fn add(
        &mut self,
        expr: &Expr,
        target: i128,
        holds: bool,
        what: &'static str,
        frame: &Frame,
        path: &[Segment],
    ) {
        let leaves = frame.leaves_of(expr, path).into_iter();
        let leaves = leaves.map(|leaf| {
            let number = solve(expr, target, &leaf, frame, path);
            (leaf, number)
        });
        let leaves = leaves.collect();
        self.constraints.push(Constraint { path: path.to_vec(), what, target, holds, leaves });
    }

    /// Where the field at this path is to lie, if an earlier pass found a place.
    pub(super) fn place_of(&self, path: &[Segment]) -> Option<u64> {
        self.placement.place_of(path)
    }

    /// Notes a field with a position of its own.
    pub(super) fn add_chunk(&self, chunk: Chunk, out: &mut Output) {
        if self.recounts || chunk.at.is_none() {
            out.chunks.push(chunk);
        }
    }

    /// Finds places for the fields of a file or block that is complete.
    pub(super) fn place(&mut self, out: &Output) {
        self.placement.place(&out.chunks, out.len());
    }

    /// Where bytes that no field covers lie now.
    pub(super) fn moved(&self, offset: u64) -> u64 {
        self.placement.moved(offset)
    }

    /// Draws conclusions from a pass: whether another one is needed.
    ///
    /// # Errors
    ///
    /// If a value is left out and nothing says what it is.
    pub(super) fn conclude(&mut self, source: &impl Source) -> Result<bool> {
        let missing = std::mem::take(&mut self.missing);
        let first_missing = self.first_missing.take();
        let constraints = std::mem::take(&mut self.constraints);
        let checksums = std::mem::take(&mut self.checksums);
        let before = self.computed.len();
        let mut settled = HashSet::new();
        for constraint in constraints.iter().filter(|constraint| constraint.leaves.len() == 1) {
            let (leaf, number) = &constraint.leaves[0];
            if constraint.holds {
                settled.insert(leaf.clone());
            } else if let (true, Some(number)) = (self.is_free(leaf, &missing, source), number) {
                self.computed.insert(leaf.clone(), *number);
            }
        }
        if self.computed.len() > before {
            return Ok(true);
        }
        for constraint in constraints.iter().filter(|c| c.leaves.len() > 1 && !c.holds) {
            let free = constraint
                .leaves
                .iter()
                .filter(|(leaf, _)| !settled.contains(leaf) && self.is_free(leaf, &missing, source));
            if let [(leaf, Some(number))] = free.collect::<Vec<_>>()[..] {
                self.computed.insert(leaf.clone(), *number);
            }
        }
        if self.computed.len() > before || self.placement.goes_on() {
            return Ok(true);
        }
        // Of bytes that are final. One may depend on another.
        for (leaf, checksum) in checksums {
            let is_own = self.checked.contains(&leaf);
            if is_own || self.is_free(&leaf, &missing, source) {
                self.computed.insert(leaf.clone(), checksum);
                self.checked.insert(leaf);
                return Ok(true);
            }
        }
        if let Some(path) = first_missing {
            return Err(Error::inexpressible("is left out, and nothing says what it is").at(path.as_slice()));
        }
        let contradicted = constraints.iter().find(|constraint| {
            let is_computed = |(leaf, _): &(Path, _)| self.computed.contains_key(leaf);
            !constraint.holds && !self.recounts && constraint.leaves.iter().all(is_computed)
        });
        match contradicted {
            Some(Constraint { path, what, target, .. }) => {
                let message = format!("its {what} is {target}, which contradicts others that say the same");
                Err(Error::inexpressible(message).at(path.as_slice()))
            }
            None => Ok(false),
        }
    }

    fn is_free(&self, leaf: &Path, missing: &HashSet<Path>, source: &impl Source) -> bool {
        let replaces = self.recounts && !source.is_fixed(leaf);
        !self.computed.contains_key(leaf) && (missing.contains(leaf) || replaces)
    }
}
