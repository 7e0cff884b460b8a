//! Messages for malformed lines: the found and the expected text, and hints for common mistakes.

use std::ops::Range;

use pest::error::{ErrorVariant, InputLocation};

use super::super::columns::MAX_VALUES;
use super::super::schema::{ATTRIBUTES, LineKind, rules};
use super::super::syntax::{self, Rule};
use super::diagnostic::Diagnostic;
use super::intent::{Mistake, guess_kind};
use super::text::WHITESPACE;
use crate::layout::grammar::{MAX_INTEGER, ValueType};
use crate::text::truncated;

/// Returns the diagnostic for a file in UTF-16 or UTF-32.
pub(in crate::formats::seed) fn encoding_error(name: &str) -> Diagnostic {
    Diagnostic::new(
        &rules::ENCODING,
        0..2,
        format!("the file is {name}, expected UTF-8"),
    )
}

/// Returns the diagnostic for a byte outside comments that is not UTF-8.
pub(super) fn utf8_error(byte: u8, range: Range<usize>) -> Diagnostic {
    Diagnostic::new(
        &rules::ENCODING,
        range,
        format!("found the byte {byte:#04x}, expected UTF-8"),
    )
}

/// Returns the offset at which parsing failed.
pub(super) fn error_offset(error: &syntax::Error) -> usize {
    match error.location {
        InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
    }
}

/// Returns the diagnostic for a line that does not match the grammar.
pub(super) fn syntax_error(text: &str, error: &syntax::Error) -> Diagnostic {
    let at = error_offset(error);
    let expects = |rule| match &error.variant {
        ErrorVariant::ParsingError { positives, .. } => positives.contains(&rule),
        ErrorVariant::CustomError { .. } => false,
    };
    let rest = text.get(at..).unwrap_or_default();
    if let Some(c) = rest
        .chars()
        .next()
        .filter(|c| c.is_control() && !WHITESPACE.contains(c))
    {
        return control_error(c, at);
    }
    let word = leading_word(text);
    let mut diagnostic = match LineKind::from_identifier(&text[word.clone()]) {
        Some(kind) => attribute_error(text, at, kind, word.end, expects),
        None if word.is_empty() => property_error(text, at, expects),
        None => bare_property_error(text, word.start).unwrap_or_else(|| {
            let is_spaced = text[word.end..].starts_with(WHITESPACE);
            identifier_error(&text[word.clone()], word.start, is_spaced)
        }),
    };
    diagnostic
        .message
        .push_str(whitespace_hint(&text[diagnostic.range.clone()]));
    diagnostic
}

/// Returns a hint if `word` contains a character that only looks like whitespace; otherwise an empty string.
fn whitespace_hint(word: &str) -> &'static str {
    let looks_blank = |c: char| c.is_whitespace() && !WHITESPACE.contains(&c);
    match word.chars().find(|c| looks_blank(*c) || *c == '\u{feff}') {
        Some('\u{a0}') => "; replace the no-break space U+00A0 with a space",
        Some('\u{feff}') => "; a byte order mark U+FEFF is allowed only at the start of the file",
        Some(_) => "; use spaces or tabs as whitespace",
        None => "",
    }
}

/// Returns the diagnostic for a property without brackets; `None` if the line is not of the form `name = value`.
fn bare_property_error(text: &str, start: usize) -> Option<Diagnostic> {
    let (name, value) = text[start..].split_once('=')?;
    let name = name.trim_end_matches(WHITESPACE);
    if syntax::prefix_len(Rule::name, name) < name.len() {
        return None;
    }
    let value = value
        .split('#')
        .next()
        .unwrap_or_default()
        .trim_matches(WHITESPACE);
    let property = quote(&format!("[{name}]={value}"));
    let message = format!("found {}, expected a property: {property}", quote(name));
    Some(Diagnostic::new(
        &rules::IDENTIFIER,
        start..start + name.len(),
        message,
    ))
}

/// Returns the byte range of the leading word: a letter, then letters and digits. Empty if there is none.
pub(super) fn leading_word(text: &str) -> Range<usize> {
    let start = text.len() - text.trim_start_matches(WHITESPACE).len();
    let word = &text[start..];
    if !word.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return start..start;
    }
    start
        ..start
            + word
                .find(|c: char| !c.is_ascii_alphanumeric())
                .unwrap_or(word.len())
}

