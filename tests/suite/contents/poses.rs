//! Recomputes skinned positions from the other contents, using the formulas in `docs/contents.md`.

use glam::{Mat4, Quat, Vec3};
use meshspec::mesh::{
    Animation, Columns, Document as MeshDocument, Joint, NO_JOINT, Pose, Vertices,
};
use meshspec::{Document, bmd};
use proptest::prelude::*;
use serde_json::Value;

use super::{contents, floats, list, numbers};
use crate::common::{File, config};

/// Returns row `index` of an array with `N` columns.
fn row<const N: usize>(values: &[f32], index: usize) -> [f32; N] {
    values[index * N..][..N].try_into().unwrap()
}

fn transform(translation: [f32; 3], rotation: [f32; 4], scale: [f32; 3]) -> Mat4 {
    Mat4::from_scale_rotation_translation(
        scale.into(),
        Quat::from_array(rotation),
        translation.into(),
    )
}

/// Returns the skinning matrix of each joint of a MESH file at a frame.
fn mesh_matrices(contents: &Value, animation: &Value, frame: usize) -> Vec<Mat4> {
    let frames = animation["frames"].as_u64().unwrap() as usize;
    let [translations, rotations, scales] =
        ["translations", "rotations", "scales"].map(|kind| floats(&animation[kind]["values"]));
    let parents = numbers(&contents["skeleton"]["parents"]);
    let local = |joint: usize| {
        let key = joint * frames + frame;
        transform(
            row(&translations, key),
            row(&rotations, key),
            row(&scales, key),
        )
    };
    let inverse_bind = floats(&contents["skeleton"]["inverse_bind"]);
    let matrix = |joint: usize| {
        let (mut global, mut at) = (local(joint), parents[joint]);
        while at >= 0.0 {
            global = local(at as usize) * global;
            at = parents[at as usize];
        }
        global * Mat4::from_cols_array(&row(&inverse_bind, joint)).transpose()
    };
    (0..parents.len()).map(matrix).collect()
}

/// Returns the matrix of each bone of a BMD file in a pose.
fn bmd_matrices(contents: &Value, pose: &Value) -> Vec<Mat4> {
    let skeleton = &contents["skeleton"];
    let parents = numbers(&skeleton["parents"]);
    let [rest_translations, rest_rotations] =
        ["translations", "rotations"].map(|kind| floats(&skeleton[kind]));
    let motion = ["translations", "rotations", "scales"].map(|kind| pose.get(kind).map(floats));
    let blends = list(&skeleton["blends"]);
    let mut matrices: Vec<Mat4> = Vec::new();
    for (joint, parent) in parents.iter().enumerate() {
        let blend = blends.iter().find(|blend| blend["joint"] == joint);
        matrices.push(match blend {
            _ if joint == 0 => Mat4::IDENTITY,
            Some(blend) => {
                let (mut sum, mut total) = (Mat4::ZERO, 0.0);
                for (other, weight) in numbers(&blend["joints"])
                    .into_iter()
                    .zip(floats(&blend["weights"]))
                {
                    let Some(matrix) = matrices.get(other as usize) else {
                        continue;
                    };
                    (sum, total) = (sum + *matrix * weight, total + weight);
                }
                if total == 0.0 {
                    Mat4::IDENTITY
                } else {
                    sum * (1.0 / total)
                }
            }
            None => {
                let at = |list: &Option<Vec<f32>>| list.as_ref().map(|list| row(list, joint));
                let translation = Vec3::from(at(&motion[0]).unwrap_or([0.0; 3]));
                let rotation = motion[1]
                    .as_ref()
                    .map_or(Quat::IDENTITY, |list| Quat::from_array(row(list, joint)));
                let rest = Quat::from_array(row(&rest_rotations, joint));
                let origin = Vec3::from(row(&rest_translations, joint)) + translation;
                let local = transform(
                    origin.into(),
                    (rotation * rest).into(),
                    at(&motion[2]).unwrap_or([1.0; 3]),
                );
                matrices
                    .get(*parent as usize)
                    .copied()
                    .unwrap_or(Mat4::IDENTITY)
                    * local
            }
        });
    }
    matrices
}

