//! Parses a line with the grammar and the attribute table.

use std::ops::Range;

use super::super::columns::{MAX_VALUES, Values};
use super::super::schema::LineKind;
use super::super::schema::rules;
use super::super::syntax::{self, Pairs, Rule};
use super::diagnostic::Diagnostic;
use super::intent::Intent;
use super::messages::{self, IntegerError};
use super::text::WHITESPACE;
use crate::layout::grammar::{Attribute, Domain, MAX_INTEGER, ValueType};

#[derive(Debug, Clone, PartialEq)]
pub(in crate::formats::seed) struct ParsedLine<'l> {
    pub content: LineContent<'l>,
    /// The text after the `#`.
    pub comment: Option<&'l [u8]>,
    /// A violation that lenient reading accepts, if any.
    pub diagnostic: Option<Diagnostic>,
}

/// The content of a line, without its comment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::formats::seed) enum LineContent<'l> {
    Empty,
    Property { name: &'l str, value: &'l str },
    Values(LineKind, Values),
}

/// Returns valid replacements for the values of a malformed line.
pub(super) fn placeholder_values(kind: LineKind) -> Values {
    let attribute = kind.attribute();
    match (attribute.value_type, attribute.domain) {
        (ValueType::Float, Domain::Range(min, _)) => Values::Floats([min as f32; MAX_VALUES]),
        (ValueType::Float, _) => {
            let mut floats = [0.0; MAX_VALUES];
            floats[attribute.values - 1] = 1.0;
            Values::Floats(floats)
        }
        _ => Values::Integers([*attribute.integer_range().start(); MAX_VALUES]),
    }
}

/// Parses a line without its line ending.
pub(in crate::formats::seed) fn parse_line(line: &[u8]) -> Result<ParsedLine<'_>, Diagnostic> {
    parse_bytes(line).map_err(|diagnostic| Diagnostic {
        intent: Intent::from_line(line),
        ..diagnostic
    })
}

fn parse_bytes(line: &[u8]) -> Result<ParsedLine<'_>, Diagnostic> {
    let (text, whole) = to_text(line)?;
    let mut line = match parse(text) {
        Ok(pairs) => interpret(pairs, 0..text.len()),
        Err(Some(error)) => {
            parse_spaced_numbers(text).ok_or_else(|| messages::syntax_error(text, &error))
        }
        Err(None) => Err(messages::long_line_error(text)),
    }?;
    if let Some(whole) = whole {
        // The comment may continue after the valid UTF-8.
        let start = text.len() - line.comment.map_or(0, <[u8]>::len);
        line.comment = whole.get(start..);
    }
    Ok(line)
}

/// Returns the line as text. Comments need not be UTF-8 (S9). If a comment is not, returns the text before the first
/// invalid byte, and the bytes of the whole line.
fn to_text(line: &[u8]) -> Result<(&str, Option<&[u8]>), Diagnostic> {
    let error = match std::str::from_utf8(line) {
        Ok(text) => return Ok((text, None)),
        Err(error) => error,
    };
    let at = error.valid_up_to();
    let text = std::str::from_utf8(&line[..at]).unwrap_or_default();
    if !text.contains('#') {
        let end = at + error.error_len().unwrap_or(line.len() - at);
        return Err(messages::utf8_error(line[at], at..end));
    }
    let mut start = at;
    for chunk in line[at..].utf8_chunks() {
        let valid = chunk.valid();
        let end = syntax::prefix_len(Rule::comment_text, valid);
        if let Some(c) = valid[end..].chars().next() {
            return Err(messages::control_error(c, start + end));
        }
        start += valid.len() + chunk.invalid().len();
    }
    Ok((text, Some(line)))
}

/// Maximum length in bytes of a line that is parsed with detailed error messages, because parse errors copy the line.
pub const MAX_PARSED_BYTES: usize = 1 << 20;

/// Parses a line with the grammar. The error is `None` if the line is malformed after its first megabyte.
fn parse(text: &str) -> Result<Pairs<'_>, Option<Box<syntax::Error>>> {
    if text.len() <= MAX_PARSED_BYTES {
        let rule = if has_words(text) {
            Rule::word_line
        } else {
            Rule::line
        };
        return Ok(inner_pairs(syntax::parse(rule, text)?));
    }
    let whole = syntax::parse(Rule::long_line, text).map(inner_pairs).ok();
    if let Some(line) = whole.and_then(|mut pairs| pairs.next()) {
        return Ok(line.into_inner());
    }
    let beginning = (MAX_PARSED_BYTES - 3..=MAX_PARSED_BYTES)
        .rev()
        .find_map(|end| text.get(..end))
        .unwrap_or_default();
    let error = syntax::parse(Rule::line, beginning).err();
    Err(error.filter(|error| messages::error_offset(error) + 1 < beginning.len()))
}

/// Returns `true` if the line has an identifier of a kind whose values are words.
fn has_words(text: &str) -> bool {
    let kind = LineKind::from_identifier(&text[messages::leading_word(text)]);
    kind.is_some_and(|kind| kind.attribute().value_type == ValueType::Word)
}

