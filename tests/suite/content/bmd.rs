//! Compares BMD documents with sidecars. Floats in sidecars are the shortest decimals of 32-bit floats and must match
//! exactly.

use meshspec::Text;
use meshspec::bmd::{Animation, Bone, Document, F8A, LodDef, Mesh, Transform, flat_color, schema};
use serde_json::{Value, json};

pub fn compare(file: &str, document: &Document, bytes: &[u8], expected: &Value) -> bool {
    assert_eq!(expected["size"], bytes.len(), "{file}");
    assert_eq!(expected["header"]["resv"], json!(document.reserved), "{file}");
    assert_each(file, "meshes", &document.meshes, expected, assert_mesh);
    assert_each(file, "lods", &document.lods, expected, assert_lod);
    assert_each(file, "bones", &document.bones, expected, assert_bone);
    assert_each(file, "anims", &document.animations, expected, assert_animation);
    true
}

fn assert_each<T>(file: &str, list: &str, items: &[T], expected: &Value, compare: impl Fn(&str, &T, &Value)) {
    let expected = expected[list].as_array().unwrap();
    assert_eq!(items.len(), expected.len(), "{file}: {list}");
    for (index, (item, expected)) in items.iter().zip(expected).enumerate() {
        compare(&format!("{file}: {list}[{index}]"), item, expected);
    }
}

fn text(text: &Option<Text>) -> Value {
    json!(text.as_ref().map(Text::to_string))
}

/// Asserts that the numbers are equal. `expected` may be a nested list.
fn assert_numbers(at: &str, found: &[f32], expected: &Value) {
    let expected: Vec<f32> =
        expected.as_array().unwrap().iter().map(|number| number.as_f64().unwrap() as f32).collect();
    assert_eq!(found, expected, "{at}");
}

fn assert_mesh(at: &str, mesh: &Mesh, expected: &Value) {
    assert_eq!(text(&mesh.material), expected["material"], "{at}");
    let color = mesh.material.as_ref().and_then(|name| flat_color(name.as_bytes()));
    assert_eq!(json!(color), expected["flat_color"], "{at}");
    let flags = u32::from_le_bytes(mesh.flags.into_bytes());
    assert_eq!(expected["flags"], flags, "{at}");
    assert_eq!(expected["resv3"], mesh.resv3, "{at}");
    assert_eq!(expected["n_vtx"], mesh.vertices.len(), "{at}");
    assert_eq!(expected["sz_vtx"], 4 * mesh.vertices.words().len(), "{at}");
    assert_eq!(expected["sz_tris"], 4 * mesh.faces.words().len(), "{at}");
    for (index, vertex) in mesh.vertices.packed_items().enumerate() {
        let at = format!("{at}.vertices[{index}]");
        assert_eq!(expected["vtx_size"][index], vertex.bits() / 8, "{at}");
        let value = vertex.value();
        assert_numbers(&at, &value.position, &expected["pos"][index]);
        assert_numbers(&at, &value.st, &expected["st"][index]);
        assert_numbers(&at, &value.normal, &expected["normal"][index]);
        assert_eq!(json!(value.color), expected["shade"][index], "{at}");
        assert_eq!(expected["bone"][index], value.bone, "{at}");
    }
    let faces: Vec<Value> = mesh.faces.iter().map(|face| json!(face.vertices())).collect();
    assert_eq!(expected["faces"], Value::from(faces), "{at}");
    let counts = mesh.faces.counts();
    assert_eq!(expected["n_tris_items"], counts.faces(), "{at}");
    assert_eq!(expected["n_tris_quads_as_2"], counts.triangulated(), "{at}");
}

fn assert_lod(at: &str, lod: &LodDef, expected: &Value) {
    assert_eq!(expected["id_mesh"], lod.id_mesh, "{at}");
    assert_eq!(expected["n_mesh"], lod.n_mesh, "{at}");
    assert_eq!(expected["ld_sc_raw"], lod.ld_sc.code(), "{at}");
    assert_eq!(expected["resv1"], lod.resv1, "{at}");
    assert_numbers(at, &[lod.ld_sc.value()], &json!([expected["ld_sc"]]));
}

