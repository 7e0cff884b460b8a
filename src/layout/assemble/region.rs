//! Regions of the output: the file, unpacked blocks, and fields whose offsets are not final.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::equation::Bound;
use super::space::{RegionId, Space};
use crate::layout::program::Code;
use crate::layout::walk::Segment;

/// A part of the output whose offsets start at 0.
pub(super) struct Region {
    pub(super) space: Space,
    /// The region whose start offsets count from: itself for a file or unpacked block.
    pub(super) base: RegionId,
    pub(super) state: State,
    /// The end of the last field at an explicit offset.
    pub(super) reached: u64,
    /// The fields at explicit offsets.
    pub(super) chunks: Vec<Chunk>,
}

pub(super) enum State {
    Open,
    /// Copied to this offset of another region.
    Moved(RegionId, u64),
    /// Packed; its bytes are final.
    Packed,
}

/// A field at an explicit offset.
pub(super) struct Chunk {
    pub(super) path: Vec<Segment>,
    /// The region and offset expression of the field; `None` if it already lies at its final offset.
    pub(super) pending: Option<(RegionId, &'static Code, Bound)>,
    /// The offset; `None` if unknown.
    pub(super) at: Option<u64>,
    pub(super) size: u64,
    /// The range in the original file.
    pub(super) origin: Option<Range<u64>>,
}

/// The placement of fields. A field that grows moves everything after it; fields without an offset are appended.
pub(super) struct Placement {
    alignment: u64,
    /// The total number of inserted bytes before offsets of the original file or block.
    growths: BTreeMap<u64, u64>,
    /// The end of the fields placed so far.
    end: u64,
}

impl Chunk {
    /// Returns the end of its bytes before anything moves; `None` if it has no offset.
    pub(super) fn end(&self) -> Option<u64> {
        let start = self.origin.as_ref().map(|origin| origin.start).or(self.at)?;
        start.checked_add(self.size)
    }

    /// Returns its original end, and its growth in bytes beyond the padding after it.
    fn growth(&self, padding: &HashMap<u64, u64>) -> Option<(u64, u64)> {
        let origin = self.origin.as_ref().filter(|origin| !origin.is_empty())?;
        let growth = self.size.saturating_sub(origin.end - origin.start);
        Some((origin.end, growth.saturating_sub(padding.get(&origin.end).copied().unwrap_or(0))))
    }
}

impl Placement {
    /// Creates a placement after the first `end` bytes of a region with these chunks. `padding` has the number of
    /// free bytes at offsets of the original file.
    pub(super) fn new<'c>(
        alignment: u64,
        chunks: impl IntoIterator<Item = &'c Chunk>,
        end: u64,
        padding: &HashMap<u64, u64>,
    ) -> Placement {
        let mut growths: BTreeMap<u64, u64> = BTreeMap::new();
        for (end, growth) in chunks.into_iter().filter_map(|chunk| chunk.growth(padding)) {
            let most = growths.entry(end).or_default();
            *most = aligned(growth, alignment).max(*most);
        }
        growths.retain(|_, growth| *growth > 0);
        let mut total: u64 = 0;
        for growth in growths.values_mut() {
            total = total.saturating_add(*growth);
            *growth = total;
        }
        Placement { alignment, growths, end: end.saturating_add(total) }
    }

    /// Returns the offset for a chunk.
    pub(super) fn place(&mut self, chunk: &Chunk) -> u64 {
        match &chunk.origin {
            _ if chunk.size == 0 => chunk.at.unwrap_or(0),
            Some(origin) if !origin.is_empty() => self.moved(origin.start),
            _ => {
                let place = aligned(self.end, self.alignment);
                self.end = place.saturating_add(chunk.size);
                place
            }
        }
    }

    /// Returns the new offset of a byte of the original file.
    pub(super) fn moved(&self, offset: u64) -> u64 {
        let inserted = self.growths.range(..=offset).next_back().map_or(0, |(_, total)| *total);
        offset.saturating_add(inserted)
    }
}

fn aligned(offset: u64, alignment: u64) -> u64 {
    offset.checked_next_multiple_of(alignment).unwrap_or(u64::MAX)
}
