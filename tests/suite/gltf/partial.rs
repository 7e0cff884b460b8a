//! Partly unreadable files: readable parts are read, and the other parts are listed as losses.

use meshspec::scene::{Indices, Scene};
use meshspec::{ErrorKind, Limit, Loss};
use serde_json::{Value, json};

use super::malformed::{add, add_samples, numbers, rejected, triangle, with};
use super::read_json;

/// Asserts that the triangle is read with exactly one loss. Returns the scene and the loss.
fn read_with_one_loss(json: &Value) -> (Scene, String) {
    let (scene, losses) = read_json(json, &numbers()).unwrap();
    assert_eq!(losses.len(), 1, "{losses:?}");
    assert_eq!(
        scene.meshes[0].faces.indices,
        Some(Indices::U16(vec![0, 1, 2]))
    );
    (scene, losses[0].to_string())
}

/// Returns the JSON of a file with two triangles. The positions of the second are in the given buffer.
fn two_triangles(buffer: Value) -> Value {
    let mut json = triangle();
    add(&mut json, "buffers", buffer);
    add(
        &mut json,
        "bufferViews",
        json!({ "buffer": 1, "byteLength": 36 }),
    );
    add(
        &mut json,
        "accessors",
        json!({ "bufferView": 2, "componentType": 5126, "count": 3, "type": "VEC3" }),
    );
    json["nodes"] = json!([{ "mesh": 0 }, { "mesh": 1 }]);
    json["scenes"][0]["nodes"] = json!([0, 1]);
    add(
        &mut json,
        "meshes",
        json!({ "primitives": [{ "attributes": { "POSITION": 2 } }] }),
    );
    json
}

#[test]
fn meshes_with_invalid_buffers_are_dropped() {
    let cases = [
        (
            json!({ "byteLength": 36, "uri": "nope.bin" }),
            "meshes[1].primitives[0]: cannot be read: buffers[1]: nope.bin: not found",
        ),
        (
            json!({ "byteLength": 36 }),
            "meshes[1].primitives[0]: cannot be read: buffers[1]: no uri",
        ),
        (
            json!({ "byteLength": 48, "uri": "numbers.bin" }),
            "meshes[1].primitives[0]: cannot be read: buffers[1]: byteLength 48 exceeds the buffer size 44",
        ),
        (
            json!({ "byteLength": 20, "uri": "numbers.bin" }),
            "meshes[1].primitives[0]: cannot be read: bufferViews[2]: 36 bytes from offset 0, but buffers[1] has 20",
        ),
    ];
    for (buffer, loss) in cases {
        let (scene, found) = read_with_one_loss(&two_triangles(buffer));
        assert_eq!((scene.meshes.len(), found), (1, format!("dropped: {loss}")));
    }
    let mut json = two_triangles(json!({ "byteLength": 36, "uri": "nope.bin" }));
    json["buffers"][0]["uri"] = "neither.bin".into();
    let error = rejected(&json);
    assert_eq!(
        (error.kind(), &*error.path().to_string()),
        (ErrorKind::Io(std::io::ErrorKind::NotFound), "buffers[0]"),
        "the first reason"
    );
}

#[test]
fn exceeded_limits_are_errors() {
    let error = rejected(&two_triangles(
        json!({ "byteLength": 1_u64 << 40, "uri": "numbers.bin" }),
    ));
    assert_eq!(
        (error.kind(), &*error.path().to_string()),
        (ErrorKind::LimitExceeded(Limit::Decoded), "buffers[1]")
    );
}

#[test]
fn views_end_with_their_buffer() {
    let error = rejected(&with("/buffers/0/byteLength", json!(20)));
    assert_eq!(
        (error.kind(), &*error.path().to_string()),
        (ErrorKind::Malformed, "bufferViews[0]")
    );
    assert_eq!(
        error.message(),
        "36 bytes from offset 0, but buffers[0] has 20"
    );
}

