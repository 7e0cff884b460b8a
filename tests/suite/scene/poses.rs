//! At many times, skinned vertices of scenes and GLB files equal those of the source files, as computed from documents
//! and by independent decoders.

use std::collections::BTreeMap;

use glam::{Mat4, Quat, Vec3};
use meshspec::interop::Interchange;
use meshspec::scene::{
    Animation, Channel, Interpolation, Joint, Samples, Scene, SceneOptions, Skeleton, Skin,
};
use meshspec::{Document, Format, Loss, bmd, mesh};
use serde_json::Value;

use crate::common::{File, fixtures_of};

/// Returns the skinned vertices of a scene at a time of an animation.
fn skinned(scene: &Scene, animation: &Animation, ticks: f32) -> Vec<Vec<Vec3>> {
    let joints = scene
        .skeleton
        .global_matrices(&animation.pose(&scene.skeleton, ticks));
    let moves: Vec<Mat4> = joints
        .iter()
        .zip(&scene.skeleton.joints)
        .map(|(global, joint)| *global * joint.inverse_bind)
        .collect();
    let mesh = |mesh: &meshspec::scene::Mesh| {
        let vertex = |(vertex, position): (usize, &[f32; 3])| {
            let Some(skin) = mesh.skins.first() else {
                return Vec3::from(*position);
            };
            let weights = skin.weights.clone().into_f32()[vertex];
            if skin.joints[vertex] == [Skin::NONE; 4] {
                return Vec3::from(*position);
            }
            let parts = skin.joints[vertex]
                .iter()
                .zip(weights)
                .filter(|(joint, _)| **joint != Skin::NONE);
            parts.fold(Vec3::ZERO, |sum, (joint, weight)| {
                sum + moves[usize::from(*joint)].transform_point3(Vec3::from(*position)) * weight
            })
        };
        mesh.positions.iter().enumerate().map(vertex).collect()
    };
    scene.meshes.iter().map(mesh).collect()
}

/// Converts a scene to GLB and back. Also returns the losses.
fn through_glb(scene: Scene) -> meshspec::Result<(Scene, Vec<Loss>)> {
    let mut files = BTreeMap::new();
    let losses = Interchange::Glb.write(scene, "x.glb", &mut files, &SceneOptions::default())?;
    let bytes = files.remove("x.glb").unwrap();
    let (again, _) = Interchange::Glb
        .read(&bytes, &files, &Default::default(), &Default::default())
        .unwrap();
    Ok((again, losses))
}

of_files!(
    bmd_poses_match_in_glb,
    bmd_scenes_match_the_poses_of_the_document,
    mesh_poses_match_in_glb
);

