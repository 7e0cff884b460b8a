//! Decodes single items of a list after the walk over the list.

use super::item_layout::{INDEXED_ITEMS, ItemLayout};
use super::space::Space;
use super::walker::{Interrupt, Walker};
use super::{Fault, SkipAll, Visitor};
use crate::{Limits, Span};

impl ItemLayout {
    /// Returns the offset of an item in the bytes of its list, which ends at `end`.
    pub fn start_of(&self, index: u64, list: &[u8], end: u64) -> Option<u64> {
        if let Some(stride) = self.stride {
            return stride.checked_mul(index);
        }
        let indexed = usize::try_from(index / INDEXED_ITEMS).ok()?;
        // Items without an offset have no bytes.
        let Some(start) = self.starts.get(indexed) else {
            return Some(end);
        };
        let mut at = *start;
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
                self.walk_item(list, &span, at, &mut SkipAll).ok()
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
        // The walk over the list has enforced the limits.
        let limits = Limits::default()
            .with_max_decoded(u64::MAX)
            .with_max_empty_items(u64::MAX);
        let mut walker = Walker::in_unit(self.program, &limits, visitor, self.frames());
        match walker.walk_value(&Space::at(list, span), at, &self.item) {
            Ok(end) => Ok(end),
            // The visitors of items never end a walk.
            Err(Interrupt::Stopped) => Ok(at),
            Err(Interrupt::Fault(fault)) => Err(*fault),
        }
    }
}
