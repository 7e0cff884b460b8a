//! Byte buffers that track which ranges are written.

use std::collections::BTreeMap;
use std::ops::Range;

/// The index of a region and its space.
pub(super) type RegionId = usize;

/// The bytes of a file, of a packed block's content, or of a field whose offset is not final.
pub(super) struct Space {
    bytes: Vec<u8>,
    /// The written ranges before `tail`, disjoint, as a map from start to end.
    written: BTreeMap<u64, u64>,
    /// The last written range.
    tail: Range<u64>,
    max: u64,
}

/// The reason why bytes cannot be written.
pub(super) enum Rejected {
    /// The space would exceed its limit.
    TooLarge(String),
    /// Other bytes were already written there.
    Clash(String),
}

impl Space {
    /// Returns an empty space for up to `max` bytes.
    pub(super) fn new(max: u64) -> Space {
        Space { bytes: Vec::new(), written: BTreeMap::new(), tail: 0..0, max }
    }

    pub(super) fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Returns the bytes of a range; `None` unless all of them are written.
    pub(super) fn get(&self, range: Range<u64>) -> Option<&[u8]> {
        if !(self.tail.start <= range.start && range.end <= self.tail.end) {
            self.written.range(..=range.start).next_back().filter(|(_, end)| range.end <= **end)?;
        }
        self.bytes.get(range.start as usize..range.end as usize)
    }

    /// Returns the written ranges in order.
    pub(super) fn written(&self) -> impl Iterator<Item = Range<u64>> {
        let tail = (!self.tail.is_empty()).then(|| self.tail.clone());
        self.written.iter().map(|(start, end)| *start..*end).chain(tail)
    }

    fn bounded_end(&self, at: u64, size: u64) -> Result<u64, Rejected> {
        let end = at.saturating_add(size);
        if end > self.max {
            let message = format!("ends at {end:#x}, beyond the limit of {} bytes", self.max);
            return Err(Rejected::TooLarge(message));
        }
        Ok(end)
    }

    /// Extends the space over a range that is written later.
    pub(super) fn reserve(&mut self, at: u64, size: u64) -> Result<(), Rejected> {
        // An empty range may have any offset.
        if size > 0 {
            let end = self.bounded_end(at, size)?;
            self.bytes.resize(self.bytes.len().max(end as usize), 0);
        }
        Ok(())
    }

    /// Writes `bytes` at an offset. Bytes already written there must be equal.
    pub(super) fn write(&mut self, at: u64, bytes: &[u8]) -> Result<(), Rejected> {
        if bytes.is_empty() {
            return Ok(());
        }
        let end = self.bounded_end(at, bytes.len() as u64)?;
        if at < self.len() {
            self.close_tail();
            return self.overwrite(at..end, bytes);
        }
        if at != self.tail.end {
            self.close_tail();
            let adjoining = self.written.last_entry().filter(|last| *last.get() == at);
            self.tail = adjoining.map_or(at, |last| last.remove_entry().0)..at;
        }
        self.bytes.resize(at as usize, 0);
        self.bytes.extend_from_slice(bytes);
        self.tail.end = end;
        Ok(())
    }

    /// Replaces written bytes.
    pub(super) fn replace(&mut self, at: u64, bytes: &[u8]) {
        if let Some(place) = self.bytes.get_mut(at as usize..at as usize + bytes.len()) {
            place.copy_from_slice(bytes);
        }
    }

    /// Moves the tail to the other ranges.
    fn close_tail(&mut self) {
        let Range { start, end } = self.tail;
        if start < end {
            self.written.insert(start, end);
        }
        // Matches no offset, so an empty tail is never extended.
        self.tail = u64::MAX..u64::MAX;
    }

    fn overwrite(&mut self, range: Range<u64>, bytes: &[u8]) -> Result<(), Rejected> {
        let touched = self.touched(&range);
        for written in &touched {
            let both = written.start.max(range.start)..written.end.min(range.end);
            let new = (both.start - range.start) as usize..;
            let old = self.bytes.get(both.start as usize..both.end as usize).unwrap_or_default();
            if !bytes[new].starts_with(old) {
                let message = format!("overlaps other values, at {:#x}..{:#x}", both.start, both.end);
                return Err(Rejected::Clash(message));
            }
        }
        let end = self.bytes.len().max(range.end as usize);
        self.bytes.resize(end, 0);
        self.bytes[range.start as usize..range.end as usize].copy_from_slice(bytes);
        for written in &touched {
            self.written.remove(&written.start);
        }
        let start = touched.first().map_or(range.start, |written| written.start.min(range.start));
        let end = touched.last().map_or(range.end, |written| written.end.max(range.end));
        self.written.insert(start, end);
        Ok(())
    }

    /// Returns the closed ranges that overlap or adjoin a range, in order.
    fn touched(&self, range: &Range<u64>) -> Vec<Range<u64>> {
        let before = self.written.range(..=range.end).rev();
        let touched = before.take_while(|(_, end)| **end >= range.start).map(|(start, end)| *start..*end);
        let mut touched: Vec<_> = touched.collect();
        touched.reverse();
        touched
    }

    /// Writes those of `bytes` that fall on unwritten positions.
    pub(super) fn fill(&mut self, at: u64, bytes: &[u8]) -> Result<(), Rejected> {
        self.close_tail();
        let end = at.saturating_add(bytes.len() as u64);
        let mut free = Vec::new();
        let mut start = at;
        for written in self.touched(&(at..end)) {
            free.extend((written.start > start).then_some(start..written.start));
            start = start.max(written.end);
        }
        free.extend((start < end).then_some(start..end));
        free.into_iter().try_for_each(|range| {
            self.write(range.start, &bytes[(range.start - at) as usize..(range.end - at) as usize])
        })
    }
}
