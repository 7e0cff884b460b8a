//! `conform`: runs small loaders, mostly shell one-liners, over a corpus of three files.

use std::time::{Duration, Instant};

use meshspec::conformance::corpus::{CaseKind, IndexEntry, Verdict};
use meshspec::{Dialect, ReadOptions};
use serde_json::{Value, json};

use crate::files::{Folder, Run, animated, broken_triangle, bytes_of, triangle};

/// A folder with the corpus: two valid files, and one that breaks a rule but is read leniently.
pub fn corpus() -> Folder {
    let folder = Folder::new();
    let mut index = String::new();
    for (file, document, kind, rule) in [
        ("triangle.mesh", triangle(), CaseKind::Valid, None),
        ("walk.mesh", animated(), CaseKind::Valid, None),
        (
            "bad.mesh",
            broken_triangle(),
            CaseKind::Broken,
            Some("MESH-INDEX-RANGE"),
        ),
    ] {
        folder.put_mesh(file, &document);
        let is_valid = rule.is_none();
        let entry = IndexEntry {
            file: file.to_owned(),
            format: "mesh".to_owned(),
            dialect: Dialect::SPEC,
            kind,
            strict: if is_valid {
                Verdict::Accept
            } else {
                Verdict::Reject
            },
            lenient: Verdict::Accept,
            rule: rule.map(str::to_owned),
            path: rule.map(|_| "indices[2]".to_owned()),
            bytes: rule.map(|_| [57, 61]),
            description: if is_valid {
                "Valid."
            } else {
                "Index 7 is not below the vertex count 3."
            }
            .to_owned(),
            contents: is_valid.then(|| format!("{file}.json")),
        };
        if is_valid {
            let bytes = bytes_of(&document);
            let contents = meshspec::mesh::FORMAT
                .contents(&bytes, &ReadOptions::default())
                .unwrap();
            folder.put(
                &format!("{file}.json"),
                serde_json::to_vec(&contents).unwrap(),
            );
        }
        index += &format!("{}\n", serde_json::to_string(&entry).unwrap());
    }
    folder.put("index.jsonl", index);
    folder
}

/// Runs a shell script as the loader; `$1` is the file.
pub fn conform(folder: &Folder, options: &str, script: &str) -> Run {
    let mut command = folder.command();
    command
        .args(["conform", "index.jsonl"])
        .args(options.split_whitespace());
    Run::of(command.args(["--", "sh", "-c", script, "loader", "{}"]))
}

/// Returns the report as data.
pub fn report(folder: &Folder, options: &str, script: &str) -> Value {
    let run = conform(folder, &format!("--format json {options}"), script);
    assert_eq!((run.status, &*run.stderr), (1, ""), "{}", run.stdout);
    serde_json::from_str(&run.stdout).unwrap()
}

/// A loader that rejects what strict reading rejects.
pub const CORRECT_LOADER: &str = r#"[ "$1" != bad.mesh ] && [ "${1##*/.meshspec-*}" ]"#;

/// The end of the summary for a loader that prints nothing.
pub const NOT_COMPARED: &str =
    "; contents of 0 of 2 files compared: the loader prints no JSON object";

#[test]
fn a_right_loader_conforms() {
    let folder = corpus();
    let agrees = format!("3 files, no disagreement{NOT_COMPARED}\n");
    assert_eq!(
        conform(&folder, "", CORRECT_LOADER).fine(),
        format!("index.jsonl: {agrees}")
    );
    // Names the folder of the index, and reads leniently.
    let run = folder.run("conform . --lenient -- true {}");
    assert_eq!(run.fine(), format!(".: {agrees}"));
    assert!(!folder.path("minimized").exists());
}

