//! How much is said of conversions: at most a screen, unless all is asked for.

use serde_json::{Value, json};

use crate::files::{Folder, animated};

/// A glTF file with so many nodes, each of which moves its mesh, has a name and extras.
fn nodes(folder: &Folder, name: &str, count: usize) {
    folder.put("a.obj", "o a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 1\nf 1//1 2//1 3//1\n");
    folder.run(&format!("convert a.obj {name} --force --quiet")).fine();
    let mut file: Value = serde_json::from_slice(&folder.get(name)).unwrap();
    let node = |index| json!({ "mesh": 0, "name": format!("n{index}"), "translation": [index, 0, 0] });
    file["nodes"] = (0..count).map(node).collect();
    file["scenes"][0]["nodes"] = (0..count).collect();
    folder.put(name, file.to_string());
}

#[test]
fn equal_losses_are_one_with_a_count_and_a_range() {
    let folder = Folder::new();
    nodes(&folder, "many.gltf", 300);
    let run = folder.run("convert many.gltf out.obj");
    assert!(run.stderr.lines().count() <= 20, "{}", run.stderr);
    let loss =
        "\nchanged: nodes[1] and 298 more, up to nodes[299]: transforms of nodes applied to the vertices";
    assert!(run.stderr.contains(loss), "{}", run.stderr);

    let all = folder.run("convert many.gltf out.obj --verbose --force").stderr;
    assert_eq!(all.matches("changed: nodes[").count(), 299, "{all}");
    let row: Value =
        serde_json::from_str(&folder.run("convert many.gltf out.obj --json --force").fine()).unwrap();
    assert!(row["losses"].as_array().unwrap().len() >= 299);
    folder.run("convert many.gltf out.obj --quiet --force").fine();
}

#[test]
fn equal_messages_of_many_files_are_one() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("in")).unwrap();
    for index in 0..40 {
        folder.put_mesh(&format!("in/{index:02}.mesh"), &animated());
    }
    let run = folder.run("convert in --out-dir out --to crucible");
    let lines: Vec<_> = run.stderr.lines().collect();
    assert!(lines[0].starts_with("assumed (40 files): mesh: right-handed"), "{}", run.stderr);
    assert!(lines[1].starts_with("assumed (40 files): crucible: left-handed"), "{}", run.stderr);
    assert_eq!(
        lines[2..],
        [
            "dropped: in/00.mesh: animations and 39 more in 40 files: Crucible has no animations: 1",
            "dropped: in/00.mesh: skeleton.joints and 39 more in 40 files: Crucible has no joints: 1",
            "40 files converted, 0 failed",
        ]
    );
    let all = folder.run("convert in --out-dir out --to crucible --force --verbose").stderr;
    assert_eq!(all.matches(": dropped: animations: ").count(), 40, "{all}");
    folder.run("convert in --out-dir out --to crucible --force --quiet").fine();
    // The advice is the same for all.
    let errors = folder.run("convert in --out-dir out --to crucible --quiet").fails(1);
    assert_eq!((errors.matches("error: ").count(), errors.matches("hint: ").count()), (40, 1), "{errors}");
}

#[test]
fn verbose_and_quiet_exclude_each_other() {
    let folder = Folder::new();
    folder.run("convert a.mesh b.glb --verbose --quiet").fails(2);
}

#[test]
fn info_of_many_meshes_fits_on_a_screen() {
    let folder = Folder::new();
    nodes(&folder, "many.gltf", 100);
    let text = folder.run("info many.gltf").fine();
    assert!(text.starts_with("many.gltf: glTF 2.0, ") && text.lines().count() < 25, "{text}");
    assert!(
        text.contains("\n  and 96 meshes more: 288 vertices, 96 triangles; --verbose lists them\n"),
        "{text}"
    );
    assert_eq!(folder.run("info many.gltf --verbose").fine().matches("\n  mesh ").count(), 100);
    let data: Value = serde_json::from_str(&folder.run("info many.gltf --json").fine()).unwrap();
    assert_eq!(data[0]["format"], "gltf");
    assert_eq!(data[0].get("dialect"), None);
    assert_eq!(data[0]["meshes"].as_array().unwrap().len(), 100);
    assert_eq!(data[0]["meshes"][99]["triangles"], 1);
    folder.run("info many.gltf --quiet").fine();
}
