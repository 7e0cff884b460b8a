//! Whether some bytes are Seed: there are no magic bytes, and `.mesh` is the extension of other formats, too.

use super::codec::split_line;
use super::diagnose::BLANKS;
use super::encoding;
use super::fine::{self, Content};
use super::meant::{self, Slipped};
use crate::Likelihood;

/// How many lines with content tell.
const LINES: usize = 16;
/// How many bytes are looked at, at most: a header of comments may be long.
const BYTES: usize = 1 << 16;

/// Judged by the first lines with content.
pub(super) fn likelihood(file: &[u8]) -> Likelihood {
    if encoding::other(file).is_some() {
        return if is_wide_seed(file) { Likelihood::Possible } else { Likelihood::No };
    }
    let mut start = encoding::mark(file);
    let (mut right, mut wrong, mut like) = (0, 0, false);
    while right + wrong < LINES && start < file.len().min(BYTES) {
        let (line, next) = split_line(&file[start..file.len().min(start + BYTES)]);
        start += next;
        match fine::line(line) {
            Ok(line) if line.content == Content::Nothing => {}
            Ok(_) => right += 1,
            // A last line may be cut off.
            Err(_) if start >= file.len() => {}
            Err(_) => {
                wrong += 1;
                like |= is_like_values(line);
            }
        }
    }
    match (right, wrong) {
        (0, _) if like => Likelihood::Possible,
        (0, _) => Likelihood::No,
        (_, 0) => Likelihood::Structure,
        (right, wrong) if right > wrong => Likelihood::Structure,
        _ => Likelihood::Possible,
    }
}

/// Whether a line starts with an identifier of the table or of OBJ, a blank and a number, whatever is wrong with it.
fn is_like_values(line: &[u8]) -> bool {
    let line = std::str::from_utf8(line).unwrap_or_default().trim_start_matches(BLANKS);
    let Some((word, rest)) = line.split_once(BLANKS) else { return false };
    let known = matches!(meant::guess(word, true), Some((_, Slipped::Not | Slipped::FromObj(_))));
    known && rest.trim_start_matches(BLANKS).starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c))
}

/// Whether text in another encoding starts like Seed. Reading refuses it, and says why.
fn is_wide_seed(file: &[u8]) -> bool {
    let narrow: Vec<u8> =
        file.iter().copied().take(BYTES).filter(u8::is_ascii).filter(|byte| *byte != 0).collect();
    likelihood(&narrow) > Likelihood::No
}