#[test]
fn a_loader_may_read_one_format_of_several() {
    let folder = corpus();
    let index = String::from_utf8(folder.get("index.jsonl")).unwrap();
    let index = index.replacen("\"spec\"", "\"renderlib\"", 1);
    let bmd = index
        .lines()
        .next_back()
        .unwrap()
        .replace("\"mesh\"", "\"bmd\"");
    folder.put("index.jsonl", format!("{index}{bmd}\n"));
    for (only, files) in [
        ("mesh", 3),
        ("bmd", 1),
        ("mesh/spec", 2),
        ("mesh/renderlib", 1),
    ] {
        let run = conform(&folder, &format!("--only {only}"), CORRECT_LOADER).fine();
        let s = if files == 1 { "" } else { "s" };
        assert!(
            run.starts_with(&format!("index.jsonl: {files} file{s}, no disagreement")),
            "{run}"
        );
    }
    for only in ["mes", "bmd/renderlib", "mesh/"] {
        let text = conform(&folder, &format!("--only {only}"), CORRECT_LOADER).fails(2);
        assert_eq!(
            text,
            format!(
                "error: --only: the index lists no files of `{only}`\n\
                 hint: use one of bmd, bmd/spec, mesh, mesh/renderlib, mesh/spec\n"
            )
        );
    }
}

#[test]
fn a_wrong_verdict_is_reported_with_its_rule() {
    let folder = corpus();
    let run = conform(&folder, "", "echo read; exit 0");
    assert_eq!(run.status, 1);
    let is_compared =
        |line: &&str| !line.starts_with("  minimized ") && !line.contains(NOT_COMPARED);
    assert_eq!(
        run.stdout.lines().filter(is_compared).collect::<Vec<_>>().join("\n"),
        "\
wrong verdict: MESH-INDEX-RANGE, 1 file: accepted, must be rejected
  rule       Every index is below the vertex count.
  smallest   bad.mesh, 61 bytes
             Index 7 is not below the vertex count 3.
  at         indices[2] (bytes 0x39..0x3d)
  check      meshspec check --from mesh --dialect spec minimized/MESH-INDEX-RANGE-wrong-verdict-reject.mesh
"
    );
    assert!(
        run.stdout.ends_with(&format!(
            "\nindex.jsonl: 3 files: 1 wrong verdict{NOT_COMPARED}\n"
        )),
        "{run:?}"
    );
    let run = conform(&folder, "", "echo 'no such version' >&2; exit 4");
    assert_eq!(run.status, 1);
    assert!(
        run.stdout
            .starts_with("wrong verdict: valid mesh files, 2 files: rejected with status 4"),
        "{run:?}"
    );
    assert!(
        run.stdout.contains("\n  stderr     no such version\n"),
        "{run:?}"
    );
    assert!(
        run.stdout.ends_with(&format!(
            "index.jsonl: 3 files: 2 wrong verdicts{NOT_COMPARED}\n"
        )),
        "{run:?}"
    );
}

#[test]
fn a_minimised_file_breaks_the_same_rule() {
    let folder = corpus();
    let report = report(&folder, "--out small", "exit 0");
    let group = &report["groups"][0];
    assert_eq!(
        group["minimized"]["file"],
        "small/MESH-INDEX-RANGE-wrong-verdict-reject.mesh"
    );
    let file = folder.get("small/MESH-INDEX-RANGE-wrong-verdict-reject.mesh");
    assert_eq!(group["minimized"]["size"], file.len());
    // One vertex, one index.
    assert_eq!(file.len(), 13 + 12 + 4, "{file:?}");
    let check = folder.run("check small/MESH-INDEX-RANGE-wrong-verdict-reject.mesh");
    assert_eq!(check.status, 1);
    assert!(
        check.stdout.contains("[MESH-INDEX-RANGE"),
        "{}",
        check.stdout
    );
    // Without minimization, no file is written.
    let run = conform(&folder, "--minimize 0 --out none", "exit 0");
    assert_eq!((run.status, folder.path("none").exists()), (1, false));
    assert!(!run.stdout.contains("minimized"), "{}", run.stdout);
}

