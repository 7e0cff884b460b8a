//! Text formats: output by lines instead of bytes.

use serde_json::{Value, json};

use crate::dump::repository;
use crate::files::Folder;

const GOOD: &str = "[name]=T\n[mat0]=M\n[type]=STATIC\n# first\np 0, 0, 0\np 1, 0, 0 # x\np 0, 1, 0\n\
                    n 0, 0, 1\nn 0, 0, 1\nn 0, 0, 1\n\
                    u0 0, 0\nu0 1, 0\nu0 0, 1\nf 0, 1, 2\n";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.put("good.mesh", GOOD);
    folder.put(
        "bad.mesh",
        GOOD.replace("p 1, 0, 0", "p 1 é, 0").replace("f 0", "f -1"),
    );
    folder
}

const BAD: &str = "\
error: positions[1] (line 6, column 5): found `é`, expected `,`; values are separated by commas [SEED-COMMA, S3]
  6 | p 1 é, 0 # x
    |     ^
  = Syntax: Values are separated by commas.

error: faces[0] (line 14, column 3): found `-1`, expected an index of 0 or more; negative indices are only allowed in OBJ [SEED-INDEX, S5]
  14 | f -1, 1, 2
     |   ^^
  = Syntax: Indices and integers are from 0 to 2147483647; words are those of the attribute table.

bad.mesh: 2 errors, 0 warnings
";

#[test]
fn every_finding_shows_its_line() {
    let folder = folder();
    assert_eq!(
        folder.run("check good.mesh").fine(),
        "good.mesh: 0 errors, 0 warnings\n"
    );
    let run = folder.run("check bad.mesh");
    assert_eq!((run.status, &*run.stdout, &*run.stderr), (1, BAD, ""));
    let data: Value = serde_json::from_str(&folder.run("check --json bad.mesh").stdout).unwrap();
    let span = json!({ "text": { "range": { "start": 54, "end": 56 }, "line": 6, "column": 5 } });
    assert_eq!(data[0]["findings"][0]["span"], span);
    assert_eq!(data[0]["findings"][0]["path"], "positions[1]");
}

#[test]
fn read_errors_show_their_line() {
    let folder = folder();
    let message = "\
error: bad.mesh: seed: positions[1] (line 6, column 5): found `é`, expected `,`; values are separated by commas [SEED-COMMA, S3]
  6 | p 1 é, 0 # x
    |     ^
hint: `meshspec check FILE` lists all findings
";
    assert_eq!(folder.run("info bad.mesh").fails(1), message);
    assert_eq!(folder.run("convert bad.mesh out.json").fails(1), message);
    assert_eq!(folder.names(), ["bad.mesh", "good.mesh"]);
}

#[test]
fn info_has_no_sections() {
    let text = folder().run("info good.mesh").fine();
    assert_eq!(
        text,
        format!(
            "good.mesh: Seed, dialect spec, {} bytes\n\
             \x20 properties:\n\x20   name            \"T\"\n    mat0            \"M\"\n\
             \x20   type            \"STATIC\"\n\
             \x20 mesh 0: 3 vertices, 3 32-bit indices, 1 triangle\n\
             \x20   Position        3 × f32\n    Normal          3 × f32\n    UV Channel 0    2 × f32\n\
             \x20   bounds          [0, 0, 0] to [1, 1, 0]\n",
            GOOD.len()
        )
    );
}

#[test]
fn dumps_have_a_row_per_line() {
    let folder = folder();
    let text = folder.run("dump good.mesh").fine();
    assert_eq!(text.lines().count(), 2 + GOOD.lines().count());
    for line in [
        "      1  [name]=T                                  properties[0]    the name of the mesh: \"T\"",
        "      4  # first                                                    comment",
        "      6  p 1, 0, 0 # x                             positions[1]     Position of vertex 1: (1.0, 0.0, 0.0)",
        "     14  f 0, 1, 2                                 faces[0]         Face 0, vertices: (0, 1, 2)",
    ] {
        assert!(text.contains(&format!("{line}\n")), "{line}\n{text}");
    }
    let text = folder.run("dump good.mesh --path uvs[0][1]").fine();
    assert!(text.ends_with(" bytes\n\n     12  u0 1, 0                                   uvs[0][1]        UV Channel 0 of vertex 1: (1.0, 0.0)\n"), "{text}");
    let run = folder.run("dump good.mesh --path uvs[0][3]");
    assert!(
        run.stderr.contains("no line has the field `uvs[0][3]`"),
        "{}",
        run.stderr
    );
    run.fails(2);
    let run = folder.run("dump bad.mesh");
    assert!(
        run.stdout.contains(BAD.split("\n\n").next().unwrap()),
        "{}",
        run.stdout
    );
    run.fails(1);
}

