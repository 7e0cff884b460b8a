//! `meshspec check`.

use meshspec::mesh;
use serde_json::{Value, json};

use crate::files::{Folder, animated, broken_triangle, bytes_of, triangle};

#[test]
fn a_valid_file_has_no_findings() {
    let folder = Folder::new();
    folder.put_mesh("good.mesh", &animated());
    assert_eq!(folder.run("check good.mesh").fine(), "good.mesh: 0 errors, 0 warnings\n");
}

const BROKEN: &str = "\
error: indices[2] (bytes 0x39..0x3d): index 7, but there are 3 vertices [MESH-INDEX-RANGE, M13]
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
fn lenient_checking_shows_the_same_and_refuses_less() {
    let folder = Folder::new();
    folder.put_mesh("bad.mesh", &broken_triangle());
    assert_eq!(folder.run("check --lenient bad.mesh").fine(), BROKEN);
    folder.put("short.mesh", &bytes_of(&triangle())[..60]);
    let run = folder.run("check --lenient short.mesh");
    assert!(run.stdout.starts_with("error: indices (bytes 0x31..0x3c): needs 12 bytes"), "{}", run.stdout);
    run.fails(1);
}

#[test]
fn warnings_alone_are_fine() {
    let folder = Folder::new();
    folder.put_mesh("odd.mesh", &mesh::Document { indices: vec![0, 1], ..triangle() });
    let text = folder.run("check odd.mesh").fine();
    assert!(text.starts_with("warning: header.index_count (bytes 0x7..0xb): 2 indices make"), "{text}");
    assert!(text.ends_with("odd.mesh: 0 errors, 1 warning\n"), "{text}");
}

#[test]
fn findings_beyond_the_limit_are_counted() {
    let folder = Folder::new();
    folder.put_mesh("bad.mesh", &mesh::Document { indices: vec![9; 123], ..triangle() });
    let run = folder.run("check bad.mesh");
    assert!(
        run.stdout.ends_with("and 23 more of MESH-INDEX-RANGE\nbad.mesh: 123 errors, 0 warnings\n"),
        "{}",
        run.stdout
    );
    run.fails(1);
}

#[test]
fn the_same_as_data() {
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
        "message": "index 7, but there are 3 vertices",
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
    assert!(data[2]["error"].as_str().unwrap().starts_with("missing.mesh: "), "{data}");
    run.fails(3);

    let lenient: Value = serde_json::from_str(&folder.run("check --json --lenient bad.mesh").fine()).unwrap();
    assert_eq!(lenient[0]["valid"], true);
}

#[test]
fn every_file_is_checked_and_the_worst_counts() {
    let folder = Folder::new();
    folder.put_mesh("bad.mesh", &broken_triangle());
    folder.put_mesh("good.mesh", &triangle());
    let run = folder.run("check bad.mesh good.mesh");
    assert_eq!(run.stdout, format!("{BROKEN}good.mesh: 0 errors, 0 warnings\n"));
    run.fails(1);
    let run = folder.run("check missing.mesh good.mesh bad.mesh");
    assert!(run.stdout.contains("bad.mesh: 1 error"), "{}", run.stdout);
    assert!(run.stderr.starts_with("error: missing.mesh: "), "{}", run.stderr);
    run.fails(3);
}

#[test]
fn what_is_of_no_format_is_invalid() {
    let folder = Folder::new();
    folder.put("note.txt", "no mesh at all");
    folder.run("check note.txt").fails(1);
    let run = folder.run("check --from mesh note.txt");
    assert!(run.stdout.starts_with("error: header.version (bytes 0x0..0x1): "), "{}", run.stdout);
    run.fails(1);
}

#[test]
fn colours_are_for_terminals() {
    let folder = Folder::new();
    folder.put_mesh("bad.mesh", &broken_triangle());
    assert!(!folder.run("check bad.mesh").stdout.contains('\u{1b}'));
    let output = folder.command().args(["check", "bad.mesh"]).env("CLICOLOR_FORCE", "1").output().unwrap();
    assert!(output.stdout.starts_with(b"\x1b[1m\x1b[31merror\x1b[0m: "), "{:?}", output.stdout);
}
