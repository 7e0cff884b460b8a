//! Which interchange format are these bytes?

use super::Interchange;

/// The bytes in which UTF-8 files of some editors begin.
pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// How many bytes tell.
const BEGINNING: usize = 4096;

/// Size of the header of a binary STL file, its count included, and of each facet.
const STL_HEADER: usize = 84;
const STL_FACET: usize = 50;

impl Interchange {
    /// The format of a file, by how it begins. OBJ and ASCII STL have no magic bytes: the words of their first line with
    /// content decide.
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

/// Whether the file is as large as its count of facets says.
fn has_size_of_stl(bytes: &[u8]) -> bool {
    let count = bytes.get(STL_HEADER - 4..STL_HEADER).and_then(|count| count.try_into().ok());
    let count = count.map(|count| u32::from_le_bytes(count) as usize);
    let size = count.and_then(|count| count.checked_mul(STL_FACET)?.checked_add(STL_HEADER));
    size == Some(bytes.len())
}

fn is_stl(text: &[u8]) -> bool {
    words(text).next() == Some(b"solid") && words(text).any(|word| word == b"facet")
}

/// Whether the first word that is no comment begins a statement of OBJ. Seed has none of these identifiers.
fn is_obj(bytes: &[u8]) -> bool {
    let beginning = &bytes[..bytes.len().min(BEGINNING)];
    let mut lines = beginning.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let line = lines.find(|line| !line.is_empty() && !line.starts_with(b"#"));
    let word = line.and_then(|line| words(line).next());
    word.is_some_and(|word| {
        [&b"v"[..], b"vt", b"vn", b"vp", b"o", b"g", b"s", b"mtllib", b"usemtl"].contains(&word)
    })
}

/// The words that a text begins with.
fn words(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let beginning = &bytes[..bytes.len().min(BEGINNING)];
    beginning.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}
