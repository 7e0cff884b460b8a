//! The layout of written buffers, and its description in JSON.

use meshspec::interop::Interchange;
use meshspec::scene::{
    Animation, Channel, Colors, Components, CustomAttribute, Faces, Indices, Interpolation, Joint,
    Mesh, Samples, Scene, Skeleton, Skin, UvOrigin, Weights,
};
use meshspec::{ErrorKind, LossKind};
use serde_json::{Value, json};

use super::{parts, read, write};

fn triangle() -> Mesh {
    Mesh {
        positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, -3.0]],
        faces: Faces {
            indices: Some(Indices::U32(vec![0, 1, 2])),
            corners: None,
        },
        ..Mesh::default()
    }
}

/// Returns a scene of a triangle with all kinds of attributes.
pub fn everything() -> Scene {
    let mesh = Mesh {
        normals: Some(vec![[0.0, 0.0, 1.0]; 3]),
        tangents: Some(vec![[1.0, 0.0, 0.0, -1.0]; 3]),
        uvs: vec![vec![[0.0, 0.25]; 3], vec![[0.5, 1.0]; 3]],
        colors: vec![
            Colors::U8(vec![[1, 2, 3, 4]; 3]),
            Colors::F32(vec![[0.5; 4]; 3]),
        ],
        skins: vec![Skin {
            joints: vec![[0, Skin::NONE, Skin::NONE, Skin::NONE]; 3],
            weights: Weights::U8(vec![[255, 0, 0, 0]; 3]),
        }],
        custom: vec![
            CustomAttribute {
                name: "ODD".to_owned(),
                components: 3,
                values: Components::U8((0..9).collect()),
            },
            CustomAttribute {
                name: "WIDE".to_owned(),
                components: 1,
                values: Components::U32(vec![1, 2, 3]),
            },
        ],
        ..triangle()
    };
    let skeleton = Skeleton {
        joints: vec![Joint {
            name: "hip".to_owned(),
            ..Joint::default()
        }],
    };
    Scene {
        meshes: vec![mesh],
        skeleton,
        ..Scene::default()
    }
}

fn glb(scene: Scene) -> (Value, Vec<u8>, Vec<meshspec::Loss>) {
    let (files, losses) = write(Interchange::Glb, scene).unwrap();
    let (json, numbers) = parts(&files["a scene.glb"]);
    (json, numbers.to_vec(), losses)
}

#[test]
fn everything_is_aligned_and_in_bounds() {
    let (json, numbers, losses) = glb(everything());
    assert!(losses.is_empty(), "{losses:?}");
    assert_eq!(json["buffers"][0]["byteLength"], numbers.len());
    let views = json["bufferViews"].as_array().unwrap();
    for accessor in json["accessors"].as_array().unwrap() {
        let view = &views[accessor["bufferView"].as_u64().unwrap() as usize];
        let offset =
            accessor["byteOffset"].as_u64().unwrap_or(0) + view["byteOffset"].as_u64().unwrap();
        assert_eq!(offset % 4, 0, "{accessor}");
        let end = view["byteOffset"].as_u64().unwrap() + view["byteLength"].as_u64().unwrap();
        assert!(end <= numbers.len() as u64, "{view}");
        assert!(view["byteStride"].as_u64().unwrap_or(4) % 4 == 0, "{view}");
    }
    let attributes = &json["meshes"][0]["primitives"][0]["attributes"];
    let of = |name: &str| &json["accessors"][attributes[name].as_u64().unwrap() as usize];
    let kind = |name: &str| {
        let accessor = of(name);
        (
            accessor["componentType"].as_u64().unwrap(),
            accessor["normalized"].as_bool().unwrap_or(false),
        )
    };
    assert_eq!(of("POSITION")["min"], json!([0.0, 0.0, -3.0]));
    assert_eq!(of("POSITION")["max"], json!([1.0, 2.0, 0.0]));
    assert_eq!(kind("COLOR_0"), (5121, true));
    assert_eq!(kind("COLOR_1"), (5126, false));
    assert_eq!(kind("WEIGHTS_0"), (5121, true));
    assert_eq!(kind("JOINTS_0"), (5121, false));
    assert_eq!(kind("_ODD"), (5121, false));
    assert_eq!(kind("_WIDE"), (5126, false));
    let indices = json["meshes"][0]["primitives"][0]["indices"]
        .as_u64()
        .unwrap() as usize;
    assert_eq!(json["accessors"][indices]["componentType"], 5123);
}

#[test]
fn the_index_65535_takes_32_bits() {
    for (vertices, kind) in [(65_535_u32, 5123), (65_536, 5125)] {
        let mesh = Mesh {
            positions: vec![[0.0; 3]; vertices as usize],
            faces: Faces {
                indices: Some(Indices::U32(vec![0, 1, vertices - 1])),
                corners: None,
            },
            ..Mesh::default()
        };
        let (json, ..) = glb(Scene {
            meshes: vec![mesh],
            ..Scene::default()
        });
        let last = json["accessors"].as_array().unwrap().last().unwrap();
        assert_eq!(last["componentType"], kind);
    }
}

