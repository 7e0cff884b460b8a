//! The lines of a file with their meaning.

use std::ops::ControlFlow;

use super::codec::diagnostic::{Diagnostic, Located};
use super::codec::intent::Intent;
use super::codec::line::{Content, parse_line};
use super::codec::{fast, messages, text};
use super::columns::Values;
use super::schema::{KINDS, Kind, PROPERTIES};
use crate::Line;
use crate::layout::grammar::{Occurrence, ValueType};

/// Maximum displayed length, in characters.
const MAX_CHARS: usize = 200;

/// Calls `each` with each line until it breaks.
pub(super) fn lines(file: &[u8], each: &mut dyn FnMut(&Line) -> ControlFlow<()>) {
    if let Some(encoding) = text::other_encoding(file) {
        let diagnostic = messages::encoding(encoding);
        let finding = Located { diagnostic, start: 0, index: 0 }.finding(file, 1);
        let _ = each(&Line { findings: vec![finding], ..line(1, 0, &[]) });
        return;
    }
    let mut next = Next::default();
    for (number, start, bytes) in text::lines(file) {
        let (content, diagnostic) = read(bytes);
        let (list, index) = next.item(&content, diagnostic.as_ref());
        let findings =
            diagnostic.map(|diagnostic| Located { diagnostic, start, index }.finding(file, number));
        let findings = findings.into_iter().collect();
        if each(&Line { list, index, findings, ..line(number, start, bytes) }).is_break() {
            return;
        }
    }
}

fn line(number: u64, start: usize, bytes: &[u8]) -> Line<'_> {
    Line { number, offset: start as u64, bytes, list: "", index: 0, findings: Vec::new(), meaning }
}

/// Parses a line as far as possible. Also returns its diagnostic.
fn read(bytes: &[u8]) -> (Content<'_>, Option<Diagnostic>) {
    if let Some(plain) = fast::line(bytes) {
        return (plain.content, None);
    }
    match parse_line(bytes) {
        Ok(line) => (line.content, line.diagnostic),
        Err(diagnostic) => (Content::Empty, Some(diagnostic)),
    }
}

/// The index of the next item of each list.
#[derive(Default)]
struct Next {
    kinds: [usize; KINDS],
    properties: usize,
}

impl Next {
    /// Returns the list and the index of the item that a line adds. A malformed line counts as its intended kind.
    fn item(&mut self, content: &Content, diagnostic: Option<&Diagnostic>) -> (&'static str, usize) {
        let (list, next) = match (*content, diagnostic.map(|diagnostic| diagnostic.intent)) {
            (Content::Values(kind, _), _) | (Content::Empty, Some(Intent::Attribute(kind))) => {
                (kind.list(), &mut self.kinds[kind as usize])
            }
            (Content::Property { .. }, _) => ("properties", &mut self.properties),
            (Content::Empty, _) => return ("", 0),
        };
        *next += 1;
        (list, *next - 1)
    }
}

/// Describes the meaning of a line.
fn meaning(line: &Line) -> String {
    match read(line.bytes) {
        (Content::Empty, None) if line.bytes.contains(&b'#') => "comment".to_owned(),
        (Content::Empty, _) => String::new(),
        (Content::Property { name, value }, _) => property(name, value),
        (Content::Values(kind, values), _) => attribute(kind, &values, line.index),
    }
}

fn property(name: &str, value: &str) -> String {
    let what = match PROPERTIES.iter().find(|property| property.name == name) {
        Some(property) => property.meaning.to_owned(),
        None => match name.strip_prefix("mat").map(str::parse::<u32>) {
            Some(Ok(index)) => format!("material {index}"),
            _ => format!("custom property {name}"),
        },
    };
    let value = match value.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &value[..end]),
        None => value.to_owned(),
    };
    format!("{what}: \"{value}\"")
}

fn attribute(kind: Kind, values: &Values, index: usize) -> String {
    let attribute = kind.attribute();
    let of = match (attribute.occurs, attribute.value_type) {
        (_, ValueType::Index) => format!("{} {index}, vertices", attribute.name),
        (Occurrence::File, _) => attribute.name.to_owned(),
        (occurs, _) => format!("{} of {} {index}", attribute.name, occurs.name()),
    };
    let list: Vec<_> = match values {
        Values::Floats(floats) => floats[..attribute.values].iter().map(|x| format!("{x:?}")).collect(),
        Values::Integers(integers) => {
            let shown = |integer: &u32| match attribute.words().get(*integer as usize) {
                Some(word) => word.to_string(),
                None => integer.to_string(),
            };
            integers[..attribute.values].iter().map(shown).collect()
        }
    };
    format!("{of}: ({})", list.join(", "))
}
