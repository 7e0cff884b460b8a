//! `conform`: loaders that do not start, print anything but contents, or overwrite the corpus.

use std::process::Stdio;

use serde_json::json;

use crate::conform::{CORRECT_LOADER, NOT_COMPARED, conform, corpus, report};
use crate::files::Folder;

#[test]
fn uncompared_contents_are_counted() {
    let folder = corpus();
    let printing = |output: &str| {
        conform(
            &folder,
            "",
            &format!("{CORRECT_LOADER} || exit 1; {output}"),
        )
    };
    let run = printing("echo '[info] loading'; cat \"$1.json\"");
    assert_eq!(
        run.stdout,
        format!("index.jsonl: 3 files, no disagreement{NOT_COMPARED}\n")
    );
    assert_eq!(
        run.fails(0),
        "hint: triangle.mesh: expected contents as JSON on standard output, found: [info] loading; \
         print messages to standard error\n"
    );
    let run = printing("printf '\\357\\273\\277'; cat \"$1.json\"");
    assert!(
        run.stdout.ends_with(&format!("{NOT_COMPARED}\n")),
        "{run:?}"
    );
    assert!(run.stderr.contains("found: a byte order mark; "), "{run:?}");
    let run = printing("echo ' { }'");
    assert!(run.stdout.ends_with(
        "; contents of 0 of 2 files compared: the loader prints objects without keys\n"
    ));
    assert!(run.stderr.contains("found: {}; "), "{run:?}");
    let all = "index.jsonl: 3 files, no disagreement; contents of 2 of 2 files compared\n";
    assert_eq!(printing("cat \"$1.json\"").fine(), all);
    // An empty object is no disagreement, unlike missing output.
    let run = printing("[ \"$1\" = walk.mesh ] && echo '{ }' || cat \"$1.json\"");
    assert_eq!(run.fine(), all.replace("2 of 2", "1 of 2"));
    let run = printing("[ \"$1\" = walk.mesh ] && echo reading || cat \"$1.json\"");
    assert!(
        run.stdout
            .contains(": expected contents, but the loader prints: reading\n"),
        "{run:?}"
    );
    let run = conform(&folder, "--contents never", CORRECT_LOADER);
    assert_eq!(run.fine(), "index.jsonl: 3 files, no disagreement\n");
}

#[test]
fn minimised_files_have_short_unique_names() {
    let folder = corpus();
    let key = "k".repeat(400);
    let script =
        format!("{CORRECT_LOADER}; [ \"$1\" = bad.mesh ] && exit 1; echo '{{\"{key}\": 1}}'");
    let long = report(&folder, "", &script);
    let file = long["groups"][0]["minimized"]["file"].as_str().unwrap();
    assert!(file.len() < 150 && folder.path(file).exists(), "{file}");
    // Names that differ only in punctuation.
    let script = "case \"$1\" in bad.mesh) exit 1;; esac; [ $(wc -c <\"$1\") -gt 61 ] && echo '{\"a-b\": 1}' || echo '{\"a.b\": 1}'";
    let two = report(&folder, "--out two", script);
    let names: Vec<_> = two["groups"]
        .as_array()
        .unwrap()
        .iter()
        .map(|group| &group["minimized"]["file"])
        .collect();
    let stem = "two/valid-mesh-files-wrong-contents-a-b";
    assert_eq!(
        names,
        [
            &json!(format!("{stem}.mesh")),
            &json!(format!("{stem}--2.mesh"))
        ],
        "{two:#}"
    );
    assert_eq!(std::fs::read_dir(folder.path("two")).unwrap().count(), 2);
}

