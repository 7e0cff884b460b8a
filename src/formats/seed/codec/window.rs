//! Windows into the columns of a document, one per chunk of a file, so that chunks can be read in parallel.

use super::super::columns::{ColumnMut, MAX_VALUES, Values};
use super::super::schema::{Document, KINDS, LineKind};

/// The number of lines of each kind, and the number of properties.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::formats::seed) struct LineCounts {
    pub kinds: [usize; KINDS],
    pub properties: usize,
}

impl LineCounts {
    fn add(&self, other: &LineCounts) -> LineCounts {
        LineCounts {
            kinds: std::array::from_fn(|kind| self.kinds[kind] + other.kinds[kind]),
            properties: self.properties + other.properties,
        }
    }
}

/// The parts of the columns that the lines of one chunk fill.
#[derive(Debug)]
pub(in crate::formats::seed) struct Window<'d> {
    columns: Vec<ColumnMut<'d>>,
    /// The number of lines before the chunk.
    before: LineCounts,
    /// The number of lines of the chunk so far, including lines that exceed the window and are only counted.
    counts: LineCounts,
}

impl<'d> Window<'d> {
    /// Allocates the columns of the document, and returns a window for each chunk, given the line counts of the chunks.
    pub(super) fn split(document: &'d mut Document, counts: &[LineCounts]) -> Vec<Window<'d>> {
        let mut before = LineCounts::default();
        document.allocate(
            &counts
                .iter()
                .fold(before, |all, chunk| all.add(chunk))
                .kinds,
        );
        let mut rest = document.columns_mut();
        let windows = counts.iter().map(|chunk| {
            let columns = rest.iter_mut().zip(LineKind::ALL).map(|(column, kind)| {
                let values = chunk.kinds[kind as usize] * kind.attribute().values;
                match column {
                    ColumnMut::Floats(column) => ColumnMut::Floats(split_off_first(column, values)),
                    ColumnMut::Integers(column) => {
                        ColumnMut::Integers(split_off_first(column, values))
                    }
                }
            });
            let window = Window {
                columns: columns.collect(),
                before,
                counts: LineCounts::default(),
            };
            before = before.add(chunk);
            window
        });
        windows.collect()
    }

    pub(super) fn counts(&self) -> LineCounts {
        self.counts
    }

    /// The index of the next line of a kind, counted from the start of the file.
    pub(super) fn next_line_index(&self, kind: LineKind) -> usize {
        self.before.kinds[kind as usize] + self.counts.kinds[kind as usize]
    }

    /// The index of the next property, counted from the start of the file.
    pub(super) fn next_property_index(&self) -> usize {
        self.before.properties + self.counts.properties
    }

    pub(super) fn count_property(&mut self) {
        self.counts.properties += 1;
    }

    /// Returns the unfilled part of the column of `kind` in this window.
    pub(super) fn unfilled(&mut self, kind: LineKind) -> ColumnMut<'_> {
        let start = self.counts.kinds[kind as usize] * kind.attribute().values;
        match &mut self.columns[kind as usize] {
            ColumnMut::Floats(column) => {
                ColumnMut::Floats(column.get_mut(start..).unwrap_or_default())
            }
            ColumnMut::Integers(column) => {
                ColumnMut::Integers(column.get_mut(start..).unwrap_or_default())
            }
        }
    }

    /// Counts lines whose values have already been written to the column.
    pub(super) fn count_lines(&mut self, kind: LineKind, lines: usize) {
        self.counts.kinds[kind as usize] += lines;
    }

    /// Appends the values of a line, if the window has space for them, and counts the line.
    pub(in crate::formats::seed) fn push(&mut self, kind: LineKind, values: &Values) {
        let count = &mut self.counts.kinds[kind as usize];
        let (index, width) = (*count, kind.attribute().values);
        *count += 1;
        match (&mut self.columns[kind as usize], values) {
            (ColumnMut::Floats(column), Values::Floats(values)) => {
                write_values(column, index, width, values)
            }
            (ColumnMut::Integers(column), Values::Integers(ints)) => {
                write_values(column, index, width, ints)
            }
            // Unreachable: a kind and its column have the same number type.
            (ColumnMut::Floats(_), Values::Integers(_))
            | (ColumnMut::Integers(_), Values::Floats(_)) => {}
        }
    }
}

/// Splits off the first `count` values of a column.
fn split_off_first<'d, T>(column: &mut &'d mut [T], count: usize) -> &'d mut [T] {
    let (first, rest) = std::mem::take(column).split_at_mut(count);
    *column = rest;
    first
}

/// Writes the values of a line to a column, unless the line is past its end.
fn write_values<T: Copy>(column: &mut [T], line: usize, width: usize, values: &[T; MAX_VALUES]) {
    if let Some(line) = column.get_mut(line * width..(line + 1) * width) {
        for (to, from) in line.iter_mut().zip(values) {
            *to = *from;
        }
    }
}
