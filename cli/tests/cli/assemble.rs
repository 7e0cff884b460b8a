//! `meshspec assemble` and `meshspec edit`.

use std::fs;

use serde_json::Value;

use crate::dump::repository;
use crate::files::{Folder, animated, bytes_of, triangle};

/// Dumps a file as JSON and assembles it again; `None` for malformed files and text formats.
fn round_trip(folder: &Folder, name: &str) -> Option<Vec<u8>> {
    let dump = folder.run(&format!("dump --json {name}"));
    if dump.status != 0 || !dump.stdout.contains("\n  \"layout\": ") {
        return None;
    }
    folder.put("dump.json", dump.stdout);
    folder.run("assemble dump.json out --force").fine();
    Some(folder.get("out"))
}

/// Returns the offset of the first difference between two files, with the bytes of both; `None` if they are equal.
fn first_difference<'f>(
    left: &'f [u8],
    right: &'f [u8],
) -> Option<(usize, Option<&'f u8>, Option<&'f u8>)> {
    let differs = |at: &usize| left.get(*at) != right.get(*at);
    (0..left.len().max(right.len()))
        .find(differs)
        .map(|at| (at, left.get(at), right.get(at)))
}

#[test]
fn sample_dumps_round_trip() {
    let folder = Folder::new();
    let mut count = 0;
    for format in fs::read_dir(repository().join("samples")).unwrap() {
        for sample in fs::read_dir(format.unwrap().path()).unwrap() {
            let path = sample.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            let content = fs::read(&path).unwrap();
            folder.put(name, &content);
            if let Some(out) = round_trip(&folder, name) {
                assert_eq!(first_difference(&out, &content), None, "{name}");
                count += 1;
            }
        }
    }
    assert!(count > 10, "{count}");
}

#[test]
#[ignore = "needs the reference files: set MESHSPEC_FIXTURES"]
fn reference_file_dumps_round_trip() {
    let reference = std::path::PathBuf::from(std::env::var_os("MESHSPEC_FIXTURES").unwrap());
    let index: Vec<Value> =
        serde_json::from_slice(&fs::read(reference.join("index.json")).unwrap()).unwrap();
    let folder = Folder::new();
    let mut count = 0;
    for entry in index {
        let (file, format) = (
            entry["file"].as_str().unwrap(),
            entry["format"].as_str().unwrap(),
        );
        let content = fs::read(reference.join(file)).unwrap();
        folder.put("in", &content);
        let Some(out) = round_trip(&folder, &format!("in --from {format}")) else {
            continue;
        };
        assert_eq!(first_difference(&out, &content), None, "{file}");
        count += 1;
    }
    println!("{count} reference files come back");
    assert!(count > 140, "{count}");
}

/// Dumps `in.mesh` as JSON, and assembles it after `change`.
fn assembled(folder: &Folder, change: impl FnOnce(&mut Value)) -> crate::files::Run {
    let dump = folder.run("dump --json in.mesh").fine();
    let mut dump = serde_json::from_str(&dump).unwrap();
    change(&mut dump);
    folder.run_with("assemble - out.mesh --force", dump.to_string())
}

/// Calls `each` with every value whose key ends with `suffix`, and removes the value if the result is `false`.
fn retain(json: &mut Value, suffix: &str, each: &dyn Fn(&mut Value) -> bool) {
    match json {
        Value::Object(object) => {
            object.retain(|key, value| !key.ends_with(suffix) || each(value));
            object
                .values_mut()
                .for_each(|value| retain(value, suffix, each));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| retain(item, suffix, each)),
        _ => {}
    }
}

#[test]
fn only_omitted_counts_are_computed() {
    let folder = Folder::new();
    let bytes = bytes_of(&animated());
    folder.put("in.mesh", &bytes);
    assembled(&folder, |dump| retain(dump, "_count", &|_| false)).fine();
    assert_eq!(folder.get("out.mesh"), bytes);

    let set_zero = |count: &mut Value| {
        count["$value"] = 0.into();
        true
    };
    assembled(&folder, |dump| retain(dump, "_count", &set_zero)).fine();
    let mut expected = bytes.clone();
    // The header's counts, and the number of poses.
    expected[3..13].fill(0);
    expected[139..143].fill(0);
    assert_eq!(folder.get("out.mesh"), expected);
}