#[test]
fn meshes_with_missing_joints_are_dropped() {
    let mut json = two_triangles(json!({ "byteLength": 44, "uri": "numbers.bin" }));
    add(
        &mut json,
        "accessors",
        json!({ "bufferView": 3, "componentType": 5121, "count": 3, "type": "VEC4" }),
    );
    add(
        &mut json,
        "accessors",
        json!({ "bufferView": 0, "componentType": 5121, "normalized": true, "count": 3, "type": "VEC4" }),
    );
    add(
        &mut json,
        "bufferViews",
        json!({ "buffer": 0, "byteOffset": 12, "byteLength": 12 }),
    );
    json["meshes"][1]["primitives"][0]["attributes"] =
        json!({ "POSITION": 2, "JOINTS_0": 3, "WEIGHTS_0": 3 });
    json["nodes"] = json!([{ "mesh": 0 }, { "mesh": 1, "skin": 0 }, {}]);
    json["scenes"][0]["nodes"] = json!([0, 1, 2]);
    json["skins"] = json!([{ "joints": [2] }]);
    let (scene, loss) = read_with_one_loss(&json);
    assert_eq!(scene.meshes.len(), 1);
    assert!(
        loss.contains("vertex 0 is bound to joint 128, but skins[0] has 1"),
        "{loss}"
    );
}

#[test]
fn joints_without_matrices_are_bound_at_rest() {
    let mut json = two_triangles(json!({ "byteLength": 64, "uri": "nope.bin" }));
    json["meshes"].as_array_mut().unwrap().pop();
    add(
        &mut json,
        "accessors",
        json!({ "bufferView": 2, "componentType": 5126, "count": 1, "type": "MAT4" }),
    );
    json["bufferViews"][2]["byteLength"] = 64.into();
    json["nodes"] = json!([{ "mesh": 0 }, { "children": [2], "translation": [0, 3, 0] }, { "translation": [1, 0, 0] }]);
    json["skins"] = json!([{ "joints": [2], "inverseBindMatrices": 2 }]);
    let (scene, loss) = read_with_one_loss(&json);
    assert!(
        loss.starts_with(
            "changed: skins[0].inverseBindMatrices: the matrices cannot be read; joints were bound"
        ),
        "{loss}"
    );
    assert_eq!(
        scene.skeleton.joints[0].inverse_bind.w_axis.to_array(),
        [-1.0, -3.0, 0.0, 1.0]
    );
    // Bound in its rest pose.
    assert_eq!(scene.skeleton.joints[0].rest, None);
}

#[test]
fn animations_with_invalid_buffers_are_dropped() {
    let mut json = two_triangles(json!({ "byteLength": 36, "uri": "nope.bin" }));
    json["meshes"].as_array_mut().unwrap().pop();
    json["nodes"][1] = json!({});
    json["skins"] = json!([{ "joints": [1] }]);
    let channels = json!([{ "sampler": 0, "target": { "node": 1, "path": "translation" } }]);
    json["animations"] = json!([
        { "channels": channels, "samplers": [{ "input": 3, "output": 2 }] },
        { "channels": channels, "samplers": [{ "input": 3, "output": 4 }] },
    ]);
    add_samples(&mut json);
    let (scene, losses) = read_json(&json, &numbers()).unwrap();
    assert_eq!(
        (scene.animations.len(), scene.animations[0].channels.len()),
        (1, 1)
    );
    let losses: Vec<String> = losses.iter().map(Loss::to_string).collect();
    assert!(
        losses[0].starts_with(
            "dropped: animations[0].channels[0]: cannot be read: buffers[1]: nope.bin"
        ),
        "{losses:?}"
    );
    assert_eq!(
        losses[1..],
        ["dropped: animations[0]: the animation has no readable channel"]
    );
}

#[test]
fn views_of_unknown_extensions_name_them() {
    let mut json = with("/bufferViews/0/extensions", json!({ "ACME_squash": {} }));
    json["bufferViews"][0]["buffer"] = 1.into();
    add(&mut json, "buffers", json!({ "byteLength": 36 }));
    let error = rejected(&json);
    assert_eq!(
        (error.kind(), &*error.path().to_string()),
        (ErrorKind::Unsupported, "bufferViews[0]")
    );
    assert_eq!(
        error.message(),
        "ACME_squash is unsupported; buffers[1]: no uri"
    );
}

#[test]
fn attributes_of_unknown_names() {
    let mut json = with("/meshes/0/primitives/0/attributes/FOO", json!(0));
    json["meshes"][0]["primitives"][0]["attributes"]["COLOR_A"] = 0.into();
    let (scene, losses) = read_json(&json, &numbers()).unwrap();
    let paths: Vec<_> = losses.iter().map(|loss| loss.path.to_string()).collect();
    let attributes = "meshes[0].primitives[0].attributes";
    assert_eq!(
        paths,
        [format!("{attributes}.COLOR_A"), format!("{attributes}.FOO")]
    );
    assert_eq!(
        losses[1].detail.as_deref(),
        Some("\"FOO\""),
        "{}",
        losses[1]
    );
    assert!(scene.meshes[0].custom.is_empty() && scene.meshes[0].colors.is_empty());
}

