//! Compares the contents of the reference files with the sidecars of independent decoders.

use meshspec::{AnyFormat, Document, ReadOptions};
use serde_json::{Value, json};

use super::{bytes, contents, floats, list, numbers};
use crate::common::{Fixture, bits, fixtures_of, sha256};

/// Calls `compare` for every file of a format that has a sidecar and that lenient reading accepts.
fn compare_all(format: AnyFormat, compare: impl Fn(&Value, &Value)) {
    let mut compared = 0;
    for Fixture {
        file,
        bytes,
        expected,
        ..
    } in fixtures_of(format.name())
    {
        let Ok(document) = Document::read(format, &bytes, &ReadOptions::lenient()) else {
            continue;
        };
        let Some(expected) = expected else { continue };
        let expected = expected.get("expected").unwrap_or(&expected);
        if expected.get("error").is_none() {
            println!("{file}");
            compare(&contents(&document), expected);
            compared += 1;
        }
    }
    assert!(compared > 4, "{compared} files of {format}");
}

fn assert_sum(found: &Value, expected: &Value) {
    assert_eq!(*expected, sha256(&bytes(found)), "{}", found["shape"]);
}

/// Asserts that floats have the bits in the sidecar.
fn assert_bits(found: &[f32], expected: &Value) {
    assert_eq!(
        found
            .iter()
            .map(|x| bits([*x])[0].clone())
            .collect::<Value>(),
        *expected
    );
}

#[test]
#[ignore = "needs the reference files: set MESHSPEC_FIXTURES"]
fn mesh() {
    compare_all(meshspec::mesh::FORMAT, |contents, expected| {
        let mesh = &contents["meshes"][0];
        assert_eq!(expected["header"]["vertex_count"], mesh["vertices"]);
        let names = [
            ("position", "position"),
            ("normal", "normal"),
            ("uv_0", "uv"),
            ("joints", "joint_ids"),
            ("weights", "joint_weights"),
        ];
        for (ours, theirs) in names {
            let found = mesh["attributes"].get(ours);
            let stream = expected["streams"].get(theirs);
            if mesh["vertices"] != 0 {
                assert_eq!(found.is_some(), stream.is_some(), "{ours}");
                found
                    .zip(stream)
                    .inspect(|(found, stream)| assert_sum(found, &stream["sha256"]));
            }
        }
        let sections = &expected["sections"];
        assert_sum(&mesh["indices"], &sections["index_data"]["sha256"]);
        let root = contents
            .get("root_transform")
            .map(|root| json!(floats(root)));
        assert_eq!(expected["header"].get("root_transform"), root.as_ref());
        let skeleton = &contents["skeleton"];
        if let (Value::Object(_), Some(joints)) = (skeleton, expected.get("joints")) {
            assert_eq!(skeleton["ids"]["values"], joints["ids"]);
            let parents = list(&joints["parents"])
                .iter()
                .map(|parent| parent.as_i64().unwrap());
            let parents: Vec<_> = parents
                .map(|parent| if parent == 255 { -1 } else { parent })
                .collect();
            assert_eq!(skeleton["parents"]["values"], json!(parents));
            let matrices = floats(&skeleton["inverse_bind"]);
            assert_bits(&matrices[..16], &joints["first"]["bits"]);
            assert_bits(&matrices[matrices.len() - 16..], &joints["last"]["bits"]);
        }
        let animations = list(&expected["animations"]);
        assert_eq!(list(&contents["animations"]).len(), animations.len());
        for (found, expected) in list(&contents["animations"]).iter().zip(animations) {
            mesh_animation(found, expected);
        }
    });
}

