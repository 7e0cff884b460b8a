//! Messages about malformed lines: what was found, what was expected, and a hint at common mistakes.

use std::ops::Range;

use pest::error::{ErrorVariant, InputLocation};

use super::super::columns::MAX_VALUES;
use super::super::schema::{ATTRIBUTES, Kind, rules};
use super::super::syntax::{self, Rule};
use super::diagnostic::Diagnostic;
use super::intent::{self, Misread};
use super::text::WHITESPACE;
use crate::layout::grammar::{MAX_INTEGER, ValueType};

/// Returns the diagnostic for a file in another encoding.
pub(in crate::formats::seed) fn encoding(name: &str) -> Diagnostic {
    Diagnostic::new(&rules::ENCODING, 0..2, format!("the file is {name}, expected UTF-8"))
}

/// Returns the diagnostic for a byte outside comments that is not UTF-8.
pub(super) fn not_utf8(byte: u8, range: Range<usize>) -> Diagnostic {
    Diagnostic::new(&rules::ENCODING, range, format!("found the byte {byte:#04x}, expected UTF-8"))
}

/// Returns the offset at which the grammar failed.
pub(super) fn offset(error: &syntax::Error) -> usize {
    match error.location {
        InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
    }
}

/// Returns the diagnostic for a line that does not match the grammar.
pub(super) fn syntax(text: &str, error: &syntax::Error) -> Diagnostic {
    let at = offset(error);
    let expects = |rule| match &error.variant {
        ErrorVariant::ParsingError { positives, .. } => positives.contains(&rule),
        ErrorVariant::CustomError { .. } => false,
    };
    let rest = text.get(at..).unwrap_or_default();
    if let Some(c) = rest.chars().next().filter(|c| c.is_control() && !WHITESPACE.contains(c)) {
        return control(c, at);
    }
    let word = first_word(text);
    let mut diagnostic = match Kind::of(&text[word.clone()]) {
        Some(kind) => attribute(text, at, kind, word.end, expects),
        None if word.is_empty() => property(text, at, expects),
        None => bare_property(text, word.start).unwrap_or_else(|| {
            let spaced = text[word.end..].starts_with(WHITESPACE);
            identifier(&text[word.clone()], word.start, spaced)
        }),
    };
    diagnostic.message.push_str(whitespace_hint(&text[diagnostic.range.clone()]));
    diagnostic
}

/// Returns a hint for characters that look like whitespace.
fn whitespace_hint(word: &str) -> &'static str {
    let looks_blank = |c: char| c.is_whitespace() && !WHITESPACE.contains(&c);
    match word.chars().find(|c| looks_blank(*c) || *c == '\u{feff}') {
        Some('\u{a0}') => "; replace the no-break space U+00A0 with a space",
        Some('\u{feff}') => "; a byte order mark U+FEFF is allowed only at the start of the file",
        Some(_) => "; whitespace is spaces and tabs",
        None => "",
    }
}

/// Returns the diagnostic for a property without its brackets.
fn bare_property(text: &str, start: usize) -> Option<Diagnostic> {
    let (name, value) = text[start..].split_once('=')?;
    let name = name.trim_end_matches(WHITESPACE);
    if syntax::prefix(Rule::name, name) < name.len() {
        return None;
    }
    let value = value.split('#').next().unwrap_or_default().trim_matches(WHITESPACE);
    let property = found(&format!("[{name}]={value}"));
    let message = format!("found {}, expected a property: {property}", found(name));
    Some(Diagnostic::new(&rules::IDENTIFIER, start..start + name.len(), message))
}

/// Returns the range of the leading letters and digits.
pub(super) fn first_word(text: &str) -> Range<usize> {
    let start = text.len() - text.trim_start_matches(WHITESPACE).len();
    let word = &text[start..];
    if !word.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return start..start;
    }
    start..start + word.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(word.len())
}

const NAME_HINT: &str = "; names are a letter followed by letters, digits and `_`";

