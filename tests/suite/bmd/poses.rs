//! BMD animations: conversion of keys to channels, and comparison of poses with reference files and known values.

use crate::common::{config, fixtures_of};
use meshspec::bmd::schema::{BoneTransform, PseudoTransform};
use meshspec::bmd::{
    AnimRate, Animation, Bone, Channels, Document, F8A, FloatChannels, Matrix, Motion, Pose,
    Rotation, Track, Transform, Triple,
};
use meshspec::scene::{Conventions, FromScene, Scene, SceneOptions, ToScene};
use meshspec::{ErrorKind, Format, ReadOptions};
use proptest::prelude::*;
use serde_json::Value;

/// Returns the animations of the reference files, each with its name and its entry in the sidecar.
fn reference_animations() -> Vec<(String, Animation, Value)> {
    let mut all = Vec::new();
    for fixture in fixtures_of("bmd") {
        let Some(expected) = fixture.expected else {
            continue;
        };
        let document = Document::read(&fixture.bytes, &ReadOptions::lenient()).unwrap();
        for (index, animation) in document.animations.into_iter().enumerate() {
            all.push((
                format!("{}: anims[{index}]", fixture.file),
                animation,
                expected["anims"][index].clone(),
            ));
        }
    }
    assert!(!all.is_empty());
    all
}

#[test]
#[ignore = "needs the reference files: set MESHSPEC_FIXTURES"]
fn poses_of_the_reference_files() {
    for (name, animation, expected) in reference_animations() {
        let frames = expected["pose"].as_array().unwrap();
        assert_eq!(frames.len(), usize::from(animation.n_frames), "{name}");
        for (frame, expected) in frames.iter().enumerate() {
            let pose = animation.pose(frame as f32);
            let lists =
                ["rot_ijkr", "trans", "scale"].map(|list| expected[list].as_array().unwrap());
            assert_eq!(lists.map(Vec::len), [pose.bones.len(); 3], "{name}");
            for (bone, motion) in pose.bones.iter().enumerate() {
                let at = format!("{name}: frame {frame}, bone {bone}");
                assert_near(&at, &motion.rotation, &lists[0][bone]);
                assert_near(&at, &motion.translation, &lists[1][bone]);
                assert_near(&at, &motion.scale, &lists[2][bone]);
            }
        }
    }
}

fn assert_near(at: &str, found: &[f32], expected: &Value) {
    let expected: Vec<f64> = serde_json::from_value(expected.clone()).unwrap();
    assert_eq!(found.len(), expected.len(), "{at}");
    for (a, b) in found.iter().zip(&expected) {
        assert!(
            (f64::from(*a) - b).abs() <= 1e-6 * b.abs().max(1.0),
            "{at}: {found:?}, expected {expected:?}"
        );
    }
}

#[test]
#[ignore = "needs the reference files: set MESHSPEC_FIXTURES"]
fn tracks_of_the_reference_files_survive_as_channels() {
    for (name, animation, _) in reference_animations() {
        for track in &animation.tracks {
            assert_eq!(
                &Track::from_channels(&track.channels()).unwrap(),
                track,
                "{name}"
            );
        }
    }
}

fn frames() -> impl Strategy<Value = Vec<u32>> {
    prop::collection::btree_set(prop_oneof![0..256u32, Just(255u32), 0..8u32], 0..8)
        .prop_map(|frames| frames.into_iter().collect())
}

fn channel<T: From<u32> + std::fmt::Debug>() -> impl Strategy<Value = Vec<(u32, T)>> {
    (frames(), any::<[u32; 8]>())
        .prop_map(|(frames, words)| frames.into_iter().zip(words.map(T::from)).collect())
}

fn channels() -> impl Strategy<Value = Channels> {
    (
        channel::<Rotation>(),
        channel::<Triple>(),
        channel::<Triple>(),
    )
        .prop_map(|(rotations, translations, scales)| Channels {
            rotations,
            translations,
            scales,
        })
}

