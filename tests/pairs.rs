//! A scene in any format, taken to any other and back: what differs is what the lists of losses say, and nothing else.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;

use glam::Vec3;
use meshspec::scene::{Scene, SceneOptions, UvOrigin, Weights, strategy};
use meshspec::{Document, ErrorKind, FormatId, Loss, LossKind};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

fn config(cases: u32) -> ProptestConfig {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/proptest-regressions/pairs.txt");
    ProptestConfig {
        cases,
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct(file))),
        ..ProptestConfig::default()
    }
}

/// What is in a scene, part by part, as numbers; meshes one behind the other, as a target with one mesh has them.
/// Parts that are not there are left out.
fn parts(scene: &Scene) -> BTreeMap<String, Vec<f64>> {
    let mut parts: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let mut add = |name: String, values: Vec<f64>| parts.entry(name).or_default().extend(values);
    let floats = |values: &[f32]| values.iter().map(|value| f64::from(*value)).collect::<Vec<_>>();
    let mut base = 0.0;
    for mesh in &scene.meshes {
        add("positions".into(), floats(mesh.positions.as_flattened()));
        if let Some(normals) = &mesh.normals {
            // Their direction: packed ones are of other lengths.
            let units: Vec<[f32; 3]> =
                normals.iter().map(|n| Vec3::from(*n).normalize_or_zero().into()).collect();
            add("normals".into(), floats(units.as_flattened()));
        }
        if let Some(tangents) = &mesh.tangents {
            add("tangents".into(), floats(tangents.as_flattened()));
        }
        for (set, uvs) in mesh.uvs.iter().enumerate() {
            let v = |v: f32| if mesh.uv_origin == UvOrigin::TopLeft { v } else { 1.0 - v };
            let uvs: Vec<_> = uvs.iter().map(|uv| [uv[0], v(uv[1])]).collect();
            add(format!("uvs[{set}]"), floats(uvs.as_flattened()));
        }
        for (set, colors) in mesh.colors.iter().enumerate() {
            add(format!("colors[{set}]"), floats(colors.clone().into_f32().as_flattened()));
        }
        for (set, skin) in mesh.skins.iter().enumerate() {
            add(format!("skins[{set}]"), weights_of_joints(&skin.joints, &skin.weights));
        }
        let mut triangles = mesh.clone();
        triangles.triangulate();
        let mut faces = Vec::new();
        triangles.faces.for_each_triangle(mesh.positions.len(), |corners| {
            faces.extend(corners.map(|corner| f64::from(corner) + base));
        });
        add("faces".into(), faces);
        base += mesh.positions.len() as f64;
    }
    for joint in &scene.skeleton.joints {
        add("skeleton".into(), floats(&joint.inverse_bind.to_cols_array()));
    }
    for animation in &scene.animations {
        let times: Vec<f32> = (0..8).map(|step| animation.duration * step as f32 / 8.0).collect();
        for pose in animation.poses(&scene.skeleton, &times) {
            let turned = if pose.rotation[3] < 0.0 { pose.rotation.map(|x| -x) } else { pose.rotation };
            add("animations".into(), floats(&[&pose.translation[..], &turned, &pose.scale].concat()));
        }
    }
    if !scene.user_data.is_empty() {
        add("user_data".into(), scene.user_data.iter().map(|byte| f64::from(*byte)).collect());
    }
    parts.retain(|_, values| !values.is_empty());
    parts
}

/// The weight of each of the first joints, whatever slot it is in.
fn weights_of_joints(joints: &[[u16; 4]], weights: &Weights) -> Vec<f64> {
    let weights = weights.clone().into_f32();
    let all = joints.iter().zip(&weights).flat_map(|(joints, weights)| {
        let mut sums = [0.0; 16];
        for (joint, weight) in joints.iter().zip(weights).filter(|(_, weight)| **weight > 0.0) {
            sums[usize::from(*joint).min(15)] += f64::from(*weight);
        }
        sums
    });
    all.collect()
}