fn property(text: &str, at: usize, expects: impl Fn(Rule) -> bool) -> Diagnostic {
    let token = token(text, at);
    let found = found(&text[token.clone()]);
    let (expected, hint) = if !text[first_word(text).start..].starts_with('[') {
        let hint = match text.get(at..) {
            Some(rest) if rest.starts_with("//") || rest.starts_with(';') => "; comments start with `#`",
            _ => "",
        };
        let message = format!("found {found}, expected an identifier, `[` or `#`{hint}");
        return Diagnostic::new(&rules::IDENTIFIER, token, message);
    } else if expects(Rule::name) {
        ("a property name", NAME_HINT)
    } else if expects(Rule::close) {
        ("`]`", NAME_HINT)
    } else {
        ("`=`", "")
    };
    Diagnostic::new(&rules::PROPERTY, token, format!("found {found}, expected {expected}{hint}"))
}

fn attribute(
    text: &str,
    at: usize,
    kind: Kind,
    values_start: usize,
    expects: impl Fn(Rule) -> bool,
) -> Diagnostic {
    let content = text[..text.find('#').unwrap_or(text.len())].trim_end_matches(WHITESPACE);
    let (identifier, values) = (kind.attribute().identifier, kind.attribute().values);
    let listed = content.get(values_start..).unwrap_or_default().trim_matches(WHITESPACE);
    if listed.is_empty() {
        return count(kind, 0, content.len()..content.len());
    }
    let token = token(text, at);
    let word = &text[token.clone()];
    let found = found(word);
    if expects(Rule::gap) {
        let message = format!("found {found}, expected whitespace after `{identifier}`");
        return Diagnostic::new(&rules::BLANK, token, message);
    }
    let read = content[values_start..at.min(content.len())]
        .split(',')
        .filter(|part| !part.trim_matches(WHITESPACE).is_empty());
    let read = read.count();
    if word.starts_with("//") && has_comment(word) {
        let message = format!("found {found}, expected the end of the line; comments start with `#`");
        return Diagnostic::new(&rules::COUNT, token, message);
    }
    if text[..at].ends_with(|c| c != ',' && !WHITESPACE.contains(&c))
        && !word.starts_with(',')
        && !word.is_empty()
    {
        let start = text[..at].rfind(|c| c == ',' || WHITESPACE.contains(&c)).map_or(0, |i| i + 1);
        return number(kind, &text[start..token.end], start..token.end);
    }
    if expects(Rule::number) || expects(Rule::word) {
        return number(kind, word, token);
    }
    if word.starts_with(',') && read >= MAX_VALUES {
        let extra = content[values_start..]
            .match_indices(',')
            .nth(values - 1)
            .map_or(at, |(comma, _)| values_start + comma + 1);
        let start = content.len() - content[extra..].trim_start_matches(WHITESPACE).len();
        return count(kind, listed.split(',').count(), start..content.len());
    }
    if read >= values {
        let message =
            format!("found {found}, expected the end of the line; `{identifier}` takes {values} values");
        return Diagnostic::new(&rules::COUNT, token, message);
    }
    let message = format!("found {found}, expected `,`; values are separated by commas");
    Diagnostic::new(&rules::COMMA, token, message)
}

/// Returns the diagnostic for a word that is not a number.
fn number(kind: Kind, word: &str, range: Range<usize>) -> Diagnostic {
    let (rule, expected) = match kind.attribute().value_type {
        ValueType::Float => (&rules::NUMBER, "a decimal number"),
        ValueType::Integer | ValueType::Index => (&rules::INDEX, "an integer"),
        ValueType::Word => return unknown_word(kind, word, range),
    };
    let lower = word.to_ascii_lowercase();
    let hint = match lower.trim_start_matches(['+', '-']) {
        "" | "," => "",
        word if has_comment(word) => "; comments start with `#`",
        word if word.contains(';') => "; values are separated by commas",
        word if word.starts_with("inf") || word.starts_with("nan") => "; infinity and NaN are not allowed",
        word if word.starts_with("0x") => "; hexadecimal numbers are not allowed",
        word if word.contains('/') => "; unlike in OBJ, one index stands for all attributes of a vertex",
        word if word.starts_with('\u{2212}') => "; the minus sign is `-`",
        word if word.ends_with(['e', 'E']) => "; the exponent has no digits",
        word if word.ends_with('f') => "; remove the suffix",
        word if word.contains('_') => "; digit separators are not allowed",
        _ => "",
    };
    Diagnostic::new(rule, range, format!("found {}, expected {expected}{hint}", found(word)))
}

