//! The fast path: plain lines without the grammar.
//!
//! It accepts a subset of the grammar and leaves all other lines to it. A property test checks that both agree.

use memchr::memchr_iter;

use super::super::columns::{ColumnMut, MAX_VALUES, Values};
use super::super::schema::Kind;
use super::line::Content;
use super::text::{WHITESPACE, is_whitespace, split_line};
use super::window::Counts;
use crate::layout::grammar::ValueType;

/// A plain line.
pub(in crate::formats::seed) struct Plain<'l> {
    pub content: Content<'l>,
    /// The text after the `#`.
    pub comment: Option<&'l [u8]>,
    /// The length, including the line ending.
    pub length: usize,
}

/// Reads the first line if it is plain: an attribute, a face, a comment, or an empty line.
pub(in crate::formats::seed) fn line(bytes: &[u8]) -> Option<Plain<'_>> {
    let mut cursor = Cursor { bytes, at: 0 };
    let content = match cursor.identifier() {
        Some(kind) => {
            let attribute = kind.attribute();
            let values = match attribute.value_type {
                ValueType::Float => Values::Floats(cursor.values(attribute.values, Cursor::float)?),
                ValueType::Integer | ValueType::Index => {
                    Values::Integers(cursor.values(attribute.values, Cursor::integer)?)
                }
                ValueType::Word => return None,
            };
            Content::Values(kind, values)
        }
        None => Content::Empty,
    };
    let comment = cursor.end()?;
    Some(Plain { content, comment, length: cursor.at })
}

/// Reads the leading run of plain lines of this kind without comments into a column. Returns their number and their
/// length in bytes.
pub(super) fn run(lines: &[u8], kind: Kind, values: ColumnMut<'_>) -> (usize, usize) {
    let (identifier, width) = (kind.attribute().identifier, kind.attribute().values);
    // If kinds alternate, the first byte already shows that there is no run.
    if lines.first() != identifier.as_bytes().first() {
        return (0, 0);
    }
    match values {
        ColumnMut::Floats(values) => {
            lines_of(lines, identifier, values.chunks_exact_mut(width), Cursor::float)
        }
        ColumnMut::Integers(values) => {
            lines_of(lines, identifier, values.chunks_exact_mut(width), Cursor::integer)
        }
    }
}

fn lines_of<'l, 'v, T: 'v>(
    lines: &'l [u8],
    identifier: &str,
    items: impl Iterator<Item = &'v mut [T]>,
    number: impl Fn(&mut Cursor<'l>) -> Option<T>,
) -> (usize, usize) {
    let mut cursor = Cursor { bytes: lines, at: 0 };
    let (mut count, mut length) = (0, 0);
    for item in items {
        // A faulty line is parsed again separately, which reports the fault and overwrites its values.
        if cursor.line(identifier, item, &number).is_none() {
            break;
        }
        count += 1;
        length = cursor.at;
    }
    (count, length)
}

struct Cursor<'l> {
    bytes: &'l [u8],
    at: usize,
}

impl<'l> Cursor<'l> {
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

    /// Reads an identifier of the table and the whitespace after it.
    fn identifier(&mut self) -> Option<Kind> {
        let rest = self.bytes.get(self.at..)?;
        let length = rest.iter().position(|byte| !byte.is_ascii_alphanumeric())?;
        let kind = Kind::of_bytes(&rest[..length]).filter(|_| is_whitespace(&rest[length]))?;
        self.at += length;
        Some(kind)
    }

    /// Reads a line with this identifier and without a comment.
    #[inline]
    fn line<T>(
        &mut self,
        identifier: &str,
        values: &mut [T],
        number: &impl Fn(&mut Self) -> Option<T>,
    ) -> Option<()> {
        let rest = self.bytes.get(self.at..)?.strip_prefix(identifier.as_bytes())?;
        rest.first().filter(|byte| is_whitespace(byte))?;
        self.at += identifier.len();
        self.fill(values, number)?;
        self.line_end()
    }

    fn values<T: Default + Copy>(
        &mut self,
        count: usize,
        number: impl Fn(&mut Self) -> Option<T>,
    ) -> Option<[T; MAX_VALUES]> {
        let mut values = [T::default(); MAX_VALUES];
        self.fill(values.get_mut(..count)?, &number)?;
        Some(values)
    }

    #[inline]
    fn fill<T>(&mut self, values: &mut [T], number: &impl Fn(&mut Self) -> Option<T>) -> Option<()> {
        for (index, value) in values.iter_mut().enumerate() {
            if index > 0 {
                self.whitespace();
                self.take(b',')?;
            }
            self.whitespace();
            *value = number(self)?;
        }
        Some(())
    }

    fn float(&mut self) -> Option<f32> {
        let (value, length) = fast_float2::parse_partial::<f32, _>(self.bytes.get(self.at..)?).ok()?;
        self.at += length;
        // The parser accepts words for infinity and NaN; Seed does not.
        value.is_finite().then_some(value)
    }

    /// Reads an integer of up to nine digits; longer ones may overflow.
    fn integer(&mut self) -> Option<u32> {
        let start = self.at;
        let mut value = 0u32;
        while let Some(digit) = self.peek().filter(u8::is_ascii_digit) {
            value = value.wrapping_mul(10).wrapping_add(u32::from(digit - b'0'));
            self.at += 1;
        }
        (1..=9).contains(&(self.at - start)).then_some(value)
    }

    /// Skips to the next line, past whitespace and a comment, and returns the comment.
    fn end(&mut self) -> Option<Option<&'l [u8]>> {
        self.whitespace();
        match self.peek() {
            Some(b'#') => self.comment().map(Some),
            _ => self.line_end().map(|()| None),
        }
    }

    /// Skips to the next line, past whitespace.
    fn line_end(&mut self) -> Option<()> {
        self.whitespace();
        match self.peek() {
            None => Some(()),
            Some(b'\r') => {
                self.at += 1;
                self.take(b'\n')
            }
            Some(_) => self.take(b'\n'),
        }
    }

    /// Reads a comment in UTF-8 without control characters.
    fn comment(&mut self) -> Option<&'l [u8]> {
        let (comment, length) = split_line(self.bytes.get(self.at + 1..)?);
        self.at += 1 + length;
        let is_control = |c: char| c.is_control() && !WHITESPACE.contains(&c);
        let is_plain = comment.iter().all(|byte| matches!(byte, b' '..=b'~'))
            || std::str::from_utf8(comment).is_ok_and(|text| !text.contains(is_control));
        is_plain.then_some(comment)
    }
}

/// Estimates the lines of each kind in a chunk; exact for well-formed lines.
pub(super) fn count(lines: &[u8]) -> Counts {
    let mut counts = Counts::default();
    let mut start = 0;
    for end in memchr_iter(b'\n', lines).chain([lines.len()]) {
        let mut cursor = Cursor { bytes: &lines[start..end], at: 0 };
        start = end + 1;
        cursor.whitespace();
        if let Some(kind) = cursor.identifier() {
            // Every value takes at least two bytes: a separator and a digit.
            let is_long_enough = cursor.bytes.len() >= cursor.at + 2 * kind.attribute().values;
            counts.kinds[kind as usize] += usize::from(is_long_enough);
        } else if cursor.peek() == Some(b'[') {
            counts.properties += 1;
        }
    }
    counts
}
