//! Coordinates far from the origin keep 64 bits until they are written.

use std::fmt::Write;

use glam::{DVec3, Vec3};
use meshspec::interop::Interchange::{self, Glb, Gltf, Obj, Ply, Stl};
use meshspec::scene::{Axes, Conventions, Scene, SceneOptions};
use meshspec::{Limits, Loss};
use serde_json::json;

use super::{Folder, list, scene, triangle_at_nodes, write};

/// Corners of a land parcel in UTM coordinates, in metres, with more digits than 32-bit floats have.
const UTM: [[f64; 3]; 4] = [
    [500_000.123_4, 4_000_000.567_8, 12.345_678_9],
    [500_003.987_6, 4_000_000.1, 12.1],
    [500_003.123_456_789, 4_000_009.765_432_1, 15.0],
    [500_000.5, 4_000_008.333_333_333, 13.7],
];

/// Points on the ground in earth-centred coordinates, in metres.
const EARTH: [[f64; 3]; 4] = [
    [3_961_000.123_45, 652_000.987_65, 4_938_000.111_11],
    [3_961_040.2, 652_000.1, 4_938_000.222_22],
    [3_961_000.3, 652_070.4, 4_938_001.333_33],
    [3_961_012.7, 652_030.8, 4_938_055.444_44],
];

fn obj(points: &[[f64; 3]]) -> Vec<u8> {
    let mut text = String::new();
    points
        .iter()
        .for_each(|[x, y, z]| writeln!(text, "v {x} {y} {z}").unwrap());
    text.push_str("f 1 2 3\nf 1 3 4\n");
    text.into_bytes()
}

fn ply(points: &[[f64; 3]], encoding: &str, kind: &str) -> Vec<u8> {
    let mut file = format!(
        "ply\nformat {encoding} 1.0\nelement vertex {}\n",
        points.len()
    );
    for axis in ["x", "y", "z"] {
        writeln!(file, "property {kind} {axis}").unwrap();
    }
    file.push_str("element face 2\nproperty list uchar uint vertex_indices\nend_header\n");
    if encoding == "ascii" {
        points
            .iter()
            .for_each(|[x, y, z]| writeln!(file, "{x} {y} {z}").unwrap());
        file.push_str("3 0 1 2\n3 0 2 3\n");
        return file.into_bytes();
    }
    let mut file = file.into_bytes();
    points
        .as_flattened()
        .iter()
        .for_each(|value| file.extend(value.to_be_bytes()));
    for corners in [[0_u32, 1, 2], [0, 2, 3]] {
        file.push(3);
        corners
            .iter()
            .for_each(|corner| file.extend(corner.to_be_bytes()));
    }
    file
}

fn stl(points: &[[f64; 3]]) -> Vec<u8> {
    let mut text = "solid far\n".to_owned();
    for corners in [[0, 1, 2], [0, 2, 3]] {
        text.push_str("facet normal 0 0 1\nouter loop\n");
        for [x, y, z] in corners.map(|corner: usize| points[corner]) {
            writeln!(text, "vertex {x} {y} {z}").unwrap();
        }
        text.push_str("endloop\nendfacet\n");
    }
    text.push_str("endsolid\n");
    text.into_bytes()
}

/// Returns the centre of the bounding box.
fn center(points: &[[f64; 3]]) -> [f64; 3] {
    std::array::from_fn(|axis| {
        let low = points
            .iter()
            .map(|point| point[axis])
            .fold(f64::INFINITY, f64::min);
        let high = points
            .iter()
            .map(|point| point[axis])
            .fold(f64::NEG_INFINITY, f64::max);
        (low + high) / 2.0
    })
}

/// Returns the positions relative to their centre, rounded once.
fn centered(points: &[[f64; 3]]) -> Vec<[f32; 3]> {
    let center = center(points);
    points
        .iter()
        .map(|point| std::array::from_fn(|axis| (point[axis] - center[axis]) as f32))
        .collect()
}

