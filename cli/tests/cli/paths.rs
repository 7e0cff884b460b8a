//! Names of files, folders that contain outputs, and extensions.

use meshspec::mesh;

use crate::files::{Folder, Run, broken_triangle, bytes_of, triangle};

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
            folder
                .run(&format!(
                    "convert {input} --out-dir {output} --to glb --force"
                ))
                .succeeds();
            assert!(
                folder.path("in/out/a.glb").exists() && folder.path("in/out/deep/b.glb").exists()
            );
            assert!(!folder.path("in/out/out").exists(), "{input} {output}");
        }
    }
    // A pattern that also matches outputs.
    folder
        .run("convert in/**/*.mesh in/**/*.glb --out-dir in/out --to obj --quiet")
        .succeeds();
    assert!(!folder.path("in/out/out").exists());
    // The input folder is the output folder.
    for _ in 0..2 {
        folder
            .run("convert in/deep --out-dir in/deep --to glb --force")
            .succeeds();
        folder
            .run("convert in/deep/*.* --out-dir in/deep --to glb --force")
            .succeeds();
    }
    // A named output is read.
    let message = folder
        .run("convert in/deep/b.mesh in/deep/b.glb --out-dir in/deep --to glb --force")
        .fails(1);
    assert!(message.contains("map to this path"), "{message}");
    // A named output folder is read.
    folder
        .run("convert in/out --out-dir in/out --to stl --quiet")
        .fails(1);
    folder
        .run("convert in/out/deep --out-dir in/out/stl --to stl --quiet")
        .fails(1);
}

#[test]
fn a_file_named_twice_is_converted_once() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path("in")).unwrap();
    folder.put_mesh("in/a.mesh", &triangle());
    let run = folder.run("convert in ./in in/a.mesh --out-dir out --to glb");
    assert!(
        run.stderr.contains("1 file converted, 0 failed"),
        "{}",
        run.stderr
    );
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
        std::fs::copy(
            folder.path("a.mesh"),
            folder.path("in").join(OsStr::from_bytes(bytes)),
        )
        .unwrap();
    }
    for to in ["glb", "gltf", "obj", "bmd", "json"] {
        folder
            .run(&format!("convert in --out-dir {to} --to {to} --quiet"))
            .succeeds();
        for stem in [&b"a\xff."[..], b"a\xfe."] {
            let mut output = OsStr::from_bytes(stem).to_owned();
            output.push(to);
            assert!(folder.path(to).join(output).exists(), "{to}");
        }
        let run = folder.run(&format!("convert in --out-dir {to} --to {to} --newer"));
        assert!(
            run.stderr.contains("0 files converted, 2 up to date"),
            "{to}: {}",
            run.stderr
        );
    }
    for expected in [
        "2 files converted, 0 failed",
        "0 files converted, 2 up to date, 0 failed",
    ] {
        let run = folder.run("convert in --out-dir logged --to glb --log log.jsonl --newer");
        assert!(run.stderr.contains(expected), "{}", run.stderr);
    }
    let log = String::from_utf8(folder.get("log.jsonl")).unwrap();
    assert!(
        log.contains(r"in/a\\xFF.mesh") && log.contains(r"in/a\\xFE.mesh"),
        "{log}"
    );
    let view = folder
        .command()
        .arg("view")
        .arg(folder.path("in").join(name(b"a\xff.mesh")))
        .output()
        .unwrap();
    assert!(view.status.success());
    assert!(folder.path("in").join(name(b"a\xff.mesh.html")).exists());
}