fn mesh_animation(found: &Value, expected: &Value) {
    assert_eq!(
        found.get("name").and_then(Value::as_str),
        expected.get("name").and_then(Value::as_str)
    );
    assert_eq!(found["frames"], expected["pose_count"]);
    assert_bits(
        &floats(&found["duration"]),
        &json!([expected["duration_bits"]]),
    );
    assert_bits(&floats(&found["rate"]), &json!([expected["speed_bits"]]));
    assert_sum(&found["times"], &expected["timestamps"]["sha256"]);
    let poses = &expected["poses"];
    let keys = |kind: &str| {
        found
            .get(kind)
            .map_or(Vec::new(), |keys| floats(&keys["values"]))
    };
    let [translations, rotations, scales] = ["translations", "rotations", "scales"].map(keys);
    let count = scales.len() / 3;
    assert_eq!(poses["entries"], count);
    if count == 0 || poses["ids_sequential"] != true {
        return;
    }
    // The file stores the transforms pose by pose, with the real part of rotations first.
    let frames = found["frames"].as_u64().unwrap() as usize;
    let joints = count / frames;
    let places = (0..frames).flat_map(|frame| (0..joints).map(move |joint| joint * frames + frame));
    let all: Vec<f32> = places
        .flat_map(|place| {
            let [x, y, z, w] = rotations[4 * place..][..4].try_into().unwrap();
            [
                &translations[3 * place..][..3],
                &[w, x, y, z],
                &scales[3 * place..][..3],
            ]
            .concat()
        })
        .collect();
    assert_bits(&all[..10], &poses["first"]["bits"]);
    assert_bits(&all[all.len() - 10..], &poses["last"]["bits"]);
    if let Some(sum) = poses.get("trs_sha256") {
        assert_eq!(*sum, sha256(&meshspec::bulk::as_bytes(&all)));
    }
}

#[test]
#[ignore = "needs the reference files: set MESHSPEC_FIXTURES"]
fn crucible() {
    compare_all(meshspec::crucible::FORMAT, |contents, expected| {
        let [mesh] = list(&contents["meshes"]) else {
            panic!("sidecars describe bare chunks")
        };
        assert_eq!(expected["vertex_count"], mesh["vertices"]);
        assert_sum(&mesh["indices"], &expected["index"]["sha256"]);
        let attributes = &mesh["attributes"];
        for stream in list(&expected["streams"]) {
            let sum = &stream["sha256"];
            match stream["name"].as_str().unwrap() {
                "position_3d" => assert_sum(&attributes["position"], sum),
                "uv" => assert_sum(&attributes["uv_0"], sum),
                "color" => assert_sum(&attributes["color_0"], sum),
                "bone_weights" => {
                    let [joints, weights] =
                        ["joints", "weights"].map(|name| bytes(&attributes[name]));
                    let pairs = joints.chunks(2).zip(weights.chunks(4));
                    let pairs: Vec<u8> = pairs
                        .flat_map(|(joint, weight)| [joint, weight].concat())
                        .collect();
                    assert_eq!(*sum, sha256(&pairs));
                }
                name => assert_sum(&attributes[name], sum),
            }
        }
    });
}

#[test]
#[ignore = "needs the reference files: set MESHSPEC_FIXTURES"]
fn seed() {
    compare_all(meshspec::seed::FORMAT, |contents, expected| {
        let properties = list(&contents["properties"]).iter();
        let properties: Value = properties
            .map(|property| json!([property["name"], property["value"]]))
            .collect();
        assert_eq!(expected["properties"], properties);
        let mesh = &contents["meshes"][0];
        for (identifier, column) in expected["attributes"].as_object().unwrap() {
            let found = match identifier.as_bytes() {
                b"p" => &mesh["attributes"]["position"],
                b"n" => &mesh["attributes"]["normal"],
                b"f" => &mesh["indices"],
                [kind, channel] => {
                    let name = if *kind == b'c' { "color" } else { "uv" };
                    &mesh["attributes"][format!("{name}_{}", channel - b'0')]
                }
                other => panic!("{other:?}"),
            };
            assert_sum(found, &column["sha256_le"]);
        }
    });
}

#[test]
#[ignore = "needs the reference files: set MESHSPEC_FIXTURES"]
fn iyma() {
    compare_all(meshspec::iyma::FORMAT, |contents, expected| {
        let mesh = &contents["meshes"][0];
        let descriptor = &expected["descriptor"];
        assert_eq!(descriptor["n_vertices"], mesh["vertices"]);
        let parts = list(&mesh["parts"]).iter();
        let parts: Value = parts
            .map(|part| {
                json!([
                    part["first_index"],
                    part["index_count"],
                    part["first_vertex"],
                    part["vertex_count"]
                ])
            })
            .collect();
        assert_eq!(descriptor["meshes"], parts);
        for buffer in list(&expected["buffers"]) {
            let found = match buffer["role"].as_str().unwrap() {
                "user_data" if buffer["len"] == 0 => continue,
                "user_data" => &contents["user_data"],
                "index" => &mesh["indices"],
                _ => iyma_attribute(&mesh["attributes"], buffer),
            };
            if buffer["format"] == "Unorm10_10_10_2" {
                let values: Vec<u32> = numbers(found).iter().map(|value| *value as u32).collect();
                let words = values.chunks(4).flat_map(|four| {
                    (four[0] | four[1] << 10 | four[2] << 20 | four[3] << 30).to_le_bytes()
                });
                assert_eq!(buffer["sha256"], sha256(&words.collect::<Vec<_>>()));
            } else {
                assert_sum(found, &buffer["sha256"]);
            }
        }
    });
}

