//! Files that violate the specification, but can be read by other programs.

use meshspec::interop::Interchange;
use meshspec::scene::SceneOptions;
use meshspec::{ErrorKind, Strictness};
use serde_json::{Value, json};

use super::Files;
use super::malformed::{add, losses_of, numbers, rejected, triangle, with};
use super::read_json;

/// Asserts that the triangle is read. Returns the losses.
fn loss_lines(json: &Value) -> Vec<String> {
    let (scene, losses) = read_json(json, &numbers()).unwrap();
    assert_eq!(scene.meshes[0].positions.len(), 3);
    losses.iter().map(ToString::to_string).collect()
}

#[test]
fn a_byte_order_mark_is_skipped() {
    let text = [b"\xef\xbb\xbf", triangle().to_string().as_bytes()].concat();
    let files = Files::from([("numbers.bin".to_owned(), numbers())]);
    let (scene, _) = Interchange::Gltf
        .read(&text, &files, &Default::default(), &Default::default())
        .unwrap();
    assert_eq!(scene.meshes.len(), 1);
}

#[test]
fn integers_may_be_written_as_floats() {
    let text = triangle()
        .to_string()
        .replace("\"byteLength\":36", "\"byteLength\":3.6e1");
    assert!(text.contains("3.6e1"));
    let files = Files::from([("numbers.bin".to_owned(), numbers())]);
    let read = |text: &str| {
        Interchange::Gltf.read(
            text.as_bytes(),
            &files,
            &Default::default(),
            &Default::default(),
        )
    };
    assert_eq!(
        read(&text).unwrap().0.meshes[0].positions[1],
        [1.0, 0.0, 0.0]
    );
    assert!(read(&text.replace("3.6e1", "36.5")).is_err());
}

#[test]
fn a_scene_without_scenes_shows_all_nodes() {
    let mut json = with("/scene", json!(0));
    json.as_object_mut().unwrap().remove("scenes");
    assert_eq!(
        loss_lines(&json),
        ["dropped: scene: the file has no scenes; all nodes were converted"]
    );
    // A file without nodes has no scene.
    assert!(read_json(&json!({ "asset": { "version": "2.0" }, "scene": 0 }), &[]).is_err());
}

#[test]
fn channels_without_a_node_are_dropped() {
    let sampler = json!({ "input": 1, "output": 0 });
    let channels = json!([{ "sampler": 0, "target": { "path": "translation" } }]);
    let json = with(
        "/animations",
        json!([{ "samplers": [sampler], "channels": channels }]),
    );
    let losses = loss_lines(&json);
    assert_eq!(
        losses,
        ["dropped: animations[0].channels: channels without a target node, 1 of 1 channels"]
    );
}

#[test]
fn other_versions_are_named() {
    let first = json!({ "asset": { "version": "1.0" }, "nodes": {}, "meshes": {} });
    for (json, version) in [
        (first, "1.0"),
        (json!({ "meshes": { "a": {} } }), "1.0"),
        (with("/asset/version", json!("3.1")), "3.1"),
    ] {
        let error = rejected(&json);
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        let expected =
            format!("glTF {version} is not supported; convert the file to glTF 2.0 first");
        assert!(error.message().starts_with(&expected), "{error}");
    }
}

#[test]
fn morph_targets_have_their_default_weights() {
    let mut json = triangle();
    // Offsets by twice the positions, by the weights of node and mesh.
    json["meshes"][0]["primitives"][0]["targets"] = json!([{ "POSITION": 0 }, { "POSITION": 0 }]);
    let moved = |json: &Value| read_json(json, &numbers()).unwrap().0.meshes[0].positions[1];
    assert_eq!(moved(&json), [1.0, 0.0, 0.0]);
    json["meshes"][0]["weights"] = json!([0.5, 0.0]);
    assert_eq!(moved(&json), [1.5, 0.0, 0.0]);
    json["nodes"][0]["weights"] = json!([0.25, 0.5]);
    assert_eq!(moved(&json), [1.75, 0.0, 0.0]);
    assert_eq!(losses_of(&json)[0].detail.as_deref(), Some("meshes[0]: 2"));
    add(
        &mut json,
        "accessors",
        json!({ "componentType": 5126, "count": 2, "type": "VEC3" }),
    );
    json["meshes"][0]["primitives"][0]["targets"][1]["POSITION"] = json!(2);
    assert!(
        rejected(&json)
            .message()
            .contains("2 offsets for 3 vertices")
    );
}

