//! STL.

use meshspec::interop::Interchange::Stl;
use meshspec::scene::{Faces, Mesh, SceneOptions};
use meshspec::{ErrorKind, Limit, Limits, Strictness};

use super::{Folder, error, scene, scene_of, triangle, write};

/// A binary file of one facet.
fn binary(header: &str, attributes: u16) -> Vec<u8> {
    let mut bytes = header.as_bytes().to_vec();
    bytes.resize(80, 0);
    bytes.extend(1_u32.to_le_bytes());
    for number in [
        0.0_f32, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0,
    ] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend(attributes.to_le_bytes());
    bytes
}

fn facet(name: &str) -> Mesh {
    Mesh {
        name: name.to_owned(),
        normals: Some(vec![[0.0, 0.0, 1.0]; 3]),
        faces: Faces::default(),
        ..triangle()
    }
}

const ASCII: &str = "solid a b\r\n  facet normal 0 0 1\r\n outer loop\n vertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n\
                     endloop\nendfacet\nendsolid a b\n";

#[test]
fn binary_files_are_detected_by_their_size() {
    assert_eq!(
        scene(Stl, &binary("solid as CAD programs write", 0)).0,
        scene_of(vec![facet("solid as CAD programs write")])
    );
    let (scene, losses) = scene(Stl, &[&binary("", 1)[..], b"tail"].concat());
    assert_eq!(scene, scene_of(vec![facet("")]));
    assert_eq!(
        losses,
        "dropped: bytes after the last facet: 4\n\
         dropped: facets.attributes: attribute bytes, which programs interpret differently, 1 of 1 facets"
    );
}

#[test]
fn several_solids_in_any_case() {
    let text = format!("\u{feff}{ASCII}{}", ASCII.to_uppercase());
    assert_eq!(
        scene(Stl, text.as_bytes()),
        (scene_of(vec![facet("a b"), facet("A B")]), String::new())
    );
}

#[test]
fn invalid_normals_are_replaced() {
    let without = ASCII.replace("normal 0 0 1", "normal 0 0 0");
    assert_eq!(scene(Stl, without.as_bytes()).0.meshes[0].normals, None);
    let more = ASCII
        .replace("facet normal 0 0 1", "facet normal nan 0 1")
        .replace("solid a b\n", "");
    let both = ASCII.replace("endsolid a b\n", more.trim_start_matches("solid a b\r\n"));
    let (scene, losses) = scene(
        Stl,
        format!("{}endsolid", both.trim_end_matches("end")).as_bytes(),
    );
    assert_eq!(
        losses,
        "changed: meshes[0].normals: missing or non-finite normals were computed from the corners, 1 of 2 facets"
    );
    assert_eq!(
        scene.meshes[0].normals.as_deref().unwrap(),
        [[0.0, 0.0, 1.0]; 6]
    );
}

/// Unlike zeros, which mean missing normals, numbers that are not finite are errors of the writer.
#[test]
fn non_finite_normals_are_computed_even_if_all_are() {
    for normal in [
        "nan nan nan",
        "-nan(ind) -nan(ind) -nan(ind)",
        "0 0 1.#INF",
        "-1.#IND 0 0",
    ] {
        let text = ASCII.replace("normal 0 0 1", &format!("normal {normal}"));
        let (scene, losses) = scene(Stl, text.as_bytes());
        assert_eq!(
            losses,
            "changed: meshes[0].normals: missing or non-finite normals were computed from the corners, 1 of 1 facets"
        );
        assert_eq!(scene, scene_of(vec![facet("a b")]));
    }
    let mut binary = binary("name", 0);
    binary[84..88].copy_from_slice(&f32::NAN.to_le_bytes());
    assert_eq!(scene(Stl, &binary).0, scene_of(vec![facet("name")]));
}

#[test]
fn lines_may_end_in_carriage_returns() {
    let text = ASCII.replace("\r\n", "\n");
    for line_end in ["\r", "\r\n", "\n\r"] {
        let text = text.replace('\n', line_end);
        assert_eq!(
            scene(Stl, text.as_bytes()),
            (scene_of(vec![facet("a b")]), String::new()),
            "{line_end:?}"
        );
    }
    assert_eq!(
        error(Stl, b"solid a\rfacet up"),
        "line 2, column 7: expected `normal`, found `up`"
    );
}

