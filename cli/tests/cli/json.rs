//! `meshspec convert` to JSON and back.

use meshspec::mesh;

use crate::files::{Folder, animated, awkward, bytes_of, renderlib, triangle};

#[track_caller]
fn assert_round_trip(document: &mesh::Document) {
    let folder = Folder::new();
    folder.put_mesh("in.mesh", document);
    folder.run("convert in.mesh middle.json").fine();
    folder.run("convert middle.json out.mesh --to mesh").fine();
    assert_eq!(folder.get("out.mesh"), folder.get("in.mesh"));
    folder.run("convert middle.json again.json").fine();
    assert_eq!(folder.get("again.json"), folder.get("middle.json"));
}

#[test]
fn documents_round_trip_through_json_bit_by_bit() {
    assert_round_trip(&triangle());
    assert_round_trip(&animated());
    assert_round_trip(&renderlib());
    assert_round_trip(&awkward());
    let no_text = [b"w\xff".to_vec()].into_iter().collect();
    assert_round_trip(&mesh::Document {
        strings: no_text,
        ..animated()
    });
}

#[test]
fn all_bytes_come_back() {
    let folder = Folder::new();
    let pyramid = include_bytes!("../../../samples/bmd/pyramid.bmd");
    // Zeros at 0x30 pad the header.
    let mut noted = pyramid.to_vec();
    noted[0x34..0x38].copy_from_slice(b"note");
    noted.extend(b"\0\x07\0");
    folder.put("in.bmd", &noted);
    folder.run("convert in.bmd in.json --strict").fine();
    folder.run("convert in.json out.bmd --strict").fine();
    assert_eq!(folder.get("out.bmd"), noted);
    folder.run("convert in.json again.json").fine();
    assert_eq!(folder.get("again.json"), folder.get("in.json"));
}

#[test]
fn values_that_exclude_each_other_are_rejected() {
    let folder = Folder::new();
    folder.put_mesh("in.mesh", &triangle());
    folder.run("convert in.mesh in.json").fine();
    let mut json: serde_json::Value = serde_json::from_slice(&folder.get("in.json")).unwrap();
    json["value"]["header"]["index_count"] = 0.into();
    folder.put("in.json", json.to_string());
    let message = folder.run("convert in.json out.mesh --to mesh").fails(1);
    assert_eq!(
        message,
        "error: in.json: indices[0]: is given, but other values exclude it\n"
    );
}

#[test]
fn numbers_missing_from_json_are_strings() {
    let folder = Folder::new();
    folder.put_mesh("in.mesh", &awkward());
    let text = folder.run("convert in.mesh - --to json").fine();
    for float in [
        "\"NaN\"",
        "\"NaN:ffc00001\"",
        "\"NaN:7f800001\"",
        "\"Infinity\"",
        "\"-Infinity\"",
        "-0.0",
    ] {
        assert!(text.contains(float), "{float}: {text}");
    }
}

#[test]
fn documents_can_be_edited() {
    let folder = Folder::new();
    folder.put_mesh("in.mesh", &triangle());
    let text = folder.run("convert in.mesh - --to json").fine();
    assert!(
        text.starts_with("{\n  \"format\": \"mesh\",\n  \"layout\": \"mesh\",\n"),
        "{text}"
    );
    assert!(text.ends_with("}\n"), "{text}");

    let edited = text.replace("0.5", "0.25");
    folder.put("edited.json", &edited);
    folder.run("convert edited.json out.mesh --to mesh").fine();
    let mut expected = bytes_of(&triangle());
    let z = 13 + 12 + 8;
    expected[z..z + 4].copy_from_slice(&0.25f32.to_le_bytes());
    assert_eq!(folder.get("out.mesh"), expected);
}

