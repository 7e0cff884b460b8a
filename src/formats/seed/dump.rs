//! The lines of a file with what they mean.

use std::ops::ControlFlow;

use super::codec::diagnostic::{Diagnostic, Located};
use super::codec::intent::Intent;
use super::codec::line::{Content, Values, parse_line};
use super::codec::{messages, text};
use super::schema::Kind;
use crate::layout::Number;
use crate::{Finding, Line, Path, path};

/// Longer texts are cut.
const MAX_CHARS: usize = 200;

/// Calls `each` with each line until it breaks.
pub(super) fn lines(file: &[u8], each: &mut dyn FnMut(&Line) -> ControlFlow<()>) {
    if let Some(encoding) = text::other_encoding(file) {
        let diagnostic = messages::encoding(encoding);
        let finding = Located { diagnostic, start: 0, line: 0, index: 0 }.finding(file);
        let _ = each(&Line { findings: vec![finding], ..line_of(&[], 1, 0) });
        return;
    }
    let mut properties = 0;
    let mut counts = [0; Kind::ALL.len()];
    for (number, start, bytes) in text::lines(file) {
        let mut line = line_of(bytes, number, start);
        let finding = |diagnostic: Diagnostic, index| {
            Located { diagnostic, start, line: number - 1, index }.finding(file)
        };
        match parse_line(bytes) {
            Ok(read) => {
                (line.path, line.meaning) = match read.content {
                    Content::Empty if read.comment.is_some() => (Path::default(), "comment".to_owned()),
                    Content::Empty => Default::default(),
                    Content::Property { name, value } => {
                        properties += 1;
                        (path!(properties[properties - 1]).into(), property(name, value))
                    }
                    Content::Values(kind, ref values) => meaning(kind, values, &mut counts[kind as usize]),
                };
                if let (Content::Values(kind, _), Some(diagnostic)) = (read.content, read.diagnostic) {
                    line.findings.push(finding(diagnostic, counts[kind as usize] - 1));
                }
            }
            Err(diagnostic) => {
                let mut index = 0;
                if let Intent::Attribute(kind) = diagnostic.intent {
                    index = counts[kind as usize];
                    counts[kind as usize] += 1;
                }
                let finding = finding(diagnostic, index);
                line.path.clone_from(&finding.path);
                line.findings.push(finding);
            }
        }
        if each(&line).is_break() {
            return;
        }
    }
}

fn line_of(bytes: &[u8], number: u64, start: usize) -> Line {
    Line {
        number,
        offset: start as u64,
        text: shortened(&String::from_utf8_lossy(&bytes[..bytes.len().min(4 * MAX_CHARS)])),
        path: Path::default(),
        meaning: String::new(),
        findings: Vec::<Finding>::new(),
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn property(name: &str, value: &str) -> String {
    let what = match name {
        "name" => "the name of the mesh".to_owned(),
        "type" => "the type of the mesh".to_owned(),
        name => match name.strip_prefix("mat").map(str::parse::<u32>) {
            Some(Ok(index)) => format!("material {index}"),
            _ => format!("custom property {name}"),
        },
    };
    format!("{what}: \"{}\"", shortened(value))
}

/// The field that the next line of a kind sets, and what it means.
fn meaning(kind: Kind, values: &Values, count: &mut usize) -> (Path, String) {
    let index = *count;
    *count += 1;
    let attribute = kind.attribute();
    let of = match attribute.number {
        Number::F32 => format!("{} of vertex {index}", attribute.name),
        Number::Index => format!("{} {index}, vertices", attribute.name),
    };
    (kind.path().index(index), format!("{of}: {}", shown(values, attribute.values)))
}

fn shown(values: &Values, count: usize) -> String {
    let list: Vec<_> = match values {
        Values::Floats(floats) => floats[..count].iter().map(|x| format!("{x:?}")).collect(),
        Values::Indices(indices) => indices[..count].iter().map(u32::to_string).collect(),
    };
    format!("({})", list.join(", "))
}
