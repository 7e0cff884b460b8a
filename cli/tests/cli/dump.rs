//! `meshspec dump`.
//!
//! `UPDATE_GOLDEN=1 cargo test -p meshspec-cli dump` updates the files in `cli/tests/golden`.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::files::{Folder, animated, awkward, broken_triangle, bytes_of, triangle};

pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The samples: name and content.
fn samples() -> Vec<(String, Vec<u8>)> {
    let folders = fs::read_dir(repository().join("samples")).unwrap();
    let files = folders.flat_map(|folder| fs::read_dir(folder.unwrap().path()).unwrap());
    let mut samples: Vec<_> = files
        .map(|file| {
            let path = file.unwrap().path();
            (
                path.file_name().unwrap().to_str().unwrap().to_owned(),
                fs::read(path).unwrap(),
            )
        })
        .collect();
    samples.sort();
    samples
}

#[track_caller]
fn assert_golden(name: &str, printed: &str) {
    let path = repository().join("cli/tests/golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, printed).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        printed == expected,
        "{} differs; see UPDATE_GOLDEN\n{printed}",
        path.display()
    );
}

#[test]
fn samples_are_dumped_as_committed() {
    let samples = samples();
    assert!(samples.len() >= 6);
    for (name, content) in samples {
        let folder = Folder::new();
        folder.put(&name, content);
        assert_golden(
            &format!("{name}.dump"),
            &folder.run(&format!("dump {name}")).fine(),
        );
    }
}

#[test]
fn a_broken_file_is_dumped_up_to_the_fault() {
    let folder = Folder::new();
    folder.put("short.mesh", &bytes_of(&triangle())[..53]);
    let run = folder.run("dump short.mesh");
    assert_golden("short.mesh.dump", &run.stdout);
    assert_eq!(run.fails(1), "");
}

#[test]
fn a_fault_in_a_packed_block_is_shown_there() {
    let folder = Folder::new();
    let mut bytes = fs::read(repository().join("samples/crucible/tetrahedron.crmesh")).unwrap();
    // The declared unpacked size of the indices.
    bytes[5] = 23;
    folder.put("bad.crmesh", bytes);
    let run = folder.run("dump --from crucible bad.crmesh");
    assert!(
        run.stdout.contains(
            "error: chunks[0].indices.data (bytes 0x9..0x23): unpacks to more than the stated 23 bytes \
             [CRUCIBLE-PACKING, C3, C4]\n  00000000 "
        ),
        "{}",
        run.stdout
    );
    run.fails(1);
}

#[test]
fn dumps_ignore_rules_on_values() {
    let folder = Folder::new();
    folder.put_mesh("bad.mesh", &broken_triangle());
    let text = folder.run("dump bad.mesh").fine();
    assert_eq!(folder.run("dump --lenient bad.mesh").fine(), text);
}

#[test]
fn files_of_unknown_format_require_from() {
    let folder = Folder::new();
    folder.put("note.txt", "no mesh at all");
    let message = folder.run("dump note.txt").fails(1);
    assert!(
        message.contains("hint: specify the format with --from FORMAT"),
        "{message}"
    );
    let run = folder.run("dump --from mesh note.txt");
    assert!(run.stdout.contains("  00000000  6e  "), "{}", run.stdout);
    assert!(
        run.stdout
            .contains("error: header.version (bytes 0x0..0x1): the version is"),
        "{}",
        run.stdout
    );
    run.fails(1);
    folder.put("empty", "");
    let run = folder.run("dump --from crucible empty");
    assert!(run.stdout.contains("error: "), "{}", run.stdout);
    run.fails(1);
}

#[test]
fn standard_input() {
    let folder = Folder::new();
    folder.put_mesh("in.mesh", &triangle());
    let piped = folder.run_with("dump -", bytes_of(&triangle())).fine();
    assert_eq!(
        piped.replace("-: MESH", "in.mesh: MESH"),
        folder.run("dump in.mesh").fine()
    );
}