/// Returns `true` if a C comment starts in the word, as in `0//`, but not in OBJ indices such as `1//1`.
fn has_comment(word: &str) -> bool {
    word.split_once("//").is_some_and(|(_, rest)| !rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Returns the diagnostic for a number beyond the largest float.
pub(super) fn overflow(word: &str, range: Range<usize>) -> Diagnostic {
    let message = format!("{} exceeds the largest 32-bit float, 3.4028235e38", found(word));
    Diagnostic::new(&rules::NUMBER, range, message)
}

/// The reason a number is not a valid integer.
pub(super) enum IntegerError {
    NotAnInteger,
    Negative,
    TooLarge,
}

/// Returns the diagnostic for a number that is not a valid integer.
pub(super) fn integer(kind: Kind, why: IntegerError, word: &str, range: Range<usize>) -> Diagnostic {
    let attribute = kind.attribute();
    let expected = match (attribute.value_type, why) {
        (ValueType::Index, IntegerError::NotAnInteger) => "an integer, the index of a vertex".to_owned(),
        (ValueType::Index, IntegerError::Negative) => {
            "an index of 0 or more; only OBJ counts backwards with negative indices".to_owned()
        }
        (ValueType::Index, IntegerError::TooLarge) => format!("an index up to {MAX_INTEGER}"),
        _ => expected_integer(kind),
    };
    Diagnostic::new(&rules::INDEX, range, format!("found {}, expected {expected}", found(word)))
}

/// Describes the valid integers in lines of a kind.
pub(in crate::formats::seed) fn expected_integer(kind: Kind) -> String {
    let range = kind.attribute().integers();
    format!("an integer from {} to {}", range.start(), range.end())
}

/// Returns the diagnostic for a word that is not in the table.
pub(super) fn unknown_word(kind: Kind, word: &str, range: Range<usize>) -> Diagnostic {
    let message = format!("found {}, expected {}", found(word), kind.attribute().words().join(" or "));
    Diagnostic::new(&rules::INDEX, range, message)
}

/// Returns the diagnostic for a number of values that differs from the table.
pub(super) fn count(kind: Kind, found: usize, range: Range<usize>) -> Diagnostic {
    let (identifier, values) = (kind.attribute().identifier, kind.attribute().values);
    let found = match found {
        0 => "no values".to_owned(),
        1 => "1 value".to_owned(),
        count => format!("{count} values"),
    };
    Diagnostic::new(&rules::COUNT, range, format!("found {found}, but `{identifier}` takes {values}"))
}

/// Returns the diagnostic for an unknown identifier; `spaced` if whitespace follows it.
pub(super) fn identifier(word: &str, start: usize, spaced: bool) -> Diagnostic {
    let guess = intent::guess(word, spaced).map(|(kind, misread)| (kind.attribute().identifier, misread));
    let hint = match guess {
        Some((known, Misread::FromObj(what))) => format!("; for {what}, OBJ has `{word}` and Seed `{known}`"),
        Some((known, Misread::Case)) => format!("; identifiers are lower case: `{known}`"),
        Some((known, Misread::Whitespace)) => format!("; expected whitespace after `{known}`"),
        Some((_, Misread::ChannelNumber | Misread::Exact)) | None => channels(word),
    };
    let message = format!("unknown identifier {}{hint}", found(word));
    Diagnostic::new(&rules::IDENTIFIER, start..start + word.len(), message)
}

/// Returns a hint at the existing channels, for a word that starts with a channel's letter.
fn channels(word: &str) -> String {
    let letter = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_channel = |identifier: &&str| {
        identifier.strip_prefix(letter).is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit()))
    };
    let mut all = ATTRIBUTES.iter().map(|attribute| attribute.identifier).filter(is_channel);
    match (all.next(), all.next_back()) {
        (Some(first), Some(last)) => format!("; the channels are `{first}` to `{last}`"),
        _ => String::new(),
    }
}

