//! `meshspec convert` between dialects.

use meshspec::{Dialect, Document, Format, mesh};

use crate::files::{Folder, animated, broken_triangle, bytes_of, renderlib, triangle};

#[test]
fn a_canonical_file_stays_as_it_is() {
    let folder = Folder::new();
    folder.put_mesh("in.mesh", &animated());
    assert_eq!(folder.run("convert in.mesh out.mesh --to mesh").fine(), "");
    assert_eq!(folder.get("out.mesh"), folder.get("in.mesh"));
}

#[test]
fn another_dialect_is_written_and_losses_are_told() {
    let folder = Folder::new();
    folder.put_mesh("in.mesh", &animated());
    let run = folder.run("convert in.mesh out.mesh --to mesh --dialect renderlib");
    assert_eq!((run.status, &*run.stdout), (0, ""));
    assert_eq!(
        run.stderr,
        "lost: dropped: animations[0].name: the dialect has no names: \"walk\"\n\
         lost: dropped: strings: the dialect has no strings: 1\n"
    );
    let (expected, _) = animated().into_dialect(Dialect::Renderlib).unwrap();
    assert_eq!(folder.get("out.mesh"), bytes_of(&expected));
}

#[test]
fn strict_conversion_loses_nothing_or_writes_nothing() {
    let folder = Folder::new();
    folder.put_mesh("in.mesh", &animated());
    let run = folder.run("convert in.mesh out.mesh --to mesh --dialect renderlib --strict");
    let messages = run.fails(1);
    assert!(messages.starts_with("lost: dropped: animations[0].name"), "{messages}");
    assert!(messages.ends_with("error: in.mesh: 2 things would be lost\n"), "{messages}");
    assert_eq!(folder.names(), ["in.mesh"]);

    folder.put_mesh("plain.mesh", &triangle());
    folder.run("convert plain.mesh out.mesh --to mesh --dialect renderlib --strict").fine();
    assert!(folder.names().contains(&"out.mesh".to_owned()));
}

#[test]
fn files_are_written_in_the_dialect_of_the_specification() {
    let folder = Folder::new();
    folder.put_mesh("in.mesh", &renderlib());
    let run = folder.run("convert in.mesh out.mesh --to mesh");
    assert_eq!(run.status, 0);
    assert!(run.stderr.starts_with("lost: dropped: root_transform: "), "{}", run.stderr);
    let Document::Mesh(written) = meshspec::open(folder.path("out.mesh")).unwrap() else { panic!() };
    assert_eq!(written.dialect, Dialect::Spec);

    folder.run("convert in.mesh same.mesh --to mesh --dialect renderlib").fine();
    assert_eq!(folder.get("same.mesh"), folder.get("in.mesh"));
}

#[test]
fn from_and_to_json_the_dialect_is_kept_unless_one_is_asked_for() {
    let folder = Folder::new();
    folder.put_mesh("in.mesh", &renderlib());
    folder.run("convert in.mesh out.json").fine();
    folder.run("convert out.json out.mesh --to mesh").fine();
    assert_eq!(folder.get("out.mesh"), folder.get("in.mesh"));

    let run = folder.run("convert out.json spec.json --dialect spec");
    assert!(run.stderr.starts_with("lost: dropped: root_transform: "), "{}", run.stderr);
    assert!(String::from_utf8(folder.get("spec.json")).unwrap().contains("\"dialect\": \"spec\""));
}

#[test]
fn lenient_conversion_reads_and_writes_what_strict_refuses() {
    let folder = Folder::new();
    folder.put_mesh("bad.mesh", &broken_triangle());
    let message = folder.run("convert bad.mesh out.mesh --to mesh").fails(1);
    assert!(message.starts_with("error: bad.mesh: mesh: indices[2] "), "{message}");
    assert_eq!(folder.names(), ["bad.mesh"]);
    folder.run("convert bad.mesh out.mesh --to mesh --lenient").fine();
    assert_eq!(folder.get("out.mesh"), folder.get("bad.mesh"));
}

#[test]
fn a_document_that_cannot_be_written_is_invalid() {
    let folder = Folder::new();
    let no_poses = mesh::Animation { poses: Vec::new(), ..animated().animations[0].clone() };
    let document = Document::Mesh(mesh::Document { animations: vec![no_poses], ..animated() });
    folder.put("in.json", serde_json::to_string(&document).unwrap());
    let message = folder.run("convert in.json out.mesh --to mesh").fails(1);
    assert!(message.starts_with("error: in.json: mesh: animations[0].poses: 0 entries"), "{message}");
    assert_eq!(folder.names(), ["in.json"]);
}

#[test]
fn the_extension_mesh_says_nothing() {
    let folder = Folder::new();
    folder.put_mesh("in.mesh", &triangle());
    let message = folder.run("convert in.mesh out.mesh").fails(2);
    assert!(
        message
            .starts_with("error: out.mesh: `.mesh` does not say which format it is\nhint: add --to FORMAT"),
        "{message}"
    );
    for out in ["out", "out.xyz", "-"] {
        let message = folder.run(&format!("convert in.mesh {out}")).fails(2);
        assert!(message.contains("hint: add --to FORMAT"), "{message}");
    }
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
        folder.run(&format!("convert in.mesh out.mesh {options}")).fails(2);
    }
    assert_eq!(folder.names(), ["in.mesh"]);
}
