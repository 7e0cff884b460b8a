//! Names of files, folders that contain outputs, and extensions.

use crate::files::{Folder, Run, broken_triangle, triangle};

impl Run {
    /// Checks the status, but not the messages.
    #[track_caller]
    fn succeeds(&self) {
        assert_eq!(self.status, 0, "{self:?}");
    }
}

#[test]
fn outputs_of_earlier_runs_are_not_read_again() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path("in/deep")).unwrap();
    folder.put_mesh("in/a.mesh", &triangle());
    folder.put_mesh("in/deep/b.mesh", &triangle());
    for input in ["in", "./in", "in/../in", "in/deep/.."] {
        for output in ["in/out", "./in/../in/out"] {
            folder.run(&format!("convert {input} --out-dir {output} --to glb --force")).succeeds();
            assert!(folder.path("in/out/a.glb").exists() && folder.path("in/out/deep/b.glb").exists());
            assert!(!folder.path("in/out/out").exists(), "{input} {output}");
        }
    }
    // A pattern that also matches outputs.
    folder.run("convert in/**/*.mesh in/**/*.glb --out-dir in/out --to obj --quiet").succeeds();
    assert!(!folder.path("in/out/out").exists());
    // A named output folder is read.
    folder.run("convert in/out --out-dir in/out --to stl --quiet").fails(1);
    folder.run("convert in/out/deep --out-dir in/out/stl --to stl --quiet").fails(1);
}

#[test]
fn a_file_named_twice_is_converted_once() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path("in")).unwrap();
    folder.put_mesh("in/a.mesh", &triangle());
    let run = folder.run("convert in ./in in/a.mesh --out-dir out --to glb");
    assert!(run.stderr.contains("1 file converted, 0 failed"), "{}", run.stderr);
}

#[cfg(unix)]
#[test]
fn names_that_are_not_utf8_stay_apart() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let name = |bytes: &'static [u8]| OsStr::from_bytes(bytes);
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path("in")).unwrap();
    folder.put_mesh("a.mesh", &triangle());
    for bytes in [&b"a\xff.mesh"[..], b"a\xfe.mesh"] {
        std::fs::copy(folder.path("a.mesh"), folder.path("in").join(OsStr::from_bytes(bytes))).unwrap();
    }
    for to in ["glb", "gltf", "obj", "bmd", "json"] {
        folder.run(&format!("convert in --out-dir {to} --to {to} --quiet")).succeeds();
        for stem in [&b"a\xff."[..], b"a\xfe."] {
            let mut output = OsStr::from_bytes(stem).to_owned();
            output.push(to);
            assert!(folder.path(to).join(output).exists(), "{to}");
        }
        let run = folder.run(&format!("convert in --out-dir {to} --to {to} --newer"));
        assert!(run.stderr.contains("0 files converted, 2 up to date"), "{to}: {}", run.stderr);
    }
    for expected in ["2 files converted, 0 failed", "0 files converted, 2 up to date, 0 failed"] {
        let run = folder.run("convert in --out-dir logged --to glb --log log.jsonl --newer");
        assert!(run.stderr.contains(expected), "{}", run.stderr);
    }
    let log = String::from_utf8(folder.get("log.jsonl")).unwrap();
    assert!(log.contains(r"in/a\\xFF.mesh") && log.contains(r"in/a\\xFE.mesh"), "{log}");
    let view =
        folder.command().arg("view").arg(folder.path("in").join(name(b"a\xff.mesh"))).output().unwrap();
    assert!(view.status.success());
    assert!(folder.path("in").join(name(b"a\xff.mesh.html")).exists());
}

