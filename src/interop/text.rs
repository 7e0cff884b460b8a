//! Words and numbers of text files, and where they stand.

use std::cmp::Ordering;
use std::ops::Range;

use fast_float2::FastFloat;

use super::detect::BYTE_ORDER_MARK;
use crate::{Error, Result, Span};

/// Goes through the words of a part of a text. Blanks are between them: spaces, tabs, ends of lines, and a backslash
/// that continues a line.
#[derive(Debug, Clone)]
pub(super) struct Words<'a> {
    text: &'a [u8],
    at: usize,
    end: usize,
    /// Where the last word began.
    start: usize,
}

impl<'a> Words<'a> {
    /// The words of this part of a text; errors count lines from the beginning of the text.
    pub fn new(text: &'a [u8], part: Range<usize>) -> Words<'a> {
        let end = part.end.min(text.len());
        Words { text, at: part.start.min(end), end, start: part.start.min(end) }
    }

    /// The bytes of the last word.
    pub fn range(&self) -> Range<usize> {
        self.start..self.at
    }

    /// Whether these are the last words of the text.
    pub fn ends_text(&self) -> bool {
        self.end == self.text.len()
    }

    /// Number of bytes behind the last word, without blanks at the end.
    pub fn remaining(&self) -> usize {
        self.text[self.at..self.end].trim_ascii().len()
    }

    /// The line and column of the last word.
    pub fn place(&self) -> Span {
        place(self.text, self.range())
    }

    /// The next word.
    #[inline]
    pub fn next(&mut self) -> Option<&'a [u8]> {
        loop {
            let rest = &self.text[self.at..self.end];
            let blanks = rest.iter().position(|byte| !is_blank(*byte))?;
            let rest = &rest[blanks..];
            let length = rest.iter().position(|byte| is_blank(*byte)).unwrap_or(rest.len());
            let word = &rest[..length];
            self.start = self.at + blanks;
            self.at = self.start + length;
            match word.strip_suffix(b"\\") {
                Some(before) if matches!(self.text.get(self.at), Some(b'\r' | b'\n')) => {
                    if !before.is_empty() {
                        return Some(before);
                    }
                }
                _ => return Some(word),
            }
        }
    }

    /// What is left.
    #[inline]
    pub fn rest(&self) -> &'a [u8] {
        &self.text[self.at..self.end]
    }

    /// What is left of the line, without blanks around it: names may have blanks in them.
    pub fn rest_of_line(&mut self) -> &'a [u8] {
        let rest = &self.text[self.at..self.end];
        let line = &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())];
        self.start = self.at;
        self.at += line.len();
        line.trim_ascii()
    }

    /// The next word as a number; `what` says in an error what is missing.
    #[inline]
    pub fn number(&mut self, what: &str) -> Result<f32> {
        match self.plain_number() {
            Some(number) => Ok(number),
            None => self.optional_word()?.ok_or_else(|| self.missing(what)),
        }
    }

    /// The next words as numbers of 64 bits. Rounded to 32, they are those nearest to the words.
    #[inline]
    pub fn wide_numbers<const N: usize>(&mut self, what: &str) -> Result<[f64; N]> {
        let mut numbers = [0.0; N];
        for number in &mut numbers {
            *number = match self.plain_number() {
                Some(number) => number,
                None => self.optional_word()?.ok_or_else(|| self.missing(what))?,
            };
            if is_halfway(*number) {
                *number = self.aside(*number);
            }
        }
        Ok(numbers)
    }

    /// The neighbour of a number halfway between two of 32 bits that lies on the side of the last word.
    #[cold]
    fn aside(&self, wide: f64) -> f64 {
        let nearest: f32 = fast_float2::parse(&self.text[self.range()]).unwrap_or(wide as f32);
        match f64::from(nearest).total_cmp(&wide) {
            _ if nearest == wide as f32 => wide,
            Ordering::Less => wide.next_down(),
            _ => wide.next_up(),
        }
    }

    /// The next words as numbers.
    #[inline]
    pub fn numbers<const N: usize>(&mut self, what: &str) -> Result<[f32; N]> {
        let mut numbers = [0.0; N];
        for number in &mut numbers {
            *number = self.number(what)?;
        }
        Ok(numbers)
    }

    /// The next word as a number, if there is one.
    #[inline]
    pub fn optional(&mut self) -> Result<Option<f32>> {
        match self.plain_number() {
            Some(number) => Ok(Some(number)),
            None => self.optional_word(),
        }
    }

    /// A number between blanks, without looking for the end of the word first.
    #[inline]
    fn plain_number<T: FastFloat>(&mut self) -> Option<T> {
        let rest = &self.text[self.at..self.end];
        let blanks = rest.iter().position(|byte| !is_blank(*byte))?;
        let (number, length) = fast_float2::parse_partial(&rest[blanks..]).ok()?;
        let end = blanks + length;
        if !rest.get(end).is_none_or(|byte| is_blank(*byte)) {
            return None;
        }
        (self.start, self.at) = (self.at + blanks, self.at + end);
        Some(number)
    }

    /// The next word as a number, unless a comment begins here.
    fn optional_word<T: FastFloat>(&mut self) -> Result<Option<T>> {
        match self.next() {
            Some(word) if !word.starts_with(b"#") => match fast_float2::parse(word) {
                Ok(number) => Ok(Some(number)),
                Err(_) => Err(self.refuse(format!("expected a number, found {}", quote(word)))),
            },
            _ => Ok(None),
        }
    }

    /// The error that something is missing here.
    pub fn missing(&self, what: &str) -> Error {
        refuse(self.text, self.at..self.at, format!("{what} is missing"))
    }

    /// The error that the last word is wrong.
    pub fn refuse(&self, message: impl ToString) -> Error {
        refuse(self.text, self.range(), message)
    }
}

