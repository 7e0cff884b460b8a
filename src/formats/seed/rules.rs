//! Checks documents against the rules of Seed. The line reader reports violations that can only occur in text.

use std::ops::RangeInclusive;

pub(super) use super::schema::rules::*;

use super::codec::diagnostic::UnreadableLines;
use super::codec::messages;
use super::columns::Column;
use super::schema::{ATTRIBUTES, CommentPlace, Document, LineKind, PROPERTIES};
use super::syntax::{self, Rule};
use crate::layout::grammar::{BuiltInProperty, Domain, MAX_INTEGER, Occurrence, ValueType};
use crate::{Path, Report, path};

/// Adds all violations of a document to `report`.
pub(super) fn check(document: &Document, unreadable: UnreadableLines, report: &mut Report) {
    check_structure(document, unreadable, report);
    check_properties_and_comments(document, report);
    check_values(document, report);
}

/// Adds the violations in properties. If the kinds of all lines are known, also adds missing attributes, wrong line
/// counts and invalid integers.
pub(super) fn check_structure(
    document: &Document,
    unreadable: UnreadableLines,
    report: &mut Report,
) {
    check_properties(document, unreadable, report);
    if !unreadable.has_unknown_lines {
        check_attributes(document, report);
        check_integers(document, report);
    }
}

fn check_properties(document: &Document, unreadable: UnreadableLines, report: &mut Report) {
    let mut names = std::collections::HashSet::new();
    for (index, property) in document.properties.iter().enumerate() {
        if !names.insert(&*property.name) {
            let name = &property.name;
            let message =
                format_args!("duplicate property `{name}`; lenient reading uses the first");
            report.add(&DUPLICATE_PROPERTY, path!(properties[index]), message);
        }
    }
    for BuiltInProperty { name, values, .. } in &PROPERTIES {
        match document
            .properties
            .iter()
            .position(|property| property.name == *name)
        {
            Some(index) => check_built_in(index, &document.properties[index].value, values, report),
            None if unreadable == UnreadableLines::default() => {
                report.add(
                    &BUILT_IN,
                    path!(properties),
                    format_args!("missing property `{name}`"),
                );
            }
            None => {}
        }
    }
}

fn check_built_in(index: usize, found: &str, values: &[&str], report: &mut Report) {
    if !values.is_empty() && !values.contains(&found) {
        let message = format_args!("found `{found}`, expected {}", values.join(" or "));
        report.add(&TYPE, path!(properties[index].value), message);
    }
}

/// Checks the document against the attribute table.
fn check_attributes(document: &Document, report: &mut Report) {
    let vertices = document.vertex_count();
    for (kind, attribute) in LineKind::ALL.into_iter().zip(&ATTRIBUTES) {
        let (identifier, lines) = (attribute.identifier, document.line_count(kind));
        if attribute.required && !document.has_channel(kind) {
            let (rule, hint) = match kind {
                LineKind::P | LineKind::F => (&MISSING, ""),
                _ => (&REQUIRED, "; lenient reading accepts the file without it"),
            };
            let name = attribute.name;
            let message =
                format_args!("missing attribute `{identifier}`: {name} is required{hint}");
            report.add(rule, kind.path(), message);
        }
        if let Some(other) = attribute.requires
            && lines > 0
            && LineKind::from_identifier(other).is_some_and(|other| document.line_count(other) == 0)
        {
            let message = format_args!("`{identifier}` requires `{other}`, which is missing");
            report.add(&REQUIRES, kind.path(), message);
        }
        let (expected, of) = match attribute.occurs {
            Occurrence::File => (1, "the file".to_owned()),
            Occurrence::Vertex => (vertices, format!("{vertices} vertices")),
            Occurrence::Face => (
                document.faces.len(),
                format!("{} faces", document.faces.len()),
            ),
        };
        // A missing channel is reported for the channel that requires it.
        let is_missing = !document.has_channel(kind) || (lines == 0 && is_required(kind, document));
        if lines == expected || expected == 0 || is_missing {
            continue;
        }
        let plural = if lines == 1 { "line" } else { "lines" };
        report.add(
            &LINES,
            kind.path(),
            format_args!("found {lines} `{identifier}` {plural} for {of}"),
        );
    }
    if (1..3).contains(&vertices) {
        let message = format_args!("found {vertices}, expected at least 3 for a triangle");
        report.add(&VERTICES, path!(positions), message);
    }
}

/// Returns `true` if another attribute in the document requires this one.
fn is_required(kind: LineKind, document: &Document) -> bool {
    let requires =
        |other: &LineKind| other.attribute().requires == Some(kind.attribute().identifier);
    LineKind::ALL
        .iter()
        .any(|other| requires(other) && document.line_count(*other) > 0)
}

fn check_integers(document: &Document, report: &mut Report) {
    for kind in LineKind::ALL {
        let Column::Integers(values) = document.column(kind) else {
            continue;
        };
        match kind.attribute().value_type {
            ValueType::Index => check_indices(kind, values, document.vertex_count(), report),
            _ => check_range(kind, values, report),
        }
    }
}

/// Checks integers and words against the range in the table.
fn check_range(kind: LineKind, values: &[u32], report: &mut Report) {
    let range = kind.attribute().integer_range();
    // Words outside the table and integers above the maximum cannot be written as text.
    let is_writable =
        |value: u32| value <= MAX_INTEGER && kind.attribute().value_type != ValueType::Word;
    for (position, value) in values
        .iter()
        .enumerate()
        .filter(|(_, value)| !range.contains(value))
    {
        let rule = if is_writable(*value) {
            &INDEX_RANGE
        } else {
            &INDEX
        };
        let expected = messages::expected_integer(kind);
        report.add(
            rule,
            ValuePath(kind, position),
            format_args!("found {value}, expected {expected}"),
        );
    }
}

