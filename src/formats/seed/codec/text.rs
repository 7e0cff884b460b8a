//! The text of Seed files: encoding, whitespace and lines (S3, S9).

use std::ops::Range;

use memchr::memchr;

use crate::Span;

/// The characters allowed between tokens (S3).
pub(in crate::formats::seed) const WHITESPACE: [char; 4] = [' ', '\t', '\u{b}', '\u{c}'];

pub(super) fn is_whitespace(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t' | 0x0b | 0x0c)
}

/// U+FEFF in UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Returns the offset of the first line, after any byte order mark.
pub(super) fn first_line_offset(file: &[u8]) -> usize {
    if file.starts_with(BYTE_ORDER_MARK) {
        BYTE_ORDER_MARK.len()
    } else {
        0
    }
}

/// Returns the name of the encoding if a file starts like UTF-16 or UTF-32; otherwise `None`.
pub(in crate::formats::seed) fn other_encoding(file: &[u8]) -> Option<&'static str> {
    match file {
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => Some("UTF-32"),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Some("UTF-16"),
        [0, a, 0, b, ..] | [a, 0, b, 0, ..] if is_text(*a) && is_text(*b) => Some("UTF-16"),
        _ => None,
    }
}

fn is_text(byte: u8) -> bool {
    byte.is_ascii_graphic() || byte.is_ascii_whitespace()
}

/// Returns the first line without its line ending, and the offset of the next line.
pub(super) fn split_line(bytes: &[u8]) -> (&[u8], usize) {
    let Some(end) = memchr(b'\n', bytes) else {
        return (bytes, bytes.len());
    };
    let line = &bytes[..end];
    (line.strip_suffix(b"\r").unwrap_or(line), end + 1)
}

/// Splits a file into chunks of whole lines. Each chunk except the last has at least `size` bytes.
pub(super) fn chunks(file: &[u8], size: usize) -> impl Iterator<Item = Range<usize>> {
    let mut start = first_line_offset(file);
    std::iter::from_fn(move || {
        let min = file.len().min(start.saturating_add(size));
        let end = memchr(b'\n', &file[min..]).map_or(file.len(), |line_end| min + line_end + 1);
        let chunk = std::mem::replace(&mut start, end)..end;
        (!chunk.is_empty()).then_some(chunk)
    })
}

/// Iterates over the lines of a file. Items are the line number, the file offset and the bytes without line ending.
pub(in crate::formats::seed) fn lines(file: &[u8]) -> impl Iterator<Item = (u64, usize, &[u8])> {
    let mut start = first_line_offset(file);
    let mut number = 0;
    std::iter::from_fn(move || {
        let rest = file.get(start..).filter(|rest| !rest.is_empty())?;
        let (line, next) = split_line(rest);
        number += 1;
        let offset = start;
        start += next;
        Some((number, offset, line))
    })
}

/// Returns the byte range of the content of a line, which excludes the comment and surrounding whitespace.
pub(super) fn content_range(line: &[u8]) -> Range<usize> {
    let end = memchr(b'#', line).unwrap_or(line.len());
    let start = line[..end]
        .iter()
        .position(|byte| !is_whitespace(byte))
        .unwrap_or(end);
    let end = line[..end]
        .iter()
        .rposition(|byte| !is_whitespace(byte))
        .map_or(start, |last| last + 1);
    start..end
}

/// Converts a byte range in a line to a location in the file. `start` is the file offset of the line.
pub(super) fn line_span(line: &[u8], range: Range<usize>, start: usize, number: u64) -> Span {
    let before = &line[..range.start.min(line.len())];
    // Counts characters, by skipping the continuation bytes of UTF-8.
    let column = 1 + before.iter().filter(|byte| **byte & 0xc0 != 0x80).count() as u64;
    let range = (start + range.start) as u64..(start + range.end) as u64;
    Span::Text {
        range,
        line: number,
        column,
    }
}