/// How a part may differ, by what the lists say of it: not at all, by so much, or in any way.
fn allowed(part: &str, losses: &[Loss]) -> f64 {
    let name = part.split('[').next().unwrap();
    let about = losses.iter().filter(|loss| match loss.path.as_str() {
        // What is filled up or merged is said of the mesh as a whole.
        "meshes" => false,
        "lods" | "skeleton.joints" | "attributes" => true,
        path if path.ends_with(']') && path.starts_with("meshes[") && !path.contains('.') => true,
        path => path.contains(name) || (name == "animations" && path.starts_with("skeleton")),
    });
    about.fold(0.0, |most, loss| match (loss.kind, loss.error) {
        (LossKind::Quantised, Some(error))
            if name != "animations" && name != "normals" && name != "skins" =>
        {
            most + f64::from(error)
        }
        _ => f64::INFINITY,
    })
}

fn compare(found: &Scene, expected: &Scene, losses: &[Loss]) -> Result<(), TestCaseError> {
    let (found, expected) = (parts(found), parts(expected));
    for name in found.keys().chain(expected.keys()) {
        let most = allowed(name, losses);
        if most.is_infinite() {
            continue;
        }
        let (Some(found), Some(expected)) = (found.get(name), expected.get(name)) else {
            return Err(TestCaseError::fail(format!(
                "{name} is only on one side, and nobody said so: {losses:?}"
            )));
        };
        prop_assert_eq!(found.len(), expected.len(), "{}: {:?}", name, losses);
        for (found, expected) in found.iter().zip(expected) {
            // Turning and turning back rounds.
            let rounding = match &**name {
                "animations" | "skeleton" => 2e-5,
                // Angles are told to 3.5e-4.
                "normals" => 1e-3,
                _ => 2e-6,
            };
            let most = most * 1.001 + rounding * (1.0 + expected.abs());
            prop_assert!(
                (found - expected).abs() <= most,
                "{}: {} for {}, {:?}",
                name,
                found,
                expected,
                losses
            );
        }
    }
    Ok(())
}

/// What was said to be dropped is not there.
fn dropped_is_gone(scene: &Scene, losses: &[Loss]) -> Result<(), TestCaseError> {
    let parts = parts(scene);
    for (path, name) in
        [("animations", "animations"), ("skeleton.joints", "skeleton"), ("user_data", "user_data")]
    {
        let dropped = losses.iter().any(|loss| loss.kind == LossKind::Dropped && loss.path == path);
        let names_only = losses.iter().any(|loss| loss.path == path && loss.message.contains("names"));
        prop_assert!(!dropped || names_only || !parts.contains_key(name), "{path}: {losses:?}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(config(150))]

    #[test]
    fn every_format_by_way_of_every_other(scene in strategy::scenes()) {
        let options = SceneOptions::default();
        for a in FormatId::ALL {
            let first = match Document::from_scene(*a, scene.clone(), &options) {
                Ok((document, _)) => document,
                Err(error) => {
                    prop_assert_eq!(error.kind(), ErrorKind::Inexpressible);
                    continue;
                }
            };
            let (source, _) = first.into_scene(&options).unwrap();
            for b in FormatId::ALL {
                let (other, mut losses) = match Document::from_scene(*b, source.clone(), &options) {
                    Ok(converted) => converted,
                    Err(error) => {
                        prop_assert_eq!(error.kind(), ErrorKind::Inexpressible);
                        continue;
                    }
                };
                let (there, more) = other.into_scene(&options).unwrap();
                dropped_is_gone(&there, &losses)?;
                losses.extend(more);
                compare(&there, &source, &losses)?;
                if let Ok((again, more)) = Document::from_scene(*a, there, &options) {
                    losses.extend(more);
                    let (back, more) = again.into_scene(&options).unwrap();
                    losses.extend(more);
                    compare(&back, &source, &losses)?;
                }
            }
        }
    }
}
