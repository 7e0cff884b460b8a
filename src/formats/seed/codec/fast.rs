//! The fast path, which reads plain lines without the grammar.
//!
//! It reads a subset of the lines that match the grammar. A property test checks that both return the same content.

use memchr::memchr_iter;

use super::super::columns::{ColumnMut, MAX_VALUES, Values};
use super::super::schema::LineKind;
use super::line::LineContent;
use super::text::{WHITESPACE, is_whitespace, split_line};
use super::window::LineCounts;
use crate::layout::grammar::ValueType;

/// A line that the fast path can read.
pub(in crate::formats::seed) struct PlainLine<'l> {
    pub content: LineContent<'l>,
    /// The text after the `#`.
    pub comment: Option<&'l [u8]>,
    /// The length in bytes, including the line ending.
    pub length: usize,
}

/// Reads the first line if it is plain: an attribute, a face, a comment, or an empty line. Otherwise, returns `None`.
pub(in crate::formats::seed) fn read_line(bytes: &[u8]) -> Option<PlainLine<'_>> {
    let mut cursor = Cursor { bytes, at: 0 };
    let content = match cursor.read_identifier() {
        Some(kind) => {
            let attribute = kind.attribute();
            let values = match attribute.value_type {
                ValueType::Float => {
                    Values::Floats(cursor.read_values(attribute.values, Cursor::read_float)?)
                }
                ValueType::Integer | ValueType::Index => {
                    Values::Integers(cursor.read_values(attribute.values, Cursor::read_integer)?)
                }
                ValueType::Word => return None,
            };
            LineContent::Values(kind, values)
        }
        None => LineContent::Empty,
    };
    let comment = cursor.finish_line()?;
    Some(PlainLine {
        content,
        comment,
        length: cursor.at,
    })
}

/// Reads the leading run of plain lines of `kind` without comments into a column. Returns their number and byte length.
pub(super) fn read_run(lines: &[u8], kind: LineKind, values: ColumnMut<'_>) -> (usize, usize) {
    let (identifier, width) = (kind.attribute().identifier, kind.attribute().values);
    // If the kinds of lines alternate, the first byte usually shows that there is no run.
    if lines.first() != identifier.as_bytes().first() {
        return (0, 0);
    }
    match values {
        ColumnMut::Floats(values) => {
            read_lines(lines, identifier, values, width, Cursor::read_float)
        }
        ColumnMut::Integers(values) => {
            read_lines(lines, identifier, values, width, Cursor::read_integer)
        }
    }
}

/// Reads lines without comments, `width` values each, while they are plain. Returns their number and byte length.
fn read_lines<'l, T>(
    lines: &'l [u8],
    identifier: &str,
    values: &mut [T],
    width: usize,
    read_number: impl Fn(&mut Cursor<'l>) -> Option<T>,
) -> (usize, usize) {
    let mut cursor = Cursor {
        bytes: lines,
        at: 0,
    };
    let (mut count, mut length) = (0, 0);
    for item in values.chunks_exact_mut(width) {
        // The line that ends the run is read again, which overwrites its values.
        if cursor
            .read_line_values(identifier, item, &read_number)
            .is_none()
        {
            break;
        }
        count += 1;
        length = cursor.at;
    }
    (count, length)
}

/// A position in the text. Methods return `None` if the line is not plain.
struct Cursor<'l> {
    bytes: &'l [u8],
    at: usize,
}

