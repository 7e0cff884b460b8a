//! Primitives compressed with Draco: decoded values equal the output of Draco's own decoder.

use meshspec::scene::Indices;
use meshspec::{ErrorKind, Limit};
use serde_json::{Value, json};

use super::packed::{
    GltfFile, buffer, bytes, compare_model, count_damaged, packed_cases, read_within, rejected,
    triangles,
};
use super::read_json;

const NAME: &str = "KHR_draco_mesh_compression";

/// Returns a mesh with only compressed attributes.
fn mesh(case: &Value) -> GltfFile {
    let packed = bytes(&case["packed"]);
    let (mut json, _) = plain(case);
    for accessor in json["accessors"].as_array_mut().unwrap() {
        let accessor = accessor.as_object_mut().unwrap();
        accessor.remove("bufferView");
        accessor.remove("byteOffset");
    }
    let names = case["accessors"].as_array().unwrap().iter();
    let ids: Value = names
        .map(|entry| {
            (
                entry["semantic"].as_str().unwrap().to_owned(),
                entry["id"].clone(),
            )
        })
        .collect();
    json["meshes"][0]["primitives"][0]["extensions"] =
        json!({ NAME: { "bufferView": 0, "attributes": ids } });
    json["extensionsUsed"] = json!([NAME]);
    json["extensionsRequired"] = json!([NAME]);
    json["bufferViews"] = json!([{ "buffer": 0, "byteLength": packed.len() }]);
    json["buffers"] = json!([buffer(&packed)]);
    (json, packed)
}

/// Returns the mesh with uncompressed attributes.
fn plain(case: &Value) -> GltfFile {
    let mut plain = bytes(&case["indices"]["plain"]);
    let mut accessors = vec![
        json!({ "componentType": 5125, "type": "SCALAR", "count": case["indices"]["count"], "bufferView": 0 }),
    ];
    let mut attributes = json!({});
    for entry in case["accessors"].as_array().unwrap() {
        attributes[entry["semantic"].as_str().unwrap()] = accessors.len().into();
        let mut accessor = entry.clone();
        accessor
            .as_object_mut()
            .unwrap()
            .retain(|key, _| !["plain", "id", "semantic"].contains(&key.as_str()));
        accessor["count"] = case["points"].clone();
        accessor["bufferView"] = 0.into();
        accessor["byteOffset"] = plain.len().into();
        accessors.push(accessor);
        plain.extend(bytes(&entry["plain"]));
    }
    let json = json!({
        "asset": { "version": "2.0" },
        "nodes": [{ "mesh": 0, "skin": 0 }, {}, {}],
        "skins": [{ "joints": [1, 2] }],
        "meshes": [{ "primitives": [{ "attributes": attributes, "indices": 0 }] }],
        "accessors": accessors,
        "bufferViews": [{ "buffer": 0, "byteLength": plain.len() }],
        "buffers": [buffer(&plain)],
    });
    (json, plain)
}

/// Returns a grid of 25 vertices with all kinds of attributes.
fn first_case() -> GltfFile {
    mesh(&packed_cases("draco")[0])
}

#[test]
fn both_encodings_are_decoded() {
    let cases = packed_cases("draco");
    for case in cases.as_array().unwrap() {
        let ((json, bytes), (plain_json, plain)) = (mesh(case), plain(case));
        let (scene, losses) = read_json(&json, &bytes).unwrap();
        let (expected, expected_losses) = read_json(&plain_json, &plain).unwrap();
        assert_eq!(scene, expected, "{}", case["method"]);
        assert_eq!(losses, expected_losses, "{}", case["method"]);
        let mesh = &scene.meshes[0];
        assert_eq!(
            (mesh.uvs.len(), mesh.colors.len(), mesh.skins.len()),
            (1, 1, 1)
        );
        assert!(mesh.normals.is_some());
    }
    assert_eq!(cases.as_array().unwrap().len(), 2);
}

/// Draco uses valence coding for large meshes.
#[test]
fn a_large_mesh_is_decoded() {
    let packed = bytes(&packed_cases("valence"));
    let json = json!({
        "asset": { "version": "2.0" },
        "nodes": [{ "mesh": 0 }],
        "meshes": [{ "primitives": [{
            "attributes": { "POSITION": 0 },
            "extensions": { NAME: { "bufferView": 0, "attributes": { "POSITION": 0 } } },
        }] }],
        "accessors": [{ "componentType": 5126, "type": "VEC3", "count": 1024 }],
        "bufferViews": [{ "buffer": 0, "byteLength": packed.len() }],
        "buffers": [buffer(&packed)],
    });
    let (scene, _) = read_json(&json, &packed).unwrap();
    // Starts each triangle at its smallest corner.
    let sorted = |triangles: Vec<[[i32; 2]; 3]>| {
        let mut triangles: Vec<_> = triangles
            .into_iter()
            .map(|mut corners| {
                let first = (0..3).min_by_key(|corner| corners[*corner]).unwrap();
                corners.rotate_left(first);
                corners
            })
            .collect();
        triangles.sort();
        triangles
    };
    let found = triangles(scene).into_iter().map(|triangle| {
        triangle.map(|corner| {
            assert!(
                (corner.z - (corner.x * corner.x) % 32.0).abs() < 1e-3,
                "{corner}"
            );
            [corner.x.round() as i32, corner.y.round() as i32]
        })
    });
    let cells = (0..31 * 31).map(|cell| (cell % 31, cell / 31));
    let expected = cells.flat_map(|(x, y)| {
        [
            [[x, y], [x + 1, y], [x, y + 1]],
            [[x, y + 1], [x + 1, y], [x + 1, y + 1]],
        ]
    });
    assert_eq!(sorted(found.collect()), sorted(expected.collect()));
}

