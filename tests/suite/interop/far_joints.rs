//! Joints far from the origin: 64 bits until a file is written, like the coordinates of meshes.

use meshspec::interop::Interchange::{Gltf, Obj};
use meshspec::scene::{Animation, Channel, Interpolation, Joint, Mesh, Samples, Scene, SceneOptions, Skin};
use meshspec::{Document, FormatId, Limits};
use serde_json::{Value, json};

use super::{list, of, triangle, write};

/// The place of the skeleton in metres, with more digits than 32 bits hold.
const FAR: [f64; 3] = [500_000.123_4, 4_000_000.567_8, 12.25];

/// A triangle that follows a joint, which an animation moves from its rest pose by 1 m.
fn near() -> Scene {
    let channel = Channel {
        joint: 0,
        times: 0,
        interpolation: Interpolation::Linear,
        samples: Samples::Translation(vec![[0.0; 3], [1.0, 0.0, 0.0]]),
    };
    let mut scene = of(vec![Mesh { skins: vec![Skin::rigid([0; 3])], ..triangle() }]);
    scene.skeleton.joints.push(Joint { name: "joint".to_owned(), ..Joint::default() });
    scene.animations.push(Animation {
        rate: 1.0,
        duration: 1.0,
        times: vec![vec![0.0, 1.0]],
        channels: vec![channel],
        ..Animation::default()
    });
    scene
}

/// The same below a node at that place: the only root, which is the transform of the scene, or one of two.
fn far(is_beside: bool) -> Scene {
    let (folder, _) = write(Gltf, near()).unwrap();
    let mut file: Value = serde_json::from_slice(&folder["file.gltf"]).unwrap();
    let nodes = file["nodes"].as_array_mut().unwrap();
    let joint = nodes.iter().position(|node| node["name"] == "joint").unwrap();
    let mesh = nodes.iter().position(|node| !node["mesh"].is_null()).unwrap();
    // The node of the scene, which is written above the joints.
    nodes.iter_mut().filter_map(Value::as_object_mut).for_each(|node| drop(node.remove("children")));
    nodes.push(json!({ "name": "place", "translation": FAR, "children": [joint] }));
    let mut roots = vec![nodes.len() - 1, mesh];
    if is_beside {
        nodes.push(json!({ "name": "beside" }));
        roots.push(nodes.len() - 1);
    }
    file["scenes"] = json!([{ "nodes": roots }]);
    let text = file.to_string();
    let (scene, losses) =
        Gltf.read(text.as_bytes(), &folder, &SceneOptions::default(), &Limits::default()).unwrap();
    assert!(!list(&losses).contains("rounded"), "{}", list(&losses));
    scene
}

/// The places of the vertices at rest, added up in 64 bits.
fn at_rest(scene: &Scene) -> Vec<[f64; 3]> {
    let mut posed = scene.clone();
    let rest: Vec<_> = (0..scene.skeleton.joints.len()).map(|joint| scene.skeleton.rest(joint)).collect();
    posed.pose(&rest);
    let transform = scene.transform.unwrap_or_default().as_dmat4();
    let there = |point: &[f32; 3]| transform.transform_point3(point.map(f64::from).into()).into();
    posed.meshes[0].positions.iter().map(there).collect()
}

fn expected() -> Vec<[f64; 3]> {
    let corners = triangle().positions;
    corners.iter().map(|corner| std::array::from_fn(|axis| f64::from(corner[axis]) + FAR[axis])).collect()
}

fn is_near(found: &[[f64; 3]], expected: &[[f64; 3]]) -> bool {
    let mut pairs = found.as_flattened().iter().zip(expected.as_flattened());
    found.len() == expected.len() && pairs.all(|(found, expected)| (found - expected).abs() < 1e-6)
}

#[test]
fn far_joints_keep_their_places() {
    for is_beside in [false, true] {
        let scene = far(is_beside);
        assert!(is_near(&at_rest(&scene), &expected()), "{:?}", at_rest(&scene));
        // The animation starts in the rest pose.
        let start = scene.animations[0].pose(&scene.skeleton, 0.0);
        for (joint, transform) in start.iter().enumerate() {
            assert_eq!(transform.translation, scene.skeleton.rest(joint).translation);
        }
        let (folder, losses) = write(Gltf, scene).unwrap();
        assert!(!losses.contains("rounded"), "{losses}");
        let (again, _) = super::read(Gltf, &folder["file.gltf"], &folder).unwrap();
        assert!(is_near(&at_rest(&again), &expected()), "{:?}", at_rest(&again));
    }
}

#[test]
fn centred_joints_are_not_rounded() {
    for is_beside in [false, true] {
        let mut scene = far(is_beside);
        let moved = scene.center().unwrap();
        let centred: Vec<[f64; 3]> =
            expected().iter().map(|point| std::array::from_fn(|axis| point[axis] + moved[axis])).collect();
        assert!(is_near(&at_rest(&scene), &centred), "{:?}", at_rest(&scene));
        assert!(centred.as_flattened().iter().all(|coordinate| coordinate.abs() < 1.0));
        let (_, losses) = write(Obj, scene.clone()).unwrap();
        assert!(!losses.contains("rounded"), "{losses}");
        for format in [FormatId::Mesh, FormatId::Bmd] {
            let (_, losses) = Document::from_scene(format, scene.clone(), &SceneOptions::default()).unwrap();
            assert!(!list(&losses).contains("rounded"), "{}", list(&losses));
        }
    }
}

#[test]
fn rounding_of_far_joints_is_listed() {
    let scene = far(true);
    let (_, losses) = write(Obj, scene.clone()).unwrap();
    assert!(losses.contains("meshes[0].positions: coordinates rounded to 32 bits"), "{losses}");
    let (_, losses) = Document::from_scene(FormatId::Mesh, scene.clone(), &SceneOptions::default()).unwrap();
    let joints = losses.iter().find(|loss| loss.path == "skeleton.joints.translation").unwrap();
    // Half a step of 32 bits at 4,000 km is an eighth of a metre.
    assert!(joints.error.is_some_and(|error| error > 0.01 && error < 0.125), "{joints:?}");
    let error = Document::from_scene(FormatId::Bmd, scene, &SceneOptions::default()).unwrap_err();
    assert!(error.message().ends_with(" of \"place\"; --center writes it"), "{error}");
}
