//! Reads the numbers after the header of PLY.

use std::ops::Range;

use super::header::{Element, Encoding, Header, Number};
use crate::interop::shared::text::{Words, quote, reject};
use crate::{Error, Loss, Result, Span, Strictness};

/// The little-endian bytes of a number, padded with zeros.
pub(super) type Raw = [u8; 8];

/// The source of numbers.
pub(super) enum Source<'a> {
    Text(Lines<'a>),
    Binary {
        bytes: &'a [u8],
        at: usize,
        last: usize,
        big_endian: bool,
        /// Whether the file ended within a number.
        is_cut: bool,
    },
}

/// The lines after the header of an ASCII file, one per item.
pub(super) struct Lines<'a> {
    text: &'a [u8],
    line_end: u8,
    line: Range<usize>,
    /// The rest of the line.
    words: Words<'a>,
}

impl<'a> Source<'a> {
    pub fn new(bytes: &'a [u8], header: &Header) -> Source<'a> {
        let Header { body, line_end, encoding, .. } = *header;
        match encoding {
            Encoding::Ascii => Source::Text(Lines {
                text: bytes,
                line_end,
                line: body..body,
                words: Words::new(bytes, body..body),
            }),
            _ => {
                let big_endian = encoding == Encoding::BigEndian;
                Source::Binary { bytes, at: body, last: body, big_endian, is_cut: false }
            }
        }
    }

    pub fn is_text(&self) -> bool {
        matches!(self, Source::Text(_))
    }

    /// Returns the number of remaining bytes.
    pub fn remaining(&self) -> u64 {
        match self {
            Source::Text(lines) => lines.text[lines.line.end..].trim_ascii().len() as u64,
            Source::Binary { bytes, at, .. } => (bytes.len() - at) as u64,
        }
    }

    /// Reads `size` bytes of little-endian numbers without copying; `None` for text and big-endian files.
    pub fn plain(&mut self, size: u64) -> Option<&'a [u8]> {
        match self {
            Source::Binary { bytes, at, last, big_endian: false, .. } => {
                let end = at.checked_add(usize::try_from(size).ok()?)?;
                let plain = bytes.get(*at..end)?;
                (*last, *at) = (*at, end);
                Some(plain)
            }
            _ => None,
        }
    }

