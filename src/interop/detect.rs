//! Which interchange format are these bytes?

use super::Interchange;

/// How many bytes tell.
const BEGINNING: usize = 4096;

/// Size of the header of a binary STL file, its count included, and of each facet.
const STL_HEADER: usize = 84;
const STL_FACET: usize = 50;

impl Interchange {
    /// The format of a file, by how it begins. OBJ and ASCII STL have no magic bytes: the words of their first line with
    /// content decide.
    pub fn detect(bytes: &[u8]) -> Option<Interchange> {
        Interchange::ALL.iter().copied().find(|format| match format.name() {
            "glb" => bytes.starts_with(b"glTF"),
            "gltf" => is_gltf(bytes),
            "ply" => bytes.starts_with(b"ply\n") || bytes.starts_with(b"ply\r"),
            "stl" => is_stl(bytes),
            "obj" => is_obj(bytes),
            _ => false,
        })
    }
}

fn is_gltf(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    text.trim_ascii_start().starts_with(b"{") && bytes.windows(7).any(|word| word == b"\"asset\"")
}

fn is_stl(bytes: &[u8]) -> bool {
    let count = bytes.get(STL_HEADER - 4..STL_HEADER).and_then(|count| count.try_into().ok());
    let count = count.map(|count| u32::from_le_bytes(count) as usize);
    let size = count.and_then(|count| count.checked_mul(STL_FACET)?.checked_add(STL_HEADER));
    size == Some(bytes.len())
        || words(bytes).next() == Some(b"solid") && words(bytes).any(|word| word == b"facet")
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

#[cfg(test)]
mod tests {
    use super::*;

    fn name(bytes: &[u8]) -> Option<&'static str> {
        Interchange::detect(bytes).map(Interchange::name)
    }

    #[test]
    fn formats_are_detected_by_their_beginning() {
        for (bytes, expected) in [
            (&b"glTF\x02\0\0\0"[..], "glb"),
            (b"\xef\xbb\xbf {\"asset\": {\"version\": \"2.0\"}}", "gltf"),
            (b"ply\r\nformat ascii 1.0\n", "ply"),
            (b"solid a b\n facet normal 0 0 1\n", "stl"),
            (b"# by hand\r\n\r\n  v 0 0 0\r\n", "obj"),
            (b"mtllib a b.mtl\n", "obj"),
        ] {
            let known = Interchange::ALL.iter().any(|format| format.name() == expected);
            assert_eq!(name(bytes), known.then_some(expected), "{}", bytes.escape_ascii());
        }
        let binary = |count: u32| {
            let mut file = b"solid but binary".to_vec();
            file.resize(80, 0);
            file.extend(count.to_le_bytes());
            file.resize(84 + 50 * 2, 0);
            file
        };
        if cfg!(feature = "stl") {
            assert_eq!(name(&binary(2)), Some("stl"));
        }
        assert_eq!(name(&binary(3)), None);
        assert_eq!(name(&binary(u32::MAX)), None);
        for other in [&b""[..], b"p 0, 0, 0\n", b"{\"format\": \"mesh\"}", b"solid ground", b"vector"] {
            assert_eq!(name(other), None, "{}", other.escape_ascii());
        }
    }
}
