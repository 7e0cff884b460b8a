//! The lines of a file with their meaning, for people.

use std::ops::ControlFlow;

use super::encoding;
use super::fine::{self, Content, Slip, Values};
use super::meant::Meant;
use super::part::Placed;
use super::places;
use super::schema::Kind;
use crate::layout::Number;
use crate::{Finding, Line};

/// Longer texts are cut.
const LONGEST: usize = 200;

/// Hands each line to `each`, until that breaks off.
pub(super) fn lines(file: &[u8], each: &mut dyn FnMut(&Line) -> ControlFlow<()>) {
    if let Some(slip) = encoding::refuse(file) {
        let finding = Placed { slip, start: 0, line: 0, index: 0 }.finding(file);
        let _ = each(&Line { findings: vec![finding], ..line_of(&[], 1, 0) });
        return;
    }
    let mut properties = 0;
    let mut counts = [0; Kind::ALL.len()];
    for (number, start, bytes) in places::lines(file) {
        let mut line = line_of(bytes, number, start);
        let finding = |slip: Slip, index| Placed { slip, start, line: number - 1, index }.finding(file);
        match fine::line(bytes) {
            Ok(read) => {
                (line.path, line.meaning) = match read.content {
                    Content::Nothing if read.comment.is_some() => (String::new(), "comment".to_owned()),
                    Content::Nothing => Default::default(),
                    Content::Property { name, value } => {
                        properties += 1;
                        (format!("properties[{}]", properties - 1), property(name, value))
                    }
                    Content::Values(kind, ref values) => meaning(kind, values, &mut counts[kind as usize]),
                };
                if let (Content::Values(kind, _), Some(slip)) = (read.content, read.slip) {
                    line.findings.push(finding(slip, counts[kind as usize] - 1));
                }
            }
            Err(slip) => {
                let mut index = 0;
                if let Meant::Attribute(kind) = slip.meant {
                    index = counts[kind as usize];
                    counts[kind as usize] += 1;
                }
                let finding = finding(slip, index);
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
        text: shortened(&String::from_utf8_lossy(&bytes[..bytes.len().min(4 * LONGEST)])),
        path: String::new(),
        meaning: String::new(),
        findings: Vec::<Finding>::new(),
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
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

/// The field that the next line of a kind gives, and what it means.
fn meaning(kind: Kind, values: &Values, count: &mut usize) -> (String, String) {
    let index = *count;
    *count += 1;
    let attribute = kind.attribute();
    let of = match attribute.number {
        Number::F32 => format!("{} of vertex {index}", attribute.name),
        Number::Index => format!("{} {index}, of the vertices", attribute.name),
    };
    (format!("{}[{index}]", kind.path()), format!("{of}: {}", shown(values, attribute.values)))
}

fn shown(values: &Values, count: usize) -> String {
    let list: Vec<_> = match values {
        Values::Floats(floats) => floats[..count].iter().map(|x| format!("{x:?}")).collect(),
        Values::Indices(indices) => indices[..count].iter().map(u32::to_string).collect(),
    };
    format!("({})", list.join(", "))
}
