//! Equations: expressions over stored values that must yield a property of a written field.

use super::sparse_buffer::RegionId;
use super::variable::{Cause, SlotOrigin, VariableId, Variables};
use crate::Error;
use crate::layout::program::{
    Cell, ChecksumStep, Code, SlotMark, Step, is_exact, solve_for, to_equation,
};
use crate::layout::walk::{Segment, path_text};

/// The [property](Cause::property) of equations that follow from a condition.
const CONDITION: &str = "condition";

/// A copy of a unit's slots, with their origins.
#[derive(Clone)]
pub(super) struct SlotSnapshot {
    cells: Vec<Cell>,
    origins: Vec<SlotOrigin>,
}

/// An expression over stored values, and the number that it must yield.
pub(super) struct Equation {
    /// The written field, its property and the number that `code` must yield.
    pub cause: Cause,
    code: &'static Code,
    /// The condition and its required result, if the equation follows from a condition.
    condition: Option<(&'static Code, bool)>,
    pub slots: SlotSnapshot,
    pub variables: Vec<VariableId>,
    /// Whether `code` depends on a value that is never recomputed.
    pub depends_on_fixed_value: bool,
    /// Whether at most one value satisfies the equation; `false` for a quotient, or a condition such as `x != 0`.
    is_exact: bool,
}

/// A checksum to compute once its region is complete.
pub(super) struct PendingChecksum {
    pub step: &'static ChecksumStep,
    pub path: Vec<Segment>,
    /// The region and offset of the first covered byte.
    pub start: (RegionId, u64),
    /// The number of covered bytes.
    pub size: u64,
    /// The stored checksum.
    pub variable: VariableId,
    pub slots: SlotSnapshot,
}

/// A given field whose condition must be checked after all values are determined.
pub(super) struct ConditionalField {
    pub path: Vec<Segment>,
    pub step: &'static Step,
    pub slots: SlotSnapshot,
}

impl SlotSnapshot {
    pub fn new((cells, origins): (&[Cell], &[SlotOrigin])) -> SlotSnapshot {
        SlotSnapshot {
            cells: cells.to_vec(),
            origins: origins.to_vec(),
        }
    }

    /// Updates the slots to the current values of their variables, and returns all slots.
    pub fn refresh(&mut self, variables: &Variables) -> &[Cell] {
        for (cell, origin) in self.cells.iter_mut().zip(&self.origins) {
            if let Some(value) = variables.cell(*origin) {
                *cell = value;
            }
        }
        &self.cells
    }

    /// Evaluates an offset on the current values; `None` if it is unknown or out of range.
    pub fn eval_offset(&mut self, code: &Code, variables: &Variables) -> Option<u64> {
        code.eval_int(self.refresh(variables)).ok()?.try_into().ok()
    }
}

impl Equation {
    /// Creates an equation; `None` if it depends on no variable.
    pub fn new(
        cause: Cause,
        code: &'static Code,
        slots: SlotSnapshot,
        variables: &mut Variables,
    ) -> Option<Equation> {
        let (mut unknowns, mut depends_on_fixed_value) = (Vec::new(), false);
        for origin in collect_origins(code, &slots.origins) {
            depends_on_fixed_value |= variables.is_fixed(origin);
            if let Some(variable) = variables.find_or_add(origin)
                && !unknowns.contains(&variable)
            {
                unknowns.push(variable);
            }
        }
        if unknowns.is_empty() {
            return None;
        }
        let (condition, variables, is_exact) = (None, unknowns, is_exact(code));
        Some(Equation {
            cause,
            code,
            condition,
            slots,
            variables,
            depends_on_fixed_value,
            is_exact,
        })
    }

    /// Creates the equation that makes a condition evaluate to `truth`. Returns `None` if the condition depends on no
    /// variable, or if no equation expresses it.
    pub fn of_condition(
        path: &[Segment],
        (condition, truth): (&'static Code, bool),
        slots: SlotSnapshot,
        variables: &mut Variables,
    ) -> Option<Equation> {
        let (code, number, is_unique) = to_equation(condition, truth, &slots.cells)?;
        let cause = Cause {
            path: path.to_vec(),
            property: CONDITION,
            number,
        };
        let equation = Equation::new(cause, code, slots, variables)?;
        let is_exact = is_unique && equation.is_exact;
        Some(Equation {
            condition: Some((condition, truth)),
            is_exact,
            ..equation
        })
    }

    /// Returns `true` if the equation alone determines a value.
    pub fn determines_value(&self) -> bool {
        self.is_exact && !self.has_several_values()
    }

    /// Returns `true` if the equation depends on several values.
    pub fn has_several_values(&self) -> bool {
        self.variables.len() > 1 || self.depends_on_fixed_value
    }

    pub fn is_condition(&self) -> bool {
        self.condition.is_some()
    }

    /// Returns `true` if the current values satisfy the equation.
    pub fn holds(&mut self, variables: &Variables) -> bool {
        let cells = self.slots.refresh(variables);
        match self.condition {
            Some((condition, truth)) => condition.eval_bool(cells) == Ok(truth),
            None => self.code.eval_int(cells) == Ok(self.cause.number),
        }
    }

    /// Returns the number that a variable must have to satisfy the equation; `None` if it cannot be computed.
    pub fn solve(&self, variable: VariableId, variables: &Variables) -> Option<i128> {
        let is_unknown = |code: &Code| {
            variables.find(SlotOrigin::of_argument(code, &self.slots.origins)) == Some(variable)
        };
        solve_for(self.code, self.cause.number, &is_unknown, &self.slots.cells)
    }
}

/// Returns the origin of each value that an expression depends on.
pub(super) fn collect_origins(code: &Code, origins: &[SlotOrigin]) -> Vec<SlotOrigin> {
    let mut found = Vec::new();
    code.visit(&mut |part| match part {
        Code::Slot(..) | Code::Bits(..) => found.push(SlotOrigin::of_argument(part, origins)),
        Code::Matches(slot, _) => found.push(origins[*slot as usize]),
        _ => {}
    });
    found
}

/// Returns the error for an equation that does not hold. `other` is the equation that determined one of its values,
/// with the path of that value.
pub(super) fn describe_conflict(equation: &Equation, other: Option<(&Cause, &[Segment])>) -> Error {
    let Cause {
        path,
        property,
        number,
    } = &equation.cause;
    let message = match other {
        Some((other, variable)) => format!(
            "its {property} is {number}, which conflicts with the {} of {}, {}: both determine {}",
            other.property,
            path_text(&other.path),
            other.number,
            path_text(variable)
        ),
        None => format!("its {property} is {number}, which conflicts with other values"),
    };
    Error::inexpressible(message).at(&path[..])
}
