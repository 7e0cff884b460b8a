//! PLY.

use meshspec::interop::Interchange::Ply;
use meshspec::scene::{Colors, Components, CustomAttribute, Faces, Indices, Mesh, Scene, Texture, UvOrigin};

use super::{error, scene, scene_of, triangle, write};

const HEADER: &str = "comment made by hand\ncomment TextureFile my image.png\nobj_info a\nobj_info b\n\
    element vertex 3\nproperty float x\nproperty double y\nproperty short z\nproperty float nx\n\
    property float ny\nproperty float nz\nproperty float s\nproperty float t\nproperty list uchar int skipped\n\
    property uchar red\nproperty uchar green\nproperty uchar blue\nproperty uint32 id\nproperty int8 sign\n\
    element edge 1\nproperty int a\nproperty list ushort double b\n\
    element face 3\nproperty list uchar int vertex_indices\nproperty uchar flags\nend_header\n";

/// Returns the data after the header of a binary file.
fn body(number: impl Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    let mut body = Vec::new();
    for vertex in 0..3_u8 {
        body.extend(number(&f32::from(vertex).to_le_bytes()));
        body.extend(number(&(0.1 + f64::from(vertex)).to_le_bytes()));
        body.extend(number(&(-i16::from(vertex)).to_le_bytes()));
        for value in [0.0_f32, 0.0, 1.0, 0.25, 0.75] {
            body.extend(number(&value.to_le_bytes()));
        }
        body.push(vertex);
        (0..vertex).for_each(|item| body.extend(number(&i32::from(item).to_le_bytes())));
        body.extend([255, 128, vertex]);
        body.extend(number(&(4_000_000_000 + u32::from(vertex)).to_le_bytes()));
        body.push(vertex.wrapping_neg());
    }
    body.extend(number(&7_i32.to_le_bytes()));
    body.extend(number(&1_u16.to_le_bytes()));
    body.extend(number(&0.5_f64.to_le_bytes()));
    for face in [&[0_i32, 1, 2][..], &[0, 1], &[2, 1, 0, 1]] {
        body.push(face.len() as u8);
        face.iter().for_each(|corner| body.extend(number(&corner.to_le_bytes())));
        body.push(9);
    }
    body
}

fn files() -> [Vec<u8>; 3] {
    let file =
        |format: &str, body: &[u8]| [format!("ply\nformat {format} 1.0\n{HEADER}").as_bytes(), body].concat();
    let ascii = b"0 0.1 0 0 0 1 .25 .75 0 255 128 0 4000000000 0\r\n1 1.1 -1 0 0 1 .25 .75 1 0 255 128 1 4000000001 -1\n\n\
                  2 2.1 -2 0 0 1 .25 .75 2 0 1 255 128 2 4000000002 -2\n7 1 0.5\n3 0 1 2 9\n2 0 1 9\n4 2 1 0 1 9";
    let reversed = |bytes: &[u8]| bytes.iter().rev().copied().collect();
    [
        file("ascii", ascii),
        file("binary_little_endian", &body(<[u8]>::to_vec)),
        file("binary_big_endian", &body(reversed)),
    ]
}

#[test]
fn the_three_encodings_are_equivalent() {
    let [x, y, z] = [0.0_f32, 1.0, 2.0].map(|place| [place, 0.1 + place, -place]);
    let mut expected = Mesh {
        positions: vec![x, y, [2.0, 2.1, -2.0]],
        normals: Some(vec![[0.0, 0.0, 1.0]; 3]),
        uvs: vec![vec![[0.25, 0.75]; 3]],
        uv_origin: UvOrigin::BottomLeft,
        colors: vec![Colors::U8([0, 1, 2].map(|blue| [255, 128, blue, 255]).to_vec())],
        custom: vec![
            CustomAttribute {
                name: "id".to_owned(),
                components: 1,
                values: Components::U32(vec![4_000_000_000, 4_000_000_001, 4_000_000_002]),
            },
            CustomAttribute {
                name: "sign".to_owned(),
                components: 1,
                values: Components::I8(vec![0, -1, -2]),
            },
        ],
        ..Mesh::default()
    };
    expected.positions[2] = [z[0], 2.1, z[2]];
    expected.material.texture = Some(Texture::file("my image.png"));
    expected.faces.indices = Some(Indices::U32(vec![0, 1, 2, 2, 1, 0, 1]));
    expected.faces.corners = Some(vec![3, 4]);
    for file in files() {
        let (scene, losses) = scene(Ply, &file);
        assert_eq!(scene.meshes, [expected.clone()]);
        assert_eq!(
            losses,
            "dropped: obj_info: comments are not converted: 2\n\
             dropped: vertex.skipped: lists of values per vertex are not converted\n\
             quantised: vertex.x, y, z: positions were rounded from 64 to 32 bits, off by at most 9.5e-8 m\n\
             dropped: edge: items of an unsupported element: 1\n\
             dropped: face.flags: properties of faces are not converted\n\
             dropped: face: faces with fewer than 3 corners, 1 of 3 faces"
        );
    }
}

