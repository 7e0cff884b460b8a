//! `meshspec check`.

use meshspec::mesh;
use serde_json::{Value, json};

use crate::files::{Folder, animated, broken_triangle, bytes_of, triangle};

#[test]
fn a_valid_file_has_no_findings() {
    let folder = Folder::new();
    folder.put_mesh("good.mesh", &animated());
    assert_eq!(
        folder.run("check good.mesh").fine(),
        "good.mesh: 0 errors, 0 warnings\n"
    );
}

const BROKEN: &str = "\
error: indices[2] (bytes 0x39..0x3d): index 7 is not below the vertex count 3 [MESH-INDEX-RANGE, M13]
  00000030  00 00 00 00 00 01 00 00 00 07 00 00 00           |.............|
                                       ^^^^^^^^^^^
  = Index data: Every index is below the vertex count.

bad.mesh: 1 error, 0 warnings
";

#[test]
fn a_finding_shows_its_bytes_and_its_rule() {
    let folder = Folder::new();
    folder.put_mesh("bad.mesh", &broken_triangle());
    let run = folder.run("check bad.mesh");
    assert_eq!((run.status, &*run.stdout, &*run.stderr), (1, BROKEN, ""));
}

#[test]
fn lenient_checking_fails_only_for_undecodable_files() {
    let folder = Folder::new();
    folder.put_mesh("bad.mesh", &broken_triangle());
    assert_eq!(folder.run("check --lenient bad.mesh").fine(), BROKEN);
    folder.put("short.mesh", &bytes_of(&triangle())[..60]);
    let run = folder.run("check --lenient short.mesh");
    assert!(
        run.stdout
            .starts_with("error: indices (bytes 0x31..0x3c): needs 12 bytes"),
        "{}",
        run.stdout
    );
    run.fails(1);
}

#[test]
fn warnings_alone_are_fine() {
    let folder = Folder::new();
    folder.put_mesh(
        "odd.mesh",
        &mesh::Document {
            indices: vec![0, 1],
            ..triangle()
        },
    );
    let text = folder.run("check odd.mesh").fine();
    assert!(
        text.starts_with("warning: header.index_count (bytes 0x7..0xb): index count 2 is not"),
        "{text}"
    );
    assert!(text.ends_with("odd.mesh: 0 errors, 1 warning\n"), "{text}");
}

#[test]
fn findings_are_grouped_by_rule() {
    let folder = Folder::new();
    folder.put_mesh(
        "bad.mesh",
        &mesh::Document {
            indices: vec![9; 124],
            ..triangle()
        },
    );
    let run = folder.run("check bad.mesh");
    let text = &run.stdout;
    assert!(
        text.starts_with("warning: header.index_count (") && text.lines().count() < 20,
        "{text}"
    );
    assert_eq!(text.matches("error: indices[").count(), 1, "{text}");
    let end = "\nand 123 more of MESH-INDEX-RANGE\n--verbose lists more\nbad.mesh: 124 errors, 1 warning\n";
    assert!(text.ends_with(end), "{text}");
    run.fails(1);

    // The library keeps a hundred findings per rule.
    let text = folder.run("check --verbose bad.mesh").stdout;
    assert_eq!(text.matches("error: indices[").count(), 100, "{text}");
    assert!(
        text.ends_with("\nand 24 more of MESH-INDEX-RANGE\nbad.mesh: 124 errors, 1 warning\n"),
        "{text}"
    );

    folder.put_mesh(
        "bad.mesh",
        &mesh::Document {
            indices: vec![9; 60],
            ..triangle()
        },
    );
    let text = folder.run("check bad.mesh").stdout;
    assert!(
        text.contains("\nand 59 more of MESH-INDEX-RANGE, up to indices[59]\n"),
        "{text}"
    );
}

