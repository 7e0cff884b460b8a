//! Detects the interchange format of a file from its content.

use super::Interchange;

/// The UTF-8 byte order mark, which some editors add.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The number of leading bytes searched for keywords of OBJ and ASCII STL.
const SEARCHED_BYTES: usize = 4096;

/// The size in bytes of the header of a binary STL file, including the facet count.
pub(super) const STL_HEADER_SIZE: usize = 84;

/// The size in bytes of a facet in a binary STL file: a normal, three corners, and two attribute bytes.
pub(super) const STL_FACET_SIZE: usize = 50;

impl Interchange {
    /// Detects the format of a file; `None` if it is unknown. OBJ and ASCII STL have no magic bytes and are detected by
    /// their keywords, glTF in JSON by the key `asset`, and binary STL by its size.
    pub fn detect(bytes: &[u8]) -> Option<Interchange> {
        let text = without_byte_order_mark(bytes);
        Interchange::ALL.iter().copied().find(|format| match format.name() {
            "glb" => bytes.starts_with(b"glTF"),
            "gltf" => is_gltf(text),
            "ply" => text.starts_with(b"ply\n") || text.starts_with(b"ply\r"),
            "stl" => is_binary_stl(bytes) || is_ascii_stl(text),
            "obj" => is_obj(text),
            _ => false,
        })
    }
}

/// Returns `text` without a leading byte order mark.
pub(super) fn without_byte_order_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
}

fn is_gltf(text: &[u8]) -> bool {
    text.trim_ascii_start().starts_with(b"{") && text.windows(7).any(|word| word == b"\"asset\"")
}

/// Returns `true` if the file size matches the facet count in the header.
pub(super) fn is_binary_stl(bytes: &[u8]) -> bool {
    let size = stl_facet_count(bytes).map(|n| STL_HEADER_SIZE as u64 + STL_FACET_SIZE as u64 * u64::from(n));
    size == Some(bytes.len() as u64)
}

/// Returns the facet count in the header of a binary STL file; `None` if the header is truncated.
pub(super) fn stl_facet_count(bytes: &[u8]) -> Option<u32> {
    bytes.get(..STL_HEADER_SIZE)?.last_chunk().map(|count| u32::from_le_bytes(*count))
}

fn is_ascii_stl(text: &[u8]) -> bool {
    first_words(text).next() == Some(b"solid") && first_words(text).any(|word| word == b"facet")
}

/// Returns `true` if the first word outside comments is one of these OBJ keywords, none of which is a Seed identifier.
fn is_obj(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(SEARCHED_BYTES)];
    let mut lines = start.split(|byte| matches!(byte, b'\r' | b'\n')).map(<[u8]>::trim_ascii);
    let line = lines.find(|line| !line.is_empty() && !line.starts_with(b"#"));
    let word = line.and_then(|line| first_words(line).next());
    word.is_some_and(|word| {
        [&b"v"[..], b"vt", b"vn", b"vp", b"o", b"g", b"s", b"mtllib", b"usemtl"].contains(&word)
    })
}

/// Returns the words in the first [`SEARCHED_BYTES`] bytes of a file.
fn first_words(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let start = &bytes[..bytes.len().min(SEARCHED_BYTES)];
    start.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}