/// `%FF` in a name is not the byte 0xff, neither in names of companion files nor in references to images.
#[cfg(unix)]
#[test]
fn percent_signs_in_names_are_no_bytes() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    const NAMES: [&[u8]; 4] = [b"a\xff", b"a%FF", b"a%25FF", b"a%2525FF"];
    const MODEL: &[u8] = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nusemtl m\nf 1/1 2/1 3/1\n";
    let folder = Folder::new();
    let path = |stem: &[u8], extension: &str| {
        let mut name = OsStr::from_bytes(stem).to_owned();
        name.push(extension);
        name
    };
    std::fs::create_dir_all(folder.path("in")).unwrap();
    for stem in NAMES {
        let image = path(stem, ".png");
        let input = folder.path("in");
        std::fs::write(input.join(&image), [b"\x89PNG\r\n\x1a\n", stem].concat()).unwrap();
        let library = [b"newmtl m\nKd 1 0 0\nmap_Kd ", image.as_bytes(), b"\n"].concat();
        std::fs::write(input.join(path(stem, ".mtl")), library).unwrap();
        let model = [b"mtllib ", stem, b".mtl\n", MODEL].concat();
        std::fs::write(input.join(path(stem, ".obj")), model).unwrap();
    }
    // Each conversion reads the files of the one before.
    for (from, to) in [("in", "gltf"), ("gltf", "ply"), ("ply", "obj")] {
        let run = folder.run(&format!("convert {from} --out-dir {to} --to {to}"));
        assert!(
            run.stderr.contains("4 files converted, 0 failed"),
            "{}",
            run.stderr
        );
        assert!(
            !run.stderr.contains("missing") && !run.stderr.contains("only the names"),
            "{}",
            run.stderr
        );
        for stem in NAMES {
            let files = folder.path(to);
            let image = [b"\x89PNG\r\n\x1a\n", stem].concat();
            assert_eq!(
                std::fs::read(files.join(path(stem, ".png"))).unwrap(),
                image,
                "{to}"
            );
            let companion = match to {
                "gltf" => ".bin",
                "obj" => ".mtl",
                _ => continue,
            };
            assert!(files.join(path(stem, companion)).exists(), "{to}");
        }
    }
    // Backslashes are no bytes, either.
    std::fs::rename(folder.path("in/a%FF.obj"), folder.path(r"in/a\xFF.obj")).unwrap();
    for expected in [
        "4 files converted, 0 failed",
        "0 files converted, 4 up to date, 0 failed",
    ] {
        let run = folder.run("convert in --out-dir logged --to glb --log log.jsonl --newer");
        assert!(run.stderr.contains(expected), "{}", run.stderr);
    }
}

#[cfg(unix)]
#[test]
fn patterns_match_names_that_are_not_utf8() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path("in").join(OsStr::from_bytes(b"b\xff"))).unwrap();
    for name in [&b"a\xff.mesh"[..], b"ab.mesh", b"b\xff/a.mesh"] {
        std::fs::write(
            folder.path("in").join(OsStr::from_bytes(name)),
            bytes_of(&triangle()),
        )
        .unwrap();
    }
    for (pattern, names) in [
        ("in/*.mesh", &[r"in/ab.mesh", r"in/a\xFF.mesh"][..]),
        ("in/a?.mesh", &[r"in/ab.mesh", r"in/a\xFF.mesh"]),
        ("in/?[!b]/*", &[r"in/b\xFF/a.mesh"]),
        ("in/**/a.*", &[r"in/b\xFF/a.mesh"]),
        ("**/b*/a.mesh", &[r"in/b\xFF/a.mesh"]),
        (
            "in/**",
            &[r"in/ab.mesh", r"in/a\xFF.mesh", r"in/b\xFF/a.mesh"],
        ),
        (
            "**",
            &[r"./in/ab.mesh", r"./in/a\xFF.mesh", r"./in/b\xFF/a.mesh"],
        ),
    ] {
        let text = folder.run(&format!("check {pattern}")).fine();
        let found: Vec<_> = text
            .lines()
            .map(|line| line.split(": ").next().unwrap())
            .collect();
        assert_eq!(found, names, "{pattern}");
    }
}

