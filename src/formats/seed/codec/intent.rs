//! Guesses the intended kind of a malformed line, so that it still counts as a line of that kind.

use super::super::schema::Kind;
use super::text::is_whitespace;

/// The intended kind of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::formats::seed) enum Intent {
    Attribute(Kind),
    Property,
    /// An empty line, a comment, or anything else.
    Unknown,
}

impl Intent {
    pub(in crate::formats::seed) fn of(line: &[u8]) -> Intent {
        let line = trim_start(line);
        if line.starts_with(b"[") {
            return Intent::Property;
        }
        let word = prefix(line, |byte| byte.is_ascii_alphanumeric());
        let next = line[word.len()..].first();
        if let Some((kind, _)) = guess(word, next.is_some_and(is_whitespace)) {
            return Intent::Attribute(kind);
        }
        let name = prefix(line, |byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        match trim_start(&line[name.len()..]).first() {
            Some(b'=') if !name.is_empty() => Intent::Property,
            _ => Intent::Unknown,
        }
    }
}

/// How a word differs from the intended identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Misread {
    /// No difference.
    Exact,
    /// It is OBJ's identifier for this attribute.
    FromObj(&'static str),
    /// It is in upper case.
    Case,
    /// The number of the channel is missing.
    ChannelNumber,
    /// The whitespace after the identifier is missing.
    Whitespace,
}

/// Guesses the kind of line that a word starts; `spaced` if whitespace follows it.
pub(super) fn guess(word: &str, spaced: bool) -> Option<(Kind, Misread)> {
    let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let joined = || Kind::of(letters).or(word.get(..2).filter(|_| !spaced).and_then(Kind::of));
    let other = match word {
        "v" => Some((Kind::P, Misread::FromObj("positions"))),
        "vn" => Some((Kind::N, Misread::FromObj("normals"))),
        "vt" => Some((Kind::U0, Misread::FromObj("texture coordinates"))),
        "c" => Some((Kind::C0, Misread::ChannelNumber)),
        "u" => Some((Kind::U0, Misread::ChannelNumber)),
        _ => None,
    };
    let exact = Kind::of(word).map(|kind| (kind, Misread::Exact));
    let lower = || Kind::of(&word.to_ascii_lowercase()).map(|kind| (kind, Misread::Case));
    exact.or(other).or_else(lower).or_else(|| joined().map(|kind| (kind, Misread::Whitespace)))
}

/// Returns the line from its first visible character; skips no-break spaces and byte order marks, too.
fn trim_start(mut line: &[u8]) -> &[u8] {
    loop {
        line = match line {
            [byte, rest @ ..] if is_whitespace(byte) => rest,
            [0xc2, 0xa0, rest @ ..] | [0xef, 0xbb, 0xbf, rest @ ..] => rest,
            _ => return line,
        }
    }
}

/// Returns the leading bytes of a class of ASCII bytes.
fn prefix(bytes: &[u8], is_part: impl Fn(&u8) -> bool) -> &str {
    let end = bytes.iter().position(|byte| !is_part(byte)).unwrap_or(bytes.len());
    std::str::from_utf8(&bytes[..end]).unwrap_or_default()
}