#[test]
fn rounding_of_normals_is_an_angle() {
    let file =
        b"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n\
        property double nx\nproperty double ny\nproperty double nz\nend_header\n0 0 0 0 3 4.0000001\n";
    let (_, losses) = scene(Ply, file);
    let angle = (4.000_000_1_f64 - 4.0) * 3.0 / 25.0;
    let error = format!("off by at most {:.1e}°", angle.to_degrees());
    assert!(
        losses.contains("vertex.nx, ny, nz: normals were rounded") && losses.ends_with(&error),
        "{losses}"
    );
}

#[test]
fn every_truncation_is_an_error() {
    for file in files() {
        // Without its last byte, the ASCII file still has all numbers.
        for length in 0..file.len() {
            let text = error(Ply, &file[..length]);
            assert!(text.starts_with("line ") || text.starts_with("bytes "), "{text}");
        }
    }
}

#[test]
fn each_item_has_its_own_line() {
    let head = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
                element face 1\nproperty list uchar int vertex_indices\nproperty uchar flags\nend_header\n";
    let errors = [
        (
            "0 0 0 99\n1 0 0 99\n0 1 0 99\n3 0 1 2 0\n",
            "line 11, column 1: 4 numbers, but `vertex` has 3 per line",
        ),
        ("0 0 0\n1 0\n0 0 1 0\n3 0 1 2 0\n", "line 12, column 1: 2 numbers, but `vertex` has 3 per line"),
        ("0 0 0 1 0 0\n0 1 0\n\n3 0 1 2 0\n", "line 11, column 1: 6 numbers, but `vertex` has 3 per line"),
        ("0 0 0\n1 0 0\n0 1 0\n\n3 0 1 2\n", "line 15, column 1: 4 numbers, but `face` has 5 per line"),
        ("0 0 0\n1 0 0\n0 1 0\n3 0 1 2 0 0\n", "line 14, column 1: 6 numbers, but `face` has 5 per line"),
        ("0 0 0\n1 0 0\n0 1 0\n1000\n", "line 14, column 1: `1000` is not an integer from 0 to 255"),
        ("0 0 0\n1 0 0\n0 1.000\n", "line 13, column 1: 2 numbers, but `vertex` has 3 per line"),
    ];
    for (body, expected) in errors {
        assert_eq!(error(Ply, format!("{head}{body}").as_bytes()), expected, "{body}");
    }
}

#[test]
fn flat_points_and_other_colours() {
    let file = b"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float red\n\
                 property float green\nproperty float blue\nproperty float alpha\nproperty ushort gray\nend_header\n\
                 1 2 0.5 0.25 1 0 65535\nmore";
    let (scene, losses) = scene(Ply, file);
    assert_eq!(losses, "dropped: bytes after the last element: 4");
    let mesh = &scene.meshes[0];
    assert!(mesh.flat);
    assert_eq!(mesh.positions, [[1.0, 2.0, 0.0]]);
    assert_eq!(mesh.colors, [Colors::F32(vec![[0.5, 0.25, 1.0, 0.0]])]);
    assert_eq!(mesh.faces.corner_count(1), 0);
    let (folder, losses) = write(Ply, scene.clone()).unwrap();
    assert_eq!(losses, "dropped: meshes[0].flat: PLY has no 2D positions; z = 0 was added");
    let mut deep = scene;
    deep.meshes[0].flat = false;
    assert_eq!(super::scene(Ply, &folder["file.ply"]), (deep, String::new()));
}