#[test]
fn forbidden_values_are_changed_and_listed() {
    let mut scene = everything();
    let mesh = &mut scene.meshes[0];
    mesh.normals = Some(vec![[0.0, 0.0, 2.0], [0.0; 3], [0.0, 1.0, 0.0]]);
    mesh.uv_origin = UvOrigin::BottomLeft;
    mesh.uvs[0][0] = [f32::NAN, 0.0];
    mesh.colors[1] = Colors::F32(vec![[1.5, 0.0, 0.0, 1.0]; 3]);
    mesh.skins[0].weights = Weights::U8(vec![[100, 0, 0, 0], [0; 4], [255, 0, 0, 0]]);
    let (files, losses) = write(Interchange::Glb, scene).unwrap();
    let list: Vec<_> = losses
        .iter()
        .map(|loss| (loss.kind, loss.path.to_string(), loss.error))
        .collect();
    assert_eq!(
        list,
        [
            (LossKind::Changed, "meshes[0].normals", None),
            (LossKind::Changed, "meshes[0].normals", None),
            (LossKind::Changed, "meshes[0].uvs[0]", None),
            (LossKind::Quantized, "meshes[0].colors[1]", Some(0.5)),
            (LossKind::Changed, "meshes[0].skins", None),
        ]
        .map(|(kind, path, error)| (kind, path.to_owned(), error))
    );
    assert_eq!(
        losses[0].to_string(),
        "changed: meshes[0].normals: normals without a direction were replaced by those of the faces, 1 of 3 normals"
    );
    assert_eq!(
        losses[1].to_string(),
        "changed: meshes[0].normals: normals were normalised, 1 of 3 normals"
    );
    let (again, _) = read(Interchange::Glb, &files).unwrap();
    let mesh = &again.meshes[0];
    // The second normal is that of the face.
    assert_eq!(
        mesh.normals,
        Some(vec![
            [0.0, 0.0, 1.0],
            [0.0, 0.8320503, 0.5547002],
            [0.0, 1.0, 0.0]
        ])
    );
    assert_eq!(mesh.uvs[0], [[0.0, 1.0], [0.0, 0.75], [0.0, 0.75]]);
    // The vertex without a joint is bound to a static one, and unbound again after reading.
    let weights = vec![[255, 0, 0, 0], [0; 4], [255, 0, 0, 0]];
    assert_eq!(mesh.skins[0].weights, Weights::U8(weights));
    assert_eq!(mesh.skins[0].joints[1], [Skin::NONE; 4]);
    assert_eq!(
        mesh.skins[0].joints[0],
        [0, Skin::NONE, Skin::NONE, Skin::NONE]
    );
}

#[test]
fn the_static_joint_needs_an_index() {
    let with_joints = |count: usize| {
        let skins = vec![Skin::rigid([0, 0, Skin::NONE])];
        let mut scene = Scene {
            meshes: vec![Mesh {
                skins,
                ..triangle()
            }],
            ..Scene::default()
        };
        scene.skeleton.joints = vec![Joint::default(); count];
        write(Interchange::Glb, scene).map(|_| ())
    };
    // Index 65535 means no joint.
    let error = with_joints(65_535).unwrap_err();
    assert!(
        error.message().contains("exceed the maximum of 65535"),
        "{error}"
    );
    with_joints(65_534).unwrap();
}

#[test]
fn a_non_finite_position_is_rejected() {
    let mut scene = everything();
    scene.meshes.insert(0, triangle());
    scene.meshes[1].positions[2][1] = f32::INFINITY;
    let error = write(Interchange::Glb, scene).unwrap_err();
    assert_eq!(
        (error.kind(), &*error.path().to_string()),
        (ErrorKind::Inexpressible, "meshes[1].positions[2]")
    );
    assert!(error.message().contains("vertex 2"), "{error}");
}

#[test]
fn meshes_without_faces_become_points_and_empty_ones_are_dropped() {
    let mut points = triangle();
    points.faces.indices = Some(Indices::U32(Vec::new()));
    let scene = Scene {
        meshes: vec![points, Mesh::default()],
        ..Scene::default()
    };
    let (json, _, losses) = glb(scene);
    assert_eq!(json["meshes"].as_array().unwrap().len(), 1);
    assert_eq!(json["meshes"][0]["primitives"][0]["mode"], 0);
    assert_eq!(losses.len(), 1, "{losses:?}");
    assert_eq!(
        (losses[0].kind, &*losses[0].path.to_string()),
        (LossKind::Dropped, "meshes[1]")
    );
}

