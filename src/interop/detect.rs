//! Detects the interchange format of a file from its content.

use super::Interchange;
use crate::text::count_mismatches;

/// The UTF-8 byte order mark, which some editors add.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The number of leading bytes searched for keywords of OBJ and ASCII STL.
const SEARCHED_BYTES: usize = 4096;

/// The size in bytes of the header of a binary STL file, including the facet count.
pub(super) const STL_HEADER_SIZE: usize = 84;

/// The size in bytes of a facet in a binary STL file: a normal, three corners, and two attribute bytes.
pub(super) const STL_FACET_SIZE: usize = 50;

/// A line of OBJ that is longer and contains NUL is not text. It exceeds two windows of the reader, which rejects it.
const MAX_BINARY_LINE: usize = 2 << 20;

impl Interchange {
    /// Detects the format of a file; `None` if it is unknown. OBJ and ASCII STL have no magic bytes and are detected by
    /// their keywords, glTF in JSON by the key `asset`, and binary STL by its size.
    pub fn detect(bytes: &[u8]) -> Option<Interchange> {
        let text = without_byte_order_mark(bytes);
        Interchange::ALL
            .iter()
            .copied()
            .find(|format| match format.name() {
                "glb" => bytes.starts_with(b"glTF"),
                "gltf" => starts_as_json(text) && text.windows(7).any(|word| word == b"\"asset\""),
                "ply" => text.starts_with(b"ply\n") || text.starts_with(b"ply\r"),
                "stl" => is_binary_stl(bytes) || is_ascii_stl(text),
                "obj" => is_obj(text),
                _ => false,
            })
    }

    /// Returns `false` if no file of the format starts with the bytes `start`, so that the rest of a large file need not
    /// be read.
    ///
    /// ```
    /// # #[cfg(feature = "ply")]
    /// assert!(!meshspec::interop::Interchange::Ply.may_start_with(b"\x7fELF"));
    /// ```
    pub fn may_start_with(self, start: &[u8]) -> bool {
        let text = without_byte_order_mark(start).trim_ascii_start();
        match self.name() {
            "glb" | "gltf" => {
                count_mismatches(start, b"glTF") == 0
                    || text.first().is_none_or(|first| *first == b'{')
            }
            "ply" => count_mismatches(text, b"ply") == 0,
            "obj" => {
                let last_line = start
                    .rsplit(|byte| *byte == b'\n')
                    .next()
                    .unwrap_or_default();
                last_line.len() < MAX_BINARY_LINE || !last_line.contains(&0)
            }
            // The header of binary STL is arbitrary.
            _ => true,
        }
    }

    /// Returns `false` if [`detect`](Interchange::detect) does not detect a file of `size` bytes that starts with the
    /// bytes `start`. The size is `None` if unknown.
    ///
    /// ```
    /// use meshspec::interop::Interchange;
    ///
    /// assert!(!Interchange::may_detect(b"\x7fELF", Some(4)));
    /// ```
    pub fn may_detect(start: &[u8], size: Option<u64>) -> bool {
        let text = without_byte_order_mark(start);
        Interchange::ALL.iter().any(|format| match format.name() {
            "gltf" => starts_as_json(text),
            "stl" => {
                let binary = binary_stl_size(start);
                let is_binary = match size {
                    Some(_) => binary == size,
                    None => binary.is_none_or(|binary| binary >= start.len() as u64),
                };
                is_binary || is_ascii_stl(text)
            }
            _ => Interchange::detect(start) == Some(*format),
        })
    }
}

/// Returns `text` without a leading byte order mark.
pub(super) fn without_byte_order_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
}

fn starts_as_json(text: &[u8]) -> bool {
    text.trim_ascii_start().starts_with(b"{")
}

/// Returns `true` if the first word of a text is the keyword of ASCII STL, in any case.
pub(super) fn starts_with_solid(text: &[u8]) -> bool {
    let mut words = text.trim_ascii_start().split(u8::is_ascii_whitespace);
    words
        .next()
        .is_some_and(|word| word.eq_ignore_ascii_case(b"solid"))
}

/// Returns `true` if the file size matches the facet count in the header.
pub(super) fn is_binary_stl(bytes: &[u8]) -> bool {
    binary_stl_size(bytes) == Some(bytes.len() as u64)
}

/// Returns the file size for the facet count in the header of a binary STL file; `None` if the header is truncated.
fn binary_stl_size(bytes: &[u8]) -> Option<u64> {
    stl_facet_count(bytes).map(|n| STL_HEADER_SIZE as u64 + STL_FACET_SIZE as u64 * u64::from(n))
}

/// Returns the facet count in the header of a binary STL file; `None` if the header is truncated.
pub(super) fn stl_facet_count(bytes: &[u8]) -> Option<u32> {
    bytes
        .get(..STL_HEADER_SIZE)?
        .last_chunk()
        .map(|count| u32::from_le_bytes(*count))
}

fn is_ascii_stl(text: &[u8]) -> bool {
    starts_with_solid(text) && first_words(text).any(|word| word.eq_ignore_ascii_case(b"facet"))
}

/// Returns `true` if the first word outside comments is one of these OBJ keywords in any case, none of which is a Seed
/// identifier.
fn is_obj(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(SEARCHED_BYTES)];
    let mut lines = start
        .split(|byte| matches!(byte, b'\r' | b'\n'))
        .map(<[u8]>::trim_ascii);
    let line = lines.find(|line| !line.is_empty() && !line.starts_with(b"#"));
    let word = line.and_then(|line| first_words(line).next());
    word.is_some_and(|word| {
        let word = word.to_ascii_lowercase();
        [
            &b"v"[..],
            b"vt",
            b"vn",
            b"vp",
            b"o",
            b"g",
            b"s",
            b"mtllib",
            b"usemtl",
        ]
        .contains(&&*word)
    })
}

/// Returns the words in the first [`SEARCHED_BYTES`] bytes of a file.
fn first_words(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let start = &bytes[..bytes.len().min(SEARCHED_BYTES)];
    start
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
}