#[test]
fn errors_name_the_location() {
    let vertex = "element vertex 1\nproperty float x\nproperty float y\nproperty float z\n";
    let face = "element face 1\nproperty list uchar int vertex_indices\n";
    let errors = [
        (String::new(), "line 1, column 1: a PLY file begins with the line `ply`"),
        ("plx\n".into(), "line 1, column 1: a PLY file begins with the line `ply`"),
        ("ply\n".into(), "line 2, column 1: the header has no line `end_header`"),
        ("ply\nend_header\n".into(), "line 3, column 1: the header has no line `format`"),
        (
            "ply\nformat text 1.0\n".into(),
            "line 2, column 8: the format `text` is not ascii, binary_little_endian or binary_big_endian",
        ),
        ("ply\nformat ascii 2.0\n".into(), "line 2, column 14: version `2.0` is not 1.0"),
        ("ply\nelements 3\n".into(), "line 3, column 1: the header has no line `end_header`"),
        ("ply\nelement a -3\n".into(), "line 2, column 11: expected a number of items, found `-3`"),
        ("ply\nelement a\n".into(), "line 2, column 10: the number of items is missing"),
        ("ply\nproperty int a\n".into(), "line 2, column 14: the property precedes the first element"),
        ("ply\nelement a 1\nproperty long a\n".into(), "line 3, column 10: `long` is not a PLY type"),
        (
            "ply\nelement a 1\nproperty list int list a\n".into(),
            "line 3, column 19: lists of lists are unsupported",
        ),
        (
            "ply\nformat ascii 1.0\nend_header\n".into(),
            "line 4, column 1: the header declares no element `vertex`",
        ),
        (
            format!("ply\nformat ascii 1.0\n{vertex}end_header\n1 2"),
            "line 3, column 16: 1 items of `vertex` take 5 bytes or more, but 3 are left",
        ),
        (
            format!("ply\nformat ascii 1.0\n{vertex}end_header\n1 2 x"),
            "line 8, column 5: expected a number, found `x`",
        ),
        (
            format!("ply\nformat ascii 1.0\n{vertex}end_header\n1 2.55 "),
            "line 8, column 1: 2 numbers, but `vertex` has 3 per line",
        ),
        (
            format!("ply\nformat ascii 1.0\n{vertex}{face}end_header\n1 2 3\n3 0 0 1"),
            "line 11, column 7: vertex 1 is not in 0..1",
        ),
        (
            format!("ply\nformat ascii 1.0\n{vertex}{face}end_header\n1 2 3\n256 0 0 1"),
            "line 11, column 1: `256` is not an integer from 0 to 255",
        ),
        (
            format!("ply\nformat ascii 1.0\n{vertex}{face}end_header\n1 2 3\n3 0 -1 1"),
            "line 11, column 5: vertex -1 is not in 0..1",
        ),
        (
            "ply\nformat ascii 1.0\nelement vertex 18446744073709551615\nproperty int x\nend_header\n".into(),
            "line 3, column 16: 18446744073709551615 items of `vertex` take 18446744073709551614 bytes or more, but 0 are left",
        ),
        (
            "ply\nformat ascii 1.0\nelement vertex 18446744073709551615\nend_header\n".into(),
            "line 3, column 16: the element `vertex` has no properties x and y",
        ),
    ];
    for (text, expected) in errors {
        assert_eq!(error(Ply, text.as_bytes()), expected, "{text}");
    }
    let mut file = files()[1].clone();
    let last = file.len() - 5;
    file[last] = 3;
    assert_eq!(error(Ply, &file), format!("bytes {last:#x}..{:#x}: vertex 3 is not in 0..3", last + 4));
}

#[test]
fn attribute_names_are_made_unique() {
    let mut mesh = triangle();
    let custom = |name: &str, components: usize| CustomAttribute {
        name: name.to_owned(),
        components,
        values: Components::U16(vec![7; 3 * components]),
    };
    mesh.custom = vec![custom("x", 1), custom("two words", 1), custom("v3", 2), custom("x", 1)];
    let (folder, losses) = write(Ply, scene_of(vec![mesh])).unwrap();
    assert_eq!(
        losses,
        "renamed: meshes[0].custom[0].name: PLY properties must have unique names without blanks: \"x\" becomes \"x_1\"\n\
         renamed: meshes[0].custom[1].name: PLY properties must have unique names without blanks: \"two words\" becomes \"two_words\"\n\
         split: meshes[0].custom[2]: each component was written as a property: \"v3\" becomes v3_0, v3_1\n\
         renamed: meshes[0].custom[3].name: PLY properties must have unique names without blanks: \"x\" becomes \"x_2\""
    );
    let (scene, _) = scene(Ply, &folder["file.ply"]);
    let names: Vec<_> = scene.meshes[0].custom.iter().map(|custom| &*custom.name).collect();
    assert_eq!(names, ["x_1", "two_words", "v3_0", "v3_1", "x_2"]);
}

#[test]
fn merged_meshes_keep_their_attributes() {
    let mut with = triangle();
    with.custom =
        vec![CustomAttribute { name: "id".to_owned(), components: 1, values: Components::U8(vec![1, 2, 3]) }];
    let (folder, losses) = write(Ply, scene_of(vec![triangle(), with])).unwrap();
    assert_eq!(
        losses,
        "changed: meshes[0].custom: custom attributes with the value 0 were added, since other meshes have them\n\
         merged: meshes: PLY stores a single mesh; all meshes were merged: 2"
    );
    let (scene, _) = scene(Ply, &folder["file.ply"]);
    assert_eq!(scene.meshes[0].custom[0].values, Components::U8(vec![0, 0, 0, 1, 2, 3]));
}

