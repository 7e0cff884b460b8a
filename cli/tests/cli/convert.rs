//! `meshspec convert` between dialects.

use meshspec::{Dialect, Document, Format};

use crate::files::{Folder, animated, broken_triangle, bytes_of, renderlib, triangle};

#[test]
fn canonical_files_are_unchanged() {
    let folder = Folder::new();
    folder.put_mesh("in.mesh", &animated());
    assert_eq!(folder.run("convert in.mesh out.mesh --to mesh").fine(), "");
    assert_eq!(folder.get("out.mesh"), folder.get("in.mesh"));
}

#[test]
fn dialect_conversions_list_losses() {
    let folder = Folder::new();
    folder.put_mesh("in.mesh", &animated());
    let run = folder.run("convert in.mesh out.mesh --to mesh --dialect renderlib");
    assert_eq!((run.status, &*run.stdout), (0, ""));
    assert_eq!(
        run.stderr,
        "dropped: animations[0].name: the renderlib dialect has no names: \"walk\"\n\
         dropped: strings: the renderlib dialect has no strings: 1\n"
    );
    let (expected, _) = animated().into_dialect(Dialect::RENDERLIB).unwrap();
    assert_eq!(folder.get("out.mesh"), bytes_of(&expected));
}

#[test]
fn strict_conversions_reject_losses() {
    let folder = Folder::new();
    folder.put_mesh("in.mesh", &animated());
    let run = folder.run("convert in.mesh out.mesh --to mesh --dialect renderlib --strict");
    let messages = run.fails(1);
    assert!(
        messages.starts_with("dropped: animations[0].name"),
        "{messages}"
    );
    assert!(
        messages
            .ends_with("error: in.mesh: not written: --strict allows no losses, and there are 2\n"),
        "{messages}"
    );
    assert_eq!(folder.names(), ["in.mesh"]);

    folder.put_mesh("plain.mesh", &triangle());
    folder
        .run("convert plain.mesh out.mesh --to mesh --dialect renderlib --strict")
        .fine();
    assert!(folder.names().contains(&"out.mesh".to_owned()));
}

#[test]
fn the_default_dialect_is_that_of_the_specification() {
    let folder = Folder::new();
    folder.put_mesh("in.mesh", &renderlib());
    let run = folder.run("convert in.mesh out.mesh --to mesh");
    assert_eq!(run.status, 0);
    assert!(
        run.stderr.starts_with("dropped: root_transform: "),
        "{}",
        run.stderr
    );
    let Document::Mesh(written) = meshspec::open(folder.path("out.mesh")).unwrap() else {
        panic!()
    };
    assert_eq!(written.dialect, Dialect::SPEC);

    folder
        .run("convert in.mesh same.mesh --to mesh --dialect renderlib")
        .fine();
    assert_eq!(folder.get("same.mesh"), folder.get("in.mesh"));
}

#[test]
fn json_conversions_keep_the_dialect_by_default() {
    let folder = Folder::new();
    folder.put_mesh("in.mesh", &renderlib());
    folder.run("convert in.mesh out.json").fine();
    folder.run("convert out.json out.mesh --to mesh").fine();
    assert_eq!(folder.get("out.mesh"), folder.get("in.mesh"));

    let run = folder.run("convert out.json spec.json --dialect spec");
    assert!(
        run.stderr.starts_with("dropped: root_transform: "),
        "{}",
        run.stderr
    );
    assert!(
        String::from_utf8(folder.get("spec.json"))
            .unwrap()
            .contains("\"layout\": \"mesh\"")
    );
}

#[test]
fn lenient_conversions_accept_violations() {
    let folder = Folder::new();
    folder.put_mesh("bad.mesh", &broken_triangle());
    let message = folder.run("convert bad.mesh out.mesh --to mesh").fails(1);
    assert!(
        message.starts_with("error: bad.mesh: mesh: indices[2] "),
        "{message}"
    );
    assert_eq!(folder.names(), ["bad.mesh"]);
    folder
        .run("convert bad.mesh out.mesh --to mesh --lenient")
        .fine();
    assert_eq!(folder.get("out.mesh"), folder.get("bad.mesh"));
}

