//! `meshspec decode`.

use meshspec::Formats;
use serde_json::{Value, json};

use crate::dump::repository;
use crate::files::{Folder, animated, broken_triangle, bytes_of, triangle};

/// Returns the output of `decode --json` for a file.
fn decode(folder: &Folder, arguments: &str) -> Value {
    let text = folder.run(&format!("decode {arguments} --json")).fine();
    assert_eq!(text.matches('\n').count(), 1, "one line");
    serde_json::from_str(&text).unwrap()
}

#[test]
fn json_matches_the_library() {
    let folder = Folder::new();
    for format in Formats::BUILT_IN {
        for file in std::fs::read_dir(repository().join("samples").join(format.name())).unwrap() {
            let bytes = std::fs::read(file.unwrap().path()).unwrap();
            folder.put("file", &bytes);
            let contents = format.contents(&bytes, &Default::default()).unwrap();
            let expected = serde_json::to_string(&contents).unwrap();
            assert_eq!(
                folder.run("decode file --json").fine(),
                format!("{expected}\n"),
                "{format}"
            );
        }
    }
}

#[test]
fn floats_have_their_bits() {
    let folder = Folder::new();
    folder.put_mesh("walk.mesh", &animated());
    let contents = decode(&folder, "walk.mesh");
    assert_eq!(
        contents["meshes"][0]["attributes"]["position"],
        json!({
            "type": "f32", "shape": [3, 3], "values": [0.0, 0.0, 0.0, 1.0, 0.0, 0.5, 0.0, 2.0, 0.0],
            "bits": [
                "00000000", "00000000", "00000000", "3f800000", "00000000", "3f000000", "00000000", "40000000",
                "00000000",
            ],
        })
    );
    assert_eq!(
        contents["animations"][0]["times"]["values"],
        json!([0.0, 30.0])
    );
}

#[test]
fn json_documents_and_standard_input() {
    let folder = Folder::new();
    folder.put_mesh("a.mesh", &triangle());
    folder.run("convert a.mesh a.json").fine();
    assert_eq!(decode(&folder, "a.json"), decode(&folder, "a.mesh"));
    let run = folder.run_with("decode - --json", bytes_of(&triangle()));
    assert_eq!(run.fine(), folder.run("decode a.mesh --json").fine());
}

#[test]
fn long_arrays_are_truncated_by_default() {
    let folder = Folder::new();
    let sample = repository().join("samples/bmd/tentacle.bmd");
    folder.put("tentacle.bmd", std::fs::read(sample).unwrap());
    let text = folder.run("decode tentacle.bmd").fine();
    for line in [
        "tentacle.bmd: BMD, dialect spec",
        "  mesh 0: 20 vertices, material \"\"",
        "    position  f32 [20, 3]",
        "      0.5 -0.5 0.0",
        "      … 12 more rows; --all shows them",
        "  skeleton: 5 joints",
        "    parents  i32 [5]",
        "  rest pose",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
    let all = folder.run("decode tentacle.bmd --all").fine();
    assert!(!all.contains('…'), "{all}");
    assert!(all.lines().count() > text.lines().count());
}

#[test]
fn files_without_contents() {
    let folder = Folder::new();
    folder.put_mesh("bad.mesh", &broken_triangle());
    let message = folder.run("decode bad.mesh --json").fails(1);
    assert!(
        message.contains("indices[2]") && message.contains("MESH-INDEX-RANGE"),
        "{message}"
    );
    assert_eq!(
        decode(&folder, "bad.mesh --lenient")["meshes"][0]["indices"]["values"],
        json!([0, 1, 7])
    );
    folder.put_mesh("a.mesh", &triangle());
    assert_eq!(folder.run("convert a.mesh a.glb").status, 0);
    let message = folder.run("decode a.glb").fails(2);
    assert!(
        message.contains("decode supports only mesh, crucible,") && message.contains("not glb"),
        "{message}"
    );
}
