//! Finds the equations that depend on stored numbers.

use crate::layout::declaration::Type;
use crate::layout::program::{Program, Role, ValueOrigin};

/// A stored number and the role of the equations that depend on it.
pub(super) struct Dependency {
    pub origin: ValueOrigin,
    /// The role; the size of a block is treated as a number of items.
    pub role: Role,
    /// The field with the constraint; empty for other roles, and for variants, which have the path of their choice.
    pub field: &'static str,
    /// The numbers in the equations.
    pub literals: Vec<i128>,
}

/// Returns the dependencies in a type and its parts, except conditions of optional fields, which no breakage changes.
pub(super) fn dependencies(ty: &'static Type) -> Vec<Dependency> {
    let program = Program::of(ty);
    let mut found: Vec<Dependency> = Vec::new();
    for equation in program
        .equations()
        .iter()
        .filter(|equation| equation.role != Role::Presence)
    {
        let role = if equation.role == Role::Bytes {
            Role::Count(1)
        } else {
            equation.role
        };
        let field = match (role, equation.step.variant) {
            (Role::Holds(_), None) => equation.step.field.name,
            _ => "",
        };
        for (origin, literals) in program.origins(equation.unit, equation.code) {
            let key = (origin, role, field);
            let is_same = |known: &&mut Dependency| (known.origin, known.role, known.field) == key;
            match found.iter_mut().find(is_same) {
                Some(known) => known.literals.extend(literals),
                None => found.push(Dependency {
                    origin,
                    role,
                    field,
                    literals,
                }),
            }
        }
    }
    found
}
