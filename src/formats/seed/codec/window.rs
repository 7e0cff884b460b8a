//! Windows of the columns: each chunk of a file is read into its own, so that chunks can be read in parallel.

use super::super::columns::{ColumnMut, MAX_VALUES, Values};
use super::super::schema::{Document, KINDS, Kind};

/// How many lines there are of each kind, and how many properties.
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

/// The lines of a chunk in the columns of the document.
#[derive(Debug)]
pub(in crate::formats::seed) struct Window<'d> {
    columns: Vec<ColumnMut<'d>>,
    /// The lines before the chunk.
    before: Counts,
    /// The lines of the chunk so far. Those that the window has no space for are only counted.
    read: Counts,
}

impl<'d> Window<'d> {
    /// Allocates the columns of the document, and gives each chunk its window.
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

    /// Where the next lines of a kind belong, as many as there is space for.
    pub(super) fn space(&mut self, kind: Kind) -> ColumnMut<'_> {
        let start = self.read.kinds[kind as usize] * kind.attribute().values;
        match &mut self.columns[kind as usize] {
            ColumnMut::Floats(column) => ColumnMut::Floats(column.get_mut(start..).unwrap_or_default()),
            ColumnMut::Integers(column) => ColumnMut::Integers(column.get_mut(start..).unwrap_or_default()),
        }
    }

    /// Counts lines whose values stand in their place already.
    pub(super) fn count_lines(&mut self, kind: Kind, lines: usize) {
        self.read.kinds[kind as usize] += lines;
    }

    /// Adds a line.
    pub(in crate::formats::seed) fn push(&mut self, kind: Kind, values: &Values) {
        let count = &mut self.read.kinds[kind as usize];
        let (index, width) = (*count, kind.attribute().values);
        *count += 1;
        match (&mut self.columns[kind as usize], values) {
            (ColumnMut::Floats(column), Values::Floats(values)) => put(column, index, width, values),
            (ColumnMut::Integers(column), Values::Integers(values)) => put(column, index, width, values),
            // The table gives a kind the numbers of its column.
            (ColumnMut::Floats(_), Values::Integers(_)) | (ColumnMut::Integers(_), Values::Floats(_)) => {}
        }
    }
}

/// The first values of a column, which keeps the others.
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
