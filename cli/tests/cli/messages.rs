//! Messages of conversions: at most a screen, unless all are requested.

use serde_json::{Value, json};

use crate::files::{Folder, animated};

/// Writes a glTF file with `count` nodes, each of which moves a separate mesh.
fn nodes(folder: &Folder, name: &str, count: usize) {
    folder.put(
        "a.obj",
        "o a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 1\nf 1//1 2//1 3//1\n",
    );
    folder
        .run(&format!("convert a.obj {name} --force --quiet"))
        .fine();
    let mut file: Value = serde_json::from_slice(&folder.get(name)).unwrap();
    let mesh = file["meshes"][0].clone();
    file["meshes"] = vec![mesh; count].into();
    let node = |index| json!({ "mesh": index, "translation": [index, 0, 0] });
    file["nodes"] = (0..count).map(node).collect();
    file["scenes"][0]["nodes"] = (0..count).collect();
    folder.put(name, file.to_string());
}

#[test]
fn equal_losses_are_grouped() {
    let folder = Folder::new();
    nodes(&folder, "many.gltf", 300);
    let run = folder.run("convert many.gltf out.obj");
    assert!(run.stderr.lines().count() <= 20, "{}", run.stderr);
    let loss = "\nchanged: meshes[1] and 298 more, up to meshes[299]: OBJ has no nodes; node transforms were applied to the vertices";
    assert!(run.stderr.contains(loss), "{}", run.stderr);

    let all = folder
        .run("convert many.gltf out.obj --verbose --force")
        .stderr;
    assert_eq!(all.matches("OBJ has no nodes").count(), 299, "{all}");
    let row: Value = serde_json::from_str(
        &folder
            .run("convert many.gltf out.obj --json --force")
            .fine(),
    )
    .unwrap();
    assert!(row["losses"].as_array().unwrap().len() >= 299);
    let quiet = folder.run("convert many.gltf out.obj --quiet --force");
    assert_eq!(quiet.status, 0);
    assert!(
        format!("\n{}", quiet.stderr).contains(loss) && !quiet.stderr.contains("assumed"),
        "{}",
        quiet.stderr
    );
}

#[test]
fn geometry_losses_come_before_names() {
    let folder = Folder::new();
    let unknown: String = ('a'..='y').map(|letter| format!("x{letter} 1\n")).collect();
    folder.put(
        "a.obj",
        format!("{unknown}v 0 0 0 0.5\nv 1 0 0\nv 0 1 0\no name\nf 1 2 3\n"),
    );
    let run = folder.run("convert a.obj a.ply");
    let lines: Vec<_> = run.stderr.lines().collect();
    assert!(lines.len() <= 20, "{}", run.stderr);
    let short = |line: &str| line.starts_with("assumed: ") && line.chars().count() <= 160;
    assert!(lines[..2].iter().all(|line| short(line)), "{}", run.stderr);
    assert!(
        lines[2].starts_with("hint: https://") && lines[2].ends_with(" describes the defaults"),
        "{}",
        lines[2]
    );
    assert!(
        lines[3].starts_with("dropped: v: weights of positions"),
        "{}",
        run.stderr
    );
    assert!(
        lines[lines.len() - 1].ends_with("; --verbose lists all"),
        "{}",
        run.stderr
    );
    assert!(!run.stderr.contains("name\""), "{}", run.stderr);
}

#[test]
fn harmful_losses_are_never_omitted() {
    let folder = Folder::new();
    let lists: String = ('a'..='y')
        .map(|letter| format!("property list uchar uchar l{letter}\n"))
        .collect();
    // Elements other than vertices and faces are no part of the model.
    let others: String = ('a'..='y')
        .map(|letter| format!("element x{letter} 1\nproperty uchar x\n"))
        .collect();
    let vertices = "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n";
    let (items, empty) = ("1\n".repeat(25), " 0".repeat(25));
    folder.put(
        "a.ply",
        format!(
            "ply\nformat ascii 1.0\n{others}{vertices}{lists}end_header\n\
             {items}0 0 0{empty}\n1 0 0{empty}\n0 1 0{empty}\n"
        ),
    );
    let run = folder.run("convert a.ply a.glb");
    for letter in 'a'..='y' {
        let lost =
            format!("\ndropped: vertex.l{letter}: lists of values per vertex are not converted");
        assert!(run.stderr.contains(&lost), "{}", run.stderr);
    }
    assert!(!run.stderr.contains("dropped: x"), "{}", run.stderr);
    let omitted = "and 25 other losses of 25 kinds, none above 1 %; --verbose lists all\n";
    assert!(run.stderr.ends_with(omitted), "{}", run.stderr);
    // The same holds for several files.
    std::fs::create_dir(folder.path("in")).unwrap();
    for name in ["in/1.ply", "in/2.ply"] {
        folder.put(name, folder.get("a.ply"));
    }
    let run = folder.run("convert in --out-dir out --to glb");
    let shown = run
        .stderr
        .lines()
        .filter(|line| line.contains("(2 files): lists of values per vertex"));
    assert_eq!(shown.count(), 25, "{}", run.stderr);
    assert!(
        run.stderr
            .contains("and 50 other losses of 25 kinds, none above 1 %"),
        "{}",
        run.stderr
    );
}

