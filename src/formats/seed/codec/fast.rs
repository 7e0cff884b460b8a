//! The fast path: the numbers of a run of lines with the same identifier.
//!
//! It accepts plain lines only and leaves every other one to the grammar. That both agree is a property test.

use std::ops::Range;

use memchr::{memchr, memchr_iter};

use super::super::document::{ColumnMut, Document};
use super::super::schema::Kind;
use super::text::is_whitespace;

/// How far a run was read.
#[derive(Debug, Clone, Default)]
pub(super) struct Run {
    pub lines: u64,
    /// Up to the beginning of the next line.
    pub bytes: usize,
    /// Where what follows the `#` of the last line is.
    pub comment: Option<Range<usize>>,
}

/// Adds the values of lines of a kind to the document, up to one of another kind or one that is not plain, or after
/// one with a comment to keep.
pub(super) fn run(document: &mut Document, kind: Kind, lines: &[u8], keep_comments: bool) -> Run {
    let identifier = kind.attribute().identifier.as_bytes();
    let mut cursor = Cursor { bytes: lines, at: 0, keep_comments, comment: None };
    match document.column_mut(kind) {
        ColumnMut::Two(column) => cursor.lines(column, identifier, Cursor::float),
        ColumnMut::Three(column) => cursor.lines(column, identifier, Cursor::float),
        ColumnMut::Four(column) => cursor.lines(column, identifier, Cursor::float),
        ColumnMut::Faces(column) => cursor.lines(column, identifier, Cursor::index),
    }
}

struct Cursor<'l> {
    bytes: &'l [u8],
    at: usize,
    keep_comments: bool,
    /// The one of the last line.
    comment: Option<Range<usize>>,
}

impl Cursor<'_> {
    fn lines<T: Default + Copy, const N: usize>(
        &mut self,
        column: &mut Vec<[T; N]>,
        identifier: &[u8],
        number: impl Fn(&mut Self) -> Option<T>,
    ) -> Run {
        let mut run = Run::default();
        while run.comment.is_none()
            && let Some(values) = self.line(identifier, &number)
        {
            column.push(values);
            run = Run { lines: run.lines + 1, bytes: self.at, comment: self.comment.take() };
        }
        run
    }

    fn line<T: Default + Copy, const N: usize>(
        &mut self,
        identifier: &[u8],
        number: &impl Fn(&mut Self) -> Option<T>,
    ) -> Option<[T; N]> {
        for byte in identifier {
            self.take(*byte)?;
        }
        self.peek().filter(is_whitespace)?;
        let mut values = [T::default(); N];
        for (index, value) in values.iter_mut().enumerate() {
            if index > 0 {
                self.whitespace();
                self.take(b',')?;
            }
            self.whitespace();
            *value = number(self)?;
        }
        self.end()?;
        Some(values)
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        (self.peek() == Some(byte)).then(|| self.at += 1)
    }

    fn whitespace(&mut self) {
        while self.peek().as_ref().is_some_and(is_whitespace) {
            self.at += 1;
        }
    }

    fn float(&mut self) -> Option<f32> {
        let (value, length) = fast_float2::parse_partial::<f32, _>(self.bytes.get(self.at..)?).ok()?;
        self.at += length;
        // Words for infinity and NaN are numbers to the library.
        value.is_finite().then_some(value)
    }

    /// Up to nine digits: more may not fit.
    fn index(&mut self) -> Option<u32> {
        let start = self.at;
        let mut value = 0u32;
        while let Some(digit) = self.peek().filter(u8::is_ascii_digit) {
            value = value.wrapping_mul(10).wrapping_add(u32::from(digit - b'0'));
            self.at += 1;
        }
        (1..=9).contains(&(self.at - start)).then_some(value)
    }

    /// Goes to the next line, past whitespace and a comment that is ASCII without control characters.
    fn end(&mut self) -> Option<()> {
        self.whitespace();
        match self.peek() {
            None => Some(()),
            Some(b'\n') => self.take(b'\n'),
            Some(b'\r') => {
                self.at += 1;
                self.take(b'\n')
            }
            Some(b'#') => {
                let start = self.at + 1;
                let rest = &self.bytes[start..];
                let end = memchr(b'\n', rest)?;
                let comment = rest[..end].strip_suffix(b"\r").unwrap_or(&rest[..end]);
                self.at = start + end + 1;
                self.comment = self.keep_comments.then(|| start..start + comment.len());
                comment.iter().all(|byte| matches!(byte, b' '..=b'~') || is_whitespace(byte)).then_some(())
            }
            Some(_) => None,
        }
    }
}

/// Numbers of lines of each kind, in the order of the table.
pub(super) type Counts = [usize; Kind::ALL.len()];

/// How many lines of each kind some lines seem to hold.
pub(super) fn count(lines: &[u8]) -> Counts {
    let mut counts = Counts::default();
    let mut start = 0;
    let mut ends = memchr_iter(b'\n', lines).chain([lines.len()]).peekable();
    while let Some(end) = ends.next() {
        let line = &lines[start..end];
        start = end + 1;
        let Some(kind) = Kind::ALL.into_iter().find(|kind| is_like(*kind, line)) else { continue };
        let mut count = 1;
        // Lines of a kind mostly follow each other.
        while let Some(end) = ends.next_if(|end| is_like(kind, &lines[start..*end])) {
            start = end + 1;
            count += 1;
        }
        counts[kind as usize] += count;
    }
    counts
}

/// Reserves memory for so many lines: growing a column would take as much again.
pub(super) fn reserve(document: &mut Document, counts: Counts) {
    for (kind, count) in Kind::ALL.into_iter().zip(counts).filter(|(_, count)| *count > 0) {
        match document.column_mut(kind) {
            ColumnMut::Two(column) => column.reserve_exact(count),
            ColumnMut::Three(column) => column.reserve_exact(count),
            ColumnMut::Four(column) => column.reserve_exact(count),
            ColumnMut::Faces(column) => column.reserve_exact(count),
        }
    }
}

/// Whether a line looks like one of a kind: it starts like one, and is long enough for its values.
fn is_like(kind: Kind, line: &[u8]) -> bool {
    let attribute = kind.attribute();
    line.len() >= attribute.identifier.len() + 2 * attribute.values && starts(kind, line)
}

/// Whether a line starts with the identifier of a kind and whitespace.
pub(super) fn starts(kind: Kind, line: &[u8]) -> bool {
    let identifier = kind.attribute().identifier.bytes();
    let next = line.get(identifier.len());
    identifier.zip(line).all(|(a, b)| a == *b) && next.is_some_and(is_whitespace)
}
