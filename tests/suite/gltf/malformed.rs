//! Malformed files, and files with content that a scene cannot store.

use meshspec::interop::Interchange;
use meshspec::scene::{Components, Indices, Material, SceneOptions, Skin};
use meshspec::{Error, ErrorKind, Limit, Limits, Loss};
use serde_json::{Value, json};

use super::{read_json, write};
use crate::common::Mutator;

/// Returns a buffer: three positions, then the 16-bit indices 0, 1, 2 and 2 bytes of padding.
pub fn numbers() -> Vec<u8> {
    let positions: [f32; 9] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    let indices = [0_u8, 0, 1, 0, 2, 0, 0, 0];
    positions
        .into_iter()
        .flat_map(f32::to_le_bytes)
        .chain(indices)
        .collect()
}

/// Returns the JSON of a file with one triangle.
pub fn triangle() -> Value {
    json!({
        "asset": { "version": "2.0" },
        "scenes": [{ "nodes": [0] }],
        "nodes": [{ "mesh": 0 }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "indices": 1 }] }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0] },
            { "bufferView": 1, "componentType": 5123, "count": 3, "type": "SCALAR" },
        ],
        "bufferViews": [
            { "buffer": 0, "byteLength": 36 },
            { "buffer": 0, "byteOffset": 36, "byteLength": 6 },
        ],
        "buffers": [{ "byteLength": 44, "uri": "numbers.bin" }],
    })
}

/// Returns the triangle with a value set at a JSON pointer.
pub fn with(pointer: &str, value: Value) -> Value {
    let mut json = triangle();
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    json.pointer_mut(parent).unwrap()[name] = value;
    json
}

/// Appends an entry to a list.
pub fn add(json: &mut Value, list: &str, entry: Value) {
    json[list].as_array_mut().unwrap().push(entry);
}

/// Appends two accessors: two times, and two vectors.
pub fn add_samples(json: &mut Value) {
    let times = json!({ "bufferView": 0, "byteOffset": 8, "componentType": 5126, "count": 2, "type": "SCALAR" });
    add(json, "accessors", times);
    add(
        json,
        "accessors",
        json!({ "bufferView": 0, "componentType": 5126, "count": 2, "type": "VEC3" }),
    );
}

pub fn rejected(json: &Value) -> Error {
    read_json(json, &numbers())
        .map(|(scene, _)| scene)
        .expect_err(&json.to_string())
}

pub fn losses_of(json: &Value) -> Vec<Loss> {
    read_json(json, &numbers()).unwrap().1
}

#[test]
fn the_triangle_is_read() {
    let (scene, losses) = read_json(&triangle(), &numbers()).unwrap();
    assert!(losses.is_empty(), "{losses:?}");
    assert_eq!(scene.meshes[0].positions[1], [1.0, 0.0, 0.0]);
    assert_eq!(
        scene.meshes[0].faces.indices,
        Some(Indices::U16(vec![0, 1, 2]))
    );
}

