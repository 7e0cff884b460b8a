//! Reading damaged compressed data in glTF uses bounded memory, regardless of declared sizes.

use std::collections::BTreeMap;

use libtest_mimic::Trial;
use meshspec::Limits;
use meshspec::interop::Interchange;
use meshspec::scene::SceneOptions;
use serde_json::{Value, json};

use crate::{MEBIBYTE, measure_peak};

pub fn trials() -> Vec<Trial> {
    trials![
        damaged_views_use_bounded_memory,
        damaged_primitives_use_bounded_memory
    ]
}

fn packed_case(place: &str) -> Value {
    let all: Value = serde_json::from_str(include_str!("../suite/gltf/packed.json")).unwrap();
    all.pointer(place).unwrap().clone()
}

/// Asserts that reading a mesh uses bounded memory while each byte of its packed positions is damaged in turn.
fn assert_damage_is_harmless(
    packed: &Value,
    count: u64,
    view: Value,
    primitive: Value,
    accessor: Value,
) {
    let digits = packed.as_str().unwrap();
    let bytes: Vec<u8> = (0..digits.len() / 2)
        .map(|at| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).unwrap())
        .collect();
    let mut json = json!({
        "asset": { "version": "2.0" },
        "nodes": [{ "mesh": 0 }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
        "accessors": [{ "componentType": 5126, "type": "VEC3", "count": count }],
        "bufferViews": [{ "buffer": 0, "byteLength": bytes.len() }],
        "buffers": [{ "byteLength": bytes.len(), "uri": "numbers.bin" }],
    });
    let parts = [
        ("/bufferViews/0", view),
        ("/meshes/0/primitives/0", primitive),
        ("/accessors/0", accessor),
    ];
    for (place, part) in parts {
        json.pointer_mut(place)
            .unwrap()
            .as_object_mut()
            .unwrap()
            .extend(part.as_object().unwrap().clone());
    }
    let text = json.to_string();
    let read = |bytes: Vec<u8>| {
        let files = BTreeMap::from([("numbers.bin".to_owned(), bytes)]);
        let (options, limits) = (SceneOptions::default(), Limits::default());
        measure_peak(|| {
            Interchange::Gltf
                .read(text.as_bytes(), &files, &options, &limits)
                .is_ok()
        })
    };
    assert!(read(bytes.clone()).0, "the undamaged mesh");
    for at in 0..bytes.len() {
        for bits in [0xff, 0x80, 0x40, 0x08] {
            let mut damaged = bytes.clone();
            damaged[at] ^= bits;
            let (_, memory) = read(damaged);
            assert!(
                memory < 16 * MEBIBYTE,
                "{memory} bytes, with {bits:#x} in byte {at}"
            );
        }
    }
}

fn damaged_views_use_bounded_memory() {
    let case = packed_case("/meshopt/0");
    let length = case["packed"].as_str().unwrap().len() / 2;
    let entry = json!({
        "buffer": 0, "byteLength": length, "byteStride": 12, "count": 300, "mode": "ATTRIBUTES",
    });
    let view = json!({ "byteLength": 3600, "extensions": { "EXT_meshopt_compression": entry } });
    assert_damage_is_harmless(
        &case["packed"],
        300,
        view,
        json!({}),
        json!({ "bufferView": 0 }),
    );
}

fn damaged_primitives_use_bounded_memory() {
    let entry = json!({ "bufferView": 0, "attributes": { "POSITION": 0 } });
    let primitive = json!({ "extensions": { "KHR_draco_mesh_compression": entry } });
    assert_damage_is_harmless(
        &packed_case("/valence"),
        1024,
        json!({}),
        primitive.clone(),
        json!({}),
    );
    for case in ["/draco/0", "/draco/1"] {
        assert_damage_is_harmless(
            &packed_case(&format!("{case}/packed")),
            25,
            json!({}),
            primitive.clone(),
            json!({}),
        );
    }
}