/// Writes a scene and reads it again. Returns the positions and the losses.
fn written(format: Interchange, scene: Scene) -> (Vec<[f32; 3]>, String) {
    let (folder, losses) = write(format, scene).unwrap();
    let name = format!("file.{format}");
    let options = SceneOptions::default().with_bake(true);
    let (scene, _) = format
        .read(&folder[&name], &folder, &options, &Limits::default())
        .unwrap();
    (
        scene
            .meshes
            .into_iter()
            .flat_map(|mesh| mesh.positions)
            .collect(),
        losses,
    )
}

#[test]
fn centred_models_lose_no_precision() {
    for points in [UTM, EARTH] {
        let corners: Vec<_> = [0, 1, 2, 0, 2, 3]
            .map(|corner: usize| points[corner])
            .to_vec();
        let files = [
            (Obj, obj(&points), &points[..]),
            (Ply, ply(&points, "ascii", "double"), &points[..]),
            (Ply, ply(&points, "ascii", "float"), &points[..]),
            (
                Ply,
                ply(&points, "binary_big_endian", "double"),
                &points[..],
            ),
            (Stl, stl(&points), &corners[..]),
        ];
        for (format, file, points) in files {
            let (mut scene, losses) = scene(format, &file);
            assert_eq!(losses, "", "{format}");
            let moved = scene.center().unwrap();
            assert_eq!(
                moved,
                center(points).map(|coordinate| -coordinate),
                "{format}"
            );
            assert_eq!(scene.meshes[0].positions, centered(points), "{format}");
            for target in [Obj, Ply, Glb] {
                let (found, losses) = written(target, scene.clone());
                assert_eq!(found, centered(points), "{format} to {target}");
                assert!(
                    !losses.contains("rounded"),
                    "{format} to {target}: {losses}"
                );
            }
        }
    }
}

#[test]
fn a_scaled_model_is_rounded_once() {
    let (mut scene, _) = scene(Obj, &obj(&UTM));
    scene.scale(0.001);
    let expected = UTM.map(|point| point.map(|coordinate| (coordinate * 0.001) as f32));
    assert_eq!(scene.meshes[0].positions, expected);
    scene.center();
    let expected = centered(&UTM.map(|point| point.map(|coordinate| coordinate * 0.001)));
    assert_eq!(scene.meshes[0].positions, expected);
}

#[test]
fn axis_conversion_keeps_full_precision() {
    let axes: Axes = "+y,+z,+x".parse().unwrap();
    let options = SceneOptions::default().with_conventions(Conventions::GLTF.with_axes(axes));
    let (mut scene, _) = Obj
        .read(&obj(&UTM), &Folder::new(), &options, &Limits::default())
        .unwrap();
    // Right +Y is glTF's −X, up +Z its +Y, forward +X its +Z.
    let turned = UTM.map(|[x, y, z]| [-y, z, x]);
    scene.center();
    assert_eq!(scene.meshes[0].positions, centered(&turned));
}

#[test]
fn rounding_is_listed_in_metres() {
    let (far, _) = scene(Obj, &obj(&UTM));
    let distance = |point: &[f64; 3]| {
        DVec3::from(*point)
            .distance(Vec3::from(point.map(|coordinate| coordinate as f32)).as_dvec3())
    };
    let worst = UTM.iter().map(distance).fold(0.0, f64::max);
    for target in [Obj, Ply, Stl, Glb] {
        let losses = target
            .write(far.clone(), "out", &mut Folder::new(), &Default::default())
            .unwrap();
        let rounded: Vec<&Loss> = losses
            .iter()
            .filter(|loss| loss.path == "meshes[0].positions")
            .collect();
        let rounded = rounded
            .iter()
            .find(|loss| loss.message.contains("rounded"))
            .unwrap();
        assert_eq!(rounded.error, Some(worst), "{target}");
    }
    // The loss is listed even if the mesh also has a vertex at the origin, which some programs add.
    let mut text = obj(&UTM);
    text.extend(b"v 0 0 0\nf 1 2 5\n");
    assert!(
        written(Obj, scene(Obj, &text).0)
            .1
            .contains("rounded to 32 bits")
    );
}