#[test]
fn the_order_of_keys_does_not_matter() {
    let folder = Folder::new();
    folder.put_mesh("in.mesh", &animated());
    let text = folder.run("convert in.mesh - --to json").fine();
    // A map of serde_json is sorted.
    let sorted: serde_json::Value = serde_json::from_str(&text).unwrap();
    folder.put("sorted.json", sorted.to_string());
    folder.run("convert sorted.json out.mesh --to mesh").fine();
    assert_eq!(folder.get("out.mesh"), bytes_of(&animated()));
}

#[test]
fn json_on_standard_input_and_output() {
    let folder = Folder::new();
    let text = folder
        .run_with("convert - - --to json", bytes_of(&triangle()))
        .fine();
    assert_eq!(
        folder
            .run_with("convert - - --from json --to json", &*text)
            .fine(),
        text
    );
    let again = folder
        .run_with("convert - out.mesh --from json --to mesh", text)
        .fine();
    assert_eq!(again, "");
    assert_eq!(folder.get("out.mesh"), bytes_of(&triangle()));
}

#[track_caller]
fn assert_rejected(text: &str, message: &str) {
    let folder = Folder::new();
    folder.put("in.json", text);
    assert_eq!(
        folder.run("convert in.json out.mesh --to mesh").fails(1),
        format!("error: in.json: {message}\n")
    );
    assert_eq!(folder.names(), ["in.json"]);
}

#[test]
fn errors_name_line_and_column() {
    assert_rejected("", "EOF while parsing a value at line 1 column 0");
    assert_rejected(
        "{\n  \"format\": \"mesh\",\n",
        "EOF while parsing a value at line 3 column 0",
    );
    assert_rejected(
        "{\"dialect\": \"spec\"}",
        "missing field `format` at line 1 column 19",
    );
    assert_rejected(
        "\"mesh\"",
        "invalid type: string \"mesh\", expected a document at line 1 column 6",
    );
    assert_rejected("{}\n{}", "missing field `format` at line 1 column 2");

    let text = Folder::new()
        .run_with("convert - - --to json", bytes_of(&triangle()))
        .fine();
    let line_of = |needle: &str| 1 + text.lines().position(|line| line.contains(needle)).unwrap();
    assert_rejected(
        &text.replace("0.5", "\"half\""),
        &format!(
            "vertices[1].position[2]: \"half\" is not a number at line {} column 37",
            line_of("0.5")
        ),
    );
    assert_rejected(
        &text.replace("\"joints\": []", "\"bones\": []"),
        &format!(
            "has no field `bones` at line {} column 11",
            line_of("\"joints\": []")
        ),
    );
    let behind = text.lines().count() + 1;
    assert_rejected(
        &format!("{text}{text}"),
        &format!("trailing characters at line {behind} column 1"),
    );
}

#[test]
fn violations_are_rejected_unless_lenient() {
    let folder = Folder::new();
    let text = folder
        .run_with("convert - - --to json", bytes_of(&triangle()))
        .fine();
    folder.put("bad.json", text.replace("[0, 1, 2]", "[0, 1, 7]"));
    for out in ["out.mesh --to mesh", "out.json"] {
        let message = folder.run(&format!("convert bad.json {out}")).fails(1);
        assert_eq!(
            message,
            "error: bad.json: indices[2]: index 7 is not below the vertex count 3 [MESH-INDEX-RANGE, M13]\n\
             hint: `meshspec check FILE` lists all findings; --lenient reads the file nevertheless\n"
        );
        folder
            .run(&format!("convert bad.json {out} --lenient"))
            .fine();
    }
}

/// Returns a JSON with spaces before the first item of a list, so that most values follow the start that is read first.
fn with_spaces(text: &str, count: usize) -> String {
    text.replacen('[', &format!("[{}", " ".repeat(count)), 1)
}

