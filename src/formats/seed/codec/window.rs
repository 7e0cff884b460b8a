//! Windows of the columns, one per chunk of a file, so that chunks can be read in parallel.

use super::super::columns::{ColumnMut, MAX_VALUES, Values};
use super::super::schema::{Document, KINDS, Kind};

/// The number of lines of each kind, and of properties.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::formats::seed) struct Counts {
    pub kinds: [usize; KINDS],
    pub properties: usize,
}

impl Counts {
    fn plus(&self, other: &Counts) -> Counts {
        Counts {
            kinds: std::array::from_fn(|kind| self.kinds[kind] + other.kinds[kind]),
            properties: self.properties + other.properties,
        }
    }
}

/// A chunk's part of the document's columns.
#[derive(Debug)]
pub(in crate::formats::seed) struct Window<'d> {
    columns: Vec<ColumnMut<'d>>,
    /// The lines before the chunk.
    before: Counts,
    /// The lines of the chunk so far. Lines that exceed the window are only counted.
    read: Counts,
}

impl<'d> Window<'d> {
    /// Allocates the columns of the document, and returns a window for each chunk.
    pub(in crate::formats::seed) fn split(document: &'d mut Document, counts: &[Counts]) -> Vec<Window<'d>> {
        let mut before = Counts::default();
        document.allocate(&counts.iter().fold(before, |all, chunk| all.plus(chunk)).kinds);
        let mut rest = document.columns_mut();
        let windows = counts.iter().map(|chunk| {
            let parts = rest.iter_mut().zip(Kind::ALL).map(|(column, kind)| {
                let values = chunk.kinds[kind as usize] * kind.attribute().values;
                match column {
                    ColumnMut::Floats(column) => ColumnMut::Floats(take(column, values)),
                    ColumnMut::Integers(column) => ColumnMut::Integers(take(column, values)),
                }
            });
            let window = Window { columns: parts.collect(), before, read: Counts::default() };
            before = before.plus(chunk);
            window
        });
        windows.collect()
    }

    pub(super) fn read(&self) -> Counts {
        self.read
    }

    /// The index in the file of the next line of a kind.
    pub(super) fn next_line(&self, kind: Kind) -> usize {
        self.before.kinds[kind as usize] + self.read.kinds[kind as usize]
    }

    /// The index in the file of the next property.
    pub(super) fn next_property(&self) -> usize {
        self.before.properties + self.read.properties
    }

    pub(super) fn count_property(&mut self) {
        self.read.properties += 1;
    }

    /// Returns the unfilled part of a kind's column in this window.
    pub(super) fn space(&mut self, kind: Kind) -> ColumnMut<'_> {
        let start = self.read.kinds[kind as usize] * kind.attribute().values;
        match &mut self.columns[kind as usize] {
            ColumnMut::Floats(column) => ColumnMut::Floats(column.get_mut(start..).unwrap_or_default()),
            ColumnMut::Integers(column) => ColumnMut::Integers(column.get_mut(start..).unwrap_or_default()),
        }
    }

    /// Counts lines whose values are already in place.
    pub(super) fn count_lines(&mut self, kind: Kind, lines: usize) {
        self.read.kinds[kind as usize] += lines;
    }

    /// Appends a line.
    pub(in crate::formats::seed) fn push(&mut self, kind: Kind, values: &Values) {
        let count = &mut self.read.kinds[kind as usize];
        let (index, width) = (*count, kind.attribute().values);
        *count += 1;
        match (&mut self.columns[kind as usize], values) {
            (ColumnMut::Floats(column), Values::Floats(values)) => put(column, index, width, values),
            (ColumnMut::Integers(column), Values::Integers(values)) => put(column, index, width, values),
            // The table assigns each kind the number type of its column.
            (ColumnMut::Floats(_), Values::Integers(_)) | (ColumnMut::Integers(_), Values::Floats(_)) => {}
        }
    }
}

/// Splits off the first values of a column.
fn take<'d, T>(column: &mut &'d mut [T], count: usize) -> &'d mut [T] {
    let (first, rest) = std::mem::take(column).split_at_mut(count);
    *column = rest;
    first
}

fn put<T: Copy>(column: &mut [T], line: usize, width: usize, values: &[T; MAX_VALUES]) {
    if let Some(line) = column.get_mut(line * width..(line + 1) * width) {
        for (to, from) in line.iter_mut().zip(values) {
            *to = *from;
        }
    }
}
