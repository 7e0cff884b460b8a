//! Detects interchange formats from the first bytes of a file.

use super::Interchange;

/// The UTF-8 byte order mark, which some editors add.
pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The number of bytes searched for keywords.
const BEGINNING: usize = 4096;

/// The size in bytes of the header of a binary STL file, including the count, and of each facet.
const STL_HEADER: usize = 84;
const STL_FACET: usize = 50;

impl Interchange {
    /// Detects the format of a file. OBJ and ASCII STL have no magic bytes and are detected by their keywords; binary STL
    /// is detected by its size.
    pub fn detect(bytes: &[u8]) -> Option<Interchange> {
        let text = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
        Interchange::ALL.iter().copied().find(|format| match format.name() {
            "glb" => bytes.starts_with(b"glTF"),
            "gltf" => is_gltf(text),
            "ply" => text.starts_with(b"ply\n") || text.starts_with(b"ply\r"),
            "stl" => has_size_of_stl(bytes) || is_stl(text),
            "obj" => is_obj(text),
            _ => false,
        })
    }
}

fn is_gltf(text: &[u8]) -> bool {
    text.trim_ascii_start().starts_with(b"{") && text.windows(7).any(|word| word == b"\"asset\"")
}

/// Returns `true` if the file size matches the number of facets.
fn has_size_of_stl(bytes: &[u8]) -> bool {
    let count = bytes.get(STL_HEADER - 4..STL_HEADER).and_then(|count| count.try_into().ok());
    let count = count.map(|count| u32::from_le_bytes(count) as usize);
    let size = count.and_then(|count| count.checked_mul(STL_FACET)?.checked_add(STL_HEADER));
    size == Some(bytes.len())
}

fn is_stl(text: &[u8]) -> bool {
    words(text).next() == Some(b"solid") && words(text).any(|word| word == b"facet")
}

/// Returns `true` if the first word outside of comments is an OBJ keyword. None of them is an identifier of Seed.
fn is_obj(bytes: &[u8]) -> bool {
    let beginning = &bytes[..bytes.len().min(BEGINNING)];
    let mut lines = beginning.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let line = lines.find(|line| !line.is_empty() && !line.starts_with(b"#"));
    let word = line.and_then(|line| words(line).next());
    word.is_some_and(|word| {
        [&b"v"[..], b"vt", b"vn", b"vp", b"o", b"g", b"s", b"mtllib", b"usemtl"].contains(&word)
    })
}

/// Returns the words in the first [`BEGINNING`] bytes.
fn words(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let beginning = &bytes[..bytes.len().min(BEGINNING)];
    beginning.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}