const NAME_HINT: &str = "; names are a letter followed by letters, digits and `_`";

/// Returns the diagnostic for a line that does not start with a word, such as a malformed property.
fn property_error(text: &str, at: usize, expects: impl Fn(Rule) -> bool) -> Diagnostic {
    let token = token_range(text, at);
    let found = quote(&text[token.clone()]);
    let (expected, hint) = if !text[leading_word(text).start..].starts_with('[') {
        let hint = match text.get(at..) {
            Some(rest) if rest.starts_with("//") || rest.starts_with(';') => {
                "; comments start with `#`"
            }
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
    Diagnostic::new(
        &rules::PROPERTY,
        token,
        format!("found {found}, expected {expected}{hint}"),
    )
}

/// Returns the diagnostic for a malformed line that starts with a known identifier.
fn attribute_error(
    text: &str,
    at: usize,
    kind: LineKind,
    values_start: usize,
    expects: impl Fn(Rule) -> bool,
) -> Diagnostic {
    let content = text[..text.find('#').unwrap_or(text.len())].trim_end_matches(WHITESPACE);
    let (identifier, values) = (kind.attribute().identifier, kind.attribute().values);
    let listed = content
        .get(values_start..)
        .unwrap_or_default()
        .trim_matches(WHITESPACE);
    if listed.is_empty() {
        return count_error(kind, 0, content.len()..content.len());
    }
    let token = token_range(text, at);
    let word = &text[token.clone()];
    let found = quote(word);
    if expects(Rule::gap) {
        let message = format!("found {found}, expected whitespace after `{identifier}`");
        return Diagnostic::new(&rules::BLANK, token, message);
    }
    let values_read = content[values_start..at.min(content.len())].split(',');
    let values_read = values_read
        .filter(|part| !part.trim_matches(WHITESPACE).is_empty())
        .count();
    if word.starts_with("//") && has_comment(word) {
        let message =
            format!("found {found}, expected the end of the line; comments start with `#`");
        return Diagnostic::new(&rules::COUNT, token, message);
    }
    let start = text[..at]
        .rfind(|c| c == ',' || WHITESPACE.contains(&c))
        .map_or(0, |i| i + 1);
    if start < at && !word.starts_with(',') && !word.is_empty() {
        return number_error(kind, &text[start..token.end], start..token.end);
    }
    if expects(Rule::number) || expects(Rule::word) {
        return number_error(kind, word, token);
    }
    if word.starts_with(',') && values_read >= MAX_VALUES {
        let last_comma = content[values_start..].match_indices(',').nth(values - 1);
        let extra = last_comma.map_or(at, |(comma, _)| values_start + comma + 1);
        let start = content.len() - content[extra..].trim_start_matches(WHITESPACE).len();
        return count_error(kind, listed.split(',').count(), start..content.len());
    }
    if values_read >= values {
        let expected = format!("the end of the line; `{identifier}` takes {values} values");
        return Diagnostic::new(
            &rules::COUNT,
            token,
            format!("found {found}, expected {expected}"),
        );
    }
    let message = format!("found {found}, expected `,`; values are separated by commas");
    Diagnostic::new(&rules::COMMA, token, message)
}

/// Returns the diagnostic for a malformed value.
fn number_error(kind: LineKind, word: &str, range: Range<usize>) -> Diagnostic {
    let (rule, expected) = match kind.attribute().value_type {
        ValueType::Float => (&rules::NUMBER, "a decimal number"),
        ValueType::Integer | ValueType::Index => (&rules::INDEX, "an integer"),
        ValueType::Word => return unknown_word_error(kind, word, range),
    };
    let lower = word.to_ascii_lowercase();
    let hint = match lower.trim_start_matches(['+', '-']) {
        "" | "," => "",
        word if has_comment(word) => "; comments start with `#`",
        word if word.contains(';') => "; values are separated by commas",
        word if word.starts_with("inf") || word.starts_with("nan") => {
            "; infinity and NaN are not allowed"
        }
        word if word.starts_with("0x") => "; hexadecimal numbers are not allowed",
        word if word.contains('/') => {
            "; unlike in OBJ, one index refers to all attributes of a vertex"
        }
        word if word.starts_with('\u{2212}') => "; the minus sign is `-`",
        word if word.ends_with(['e', 'E']) => "; the exponent has no digits",
        word if word.ends_with('f') => "; remove the suffix",
        word if word.contains('_') => "; digit separators are not allowed",
        _ => "",
    };
    Diagnostic::new(
        rule,
        range,
        format!("found {}, expected {expected}{hint}", quote(word)),
    )
}

/// Returns `true` if a C comment starts in `word`, as in `0//`; `false` for OBJ indices like `1//1`.
fn has_comment(word: &str) -> bool {
    word.split_once("//")
        .is_some_and(|(_, rest)| !rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Returns the diagnostic for a number beyond the largest float.
pub(super) fn overflow_error(word: &str, range: Range<usize>) -> Diagnostic {
    let message = format!(
        "{} exceeds the largest 32-bit float, 3.4028235e38",
        quote(word)
    );
    Diagnostic::new(&rules::NUMBER, range, message)
}

/// The reason a number is not a valid integer.
pub(super) enum IntegerError {
    NotAnInteger,
    Negative,
    TooLarge,
}

/// Returns the diagnostic for a number that is not a valid integer.
pub(super) fn integer_error(
    kind: LineKind,
    why: IntegerError,
    word: &str,
    at: Range<usize>,
) -> Diagnostic {
    let expected = match why {
        _ if kind.attribute().value_type != ValueType::Index => &*expected_integer(kind),
        IntegerError::NotAnInteger => "an integer, the index of a vertex",
        IntegerError::Negative => "an index of 0 or more; negative indices are only allowed in OBJ",
        IntegerError::TooLarge => &format!("an index up to {MAX_INTEGER}"),
    };
    Diagnostic::new(
        &rules::INDEX,
        at,
        format!("found {}, expected {expected}", quote(word)),
    )
}

/// Describes the valid integers in lines of this kind.
pub(in crate::formats::seed) fn expected_integer(kind: LineKind) -> String {
    let range = kind.attribute().integer_range();
    format!("an integer from {} to {}", range.start(), range.end())
}

/// Returns the diagnostic for a word that is not a value of `kind`.
pub(super) fn unknown_word_error(kind: LineKind, word: &str, range: Range<usize>) -> Diagnostic {
    let message = format!(
        "found {}, expected {}",
        quote(word),
        kind.attribute().words().join(" or ")
    );
    Diagnostic::new(&rules::INDEX, range, message)
}

/// Returns the diagnostic for a line with too few or too many values.
pub(super) fn count_error(kind: LineKind, found: usize, range: Range<usize>) -> Diagnostic {
    let (identifier, values) = (kind.attribute().identifier, kind.attribute().values);
    let found = match found {
        0 => "no values".to_owned(),
        1 => "1 value".to_owned(),
        count => format!("{count} values"),
    };
    Diagnostic::new(
        &rules::COUNT,
        range,
        format!("found {found}, but `{identifier}` takes {values}"),
    )
}

/// Returns the diagnostic for an unknown identifier. `is_spaced` is `true` if whitespace follows it.
pub(super) fn identifier_error(word: &str, start: usize, is_spaced: bool) -> Diagnostic {
    let guess =
        guess_kind(word, is_spaced).map(|(kind, mistake)| (kind.attribute().identifier, mistake));
    let hint = match guess {
        Some((known, Mistake::FromObj(what))) => {
            format!("; the identifier of {what} is `{word}` in OBJ, but `{known}` in Seed")
        }
        Some((known, Mistake::Case)) => format!("; identifiers are lower case: `{known}`"),
        Some((known, Mistake::Whitespace)) => format!("; expected whitespace after `{known}`"),
        Some((_, Mistake::Channel | Mistake::Exact)) | None => channel_hint(word),
    };
    let message = format!("unknown identifier {}{hint}", quote(word));
    Diagnostic::new(&rules::IDENTIFIER, start..start + word.len(), message)
}

/// Returns a hint with the existing channels if `word` is the letter of a channel, with or without a number; otherwise
/// an empty string.
fn channel_hint(word: &str) -> String {
    let letter = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_channel = |identifier: &&str| {
        identifier
            .strip_prefix(letter)
            .is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit()))
    };
    let mut all = ATTRIBUTES
        .iter()
        .map(|attribute| attribute.identifier)
        .filter(is_channel);
    match (all.next(), all.next_back()) {
        (Some(first), Some(last)) => format!("; the channels are `{first}` to `{last}`"),
        _ => String::new(),
    }
}

/// Returns the diagnostic for a forbidden control character.
pub(super) fn control_error(c: char, at: usize) -> Diagnostic {
    let hint = if c == '\r' {
        "; a carriage return is allowed only before a line feed"
    } else {
        ""
    };
    let message = format!("found the control character U+{:04X}{hint}", u32::from(c));
    Diagnostic::new(&rules::CONTROL, at..at + c.len_utf8(), message)
}

/// Returns the diagnostic for a line whose first megabyte is well-formed and whose rest is malformed.
pub(super) fn long_line_error(text: &str) -> Diagnostic {
    let is_control = |(_, c): &(usize, char)| c.is_control() && !WHITESPACE.contains(c);
    if let Some((at, c)) = text.char_indices().find(is_control) {
        return control_error(c, at);
    }
    let start = leading_word(text).start;
    if text[start..].starts_with('[') {
        return unclosed_property_error(text, start + 1);
    }
    let message = format!(
        "found a line of {} bytes that is malformed after its first megabyte",
        text.len()
    );
    Diagnostic::new(&rules::COUNT, text.len()..text.len(), message)
}

/// Returns the diagnostic for a long property without its `]` or `=`.
fn unclosed_property_error(text: &str, mut at: usize) -> Diagnostic {
    let skip = |at: usize, rule: Rule| at + syntax::prefix_len(rule, &text[at..]);
    let skip_whitespace = |at: usize| text.len() - text[at..].trim_start_matches(WHITESPACE).len();
    at = skip_whitespace(skip(skip_whitespace(at), Rule::name));
    let mut expected = "`]`";
    if text[at..].starts_with(']') {
        at = skip_whitespace(at + 1);
        expected = "`=`";
    }
    let token = token_range(text, at);
    let message = format!("found {}, expected {expected}", quote(&text[token.clone()]));
    Diagnostic::new(&rules::PROPERTY, token, message)
}

/// Returns the diagnostic for whitespace inside a number, located at the first such number.
pub(super) fn spaced_number_error(content: &str) -> Diagnostic {
    let values = leading_word(content).end;
    let mut start = values;
    for part in content[values..].split(',') {
        let trimmed = part.trim_matches(WHITESPACE);
        if trimmed.contains(WHITESPACE) {
            let start = start + (part.len() - part.trim_start_matches(WHITESPACE).len());
            let found = quote(trimmed);
            let message =
                format!("found {found}, expected one number without whitespace, or a comma");
            return Diagnostic::new(&rules::SPACED_NUMBER, start..start + trimmed.len(), message);
        }
        start += part.len() + 1;
    }
    Diagnostic::new(
        &rules::SPACED_NUMBER,
        values..content.len(),
        "found whitespace inside a number",
    )
}

/// Returns the byte range of the token at an offset: a separator, or the text up to the next separator. Empty at the
/// end.
fn token_range(text: &str, at: usize) -> Range<usize> {
    let rest = text.get(at..).unwrap_or_default();
    let is_end = |c: char| c == ',' || c == '#' || WHITESPACE.contains(&c);
    let length = match rest.find(is_end) {
        Some(0) => 1,
        Some(length) => length,
        None => rest.len(),
    };
    at..at + length
}

/// Quotes a token for a message. Truncates a long token.
fn quote(word: &str) -> String {
    const MAX_CHARS: usize = 24;
    match word {
        "" => "the end of the line".to_owned(),
        "#" => "a comment".to_owned(),
        word => format!(
            "`{}`",
            truncated(word, MAX_CHARS).replace(char::is_control, "\u{fffd}")
        ),
    }
}
