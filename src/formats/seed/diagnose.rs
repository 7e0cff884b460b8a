//! What is wrong with a line, in words: what was found, what was expected, and a hint at the common slips.

use std::ops::Range;

use pest::error::{ErrorVariant, InputLocation};

use super::fine::{MOST, NoIndex, Slip};
use super::meant::{self, Slipped};
use super::rules;
use super::schema::{ATTRIBUTES, Kind};
use super::syntax::{self, Rule};
use crate::layout::Number;

/// What may stand between tokens.
pub(super) const BLANKS: [char; 4] = [' ', '\t', '\u{b}', '\u{c}'];

/// Where the fine rules got stuck.
pub(super) fn offset(error: &syntax::Error) -> usize {
    match error.location {
        InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
    }
}

/// What the fine rules could not take.
pub(super) fn syntax(text: &str, error: &syntax::Error) -> Slip {
    let at = offset(error);
    let expects = |rule| match &error.variant {
        ErrorVariant::ParsingError { positives, .. } => positives.contains(&rule),
        ErrorVariant::CustomError { .. } => false,
    };
    let rest = text.get(at..).unwrap_or_default();
    if let Some(c) = rest.chars().next().filter(|c| c.is_control() && !BLANKS.contains(c)) {
        return control(c, at);
    }
    let word = first_word(text);
    let mut slip = match Kind::of(&text[word.clone()]) {
        Some(kind) => attribute(text, at, kind, word.end, expects),
        None if word.is_empty() => property(text, at, expects),
        None => bare_property(text, word.start).unwrap_or_else(|| {
            let blank = text[word.end..].starts_with(BLANKS);
            identifier(&text[word.clone()], word.start, blank)
        }),
    };
    slip.message.push_str(blank_hint(&text[slip.range.clone()]));
    slip
}

/// A hint at characters that look like blanks.
fn blank_hint(word: &str) -> &'static str {
    let is_like_blank = |c: char| c.is_whitespace() && !BLANKS.contains(&c);
    match word.chars().find(|c| is_like_blank(*c) || *c == '\u{feff}') {
        Some('\u{a0}') => "; the no-break space U+00A0 is no blank here",
        Some('\u{feff}') => "; the byte order mark U+FEFF stands only at the start of a file",
        Some(_) => "; blanks are spaces and tabs",
        None => "",
    }
}

/// A property without its brackets.
fn bare_property(text: &str, start: usize) -> Option<Slip> {
    let (name, value) = text[start..].split_once('=')?;
    let name = name.trim_end_matches(BLANKS);
    if syntax::prefix(Rule::name, name) < name.len() {
        return None;
    }
    let value = value.split('#').next().unwrap_or_default().trim_matches(BLANKS);
    let property = found(&format!("[{name}]={value}"));
    let message = format!("found {}, expected a property: {property}", found(name));
    Some(Slip::new(&rules::IDENTIFIER, start..start + name.len(), message))
}

/// The letters and digits that the line starts with.
fn first_word(text: &str) -> Range<usize> {
    let start = text.len() - text.trim_start_matches(BLANKS).len();
    let word = &text[start..];
    if !word.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return start..start;
    }
    start..start + word.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(word.len())
}

fn property(text: &str, at: usize, expects: impl Fn(Rule) -> bool) -> Slip {
    let token = token(text, at);
    let found = found(&text[token.clone()]);
    let (expected, hint) = if !text[first_word(text).start..].starts_with('[') {
        let hint = match text.get(at..) {
            Some(rest) if rest.starts_with("//") || rest.starts_with(';') => "; comments start with `#`",
            _ => "",
        };
        let message = format!("found {found}, expected an identifier, `[` or `#`{hint}");
        return Slip::new(&rules::IDENTIFIER, token, message);
    } else if expects(Rule::name) {
        ("the name of a property", "; names are letters, digits and `_`, a letter first")
    } else if expects(Rule::close) {
        ("`]`", "; names are letters, digits and `_`, a letter first")
    } else {
        ("`=`", "")
    };
    Slip::new(&rules::PROPERTY, token, format!("found {found}, expected {expected}{hint}"))
}

