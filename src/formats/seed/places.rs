//! Where the fields of a document lie in the text that it was read from.

use std::collections::HashMap;
use std::ops::Range;

use super::codec::split_line;
use super::diagnose::BLANKS;
use super::meant::Meant;
use super::schema::Kind;
use super::{encoding, fine};
use crate::{Report, Span};

/// Fills in where the findings of a report lie that do not say so yet.
pub(super) fn locate(file: &[u8], report: &mut Report) {
    let mut wanted = HashMap::new();
    for finding in report.findings().iter().filter(|finding| finding.span.is_none()) {
        if let Some((lines, Some(index), component)) = parse(&finding.path) {
            wanted.insert((lines, index), component);
        }
    }
    let mut found = HashMap::new();
    let exact = wanted.keys().any(|(lines, _)| *lines == Meant::Property);
    let mut counts: HashMap<Meant, usize> = HashMap::new();
    let mut last: HashMap<Meant, Span> = HashMap::new();
    let mut end = Span::Text { range: 0..0, line: 1, column: 1 };
    for (number, start, line) in lines(file) {
        end = span(line, line.len()..line.len(), start, number);
        let lines = Meant::of(line);
        // The document has nothing for properties that cannot be read.
        if lines == Meant::Unknown || (lines == Meant::Property && exact && fine::line(line).is_err()) {
            continue;
        }
        let index = counts.entry(lines).or_default();
        if wanted.contains_key(&(lines, *index)) {
            found.insert((lines, *index), (number, start, line));
        }
        last.insert(lines, span(line, content(line), start, number));
        *index += 1;
    }
    report.locate(|path| match parse(path) {
        Some((lines, Some(index), component)) => {
            let (number, start, line) = found.get(&(lines, index))?;
            let part =
                component.and_then(|component| value(line, component)).unwrap_or_else(|| content(line));
            Some(span(line, part, *start, *number))
        }
        // That something is missing shows where the lines of its kind end, or at the end of the file.
        Some((lines, None, _)) => Some(last.get(&lines).unwrap_or(&end).clone()),
        None => Some(end.clone()),
    });
}

/// The lines of a file: number, offset, bytes.
pub(super) fn lines(file: &[u8]) -> impl Iterator<Item = (u64, usize, &[u8])> {
    let mut start = encoding::mark(file);
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

/// Bytes of a line as a place in the file.
pub(super) fn span(line: &[u8], range: Range<usize>, start: usize, number: u64) -> Span {
    let before = &line[..range.start.min(line.len())];
    // Bytes that continue a character do not count.
    let column = 1 + before.iter().filter(|byte| **byte & 0xc0 != 0x80).count() as u64;
    let range = (start + range.start) as u64..(start + range.end) as u64;
    Span::Text { range, line: number, column }
}

/// The line without comment, and without the blanks around it.
fn content(line: &[u8]) -> Range<usize> {
    let end = memchr::memchr(b'#', line).unwrap_or(line.len());
    let is_blank = |byte: &u8| BLANKS.contains(&char::from(*byte));
    let start = line[..end].iter().position(|byte| !is_blank(byte)).unwrap_or(end);
    let end = line[..end].iter().rposition(|byte| !is_blank(byte)).map_or(start, |last| last + 1);
    start..end
}

/// One of the values of a line.
fn value(line: &[u8], component: usize) -> Option<Range<usize>> {
    let content = content(line);
    let text = line.get(content.clone())?;
    let first = text.iter().position(|byte| BLANKS.contains(&char::from(*byte)))?;
    let mut start = content.start + first;
    for (number, part) in line.get(start..content.end)?.split(|byte| *byte == b',').enumerate() {
        if number == component {
            let inner = self::content(part);
            return Some(start + inner.start..start + inner.end);
        }
        start += part.len() + 1;
    }
    None
}

/// What a path leads to, the number of the line and that of the value.
fn parse(path: &str) -> Option<(Meant, Option<usize>, Option<usize>)> {
    let (lines, rest) = match path.strip_prefix("properties") {
        Some(rest) => (Meant::Property, rest),
        None => {
            let kind = Kind::ALL.into_iter().find(|kind| path.starts_with(kind.path()))?;
            (Meant::Attribute(kind), path.get(kind.path().len()..)?)
        }
    };
    let mut numbers = rest.split(['[', ']']).filter_map(|part| part.parse().ok());
    Some((lines, numbers.next(), numbers.next()))
}