fn check_indices(kind: LineKind, indices: &[u32], vertices: usize, report: &mut Report) {
    // Fast path: a branch-free pass over all indices. A file without positions violates `MISSING` instead.
    let max = indices.iter().fold(0, |max, index| max.max(*index)) as usize;
    if max < vertices || vertices == 0 {
        return;
    }
    let counts_from_one = !indices.contains(&0);
    for (position, index) in indices
        .iter()
        .enumerate()
        .filter(|(_, index)| **index as usize >= vertices)
    {
        let rule = if *index > MAX_INTEGER {
            &INDEX
        } else {
            &INDEX_RANGE
        };
        // A larger index is out of range even if indices are counted from 1.
        let hint = match *index as usize == vertices && counts_from_one {
            true => "; indices count from 0, not from 1 as in OBJ",
            false => "",
        };
        let message = format_args!("found {index}, expected an index below {vertices}{hint}");
        report.add(rule, ValuePath(kind, position), message);
    }
}

/// The kind and the position of a value in a column. Converted to a path only if the finding is kept.
struct ValuePath(LineKind, usize);

impl From<ValuePath> for Path {
    fn from(ValuePath(kind, position): ValuePath) -> Path {
        let values = kind.attribute().values;
        kind.path()
            .index(position / values)
            .index(position % values)
    }
}

/// Adds the violations that are possible in documents, but not in text.
fn check_properties_and_comments(document: &Document, report: &mut Report) {
    for (index, property) in document.properties.iter().enumerate() {
        let (name, value) = (&*property.name, &*property.value);
        if !matches_rule(Rule::name, name) {
            let expected = "a letter followed by letters, digits and `_`";
            let message = format_args!("found \"{}\", expected {expected}", name.escape_debug());
            report.add(&PROPERTY, path!(properties[index].name), message);
        }
        if !matches_rule(Rule::value, value) {
            let message =
                "the value has leading or trailing whitespace, a `#` or a control character";
            report.add(&PROPERTY, path!(properties[index].value), message);
        }
    }
    let comments = document.comments.as_deref().unwrap_or_default();
    for (index, comment) in comments.iter().enumerate() {
        let mut pieces = comment.text.as_bytes().utf8_chunks();
        if !pieces.all(|piece| matches_rule(Rule::comment_text, piece.valid())) {
            report.add(
                &COMMENT,
                path!(comments[index].text),
                "the comment contains a control character",
            );
        }
        let exists = match comment.place {
            CommentPlace::Property(line) => line.index < document.properties.len(),
            CommentPlace::Line(kind, line) => line.index < document.line_count(kind),
            CommentPlace::End => true,
        };
        if !exists {
            report.add(
                &COMMENT,
                path!(comments[index].place),
                "refers to a missing line",
            );
        }
        if index > 0 && comments[index - 1].place > comment.place {
            let message = "out of order: the previous comment belongs to a later line";
            report.add(&COMMENT, path!(comments[index].place), message);
        }
    }
    for (index, pair) in comments.windows(2).enumerate() {
        if pair[0].place == pair[1].place && pair[0].place.is_trailing() {
            report.add(
                &COMMENT,
                path!(comments[index + 1].place),
                "the line already has a trailing comment",
            );
        }
    }
}

/// Returns `true` if a rule of the grammar matches the whole string.
pub(super) fn matches_rule(rule: Rule, text: &str) -> bool {
    syntax::prefix_len(rule, text) == text.len() && (rule != Rule::name || !text.is_empty())
}

fn check_values(document: &Document, report: &mut Report) {
    for kind in LineKind::ALL {
        let Column::Floats(values) = document.column(kind) else {
            continue;
        };
        check_finite(kind, values, report);
        match kind.attribute().domain {
            Domain::Any | Domain::OneOf(_) => {}
            Domain::Range(min, max) => check_interval(kind, values, min..=max, report),
            Domain::UnitVector => check_unit_vectors(kind, values, report),
        }
    }
}

fn check_finite(kind: LineKind, values: &[f32], report: &mut Report) {
    for (position, x) in values.iter().enumerate().filter(|(_, x)| !x.is_finite()) {
        report.add(
            &NUMBER,
            ValuePath(kind, position),
            format_args!("found {x}, expected a finite number"),
        );
    }
}

fn check_interval(kind: LineKind, values: &[f32], range: RangeInclusive<i32>, report: &mut Report) {
    if !report.is_enabled(&RANGE) {
        return;
    }
    let (min, max) = range.into_inner();
    let is_outside = |x: &f32| x.is_finite() && !(min as f32..=max as f32).contains(x);
    for (position, x) in values.iter().enumerate().filter(|(_, x)| is_outside(x)) {
        report.add(
            &RANGE,
            ValuePath(kind, position),
            format_args!("found {x:?}, expected {min} to {max}"),
        );
    }
}

fn check_unit_vectors(kind: LineKind, values: &[f32], report: &mut Report) {
    if !report.is_enabled(&NORMALIZED) {
        return;
    }
    for (index, vector) in values.chunks_exact(kind.attribute().values).enumerate() {
        let length = vector
            .iter()
            .map(|x| f64::from(*x).powi(2))
            .sum::<f64>()
            .sqrt();
        if (length - 1.0).abs() > 1e-3 {
            let message = format_args!("found length {length:.4}, expected 1");
            report.add(&NORMALIZED, kind.path().index(index), message);
        }
    }
}