fn attribute(text: &str, at: usize, kind: Kind, behind: usize, expects: impl Fn(Rule) -> bool) -> Slip {
    let content = text[..text.find('#').unwrap_or(text.len())].trim_end_matches(BLANKS);
    let (identifier, values) = (kind.attribute().identifier, kind.attribute().values);
    let listed = content.get(behind..).unwrap_or_default().trim_matches(BLANKS);
    if listed.is_empty() {
        return count(kind, 0, content.len()..content.len());
    }
    let token = token(text, at);
    let word = &text[token.clone()];
    let found = found(word);
    if expects(Rule::gap) {
        let message = format!("found {found}, expected a blank behind `{identifier}`");
        return Slip::new(&rules::BLANK, token, message);
    }
    let read = content[behind..at.min(content.len())]
        .split(',')
        .filter(|part| !part.trim_matches(BLANKS).is_empty());
    let read = read.count();
    if word.starts_with("//") && has_comment(word) {
        let message = format!("found {found}, expected the end of the line; comments start with `#`");
        return Slip::new(&rules::COUNT, token, message);
    }
    if text[..at].ends_with(|c| c != ',' && !BLANKS.contains(&c))
        && !word.starts_with(',')
        && !word.is_empty()
    {
        let start = text[..at].rfind(|c| c == ',' || BLANKS.contains(&c)).map_or(0, |i| i + 1);
        return number(kind, &text[start..token.end], start..token.end);
    }
    if expects(Rule::number) {
        return number(kind, word, token);
    }
    if word.starts_with(',') && read >= MOST {
        let extra =
            content[behind..].match_indices(',').nth(values - 1).map_or(at, |(comma, _)| behind + comma + 1);
        let start = content.len() - content[extra..].trim_start_matches(BLANKS).len();
        return count(kind, listed.split(',').count(), start..content.len());
    }
    if read >= values {
        let message =
            format!("found {found}, expected the end of the line; `{identifier}` takes {values} values");
        return Slip::new(&rules::COUNT, token, message);
    }
    let message = format!("found {found}, expected `,`; the values are separated by commas");
    Slip::new(&rules::COMMA, token, message)
}

/// What is no number at all.
fn number(kind: Kind, word: &str, range: Range<usize>) -> Slip {
    let (rule, expected) = match kind.attribute().number {
        Number::F32 => (&rules::NUMBER, "a decimal number"),
        Number::Index => (&rules::INDEX, "an integer"),
    };
    let lower = word.to_ascii_lowercase();
    let hint = match lower.trim_start_matches(['+', '-']) {
        "" | "," => "",
        word if has_comment(word) => "; comments start with `#`",
        word if word.contains(';') => "; the values are separated by commas",
        word if word.starts_with("inf") || word.starts_with("nan") => "; there is no infinity and no NaN",
        word if word.starts_with("0x") => "; there are no hexadecimal numbers",
        word if word.contains('/') => "; all attributes of a vertex share one index, unlike in OBJ",
        word if word.starts_with('\u{2212}') => "; the minus sign is `-`",
        word if word.ends_with(['e', 'E']) => "; an exponent has digits",
        word if word.ends_with('f') => "; numbers have no suffix",
        word if word.contains('_') => "; there are no separators in numbers",
        _ => "",
    };
    Slip::new(rule, range, format!("found {}, expected {expected}{hint}", found(word)))
}

/// Whether there is a comment of other languages in it, `0//`, and not the indices of OBJ, `1//1`.
fn has_comment(word: &str) -> bool {
    word.split_once("//").is_some_and(|(_, rest)| !rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// A number beyond the largest float.
pub(super) fn overflow(word: &str, range: Range<usize>) -> Slip {
    let message = format!("{} is beyond the largest 32-bit float, 3.4028235e38", found(word));
    Slip::new(&rules::NUMBER, range, message)
}

/// A number that is not an index.
pub(super) fn index(why: NoIndex, word: &str, range: Range<usize>) -> Slip {
    let word = found(word);
    match why {
        NoIndex::NoInteger => Slip::new(
            &rules::INDEX,
            range,
            format!("found {word}, expected an integer: the index of a vertex"),
        ),
        NoIndex::Negative => {
            let message =
                format!("found {word}, but indices count from 0; those of OBJ may count from the end");
            Slip::new(&rules::INDEX, range, message)
        }
        NoIndex::TooLarge => {
            let largest = rules::LARGEST_INDEX;
            Slip::new(&rules::INDEX, range, format!("found {word}, but the largest index is {largest}"))
        }
    }
}

/// Another number of values than the table has.
pub(super) fn count(kind: Kind, found: usize, range: Range<usize>) -> Slip {
    let (identifier, values) = (kind.attribute().identifier, kind.attribute().values);
    let found = match found {
        0 => "no values".to_owned(),
        1 => "1 value".to_owned(),
        count => format!("{count} values"),
    };
    Slip::new(&rules::COUNT, range, format!("found {found}, but `{identifier}` takes {values}"))
}

/// An identifier that the table does not have, with a blank behind it or not.
pub(super) fn identifier(word: &str, start: usize, blank: bool) -> Slip {
    let guess = meant::guess(word, blank).map(|(kind, slipped)| (kind.attribute().identifier, slipped));
    let hint = match guess {
        Some((known, Slipped::FromObj(what))) => format!("; the {what} of OBJ, `{word}`, are `{known}` here"),
        Some((known, Slipped::Case)) => format!("; `{known}` is written in lower case"),
        Some((known, Slipped::Blank)) => format!("; a blank stands behind `{known}`"),
        Some((_, Slipped::Number | Slipped::Not)) | None => channels(word),
    };
    let message = format!("unknown identifier {}{hint}", found(word));
    Slip::new(&rules::IDENTIFIER, start..start + word.len(), message)
}

/// A hint at the channels that there are, for the letter of one.
fn channels(word: &str) -> String {
    let letter = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_channel = |identifier: &&str| {
        identifier.strip_prefix(letter).is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit()))
    };
    let mut all = ATTRIBUTES.iter().map(|attribute| attribute.identifier).filter(is_channel);
    match (all.next(), all.next_back()) {
        (Some(first), Some(last)) => format!("; there are the channels `{first}` to `{last}`"),
        _ => String::new(),
    }
}

