//! Detects Seed by its first lines. It has no magic bytes, and other formats also use the extension `.mesh`.

use super::intent::{self, Misread};
use super::line::{Content, parse_line};
use super::text::{self, WHITESPACE, split_line};
use crate::Confidence;

/// Maximum number of lines with content to inspect.
const LINES: usize = 16;
/// Maximum number of bytes to inspect: there may be long comments at the top.
const BYTES: usize = 1 << 16;

/// Rates a file by its first lines with content.
pub(in crate::formats::seed) fn confidence(file: &[u8]) -> Confidence {
    if text::other_encoding(file).is_some() {
        return if is_wide_seed(file) { Confidence::Possible } else { Confidence::None };
    }
    let mut start = text::start(file);
    let (mut right, mut wrong, mut like) = (0, 0, false);
    while right + wrong < LINES && start < file.len().min(BYTES) {
        let (line, next) = split_line(&file[start..file.len().min(start + BYTES)]);
        start += next;
        match parse_line(line) {
            Ok(line) if line.content == Content::Empty => {}
            Ok(_) => right += 1,
            // The last line may be truncated.
            Err(_) if start >= file.len() => {}
            Err(_) => {
                wrong += 1;
                like |= is_like_values(line);
            }
        }
    }
    match (right, wrong) {
        (0, _) if like => Confidence::Possible,
        (0, _) => Confidence::None,
        (_, 0) => Confidence::Structure,
        (right, wrong) if right > wrong => Confidence::Structure,
        _ => Confidence::Possible,
    }
}

/// Returns `true` if a malformed line starts with an identifier of Seed or OBJ, whitespace and a number.
fn is_like_values(line: &[u8]) -> bool {
    let line = std::str::from_utf8(line).unwrap_or_default().trim_start_matches(WHITESPACE);
    let Some((word, rest)) = line.split_once(WHITESPACE) else { return false };
    let known = matches!(intent::guess(word, true), Some((_, Misread::Exact | Misread::FromObj(_))));
    known
        && rest.trim_start_matches(WHITESPACE).starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c))
}

/// Returns `true` if text in another encoding starts like Seed. Reading it then fails with a message about the
/// encoding.
fn is_wide_seed(file: &[u8]) -> bool {
    let narrow: Vec<u8> =
        file.iter().copied().take(BYTES).filter(u8::is_ascii).filter(|byte| *byte != 0).collect();
    confidence(&narrow) > Confidence::None
}
