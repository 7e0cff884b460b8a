//! Joints far from the origin keep 64 bits until they are written, like mesh coordinates.

use glam::{DQuat, DVec3};
use meshspec::interop::Interchange::{Gltf, Obj};
use meshspec::scene::{
    Animation, Channel, Interpolation, Joint, Mesh, Samples, Scene, SceneOptions, Skin,
};
use meshspec::{Document, Limits};
use serde_json::{Value, json};

use super::{list, scene_of, triangle, write};

/// The origin of the skeleton in metres, with more digits than 32-bit floats have.
const FAR: [f64; 3] = [500_000.123_4, 4_000_000.567_8, 12.25];

/// Returns a triangle bound to a joint, which an animation moves by 1 m from its rest pose.
fn near() -> Scene {
    let channel = Channel {
        joint: 0,
        times: 0,
        interpolation: Interpolation::Linear,
        samples: Samples::Translation(vec![[0.0; 3], [1.0, 0.0, 0.0]]),
    };
    let mut scene = scene_of(vec![Mesh {
        skins: vec![Skin::rigid([0; 3])],
        ..triangle()
    }]);
    scene.skeleton.joints.push(Joint {
        name: "joint".to_owned(),
        ..Joint::default()
    });
    scene.animations.push(Animation {
        rate: 1.0,
        duration: 1.0,
        times: vec![vec![0.0, 1.0]],
        channels: vec![channel],
        ..Animation::default()
    });
    scene
}

/// Returns the scene with additional nodes, and its losses. `add` receives the nodes and the index of the joint, and
/// returns the root nodes.
fn with_nodes(add: impl FnOnce(&mut Vec<Value>, usize) -> Vec<usize>) -> (Scene, String) {
    let (folder, _) = write(Gltf, near()).unwrap();
    let mut file: Value = serde_json::from_slice(&folder["file.gltf"]).unwrap();
    let nodes = file["nodes"].as_array_mut().unwrap();
    // The scene's node is the parent of the joint.
    nodes
        .iter_mut()
        .filter_map(Value::as_object_mut)
        .for_each(|node| drop(node.remove("children")));
    let joint = nodes
        .iter()
        .position(|node| node["name"] == "joint")
        .unwrap();
    let mut roots = add(nodes, joint);
    roots.extend(nodes.iter().position(|node| !node["mesh"].is_null()));
    file["scenes"] = json!([{ "nodes": roots }]);
    let text = file.to_string();
    let (scene, losses) = Gltf
        .read(
            text.as_bytes(),
            &folder,
            &SceneOptions::default(),
            &Limits::default(),
        )
        .unwrap();
    (scene, list(&losses))
}

/// Returns the scene below a node at `FAR`: the only root, which becomes the transform of the scene, or one of two
/// roots if `is_beside`.
fn far(is_beside: bool) -> Scene {
    let (scene, losses) = with_nodes(|nodes, joint| {
        nodes.push(json!({ "name": "place", "translation": FAR, "children": [joint] }));
        nodes.push(json!({ "name": "beside" }));
        (nodes.len() - 2..nodes.len() - usize::from(!is_beside)).collect()
    });
    assert!(!losses.contains("rounded"), "{losses}");
    scene
}

/// Returns the vertex positions at rest, added in 64 bits.
fn at_rest(scene: &Scene) -> Vec<[f64; 3]> {
    let mut posed = scene.clone();
    let rest: Vec<_> = (0..scene.skeleton.joints.len())
        .map(|joint| scene.skeleton.rest_transform(joint))
        .collect();
    posed.apply_pose(&rest);
    let transform = scene.transform.unwrap_or_default().as_dmat4();
    let there = |point: &[f32; 3]| {
        transform
            .transform_point3(point.map(f64::from).into())
            .into()
    };
    posed.meshes[0].positions.iter().map(there).collect()
}

fn expected() -> Vec<[f64; 3]> {
    let corners = triangle().positions;
    corners
        .iter()
        .map(|corner| std::array::from_fn(|axis| f64::from(corner[axis]) + FAR[axis]))
        .collect()
}

fn is_near(found: &[[f64; 3]], expected: &[[f64; 3]]) -> bool {
    let mut pairs = found.as_flattened().iter().zip(expected.as_flattened());
    found.len() == expected.len() && pairs.all(|(found, expected)| (found - expected).abs() < 1e-6)
}

#[test]
fn far_joints_keep_their_positions() {
    for is_beside in [false, true] {
        let scene = far(is_beside);
        assert!(
            is_near(&at_rest(&scene), &expected()),
            "{:?}",
            at_rest(&scene)
        );
        // The animation starts in the rest pose.
        let start = scene.animations[0].pose(&scene.skeleton, 0.0);
        for (joint, transform) in start.iter().enumerate() {
            assert_eq!(
                transform.translation,
                scene.skeleton.rest_transform(joint).translation
            );
        }
        let (folder, losses) = write(Gltf, scene).unwrap();
        assert!(!losses.contains("rounded"), "{losses}");
        let (again, _) = super::read(Gltf, &folder["file.gltf"], &folder).unwrap();
        assert!(
            is_near(&at_rest(&again), &expected()),
            "{:?}",
            at_rest(&again)
        );
    }
}