/// A character that no file has.
pub(super) fn control(c: char, at: usize) -> Slip {
    let hint = if c == '\r' { "; a carriage return stands only before a line feed" } else { "" };
    let message = format!("found the control character U+{:04X}{hint}", u32::from(c));
    Slip::new(&rules::CONTROL, at..at + c.len_utf8(), message)
}

/// A line whose beginning is as it should be, for a megabyte, but not the rest.
pub(super) fn too_long(text: &str) -> Slip {
    let is_control = |(_, c): &(usize, char)| c.is_control() && !BLANKS.contains(c);
    if let Some((at, c)) = text.char_indices().find(is_control) {
        return control(c, at);
    }
    let start = first_word(text).start;
    if text[start..].starts_with('[') {
        return unclosed(text, start + 1);
    }
    let message = format!("a line of {} bytes that does not end as it begins", text.len());
    Slip::new(&rules::COUNT, text.len()..text.len(), message)
}

/// A property whose name is long, or what stands around it, and is not followed by what it should.
fn unclosed(text: &str, mut at: usize) -> Slip {
    let skip = |at: usize, what: Rule| at + syntax::prefix(what, &text[at..]);
    let blanks = |at: usize| text.len() - text[at..].trim_start_matches(BLANKS).len();
    at = blanks(skip(blanks(at), Rule::name));
    let mut expected = "`]`";
    if text[at..].starts_with(']') {
        at = blanks(at + 1);
        expected = "`=`";
    }
    let token = token(text, at);
    let message = format!("found {}, expected {expected}", found(&text[token.clone()]));
    Slip::new(&rules::PROPERTY, token, message)
}

/// A blank inside a number, the first in the line.
pub(super) fn blank_inside(content: &str) -> Slip {
    let values = first_word(content).end;
    let mut start = values;
    for part in content[values..].split(',') {
        let trimmed = part.trim_matches(BLANKS);
        if trimmed.contains(BLANKS) {
            let start = start + (part.len() - part.trim_start_matches(BLANKS).len());
            let message = format!("{} has a blank inside, or lacks a comma", found(trimmed));
            return Slip::new(&rules::SPACED_NUMBER, start..start + trimmed.len(), message);
        }
        start += part.len() + 1;
    }
    Slip::new(&rules::SPACED_NUMBER, values..content.len(), "a number has a blank inside")
}

/// What stands at an offset: up to a blank, a comma or a comment; at one of these, that character.
fn token(text: &str, at: usize) -> Range<usize> {
    let rest = text.get(at..).unwrap_or_default();
    let ends = |c: char| c == ',' || c == '#' || BLANKS.contains(&c);
    let length = match rest.find(ends) {
        Some(0) => 1,
        Some(length) => length,
        None => rest.len(),
    };
    at..at + length
}

/// A token in quotes, cut if it is long.
fn found(word: &str) -> String {
    const LONGEST: usize = 24;
    match word {
        "" => "the end of the line".to_owned(),
        "#" => "a comment".to_owned(),
        word => {
            let mut shown: String =
                word.chars().take(LONGEST).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
            if word.chars().nth(LONGEST).is_some() {
                shown.push('…');
            }
            format!("`{shown}`")
        }
    }
}