#[test]
fn polygons_become_triangles() {
    let mut quad = triangle();
    quad.positions.push([1.0, 1.0, 1.0]);
    quad.faces = Faces {
        indices: Some(Indices::U32(vec![0, 1, 2, 3])),
        corners: Some(vec![4]),
    };
    let (files, losses) = write(
        Interchange::Glb,
        Scene {
            meshes: vec![quad],
            ..Scene::default()
        },
    )
    .unwrap();
    assert_eq!(
        (losses.len(), losses[0].kind),
        (1, LossKind::Split),
        "{losses:?}"
    );
    let (again, _) = read(Interchange::Glb, &files).unwrap();
    assert_eq!(
        again.meshes[0].faces.indices,
        Some(Indices::U16(vec![0, 1, 2, 0, 2, 3]))
    );
}

/// glTF requires at least one sample, and a channel in each animation.
#[test]
fn channels_without_samples_are_dropped() {
    let channel = |samples| Channel {
        joint: 0,
        times: 0,
        interpolation: Interpolation::Linear,
        samples: Samples::Scale(samples),
    };
    let animation = |samples: Vec<[f32; 3]>| Animation {
        rate: 1.0,
        times: vec![(0..samples.len()).map(|tick| tick as f32).collect()],
        channels: vec![channel(samples)],
        ..Animation::default()
    };
    let mut scene = everything();
    scene.animations = vec![animation(vec![[1.0; 3], [2.0; 3]]), animation(Vec::new())];
    let (json, _, losses) = glb(scene);
    assert_eq!(json["animations"].as_array().unwrap().len(), 1);
    assert!(
        json["accessors"]
            .as_array()
            .unwrap()
            .iter()
            .all(|accessor| accessor["count"] != 0),
        "{json}"
    );
    let is_listed = losses.iter().any(|loss| {
        loss.kind == LossKind::Dropped && loss.path.to_string().starts_with("animations[1]")
    });
    assert!(is_listed, "{losses:?}");
}

#[test]
fn weights_of_two_sets_sum_to_one_together() {
    let with = |weights: [Weights; 2]| {
        let mut scene = everything();
        let joint = scene.skeleton.joints[0].clone();
        scene.skeleton.joints.push(Joint {
            parent: Some(0),
            ..joint
        });
        let sets = weights.into_iter().zip(0..);
        let skin = |(weights, joint)| Skin {
            joints: vec![[joint, Skin::NONE, Skin::NONE, Skin::NONE]; 3],
            weights,
        };
        scene.meshes[0].skins = sets.map(skin).collect();
        let (files, losses) = write(Interchange::Glb, scene).unwrap();
        let (again, _) = read(Interchange::Glb, &files).unwrap();
        let sets: Vec<_> = again.meshes[0]
            .skins
            .iter()
            .map(|skin| skin.weights.clone())
            .collect();
        (
            sets,
            losses
                .into_iter()
                .filter(|loss| loss.path.to_string().contains("skins"))
                .count(),
        )
    };
    let one = |weight: f32| Weights::F32(vec![[weight, 0.0, 0.0, 0.0]; 3]);
    let bytes = |weight: u8| Weights::U8(vec![[weight, 0, 0, 0]; 3]);
    let (sets, losses) = with([one(0.25), one(0.25)]);
    assert_eq!(losses, 1);
    let sums = |sets: &[Weights]| -> Vec<f32> {
        let sets = sets.iter().map(|weights| weights.clone().into_f32());
        sets.fold(vec![0.0; 3], |sums, set| {
            sums.iter()
                .zip(set)
                .map(|(sum, weights)| sum + weights.iter().sum::<f32>())
                .collect()
        })
    };
    assert!(
        sums(&sets).iter().all(|sum| (sum - 1.0).abs() < 1e-6),
        "{sets:?}"
    );
    // Valid weights remain bytes.
    assert_eq!(
        with([bytes(128), bytes(127)]),
        (vec![bytes(128), bytes(127)], 0)
    );
}

#[test]
fn loops_with_all_whole_ticks_keep_their_times() {
    let turn = |angle: f32| glam::Quat::from_rotation_z(angle).to_array();
    let with = |times: Vec<f32>, angles: &[f32]| {
        let turns = Channel {
            joint: 0,
            times: 0,
            interpolation: Interpolation::Normalized,
            samples: Samples::Rotation(angles.iter().copied().map(turn).collect()),
        };
        let mut scene = everything();
        scene.animations = vec![Animation {
            rate: 1.0,
            duration: 4.0,
            looped: true,
            times: vec![times],
            channels: vec![turns],
            ..Animation::default()
        }];
        let (json, _, losses) = glb(scene);
        let input = json["animations"][0]["samplers"][0]["input"]
            .as_u64()
            .unwrap() as usize;
        (json["accessors"][input]["count"].as_u64(), losses.len())
    };
    // Rotations between the ticks deviate in both cases.
    assert_eq!(
        with(vec![0.0, 1.0, 2.0, 3.0, 4.0], &[0.0, 0.5, 1.0, 0.5, 0.0]),
        (Some(5), 1)
    );
    assert_eq!(with(vec![0.0, 2.0, 4.0], &[0.0, 1.0, 0.0]), (Some(5), 1));
}
