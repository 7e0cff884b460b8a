//! The layout of the items of a list, kept after the walk over the list.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Range;

use crate::layout::declaration::Type;
use crate::layout::program::{Argument, Cell, FormKind, Frames, Item, Program, Step, Unit};

/// The offset of every item with an index divisible by this number is stored. The items between are walked, so a larger
/// number would save memory, but slow down the access to single items.
pub(super) const INDEXED_ITEMS: u64 = 64;

/// All that is needed to decode any item of a list.
pub(crate) struct ItemLayout {
    pub(super) program: &'static Program,
    /// The type of the items, and their arguments.
    pub(super) item: Item,
    /// The unit that contains the list, and its slots when the list was read.
    pub(super) unit: Option<&'static Unit>,
    pub(super) cells: Vec<Cell>,
    /// The size of every item in bytes; `None` if the sizes differ.
    pub(super) stride: Option<u64>,
    /// If the sizes differ, the offset of every 64th item from the start of the list. If the last items have no bytes,
    /// their offsets are missing.
    pub(super) starts: Vec<u64>,
    /// The bytes after the list that the look-aheads of its last item may read.
    pub(super) following: Vec<u8>,
}

/// The look-aheads of an item.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::layout) struct Lookaheads {
    /// The size of the largest one in bytes.
    pub size: usize,
    /// Whether all of them start with the item.
    pub are_at_start: bool,
}

impl Lookaheads {
    /// Returns an upper bound on the end of the bytes that an item and its look-aheads read.
    pub fn end_after(self, item: &Range<usize>) -> usize {
        if self.are_at_start {
            item.end.max(item.start.saturating_add(self.size))
        } else {
            item.end.saturating_add(self.size)
        }
    }
}

impl fmt::Debug for ItemLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ItemLayout")
            .field("type", self.ty())
            .field("stride", &self.stride)
            .field("starts", &self.starts.len())
            .finish_non_exhaustive()
    }
}

impl ItemLayout {
    /// Creates the layout of items in the innermost unit of `frames`. The arguments are as at the fields.
    pub fn new(
        program: &'static Program,
        item: Item,
        frames: &Frames,
        stride: Option<u64>,
        starts: Vec<u64>,
    ) -> ItemLayout {
        let visible = frames.visible_values();
        ItemLayout {
            program,
            item,
            unit: visible.unit,
            cells: visible.cells.to_vec(),
            stride,
            starts,
            following: Vec::new(),
        }
    }

    /// Returns `true` if the offset of the item with this index is stored.
    pub fn is_indexed(index: u64) -> bool {
        index.is_multiple_of(INDEXED_ITEMS)
    }

    #[cfg(feature = "serde")]
    pub fn program(&self) -> &'static Program {
        self.program
    }

    /// Returns the item for each value of the list.
    #[cfg(feature = "serde")]
    pub fn item(&self) -> Item {
        self.item
    }

    /// Returns the look-aheads of an item.
    pub fn lookaheads(&self) -> Lookaheads {
        let form = &self.program.forms[self.item.form];
        Lookaheads {
            size: usize::try_from(form.lookahead_size).unwrap_or(usize::MAX),
            are_at_start: match form.kind {
                FormKind::Struct(unit) => self.looks_ahead_at_start(&self.program.units[unit]),
                _ => false,
            },
        }
    }

    /// Returns `true` if a struct has no look-aheads except those before its first field.
    fn looks_ahead_at_start(&self, unit: &Unit) -> bool {
        let fields = unit.steps.iter().skip_while(|step| step.field.lookahead);
        let has_lookahead = |step: &Step| {
            step.field.lookahead || self.program.forms[step.content().0].lookahead_size > 0
        };
        unit.declaration.magic.is_empty() && !fields.clone().any(has_lookahead)
    }

    /// Returns `true` if items with these layouts have the same values if they and their look-aheads read the same
    /// bytes.
    pub fn decodes_like(&self, other: &ItemLayout) -> bool {
        std::ptr::eq(self.program, other.program)
            && self.item.form == other.item.form
            && self.arguments() == other.arguments()
    }

    /// Hashes all that determines the value of an item, except the bytes.
    pub fn hash_encoding(&self, hasher: &mut impl Hasher) {
        std::ptr::from_ref(self.program).hash(hasher);
        self.item.form.hash(hasher);
        format!("{:?}", self.arguments()).hash(hasher);
    }

    /// Returns the arguments of each item; `None` for those without a value.
    fn arguments(&self) -> Vec<Option<Cell>> {
        let codes = self.item.arguments.iter().flat_map(Argument::codes);
        codes.map(|code| code.eval_cell(&self.cells).ok()).collect()
    }

    /// Returns the frames in the unit that contains the list.
    pub fn frames(&self) -> Frames {
        Frames::resume(self.program, self.unit, &self.cells)
    }

    /// Returns the type of the items.
    pub fn ty(&self) -> &'static Type {
        self.program.forms[self.item.form].ty
    }

    pub fn following(&self) -> &[u8] {
        &self.following
    }
}
