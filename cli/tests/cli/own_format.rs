//! A program with a custom format: the example `height_field`, run on files of that format.

use std::path::PathBuf;

use meshspec::layout::schema::Schema;
use serde_json::{Value, json};

use crate::files::{Folder, Run, triangle};

const EXAMPLE: &str = include_str!("../../examples/height_field.rs");

/// A row of two heights.
const FIELD: &[u8] = b"HFLD\x02\0\x01\0\0\0\xc0\x3f\0\0\0\x40";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.put("a.hfld", FIELD);
    folder
}

/// Runs the example, which cargo builds with the tests.
fn run(folder: &Folder, arguments: &str) -> Run {
    let mut example: PathBuf = assert_cmd::cargo::cargo_bin!("meshspec").into();
    example.set_file_name("examples");
    example.push(format!("height_field{}", std::env::consts::EXE_SUFFIX));
    assert!(
        example.exists(),
        "build it: cargo build --package meshspec-cli --examples"
    );
    folder.run_program(&example, arguments)
}

#[test]
fn its_rules_are_explained_by_its_files() {
    let text = run(&folder(), "check --explain layout-truncated").fine();
    assert!(text.contains("\nFormat:         Height field\n"), "{text}");
    assert!(
        text.contains("[LAYOUT-TRUNCATED]") && text.contains("\nCorrect example, "),
        "{text}"
    );
}

#[test]
fn the_page_shows_the_program() {
    let page = include_str!("../../../docs/extending.md");
    assert!(
        page.trim_end().ends_with(&format!("```rs\n{EXAMPLE}```")),
        "docs/extending.md has another one"
    );
}

#[test]
fn it_is_listed_with_the_others() {
    let folder = folder();
    let text = run(&folder, "formats").fine();
    assert!(
        text.contains("height_field: Height field, heights in rows\n  extensions: .hfld\n"),
        "{text}"
    );
    assert_eq!(
        text.replace(
            "height_field: Height field, heights in rows\n  extensions: .hfld\n  dialects:   spec\n",
            ""
        ),
        folder.run("formats").fine()
    );
    let data: Value = serde_json::from_str(&run(&folder, "formats --json").fine()).unwrap();
    let one = data
        .as_array()
        .unwrap()
        .iter()
        .find(|format| format["name"] == "height_field")
        .unwrap();
    assert_eq!(one.get("specification"), None);
}

#[test]
fn its_fields_are_decoded() {
    let folder = folder();
    let data: Value = serde_json::from_str(&run(&folder, "decode a.hfld --json").fine()).unwrap();
    let one = |name: &str, value: Value| json!({"type": name, "shape": [1], "values": [value]});
    assert_eq!(
        data,
        json!({
            "format": "height_field",
            "dialect": "spec",
            "fields": {
                "columns": one("u16", json!(2)),
                "rows": one("u16", json!(1)),
                "heights": {
                    "type": "f32", "shape": [2], "values": [1.5, 2.0], "bits": ["3fc00000", "40000000"],
                },
            },
        })
    );
    let text = run(&folder, "decode a.hfld").fine();
    assert!(
        text.contains("  columns  u16  2\n") && text.contains("      1.5 2.0\n"),
        "{text}"
    );
}

#[test]
fn its_files_are_checked() {
    let folder = folder();
    assert_eq!(
        run(&folder, "check a.hfld").fine(),
        "a.hfld: 0 errors, 0 warnings\n"
    );
    folder.put("narrow.hfld", [b"HFLD\x01", &FIELD[5..]].concat());
    folder.put("long.hfld", [FIELD, b"!!"].concat());
    // Finds files of a folder by extension; the program without the format finds none.
    let text = run(&folder, "check .");
    assert_eq!(text.status, 1);
    for line in [
        "error: columns (bytes 0x4..0x6): a height field has at least 2 columns: found 1 [LAYOUT-VALUE]\n",
        "error: trailing (bytes 0x10..0x12): 2 bytes follow the last field [LAYOUT-TRAILING]\n",
        "a.hfld: 0 errors, 0 warnings\n",
    ] {
        assert!(text.stdout.contains(line), "{}", text.stdout);
    }
    assert!(
        folder
            .run("check .")
            .fails(2)
            .contains("no file in it has a supported extension")
    );
    assert_eq!(run(&folder, "check --lenient --quiet long.hfld").status, 0);
    assert_eq!(
        run(&folder, "check --lenient --quiet narrow.hfld").status,
        1
    );
    let data: Value = serde_json::from_str(&run(&folder, "check --json a.hfld").fine()).unwrap();
    assert_eq!(
        (&data[0]["format"], &data[0]["valid"]),
        (&json!("height_field"), &json!(true))
    );
}