/// Returns the attribute with the usage of a buffer in the sidecar. If the usage is repeated, returns the attribute
/// with the same bytes.
fn iyma_attribute<'a>(attributes: &'a Value, buffer: &Value) -> &'a Value {
    let usage = &buffer["usage"];
    let name = match usage["name"].as_str().unwrap() {
        "Custom" => match usage.get("string").and_then(Value::as_str) {
            Some(name) if !name.is_empty() => format!("custom_{}:{name}", usage["id"]),
            _ => format!("custom_{}", usage["id"]),
        },
        "Uv" | "Uv0" => "uv_0".to_owned(),
        "Uv1" => "uv_1".to_owned(),
        "Color" => "color_0".to_owned(),
        "JointIndex" => "joints".to_owned(),
        "JointWeight" => "weights".to_owned(),
        other => other.to_lowercase(),
    };
    let size = buffer["len"].as_u64().unwrap() as usize;
    let names = [
        name.clone(),
        format!("{name}_again_1"),
        format!("{name}_again_2"),
    ];
    let candidates = names.iter().filter_map(|name| attributes.get(name));
    let of_sum = |array: &&Value| buffer["sha256"] == sha256(&bytes(array));
    candidates
        .clone()
        .find(of_sum)
        .or_else(|| candidates.clone().find(|array| bytes(array).len() != size))
        .unwrap_or_else(|| panic!("no attribute {name} as in {buffer}"))
}

/// Asserts that numbers are equal within the tolerance. The sidecar contains nested lists of the shortest decimals of
/// 32-bit floats.
fn assert_near(at: &str, found: &Value, expected: &Value) {
    let mut flat = Vec::new();
    flatten(expected, &mut flat);
    let found_numbers = numbers(found);
    assert_eq!(found_numbers.len(), flat.len(), "{at}");
    let tolerance = found
        .get("tolerance")
        .and_then(Value::as_f64)
        .unwrap_or(0.0);
    for (found, expected) in found_numbers.iter().zip(flat) {
        let expected = expected
            .as_f64()
            .map_or(f64::NAN, |number| f64::from(number as f32));
        let is_near = (found - expected).abs() <= tolerance || found.is_nan() && expected.is_nan();
        // Without a tolerance, decimals are rounded to 32 bits.
        assert!(
            is_near || *found as f32 == expected as f32,
            "{at}: {found} for {expected} ± {tolerance}"
        );
    }
}

fn flatten<'v>(value: &'v Value, flat: &mut Vec<&'v Value>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| flatten(item, flat)),
        value => flat.push(value),
    }
}

#[test]
#[ignore = "needs the reference files: set MESHSPEC_FIXTURES"]
fn bmd() {
    compare_all(meshspec::bmd::FORMAT, |contents, expected| {
        let meshes = list(&contents["meshes"]);
        assert_eq!(meshes.len(), list(&expected["meshes"]).len());
        for (mesh, expected) in meshes.iter().zip(list(&expected["meshes"])) {
            bmd_mesh(mesh, expected);
        }
        let lods = list(&contents["lods"]);
        assert_eq!(lods.len(), list(&expected["lods"]).len());
        for (lod, expected) in lods.iter().zip(list(&expected["lods"])) {
            assert_eq!(lod["first_mesh"], expected["id_mesh"]);
            assert_eq!(lod["mesh_count"], expected["n_mesh"]);
            assert_near("lod", &lod["scale"], &json!([expected["ld_sc"]]));
        }
        bmd_skeleton(contents, list(&expected["bones"]));
        let animations = list(&contents["animations"]);
        assert_eq!(animations.len(), list(&expected["anims"]).len());
        for (index, (animation, expected)) in
            animations.iter().zip(list(&expected["anims"])).enumerate()
        {
            bmd_keys(animation, expected);
            let of_this = list(&contents["poses"])
                .iter()
                .filter(|pose| pose["animation"] == index);
            for pose in of_this {
                let expected = &expected["pose"][pose["frame"].as_u64().unwrap() as usize];
                for (ours, theirs) in [
                    ("translations", "trans"),
                    ("rotations", "rot_ijkr"),
                    ("scales", "scale"),
                ] {
                    assert_near(theirs, &pose[ours], &expected[theirs]);
                }
            }
        }
    });
}