/// `a.glb` with the image `b_c` and `a_b.glb` with the image `c` would both write `a_b_c.png`.
#[test]
fn outputs_of_a_batch_never_share_a_companion_file() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path("in")).unwrap();
    for (name, image) in [("a", "b_c"), ("a_b", "c")] {
        let png = [b"\x89PNG\r\n\x1a\n", image.as_bytes()].concat();
        folder.put(&format!("{image}.png"), png);
        folder.put("m.mtl", format!("newmtl m\nmap_Kd {image}.png\n"));
        folder.put(
            "m.obj",
            "mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nusemtl m\nf 1/1 2/1 3/1\n",
        );
        folder
            .run(&format!(
                "convert m.obj in/{name}.glb --embed-images --quiet"
            ))
            .succeeds();
    }
    for options in ["", " --force"] {
        let run = folder.run(&format!(
            "convert in --out-dir out{} --to obj{options}",
            options.len()
        ));
        assert!(
            run.stderr.contains("1 file converted, 1 failed"),
            "{}",
            run.stderr
        );
        assert!(
            run.stderr
                .contains("the same file for another output and the output"),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn quiet_failures_have_a_reason() {
    let folder = Folder::new();
    folder.put_mesh("a.mesh", &broken_triangle());
    folder.put_mesh(
        "b.mesh",
        &mesh::Document {
            indices: vec![0, 1],
            ..triangle()
        },
    );
    // The log of the first run is the reason of the second.
    for _ in 0..2 {
        let command = "check a.mesh b.mesh --deny warnings --quiet --log log.jsonl --newer";
        let message = folder.run(command).fails(1);
        assert_eq!(
            message,
            "error: a.mesh: failed, as recorded in log.jsonl; 2 files in total\n"
        );
    }
    let command = "convert a.mesh --out-dir out --to glb --quiet --log convert.jsonl --newer";
    let message = folder.run(command).fails(1);
    assert!(
        message.starts_with("error: a.mesh: mesh: indices[2] (bytes "),
        "{message}"
    );
    let message = folder.run(command).fails(1);
    assert_eq!(
        message,
        "error: a.mesh: failed, as recorded in convert.jsonl\n"
    );
    // Denied warnings are the reason of a failure.
    let run = folder.run("check b.mesh --deny warnings --quiet");
    assert!(
        run.status == 1 && run.stdout.contains("[MESH-TRIANGLES"),
        "{run:?}"
    );
}

/// Writing to `/dev/full` fails.
#[cfg(target_os = "linux")]
#[test]
fn messages_that_cannot_be_written_do_not_change_the_status() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path("in")).unwrap();
    for index in 0..30 {
        folder.put_mesh(&format!("in/{index}.mesh"), &triangle());
    }
    folder.put_mesh("bad.mesh", &broken_triangle());
    for (arguments, status) in [
        ("check in", 0),
        ("convert in --out-dir out --to glb", 0),
        ("convert in/0.mesh a.glb", 0),
        ("edit in/0.mesh b.mesh --set vertex_count=70", 0),
        ("info bad.mesh", 1),
        ("info", 2),
    ] {
        let program = assert_cmd::cargo::cargo_bin!("meshspec")
            .to_str()
            .unwrap()
            .to_owned();
        let run = folder.run_shell(&["-c", &format!("{program} {arguments} 2>/dev/full")]);
        assert_eq!(run.status, status, "{arguments}");
    }
}

#[test]
fn a_brief_check_prints_the_first_finding_of_each_invalid_file() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path("in")).unwrap();
    for index in 0..30 {
        let document = if index % 3 == 0 {
            broken_triangle()
        } else {
            triangle()
        };
        folder.put_mesh(&format!("in/{index}.mesh"), &document);
    }
    let run = folder.run("check in --quiet");
    assert_eq!(
        (run.status, run.stdout.matches("[MESH-INDEX-RANGE").count()),
        (1, 10),
        "{}",
        run.stdout
    );
}

