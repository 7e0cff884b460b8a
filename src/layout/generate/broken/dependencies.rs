//! Which numbers the expressions of declarations depend on, and for what.

use crate::layout::program::{Program, Role};
use crate::layout::{Check, Constraint, Declaration, Type};

/// A number that an expression depends on.
pub(super) struct Dependency {
    /// The struct or packed word that has it as a field.
    pub(super) declaration: &'static Declaration,
    pub(super) name: &'static str,
    pub(super) dependent: Dependent,
    /// The numbers in the expression.
    pub(super) literals: Vec<i128>,
}

/// What depends on a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Dependent {
    Check(&'static Check),
    /// A constraint that is a condition, of the field with this name; empty where the field is an alternative, whose path
    /// is that of the choice.
    Holds(&'static Constraint, &'static str),
    /// A number of items, or of bytes, of which each item has so many.
    Count(i128),
    Offset,
    UnpackedSize,
    /// A checksum; the rule of the field that has it.
    Checksum(&'static str),
    /// Which alternative it is.
    Choice,
}

/// All dependencies of the declarations that a type reaches.
pub(super) fn dependencies(ty: &'static Type) -> Vec<Dependency> {
    let program = Program::of(ty);
    let mut found: Vec<Dependency> = Vec::new();
    for equation in program.equations() {
        let dependent = match equation.role {
            Role::Choice => Dependent::Choice,
            Role::Presence => continue,
            Role::Check(check) => Dependent::Check(check),
            Role::Holds(constraint) => {
                let is_alternative = equation.step.variant.is_some();
                Dependent::Holds(constraint, if is_alternative { "" } else { equation.step.field.name })
            }
            Role::Count(stride) => Dependent::Count(stride),
            Role::Bytes => Dependent::Count(1),
            Role::Offset => Dependent::Offset,
            Role::UnpackedSize => Dependent::UnpackedSize,
            Role::Checksum => Dependent::Checksum(""),
        };
        program.for_each_origin(equation.unit, equation.code, &mut |origin, literals| {
            let dependent = match (dependent, origin.rule) {
                (Dependent::Checksum(_), Some(rule)) => Dependent::Checksum(rule),
                // No rule requires it to be right.
                (Dependent::Checksum(_), None) => return,
                (dependent, _) => dependent,
            };
            let (declaration, name) = (origin.declaration, origin.name);
            let is_same = |known: &&mut Dependency| {
                (known.name, known.dependent, known.declaration) == (name, dependent, declaration)
            };
            match found.iter_mut().find(is_same) {
                Some(known) => known.literals.extend(literals),
                None => found.push(Dependency { declaration, name, dependent, literals: literals.to_vec() }),
            }
        });
    }
    found
}
