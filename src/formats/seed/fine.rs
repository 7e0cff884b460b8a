//! The fine way: one line by the fine rules of the grammar, and by the table.

use std::ops::Range;

use super::diagnose;
use super::meant::Meant;
use super::rules;
use super::schema::Kind;
use super::syntax::{self, Pairs, Rule};
use crate::layout::Number;

/// What a line says.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line<'l> {
    pub content: Content<'l>,
    /// What follows the `#`.
    pub comment: Option<&'l [u8]>,
    /// What lenient reading overlooks.
    pub slip: Option<Slip>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Content<'l> {
    Nothing,
    Property { name: &'l str, value: &'l str },
    Values(Kind, Values),
}

/// The values of a line, as many as the table says.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Values {
    Floats([f32; MOST]),
    Indices([u32; MOST]),
}

/// The most values that the grammar takes.
pub(super) const MOST: usize = 4;

/// What is wrong with a line.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Slip {
    pub rule: &'static crate::Rule,
    /// The bytes of the line.
    pub range: Range<usize>,
    pub message: String,
    pub meant: Meant,
}

impl Slip {
    pub(super) fn new(rule: &'static crate::Rule, range: Range<usize>, message: impl Into<String>) -> Slip {
        Slip { rule, range, message: message.into(), meant: Meant::Unknown }
    }
}

/// The values that stand in for those of a line that has none: no rule on content finds fault with them.
pub(super) fn stand_in(kind: Kind) -> Values {
    let mut floats = [0.0; MOST];
    floats[kind.attribute().values - 1] = 1.0;
    match kind.attribute().number {
        Number::F32 => Values::Floats(floats),
        Number::Index => Values::Indices([0; MOST]),
    }
}

/// Reads a line, which has no line end.
pub(super) fn line(line: &[u8]) -> Result<Line<'_>, Slip> {
    read(line).map_err(|slip| Slip { meant: Meant::of(line), ..slip })
}

fn read(line: &[u8]) -> Result<Line<'_>, Slip> {
    let (text, more) = utf8(line)?;
    let mut line = match parse(text) {
        Ok(pairs) => interpret(pairs, 0..text.len()),
        Err(error) => match error {
            Failed::At(error) => spaced(text).ok_or_else(|| diagnose::syntax(text, &error)),
            Failed::Somewhere => Err(diagnose::too_long(text)),
        },
    }?;
    if let Some(more) = more {
        // The comment goes on behind what is UTF-8.
        let start = text.len() - line.comment.map_or(0, <[u8]>::len);
        line.comment = more.get(start..);
    }
    Ok(line)
}

/// The line as text, and the whole line again where that is only its beginning: a comment need not be UTF-8 (S9).
fn utf8(line: &[u8]) -> Result<(&str, Option<&[u8]>), Slip> {
    let error = match std::str::from_utf8(line) {
        Ok(text) => return Ok((text, None)),
        Err(error) => error,
    };
    let at = error.valid_up_to();
    let text = std::str::from_utf8(&line[..at]).unwrap_or_default();
    if !text.contains('#') {
        let end = at + error.error_len().unwrap_or(line.len() - at);
        let message = format!("found the byte {:#04x}, which is not UTF-8", line[at]);
        return Err(Slip::new(&rules::ENCODING, at..end, message));
    }
    let mut start = at;
    for chunk in line[at..].utf8_chunks() {
        let valid = chunk.valid();
        let end = syntax::prefix(Rule::comment_text, valid);
        if let Some(c) = valid[end..].chars().next() {
            return Err(diagnose::control(c, start + end));
        }
        start += valid.len() + chunk.invalid().len();
    }
    Ok((text, Some(line)))
}

/// Longer lines are not given to rules that can fail, because parse errors copy the line.
pub(super) const LONG: usize = 1 << 20;

enum Failed {
    At(Box<syntax::Error>),
    /// Behind the first megabyte.
    Somewhere,
}

fn parse(text: &str) -> Result<Pairs<'_>, Failed> {
    if text.len() <= LONG {
        return syntax::parse(Rule::line, text).map(inner).map_err(Failed::At);
    }
    let whole = syntax::parse(Rule::long_line, text).map(inner).ok();
    if let Some(line) = whole.and_then(|mut pairs| pairs.next()) {
        return Ok(line.into_inner());
    }
    let beginning = (LONG - 3..=LONG).rev().find_map(|end| text.get(..end)).unwrap_or_default();
    match syntax::parse(Rule::line, beginning) {
        Err(error) if diagnose::offset(&error) + 1 < beginning.len() => Err(Failed::At(error)),
        _ => Err(Failed::Somewhere),
    }
}

