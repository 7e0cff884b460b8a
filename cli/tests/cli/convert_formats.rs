//! `meshspec convert` from one format to another.

use meshspec::{Document, crucible};
use serde_json::Value;

use crate::files::{Folder, animated, renderlib, triangle};

fn crucible_of(folder: &Folder, name: &str) -> crucible::Document {
    let Document::Crucible(document) = meshspec::open(folder.path(name)).unwrap() else { panic!("{name}") };
    document
}

#[test]
fn a_mesh_becomes_a_chunk_in_the_axes_of_crucible() {
    let folder = Folder::new();
    folder.put_mesh("in.mesh", &triangle());
    let run = folder.run("convert in.mesh out.crmesh");
    assert_eq!((run.status, &*run.stdout), (0, ""));
    assert!(
        run.stderr.starts_with("assumed: mesh: right-handed, right -X, up +Y, forward +Z, "),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("\nassumed: crucible: left-handed, right +X, up +Y, forward +Z, "),
        "{}",
        run.stderr
    );
    let chunk = &crucible_of(&folder, "out.crmesh").chunks[0];
    assert_eq!(chunk.positions_3d().unwrap(), [[-0.0, 0.0, 0.0], [-1.0, 0.0, 0.5], [-0.0, 2.0, 0.0]]);
    // The mirror turns the face over.
    assert_eq!(chunk.indices.iter().collect::<Vec<_>>(), [0, 2, 1]);
}

#[test]
fn what_the_target_does_not_hold_is_told() {
    let folder = Folder::new();
    folder.put_mesh("in.mesh", &animated());
    let run = folder.run("convert in.mesh out.crmesh");
    let lost: Vec<_> = run.stderr.lines().filter(|line| line.starts_with("lost: ")).collect();
    assert_eq!(
        lost,
        [
            "lost: dropped: animations: Crucible has no place for animations: 1",
            "lost: dropped: skeleton.joints: Crucible has no place for joints: 1",
        ]
    );

    let messages = folder.run("convert in.mesh strict.crmesh --strict").fails(1);
    assert!(messages.ends_with("error: in.mesh: 2 things would be lost\n"), "{messages}");
    assert_eq!(folder.names(), ["in.mesh", "out.crmesh"]);
}

#[test]
fn losses_and_assumptions_are_data_too() {
    let folder = Folder::new();
    folder.put_mesh("in.mesh", &animated());
    let row: Value = serde_json::from_str(&folder.run("convert in.mesh out.crmesh --json").fine()).unwrap();
    assert_eq!(row["file"], "in.mesh");
    assert_eq!(row["output"], "out.crmesh");
    assert_eq!(row["losses"][1]["kind"], "dropped");
    assert_eq!(row["losses"][1]["path"], "skeleton.joints");
    assert_eq!(row["assumed"].as_array().unwrap().len(), 2);
    folder.run("convert in.mesh - --to crucible --json").fails(2);
}

#[test]
fn a_transform_is_applied_where_the_target_has_none() {
    let folder = Folder::new();
    folder.put_mesh("in.mesh", &renderlib());
    assert_eq!(folder.run("convert in.mesh out.crmesh").status, 0);
    let x: Vec<f32> =
        crucible_of(&folder, "out.crmesh").chunks[0].positions_3d().unwrap().iter().map(|p| p[0]).collect();
    assert_eq!(x, [-0.0, -2.0, -0.0]);
}

#[test]
fn axes_scale_and_weld_change_the_content() {
    let folder = Folder::new();
    folder.put_mesh("in.mesh", &triangle());
    folder.run("convert in.mesh out.crmesh --axes -x,+z,-y --out-axes -x,+y,+z --scale 2 --normals");
    let chunk = &crucible_of(&folder, "out.crmesh").chunks[0];
    // Z was up: (x, y, z) is (x, z, −y).
    assert_eq!(chunk.positions_3d().unwrap(), [[0.0, 0.0, -0.0], [2.0, 1.0, -0.0], [0.0, 0.0, -4.0]]);
    assert_eq!(chunk.streams[1].name(), "normal");
    for wrong in ["--axes +x,+x,+z", "--axes up", "--scale 0", "--scale nan"] {
        folder.run(&format!("convert in.mesh bad.crmesh {wrong}")).fails(2);
    }

    let twice = meshspec::mesh::Document {
        vertices: meshspec::mesh::Vertices::from_columns(&meshspec::mesh::Columns {
            positions: vec![
                [0.0; 3],
                [1.0, 0.0, 0.0],
                [0.0, 1.0, 0.0],
                [0.0; 3],
                [0.0, 1.0, 0.0],
                [0.0, 0.0, 1.0],
            ],
            ..Default::default()
        })
        .unwrap(),
        indices: (0..6).collect(),
        ..Default::default()
    };
    folder.put_mesh("twice.mesh", &twice);
    folder.run("convert twice.mesh once.mesh --to mesh --weld");
    let Document::Mesh(once) = meshspec::open(folder.path("once.mesh")).unwrap() else { panic!() };
    assert_eq!(once.vertices.len(), 4);
    assert_eq!(once.indices, [0, 1, 2, 0, 2, 3]);
}

/// A square with texture coordinates, and with a normal that is not that of its corners.
const SQUARE: &str =
    "o square\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0.25\nvn 1 0 0\nf 1/1/1 2/1/1 3/1/1 4/1/1\n";

/// What each option says in OBJ, where texture coordinates begin bottom left.
const CHANGES: [(&str, &str); 6] = [
    ("--flip-v", "\nvt 0 0.75\n"),
    ("--uv-origin top-left", "\nvt 0 0.75\n"),
    ("--triangulate", "\nf 1/1/1 2/2/2 3/3/3\nf 1/1/1 3/3/3 4/4/4\n"),
    ("--scale 2", "\nv 2 2 0\n"),
    ("--axes +x,+y,+z", "\nv -1 1 0\n"),
    ("--out-axes +x,+y,+z", "\nv -1 1 0\n"),
];

#[test]
fn each_change_is_made_and_no_other() {
    let folder = Folder::new();
    folder.put("in.obj", SQUARE);
    folder.run("convert in.obj same.obj --normals --uv-origin bottom-left");
    let same = String::from_utf8(folder.get("same.obj")).unwrap();
    assert!(same.contains("\nf 1/1/1 2/2/2 3/3/3 4/4/4\n"), "{same}");
    for line in ["\nv 1 1 0\n", "\nvt 0 0.25\n", "\nvn 1 0 0\n"] {
        assert!(same.contains(line), "{same}");
    }
    for (option, expected) in CHANGES {
        assert!(!same.contains(expected), "{option}");
        folder.run(&format!("convert in.obj out.obj --force {option}"));
        let text = String::from_utf8(folder.get("out.obj")).unwrap();
        assert!(text.contains(expected), "{option}: {text}");
    }
}

/// Without a change the document itself is written.
#[test]
fn changes_are_made_within_a_format_too() {
    let folder = Folder::new();
    folder.put("in.obj", SQUARE);
    folder.run("convert in.obj in.bmd");
    folder.run("convert in.bmd same.bmd");
    assert_eq!(folder.get("same.bmd"), folder.get("in.bmd"));
    for (option, _) in CHANGES {
        // What is not usual in OBJ is in BMD.
        let option = option.replace("top-left", "bottom-left");
        folder.run(&format!("convert in.bmd out.bmd --force {option}"));
        assert_ne!(folder.get("out.bmd"), folder.get("in.bmd"), "{option}");
    }
}