#[test]
fn annotations_may_be_omitted() {
    let folder = Folder::new();
    let text = r#"{"format": "mesh", "layout": "mesh", "value": {
        "header": {"version": 1, "format": {"position": true, "normal": false, "uv": 0, "joints": "0x0"}},
        "vertices": [{"position": [0, 1.5, "-Infinity"]}, {"position": [1e3, -0.0, 2]}],
        "indices": [0, "0x1", 1], "joints": [], "animations": [], "strings": ["a", [255]]
    }}"#;
    folder.run_with("assemble - out.mesh", text).fine();
    let mut expected = b"\x01\x01\0\x02\0\0\0\x03\0\0\0\0\0".to_vec();
    for number in [0.0, 1.5, f32::NEG_INFINITY, 1000.0, -0.0, 2.0] {
        expected.extend(number.to_le_bytes());
    }
    for index in [0_u32, 1, 1] {
        expected.extend(index.to_le_bytes());
    }
    expected.extend(b"a\0\xff\0");
    assert_eq!(folder.get("out.mesh"), expected);
}

/// The keys as sorted by other programs, and the values before the names.
#[test]
fn keys_may_be_in_any_order() {
    let folder = Folder::new();
    let text = r#"{"format": "mesh", "gaps": [], "layout": "mesh", "value": {}}"#;
    let message = folder.run_with("assemble - out.mesh", text).fails(1);
    assert!(
        message.contains("is omitted and cannot be determined"),
        "{message}"
    );
    let text = r#"{"value": {}, "format": "mesh", "version": 1, "layout": "mesh"}"#;
    let message = folder.run_with("assemble - out.mesh", text).fails(1);
    assert!(
        message.contains("is omitted and cannot be determined"),
        "{message}"
    );
}

/// Texts of more than 4 MiB are read as streams.
#[test]
fn large_dumps_are_assembled() {
    let folder = Folder::new();
    let mut document = triangle();
    document.indices = [0, 1, 2].repeat(500_000);
    folder.put_mesh("in.mesh", &document);
    let dump = folder.run("dump --json in.mesh").fine();
    assert!(dump.len() > 4 << 20, "{}", dump.len());
    folder.put("dump.json", &dump);
    folder.run("assemble dump.json file.mesh").fine();
    assert!(folder.get("file.mesh") == folder.get("in.mesh"));
    let truncated = &dump[..dump.len() - 9];
    let message = folder
        .run_with("assemble - stream.mesh", truncated)
        .fails(1);
    assert!(
        message.starts_with("error: standard input: EOF while parsing"),
        "{message}"
    );
    folder.run_with("assemble - stream.mesh", dump).fine();
    assert!(folder.get("stream.mesh") == folder.get("in.mesh"));
}

#[test]
fn assembly_errors_name_the_path() {
    let folder = Folder::new();
    folder.put("in.mesh", bytes_of(&animated()));
    let message = assembled(&folder, |dump| retain(dump, "speed", &|_| false)).fails(1);
    assert_eq!(
        message,
        "error: standard input: animations[0].speed: is omitted and cannot be determined\n"
    );
    assert!(folder.names() == ["in.mesh"], "{:?}", folder.names());
    let message = assembled(&folder, |dump| {
        dump["value"]["joints"]["$items"][0]["id"] = 256.into();
    })
    .fails(1);
    let start =
        "error: standard input: joints[0].id: 256 is out of range 0..=255 at line 1 column ";
    assert!(message.starts_with(start), "{message}");
    let message = assembled(&folder, |dump| {
        dump["value"]["header"]["format"]["uv"] = true.into();
    })
    .fails(1);
    assert!(
        message.contains("header.format: is 0x1, but its field `uv` is 0x1"),
        "{message}"
    );
}