#[test]
fn errors_name_the_location() {
    let no_uri = with("/buffers/0/uri", Value::Null);
    let cases = [
        (
            with("/buffers/0/uri", json!("other.bin")),
            ErrorKind::Io(std::io::ErrorKind::NotFound),
            "buffers[0]",
        ),
        (no_uri, ErrorKind::Malformed, "buffers[0]"),
        (
            with("/buffers/0/byteLength", json!(45)),
            ErrorKind::Malformed,
            "buffers[0]",
        ),
        (
            with("/buffers/0/byteLength", json!(1_u64 << 40)),
            ErrorKind::LimitExceeded(Limit::Decoded),
            "buffers[0]",
        ),
        (
            with("/buffers/0/uri", json!("../numbers.bin")),
            ErrorKind::Unsupported,
            "buffers[0]",
        ),
        (
            with("/buffers/0/uri", json!("/etc/passwd")),
            ErrorKind::Unsupported,
            "buffers[0]",
        ),
        (
            with("/buffers/0/uri", json!("https://a/b.bin")),
            ErrorKind::Unsupported,
            "buffers[0]",
        ),
        (
            with("/buffers/0/uri", json!("data:;base64,?")),
            ErrorKind::Malformed,
            "buffers[0]",
        ),
        (
            with("/buffers/0/byteLength", json!(20)),
            ErrorKind::Malformed,
            "bufferViews[0]",
        ),
        (
            with("/bufferViews/0/byteLength", json!(45)),
            ErrorKind::Malformed,
            "bufferViews[0]",
        ),
        (
            with("/bufferViews/1/byteOffset", json!(u64::MAX)),
            ErrorKind::Malformed,
            "bufferViews[1]",
        ),
        (
            with("/accessors/0/count", json!(4)),
            ErrorKind::Malformed,
            "accessors[0]",
        ),
        (
            with("/accessors/0/count", json!(u64::MAX)),
            ErrorKind::Malformed,
            "accessors[0]",
        ),
        (
            with("/accessors/0/byteOffset", json!(u64::MAX)),
            ErrorKind::Malformed,
            "accessors[0]",
        ),
        (
            with("/accessors/0/type", json!("VEC2")),
            ErrorKind::Malformed,
            "accessors[0]",
        ),
        (
            with("/accessors/1/byteOffset", json!(2)),
            ErrorKind::Malformed,
            "accessors[1]",
        ),
        (
            with("/accessors/1/componentType", json!(5126)),
            ErrorKind::Malformed,
            "accessors[1]",
        ),
        (
            with("/accessors/0/bufferView", json!(7)),
            ErrorKind::Malformed,
            "bufferViews[7]",
        ),
        (
            with("/meshes/0/primitives/0/attributes/POSITION", json!(9)),
            ErrorKind::Malformed,
            "accessors[9]",
        ),
        (
            with("/meshes/0/primitives/0/mode", json!(7)),
            ErrorKind::Malformed,
            "meshes[0].primitives[0]",
        ),
        (
            with("/skins", json!([{ "joints": [0, 7] }])),
            ErrorKind::Malformed,
            "skins[0].joints[1]",
        ),
        (
            with("/nodes/0/children", json!([0])),
            ErrorKind::Malformed,
            "nodes[0]",
        ),
        (
            with("/asset/version", json!("1.0")),
            ErrorKind::Unsupported,
            "asset.version",
        ),
    ];
    for (json, kind, path) in cases {
        let error = rejected(&json);
        assert_eq!(
            (error.kind(), &*error.path().to_string()),
            (kind, path),
            "{error}"
        );
    }
    let mut json = triangle();
    json["nodes"] = json!([{ "children": [2] }, { "children": [2] }, {}]);
    assert_eq!(rejected(&json).path(), "nodes[2]");
    // A missing vertex.
    let mut bytes = numbers();
    bytes[40] = 3;
    let error = read_json(&triangle(), &bytes).unwrap_err();
    assert_eq!(error.path(), "accessors[1]", "{error}");
    assert!(error.message().contains("index 3"), "{error}");
}

#[test]
fn other_files_are_detected_by_their_first_bytes() {
    let message = |bytes: &[u8]| {
        let (options, limits) = (SceneOptions::default(), Limits::default());
        let read =
            Interchange::Glb.read(bytes, &std::collections::BTreeMap::new(), &options, &limits);
        read.unwrap_err().to_string()
    };
    assert_eq!(
        message(b"hello"),
        "not glTF: starts with \"hell\", expected \"glTF\" or \"{\""
    );
    assert_eq!(
        message(b"[]"),
        "not glTF: starts with \"[]\", expected \"glTF\" or \"{\""
    );
    assert_eq!(
        message(b" \n"),
        "not glTF: empty, expected \"glTF\" or \"{\""
    );
    let found = message(b"\xff\xd8\xff\xe0 and more");
    assert_eq!(
        found,
        "not glTF: starts with [ff, d8, ff, e0], expected \"glTF\" or \"{\""
    );
    assert!(message(b"{ \"asset\": }").starts_with("invalid JSON: expected value at line 1"));
}

