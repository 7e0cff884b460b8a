//! Edits of the lines of a text.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::layout::{Grammar, Number};

/// A changed text.
pub(super) struct Edit {
    /// What is wrong with it, in general.
    pub(super) what: &'static str,
    pub(super) bytes: Vec<u8>,
    /// The identifier of the line.
    pub(super) identifier: String,
    /// Whether the line holds indices.
    pub(super) is_index: bool,
    /// The place of a number in the text, its old and its new value.
    pub(super) numbers: Option<(Range<usize>, f64, f64)>,
}

/// Values instead of a number.
const VALUES: [&str; 18] = [
    "",
    "x",
    "-1",
    "0.5",
    "2",
    "13",
    "1.5",
    "-0.5",
    "1e39",
    "-1e39",
    "2147483648",
    "4294967296",
    "nan",
    "inf",
    "0x1",
    "1.",
    "+1",
    "1e",
];

/// Returns every edit of a text.
pub(super) fn edits(grammar: &Grammar, text: &[u8]) -> Vec<Edit> {
    let mut start = 0;
    let lines: Vec<Range<usize>> = text
        .split_inclusive(|byte| *byte == b'\n')
        .map(|line| {
            start += line.len();
            start - line.len()..start
        })
        .collect();
    let mut editor = Editor { grammar, text, edits: Vec::new(), identifier: String::new(), is_index: false };
    lines.iter().for_each(|line| editor.line(line));
    editor.groups(&lines);
    editor.edits
}

struct Editor<'t> {
    grammar: &'t Grammar,
    text: &'t [u8],
    edits: Vec<Edit>,
    identifier: String,
    is_index: bool,
}

impl Editor<'_> {
    /// Adds the text with other bytes at a range.
    fn replace(&mut self, what: &'static str, range: Range<usize>, with: &[u8]) {
        let bytes = [&self.text[..range.start], with, &self.text[range.end..]].concat();
        let (identifier, is_index) = (self.identifier.clone(), self.is_index);
        self.edits.push(Edit { what, bytes, identifier, is_index, numbers: None });
    }

    fn line(&mut self, line: &Range<usize>) {
        let whole = &self.text[line.clone()];
        let end = line.end - whole.iter().rev().take_while(|byte| b"\r\n".contains(byte)).count();
        let content = self.text[line.start..end].to_vec();
        let name = content.iter().position(|byte| *byte == b' ').unwrap_or(content.len());
        self.identifier = String::from_utf8_lossy(&content[..name]).into_owned();
        let attribute = self.grammar.attributes.iter().find(|known| known.identifier == self.identifier);
        self.is_index = attribute.is_some_and(|attribute| attribute.number == Number::Index);
        self.replace("a missing line", line.clone(), b"");
        self.replace("a repeated line", line.end..line.end, whole);
        self.replace("a text that ends early", line.start + content.len() / 2..self.text.len(), b"");
        self.replace("a control character", end..end, b" \x01");
        self.replace("bytes that are not UTF-8", end..end, b"\xff");
        self.replace("an unknown identifier", line.start..line.start, b"q");
        self.replace("an unknown identifier", line.start..line.start, b"q 1\n");
        if content.starts_with(b"[") {
            let value = content.iter().position(|byte| *byte == b'=').unwrap_or(content.len());
            self.replace("another value of a property", line.start + value..end, b"=other");
            self.replace("a property without a value", line.start + value..end, b"");
            self.replace("an invalid name of a property", line.start + 1..line.start + 1, b"1");
        } else if attribute.is_some() {
            self.replace("no blank after the identifier", line.start + name..line.start + name + 1, b"");
            self.values(line.start + name, end);
        }
    }

    /// Edits the values between an identifier and the end of a line.
    fn values(&mut self, start: usize, end: usize) {
        let text = self.text;
        let end =
            text[start..end].iter().position(|byte| *byte == b'#').map_or(end, |comment| start + comment);
        self.replace("too many values", end..end, b", 0");
        let mut at = start;
        for (index, part) in text[start..end].split(|byte| *byte == b',').enumerate() {
            let blank = part.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            let value = at + blank..at + part.trim_ascii_end().len().max(blank);
            if index > 0 {
                self.replace("too few values", at - 1..at + part.len(), b"");
                self.replace("no comma between values", at - 1..at, b" ");
            }
            self.replace("an empty value", at..at, b",");
            self.replace("whitespace in a number", value.start..value.start, b"0 ");
            self.replace("whitespace in a number", value.start..value.start, b"- ");
            self.replace("whitespace in a number", value.end..value.end, b". 0");
            self.replace("whitespace in a number", value.end..value.end, b" 0");
            self.numbers(value);
            at += part.len() + 1;
        }
    }

    fn numbers(&mut self, range: Range<usize>) {
        let number = |text: &str| text.parse::<f64>().ok().filter(|number| number.is_finite());
        let old = str::from_utf8(&self.text[range.clone()]).ok().and_then(number);
        for value in VALUES {
            let what =
                if number(value).is_some() { "another number" } else { "a value that is not a number" };
            self.replace(what, range.clone(), value.as_bytes());
            if let (Some(old), Some(new), Some(edit)) = (old, number(value), self.edits.last_mut()) {
                edit.numbers = Some((range.clone(), old, new));
            }
        }
    }

    /// Edits all lines with an identifier at once.
    fn groups(&mut self, lines: &[Range<usize>]) {
        let mut groups: BTreeMap<&str, Vec<Range<usize>>> = BTreeMap::new();
        for line in lines {
            let identifier = self.text[line.clone()].split(|byte| *byte == b' ').next().unwrap_or_default();
            let known =
                self.grammar.attributes.iter().find(|known| known.identifier.as_bytes() == identifier);
            known.iter().for_each(|known| groups.entry(known.identifier).or_default().push(line.clone()));
        }
        for (identifier, lines) in &groups {
            self.identifier = (*identifier).to_owned();
            let bytes = self.without(lines);
            self.add("an attribute without lines", bytes);
        }
        // One vertex less, with faces that do not miss it.
        let faces: Vec<_> = self.grammar.attributes.iter().filter(|known| !known.is_per_vertex()).collect();
        let (mut missing, mut kept) = (Vec::new(), BTreeMap::new());
        for (identifier, lines) in &groups {
            match faces.iter().find(|known| known.identifier == *identifier) {
                None => missing.extend(lines.iter().skip(2).cloned()),
                Some(known) => {
                    let zeros = vec!["0"; known.values].join(",");
                    lines
                        .iter()
                        .for_each(|line| _ = kept.insert(line.start, format!("{identifier} {zeros}\n")));
                }
            }
        }
        let bytes: Vec<u8> = lines
            .iter()
            .filter(|line| !missing.contains(line))
            .flat_map(|line| match kept.get(&line.start) {
                Some(face) => face.as_bytes().to_vec(),
                None => self.text[line.clone()].to_vec(),
            })
            .collect();
        self.add("too few vertices", bytes);
    }

    fn without(&self, lines: &[Range<usize>]) -> Vec<u8> {
        let is_kept = |at: &usize| !lines.iter().any(|line| line.contains(at));
        (0..self.text.len()).filter(is_kept).map(|at| self.text[at]).collect()
    }

    fn add(&mut self, what: &'static str, bytes: Vec<u8>) {
        let (identifier, is_index) = (self.identifier.clone(), self.is_index);
        self.edits.push(Edit { what, bytes, identifier, is_index, numbers: None });
    }
}