#[test]
fn incomplete_dumps_are_rejected() {
    let folder = Folder::new();
    folder.put("short.mesh", &bytes_of(&triangle())[..53]);
    for (command, expected) in [
        ("dump --json short.mesh", "the dump ends with an error"),
        (
            "dump --json short.mesh --path header.version",
            "contains only `header.version`: the rest of the file is missing",
        ),
    ] {
        let dump = folder.run(command).stdout;
        let message = folder.run_with("assemble - out.mesh", dump).fails(1);
        assert!(message.contains(expected), "{message}");
    }
    let of_mesh = |rest: &str| format!("{{\"format\": \"mesh\", \"layout\": \"mesh\"{rest}}}");
    for (text, expected) in [
        (String::new(), "empty: expected the output"),
        ("{}".into(), "expected an object with `format` and `layout`"),
        (
            "{\"format\":\"mesh\",\"layout\":\"dough\"}".into(),
            "mesh has no layout \"dough\", only ",
        ),
        ("{\"format\":\"mesh\"}".into(), "`layout` is missing"),
        ("{\"format\":\"seed\"}".into(), "missing field `value`"),
        (of_mesh(", \"values\": {}"), "unknown key `values`"),
        (
            of_mesh(", \"version\": 2"),
            "version 2 of the notation, but only 1 is known",
        ),
        (
            of_mesh(", \"value\": {\"x\": 1}"),
            "has no field `x` at line 1",
        ),
        (
            of_mesh(", \"value\": {\"indices\": 1}"),
            "indices: 1 is not a list",
        ),
        (
            of_mesh(", \"value\": {\"indices\": [], \"indices\": []}"),
            "duplicate key `indices`",
        ),
        (
            of_mesh(", \"gaps\": [{\"$bytes\": \"0\"}]"),
            "invalid `$bytes`",
        ),
        (
            of_mesh(", \"gaps\": [{\"$bytes\": \"+1\"}]"),
            "invalid `$bytes`",
        ),
    ] {
        let message = folder.run_with("assemble - out.mesh", text).fails(1);
        assert!(message.contains(expected), "{message}");
    }
    assert_eq!(folder.names(), ["short.mesh"]);
}

#[test]
fn edits_change_only_the_named_values() {
    let folder = Folder::new();
    let bytes = bytes_of(&animated());
    folder.put("in.mesh", &bytes);
    let run = folder.run("edit in.mesh out.mesh --set speed=48 --set joints[0].id=0x7");
    assert_eq!(run.status, 0);
    assert!(
        run.stderr.contains(
            "joints[0].id (bytes 0x3d..0x3e): id 7 is not in 0..1 [MESH-JOINT-ID, M10]\n"
        )
    );
    let mut expected = bytes.clone();
    expected[61] = 7;
    expected[135..139].copy_from_slice(&48f32.to_le_bytes());
    assert_eq!(folder.get("out.mesh"), expected);
    let message = folder.run("edit in.mesh out.mesh --set speed=1").fails(2);
    assert!(message.contains("--force"), "{message}");
    let message = folder.run("edit in.mesh new.mesh --set sped=1").fails(2);
    assert!(
        message.contains("fields with similar names: speed"),
        "{message}"
    );
    let message = folder.run("edit in.mesh new.mesh --set [0]=1").fails(2);
    assert!(message.contains("is ambiguous"), "{message}");
    folder.run("edit in.mesh new.mesh").fails(2);
    assert_eq!(folder.names(), ["in.mesh", "out.mesh"]);
}

