//! Animated nodes with meshes become joints that keep their names and animations.

use glam::{DMat4, Mat4, Quat, Vec3};
use meshspec::interop::Interchange;
use meshspec::scene::{FromScene, Placement, Samples, Scene, SceneOptions, ToScene, Transform};
use meshspec::{Limits, bmd, crucible, mesh};
use serde_json::{Value, json};

use super::{Files, read, read_json, write};

/// Returns a buffer: the positions of a triangle, two times, and a translation and a rotation for each time.
fn numbers() -> Vec<u8> {
    let quarter = Quat::from_rotation_z(std::f32::consts::FRAC_PI_2).to_array();
    let mut numbers = vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 2.0];
    numbers.extend([1.0, 0.0, 0.0, 5.0, 0.0, 0.0]);
    numbers.extend([0.0, 0.0, 0.0, 1.0]);
    numbers.extend(quarter);
    meshspec::bulk::as_bytes(&numbers).into_owned()
}

/// Returns the JSON of a crane that moves along x, its rotating jib with a hook as its child, and a static floor.
fn crane() -> Value {
    let view = |offset: usize, length: usize| json!({ "buffer": 0, "byteOffset": offset, "byteLength": length });
    let accessor = |view: usize, count: usize, name: &str| json!({ "bufferView": view, "componentType": 5126, "count": count, "type": name });
    let channel = |sampler: usize, node: usize, path: &str| json!({ "sampler": sampler, "target": { "node": node, "path": path } });
    json!({
        "asset": { "version": "2.0" },
        "scenes": [{ "nodes": [0, 3] }],
        "nodes": [
            { "name": "crane", "translation": [1, 0, 0], "children": [1] },
            { "name": "jib", "translation": [0, 2, 0], "scale": [2, 2, 2], "mesh": 0, "children": [2] },
            { "name": "hook", "translation": [1, 0, 0], "mesh": 0 },
            { "name": "floor", "mesh": 0 },
        ],
        "meshes": [{ "name": "shape", "primitives": [{ "attributes": { "POSITION": 0 } }] }],
        "animations": [{
            "name": "work",
            "channels": [channel(0, 0, "translation"), channel(1, 1, "rotation")],
            "samplers": [{ "input": 1, "output": 2 }, { "input": 1, "output": 3 }],
        }],
        "buffers": [{ "uri": "numbers.bin", "byteLength": 100 }],
        "bufferViews": [view(0, 36), view(36, 8), view(44, 24), view(68, 32)],
        "accessors": [accessor(0, 3, "VEC3"), accessor(1, 2, "SCALAR"), accessor(2, 2, "VEC3"), accessor(3, 2, "VEC4")],
    })
}

/// Returns the positions of jib, hook and floor at a time in seconds.
fn expected(seconds: f32) -> Vec<Vec3> {
    let part = seconds / 2.0;
    let crane = Mat4::from_translation(Vec3::new(1.0 + 4.0 * part, 0.0, 0.0));
    let turn = Quat::from_rotation_z(part * std::f32::consts::FRAC_PI_2);
    let jib = crane
        * Mat4::from_scale_rotation_translation(Vec3::splat(2.0), turn, Vec3::new(0.0, 2.0, 0.0));
    let hook = jib * Mat4::from_translation(Vec3::X);
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y];
    [jib, hook, Mat4::IDENTITY]
        .iter()
        .flat_map(|matrix| corners.map(|at| matrix.transform_point3(at)))
        .collect()
}

/// Returns all vertices of a scene at a time in seconds.
fn vertices_at(scene: &Scene, seconds: f32) -> Vec<Vec3> {
    let mut scene = scene.clone();
    let animation = &scene.animations[0];
    let pose = animation.pose(&scene.skeleton, seconds * animation.rate);
    scene.apply_pose(&pose);
    scene
        .meshes
        .iter()
        .flat_map(|mesh| &mesh.positions)
        .map(|at| Vec3::from(*at))
        .collect()
}

fn assert_moves(scene: &Scene, near: f32) {
    for seconds in [0.0, 0.5, 1.0, 2.0] {
        let (found, expected) = (vertices_at(scene, seconds), expected(seconds));
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.into_iter().zip(expected) {
            assert!(
                found.distance(expected) < near,
                "{seconds} s: {found} for {expected}"
            );
        }
    }
}

#[test]
fn meshes_move_with_their_nodes() {
    let (scene, losses) = read_json(&crane(), &numbers()).unwrap();
    let names: Vec<_> = scene
        .skeleton
        .joints
        .iter()
        .map(|joint| &*joint.name)
        .collect();
    assert_eq!(names, ["crane", "jib"]);
    assert!(
        losses
            .iter()
            .all(|loss| !loss.path.to_string().starts_with("animations")),
        "{losses:?}"
    );
    assert_moves(&scene, 1e-5);
    assert!(
        scene.meshes[2].skins.is_empty(),
        "the floor moves with nothing"
    );
    // In formats without joints, a mesh that rests in its bind pose requires no transform.
    let (document, _) = crucible::Document::from_scene(scene, &SceneOptions::default()).unwrap();
    let (still, _) = document.into_scene(&SceneOptions::default()).unwrap();
    assert_eq!(still.meshes[0].positions[1], [3.0, 2.0, 0.0]);
}