#[test]
fn lenient_reading_skips_triangles_of_missing_vertices() {
    let mut json = triangle();
    // The triangle, and a second one with the bytes of a float as an index.
    json["bufferViews"][1] = json!({ "buffer": 0, "byteOffset": 30, "byteLength": 12 });
    json["accessors"][1]["count"] = 6.into();
    assert!(
        rejected(&json)
            .message()
            .contains("is not below the vertex count 3")
    );
    let files = Files::from([("numbers.bin".to_owned(), numbers())]);
    let options = SceneOptions::default().with_strictness(Strictness::Lenient);
    let text = json.to_string();
    let (scene, losses) = Interchange::Gltf
        .read(text.as_bytes(), &files, &options, &Default::default())
        .unwrap();
    assert_eq!(scene.meshes[0].faces.corner_count(3), 3);
    let loss = &losses[0];
    assert_eq!(loss.path, "meshes[0].primitives[0].indices");
    assert_eq!(
        loss.affected.map(|affected| (affected.count, affected.of)),
        Some((1, Some(2)))
    );
}

#[test]
fn dangling_references_and_unknown_values_are_dropped() {
    let cases = [
        (
            "/scene",
            json!(3),
            "dropped: scene: reference to a missing object: index 3, but the count is 1",
        ),
        (
            "/scenes/0/nodes",
            json!([0, 8]),
            "dropped: scenes[0].nodes: references to missing objects, 1 of 2 references",
        ),
        (
            "/nodes/0/children",
            json!([5]),
            "dropped: nodes[0].children: references to missing objects, 1 of 1 references",
        ),
        (
            "/nodes/0/skin",
            json!(2),
            "dropped: nodes[0].skin: reference to a missing object: index 2, but the count is 0",
        ),
        (
            "/meshes/0/primitives/0/material",
            json!(0),
            "dropped: meshes[0].primitives[0].material: reference to a missing object: index 0, but the count is 0",
        ),
        (
            "/bufferViews/0/byteStride",
            json!(0),
            "changed: bufferViews[0].byteStride: the stride is 0; values were assumed to be tightly packed",
        ),
        (
            "/nodes/0/extensions",
            json!({ "MSFT_lod": { "ids": [4] } }),
            "dropped: nodes[0].extensions.MSFT_lod: reference to a missing node: 4 of 1",
        ),
    ];
    for (pointer, value, loss) in cases {
        assert_eq!(loss_lines(&with(pointer, value)), [loss]);
    }
    // Invalid values of unused properties are ignored.
    for (pointer, value) in [
        ("/samplers", json!([{ "wrapS": 7 }])),
        ("/accessors/0/min", json!([null, 0, 0])),
        ("/bufferViews/1/target", json!(1)),
    ] {
        assert_eq!(
            loss_lines(&with(pointer, value)),
            <[&str; 0]>::default(),
            "{pointer}"
        );
    }
    let mut json = with(
        "/materials",
        json!([{ "name": "glass", "alphaMode": "SHINY" }]),
    );
    json["meshes"][0]["primitives"][0]["material"] = 0.into();
    assert_eq!(
        loss_lines(&json),
        ["dropped: materials[0].alphaMode: unknown value"]
    );
    json["materials"][0] =
        json!({ "pbrMetallicRoughness": { "baseColorTexture": { "index": 4 } } });
    let at = "materials[0].pbrMetallicRoughness.baseColorTexture";
    assert_eq!(
        loss_lines(&json),
        [format!(
            "dropped: {at}: refers to textures[4], but the texture count is 0"
        )]
    );
}
