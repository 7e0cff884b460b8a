//! Content under the name of another kind, JSON on standard input, and hints for rejected files.

use std::path::Path;

use meshspec::mesh;
use serde_json::Value;

use crate::files::{Folder, Run, bytes_of, triangle};

const OBJ: &str = "o a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

/// A folder with the same triangle in several encodings: `a.mesh`, `a.obj`, `a.glb`, `a.json`, and so on.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.put_mesh("a.mesh", &triangle());
    folder.put("a.obj", OBJ);
    for extension in ["glb", "gltf", "ply", "stl", "json", "bmd", "ima", "cmodel"] {
        let run = folder.run(&format!("convert a.mesh a.{extension} -q"));
        assert_eq!(run.status, 0, "{run:?}");
    }
    folder.put("dump.json", folder.run("dump a.mesh --json").stdout);
    folder.put("decoded.json", folder.run("decode a.mesh --json").stdout);
    folder
}

/// Runs each command that reads any file on `file`.
fn runs(folder: &Folder, file: &str) -> Vec<(String, Run)> {
    let commands = [
        format!("info {file}"),
        format!("check {file}"),
        format!("convert {file} out.glb --force"),
        format!("convert {file} out.obj --force"),
        format!("render {file} out.png --force"),
        format!("diff {file} a.obj"),
        format!("view {file} --out out.html --force"),
        format!("dump {file}"),
        format!("decode {file}"),
        format!("edit {file} out.mesh --force --set a=1"),
    ];
    commands
        .into_iter()
        .map(|command| (command.clone(), folder.run(&command)))
        .collect()
}

/// The extension of a file and the title of its content.
const KINDS: [(&str, &str); 10] = [
    ("glb", "glTF 2.0 binary"),
    ("gltf", "glTF 2.0"),
    ("ply", "Stanford PLY"),
    ("stl", "STL"),
    ("obj", "Wavefront OBJ"),
    ("json", "a document as JSON"),
    ("bmd", "BMD"),
    ("ima", "IyMA"),
    ("cmodel", "Crucible"),
    ("mesh", "MESH"),
];

/// Returns the value of `--from` for files with this extension.
fn name_of(extension: &str) -> &str {
    match extension {
        "ima" => "iyma",
        "cmodel" => "crucible",
        name => name,
    }
}

/// Every kind of content under every other extension.
#[test]
fn content_of_another_kind_is_named() {
    let folder = folder();
    for (kind, title) in KINDS {
        let is_read_as = |extension: &str| {
            extension == kind || (kind.starts_with("gl") && extension.starts_with("gl"))
        };
        for (extension, _) in KINDS.iter().filter(|(extension, _)| !is_read_as(extension)) {
            let file = format!("{kind}.{extension}");
            folder.put(&file, folder.get(&format!("a.{kind}")));
            let message = folder.run(&format!("info {file}")).fails(1);
            let expected =
                format!("{file}: the content is {title}, but `.{extension}` is an extension of ");
            assert!(message.contains(&expected), "{message}");
            let name = name_of(kind);
            let hint =
                format!("hint: read it with --from {name}, or give it the extension `.{kind}`\n");
            assert!(message.contains(&hint), "{message}");
        }
        let file = if kind == "obj" {
            "obj.ply"
        } else {
            &format!("{kind}.obj")
        };
        folder
            .run(&format!("info {file} --from {}", name_of(kind)))
            .fine();
    }
}

#[test]
fn every_command_names_content_of_another_kind() {
    let folder = folder();
    for (kind, extension) in [("glb", "bmd"), ("bmd", "mesh"), ("json", "obj")] {
        let file = format!("{kind}.{extension}");
        folder.put(&file, folder.get(&format!("a.{kind}")));
        for (command, run) in runs(&folder, &file) {
            let message = run.fails(1);
            assert!(
                message.contains(&format!("{file}: the content is ")),
                "{command}: {message}"
            );
            assert!(message.contains("hint: "), "{command}: {message}");
        }
    }
}

#[test]
fn content_under_its_own_or_an_unknown_extension_is_read() {
    let folder = folder();
    for kind in ["mesh", "glb", "ply", "stl", "obj", "json", "bmd", "ima"] {
        let bytes = folder.get(&format!("a.{kind}"));
        folder.run(&format!("check a.{kind}")).fine();
        folder.put("a.xyz", &bytes);
        folder.run("check a.xyz").fine();
        let run = folder.run_with("check -", bytes);
        assert_eq!(run.status, 0, "{kind}: {run:?}");
    }
    // A damaged file is still read as the format of its extension.
    folder.put("damaged.bmd", [b"BMD2", &folder.get("a.bmd")[4..]].concat());
    assert!(folder.run("check damaged.bmd").stdout.contains("BMD-MAGIC"));
    folder.put("damaged.obj", "o a\nv 0 0 zero\n");
    assert!(folder.run("check damaged.obj").stdout.contains("OBJ-READ"));
}

