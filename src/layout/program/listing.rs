//! Lists the declarations of several layouts, for printers.

use super::model::{Form, Program, Size, Unit};
use super::names::{Names, ValueKind};
use super::size::size_of_unit;
use crate::layout::declaration::{Declaration, Type};

/// A declaration that a layout reaches.
#[derive(Debug)]
pub(in crate::layout) struct Reached {
    pub declaration: &'static Declaration,
    /// The kind of each import.
    pub imports: &'static [ValueKind],
    /// The names in the expressions of the declaration.
    pub names: Names<'static>,
    pub size: Size,
    /// Whether the declaration is in a packed block, so that offsets are relative to the unpacked bytes.
    pub packed: bool,
    /// Whether the declaration is a number that is stored big-endian.
    pub is_big: bool,
}

/// The order of a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::layout) enum Order {
    /// Parts before containers, as compilers require.
    Parts,
    /// Containers before parts, as in a specification.
    Reading,
}

/// Lists all declarations that the layouts reach, without duplicates.
pub(in crate::layout) fn reachable(layouts: &[(&str, &'static Type)], order: Order) -> Vec<Reached> {
    let mut found: Vec<Reached> = Vec::new();
    for (_, ty) in layouts {
        let program = Program::of(ty);
        let mut units = program.reading_order();
        if order == Order::Parts {
            // Parts are resolved first.
            units.sort_unstable();
        }
        for (unit, packed) in units {
            let unit = &program.units[unit];
            let Unit { declaration, imports, slots, .. } = unit;
            if !found.iter().any(|known| known.declaration == *declaration) {
                let size = size_of_unit(unit, &program.forms);
                let is_big =
                    |form: &Form| matches!(form.ty, Type::Big(Type::Declared(big)) if big == declaration);
                let is_big = program.forms.iter().any(is_big);
                found.push(Reached { declaration, imports, names: Names(slots), size, packed, is_big });
            }
        }
    }
    found
}
