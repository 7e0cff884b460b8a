//! Lenient reading accepts everything that can be decoded unambiguously, and lists skipped content.

use meshspec::Strictness;
use meshspec::interop::Interchange::{Obj, Ply};
use meshspec::interop::{Files, Interchange};
use meshspec::scene::{Scene, SceneOptions};

use super::{Folder, error, list};

const SQUARE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

fn lenient(format: Interchange, bytes: &[u8]) -> Result<(Scene, String), meshspec::Error> {
    let options = SceneOptions::default().with_strictness(Strictness::Lenient);
    let (scene, losses) = format.read(
        bytes,
        &Folder::new() as &dyn Files,
        &options,
        &Default::default(),
    )?;
    scene.check().unwrap();
    Ok((scene, list(&losses)))
}

/// Returns x and y of each corner of the first mesh.
fn corners(scene: &Scene) -> Vec<[f32; 2]> {
    let mesh = &scene.meshes[0];
    let indices = mesh.faces.indices.clone().unwrap().into_u32();
    indices
        .into_iter()
        .map(|index| mesh.positions[index as usize])
        .map(|[x, y, _]| [x, y])
        .collect()
}

#[test]
fn malformed_faces_of_obj_are_skipped() {
    let text = format!("{SQUARE}f 1 9 2\nf 2 3 4\nf 1 x 3\nf 0 1 2\nf -9 1 2\nf 1 3 4\n");
    assert!(error(Obj, text.as_bytes()).contains('x'));
    let (scene, losses) = lenient(Obj, text.as_bytes()).unwrap();
    assert_eq!(
        losses,
        "dropped: f: faces that are unreadable, or whose positions are missing or not finite: 4"
    );
    assert_eq!(
        corners(&scene),
        [
            [1.0, 0.0],
            [1.0, 1.0],
            [0.0, 1.0],
            [0.0, 0.0],
            [1.0, 1.0],
            [0.0, 1.0]
        ]
    );
    // A skipped vertex would renumber later ones.
    let error = lenient(Obj, format!("v 0 x 0\n{SQUARE}f 1 2 3\n").as_bytes()).unwrap_err();
    assert!(error.message().contains('x'), "{error}");
}

#[test]
fn a_skipped_face_leaves_no_vertices() {
    let text = "o bad\nv 0 0 0\nv 1 0 0\nv 1 1 0\nf 1//9 2 x\no good\nf 1 2//9 x\nf 1 2 3\n";
    let (scene, losses) = lenient(Obj, text.as_bytes()).unwrap();
    assert_eq!(
        losses,
        "dropped: f: faces that are unreadable, or whose positions are missing or not finite: 2"
    );
    assert_eq!((scene.meshes.len(), &*scene.meshes[0].name), (1, "good"));
    assert_eq!(scene.meshes[0].positions.len(), 3);
}

#[test]
fn obj_may_be_truncated_anywhere() {
    let text = format!("{SQUARE}vt 0.5 0.5\nvn 0 0 1\nf 1/1/1 2/1/1 3/1/1\nf 1/1/1 3/1/1 4/1/1\n");
    let mut cut = 0;
    for end in "v 0 0 0\n".len()..text.len() {
        let (scene, losses) = lenient(Obj, &text.as_bytes()[..end]).expect(&text[..end]);
        cut += usize::from(losses.contains("dropped: the last line, which is truncated"));
        assert!(scene.meshes.iter().all(|mesh| mesh.positions.len() <= 4));
    }
    assert!(cut > 20, "{cut}");
    // Only the last line may be truncated, and only without a line ending.
    assert!(lenient(Obj, b"v 0 0\n").is_err());
}

#[test]
fn counted_losses_of_obj_name_their_items_in_the_plural() {
    let text = format!("{SQUARE}v 2 2 2 0.5\nvt 0 0 1\ns 1\nf 1 2 3\nf 1 2 9\nf 1/4 2//4 3\nf 1 2");
    let options = SceneOptions::default().with_strictness(Strictness::Lenient);
    let (_, losses) = Obj
        .read(
            text.as_bytes(),
            &Folder::new(),
            &options,
            &Default::default(),
        )
        .unwrap();
    let items: Vec<_> = losses
        .iter()
        .filter_map(|loss| loss.affected)
        .map(|it| it.items)
        .collect();
    let of_file = [
        "weights",
        "coordinates",
        "faces",
        "faces",
        "corners",
        "corners",
    ];
    assert_eq!(
        items,
        [&of_file[..], &["values", "values", "faces"]].concat()
    );
}

