//! Locates the fields of a document in its source text.

use std::collections::HashMap;
use std::ops::Range;

use super::super::schema::Kind;
use super::intent::Intent;
use super::line::parse_line;
use super::text::{content, is_whitespace, lines, span};
use crate::layout::walk::Segment;
use crate::{Path, Report, Span};

/// Adds the location to findings without one.
pub(in crate::formats::seed) fn locate(file: &[u8], report: &mut Report) {
    if report.findings().iter().all(|finding| finding.span.is_some()) {
        return;
    }
    let mut requested = HashMap::new();
    for finding in report.findings().iter().filter(|finding| finding.span.is_none()) {
        if let Some((lines, Some(index), component)) = lines_of(&finding.path) {
            requested.insert((lines, index), component);
        }
    }
    let mut found = HashMap::new();
    let exact = requested.keys().any(|(lines, _)| *lines == Intent::Property);
    let mut counts: HashMap<Intent, usize> = HashMap::new();
    let mut last: HashMap<Intent, Span> = HashMap::new();
    let mut end = Span::Text { range: 0..0, line: 1, column: 1 };
    for (number, start, line) in lines(file) {
        end = span(line, line.len()..line.len(), start, number);
        let lines = Intent::of(line);
        // The document does not contain malformed properties.
        if lines == Intent::Unknown || (lines == Intent::Property && exact && parse_line(line).is_err()) {
            continue;
        }
        let index = counts.entry(lines).or_default();
        if requested.contains_key(&(lines, *index)) {
            found.insert((lines, *index), (number, start, line));
        }
        last.insert(lines, span(line, content(line), start, number));
        *index += 1;
    }
    report.locate(|path| match lines_of(path) {
        Some((lines, Some(index), component)) => {
            let (number, start, line) = found.get(&(lines, index))?;
            let part =
                component.and_then(|component| value(line, component)).unwrap_or_else(|| content(line));
            Some(span(line, part, *start, *number))
        }
        // A missing line is reported at the end of the lines of its kind, or at the end of the file.
        Some((lines, None, _)) => Some(last.get(&lines).unwrap_or(&end).clone()),
        None => Some(end.clone()),
    });
}

/// Returns the byte range of a value in a line.
fn value(line: &[u8], component: usize) -> Option<Range<usize>> {
    let content = content(line);
    let text = line.get(content.clone())?;
    let first = text.iter().position(is_whitespace)?;
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

/// Resolves a path to a kind of line, the index of the line, and the index of the value in it.
fn lines_of(path: &Path) -> Option<(Intent, Option<usize>, Option<usize>)> {
    let segments = path.segments()?;
    let attribute = |kind: &Kind| segments.strip_prefix(kind.path().segments()?);
    let (lines, rest) = match segments {
        [Segment::Field("properties"), rest @ ..] => (Intent::Property, rest),
        _ => Kind::ALL.iter().find_map(|kind| Some((Intent::Attribute(*kind), attribute(kind)?)))?,
    };
    let number = |place: usize| match rest.get(place) {
        Some(Segment::Index(index)) => usize::try_from(*index).ok(),
        _ => None,
    };
    Some((lines, number(0), number(1)))
}
