//! Values that are left out, and what they follow from.
//!
//! Assembling takes as many passes as it needs: what one pass finds out is known to the next. Where nothing is left out,
//! there is one.

use std::collections::{HashMap, HashSet};

use super::frame::Frame;
use super::output::Output;
use super::place::{Chunk, Placement};
use super::solve::{equation, solve};
use super::source::Source;
use crate::layout::reach::Names;
use crate::layout::walk::{Segment, path_text};
use crate::layout::wording::readable;
use crate::layout::{Checksum, Expr};
use crate::{Error, Result};

type Path = Vec<Segment>;

/// What of a field says whether it is there, or right.
const CONDITION: &str = "condition";

/// What is known of values that are left out.
#[derive(Default)]
pub(super) struct Known {
    /// Whether values that are given are computed anew where others contradict them.
    recounts: bool,
    computed: HashMap<Path, Computed>,
    placement: Placement,
    pass: Pass,
}

/// What one pass finds out.
#[derive(Default)]
struct Pass {
    /// What is neither given nor known.
    missing: HashSet<Path>,
    first_missing: Option<Path>,
    constraints: Vec<Constraint>,
    /// What a constraint that depends on nothing else says already.
    settled: HashSet<Path>,
    /// What was computed, or found to be as computed before.
    decided: HashSet<Path>,
    /// Checksums and the fields that they belong in.
    checksums: Vec<(Path, i128)>,
    /// The first value that is given, but by its condition is not there.
    refused: Option<(Path, Expr)>,
}

/// A value that was computed.
struct Computed {
    number: i128,
    /// What it follows from: only that can revise it.
    from: Origin,
}

