//! Compressed buffer views: decoded values equal the output of meshoptimizer's own decoder.

use meshspec::scene::Placement;
use meshspec::{ErrorKind, Limit};
use serde_json::{Value, json};

use super::packed::{
    GltfFile, buffer, bytes, compare_model, count_damaged, packed_cases, read_within, rejected,
};
use super::read_json;

/// Returns a mesh with an attribute or the indices in a compressed view, without the uncompressed fallback buffer.
fn mesh(case: &Value) -> GltfFile {
    let packed = bytes(&case["packed"]);
    let name = case["extension"].as_str().unwrap();
    let (mut json, plain) = plain(case);
    json["extensionsUsed"] = json!([name]);
    json["extensionsRequired"] = json!([name]);
    json["bufferViews"][0]["buffer"] = 1.into();
    json["bufferViews"][0]["extensions"] = json!({ name: {
        "buffer": 0, "byteLength": packed.len(), "byteStride": case["byteStride"], "count": case["count"],
        "mode": case["mode"], "filter": case["filter"],
    } });
    let fallback =
        json!({ "byteLength": plain.len(), "extensions": { name: { "fallback": true } } });
    json["buffers"] = json!([buffer(&packed), fallback]);
    (json, packed)
}

/// Returns the mesh with uncompressed data.
fn plain(case: &Value) -> GltfFile {
    let plain = bytes(&case["plain"]);
    let mut accessor = case["accessor"].clone();
    accessor["bufferView"] = 0.into();
    accessor["count"] = case["count"].clone();
    let mut view = json!({ "buffer": 0, "byteLength": plain.len() });
    let mut positions = json!({ "componentType": 5126, "type": "VEC3", "count": 25 });
    let mut primitive = json!({ "attributes": { "POSITION": 1 } });
    match accessor.as_object_mut().unwrap().remove("semantic") {
        Some(semantic) => {
            primitive["attributes"][semantic.as_str().unwrap()] = 0.into();
            view["byteStride"] = case["byteStride"].clone();
            positions["count"] = case["count"].clone();
        }
        None => primitive["indices"] = 0.into(),
    }
    let json = json!({
        "asset": { "version": "2.0" },
        "nodes": [{ "mesh": 0 }],
        "meshes": [{ "primitives": [primitive] }],
        "accessors": [accessor, positions],
        "bufferViews": [view],
        "buffers": [buffer(&plain)],
    });
    (json, plain)
}

/// Returns a mesh with the positions of 300 vertices.
fn first_case() -> GltfFile {
    mesh(&packed_cases("meshopt")[0])
}

#[test]
fn every_mode_and_filter_is_decoded() {
    let cases = packed_cases("meshopt");
    let cases = cases.as_array().unwrap();
    for case in cases {
        let ((json, bytes), (plain_json, plain)) = (mesh(case), plain(case));
        let (scene, losses) = read_json(&json, &bytes).unwrap();
        let (expected, _) = read_json(&plain_json, &plain).unwrap();
        let name = format!(
            "{} {} {} {}",
            case["extension"], case["mode"], case["filter"], case["byteStride"]
        );
        assert_eq!(scene, expected, "{name}");
        assert_eq!(losses, [], "{name}");
    }
    assert_eq!(cases.len(), 20);
    let (json, bytes) = first_case();
    let (scene, _) = read_json(&json, &bytes).unwrap();
    assert_eq!(
        scene.meshes[0].positions[299],
        [19.0, 14.0, 0.75],
        "the second block of vertices"
    );
}

#[test]
fn compressed_data_takes_precedence() {
    let (mut json, mut bytes) = first_case();
    let expected = read_json(&json, &bytes).unwrap().0;
    // The uncompressed data would be 3600 zeros.
    json["bufferViews"][0]["buffer"] = 0.into();
    json["bufferViews"][0]["byteOffset"] = bytes.len().into();
    bytes.resize(bytes.len() + 3600, 0);
    json["buffers"] = json!([buffer(&bytes)]);
    assert_eq!(read_json(&json, &bytes).unwrap().0, expected);
}

