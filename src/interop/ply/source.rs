//! Reads the numbers after the header of PLY files.

use std::ops::Range;

use super::header::{Element, Encoding, Header, NumberType};
use crate::interop::shared::text::{Words, quote, reject};
use crate::{Error, Loss, Result, Span, Strictness};

/// The bytes of a number in little-endian order. The bytes after its size are ignored.
pub(super) type RawNumber = [u8; 8];

/// Reads numbers from the body of a file.
pub(super) enum NumberSource<'a> {
    Text(TextLines<'a>),
    Binary {
        bytes: &'a [u8],
        at: usize,
        last_start: usize,
        big_endian: bool,
        /// Whether the file ended before the end of a number.
        is_truncated: bool,
    },
}

/// The lines after the header of an ASCII file, one per item.
pub(super) struct TextLines<'a> {
    text: &'a [u8],
    line: Range<usize>,
    /// The remaining words of the line.
    words: Words<'a>,
}

impl<'a> NumberSource<'a> {
    pub fn new(bytes: &'a [u8], header: &Header) -> NumberSource<'a> {
        let Header { body, encoding, .. } = *header;
        match encoding {
            Encoding::Ascii => {
                let words = Words::new(bytes, body..body);
                NumberSource::Text(TextLines {
                    text: bytes,
                    line: body..body,
                    words,
                })
            }
            _ => {
                let big_endian = encoding == Encoding::BigEndian;
                NumberSource::Binary {
                    bytes,
                    at: body,
                    last_start: body,
                    big_endian,
                    is_truncated: false,
                }
            }
        }
    }

    pub fn is_text(&self) -> bool {
        matches!(self, NumberSource::Text(_))
    }

    /// Returns the number of remaining bytes; in text, without surrounding blanks.
    pub fn remaining(&self) -> u64 {
        match self {
            NumberSource::Text(lines) => lines.text[lines.line.end..].trim_ascii().len() as u64,
            NumberSource::Binary { bytes, at, .. } => (bytes.len() - at) as u64,
        }
    }

    /// Reads `size` bytes of little-endian numbers without copying them. Returns `None` if the file is ASCII or
    /// big-endian, or has fewer bytes.
    pub fn take_bytes(&mut self, size: u64) -> Option<&'a [u8]> {
        match self {
            NumberSource::Binary {
                bytes,
                at,
                last_start,
                big_endian: false,
                ..
            } => {
                let end = at.checked_add(usize::try_from(size).ok()?)?;
                let plain = bytes.get(*at..end)?;
                (*last_start, *at) = (*at, end);
                Some(plain)
            }
            _ => None,
        }
    }

    /// Reads the items of an element with `read`. Returns the number of items: in lenient mode, fewer than declared if
    /// the file is truncated.
    pub fn read_items(
        &mut self,
        element: &Element,
        strictness: Strictness,
        losses: &mut Vec<Loss>,
        mut read: impl FnMut(&mut Self) -> Result<()>,
    ) -> Result<usize> {
        for index in 0..element.item_count() {
            match self.read_item(element, &mut read) {
                Err(_) if strictness == Strictness::Lenient && self.is_truncated() => {
                    self.skip_rest();
                    let (missing, all) = (element.count - index, element.count as usize);
                    let loss =
                        Loss::dropped(element.name.clone(), "items missing at the end of the file");
                    let loss = loss.in_category(element.category());
                    losses.push(loss.with_count_of(missing as usize, all, "items"));
                    return Ok(index as usize);
                }
                item => item?,
            }
        }
        Ok(element.item_count() as usize)
    }

    /// Returns `true` if the file ended before the end of the last item.
    fn is_truncated(&self) -> bool {
        match self {
            NumberSource::Text(TextLines { text, line, words }) => {
                let has_end = !line.is_empty() && matches!(text.last(), Some(b'\r' | b'\n'));
                line.end == text.len() && !has_end && words.remaining() == 0
            }
            NumberSource::Binary { is_truncated, .. } => *is_truncated,
        }
    }

    /// Skips the remaining bytes, so that the bytes of a truncated number are not read as the next element.
    fn skip_rest(&mut self) {
        if let NumberSource::Binary { bytes, at, .. } = self {
            *at = bytes.len();
        }
    }

    /// Reads an item. In ASCII files, an item must take up its entire line.
    fn read_item(
        &mut self,
        element: &Element,
        read: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        if let NumberSource::Text(lines) = self {
            lines.advance();
        }
        let item = read(self);
        match self {
            NumberSource::Text(lines) if item.is_err() || lines.words.remaining() > 0 => {
                lines.count_error(element).map_or(item, Err)
            }
            _ => item,
        }
    }