impl<'l> Cursor<'l> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Skips `byte`, which must follow.
    fn skip_byte(&mut self, byte: u8) -> Option<()> {
        (self.peek() == Some(byte)).then(|| self.at += 1)
    }

    fn skip_whitespace(&mut self) {
        while self.peek().as_ref().is_some_and(is_whitespace) {
            self.at += 1;
        }
    }

    /// Reads a known identifier, which whitespace must follow.
    fn read_identifier(&mut self) -> Option<LineKind> {
        let rest = self.bytes.get(self.at..)?;
        let length = rest.iter().position(|byte| !byte.is_ascii_alphanumeric())?;
        let kind =
            LineKind::from_bytes(&rest[..length]).filter(|_| is_whitespace(&rest[length]))?;
        self.at += length;
        Some(kind)
    }

    /// Reads the values of a line with this identifier and without a comment.
    #[inline]
    fn read_line_values<T>(
        &mut self,
        identifier: &str,
        values: &mut [T],
        read_number: &impl Fn(&mut Self) -> Option<T>,
    ) -> Option<()> {
        let rest = self
            .bytes
            .get(self.at..)?
            .strip_prefix(identifier.as_bytes())?;
        rest.first().filter(|byte| is_whitespace(byte))?;
        self.at += identifier.len();
        self.read_numbers(values, read_number)?;
        self.skip_line_end()
    }

    /// Reads `count` numbers.
    fn read_values<T: Default + Copy>(
        &mut self,
        count: usize,
        read_number: impl Fn(&mut Self) -> Option<T>,
    ) -> Option<[T; MAX_VALUES]> {
        let mut values = [T::default(); MAX_VALUES];
        self.read_numbers(values.get_mut(..count)?, &read_number)?;
        Some(values)
    }

    /// Reads numbers separated by commas.
    #[inline]
    fn read_numbers<T>(
        &mut self,
        values: &mut [T],
        read: &impl Fn(&mut Self) -> Option<T>,
    ) -> Option<()> {
        for (index, value) in values.iter_mut().enumerate() {
            if index > 0 {
                self.skip_whitespace();
                self.skip_byte(b',')?;
            }
            self.skip_whitespace();
            *value = read(self)?;
        }
        Some(())
    }

    fn read_float(&mut self) -> Option<f32> {
        let (value, length) =
            fast_float2::parse_partial::<f32, _>(self.bytes.get(self.at..)?).ok()?;
        self.at += length;
        // `fast_float2` accepts `inf` and `nan`, which Seed does not, and returns infinity on overflow.
        value.is_finite().then_some(value)
    }

    /// Reads an integer of one to nine digits. Longer integers could overflow.
    fn read_integer(&mut self) -> Option<u32> {
        let start = self.at;
        let mut value = 0u32;
        while let Some(digit) = self.peek().filter(u8::is_ascii_digit) {
            value = value.wrapping_mul(10).wrapping_add(u32::from(digit - b'0'));
            self.at += 1;
        }
        (1..=9).contains(&(self.at - start)).then_some(value)
    }

    /// Skips whitespace, a comment and the line ending. Returns the comment, if there is one.
    fn finish_line(&mut self) -> Option<Option<&'l [u8]>> {
        self.skip_whitespace();
        match self.peek() {
            Some(b'#') => self.read_comment().map(Some),
            _ => self.skip_line_end().map(|()| None),
        }
    }

    /// Skips whitespace and the line ending.
    fn skip_line_end(&mut self) -> Option<()> {
        self.skip_whitespace();
        match self.peek() {
            None => Some(()),
            Some(b'\r') => {
                self.at += 1;
                self.skip_byte(b'\n')
            }
            Some(_) => self.skip_byte(b'\n'),
        }
    }

    /// Reads a comment in UTF-8 without control characters, and the line ending.
    fn read_comment(&mut self) -> Option<&'l [u8]> {
        let (comment, length) = split_line(self.bytes.get(self.at + 1..)?);
        self.at += 1 + length;
        let is_control = |c: char| c.is_control() && !WHITESPACE.contains(&c);
        let is_plain = comment.iter().all(|byte| matches!(byte, b' '..=b'~'))
            || std::str::from_utf8(comment).is_ok_and(|text| !text.contains(is_control));
        is_plain.then_some(comment)
    }
}

/// Estimates the number of lines of each kind in a chunk. The result is exact if all lines are well-formed.
pub(super) fn estimate_line_counts(lines: &[u8]) -> LineCounts {
    let mut counts = LineCounts::default();
    let mut start = 0;
    for end in memchr_iter(b'\n', lines).chain([lines.len()]) {
        let mut cursor = Cursor {
            bytes: &lines[start..end],
            at: 0,
        };
        start = end + 1;
        cursor.skip_whitespace();
        if let Some(kind) = cursor.read_identifier() {
            // Every value takes at least two bytes: a separator and a digit.
            let is_long_enough = cursor.bytes.len() >= cursor.at + 2 * kind.attribute().values;
            counts.kinds[kind as usize] += usize::from(is_long_enough);
        } else if cursor.peek() == Some(b'[') {
            counts.properties += 1;
        }
    }
    counts
}
