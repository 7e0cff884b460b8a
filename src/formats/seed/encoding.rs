//! What text is: UTF-8, perhaps with a byte order mark (S9).

use super::fine::Slip;
use super::rules;

/// U+FEFF in UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// The length of the byte order mark.
pub(super) fn mark(file: &[u8]) -> usize {
    if file.starts_with(MARK) { MARK.len() } else { 0 }
}

/// The encoding of a file, where it is another one that can be told by its first bytes.
pub(super) fn other(file: &[u8]) -> Option<&'static str> {
    match file {
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => Some("UTF-32"),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Some("UTF-16"),
        [0, first, 0, second, ..] | [first, 0, second, 0, ..] if is_text(*first) && is_text(*second) => {
            Some("UTF-16")
        }
        _ => None,
    }
}

fn is_text(byte: u8) -> bool {
    byte.is_ascii_graphic() || byte.is_ascii_whitespace()
}

/// Why a file is no UTF-8 from its first byte on.
pub(super) fn refuse(file: &[u8]) -> Option<Slip> {
    let encoding = other(file)?;
    Some(Slip::new(&rules::ENCODING, 0..2, format!("the file is {encoding}, expected UTF-8")))
}
