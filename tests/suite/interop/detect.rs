//! Detection of interchange formats by their first bytes.

use meshspec::interop::Interchange;

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
        (b"MTLLIB a b.mtl\n", "obj"),
        (b"SOLID a b\n FACET NORMAL 0 0 1\n", "stl"),
        (b"\xef\xbb\xbfply\nformat ascii 1.0\n", "ply"),
        (b"\xef\xbb\xbfsolid a b\n facet normal 0 0 1\n", "stl"),
        (b"\xef\xbb\xbfv 0 0 0\n", "obj"),
    ] {
        let known = Interchange::ALL
            .iter()
            .any(|format| format.name() == expected);
        assert_eq!(
            name(bytes),
            known.then_some(expected),
            "{}",
            bytes.escape_ascii()
        );
    }
    let binary = |count: u32| {
        let mut file = b"solid but binary".to_vec();
        file.resize(80, 0);
        file.extend(count.to_le_bytes());
        file.resize(84 + 50 * 2, 0);
        file
    };
    assert_eq!(name(&binary(2)), Some("stl"));
    assert_eq!(name(&binary(3)), None);
    assert_eq!(name(&binary(u32::MAX)), None);
    for other in [
        &b""[..],
        b"p 0, 0, 0\n",
        b"{\"format\": \"mesh\"}",
        b"solid ground",
        b"vector",
        b"solidity of a facet",
    ] {
        assert_eq!(name(other), None, "{}", other.escape_ascii());
    }
}
