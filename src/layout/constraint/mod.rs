//! Constraints: what the values of a field must be for the rules of a format to hold.
//!
//! A check of a declaration is what decoding needs; a constraint is what a file should be beside that. What does not follow
//! one can still be decoded, and is a [`Finding`](crate::Finding) of the constraint's rule. Constraints are data as all
//! of a declaration is: [`check`] holds bytes against them, the schemas print them, and the rules of the formats that
//! are built in hold documents against them.

mod bound;
mod check;
mod scalar;

pub use bound::Constraints;
pub use check::check;
pub use scalar::Scalar;

use super::{Expr, Field, Type};

/// What the values of a field must be.
///
/// It applies to the value of the field or, where the field is a list, to each of its items.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Constraint {
    /// What is required.
    pub requirement: Requirement,
    /// Where it applies; everywhere without a condition.
    pub condition: Option<Expr>,
    /// Code of the rule that it belongs to, which says how bad it is to break it.
    pub rule: &'static str,
    /// The message for values that break it, where it is not the usual one. `{found}` stands for the value, `{limit}` for
    /// that of [`Below`](Requirement::Below), `{previous}` for the value before it in an [`Ordered`](Requirement::Ordered)
    /// list, other names for the number of a field or import, `{header.count}`; `{found:#x}` is hexadecimal,
    /// `{found:#06x}` with so many characters at least.
    pub message: Option<&'static str>,
}

/// What a [`Constraint`] requires. Where an expression has no value, as that of a field that is not there, nothing is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Requirement {
    /// All numbers are below this one.
    Below(Expr),
    /// All numbers are one of these.
    OneOf(&'static [Expr]),
    /// All numbers are finite.
    Finite,
    /// No number occurs twice in the list, or in the list of structs that have the field.
    Unique,
    /// No number is less than the one before it in the list, or in the list of structs that have the field. Only the first
    /// that is, is reported.
    Ordered,
    /// The numbers of each item add up.
    Sum {
        /// The field of the structs that are added up; `None` where the items are numbers.
        of: Option<&'static str>,
        /// What they add up to.
        total: f64,
        /// How far the sum may be from that.
        tolerance: f64,
    },
    /// The reserved bits of a packed word are 0.
    ReservedZero,
    /// The last of the strings ends with a NUL.
    Terminated,
    /// A condition on the field and those before it holds.
    Holds(Expr),
}

impl Constraint {
    /// The placeholders in the message that name a field or import, each with its format.
    pub(super) fn placeholders(&self) -> impl Iterator<Item = &'static str> {
        let parts = self.message.unwrap_or_default().split('{').skip(1);
        let placeholders = parts.map(|part| part.split('}').next().unwrap_or_default());
        placeholders.filter(|placeholder| {
            let name = placeholder.split(':').next().unwrap_or_default();
            !["found", "limit", "previous"].contains(&name)
        })
    }
}

impl Type {
    /// Whether a value has fields with constraints in it.
    fn is_constrained(&self) -> bool {
        let field = |field: &Field| !field.constraints.is_empty() || field.content().is_constrained();
        self.declaration().is_some_and(|declaration| declaration.fields().any(field))
    }

    /// The bits of a packed word that are reserved.
    fn reserved_bits(&self) -> u128 {
        let Type::Declared(word) = self else { return 0 };
        let reserved = word.all_bit_fields().into_iter().filter(|(.., field)| field.reserved);
        reserved.fold(0, |mask, (_, bits, _)| mask | bits.mask())
    }
}