fn bmd_mesh(mesh: &Value, expected: &Value) {
    assert_eq!(
        mesh.get("material").unwrap_or(&Value::Null),
        &expected["material"]
    );
    let attributes = &mesh["attributes"];
    for (ours, theirs) in [
        ("position", "pos"),
        ("uv_0", "st"),
        ("normal", "normal"),
        ("joints", "bone"),
    ] {
        assert_near(theirs, &attributes[ours], &expected[theirs]);
    }
    match attributes.get("shade") {
        Some(shade) => assert_eq!(shade["values"], expected["shade"]),
        None => assert!(list(&expected["shade"]).iter().all(Value::is_null)),
    }
    let mut indices = Vec::new();
    flatten(&expected["faces"], &mut indices);
    assert_eq!(mesh["indices"]["values"], json!(indices));
    let sizes: Vec<_> = list(&expected["faces"])
        .iter()
        .map(|face| list(face).len())
        .collect();
    match mesh.get("face_sizes") {
        Some(found) => assert_eq!(found["values"], json!(sizes)),
        None => assert!(sizes.iter().all(|size| *size == 3)),
    }
}

fn bmd_skeleton(contents: &Value, bones: &[Value]) {
    let Some(skeleton) = contents.get("skeleton") else {
        return assert!(bones.is_empty());
    };
    let names: Vec<_> = bones.iter().map(|bone| &bone["name"]).collect();
    assert_eq!(skeleton["names"], json!(names));
    let (pseudo, normal): (Vec<_>, Vec<_>) =
        bones.iter().partition(|bone| bone.get("pseudo").is_some());
    let all = |key: &str| {
        Value::from(
            normal
                .iter()
                .map(|bone| bone[key].clone())
                .collect::<Vec<_>>(),
        )
    };
    assert_near("org", &skeleton["translations"], &all("org"));
    assert_near("rot", &skeleton["rotations"], &all("rot_ijkr"));
    for (found, (index, bone)) in numbers(&skeleton["parents"])
        .into_iter()
        .zip(bones.iter().enumerate())
    {
        let has_parent = index > 0 && bone["parent"] != 255;
        assert_eq!(
            found,
            if has_parent {
                bone["parent"].as_f64().unwrap()
            } else {
                -1.0
            }
        );
    }
    let solids: Vec<_> = bones.iter().map(|bone| &bone["solid"]).collect();
    assert_eq!(skeleton["solids"]["values"], json!(solids));
    let blends = skeleton.get("blends").map_or(&[][..], list);
    assert_eq!(blends.len(), pseudo.len());
    for (blend, bone) in blends.iter().zip(pseudo) {
        assert_eq!(blend["joints"]["values"], bone["pseudo"]["bone"]);
        assert_near("weight", &blend["weights"], &bone["pseudo"]["weight"]);
    }
}

fn bmd_keys(animation: &Value, expected: &Value) {
    assert_eq!(
        animation.get("name").unwrap_or(&Value::Null),
        &expected["name"]
    );
    assert_eq!(animation["frames"], expected["n_frames"]);
    assert_eq!(animation["loop"], !expected["no_loop"].as_bool().unwrap());
    assert_near("hz", &animation["rate"], &json!([expected["hz"]]));
    for (ours, theirs) in [
        ("translations", "trans"),
        ("rotations", "rot_ijkr"),
        ("scales", "scale"),
    ] {
        let keys: Vec<_> = list(&expected["keys"])
            .iter()
            .filter(|key| key.get(theirs).is_some())
            .collect();
        let Some(found) = animation.get(ours) else {
            assert!(keys.is_empty(), "{theirs}");
            continue;
        };
        let all = |key: &str| {
            Value::from(
                keys.iter()
                    .map(|entry| entry[key].clone())
                    .collect::<Vec<_>>(),
            )
        };
        assert_eq!(found["joints"]["values"], all("bone"), "{theirs}");
        assert_eq!(found["frames"]["values"], all("frame"), "{theirs}");
        assert_near(theirs, &found["values"], &all(theirs));
    }
}