#[test]
fn malformed_animations_and_skins() {
    let mut json = triangle();
    json["skins"] = json!([{ "joints": [0] }]);
    json["animations"] = json!([{
        "channels": [{ "sampler": 0, "target": { "node": 5, "path": "translation" } }],
        "samplers": [{ "input": 0, "output": 0 }],
    }]);
    let only = |json: &Value, paths: &[&str], start: &str| {
        let (scene, losses) = read_json(json, &numbers()).unwrap();
        assert_eq!(
            (scene.meshes.len(), scene.animations.len()),
            (1, 0),
            "{losses:?}"
        );
        assert!(
            losses
                .iter()
                .map(|loss| loss.path.to_string())
                .eq(paths.iter().copied()),
            "{losses:?}"
        );
        assert!(
            losses[0].detail.as_ref().unwrap().starts_with(start),
            "{}",
            losses[0]
        );
    };
    let animation = ["animations[0].channels[0]", "animations[0]"];
    only(&json, &animation, "node 5 is not below the node count 1");
    json["animations"][0]["channels"][0]["target"]["node"] = 0.into();
    only(&json, &animation, "accessors[0]: 3 components, expected 1");
    json["accessors"][1] = json!({ "bufferView": 0, "byteOffset": 12, "componentType": 5126, "count": 3, "type": "SCALAR" });
    json["animations"][0]["samplers"][0]["input"] = 1.into();
    json["meshes"][0]["primitives"][0]
        .as_object_mut()
        .unwrap()
        .remove("indices");
    only(&json, &animation, "accessors[1]: time 1 is 0");
    json["animations"] = json!([]);
    json["skins"] = json!([{ "joints": [0], "inverseBindMatrices": 0 }]);
    only(
        &json,
        &["skins[0].inverseBindMatrices"],
        "accessors[0]: 3 components, expected 1",
    );
    // The only defect is a reference to a missing mesh.
    json["meshes"][0]["primitives"][0]["attributes"] = json!({ "POSITION": 1 });
    assert_eq!(rejected(&json).path(), "accessors[0]");
}

#[test]
fn unsupported_content_is_listed() {
    let mut json = triangle();
    json["extensionsUsed"] = json!(["KHR_lights_punctual", "KHR_mesh_quantization"]);
    json["extensionsRequired"] = json!(["KHR_lights_punctual"]);
    json["extensions"] = json!({ "KHR_lights_punctual": { "lights": [{ "type": "point" }] } });
    json["cameras"] = json!([{ "type": "orthographic", "orthographic": { "xmag": 1, "ymag": 1, "zfar": 2, "znear": 1 } }]);
    json["scenes"][0]["nodes"] = json!([0, 1]);
    json["nodes"] = json!([{ "mesh": 0, "translation": [0, 0, 1] }, { "camera": 0 }]);
    json["materials"] = json!([{ "name": "skin", "pbrMetallicRoughness": { "baseColorFactor": [1, 0, 0, 0.5] }, "doubleSided": true }]);
    json["meshes"][0]["primitives"][0]["material"] = 0.into();
    json["meshes"][0]["primitives"][0]["targets"] = json!([{ "POSITION": 0 }]);
    json["animations"] = json!([{
        "channels": [{ "sampler": 0, "target": { "node": 1, "path": "translation" } }],
        "samplers": [{ "input": 0, "output": 0 }],
    }]);
    let (scene, losses) = read_json(&json, &numbers()).unwrap();
    let paths: Vec<_> = losses.iter().map(|loss| loss.path.to_string()).collect();
    assert_eq!(
        paths,
        ["cameras", "lights", "meshes", "animations[0].channels[0]"]
    );
    assert_eq!(
        scene.meshes[0].placements[0].transform.w_axis.to_array(),
        [0.0, 0.0, 1.0, 1.0]
    );
    let expected = Material {
        name: "skin".to_owned(),
        base_color: Some([1.0, 0.0, 0.0, 0.5]),
        double_sided: true,
        metallic: 1.0,
        ..Material::default()
    };
    assert_eq!(scene.meshes[0].material, expected);
}

