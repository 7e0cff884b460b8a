//! Detects notations in text files.

/// The name under which notations are counted, in place of a field name.
pub(super) const NOTATION: &str = "(notation)";

/// The name of a notation, and a function that returns `true` if the file content includes the notation.
type Notation = (&'static str, fn(&str) -> bool);

pub(super) const NOTATIONS: &[Notation] = &[
    ("byte order mark", |text| text.starts_with('\u{feff}')),
    ("CRLF", |text| text.contains("\r\n")),
    ("no line end at the end", |text| !text.ends_with('\n')),
    ("empty line", |text| text.lines().any(|line| line.trim().is_empty())),
    ("comment", |text| text.contains('#')),
    ("comment that is not UTF-8", |text| {
        text.lines().any(|line| line.split_once('#').is_some_and(|(_, comment)| comment.contains('\u{fffd}')))
    }),
    ("whitespace before a line", |text| {
        content_lines(text).any(|line| line.starts_with([' ', '\t', '\u{b}', '\u{c}']))
    }),
    ("tab", |text| content_lines(text).any(|line| line.contains('\t'))),
    ("vertical tab or form feed", |text| content_lines(text).any(|line| line.contains(['\u{b}', '\u{c}']))),
    ("whitespace in a property", |text| {
        content_lines(text).any(|line| line.contains("] ") || line.contains("[ "))
    }),
    ("property after an attribute", |text| {
        content_lines(text)
            .map(is_property)
            .skip_while(|is_property| *is_property)
            .any(|is_property| is_property)
    }),
    ("whitespace before a comma", |text| content_lines(text).any(|line| line.contains(" ,"))),
    ("no whitespace after a comma", |text| {
        numbers_after_commas(text).any(|number| number.starts_with(|c: char| !c.is_whitespace()))
    }),
    ("plus sign", |text| has_number(text, |number| number.starts_with('+'))),
    ("exponent", |text| has_number(text, |number| number.contains('e'))),
    ("upper-case exponent", |text| has_number(text, |number| number.contains('E'))),
    ("exponent with a sign", |text| {
        has_number(text, |number| number.contains("e-") || number.contains("E-"))
    }),
    ("leading zeros", |text| {
        has_number(text, |number| number.trim_start_matches(['+', '-']).starts_with("00"))
    }),
    ("no digit before the point", |text| {
        has_number(text, |number| number.trim_start_matches(['+', '-']).starts_with('.'))
    }),
    ("no digit after the point", |text| {
        has_number(text, |number| number.split(['e', 'E']).any(|part| part.ends_with('.')))
    }),
    ("more than 50 digits", |text| {
        has_number(text, |number| number.chars().filter(char::is_ascii_digit).count() > 50)
    }),
    ("integer -0", |text| has_number(text, |number| number == "-0")),
];

/// Returns the non-empty lines of a text without their comments.
fn content_lines(text: &str) -> impl Iterator<Item = &str> {
    let text = text.trim_start_matches('\u{feff}');
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
    lines.filter(|line| !line.trim().is_empty())
}

fn is_property(line: &str) -> bool {
    line.trim_start().starts_with('[')
}

/// Returns the values that follow a comma in the lines of attributes, including surrounding whitespace.
fn numbers_after_commas(text: &str) -> impl Iterator<Item = &str> {
    content_lines(text).filter(|line| !is_property(line)).flat_map(|line| line.split(',').skip(1))
}

fn has_number(text: &str, matches: fn(&str) -> bool) -> bool {
    numbers_after_commas(text).map(str::trim).any(matches)
}
