//! `meshspec convert` from one format to another.

use meshspec::{Document, crucible};
use serde_json::{Value, json};

use crate::files::{Folder, animated, broken_triangle, renderlib, triangle};

fn crucible_of(folder: &Folder, name: &str) -> crucible::Document {
    let Document::Crucible(document) = meshspec::open(folder.path(name)).unwrap() else {
        panic!("{name}")
    };
    document
}

#[test]
fn meshes_become_chunks_in_crucible_axes() {
    let folder = Folder::new();
    folder.put_mesh("in.mesh", &triangle());
    let run = folder.run("convert in.mesh out.crmesh");
    assert_eq!((run.status, &*run.stdout), (0, ""));
    assert!(
        run.stderr
            .starts_with("assumed: mesh: +Y up, +Z forward, right-handed, "),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr
            .contains("\nassumed: crucible: +Y up, +Z forward, left-handed, "),
        "{}",
        run.stderr
    );
    let chunk = &crucible_of(&folder, "out.crmesh").chunks[0];
    assert_eq!(
        chunk.positions_3d().unwrap(),
        [[-0.0, 0.0, 0.0], [-1.0, 0.0, 0.5], [-0.0, 2.0, 0.0]]
    );
    // Mirroring reverses the winding.
    assert_eq!(chunk.indices.iter().collect::<Vec<_>>(), [0, 2, 1]);
}

#[test]
fn losses_are_listed() {
    let folder = Folder::new();
    folder.put_mesh("in.mesh", &animated());
    let run = folder.run("convert in.mesh out.crmesh");
    let lost: Vec<_> = run
        .stderr
        .lines()
        .filter(|line| line.starts_with("dropped: "))
        .collect();
    assert_eq!(
        lost,
        [
            "dropped: skeleton.joints: Crucible does not store joints: 1",
            "dropped: animations: Crucible does not store animations: 1",
        ]
    );

    let messages = folder
        .run("convert in.mesh strict.crmesh --strict")
        .fails(1);
    assert!(
        messages
            .ends_with("error: in.mesh: not written: --strict allows no losses, and there are 2\n"),
        "{messages}"
    );
    assert_eq!(folder.names(), ["in.mesh", "out.crmesh"]);
}

#[test]
fn losses_and_assumptions_as_json() {
    let folder = Folder::new();
    folder.put_mesh("in.mesh", &animated());
    let row: Value =
        serde_json::from_str(&folder.run("convert in.mesh out.crmesh --json").fine()).unwrap();
    assert_eq!(row["file"], "in.mesh");
    assert_eq!(row["output"], "out.crmesh");
    assert_eq!(row["losses"][1]["kind"], "dropped");
    assert_eq!(row["losses"][1]["path"], "skeleton.joints");
    assert_eq!(row["assumed"].as_array().unwrap().len(), 2);
    folder
        .run("convert in.mesh - --to crucible --json")
        .fails(2);
}

#[test]
fn transforms_are_applied_if_the_target_has_none() {
    let folder = Folder::new();
    folder.put_mesh("in.mesh", &renderlib());
    assert_eq!(folder.run("convert in.mesh out.crmesh").status, 0);
    let x: Vec<f32> = crucible_of(&folder, "out.crmesh").chunks[0]
        .positions_3d()
        .unwrap()
        .iter()
        .map(|p| p[0])
        .collect();
    assert_eq!(x, [-0.0, -2.0, -0.0]);
}

