//! Detects Seed by its first lines. It has no magic bytes, and other formats also use the extension `.mesh`.

use super::intent::{Mistake, guess_kind};
use super::line::{LineContent, parse_line};
use super::text::{self, WHITESPACE, split_line};
use crate::Confidence;

/// Maximum number of lines with content to inspect.
const MAX_LINES: usize = 16;
/// Only lines that start within this number of bytes are inspected, because long comments may come first.
const MAX_BYTES: usize = 1 << 16;

/// Rates a file by its first lines with content.
pub(in crate::formats::seed) fn confidence(file: &[u8]) -> Confidence {
    if text::other_encoding(file).is_some() {
        return if is_seed_in_other_encoding(file) {
            Confidence::Possible
        } else {
            Confidence::None
        };
    }
    let mut start = text::first_line_offset(file);
    let (mut valid, mut invalid, mut has_similar) = (0, 0, false);
    while valid + invalid < MAX_LINES && start < file.len().min(MAX_BYTES) {
        let (line, next) = split_line(&file[start..file.len().min(start + MAX_BYTES)]);
        start += next;
        match parse_line(line) {
            Ok(line) if line.content == LineContent::Empty => {}
            Ok(_) => valid += 1,
            // The last line may be truncated.
            Err(_) if start >= file.len() => {}
            Err(_) => {
                invalid += 1;
                has_similar |= resembles_values(line);
            }
        }
    }
    match (valid, invalid) {
        (0, _) if has_similar => Confidence::Possible,
        (0, _) => Confidence::None,
        (_, 0) => Confidence::Structure,
        (valid, invalid) if valid > invalid => Confidence::Structure,
        _ => Confidence::Possible,
    }
}

/// Returns `true` if a malformed line starts with an identifier of Seed or OBJ, whitespace and the start of a number.
fn resembles_values(line: &[u8]) -> bool {
    let line = std::str::from_utf8(line)
        .unwrap_or_default()
        .trim_start_matches(WHITESPACE);
    let Some((word, rest)) = line.split_once(WHITESPACE) else {
        return false;
    };
    let is_known = matches!(
        guess_kind(word, true),
        Some((_, Mistake::Exact | Mistake::FromObj(_)))
    );
    let is_numeric = |c: char| c.is_ascii_digit() || "+-.".contains(c);
    is_known && rest.trim_start_matches(WHITESPACE).starts_with(is_numeric)
}

/// Returns `true` if a file in UTF-16 or UTF-32 starts like Seed. Reading it fails with a message about the encoding.
fn is_seed_in_other_encoding(file: &[u8]) -> bool {
    let ascii = file
        .iter()
        .copied()
        .take(MAX_BYTES)
        .filter(|byte| byte.is_ascii() && *byte != 0);
    confidence(&ascii.collect::<Vec<_>>()) > Confidence::None
}