/// A large text is not kept in memory.
#[cfg(target_os = "linux")]
#[test]
fn large_texts_are_read_as_streams() {
    let folder = Folder::new();
    folder.put_mesh("in.mesh", &triangle());
    folder.run("convert in.mesh in.json").fine();
    let text = String::from_utf8(folder.get("in.json")).unwrap();
    let program = assert_cmd::cargo::cargo_bin!("meshspec");
    let script = "ulimit -v 110000; exec \"$0\" convert large.json out.mesh --to mesh --force";
    for mark in ["", "\u{feff}"] {
        folder.put(
            "large.json",
            format!("{mark}{}", with_spaces(&text, 100 << 20)),
        );
        let run = folder.run_shell(&["-c", script, program.to_str().unwrap()]);
        assert_eq!(run.status, 0, "{run:?}");
        assert_eq!(folder.get("out.mesh"), folder.get("in.mesh"));
    }
}

/// A large text is read whole if the names of its format and layout are not at its start.
#[test]
fn large_texts_may_have_their_names_at_the_end() {
    let folder = Folder::new();
    folder.put_mesh("in.mesh", &triangle());
    folder.run("convert in.mesh in.json").fine();
    let text = String::from_utf8(folder.get("in.json")).unwrap();
    let layout = "\"layout\": \"mesh\",";
    let end = text.trim_end().strip_suffix('}').unwrap();
    let moved = |layout: &str| format!("{}, {layout}}}", with_spaces(end, 5 << 20));
    let without = |text: String| text.replacen(layout, "", 1);
    folder.put("large.json", without(moved("\"layout\": \"mesh\"")));
    folder.run("convert large.json out.mesh --to mesh").fine();
    assert_eq!(folder.get("out.mesh"), folder.get("in.mesh"));
    folder.put("large.json", without(moved("\"layout\": \"mush\"")));
    let message = folder
        .run("convert large.json out.mesh --to mesh --force")
        .fails(1);
    assert!(message.contains("no layout \"mush\""), "{message}");
}

/// A large text is rejected with the message for a small one.
#[test]
fn errors_in_large_texts_name_their_place() {
    let folder = Folder::new();
    folder.put_mesh("in.mesh", &triangle());
    folder.run("convert in.mesh in.json").fine();
    let text = String::from_utf8(folder.get("in.json")).unwrap();
    let end = text.trim_end().strip_suffix('}').unwrap();
    for (name, wrong) in [
        ("unknown key", format!("{end}, \"other\": 1}}")),
        ("truncated", end.to_owned()),
        ("wrong value", text.replacen("[0", "[\"x\"", 1)),
        ("unknown format", text.replacen("\"mesh\"", "\"mash\"", 1)),
        (
            "conflict",
            text.replacen(
                "\"value\": {",
                "\"value\": {\"header\": {\"vertex_count\": 9},",
                1,
            ),
        ),
    ] {
        assert_ne!(wrong, text, "{name}");
        folder.put("small.json", &wrong);
        folder.put("large.json", with_spaces(&wrong, 5 << 20));
        let [small, large] = ["small", "large"]
            .map(|file| folder.run(&format!("convert {file}.json out.mesh --to mesh")));
        let message = small.fails(1).replace("small.json", "large.json");
        // The spaces move the columns in their line.
        let without_column = |message: &str| message.split(" column ").next().unwrap().to_owned();
        assert_eq!(
            without_column(&large.fails(1)),
            without_column(&message),
            "{name}"
        );
    }
    assert!(!folder.names().contains(&"out.mesh".to_owned()));
}

/// A file named like standard input is not read in its place.
#[test]
fn standard_input_is_no_large_file() {
    let folder = Folder::new();
    folder.put_mesh("in.mesh", &triangle());
    folder.run("convert in.mesh in.json").fine();
    folder.put(
        "-",
        with_spaces(
            "{\"format\": \"mesh\", \"layout\": \"mesh\", \"value\": []}",
            5 << 20,
        ),
    );
    let text = folder.get("in.json");
    let run = folder.run_with("convert --from json - out.mesh --to mesh", text);
    assert_eq!(run.status, 0, "{run:?}");
    assert_eq!(folder.get("out.mesh"), folder.get("in.mesh"));
}