#[test]
fn errors_name_the_view() {
    let cases = [
        ("mode", json!("STRIPS"), "unknown variant `STRIPS`"),
        ("filter", json!("SEPIA"), "unknown variant `SEPIA`"),
        (
            "filter",
            json!("QUATERNION"),
            "300 values of 12 bytes are invalid for the mode Attributes and filter Quaternion",
        ),
        (
            "mode",
            json!("TRIANGLES"),
            "300 values of 12 bytes are invalid for the mode Triangles and filter None",
        ),
        (
            "byteStride",
            json!(6),
            "300 values of 6 bytes are invalid for the mode Attributes and filter None",
        ),
        (
            "byteStride",
            json!(16),
            "300 values of 16 bytes, but the buffer view has 3600 bytes",
        ),
        (
            "count",
            json!(u64::MAX),
            "18446744073709551615 values of 12 bytes, but the buffer view has 3600 bytes",
        ),
        ("count", json!(-1), "invalid value: integer `-1`"),
        ("byteLength", json!(1034), "invalid encoded stream"),
        ("byteLength", json!(0), "invalid encoded stream"),
    ];
    let with = |key: &str, value: Value| {
        let (mut json, bytes) = first_case();
        json["bufferViews"][0]["extensions"]["EXT_meshopt_compression"][key] = value;
        rejected(&(json, bytes))
    };
    for (key, value, message) in cases {
        let error = with(key, value);
        assert_eq!(
            (error.kind(), &*error.path().to_string()),
            (ErrorKind::Malformed, "bufferViews[0]")
        );
        let expected = format!("EXT_meshopt_compression: {message}");
        assert!(
            error.message().starts_with(&expected),
            "{error}, expected {expected}"
        );
    }
    let cases = [
        (
            "buffer",
            json!(9),
            "bufferViews[0]",
            "buffer 9 is not below the buffer count 2",
        ),
        ("buffer", json!(1), "buffers[1]", "no uri"),
        (
            "byteOffset",
            json!(1),
            "bufferViews[0]",
            "1035 bytes from offset 1, but buffers[0] has 1035",
        ),
        (
            "byteOffset",
            json!(u64::MAX),
            "bufferViews[0]",
            "1035 bytes from offset 18446744073709551615, but",
        ),
    ];
    for (key, value, path, message) in cases {
        let error = with(key, value);
        assert_eq!(&*error.path().to_string(), path);
        assert!(
            error.message().starts_with(message),
            "{error}, expected {message}"
        );
    }
}

#[test]
fn the_decoded_size_of_a_view_is_limited() {
    // The positions take 3600 bytes in the view and again in the mesh; the node of the mesh also counts.
    let node = size_of::<Placement>() as u64;
    let (mut json, bytes) = first_case();
    assert_eq!(
        read_within(7200 + node, &(json.clone(), bytes.clone())),
        Ok(1)
    );
    let error = (
        ErrorKind::LimitExceeded(Limit::Decoded),
        "accessors[0]".to_owned(),
    );
    assert_eq!(
        read_within(7199, &(json.clone(), bytes.clone())),
        Err(error)
    );
    // Two nodes share one mesh, which is unpacked once.
    json["nodes"] = json!([{ "mesh": 0 }, { "mesh": 0 }]);
    assert_eq!(
        read_within(7200 + 2 * node, &(json.clone(), bytes.clone())),
        Ok(1)
    );
    // The unpacked size exceeds any memory.
    json["bufferViews"][0]["byteLength"] = (12_u64 << 50).into();
    json["bufferViews"][0]["extensions"]["EXT_meshopt_compression"]["count"] = (1_u64 << 50).into();
    let error = (
        ErrorKind::LimitExceeded(Limit::Decoded),
        "bufferViews[0]".to_owned(),
    );
    assert_eq!(read_within(u64::MAX >> 16, &(json, bytes)), Err(error));
}

#[test]
fn damaged_views_are_an_error_or_a_mesh() {
    let mut counts = [0; 2];
    for case in packed_cases("meshopt").as_array().unwrap() {
        let file = mesh(case);
        if file.1.len() < 200 {
            let length = format!(
                "/bufferViews/0/extensions/{}/byteLength",
                case["extension"].as_str().unwrap()
            );
            let found = count_damaged(&file, &length);
            counts = [counts[0] + found[0], counts[1] + found[1]];
        }
    }
    assert!(
        counts[0] > 1000 && counts[1] > 1000,
        "read and rejected: {counts:?}"
    );
}

#[test]
#[ignore = "needs models of other projects: MESHSPEC_MODELS names their folder"]
fn models_of_other_projects() {
    for name in ["BoxMeshopt.gltf", "BoxMeshopt.glb"] {
        let path = format!("gltf-transform/packages/extensions/test/in/{name}");
        compare_model(&path, 12, [[-0.5; 3], [0.5; 3]], 6.0);
    }
}