#[test]
fn printed_json_is_named_with_the_command_that_reads_it() {
    let folder = folder();
    folder.put("list.json", folder.run("info a.mesh --json").stdout);
    folder.put("printed.json", r#"{"title": "MESH", "layouts": []}"#);
    let kinds = [
        (
            "decoded.json",
            "the output of `decode --json`",
            "meshspec convert FILE OUT.json",
        ),
        ("list.json", "JSON, but no document", "meshspec assemble"),
        ("printed.json", "JSON, but no document", "meshspec assemble"),
    ];
    // A text format has no layout, from which `assemble` could write a file.
    assert_eq!(folder.run("convert a.mesh seed.mesh --to seed").status, 0);
    folder.put("seed.json", folder.run("dump seed.mesh --json").stdout);
    let message = folder.run("info seed.json").fails(1);
    assert!(
        message.contains("hint: dumps of seed, a text format, cannot be written"),
        "{message}"
    );
    // An object without a decisive key is read as a document.
    for (text, missing) in [("{}", "format"), (r#"{"format": "bmd"}"#, "value")] {
        folder.put("a.xyz", text);
        for run in [folder.run("info a.xyz"), folder.run_with("info -", text)] {
            let message = run.fails(1);
            assert!(
                message.contains(&format!("missing field `{missing}`")),
                "{message}"
            );
        }
    }
    for (file, kind, hint) in kinds {
        let named_runs = if kind.starts_with("JSON") {
            Vec::new()
        } else {
            runs(&folder, file)
        };
        for (command, run) in named_runs {
            let message = run.fails(1);
            assert!(
                message.contains(&format!("{file}: the content is {kind}")),
                "{command}: {message}"
            );
            assert!(message.contains(hint), "{command}: {message}");
        }
        for command in ["info", "check", "dump", "decode"] {
            let message = folder
                .run_with(&format!("{command} -"), folder.get(file))
                .fails(1);
            assert!(
                message.contains(&format!("standard input: the content is {kind}\n")),
                "{message}"
            );
        }
    }
    // The values that `dump --json` prints are those of the file.
    folder.run_with("info -", folder.get("dump.json")).fine();
    // A list is no document, under any name.
    for list in ["[]", "[ {}]", " [\r\n1]"] {
        folder.put("list.json", list);
        let message = folder.run("info list.json").fails(1);
        assert!(
            message.starts_with("error: list.json: the content is JSON, but no document\n"),
            "{message}"
        );
    }
}

#[test]
fn json_may_start_with_a_byte_order_mark() {
    let folder = folder();
    let with_mark = |file: &str| [b"\xef\xbb\xbf", &*folder.get(file)].concat();
    folder.put("b.json", with_mark("a.json"));
    for command in [
        "info b.json",
        "check b.json",
        "decode b.json",
        "render b.json b.png",
        "diff b.json a.mesh",
        "diff b.json a.json --scenes",
        "convert b.json b.mesh",
        "convert b.json b.out --to mesh",
        "convert b.json c.json",
    ] {
        let run = folder.run(command);
        assert_eq!(run.status, 0, "{command}: {run:?}");
    }
    assert_eq!(folder.run_with("check -", with_mark("a.json")).status, 0);
    assert_eq!(folder.get("b.mesh"), folder.get("a.mesh"));
    folder.put("dump.json", with_mark("dump.json"));
    folder.run("assemble dump.json c.mesh").fine();
    assert_eq!(folder.get("c.mesh"), folder.get("a.mesh"));
}

/// The keys that decide may come first or last.
#[test]
fn the_order_of_keys_makes_no_difference() {
    let folder = folder();
    let reordered = |file: &str, last: &str| {
        let mut object: serde_json::Map<String, Value> =
            serde_json::from_slice(&folder.get(file)).unwrap();
        let value = object.remove(last).unwrap();
        let others = serde_json::to_string(&object).unwrap();
        format!(
            r#"{},"{last}":{value}}}"#,
            others.strip_suffix('}').unwrap()
        )
    };
    for (file, key, encoding) in [("a.json", "format", "mesh"), ("a.gltf", "asset", "gltf")] {
        folder.put("a.xyz", reordered(file, key));
        let info: Value = serde_json::from_str(&folder.run("info a.xyz --json").fine()).unwrap();
        let format = info[0]["format"].as_str().unwrap();
        assert!(format == encoding || format == "json", "{file}: {format}");
    }
}

#[test]
fn assemble_names_other_inputs() {
    let folder = folder();
    assert_eq!(folder.run("convert a.mesh seed.mesh --to seed").status, 0);
    folder.run("convert seed.mesh seed.json").fine();
    folder.run("assemble seed.json seed-again.mesh").fine();
    assert_eq!(folder.get("seed-again.mesh"), folder.get("seed.mesh"));
    let kinds = [
        (
            "decoded.json",
            "the output of `decode --json`",
            "`meshspec dump FILE --json`",
        ),
        ("a.glb", "glTF 2.0 binary", "`meshspec convert a.glb OUT`"),
        ("a.obj", "Wavefront OBJ", "`meshspec convert a.obj OUT`"),
        ("a.mesh", "MESH", "`meshspec dump a.mesh --json`"),
        ("a.bmd", "BMD", "`meshspec dump a.bmd --json`"),
    ];
    for (file, kind, hint) in kinds {
        let message = folder.run(&format!("assemble {file} out.mesh")).fails(1);
        assert!(
            message.contains(&format!(
                "{file}: the content is {kind}, expected the output of"
            )),
            "{message}"
        );
        assert!(message.contains(hint), "{message}");
    }
    folder.run("assemble dump.json out.mesh").fine();
}

#[test]
fn commands_of_one_format_name_other_files() {
    let folder = folder();
    folder.put(
        "seed.mesh",
        include_bytes!("../../../samples/seed/facets.mesh"),
    );
    let message = folder.run("edit a.glb out.glb --set a=1").fails(2);
    assert!(
        message.contains("edit supports only ") && message.contains(", not glb"),
        "{message}"
    );
    folder
        .run("edit seed.mesh out.mesh --set positions[0][0]=2.5")
        .fine();
    let text = |name: &str| String::from_utf8(folder.get(name)).unwrap();
    assert_eq!(
        text("out.mesh"),
        text("seed.mesh").replacen("\np 1, ", "\np 2.5, ", 1)
    );
    #[cfg(feature = "formats")]
    {
        let message = folder.run("iyma split a.mesh").fails(2);
        assert!(
            message.contains("iyma supports only iyma, not mesh\nhint: convert it first"),
            "{message}"
        );
        folder.run("iyma split a.glb").fails(2);
        let message = folder.run("iyma split dump.json").fails(2);
        assert!(
            message.contains("iyma supports only iyma, not JSON\nhint: "),
            "{message}"
        );
        let message = folder.run("iyma merge seed.mesh -o out.ima").fails(2);
        assert!(
            message.contains("not seed\nhint: convert it first"),
            "{message}"
        );
        for (file, name) in [("a.glb", "glb"), ("a.mesh", "mesh"), ("a.json", "JSON")] {
            let message = folder.run(&format!("iyma user-data get {file}")).fails(2);
            assert!(
                message.contains(&format!("iyma supports only iyma, not {name}\nhint: ")),
                "{message}"
            );
        }
        let message = folder
            .run_with("iyma user-data get -", folder.get("a.bmd"))
            .fails(2);
        assert!(
            message.contains("standard input: iyma supports only iyma, not bmd\n"),
            "{message}"
        );
        assert_eq!(folder.run("iyma user-data get a.ima").fine(), "");
    }
}

const CHECK_HINT: &str = "hint: `meshspec check FILE` lists all findings\n";
const LENIENT_HINT: &str =
    "hint: `meshspec check FILE` lists all findings; --lenient reads the file nevertheless\n";

/// A file with an index that is out of range, which is read leniently but has no scene, and a truncated one.
#[test]
fn rejected_files_point_to_check_and_lenient() {
    let folder = folder();
    folder.put_mesh(
        "error.mesh",
        &mesh::Document {
            indices: vec![0, 1, 9],
            ..triangle()
        },
    );
    folder.put("fatal.mesh", &bytes_of(&triangle())[..40]);
    folder.put(
        "error.json",
        String::from_utf8(folder.get("a.json"))
            .unwrap()
            .replacen("[0, 1, 2]", "[0, 1, 9]", 1),
    );
    for file in ["error.mesh", "fatal.mesh"] {
        for (command, run) in runs(&folder, file) {
            let reads = |commands: &[&str]| commands.iter().any(|name| command.starts_with(name));
            // `view` and `check` show findings, `dump` and `edit` work on the structure.
            if !reads(&["view", "check", "dump", "edit"]) {
                let is_lenient = file == "error.mesh" && reads(&["info", "decode"]);
                let hint = if is_lenient { LENIENT_HINT } else { CHECK_HINT };
                assert!(run.stderr.contains(hint), "{command}: {run:?}");
            }
        }
    }
    let message = folder.run("convert error.mesh out.mesh --force").fails(1);
    assert!(message.contains(LENIENT_HINT), "{message}");
    let message = folder.run("convert error.json out.glb --force").fails(1);
    assert!(message.contains(CHECK_HINT), "{message}");
    folder.run("info error.mesh --lenient").fine();
    // The suggested command reads the file in the same way.
    for command in [
        "info FILE",
        "decode FILE",
        "convert FILE out.glb --force",
        "render FILE out.png --force",
    ] {
        let command = command.replace("FILE", "error.mesh --from mesh");
        let message = folder.run(&command).fails(1);
        assert!(
            message.contains("hint: `meshspec check FILE --from mesh` lists all"),
            "{command}: {message}"
        );
    }
}

/// --lenient is suggested exactly if it helps.
#[test]
fn lenient_is_suggested_for_files_that_it_reads() {
    let folder = Folder::new();
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    let index = std::fs::read_to_string(corpus.join("index.jsonl")).unwrap();
    let entries = index
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let rejected = entries.filter(|entry| entry["strict"] == "reject");
    let (mut accepted, mut refused) = (0, 0);
    for entry in rejected.step_by(40) {
        let file = corpus.join(entry["file"].as_str().unwrap());
        let commands = ["info FILE", "convert FILE out.glb --force", "decode FILE"];
        let of_iyma = (entry["format"] == "iyma").then_some("iyma user-data get FILE");
        for command in commands.into_iter().chain(of_iyma) {
            // User data on stdout may be any bytes.
            let run = |options: &[&str]| {
                let words = command.split(' ').map(|word| match word {
                    "FILE" => file.as_os_str(),
                    word => word.as_ref(),
                });
                let output = folder.command().args(words).args(options).output().unwrap();
                let messages = String::from_utf8(output.stderr).unwrap();
                (output.status.code().unwrap(), messages)
            };
            let ((strict, messages), (lenient, _)) = (run(&[]), run(&["--lenient"]));
            let is_suggested = messages.contains("--lenient");
            let helps = strict != 0 && lenient == 0;
            assert_eq!(
                is_suggested,
                helps,
                "{command:?} {}: {strict} {messages}",
                file.display()
            );
            *if is_suggested {
                &mut accepted
            } else {
                &mut refused
            } += 1;
        }
    }
    assert!(accepted > 20 && refused > 20, "{accepted}, {refused}");
}

/// A suggested command contains the name of the file if it can be typed.
#[cfg(unix)]
#[test]
fn suggested_commands_contain_printable_names() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = folder();
    for (name, argument) in [
        (&b"it's a.xyz"[..], r"'it'\''s a.xyz'"),
        (br"a\b.xyz", r"'a\b.xyz'"),
        (b"a\xff.xyz", "FILE"),
        (b"a\nb.xyz", "FILE"),
        ("a\u{202e}b.xyz".as_bytes(), "FILE"),
    ] {
        let path = folder.path("").join(OsStr::from_bytes(name));
        std::fs::write(&path, folder.get("dump.json")).unwrap();
        let output = folder
            .command()
            .arg("dump")
            .arg(OsStr::from_bytes(name))
            .output()
            .unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(
            message.contains(&format!("`meshspec convert {argument} OUT`")),
            "{message}"
        );
    }
}

/// For an interchange file, --lenient is suggested only if it helps.
#[test]
fn lenient_is_suggested_for_interchange_files_that_it_reads() {
    let folder = folder();
    let stl = folder.get("a.stl");
    folder.put("truncated.stl", &stl[..stl.len() - 10]);
    folder.put("bad.obj", "v 0 0 zero\n");
    for command in [
        "info FILE",
        "convert FILE out.glb --force",
        "render FILE out.png --force",
        "diff FILE a.glb",
    ] {
        let message = folder
            .run(&command.replace("FILE", "truncated.stl"))
            .fails(1);
        assert!(
            message.contains("hint: --lenient reads the file nevertheless"),
            "{command}: {message}"
        );
        let run = folder.run(&format!(
            "{} --lenient",
            command.replace("FILE", "truncated.stl")
        ));
        assert!(
            !run.stderr.contains("truncated facet"),
            "{command}: {run:?}"
        );
        let message = folder.run(&command.replace("FILE", "bad.obj")).fails(1);
        assert!(!message.contains("--lenient"), "{command}: {message}");
    }
}
