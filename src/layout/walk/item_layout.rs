//! Decodes single items of a list after the walk over the list.

use std::fmt;

use super::walker::{Interrupt, Space, Walker};
use super::{Fault, Visitor};
use crate::layout::program::{Cell, Frames, Item, Program, Unit};
use crate::{Limits, Span};

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
    /// If the sizes differ, the offset of every 64th item from the start of the list.
    pub(super) starts: Vec<u64>,
}

impl fmt::Debug for ItemLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ItemLayout")
            .field("type", self.program.forms[self.item.form].ty)
            .field("stride", &self.stride)
            .field("starts", &self.starts.len())
            .finish_non_exhaustive()
    }
}

impl ItemLayout {
    /// Returns the offset of an item in the bytes of its list.
    pub fn start_of(&self, index: u64, list: &[u8]) -> Option<u64> {
        if let Some(stride) = self.stride {
            return stride.checked_mul(index);
        }
        let indexed = usize::try_from(index / INDEXED_ITEMS).ok()?;
        let mut at = *self.starts.get(indexed)?;
        for _ in 0..index % INDEXED_ITEMS {
            at = self.end_of(at, list)?;
        }
        Some(at)
    }

    /// Returns the end of the item at the offset `at` in the bytes of its list.
    pub fn end_of(&self, at: u64, list: &[u8]) -> Option<u64> {
        match self.stride {
            Some(stride) => at.checked_add(stride),
            None => {
                let span = Span::Bytes(0..list.len() as u64);
                self.walk_item(list, &span, at, &mut ()).ok()
            }
        }
    }

    /// Walks over the item at the offset `at` of the list with these bytes and this span, as a value with an empty path.
    /// Returns the end of the item.
    pub fn walk_item(
        &self,
        list: &[u8],
        span: &Span,
        at: u64,
        visitor: &mut dyn Visitor,
    ) -> Result<u64, Fault> {
        let limits = Limits::default();
        let mut walker = Walker::in_unit(
            self.program,
            &limits,
            visitor,
            Frames::resume(self.program, self.unit, &self.cells),
        );
        match walker.walk_value(&Space::at(list, span), at, &self.item) {
            Ok(end) => Ok(end),
            Err(Interrupt::Stopped) => Ok(at),
            Err(Interrupt::Fault(fault)) => Err(*fault),
        }
    }
}
