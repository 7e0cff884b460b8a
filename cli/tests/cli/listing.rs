//! Files, folders and patterns as inputs of commands.

use serde_json::Value;

use crate::files::{Folder, animated, triangle, with_slashes};

fn folder() -> Folder {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path("models/deep/empty")).unwrap();
    folder.put_mesh("models/a.mesh", &triangle());
    folder.put_mesh("models/deep/b.MESH", &animated());
    folder.put("models/c.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    folder.put("models/notes.txt", "no mesh");
    folder
}

/// Returns the files that a command processes.
fn files(folder: &Folder, arguments: &[&str]) -> Vec<String> {
    let output = folder
        .command()
        .args(arguments)
        .arg("--json")
        .output()
        .unwrap();
    let rows: Value = serde_json::from_slice(&output.stdout).unwrap();
    rows.as_array()
        .unwrap()
        .iter()
        .map(|row| with_slashes(row["file"].as_str().unwrap()))
        .collect()
}

#[test]
fn folders_expand_to_files_with_known_extensions() {
    let folder = folder();
    for command in ["info", "check"] {
        let expected = ["models/a.mesh", "models/c.obj", "models/deep/b.MESH"];
        assert_eq!(files(&folder, &[command, "models"]), expected);
        assert_eq!(
            files(&folder, &[command, "models/deep", "models"])[0],
            "models/deep/b.MESH"
        );
        assert_eq!(
            files(&folder, &[command, "models/deep", "models"]).len(),
            4,
            "a row for each that is named"
        );
        assert_eq!(
            folder.run(&format!("{command} models/deep/empty")).fails(2),
            "error: models/deep/empty: no file in it has a supported extension; `meshspec formats` lists the extensions\n"
        );
    }
}

#[test]
fn unexpanded_patterns_are_expanded() {
    let folder = folder();
    assert_eq!(files(&folder, &["info", "models/*.o?j"]), ["models/c.obj"]);
    assert_eq!(
        files(&folder, &["info", "models/**/*.[mM]*"]),
        ["models/a.mesh", "models/deep/b.MESH"]
    );
    assert_eq!(
        files(&folder, &["check", "mod*"]).len(),
        3,
        "a folder that matches is a list"
    );
    // An existing file of that name takes precedence over the pattern.
    folder.put_mesh("models/[a].mesh", &triangle());
    assert_eq!(
        files(&folder, &["info", "models/[a].mesh"]),
        ["models/[a].mesh"]
    );
    let message = folder.run("info models/*.glb").fails(3);
    assert_eq!(
        message,
        "error: models/*.glb: no file matches this pattern\n"
    );
    let message = folder.run("convert models/*.obj a.stl").fails(2);
    assert!(
        message
            .contains("a pattern cannot be used with a single OUT, as it may match several files"),
        "{message}"
    );

    assert_eq!(
        folder
            .run("convert models/*.obj --out-dir out --to stl --quiet")
            .status,
        0
    );
    assert!(folder.path("out/c.stl").is_file());
}

#[test]
fn duplicate_inputs_are_converted_once() {
    let folder = folder();
    let rows = files(
        &folder,
        &[
            "convert",
            "models",
            "models/*",
            "--out-dir",
            "out",
            "--to",
            "stl",
        ],
    );
    assert_eq!(
        rows,
        [
            "models/a.mesh",
            "models/c.obj",
            "models/deep/b.MESH",
            "models/notes.txt"
        ]
    );
}
