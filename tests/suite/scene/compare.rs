//! The comparison of scenes.

use std::collections::BTreeMap;

use glam::{Mat4, Quat, Vec3};
use meshspec::interop::Interchange;
use meshspec::mesh;
use meshspec::scene::{
    Animation, Channel, Faces, FromScene, Interpolation, Joint, Lod, Mesh, Samples, Scene,
    SceneComparison, SceneOptions, Skeleton, Skin, ToScene, Transform, Weights, compare,
};

const SQUARE: [[f32; 2]; 4] = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]];

/// Returns a square of two triangles at the height `z`.
fn plate(z: f32) -> Mesh {
    Mesh {
        positions: SQUARE.map(|[x, y]| [x, y, z]).into(),
        normals: Some(vec![[0.0, 0.0, 1.0]; 4]),
        uvs: vec![SQUARE.into()],
        faces: Faces::triangles(vec![0, 1, 3, 0, 3, 2]),
        ..Mesh::default()
    }
}

fn scene(meshes: impl Into<Vec<Mesh>>) -> Scene {
    Scene {
        meshes: meshes.into(),
        ..Scene::default()
    }
}

fn compared(a: &Scene, b: &Scene) -> SceneComparison {
    compare(a, b, &Default::default()).unwrap()
}

/// Returns the paths of the differences.
fn paths(a: &Scene, b: &Scene) -> Vec<String> {
    compared(a, b)
        .differences
        .into_iter()
        .map(|difference| difference.path)
        .collect()
}

#[test]
fn reversed_triangles_are_counted() {
    let mut reversed = plate(0.0);
    reversed.faces = Faces::triangles(vec![3, 1, 0, 0, 3, 2]);
    let found = compared(&scene([plate(0.0)]), &scene([reversed.clone()]));
    let [winding] = &found.differences[..] else {
        panic!("{found:?}")
    };
    assert_eq!(
        (&*winding.path, winding.count, winding.compared),
        ("triangles.winding", 1, Some(2))
    );
    // Their attributes are compared, too.
    reversed.uvs[0][1] = [0.5, 0.0];
    let found = compared(&scene([plate(0.0)]), &scene([reversed]));
    let uv = &found.differences[0];
    assert_eq!(
        (&*uv.path, uv.compared, uv.largest),
        ("attributes[\"uv0\"]", Some(6), Some(0.5))
    );
    assert_eq!(found.uncompared, Default::default());
}

#[test]
fn corners_that_are_not_compared_are_counted() {
    let [mut a, mut b] = [plate(0.0), plate(0.0)];
    a.faces = Faces::triangles(vec![0, 1, 3, 0, 3, 2, 1, 1, 2]);
    b.faces = Faces::triangles(vec![0, 1, 3, 0, 3, 2, 2, 1, 1]);
    let found = compared(&scene([a.clone()]), &scene([b]));
    assert_eq!(
        (found.differences.len(), found.uncompared.without_area),
        (0, [3, 3])
    );
    let mut far = plate(0.0);
    far.positions
        .iter_mut()
        .for_each(|position| position[2] = 9.0);
    let found = compared(&scene([plate(0.0)]), &scene([far]));
    assert_eq!(
        (
            found.uncompared.without_counterpart,
            found.uncompared.without_area
        ),
        ([6, 6], [0, 0])
    );
}

/// Packing moves layers of a surface to the same positions.
#[test]
fn moved_corners_are_compared_with_the_most_similar_ones() {
    let layers = |heights: [f32; 2]| {
        let [lower, mut upper] = heights.map(plate);
        upper.uvs[0].iter_mut().for_each(|uv| uv[0] += 0.5);
        scene([lower, upper])
    };
    let found = paths(&layers([0.0, 0.002]), &layers([0.001, 0.001]));
    assert!(
        found.iter().all(|path| !path.starts_with("attributes")),
        "{found:?}"
    );
    let mut other = layers([0.001, 0.001]);
    other.meshes[1].uvs[0]
        .iter_mut()
        .for_each(|uv| uv[0] += 0.25);
    let found = paths(&layers([0.0, 0.002]), &other);
    assert!(
        found.contains(&"attributes[\"uv0\"]".to_owned()),
        "{found:?}"
    );
}

