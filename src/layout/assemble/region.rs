//! Regions of the output: the file, unpacked blocks, and fields whose offsets are not final.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::equation::SlotSnapshot;
use super::sparse_buffer::{RegionId, SparseBuffer};
use crate::layout::program::Code;
use crate::layout::walk::Segment;

/// A part of the output with its own offsets, which start at 0.
pub(super) struct Region {
    pub buffer: SparseBuffer,
    /// The region from whose start explicit offsets count: for a file or unpacked block, this region.
    pub base: RegionId,
    pub state: RegionState,
    /// The largest end of a field at an explicit offset.
    pub placed_end: u64,
    /// The fields at explicit offsets; those with final offsets only if values are recomputed.
    pub placed_fields: Vec<PlacedField>,
}

pub(super) enum RegionState {
    /// Being written.
    Open,
    /// Copied to another region, at this offset.
    Moved(RegionId, u64),
    /// Packed, so its bytes can no longer change.
    Packed,
}

/// A field at an explicit offset.
pub(super) struct PlacedField {
    pub path: Vec<Segment>,
    /// The region with the field's bytes, its offset expression and the slots; `None` if the offset is final.
    pub pending: Option<(RegionId, &'static Code, SlotSnapshot)>,
    /// The offset; `None` if unknown.
    pub at: Option<u64>,
    pub size: u64,
    /// The range in the original file; `None` for a new field.
    pub origin: Option<Range<u64>>,
}

/// Assigns offsets to fields. A field that outgrows its padding moves everything after it; new fields are appended.
pub(super) struct Placement {
    /// The alignment of assigned offsets in bytes.
    alignment: u64,
    /// The total number of bytes inserted up to an offset of the original file or block, by that offset.
    growths: BTreeMap<u64, u64>,
    /// The end of the fields placed so far, at which new fields are appended.
    end: u64,
}

impl PlacedField {
    /// Returns the end of the field before other fields move; `None` if its offset is unknown.
    pub fn end(&self) -> Option<u64> {
        self.origin
            .as_ref()
            .map(|origin| origin.start)
            .or(self.at)?
            .checked_add(self.size)
    }

    /// Returns the original end of the field, and its growth beyond the padding; `None` if it is new or was empty.
    fn growth(&self, padding: &HashMap<u64, u64>) -> Option<(u64, u64)> {
        let origin = self.origin.as_ref().filter(|origin| !origin.is_empty())?;
        let growth = self.size.saturating_sub(origin.end - origin.start);
        Some((
            origin.end,
            growth.saturating_sub(padding.get(&origin.end).copied().unwrap_or(0)),
        ))
    }
}

impl Placement {
    /// Creates a placement for a region that ends at `end` before any field moves. `padding` maps offsets of the
    /// original file to the number of free bytes there.
    pub fn new<'c>(
        alignment: u64,
        placed_fields: impl IntoIterator<Item = &'c PlacedField>,
        end: u64,
        padding: &HashMap<u64, u64>,
    ) -> Placement {
        let mut growths: BTreeMap<u64, u64> = BTreeMap::new();
        for (end, growth) in placed_fields
            .into_iter()
            .filter_map(|placed| placed.growth(padding))
        {
            let largest = growths.entry(end).or_default();
            *largest = align_up(growth, alignment).max(*largest);
        }
        growths.retain(|_, growth| *growth > 0);
        let mut total: u64 = 0;
        for growth in growths.values_mut() {
            total = total.saturating_add(*growth);
            *growth = total;
        }
        Placement {
            alignment,
            growths,
            end: end.saturating_add(total),
        }
    }

    /// Returns the new offset of a field, and reserves its range if it is new or was empty.
    pub fn offset_for(&mut self, placed: &PlacedField) -> u64 {
        match &placed.origin {
            origin if placed.size == 0 => {
                let original = origin
                    .as_ref()
                    .map(|origin| self.moved_offset(origin.start));
                placed.at.or(original).unwrap_or(0)
            }
            Some(origin) if !origin.is_empty() => self.moved_offset(origin.start),
            _ => {
                let start = align_up(self.end, self.alignment);
                self.end = start.saturating_add(placed.size);
                start
            }
        }
    }

    /// Returns the new offset of a byte, given its offset in the original file.
    pub fn moved_offset(&self, offset: u64) -> u64 {
        let inserted = self
            .growths
            .range(..=offset)
            .next_back()
            .map_or(0, |(_, total)| *total);
        offset.saturating_add(inserted)
    }
}

/// Rounds an offset up to a multiple of `alignment`; saturates.
fn align_up(offset: u64, alignment: u64) -> u64 {
    offset
        .checked_next_multiple_of(alignment)
        .unwrap_or(u64::MAX)
}
