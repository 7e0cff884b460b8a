//! Parses a line by the grammar and the attribute table.

use std::ops::Range;

use super::super::columns::{MAX_VALUES, Values};
use super::super::schema::Kind;
use super::super::schema::rules;
use super::super::syntax::{self, Pairs, Rule};
use super::diagnostic::Diagnostic;
use super::intent::Intent;
use super::messages::{self, IntegerError};
use super::text::WHITESPACE;
use crate::layout::grammar::{Attribute, Domain, MAX_INTEGER, ValueType};

/// A parsed line.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::formats::seed) struct Line<'l> {
    pub content: Content<'l>,
    /// The text after the `#`.
    pub comment: Option<&'l [u8]>,
    /// The violation, if lenient reading accepts it.
    pub diagnostic: Option<Diagnostic>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::formats::seed) enum Content<'l> {
    Empty,
    Property { name: &'l str, value: &'l str },
    Values(Kind, Values),
}

/// Values that replace those of a malformed line without violating a rule.
pub(super) fn placeholder(kind: Kind) -> Values {
    let attribute = kind.attribute();
    match (attribute.value_type, attribute.domain) {
        (ValueType::Float, Domain::Range(min, _)) => Values::Floats([min as f32; MAX_VALUES]),
        (ValueType::Float, _) => {
            let mut floats = [0.0; MAX_VALUES];
            floats[attribute.values - 1] = 1.0;
            Values::Floats(floats)
        }
        _ => Values::Integers([*attribute.integers().start(); MAX_VALUES]),
    }
}

/// Parses a line without its line ending.
pub(in crate::formats::seed) fn parse_line(line: &[u8]) -> Result<Line<'_>, Diagnostic> {
    read(line).map_err(|diagnostic| Diagnostic { intent: Intent::of(line), ..diagnostic })
}

fn read(line: &[u8]) -> Result<Line<'_>, Diagnostic> {
    let (text, more) = utf8(line)?;
    let mut line = match parse(text) {
        Ok(pairs) => interpret(pairs, 0..text.len()),
        Err(error) => match error {
            Failed::At(error) => spaced(text).ok_or_else(|| messages::syntax(text, &error)),
            Failed::Later => Err(messages::too_long(text)),
        },
    }?;
    if let Some(more) = more {
        // The comment may continue after the valid UTF-8.
        let start = text.len() - line.comment.map_or(0, <[u8]>::len);
        line.comment = more.get(start..);
    }
    Ok(line)
}

/// Returns the line as text. If only its start is UTF-8, also returns the whole line: a comment need not be UTF-8
/// (S9).
fn utf8(line: &[u8]) -> Result<(&str, Option<&[u8]>), Diagnostic> {
    let error = match std::str::from_utf8(line) {
        Ok(text) => return Ok((text, None)),
        Err(error) => error,
    };
    let at = error.valid_up_to();
    let text = std::str::from_utf8(&line[..at]).unwrap_or_default();
    if !text.contains('#') {
        let end = at + error.error_len().unwrap_or(line.len() - at);
        return Err(messages::not_utf8(line[at], at..end));
    }
    let mut start = at;
    for chunk in line[at..].utf8_chunks() {
        let valid = chunk.valid();
        let end = syntax::prefix(Rule::comment_text, valid);
        if let Some(c) = valid[end..].chars().next() {
            return Err(messages::control(c, start + end));
        }
        start += valid.len() + chunk.invalid().len();
    }
    Ok((text, Some(line)))
}

/// Maximum length parsed by fallible rules, because parse errors copy the line, in bytes.
pub const MAX_PARSED: usize = 1 << 20;

enum Failed {
    At(Box<syntax::Error>),
    /// The fault is past the first megabyte.
    Later,
}

fn parse(text: &str) -> Result<Pairs<'_>, Failed> {
    if text.len() <= MAX_PARSED {
        let rule = if has_words(text) { Rule::word_line } else { Rule::line };
        return syntax::parse(rule, text).map(inner).map_err(Failed::At);
    }
    let whole = syntax::parse(Rule::long_line, text).map(inner).ok();
    if let Some(line) = whole.and_then(|mut pairs| pairs.next()) {
        return Ok(line.into_inner());
    }
    let beginning = (MAX_PARSED - 3..=MAX_PARSED).rev().find_map(|end| text.get(..end)).unwrap_or_default();
    match syntax::parse(Rule::line, beginning) {
        Err(error) if messages::offset(&error) + 1 < beginning.len() => Err(Failed::At(error)),
        _ => Err(Failed::Later),
    }
}

/// Returns `true` if the values of a line are words, according to its identifier.
fn has_words(text: &str) -> bool {
    let kind = Kind::of(&text[messages::first_word(text)]);
    kind.is_some_and(|kind| kind.attribute().value_type == ValueType::Word)
}

