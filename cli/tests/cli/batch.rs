//! `meshspec convert` of many files.

use serde_json::Value;

use crate::files::{Folder, animated, broken_triangle, triangle, with_slashes};

/// A folder with two valid files, an invalid one and a file of another type, some of them in a subfolder.
fn models() -> Folder {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path("models/deep")).unwrap();
    folder.put_mesh("models/a.mesh", &triangle());
    folder.put_mesh("models/deep/b.MESH", &animated());
    folder.put_mesh("models/bad.mesh", &broken_triangle());
    folder.put("models/notes.txt", "no mesh");
    folder
}

#[test]
fn bad_files_do_not_stop_the_batch() {
    let folder = models();
    let messages = with_slashes(
        &folder
            .run("convert models --out-dir out --to crucible")
            .fails(1),
    );
    assert!(
        messages.contains("error: models/bad.mesh: mesh: indices[2] "),
        "{messages}"
    );
    assert!(
        messages.contains("dropped: models/deep/b.MESH: animations: "),
        "{messages}"
    );
    assert!(
        messages.ends_with("2 files converted, 1 failed\n"),
        "{messages}"
    );
    assert!(folder.path("out/a.cmodel").is_file() && folder.path("out/deep/b.cmodel").is_file());
    assert!(!folder.path("out/bad.cmodel").exists() && !folder.path("out/notes.cmodel").exists());
}

#[test]
fn json_results_are_sorted_by_name() {
    let folder = models();
    let run = folder.run("convert models --out-dir out --to crucible --json");
    assert_eq!(run.status, 1);
    let rows: Value = serde_json::from_str(&run.stdout).unwrap();
    let path = |value: &Value| with_slashes(value.as_str().unwrap());
    let files: Vec<_> = rows
        .as_array()
        .unwrap()
        .iter()
        .map(|row| path(&row["file"]))
        .collect();
    assert_eq!(
        files,
        ["models/a.mesh", "models/bad.mesh", "models/deep/b.MESH"]
    );
    assert!(rows[1]["error"].as_str().unwrap().contains("indices[2]"));
    assert_eq!(path(&rows[2]["output"]), "out/deep/b.cmodel");
    assert!(!rows[2]["losses"].as_array().unwrap().is_empty());
}

#[test]
fn inputs_with_the_same_output_are_skipped() {
    let folder = models();
    folder.put_mesh("a.mesh", &triangle());
    let messages = with_slashes(
        &folder
            .run("convert models a.mesh --out-dir out --to crucible")
            .fails(1),
    );
    for files in ["models/a.mesh and a.mesh", "a.mesh and models/a.mesh"] {
        let message = format!("error: out/a.cmodel: not written: both {files} map to this path\n");
        assert!(messages.contains(&message), "{messages}");
    }
    assert!(
        messages.ends_with("1 file converted, 3 failed\n"),
        "{messages}"
    );
    assert!(!folder.path("out/a.cmodel").exists() && folder.path("out/deep/b.cmodel").is_file());
    // A file named twice is converted once.
    let run =
        folder.run("convert models/deep models/deep/b.MESH models/deep --out-dir other --to stl");
    assert!(
        run.stderr.ends_with("1 file converted, 0 failed\n"),
        "{}",
        run.stderr
    );
}

#[test]
fn folders_are_created_only_for_files() {
    let folder = models();
    folder
        .run("convert models/bad.mesh --out-dir out/here --to glb")
        .fails(1);
    folder
        .run("convert models/deep --out-dir out --to obj --strict")
        .fails(1);
    assert_eq!(folder.names(), ["models"]);
    folder
        .run("convert models/a.mesh --out-dir out/here --to stl")
        .fails(0);
    assert!(folder.path("out/here/a.stl").is_file());

    folder.put("file", "");
    let messages = folder
        .run("convert models/a.mesh --out-dir file/here --to glb")
        .fails(1);
    assert!(messages.contains("error: file/here: "), "{messages}");
}

#[test]
fn alternative_extensions_are_kept() {
    let folder = models();
    folder.run("convert models/a.mesh models/a.crmesh").fails(0);
    folder
        .run("convert models --out-dir out --to crucible")
        .fails(1);
    assert!(folder.get("out/a.cmodel").starts_with(b"cmodel\n"));
    assert_eq!(folder.get("out/a.crmesh"), folder.get("models/a.crmesh"));
}

#[test]
fn usage_errors_are_reported_once() {
    let folder = models();
    for (options, message) in [
        (
            "--to crucible --level 22",
            "--level: applies to iyma only, but the output is crucible",
        ),
        (
            "--to glb --level 3",
            "--level: applies to iyma only, but the output is glb",
        ),
        (
            "--to json --threads 2",
            "--threads: applies to iyma only, but the output is json",
        ),
        (
            "--to glb --dialect spec",
            "--dialect: glb has no spec dialect",
        ),
        (
            "--to mesh --dialect tangent",
            "--dialect: mesh has no tangent dialect, only spec, renderlib",
        ),
    ] {
        let message = format!("error: {message}\n");
        assert_eq!(
            folder
                .run(&format!("convert models --out-dir out {options}"))
                .fails(2),
            message
        );
        assert_eq!(
            folder
                .run(&format!("convert models/a.mesh out {options}"))
                .fails(2),
            message
        );
    }
    assert_eq!(folder.names(), ["models"]);
    folder
        .run("convert models/a.mesh a.ima --level 19")
        .fails(0);
}

#[test]
fn patterns_without_a_match_are_unreadable() {
    let folder = models();
    let message = folder
        .run("convert models/a.mesh no*.mesh --out-dir out --to json")
        .fails(3);
    assert!(
        message.contains("error: no*.mesh: no file matches this pattern\n"),
        "{message}"
    );
    assert!(
        message.ends_with("1 file converted, 1 failed\n"),
        "{message}"
    );
    // A missing file counts as one failure among several.
    folder
        .run("convert no.mesh --out-dir out --to json")
        .fails(1);
}

#[test]
fn losses_with_strict_count_as_failures() {
    let folder = models();
    let messages = folder
        .run("convert models/a.mesh models/deep/b.MESH --out-dir out --to crucible --strict")
        .fails(1);
    assert!(
        messages.contains(
            "error: models/deep/b.MESH: not written: --strict allows no losses, and there are 2\n"
        ),
        "{messages}"
    );
    assert!(
        messages.ends_with("1 file converted, 1 failed\n"),
        "{messages}"
    );
    assert!(folder.path("out/a.cmodel").is_file() && !folder.path("out/b.cmodel").exists());
}

#[test]
fn existing_files_are_kept_without_force() {
    let folder = models();
    assert_eq!(
        folder
            .run("convert models/a.mesh --out-dir out --to json")
            .status,
        0
    );
    let message = with_slashes(
        &folder
            .run("convert models/a.mesh --out-dir out --to json")
            .fails(1),
    );
    assert!(
        message.contains("out/a.json: the file already exists"),
        "{message}"
    );
    let message = folder.run("convert models/a.mesh --out-dir out --to json --force");
    assert_eq!(
        (message.status, &*message.stderr),
        (0, "1 file converted, 0 failed\n")
    );
}

#[test]
fn several_inputs_require_a_folder_and_a_format() {
    let folder = models();
    folder.run("convert models/a.mesh").fails(2);
    folder
        .run("convert models/a.mesh models/bad.mesh out.cmodel")
        .fails(2);
    folder.run("convert models --out-dir out").fails(2);
    folder.run("convert - --out-dir out --to crucible").fails(2);
}
