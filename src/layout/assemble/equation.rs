//! Equations between written fields and stored values.

use super::leaf::{Cause, LeafId, Leaves, Origin};
use super::space::RegionId;
use crate::Error;
use crate::layout::expr::{BinaryOp, UnaryOp};
use crate::layout::program::{Cell, Code, Mark, Step, SumStep};
use crate::layout::walk::{Segment, path_text};

/// The property in an equation that follows from the presence of a field.
const CONDITION: &str = "condition";

/// The slots of a unit, captured for later.
#[derive(Clone)]
pub(super) struct Bound {
    cells: Vec<Cell>,
    origins: Vec<Origin>,
}

/// An expression whose value is known from the written bytes.
pub(super) struct Equation {
    /// The written field, its property and the number that `code` must yield.
    pub(super) cause: Cause,
    code: &'static Code,
    /// The condition and its required truth, if the equation follows from a condition.
    condition: Option<(&'static Code, bool)>,
    pub(super) slots: Bound,
    pub(super) leaves: Vec<LeafId>,
    /// Whether `code` depends on a value that is never recomputed.
    pub(super) has_fixed: bool,
    /// Whether exactly one value satisfies the equation. A quotient, or a condition such as `x != 0`, allows
    /// several.
    is_exact: bool,
}

/// A checksum to compute.
pub(super) struct Sum {
    pub(super) step: &'static SumStep,
    pub(super) path: Vec<Segment>,
    /// The start of the covered bytes.
    pub(super) start: (RegionId, u64),
    pub(super) size: u64,
    pub(super) leaf: LeafId,
    pub(super) slots: Bound,
}

/// A given field whose condition may not hold.
pub(super) struct Presence {
    pub(super) path: Vec<Segment>,
    pub(super) step: &'static Step,
    pub(super) slots: Bound,
}

impl Bound {
    pub(super) fn new((cells, origins): (&[Cell], &[Origin])) -> Bound {
        Bound { cells: cells.to_vec(), origins: origins.to_vec() }
    }

    /// Updates the slots and returns their values.
    pub(super) fn refresh(&mut self, leaves: &Leaves) -> &[Cell] {
        for (cell, origin) in self.cells.iter_mut().zip(&self.origins) {
            if let Some(value) = leaves.cell(*origin) {
                *cell = value;
            }
        }
        &self.cells
    }
}

impl Equation {
    /// Creates an equation; `None` if no value in it may change.
    pub(super) fn new(
        cause: Cause,
        code: &'static Code,
        slots: Bound,
        leaves: &mut Leaves,
    ) -> Option<Equation> {
        let (mut unknowns, mut has_fixed) = (Vec::new(), false);
        for origin in origins_of(code, &slots.origins) {
            has_fixed |= leaves.is_fixed(origin);
            if let Some(leaf) = leaves.at(origin)
                && !unknowns.contains(&leaf)
            {
                unknowns.push(leaf);
            }
        }
        let is_open = !unknowns.is_empty();
        let is_exact = is_exact(code);
        is_open.then_some(Equation {
            cause,
            code,
            condition: None,
            slots,
            leaves: unknowns,
            has_fixed,
            is_exact,
        })
    }