/// Returns the rounding losses of an OBJ file.
fn rounding(text: &str, center: bool) -> Vec<String> {
    let (mut scene, _) = scene(Obj, text.as_bytes());
    if center {
        scene.center();
    }
    let losses = written(Obj, scene).1;
    losses
        .lines()
        .filter(|line| line.contains("rounded"))
        .map(str::to_owned)
        .collect()
}

#[test]
fn small_objects_far_from_the_origin_are_judged_by_their_own_size() {
    let small = "v 30000.1234 0 0\nv 30000.1244 0 0\nv 30000.1234 0.001 0\n";
    let near = "o a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf -1 -2 -3\n";
    // With many preceding positions, other code reads the positions.
    let many = format!(
        "o many\n{}",
        "v 0.5 0.5 0.5\nv 1.5 0.5 0.5\nv 0.5 1.5 0.5\n".repeat(50_000)
    );
    let faces = "f -1 -2 -3\n";
    let more = "o c\nv 2.1 0 0\nv 3 0 0\nv 2 1 0\n";
    for (text, mesh) in [
        (format!("{near}o b\n{small}{faces}"), 1),
        (format!("{near}g b\n{small}{faces}{more}{faces}"), 1),
        (format!("o b\n{small}{faces}{near}"), 0),
        (
            format!("{many}{faces}o b\n{small}{faces}{more}{faces}{many}{faces}"),
            1,
        ),
    ] {
        let (found, _) = scene(Obj, text.as_bytes());
        let exact = found
            .meshes
            .iter()
            .map(|mesh| mesh.exact_positions.is_some())
            .collect::<Vec<_>>();
        assert_eq!(
            exact.iter().position(|exact| *exact),
            Some(mesh),
            "{exact:?}"
        );
        assert_eq!(exact.iter().filter(|exact| **exact).count(), 1, "{exact:?}");
        assert!(
            found.meshes[mesh]
                .exact_positions
                .as_ref()
                .unwrap()
                .contains(&[30000.1244, 0.0, 0.0])
        );
        let losses = rounding(&text, false);
        let expected =
            format!("quantized: meshes[{mesh}].positions: coordinates were rounded to 32 bits");
        assert!(
            losses.len() == 1 && losses[0].starts_with(&expected),
            "{losses:?}"
        );
    }
    assert!(rounding(&format!("o b\n{small}{faces}"), false)[0].contains("--center"));
    assert_eq!(rounding(&format!("o b\n{small}{faces}"), true), [""; 0]);
}

#[test]
fn unavoidable_rounding_is_not_a_loss() {
    let large = "v -50000.123 -49999.456 0.1\nv 50000.789 0.1 0.2\nv 0.3 50000.321 0.4\nf 1 2 3\n";
    assert_eq!(rounding(large, false), [""; 0]);
    assert_eq!(rounding(large, true), [""; 0]);
    let far = large.replace("0000.", "00000.");
    assert_eq!(rounding(&far, true), [""; 0]);
    let utm = "v 500000.123 4000000.456 0.1\nv 600000.789 4000000.1 0.2\nv 500000.3 4100000.321 0.4\nf 1 2 3\n";
    assert!(
        rounding(utm, false)[0].contains("; --center"),
        "{:?}",
        rounding(utm, false)
    );
    assert_eq!(rounding(utm, true), [""; 0]);
}

#[test]
fn ordinary_models_need_no_more_memory_and_lose_nothing() {
    let texts: [&[u8]; 3] = [
        b"v 0.1 0.2 0.3\n",
        b"v 0.1 0.2 0.3\nv 1.1 0.2 0.3\nv 0.1 1.2 0.3\nf 1 2 3\n",
        b"v 100.1 0.2 0.3\nv 101.1 0.2 0.3\nv -100.1 1.2 0.3\nf 1 2 3\n",
    ];
    for text in texts {
        let (scene, _) = scene(Obj, text);
        assert!(text.len() < 20 || scene.meshes[0].exact_positions.is_none());
        assert_eq!(written(Obj, scene).1, "");
    }
}