#[test]
fn minimisation_runs_are_limited() {
    let folder = corpus();
    let runs = |options| {
        folder.put("runs", "");
        conform(&folder, options, "echo \"$1\" >>runs; exit 0");
        String::from_utf8(folder.get("runs"))
            .unwrap()
            .lines()
            .count()
    };
    assert_eq!(runs("--minimize 2"), 3 + 2);
    assert!(runs("") > 3 + 2);
}

#[test]
fn a_crash_is_no_verdict() {
    let folder = corpus();
    let run = conform(&folder, "--minimize 0", "kill -SEGV $$");
    assert_eq!(
        run.fails(1),
        "hint: every run crashed; sanitizers need --memory 0\n"
    );
    let report = report(&folder, "--memory 0", "kill -SEGV $$");
    assert_eq!(
        (&report["crashes"], &report["wrong_verdicts"]),
        (&json!(3), &json!(0))
    );
    assert_eq!(
        report["groups"][0]["message"],
        "the loader crashes: SIGSEGV"
    );
    // A shell reports the signal as an exit status.
    let report = self::report(&folder, "--memory 0", "sh -c 'kill -ABRT $$'; exit $?");
    assert_eq!(
        report["groups"][0]["message"],
        "the loader crashes: SIGABRT"
    );
    assert_eq!(report["crashes"], 3);
}

#[test]
fn crash_statuses_are_configurable() {
    let folder = corpus();
    let script = format!("{CORRECT_LOADER} || exit 101");
    assert_eq!(conform(&folder, "", &script).status, 0);
    let report = report(&folder, "--crash-status 99,101", &script);
    assert_eq!(
        (&report["crashes"], &report["files"]),
        (&json!(1), &json!(3))
    );
    assert_eq!(report["groups"][0]["rule"], "MESH-INDEX-RANGE");
}

#[cfg(target_os = "linux")]
#[test]
fn a_hanging_loader_is_killed_with_its_children() {
    let folder = corpus();
    let script = "sleep 600 & echo $! >>pids; [ \"$1\" = walk.mesh ] || exit 0; wait";
    let start = Instant::now();
    let report = report(&folder, "--timeout 0.5 --minimize 0 --lenient", script);
    assert!(start.elapsed() < Duration::from_secs(60));
    assert_eq!(
        (&report["hangs"], &report["wrong_verdicts"]),
        (&json!(1), &json!(0))
    );
    assert_eq!(report["groups"][0]["smallest"]["file"], "walk.mesh");
    let pids = String::from_utf8(folder.get("pids")).unwrap();
    assert_eq!(pids.lines().count(), 3);
    pids.lines().for_each(wait_for_end);
}

#[cfg(target_os = "linux")]
#[test]
fn signals_also_kill_the_loader() {
    use rustix::process::{Pid, Signal, kill_process};
    let folder = corpus();
    let program = assert_cmd::cargo::cargo_bin!("meshspec");
    let mut command = std::process::Command::new(program);
    command.current_dir(folder.path("")).args([
        "conform",
        "index.jsonl",
        "--jobs",
        "1",
        "--",
        "sh",
        "-c",
    ]);
    let mut child = command
        .args(["echo $$ >pid; sleep 600", "loader", "{}"])
        .spawn()
        .unwrap();
    let pid = loop {
        match std::fs::read_to_string(folder.path("pid")) {
            Ok(pid) if pid.ends_with('\n') => break pid,
            _ => std::thread::sleep(Duration::from_millis(10)),
        }
    };
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), None);
    wait_for_end(pid.trim());
}