#[test]
fn centred_joints_are_not_rounded() {
    for is_beside in [false, true] {
        let mut scene = far(is_beside);
        let moved = scene.center().unwrap();
        let centred: Vec<[f64; 3]> = expected()
            .iter()
            .map(|point| std::array::from_fn(|axis| point[axis] + moved[axis]))
            .collect();
        assert!(is_near(&at_rest(&scene), &centred), "{:?}", at_rest(&scene));
        assert!(
            centred
                .as_flattened()
                .iter()
                .all(|coordinate| coordinate.abs() < 1.0)
        );
        let (_, losses) = write(Obj, scene.clone()).unwrap();
        assert!(!losses.contains("rounded"), "{losses}");
        for format in [meshspec::mesh::FORMAT, meshspec::bmd::FORMAT] {
            let (_, losses) =
                Document::from_scene(format, scene.clone(), &SceneOptions::default()).unwrap();
            assert!(!list(&losses).contains("rounded"), "{}", list(&losses));
        }
    }
}

#[test]
fn far_joints_below_other_transforms_keep_their_positions() {
    let turn = DQuat::from_rotation_y(0.5);
    for (scale, turn) in [(0.01, DQuat::IDENTITY), (100.0, turn), (1.0, turn)] {
        let (scene, losses) = with_nodes(|nodes, joint| {
            let root = nodes.len();
            nodes.push(json!({ "translation": FAR.map(|x| x / scale), "children": [joint] }));
            nodes.push(
                json!({ "scale": &[scale; 3], "rotation": turn.to_array(), "children": [root] }),
            );
            vec![root + 1]
        });
        assert!(!losses.contains("rounded"), "{losses}");
        let there = |corner: [f32; 3]| {
            let corner = DVec3::from(corner.map(f64::from)) + DVec3::from(FAR) / scale;
            (turn * (corner * scale)).into()
        };
        let expected: Vec<[f64; 3]> = triangle().positions.into_iter().map(there).collect();
        let found = at_rest(&scene);
        let mut pairs = found.as_flattened().iter().zip(expected.as_flattened());
        let most = 1e-6 * scale.max(1.0);
        assert!(
            pairs.all(|(found, expected)| (found - expected).abs() < most),
            "{found:?} {expected:?}"
        );
    }
}

#[test]
fn the_offset_follows_the_vertices() {
    // The exact offset cannot move vertices that are far from a joint at the origin.
    let mut scene = near();
    scene.meshes[0].positions = expected()
        .iter()
        .map(|point| point.map(|x| x as f32))
        .collect();
    let before = at_rest(&scene);
    let moved = scene.center().unwrap();
    for (before, after) in before.iter().zip(at_rest(&scene)) {
        assert_eq!(
            std::array::from_fn(|axis| before[axis] + moved[axis]),
            after
        );
    }
}

#[test]
fn rounding_of_joints_below_others_is_listed() {
    let (_, losses) = with_nodes(|nodes, joint| {
        nodes[joint]["translation"] = json!(FAR);
        nodes.push(json!({ "translation": [0.5, 0, 0], "children": [joint] }));
        nodes.push(json!({ "name": "beside" }));
        vec![nodes.len() - 2, nodes.len() - 1]
    });
    let line = "skeleton.joints.translation: joint translations were rounded to 32 bits, off by at most 0.068 m";
    assert!(losses.contains(line), "{losses}");
}

#[test]
fn rounding_of_moved_joints_is_listed() {
    let scene = far(true);
    let (_, losses) = write(Obj, scene.clone()).unwrap();
    assert!(
        losses.contains("meshes[0].positions: coordinates were rounded to 32 bits"),
        "{losses}"
    );
    let (_, losses) = Document::from_scene(
        meshspec::mesh::FORMAT,
        scene.clone(),
        &SceneOptions::default(),
    )
    .unwrap();
    let joints = losses
        .iter()
        .find(|loss| loss.path == "skeleton.joints.translation")
        .unwrap();
    // Half a 32-bit step at 4,000 km is an eighth of a metre.
    assert!(
        joints
            .error
            .is_some_and(|error| error > 0.01 && error < 0.125),
        "{joints:?}"
    );
    let error =
        Document::from_scene(meshspec::bmd::FORMAT, scene, &SceneOptions::default()).unwrap_err();
    assert!(
        error.message().ends_with(" of \"place\"; use --center"),
        "{error}"
    );
}