/// Returns the tokens inside the single token of a rule.
fn inner(mut pairs: Pairs<'_>) -> Pairs<'_> {
    match pairs.next() {
        Some(pair) => pair.into_inner(),
        None => pairs,
    }
}

fn interpret(pairs: Pairs<'_>, line: Range<usize>) -> Result<Line<'_>, Diagnostic> {
    let mut read = Line { content: Content::Empty, comment: None, diagnostic: None };
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
                read.content = Content::Property { name, value };
            }
            Rule::attribute | Rule::words => {
                let (kind, values) = attribute(pair.into_inner(), &line)?;
                read.content = Content::Values(kind, values);
            }
            Rule::comment => read.comment = pair.as_str().get(1..).map(str::as_bytes),
            _ => {}
        }
    }
    Ok(read)
}

/// Checks identifier and values against the table.
fn attribute(pairs: Pairs<'_>, line: &Range<usize>) -> Result<(Kind, Values), Diagnostic> {
    let mut kind = None;
    let mut numbers = Vec::with_capacity(MAX_VALUES);
    for pair in pairs {
        match pair.as_rule() {
            Rule::identifier => {
                let (word, start) = (pair.as_str(), pair.as_span().start());
                let known = Kind::of(word).ok_or_else(|| messages::identifier(word, start, true))?;
                kind = Some(known);
            }
            Rule::number | Rule::word => numbers.push(pair.as_span()),
            _ => {}
        }
    }
    let Some(kind) = kind else {
        return Err(Diagnostic::new(&rules::IDENTIFIER, line.clone(), "found no identifier"));
    };
    let attribute = kind.attribute();
    let expected = attribute.values;
    if numbers.len() != expected {
        // The range of the surplus values, or the position of the missing ones.
        let end = numbers.last().map_or(line.end, |span| span.end());
        let start = numbers.get(expected).map_or(end, |span| span.start());
        return Err(messages::count(kind, numbers.len(), start..end));
    }
    let values = match attribute.value_type {
        ValueType::Float => {
            let mut floats = [0.0; MAX_VALUES];
            for (float, span) in floats.iter_mut().zip(&numbers) {
                *float = to_float(span.as_str())
                    .ok_or_else(|| messages::overflow(span.as_str(), span.start()..span.end()))?;
            }
            Values::Floats(floats)
        }
        ValueType::Integer | ValueType::Index | ValueType::Word => {
            let mut integers = [0; MAX_VALUES];
            for (integer, span) in integers.iter_mut().zip(&numbers) {
                let range = span.start()..span.end();
                *integer = match attribute.value_type {
                    ValueType::Word => to_word(span.as_str(), attribute)
                        .ok_or_else(|| messages::unknown_word(kind, span.as_str(), range))?,
                    _ => to_integer(span.as_str())
                        .map_err(|why| messages::integer(kind, why, span.as_str(), range))?,
                };
            }
            Values::Integers(integers)
        }
    };
    Ok((kind, values))
}

/// Returns the nearest 32-bit float; `None` if it would be infinite.
fn to_float(number: &str) -> Option<f32> {
    fast_float2::parse::<f32, _>(number).ok().filter(|value| value.is_finite())
}

/// Returns the index of a word in the table.
fn to_word(word: &str, attribute: &Attribute) -> Option<u32> {
    attribute.words().iter().position(|known| *known == word)?.try_into().ok()
}

fn to_integer(number: &str) -> Result<u32, IntegerError> {
    if number.len() > MAX_PARSED || syntax::parse(Rule::integer, number).is_err() {
        return Err(IntegerError::NotAnInteger);
    }
    let negative = number.starts_with('-');
    let digits = number.trim_start_matches(['+', '-']).trim_start_matches('0');
    match digits {
        "" => Ok(0),
        _ if negative => Err(IntegerError::Negative),
        digits => digits.parse().ok().filter(|integer| *integer <= MAX_INTEGER).ok_or(IntegerError::TooLarge),
    }
}

/// Removes the whitespace inside the line's numbers, if that makes it well-formed: lenient reading accepts it (S3).
fn spaced(text: &str) -> Option<Line<'_>> {
    if text.len() > MAX_PARSED {
        return None;
    }
    let content = text.split('#').next().unwrap_or_default();
    let trimmed = content.trim_start_matches(WHITESPACE);
    let (identifier, values) = trimmed.split_at_checked(trimmed.find(WHITESPACE)?)?;
    let kind = Kind::of(identifier)?;
    let compact = format!("{identifier} {}", values.replace(WHITESPACE, ""));
    let pairs = syntax::parse(Rule::line, &compact).map(inner).ok()?;
    let Content::Values(_, values) = interpret(pairs, 0..compact.len()).ok()?.content else { return None };
    let comment = text.get(content.len() + 1..);
    if comment.is_some_and(|comment| syntax::prefix(Rule::comment_text, comment) < comment.len()) {
        return None;
    }
    Some(Line {
        content: Content::Values(kind, values),
        comment: comment.map(str::as_bytes),
        diagnostic: Some(Diagnostic { intent: Intent::Attribute(kind), ..messages::spaced_number(content) }),
    })
}