#[test]
fn unwritable_documents_are_invalid() {
    let folder = Folder::new();
    folder.put_mesh("in.mesh", &animated());
    folder.run("convert in.mesh in.json").fine();
    let mut json: serde_json::Value = serde_json::from_slice(&folder.get("in.json")).unwrap();
    json["value"]["animations"][0]["poses"] = serde_json::json!([]);
    folder.put("in.json", json.to_string());
    std::fs::remove_file(folder.path("in.mesh")).unwrap();
    let message = folder.run("convert in.json out.mesh --to mesh").fails(1);
    assert!(
        message.starts_with(
            "error: in.json: animations[0].poses: its number of items is 0, which conflicts"
        ),
        "{message}"
    );
    assert_eq!(folder.names(), ["in.json"]);
}

#[test]
fn output_extensions_ignore_case() {
    let folder = Folder::new();
    folder.put_mesh("in.mesh", &triangle());
    for (out, start) in [
        ("a.ima", &b"IyMA"[..]),
        ("A.IMA", b"IyMA"),
        ("A.BMD", b"BMD"),
        ("A.CMODEL", b"cmodel\n"),
        ("A.GLB", b"glTF"),
        ("A.PLY", b"ply\n"),
    ] {
        folder.run(&format!("convert in.mesh {out}")).fails(0);
        let format = folder.get(out);
        assert!(
            format.starts_with(start),
            "{out}: {}",
            format[..8].escape_ascii()
        );
    }
}

#[test]
fn ambiguous_extensions_prefer_the_input_format() {
    let folder = Folder::new();
    let format_of = |out: &str| meshspec::open(folder.path(out)).unwrap().format().name();
    folder.put_mesh("in.mesh", &triangle());
    for (out, format) in [("a.mesh", "mesh"), ("OUT.MESH", "mesh")] {
        folder.run(&format!("convert in.mesh {out}")).fine();
        assert_eq!(format_of(out), format, "{out}");
    }
    // Seed remains Seed; files with other extensions become MESH.
    folder
        .run("convert in.mesh seed.mesh --to seed --normals")
        .fails(0);
    folder.run("convert seed.mesh again.mesh").fine();
    folder.run("convert in.mesh in.obj").fails(0);
    folder.run("convert in.obj obj.mesh").fails(0);
    assert_eq!(
        (format_of("again.mesh"), format_of("obj.mesh")),
        ("seed", "mesh")
    );
}

#[test]
fn documents_select_the_format_if_the_name_does_not() {
    let folder = Folder::new();
    folder.put_mesh("in.mesh", &triangle());
    folder.run("convert in.mesh in.json").fine();
    for out in ["out.mesh", "out", "out.bin"] {
        folder.run(&format!("convert in.json {out}")).fine();
        assert_eq!(folder.get(out), folder.get("in.mesh"), "{out}");
    }
    let printed = folder
        .command()
        .args(["convert", "in.json", "-"])
        .output()
        .unwrap();
    assert_eq!(printed.stdout, folder.get("in.mesh"));
    folder.put("other.json", "{}");
    let message = folder.run("convert other.json new.mesh").fails(1);
    assert_eq!(
        message,
        "error: other.json: missing field `format` at line 1 column 2\n"
    );
}

#[test]
fn unknown_extensions_require_a_format() {
    let folder = Folder::new();
    folder.put_mesh("in.mesh", &triangle());
    for (out, message) in [
        ("out", "out: no output format\n"),
        ("-", "standard output: no output format\n"),
        ("out.xyz", "out.xyz: no output format: `.xyz` is unknown\n"),
    ] {
        let said = folder.run(&format!("convert in.mesh {out}")).fails(2);
        assert!(
            said.starts_with(&format!(
                "error: {message}hint: specify it with --to (mesh, "
            )),
            "{said}"
        );
    }
    assert_eq!(folder.names(), ["in.mesh"]);
}

#[test]
fn unknown_formats_and_dialects_are_wrong_usage() {
    let folder = Folder::new();
    folder.put_mesh("in.mesh", &triangle());
    for options in [
        "--to fbx",
        "--from fbx --to mesh",
        "--to glb --dialect spec",
        "--to mesh --dialect klingon",
        "--to mesh --dialect tangent",
    ] {
        folder
            .run(&format!("convert in.mesh out.mesh {options}"))
            .fails(2);
    }
    assert_eq!(folder.names(), ["in.mesh"]);
}