#[test]
fn errors_name_the_location() {
    let truncated = &binary("solid", 0)[..130];
    let errors = [
        (&b""[..], "line 1, column 1: the file is empty"),
        (
            b"abc",
            "bytes 0x0..0x3: 3 bytes are neither a binary STL file, which has at least 84, nor text",
        ),
        (
            truncated,
            "bytes 0x50..0x54: truncated facet list: a count of 1 needs 50 bytes, 46 remain",
        ),
        (
            b"solid a\nfacet normal 0 0\nouter",
            "line 3, column 1: expected a number, found `outer`",
        ),
        (
            b"solid a\nfacet normal 0 0 1\nouter loop vertex 1 2 3 vertex 1 2 3\nendloop",
            "line 4, column 1: expected `vertex`, found `endloop`",
        ),
        (
            b"solid a\nfacet up",
            "line 2, column 7: expected `normal`, found `up`",
        ),
        (b"solid a\nfacet", "line 2, column 6: `normal` is missing"),
        (b"solid a\n", "line 1, column 8: `endsolid` is missing"),
        (
            b"solid a\nendsolid\nx",
            "line 3, column 1: expected `solid`, found `x`",
        ),
    ];
    for (bytes, expected) in errors {
        assert_eq!(error(Stl, bytes), expected);
    }
}

/// Text starts with the word `solid`, not with a word like `solidity`.
#[test]
fn headers_may_begin_with_longer_words() {
    let mut bytes = binary("solidity of a facet", 0);
    bytes.push(b' ');
    bytes
        .iter_mut()
        .take(80)
        .filter(|byte| **byte == 0)
        .for_each(|byte| *byte = b' ');
    bytes[80..].fill(b' ');
    let found = error(Stl, &bytes);
    assert!(
        found.starts_with("bytes 0x50..0x54: truncated facet list"),
        "{found}"
    );
}

#[test]
fn inexpressible_content_of_stl() {
    let mut mesh = triangle();
    mesh.name = format!("solid {}é", "x".repeat(72));
    mesh.positions.extend([[0.0, 0.0, 1.0], [9.0; 3]]);
    mesh.faces = Faces::triangles(vec![0, 1, 2, 0, 2, 3]);
    mesh.normals = Some(vec![
        [0.0, 0.0, 1.0],
        [0.0, 0.0, 1.0],
        [0.0, 0.0, 1.0],
        [1.0, 0.0, 0.0],
        [0.0; 3],
    ]);
    let (folder, losses) = write(Stl, scene_of(vec![mesh])).unwrap();
    let name = format!("_solid {}", "x".repeat(72));
    assert_eq!(
        losses,
        format!(
            "changed: meshes[0].normals: normals without a direction were replaced by those of the faces, 1 of 5 \
             normals\n\
             split: meshes[0].positions: STL has no shared vertices: 4 become 6\n\
             dropped: meshes[0].positions: vertices that no face uses, 1 of 5 vertices\n\
             renamed: meshes[0].name: the STL header has 80 bytes and must not begin with `solid`: \"solid {x}é\" becomes \
             \"{name}\"\n\
             changed: meshes[0].normals: STL stores one normal per facet; it was computed from the corners, 1 of 2 facets",
            x = "x".repeat(72)
        )
    );
    let (scene, losses) = scene(Stl, &folder["file.stl"]);
    assert_eq!((losses, &*scene.meshes[0].name), (String::new(), &*name));
    let normals = scene.meshes[0].normals.as_deref().unwrap();
    assert_eq!((normals[0], normals[3]), ([0.0, 0.0, 1.0], [1.0, 0.0, 0.0]));
}

#[test]
fn lenient_reading_accepts_missing_facets() {
    let mut bytes = binary("cut", 0);
    bytes[80] = 3;
    bytes.extend([0; 20]);
    assert_eq!(
        error(Stl, &bytes),
        "bytes 0x50..0x54: truncated facet list: a count of 3 needs 150 bytes, 70 remain"
    );
    let options = SceneOptions::default().with_strictness(Strictness::Lenient);
    let (scene, losses) = Stl
        .read(&bytes, &Folder::new(), &options, &Default::default())
        .unwrap();
    assert_eq!(scene.meshes[0].positions.len(), 3);
    assert_eq!(
        losses[0].to_string(),
        "dropped: facets: facets missing at the end of the file, 2 of 3 facets"
    );
}

#[test]
fn solids_need_no_end() {
    let without_end = ASCII.replace("endsolid a b\n", "");
    let missing = "changed: meshes[0]: `endsolid` is missing; facets may be missing, too";
    assert_eq!(
        scene(Stl, without_end.as_bytes()),
        (scene_of(vec![facet("a b")]), missing.to_owned())
    );
    let both = format!("{without_end}{ASCII}");
    assert_eq!(
        scene(Stl, both.as_bytes()),
        (scene_of(vec![facet("a b"); 2]), missing.to_owned())
    );
    let empty = error(Stl, b"solid a\nsolid b\nendsolid\n");
    assert_eq!(
        empty,
        "line 2, column 1: expected `facet` or `endsolid`, found `solid`"
    );
}

#[test]
fn many_solids_exceed_the_limits() {
    let text = "solid\nendsolid\n".repeat(1000);
    let limits = Limits::default().with_max_decoded(100_000);
    let error = Stl
        .read(
            text.as_bytes(),
            &Folder::new(),
            &Default::default(),
            &limits,
        )
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded(Limit::Decoded));
    assert_eq!(scene(Stl, text.as_bytes()).0.meshes.len(), 1000);
}