/// Corners are counted in a byte unless a face has more than 255.
#[test]
fn polygons_of_many_corners() {
    for corners in [255, 256, 300_u32] {
        let mut mesh = triangle();
        mesh.uv_origin = UvOrigin::BottomLeft;
        mesh.positions.resize(corners as usize, [1.0; 3]);
        mesh.faces.indices = Some(Indices::U32((0..corners).chain([0, 1, 2]).collect()));
        mesh.faces.corners = Some(vec![corners, 3]);
        let (folder, losses) = write(Ply, scene_of(vec![mesh.clone()])).unwrap();
        assert_eq!(losses, "");
        assert_eq!(scene(Ply, &folder["file.ply"]), (scene_of(vec![mesh]), String::new()));
    }
}

#[test]
fn types_have_two_names_and_full_ranges() {
    let cases = [
        (["char", "int8"], "-128 127", Components::I8(vec![-128, 127])),
        (["uchar", "uint8"], "0 255", Components::U8(vec![0, 255])),
        (["short", "int16"], "-32768 32767", Components::I16(vec![i16::MIN, i16::MAX])),
        (["ushort", "uint16"], "0 65535", Components::U16(vec![0, u16::MAX])),
        (["int", "int32"], "-2147483648 2147483647", Components::I32(vec![i32::MIN, i32::MAX])),
        (["uint", "uint32"], "0 4294967295", Components::U32(vec![0, u32::MAX])),
        (["float", "float32"], "-0.5 1e9", Components::F32(vec![-0.5, 1e9])),
        (["double", "float64"], "0.1 1e300", Components::F64(vec![0.1, 1e300])),
    ];
    for (names, numbers, values) in cases {
        for name in names {
            let (first, second) = numbers.split_once(' ').unwrap();
            let text = format!(
                "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\n\
                 property {name} value\nend_header\n0 0 {first}\n0 0 {second}\n"
            );
            let (scene, _) = scene(Ply, text.as_bytes());
            assert_eq!(scene.meshes[0].custom[0].values, values, "{name}");
        }
    }
}

#[test]
fn carriage_returns_and_unknown_header_lines_are_accepted() {
    let text = "ply\nformat ascii 1.0\nCreated by a program\nelement vertex 3\nproperty float x\nproperty float y\n\
                property float z\nelement tristrips 1\nproperty list int int vertex_indices\nend_header\n\
                0 0 0\n1 0 0\n0 1 0\n9 0 1 2 1 -1 2 2 1 0\n";
    for text in [text.to_owned(), text.replace('\n', "\r"), text.replace('\n', "\r\n")] {
        let (scene, losses) = scene(Ply, text.as_bytes());
        assert!(
            losses.starts_with("dropped: unknown lines of the header: 1, the first at line "),
            "{losses}"
        );
        assert!(!losses.contains('\n'), "{losses}");
        assert_eq!(scene.meshes[0].positions[1], [1.0, 0.0, 0.0]);
        // Degenerate: the second triangle of the first strip, and the first of the second one, which is followed by a
        // flipped triangle.
        let indices = scene.meshes[0].faces.indices.clone().unwrap().into_u32();
        assert_eq!(indices, [0, 1, 2, 1, 2, 0]);
    }
    let unsound = text.replace("-1 2 2", "-2 2 2");
    assert!(error(Ply, unsound.as_bytes()).contains("vertex -2 is not in 0..3"));
}

/// PLY stores a single mesh. Each mesh keeps its faces, whether triangles or polygons.
#[test]
fn merged_meshes_keep_their_polygons() {
    let positions = vec![[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    let quad = Faces { indices: Some(Indices::U32(vec![0, 1, 2, 3])), corners: Some(vec![4]) };
    let triangles = Faces::triangles(vec![0, 1, 2, 0, 2, 3]);
    let mesh = |faces: &Faces| Mesh { positions: positions.clone(), faces: faces.clone(), ..Mesh::default() };
    for (first, second) in [(&quad, &quad), (&quad, &triangles), (&triangles, &quad)] {
        let scene = Scene { meshes: vec![mesh(first), mesh(second)], ..Default::default() };
        let mut files = std::collections::BTreeMap::new();
        Ply.write(scene, "x.ply", &mut files, &Default::default()).unwrap();
        let (found, _) = Ply.read(&files["x.ply"], &files, &Default::default(), &Default::default()).unwrap();
        assert_eq!(found.triangles().count(), 4, "{first:?} {second:?}");
    }
}