/// The model starts near the origin and continues far away, so that several windows of the text are read.
#[test]
fn precision_is_kept_wherever_the_far_part_starts() {
    let near = "v 0 0 0\nv 1 0 0\nv 0 1 0\n".repeat(100_000);
    let mut text = near.into_bytes();
    UTM.iter()
        .for_each(|[x, y, z]| text.extend(format!("v {x} {y} {z}\n").bytes()));
    text.extend(b"f -1 -2 -3\nf -1 -3 -4\n");
    let (scene, _) = scene(Obj, &text);
    let exact = scene.meshes[0].exact_positions.as_ref().unwrap();
    assert!(UTM.iter().all(|point| exact.contains(point)), "{exact:?}");
}

/// A decimal may be closer to one 32-bit float, while its nearest 64-bit float is half-way to the next.
#[test]
fn decimals_are_rounded_once() {
    for text in [
        "7.038531e-26",
        "1.00000005960464477539",
        "1.00000005960464477540",
        "1e-45",
        "3e38",
    ] {
        let (scene, _) = scene(Obj, format!("v {text} 0 0\n").as_bytes());
        assert_eq!(
            scene.meshes[0].positions[0][0],
            text.parse::<f32>().unwrap(),
            "{text}"
        );
    }
}

const TRIANGLE: [[f32; 3]; 3] = [[0.1, 0.2, 0.3], [1.7, 0.0, 0.0], [0.0, 1.9, 0.0]];

/// Returns a triangle below nested nodes with the given translations.
fn gltf(translations: &[[f64; 3]]) -> Scene {
    let last = translations.len() - 1;
    let nodes = translations
        .iter()
        .enumerate()
        .map(|(index, translation)| match index == last {
            true => json!({ "translation": translation, "mesh": 0, "name": "far" }),
            false => json!({ "translation": translation, "children": [index + 1] }),
        });
    let (file, folder) = triangle_at_nodes(&TRIANGLE, &nodes.collect::<Vec<_>>(), &[0]);
    let (scene, losses) = Gltf
        .read(
            file.as_bytes(),
            &folder,
            &Default::default(),
            &Limits::default(),
        )
        .unwrap();
    assert_eq!(list(&losses), "");
    scene
}

#[test]
fn a_far_node_stays_a_node() {
    for translations in [
        &[UTM[0]][..],
        &[
            [500_000.0, 4_000_000.0, 0.0],
            [0.123_4, 0.567_8, 12.345_678_9],
        ],
    ] {
        let far: [f64; 3] =
            std::array::from_fn(|axis| translations.iter().map(|node| node[axis]).sum());
        let scene = gltf(translations);
        assert_eq!(scene.meshes[0].positions, TRIANGLE);
        let (folder, losses) = write(Gltf, scene.clone()).unwrap();
        assert_eq!(losses, "");
        let json: serde_json::Value = serde_json::from_slice(&folder["file.gltf"]).unwrap();
        let node = |name| {
            json["nodes"]
                .as_array()
                .unwrap()
                .iter()
                .find(|node| node["name"] == name)
        };
        // A translation that 32-bit floats can store becomes the transform of the scene.
        let above = |axis: usize| node("scene").and_then(|node| node["matrix"][12 + axis].as_f64());
        let translation = &node("far").unwrap()["translation"];
        let found = std::array::from_fn(|axis| {
            above(axis).unwrap_or(0.0) + translation[axis].as_f64().unwrap()
        });
        assert_eq!(found, far);
        // Formats without nodes store transformed vertices, rounded once. Around the centre, nothing is lost.
        let there =
            TRIANGLE.map(|point| std::array::from_fn(|axis| f64::from(point[axis]) + far[axis]));
        let (found, losses) = written(Obj, scene.clone());
        assert_eq!(
            found,
            there.map(|point| point.map(|coordinate| coordinate as f32))
        );
        assert!(
            losses.contains("rounded to 32 bits") && losses.contains("transforms were applied"),
            "{losses}"
        );
        let mut scene = scene;
        scene.center();
        for format in [Obj, Ply] {
            let (found, losses) = written(format, scene.clone());
            for (found, expected) in found
                .as_flattened()
                .iter()
                .zip(centered(&there).as_flattened())
            {
                assert!((found - expected).abs() <= 1e-9, "{found}, not {expected}");
            }
            assert!(!losses.contains("rounded"), "{losses}");
        }
    }
}
