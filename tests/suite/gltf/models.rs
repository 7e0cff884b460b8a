//! Models of other writers, compared with their expected content; `tests/external/gltf/run.sh` creates them.

use std::collections::BTreeMap;

use glam::{Mat4, Vec3};
use meshspec::Limits;
use meshspec::interop::Interchange;
use meshspec::scene::{Colors, Components, Indices, Scene, SceneOptions};
use serde_json::{Value, json};

#[test]
#[ignore = "needs models of other writers: tests/external/gltf/run.sh makes them and sets MESHSPEC_GLTF_MODELS"]
fn models_of_other_writers() {
    let folder = std::env::var_os("MESHSPEC_GLTF_MODELS")
        .expect("MESHSPEC_GLTF_MODELS must be the folder of models");
    let mut compared = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let Some(format) = Interchange::by_extension(&path) else {
            continue;
        };
        let beside = format!("{}.json", path.display());
        let expected: Value = serde_json::from_slice(&std::fs::read(beside).unwrap()).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let files = BTreeMap::new();
        let (mut scene, losses) = format
            .read(
                &bytes,
                &files,
                &SceneOptions::default().with_bake(true),
                &Limits::default(),
            )
            .unwrap();
        let name = path.display().to_string();
        let mut paths: Vec<_> = losses.iter().map(|loss| loss.path.to_string()).collect();
        // Node transforms are applied to the vertices; three.js materials have more than a colour.
        paths.retain(|path| !path.starts_with("nodes") && !path.starts_with("materials"));
        assert_eq!(json!(paths), expected["losses"], "{name}: {losses:?}");
        if let Some(poses) = expected["poses"].as_array() {
            poses
                .iter()
                .for_each(|pose| compare_pose(&name, &scene, pose));
            let joints: Vec<_> = scene
                .skeleton
                .joints
                .iter()
                .map(|joint| &joint.name)
                .collect();
            assert_eq!(json!(joints), expected["joints"], "{name}");
            assert_eq!(scene.animations[0].name, expected["animation"], "{name}");
        }
        if let Some(moved) = expected.get("translation") {
            let pose =
                scene.animations[0].pose(&scene.skeleton, moved["time"].as_f64().unwrap() as f32);
            assert_eq!(
                json!(pose[0].translation),
                to_f32(&moved["value"]),
                "{name}"
            );
        }
        compare_mesh(&name, &mut scene, &expected);
        compared += 1;
    }
    assert_eq!(compared, 4, "models");
}

fn to_f32(value: &Value) -> Value {
    json!(serde_json::from_value::<Vec<f32>>(value.clone()).unwrap())
}

fn compare_mesh(name: &str, scene: &mut Scene, expected: &Value) {
    scene.apply_transform();
    assert_eq!(scene.meshes.len(), 1, "{name}");
    let mesh = &scene.meshes[0];
    assert_eq!(mesh.name, expected["name"], "{name}");
    if expected.get("vertices").is_some() {
        let vertices: Vec<_> = mesh
            .positions
            .iter()
            .map(|position| Vec3::from(*position))
            .collect();
        assert_near(name, &vertices, &expected["vertices"]);
        assert_eq!(
            json!(mesh.faces.indices.clone().map(Indices::into_u32)),
            expected["indices"],
            "{name}"
        );
    }
    if let Some(material) = expected.get("material") {
        assert_eq!(&json!(mesh.material.name), material, "{name}");
    }
    if let Some(colors) = expected.get("colors") {
        let Colors::U8(values) = &mesh.colors[0] else {
            panic!("{name}: {:?}", mesh.colors)
        };
        assert_eq!(&json!(values), colors, "{name}");
        assert_eq!(
            serde_json::from_value::<Vec<[f32; 2]>>(expected["uvs"].clone()).unwrap(),
            mesh.uvs[0]
        );
        assert_eq!(mesh.custom[0].name, "HEAT");
        let heat = serde_json::from_value(expected["heat"].clone()).unwrap();
        assert_eq!(mesh.custom[0].values, Components::F32(heat));
        assert_eq!(mesh.extras["made"], "by hand");
        assert_eq!(scene.extras["year"], 2000);
    }
}

fn compare_pose(name: &str, scene: &Scene, expected: &Value) {
    let seconds = expected["time"].as_f64().unwrap() as f32;
    let animation = &scene.animations[0];
    let local = animation.pose(&scene.skeleton, seconds * animation.rate);
    let joints = scene.skeleton.global_matrices(&local);
    let inverse_binds = scene.skeleton.joints.iter().map(|joint| joint.inverse_bind);
    let matrices: Vec<Mat4> = joints
        .into_iter()
        .zip(inverse_binds)
        .map(|(joint, inverse)| joint * inverse)
        .collect();
    let mesh = &scene.meshes[0];
    let weights = mesh.skins[0].weights.clone().into_f32();
    let vertices = mesh
        .positions
        .iter()
        .zip(mesh.skins[0].joints.iter().zip(&weights));
    let vertices: Vec<Vec3> = vertices
        .map(|(position, (joints, weights))| {
            let influences = joints
                .iter()
                .zip(weights)
                .filter(|(_, weight)| **weight > 0.0);
            let moved = influences.map(|(joint, weight)| {
                matrices[usize::from(*joint)].transform_point3(Vec3::from(*position)) * *weight
            });
            moved.sum()
        })
        .collect();
    assert_near(name, &vertices, &expected["vertices"]);
}

fn assert_near(name: &str, vertices: &[Vec3], expected: &Value) {
    let expected: Vec<[f32; 3]> = serde_json::from_value(expected.clone()).unwrap();
    assert_eq!(vertices.len(), expected.len(), "{name}");
    for (vertex, (found, expected)) in vertices.iter().zip(expected).enumerate() {
        assert!(
            (*found - Vec3::from(expected)).length() < 1e-4,
            "{name}: vertex {vertex}: {found}, not {expected:?}"
        );
    }
}
