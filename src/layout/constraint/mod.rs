//! Constraints on the values of fields, which enforce the rules of a format.
//!
//! A file that fails a [`Check`](super::declaration::Check) cannot be decoded. A value that violates a constraint can
//! still be decoded, and yields a [`Finding`](crate::Finding) for the rule of the constraint. [`check_bytes`] checks
//! the constraints of a file, and [`check_document`] the constraints of a document. The schema printers list the
//! constraints.

mod check;
mod counts;
mod forest;
mod item_tests;
mod list_counts;
mod message;
mod numbers;
mod predicate;
mod scalar;
mod values;

pub use check::{check_bytes, check_document};
pub(super) use counts::wrong_counts;
pub(super) use list_counts::ListCounts;

use super::declaration::{Constraint, Declaration, Field, Type};

impl Declaration {
    /// Returns the constraints on all fields and bit fields.
    pub(super) fn constraints(&self) -> Vec<&'static Constraint> {
        let of_bits = self.bit_fields().iter().flat_map(|field| field.constraints);
        self.fields()
            .flat_map(|field| field.constraints)
            .chain(of_bits)
            .collect()
    }
}

impl Type {
    /// Returns `true` if values of this type contain fields with constraints or checksums.
    fn is_constrained(&self) -> bool {
        let is_constrained = |field: &Field| {
            !field.constraints.is_empty()
                || field.checksum.is_some()
                || field.content_type().is_constrained()
        };
        self.declaration().is_some_and(|declaration| {
            let mut bits = declaration.all_bit_fields().into_iter();
            declaration.fields().any(is_constrained)
                || bits.any(|(.., field)| !field.constraints.is_empty())
        })
    }

    /// Returns the mask of a packed word's reserved bits; 0 for other types.
    pub(super) fn reserved_bits(&self) -> u128 {
        let Some(word) = self.own_declaration() else {
            return 0;
        };
        let reserved = word
            .all_bit_fields()
            .into_iter()
            .filter(|(.., field)| field.reserved);
        reserved.fold(0, |mask, (_, bits, _)| mask | bits.mask())
    }
}