#[test]
fn sparse_values_replace_decoded_ones() {
    let (mut json, mut bytes) = first_case();
    let start = bytes.len();
    let (scene, _) = read_json(&json, &bytes).unwrap();
    bytes.extend(
        [7.0_f32, 8.0, 9.0]
            .into_iter()
            .flat_map(f32::to_le_bytes)
            .chain([3]),
    );
    json["buffers"] = json!([buffer(&bytes)]);
    for (offset, length) in [(start, 12), (start + 12, 1)] {
        let view = json!({ "buffer": 0, "byteOffset": offset, "byteLength": length });
        json["bufferViews"].as_array_mut().unwrap().push(view);
    }
    json["accessors"][1]["sparse"] = json!({
        "count": 1,
        "indices": { "bufferView": 2, "componentType": 5121 },
        "values": { "bufferView": 1 },
    });
    let mut expected = scene;
    expected.meshes[0].positions[3] = [7.0, 8.0, 9.0];
    assert_eq!(read_json(&json, &bytes).unwrap().0, expected);
}

#[test]
fn compressed_data_takes_precedence() {
    let (mut json, bytes) = first_case();
    let (expected, _) = read_json(&json, &bytes).unwrap();
    // In the uncompressed data, all corners are the same.
    json["accessors"][0] = json!({ "componentType": 5121, "type": "SCALAR", "count": 96 });
    assert_ne!(
        expected.meshes[0].faces.indices,
        Some(Indices::U16(vec![0; 96]))
    );
    assert_eq!(read_json(&json, &bytes).unwrap().0, expected);
}

#[test]
fn errors_name_the_primitive() {
    let primitive = "/meshes/0/primitives/0";
    let entry = "/meshes/0/primitives/0/extensions/KHR_draco_mesh_compression";
    let cases = [
        (
            primitive,
            "mode",
            json!(0),
            "the primitive mode is neither triangles nor triangle strip",
        ),
        (
            entry,
            "attributes",
            json!([]),
            "invalid type: sequence, expected a map",
        ),
        (
            entry,
            "attributes",
            json!({ "NORMAL": 77 }),
            "NORMAL refers to the missing attribute 77",
        ),
        (
            entry,
            "attributes",
            json!({ "NORMAL": 2 }),
            "attribute 2 has 25 values of 2 components of the type Float32, which disagrees with accessors[2]",
        ),
        (
            "/accessors/1",
            "count",
            json!(24),
            "attribute 0 has 25 values of 3 components of the type Float32",
        ),
        (
            "/accessors/1",
            "componentType",
            json!(5125),
            "attribute 0 has 25 values of 3 components",
        ),
        (
            primitive,
            "attributes",
            json!({ "POSITION": 99 }),
            "accessor 99 is not below the accessor count 7",
        ),
        ("/bufferViews/0", "byteLength", json!(200), ""),
    ];
    for (place, key, value, message) in cases {
        let (mut json, bytes) = first_case();
        json.pointer_mut(place).unwrap()[key] = value;
        let error = rejected(&(json, bytes));
        let path = error.path().to_string();
        assert_eq!(
            (error.kind(), &*path),
            (ErrorKind::Malformed, "meshes[0].primitives[0]"),
            "{error}"
        );
        let expected = format!("{NAME}: {message}");
        assert!(
            error.message().starts_with(&expected),
            "{error}, expected {expected}"
        );
    }
    let (mut json, bytes) = first_case();
    json.pointer_mut(entry).unwrap()["bufferView"] = 9.into();
    assert_eq!(rejected(&(json, bytes)).path(), "bufferViews[9]");
}

#[test]
fn the_decoded_size_of_a_mesh_is_limited() {
    let file = first_case();
    assert_eq!(read_within(1 << 20, &file), Ok(1));
    // 32 triangles; 25 positions, normals, texture coordinates, colours, joints and weights.
    let size = 32 * 12 + 25 * (12 + 12 + 8 + 4 + 8 + 16);
    for limit in [0, 1000, size - 1] {
        let error = read_within(limit, &file).unwrap_err();
        assert_eq!(
            error.0,
            ErrorKind::LimitExceeded(Limit::Decoded),
            "{limit}: {}",
            error.1
        );
        let at = if limit == 0 {
            "buffers[0]"
        } else {
            "meshes[0].primitives[0]"
        };
        assert_eq!(error.1, at, "{limit}");
    }
}

#[test]
fn damaged_meshes_are_an_error_or_a_mesh() {
    for case in packed_cases("draco").as_array().unwrap() {
        let [read, rejected] = count_damaged(&mesh(case), "/bufferViews/0/byteLength");
        assert!(
            read > 100 && rejected > 100,
            "{read} read, {rejected} rejected"
        );
    }
}

/// Compares with npm's `draco3d`; the transforms of nodes are applied in 64 bits.
#[test]
#[ignore = "needs models of other projects: MESHSPEC_MODELS names their folder"]
fn models_of_other_projects() {
    let transform = "gltf-transform/packages/extensions/test/in";
    compare_model(
        &format!("{transform}/BoxDraco.gltf"),
        12,
        [[-0.5; 3], [0.5; 3]],
        6.0,
    );
    let bounds = [
        [-0.039_651_595, 0.049_586_49, 0.028_698_957],
        [-0.013_482_682, 0.089_125_85, 0.031_650_59],
    ];
    compare_model(
        &format!("{transform}/DracoSparseMesh.gltf"),
        102,
        bounds,
        0.000_287_515_02,
    );
    let bounds = [
        [-371.692_27, -180.971_56, -140.0],
        [371.691_24, 92.016_98, 128.0],
    ];
    let engine = "assimp/test/models/glTF2/draco/2CylinderEngine.gltf";
    compare_model(engine, 110_336, bounds, 2_663_685.2);
}