#[test]
fn the_dialect_selects_the_layout() {
    let folder = Folder::new();
    folder.put_mesh("in.mesh", &triangle());
    let run = folder.run("dump --dialect renderlib in.mesh");
    assert!(
        run.stdout
            .starts_with("in.mesh: MESH, layout mesh_renderlib, 61 bytes\n"),
        "{}",
        run.stdout
    );
    run.fails(1);
    folder.run("dump --dialect tangent in.mesh").fails(2);
}

#[test]
fn a_path_narrows_the_dump() {
    let folder = Folder::new();
    folder.put_mesh("walk.mesh", &animated());
    let dump = |path: &str| {
        let text = folder.run(&format!("dump walk.mesh --path {path}")).fine();
        text.strip_prefix("walk.mesh: MESH, layout mesh, 244 bytes\n\n")
            .unwrap()
            .to_owned()
    };
    let timestamps = dump("animations[0].timestamps");
    assert!(
        timestamps.starts_with("  0000008f  00 00 00 00 00 00 f0 41  f32[2]"),
        "{timestamps}"
    );
    assert_eq!(timestamps.lines().count(), 1);
    for path in ["timestamps", "[0].timestamps", "animations.timestamps"] {
        assert_eq!(dump(path), timestamps, "{path}");
    }
    let joint = dump("joints[0]");
    assert!(
        joint.starts_with("joints[0]: Joint at 0x3d\n") && joint.contains("transform"),
        "{joint}"
    );
    assert!(
        !joint.contains("vertices") && !joint.contains("animations"),
        "{joint}"
    );
    let flag = dump("format.uv");
    assert!(
        flag.starts_with("  00000001  bit 2 ") && flag.contains("header.format.uv"),
        "{flag}"
    );
    let word = dump("header.format");
    assert_eq!(word.lines().count(), 6, "the word and its fields: {word}");
}

#[test]
fn ambiguous_paths_list_candidates() {
    let folder = Folder::new();
    folder.put_mesh("walk.mesh", &animated());
    assert_eq!(
        folder.run("dump walk.mesh --path poses.scale").fails(2),
        "error: walk.mesh: `poses.scale` is ambiguous: it could be animations[0].poses[0].scale, \
         animations[0].poses[1].scale\n"
    );
    let message = folder.run("dump walk.mesh --path [0]").fails(2);
    assert!(
        message.starts_with("error: walk.mesh: `[0]` is ambiguous: it could be vertices[0], "),
        "{message}"
    );
    assert!(message.ends_with(" more\n"), "{message}");
    assert_eq!(message.matches(", ").count(), 9, "{message}");
}

#[test]
fn unknown_paths_are_usage_errors() {
    let folder = Folder::new();
    folder.put_mesh("walk.mesh", &animated());
    let message = |path: &str| {
        folder
            .run(&format!("dump walk.mesh --path {path}"))
            .fails(2)
    };
    assert_eq!(
        message("joints[0].postion"),
        "error: walk.mesh: no field `joints[0].postion`\nhint: fields with similar names: position\n"
    );
    assert_eq!(
        message("vertices[3]"),
        "error: walk.mesh: no field `vertices[3]`\n\
         hint: the format has a field `vertices`, but this file has none with this path\n"
    );
    assert!(message("xyzzy").ends_with("hint: list all fields with `meshspec dump`\n"));
    assert!(message("][").contains("no field `][`"));

    folder.put("short.mesh", &bytes_of(&animated())[..53]);
    let message = folder.run("dump short.mesh --path strings").fails(1);
    assert!(
        message.starts_with("error: short.mesh: no field `strings` before the error: indices"),
        "{message}"
    );
    // Values before the error are found, and the error is ignored.
    folder.run("dump short.mesh --path header").fine();
    folder.run("dump short.mesh --path vertices").fine();
    folder.run("dump short.mesh --path vertices[2]").fine();
    assert!(
        folder
            .run("dump short.mesh --path indices")
            .stdout
            .contains("[0]")
    );
}

