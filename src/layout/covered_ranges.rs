//! Finds the bytes of a file that no field covers.

use std::ops::Range;

use crate::Span;

/// The byte ranges of the values added so far.
#[derive(Debug, Default)]
pub(super) struct CoveredRanges(Vec<Range<u64>>);

impl CoveredRanges {
    /// Adds the range of a value. Ignores values in unpacked blocks.
    pub fn add(&mut self, span: &Span) {
        let Span::Bytes(range) = span else { return };
        match self.0.last_mut() {
            // Extends the last range, since most values follow the previous one.
            Some(last) if (last.start..=last.end).contains(&range.start) => {
                last.end = last.end.max(range.end)
            }
            _ => self.0.push(range.clone()),
        }
    }

    /// Returns the uncovered ranges of a file of `size` bytes, in ascending order.
    pub fn gaps(mut self, size: u64) -> Vec<Range<u64>> {
        self.0.sort_unstable_by_key(|range| range.start);
        self.0.push(size..size);
        let mut end = 0;
        let mut gaps = Vec::new();
        for range in self.0 {
            if range.start > end {
                gaps.push(end..range.start);
            }
            end = end.max(range.end);
        }
        gaps
    }
}