#[test]
fn axes_scale_and_weld_change_the_content() {
    let folder = Folder::new();
    folder.put_mesh("in.mesh", &triangle());
    folder
        .run("convert in.mesh out.crmesh --axes -x,+z,-y --out-axes -x,+y,+z --scale 2 --normals");
    let chunk = &crucible_of(&folder, "out.crmesh").chunks[0];
    // Z was up: (x, y, z) becomes (x, z, −y).
    assert_eq!(
        chunk.positions_3d().unwrap(),
        [[0.0, 0.0, -0.0], [2.0, 1.0, -0.0], [0.0, 0.0, -4.0]]
    );
    assert_eq!(chunk.streams[1].values.name(), "normal");
    for wrong in ["--axes +x,+x,+z", "--axes up", "--scale 0", "--scale nan"] {
        folder
            .run(&format!("convert in.mesh bad.crmesh {wrong}"))
            .fails(2);
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
    let Document::Mesh(once) = meshspec::open(folder.path("once.mesh")).unwrap() else {
        panic!()
    };
    assert_eq!(once.vertices.len(), 4);
    assert_eq!(once.indices, [0, 1, 2, 0, 2, 3]);
}

/// A square with texture coordinates, and with a normal that differs from that of its corners.
const SQUARE: &str = "o square\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0.25\nvn 1 0 0\nf 1/1/1 2/1/1 3/1/1 4/1/1\n";

/// The result of each option in OBJ, whose texture origin is bottom left.
const CHANGES: [(&str, &str); 6] = [
    ("--flip-v", "\nvt 0 0.75\n"),
    ("--uv-origin top-left", "\nvt 0 0.75\n"),
    (
        "--triangulate",
        "\nf 1/1/1 2/2/2 3/3/3\nf 1/1/1 3/3/3 4/4/4\n",
    ),
    ("--scale 2", "\nv 2 2 0\n"),
    ("--axes +x,+y,+z", "\nv -1 1 0\n"),
    ("--out-axes +x,+y,+z", "\nv -1 1 0\n"),
];

#[test]
fn edits_change_only_their_values() {
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

/// Without edits, the document is written unchanged.
#[test]
fn edits_apply_within_a_format() {
    let folder = Folder::new();
    folder.put("in.obj", SQUARE);
    folder.run("convert in.obj in.bmd");
    folder.run("convert in.bmd same.bmd");
    assert_eq!(folder.get("same.bmd"), folder.get("in.bmd"));
    for (option, _) in CHANGES {
        // Conventions that are unusual in OBJ are usual in BMD.
        let option = option.replace("top-left", "bottom-left");
        folder.run(&format!("convert in.bmd out.bmd --force {option}"));
        assert_ne!(folder.get("out.bmd"), folder.get("in.bmd"), "{option}");
    }
}

#[test]
fn edits_apply_to_json() {
    let folder = Folder::new();
    folder.put_mesh("in.mesh", &animated());
    let run = folder.run("convert in.mesh plain.json");
    assert_eq!((run.status, &*run.stderr), (0, ""));
    let run = folder.run("convert in.mesh out.json --scale 2");
    assert!(run.stderr.starts_with("assumed: mesh: "), "{}", run.stderr);
    let read = |name: &str| serde_json::from_slice::<Value>(&folder.get(name)).unwrap();
    assert_eq!(
        read("plain.json")["value"]["vertices"][1]["position"],
        json!([1.0, 0.0, 0.5])
    );
    assert_eq!(
        read("out.json")["value"]["vertices"][1]["position"],
        json!([2.0, 0.0, 1.0])
    );
    assert_eq!(
        read("out.json")["value"]["animations"][0]["poses"][1]["position"],
        json!([3.0, 0.0, 0.0])
    );
    folder
        .run("convert in.mesh other.json --scale 2 --dialect tangent")
        .fails(2);

    // The dialect is kept, as without edits.
    folder.put_mesh("lib.mesh", &renderlib());
    folder.run("convert lib.mesh lib.json --scale 2");
    assert_eq!(read("lib.json")["layout"], "mesh_renderlib");
    folder.run("convert lib.json back.mesh --to mesh --scale 0.5");
    assert_eq!(folder.get("back.mesh"), folder.get("lib.mesh"));
}

#[test]
fn failures_as_json() {
    let folder = Folder::new();
    folder.put_mesh("bad.mesh", &broken_triangle());
    let run = folder.run("convert bad.mesh out.glb --json");
    let row: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(
        (&row["file"], &row["output"]),
        (&json!("bad.mesh"), &json!("out.glb"))
    );
    assert_eq!((&row["losses"], &row["assumed"]), (&json!([]), &json!([])));
    assert!(
        row["error"]
            .as_str()
            .unwrap()
            .starts_with("bad.mesh: mesh: indices[2]"),
        "{row}"
    );
    assert!(
        run.fails(1)
            .starts_with("error: bad.mesh: mesh: indices[2]")
    );

    folder.put_mesh("walk.mesh", &animated());
    let run = folder.run("convert walk.mesh out.obj --json --strict");
    let row: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(
        (row["error"].as_str(), run.status),
        (
            Some("walk.mesh: not written: --strict allows no losses, and there are 2"),
            1
        )
    );
    assert_eq!(row["losses"].as_array().unwrap().len(), 2);
}

#[test]
fn standard_output_contains_only_the_file() {
    let folder = Folder::new();
    folder.put(
        "red.obj",
        "mtllib red.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\n",
    );
    folder.put("red.mtl", "newmtl red\nKd 1 0 0\n");
    let run = folder.run("convert red.obj - --to obj");
    assert_eq!(
        (run.status, &*run.stdout),
        (0, "o \nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\n")
    );
    let lost = "dropped: materials: \"-.mtl\": only one file can be written to standard output; only the names of materials were written\n";
    assert!(run.stderr.ends_with(lost), "{}", run.stderr);

    let run = folder.run("convert red.obj - --to gltf");
    assert_eq!(run.status, 0, "{}", run.stderr);
    let file: Value = serde_json::from_str(&run.stdout).unwrap();
    let uri = file["buffers"][0]["uri"].as_str().unwrap();
    assert!(
        uri.starts_with("data:application/octet-stream;base64,"),
        "{uri}"
    );
    let again = folder.run_with("convert - - --from gltf --to obj", run.stdout);
    assert_eq!(again.status, 0, "{}", again.stderr);
    assert_eq!(folder.names(), ["red.mtl", "red.obj"]);
}

#[test]
fn libraries_outside_of_the_folder_are_not_read() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("in")).unwrap();
    folder.put("a.mtl", "newmtl m\nKd 1 0 0\n");
    let absolute = folder.path("a.mtl").display().to_string();
    // Of absolute paths, which are those of another machine, only the file name is looked up.
    let reasons = [
        (
            "../a.mtl",
            "\"../a.mtl\": not read for safety, since it is outside the folder of the file"
                .to_owned(),
        ),
        (&*absolute, format!("`{absolute}` is missing")),
    ];
    for (name, reason) in reasons {
        folder.put(
            "in/a.obj",
            format!("mtllib {name}\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl m\nf 1 2 3\n"),
        );
        let run = folder.run("convert in/a.obj out.obj --force");
        let lost = format!("dropped: mtllib: {reason}; its materials have only names\n");
        assert_eq!(run.status, 0, "{}", run.stderr);
        assert!(run.stderr.contains(&lost), "{}", run.stderr);
        assert!(
            folder.get("out.mtl").starts_with(b"newmtl m\n") && folder.get("out.mtl").len() == 9
        );
    }
}