/// Fails unless a process ends soon. A killed process may take a moment.
#[cfg(target_os = "linux")]
fn wait_for_end(pid: &str) {
    let start = Instant::now();
    let is_running = || {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        // A zombie has ended, and waits for its adoptive parent.
        !stat.is_empty() && !stat.contains(") Z ")
    };
    while is_running() {
        assert!(
            start.elapsed() < Duration::from_secs(30),
            "process {pid} still runs"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn memory_is_limited() {
    let folder = corpus();
    for (options, limit) in [
        ("", "1048576"),
        ("--memory 64", "65536"),
        ("--memory 0", "unlimited"),
    ] {
        let script = format!("[ $(ulimit -v) = {limit} ]");
        assert_eq!(
            conform(&folder, &format!("--lenient {options}"), &script).status,
            0,
            "{options}"
        );
    }
    let script = "exec 2>/dev/null; head -c 100000000 /dev/zero | tail -n 1 >/dev/null";
    assert_eq!(conform(&folder, "--lenient", script).status, 0);
    assert_eq!(
        conform(&folder, "--lenient --memory 32 --minimize 0", script).status,
        1
    );
}

#[test]
fn printed_contents_are_compared() {
    let folder = corpus();
    let script = format!("{CORRECT_LOADER} && cat \"$1.json\"");
    assert_eq!(conform(&folder, "--contents always", &script).status, 0);
    // Partial contents are accepted.
    let script = format!("{CORRECT_LOADER} && echo '{{\"format\": \"mesh\"}}'");
    assert_eq!(conform(&folder, "", &script).status, 0);
    // No contents at all are fine unless they are required.
    assert_eq!(conform(&folder, "", CORRECT_LOADER).status, 0);
    let report = report(&folder, "--contents always", CORRECT_LOADER);
    assert_eq!(
        (&report["wrong_contents"], &report["groups"][0]["count"]),
        (&json!(2), &json!(2))
    );
    assert_eq!(
        report["groups"][0]["message"],
        "the loader prints no contents"
    );
}

#[test]
fn wrong_contents_are_reported_by_path() {
    let folder = corpus();
    let script = format!(
        "{CORRECT_LOADER} || {{ [ \"$1\" != bad.mesh ]; exit; }}; \
         [ \"$1\" = walk.mesh ] || {{ cat \"$1.json\"; exit; }}; \
         echo '{{\"meshes\": [{{\"indices\": [0, 1, 1]}}]}}'"
    );
    let report = report(&folder, "", &script);
    assert_eq!(
        (&report["wrong_contents"], &report["wrong_verdicts"]),
        (&json!(1), &json!(0))
    );
    let message = report["groups"][0]["message"].as_str().unwrap();
    assert_eq!(message, "meshes[0].indices[2]: found 1, expected 2");
    assert_eq!(conform(&folder, "--contents never", &script).status, 0);
    // Contents of one file and none of the other.
    let script = format!("{CORRECT_LOADER} || exit 1; [ \"$1\" = walk.mesh ] || cat \"$1.json\"");
    let report = self::report(&folder, "--minimize 0", &script);
    assert_eq!(report["groups"][0]["smallest"]["file"], "walk.mesh");
    assert_eq!(
        report["groups"][0]["message"],
        "the loader prints no contents"
    );
    // Rules of valid files are only warnings.
    let index = String::from_utf8(folder.get("index.jsonl")).unwrap();
    folder.put(
        "index.jsonl",
        index.replace("\"rule\":null", "\"rule\":\"MESH-TRIANGLES\""),
    );
    let report = self::report(&folder, "--minimize 0", &script);
    assert_eq!(
        (&report["groups"][0]["label"], &report["groups"][0]["rule"]),
        (&json!("valid mesh files"), &json!(null))
    );
    // Output that is not JSON.
    let script = format!("{CORRECT_LOADER} && echo '{{nan}}'");
    let report = self::report(&folder, "--minimize 0", &script);
    assert!(
        report["groups"][0]["message"]
            .as_str()
            .unwrap()
            .starts_with("standard output is not JSON"),
        "{report}"
    );
}

#[test]
fn output_is_bounded() {
    let folder = corpus();
    let script = format!("{CORRECT_LOADER} || exit 1; printf '{{'; head -c 70000000 /dev/zero");
    let report = report(&folder, "--minimize 0", &script);
    assert_eq!(
        report["groups"][0]["message"],
        "standard output is longer than 64 MiB"
    );
}

#[test]
fn a_minimised_file_keeps_wrong_contents() {
    let folder = corpus();
    // The loader prints the indices of the triangle for every file.
    let script = "case \"$1\" in bad.mesh) exit 1;; esac; echo '{\"meshes\": [{\"indices\": [0, 1, 2], \"vertices\": 9}]}'";
    let report = report(&folder, "", script);
    assert_eq!(report["groups"][0]["label"], "valid mesh files");
    assert_eq!(
        report["groups"][0]["message"],
        "meshes[0].vertices: found 9, expected 3"
    );
    let name = report["groups"][0]["minimized"]["file"].as_str().unwrap();
    assert_eq!(
        name,
        "minimized/valid-mesh-files-wrong-contents-meshes-vertices.mesh"
    );
    // Strict reading still accepts the minimized file, and its indices are unchanged.
    assert_eq!(folder.run(&format!("check --quiet {name}")).status, 0);
    assert!(
        folder
            .get(name)
            .windows(12)
            .any(|bytes| bytes == [0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0])
    );
}

#[test]
fn report_formats() {
    let folder = corpus();
    let xml = conform(&folder, "--format junit", "exit 0");
    assert_eq!(xml.status, 1);
    assert!(
        xml.stdout
            .contains(r#"<testsuite name="mesh" tests="3" skipped="0" errors="0" failures="1""#),
        "{xml:?}"
    );
    assert!(
        xml.stdout
            .contains(r#"<testcase name="bad.mesh" classname="MESH-INDEX-RANGE""#),
        "{xml:?}"
    );
    assert!(
        xml.stdout
            .contains(r#"<failure message="accepted, must be rejected" type="wrong verdict">"#),
        "{xml:?}"
    );
    let markdown = conform(&folder, "--format markdown", "exit 0").stdout;
    assert!(
        markdown
            .contains("\n| wrong verdict | MESH-INDEX-RANGE | 1 | accepted, must be rejected<br>"),
        "{markdown}"
    );
    let data = report(&folder, "", "exit 0");
    let keys: Vec<_> = data.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "command",
            "contents",
            "crashes",
            "files",
            "groups",
            "hangs",
            "index",
            "lenient",
            "wrong_contents",
            "wrong_verdicts"
        ]
    );
    assert_eq!(data["groups"][0]["files"], json!(["bad.mesh"]));
    let markdown = folder
        .run("conform . --lenient --format markdown -- true {}")
        .fine();
    assert!(
        markdown.ends_with(&format!(
            "`.`: verdicts of lenient reading, 3 files, no disagreement{NOT_COMPARED}.\n"
        )),
        "{markdown}"
    );
}

#[test]
fn invalid_arguments_fail_before_any_run() {
    let folder = corpus();
    let fails = |arguments: &str, status| folder.run(arguments).fails(status);
    assert!(fails("conform index.jsonl -- ./none {}", 2).contains("./none: no such program"));
    assert!(
        fails("conform index.jsonl -- true", 2)
            .contains("true: the command has no `{}`\nhint: write {}")
    );
    assert!(
        fails("conform index.jsonl --timeout 0 -- true {}", 2)
            .contains("not a positive number of seconds")
    );
    assert!(fails("conform none.jsonl -- true {}", 3).contains("none.jsonl"));
    folder.put("empty.jsonl", "\n");
    assert!(fails("conform empty.jsonl -- true {}", 2).contains("the index lists no files"));
    let index = String::from_utf8(folder.get("index.jsonl")).unwrap();
    folder.put("wrong.jsonl", format!("{}{{}}\n", &index));
    assert!(
        fails("conform wrong.jsonl -- true {}", 2)
            .contains("wrong.jsonl: line 4: missing field `file`")
    );
    folder.put(
        "gone.jsonl",
        index.replace("walk.mesh\",\"format", "gone.mesh\",\"format"),
    );
    assert!(fails("conform gone.jsonl -- touch ran-{}", 3).contains("gone.mesh: "));
    assert!(!folder.names().iter().any(|name| name.starts_with("ran")));
}