#[test]
fn quiet_failures_have_a_reason() {
    let folder = Folder::new();
    folder.put_mesh("a.mesh", &broken_triangle());
    folder.put("sum.obj", "v 0 0 0\n");
    for _ in 0..2 {
        let run = folder.run("check a.mesh --quiet --log log.jsonl --newer");
        assert_eq!(run.status, 1);
        assert!(run.stderr.contains("a.mesh: invalid, as recorded in log.jsonl"), "{}", run.stderr);
    }
    for _ in 0..2 {
        let run = folder.run("convert a.mesh --out-dir out --to glb --quiet --log convert.jsonl --newer");
        assert_eq!(run.status, 1);
        assert!(run.stderr.contains("a.mesh"), "{}", run.stderr);
    }
}

#[test]
fn a_brief_check_prints_the_first_finding_of_each_invalid_file() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path("in")).unwrap();
    for index in 0..30 {
        let document = if index % 3 == 0 { broken_triangle() } else { triangle() };
        folder.put_mesh(&format!("in/{index}.mesh"), &document);
    }
    let run = folder.run("check in --quiet");
    assert_eq!((run.status, run.stdout.matches("[MESH-INDEX-RANGE").count()), (1, 10), "{}", run.stdout);
}

#[test]
fn extensions_of_other_kinds_of_files_are_rejected() {
    let folder = Folder::new();
    folder.put_mesh("a.mesh", &triangle());
    for arguments in [
        "render a.mesh a.jpg",
        "render a.mesh a.HTML",
        "view a.mesh --out a.png",
        "convert a.mesh a.obj --to glb",
        "convert a.mesh a.gltf --to glb",
        "convert a.mesh a.png --to glb",
        "convert a.mesh a.bmd --to json",
        "check a.mesh --log a.png",
    ] {
        let message = folder.run(arguments).fails(2);
        assert!(message.contains("does not match the extension"), "{arguments}: {message}");
        assert_eq!(folder.names(), ["a.mesh"]);
    }
    for arguments in [
        "render a.mesh a.PNG",
        "render a.mesh picture",
        "render a.mesh a.Xq3z",
        "convert a.mesh b.mesh --to seed",
    ] {
        folder.run(arguments).succeeds();
    }
}

#[test]
fn an_optional_value_may_be_the_next_word() {
    let folder = Folder::new();
    folder.put_mesh("a.mesh", &triangle());
    folder.run("convert a.mesh b.glb --normals never").succeeds();
    folder.run("convert --normals always a.mesh c.glb").succeeds();
    folder.run("convert --normals a.mesh d.glb").succeeds();
    let run = folder.run("convert a.mesh --out-dir out --to glb --log log.jsonl --newer hash");
    assert_eq!(run.status, 0, "{}", run.stderr);
    // After `--`, words are files.
    folder.run("convert -- --normals never").fails(3);
}

#[test]
fn large_files_of_another_kind_are_rejected_by_their_start() {
    let folder = Folder::new();
    let names = ["a.bmd", "a.mesh", "a.ima", "a.glb", "a.gltf", "a.ply", "a.obj", "a.json", "a.xyz", "a"];
    for name in names {
        folder.put(name, b"\x7fELF");
        // A sparse file, larger than any memory.
        std::fs::File::options().write(true).open(folder.path(name)).unwrap().set_len(1 << 40).unwrap();
    }
    for name in names {
        for command in ["check", "info", "dump", "decode", "diff a.mesh", "render", "convert"] {
            let out = match command {
                "render" => " out.png --force",
                "convert" => " out.glb --force",
                _ => "",
            };
            let run = folder.run(&format!("{command} {name}{out}"));
            assert!([1, 2].contains(&run.status), "{command} {name}: {}", run.stderr);
            assert!(!run.stderr.contains("too large"), "{command} {name}: {}", run.stderr);
        }
    }
    let run = folder.run("check a.bmd");
    assert!(run.stdout.contains("BMD1"), "{}", run.stdout);
    folder.put("b.bmd", b"BMD1");
    std::fs::File::options().write(true).open(folder.path("b.bmd")).unwrap().set_len(1 << 40).unwrap();
    assert!(folder.run("check b.bmd").fails(3).contains("is larger than 4 GiB"));
}