#[test]
fn a_dump_summarises_long_lists() {
    let folder = folder();
    let vertices: String = (0..60)
        .map(|i| format!("p {i}, 0, 0\nn 0, 0, 1\nu0 0, 0\n"))
        .collect();
    let long = format!("[name]=T\n[mat0]=M\n[type]=STATIC\n{vertices}f 0, 1, 2\n");
    folder.put("long.mesh", &*long);
    let lines_of = |command: &str| folder.run(command).fine().lines().count();
    let text = folder.run("dump long.mesh").fine();
    let more = "         … 108 more lines: positions[24] to [59], normals[24] to [59], uvs[0][24] to [59]\n    184  f 0";
    assert!(text.contains(more), "{text}");
    assert_eq!(text.lines().count(), 2 + 3 + 3 * 24 + 1 + 1);
    assert_eq!(lines_of("dump long.mesh --all"), 2 + 184);
    assert_eq!(lines_of("dump long.mesh --json"), 1 + 184);
    assert_eq!(lines_of("dump long.mesh --path normals"), 2 + 60);
    assert_eq!(lines_of("dump long.mesh --path positions[59]"), 2 + 1);
    // Malformed lines are always shown.
    folder.put("bad.mesh", long.replace("p 50,", "p x,"));
    let run = folder.run("dump bad.mesh");
    assert!(
        run.stdout.contains("p x, 0, 0") && run.stdout.contains("SEED-NUMBER"),
        "{}",
        run.stdout
    );
    run.fails(1);
}

#[test]
fn dump_as_json() {
    let text = folder().run("dump --json good.mesh").fine();
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        lines[0],
        json!({ "file": "good.mesh", "format": "seed", "size": GOOD.len() })
    );
    assert_eq!(
        lines[1],
        json!({
            "number": 1, "offset": 0, "text": "[name]=T", "path": "properties[0]",
            "meaning": "the name of the mesh: \"T\"", "findings": [],
        })
    );
    assert_eq!(lines.len(), 1 + GOOD.lines().count());
}

#[test]
fn conversion_keeps_comments_and_notation_is_canonical() {
    let folder = folder();
    folder.put(
        "odd.mesh",
        GOOD.replace("1, 0, 0 #", "1e0 ,+.0,\t0.0 #")
            .replace('\n', "\r\n"),
    );
    folder.run("convert odd.mesh out.mesh --to seed").fine();
    folder.run("convert good.mesh good.json").fine();
    folder.run("convert good.json again.mesh --to seed").fine();
    assert_eq!(String::from_utf8(folder.get("out.mesh")).unwrap(), GOOD);
    assert_eq!(String::from_utf8(folder.get("again.mesh")).unwrap(), GOOD);
}

#[test]
fn comments_are_configurable() {
    let folder = folder();
    folder.run("convert good.mesh good.json").fine();
    let plain: String = GOOD.replace(" # x", "").replace("# first\n", "");
    for from in ["good.mesh", "good.json"] {
        folder
            .run(&format!(
                "convert {from} out.mesh --to seed --comments none --force"
            ))
            .fine();
        assert_eq!(
            String::from_utf8(folder.get("out.mesh")).unwrap(),
            plain,
            "{from}"
        );
        folder
            .run(&format!(
                "convert {from} out.mesh --to seed --comments headings --force"
            ))
            .fine();
        let text = String::from_utf8(folder.get("out.mesh")).unwrap();
        assert!(
            text.starts_with("# Seed mesh: 3 vertices, 1 faces\n[name]=T\n"),
            "{text}"
        );
        assert!(
            text.contains("# Normal\nn ") && !text.contains("first") && !text.contains("# x"),
            "{text}"
        );
    }
}

