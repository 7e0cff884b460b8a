//! Constraints on the values of fields, which enforce the rules of a format.
//!
//! A check of a declaration is necessary for decoding; a constraint is not. A value that violates a constraint can
//! still be decoded, and yields a [`Finding`](crate::Finding) of the constraint's rule. Constraints are data, like
//! everything in a declaration: [`check_bytes`] checks bytes, [`check_document`] checks documents, and the schemas
//! print them.

mod check;
mod counts;
mod forest;
mod message;
mod numbers;
mod scalar;
mod sizes;
mod test;
mod values;

pub use check::{check_bytes, check_document};
pub(super) use counts::wrong_counts;
pub(super) use sizes::Sizes;

use super::declaration::{Constraint, Declaration, Field, Shape, Type};
use crate::Rule;

impl Declaration {
    /// Returns the constraints on fields and bit fields.
    pub(super) fn constraints(&self) -> Vec<&'static Constraint> {
        let mut constraints: Vec<_> = self.fields().flat_map(|field| field.constraints).collect();
        if let Shape::Bits { fields, .. } = self.shape {
            constraints.extend(fields.iter().flat_map(|field| field.constraints));
        }
        constraints
    }
}

impl Type {
    /// Whether a value contains fields with constraints or checksums.
    fn is_constrained(&self) -> bool {
        self.is_constrained_beyond(&[])
    }

    /// Whether a value contains fields with checksums, or with constraints of other rules than these.
    fn is_constrained_beyond(&self, rules: &[&Rule]) -> bool {
        let others = |constraints: &[Constraint]| {
            constraints.iter().any(|constraint| !rules.contains(&constraint.rule))
        };
        let field = |field: &Field| {
            others(field.constraints)
                || field.checksum.is_some()
                || field.content().is_constrained_beyond(rules)
        };
        let declaration = self.declaration();
        declaration.is_some_and(|declaration| {
            let mut bits = declaration.all_bit_fields().into_iter();
            declaration.fields().any(field) || bits.any(|(.., field)| others(field.constraints))
        })
    }

    /// Returns the mask of the reserved bits of a packed word.
    pub(super) fn reserved_bits(&self) -> u128 {
        let Some(word) = self.own_declaration() else { return 0 };
        let reserved = word.all_bit_fields().into_iter().filter(|(.., field)| field.reserved);
        reserved.fold(0, |mask, (_, bits, _)| mask | bits.mask())
    }
}
