//! PLY.

use meshspec::interop::Interchange::Ply;
use meshspec::scene::{
    Colors, Components, CustomAttribute, Faces, Indices, Mesh, Scene, Texture, UvOrigin,
};

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
        face.iter()
            .for_each(|corner| body.extend(number(&corner.to_le_bytes())));
        body.push(9);
    }
    body
}

fn files() -> [Vec<u8>; 3] {
    let file = |format: &str, body: &[u8]| {
        [
            format!("ply\nformat {format} 1.0\n{HEADER}").as_bytes(),
            body,
        ]
        .concat()
    };
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
        colors: vec![Colors::U8(
            [0, 1, 2].map(|blue| [255, 128, blue, 255]).to_vec(),
        )],
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
             quantized: vertex.x, y, z: positions were rounded from 64 to 32 bits, off by at most 9.6e-8 m\n\
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
            assert!(
                text.starts_with("line ") || text.starts_with("bytes "),
                "{text}"
            );
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
        (
            "0 0 0\n1 0\n0 0 1 0\n3 0 1 2 0\n",
            "line 12, column 1: 2 numbers, but `vertex` has 3 per line",
        ),
        (
            "0 0 0 1 0 0\n0 1 0\n\n3 0 1 2 0\n",
            "line 11, column 1: 6 numbers, but `vertex` has 3 per line",
        ),
        (
            "0 0 0\n1 0 0\n0 1 0\n\n3 0 1 2\n",
            "line 15, column 1: 4 numbers, but `face` has 5 per line",
        ),
        (
            "0 0 0\n1 0 0\n0 1 0\n3 0 1 2 0 0\n",
            "line 14, column 1: 6 numbers, but `face` has 5 per line",
        ),
        (
            "0 0 0\n1 0 0\n0 1 0\n1000\n",
            "line 14, column 1: `1000` is not an integer from 0 to 255",
        ),
        (
            "0 0 0\n1 0 0\n0 1.000\n",
            "line 13, column 1: 2 numbers, but `vertex` has 3 per line",
        ),
    ];
    for (body, expected) in errors {
        assert_eq!(
            error(Ply, format!("{head}{body}").as_bytes()),
            expected,
            "{body}"
        );
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
    assert_eq!(
        losses,
        "dropped: meshes[0].flat: PLY has no 2D positions; z = 0 was added"
    );
    let mut deep = scene;
    deep.meshes[0].flat = false;
    assert_eq!(
        super::scene(Ply, &folder["file.ply"]),
        (deep, String::new())
    );
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
    assert_eq!(
        error(Ply, &file),
        format!("bytes {last:#x}..{:#x}: vertex 3 is not in 0..3", last + 4)
    );
}

#[test]
fn attribute_names_are_made_unique() {
    let mut mesh = triangle();
    let custom = |name: &str, components: usize| CustomAttribute {
        name: name.to_owned(),
        components,
        values: Components::U16(vec![7; 3 * components]),
    };
    mesh.custom = vec![
        custom("x", 1),
        custom("two words", 1),
        custom("v3", 2),
        custom("x", 1),
    ];
    let (folder, losses) = write(Ply, scene_of(vec![mesh])).unwrap();
    assert_eq!(
        losses,
        "renamed: meshes[0].custom[0].name: PLY properties must have unique names without blanks: \"x\" becomes \"x_1\"\n\
         renamed: meshes[0].custom[1].name: PLY properties must have unique names without blanks: \"two words\" becomes \"two_words\"\n\
         split: meshes[0].custom[2]: each component was written as a property: \"v3\" becomes v3_0, v3_1\n\
         renamed: meshes[0].custom[3].name: PLY properties must have unique names without blanks: \"x\" becomes \"x_2\""
    );
    let (scene, _) = scene(Ply, &folder["file.ply"]);
    let names: Vec<_> = scene.meshes[0]
        .custom
        .iter()
        .map(|custom| &*custom.name)
        .collect();
    assert_eq!(names, ["x_1", "two_words", "v3_0", "v3_1", "x_2"]);
}

