//! Determines unknown values from equations, and patches their bytes.

use super::assembler::Assembler;
use super::equation::{Bound, Equation, Presence, contradiction, origins_of};
use super::leaf::{Cause, LeafId, LeafKind, Origin};
use super::number;
use super::region::State;
use super::space::RegionId;
use crate::layout::declaration::BitField;
use crate::layout::expr::Value;
use crate::layout::program::{Argument, Call, Code, Names, Step};
use crate::layout::wording::readable;
use crate::{Error, Result};

impl Assembler<'_> {
    /// Requires that an expression yields a number determined by the written field.
    pub(super) fn require(&mut self, code: &'static Code, number: u64, what: &'static str) -> Result<()> {
        if self.leaves.is_empty() {
            return Ok(());
        }
        let cause = Cause { path: self.path.clone(), what, number: number.into() };
        let equation = Equation::new(cause, code, Bound::new(self.frames.slots()), &mut self.leaves);
        equation.map_or(Ok(()), |equation| self.add_equation(equation))
    }

    /// Requires that a condition holds or fails. Settled last, since several values may satisfy it.
    pub(super) fn require_truth(&mut self, condition: &'static Code, truth: bool) {
        let equation = self.equation_of(condition, truth);
        self.equations.extend(equation);
    }

    /// Requires the checks of a field whose value is omitted.
    pub(super) fn require_checks(&mut self, step: &'static Step) -> Result<()> {
        let Some(value) = &step.value else { return Ok(()) };
        let origin = self.frames.slots().1[*value as usize];
        let is_left_out = |leaf| self.leaves.get(leaf).is_left_out();
        if self.leaves.find(origin).is_some_and(is_left_out) {
            for check in &step.checks {
                if let Some(equation) = self.equation_of(check, true) {
                    self.add_equation(equation)?;
                }
            }
        }
        Ok(())
    }

    fn equation_of(&mut self, condition: &'static Code, truth: bool) -> Option<Equation> {
        if self.leaves.is_empty() {
            return None;
        }
        let slots = Bound::new(self.frames.slots());
        Equation::of_condition(&self.path, (condition, truth), slots, &mut self.leaves)
    }

    /// Solves an equation, or stores it for later.
    pub(super) fn add_equation(&mut self, mut equation: Equation) -> Result<()> {
        if equation.is_decisive() {
            self.conclude(&mut equation)?;
            if equation.holds(&self.leaves) {
                return Ok(());
            }
        }
        self.equations.push(equation);
        Ok(())
    }

    /// Determines the value of an equation's only open leaf. Returns `true` if it did.
    fn conclude(&mut self, equation: &mut Equation) -> Result<bool> {
        let holds = equation.holds(&self.leaves);
        let is_open = |leaf: &&LeafId| self.leaves.get(**leaf).cause.is_none();
        let open: Vec<_> = equation.leaves.iter().filter(is_open).copied().collect();
        let [leaf] = open[..] else { return Ok(false) };
        let is_assumed = || self.assumed.contains_key(&self.leaves.get(leaf).path);
        let number = match holds {
            true if !equation.has_several() || is_assumed() => self.leaves.value(leaf),
            true => None,
            false => equation.solve(leaf, &self.leaves),
        };
        let Some(number) = number else { return Ok(false) };
        self.determine(leaf, number, equation.cause.clone())?;
        Ok(true)
    }

    /// Propagates known values through the stored equations: first those of one value, conditions last.
    pub(super) fn propagate(&mut self) -> Result<()> {
        let mut equations = std::mem::take(&mut self.equations);
        equations.sort_by_key(|equation| (equation.has_several(), equation.is_condition()));
        let several = equations.partition_point(|equation| !equation.has_several());
        let (single, several) = equations.split_at_mut(several);
        while self.conclude_all(single)? || self.conclude_all(several)? {}
        self.equations = equations;
        Ok(())
    }

    fn conclude_all(&mut self, equations: &mut [Equation]) -> Result<bool> {
        let mut progressed = false;
        for equation in equations {
            progressed |= self.conclude(equation)?;
        }
        Ok(progressed)
    }

    /// Sets a value and its bytes.
    pub(super) fn determine(&mut self, leaf: LeafId, number: i128, cause: Cause) -> Result<()> {
        let before = self.leaves.value(leaf);
        let whole = self.leaves.whole(leaf);
        self.leaves.get_mut(leaf).cause = Some(cause);
        if before == Some(number) {
            return Ok(());
        }
        let new = match self.leaves.get(leaf).kind {
            LeafKind::Whole { .. } => number,
            LeafKind::Bits(_, bits, field) => {
                let old = self.leaves.value(whole).unwrap_or_default();
                let number = number::bits_of_number(number, &BitField { bits, ..*field });
                let number = number.map_err(|message| self.error_at(leaf, message))?;
                bits.put(old as u128, number) as i128
            }
        };
        if let LeafKind::Whole { value, .. } = &mut self.leaves.get_mut(whole).kind {
            *value = Some(new);
        }
        let leaves = &self.leaves;
        self.frames.update(|origin| leaves.cell(origin));
        self.patch(whole)
    }

    fn error_at(&self, leaf: LeafId, message: String) -> Error {
        Error::inexpressible(message).at(&self.leaves.get(leaf).path[..])
    }

    /// Rewrites the bytes of a whole value.
    pub(super) fn patch(&mut self, leaf: LeafId) -> Result<()> {
        let LeafKind::Whole { region, at, ty, value: Some(value), is_written, .. } =
            &mut self.leaves.get_mut(leaf).kind
        else {
            return Ok(());
        };
        let was_written = std::mem::replace(is_written, true);
        let (ty, value, place) = (*ty, *value, (*region, *at));
        let encoded = number::encode(ty, &Value::Int(value));
        let (bytes, size) = encoded.map_err(|message| self.error_at(leaf, message))?;
        let Some((region, at)) = self.locate(place) else { return Ok(()) };
        let space = &mut self.regions[region].space;
        if !was_written {
            let written = space.write(at, &bytes[..size]);
            let path = std::mem::replace(&mut self.path, self.leaves.get(leaf).path.clone());
            let accepted = self.accept(written);
            self.path = path;
            return accepted;
        }
        space.replace(at, &bytes[..size]);
        Ok(())
    }

    /// Returns the final position of a byte; `None` if it was packed.
    pub(super) fn locate(&self, (region, at): (RegionId, u64)) -> Option<(RegionId, u64)> {
        match self.regions[region].state {
            State::Open => Some((region, at)),
            State::Moved(outer, start) => self.locate((outer, start.saturating_add(at))),
            State::Packed => None,
        }
    }

    /// Records that a result depends on the current values of an expression.
    pub(super) fn rely_on(&mut self, code: &Code) {
        if self.leaves.is_empty() {
            return;
        }
        for origin in origins_of(code, self.frames.slots().1) {
            if let Some(leaf) = self.leaves.at(origin) {
                self.leaves.rely_on(leaf);
            }
        }
    }

    /// Records the dependence on arguments that combine several values. Other arguments have an origin.
    pub(super) fn rely_on_arguments(&mut self, call: &Call) {
        if self.leaves.is_empty() {
            return;
        }
        for argument in &call.arguments {
            if let Argument::Value(
                code @ (Code::Unary(..) | Code::Binary(..) | Code::If(_) | Code::Matches(..)),
                _,
            ) = argument
            {
                self.rely_on(code);
            }
        }
    }

    pub(super) fn depends_on_leaves(&self, code: &Code) -> bool {
        let mut origins = origins_of(code, self.frames.slots().1).into_iter();
        origins.any(|origin| matches!(origin, Origin::Leaf(..)) && !self.leaves.is_fixed(origin))
    }

    pub(super) fn depends_on_fixed(&self, code: &Code) -> bool {
        let mut origins = origins_of(code, self.frames.slots().1).into_iter();
        origins.any(|origin| self.leaves.is_fixed(origin))
    }

    /// Returns an error if the condition of a given field does not hold.
    pub(super) fn rejection(&mut self) -> Option<Error> {
        let mut rejected = std::mem::take(&mut self.rejected).into_iter();
        rejected.find_map(|Presence { path, step, mut slots }| {
            let is_rejected = step.condition.as_ref()?.truth(slots.refresh(&self.leaves)) == Ok(false);
            let condition = readable(step.field.condition.as_ref()?, &Names::default());
            let message = format!("is given, but its condition `{condition}` does not hold");
            is_rejected.then(|| Error::inexpressible(message).at(&path[..]))
        })
    }

    /// Returns an error if two equations conflict.
    pub(super) fn contradiction(&mut self) -> Option<Error> {
        let mut equations = std::mem::take(&mut self.equations);
        equations.iter_mut().find_map(|equation| {
            let causes: Option<Vec<_>> =
                equation.leaves.iter().map(|leaf| self.leaves.get(*leaf).cause.as_ref()).collect();
            let causes = causes?;
            if equation.has_fixed || equation.holds(&self.leaves) {
                return None;
            }
            let other =
                causes.into_iter().zip(&equation.leaves).find(|(cause, _)| cause.path != equation.cause.path);
            match other {
                Some((cause, leaf)) => {
                    Some(contradiction(equation, Some((cause, &self.leaves.get(*leaf).path))))
                }
                // A look-ahead may be unknown: it reads what was written.
                None if self.recounts => None,
                None => Some(contradiction(equation, None)),
            }
        })
    }
}