fn bmd_poses_match_in_glb(files: Vec<File>) {
    let mut compared = 0;
    for (format, bytes) in files {
        if format != bmd::FORMAT {
            continue;
        }
        let document = format.read(&bytes, &Default::default()).unwrap();
        let (scene, _) = document.into_scene(&SceneOptions::default()).unwrap();
        let (again, losses) = through_glb(scene.clone()).unwrap();
        if losses.iter().any(|loss| loss.path == "lods") {
            continue;
        }
        // glTF has no animations without channels.
        let moving: Vec<_> = scene
            .animations
            .iter()
            .filter(|animation| !animation.channels.is_empty())
            .collect();
        assert_eq!(again.animations.len(), moving.len(), "{losses:?}");
        for (found, expected) in again.animations.iter().zip(moving) {
            // Between whole frames, glTF uses slerp.
            for ticks in [0.0, 1.0, 2.0, 5.0] {
                let seconds = expected.ticks_to_seconds(ticks) * found.rate;
                let pairs = skinned(&again, found, seconds)
                    .into_iter()
                    .zip(skinned(&scene, expected, ticks));
                for (found, expected) in
                    pairs.flat_map(|(found, expected)| found.into_iter().zip(expected))
                {
                    let distance = expected.distance(found);
                    assert!(
                        distance <= 1e-3 * (1.0 + expected.length()),
                        "{ticks}: {expected} {found}"
                    );
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 0);
}

fn bmd_scenes_match_the_poses_of_the_document(files: Vec<File>) {
    let mut compared = 0;
    for (format, bytes) in files {
        if format != bmd::FORMAT {
            continue;
        }
        let document = bmd::Document::read(&bytes, &Default::default()).unwrap();
        let (scene, _) = Document::Bmd(document.clone())
            .into_scene(&SceneOptions::default())
            .unwrap();
        let drawn: Vec<_> = document
            .meshes
            .iter()
            .filter(|mesh| mesh.material.is_some())
            .collect();
        for (source, animation) in document.animations.iter().zip(&scene.animations) {
            for ticks in [0.0, 0.5, 1.0, 3.25, 7.0, 40.0] {
                let matrices = source.pose(ticks).matrices(&document.bones);
                for (mesh, found) in drawn.iter().zip(skinned(&scene, animation, ticks)) {
                    let columns = mesh.vertices.columns();
                    for ((bone, local), found) in
                        columns.bones.iter().zip(columns.positions).zip(found)
                    {
                        let matrix = matrices
                            .get(usize::from(*bone))
                            .map_or(Mat4::IDENTITY, Mat4::from_cols_array_2d);
                        let [x, y, z] = matrix.transform_point3(local.into()).to_array();
                        let expected = Vec3::new(x, z, -y);
                        let distance = expected.distance(found);
                        assert!(
                            distance <= 1e-4 * (1.0 + expected.length()),
                            "{ticks}: {expected} {found}"
                        );
                        compared += 1;
                    }
                }
            }
        }
    }
    assert!(compared > 0);
}

/// Returns the drawn vertices of a sidecar, transformed by bone matrices, in glTF axes.
fn drawn_vertices(expected: &Value, matrices: &[Mat4]) -> Vec<Vec<Vec3>> {
    let meshes = expected["meshes"].as_array().unwrap();
    let drawn = meshes.iter().filter(|mesh| !mesh["material"].is_null());
    let mesh = |mesh: &Value| {
        let vertices = mesh["pos"]
            .as_array()
            .unwrap()
            .iter()
            .zip(mesh["bone"].as_array().unwrap());
        let place = |(position, bone): (&Value, &Value)| {
            let matrix = matrices
                .get(bone.as_u64().unwrap() as usize)
                .copied()
                .unwrap_or(Mat4::IDENTITY);
            let [x, y, z] = matrix
                .transform_point3(Vec3::from_slice(&numbers(position)))
                .to_array();
            Vec3::new(x, z, -y)
        };
        vertices.map(place).collect()
    };
    drawn.map(mesh).collect()
}

pub fn numbers(value: &Value) -> Vec<f32> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|number| number.as_f64().unwrap() as f32)
        .collect()
}

/// Returns the matrix of each bone of a sidecar in a pose, from bone space to model space. The matrix of a
/// pseudo-bone is the weighted mean of other matrices; bone 0 has the identity (B20).
pub fn matrices(bones: &[Value], pose: Option<&Value>) -> Vec<Mat4> {
    let mut matrices: Vec<Mat4> = Vec::new();
    let mut normal = 0;
    for bone in bones {
        let of = |bone: &Value| matrices[bone.as_u64().unwrap() as usize];
        let pseudo = bone.get("pseudo").filter(|pseudo| !pseudo.is_null());
        let matrix = if matrices.is_empty() {
            Mat4::IDENTITY
        } else if let Some(pseudo) = pseudo {
            let weights = numbers(&pseudo["weight"]);
            let total: f32 = weights.iter().sum();
            let parts = pseudo["bone"].as_array().unwrap().iter().zip(weights);
            parts.fold(Mat4::ZERO, |sum, (bone, weight)| {
                sum + of(bone) * (weight / total)
            })
        } else {
            let value = |name: &str| pose.map(|pose| numbers(&pose[name][normal]));
            let rotation =
                value("rot_ijkr").map_or(Quat::IDENTITY, |rotation| Quat::from_slice(&rotation));
            let translation =
                value("trans").map_or(Vec3::ZERO, |translation| Vec3::from_slice(&translation));
            let scale = value("scale").map_or(Vec3::ONE, |scale| Vec3::from_slice(&scale));
            let base = Quat::from_slice(&numbers(&bone["rot_ijkr"]));
            let origin = Vec3::from_slice(&numbers(&bone["org"])) + translation;
            let local =
                Mat4::from_scale_rotation_translation(scale, (rotation * base).normalize(), origin);
            of(&bone["parent"]) * local
        };
        matrices.push(matrix);
        normal += usize::from(pseudo.is_none());
    }
    matrices
}

/// Asserts that the vertices are equal within rounding. Returns their number.
fn assert_same(at: &str, found: &[Vec<Vec3>], expected: &[Vec<Vec3>]) -> usize {
    assert_eq!(found.len(), expected.len(), "{at}: meshes");
    let pairs = found
        .iter()
        .zip(expected)
        .inspect(|(found, expected)| assert_eq!(found.len(), expected.len()));
    let mut count = 0;
    for (found, expected) in pairs.flat_map(|(found, expected)| found.iter().zip(expected)) {
        let distance = expected.distance(*found);
        assert!(
            distance <= 1e-3 * (1.0 + expected.length()),
            "{at}: {expected} {found}"
        );
        count += 1;
    }
    count
}

/// Compares every frame with the poses of an independent decoder.
#[test]
#[ignore = "needs the reference files: set MESHSPEC_FIXTURES"]
fn bmd_poses_in_glb_match_the_sidecars() {
    let fixtures = fixtures_of("bmd");
    let (mut frames, mut vertices) = (0, 0);
    for fixture in fixtures
        .iter()
        .filter(|fixture| fixture.strict == Some(true))
    {
        let Some(expected) = &fixture.expected else {
            continue;
        };
        let document = bmd::FORMAT
            .read(&fixture.bytes, &Default::default())
            .unwrap();
        let (scene, _) = document.into_scene(&SceneOptions::default()).unwrap();
        let moving = scene
            .animations
            .iter()
            .map(|animation| !animation.channels.is_empty());
        let moving: Vec<bool> = moving.collect();
        let (again, losses) = through_glb(scene).unwrap();
        if losses.iter().any(|loss| loss.path == "lods") {
            continue;
        }
        // glTF has no animations without channels.
        let animations = expected["anims"]
            .as_array()
            .unwrap()
            .iter()
            .zip(moving)
            .filter(|(_, moves)| *moves);
        for ((animation, _), found) in animations.zip(&again.animations) {
            let rate = animation["hz"].as_f64().unwrap() as f32;
            for (frame, pose) in animation["pose"].as_array().unwrap().iter().enumerate() {
                let matrices = matrices(expected["bones"].as_array().unwrap(), Some(pose));
                let ticks = frame as f32 / rate * found.rate;
                let at = format!("{}: {} at {frame}", fixture.file, animation["name"]);
                vertices += assert_same(
                    &at,
                    &skinned(&again, found, ticks),
                    &drawn_vertices(expected, &matrices),
                );
                frames += 1;
            }
        }
    }
    assert!(
        frames > 50 && vertices > 1000,
        "{frames} frames, {vertices} vertices"
    );
}

fn rows(rows: [[f32; 4]; 4]) -> Mat4 {
    Mat4::from_cols_array_2d(&rows).transpose()
}

/// Returns the vertices of a MESH file between two timestamps by the specification. Poses are relative to parents,
/// and a joint's transform maps from model space to joint space.
fn mesh_vertices(
    document: &mesh::Document,
    animation: &mesh::Animation,
    (at, part): (usize, f32),
) -> Vec<Vec3> {
    let poses = [at, (at + 1).min(animation.timestamps.len() - 1)]
        .map(|timestamp| document.skeleton_pose(animation, timestamp).unwrap());
    let local = |id: usize| {
        let [before, after] = [&poses[0][id], &poses[1][id]];
        let turn = |[w, x, y, z]: [f32; 4]| Quat::from_xyzw(x, y, z, w).normalize();
        let between = |a: [f32; 3], b: [f32; 3]| Vec3::from(a).lerp(b.into(), part);
        Mat4::from_scale_rotation_translation(
            between(before.scale, after.scale),
            turn(before.rotation).slerp(turn(after.rotation), part),
            between(before.position, after.position),
        )
    };
    let entry = |id: usize| {
        document
            .joints
            .iter()
            .find(|joint| usize::from(joint.id) == id)
            .unwrap()
    };
    let global = |id: usize| {
        let (mut matrix, mut joint) = (local(id), entry(id));
        while joint.parent != 255 {
            matrix = local(joint.parent.into()) * matrix;
            joint = entry(joint.parent.into());
        }
        matrix
    };
    let moves: Vec<Mat4> = (0..document.joints.len())
        .map(|id| global(id) * rows(entry(id).transform))
        .collect();
    let vertex = |index: usize| {
        let vertex = document.vertices.get(index).unwrap();
        let influences = vertex
            .joint_ids
            .unwrap()
            .into_iter()
            .zip(vertex.joint_weights.unwrap());
        let known: Vec<_> = influences
            .filter_map(|(id, weight)| Some((moves.get(usize::from(id))?, f32::from(weight))))
            .filter(|(_, weight)| *weight > 0.0)
            .collect();
        // Unbound vertices stay in place.
        let position = Vec3::from(vertex.position);
        let total: f32 = known.iter().map(|(_, weight)| weight).sum();
        let moved = known
            .iter()
            .map(|(matrix, weight)| matrix.transform_point3(position) * (weight / total));
        if known.is_empty() {
            position
        } else {
            moved.sum()
        }
    };
    (0..document.vertices.len()).map(vertex).collect()
}

/// Compares poses at and between timestamps, with translations, rotations and scales.
fn mesh_poses_match_in_glb(files: Vec<File>) {
    let (mut times, mut vertices) = (0, 0);
    for (format, bytes) in files {
        if format != mesh::FORMAT {
            continue;
        }
        let document = mesh::Document::read(&bytes, &Default::default()).unwrap();
        // The root transform becomes the parent node.
        let (mut scene, _) = Document::Mesh(document.clone())
            .into_scene(&SceneOptions::default())
            .unwrap();
        scene.transform = None;
        if document.vertices.joint_ids().is_none() || document.joints.is_empty() {
            continue;
        }
        let (again, _) = through_glb(scene).unwrap();
        let animations = document
            .animations
            .iter()
            .filter(|animation| !animation.timestamps.is_empty());
        for (animation, found) in animations.zip(&again.animations) {
            let stamps = &animation.timestamps;
            for at in (0..stamps.len()).step_by(stamps.len().div_ceil(12)) {
                for part in
                    [0.0, 0.25, 0.5]
                        .into_iter()
                        .take(if at + 1 < stamps.len() { 3 } else { 1 })
                {
                    let after = stamps[(at + 1).min(stamps.len() - 1)];
                    let ticks = stamps[at] + (after - stamps[at]) * part;
                    let found = skinned(&again, found, ticks / animation.speed * found.rate);
                    let expected = mesh_vertices(&document, animation, (at, part));
                    vertices += assert_same(&format!("{ticks}"), &found, &[expected]);
                    times += 1;
                }
            }
        }
    }
    println!("{times} times, {vertices} vertices");
    assert!(
        times > 20 && vertices > 500,
        "{times} times, {vertices} vertices"
    );
}

/// Returns a joint and its animation, a quarter turn within two ticks.
fn turning(looped: bool) -> (Skeleton, Animation) {
    let quarter = Quat::from_rotation_z(std::f32::consts::FRAC_PI_2);
    let turn = Channel {
        joint: 0,
        times: 0,
        interpolation: Interpolation::Linear,
        samples: Samples::Rotation(vec![[0.0, 0.0, 0.0, 1.0], quarter.to_array()]),
    };
    let animation = Animation {
        rate: 1.0,
        duration: 4.0,
        looped,
        times: vec![vec![0.0, 2.0]],
        channels: vec![turn],
        ..Animation::default()
    };
    (
        Skeleton {
            joints: vec![Joint::default()],
        },
        animation,
    )
}

#[test]
fn loops_turn_back_between_the_last_key_and_the_first() {
    for (looped, angles) in [
        (true, [45.0, 90.0, 45.0, 22.5]),
        (false, [45.0, 90.0, 90.0, 90.0]),
    ] {
        let (skeleton, animation) = turning(looped);
        for (ticks, expected) in [1.0, 2.0, 3.0, 3.5].into_iter().zip(angles) {
            let [_, _, z, w] = animation.pose(&skeleton, ticks)[0].rotation;
            let found = 2.0 * z.atan2(w).to_degrees();
            assert!(
                (found - expected).abs() < 0.01,
                "{looped}, {ticks}: {found} for {expected}"
            );
        }
    }
}
