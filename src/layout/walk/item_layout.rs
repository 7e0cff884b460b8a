//! The layout of the items of a list, kept after the walk over the list.

use std::fmt;

use crate::layout::declaration::Type;
use crate::layout::program::{Cell, Frames, Item, Program, Unit};

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