#[test]
fn texture_coordinates_are_flipped() {
    let folder = Folder::new();
    folder.put(
        "a.obj",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0.25 0.125\nf 1/1 2/1 3/1\n",
    );
    for (option, line) in [("--flip-u", "vt 0.75 0.125"), ("--flip-v", "vt 0.25 0.875")] {
        let text = folder
            .run(&format!("convert a.obj - --to obj {option}"))
            .stdout;
        assert!(text.contains(&format!("\n{line}\n")), "{option}: {text}");
    }
}

#[test]
fn node_transforms_are_baked_on_request() {
    let folder = Folder::new();
    folder.put(
        "a.obj",
        "o a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 1\nf 1//1 2//1 3//1\n",
    );
    folder.run("convert a.obj a.gltf").fails(0);
    let mut file: Value = serde_json::from_slice(&folder.get("a.gltf")).unwrap();
    file["nodes"][0]["translation"] = json!([2.0, 0.0, 0.0]);
    folder.put("moved.gltf", file.to_string());
    let messages = folder.run("convert moved.gltf b.obj --strict").fails(1);
    let loss =
        "changed: meshes[0]: OBJ has no nodes; node transforms were applied to the vertices\n";
    assert!(messages.contains(loss), "{messages}");
    let messages = folder
        .run("convert moved.gltf b.obj --strict --bake")
        .fails(0);
    assert!(!messages.contains("changed: "), "{messages}");
    assert!(
        String::from_utf8(folder.get("b.obj"))
            .unwrap()
            .contains("\nv 3 0 0\n")
    );
}