#[test]
fn merged_meshes_keep_their_attributes() {
    let mut with = triangle();
    with.custom = vec![CustomAttribute {
        name: "id".to_owned(),
        components: 1,
        values: Components::U8(vec![1, 2, 3]),
    }];
    let (folder, losses) = write(Ply, scene_of(vec![triangle(), with])).unwrap();
    assert_eq!(
        losses,
        "changed: meshes[0].custom: custom attributes with the value 0 were added, since other meshes have them\n\
         merged: meshes: PLY stores a single mesh; all meshes were merged: 2"
    );
    let (scene, _) = scene(Ply, &folder["file.ply"]);
    assert_eq!(
        scene.meshes[0].custom[0].values,
        Components::U8(vec![0, 0, 0, 1, 2, 3])
    );
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
        assert_eq!(
            scene(Ply, &folder["file.ply"]),
            (scene_of(vec![mesh]), String::new())
        );
    }
}

#[test]
fn types_have_two_names_and_full_ranges() {
    let cases = [
        (
            ["char", "int8"],
            "-128 127",
            Components::I8(vec![-128, 127]),
        ),
        (["uchar", "uint8"], "0 255", Components::U8(vec![0, 255])),
        (
            ["short", "int16"],
            "-32768 32767",
            Components::I16(vec![i16::MIN, i16::MAX]),
        ),
        (
            ["ushort", "uint16"],
            "0 65535",
            Components::U16(vec![0, u16::MAX]),
        ),
        (
            ["int", "int32"],
            "-2147483648 2147483647",
            Components::I32(vec![i32::MIN, i32::MAX]),
        ),
        (
            ["uint", "uint32"],
            "0 4294967295",
            Components::U32(vec![0, u32::MAX]),
        ),
        (
            ["float", "float32"],
            "-0.5 1e9",
            Components::F32(vec![-0.5, 1e9]),
        ),
        (
            ["double", "float64"],
            "0.1 1e300",
            Components::F64(vec![0.1, 1e300]),
        ),
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
    for text in [
        text.to_owned(),
        text.replace('\n', "\r"),
        text.replace('\n', "\r\n"),
    ] {
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

/// Returns an ASCII file of a triangle with the given properties and values of its vertices.
pub(super) fn with_vertex_properties(properties: &[&str], values: [&str; 3]) -> String {
    let properties: String = properties
        .iter()
        .map(|property| format!("property {property}\n"))
        .collect();
    let [a, b, c] = values;
    format!(
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n{properties}\
         element face 1\nproperty list uchar int vertex_indices\nend_header\n\
         0 0 0 {a}\n1 0 0 {b}\n0 1 0 {c}\n3 0 1 2\n"
    )
}

const WEDGES: &str = "element vertex 5\nproperty float x\nproperty float y\nproperty float z\nproperty uchar red\n\
    property uchar green\nproperty uchar blue\nproperty int id\nelement face 2\n";

/// Returns two triangles of a square, with texture coordinates per corner, in all encodings. The last vertex is unused.
fn files_with_wedges(
    comments: &str,
    wedges: [[f32; 6]; 2],
    images: Option<[i32; 2]>,
) -> Vec<Vec<u8>> {
    let image = images.map_or("", |_| "property int texnumber\n");
    let properties = format!(
        "property list uchar float texcoord\n{image}property list uchar int vertex_indices\nend_header\n"
    );
    let file = |format: &str, body: Vec<u8>| {
        let header = format!("ply\nformat {format} 1.0\n{comments}{WEDGES}{properties}");
        [header.into_bytes(), body].concat()
    };
    let corners = [[0_i32, 1, 2], [1, 3, 2]];
    let mut text = String::new();
    for vertex in 0..5 {
        text += &format!("{} {} 0 {vertex} 0 0 {vertex}\n", vertex % 2, vertex / 2);
    }
    for face in 0..2 {
        let numbers: Vec<_> = wedges[face].iter().map(ToString::to_string).collect();
        let image = images.map_or(String::new(), |images| format!(" {}", images[face]));
        let [a, b, c] = corners[face];
        text += &format!("6 {}{image} 3 {a} {b} {c}\n", numbers.join(" "));
    }
    let body = |number: fn(&[u8]) -> Vec<u8>| {
        let mut body = Vec::new();
        for vertex in 0..5_u8 {
            for coordinate in [f32::from(vertex % 2), f32::from(vertex / 2), 0.0] {
                body.extend(number(&coordinate.to_le_bytes()));
            }
            body.extend([vertex, 0, 0]);
            body.extend(number(&i32::from(vertex).to_le_bytes()));
        }
        for face in 0..2 {
            body.push(6);
            wedges[face]
                .iter()
                .for_each(|value| body.extend(number(&value.to_le_bytes())));
            images
                .iter()
                .for_each(|images| body.extend(number(&images[face].to_le_bytes())));
            body.push(3);
            corners[face]
                .iter()
                .for_each(|corner| body.extend(number(&corner.to_le_bytes())));
        }
        body
    };
    let reversed = |bytes: &[u8]| bytes.iter().rev().copied().collect();
    vec![
        file("ascii", text.into_bytes()),
        file("binary_little_endian", body(<[u8]>::to_vec)),
        file("binary_big_endian", body(reversed)),
    ]
}

#[test]
fn vertices_are_split_by_the_texture_coordinates_of_corners() {
    // The first vertex of the second face, 1, has other coordinates than in the first face; vertex 2 has the same.
    let wedges = [
        [0.0, 0.0, 1.0, 0.0, 0.0, 1.0],
        [0.5, 0.0, 1.0, 1.0, 0.0, 1.0],
    ];
    for file in files_with_wedges("comment TextureFile my image.png\n", wedges, None) {
        let (scene, losses) = scene(Ply, &file);
        assert_eq!(
            losses,
            "dropped: vertex: vertices that no face uses, 1 of 5 vertices"
        );
        let [mesh] = &scene.meshes[..] else {
            panic!("{} meshes", scene.meshes.len())
        };
        assert_eq!(
            mesh.faces.indices,
            Some(Indices::U32(vec![0, 1, 2, 3, 4, 2]))
        );
        assert_eq!(mesh.positions.len(), 5);
        assert_eq!(mesh.positions[1], mesh.positions[3]);
        assert_eq!(
            mesh.uvs,
            [[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.5, 0.0], [1.0, 1.0]]]
        );
        assert_eq!(
            mesh.colors,
            [Colors::U8(
                [0, 1, 2, 1, 3].map(|red| [red, 0, 0, 255]).to_vec()
            )]
        );
        assert_eq!(mesh.custom[0].values, Components::I32(vec![0, 1, 2, 1, 3]));
        assert_eq!(mesh.material.texture, Some(Texture::file("my image.png")));
    }
}

#[test]
fn each_image_becomes_a_mesh() {
    let wedges = [[0.0, 0.0, 1.0, 0.0, 0.0, 1.0]; 2];
    let comments =
        "comment TextureFile a.png\ncomment TextureFile b.png\ncomment TextureFile c.png\n";
    let textures = |images: [i32; 2]| {
        let read = files_with_wedges(comments, wedges, Some(images))
            .into_iter()
            .map(|file| {
                let (scene, losses) = scene(Ply, &file);
                let images = scene.meshes.iter().map(|mesh| {
                    assert_eq!(mesh.positions.len(), mesh.uvs[0].len());
                    let texture = mesh.material.texture.as_ref();
                    texture.map_or("none", |texture| &texture.name).to_owned()
                });
                (images.collect::<Vec<_>>().join(" "), losses)
            });
        let read: Vec<_> = read.collect();
        assert!(read[0] == read[1] && read[0] == read[2]);
        read[0].clone()
    };
    let unused = "dropped: vertex: vertices that no face uses, 1 of 5 vertices\ndropped: TextureFile: images that no face uses: ";
    assert_eq!(
        textures([2, 0]),
        ("a.png c.png".to_owned(), format!("{unused}\"b.png\""))
    );
    assert_eq!(
        textures([0, 0]),
        ("a.png".to_owned(), format!("{unused}\"b.png\", \"c.png\""))
    );
    // MeshLab writes −1 for faces without image.
    assert_eq!(
        textures([-1, 1]),
        (
            "b.png none".to_owned(),
            format!("{unused}\"a.png\", \"c.png\"")
        )
    );
    let missing = "dropped: face.texnumber: references to missing images, 1 of 2 faces\n";
    assert_eq!(
        textures([1, 3]),
        (
            "b.png none".to_owned(),
            format!("{missing}{unused}\"a.png\", \"c.png\"")
        )
    );
}

/// Images per face do not require texture coordinates per corner.
#[test]
fn images_of_faces_with_texture_coordinates_of_vertices() {
    let text = "ply\nformat ascii 1.0\ncomment TextureFile a.png\ncomment TextureFile b.png\nelement vertex 3\n\
                property float x\nproperty float y\nproperty float z\nproperty float s\nproperty float t\n\
                element face 2\nproperty list uchar int vertex_index\nproperty uchar texnumber\nend_header\n\
                0 0 0 0 0\n1 0 0 1 0\n0 1 0 0 1\n3 0 1 2 0\n3 2 1 0 1\n";
    let (scene, losses) = scene(Ply, text.as_bytes());
    assert_eq!((losses, scene.meshes.len()), (String::new(), 2));
    assert_eq!(scene.meshes[1].uvs, [[[0.0, 1.0], [1.0, 0.0], [0.0, 0.0]]]);
    assert_eq!(
        scene.meshes[1].material.texture,
        Some(Texture::file("b.png"))
    );
    // Without `texnumber`, the first image applies to all faces.
    let text = text
        .replace("property uchar texnumber\n", "")
        .replace("2 0\n3 2 1 0 1", "2\n3 2 1 0");
    let (scene, losses) = super::scene(Ply, text.as_bytes());
    assert_eq!(
        losses,
        "dropped: TextureFile: images that no face uses: \"b.png\""
    );
    assert_eq!(
        scene.meshes[0].material.texture,
        Some(Texture::file("a.png"))
    );
}

#[test]
fn texture_coordinates_that_do_not_match_the_corners() {
    let head = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
                element face 3\nproperty list uchar int vertex_indices\nproperty list uchar float texcoord\nend_header\n\
                0 0 0\n1 0 0\n0 1 0\n1 1 0\n";
    let text = format!("{head}3 0 1 2 6 0 0 1 0 0 1\n3 1 3 2 0\n3 1 3 2 4 1 1 1 1\n");
    let (scene, losses) = scene(Ply, text.as_bytes());
    assert_eq!(
        losses,
        "dropped: face.texcoord: texture coordinates whose number does not match the corners, 1 of 3 faces\n\
         changed: face.texcoord: missing values were replaced by texture coordinates (0, 0), 6 of 9 corners"
    );
    assert_eq!(scene.meshes[0].positions.len(), 6);
    // Degenerate faces have no part in the lists.
    let text = format!("{head}2 0 1 4 9 9 9 9\n3 0 1 2 6 0 0 1 0 0 1\n3 1 3 2 6 1 0 1 1 0 1\n");
    let (scene, _) = super::scene(Ply, text.as_bytes());
    assert_eq!(
        scene.meshes[0].uvs,
        [[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]]
    );
}

#[test]
fn faces_with_texture_coordinates_may_be_truncated_anywhere() {
    let wedges = [
        [0.0, 0.0, 1.0, 0.0, 0.0, 1.0],
        [0.5, 0.0, 1.0, 1.0, 0.0, 1.0],
    ];
    let comments = "comment TextureFile a.png\ncomment TextureFile b.png\n";
    let lenient =
        meshspec::scene::SceneOptions::default().with_strictness(meshspec::Strictness::Lenient);
    for file in files_with_wedges(comments, wedges, Some([0, 1])) {
        // In the last file, the lists of vertices precede the texture coordinates.
        let swapped = String::from_utf8(file.clone()).ok().map(|text| {
            text.replace(
                "property list uchar float texcoord\nproperty int texnumber\n",
                "",
            )
            .replace(
                "int vertex_indices\n",
                "int vertex_indices\nproperty int texnumber\nproperty list uchar float texcoord\n",
            )
            .replace("6 0 0 1 0 0 1 0 3 0 1 2", "3 0 1 2 0 6 0 0 1 0 0 1")
            .replace("6 0.5 0 1 1 0 1 1 3 1 3 2", "3 1 3 2 1 6 0.5 0 1 1 0 1")
            .into_bytes()
        });
        for file in std::iter::once(file).chain(swapped) {
            assert_eq!(scene(Ply, &file).0.meshes.len(), 2);
            let body = file
                .windows(11)
                .position(|window| window == b"end_header\n")
                .unwrap()
                + 11;
            for length in body..file.len() - 1 {
                // Some texts end within a number, and are complete.
                let read = Ply.read(
                    &file[..length],
                    &super::Folder::new(),
                    &lenient,
                    &Default::default(),
                );
                let (scene, losses) = read.unwrap();
                scene.check().unwrap();
                assert!(!losses.is_empty());
            }
        }
    }
}

#[test]
fn split_vertices_are_limited() {
    use meshspec::{ErrorKind, Limit, Limits};
    let wedges = [[0.0, 0.0, 1.0, 0.0, 0.0, 1.0]; 2];
    for file in files_with_wedges("", wedges, None) {
        // 12 bytes of positions, 4 of colours and 4 of numbers.
        let limits = Limits::default().with_max_decoded(3 * 20);
        let error = Ply
            .read(&file, &super::Folder::new(), &Default::default(), &limits)
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::LimitExceeded(Limit::Decoded));
    }
}

#[test]
fn messages_about_lists_name_the_type() {
    let file = |list: &str| {
        format!(
            "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nelement face 1\n\
             property list {list} vertex_indices\nend_header\n0 0\n3 0 0 0\n"
        )
    };
    assert_eq!(
        error(Ply, file("uchar double").as_bytes()),
        "line 7, column 28: `vertex_indices` is a list of double; vertex indices are integers"
    );
    assert_eq!(
        error(
            Ply,
            file("float int").replace("3 0 0 0", "2.5 0 0 0").as_bytes()
        ),
        "line 10, column 1: expected a count, found 2.5"
    );
}

#[test]
fn lists_that_are_not_read_may_have_any_type() {
    let text = with_vertex_properties(
        &["list float double vertex_indices", "list double float a"],
        ["2 0.5 1 0", "0 0", "0 1 2"],
    )
    .replace(
        "property list uchar",
        "property list float float other\nproperty list float",
    )
    .replace("3 0 1 2", "1 0.5 3 0 1 2");
    let (scene, losses) = scene(Ply, text.as_bytes());
    assert_eq!(scene.triangles().count(), 1);
    assert_eq!(
        losses,
        "dropped: vertex.vertex_indices: lists of values per vertex are not converted\n\
         dropped: vertex.a: lists of values per vertex are not converted\n\
         dropped: face.other: properties of faces are not converted"
    );
}

#[test]
fn empty_lists_of_texture_coordinates_are_missing() {
    let file = |first: &str, second: &str| {
        format!(
            "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
             element face 2\nproperty list uchar int vertex_indices\nproperty list uchar float texcoord\nend_header\n\
             0 0 0\n1 0 0\n0 1 0\n3 0 1 2 {first}\n3 0 2 1 {second}\n"
        )
    };
    let (none, losses) = scene(Ply, file("0", "0").as_bytes());
    assert_eq!(
        (none.meshes[0].uvs.len(), none.triangles().count(), &*losses),
        (0, 2, "")
    );
    assert_eq!(none.meshes[0].positions, triangle().positions);
    let (some, losses) = scene(Ply, file("0", "6 0 0 1 0 0 1").as_bytes());
    assert_eq!(
        (some.meshes[0].uvs[0].len(), some.triangles().count()),
        (5, 2)
    );
    assert_eq!(
        losses,
        "changed: face.texcoord: missing values were replaced by texture coordinates (0, 0), 3 of 6 corners"
    );
}

#[test]
fn counts_do_not_exceed_totals() {
    let text = "ply\nformat ascii 1.0\ncomment TextureFile a.png\nelement vertex 3\nproperty float x\nproperty float y\n\
        element face 3\nproperty list uchar int vertex_indices\nproperty int texnumber\nend_header\n\
        0 0\n1 0\n0 1\n3 0 1 2 7\n2 0 1 8\n2 0 1 9\n";
    let (_, losses) = scene(Ply, text.as_bytes());
    assert!(
        losses.contains("references to missing images, 3 of 3 faces"),
        "{losses}"
    );
}

#[test]
fn many_images_exceed_the_limits() {
    let images: String = (0..1000)
        .map(|index| format!("comment TextureFile {index}.png\n"))
        .collect();
    let faces: String = (0..1000)
        .map(|index| format!("3 0 1 2 {index}\n"))
        .collect();
    let text = format!(
        "ply\nformat ascii 1.0\n{images}element vertex 3\nproperty float x\nproperty float y\n\
         element face 1000\nproperty list uchar int vertex_indices\nproperty int texnumber\nend_header\n\
         0 0\n1 0\n0 1\n{faces}"
    );
    let limits = meshspec::Limits::default().with_max_decoded(100_000);
    let error = Ply
        .read(
            text.as_bytes(),
            &super::Folder::new(),
            &Default::default(),
            &limits,
        )
        .unwrap_err();
    assert_eq!(
        error.kind(),
        meshspec::ErrorKind::LimitExceeded(meshspec::Limit::Decoded)
    );
    assert!(
        error.to_string().contains("meshes take more than"),
        "{error}"
    );
    assert_eq!(scene(Ply, text.as_bytes()).0.meshes.len(), 1000);
}

#[test]
fn texture_coordinates_have_several_names() {
    for names in [
        ["u", "v"],
        ["s", "t"],
        ["texture_u", "texture_v"],
        ["texture_s", "texture_t"],
    ] {
        let properties = names.map(|name| format!("float {name}"));
        let text = with_vertex_properties(
            &properties.each_ref().map(|property| &**property),
            ["0 0.5"; 3],
        );
        let mesh = scene(Ply, text.as_bytes()).0.meshes.remove(0);
        assert_eq!(
            (&mesh.uvs, mesh.custom.len()),
            (&vec![vec![[0.0, 0.5]; 3]], 0),
            "{names:?}"
        );
    }
}

/// The header may end its lines differently than the numbers after it.
#[test]
fn lines_may_end_in_carriage_returns_alone() {
    let text = with_vertex_properties(&[], [""; 3]).replace(" \n", "\n");
    let (header, body) = text.split_at(text.find("0 0 0").unwrap());
    let expected = scene(Ply, text.as_bytes());
    let line_ends = ["\n", "\r", "\r\n"];
    for (header_end, body_end) in line_ends
        .iter()
        .flat_map(|end| line_ends.map(|other| (end, other)))
    {
        let text = format!(
            "{}{}",
            header.replace('\n', header_end),
            body.replace('\n', body_end)
        );
        assert_eq!(
            scene(Ply, text.as_bytes()),
            expected,
            "{header_end:?} {body_end:?}"
        );
    }
    let wrong = text.replace('\n', "\r").replace("1 0 0", "1 0 x");
    assert_eq!(
        error(Ply, wrong.as_bytes()),
        "line 11, column 5: expected a number, found `x`"
    );
}

/// In a binary file whose lines end in CR, a line feed is the first byte of the numbers.
#[test]
fn numbers_may_begin_with_a_line_feed() {
    let header = "ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty uchar x\nproperty uchar y\nend_header\n";
    for line_end in ["\n", "\r", "\r\n"] {
        let file = [header.replace('\n', line_end).as_bytes(), b"\n\r"].concat();
        assert_eq!(
            scene(Ply, &file).0.meshes[0].positions,
            [[10.0, 13.0, 0.0]],
            "{line_end:?}"
        );
    }
}

/// PLY stores a single mesh. Each mesh keeps its faces, whether triangles or polygons.
#[test]
fn merged_meshes_keep_their_polygons() {
    let positions = vec![[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    let quad = Faces {
        indices: Some(Indices::U32(vec![0, 1, 2, 3])),
        corners: Some(vec![4]),
    };
    let triangles = Faces::triangles(vec![0, 1, 2, 0, 2, 3]);
    let mesh = |faces: &Faces| Mesh {
        positions: positions.clone(),
        faces: faces.clone(),
        ..Mesh::default()
    };
    for (first, second) in [(&quad, &quad), (&quad, &triangles), (&triangles, &quad)] {
        let scene = Scene {
            meshes: vec![mesh(first), mesh(second)],
            ..Default::default()
        };
        let mut files = std::collections::BTreeMap::new();
        Ply.write(scene, "x.ply", &mut files, &Default::default())
            .unwrap();
        let (found, _) = Ply
            .read(
                &files["x.ply"],
                &files,
                &Default::default(),
                &Default::default(),
            )
            .unwrap();
        assert_eq!(found.triangles().count(), 4, "{first:?} {second:?}");
    }
}