#[derive(Clone, PartialEq)]
enum Origin {
    Checksum,
    /// The path of what was written, and what of it counts.
    Constraint(Path, &'static str),
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

    /// A pass begins.
    pub(super) fn begin(&mut self) {
        self.pass = Pass::default();
    }

    /// Whether an earlier pass found out anything.
    pub(super) fn is_empty(&self) -> bool {
        self.computed.is_empty()
    }

    /// The number that was found out in an earlier pass.
    pub(super) fn computed(&self, path: &[Segment]) -> Option<i128> {
        if self.is_empty() { None } else { self.computed.get(path).map(|computed| computed.number) }
    }

    /// Notes that a value is left out and nothing is known of it yet.
    pub(super) fn miss(&mut self, path: &[Segment]) {
        self.pass.first_missing.get_or_insert_with(|| path.to_vec());
        self.pass.missing.insert(path.to_vec());
    }

    /// Whether something is left out that is not known yet, so that what is written now is not final.
    pub(super) fn is_incomplete(&self) -> bool {
        !self.pass.missing.is_empty()
    }

    pub(super) fn is_missing(&self, path: &[Segment]) -> bool {
        self.pass.missing.contains(path)
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
        if found.is_some() && !self.recounts && self.is_empty() {
            return;
        }
        self.add(expr, target, found == Some(target), what, frame, path);
    }

    /// Notes that a condition must be `truth`.
    pub(super) fn require_truth(&mut self, condition: &Expr, truth: bool, frame: &Frame, path: &[Segment]) {
        let found = frame.truth(condition);
        if found.is_some() && !self.recounts && self.is_empty() {
            return;
        }
        if let Some((expr, target)) = equation(condition, truth, frame) {
            self.add(&expr, target, found == Some(truth), CONDITION, frame, path);
        }
    }

    /// Notes that a value is given whose condition says that it is not there.
    pub(super) fn refuse(&mut self, condition: &Expr, path: &[Segment]) {
        self.pass.refused.get_or_insert_with(|| (path.to_vec(), *condition));
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
            self.pass.checksums.push((leaf.clone(), computed.into()));
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
        self.pass.constraints.push(Constraint { path: path.to_vec(), what, target, holds, leaves });
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

    /// Draws conclusions from what a pass has written, in whole or up to an error: whether it found out anything.
    pub(super) fn solve(&mut self, source: &impl Source) -> bool {
        let mut constraints = std::mem::take(&mut self.pass.constraints);
        // What depends on one value says what that is; a condition often leaves it open.
        constraints.sort_by_key(|constraint| (constraint.leaves.len() > 1, constraint.what == CONDITION));
        let several = constraints.partition_point(|constraint| constraint.leaves.len() <= 1);
        let mut conclude = |constraints: &[Constraint]| {
            let mut has_news = false;
            for constraint in constraints {
                has_news |= self.conclude(constraint, source);
            }
            has_news
        };
        let has_news = conclude(&constraints[..several]) || conclude(&constraints[several..]);
        self.pass.constraints = constraints;
        has_news
    }

    /// Computes the value that makes a constraint hold, if only one can: whether that is new.
    fn conclude(&mut self, constraint: &Constraint, source: &impl Source) -> bool {
        let Constraint { path, what, leaves, holds, .. } = constraint;
        let from = Origin::Constraint(path.clone(), what);
        let is_own = |leaf: &Path| self.computed.get(leaf).is_some_and(|computed| computed.from == from);
        let own = leaves.iter().find(|(leaf, _)| is_own(leaf));
        if *holds {
            if let [(leaf, _)] = &leaves[..] {
                self.pass.decided.extend(own.map(|_| leaf.clone()));
                self.pass.settled.insert(leaf.clone());
            }
            return false;
        }
        let is_open = |leaf: &Path| leaves.len() == 1 || !self.pass.settled.contains(leaf);
        let free = leaves.iter().filter(|(leaf, _)| is_open(leaf) && self.is_free(leaf, source));
        let candidates = own.map_or_else(|| free.collect(), |own| vec![own]);
        let [(leaf, Some(number))] = candidates[..] else { return false };
        let is_known = self.computed.get(leaf).is_some_and(|computed| computed.number == *number);
        if is_known || !self.pass.decided.insert(leaf.clone()) {
            return false;
        }
        self.pass.settled.insert(leaf.clone());
        self.computed.insert(leaf.clone(), Computed { number: *number, from });
        true
    }

    /// Draws conclusions from a whole pass in which everything else was known: whether another one is needed.
    ///
    /// # Errors
    ///
    /// If a value is left out and nothing says what it is, or several say so; or if what is counted anew contradicts
    /// itself.
    pub(super) fn complete(&mut self, source: &impl Source) -> Result<bool> {
        if self.placement.goes_on() || self.sum(source) {
            return Ok(true);
        }
        if let Some(path) = &self.pass.first_missing {
            return Err(Error::inexpressible("is left out, and nothing says what it is").at(path.as_slice()));
        }
        if let Some((path, condition)) = self.pass.refused.as_ref().filter(|_| self.recounts) {
            let condition = readable(condition, &Names::default());
            let message = format!("is given, but its condition `{condition}` does not hold");
            return Err(Error::inexpressible(message).at(path.as_slice()));
        }
        self.contradiction(source).map_or(Ok(false), Err)
    }

    /// That a value follows from two others, which do not agree.
    fn contradiction(&self, source: &impl Source) -> Option<Error> {
        let is_told = |(leaf, _): &(Path, _)| {
            let is_computed = self.computed.contains_key(leaf);
            is_computed || (self.recounts && self.pass.settled.contains(leaf) && !source.is_fixed(leaf))
        };
        let mut contradicted = self.pass.constraints.iter().filter(|constraint| {
            let Constraint { holds, leaves, .. } = constraint;
            !holds && !leaves.is_empty() && leaves.iter().all(is_told)
        });
        let message = |constraint: &Constraint| {
            let Constraint { path, what, target, .. } = constraint;
            let message = match self.other_than(constraint) {
                Some((other, leaf)) => format!(
                    "its {what} is {target}, which contradicts the {} of {}, {}: both say what {} is",
                    other.what,
                    path_text(&other.path),
                    other.target,
                    path_text(leaf)
                ),
                // What is looked at ahead may not be known yet, and is as it is written.
                None if self.recounts => return None,
                None => format!("its {what} is {target}, which contradicts others that say the same"),
            };
            Some(Error::inexpressible(message).at(path.as_slice()))
        };
        contradicted.find_map(message)
    }

    /// A constraint that says what one of the values is that this one depends on, and that value.
    fn other_than(&self, constraint: &Constraint) -> Option<(&Constraint, &Path)> {
        self.pass.constraints.iter().find_map(|other| match &other.leaves[..] {
            [(told, _)] if other.holds && constraint.leaves.iter().any(|(leaf, _)| leaf == told) => {
                Some((other, told))
            }
            _ => None,
        })
    }

    /// Computes checksums of bytes that are final, but for other checksums: whether one is new.
    fn sum(&mut self, source: &impl Source) -> bool {
        let mut has_news = false;
        for (leaf, number) in std::mem::take(&mut self.pass.checksums) {
            let is_own = self.computed.get(&leaf).is_some_and(|computed| computed.from == Origin::Checksum);
            if is_own || self.is_free(&leaf, source) {
                self.computed.insert(leaf, Computed { number, from: Origin::Checksum });
                has_news = true;
            }
        }
        has_news
    }

    fn is_free(&self, leaf: &Path, source: &impl Source) -> bool {
        let replaces = self.recounts && !source.is_fixed(leaf);
        !self.computed.contains_key(leaf) && (self.pass.missing.contains(leaf) || replaces)
    }
}
