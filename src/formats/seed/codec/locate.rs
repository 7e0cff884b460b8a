//! Locates the fields of a document in the text that it was read from.

use std::collections::HashMap;
use std::ops::Range;

use super::super::schema::LineKind;
use super::intent::Intent;
use super::line::parse_line;
use super::text::{content_range, is_whitespace, line_span, lines};
use crate::layout::walk::Segment;
use crate::{Path, Report, Span};

/// Adds locations to the findings that lack one.
pub(in crate::formats::seed) fn locate(file: &[u8], report: &mut Report) {
    if report
        .findings()
        .iter()
        .all(|finding| finding.span.is_some())
    {
        return;
    }
    let mut requested = HashMap::new();
    for finding in report
        .findings()
        .iter()
        .filter(|finding| finding.span.is_none())
    {
        if let Some((intent, Some(index), component)) = resolve_path(&finding.path) {
            requested.insert((intent, index), component);
        }
    }
    let mut found = HashMap::new();
    let needs_properties = requested
        .keys()
        .any(|(intent, _)| *intent == Intent::Property);
    let mut counts: HashMap<Intent, usize> = HashMap::new();
    let mut last: HashMap<Intent, Span> = HashMap::new();
    let mut end = Span::Text {
        range: 0..0,
        line: 1,
        column: 1,
    };
    for (number, start, line) in lines(file) {
        end = line_span(line, line.len()..line.len(), start, number);
        let intent = Intent::from_line(line);
        // The document does not contain malformed properties.
        if intent == Intent::Unknown
            || (intent == Intent::Property && needs_properties && parse_line(line).is_err())
        {
            continue;
        }
        let index = counts.entry(intent).or_default();
        if requested.contains_key(&(intent, *index)) {
            found.insert((intent, *index), (number, start, line));
        }
        last.insert(intent, line_span(line, content_range(line), start, number));
        *index += 1;
    }
    report.locate(|path| match resolve_path(path) {
        Some((intent, Some(index), component)) => {
            let (number, start, line) = found.get(&(intent, index))?;
            let value = component.and_then(|component| value_range(line, component));
            Some(line_span(
                line,
                value.unwrap_or_else(|| content_range(line)),
                *start,
                *number,
            ))
        }
        // A missing line is located at the last line of its kind, or at the end of the file.
        Some((intent, None, _)) => Some(last.get(&intent).unwrap_or(&end).clone()),
        None => Some(end.clone()),
    });
}

/// Returns the byte range of a value in a line; `None` if missing.
pub(super) fn value_range(line: &[u8], component: usize) -> Option<Range<usize>> {
    let content = content_range(line);
    let first = line.get(content.clone())?.iter().position(is_whitespace)?;
    let mut start = content.start + first;
    for (number, part) in line
        .get(start..content.end)?
        .split(|byte| *byte == b',')
        .enumerate()
    {
        if number == component {
            let inner = content_range(part);
            return Some(start + inner.start..start + inner.end);
        }
        start += part.len() + 1;
    }
    None
}

/// Resolves a path to a kind of line, the index of the line, and the index of the value in the line.
fn resolve_path(path: &Path) -> Option<(Intent, Option<usize>, Option<usize>)> {
    let segments = path.segments()?;
    let attribute = |kind: &LineKind| segments.strip_prefix(kind.path().segments()?);
    let (intent, rest) = match segments {
        [Segment::Field("properties"), rest @ ..] => (Intent::Property, rest),
        _ => LineKind::ALL
            .iter()
            .find_map(|kind| Some((Intent::Attribute(*kind), attribute(kind)?)))?,
    };
    let index_at = |depth: usize| match rest.get(depth) {
        Some(Segment::Index(index)) => usize::try_from(*index).ok(),
        _ => None,
    };
    Some((intent, index_at(0), index_at(1)))
}