#[test]
fn weights_refer_to_joints_by_index_without_a_skeleton() {
    let mut bound = plate(0.0);
    bound.skins = vec![Skin::rigid([0, 1, 1, 0])];
    let without = scene([bound]);
    let mut with = without.clone();
    with.skeleton.joints = vec![Joint::default(); 2];
    for [a, b] in [[&with, &without], [&without, &with]] {
        let found = paths(a, b);
        assert!(
            !found.contains(&"attributes[\"weights\"]".to_owned()),
            "{found:?}"
        );
    }
}

/// The bind pose of the root is the transform of the scene, as that of the joint which MESH adds for it.
#[test]
fn joints_without_names_are_not_taken_for_an_added_root() {
    let mut bound = plate(0.0);
    bound.skins = vec![Skin::rigid([0; 4])];
    let scaled = |scale: [f32; 3], translation: [f32; 3]| Transform {
        scale,
        translation,
        ..Transform::default()
    };
    let rest = scaled([0.5, 0.5, 1.8630805], [0.0; 3]);
    let child = Joint {
        parent: Some(1),
        inverse_bind: rest.to_matrix().inverse(),
        rest: Some(Transform::default()),
        ..Joint::default()
    };
    let before = Scene {
        transform: Some(scaled([0.5; 3], [-3.8066523, 0.0, 0.0]).to_matrix()),
        skeleton: Skeleton {
            joints: vec![
                child,
                Joint {
                    rest: Some(rest),
                    ..Joint::default()
                },
            ],
        },
        ..scene([bound])
    };
    let options = SceneOptions::default();
    let (document, _) = mesh::Document::from_scene(before.clone(), &options).unwrap();
    let (after, _) = document.into_scene(&options).unwrap();
    let found = paths(&before, &after);
    assert!(
        found.iter().all(|path| !path.starts_with("attributes")),
        "{found:?}"
    );
}

#[test]
fn a_scene_without_levels_has_one() {
    let without = scene([plate(0.0)]);
    let level = |distance| Scene {
        lods: vec![Lod {
            distance,
            meshes: vec![0],
        }],
        ..without.clone()
    };
    assert_eq!(paths(&without, &level(0.0)), [""; 0]);
    assert_eq!(paths(&level(5.0), &without), ["lods[0].distance"]);
}

/// Returns an animation that moves joint 0 to these positions on the x axis.
fn moving(times: &[f32], x: &[f32], duration: f32, looped: bool) -> Animation {
    let samples = Samples::Translation(x.iter().map(|x| [*x, 0.0, 0.0]).collect());
    Animation {
        rate: 30.0,
        duration,
        looped,
        times: vec![times.to_vec()],
        channels: vec![Channel {
            joint: 0,
            times: 0,
            interpolation: Interpolation::Linear,
            samples,
        }],
        ..Animation::default()
    }
}

/// The last sample is after the end of the loop, so it is reached between two ticks of the next iteration.
#[test]
fn gltf_keeps_bends_of_loops() {
    let mut bound = plate(0.0);
    bound.skins = vec![Skin::rigid([0; 4])];
    let mut before = scene([bound]);
    before.skeleton.joints = vec![Joint {
        rest: Some(Transform::default()),
        ..Joint::default()
    }];
    before.animations = vec![moving(&[17.0, 21.0, 39.0], &[1.0, -2.0, 5.0], 30.75, true)];
    let (mut files, options) = (BTreeMap::new(), SceneOptions::default());
    Interchange::Glb
        .write(before.clone(), "x.glb", &mut files, &options)
        .unwrap();
    let (after, _) = Interchange::Glb
        .read(&files["x.glb"], &files, &options, &Default::default())
        .unwrap();
    let found = paths(&before, &after);
    assert!(
        found.iter().all(|path| !path.starts_with("animations")),
        "{found:?}"
    );
}