#[test]
fn json_has_values_places_and_meanings() {
    let folder = Folder::new();
    folder.put("in.mesh", bytes_of(&awkward()));
    let text = folder.run("dump --json in.mesh").fine();
    let keys = ["file", "format", "layout", "version", "size", "value"];
    let starts = keys.map(|key| text.find(&format!("\n  \"{key}\": ")).unwrap());
    assert!(starts.is_sorted(), "{text}");
    let dump: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(dump.as_object().unwrap().len(), keys.len());
    assert_eq!(
        keys[..5].iter().map(|key| &dump[key]).collect::<Vec<_>>(),
        [
            &json!("in.mesh"),
            &json!("mesh"),
            &json!("mesh"),
            &json!(1),
            &json!(61)
        ]
    );
    let word = &dump["value"]["header"]["format"];
    let annotations = ["$value", "$at", "$type", "$meaning"].map(|key| word[key].clone());
    assert_eq!(
        json!(annotations),
        json!([1, [1, 3], "VertexFormat", "The vertex attributes."])
    );
    assert_eq!(
        word["position"],
        json!({"$value": true, "$bits": [0, 1], "$type": "bool", "$meaning": "Position."})
    );
    let vertices = &dump["value"]["vertices"];
    assert_eq!(
        (&vertices["$at"], &vertices["$type"]),
        (&json!([13, 49]), &json!("Vertex[]"))
    );
    // Types and meanings are omitted after the first vertex.
    let annotations = |vertex: usize| {
        let position = vertices["$items"][vertex]["position"].as_object().unwrap();
        position
            .keys()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(
        [annotations(0), annotations(1)],
        ["$at $items $meaning $type", "$at $items"]
    );
    let position = |vertex: usize| vertices["$items"][vertex]["position"]["$items"].clone();
    assert_eq!(position(0)[0], "NaN");
    assert_eq!(position(0)[1], "NaN:ffc00001");
    assert_eq!(position(1)[1], "-Infinity");
    assert_eq!(position(1)[2].to_string(), "-0.0");
    assert_eq!(dump["value"]["indices"]["$items"], json!([0, 1, 2]));
}

#[test]
fn json_of_packed_blocks_and_broken_files() {
    let folder = Folder::new();
    folder.put(
        "in.cmodel",
        fs::read(repository().join("samples/crucible/tetrahedra.cmodel")).unwrap(),
    );
    let json_of = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let dump = json_of(&folder.run("dump --json in.cmodel").fine());
    assert_eq!(dump["value"]["header"]["$magic"], "cmodel\n");
    let data = &dump["value"]["chunks"]["$items"][0]["indices"]["data"];
    let indices = data["$items"].as_array().unwrap();
    assert_eq!((indices.len(), &indices[1]), (12, &json!(2)));
    // The indices are in the unpacked content of a block.
    assert_eq!(
        (&data["$at"], &data["$in"]),
        (&json!([0, 24]), &json!([28, 54]))
    );
    let packed = &data["$packed"];
    assert_eq!(
        (&packed["$at"], &packed["$packing"]),
        (&json!([28, 54]), &json!("lz4"))
    );
    assert_eq!(packed["$bytes"].as_str().unwrap().len(), 2 * 26);

    let path = "chunks[0].indices.data";
    let part = json_of(
        &folder
            .run(&format!("dump --json in.cmodel --path {path}"))
            .fine(),
    );
    assert_eq!((&part["path"], &part["value"]), (&json!(path), data));

    folder.put("short.mesh", &bytes_of(&triangle())[..53]);
    let run = folder.run("dump --json short.mesh");
    let dump = json_of(&run.stdout);
    assert_eq!(dump["value"]["indices"]["$items"], json!([0]));
    let error = &dump["error"];
    assert_eq!(
        (&error["path"], &error["rule"]["code"]),
        (&json!("indices"), &json!("MESH-TRUNCATED"))
    );
    assert_eq!(error["span"], json!({"bytes": {"start": 49, "end": 53}}));
    run.fails(1);
}

#[test]
fn colours_are_for_terminals() {
    let folder = Folder::new();
    folder.put_mesh("in.mesh", &triangle());
    assert!(!folder.run("dump in.mesh").stdout.contains('\u{1b}'));
    let output = folder
        .command()
        .args(["dump", "in.mesh"])
        .env("CLICOLOR_FORCE", "1")
        .output()
        .unwrap();
    assert!(
        String::from_utf8(output.stdout)
            .unwrap()
            .contains("\u{1b}[1mheader\u{1b}[0m: Header at 0x0")
    );
}