fn animation(channels: Channels, n_frames: u8, no_loop: bool) -> Animation {
    Animation {
        n_frames,
        fl_hz: AnimRate::new().with_quarter_hz(40).with_no_loop(no_loop),
        tracks: vec![Track::from_channels(&channels).unwrap()],
        ..Animation::default()
    }
}

proptest! {
    #![proptest_config(config(256, "bmd_poses"))]

    #[test]
    fn channels_survive_as_tracks(channels in channels()) {
        let track = Track::from_channels(&channels).unwrap();
        prop_assert_eq!(track.channels(), channels);
    }

    #[test]
    fn poses_at_keys_have_their_values(channels in channels(), no_loop in any::<bool>(), round in 0..3u8) {
        let animation = animation(channels.clone(), 255, no_loop);
        let shift = if no_loop { 0.0 } else { 255.0 * f32::from(round) };
        let floats = channels.to_floats();
        for (frame, value) in floats.translations.iter().filter(|(frame, _)| *frame < 255) {
            prop_assert_eq!(animation.pose(*frame as f32 + shift).bones[0].translation, *value);
        }
        for (frame, value) in floats.scales.iter().filter(|(frame, _)| *frame < 255) {
            prop_assert_eq!(animation.pose(*frame as f32 - shift).bones[0].scale, *value);
        }
        for (frame, value) in floats.rotations.iter().filter(|(frame, _)| *frame < 255) {
            let found = animation.pose(*frame as f32).bones[0].rotation;
            prop_assert!(found.iter().zip(value).all(|(a, b)| (a - b).abs() < 1e-6), "{:?} {:?}", found, value);
        }
    }

    #[test]
    fn poses_have_unit_rotations_at_any_time(channels in channels(), n_frames in any::<u8>(), no_loop in any::<bool>(), frame in any::<f32>()) {
        let pose = animation(channels, n_frames, no_loop).pose(frame);
        let length = pose.bones[0].rotation.iter().map(|x| x * x).sum::<f32>().sqrt();
        prop_assert!((length - 1.0).abs() < 1e-6);
        prop_assert!(pose.bones[0].translation.iter().all(|x| x.is_finite()));
    }

    #[test]
    fn encoding_errors_of_keys_are_as_reported(
        rotations in prop::collection::vec((0..9u32, prop::array::uniform4(-1.0..1.0f32)), 0..2),
        translations in prop::collection::vec((0..9u32, prop::array::uniform3(-9.0..9.0f32)), 0..2),
    ) {
        let wanted = FloatChannels { rotations, translations, scales: vec![(0, [1.0, 2.0, 0.3])] };
        let (channels, errors) = wanted.encode().unwrap();
        let found = channels.to_floats();
        for ((_, wanted), (_, found)) in wanted.translations.iter().zip(&found.translations) {
            prop_assert!(wanted.iter().zip(found).all(|(a, b)| (a - b).abs() <= errors.translation));
        }
        prop_assert!(errors.rotation <= 2.0 && errors.scale <= 0.5 / 64.0 && errors.translation <= 0.5 / 16.0);
    }
}

#[test]
fn channels_without_a_valid_track_are_rejected() {
    let channels = Channels {
        scales: vec![(3, Triple::default()), (3, Triple::default())],
        ..Channels::default()
    };
    let error = Track::from_channels(&channels).unwrap_err();
    assert_eq!(
        (error.kind(), &*error.path().to_string()),
        (ErrorKind::Inexpressible, "scales[1]")
    );
    let error = FloatChannels {
        rotations: vec![(0, [0.0; 4])],
        ..FloatChannels::default()
    }
    .encode()
    .unwrap_err();
    assert_eq!(
        (error.kind(), &*error.path().to_string()),
        (ErrorKind::Inexpressible, "rotations[0]")
    );
    let translations = vec![(0, [0.0; 3]), (1, [0.0, f32::NAN, 0.0])];
    let error = FloatChannels {
        translations,
        ..FloatChannels::default()
    }
    .encode()
    .unwrap_err();
    assert_eq!(
        (error.kind(), &*error.path().to_string()),
        (ErrorKind::Inexpressible, "translations[1]")
    );
}