fn assert_bone(at: &str, bone: &Bone, expected: &Value) {
    assert_eq!(text(&bone.name), expected["name"], "{at}");
    assert_eq!(expected["parent"], bone.id_parent, "{at}");
    assert_eq!(expected["solid"], bone.id_solid, "{at}");
    assert_eq!(expected["resv"], json!([bone.resv1, bone.resv2]), "{at}");
    let word = match bone.transform {
        Transform::Bone(transform) => {
            assert_numbers(at, &transform.origin().value(), &expected["org"]);
            assert_numbers(at, &transform.unit_rotation(), &expected["rot_ijkr"]);
            transform.into_bytes()
        }
        Transform::Pseudo(transform) => {
            assert_eq!(expected["pseudo"]["bone"], json!(transform.bones()), "{at}");
            assert_numbers(at, &transform.weights(), &expected["pseudo"]["weight"]);
            transform.into_bytes()
        }
    };
    assert_eq!(expected["xform"], format!("{:016x}", u64::from_le_bytes(word)), "{at}");
}

fn assert_animation(at: &str, animation: &Animation, expected: &Value) {
    assert_eq!(text(&animation.name), expected["name"], "{at}");
    assert_eq!(expected["n_frames"], animation.n_frames, "{at}");
    assert_eq!(expected["fl_hz"], animation.fl_hz.into_bytes()[0], "{at}");
    assert_eq!(expected["no_loop"], animation.fl_hz.no_loop(), "{at}");
    assert_numbers(at, &[animation.fl_hz.hz()], &json!([expected["hz"]]));
    assert_eq!(expected["resv"], json!([animation.resv1, animation.resv2]), "{at}");
    assert_eq!(expected["n_bones"], animation.tracks.len(), "{at}");
    let used: usize = animation.tracks.iter().map(|track| track.as_bytes().len() + 1).sum();
    assert_eq!(expected["bytes_used"], used, "{at}");
    assert_eq!(expected["sz_frames"], used + animation.trailing.len(), "{at}");
    let tracks = animation.tracks.iter().enumerate();
    let keys: Vec<_> = tracks
        .flat_map(|(bone, track)| track.keys().map(move |key| (bone, key)))
        .filter(|(_, key)| key.has_values())
        .collect();
    let expected = expected["keys"].as_array().unwrap();
    assert_eq!(keys.len(), expected.len(), "{at}");
    for ((bone, key), expected) in keys.iter().zip(expected) {
        let at = format!("{at}: bone {bone}, frame {}", key.frame);
        assert_eq!((&expected["bone"], &expected["frame"]), (&json!(bone), &json!(key.frame)), "{at}");
        if assert_word(&at, key.rotation.map(schema::Rotation::word), &expected["rot_raw"]) {
            assert_numbers(&at, &key.rotation.unwrap().value(), &expected["rot_ijkr"]);
        }
        if assert_word(&at, key.translation.map(schema::Triple::word), &expected["trans_raw"]) {
            assert_numbers(&at, &key.translation.unwrap().value(), &expected["trans"]);
        }
        if assert_word(&at, key.scale.map(schema::Triple::word), &expected["scale_raw"]) {
            assert_numbers(&at, &key.scale.unwrap().value(), &expected["scale"]);
        }
    }
}

/// Asserts that the packed words are equal, or both missing. Returns `true` if there is a word.
fn assert_word(at: &str, found: Option<u32>, expected: &Value) -> bool {
    assert_eq!(json!(found.map(|word| format!("{word:08x}"))), *expected, "{at}");
    found.is_some()
}

/// Compares F8A codes of both signs with a table of magnitudes, whose lines are `code:value`.
pub fn compare_f8a(table: &str) {
    let entries: Vec<_> = table.split_whitespace().collect();
    assert_eq!(entries.len(), 128);
    for entry in entries {
        let (code, value) = entry.split_once(':').unwrap();
        let (code, value) = (u8::from_str_radix(code, 16).unwrap(), value.parse::<f32>().unwrap());
        assert_eq!(F8A::from(code).value().to_bits(), value.to_bits(), "{code:02x}");
        // Both zeros decode to positive zero.
        let negative = if value == 0.0 { 0.0 } else { -value };
        assert_eq!(F8A::from(code | 0x80).value().to_bits(), f32::to_bits(negative), "{code:02x}");
    }
}
