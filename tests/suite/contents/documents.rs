//! The contents of files and documents. `tests/external/schemas.py` compares them with the published JSON Schema.

use meshspec::contents::compare;
use meshspec::{Document, Formats, WriteOptions};
use proptest::prelude::*;

use super::contents;
use crate::common::{File, config};
use crate::properties::documents;

of_files!(files_have_every_attribute);

fn files_have_every_attribute(files: Vec<File>) {
    let mut attributes = Vec::new();
    for (format, bytes) in files {
        let document = Document::read(format, &bytes, &Default::default()).unwrap();
        let contents = contents(&document);
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
    for name in [
        "position",
        "position_2d",
        "normal",
        "tangent",
        "uv_0",
        "color_0",
        "shade",
        "joints",
        "weights",
    ] {
        assert!(
            attributes.iter().any(|attribute| attribute == name),
            "no file has {name}"
        );
    }
}

proptest! {
    #![proptest_config(config(100, "contents"))]

    #[test]
    fn contents_are_equal_to_themselves(document in documents()) {
        let contents = contents(&document);
        prop_assert!(compare(&contents, &contents, 1).is_empty());
    }

    #[test]
    fn a_file_has_the_contents_of_its_document(document in documents()) {
        let bytes = document.write(&WriteOptions::default()).unwrap();
        let options = meshspec::ReadOptions::default().with_dialect(document.dialect());
        let format: meshspec::AnyFormat = document.format();
        let read = serde_json::to_string(&format.contents(&bytes, &options).unwrap()).unwrap();
        prop_assert_eq!(read, serde_json::to_string(&document.contents()).unwrap());
    }
}

/// For a broken file, `contents` returns the error of strict reading.
#[test]
fn broken_files_have_no_contents() {
    for format in Formats::BUILT_IN {
        let format = *format;
        let error = format
            .contents(b"garbage", &Default::default())
            .unwrap_err();
        assert!(error.rule().is_some(), "{format}: {error}");
    }
}