#[test]
fn broken_results_are_written_with_a_warning() {
    let folder = Folder::new();
    let bytes = bytes_of(&animated());
    folder.put("in.mesh", &bytes);
    let run = folder.run("edit in.mesh out.mesh --set header.vertex_count=70");
    assert_eq!(run.status, 0);
    assert!(
        run.stderr
            .starts_with("warning: out.mesh: the file is broken now: vertices"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("hint: --recount"), "{}", run.stderr);
    let mut expected = bytes;
    expected[3] = 70;
    assert_eq!(folder.get("out.mesh"), expected);
}

#[test]
fn recount_updates_counts() {
    let folder = Folder::new();
    folder.put("in.mesh", bytes_of(&animated()));
    let vertex = r#"vertices[1]={"position":[1,2,3]}"#;
    let edit = |arguments: &[&str]| {
        let mut command = folder.command();
        command
            .args(["edit", "in.mesh", "out.mesh", "--force"])
            .args(arguments);
        assert!(command.output().unwrap().status.success());
        let check = folder.run("dump --json out.mesh");
        (check.status, folder.get("out.mesh").len())
    };
    let size = bytes_of(&animated()).len();
    assert_eq!(edit(&["--insert", vertex]).1, size + 12);
    assert_eq!(edit(&["--insert", vertex, "--recount"]), (0, size + 12));
    assert_eq!(
        edit(&["--remove", "indices[0]", "--recount"]),
        (0, size - 4)
    );
    folder.run("check out.mesh").fine();
}

#[test]
fn recount_updates_checksums() {
    let folder = Folder::new();
    for name in ["quads.ima", "quads_reference.ima"] {
        folder.put(
            name,
            fs::read(repository().join("samples/iyma").join(name)).unwrap(),
        );
        folder.run(&format!("check {name}")).fine();
        folder.run(&format!(
            "edit {name} edited.ima --force --set data.indices[0]=1"
        ));
        let message = folder.run("check edited.ima").stdout;
        assert!(message.contains("IYMA-DATA-CHECKSUM"), "{message}");
        folder
            .run(&format!(
                "edit {name} edited.ima --force --recount --set data.indices[0]=1"
            ))
            .fine();
        assert!(!folder.run("check edited.ima").stdout.contains("CHECKSUM"));
        let path = "descriptor.meshes[0].first_vertex";
        folder
            .run(&format!(
                "edit {name} edited.ima --force --recount --set {path}=1"
            ))
            .fine();
        assert!(!folder.run("check edited.ima").stdout.contains("CHECKSUM"));
        let dump = folder
            .run(&format!("dump edited.ima --json --path {path}"))
            .fine();
        assert!(dump.contains("\"$value\": 1,"), "{dump}");
    }
}

#[test]
fn recount_updates_dependent_values() {
    let folder = Folder::new();
    folder.put(
        "quads.ima",
        fs::read(repository().join("samples/iyma/quads.ima")).unwrap(),
    );
    let mesh = r#"descriptor.meshes[0]={"first_index":0,"index_count":6,"first_vertex":0,"vertex_count":4}"#;
    let edit = |arguments: &[&str]| {
        let mut command = folder.command();
        command
            .args(["edit", "quads.ima", "out.ima", "--force"])
            .args(arguments);
        String::from_utf8(command.output().unwrap().stderr).unwrap()
    };
    assert_eq!(edit(&["--recount", "--insert", mesh]), "");
    assert_eq!(
        folder.run("check out.ima").fine(),
        "out.ima: 0 errors, 0 warnings\n"
    );
    assert!(
        folder
            .run("dump out.ima --path descriptor.mesh_count")
            .fine()
            .contains("3 (0x00000003)")
    );
    // `n_vertices` and `data_len` follow from the buffers, which come after the descriptor that states them.
    let last_vertex: Vec<_> = (0..5)
        .map(|buffer| format!("data.vertices[{buffer}][7]"))
        .collect();
    let mut arguments = vec!["--recount"];
    for path in &last_vertex {
        arguments.extend(["--remove", path]);
    }
    let warning = edit(&arguments);
    assert!(
        warning.contains(
            "first vertex 4 plus count 4 exceeds the vertex count 7 [IYMA-MESH-RANGE, I11]"
        ),
        "{warning}"
    );
    // All buffers have the same number of vertices, and each has an attribute.
    assert_eq!(
        edit(&arguments[..3]),
        "error: quads.ima: data.vertices[1]: its number of items is 8, which conflicts with the number of items of \
         data.vertices[0], 7: both determine descriptor.n_vertices\n"
    );
    assert_eq!(
        edit(&["--recount", "--remove", "data.vertices[1]"]),
        "error: quads.ima: data.vertices: has 4 items, but `attributes` has 5\n"
    );
    let error = edit(&["--insert", mesh]);
    assert!(
        error.starts_with("error: quads.ima: descriptor: "),
        "{error}"
    );
    // Computed fields cannot be set.
    let error = edit(&["--set", "descriptor.data_len=5"]);
    let data_len =
        "descriptor: data_len must be 233, the size of the buffers, because it is not stored";
    assert!(error.contains(data_len), "{error}");
    let error = edit(&["--set", "descriptor.has_indices=2"]);
    assert!(
        error.contains("descriptor: has_indices is 2, expected 0 or 1"),
        "{error}"
    );
    let error = edit(&[
        "--set",
        "descriptor.has_indices=0",
        "--set",
        "descriptor.data_len=209",
    ]);
    assert!(
        error.contains("descriptor: without indices, n_indices and index_format must be 0"),
        "{error}"
    );
}

#[test]
fn nesting_is_limited() {
    let folder = Folder::new();
    folder.put("in.mesh", bytes_of(&animated()));
    let deep = "[".repeat(50_000) + &"]".repeat(50_000);
    let mut command = folder.command();
    let output = command
        .args(["edit", "in.mesh", "out", "--set"])
        .arg(format!("indices={deep}"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let text =
        format!("{{\"format\":\"mesh\",\"layout\":\"mesh\",\"value\":{{\"indices\":{deep}}}}}");
    let message = folder.run_with("assemble - out", text).fails(1);
    let reason = "invalid type: sequence, expected an integer for `indices[0]` at line 1 column";
    assert!(message.contains(reason), "{message}");
}

#[test]
fn inputs_that_are_already_broken_are_reported_as_such() {
    let folder = Folder::new();
    let mut bytes = bytes_of(&animated());
    bytes[3] = 70;
    folder.put("in.mesh", bytes);
    let run = folder.run("edit in.mesh out.mesh --set header.index_count=4");
    assert!(
        run.stderr
            .starts_with("warning: out.mesh: the file is still broken: vertices"),
        "{}",
        run.stderr
    );
}

#[test]
fn indices_refer_to_the_edited_list() {
    let folder = Folder::new();
    folder.put("in.mesh", bytes_of(&animated()));
    let edit = |changes: &str| {
        folder.run(&format!(
            "edit in.mesh out.mesh --force --recount {changes}"
        ))
    };
    let indices = |changes: &str| {
        edit(changes).fine();
        let dump = folder.run("dump out.mesh --json --path indices").fine();
        let dump: Value = serde_json::from_str(&dump).unwrap();
        let items = dump["value"]["$items"].as_array().unwrap().iter();
        let values: Vec<_> = items.filter_map(Value::as_u64).collect();
        values
    };
    let grown = "--insert indices[3]=0 --insert indices[4]=1 --insert indices[5]=2";
    let shrunk = format!("{grown} --remove indices[0] --remove indices[4] --remove indices[3]");
    assert_eq!(indices(&shrunk), [1, 2, 0]);
    let set = "--set indices=[0,1,2,2,1,0] --set indices[5]=1";
    assert_eq!(indices(set), [0, 1, 2, 2, 1, 1]);
    let message = edit("--remove indices[0] --remove indices[2]").fails(1);
    assert_eq!(message, "error: in.mesh: indices[2]: no such value\n");
    // After the change, the same suffix could refer to another value.
    let message = edit("--remove animations[0].poses[0] --remove poses[0].joint").fails(2);
    assert!(
        message.starts_with(
            "error: in.mesh: `poses[0].joint` is inside `animations[0].poses`, which an earlier change modifies"
        ),
        "{message}"
    );
}

#[test]
fn new_violations_are_reported() {
    let folder = Folder::new();
    folder.put("in.mesh", bytes_of(&animated()));
    let edited = |changes: &str| {
        let run = folder.run(&format!("edit {changes} --force"));
        assert_eq!(run.status, 0);
        run.stderr
    };
    let warning = edited("in.mesh bad.mesh --set indices[0]=99");
    assert!(
        warning.starts_with("warning: bad.mesh: the file now violates a rule: indices[0] (bytes "),
        "{warning}"
    );
    assert!(warning.contains("[MESH-INDEX-RANGE"), "{warning}");
    // Findings of the input are not reported again.
    assert_eq!(edited("bad.mesh out.mesh --set speed=5"), "");
    assert_eq!(
        edited(
            "bad.mesh out.mesh --insert indices[0]=0 --insert indices[0]=0 --insert indices[0]=0 --recount"
        ),
        ""
    );
    assert!(edited("bad.mesh out.mesh --set indices[1]=98").contains("rule: indices[1] "));
    // The number of BMD vertices follows the list, unless it is set.
    folder.put(
        "in.bmd",
        fs::read(repository().join("samples/bmd/forms.bmd")).unwrap(),
    );
    let remove = "in.bmd out.bmd --remove meshes[0].vertices[7] --recount";
    assert!(!edited(remove).contains("BMD-VERTEX-COUNT"));
    let warning = edited(&format!("{remove} --set meshes[0].n_vtx=6"));
    assert!(warning.contains("[BMD-VERTEX-COUNT, B14]"), "{warning}");
}

#[test]
fn recount_shifts_offsets_after_a_longer_string() {
    let folder = Folder::new();
    for name in ["pyramid", "forms"] {
        folder.put(
            "in.bmd",
            fs::read(repository().join(format!("samples/bmd/{name}.bmd"))).unwrap(),
        );
        let material = "abcdefghijklmnopq/abc";
        folder
            .run(&format!(
                "edit in.bmd out.bmd --force --recount --set meshes[0].material={material}"
            ))
            .fine();
        folder.run("check out.bmd").fine();
        let path = "meshes[0].material";
        assert!(
            folder
                .run(&format!("dump out.bmd --path {path}"))
                .fine()
                .contains(material)
        );
    }
}
