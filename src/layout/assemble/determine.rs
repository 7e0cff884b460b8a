//! Determines unknown values from equations, and writes their bytes.

use super::assembler::Assembler;
use super::equation::{
    ConditionalField, Equation, SlotSnapshot, collect_origins, describe_conflict,
};
use super::region::RegionState;
use super::sparse_buffer::RegionId;
use super::variable::{Cause, SlotOrigin, VariableId, VariableKind};
use crate::layout::declaration::BitField;
use crate::layout::expr::Value;
use crate::layout::program::{Argument, Code, Names, Step};
use crate::layout::tree::number;
use crate::layout::wording::readable_expr;
use crate::{Error, Result};

impl Assembler<'_> {
    /// Requires that `code` yields `number`, a property of the field just written, such as its size.
    pub fn require_number(
        &mut self,
        code: &'static Code,
        number: u64,
        property: &'static str,
    ) -> Result<()> {
        if self.variables.is_empty() {
            return Ok(());
        }
        let cause = Cause {
            path: self.path.clone(),
            property,
            number: number.into(),
        };
        self.require(cause, code, SlotSnapshot::new(self.frames.slots()))
    }

    /// Adds an equation if the code depends on a variable.
    pub fn require(
        &mut self,
        cause: Cause,
        code: &'static Code,
        slots: SlotSnapshot,
    ) -> Result<()> {
        let equation = Equation::new(cause, code, slots, &mut self.variables);
        equation.map_or(Ok(()), |equation| self.add_equation(equation))
    }

    /// Requires that the checks of a field hold, if its value is omitted.
    pub fn require_checks(&mut self, step: &'static Step) -> Result<()> {
        let Some(value) = &step.value else {
            return Ok(());
        };
        let origin = self.frames.slots().1[*value as usize];
        let is_omitted = |variable| self.variables.get(variable).is_omitted();
        if self.variables.find(origin).is_some_and(is_omitted) {
            for check in &step.checks {
                let equation = self.condition_equation(check, true);
                equation.map_or(Ok(()), |equation| self.add_equation(equation))?;
            }
        }
        Ok(())
    }

    /// Returns the equation that makes a condition evaluate to `truth`; `None` if it depends on no variable.
    pub fn condition_equation(
        &mut self,
        condition: &'static Code,
        truth: bool,
    ) -> Option<Equation> {
        if self.variables.is_empty() {
            return None;
        }
        let slots = SlotSnapshot::new(self.frames.slots());
        Equation::of_condition(&self.path, (condition, truth), slots, &mut self.variables)
    }

    /// Solves an equation, or stores it for later.
    pub fn add_equation(&mut self, mut equation: Equation) -> Result<()> {
        if equation.determines_value() {
            self.solve_equation(&mut equation)?;
            if equation.holds(&self.variables) {
                return Ok(());
            }
        }
        self.equations.push(equation);
        Ok(())
    }

    /// Sets the only undetermined variable of an equation. If given values are recomputed and several variables are
    /// undetermined, sets the only one that can satisfy the equation. Returns `false` if no variable is set.
    fn solve_equation(&mut self, equation: &mut Equation) -> Result<bool> {
        let holds = equation.holds(&self.variables);
        let is_undetermined =
            |variable: &&VariableId| self.variables.get(**variable).cause.is_none();
        let mut candidates: Vec<_> = equation
            .variables
            .iter()
            .filter(is_undetermined)
            .copied()
            .collect();
        if candidates.len() > 1 && self.recounts && !holds {
            // Variables that cannot satisfy the equation keep the values of the file.
            candidates.retain(|variable| equation.solve(*variable, &self.variables).is_some());
        }
        let [variable] = candidates[..] else {
            return Ok(false);
        };
        let is_known = || self.known.contains_key(&self.variables.get(variable).path);
        let number = match holds {
            true if !equation.has_several_values() || is_known() => self.variables.value(variable),
            true => None,
            false => equation.solve(variable, &self.variables),
        };
        let Some(number) = number else {
            return Ok(false);
        };
        self.set_variable(variable, number, equation.cause.clone())?;
        Ok(true)
    }

    /// Solves the stored equations until none determines another value. Equations that depend on one value come first;
    /// in both groups, conditions come last.
    pub fn solve_pending(&mut self) -> Result<()> {
        let mut equations = std::mem::take(&mut self.equations);
        equations.sort_by_key(|equation| (equation.has_several_values(), equation.is_condition()));
        let several = equations.partition_point(|equation| !equation.has_several_values());
        let (single, several) = equations.split_at_mut(several);
        while self.solve_equations(single)? || self.solve_equations(several)? {}
        self.equations = equations;
        Ok(())
    }

    /// Tries to solve each equation once. Returns `true` if one was solved.
    fn solve_equations(&mut self, equations: &mut [Equation]) -> Result<bool> {
        let mut progressed = false;
        for equation in equations {
            progressed |= self.solve_equation(equation)?;
        }
        Ok(progressed)
    }

    /// Sets a variable to a determined number, and updates its bytes.
    pub fn set_variable(&mut self, variable: VariableId, number: i128, cause: Cause) -> Result<()> {
        let before = self.variables.value(variable);
        let whole = self.variables.whole_variable(variable);
        self.variables.get_mut(variable).cause = Some(cause);
        if before == Some(number) {
            return Ok(());
        }
        let new = match self.variables.get(variable).kind {
            VariableKind::Whole { .. } => number,
            VariableKind::Bits(_, bits, field) => {
                let old = self.variables.value(whole).unwrap_or_default();
                let number = number::encode_bits(number, &BitField { bits, ..*field });
                let number = number.map_err(|message| self.error_at(variable, message))?;
                bits.insert(old as u128, number) as i128
            }
        };
        if let VariableKind::Whole { value, .. } = &mut self.variables.get_mut(whole).kind {
            *value = Some(new);
        }
        let variables = &self.variables;
        self.frames.update_marked(|origin| variables.cell(origin));
        self.rewrite_bytes(whole)
    }

    fn error_at(&self, variable: VariableId, message: String) -> Error {
        Error::inexpressible(message).at(&self.variables.get(variable).path[..])
    }

    /// Writes the number of a whole value over its bytes; does nothing for bit fields, unknown values and packed bytes.
    pub fn rewrite_bytes(&mut self, variable: VariableId) -> Result<()> {
        let VariableKind::Whole {
            region,
            at,
            ty,
            value: Some(value),
            is_written,
            ..
        } = &mut self.variables.get_mut(variable).kind
        else {
            return Ok(());
        };
        let was_written = std::mem::replace(is_written, true);
        let (ty, value, position) = (*ty, *value, (*region, *at));
        let encoded = number::encode(ty, &Value::Int(value));
        let (bytes, size) = encoded.map_err(|message| self.error_at(variable, message))?;
        let Some((region, at)) = self.locate(position) else {
            return Ok(());
        };
        let buffer = &mut self.regions[region].buffer;
        if was_written {
            buffer.replace(at, &bytes[..size]);
            return Ok(());
        }
        let written = buffer.write(at, &bytes[..size]);
        let path = std::mem::replace(&mut self.path, self.variables.get(variable).path.clone());
        let result = self.defer_clash(written);
        self.path = path;
        result
    }

    /// Returns the current region and offset of a byte; `None` if it was packed.
    pub fn locate(&self, (region, at): (RegionId, u64)) -> Option<(RegionId, u64)> {
        match self.regions[region].state {
            RegionState::Open => Some((region, at)),
            RegionState::Moved(outer, start) => self.locate((outer, start.saturating_add(at))),
            RegionState::Packed => None,
        }
    }

    /// Records that written bytes depend on the current value of an expression.
    pub fn record_dependency(&mut self, code: &Code) {
        if self.variables.is_empty() {
            return;
        }
        for origin in collect_origins(code, self.frames.slots().1) {
            if let Some(variable) = self.variables.find_or_add(origin) {
                self.variables.record_dependency(variable);
            }
        }
    }

    /// Records the dependencies of computed arguments. Other arguments keep the origin of their value.
    pub fn record_argument_dependencies(&mut self, arguments: &[Argument]) {
        for argument in arguments {
            let Argument::Value(code, _) = argument else {
                continue;
            };
            if let Code::Unary(..) | Code::Binary(..) | Code::If(_) | Code::Matches(..) = code {
                self.record_dependency(code);
            }
        }
    }

    /// Returns `true` if an expression depends on a value that equations may determine.
    pub fn depends_on_variables(&self, code: &Code) -> bool {
        let mut origins = collect_origins(code, self.frames.slots().1).into_iter();
        origins.any(|origin| {
            let is_stored = matches!(origin, SlotOrigin::Variable(..) | SlotOrigin::LookAhead(..));
            is_stored && !self.variables.is_fixed(origin)
        })
    }

    /// Returns `true` if an expression depends on a value that is never recomputed.
    pub fn depends_on_fixed(&self, code: &Code) -> bool {
        let mut origins = collect_origins(code, self.frames.slots().1).into_iter();
        origins.any(|origin| self.variables.is_fixed(origin))
    }

    /// Returns an error if the condition of a given field is false.
    pub fn excluded_field_error(&mut self) -> Option<Error> {
        let mut fields = std::mem::take(&mut self.conditional_fields).into_iter();
        fields.find_map(
            |ConditionalField {
                 path,
                 step,
                 mut slots,
             }| {
                let is_excluded = step
                    .condition
                    .as_ref()?
                    .eval_bool(slots.refresh(&self.variables))
                    == Ok(false);
                let condition = readable_expr(step.field.condition.as_ref()?, &Names::default());
                let message = format!("is given, but its condition `{condition}` does not hold");
                is_excluded.then(|| Error::inexpressible(message).at(&path[..]))
            },
        )
    }

    /// Returns an error for a violated equation whose variables are all determined, or which several given values could
    /// satisfy. Ignores equations that depend on fixed values.
    pub fn conflict_error(&mut self) -> Option<Error> {
        let mut equations = std::mem::take(&mut self.equations);
        equations.iter_mut().find_map(|equation| {
            if equation.depends_on_fixed_value || equation.holds(&self.variables) {
                return None;
            }
            let causes = equation
                .variables
                .iter()
                .map(|id| self.variables.get(*id).cause.as_ref());
            let Some(causes) = causes.collect::<Option<Vec<_>>>() else {
                // Either several given values could be changed to satisfy the equation, or none can.
                let is_ambiguous = self.recounts && !equation.is_condition();
                return is_ambiguous.then(|| describe_conflict(equation, None));
            };
            let mut causes = causes.into_iter().zip(&equation.variables);
            let other = causes.find(|(cause, _)| cause.path != equation.cause.path);
            let other = other.map(|(cause, id)| (cause, &self.variables.get(*id).path[..]));
            // With recomputation and no other cause, the equation is ignored: it may depend on a look-ahead, which is
            // read from the written bytes.
            (other.is_some() || !self.recounts).then(|| describe_conflict(equation, other))
        })
    }
}