/// Asserts that every skinned position is near the recomputed one. Returns the number of positions.
fn compare_positions(contents: &Value) -> usize {
    let mut compared = 0;
    for pose in list(&contents["poses"]) {
        let matrices = match pose["animation"].as_u64() {
            Some(animation) if contents["format"] == "mesh" => {
                let frame = pose["frame"].as_u64().unwrap() as usize;
                mesh_matrices(contents, &contents["animations"][animation as usize], frame)
            }
            _ => bmd_matrices(contents, pose),
        };
        for (mesh, found) in list(&contents["meshes"])
            .iter()
            .zip(list(&pose["positions"]))
        {
            let positions = floats(&mesh["attributes"]["position"]);
            let joints = &mesh["attributes"]["joints"];
            let ids = numbers(joints);
            let weights = mesh["attributes"].get("weights").map(numbers);
            let tolerance = found["tolerance"].as_f64().unwrap();
            let found = numbers(found);
            for vertex in 0..found.len() / 3 {
                let point = Vec3::from(row::<3>(&positions, vertex));
                let expected = match &weights {
                    None => matrices
                        .get(ids[vertex] as usize)
                        .map(|matrix| matrix.transform_point3(point)),
                    Some(weights) => {
                        let four = || ids[4 * vertex..].iter().zip(&weights[4 * vertex..]).take(4);
                        let sum: f64 = four().map(|(_, weight)| weight).sum();
                        let terms =
                            four()
                                .filter(|(_, weight)| **weight > 0.0)
                                .map(|(id, weight)| {
                                    matrices[*id as usize].transform_point3(point)
                                        * (*weight / sum) as f32
                                });
                        found[3 * vertex].is_finite().then(|| terms.sum())
                    }
                };
                let Some(expected) = expected else { continue };
                for (found, expected) in found[3 * vertex..].iter().zip(expected.to_array()) {
                    if found.is_finite() {
                        let distance = (found - f64::from(expected)).abs();
                        assert!(
                            distance <= tolerance,
                            "{found} for {expected} ± {tolerance}"
                        );
                        compared += 1;
                    }
                }
            }
        }
    }
    compared
}

of_files!(positions_of_files_match_their_contents);

fn positions_of_files_match_their_contents(files: Vec<File>) {
    for wanted in [meshspec::mesh::FORMAT, bmd::FORMAT] {
        let files = files.iter().filter(|(format, _)| *format == wanted);
        let compared: usize = files
            .map(|(format, bytes)| {
                compare_positions(&contents(
                    &Document::read(*format, bytes, &Default::default()).unwrap(),
                ))
            })
            .sum();
        assert!(compared > 100, "{wanted}: {compared}");
    }
}

proptest! {
    #![proptest_config(config(100, "contents_poses"))]

    #[test]
    fn positions_of_bmd_match_their_contents(
        document in bmd::strategy::documents_with(
            meshspec::layout::generate::Config { plausible: true, ..Default::default() }
        )
    ) {
        compare_positions(&contents(&Document::Bmd(document)));
    }
}

/// A vertex on each bone: bone 1 turns from q to −q, and the weights of pseudo-bone 2 are 0.
#[test]
fn undefined_rotations_and_means_are_null() {
    let key = |frame, word| bmd::TrackKey {
        frame,
        rotation: Some(bmd::Rotation::from(word)),
        ..Default::default()
    };
    let tracks = [vec![], vec![key(0, 0x7000_0000), key(2, 0xf000_0000)]];
    let pseudo = bmd::Transform::Pseudo(bmd::schema::PseudoTransform::new());
    let mut vertices = bmd::Vertices::default();
    for bone in 0..3 {
        let vertex = bmd::schema::TexturedVertex64::new().with_bone(bone);
        let vertex = vertex.with_position(bmd::Triple::nearest([0.5, 0.25, -1.0]).unwrap());
        vertices
            .push(bmd::PackedVertex::Textured64(vertex))
            .unwrap();
    }
    let document = bmd::Document {
        meshes: vec![bmd::Mesh::new(
            Some("stone".into()),
            vertices,
            bmd::Faces::default(),
        )],
        bones: vec![
            bmd::Bone::default(),
            bmd::Bone::default(),
            bmd::Bone {
                transform: pseudo,
                id_parent: 255,
                ..Default::default()
            },
        ],
        animations: vec![bmd::Animation {
            n_frames: 3,
            tracks: tracks
                .map(|keys| bmd::Track::from_keys(keys).unwrap())
                .to_vec(),
            ..Default::default()
        }],
        ..Default::default()
    };
    let contents = contents(&Document::Bmd(document));
    let undefined = |array: &Value, columns: usize| -> Vec<bool> {
        array["values"]
            .as_array()
            .unwrap()
            .chunks(columns)
            .map(|row| row[0].is_null())
            .collect()
    };
    let poses = list(&contents["poses"]);
    let positions: Vec<_> = poses
        .iter()
        .map(|pose| undefined(&pose["positions"][0], 3))
        .collect();
    let (defined, halfway) = (vec![false, false, true], vec![false, true, true]);
    assert_eq!(
        positions,
        [defined.clone(), defined.clone(), halfway, defined]
    );
    let rotations: Vec<_> = poses[1..]
        .iter()
        .map(|pose| undefined(&pose["rotations"], 4))
        .collect();
    assert_eq!(rotations, [[false, false], [false, true], [false, false]]);
    // Without large values, the tolerance is small.
    let tolerance = poses[1]["positions"][0]["tolerance"].as_f64().unwrap();
    assert!(tolerance > 1e-5 && tolerance < 2e-4, "{tolerance}");
}