/// Returns the pairs inside the outermost pair.
fn inner_pairs(mut pairs: Pairs<'_>) -> Pairs<'_> {
    pairs.next().map_or(pairs, |pair| pair.into_inner())
}

/// Converts the pairs of a line. `line` is the byte range of the line.
fn interpret(pairs: Pairs<'_>, line: Range<usize>) -> Result<ParsedLine<'_>, Diagnostic> {
    let mut read = ParsedLine {
        content: LineContent::Empty,
        comment: None,
        diagnostic: None,
    };
    for pair in pairs {
        match pair.as_rule() {
            Rule::property => {
                let (mut name, mut value) = ("", "");
                for part in pair.into_inner() {
                    match part.as_rule() {
                        Rule::name => name = part.as_str(),
                        Rule::value => value = part.as_str(),
                        _ => {}
                    }
                }
                read.content = LineContent::Property { name, value };
            }
            Rule::attribute | Rule::words => {
                let (kind, values) = parse_attribute(pair.into_inner(), &line)?;
                read.content = LineContent::Values(kind, values);
            }
            Rule::comment => read.comment = pair.as_str().get(1..).map(str::as_bytes),
            _ => {}
        }
    }
    Ok(read)
}

/// Parses the identifier and the values of a line, and checks them against the attribute table.
fn parse_attribute(
    pairs: Pairs<'_>,
    line: &Range<usize>,
) -> Result<(LineKind, Values), Diagnostic> {
    let mut kind = None;
    let mut numbers = Vec::with_capacity(MAX_VALUES);
    for pair in pairs {
        match pair.as_rule() {
            Rule::identifier => {
                let (word, start) = (pair.as_str(), pair.as_span().start());
                let known = LineKind::from_identifier(word);
                kind = Some(known.ok_or_else(|| messages::identifier_error(word, start, true))?);
            }
            Rule::number | Rule::word => numbers.push(pair.as_span()),
            _ => {}
        }
    }
    let Some(kind) = kind else {
        return Err(Diagnostic::new(
            &rules::IDENTIFIER,
            line.clone(),
            "found no identifier",
        ));
    };
    let attribute = kind.attribute();
    let expected = attribute.values;
    if numbers.len() != expected {
        // The range of the surplus values, or the position of the missing values.
        let end = numbers.last().map_or(line.end, |span| span.end());
        let start = numbers.get(expected).map_or(end, |span| span.start());
        return Err(messages::count_error(kind, numbers.len(), start..end));
    }
    let values = match attribute.value_type {
        ValueType::Float => {
            let mut floats = [0.0; MAX_VALUES];
            for (float, span) in floats.iter_mut().zip(&numbers) {
                *float = parse_float(span.as_str()).ok_or_else(|| {
                    messages::overflow_error(span.as_str(), span.start()..span.end())
                })?;
            }
            Values::Floats(floats)
        }
        ValueType::Integer | ValueType::Index | ValueType::Word => {
            let mut integers = [0; MAX_VALUES];
            for (integer, span) in integers.iter_mut().zip(&numbers) {
                let range = span.start()..span.end();
                *integer = match attribute.value_type {
                    ValueType::Word => word_index(span.as_str(), attribute)
                        .ok_or_else(|| messages::unknown_word_error(kind, span.as_str(), range))?,
                    _ => parse_integer(span.as_str())
                        .map_err(|why| messages::integer_error(kind, why, span.as_str(), range))?,
                };
            }
            Values::Integers(integers)
        }
    };
    Ok((kind, values))
}

/// Parses a number as the nearest 32-bit float; `None` if it overflows.
fn parse_float(number: &str) -> Option<f32> {
    fast_float2::parse::<f32, _>(number)
        .ok()
        .filter(|value| value.is_finite())
}

/// Returns the index of a word of an attribute; `None` if it is unknown.
fn word_index(word: &str, attribute: &Attribute) -> Option<u32> {
    attribute
        .words()
        .iter()
        .position(|known| *known == word)?
        .try_into()
        .ok()
}

fn parse_integer(number: &str) -> Result<u32, IntegerError> {
    if number.len() > MAX_PARSED_BYTES || syntax::parse(Rule::integer, number).is_err() {
        return Err(IntegerError::NotAnInteger);
    }
    let is_negative = number.starts_with('-');
    let digits = number
        .trim_start_matches(['+', '-'])
        .trim_start_matches('0');
    match digits {
        "" => Ok(0),
        _ if is_negative => Err(IntegerError::Negative),
        digits => digits
            .parse()
            .ok()
            .filter(|integer| *integer <= MAX_INTEGER)
            .ok_or(IntegerError::TooLarge),
    }
}

/// Parses a line, ignoring whitespace inside its numbers, which only lenient reading accepts (S3). `None` if malformed.
fn parse_spaced_numbers(text: &str) -> Option<ParsedLine<'_>> {
    if text.len() > MAX_PARSED_BYTES {
        return None;
    }
    let content = text.split('#').next().unwrap_or_default();
    let trimmed = content.trim_start_matches(WHITESPACE);
    let (identifier, values) = trimmed.split_at_checked(trimmed.find(WHITESPACE)?)?;
    let kind = LineKind::from_identifier(identifier)?;
    let compact = format!("{identifier} {}", values.replace(WHITESPACE, ""));
    let pairs = syntax::parse(Rule::line, &compact).map(inner_pairs).ok()?;
    let LineContent::Values(_, values) = interpret(pairs, 0..compact.len()).ok()?.content else {
        return None;
    };
    let comment = text.get(content.len() + 1..);
    if comment
        .is_some_and(|comment| syntax::prefix_len(Rule::comment_text, comment) < comment.len())
    {
        return None;
    }
    let diagnostic = Diagnostic {
        intent: Intent::Attribute(kind),
        ..messages::spaced_number_error(content)
    };
    let (content, comment) = (
        LineContent::Values(kind, values),
        comment.map(str::as_bytes),
    );
    Some(ParsedLine {
        content,
        comment,
        diagnostic: Some(diagnostic),
    })
}