    #[inline]
    pub fn read_number(&mut self, number: NumberType) -> Result<RawNumber> {
        match self {
            NumberSource::Text(lines) => parse_number(&mut lines.words, number),
            NumberSource::Binary {
                bytes,
                at,
                last_start,
                big_endian,
                is_truncated,
            } => {
                let size = number.size();
                *last_start = *at;
                let Some(own) = bytes.get(*at..*at + size) else {
                    *is_truncated = true;
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

    /// Reads the length of a list.
    #[inline]
    pub fn read_count(&mut self, number: NumberType) -> Result<u32> {
        let raw = self.read_number(number)?;
        to_count(number, raw)
            .ok_or_else(|| self.reject(format!("expected a count, found {}", to_f64(number, raw))))
    }

    /// Returns an error located at the last number.
    pub fn reject(&self, message: impl ToString) -> Error {
        match self {
            NumberSource::Text(lines) => lines.words.reject(message),
            NumberSource::Binary { at, last_start, .. } => Error::malformed(message)
                .with_span(Some(Span::Bytes(*last_start as u64..*at as u64))),
        }
    }
}

impl TextLines<'_> {
    /// Advances to the next non-blank line.
    fn advance(&mut self) {
        loop {
            let start = self.line.end;
            let rest = &self.text[start..];
            // The line feed of CR LF becomes a blank line.
            let length =
                memchr::memchr2(b'\r', b'\n', rest).map_or(rest.len(), |length| length + 1);
            self.line = start..start + length;
            if length == 0 || !self.text[self.line.clone()].trim_ascii().is_empty() {
                self.words = Words::new(self.text, self.line.clone());
                return;
            }
        }
    }

    /// Returns an error if the line is not empty, and has too many or too few numbers for an item; otherwise `None`.
    fn count_error(&self, element: &Element) -> Option<Error> {
        let mut words = Words::new(self.text, self.line.clone());
        let found = std::iter::from_fn(|| words.next()).count();
        let mut words = Words::new(self.text, self.line.clone());
        let mut expected = element.properties.len();
        for property in &element.properties {
            match property.length_type {
                Some(count) if words.remaining() > 0 => {
                    let items = to_count(count, parse_number(&mut words, count).ok()?)? as usize;
                    expected = expected.saturating_add(items);
                    (0..items.min(found)).for_each(|_| _ = words.next());
                }
                Some(_) => {}
                None => _ = words.next(),
            }
        }
        // The line is empty at the end of the file.
        let is_wrong = found > 0 && found != expected;
        is_wrong.then(|| {
            let message = format!(
                "{found} numbers, but `{}` has {expected} per line",
                element.name
            );
            reject(self.text, self.line.clone(), message)
        })
    }
}

fn parse_number(words: &mut Words, number: NumberType) -> Result<RawNumber> {
    if number == NumberType::F32 {
        return Ok(pad(words.read_f32("a number")?.to_le_bytes()));
    }
    if number == NumberType::F64 {
        let [value] = words.read_f64s("a number")?;
        return Ok(value.to_le_bytes());
    }
    let word = words
        .next()
        .ok_or_else(|| words.missing_error("a number"))?;
    let value = std::str::from_utf8(word)
        .ok()
        .and_then(|word| word.parse::<i64>().ok());
    let bits = 8 * number.size() as u32;
    let (least, most) = match number {
        NumberType::I8 | NumberType::I16 | NumberType::I32 => {
            (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
        }
        _ => (0, (1 << bits) - 1),
    };
    match value.filter(|value| (least..=most).contains(value)) {
        Some(value) => Ok(value.to_le_bytes()),
        None => Err(words.reject(format!(
            "{} is not an integer from {least} to {most}",
            quote(word)
        ))),
    }
}

fn pad<const N: usize>(bytes: [u8; N]) -> RawNumber {
    let mut raw = [0; 8];
    raw[..N].copy_from_slice(&bytes);
    raw
}

/// Converts a number of any type to a 64-bit float, which is exact.
pub(super) fn to_f64(number: NumberType, raw: RawNumber) -> f64 {
    let [a, b, c, d, ..] = raw;
    match number {
        NumberType::I8 => f64::from(a as i8),
        NumberType::U8 => f64::from(a),
        NumberType::I16 => f64::from(i16::from_le_bytes([a, b])),
        NumberType::U16 => f64::from(u16::from_le_bytes([a, b])),
        NumberType::I32 => f64::from(i32::from_le_bytes([a, b, c, d])),
        NumberType::U32 => f64::from(u32::from_le_bytes([a, b, c, d])),
        NumberType::F32 => f64::from(f32::from_le_bytes([a, b, c, d])),
        NumberType::F64 => f64::from_le_bytes(raw),
    }
}

/// Converts a number to a list length, which may be a float; returns `None` unless it is a whole number.
#[inline]
fn to_count(number: NumberType, raw: RawNumber) -> Option<u32> {
    if !number.is_float() {
        return to_index(number, raw);
    }
    let length = to_f64(number, raw);
    let is_whole = length.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&length);
    is_whole.then_some(length as u32)
}

/// Converts a number to an index; returns `None` for negative numbers and for floats.
#[inline]
pub(super) fn to_index(number: NumberType, raw: RawNumber) -> Option<u32> {
    let [a, b, c, d, ..] = raw;
    match number {
        NumberType::I8 => u32::try_from(a as i8).ok(),
        NumberType::U8 => Some(u32::from(a)),
        NumberType::I16 => u32::try_from(i16::from_le_bytes([a, b])).ok(),
        NumberType::U16 => Some(u32::from(u16::from_le_bytes([a, b]))),
        NumberType::I32 => u32::try_from(i32::from_le_bytes([a, b, c, d])).ok(),
        NumberType::U32 => Some(u32::from_le_bytes([a, b, c, d])),
        NumberType::F32 | NumberType::F64 => None,
    }
}