/// A joint that is rebound for vertices of several joints keeps its pose in animations.
#[test]
fn rebinding_keeps_the_poses_of_joints_without_a_rest_transform() {
    let mut bound = plate(0.0);
    let joints = vec![[0, 1, Skin::NONE, Skin::NONE]; 4];
    bound.skins = vec![Skin {
        joints,
        weights: Weights::F32(vec![[0.5, 0.5, 0.0, 0.0]; 4]),
    }];
    let mut before = scene([bound]);
    let rotation = Quat::from_rotation_z(1.0).to_array();
    let turned = Transform {
        rotation,
        ..Transform::default()
    };
    let child = Joint {
        parent: Some(0),
        inverse_bind: Mat4::from_translation(Vec3::NEG_X) * Mat4::from_rotation_x(0.5),
        ..Joint::default()
    };
    before.skeleton.joints = vec![
        Joint {
            rest: Some(turned),
            ..Joint::default()
        },
        child,
    ];
    before.animations = vec![moving(&[0.0, 5.0], &[0.0, 2.0], 6.0, false)];
    let options = SceneOptions::default();
    let (document, _) = mesh::Document::from_scene(before.clone(), &options).unwrap();
    let (after, _) = document.into_scene(&options).unwrap();
    let found = paths(&before, &after);
    let kept = [".translations", ".rotations", ".scales"].map(|end| format!("animations[0]{end}"));
    assert!(kept.iter().all(|path| !found.contains(path)), "{found:?}");
}

/// Two meshes at the same place, with other texture coordinates. Their squares are cut along other diagonals than those
/// of [`plate`], so single corners are compared.
#[test]
fn corners_are_compared_as_a_whole() {
    let layers = |offsets: [[f32; 2]; 2], faces: [u32; 6]| {
        let layer = |offsets: [f32; 2]| Mesh {
            uvs: offsets
                .map(|offset| SQUARE.map(|[u, v]| [u + offset, v]).into())
                .into(),
            faces: Faces::triangles(faces.into()),
            ..plate(0.0)
        };
        scene(offsets.map(layer))
    };
    let before = layers([[0.0, 0.0], [0.5, 0.5]], [0, 1, 3, 0, 3, 2]);
    let other_diagonals = [0, 1, 2, 1, 3, 2];
    assert_eq!(
        paths(&before, &layers([[0.0, 0.0], [0.5, 0.5]], other_diagonals)),
        [""; 0]
    );
    // The second set is exchanged between the layers.
    let found = paths(&before, &layers([[0.0, 0.5], [0.5, 0.0]], other_diagonals));
    assert_eq!(found, ["attributes[\"uv1\"]"]);
    // The order of meshes makes no difference.
    for faces in [[0, 1, 3, 0, 3, 2], other_diagonals] {
        assert_eq!(
            paths(&before, &layers([[0.5, 0.5], [0.0, 0.0]], faces)),
            [""; 0]
        );
    }
}

/// Returns `count` × `count` squares with edges of 1 / `count` metres.
fn grid(count: u32, z: f32) -> Mesh {
    let row = count + 1;
    let fraction = |index: u32| index as f32 / count as f32;
    let uvs: Vec<[f32; 2]> = (0..row * row)
        .map(|vertex| [fraction(vertex % row), fraction(vertex / row)])
        .collect();
    let squares = (0..count * count).map(|square| square / count * row + square % count);
    Mesh {
        positions: uvs.iter().map(|[x, y]| [*x, *y, z]).collect(),
        faces: Faces::triangles(
            squares
                .flat_map(|v| [v, v + 1, v + row, v + 1, v + row + 1, v + row])
                .collect(),
        ),
        uvs: vec![uvs],
        ..Mesh::default()
    }
}

#[test]
fn a_moved_vertex_does_not_hide_other_differences() {
    let large = |x: f32| Mesh {
        positions: vec![[x, 0.0, 0.0], [3.0, 0.0, 0.0], [2.0, 1.0, 0.0]],
        uvs: vec![vec![[0.0; 2]; 3]],
        faces: Faces::triangles(vec![0, 1, 2]),
        ..Mesh::default()
    };
    let mut other = grid(40, 0.01);
    // As much as from one vertex to the next.
    other.uvs[0][800][0] += 0.025;
    let found = compared(
        &scene([grid(40, 0.0), large(2.0)]),
        &scene([other, large(2.2)]),
    );
    let uv = found
        .differences
        .iter()
        .find(|difference| difference.path == "attributes[\"uv0\"]");
    let largest = uv.and_then(|uv| uv.largest).unwrap_or_default();
    assert!((0.02..0.03).contains(&largest), "{found:?}");
}