#[test]
fn empty_levels_of_detail_are_dropped() {
    let mut json = two_triangles(json!({ "byteLength": 36, "uri": "nope.bin" }));
    json["nodes"] =
        json!([{ "mesh": 1, "extensions": { "MSFT_lod": { "ids": [1] } } }, { "mesh": 0 }]);
    json["scenes"][0]["nodes"] = json!([0]);
    let (scene, losses) = read_json(&json, &numbers()).unwrap();
    assert_eq!(
        (scene.meshes.len(), scene.lods.len(), &*scene.lods[0].meshes),
        (1, 1, &[0][..])
    );
    assert!(
        losses
            .iter()
            .any(|loss| loss.path == "meshes[1].primitives[0]"),
        "{losses:?}"
    );
}

#[test]
fn invalid_attributes_are_dropped() {
    let cases = [
        ("NORMAL", 1, "accessors[1]: 1 components, expected 3"),
        (
            "NORMAL",
            9,
            "accessors[9]: out of range: the accessor count is 2",
        ),
        ("TEXCOORD_0", 0, "accessors[0]: 3 components, expected 2"),
        (
            "_HEAT",
            9,
            "accessors[9]: out of range: the accessor count is 2",
        ),
    ];
    for (name, accessor, why) in cases {
        let (scene, loss) = read_with_one_loss(&with(
            &format!("/meshes/0/primitives/0/attributes/{name}"),
            json!(accessor),
        ));
        assert_eq!(
            loss,
            format!("dropped: meshes[0].primitives[0].attributes.{name}: cannot be read: {why}")
        );
        let mesh = &scene.meshes[0];
        assert!(mesh.normals.is_none() && mesh.uvs.is_empty() && mesh.custom.is_empty());
    }
}

#[test]
fn invalid_channels_are_dropped() {
    let good = json!({ "sampler": 0, "target": { "node": 0, "path": "translation" } });
    let mut json = triangle();
    add_samples(&mut json);
    let cases = [
        (
            json!({ "sampler": 7, "target": { "node": 0, "path": "scale" } }),
            "sampler 7 is not below the sampler count 3",
        ),
        (
            json!({ "sampler": 0, "target": { "node": 7, "path": "scale" } }),
            "node 7 is not below the node count 1",
        ),
        (
            json!({ "sampler": 0, "target": { "node": 0, "path": "colour" } }),
            "unknown target path",
        ),
        (
            json!({ "sampler": 1, "target": { "node": 0, "path": "scale" } }),
            "unknown interpolation",
        ),
        (
            json!({ "sampler": 2, "target": { "node": 0, "path": "scale" } }),
            "accessors[0]: 3 values, but 2 are required",
        ),
    ];
    for (bad, why) in cases {
        json["animations"] = json!([{
            "channels": [bad, good],
            "samplers": [
                { "input": 2, "output": 3 },
                { "input": 2, "output": 3, "interpolation": "WIGGLE" },
                { "input": 2, "output": 0 },
            ],
        }]);
        let (scene, loss) = read_with_one_loss(&json);
        assert_eq!(
            loss,
            format!("dropped: animations[0].channels[0]: cannot be read: {why}")
        );
        assert_eq!(scene.animations[0].channels.len(), 1);
    }
    // A channel without effect creates no joint.
    for (target, sampler) in [("colour", 0), ("scale", 7)] {
        let channel = json!({ "sampler": sampler, "target": { "node": 0, "path": target } });
        json["animations"][0]["channels"] = json!([channel]);
        let (scene, losses) = read_json(&json, &numbers()).unwrap();
        assert!(
            scene.animations.is_empty(),
            "{target}: {losses:?} {:?}",
            scene.animations
        );
        assert!(scene.skeleton.joints.is_empty(), "{target}: {losses:?}");
    }
}

#[test]
fn unreadable_instances_leave_one_mesh() {
    let extension = json!({ "EXT_mesh_gpu_instancing": { "attributes": { "TRANSLATION": 9 } } });
    let (scene, loss) = read_with_one_loss(&with("/nodes/0/extensions", extension));
    assert_eq!(scene.meshes.len(), 1);
    assert_eq!(
        loss,
        "dropped: nodes[0].extensions.EXT_mesh_gpu_instancing: instances cannot be read; the mesh was placed once: \
         accessors[9]: out of range: the accessor count is 2"
    );
}
