//! What a line was meant to be, judged by its beginning: a line that is wrong still counts as one of its kind.

use super::diagnose::BLANKS;
use super::schema::Kind;

/// What a line was meant to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Meant {
    Attribute(Kind),
    Property,
    /// Nothing that says more than blanks, or nobody knows what.
    Unknown,
}

impl Meant {
    pub(super) fn of(line: &[u8]) -> Meant {
        let line = without_blanks(line);
        if line.starts_with(b"[") {
            return Meant::Property;
        }
        let word = prefix(line, |byte| byte.is_ascii_alphanumeric());
        let behind = line[word.len()..].first();
        if let Some((kind, _)) = guess(word, behind.is_some_and(is_blank)) {
            return Meant::Attribute(kind);
        }
        let name = prefix(line, |byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        match without_blanks(&line[name.len()..]).first() {
            Some(b'=') if !name.is_empty() => Meant::Property,
            _ => Meant::Unknown,
        }
    }
}

/// How a word came to stand where an identifier should.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slipped {
    /// It is the identifier.
    Not,
    /// It is that of OBJ for these.
    FromObj(&'static str),
    /// It is in upper case.
    Case,
    /// It lacks the number of a channel.
    Number,
    /// It lacks the blank behind the identifier.
    Blank,
}

/// The kind of the lines for which a word, with a blank behind it or not, was meant to stand.
pub(super) fn guess(word: &str, blank: bool) -> Option<(Kind, Slipped)> {
    let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let glued = || Kind::of(letters).or(word.get(..2).filter(|_| !blank).and_then(Kind::of));
    let other = match word {
        "v" => Some((Kind::P, Slipped::FromObj("positions"))),
        "vn" => Some((Kind::N, Slipped::FromObj("normals"))),
        "vt" => Some((Kind::U0, Slipped::FromObj("texture coordinates"))),
        "c" => Some((Kind::C0, Slipped::Number)),
        "u" => Some((Kind::U0, Slipped::Number)),
        _ => None,
    };
    let known = Kind::of(word).map(|kind| (kind, Slipped::Not));
    let lower = || Kind::of(&word.to_ascii_lowercase()).map(|kind| (kind, Slipped::Case));
    known.or(other).or_else(lower).or_else(|| glued().map(|kind| (kind, Slipped::Blank)))
}

/// The line from its first character on that is no blank, not even to the eye: a no-break space, a byte order mark.
fn without_blanks(mut line: &[u8]) -> &[u8] {
    loop {
        line = match line {
            [byte, rest @ ..] if is_blank(byte) => rest,
            [0xc2, 0xa0, rest @ ..] | [0xef, 0xbb, 0xbf, rest @ ..] => rest,
            _ => return line,
        }
    }
}

fn is_blank(byte: &u8) -> bool {
    BLANKS.contains(&char::from(*byte))
}

/// The ASCII characters of one kind that some bytes start with.
fn prefix(bytes: &[u8], is_part: impl Fn(&u8) -> bool) -> &str {
    let end = bytes.iter().position(|byte| !is_part(byte)).unwrap_or(bytes.len());
    std::str::from_utf8(&bytes[..end]).unwrap_or_default()
}