/// What the only token of a rule is made of.
fn inner(mut pairs: Pairs<'_>) -> Pairs<'_> {
    match pairs.next() {
        Some(pair) => pair.into_inner(),
        None => pairs,
    }
}

fn interpret(pairs: Pairs<'_>, line: Range<usize>) -> Result<Line<'_>, Slip> {
    let mut read = Line { content: Content::Nothing, comment: None, slip: None };
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
            Rule::attribute => {
                let (kind, values) = attribute(pair.into_inner(), &line)?;
                read.content = Content::Values(kind, values);
            }
            Rule::comment => read.comment = pair.as_str().get(1..).map(str::as_bytes),
            _ => {}
        }
    }
    Ok(read)
}

/// Identifier and values, checked against the table.
fn attribute(pairs: Pairs<'_>, line: &Range<usize>) -> Result<(Kind, Values), Slip> {
    let mut kind = None;
    let mut numbers = Vec::with_capacity(MOST);
    for pair in pairs {
        match pair.as_rule() {
            Rule::identifier => {
                let (word, start) = (pair.as_str(), pair.as_span().start());
                let known = Kind::of(word).ok_or_else(|| diagnose::identifier(word, start, true))?;
                kind = Some(known);
            }
            Rule::number => numbers.push(pair.as_span()),
            _ => {}
        }
    }
    let Some(kind) = kind else {
        return Err(Slip::new(&rules::IDENTIFIER, line.clone(), "found no identifier"));
    };
    let expected = kind.attribute().values;
    if numbers.len() != expected {
        // What is too much, or where more is missing.
        let end = numbers.last().map_or(line.end, |span| span.end());
        let start = numbers.get(expected).map_or(end, |span| span.start());
        return Err(diagnose::count(kind, numbers.len(), start..end));
    }
    let values = match kind.attribute().number {
        Number::F32 => {
            let mut floats = [0.0; MOST];
            for (float, span) in floats.iter_mut().zip(&numbers) {
                *float = to_float(span.as_str())
                    .ok_or_else(|| diagnose::overflow(span.as_str(), span.start()..span.end()))?;
            }
            Values::Floats(floats)
        }
        Number::Index => {
            let mut indices = [0; MOST];
            for (index, span) in indices.iter_mut().zip(&numbers) {
                *index = to_index(span.as_str())
                    .map_err(|why| diagnose::index(why, span.as_str(), span.start()..span.end()))?;
            }
            Values::Indices(indices)
        }
    };
    Ok((kind, values))
}

/// The nearest 32-bit float; `None` beyond the largest.
fn to_float(number: &str) -> Option<f32> {
    fast_float2::parse::<f32, _>(number).ok().filter(|value| value.is_finite())
}

/// Why a number is not an index.
pub(super) enum NoIndex {
    NoInteger,
    Negative,
    TooLarge,
}

fn to_index(number: &str) -> Result<u32, NoIndex> {
    if number.len() > LONG || syntax::parse(Rule::index, number).is_err() {
        return Err(NoIndex::NoInteger);
    }
    let negative = number.starts_with('-');
    let digits = number.trim_start_matches(['+', '-']).trim_start_matches('0');
    match digits {
        "" => Ok(0),
        _ if negative => Err(NoIndex::Negative),
        digits => digits.parse().ok().filter(|index| *index <= rules::LARGEST_INDEX).ok_or(NoIndex::TooLarge),
    }
}

/// The line with the blanks inside its numbers removed, where that makes it one: lenient reading takes it so (S3).
fn spaced(text: &str) -> Option<Line<'_>> {
    if text.len() > LONG {
        return None;
    }
    let content = text.split('#').next().unwrap_or_default();
    let trimmed = content.trim_start_matches(diagnose::BLANKS);
    let (identifier, values) = trimmed.split_at_checked(trimmed.find(diagnose::BLANKS)?)?;
    let kind = Kind::of(identifier)?;
    let compact = format!("{identifier} {}", values.replace(diagnose::BLANKS, ""));
    let pairs = syntax::parse(Rule::line, &compact).map(inner).ok()?;
    let Content::Values(_, values) = interpret(pairs, 0..compact.len()).ok()?.content else { return None };
    // The comment was in nobody's way: the line does not parse because of its numbers.
    let comment = text.get(content.len() + 1..);
    if comment.is_some_and(|comment| syntax::prefix(Rule::comment_text, comment) < comment.len()) {
        return None;
    }
    Some(Line {
        content: Content::Values(kind, values),
        comment: comment.map(str::as_bytes),
        slip: Some(Slip { meant: Meant::Attribute(kind), ..diagnose::blank_inside(content) }),
    })
}
