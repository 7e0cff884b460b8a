//! A byte buffer that tracks which ranges are written.

use std::collections::BTreeMap;
use std::ops::Range;

/// The index of a region.
pub(super) type RegionId = usize;

/// The bytes of a region: a file, the content of a packed block, or a field whose offset is not final.
pub(super) struct SparseBuffer {
    bytes: Vec<u8>,
    /// The disjoint written ranges other than `tail`, as a map from start to end.
    written: BTreeMap<u64, u64>,
    /// The range that appending extends, stored separately for speed; empty if the last write was elsewhere.
    tail: Range<u64>,
    /// The maximum size in bytes.
    max: u64,
}

/// The error from writing to a [`SparseBuffer`], with its message.
pub(super) enum WriteError {
    /// The bytes would exceed the maximum size.
    TooLarge(String),
    /// Different bytes were already written in the same range.
    Clash(String),
}

impl SparseBuffer {
    /// Returns an empty buffer for up to `max` bytes.
    pub fn new(max: u64) -> SparseBuffer {
        SparseBuffer {
            bytes: Vec::new(),
            written: BTreeMap::new(),
            tail: 0..0,
            max,
        }
    }

    pub fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Returns the bytes of a range; `None` unless all of them are written.
    pub fn get(&self, range: Range<u64>) -> Option<&[u8]> {
        if !(self.tail.start <= range.start && range.end <= self.tail.end) {
            self.written
                .range(..=range.start)
                .next_back()
                .filter(|(_, end)| range.end <= **end)?;
        }
        self.bytes.get(range.start as usize..range.end as usize)
    }

    /// Returns the written ranges in order.
    pub fn written_ranges(&self) -> impl Iterator<Item = Range<u64>> {
        let tail = (!self.tail.is_empty()).then(|| self.tail.clone());
        self.written
            .iter()
            .map(|(start, end)| *start..*end)
            .chain(tail)
    }

    fn checked_end(&self, at: u64, size: u64) -> Result<u64, WriteError> {
        let end = at.saturating_add(size);
        if end > self.max {
            let message = format!("ends at {end:#x}, beyond the limit of {} bytes", self.max);
            return Err(WriteError::TooLarge(message));
        }
        Ok(end)
    }

    /// Extends the buffer to include a range that is written later.
    pub fn reserve(&mut self, at: u64, size: u64) -> Result<(), WriteError> {
        // The offset of an empty range is not limited.
        if size > 0 {
            let end = self.checked_end(at, size)?;
            self.bytes.resize(self.bytes.len().max(end as usize), 0);
        }
        Ok(())
    }

    /// Writes `bytes` at an offset. Bytes already written there must be equal.
    pub fn write(&mut self, at: u64, bytes: &[u8]) -> Result<(), WriteError> {
        if bytes.is_empty() {
            return Ok(());
        }
        let end = self.checked_end(at, bytes.len() as u64)?;
        if at < self.len() {
            self.close_tail();
            return self.write_overlapping(at..end, bytes);
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

    /// Overwrites bytes that are already written.
    pub fn replace(&mut self, at: u64, bytes: &[u8]) {
        if let Some(target) = self.bytes.get_mut(at as usize..at as usize + bytes.len()) {
            target.copy_from_slice(bytes);
        }
    }

    /// Moves the tail to `written`.
    fn close_tail(&mut self) {
        let Range { start, end } = self.tail;
        if start < end {
            self.written.insert(start, end);
        }
        // Matches no offset, so an empty tail is never extended.
        self.tail = u64::MAX..u64::MAX;
    }

    /// Writes bytes that may overlap written ranges. Overlapping bytes must be equal.
    fn write_overlapping(&mut self, range: Range<u64>, bytes: &[u8]) -> Result<(), WriteError> {
        let adjoining = self.adjoining_ranges(&range);
        for written in &adjoining {
            let overlap = written.start.max(range.start)..written.end.min(range.end);
            let new = (overlap.start - range.start) as usize..;
            let old = self
                .bytes
                .get(overlap.start as usize..overlap.end as usize)
                .unwrap_or_default();
            if !bytes[new].starts_with(old) {
                let message = format!(
                    "overlaps other values, at {:#x}..{:#x}",
                    overlap.start, overlap.end
                );
                return Err(WriteError::Clash(message));
            }
        }
        let end = self.bytes.len().max(range.end as usize);
        self.bytes.resize(end, 0);
        self.bytes[range.start as usize..range.end as usize].copy_from_slice(bytes);
        for written in &adjoining {
            self.written.remove(&written.start);
        }
        let start = adjoining
            .first()
            .map_or(range.start, |written| written.start.min(range.start));
        let end = adjoining
            .last()
            .map_or(range.end, |written| written.end.max(range.end));
        self.written.insert(start, end);
        Ok(())
    }

    /// Returns the ranges of `written` that overlap or adjoin `range`, in ascending order.
    fn adjoining_ranges(&self, range: &Range<u64>) -> Vec<Range<u64>> {
        let before = self.written.range(..=range.end).rev();
        let adjoining = before
            .take_while(|(_, end)| **end >= range.start)
            .map(|(start, end)| *start..*end);
        let mut adjoining: Vec<_> = adjoining.collect();
        adjoining.reverse();
        adjoining
    }

    /// Writes `bytes` at an offset, except where bytes are already written.
    pub fn fill_unwritten(&mut self, at: u64, bytes: &[u8]) -> Result<(), WriteError> {
        self.close_tail();
        let end = at.saturating_add(bytes.len() as u64);
        let mut free = Vec::new();
        let mut start = at;
        for written in self.adjoining_ranges(&(at..end)) {
            free.extend((written.start > start).then_some(start..written.start));
            start = start.max(written.end);
        }
        free.extend((start < end).then_some(start..end));
        free.into_iter().try_for_each(|range| {
            self.write(
                range.start,
                &bytes[(range.start - at) as usize..(range.end - at) as usize],
            )
        })
    }
}