#[test]
fn missing_bones_of_pseudo_bones_do_not_lower_the_tolerance() {
    let half_turn = bmd::Rotation::nearest([0.0, 0.0, 1.0, 0.0]).unwrap();
    let turned =
        bmd::Transform::Bone(bmd::schema::BoneTransform::default().with_rotation(half_turn));
    // The rotations of bones 0 and 1 cancel each other in the pseudo-bone.
    let position_with = |missing_weight: f32| {
        let weight = bmd::F8A::nearest(0.0625).code();
        let bytes = [
            0,
            1,
            200,
            0,
            weight,
            weight,
            bmd::F8A::nearest(missing_weight).code(),
            0,
        ];
        let pseudo = bmd::Transform::Pseudo(bmd::schema::PseudoTransform::from_bytes(bytes));
        let vertex = bmd::schema::TexturedVertex64::new().with_bone(2);
        let vertex = vertex.with_position(bmd::Triple::nearest([64.0, 0.0, 0.0]).unwrap());
        let mut vertices = bmd::Vertices::default();
        vertices
            .push(bmd::PackedVertex::Textured64(vertex))
            .unwrap();
        let bone = |transform, id_parent| bmd::Bone {
            transform,
            id_parent,
            ..Default::default()
        };
        only_position(bmd::Document {
            meshes: vec![bmd::Mesh::new(
                Some("stone".into()),
                vertices,
                bmd::Faces::default(),
            )],
            bones: vec![bmd::Bone::default(), bone(turned, 0), bone(pseudo, 255)],
            ..Default::default()
        })
    };
    let (position, tolerance) = position_with(0.0);
    assert!(
        position.iter().all(|coordinate| coordinate.abs() < 1e-4) && tolerance > 1e-6,
        "{position:?}"
    );
    assert_eq!(position_with(0.5), (position, tolerance));
}

const IDENTITY: [[f32; 4]; 4] = [
    [1.0, 0.0, 0.0, 0.0],
    [0.0, 1.0, 0.0, 0.0],
    [0.0, 0.0, 1.0, 0.0],
    [0.0, 0.0, 0.0, 1.0],
];

/// Returns a document with a vertex at (2, 0, 0) and two joints. The second joint is bound at (1, 0, 0) and has
/// `rotation` in the animation.
#[allow(
    clippy::needless_update,
    reason = "another field needs no decision here"
)]
fn arm(rotation: [f32; 4], ids: [u8; 4], weights: [u8; 4]) -> MeshDocument {
    let mut bound = IDENTITY;
    bound[0][3] = -1.0;
    let pose = |joint, position, rotation| Pose {
        joint,
        position,
        rotation,
        scale: [1.0; 3],
    };
    MeshDocument {
        vertices: Vertices::from_columns(&Columns {
            positions: vec![[2.0, 0.0, 0.0]],
            joint_ids: Some(vec![ids]),
            joint_weights: Some(vec![weights]),
            ..Columns::default()
        })
        .unwrap(),
        joints: vec![
            Joint {
                id: 0,
                parent: NO_JOINT,
                transform: IDENTITY,
                ..Joint::default()
            },
            Joint {
                id: 1,
                parent: 0,
                transform: bound,
                ..Joint::default()
            },
        ],
        animations: vec![Animation {
            name: Some(0),
            timestamps: vec![0.0],
            poses: vec![
                pose(0, [0.0, 5.0, 0.0], [1.0, 0.0, 0.0, 0.0]),
                pose(1, [1.0, 0.0, 0.0], rotation),
            ],
            ..Animation::default()
        }],
        strings: ["turn"].into_iter().collect(),
        ..MeshDocument::default()
    }
}

/// A rotation of 90° about Z, as (W, X, Y, Z).
const QUARTER: [f32; 4] = [
    std::f32::consts::FRAC_1_SQRT_2,
    0.0,
    0.0,
    std::f32::consts::FRAC_1_SQRT_2,
];