#[test]
fn normals_are_generated_for_formats_that_need_them() {
    let folder = Folder::new();
    folder.put("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let normals = |name: &str| {
        folder
            .run(&format!("convert {name} {name}.glb --force"))
            .fails(0);
        let text = folder.run(&format!("info {name}.glb")).fine();
        text.contains("\n    normal          3 × f32\n")
    };
    let said = folder.run("convert a.obj a.mesh").fails(0);
    assert!(
        said.contains("assumed: mesh: missing normals are generated\n"),
        "{said}"
    );
    assert!(normals("a.mesh"));
    let said = folder
        .run("convert a.obj bare.mesh --normals=never")
        .fails(0);
    assert!(
        !said.contains("normals are generated") && !normals("bare.mesh"),
        "{said}"
    );
    let said = folder.run("convert a.obj a.bmd").fails(0);
    assert!(
        !said.contains("in the direction of their positions") && normals("a.bmd"),
        "{said}"
    );
    // No normals are generated for the same format, or for formats that do not need them.
    folder
        .run("convert bare.mesh larger.mesh --scale 2")
        .fails(0);
    folder.run("convert a.obj a.ima").fails(0);
    assert!(!normals("larger.mesh") && !normals("a.ima"));
    folder.run("convert a.obj lit.ima --normals").fails(0);
    assert!(normals("lit.ima"));
}

#[test]
fn bmd_position_precision_is_selectable() {
    let folder = Folder::new();
    folder.put("a.obj", "v 0.1 0 0\nv 1.1 0.3 0\nv 0 1 0.7\nf 1 2 3\n");
    let size = |precision: &str| {
        folder
            .run(&format!(
                "convert a.obj a.bmd --force --precision {precision}"
            ))
            .fails(0);
        folder.get("a.bmd").len()
    };
    assert!(size("64bit") < size("96bit") && size("96bit") < size("128bit"));
    // Vertices with normals have at least 96 bits.
    assert_eq!(
        (size("0.1"), size("0.0005")),
        (size("96bit"), size("128bit"))
    );
    let message = folder.run("convert a.obj b.bmd --precision 1e-9").fails(1);
    assert!(message.contains("expected at most 1e-9"), "{message}");
    let message = folder.run("convert a.obj b.glb --precision 64bit").fails(2);
    assert!(
        message.contains("--precision") && message.contains("bmd only"),
        "{message}"
    );
    for precision in ["much", "32bit"] {
        let message = folder
            .run(&format!("convert a.obj b.bmd --precision {precision}"))
            .fails(2);
        assert!(
            message.contains("expected bits per vertex (64bit, 96bit or 128bit)"),
            "{message}"
        );
    }
}

#[test]
fn precision_applies_within_bmd() {
    let folder = Folder::new();
    folder.put("a.obj", "v 0.1 0 0\nv 1.1 0.3 0\nv 0 1 0.7\nf 1 2 3\n");
    folder
        .run("convert a.obj fine.bmd --precision 128bit")
        .fails(0);
    folder.run("convert fine.bmd same.bmd").fails(0);
    folder
        .run("convert fine.bmd coarse.bmd --precision 64bit")
        .fails(0);
    let size = |name| folder.get(name).len();
    assert_eq!(size("same.bmd"), size("fine.bmd"));
    assert!(size("coarse.bmd") < size("fine.bmd"));
}

#[test]
fn distant_scenes_can_be_centred() {
    let folder = Folder::new();
    folder.put(
        "far.obj",
        "v 5000000 0 0\nv 5000001 0 0\nv 5000000 1 0\nf 1 2 3\n",
    );
    let message = folder.run("convert far.obj far.bmd").fails(1);
    assert!(
        message.contains("meshes[0].vertices[0].position") && message.contains("--center"),
        "{message}"
    );
    let said = folder.run("convert far.obj far.bmd --center").fails(0);
    assert!(
        said.contains("moved: by (-5000000.5, -0.5, 0) m to centre the scene\n"),
        "{said}"
    );
}

#[test]
fn authors_tool_dialects_are_noted() {
    let folder = Folder::new();
    folder.put("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let note = "iyma: spec dialect; the author's tool reads only the reference dialect: --dialect reference\n";
    let run = folder.run("convert a.obj a.ima");
    assert_eq!(
        (run.status, run.stderr.matches(note).count()),
        (0, 1),
        "{}",
        run.stderr
    );
    for options in ["--dialect reference", "--dialect spec"] {
        let run = folder.run(&format!("convert a.obj a.ima --force {options}"));
        assert!(!run.stderr.contains("author's tool"), "{}", run.stderr);
    }
    // The author's tool reads no JSON of any dialect.
    folder.run("convert a.obj spec.ima").fails(0);
    for arguments in ["a.obj a.crmesh", "spec.ima a.json --scale 2"] {
        let said = folder.run(&format!("convert {arguments}")).fails(0);
        assert!(!said.contains("author's tool"), "{said}");
    }
}