#[test]
fn omitted_notes_are_counted() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("in")).unwrap();
    for number in 1..=30 {
        folder.put(
            &format!("in/{number}.obj"),
            format!("v {number}000 0 0\nv 0 1 0\nv 1 0 0\nf 1 2 3\n"),
        );
    }
    let run = folder.run("convert in --out-dir out --to ply --center");
    let notes = run
        .stderr
        .lines()
        .filter(|line| line.starts_with("assumed") || line.starts_with("moved"));
    let (assumed, moved): (Vec<_>, Vec<_>) = notes.partition(|line| line.starts_with("assumed"));
    let omitted = format!(
        "\nand {} other notes; --verbose lists all\n",
        30 - moved.len()
    );
    assert!(
        run.stderr.contains(&omitted) && assumed.len() + moved.len() == 8,
        "{}",
        run.stderr
    );
}

#[test]
fn grouped_errors_name_the_file_of_the_largest() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("in")).unwrap();
    // Both meshes have the same relative error, so the larger mesh has the larger error.
    for (name, size) in [("a", 100.3), ("b", 1000.7), ("c", 1.1)] {
        let (size, third) = (format!("{size}"), format!("{}", size / 3.0));
        folder.put(
            &format!("in/{name}.obj"),
            format!("v 0 0 0\nv {size} {third} 0\nv 0 {size} {third}\nf 1 2 3\n"),
        );
    }
    let run = folder.run("convert in --out-dir out --to bmd");
    let line = run
        .stderr
        .lines()
        .find(|line| line.contains("positions packed"))
        .unwrap();
    assert!(
        line.starts_with("quantized: in/a.obj: meshes[0].positions and 2 more (3 files): "),
        "{line}"
    );
    assert!(
        line.contains(" m at in/b.obj: meshes[0].positions ("),
        "{line}"
    );
}

#[test]
fn control_characters_are_escaped() {
    let folder = Folder::new();
    folder.put(
        "a.obj",
        "o \u{202e}gnp.exe\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl \u{2066}m\u{85}\nf 1 2 3\n",
    );
    let shown = [
        folder.run("info a.obj").stdout,
        folder.run("convert a.obj a.crmesh").stderr,
        folder.run("convert a.obj b.stl --verbose").stderr,
        folder.run("info \u{202e}.obj").fails(3),
    ];
    for text in &shown {
        assert!(!text.contains(['\u{202e}', '\u{2066}', '\u{85}']), "{text}");
    }
    assert!(
        shown[0].contains(r#"materials: "\u{2066}m\u{85}""#),
        "{}",
        shown[0]
    );
    assert!(shown[1].contains(r#""\u{202e}gnp.exe""#), "{}", shown[1]);
    assert!(shown[3].contains(r"error: \u{202e}.obj: "), "{}", shown[3]);
}

#[test]
fn equal_messages_of_many_files_are_grouped() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("in")).unwrap();
    for index in 0..40 {
        folder.put_mesh(&format!("in/{index:02}.mesh"), &animated());
    }
    let run = folder.run("convert in --out-dir out --to crucible");
    let lines: Vec<_> = run.stderr.lines().collect();
    assert!(
        lines[0].starts_with("assumed (40 files): mesh: +Y up, "),
        "{}",
        run.stderr
    );
    assert!(
        lines[1].starts_with("assumed (40 files): crucible: +Y up, "),
        "{}",
        run.stderr
    );
    assert!(lines[2].starts_with("hint: https://"), "{}", run.stderr);
    assert_eq!(
        lines[3..],
        [
            "dropped: in/00.mesh: skeleton.joints and 39 more (40 files): Crucible does not store joints: 40",
            "dropped: in/00.mesh: animations and 39 more (40 files): Crucible does not store animations: 40",
            "40 files converted, 0 failed",
        ]
    );
    let all = folder
        .run("convert in --out-dir out --to crucible --force --verbose")
        .stderr;
    assert_eq!(all.matches(": dropped: animations: ").count(), 40, "{all}");
    let quiet = folder.run("convert in --out-dir out --to crucible --force --quiet");
    assert_eq!(
        (quiet.status, quiet.stderr.lines().count()),
        (0, 2),
        "{}",
        quiet.stderr
    );
    // The hint is the same for all.
    let errors = folder
        .run("convert in --out-dir out --to crucible --quiet")
        .fails(1);
    assert_eq!(
        (
            errors.matches("error: ").count(),
            errors.matches("hint: ").count()
        ),
        (40, 1),
        "{errors}"
    );
}

#[test]
fn verbose_and_quiet_exclude_each_other() {
    let folder = Folder::new();
    folder
        .run("convert a.mesh b.glb --verbose --quiet")
        .fails(2);
}

#[test]
fn info_of_many_meshes_fits_on_a_screen() {
    let folder = Folder::new();
    nodes(&folder, "many.gltf", 100);
    let text = folder.run("info many.gltf").fine();
    assert!(
        text.starts_with("many.gltf: glTF 2.0, ") && text.lines().count() < 25,
        "{text}"
    );
    assert!(
        text.contains("\n  and 96 more meshes: 288 vertices, 96 triangles; --verbose lists them\n"),
        "{text}"
    );
    assert_eq!(
        folder
            .run("info many.gltf --verbose")
            .fine()
            .matches("\n  mesh ")
            .count(),
        100
    );
    let data: Value = serde_json::from_str(&folder.run("info many.gltf --json").fine()).unwrap();
    assert_eq!(data[0]["format"], "gltf");
    assert_eq!(data[0].get("dialect"), None);
    assert_eq!(data[0]["meshes"].as_array().unwrap().len(), 100);
    assert_eq!(data[0]["meshes"][99]["triangles"], 1);
    folder.run("info many.gltf --quiet").fine();
}