#[test]
fn write_errors_keep_the_report() {
    let folder = corpus();
    let run = conform(&folder, "--out index.jsonl", "touch ran");
    assert_eq!(run.fails(2), "error: --out: index.jsonl is a file\n");
    assert!(!folder.path("ran").exists());
    let run = conform(&folder, "--out index.jsonl/below", "exit 0");
    assert!(
        run.stdout.starts_with("wrong verdict: MESH-INDEX-RANGE"),
        "{run:?}"
    );
    assert!(
        run.stdout
            .contains("\nindex.jsonl: 3 files: 1 wrong verdict"),
        "{run:?}"
    );
    assert!(run.fails(3).starts_with("error: index.jsonl/below: "));
    // The minimized file of one of two groups cannot be written.
    std::fs::create_dir_all(folder.path("minimized/MESH-INDEX-RANGE-wrong-verdict-reject.mesh"))
        .unwrap();
    let run = conform(&folder, "", "! grep -q walk \"$1\"");
    assert_eq!(run.stdout.matches("wrong verdict: ").count(), 2, "{run:?}");
    assert_eq!(run.stdout.matches("\n  minimized  ").count(), 1, "{run:?}");
    assert!(
        run.fails(3)
            .contains("MESH-INDEX-RANGE-wrong-verdict-reject.mesh: ")
    );
}

#[test]
fn warnings_of_valid_files_are_not_locations() {
    let folder = corpus();
    let index = String::from_utf8(folder.get("index.jsonl")).unwrap();
    let warned = "\"rule\":\"MESH-TRIANGLES\",\"path\":\"header.index_count\",\"bytes\":[7,11]";
    folder.put(
        "index.jsonl",
        index.replace("\"rule\":null,\"path\":null,\"bytes\":null", warned),
    );
    let run = conform(&folder, "--minimize 0", "exit 1");
    assert!(
        run.stdout
            .starts_with("wrong verdict: valid mesh files, 2 files"),
        "{run:?}"
    );
    assert!(!run.stdout.contains("\n  at  "), "{run:?}");
}

#[test]
fn the_reported_command_shows_the_finding() {
    let folder = corpus();
    for options in ["", "--minimize 0", "--out it's"] {
        let run = conform(&folder, options, "exit 0");
        let command = run
            .stdout
            .lines()
            .find_map(|line| line.strip_prefix("  check      meshspec "))
            .unwrap();
        let script = format!("exec \"$0\" {command}");
        let program = assert_cmd::cargo::cargo_bin!("meshspec");
        let check = folder.run_shell(&["-c", &script, program.to_str().unwrap()]);
        assert_eq!(check.status, 1, "{command}: {check:?}");
        assert!(
            check.stdout.contains("[MESH-INDEX-RANGE"),
            "{command}: {check:?}"
        );
    }
    let run = conform(&folder, "--lenient --minimize 0", "exit 1");
    assert!(
        run.stdout
            .contains(" check --from mesh --dialect spec --lenient bad.mesh\n"),
        "{run:?}"
    );
}

#[test]
fn loaders_that_never_start_are_reported_once() {
    let folder = corpus();
    let run = conform(
        &folder,
        "",
        "echo \"loader: cannot open nope.py for $1\" >&2; exit 127",
    );
    assert_eq!(run.stdout.matches("wrong verdict").count(), 2, "{run:?}");
    assert!(
        !run.stdout.contains("minimized") && !folder.path("minimized").exists(),
        "{run:?}"
    );
    assert_eq!(
        run.fails(1),
        "hint: the loader rejects every file with status 127: loader: cannot open nope.py for {}; \
         does it start at all?\n"
    );
    // Messages differ between files, so the loader reads them.
    let run = conform(&folder, "", "wc -c <\"$1\" >&2; exit 1");
    assert_eq!(run.stderr, "");
    assert!(run.stdout.contains("minimized"), "{run:?}");
}

#[test]
fn the_exception_follows_its_traceback() {
    let folder = corpus();
    let stack = "Traceback (most recent call last):\\n  File \"a.py\", line 1, in <module>\\nKeyError: 7\\n";
    let script = format!("printf '{stack}' >&2; wc -c <\"$1\"; [ \"$1\" = bad.mesh ]");
    let run = conform(&folder, "--minimize 0", &script);
    assert!(
        run.stdout.contains("\n  stderr     KeyError: 7\n"),
        "{run:?}"
    );
}