#[test]
fn quiet_checking_shows_errors_only() {
    let folder = Folder::new();
    folder.put_mesh("bad.mesh", &broken_triangle());
    folder.put_mesh(
        "odd.mesh",
        &mesh::Document {
            indices: vec![0, 1],
            ..triangle()
        },
    );
    let run = folder.run("check --quiet bad.mesh odd.mesh");
    assert_eq!((&*run.stdout, run.status), (BROKEN, 1));
}

#[test]
fn only_files_with_findings_are_listed() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("all")).unwrap();
    for index in 0..30 {
        folder.put_mesh(&format!("all/{index:02}.mesh"), &triangle());
    }
    folder.put_mesh("all/17.mesh", &broken_triangle());
    let run = folder.run("check all");
    let (error, counts) = run.stdout.split_once('\n').unwrap();
    assert!(
        error.starts_with("error: indices[2] ") && error.ends_with("[MESH-INDEX-RANGE, M13]"),
        "{error}"
    );
    assert_eq!(
        (counts, run.status),
        ("all/17.mesh: 1 error, 0 warnings\n", 1)
    );
    assert_eq!(
        run.stderr,
        "30 files checked; --verbose lists all files and their findings\n"
    );
    // Hints are counted.
    folder.put(
        "all/30.obj",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 -1\nf 1//1 2//1 3//1\n",
    );
    let run = folder.run("check all");
    let counts = "all/17.mesh: 1 error, 0 warnings\nall/30.obj: 0 errors, 0 warnings, 1 hint\n";
    assert!(
        run.stdout.ends_with(counts) && !run.stdout.contains("inside out"),
        "{}",
        run.stdout
    );
    let run = folder.run("check all --verbose");
    assert!(run.stdout.contains("hint: inside out: "), "{}", run.stdout);
    assert!(
        run.stdout.contains("all/29.mesh: 0 errors") && run.stdout.contains("indices[2]"),
        "{}",
        run.stdout
    );
    assert_eq!(run.stderr, "");
}

