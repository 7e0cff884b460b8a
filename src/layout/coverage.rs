//! Which bytes of a file no field covers.

use std::ops::Range;

use crate::Span;

/// The bytes of the file that were reported.
#[derive(Debug, Default)]
pub(super) struct Coverage(Vec<Range<u64>>);

impl Coverage {
    /// Notes a value; those in unpacked blocks do not count.
    pub(super) fn add(&mut self, span: &Span) {
        let Span::Bytes(range) = span else { return };
        match self.0.last_mut() {
            // Mostly, a field follows the one before it.
            Some(last) if (last.start..=last.end).contains(&range.start) => {
                last.end = last.end.max(range.end)
            }
            _ => self.0.push(range.clone()),
        }
    }

    /// The gaps between the values and behind them, in a file of this size.
    pub(super) fn gaps(mut self, size: u64) -> Vec<Range<u64>> {
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