#[test]
fn its_files_are_detected_by_content() {
    let folder = folder();
    folder.put("what", FIELD);
    folder.put_mesh("flag.mesh", &triangle());
    assert!(
        run(&folder, "info what")
            .fine()
            .starts_with("what: Height field, dialect spec, 16 bytes\n")
    );
    assert_eq!(
        run(&folder, "info flag.mesh").fine(),
        folder.run("info flag.mesh").fine()
    );
    let message = run(&folder, "info --from hfld what").fails(2);
    assert!(message.contains("bmd, height_field, "), "{message}");
    let message = folder.run("info --from height_field what").fails(2);
    assert!(
        message.contains("invalid value 'height_field'"),
        "{message}"
    );
}

#[test]
fn its_lists_are_counted() {
    let folder = folder();
    let text = run(&folder, "info a.hfld").fine();
    assert!(text.contains("\n    heights         2\n"), "{text}");
    let data: Value = serde_json::from_str(&run(&folder, "info --json a.hfld").fine()).unwrap();
    assert_eq!(
        data[0]["properties"],
        json!([{ "name": "heights", "value": 2 }])
    );
    assert_eq!(data[0]["sections"][2]["path"], "heights");
}

#[test]
fn its_dumps_round_trip() {
    let folder = folder();
    let text = run(&folder, "dump a.hfld").fine();
    assert!(
        text.starts_with("a.hfld: Height field, layout height_field, 16 bytes\n"),
        "{text}"
    );
    assert!(text.contains("Heights in metres, row by row."), "{text}");
    let data = run(&folder, "dump --json a.hfld").fine();
    let dump: Value = serde_json::from_str(&data).unwrap();
    assert_eq!(
        (&dump["format"], &dump["layout"], &dump["size"]),
        (&json!("height_field"), &json!("height_field"), &json!(16))
    );
    folder.put("a.json", &data);
    run(&folder, "assemble a.json b.hfld").fine();
    assert_eq!(folder.get("b.hfld"), FIELD);
    let message = folder.run("assemble a.json c.hfld").fails(1);
    assert!(
        message.contains("unknown format `height_field`: the formats are mesh"),
        "{message}"
    );
    // A truncated file is shown up to its end.
    folder.put("cut.hfld", &FIELD[..14]);
    let cut = run(&folder, "dump cut.hfld");
    assert_eq!(cut.status, 1);
    assert!(
        cut.stdout
            .contains("needs 8 bytes, but 6 remain [LAYOUT-TRUNCATED]"),
        "{}",
        cut.stdout
    );
}

#[test]
fn its_files_are_edited() {
    let folder = folder();
    run(&folder, "edit a.hfld b.hfld --set heights[1]=3").fine();
    assert_eq!(
        folder.get("b.hfld"),
        [&FIELD[..12], &3f32.to_le_bytes()].concat()
    );
    let run = run(&folder, "edit a.hfld b.hfld --force --set columns=1");
    assert!(
        run.stderr.contains("the file is broken now: columns"),
        "{}",
        run.stderr
    );
}

#[test]
fn its_declaration_is_printed() {
    let folder = folder();
    for language in Schema::ALL {
        let text = run(&folder, &format!("schema height_field --as {language}")).fine();
        // A dictionary holds compared bytes, such as magic bytes, but no lists.
        let part = if *language == Schema::Dictionary {
            "\"HFLD\""
        } else {
            "heights"
        };
        assert!(text.contains(part), "{text}");
    }
    let message = folder.run("schema height_field --as c").fails(2);
    assert!(
        message.contains("[possible values: mesh, crucible, iyma, seed, bmd]"),
        "{message}"
    );
    assert!(
        run(&folder, "completions bash")
            .fine()
            .contains("height_field")
    );
}

#[test]
fn it_has_no_scenes() {
    let folder = folder();
    folder.put_mesh("flag.mesh", &triangle());
    let expected = |place: &str| {
        format!(
            "error: {place}: height_field has no scenes: it cannot be converted, drawn or compared as a model\n\
             hint: print the values of a file with `dump --json`, and write a file from them with `assemble`\n"
        )
    };
    assert_eq!(
        run(&folder, "convert a.hfld a.glb").fails(2),
        expected("a.hfld")
    );
    assert_eq!(
        run(&folder, "convert flag.mesh b.hfld").fails(2),
        expected("--to")
    );
    let batch = run(&folder, "convert flag.mesh --out-dir out --to height_field");
    assert_eq!(batch.fails(2), expected("--to"));
    assert_eq!(folder.names(), ["a.hfld", "flag.mesh"]);
    // Other formats convert as usual.
    assert_eq!(run(&folder, "convert flag.mesh flag.json").status, 0);
}

#[test]
fn its_values_are_json() {
    let folder = folder();
    run(&folder, "convert a.hfld a.json").fine();
    run(&folder, "convert a.json b.hfld").fine();
    assert_eq!(folder.get("b.hfld"), FIELD);
    let json: Value = serde_json::from_slice(&folder.get("a.json")).unwrap();
    assert_eq!(json["layout"], "height_field");
    run(&folder, "check a.json").fine();
    assert!(run(&folder, "info a.json").fine().contains("heights"));
}

#[test]
fn its_files_are_compared() {
    crate::diff::compares_by_a_declaration(&folder(), run);
}