/// All triangles are compared corner by corner. The centre of a fan has thousands of corners.
#[test]
fn large_models_with_moved_vertices_are_compared() {
    let count = 2000;
    let fan = |shift: f32| {
        let at = |corner: u32| f32::sin_cos(corner as f32 / count as f32);
        let rim = (0..=count).map(at).map(|(y, x)| [x, y, shift]);
        Mesh {
            positions: std::iter::once([0.0, 0.0, shift]).chain(rim).collect(),
            faces: Faces::triangles(
                (1..=count)
                    .flat_map(|corner| [0, corner, corner + 1])
                    .collect(),
            ),
            uvs: vec![
                (0..count + 2)
                    .map(|vertex| [vertex as f32 / count as f32, 0.0])
                    .collect(),
            ],
            ..Mesh::default()
        }
    };
    for [a, b] in [[fan(0.0), fan(0.005)], [grid(60, 0.0), grid(60, 0.005)]] {
        let found = paths(&scene([a]), &scene([b]));
        assert!(
            !found.contains(&"attributes[\"uv0\"]".to_owned()),
            "{found:?}"
        );
    }
}

#[test]
fn numbers_differ_infinitely_from_nan() {
    let posed = |rest: Transform, inverse_bind: Mat4| Scene {
        skeleton: Skeleton {
            joints: vec![Joint {
                rest: Some(rest),
                inverse_bind,
                ..Joint::default()
            }],
        },
        ..scene([plate(0.0)])
    };
    let nan = Transform {
        translation: [f32::NAN, 0.0, 0.0],
        rotation: [f32::NAN; 4],
        scale: [1.0, f32::NAN, 1.0],
    };
    let wrong = posed(nan, Mat4::from_cols_array(&[f32::NAN; 16]));
    let of_joints = |a: &Scene, b: &Scene| -> Vec<_> {
        let differences = compared(a, b).differences.into_iter();
        differences
            .filter(|found| found.path.starts_with("joints"))
            .map(|found| (found.path, found.largest))
            .collect()
    };
    assert_eq!(of_joints(&wrong, &wrong), []);
    let paths = [
        "joints.rest.translations",
        "joints.rest.rotations",
        "joints.rest.scales",
        "joints.inverse_bind",
    ];
    let expected = paths.map(|path| (path.to_owned(), Some(f64::INFINITY)));
    assert_eq!(
        of_joints(&wrong, &posed(Transform::default(), Mat4::IDENTITY)),
        expected
    );
}

/// A number may be the name of an animation, or the index of one without a name.
#[test]
fn animations_are_compared_by_name_before_index() {
    let named = |name: &str, x: f32| Animation {
        name: name.to_owned(),
        ..moving(&[0.0, 1.0], &[0.0, x], 1.0, false)
    };
    let animated = |animations: [Animation; 2]| Scene {
        skeleton: Skeleton {
            joints: vec![Joint::default()],
        },
        animations: animations.into(),
        ..scene([Mesh {
            skins: vec![Skin::rigid([0; 4])],
            ..plate(0.0)
        }])
    };
    let before = animated([named("1", 1.0), named("0", 2.0)]);
    assert_eq!(
        paths(&before, &animated([named("0", 2.0), named("1", 1.0)])),
        [""; 0]
    );
    // The index of the clip without a name is the name of the other.
    let before = animated([named("1", 1.0), named("", 2.0)]);
    assert_eq!(
        paths(&before, &animated([named("1", 1.0), named("", 2.0)])),
        [""; 0]
    );
    let found = paths(&before, &animated([named("1", 1.0), named("", 3.0)]));
    assert!(
        found.contains(&"animations[1].translations".to_owned()),
        "{found:?}"
    );
    assert!(
        found
            .iter()
            .all(|path| !path.starts_with("animations[\"1\"]")),
        "{found:?}"
    );
}