    /// Creates the equation that makes a condition hold or fail; `None` if no value may change or many would do.
    pub(super) fn of_condition(
        path: &[Segment],
        (condition, truth): (&'static Code, bool),
        slots: Bound,
        leaves: &mut Leaves,
    ) -> Option<Equation> {
        let (code, number, is_only) = as_equation(condition, truth, &slots.cells)?;
        let cause = Cause { path: path.to_vec(), what: CONDITION, number };
        let equation = Equation::new(cause, code, slots, leaves)?;
        let is_exact = is_only && equation.is_exact;
        Some(Equation { condition: Some((condition, truth)), is_exact, ..equation })
    }

    /// Returns `true` if the equation alone determines a value.
    pub(super) fn is_decisive(&self) -> bool {
        self.is_exact && !self.has_several()
    }

    /// Returns `true` if the equation depends on several values.
    pub(super) fn has_several(&self) -> bool {
        self.leaves.len() > 1 || self.has_fixed
    }

    pub(super) fn is_condition(&self) -> bool {
        self.condition.is_some()
    }

    /// Returns `true` if the current values satisfy the equation.
    pub(super) fn holds(&mut self, leaves: &Leaves) -> bool {
        let cells = self.slots.refresh(leaves);
        match self.condition {
            Some((condition, truth)) => condition.truth(cells) == Ok(truth),
            None => self.code.int(cells) == Ok(self.cause.number),
        }
    }

    /// Returns the number that a leaf needs to satisfy the equation; `None` if it cannot be computed.
    pub(super) fn solve(&self, leaf: LeafId, leaves: &Leaves) -> Option<i128> {
        let is_it = |code: &Code| leaves.find(Origin::of_argument(code, &self.slots.origins)) == Some(leaf);
        inverse(self.code, self.cause.number, &is_it, &self.slots.cells)
    }
}

/// Returns the origin of each stored value that an expression depends on.
pub(super) fn origins_of(code: &Code, origins: &[Origin]) -> Vec<Origin> {
    let mut found = Vec::new();
    code.visit(&mut |part| match part {
        Code::Slot(..) | Code::Bits(..) => found.push(Origin::of_argument(part, origins)),
        Code::Matches(slot, _) => found.push(origins[*slot as usize]),
        _ => {}
    });
    found
}

/// Returns `true` if distinct values yield distinct results.
fn is_exact(code: &Code) -> bool {
    let mut is_exact = true;
    code.visit(&mut |part| {
        is_exact &= match part {
            Code::Binary(op, _) => matches!(op, BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply),
            part => !matches!(part, Code::If(_) | Code::Matches(..)),
        }
    });
    is_exact
}

/// Returns the value of the operand that `is_it` selects, such that `code` yields `target`.
fn inverse(code: &Code, target: i128, is_it: &dyn Fn(&Code) -> bool, cells: &[Cell]) -> Option<i128> {
    match code {
        Code::Slot(..) | Code::Bits(..) => is_it(code).then_some(target),
        // Stored values fit the type before the cast.
        Code::Cast(a, _) => inverse(a, target, is_it, cells),
        Code::Binary(op, operands) => {
            let [a, b] = &**operands;
            match (contains(a, is_it), contains(b, is_it)) {
                (true, false) => inverse(a, left(*op, target, b.int(cells).ok()?)?, is_it, cells),
                (false, true) => inverse(b, right(*op, a.int(cells).ok()?, target)?, is_it, cells),
                _ => None,
            }
        }
        Code::If(parts) => {
            let [condition, a, b] = &**parts;
            let chosen = if condition.truth(cells).ok()? { a } else { b };
            inverse(chosen, target, is_it, cells)
        }
        Code::Unary(UnaryOp::Negate, a) => inverse(a, target.checked_neg()?, is_it, cells),
        _ => None,
    }
}

fn contains(code: &Code, is_it: &dyn Fn(&Code) -> bool) -> bool {
    let mut found = false;
    code.visit(&mut |part| found |= matches!(part, Code::Slot(..) | Code::Bits(..)) && is_it(part));
    found
}

/// Solves `x op b = target`.
fn left(op: BinaryOp, target: i128, b: i128) -> Option<i128> {
    match op {
        BinaryOp::Add => target.checked_sub(b),
        BinaryOp::Subtract => target.checked_add(b),
        BinaryOp::Multiply => (target.checked_rem(b)? == 0).then_some(target.checked_div(b)?),
        BinaryOp::Divide => target.checked_mul(b),
        _ => None,
    }
}

/// Solves `a op x = target`.
fn right(op: BinaryOp, a: i128, target: i128) -> Option<i128> {
    match op {
        BinaryOp::Add => target.checked_sub(a),
        BinaryOp::Subtract => a.checked_sub(target),
        BinaryOp::Multiply => left(op, target, a),
        _ => None,
    }
}

/// Converts a condition to an expression and a number that makes the condition `truth`. The flag is `true` if no
/// other number does. For `x != 0`, the number is 1.
fn as_equation(condition: &'static Code, truth: bool, cells: &[Cell]) -> Option<(&'static Code, i128, bool)> {
    match condition {
        Code::Unary(UnaryOp::Not, a) => as_equation(a, !truth, cells),
        Code::Slot(..) | Code::Bits(..) => Some((condition, truth.into(), true)),
        Code::Binary(op @ (BinaryOp::Equal | BinaryOp::NotEqual), operands) => {
            let [a, b] = &**operands;
            let number = b.int(cells).ok()?;
            match (*op == BinaryOp::Equal, truth) {
                (true, true) | (false, false) => Some((a, number, true)),
                (false, true) if number == 0 => Some((a, 1, false)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Describes the contradiction between an equation and the one that determined one of its values.
pub(super) fn contradiction(equation: &Equation, other: Option<(&Cause, &[Segment])>) -> Error {
    let Cause { path, what, number } = &equation.cause;
    let message = match other {
        Some((other, leaf)) => format!(
            "its {what} is {number}, which conflicts with the {} of {}, {}: both determine {}",
            other.what,
            path_text(&other.path),
            other.number,
            path_text(leaf)
        ),
        None => format!("its {what} is {number}, which conflicts with other values"),
    };
    Error::inexpressible(message).at(&path[..])
}
