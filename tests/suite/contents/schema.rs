//! The published JSON Schema describes all contents, and little else.

use meshspec::contents::compare;
use meshspec::{Document, FormatId, WriteOptions, bmd, crucible, iyma, mesh, seed};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::contents;
use crate::common::{File, config};

fn schema() -> Value {
    serde_json::from_str(include_str!("../../../docs/contents.schema.json")).unwrap()
}

fn validator() -> jsonschema::Validator {
    jsonschema::options().build(&schema()).unwrap()
}

/// What the schema says against it.
fn faults(contents: &Value) -> Vec<String> {
    validator().iter_errors(contents).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

of_files!(contents_of_files_follow_the_schema);

fn contents_of_files_follow_the_schema(files: Vec<File>) {
    let mut attributes = Vec::new();
    for (format, bytes) in files {
        let document = format.read(&bytes, &Default::default()).unwrap();
        let contents = contents(&document);
        assert_eq!(faults(&contents), [""; 0], "{format}");
        assert_eq!(contents["format"], format.name());
        for mesh in contents["meshes"].as_array().unwrap() {
            let names = mesh["attributes"].as_object().unwrap();
            attributes.extend(names.keys().cloned());
            for (name, array) in names {
                let vertices = &array["shape"][0];
                assert_eq!(*vertices, mesh["vertices"], "{format}: {name}");
            }
        }
    }
    for name in
        ["position", "position_2d", "normal", "tangent", "uv_0", "color_0", "shade", "joints", "weights"]
    {
        assert!(attributes.iter().any(|attribute| attribute == name), "no file has {name}");
    }
}

/// The schema notices what it should.
#[test]
fn the_schema_refuses_other_data() {
    let array = json!({"type": "f32", "shape": [1], "values": [1.0], "bits": ["3f800000"]});
    let with = |key: &str, value: Value| {
        let mut array = array.clone();
        array[key] = value;
        json!({"format": "mesh", "dialect": "spec", "root_transform": array})
    };
    assert_eq!(faults(&with("tolerance", json!(0.5))), [""; 0]);
    for (key, value) in [
        ("type", json!("f31")),
        ("type", json!("u8")),
        ("shape", json!([-1])),
        ("values", json!(["NaN"])),
        ("bits", json!(["3F800000"])),
        ("bits", json!([1])),
        ("bit", json!([])),
    ] {
        assert!(!faults(&with(key, value.clone())).is_empty(), "{key}: {value}");
    }
    assert!(!faults(&json!({"format": "mesh"})).is_empty());
    assert!(!faults(&json!({"format": "mesh", "dialect": "spec", "mesh": []})).is_empty());
}

fn documents() -> impl Strategy<Value = Document> {
    prop_oneof![
        mesh::strategy::documents().prop_map(Document::Mesh),
        crucible::strategy::documents().prop_map(Document::Crucible),
        seed::strategy::documents().prop_map(Document::Seed),
        bmd::strategy::documents().prop_map(Document::Bmd),
        iyma::strategy::documents().prop_map(Document::Iyma),
    ]
}

proptest! {
    #![proptest_config(config(100, "contents"))]

    #[test]
    fn contents_of_documents_follow_the_schema(document in documents()) {
        let contents = contents(&document);
        prop_assert_eq!(faults(&contents), [""; 0]);
        prop_assert!(compare(&contents, &contents, 1).is_empty());
    }

    #[test]
    fn a_file_has_the_contents_of_its_document(document in documents()) {
        let bytes = document.write(&WriteOptions::default()).unwrap();
        let options = meshspec::ReadOptions::default().with_dialect(document.dialect());
        let format: meshspec::AnyFormat = document.format().into();
        let read = serde_json::to_string(&format.contents(&bytes, &options).unwrap()).unwrap();
        prop_assert_eq!(read, serde_json::to_string(&document.contents()).unwrap());
    }
}

/// Broken files have the error of strict reading instead of contents.
#[test]
fn broken_files_have_no_contents() {
    for format in FormatId::ALL {
        let format = meshspec::AnyFormat::from(*format);
        let error = format.contents(b"garbage", &Default::default()).unwrap_err();
        assert!(error.rule().is_some(), "{format}: {error}");
    }
}