    /// Reads the items of an element. Returns their number, which may be less than declared in lenient mode.
    pub fn items(
        &mut self,
        element: &Element,
        strictness: Strictness,
        losses: &mut Vec<Loss>,
        mut read: impl FnMut(&mut Source<'a>) -> Result<()>,
    ) -> Result<usize> {
        for index in 0..element.items() {
            match self.item(element, &mut read) {
                Err(_) if strictness == Strictness::Lenient && self.is_cut() => {
                    self.end();
                    let (missing, all) = (element.count - index, element.count as usize);
                    let loss = Loss::dropped(element.name.clone(), "items missing at the end of the file");
                    let loss = loss.in_category(element.category());
                    losses.push(loss.affecting(missing as usize, all, "items"));
                    return Ok(index as usize);
                }
                item => item?,
            }
        }
        Ok(element.items() as usize)
    }

    /// Returns `true` if the end of the file truncates the last item.
    fn is_cut(&self) -> bool {
        match self {
            Source::Text(Lines { text, line_end, line, words }) => {
                let has_end = !line.is_empty() && text.last() == Some(line_end);
                line.end == text.len() && !has_end && words.remaining() == 0
            }
            Source::Binary { is_cut, .. } => *is_cut,
        }
    }

    /// Skips the remaining bytes, so that a truncated number is not read as the next element.
    fn end(&mut self) {
        if let Source::Binary { bytes, at, .. } = self {
            *at = bytes.len();
        }
    }

    /// Reads an item. In text, it must fill its line.
    fn item(&mut self, element: &Element, read: impl FnOnce(&mut Source<'a>) -> Result<()>) -> Result<()> {
        if let Source::Text(lines) = self {
            lines.advance();
        }
        let item = read(self);
        match self {
            Source::Text(lines) if item.is_err() || lines.words.remaining() > 0 => {
                lines.wrong_count(element).map_or(item, Err)
            }
            _ => item,
        }
    }

    #[inline]
    pub fn next(&mut self, number: Number) -> Result<Raw> {
        match self {
            Source::Text(lines) => text(&mut lines.words, number),
            Source::Binary { bytes, at, last, big_endian, is_cut } => {
                let size = number.size();
                *last = *at;
                let Some(own) = bytes.get(*at..*at + size) else {
                    *is_cut = true;
                    let message = format!("the file ends within a number of {size} bytes");
                    let span = Span::Bytes(*at as u64..bytes.len() as u64);
                    return Err(Error::malformed(message).with_span(Some(span)));
                };
                *at += size;
                let mut raw = [0; 8];
                raw[..size].copy_from_slice(own);
                if *big_endian {
                    raw[..size].reverse();
                }
                Ok(raw)
            }
        }
    }

    /// Reads a number as the length of a list.
    #[inline]
    pub fn count(&mut self, number: Number) -> Result<u32> {
        let raw = self.next(number)?;
        to_index(number, raw)
            .ok_or_else(|| self.reject(format!("expected a count, found {}", to_f64(number, raw))))
    }

    /// Returns an error at the last number.
    pub fn reject(&self, message: impl ToString) -> Error {
        match self {
            Source::Text(lines) => lines.words.reject(message),
            Source::Binary { at, last, .. } => {
                let span = Span::Bytes(*last as u64..*at as u64);
                Error::malformed(message).with_span(Some(span))
            }
        }
    }
}

impl Lines<'_> {
    /// Advances to the next line that is not blank.
    fn advance(&mut self) {
        loop {
            let start = self.line.end;
            let rest = &self.text[start..];
            let length = memchr::memchr(self.line_end, rest).map_or(rest.len(), |length| length + 1);
            self.line = start..start + length;
            if length == 0 || !self.text[self.line.clone()].trim_ascii().is_empty() {
                self.words = Words::new(self.text, self.line.clone());
                return;
            }
        }
    }

    /// Returns an error if the line has too many or too few numbers for an item.
    fn wrong_count(&self, element: &Element) -> Option<Error> {
        let mut words = Words::new(self.text, self.line.clone());
        let found = std::iter::from_fn(|| words.next()).count();
        let mut words = Words::new(self.text, self.line.clone());
        let mut expected = element.properties.len();
        for property in &element.properties {
            match property.list {
                Some(count) if words.remaining() > 0 => {
                    let items = to_index(count, text(&mut words, count).ok()?)? as usize;
                    expected = expected.saturating_add(items);
                    (0..items.min(found)).for_each(|_| _ = words.next());
                }
                Some(_) => {}
                None => _ = words.next(),
            }
        }
        // An empty line means the end of the file.
        let is_wrong = found > 0 && found != expected;
        is_wrong.then(|| {
            let message = format!("{found} numbers, but `{}` has {expected} in a line", element.name);
            reject(self.text, self.line.clone(), message)
        })
    }
}

fn text(words: &mut Words, number: Number) -> Result<Raw> {
    if number == Number::F32 {
        return Ok(wide(words.number("a number")?.to_le_bytes()));
    }
    if number == Number::F64 {
        let [value] = words.wide_numbers("a number")?;
        return Ok(value.to_le_bytes());
    }
    let word = words.next().ok_or_else(|| words.missing("a number"))?;
    let value = std::str::from_utf8(word).ok().and_then(|word| word.parse::<i64>().ok());
    let bits = 8 * number.size() as u32;
    let (least, most) = match number {
        Number::I8 | Number::I16 | Number::I32 => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        _ => (0, (1 << bits) - 1),
    };
    match value.filter(|value| (least..=most).contains(value)) {
        Some(value) => Ok(value.to_le_bytes()),
        None => Err(words.reject(format!("{} is not an integer from {least} to {most}", quote(word)))),
    }
}

fn wide<const N: usize>(bytes: [u8; N]) -> Raw {
    let mut raw = [0; 8];
    raw[..N].copy_from_slice(&bytes);
    raw
}

/// Converts a number of any type to a 64-bit float, without rounding.
pub(super) fn to_f64(number: Number, raw: Raw) -> f64 {
    let [a, b, c, d, ..] = raw;
    match number {
        Number::I8 => f64::from(a as i8),
        Number::U8 => f64::from(a),
        Number::I16 => f64::from(i16::from_le_bytes([a, b])),
        Number::U16 => f64::from(u16::from_le_bytes([a, b])),
        Number::I32 => f64::from(i32::from_le_bytes([a, b, c, d])),
        Number::U32 => f64::from(u32::from_le_bytes([a, b, c, d])),
        Number::F32 => f64::from(f32::from_le_bytes([a, b, c, d])),
        Number::F64 => f64::from_le_bytes(raw),
    }
}

/// Converts a number to an index; `None` unless it is a non-negative integer that fits.
#[inline]
pub(super) fn to_index(number: Number, raw: Raw) -> Option<u32> {
    let [a, b, c, d, ..] = raw;
    match number {
        Number::I8 => u32::try_from(a as i8).ok(),
        Number::U8 => Some(u32::from(a)),
        Number::I16 => u32::try_from(i16::from_le_bytes([a, b])).ok(),
        Number::U16 => Some(u32::from(u16::from_le_bytes([a, b]))),
        Number::I32 => u32::try_from(i32::from_le_bytes([a, b, c, d])).ok(),
        Number::U32 => Some(u32::from_le_bytes([a, b, c, d])),
        Number::F32 | Number::F64 => None,
    }
}