#[test]
fn extensions_of_other_kinds_of_files_are_rejected() {
    let folder = Folder::new();
    folder.put_mesh("a.mesh", &triangle());
    folder.put("a.jsonl", folder.run("dump a.mesh --json").fine());
    for arguments in [
        "render a.mesh a.jpg",
        "render a.mesh a.HTML",
        "view a.mesh --out a.png",
        "convert a.mesh a.obj --to glb",
        "convert a.mesh a.gltf --to glb",
        "convert a.mesh a.png --to glb",
        "convert a.mesh a.bmd --to json",
        "check a.mesh --log a.png",
        "assemble a.jsonl a.bmd",
        "assemble a.jsonl a.glb",
        "edit a.mesh a.obj --set vertex_count=7",
    ] {
        let message = folder.run(arguments).fails(2);
        assert!(
            message.contains("does not match the extension"),
            "{arguments}: {message}"
        );
        assert_eq!(folder.names(), ["a.jsonl", "a.mesh"]);
    }
    for arguments in [
        "render a.mesh a.PNG",
        "render a.mesh picture",
        "render a.mesh a.Xq3z",
        "convert a.mesh b.mesh --to seed",
        "assemble a.jsonl c.mesh",
    ] {
        folder.run(arguments).succeeds();
    }
}

#[test]
fn an_optional_value_may_be_the_next_word() {
    let folder = Folder::new();
    folder.put_mesh("a.mesh", &triangle());
    folder
        .run("convert a.mesh b.glb --normals never")
        .succeeds();
    folder
        .run("convert --normals always a.mesh c.glb")
        .succeeds();
    folder.run("convert --normals a.mesh d.glb").succeeds();
    let run = folder.run("convert a.mesh --out-dir out --to glb --log log.jsonl --newer hash");
    assert_eq!(run.status, 0, "{}", run.stderr);
    // After `--`, words are files.
    folder.run("convert -- --normals never").fails(3);
    for command in [
        "convert a.mesh e.glb --normals off",
        "convert --normals no a.mesh e.glb",
    ] {
        let message = folder.run(command).fails(2);
        assert!(
            message.contains("`--normals=always`, `--normals=never`"),
            "{message}"
        );
    }
    assert!(
        !folder
            .run("convert missing.mesh --normals e.glb")
            .fails(3)
            .contains("--normals")
    );
    folder.put("file", "");
    assert!(
        !folder
            .run("convert --normals file f.glb")
            .fails(1)
            .contains("--normals")
    );
}

#[test]
fn large_files_of_another_kind_are_rejected_by_their_start() {
    let folder = Folder::new();
    let names = [
        "a.bmd", "a.mesh", "a.ima", "a.glb", "a.gltf", "a.ply", "a.obj", "a.json", "a.xyz", "a",
    ];
    for name in names {
        folder.put(name, b"\x7fELF");
        // A sparse file, larger than any memory.
        std::fs::File::options()
            .write(true)
            .open(folder.path(name))
            .unwrap()
            .set_len(1 << 40)
            .unwrap();
    }
    // Zeros resemble the chunk of a Crucible file.
    for name in ["zeros.bmd", "zeros.mesh", "zeros.cmodel", "zeros.xyz"] {
        std::fs::File::create(folder.path(name))
            .unwrap()
            .set_len(1 << 40)
            .unwrap();
        let run = folder.run(&format!("check {name}"));
        assert_eq!(run.status, 1, "{name}: {run:?}");
    }
    for name in names {
        for command in [
            "check",
            "info",
            "dump",
            "decode",
            "diff a.mesh",
            "render",
            "convert",
        ] {
            let out = match command {
                "render" => " out.png --force",
                "convert" => " out.glb --force",
                _ => "",
            };
            let run = folder.run(&format!("{command} {name}{out}"));
            assert!(
                [1, 2].contains(&run.status),
                "{command} {name}: {}",
                run.stderr
            );
            assert!(
                !run.stderr.contains("too large"),
                "{command} {name}: {}",
                run.stderr
            );
        }
    }
    let run = folder.run("check a.bmd");
    assert!(run.stdout.contains("BMD1"), "{}", run.stdout);
    folder.put("b.bmd", b"BMD1");
    std::fs::File::options()
        .write(true)
        .open(folder.path("b.bmd"))
        .unwrap()
        .set_len(1 << 40)
        .unwrap();
    assert!(
        folder
            .run("check b.bmd")
            .fails(3)
            .contains("is larger than 4 GiB")
    );
}