#[test]
fn a_truncated_number_is_no_face() {
    let header = "ply\nformat binary_little_endian 1.0\nelement vertex 2\nproperty double x\nproperty double y\n\
        element face 1\nproperty list uchar uchar vertex_indices\nend_header\n";
    let mut bytes = header.as_bytes().to_vec();
    bytes.extend([0; 24]);
    bytes.extend([3, 0, 0, 0]);
    let (scene, losses) = lenient(Ply, &bytes).unwrap();
    assert_eq!(
        (scene.meshes[0].positions.len(), corners(&scene).len()),
        (1, 0),
        "{losses}"
    );
    assert!(
        losses.contains("1 of 2 items") && losses.contains("1 of 1 items"),
        "{losses}"
    );
}

#[test]
fn a_last_line_with_too_many_numbers_is_an_error() {
    for end in ["\n", ""] {
        let text = format!(
            "ply\nformat ascii 1.0\n{HEADER}0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n3 0 2 3 4{end}"
        );
        let error = lenient(Ply, text.as_bytes()).unwrap_err();
        assert!(
            error.message().contains("5 numbers, but `face` has 4"),
            "{error}"
        );
    }
}

const HEADER: &str = "element vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
    element face 2\nproperty list uchar int vertex_indices\nend_header\n";

fn ply(big_endian: bool, last: i32) -> Vec<u8> {
    let format = if big_endian {
        "binary_big_endian"
    } else {
        "binary_little_endian"
    };
    let mut bytes = format!("ply\nformat {format} 1.0\n{HEADER}").into_bytes();
    let mut push = |value: [u8; 4]| {
        let turned: Vec<u8> = if big_endian {
            value.into_iter().rev().collect()
        } else {
            value.to_vec()
        };
        bytes.extend(turned);
    };
    for [x, y] in [[0.0_f32, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]] {
        [x, y, 0.0]
            .into_iter()
            .for_each(|value| push(value.to_le_bytes()));
    }
    for face in [[0, 1, 2], [0, 2, last]] {
        bytes.push(3);
        for corner in face {
            let corner = if big_endian {
                corner.to_be_bytes()
            } else {
                corner.to_le_bytes()
            };
            bytes.extend(corner);
        }
    }
    bytes
}

#[test]
fn faces_of_ply_with_missing_vertices_are_skipped() {
    for big_endian in [false, true] {
        let file = ply(big_endian, 7);
        assert!(error(Ply, &file).contains("vertex 7 is not in 0..4"));
        let (scene, losses) = lenient(Ply, &file).unwrap();
        assert_eq!(
            losses,
            "dropped: face: faces with missing vertices, 1 of 2 faces"
        );
        assert_eq!(corners(&scene), [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]);
    }
    let strips = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n\
        element tristrips 1\nproperty list int int vertex_indices\nend_header\n0 0\n1 0\n0 1\n1 1\n5 0 1 2 3 9\n";
    let (scene, losses) = lenient(Ply, strips.as_bytes()).unwrap();
    assert!(losses.ends_with("1 of 3 faces"), "{losses}");
    assert_eq!(corners(&scene).len(), 6);
}

#[test]
fn ply_may_be_truncated_anywhere() {
    let ascii =
        format!("ply\nformat ascii 1.0\n{HEADER}0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n3 0 2 3\n");
    for file in [ply(false, 3), ply(true, 3), ascii.into_bytes()] {
        let header = file
            .windows(11)
            .position(|window| window == b"end_header\n")
            .unwrap()
            + 11;
        let (whole, losses) = lenient(Ply, &file).unwrap();
        assert_eq!((corners(&whole).len(), &*losses), (6, ""));
        let mut counts = Vec::new();
        for end in header..file.len() - 1 {
            let (scene, losses) = lenient(Ply, &file[..end]).unwrap();
            let mesh = &scene.meshes[0];
            assert!(mesh.positions.len() == 4 || mesh.faces.corner_count(0) == 0);
            assert!(
                losses.contains("items missing at the end of the file"),
                "{end}: {losses}"
            );
            assert!(corners(&whole).starts_with(&corners(&scene)));
            counts.push((mesh.positions.len(), corners(&scene).len()));
        }
        counts.dedup();
        assert_eq!(counts, [(0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (4, 3)]);
    }
}