#[test]
fn meshes_move_in_other_formats() {
    let options = SceneOptions::default();
    let (scene, _) = read_json(&crane(), &numbers()).unwrap();
    let (files, _) = write(Interchange::Glb, scene.clone()).unwrap();
    assert_moves(&read(Interchange::Glb, &files).unwrap().0, 1e-5);
    let (document, _) = mesh::Document::from_scene(scene.clone(), &options).unwrap();
    assert_moves(&document.into_scene(&options).unwrap().0, 1e-4);
    let (document, _) = bmd::Document::from_scene(scene, &options).unwrap();
    let names: Vec<_> = document
        .bones
        .iter()
        .map(|bone| bone.name.as_ref().map(ToString::to_string))
        .collect();
    assert_eq!(
        names[1..],
        [Some("crane".to_owned()), Some("jib".to_owned())]
    );
    assert_moves(&document.into_scene(&options).unwrap().0, 0.1);
}

#[test]
fn meshes_below_joints_of_skins_follow_them() {
    let mut json = crane();
    json["skins"] = json!([{ "joints": [1] }]);
    json["nodes"][3]["skin"] = 0.into();
    json["animations"][0]["channels"][0]["target"]["node"] = 2.into();
    let (scene, _) = read_json(&json, &numbers()).unwrap();
    let hook = &scene.meshes[1];
    let joint = usize::from(hook.skins[0].joints[0][0]);
    assert_eq!(scene.skeleton.joints[joint].name, "hook");
    assert_eq!(scene.skeleton.joints[joint].parent, Some(0));
    // A static hook is bound to the jib, whose bind pose is at the origin because the skin has no other one.
    json["animations"] = crane()["animations"].clone();
    let (scene, _) = read_json(&json, &numbers()).unwrap();
    let joint = usize::from(scene.meshes[1].skins[0].joints[0][0]);
    assert_eq!(scene.skeleton.joints[joint].name, "jib");
    assert_eq!(scene.skeleton.joints[joint].inverse_bind, Mat4::IDENTITY);
    assert_moves(&scene, 1e-5);
}

#[test]
fn animations_without_a_mesh_are_dropped() {
    let mut json = crane();
    json["nodes"][0].as_object_mut().unwrap().remove("children");
    json["scenes"][0]["nodes"] = json!([0, 1, 3]);
    let (scene, losses) = read_json(&json, &numbers()).unwrap();
    let lost: Vec<_> = losses
        .iter()
        .filter(|loss| loss.path.to_string().starts_with("animations"))
        .collect();
    assert_eq!(lost.len(), 1, "{losses:?}");
    assert_eq!(
        lost[0].message,
        "animations of nodes that move no mesh are not converted"
    );
    assert!(matches!(
        scene.animations[0].channels[0].samples,
        Samples::Rotation(_)
    ));
    // A node with scale 0 at rest is dropped: no bind pose could restore its size.
    let mut json = crane();
    json["nodes"][1]["scale"] = json!([0, 0, 0]);
    let (_, losses) = read_json(&json, &numbers()).unwrap();
    assert!(
        losses
            .iter()
            .any(|loss| loss.path == "nodes[1]" && loss.message.contains("a scale of 0")),
        "{losses:?}"
    );
}

#[test]
fn instances_stay_instances() {
    let mut json = crane();
    json.as_object_mut().unwrap().remove("animations");
    let instances = json!({ "EXT_mesh_gpu_instancing": { "attributes": { "TRANSLATION": 2 } } });
    json["nodes"][1]["extensions"] = instances;
    json["extensionsUsed"] = json!(["EXT_mesh_gpu_instancing"]);
    let (scene, losses) = read_json(&json, &numbers()).unwrap();
    // Two instances of the jib, at 1 and 5 along its x axis, which is scaled by 2; then the hook and the floor.
    let origins = |scene: &Scene| -> Vec<_> {
        let placements = scene.meshes.iter().flat_map(|mesh| &mesh.placements);
        let transforms = placements.flat_map(|placement| placement.transforms());
        transforms
            .map(|transform| transform.w_axis.truncate().to_array())
            .collect()
    };
    let expected = [[3.0, 2.0, 0.0], [11.0, 2.0, 0.0], [3.0, 2.0, 0.0], [0.0; 3]];
    assert_eq!(
        (scene.meshes.len(), origins(&scene)),
        (1, expected.to_vec())
    );
    assert!(
        losses
            .iter()
            .all(|loss| !loss.message.contains("instances")),
        "{losses:?}"
    );
    let (files, losses) = write(Interchange::Glb, scene.clone()).unwrap();
    assert!(losses.is_empty(), "{losses:?}");
    let (again, _) = read(Interchange::Glb, &files).unwrap();
    assert_eq!(again.meshes[0].placements, scene.meshes[0].placements);
    let options = SceneOptions::default().with_bake(true);
    let text = json.to_string();
    let folder = Files::from([("numbers.bin".to_owned(), numbers())]);
    let (baked, _) = Interchange::Gltf
        .read(text.as_bytes(), &folder, &options, &Limits::default())
        .unwrap();
    let found: Vec<_> = baked
        .meshes
        .iter()
        .map(|mesh| mesh.positions[0].map(f64::from))
        .collect();
    assert_eq!(found, expected);
    json["nodes"][1]["extensions"]["EXT_mesh_gpu_instancing"]["attributes"]["SCALE"] = 0.into();
    let (scene, losses) = read_json(&json, &numbers()).unwrap();
    assert_eq!(origins(&scene).len(), 3, "the jib once");
    let path = "nodes[1].extensions.EXT_mesh_gpu_instancing";
    let loss = losses.iter().find(|loss| loss.path == path).unwrap();
    assert!(
        loss.to_string().contains("lists of [2, 3] values"),
        "{loss}"
    );
}

