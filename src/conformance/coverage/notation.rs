//! Detects notations in text files.

use NotationTest::{Line, Number, Text};

/// The name under which notations are counted, in place of a field name.
pub(super) const NOTATION: &str = "(notation)";

/// A test for a notation in the text of a file.
pub(super) enum NotationTest {
    /// Tests the text.
    Text(fn(&str) -> bool),
    /// Tests each non-empty line, without its comment.
    Line(fn(&str) -> bool),
    /// Tests each value that follows a comma in the line of an attribute, without surrounding whitespace.
    Number(fn(&str) -> bool),
}

impl NotationTest {
    /// Returns `true` if `text` includes the notation.
    pub(super) fn matches(&self, text: &str) -> bool {
        match *self {
            Text(test) => test(text),
            Line(test) => content_lines(text).any(test),
            Number(test) => numbers_after_commas(text).map(str::trim).any(test),
        }
    }
}

/// The name of each notation, and its test.
pub(super) const NOTATIONS: &[(&str, NotationTest)] = &[
    ("byte order mark", Text(|text| text.starts_with('\u{feff}'))),
    ("CRLF", Text(|text| text.contains("\r\n"))),
    (
        "no newline at the end of the file",
        Text(|text| !text.ends_with('\n')),
    ),
    (
        "empty line",
        Text(|text| text.lines().any(|line| line.trim().is_empty())),
    ),
    ("comment", Text(|text| text.contains('#'))),
    ("comment that is not UTF-8", Text(has_undecoded_comment)),
    (
        "leading whitespace",
        Line(|line| line.starts_with([' ', '\t', '\u{b}', '\u{c}'])),
    ),
    ("tab", Line(|line| line.contains('\t'))),
    (
        "vertical tab or form feed",
        Line(|line| line.contains(['\u{b}', '\u{c}'])),
    ),
    (
        "whitespace after a bracket",
        Line(|line| line.contains("] ") || line.contains("[ ")),
    ),
    (
        "property after an attribute",
        Text(|text| {
            content_lines(text)
                .skip_while(|line| is_property(line))
                .any(is_property)
        }),
    ),
    (
        "whitespace before a comma",
        Line(|line| line.contains(" ,")),
    ),
    (
        "no whitespace after a comma",
        Text(|text| numbers_after_commas(text).any(is_unspaced)),
    ),
    ("plus sign", Number(|number| number.starts_with('+'))),
    ("exponent", Number(|number| number.contains('e'))),
    ("upper-case exponent", Number(|number| number.contains('E'))),
    (
        "exponent with a sign",
        Number(|number| number.contains("e-") || number.contains("E-")),
    ),
    (
        "leading zeros",
        Number(|number| number.trim_start_matches(['+', '-']).starts_with("00")),
    ),
    (
        "no digit before the point",
        Number(|number| number.trim_start_matches(['+', '-']).starts_with('.')),
    ),
    (
        "no digit after the point",
        Number(|number| number.split(['e', 'E']).any(|part| part.ends_with('.'))),
    ),
    (
        "more than 50 digits",
        Number(|number| number.chars().filter(char::is_ascii_digit).count() > 50),
    ),
    ("integer -0", Number(|number| number == "-0")),
];

/// Returns the non-empty lines of `text` without their comments.
fn content_lines(text: &str) -> impl Iterator<Item = &str> {
    let text = text.trim_start_matches('\u{feff}');
    let lines = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default());
    lines.filter(|line| !line.trim().is_empty())
}

fn has_undecoded_comment(text: &str) -> bool {
    let mut comments = text.lines().filter_map(|line| line.split_once('#'));
    comments.any(|(_, comment)| comment.contains('\u{fffd}'))
}

fn is_unspaced(value: &str) -> bool {
    value.starts_with(|c: char| !c.is_whitespace())
}

fn is_property(line: &str) -> bool {
    line.trim_start().starts_with('[')
}

/// Returns the values that follow a comma in the lines of attributes, including surrounding whitespace.
fn numbers_after_commas(text: &str) -> impl Iterator<Item = &str> {
    content_lines(text)
        .filter(|line| !is_property(line))
        .flat_map(|line| line.split(',').skip(1))
}