fn only_position(document: impl Into<Document>) -> (Vec<f64>, f64) {
    let contents = contents(&document.into());
    let position = &contents["poses"][0]["positions"][0];
    (numbers(position), position["tolerance"].as_f64().unwrap())
}

#[test]
fn a_joint_turns_a_vertex() {
    let (position, tolerance) = only_position(arm(QUARTER, [1, 255, 255, 255], [255, 0, 0, 0]));
    for (found, expected) in position.iter().zip([1.0, 6.0, 0.0]) {
        assert!((found - expected).abs() <= 1e-6, "{position:?}");
    }
    assert!(tolerance <= 1e-3);
    // Half the weight stays with the first joint.
    let (position, _) = only_position(arm(QUARTER, [1, 0, 255, 255], [127, 128, 0, 0]));
    assert!(
        (position[0] - (127.0 + 2.0 * 128.0) / 255.0).abs() <= 1e-6,
        "{position:?}"
    );
    // Weights with a sum of 254 may be normalised or not.
    let (_, wide) = only_position(arm(QUARTER, [1, 0, 255, 255], [127, 127, 0, 0]));
    assert!((6.0 / 255.0..0.04).contains(&wide), "{wide}");
}

#[test]
fn undefined_positions_are_null() {
    let long = QUARTER.map(|x| 1.1 * x);
    for (rotation, ids, weights) in [
        (long, [1, 255, 255, 255], [255, 0, 0, 0]),
        ([f32::NAN; 4], [1, 255, 255, 255], [255, 0, 0, 0]),
        (QUARTER, [2, 255, 255, 255], [255, 0, 0, 0]),
        (QUARTER, [1, 255, 255, 255], [252, 0, 0, 0]),
        (QUARTER, [255, 255, 255, 255], [0, 0, 0, 0]),
    ] {
        let (position, _) = only_position(arm(rotation, ids, weights));
        assert!(
            position.iter().all(|x| x.is_nan()),
            "{rotation:?} {ids:?} {weights:?}: {position:?}"
        );
    }
    // The other joint stays in place.
    let (position, _) = only_position(arm(long, [0, 255, 255, 255], [255, 0, 0, 0]));
    assert_eq!(position, [2.0, 5.0, 0.0]);
}

#[test]
fn joints_out_of_order_have_no_poses() {
    let mut document = arm(QUARTER, [1, 255, 255, 255], [255, 0, 0, 0]);
    document.joints.swap(0, 1);
    document.joints[0].parent = 1;
    let contents = contents(&Document::Mesh(document));
    assert_eq!(contents.get("poses"), None);
    assert_eq!(numbers(&contents["skeleton"]["ids"]), [1.0, 0.0]);
    assert_eq!(numbers(&contents["skeleton"]["parents"]), [1.0, -1.0]);
}

/// Lenient reading accepts cycles of joints, and missing parents.
#[test]
fn positions_on_cyclic_joints_are_undefined() {
    for parent in [1, 9] {
        let mut document = arm(QUARTER, [1, 255, 255, 255], [255, 0, 0, 0]);
        document.joints[1].parent = parent;
        let (position, _) = only_position(document);
        assert!(
            position.iter().all(|x| x.is_nan()),
            "{parent}: {position:?}"
        );
    }
}

/// The number of poses is limited, so that many animations do not use far more memory than the file.
#[test]
fn poses_are_limited() {
    let mut document = arm(QUARTER, [1, 255, 255, 255], [255, 0, 0, 0]);
    let columns = Columns {
        positions: vec![[0.0; 3]; 200_000],
        joint_ids: Some(vec![[1, 255, 255, 255]; 200_000]),
        joint_weights: Some(vec![[255, 0, 0, 0]; 200_000]),
        ..Columns::default()
    };
    document.vertices = Vertices::from_columns(&columns).unwrap();
    document.animations = vec![document.animations[0].clone(); 100];
    let contents = Document::Mesh(document).contents();
    assert_eq!((contents.animations.len(), contents.poses.len()), (100, 5));
}

#[test]
fn weights_may_miss_their_sum_by_two() {
    for sum in 250..=260_u16 {
        let weights = [200, (sum - 200) as u8, 0, 0];
        let (position, _) = only_position(arm(QUARTER, [1, 0, 255, 255], weights));
        let is_defined = position.iter().all(|x| x.is_finite());
        assert_eq!(
            is_defined,
            (253..=257).contains(&sum),
            "{sum}: {position:?}"
        );
    }
}