/// The input is read before its replacement is created.
#[test]
fn a_file_can_be_converted_onto_itself() {
    let folder = folder();
    folder
        .run("convert good.mesh good.mesh --to seed --comments none")
        .fails(2);
    assert_eq!(String::from_utf8(folder.get("good.mesh")).unwrap(), GOOD);
    folder
        .run("convert good.mesh good.mesh --to seed --comments none --force")
        .fine();
    let text = String::from_utf8(folder.get("good.mesh")).unwrap();
    assert_eq!(text, GOOD.replace(" # x", "").replace("# first\n", ""));
    // Nothing to read.
    folder.put("empty.mesh", "");
    assert!(
        folder
            .run("check empty.mesh --from seed")
            .fails(1)
            .is_empty()
    );
}

/// Errors of the whole file are printed after its lines.
#[test]
fn dumps_end_with_missing_values() {
    let folder = folder();
    folder.put("short.mesh", GOOD.replacen("n 0, 0, 1\n", "", 1));
    let run = folder.run("dump short.mesh");
    let error =
        "\nerror: normals (line 9, column 1): found 2 `n` lines for 3 vertices [SEED-LINES, S1]\n";
    assert!(run.stdout.contains(error), "{}", run.stdout);
    run.fails(1);
    let run = folder.run("dump short.mesh --json");
    let last: Value = serde_json::from_str(run.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(
        (&last["error"]["rule"]["code"], &last["error"]["path"]),
        (&json!("SEED-LINES"), &json!("normals"))
    );
    run.fails(1);
    folder.run("dump short.mesh --path normals[0]").fine();
    for (text, code) in [
        (GOOD.replace("f 0, 1, 2\n", ""), "SEED-MISSING"),
        (GOOD.replace("u0 ", "u1 "), "SEED-REQUIRES"),
    ] {
        folder.put("other.mesh", text);
        let run = folder.run("dump other.mesh");
        assert!(run.stdout.contains(code), "{}", run.stdout);
        run.fails(1);
    }
    // Only `check` reports rules that do not prevent decoding.
    folder.put(
        "plain.mesh",
        GOOD.replace("[name]=T\n", "")
            .replace("f 0, 1, 2", "f 0, 1, 7"),
    );
    folder.run("dump plain.mesh").fine();
}

#[test]
fn long_properties_are_truncated() {
    let folder = folder();
    let value = "v".repeat(1000);
    folder.put("long.mesh", GOOD.replace("]=M", &format!("]={value}")));
    let text = folder.run("info long.mesh").fine();
    assert!(
        text.contains(&format!("    mat0            \"{}…\"\n", "v".repeat(80))),
        "{text}"
    );
    let data: Value = serde_json::from_str(&folder.run("info --json long.mesh").fine()).unwrap();
    assert_eq!(
        data[0]["properties"][1],
        json!({ "name": "mat0", "value": value })
    );
}

#[test]
fn the_schema_is_the_table_and_the_grammar() {
    let folder = Folder::new();
    let text = folder.run("schema seed --as markdown").fine();
    assert!(
        text.contains("| Secondary Color | `c1` | vertex | 4 | f32 | 0 to 1 | no | `c0` |"),
        "{text}"
    );
    let grammar = std::fs::read_to_string(repository().join("grammar/seed.pest")).unwrap();
    assert!(text.contains(&grammar));
    let data: Value = serde_json::from_str(&folder.run("schema seed --as json").fine()).unwrap();
    assert_eq!(data["attributes"].as_array().unwrap().len(), 13);
    assert_eq!(data["attributes"][3]["requires"], "c0");
    assert_eq!(data["grammar"], grammar);
    let message = folder.run("schema seed --as c").fails(2);
    assert!(
        message.starts_with("error: seed: c cannot express a text format\nhint: "),
        "{message}"
    );
    let message = folder.run("schema seed --as json --layout x").fails(2);
    assert!(
        message.contains("no layout `x`: text formats have none"),
        "{message}"
    );
}

#[test]
fn another_encoding_is_named() {
    let folder = folder();
    let wide: Vec<u8> = GOOD.encode_utf16().flat_map(u16::to_le_bytes).collect();
    folder.put("wide.mesh", wide);
    let message = folder.run("info wide.mesh").fails(1);
    assert!(
        message.starts_with(
            "error: wide.mesh: seed: line 1, column 1: the file is UTF-16, expected UTF-8"
        ),
        "{message}"
    );
}