/// Whether a number may lie halfway between two of 32 bits: the first bit that these do not have is its last.
#[inline]
fn is_halfway(wide: f64) -> bool {
    const LOST: u64 = (1 << 29) - 1;
    wide.to_bits() & LOST == 1 << 28 || (wide != 0.0 && wide.abs() < f32::MIN_POSITIVE.into())
}

/// The lines of a text, without a byte order mark; a backslash at the end of one continues it.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = Words<'_>> {
    lines_of(text, first_line(text)..text.len())
}

/// Where the first line begins: after the byte order mark, if there is one.
pub(super) fn first_line(text: &[u8]) -> usize {
    if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 }
}

/// The lines of a part of a text.
pub(super) fn lines_of(text: &[u8], part: Range<usize>) -> impl Iterator<Item = Words<'_>> {
    let mut start = part.start;
    std::iter::from_fn(move || {
        let line = start..line_end(text, start, start, part.end);
        start = line.end;
        (!line.is_empty()).then(|| Words::new(text, line))
    })
}

/// Where the line that `from` is in ends, with what ends it. A line begins at `start`, and the text is looked at up to
/// `end`.
#[inline]
pub(super) fn line_end(text: &[u8], start: usize, from: usize, end: usize) -> usize {
    let mut at = from;
    while let Some(length) = memchr::memchr(b'\n', &text[at..end]) {
        let next = at + length + 1;
        if !text[start..next].trim_ascii_end().ends_with(b"\\") {
            return next;
        }
        // Blank lines do not end it.
        at = next + text[next..end].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    }
    end
}

#[inline]
pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b'\x0b' | b'\x0c')
}

/// The error that these bytes of a text are wrong.
pub(super) fn refuse(text: &[u8], range: Range<usize>, message: impl ToString) -> Error {
    Error::malformed(message).with_span(Some(place(text, range)))
}

/// The line and column of these bytes of a text. Goes through all before them, so for errors only.
pub(super) fn place(text: &[u8], range: Range<usize>) -> Span {
    let before = &text[..range.start.min(text.len())];
    let line = 1 + memchr::memchr_iter(b'\n', before).count() as u64;
    let own = memchr::memrchr(b'\n', before).map_or(before, |end| &before[end + 1..]);
    let own = own.strip_prefix(BYTE_ORDER_MARK).unwrap_or(own);
    // Bytes that continue a character do not count.
    let column = 1 + own.iter().filter(|byte| **byte & 0xc0 != 0x80).count() as u64;
    Span::Text { range: range.start as u64..range.end as u64, line, column }
}

/// A place in a part of a text that so many bytes and lines stand before.
pub(super) fn moved(span: Span, bytes: u64, lines: u64) -> Span {
    match span {
        Span::Text { range, line, column } => {
            Span::Text { range: range.start + bytes..range.end + bytes, line: line + lines, column }
        }
        other => other,
    }
}

/// Bytes of a file for a message, no matter what they are, and not too many of them.
pub(super) fn quote(bytes: &[u8]) -> String {
    const MOST: usize = 40;
    let (shown, more) = (&bytes[..bytes.len().min(MOST)], if bytes.len() > MOST { "…" } else { "" });
    format!("`{}{more}`", shown.escape_ascii())
}

/// A name that can stand on a line of a text: without control characters and blanks at its ends, and without a
/// backslash at the end, which would continue the line.
pub(super) fn to_line(name: &str) -> String {
    let line: String = name.chars().map(|c| if c.is_control() { '_' } else { c }).collect();
    let line = line.trim_matches(|c: char| c.is_ascii_whitespace());
    match line.strip_suffix('\\') {
        Some(before) => format!("{before}_"),
        None => line.to_owned(),
    }
}
