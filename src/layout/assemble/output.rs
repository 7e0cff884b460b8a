//! The bytes that are written so far, and which of them are.

use std::collections::BTreeMap;
use std::ops::Range;

/// A file, or the content of a packed block, while it is assembled.
pub(super) struct Output {
    bytes: Vec<u8>,
    /// What was written: the end of each piece by its start, without overlaps.
    written: BTreeMap<u64, u64>,
    max: u64,
    /// The last end of a field with a position of its own.
    pub(super) reached: u64,
    /// Fields with positions of their own, for [`Placement`](super::place::Placement).
    pub(super) chunks: Vec<super::place::Chunk>,
}

/// Why bytes cannot be written.
pub(super) enum Refused {
    /// The output would be too large.
    TooLarge(String),
    /// Other bytes were written there before.
    Clash(String),
}

impl Output {
    /// Nothing, to which up to `max` bytes can be written.
    pub(super) fn new(max: u64) -> Output {
        Output { bytes: Vec::new(), written: BTreeMap::new(), max, reached: 0, chunks: Vec::new() }
    }

    pub(super) fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// The bytes at a place; `None` unless all of them were written.
    pub(super) fn get(&self, range: Range<u64>) -> Option<&[u8]> {
        self.written.range(..=range.start).next_back().filter(|(_, end)| range.end <= **end)?;
        self.bytes.get(range.start as usize..range.end as usize)
    }

    /// Writes `bytes` at an offset. What lies there already must be the same bytes.
    pub(super) fn write(&mut self, at: u64, bytes: &[u8]) -> Result<(), Refused> {
        let end = at.saturating_add(bytes.len() as u64);
        if end > self.max {
            let message = format!("ends at {end:#x}, beyond the limit of {} bytes", self.max);
            return Err(Refused::TooLarge(message));
        }
        if bytes.is_empty() {
            return Ok(());
        }
        if at < self.len() {
            return self.overwrite(at..end, bytes);
        }
        // Nothing is written between what was and `at`.
        self.bytes.resize(at as usize, 0);
        self.bytes.extend_from_slice(bytes);
        match self.written.last_entry() {
            Some(mut last) if *last.get() == at => *last.get_mut() = end,
            _ => drop(self.written.insert(at, end)),
        }
        Ok(())
    }

    fn overwrite(&mut self, range: Range<u64>, bytes: &[u8]) -> Result<(), Refused> {
        let touched = self.touched(&range);
        for written in &touched {
            let both = written.start.max(range.start)..written.end.min(range.end);
            let new = (both.start - range.start) as usize..;
            let old = self.bytes.get(both.start as usize..both.end as usize).unwrap_or_default();
            if !bytes[new].starts_with(old) {
                let message = format!("overlaps other values, at {:#x}..{:#x}", both.start, both.end);
                return Err(Refused::Clash(message));
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

    /// The pieces that overlap a range or adjoin it, in order.
    fn touched(&self, range: &Range<u64>) -> Vec<Range<u64>> {
        let before = self.written.range(..=range.end).rev();
        let touched = before.take_while(|(_, end)| **end >= range.start).map(|(start, end)| *start..*end);
        let mut touched: Vec<_> = touched.collect();
        touched.reverse();
        touched
    }

    /// Writes those of `bytes` at whose places nothing is.
    pub(super) fn fill(&mut self, at: u64, bytes: &[u8]) -> Result<(), Refused> {
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