fn translations(keys: &[(u32, f32)]) -> Channels {
    let keys = keys
        .iter()
        .map(|(frame, x)| (*frame, Triple::nearest([*x, 0.0, 0.0]).unwrap()));
    Channels {
        translations: keys.collect(),
        ..Channels::default()
    }
}

#[test]
fn loops_wrap_and_others_clamp() {
    let keys = translations(&[(2, 1.0), (6, 5.0)]);
    let x = |animation: &Animation, frame: f32| animation.pose(frame).bones[0].translation[0];
    let looping = animation(keys.clone(), 10, false);
    for (frame, expected) in [
        (2.0, 1.0),
        (3.5, 2.5),
        (6.0, 5.0),
        (9.0, 3.0),
        (0.0, 7.0 / 3.0),
        (13.5, 2.5),
        (-7.0, 2.0),
    ] {
        assert!(
            (x(&looping, frame) - expected).abs() < 1e-6,
            "{frame}: {}",
            x(&looping, frame)
        );
    }
    let once = animation(keys, 10, true);
    for (frame, expected) in [
        (0.0, 1.0),
        (3.5, 2.5),
        (6.0, 5.0),
        (9.0, 5.0),
        (400.0, 5.0),
        (-3.0, 1.0),
        (f32::NAN, 1.0),
    ] {
        assert_eq!(x(&once, frame), expected, "{frame}");
    }
    // Only lenient reading accepts keys beyond the last frame.
    let late = animation(translations(&[(0, 1.0), (8, 9.0)]), 4, false);
    assert_eq!(x(&late, 2.0), 1.0);
    let none = animation(translations(&[(0, 1.0)]), 0, false);
    assert_eq!(none.pose(1.0).bones, [Motion::default()]);
}

#[test]
fn rotations_are_interpolated_linearly_despite_opposite_signs() {
    let rotations = vec![
        (0, Rotation::IDENTITY),
        (1, Rotation::from(u32::MAX)),
        (2, Rotation::from(0xF0 << 24)),
    ];
    let animation = animation(
        Channels {
            rotations,
            ..Channels::default()
        },
        4,
        true,
    );
    let found = animation.pose(0.5).bones[0].rotation;
    assert!(
        found
            .iter()
            .zip([-0.5, -0.5, -0.5, 0.5])
            .all(|(a, b): (&f32, f32)| (a - b).abs() < 1e-6),
        "{found:?}"
    );
    // The midpoint of opposite quaternions is 0 and cannot be normalised.
    let rotations = vec![(0, Rotation::IDENTITY), (2, Rotation::from(0xF0 << 24))];
    let channels = Channels {
        rotations,
        ..Channels::default()
    };
    assert_eq!(
        self::animation(channels, 4, true).pose(1.0).bones[0],
        Motion::default()
    );
}

/// Returns a rotation of 90° about an axis.
fn quarter_turn(axis: usize) -> Rotation {
    let mut quaternion = [0.0, 0.0, 0.0, 1.0];
    quaternion[axis] = 1.0;
    Rotation::nearest(quaternion).unwrap()
}

fn bone(id_parent: u8, origin: [f32; 3], rotation: Rotation) -> Bone {
    let transform = BoneTransform::default()
        .with_origin(Triple::nearest(origin).unwrap())
        .with_rotation(rotation);
    Bone {
        transform: Transform::Bone(transform),
        id_parent,
        ..Bone::default()
    }
}

