//! Lists the declarations of several layouts, for printers.

use super::equation::ReachableUnit;
use super::model::{Form, FormSize, Program, Unit};
use super::names::{Names, ValueKind};
use super::size::size_of_unit;
use crate::layout::declaration::{Declaration, Type};
use crate::layout::walk::Segment;

/// A declaration that a layout reaches.
#[derive(Debug)]
pub(in crate::layout) struct Reached {
    pub declaration: &'static Declaration,
    /// The kind of each import.
    pub imports: &'static [ValueKind],
    /// The names that the expressions of the declaration use.
    pub names: Names<'static>,
    pub size: FormSize,
    /// Whether the declaration is in a packed block, so that offsets are relative to the unpacked bytes.
    pub is_packed: bool,
    /// Whether the declaration is an enum or packed word that is stored big-endian.
    pub is_big: bool,
}

/// The order of a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::layout) enum ListingOrder {
    /// Parts before containers, as compilers require.
    PartsFirst,
    /// Depth-first from the layouts, as in a specification.
    ContainersFirst,
}

/// Lists all declarations that the layouts reach, without duplicates.
pub(in crate::layout) fn reachable(
    layouts: &[(&str, &'static Type)],
    order: ListingOrder,
) -> Vec<Reached> {
    let mut found: Vec<Reached> = Vec::new();
    for (_, ty) in layouts {
        let program = Program::of(ty);
        let mut units = program.reachable_units();
        if order == ListingOrder::PartsFirst {
            // Parts are resolved first, so their ids are lower.
            units.sort_unstable_by_key(|unit| unit.id);
        }
        for ReachableUnit { id, is_packed } in units {
            let unit = &program.units[id];
            let Unit {
                declaration,
                imports,
                slots,
                ..
            } = unit;
            if !found.iter().any(|known| known.declaration == *declaration) {
                let size = size_of_unit(unit, &program.forms);
                let is_big = |form: &Form| matches!(form.ty, Type::BigEndian(Type::Declared(big)) if big == declaration);
                let is_big = program.forms.iter().any(is_big);
                found.push(Reached {
                    declaration,
                    imports,
                    names: Names {
                        slots,
                        lengths: &program.lengths,
                    },
                    size,
                    is_packed,
                    is_big,
                });
            }
        }
    }
    found
}

impl Program {
    /// Returns the paths in constraints that lead to numbers in every declaration that has such a path. A constraint
    /// may refer to the stored length of a list, since files can contain the length without the list.
    pub fn stored_lengths(&self) -> Vec<&'static [Segment]> {
        let mut lengths: Vec<_> = self
            .constraints()
            .filter_map(|constraint| constraint.requirement.list())
            .collect();
        lengths.retain(|path| {
            let mut targets = self
                .units
                .iter()
                .filter_map(|unit| is_number_at(unit.declaration, path))
                .peekable();
            targets.peek().is_some() && targets.all(|is_number| is_number)
        });
        lengths
    }
}

/// Returns whether the value at a path is a number; `None` if the declaration has no such path.
fn is_number_at(declaration: &Declaration, path: &[Segment]) -> Option<bool> {
    let mut fields = path.iter().filter_map(|segment| segment.name());
    let first = fields.next()?;
    let mut field = declaration.fields().find(|field| field.name == first)?;
    for name in fields {
        field = field
            .content_type()
            .flatten()
            .item
            .declaration()?
            .fields()
            .find(|field| field.name == name)?;
    }
    Some(field.content_type().int_type().is_some())
}
