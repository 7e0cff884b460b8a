//! Stored values that equations determine.

use std::collections::HashMap;

use super::space::RegionId;
use crate::layout::declaration::{BitField, BitRange, Type};
use crate::layout::program::{Cell, Code, Mark, field_value};
use crate::layout::walk::Segment;

/// Numbers by path.
pub(super) type Numbers = HashMap<Vec<Segment>, i128>;

/// Index of a [`Leaf`].
pub(super) type LeafId = usize;

/// The origin of the value in a slot.
#[derive(Clone, Copy, Default, PartialEq)]
pub(super) enum Origin {
    /// A final value, or one that is not stored.
    #[default]
    Other,
    /// A stored value that is never recomputed.
    Fixed,
    /// A stored value that equations may determine, or some of its bits.
    Leaf(LeafId, Option<(BitRange, &'static BitField)>),
}

/// A stored value that is omitted or may be recomputed, or a field of such a packed word.
pub(super) struct Leaf {
    pub(super) path: Vec<Segment>,
    pub(super) kind: LeafKind,
    /// The equation that determines the value.
    pub(super) cause: Option<Cause>,
    /// The value when a choice or packed bytes first depended on it.
    relied_on: Option<Option<i128>>,
}

pub(super) enum LeafKind {
    /// A whole value.
    Whole {
        region: RegionId,
        at: u64,
        ty: &'static Type,
        value: Option<i128>,
        is_left_out: bool,
        is_written: bool,
        /// The bit fields of the packed word that are never recomputed.
        fixed: Vec<&'static str>,
        parts: Vec<LeafId>,
    },
    /// A field of a packed word.
    Bits(LeafId, BitRange, &'static BitField),
}

/// The equation that determined a value.
#[derive(Clone)]
pub(super) struct Cause {
    /// The path of the written field.
    pub(super) path: Vec<Segment>,
    /// The property of the field, such as its size or offset.
    pub(super) what: &'static str,
    pub(super) number: i128,
}

/// All leaves of a run.
#[derive(Default)]
pub(super) struct Leaves(Vec<Leaf>);

impl Mark for Origin {
    fn of_argument(code: &Code, origins: &[Origin]) -> Origin {
        match code {
            Code::Slot(slot, _) => origins[*slot as usize],
            Code::Bits(slot, bits, field) => origins[*slot as usize].bits(*bits, field),
            Code::Cast(inner, _) => Origin::of_argument(inner, origins),
            _ => Origin::Other,
        }
    }
}

impl Origin {
    /// Returns the origin of a bit field of the value.
    fn bits(self, bits: BitRange, field: &'static BitField) -> Origin {
        match self {
            Origin::Leaf(leaf, outer) => {
                let offset = outer.map_or(0, |(outer, _)| outer.offset) + bits.offset;
                Origin::Leaf(leaf, Some((BitRange { offset, ..bits }, field)))
            }
            other => other,
        }
    }
}

impl Leaf {
    pub(super) fn is_left_out(&self) -> bool {
        matches!(self.kind, LeafKind::Whole { is_left_out: true, .. })
    }
}

impl Leaves {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn get(&self, id: LeafId) -> &Leaf {
        &self.0[id]
    }

    pub(super) fn get_mut(&mut self, id: LeafId) -> &mut Leaf {
        &mut self.0[id]
    }

    pub(super) fn add(&mut self, path: &[Segment], kind: LeafKind) -> LeafId {
        self.0.push(Leaf { path: path.to_vec(), kind, cause: None, relied_on: None });
        self.0.len() - 1
    }

    /// Returns the leaf at an origin; `None` for other values and for fixed fields of a word.
    pub(super) fn find(&self, origin: Origin) -> Option<LeafId> {
        let Origin::Leaf(whole, bits) = origin else { return None };
        let Some((bits, _)) = bits else { return Some(whole) };
        let LeafKind::Whole { parts, .. } = &self.0[whole].kind else { return None };
        let is_it = |part: &&LeafId| matches!(self.0[**part].kind, LeafKind::Bits(_, own, _) if own == bits);
        parts.iter().find(is_it).copied()
    }

    /// Returns the leaf at an origin, and adds it if it is a bit field; `None` as in [`find`](Leaves::find).
    pub(super) fn at(&mut self, origin: Origin) -> Option<LeafId> {
        if let (None, Origin::Leaf(whole, Some((bits, field)))) = (self.find(origin), origin) {
            let path = [&self.0[whole].path[..], &[Segment::Field(field.name)]].concat();
            let id = self.0.len();
            match &mut self.0[whole].kind {
                LeafKind::Whole { fixed, parts, .. } if !fixed.contains(&field.name) => parts.push(id),
                _ => return None,
            }
            self.add(&path, LeafKind::Bits(whole, bits, field));
        }
        self.find(origin)
    }

    /// Returns `true` if a value of this origin is never recomputed.
    pub(super) fn is_fixed(&self, origin: Origin) -> bool {
        match origin {
            Origin::Other => false,
            Origin::Fixed => true,
            Origin::Leaf(whole, bits) => bits.is_some_and(|(_, field)| {
                matches!(&self.0[whole].kind, LeafKind::Whole { fixed, .. } if fixed.contains(&field.name))
            }),
        }
    }

    /// Returns the leaf of the whole value.
    pub(super) fn whole(&self, id: LeafId) -> LeafId {
        match self.0[id].kind {
            LeafKind::Whole { .. } => id,
            LeafKind::Bits(whole, ..) => whole,
        }
    }

    /// Returns the current value; `None` if it is unknown.
    pub(super) fn value(&self, id: LeafId) -> Option<i128> {
        match &self.0[id].kind {
            LeafKind::Whole { value, .. } => *value,
            LeafKind::Bits(whole, bits, field) => {
                Some(field_value(self.value(*whole)? as u128, *bits, field).int())
            }
        }
    }

    /// Returns the current value of a slot with this origin; `None` for other origins and unknown values.
    pub(super) fn cell(&self, origin: Origin) -> Option<Cell> {
        let Origin::Leaf(whole, bits) = origin else { return None };
        let value = self.value(whole)?;
        Some(match bits {
            Some((bits, field)) => field_value(value as u128, bits, field).into(),
            None => Cell::Int(value),
        })
    }

    /// Records that a result depends on the current value.
    pub(super) fn rely_on(&mut self, id: LeafId) {
        let value = self.value(id);
        self.0[id].relied_on.get_or_insert(value);
    }

    /// Returns `true` if a result depends on a value that changed later.
    pub(super) fn has_stale(&self) -> bool {
        let mut leaves = self.0.iter().enumerate();
        leaves.any(|(id, leaf)| leaf.relied_on.is_some_and(|value| value != self.value(id)))
    }

    /// Returns all values determined by equations.
    pub(super) fn determined(&self) -> Numbers {
        let leaves = self.0.iter().enumerate().filter(|(_, leaf)| leaf.cause.is_some());
        leaves.filter_map(|(id, leaf)| Some((leaf.path.clone(), self.value(id)?))).collect()
    }

    /// Returns the path of the first omitted value that no equation determines.
    pub(super) fn first_unknown(&self) -> Option<&[Segment]> {
        let is_unknown = |leaf: &&Leaf| leaf.cause.is_none() && leaf.is_left_out();
        self.0.iter().find(is_unknown).map(|leaf| &leaf.path[..])
    }
}
