//! Variables: stored values that equations may determine.

use std::collections::HashMap;

use super::sparse_buffer::RegionId;
use crate::layout::declaration::{BitField, BitRange, Type};
use crate::layout::expr::Operand;
use crate::layout::program::{Cell, Code, SlotMark, field_value};
use crate::layout::walk::Segment;

/// Numbers by path.
pub(super) type NumbersByPath = HashMap<Vec<Segment>, i128>;

/// Index of a [`Variable`].
pub(super) type VariableId = usize;

/// The origin of the value in a slot of a unit.
#[derive(Clone, Copy, Default, PartialEq)]
pub(super) enum SlotOrigin {
    /// A value that cannot change, or a value that is not stored.
    #[default]
    Other,
    /// A stored value that is never recomputed.
    Fixed,
    /// A variable, or a bit field of it.
    Variable(VariableId, Option<(BitRange, &'static BitField)>),
    /// A look-ahead: the variable of this type at an offset of a region.
    LookAhead(RegionId, u64, &'static Type),
}

/// A stored value that is omitted or may be recomputed, or a bit field of it.
pub(super) struct Variable {
    pub path: Vec<Segment>,
    pub kind: VariableKind,
    /// The equation or checksum that determined the value; `None` if undetermined.
    pub cause: Option<Cause>,
    /// The value when written bytes first depended on it; the outer `Option` is `None` if no bytes do.
    value_when_used: Option<Option<i128>>,
}

pub(super) enum VariableKind {
    /// A whole value.
    Whole {
        region: RegionId,
        at: u64,
        ty: &'static Type,
        value: Option<i128>,
        is_omitted: bool,
        is_written: bool,
        /// The names of the bit fields that are never recomputed.
        fixed_fields: Vec<&'static str>,
        /// The bit fields that are variables themselves.
        bit_fields: Vec<VariableId>,
    },
    /// A bit field: the variable of its packed word, and its range in the word.
    Bits(VariableId, BitRange, &'static BitField),
}

/// A property of a written field from which an equation follows.
#[derive(Clone)]
pub(super) struct Cause {
    /// The path of the written field.
    pub path: Vec<Segment>,
    /// The property of the field, such as its size or offset.
    pub property: &'static str,
    /// The value of the property.
    pub number: i128,
}

/// The variables of a run.
#[derive(Default)]
pub(super) struct Variables {
    variables: Vec<Variable>,
    /// The whole value at each place.
    by_place: HashMap<(RegionId, u64), VariableId>,
}

impl SlotMark for SlotOrigin {
    fn of_argument(code: &Code, origins: &[SlotOrigin]) -> SlotOrigin {
        match code {
            Code::Slot(slot, _) => origins[*slot as usize],
            Code::Bits(slot, bits, field) => origins[*slot as usize].bit_field(*bits, field),
            Code::Cast(inner, _) => SlotOrigin::of_argument(inner, origins),
            _ => SlotOrigin::Other,
        }
    }
}

impl SlotOrigin {
    /// Returns the origin of a bit field in the value.
    fn bit_field(self, bits: BitRange, field: &'static BitField) -> SlotOrigin {
        let SlotOrigin::Variable(variable, outer) = self else {
            return self;
        };
        let offset = outer.map_or(0, |(outer, _)| outer.offset) + bits.offset;
        SlotOrigin::Variable(variable, Some((BitRange { offset, ..bits }, field)))
    }
}

impl Variable {
    pub fn is_omitted(&self) -> bool {
        matches!(
            self.kind,
            VariableKind::Whole {
                is_omitted: true,
                ..
            }
        )
    }
}

impl Variables {
    pub fn is_empty(&self) -> bool {
        self.variables.is_empty()
    }

    pub fn len(&self) -> usize {
        self.variables.len()
    }

    pub fn get(&self, id: VariableId) -> &Variable {
        &self.variables[id]
    }

    pub fn get_mut(&mut self, id: VariableId) -> &mut Variable {
        &mut self.variables[id]
    }

    pub fn add(&mut self, path: &[Segment], kind: VariableKind) -> VariableId {
        let id = self.variables.len();
        if let VariableKind::Whole { region, at, .. } = kind {
            self.by_place.insert((region, at), id);
        }
        self.variables.push(Variable {
            path: path.to_vec(),
            kind,
            cause: None,
            value_when_used: None,
        });
        id
    }

    /// Returns the variable of an origin; `None` if the value or bit field is not a variable.
    pub fn find(&self, origin: SlotOrigin) -> Option<VariableId> {
        let (whole, bits) = match origin {
            SlotOrigin::Variable(whole, bits) => (whole, bits),
            SlotOrigin::LookAhead(region, at, ty) => return self.find_at(region, at, ty),
            SlotOrigin::Other | SlotOrigin::Fixed => return None,
        };
        let Some((bits, _)) = bits else {
            return Some(whole);
        };
        let VariableKind::Whole { bit_fields, .. } = &self.variables[whole].kind else {
            return None;
        };
        let is_this_field = |id: &&VariableId| matches!(self.variables[**id].kind, VariableKind::Bits(_, range, _) if range == bits);
        bit_fields.iter().find(is_this_field).copied()
    }

    /// Returns the variable at a place; `None` if it has another type.
    fn find_at(&self, region: RegionId, at: u64, ty: &Type) -> Option<VariableId> {
        let id = *self.by_place.get(&(region, at))?;
        let is_same =
            matches!(self.variables[id].kind, VariableKind::Whole { ty: own, .. } if own == ty);
        is_same.then_some(id)
    }

    /// Returns the variable of an origin, and adds a variable for a bit field without one. Returns `None` if the value
    /// is not a variable, or the bit field is never recomputed.
    pub fn find_or_add(&mut self, origin: SlotOrigin) -> Option<VariableId> {
        if self.is_fixed(origin) {
            return None;
        }
        if let (None, SlotOrigin::Variable(whole, Some((bits, field)))) =
            (self.find(origin), origin)
        {
            let path = [
                &self.variables[whole].path[..],
                &[Segment::Field(field.name)],
            ]
            .concat();
            let id = self.variables.len();
            let VariableKind::Whole { bit_fields, .. } = &mut self.variables[whole].kind else {
                return None;
            };
            bit_fields.push(id);
            self.add(&path, VariableKind::Bits(whole, bits, field));
        }
        self.find(origin)
    }

    /// Returns `true` if this is the origin of a stored value that is never recomputed.
    pub fn is_fixed(&self, origin: SlotOrigin) -> bool {
        match origin {
            SlotOrigin::Other | SlotOrigin::LookAhead(..) => false,
            SlotOrigin::Fixed => true,
            SlotOrigin::Variable(whole, bits) => {
                bits.is_some_and(|(_, field)| match &self.variables[whole].kind {
                    VariableKind::Whole { fixed_fields, .. } => fixed_fields.contains(&field.name),
                    VariableKind::Bits(..) => false,
                })
            }
        }
    }

    /// Returns the variable of the packed word that contains a bit field; for other variables, `id` itself.
    pub fn whole_variable(&self, id: VariableId) -> VariableId {
        if let VariableKind::Bits(whole, ..) = self.variables[id].kind {
            whole
        } else {
            id
        }
    }

    /// Returns the current value; `None` if it is unknown.
    pub fn value(&self, id: VariableId) -> Option<i128> {
        match &self.variables[id].kind {
            VariableKind::Whole { value, .. } => *value,
            VariableKind::Bits(whole, bits, field) => {
                Some(field_value(self.value(*whole)? as u128, *bits, field).to_int())
            }
        }
    }

    /// Returns the current value of a slot with this origin; `None` if the value is unknown or not a variable.
    pub fn cell(&self, origin: SlotOrigin) -> Option<Cell> {
        let (whole, bits) = match origin {
            SlotOrigin::Variable(whole, bits) => (whole, bits),
            origin => (self.find(origin)?, None),
        };
        let value = self.value(whole)?;
        let field_value = |(bits, field)| field_value(value as u128, bits, field);
        Some(Cell::Number(bits.map_or(Operand::Int(value), field_value)))
    }

    /// Records that written bytes depend on the current value.
    pub fn record_dependency(&mut self, id: VariableId) {
        let value = self.value(id);
        self.variables[id].value_when_used.get_or_insert(value);
    }

    /// Returns `true` if a value changed after bytes that depend on it were written.
    pub fn has_stale_dependency(&self) -> bool {
        let mut variables = self.variables.iter().enumerate();
        variables.any(|(id, variable)| {
            variable
                .value_when_used
                .is_some_and(|value| value != self.value(id))
        })
    }

    /// Returns the determined values with their paths, in the order in which they were written.
    pub fn determined(&self) -> Vec<(&[Segment], i128)> {
        let variables = self.variables.iter().enumerate();
        variables
            .filter(|(_, variable)| variable.cause.is_some())
            .filter_map(|(id, variable)| Some((&variable.path[..], self.value(id)?)))
            .collect()
    }

    /// Returns the path of the first omitted value that no equation determines.
    pub fn first_undetermined(&self) -> Option<&[Segment]> {
        let is_unknown = |variable: &&Variable| variable.cause.is_none() && variable.is_omitted();
        self.variables
            .iter()
            .find(is_unknown)
            .map(|variable| &variable.path[..])
    }
}