fn pseudo(bones: [u8; 4], weights: [f32; 4]) -> Bone {
    let [a, b, c, d] = bones;
    let weights = weights.map(|weight| F8A::nearest(weight).code());
    let [w, x, y, z] = weights;
    let transform = PseudoTransform::from_bytes([a, b, c, d, w, x, y, z]);
    Bone {
        transform: Transform::Pseudo(transform),
        id_parent: 0xFF,
        ..Bone::default()
    }
}

/// Transforms a point from the space of a bone to model space.
fn to_model_space(matrix: &Matrix, point: [f32; 3]) -> [f32; 3] {
    std::array::from_fn(|row| {
        matrix[3][row]
            + (0..3)
                .map(|column| matrix[column][row] * point[column])
                .sum::<f32>()
    })
}

fn assert_point(found: [f32; 3], expected: [f32; 3]) {
    assert!(
        found
            .iter()
            .zip(expected)
            .all(|(a, b)| (a - b).abs() < 1e-5),
        "{found:?}, expected {expected:?}"
    );
}

#[test]
fn matrices_chain_bones_to_their_parents() {
    let skeleton = [
        bone(0, [9.0, 9.0, 9.0], quarter_turn(0)),
        bone(0, [1.0, 0.0, 0.0], quarter_turn(2)),
        bone(1, [1.0, 0.0, 0.0], Rotation::IDENTITY),
        pseudo([0, 2, 0, 0], [0.25, 0.25, 0.0, 0.0]),
        pseudo([1, 200, 4, 0], [0.0, 0.5, 0.5, 0.0]),
        bone(7, [0.0, 0.0, 2.0], Rotation::from(u32::MAX)),
    ];
    // The matrix of bone 0 is the identity, regardless of its transform.
    let base = Pose::default().matrices(&skeleton);
    assert_point(to_model_space(&base[0], [1.0, 2.0, 3.0]), [1.0, 2.0, 3.0]);
    assert_point(to_model_space(&base[1], [1.0, 0.0, 0.0]), [1.0, 1.0, 0.0]);
    assert_point(to_model_space(&base[2], [1.0, 0.0, 0.0]), [1.0, 2.0, 0.0]);
    assert_point(to_model_space(&base[3], [0.0; 3]), [0.5, 0.5, 0.0]);
    // Missing and later bones are ignored.
    assert_point(to_model_space(&base[4], [1.0, 2.0, 3.0]), [1.0, 2.0, 3.0]);
    assert_point(to_model_space(&base[5], [1.0, 0.0, 0.0]), [1.0, 0.0, 2.0]);

    let mut pose = Pose {
        bones: vec![Motion::default(); 3],
    };
    pose.bones[0].translation = [5.0; 3];
    pose.bones[1] = Motion {
        rotation: quarter_turn(0).value(),
        translation: [0.0, 0.0, 1.0],
        scale: [2.0, 1.0, 1.0],
    };
    let posed = pose.matrices(&skeleton);
    assert_point(to_model_space(&posed[0], [0.0; 3]), [0.0; 3]);
    // Scaled to (2, 0, 0), rotated by the base to (0, 2, 0), then by the animation to (0, 0, 2).
    assert_point(to_model_space(&posed[1], [1.0, 0.0, 0.0]), [1.0, 0.0, 3.0]);
    assert_point(to_model_space(&posed[2], [0.0; 3]), [1.0, 0.0, 3.0]);
    assert_point(to_model_space(&posed[3], [0.0; 3]), [0.5, 0.0, 1.5]);
}

/// Returns the animated skeleton of the corpus.
fn animated_case() -> Document {
    let cases = Document::edge_cases();
    let (_, bytes) = cases
        .iter()
        .find(|(description, _)| description.contains("animated"))
        .unwrap();
    Document::read(bytes, &Default::default()).unwrap()
}

