//! Guesses the intended kind of a malformed line, so that it counts as a line of this kind.

use super::super::schema::LineKind;
use super::text::is_whitespace;

/// The intended kind of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::formats::seed) enum Intent {
    Attribute(LineKind),
    Property,
    /// Any other line, such as an empty line or a comment.
    Unknown,
}

impl Intent {
    /// Guesses the intended kind of a line.
    pub(in crate::formats::seed) fn from_line(line: &[u8]) -> Intent {
        let line = trim_start(line);
        if line.starts_with(b"[") {
            return Intent::Property;
        }
        let word = ascii_prefix(line, |byte| byte.is_ascii_alphanumeric());
        let next = line[word.len()..].first();
        if let Some((kind, _)) = guess_kind(word, next.is_some_and(is_whitespace)) {
            return Intent::Attribute(kind);
        }
        let name = ascii_prefix(line, |byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        match trim_start(&line[name.len()..]).first() {
            Some(b'=') if !name.is_empty() => Intent::Property,
            _ => Intent::Unknown,
        }
    }
}

/// The difference between a word and the intended identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mistake {
    /// The word is the identifier.
    Exact,
    /// The word is the identifier of the attribute in OBJ. The text is the name of the attribute.
    FromObj(&'static str),
    /// The word has upper-case letters.
    Case,
    /// The number of the channel is missing.
    Channel,
    /// The whitespace after the identifier is missing.
    Whitespace,
}

/// Guesses the kind of a line that starts with `word`. `is_spaced` is `true` if whitespace follows the word.
pub(super) fn guess_kind(word: &str, is_spaced: bool) -> Option<(LineKind, Mistake)> {
    if let Some(kind) = LineKind::from_identifier(word) {
        return Some((kind, Mistake::Exact));
    }
    match word {
        "v" => return Some((LineKind::P, Mistake::FromObj("positions"))),
        "vn" => return Some((LineKind::N, Mistake::FromObj("normals"))),
        "vt" => return Some((LineKind::U0, Mistake::FromObj("texture coordinates"))),
        "c" => return Some((LineKind::C0, Mistake::Channel)),
        "u" => return Some((LineKind::U0, Mistake::Channel)),
        _ => {}
    }
    let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let first_two = word.get(..2).filter(|_| !is_spaced).unwrap_or_default();
    let guesses = [
        (&*word.to_ascii_lowercase(), Mistake::Case),
        (letters, Mistake::Whitespace),
        (first_two, Mistake::Whitespace),
    ];
    guesses
        .into_iter()
        .find_map(|(guess, mistake)| Some((LineKind::from_identifier(guess)?, mistake)))
}

/// Skips leading whitespace, no-break spaces and byte order marks.
fn trim_start(mut line: &[u8]) -> &[u8] {
    loop {
        line = match line {
            [byte, rest @ ..] if is_whitespace(byte) => rest,
            [0xc2, 0xa0, rest @ ..] | [0xef, 0xbb, 0xbf, rest @ ..] => rest,
            _ => return line,
        }
    }
}

/// Returns the leading bytes that `is_included` accepts. `is_included` must accept only ASCII.
fn ascii_prefix(bytes: &[u8], is_included: impl Fn(&u8) -> bool) -> &str {
    let end = bytes
        .iter()
        .position(|byte| !is_included(byte))
        .unwrap_or(bytes.len());
    std::str::from_utf8(&bytes[..end]).unwrap_or_default()
}
