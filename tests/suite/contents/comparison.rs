//! Comparison of contents: accepted notations, and reported differences.

use meshspec::contents::compare;
use serde_json::{Value, json};

fn expected() -> Value {
    json!({
        "format": "mesh",
        "meshes": [{
            "vertices": 2,
            "attributes": {
                "position": {
                    "type": "f32", "shape": [2, 3], "values": [0.0, 0.1, -0.0, 1.0, null, null],
                    "bits": ["00000000", "3dcccccd", "80000000", "3f800000", "7fc00001", "ff800000"],
                },
                "normal": {
                    "type": "f32", "shape": [2], "values": [1.0, null], "bits": ["3f800000", null], "tolerance": 0.25,
                },
                "weight": {"type": "f64", "shape": [1], "values": [0.1], "bits": ["3fb999999999999a"]},
                "half": {"type": "f16", "shape": [1], "values": [0.333_251_95], "bits": ["3555"]},
                "shade": {"type": "u8", "shape": [2], "values": [7, null]},
            },
        }],
        "animations": [{"name": "walk", "loop": true}],
    })
}

/// Returns the differences from the expected contents as text.
fn differences(found: &Value) -> Vec<String> {
    let differences = compare(&expected(), found, 100);
    assert_eq!(differences.total, differences.listed.len() as u64);
    differences.listed.iter().map(ToString::to_string).collect()
}

/// Returns contents with a single attribute.
fn attribute(name: &str, array: Value) -> Value {
    json!({"meshes": [{"attributes": {name: array}}]})
}

#[test]
fn equal_contents() {
    for found in [
        expected(),
        json!({}),
        json!({"format": "mesh", "animations": [{}], "meshes": [{"vertices": 2.0}]}),
        json!({"skeleton": null, "lods": [], "user_data": {}}),
        json!({"skeleton": {"names": [], "blends": null, "ids": {"type": "u8", "shape": [0], "values": []}}}),
        json!({"animations": [{"translations": {"joints": [], "frames": [], "values": []}}]}),
        // Only values, nested or flat, with as many digits as the type has.
        attribute("position", json!([[0, 0.100000001, 0], [1, null, null]])),
        attribute("position", json!([0.0, 0.1, -0.0, 1.0, null, null])),
        attribute("position", json!({"shape": [2, 3]})),
        // Only bits, in upper or lower case.
        attribute(
            "position",
            json!({"bits": ["00000000", "3DCCCCCD", "80000000", "3f800000", "7fc00001", "ff800000"]}),
        ),
        // Within the tolerance; undefined values may be anything.
        attribute("normal", json!([0.75, 99.0])),
        attribute(
            "normal",
            json!({"values": [1.25, null], "bits": ["3f900000", "7fc00000"], "tolerance": 9.0}),
        ),
        attribute("weight", json!([0.1])),
        attribute("half", json!([0.33325195])),
        attribute("shade", json!([7, null])),
    ] {
        assert_eq!(differences(&found), [""; 0], "{found}");
    }
}

#[test]
fn different_contents() {
    let position = "meshes[0].attributes.position";
    let near = |name, array, message: &str| {
        (
            attribute(name, array),
            format!("meshes[0].attributes.{name}{message}"),
        )
    };
    for (found, message) in [
        (
            json!({"format": "bmd"}),
            "format: found \"bmd\", expected \"mesh\"".to_owned(),
        ),
        (
            json!({"animations": [{"loop": false}]}),
            "animations[0].loop: found false, expected true".to_owned(),
        ),
        (
            json!({"animations": [{"speed": 1}]}),
            "animations[0].speed: found 1, expected no such key".to_owned(),
        ),
        (
            json!({"animations": []}),
            "animations: found a list of 0, expected a list of 1".to_owned(),
        ),
        (
            json!({"meshes": {}}),
            "meshes: found an object, expected a list of 1".to_owned(),
        ),
        (
            json!({"lods": [1]}),
            "lods: found a list of 1, expected no such key".to_owned(),
        ),
        near(
            "uv_0",
            json!([1]),
            ": found a list of 1, expected no such key",
        ),
        near("position", json!(1), ": found 1, expected an array"),
        near(
            "position",
            json!([0]),
            ": found 1 numbers, expected 6 numbers",
        ),
        near(
            "position",
            json!({"shape": [6]}),
            ".shape: found a list of 1, expected a list of 2",
        ),
        near(
            "position",
            json!({"type": "f64"}),
            ".type: found \"f64\", expected \"f32\"",
        ),
        near(
            "position",
            json!({"tolerances": 1}),
            ".tolerances: found 1, expected no such key",
        ),
        near(
            "position",
            json!([0, 0.1001, 0, 1, null, null]),
            "[1]: found 0.1001, expected 0.1",
        ),
        near(
            "position",
            json!([0, 0.1, 0, 1, 2, null]),
            "[4]: found 2, expected null",
        ),
        near(
            "position",
            json!([null, 0.1, 0, 1, null, null]),
            "[0]: found null, expected 0.0",
        ),
        near(
            "position",
            json!(["0", 0.1, 0, 1, null, null]),
            "[0]: found \"0\", expected 0.0",
        ),
        near("normal", json!([1.5, null]), "[0]: found 1.5, expected 1.0"),
        near(
            "normal",
            json!([null, null]),
            "[0]: found null, expected 1.0",
        ),
        near(
            "normal",
            json!({"bits": ["3fc00000", null]}),
            ".bits[0]: found \"3fc00000\", expected \"3f800000\"",
        ),
        near(
            "normal",
            json!({"bits": ["7fc00000", null]}),
            ".bits[0]: found \"7fc00000\", expected \"3f800000\"",
        ),
        near(
            "weight",
            json!([0.10000000149011612]),
            "[0]: found 0.10000000149011612, expected 0.1",
        ),
        near("shade", json!([7, 0]), "[1]: found 0, expected null"),
        near("shade", json!([null, null]), "[0]: found null, expected 7"),
        (
            attribute(
                "position",
                // The sign of zero, and the payload of a NaN.
                json!({"bits": ["00000000", "3dcccccd", "80000000", "3f800000", "7fc00000", "ff800000"]}),
            ),
            format!("{position}.bits[4]: found \"7fc00000\", expected \"7fc00001\""),
        ),
        (
            attribute(
                "position",
                json!({"bits": ["80000000", "3dcccccd", "80000000", "3f800000", "7fc00001", "ff800000"]}),
            ),
            format!("{position}.bits[0]: found \"80000000\", expected \"00000000\""),
        ),
    ] {
        assert_eq!(differences(&found), [message], "{found}");
    }
}

#[test]
fn differences_are_capped_and_counted() {
    let expected = json!({"type": "u8", "shape": [1000], "values": vec![1; 1000]});
    let differences = compare(&expected, &json!(vec![2; 1000]), 3);
    assert_eq!((differences.listed.len(), differences.total), (3, 1000));
    assert!(!differences.is_empty());
    assert_eq!(differences.listed[2].path, "[2]");
    // Long values are truncated.
    let found = json!({"format": "x".repeat(1000)});
    let differences = compare(&json!({"format": "mesh"}), &found, 1);
    assert!(differences.listed[0].found.chars().count() < 100);
}