#[test]
fn levels_of_detail_at_other_distances_are_listed() {
    let level = |distance: f32| json!({ "meshspec": { "distance": distance } });
    let fine = |coarse: usize| json!({ "mesh": 0, "extras": level(0.0), "extensions": { "MSFT_lod": { "ids": [coarse] } } });
    let mut json = crane();
    json["animations"] = json!([]);
    json["nodes"] = json!([fine(1), { "mesh": 0, "extras": level(4.0) }, fine(3), { "mesh": 0, "extras": level(9.0) }]);
    json["scenes"][0]["nodes"] = json!([0, 2]);
    let (scene, losses) = read_json(&json, &numbers()).unwrap();
    assert_eq!(
        (
            scene.lods.len(),
            scene.lods[1].distance,
            scene.lods[1].meshes.len()
        ),
        (2, 4.0, 2)
    );
    assert_eq!(losses.len(), 1, "{losses:?}");
    assert_eq!(
        losses[0].to_string(),
        "changed: nodes[3]: a level of detail has a single distance: 9 m becomes 4 m"
    );
}

#[test]
fn instances_turn() {
    let mut json = crane();
    json.as_object_mut().unwrap().remove("animations");
    json["nodes"][1]["extensions"] =
        json!({ "EXT_mesh_gpu_instancing": { "attributes": { "TRANSLATION": 2, "ROTATION": 3 } } });
    json["extensionsUsed"] = json!(["EXT_mesh_gpu_instancing"]);
    let (mut scene, _) = read_json(&json, &numbers()).unwrap();
    // The second instance of the jib is turned by a quarter, then scaled by 2 with the jib.
    let transforms: Vec<_> = scene.meshes[0]
        .placements
        .iter()
        .flat_map(|placement| placement.transforms())
        .collect();
    // Two nodes refer to the mesh.
    assert_eq!(transforms.len(), 4);
    for (transform, axis) in transforms.iter().zip([[2.0, 0.0, 0.0], [0.0, 2.0, 0.0]]) {
        let found = transform.x_axis.truncate().as_vec3();
        assert!(found.distance(axis.into()) < 1e-5, "{found} for {axis:?}");
    }
    scene.meshes[0].placements.truncate(1);
    let (files, _) = write(Interchange::Stl, scene).unwrap();
    let (baked, _) = read(Interchange::Stl, &files).unwrap();
    let corners = [[3.0, 2.0, 0.0], [5.0, 2.0, 0.0], [3.0, 4.0, 0.0]].into_iter();
    let turned = [[11.0, 2.0, 0.0], [11.0, 4.0, 0.0], [9.0, 2.0, 0.0]];
    let found: Vec<_> = baked
        .meshes
        .iter()
        .flat_map(|mesh| &mesh.positions)
        .collect();
    assert_eq!(found.len(), 6);
    for (found, expected) in found.into_iter().zip(corners.chain(turned)) {
        assert!(
            Vec3::from(*found).distance(expected.into()) < 1e-5,
            "{found:?} for {expected:?}"
        );
    }
}

#[test]
fn only_nodes_that_change_vertices_are_losses() {
    let lost = |placement: Placement| {
        let (mut scene, _) = read_json(&crane(), &numbers()).unwrap();
        scene = Scene {
            meshes: vec![scene.meshes.swap_remove(2)],
            ..Scene::default()
        };
        scene.meshes[0].placements = vec![placement];
        let (_, losses) = write(Interchange::Stl, scene).unwrap();
        losses
            .iter()
            .filter(|loss| loss.message.contains("no nodes"))
            .count()
    };
    let still = Transform::default();
    let right = Transform {
        translation: [1.0, 0.0, 0.0],
        ..Transform::default()
    };
    let transform = DMat4::from_translation([0.0, 1.0, 0.0].into());
    assert_eq!(lost(Placement::default()), 0);
    assert_eq!(
        lost(Placement {
            transform,
            ..Placement::default()
        }),
        1
    );
    assert_eq!(
        lost(Placement {
            instances: vec![still, right],
            ..Placement::default()
        }),
        1
    );
}