#[test]
fn primitive_modes() {
    let faces = |mode: u32| {
        let json = with("/meshes/0/primitives/0/mode", json!(mode));
        let (scene, losses) = read_json(&json, &numbers()).unwrap();
        (
            scene
                .meshes
                .into_iter()
                .next()
                .and_then(|mesh| mesh.faces.indices)
                .map(Indices::into_u32),
            losses.len(),
        )
    };
    assert_eq!(faces(4), (Some(vec![0, 1, 2]), 0));
    assert_eq!(faces(5), (Some(vec![0, 1, 2]), 1));
    assert_eq!(faces(6), (Some(vec![0, 1, 2]), 1));
    assert_eq!(faces(0), (Some(vec![]), 1), "the order of points is lost");
    assert_eq!(faces(1), (None, 1), "lines are lost");
    let error = read_json(&with("/nodes/0/mesh", json!(null)), &numbers())
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "meshes[0]: no mesh can be converted: the scene does not use the mesh"
    );
    // Every second triangle of a strip is flipped.
    let mut json = with("/meshes/0/primitives/0/mode", json!(5));
    json["accessors"][1] =
        json!({ "bufferView": 1, "componentType": 5121, "count": 6, "type": "SCALAR" });
    let mut bytes = numbers();
    bytes[36..42].copy_from_slice(&[0, 1, 2, 0, 0, 1]);
    let (scene, _) = read_json(&json, &bytes).unwrap();
    let indices = scene.meshes[0].faces.indices.clone().unwrap().into_u32();
    assert_eq!(indices, [0, 1, 2, 2, 1, 0]);
}

#[test]
fn sparse_accessors_and_accessors_without_a_view() {
    let mut json = triangle();
    let sparse = json!({
        "count": 1,
        "indices": { "bufferView": 1, "byteOffset": 2, "componentType": 5123 },
        "values": { "bufferView": 0, "byteOffset": 24 },
    });
    json["accessors"][0]["sparse"] = sparse;
    let positions = |json: &Value| {
        read_json(json, &numbers()).unwrap().0.meshes[0]
            .positions
            .clone()
    };
    assert_eq!(
        positions(&json),
        [[0.0; 3], [0.0, 1.0, 0.0], [0.0, 1.0, 0.0]]
    );
    json["accessors"][0]
        .as_object_mut()
        .unwrap()
        .remove("bufferView");
    assert_eq!(positions(&json), [[0.0; 3], [0.0, 1.0, 0.0], [0.0; 3]]);
    json["accessors"][0]["sparse"]["count"] = 4.into();
    assert_eq!(rejected(&json).path(), "accessors[0]");
    json["accessors"][0]["sparse"]["count"] = 2.into();
    json["accessors"][0]["sparse"]["values"]["byteOffset"] = 12.into();
    json["accessors"][0]["count"] = 2.into();
    assert!(
        rejected(&json).message().contains("sparse index 2"),
        "1 and 2 of two values"
    );
    json["accessors"][0]["count"] = (1_u64 << 40).into();
    assert_eq!(
        rejected(&json).kind(),
        ErrorKind::LimitExceeded(Limit::Fixed)
    );
}

#[test]
fn normalised_integers_and_custom_attributes() {
    let mut json = triangle();
    json["accessors"].as_array_mut().unwrap().push(
        json!({ "bufferView": 1, "componentType": 5121, "normalized": true, "count": 3, "type": "VEC2" }),
    );
    json["accessors"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "bufferView": 1, "componentType": 5120, "count": 3, "type": "SCALAR" }));
    json["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_0"] = 2.into();
    json["meshes"][0]["primitives"][0]["attributes"]["_HEAT"] = 3.into();
    let (scene, losses) = read_json(&json, &numbers()).unwrap();
    assert!(losses.is_empty(), "{losses:?}");
    assert_eq!(
        scene.meshes[0].uvs,
        [[[0.0, 0.0], [1.0 / 255.0, 0.0], [2.0 / 255.0, 0.0]]]
    );
    assert_eq!(scene.meshes[0].custom[0].name, "HEAT");
    assert_eq!(
        scene.meshes[0].custom[0].values,
        Components::I8(vec![0, 0, 1])
    );
}

