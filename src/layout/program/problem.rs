//! Finds defects of a declaration, such as a value that cannot be determined, or is determined twice.

use std::fmt;

use super::code::Code;
use super::equation::{Equation, Role, ValueOrigin};
use super::model::{FormKind, Problem, Program, Step, Unit};

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.message)
    }
}

impl std::error::Error for Problem {}

impl Program {
    pub fn find_problems(&self) -> Vec<Problem> {
        let equations = self.equations();
        let unresolved = equations
            .iter()
            .filter_map(|equation| self.find_unresolved_name(equation));
        let units = self.reachable_units().into_iter();
        let after_end = units.filter_map(|unit| self.find_field_after_end(&self.units[unit.id]));
        let units = self.reachable_units().into_iter();
        let wrong_calls = units.flat_map(|unit| self.find_wrong_arguments(&self.units[unit.id]));
        unresolved
            .chain(after_end)
            .chain(wrong_calls)
            .chain(self.find_conflicting_uses(&equations))
            .collect()
    }

    /// Returns the defect of an expression that cannot be evaluated.
    fn find_unresolved_name(&self, equation: &Equation) -> Option<Problem> {
        let mut is_unknown = false;
        equation
            .code
            .visit(&mut |part| is_unknown |= *part == Code::Unknown);
        let message = format!(
            "the {} depends on a value that is not an integer",
            equation.role.name()
        );
        is_unknown.then(|| self.new_problem(equation, message))
    }

    /// Returns the defect of a struct in which fields follow a list that runs to the end.
    fn find_field_after_end(&self, unit: &Unit) -> Option<Problem> {
        let is_next = |step: &&Step| step.position.is_none() && step.variant.is_none();
        let in_sequence: Vec<_> = unit.steps.iter().filter(is_next).collect();
        let endless = in_sequence.iter().position(|step| self.runs_to_end(step))?;
        let next = in_sequence[endless + 1..]
            .iter()
            .find(|step| !step.field.lookahead)?;
        Some(Problem {
            field: format!(
                "{}.{}",
                unit.declaration.name, in_sequence[endless].field.name
            ),
            message: format!(
                "runs to the end of the bytes, but `{}` follows",
                next.field.name
            ),
        })
    }

    /// Returns the defects of fields that pass too few or too many arguments, such as a reference that the layout omits.
    fn find_wrong_arguments(&self, unit: &Unit) -> Vec<Problem> {
        let wrong = unit.steps.iter().filter_map(|step| {
            let (form, arguments) = step.content();
            let imports = self.units[self.forms[form].unit?].declaration.imports.len();
            let message = format!("passes {} arguments, expected {imports}", arguments.len());
            (arguments.len() != imports).then(|| Problem {
                field: format!("{}.{}", unit.declaration.name, step.field.name),
                message,
            })
        });
        wrong.collect()
    }

    /// Returns `true` for an unconditional list without a count, or a struct that ends with one.
    fn runs_to_end(&self, step: &Step) -> bool {
        let is_endless = match self.forms[step.form].kind {
            FormKind::Items(_, None) => step.count.is_none(),
            FormKind::Struct(unit) => {
                let mut steps = self.units[unit].steps.iter();
                let last = steps.rfind(|step| step.position.is_none() && !step.field.lookahead);
                last.is_some_and(|last| self.runs_to_end(last))
            }
            _ => false,
        };
        is_endless && step.condition.is_none()
    }

    /// Returns the defects of stored values that have two uses, one of which is an offset or a checksum.
    fn find_conflicting_uses(&self, equations: &[Equation]) -> Vec<Problem> {
        let deciding = equations.iter().filter(|equation| equation.decides_value());
        let decided: Vec<(ValueOrigin, &Equation)> = deciding
            .flat_map(|equation| {
                let origins = self.origins(equation.unit, equation.code).into_iter();
                origins.map(move |(origin, _)| (origin, equation))
            })
            .collect();
        let mut problems = Vec::new();
        for (index, (origin, second)) in decided.iter().enumerate() {
            let conflicts = |first: &&(ValueOrigin, &Equation)| {
                let is_single = |role| matches!(role, Role::Offset | Role::Checksum);
                first.0 == *origin
                    && !std::ptr::eq(first.1.code, second.code)
                    && (is_single(first.1.role) || is_single(second.role))
            };
            if let Some((_, first)) = decided[..index].iter().find(conflicts) {
                let message = format!(
                    "`{}.{}` cannot be both its {} and the {} of `{}`",
                    origin.declaration.name,
                    origin.name,
                    second.role.name(),
                    first.role.name(),
                    first.step.field.name
                );
                problems.push(self.new_problem(second, message));
            }
        }
        problems
    }

    fn new_problem(&self, equation: &Equation, message: String) -> Problem {
        let declaration = self.units[equation.unit].declaration;
        Problem {
            field: format!("{}.{}", declaration.name, equation.step.field.name),
            message,
        }
    }
}

impl Equation<'_> {
    /// Returns `true` if the equation determines the stored value in every file.
    fn decides_value(&self) -> bool {
        let is_value = matches!(self.code.without_casts(), Code::Slot(..) | Code::Bits(..));
        let is_written = self.role.usage().is_some();
        is_value && is_written && self.step.condition.is_none() && self.step.variant.is_none()
    }
}

impl Role {
    /// Returns the name of the property or condition for error messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Role::Choice => "variant",
            Role::Presence => "presence",
            Role::Check(_) => "check",
            Role::Holds(_) => "constraint",
            Role::Count(_) => "number of items",
            Role::Bytes => "size",
            Role::Offset => "offset",
            Role::UnpackedSize => "unpacked size",
            Role::Checksum => "checksum",
        }
    }
}
