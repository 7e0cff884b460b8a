//! Small files that would take much time or memory without limits or efficient algorithms.

use meshspec::interop::Interchange;
use meshspec::scene::SceneOptions;
use meshspec::{ErrorKind, Limit, Limits};
use serde_json::{Value, json};

use super::malformed::{add, add_samples, numbers, triangle, with};
use super::{Files, read_json};

/// A chain of nodes, each with a triangle and one step above its parent. Work for each pair of node and ancestor would
/// take too long.
#[test]
fn a_deep_chain_of_nodes_is_read_in_one_pass() {
    const NODES: usize = 60_000;
    let mut json = triangle();
    let node =
        |index: usize| json!({ "mesh": 0, "translation": [0, 1, 0], "children": [index + 1] });
    let mut nodes: Vec<Value> = (0..NODES).map(node).collect();
    nodes.push(json!({}));
    json["nodes"] = nodes.into();
    json["skins"] = json!([{ "joints": [0, NODES], "skeleton": 0 }]);
    add_samples(&mut json);
    json["animations"] = json!([{
        "channels": [{ "sampler": 0, "target": { "node": 0, "path": "scale" } }],
        "samplers": [{ "input": 2, "output": 3 }],
    }]);
    let (scene, losses) = read_json(&json, &numbers()).unwrap();
    assert_eq!(
        (scene.meshes.len(), scene.skeleton.joints.len()),
        (NODES, NODES + 1)
    );
    assert_eq!(
        scene.meshes[NODES - 1].positions[0],
        [0.0, NODES as f32, 0.0]
    );
    // The ancestors of the joints follow the joints, from the bottom up.
    let heights = scene.skeleton.joints[2..]
        .iter()
        .map(|joint| -joint.inverse_bind.w_axis.y);
    assert!(heights.eq((2..=NODES).rev().map(|height| height as f32)));
    assert!(
        losses
            .iter()
            .all(|loss| !loss.path.to_string().starts_with("skins")),
        "{:?}",
        losses[0]
    );
}

#[test]
fn repeated_extras_are_limited() {
    let limits = Limits::default().with_max_decoded(64 << 20);
    let read = |json: &Value| {
        let files = Files::from([("numbers.bin".to_owned(), numbers())]);
        let read = Interchange::Gltf.read(
            json.to_string().as_bytes(),
            &files,
            &SceneOptions::default(),
            &limits,
        );
        read.map(|(scene, _)| scene.meshes.len())
            .map_err(|error| error.kind())
    };
    let heavy = json!({ "text": "x".repeat(100_000) });
    let mut nodes = with("/meshes/0/extras", heavy.clone());
    assert_eq!(read(&nodes), Ok(1));
    nodes["nodes"] = vec![json!({ "mesh": 0 }); 100].into();
    nodes["scenes"][0]["nodes"] = (0..100).collect::<Vec<_>>().into();
    assert_eq!(read(&nodes), Ok(1), "the mesh is read once");
    let primitive = nodes["meshes"][0]["primitives"][0].clone();
    nodes["meshes"][0] = json!({ "primitives": vec![primitive; 100] });
    nodes["nodes"] = json!([{ "mesh": 0, "extras": heavy }]);
    nodes["scenes"][0]["nodes"] = json!([0]);
    assert_eq!(
        read(&nodes),
        Err(ErrorKind::LimitExceeded(Limit::Decoded)),
        "its node is a placement of each primitive"
    );
    nodes["nodes"][0]["extras"] = Value::Null;
    assert_eq!(read(&nodes), Ok(100));

    let mut instances = with("/meshes/0/extras", heavy);
    add(
        &mut instances,
        "accessors",
        json!({ "componentType": 5126, "count": 100, "type": "VEC3" }),
    );
    instances["nodes"][0]["extensions"] =
        json!({ "EXT_mesh_gpu_instancing": { "attributes": { "TRANSLATION": 2 } } });
    assert_eq!(read(&instances), Ok(1), "instances share the mesh");
}

#[test]
fn several_curves_share_the_finest_times() {
    let mut json = triangle();
    let floats = [
        vec![0.0, 1.0],
        // In-tangent, value and out-tangent of two keys, for a gentle and a steep curve.
        vec![
            0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.1, 0.0, 1.0, 0.1, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0,
            0.0,
        ],
        vec![
            0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 90.0, 0.0, 0.0, 50.0, 0.0, 0.0, 2.0, 1.0, 1.0, 0.0, 0.0,
            0.0,
        ],
    ];
    let mut bytes = numbers();
    for (floats, name) in floats.iter().zip(["SCALAR", "VEC3", "VEC3"]) {
        add(
            &mut json,
            "bufferViews",
            json!({ "buffer": 0, "byteOffset": bytes.len(), "byteLength": 4 * floats.len() }),
        );
        bytes.extend(meshspec::bulk::as_bytes::<f32>(floats).iter());
        let count = if name == "SCALAR" { 2 } else { 6 };
        let view = json["accessors"].as_array().unwrap().len();
        add(
            &mut json,
            "accessors",
            json!({ "bufferView": view, "componentType": 5126, "count": count, "type": name }),
        );
    }
    json["buffers"][0]["byteLength"] = bytes.len().into();
    json["animations"] = json!([{
        "channels": [
            { "sampler": 0, "target": { "node": 0, "path": "translation" } },
            { "sampler": 1, "target": { "node": 0, "path": "scale" } },
        ],
        "samplers": [
            { "input": 2, "output": 3, "interpolation": "CUBICSPLINE" },
            { "input": 2, "output": 4, "interpolation": "CUBICSPLINE" },
        ],
    }]);
    let (scene, _) = read_json(&json, &bytes).unwrap();
    let [few, many] = &*scene.animations[0].times else {
        panic!("{:?}", scene.animations[0].times)
    };
    let (few, many) = if few.len() < many.len() {
        (few, many)
    } else {
        (many, few)
    };
    assert!(
        few.iter().all(|time| many.contains(time)),
        "{few:?} in {many:?}"
    );
}