#[test]
fn a_scene_without_nodes_is_empty() {
    let json = json!({ "asset": { "version": "2.0" }, "scenes": [{ "extras": { "a": 1 } }] });
    let (scene, losses) = read_json(&json, &[]).unwrap();
    assert_eq!(
        (scene.meshes.len(), &scene.extras["a"], losses.len()),
        (0, &json!(1), 0)
    );
}

#[test]
fn data_uris() {
    use base64::Engine;
    let text = base64::engine::general_purpose::STANDARD.encode(numbers());
    for start in [
        "data:application/octet-stream;base64",
        "DATA:;BASE64",
        "Data:text/plain;charset=utf-8;base64",
    ] {
        let json = with("/buffers/0/uri", json!(format!("{start},{text}")));
        assert_eq!(
            read_json(&json, &numbers()).unwrap(),
            read_json(&triangle(), &numbers()).unwrap(),
            "{start}"
        );
    }
}

#[test]
fn skins_with_other_bind_poses_get_separate_joints() {
    let mut json = triangle();
    json["nodes"] = json!([{ "children": [1], "translation": [0, 3, 0] }, {}, { "mesh": 0 }]);
    json["scenes"] = json!([{ "nodes": [0, 2] }]);
    json["skins"] = json!([{ "joints": [1] }, { "joints": [1], "inverseBindMatrices": 2 }]);
    let mut bytes = numbers();
    let start = bytes.len();
    let matrix = glam::Mat4::from_translation(glam::Vec3::X);
    bytes.extend(
        matrix
            .to_cols_array()
            .into_iter()
            .flat_map(f32::to_le_bytes),
    );
    json["bufferViews"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "buffer": 0, "byteOffset": start, "byteLength": 64 }));
    json["accessors"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "bufferView": 2, "componentType": 5126, "count": 1, "type": "MAT4" }));
    json["buffers"][0]["byteLength"] = bytes.len().into();
    let (scene, losses) = read_json(&json, &bytes).unwrap();
    assert_eq!(losses.len(), 1, "{losses:?}");
    // The joints are the joint of the skin, its copy, and the node above them.
    let parents: Vec<_> = scene
        .skeleton
        .joints
        .iter()
        .map(|joint| joint.parent)
        .collect();
    assert_eq!(parents, [Some(2), Some(0), None]);
    assert_eq!(scene.skeleton.joints[1].inverse_bind, matrix);
    assert_ne!(Skin::NONE, 0);
}

#[test]
fn damaged_files_never_panic() {
    let (files, _) = write(Interchange::Glb, super::layout::everything()).unwrap();
    let glb = &files["a scene.glb"];
    let none = super::Files::new();
    let options = SceneOptions::default();
    let mut mutator = Mutator::new(7);
    let limits = Limits::default();
    let (mut rejected, mut read) = (0, 0);
    for round in 0..6000 {
        let bytes = match round {
            0..1000 => glb[..glb.len() * round / 1000].to_vec(),
            _ => {
                let mut bytes = glb.clone();
                for _ in 0..=mutator.below(4) {
                    let at = 20 + mutator.below(bytes.len() - 20);
                    bytes[at] = b"0123456789,:[]{}\"-e"[mutator.below(19)];
                }
                bytes
            }
        };
        match Interchange::Glb.read(&bytes, &none, &options, &limits) {
            Ok((scene, _)) => {
                scene.check().unwrap();
                read += 1;
            }
            Err(error) => {
                assert!(!error.message().is_empty());
                rejected += 1;
            }
        }
    }
    assert!(
        rejected > 2000 && read > 100,
        "{rejected} rejected, {read} read"
    );
}