#[test]
fn overwriting_the_corpus_is_an_error() {
    let folder = corpus();
    let run = conform(
        &folder,
        "",
        &format!("{CORRECT_LOADER}; status=$?; [ $1 = walk.mesh ] && echo >$1; exit $status"),
    );
    assert_eq!(
        run.stdout,
        format!("index.jsonl: 3 files, no disagreement{NOT_COMPARED}\n")
    );
    assert_eq!(
        run.fails(1),
        "error: walk.mesh: the loader changed this file of the corpus\n\
         hint: generate the corpus again; the verdicts of this run are unreliable\n"
    );
    let folder = corpus();
    let run = conform(&folder, "", "rm \"$1\"");
    assert!(
        run.stderr
            .contains("triangle.mesh: the loader changed this file of the corpus, and 2 more"),
        "{run:?}"
    );
    assert!(!folder.path("minimized").exists());
}

#[test]
fn files_that_cannot_shrink_are_not_minimised() {
    let folder = corpus();
    let run = conform(&folder, "", "case \"$1\" in *.meshspec*) exit 1;; esac");
    assert_eq!(run.status, 1);
    assert!(!run.stdout.contains("minimized"), "{run:?}");
    assert!(run.stdout.contains(" --dialect spec bad.mesh\n"), "{run:?}");
    assert_eq!(
        std::fs::read_dir(folder.path("minimized")).unwrap().count(),
        0
    );
}

#[test]
fn closed_pipes_keep_the_verdict() {
    let folder = corpus();
    for format in ["text", "json", "junit", "markdown"] {
        for loader in ["true", "false"] {
            assert_eq!(closed(&folder, format, &[loader, "{}"]), 1, "{format}");
        }
        assert_eq!(
            closed(
                &folder,
                format,
                &["sh", "-c", CORRECT_LOADER, "loader", "{}"]
            ),
            0,
            "{format}"
        );
    }
}

/// Returns the exit status of a run with a closed standard output.
fn closed(folder: &Folder, format: &str, loader: &[&str]) -> i32 {
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("meshspec"));
    command.current_dir(folder.path("")).args([
        "conform",
        "index.jsonl",
        "--minimize",
        "0",
        "--format",
        format,
    ]);
    let mut child = command
        .arg("--")
        .args(loader)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    child.wait().unwrap().code().unwrap()
}

#[test]
fn reports_escape_bidirectional_controls() {
    let folder = corpus();
    let script = "printf 'a\\342\\200\\256b\\033' >&2; exit 4";
    for (format, escaped) in [
        ("junit", "a\\u{202e}b"),
        ("text", "a\\u{202e}b"),
        ("markdown", "a b"),
    ] {
        let run = conform(&folder, &format!("--format {format}"), script);
        assert!(run.stdout.contains(escaped), "{format}: {run:?}");
        assert!(
            !run.stdout.contains(['\u{202e}', '\u{1b}']),
            "{format}: {run:?}"
        );
    }
    // As `check` does.
    folder.put("x\u{202e}.mesh", folder.get("bad.mesh"));
    let run = folder.run("check --format junit x\u{202e}.mesh");
    assert!(
        run.stdout.contains("<testcase name=\"x\\u{202e}.mesh\""),
        "{run:?}"
    );
}

#[test]
fn programs_that_cannot_start_are_errors() {
    use std::os::unix::fs::PermissionsExt;
    let folder = corpus();
    folder.put("loader", "#!/no/interpreter\n");
    std::fs::set_permissions(
        folder.path("loader"),
        std::fs::Permissions::from_mode(0o755),
    )
    .unwrap();
    let message = folder.run("conform index.jsonl -- ./loader {}").fails(3);
    assert!(message.contains("loader: "), "{message}");
}