#[test]
fn interchange_formats_and_documents_are_checked_too() {
    let folder = Folder::new();
    folder.put("good.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    folder.put("bad.obj", "v 0 0 0\nv 1 0 zero\n");
    assert_eq!(
        folder.run("check good.obj").fine(),
        "good.obj: 0 errors, 0 warnings\n"
    );
    assert_eq!(
        folder.run("check bad.obj").stdout,
        "error: line 2, column 7: expected a number, found `zero` [OBJ-READ]\n\
         \x20 2 | v 1 0 zero\n\
         \x20   |       ^^^^\n\
         \x20 = OBJ: Files decode without errors.\n\n\
         bad.obj: 1 error, 0 warnings\n"
    );
    // Without a file name, the format is detected from the content.
    let run = folder.run_with("check -", "# made by hand\nv 0 0 0\nv 1 0 zero\n");
    assert!(run.stdout.contains("[OBJ-READ]"), "{}", run.stdout);
    run.fails(1);

    folder.put_mesh("in.mesh", &broken_triangle());
    folder.run("convert in.mesh in.json --lenient").fine();
    let run = folder.run("check in.json");
    assert!(
        run.stdout
            .starts_with("error: indices[2]: index 7 is not below the vertex count 3"),
        "{}",
        run.stdout
    );
    run.fails(1);
}

#[test]
fn json_output() {
    let folder = Folder::new();
    folder.put_mesh("bad.mesh", &broken_triangle());
    folder.put_mesh("good.mesh", &triangle());
    let run = folder.run("check --json bad.mesh good.mesh missing.mesh");
    let data: Value = serde_json::from_str(&run.stdout).unwrap();
    let finding = json!({
        "rule": {
            "code": "MESH-INDEX-RANGE",
            "severity": "error",
            "summary": "Every index is below the vertex count.",
            "section": "Index data",
            "row": "M13",
        },
        "path": "indices[2]",
        "span": { "bytes": { "start": 57, "end": 61 } },
        "message": "index 7 is not below the vertex count 3",
    });
    let bad = json!({
        "file": "bad.mesh", "format": "mesh", "valid": false, "errors": 1, "warnings": 0,
        "findings": [finding], "suppressed": {},
    });
    let good = json!({
        "file": "good.mesh", "format": "mesh", "valid": true, "errors": 0, "warnings": 0,
        "findings": [], "suppressed": {},
    });
    assert_eq!((&data[0], &data[1]), (&bad, &good));
    assert!(
        data[2]["error"]
            .as_str()
            .unwrap()
            .starts_with("missing.mesh: "),
        "{data}"
    );
    run.fails(3);

    let lenient: Value =
        serde_json::from_str(&folder.run("check --json --lenient bad.mesh").fine()).unwrap();
    assert_eq!(lenient[0]["valid"], true);
}

#[test]
fn the_worst_file_determines_the_exit_status() {
    let folder = Folder::new();
    folder.put_mesh("bad.mesh", &broken_triangle());
    folder.put_mesh("good.mesh", &triangle());
    let run = folder.run("check bad.mesh good.mesh");
    assert_eq!(
        run.stdout,
        format!("{BROKEN}good.mesh: 0 errors, 0 warnings\n")
    );
    run.fails(1);
    let run = folder.run("check missing.mesh good.mesh bad.mesh");
    assert!(run.stdout.contains("bad.mesh: 1 error"), "{}", run.stdout);
    assert!(
        run.stderr.starts_with("error: missing.mesh: "),
        "{}",
        run.stderr
    );
    run.fails(3);
}

#[test]
fn files_of_unknown_format_are_invalid() {
    let folder = Folder::new();
    folder.put("note.txt", "no mesh at all");
    folder.run("check note.txt").fails(1);
    let run = folder.run("check --from mesh note.txt");
    assert!(
        run.stdout
            .starts_with("error: header.version (bytes 0x0..0x1): "),
        "{}",
        run.stdout
    );
    run.fails(1);
}

#[test]
fn damaged_headers_are_reported_by_extension() {
    let folder = Folder::new();
    let damaged = [&[9, 0xff], &bytes_of(&triangle())[2..]].concat();
    let seed = "q 1, 2\nq 3\n";
    for (file, content, rule) in [
        ("a.mesh", &damaged[..], "[MESH-VERSION, M1]"),
        ("text.mesh", seed.as_bytes(), "[SEED-"),
        ("a.bmd", b"XXXX\0\0\0\x01", "[BMD-"),
    ] {
        folder.put(file, content);
        let run = folder.run(&format!("check {file}"));
        assert!(
            run.status == 1 && run.stdout.contains(rule),
            "{file}: {run:?}"
        );
    }
    folder.put("empty.mesh", "");
    folder.put("a.bin", &damaged);
    for (file, reason) in [
        ("empty.mesh", "the file is empty"),
        ("a.bin", "not a file of a known format"),
    ] {
        let text = folder.run(&format!("check {file}")).fails(1);
        assert!(text.contains(reason), "{text}");
    }
}

#[test]
fn colours_are_for_terminals() {
    let folder = Folder::new();
    folder.put_mesh("bad.mesh", &broken_triangle());
    assert!(!folder.run("check bad.mesh").stdout.contains('\u{1b}'));
    let output = folder
        .command()
        .args(["check", "bad.mesh"])
        .env("CLICOLOR_FORCE", "1")
        .output()
        .unwrap();
    assert!(
        output.stdout.starts_with(b"\x1b[1m\x1b[31merror\x1b[0m: "),
        "{:?}",
        output.stdout
    );
}

#[test]
fn undecodable_files_show_the_violated_rule() {
    let folder = Folder::new();
    folder.put("a.obj", "v 0 0 0\nf 1 2 x\n");
    let text = folder.run("check a.obj").stdout;
    assert!(
        text.contains("OBJ-READ") && text.contains("\n  = OBJ: Files decode without errors.\n"),
        "{text}"
    );
}