/// Asserts that the scene of a document moves each vertex of the first mesh like its bone, in the first animation.
fn assert_scene_moves_like_bones(document: &Document, scene: &Scene) {
    let animation = &document.animations[0];
    let vertices: Vec<_> = document.meshes[0].vertices.iter().collect();
    for frame in 0..animation.n_frames {
        let frame = f32::from(frame);
        let mut posed = scene.clone();
        posed.apply_pose(&scene.animations[0].pose(&scene.skeleton, frame));
        let matrices = animation.pose(frame).matrices(&document.bones);
        for (found, vertex) in posed.meshes[0].positions.iter().zip(&vertices) {
            let expected = to_model_space(&matrices[usize::from(vertex.bone)], vertex.position);
            let distance = (0..3)
                .map(|axis| (found[axis] - expected[axis]).abs())
                .fold(0.0, f32::max);
            assert!(
                distance < 1e-4,
                "bone {} at {frame}: {found:?} for {expected:?}",
                vertex.bone
            );
        }
    }
}

/// In the case of the corpus, a pseudo-bone follows another one, and unused slots contain missing bones.
#[test]
fn scenes_move_vertices_like_bones() {
    let document = animated_case();
    let mut options = SceneOptions::default();
    options.conventions = Some(Conventions::GLTF);
    let (scene, losses) = document.clone().into_scene(&options).unwrap();
    assert!(
        !losses
            .iter()
            .any(|loss| loss.path.to_string().contains("pseudo")),
        "{losses:?}"
    );
    assert_scene_moves_like_bones(&document, &scene);
    let (again, _) = Document::from_scene(scene, &options).unwrap();
    let pseudo_bones = |document: &Document| -> Vec<_> {
        let pseudo = document
            .bones
            .iter()
            .filter_map(|bone| match bone.transform {
                Transform::Pseudo(pseudo) => Some(pseudo.bones().into_iter().zip(pseudo.weights())),
                Transform::Bone(_) => None,
            });
        pseudo
            .map(|slots| {
                slots
                    .filter(|(_, weight)| *weight != 0.0)
                    .collect::<Vec<_>>()
            })
            .collect()
    };
    assert_eq!(pseudo_bones(&again), pseudo_bones(&document));
}

#[test]
fn followed_bones_beyond_four_are_a_loss() {
    let mut document = animated_case();
    document.bones.truncate(4);
    document
        .bones
        .insert(1, bone(0, [0.0, 1.0, 0.0], Rotation::IDENTITY));
    document.animations.clear();
    document
        .bones
        .push(pseudo([0, 1, 2, 0], [0.5, 0.25, 0.25, 0.0]));
    document
        .bones
        .push(pseudo([5, 3, 4, 0], [0.5, 0.375, 0.125, 0.0]));
    let (scene, losses) = document.into_scene(&SceneOptions::default()).unwrap();
    let lost = losses
        .iter()
        .find(|loss| loss.path == "bones[6].pseudo")
        .expect("a loss");
    // An upper bound of the sum in 32 bits.
    assert!(
        lost.error
            .is_some_and(|error| (0.125..0.12500002).contains(&error)),
        "{lost:?}"
    );
    assert_eq!(lost.quantity, Some(meshspec::Quantity::WEIGHTS));
    let parts = &scene.skeleton.joints[9..];
    assert_eq!(
        parts.iter().map(|joint| joint.parent).collect::<Vec<_>>(),
        [Some(3), Some(0), Some(1), Some(2)]
    );
}

/// Poses ignore missing bones, and divide by the weights of the others.
#[test]
fn scenes_ignore_missing_bones() {
    let mut document = animated_case();
    for bone in document.bones.iter_mut().filter(|bone| bone.is_pseudo()) {
        bone.transform = pseudo([1, 200, 2, 250], [0.25, 0.5, 0.5, 0.25]).transform;
    }
    let mut options = SceneOptions::default();
    options.conventions = Some(Conventions::GLTF);
    let (scene, _) = document.clone().into_scene(&options).unwrap();
    assert_scene_moves_like_bones(&document, &scene);
}
