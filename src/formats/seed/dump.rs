//! Lists the lines of a file with descriptions of their meaning.

use std::ops::ControlFlow;

use super::codec::diagnostic::{Diagnostic, LocatedDiagnostic};
use super::codec::intent::Intent;
use super::codec::line::{LineContent, parse_line};
use super::codec::window::LineCounts;
use super::codec::{fast, messages, text};
use super::columns::Values;
use super::schema::{LineKind, PROPERTIES};
use crate::Line;
use crate::layout::grammar::{Occurrence, ValueType};
use crate::text::truncated;

/// Maximum displayed length of a property value, in characters.
const MAX_CHARS: usize = 200;

/// Calls `visit` with each line until `visit` returns `ControlFlow::Break`.
pub(super) fn visit_lines(file: &[u8], visit: &mut dyn FnMut(&Line) -> ControlFlow<()>) {
    if let Some(encoding) = text::other_encoding(file) {
        let diagnostic = messages::encoding_error(encoding);
        let finding = LocatedDiagnostic {
            diagnostic,
            start: 0,
            index: 0,
        }
        .to_finding(file, 1);
        let _ = visit(&Line {
            findings: vec![finding],
            ..unlisted_line(1, 0, &[])
        });
        return;
    }
    let mut counts = LineCounts::default();
    for (number, start, bytes) in text::lines(file) {
        let (content, diagnostic) = parse_leniently(bytes);
        let (list, index) = next_item(&mut counts, &content, diagnostic.as_ref());
        let located = diagnostic.map(|diagnostic| LocatedDiagnostic {
            diagnostic,
            start,
            index,
        });
        let findings = located
            .iter()
            .map(|located| located.to_finding(file, number))
            .collect();
        if visit(&Line {
            list,
            index,
            findings,
            ..unlisted_line(number, start, bytes)
        })
        .is_break()
        {
            return;
        }
    }
}

/// Returns a line that belongs to no list and has no findings.
fn unlisted_line(number: u64, start: usize, bytes: &[u8]) -> Line<'_> {
    Line {
        number,
        offset: start as u64,
        bytes,
        list: "",
        index: 0,
        findings: Vec::new(),
        describe,
    }
}

/// Parses a line. Also returns its diagnostic, if any; a malformed line has no content.
fn parse_leniently(bytes: &[u8]) -> (LineContent<'_>, Option<Diagnostic>) {
    if let Some(plain) = fast::read_line(bytes) {
        return (plain.content, None);
    }
    match parse_line(bytes) {
        Ok(line) => (line.content, line.diagnostic),
        Err(diagnostic) => (LineContent::Empty, Some(diagnostic)),
    }
}

/// Counts a line; a malformed attribute counts as its intended kind. Returns the list (empty if none) and the index.
fn next_item(
    counts: &mut LineCounts,
    content: &LineContent,
    diagnostic: Option<&Diagnostic>,
) -> (&'static str, usize) {
    let (list, next) = match (*content, diagnostic.map(|diagnostic| diagnostic.intent)) {
        (LineContent::Values(kind, _), _) | (LineContent::Empty, Some(Intent::Attribute(kind))) => {
            (kind.list_path(), &mut counts.kinds[kind as usize])
        }
        (LineContent::Property { .. }, _) => ("properties", &mut counts.properties),
        (LineContent::Empty, _) => return ("", 0),
    };
    *next += 1;
    (list, *next - 1)
}

/// Describes the meaning of a line; empty for an empty or malformed line.
fn describe(line: &Line) -> String {
    match parse_leniently(line.bytes) {
        (LineContent::Empty, None) if line.bytes.contains(&b'#') => "comment".to_owned(),
        (LineContent::Empty, _) => String::new(),
        (LineContent::Property { name, value }, _) => describe_property(name, value),
        (LineContent::Values(kind, values), _) => describe_attribute(kind, &values, line.index),
    }
}

fn describe_property(name: &str, value: &str) -> String {
    let built_in = PROPERTIES.iter().find(|property| property.name == name);
    let label = match (built_in, name.strip_prefix("mat").map(str::parse::<u32>)) {
        (Some(property), _) => property.meaning.to_owned(),
        (None, Some(Ok(index))) => format!("material {index}"),
        (None, _) => format!("custom property {name}"),
    };
    format!("{label}: \"{}\"", truncated(value, MAX_CHARS))
}

fn describe_attribute(kind: LineKind, values: &Values, index: usize) -> String {
    let attribute = kind.attribute();
    let label = match (attribute.occurs, attribute.value_type) {
        (_, ValueType::Index) => format!("{} {index}, vertices", attribute.name),
        (Occurrence::File, _) => attribute.name.to_owned(),
        (occurs, _) => format!("{} of {} {index}", attribute.name, occurs.name()),
    };
    let list: Vec<_> = match values {
        Values::Floats(floats) => floats[..attribute.values]
            .iter()
            .map(|x| format!("{x:?}"))
            .collect(),
        Values::Integers(integers) => {
            let to_text = |integer: &u32| match attribute.words().get(*integer as usize) {
                Some(word) => word.to_string(),
                None => integer.to_string(),
            };
            integers[..attribute.values].iter().map(to_text).collect()
        }
    };
    format!("{label}: ({})", list.join(", "))
}