/// Returns the diagnostic for a control character, which is not allowed anywhere.
pub(super) fn control(c: char, at: usize) -> Diagnostic {
    let hint = if c == '\r' { "; a carriage return is allowed only before a line feed" } else { "" };
    let message = format!("found the control character U+{:04X}{hint}", u32::from(c));
    Diagnostic::new(&rules::CONTROL, at..at + c.len_utf8(), message)
}

/// Returns the diagnostic for a line that is well-formed in its first megabyte and malformed after it.
pub(super) fn too_long(text: &str) -> Diagnostic {
    let is_control = |(_, c): &(usize, char)| c.is_control() && !WHITESPACE.contains(c);
    if let Some((at, c)) = text.char_indices().find(is_control) {
        return control(c, at);
    }
    let start = first_word(text).start;
    if text[start..].starts_with('[') {
        return unclosed(text, start + 1);
    }
    let message = format!("found a line of {} bytes that is malformed after its first megabyte", text.len());
    Diagnostic::new(&rules::COUNT, text.len()..text.len(), message)
}

/// Returns the diagnostic for a long property without its `]` or `=`.
fn unclosed(text: &str, mut at: usize) -> Diagnostic {
    let skip = |at: usize, what: Rule| at + syntax::prefix(what, &text[at..]);
    let whitespace = |at: usize| text.len() - text[at..].trim_start_matches(WHITESPACE).len();
    at = whitespace(skip(whitespace(at), Rule::name));
    let mut expected = "`]`";
    if text[at..].starts_with(']') {
        at = whitespace(at + 1);
        expected = "`=`";
    }
    let token = token(text, at);
    let message = format!("found {}, expected {expected}", found(&text[token.clone()]));
    Diagnostic::new(&rules::PROPERTY, token, message)
}

/// Returns the diagnostic for whitespace inside the first number of the line.
pub(super) fn spaced_number(content: &str) -> Diagnostic {
    let values = first_word(content).end;
    let mut start = values;
    for part in content[values..].split(',') {
        let trimmed = part.trim_matches(WHITESPACE);
        if trimmed.contains(WHITESPACE) {
            let start = start + (part.len() - part.trim_start_matches(WHITESPACE).len());
            let message =
                format!("found {}, expected one number without whitespace, or a comma", found(trimmed));
            return Diagnostic::new(&rules::SPACED_NUMBER, start..start + trimmed.len(), message);
        }
        start += part.len() + 1;
    }
    Diagnostic::new(&rules::SPACED_NUMBER, values..content.len(), "found whitespace inside a number")
}

/// Returns the range of the token at an offset: up to whitespace, a comma or a comment, or that character itself.
fn token(text: &str, at: usize) -> Range<usize> {
    let rest = text.get(at..).unwrap_or_default();
    let ends = |c: char| c == ',' || c == '#' || WHITESPACE.contains(&c);
    let length = match rest.find(ends) {
        Some(0) => 1,
        Some(length) => length,
        None => rest.len(),
    };
    at..at + length
}

/// Quotes a token, truncated if long.
fn found(word: &str) -> String {
    const MAX_CHARS: usize = 24;
    match word {
        "" => "the end of the line".to_owned(),
        "#" => "a comment".to_owned(),
        word => {
            let mut shown: String =
                word.chars().take(MAX_CHARS).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
            if word.chars().nth(MAX_CHARS).is_some() {
                shown.push('…');
            }
            format!("`{shown}`")
        }
    }
}
