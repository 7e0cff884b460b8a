//! Constraints: what the values of a field must be for the rules of a format to hold.
//!
//! A check of a declaration is what decoding needs; a constraint is what a file should be beside that. What does not follow
//! one can still be decoded, and is a [`Finding`](crate::Finding) of the constraint's rule. Constraints are data as all
//! of a declaration is: [`check_bytes`] holds bytes against them, the schemas print them, and the rules of the formats that
//! are built in hold documents against them.

mod check;
mod forest;
mod message;
mod numbers;
mod scalar;
mod sizes;
mod test;

pub use check::{check_bytes, check_document};
pub(super) use sizes::Sizes;

use super::declaration::{Constraint, Declaration, Field, Shape, Type};

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
    /// Whether a value has fields with constraints or checksums in it.
    fn is_constrained(&self) -> bool {
        let field = |field: &Field| {
            !field.constraints.is_empty() || field.checksum.is_some() || field.content().is_constrained()
        };
        let declaration = self.declaration();
        declaration.is_some_and(|declaration| {
            let mut bits = declaration.all_bit_fields().into_iter();
            declaration.fields().any(field) || bits.any(|(.., field)| !field.constraints.is_empty())
        })
    }

    /// The bits of a packed word that are reserved.
    pub(super) fn reserved_bits(&self) -> u128 {
        let Type::Declared(word) = self else { return 0 };
        let reserved = word.all_bit_fields().into_iter().filter(|(.., field)| field.reserved);
        reserved.fold(0, |mask, (_, bits, _)| mask | bits.mask())
    }
}
