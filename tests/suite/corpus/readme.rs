//! The `README.md` of a corpus: runs its comparison programs in C and Python with loaders whose verdicts and contents
//! are known.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use meshspec::conformance::corpus::{CaseKind, IndexEntry, README, Verdict};
use meshspec::{Format as _, mesh};

use crate::corpus::{self, cases};

/// Returns the programs in the README that are written in a language.
fn programs(language: &str) -> impl Iterator<Item = &'static str> {
    README
        .split("```")
        .filter_map(move |block| block.strip_prefix(language)?.strip_prefix('\n'))
}

/// Compiles the C program of the README with a loader that always returns `verdict`, using the command of the README.
fn comparison_in_c(folder: &Path, compiler: &str, options: &[&str], verdict: i32) {
    let line = README
        .lines()
        .find_map(|line| line.strip_prefix("cc -g "))
        .unwrap();
    let line = line.split('#').next().unwrap();
    fs::write(folder.join("compare.c"), programs("c").next().unwrap()).unwrap();
    let code = "#include <stddef.h>\nint load(const unsigned char *b, size_t n) { (void)b, (void)n; return VERDICT; }\n";
    fs::write(
        folder.join("my_loader.c"),
        code.replace("VERDICT", &verdict.to_string()),
    )
    .unwrap();
    let mut command = Command::new(compiler);
    command
        .current_dir(folder)
        .args(options)
        .args(line.split_whitespace());
    assert!(
        command
            .args(["-Wall", "-Wextra", "-Werror"])
            .status()
            .unwrap()
            .success()
    );
}

/// Runs the C program of the README.
fn compare_in_c(folder: &Path, arguments: &[&OsStr]) -> Output {
    Command::new(folder.join("compare"))
        .args(arguments)
        .output()
        .unwrap()
}

/// A loader that accepts everything disagrees on every invalid file; a loader that rejects everything disagrees on
/// every other file.
#[test]
fn the_readme_compares_a_loader_in_c() {
    let folder = tempfile::tempdir().unwrap();
    let (compiler, corpus) = (
        std::env::var("CC").unwrap_or_else(|_| "cc".to_owned()),
        corpus::folder(),
    );
    for verdict in [0, 1] {
        comparison_in_c(folder.path(), &compiler, &["-std=c99"], verdict);
        for filter in [None, Some("mesh"), Some("mesh/spec")] {
            let selected = || {
                let is_selected = |file: &str| {
                    filter.is_none_or(|filter| file.starts_with(&format!("{filter}/")))
                };
                cases()
                    .map(|(entry, _)| entry)
                    .filter(move |entry| is_selected(&entry.file))
            };
            let rejected = selected()
                .filter(|entry| entry.strict == Verdict::Reject)
                .count();
            let wrong = if verdict == 0 {
                rejected
            } else {
                selected().count() - rejected
            };
            let arguments: Vec<_> = [corpus.as_os_str()]
                .into_iter()
                .chain(filter.map(OsStr::new))
                .collect();
            let run = compare_in_c(folder.path(), &arguments);
            let printed = String::from_utf8(run.stdout).unwrap();
            let end = format!("{} files, {wrong} disagreements", selected().count());
            assert_eq!(printed.lines().last(), Some(&*end));
            assert_eq!(
                (printed.lines().count(), run.status.code()),
                (wrong + 1, Some(1))
            );
        }
    }
    for (arguments, message) in [
        (vec![], "usage: "),
        (vec!["nowhere".as_ref()], "nowhere/index.jsonl: "),
        (vec![corpus.as_os_str(), "mes".as_ref()], "no files of mes"),
    ] {
        let run = compare_in_c(folder.path(), &arguments);
        let printed = String::from_utf8(run.stderr).unwrap();
        assert!(
            run.status.code() == Some(2) && printed.starts_with(message),
            "{printed}"
        );
    }
}

#[test]
#[ignore = "needs a C++ compiler"]
fn the_readme_compares_a_loader_in_cpp() {
    let folder = tempfile::tempdir().unwrap();
    comparison_in_c(folder.path(), "c++", &["-x", "c++"], 0);
    let run = compare_in_c(folder.path(), &[corpus::folder().as_os_str()]);
    let wrong = cases()
        .filter(|(entry, _)| entry.strict == Verdict::Reject)
        .count();
    let end = format!("{} files, {wrong} disagreements", cases().count());
    assert_eq!(
        String::from_utf8(run.stdout).unwrap().lines().last(),
        Some(&*end)
    );
    assert_eq!(run.status.code(), Some(1));
}

/// Creates a folder with the Python programs of the README, and the part of the repository's corpus whose entries
/// `lines` selects.
fn comparison_in_python(lines: impl Fn(&IndexEntry) -> bool) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, program) in ["compare.py", "contents.py"]
        .into_iter()
        .zip(programs("python"))
    {
        fs::write(folder.path().join(name), program).unwrap();
    }
    let mut index = String::new();
    for line in corpus::index().lines() {
        let entry: IndexEntry = serde_json::from_str(line).unwrap();
        if lines(&entry) {
            index += &format!("{line}\n");
            for file in [Some(entry.file), entry.contents].into_iter().flatten() {
                let copy = folder.path().join(&file);
                fs::create_dir_all(copy.parent().unwrap()).unwrap();
                fs::copy(corpus::folder().join(file), copy).unwrap();
            }
        }
    }
    fs::write(folder.path().join("index.jsonl"), index).unwrap();
    folder
}

/// Runs the Python program with a loader. Returns the lines that it prints.
fn compare(folder: &Path, loader: &Path, arguments: &[&str]) -> Vec<String> {
    let mut command = Command::new("python3");
    command
        .arg(folder.join("compare.py"))
        .arg(folder)
        .arg("python3")
        .arg(loader);
    let run = command.args(arguments).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&run.stderr), "");
    let lines: Vec<_> = String::from_utf8(run.stdout)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect();
    assert_eq!(
        run.status.code(),
        Some(i32::from(lines.len() > 1)),
        "{lines:?}"
    );
    lines
}

#[test]
#[ignore = "needs python3"]
fn the_readme_accepts_a_correct_loader_in_python() {
    let folder = comparison_in_python(|entry| entry.format == "crucible");
    let loader = Path::new(crate::common::ROOT).join("examples/loaders/crucible_loader.py");
    let cases: Vec<_> = cases()
        .map(|(entry, _)| entry)
        .filter(|entry| entry.format == "crucible")
        .collect();
    let (all, compared) = (
        cases.len(),
        cases
            .iter()
            .filter(|entry| entry.contents.is_some())
            .count(),
    );
    assert!(compared > 10, "{compared}");
    let lines = compare(folder.path(), &loader, &["--fixed"]);
    assert_eq!(
        lines,
        [format!(
            "{all} files, contents of {compared} compared, 0 disagreements"
        )]
    );
    // Changes one value in one file.
    let changed = cases.iter().find_map(|entry| {
        let path = folder.path().join(entry.contents.as_ref()?);
        let contents = fs::read_to_string(&path).unwrap();
        let (start, rest) = contents.split_once("\"bits\":[\"")?;
        let digit = if rest.starts_with('3') { "4" } else { "3" };
        fs::write(path, format!("{start}\"bits\":[\"{digit}{}", &rest[1..])).unwrap();
        Some(&entry.file)
    });
    let lines = compare(folder.path(), &loader, &["--fixed"]);
    assert!(
        lines[0].starts_with(&format!("{}: wrong contents. ", changed.unwrap())),
        "{lines:?}"
    );
    assert_eq!(
        lines[1..],
        [format!(
            "{all} files, contents of {compared} compared, 1 disagreements"
        )]
    );
}

/// The program accepts contents in any form that `docs/contents.md` allows, and rejects partly wrong contents.
#[test]
#[ignore = "needs python3"]
fn the_readme_accepts_every_form_of_contents() {
    let has_tolerance = |entry: &IndexEntry| {
        let path = entry
            .contents
            .as_ref()
            .filter(|_| entry.format == "bmd" && entry.kind == CaseKind::Valid);
        path.is_some_and(|path| {
            fs::read_to_string(corpus::folder().join(path))
                .unwrap()
                .contains("\"tolerance\"")
        })
    };
    let files: Vec<_> = cases()
        .map(|(entry, _)| entry)
        .filter(has_tolerance)
        .take(8)
        .collect();
    let count = files.len();
    assert_eq!(count, 8);
    let folder = comparison_in_python(|entry| files.contains(entry));
    let loader = folder.path().join("load.py");
    fs::write(&loader, FORMS).unwrap();
    for (form, wrong) in [
        ("whole", 0),
        ("bits", 0),
        ("upper", 0),
        ("flat", 0),
        ("nested", 0),
        ("short", 0),
        ("near", 0),
        ("far", count),
        ("more", count),
        ("unknown", count),
    ] {
        let lines = compare(folder.path(), &loader, &[form]);
        let end = format!("{count} files, contents of {count} compared, {wrong} disagreements");
        assert_eq!(
            (lines.len(), lines.last()),
            (wrong + 1, Some(&end)),
            "{form}: {lines:?}"
        );
    }
}

/// A Python loader that prints the contents of a file in different forms.
const FORMS: &str = r#"
import json, pathlib, sys
form, file = sys.argv[1], pathlib.Path(sys.argv[2])
def change(value):
    if isinstance(value, list):
        return [change(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "shape" not in value or "values" not in value:
        return {key: change(inner) for key, inner in value.items()}
    values, tolerance = value["values"], value.get("tolerance")
    moved = [number if number is None or "bits" not in value else number + by for number in values
             for by in [(tolerance or 0) * {"near": 0.5, "far": 2}.get(form, 0)]]
    forms = {
        "bits": {"bits": value["bits"]} if "bits" in value else {},
        "upper": {"bits": [bits and bits.upper() for bits in value.get("bits", [])]} if "bits" in value else {},
        "flat": values, "nested": [[number] for number in values],
        "short": [float(f"{number:.9g}") if "bits" in value and number is not None else number for number in values],
        "near": {"values": moved}, "far": {"values": moved}, "more": values + [0],
        "unknown": value | {"colour": 1},
    }
    return forms.get(form, value)
print(json.dumps(change(json.loads(file.with_suffix(".json").read_text(encoding="utf-8")))))
"#;

/// For a Python loader that enforces only one MESH rule, the program finds the other invalid files.
#[test]
#[ignore = "needs python3"]
fn the_readme_compares_a_loader_in_python() {
    let folder = comparison_in_python(|_| false);
    let loader = folder.path().join("load.py");
    fs::write(
        &loader,
        "import sys\ndata = open(sys.argv[1], 'rb').read()\nsys.exit(len(data) < 13)\n",
    )
    .unwrap();
    let document = mesh::Document::default()
        .write(&Default::default())
        .unwrap();
    fs::write(folder.path().join("valid.mesh"), &document).unwrap();
    fs::write(folder.path().join("short.mesh"), &document[..12]).unwrap();
    fs::write(
        folder.path().join("wrong.mesh"),
        [&[2], &document[1..]].concat(),
    )
    .unwrap();
    let line = |file: &str, strict: &str| {
        format!(
            "{{\"file\":\"{file}\",\"strict\":\"{strict}\",\"rule\":null,\"description\":\"\",\"contents\":null}}\n"
        )
    };
    let index = [
        line("valid.mesh", "accept"),
        line("short.mesh", "reject"),
        line("wrong.mesh", "reject"),
    ];
    fs::write(folder.path().join("index.jsonl"), index.concat()).unwrap();
    assert_eq!(
        compare(folder.path(), &loader, &[]),
        [
            "wrong.mesh: accept, expected reject. None: ",
            "3 files, contents of 0 compared, 1 disagreements"
        ]
    );
}

/// Crashes never count as rejections, and malformed output affects only its file.
#[test]
#[ignore = "needs python3"]
fn the_readme_tells_crashes_from_rejections() {
    let folder = comparison_in_python(|_| false);
    let files = ["signal", "shell", "exception", "exit", "malformed", "right"];
    let index = files.map(|file| {
        let strict = if matches!(file, "malformed" | "right") { "accept" } else { "reject" };
        format!(
            "{{\"file\":\"mesh/{file}\",\"strict\":\"{strict}\",\"rule\":null,\"description\":\"\",\"contents\":\"all.json\"}}\n"
        )
    });
    fs::write(folder.path().join("index.jsonl"), index.concat()).unwrap();
    fs::write(folder.path().join("all.json"), "{}").unwrap();
    let loader = folder.path().join("load.py");
    fs::write(&loader, ENDS).unwrap();
    let lines = compare(folder.path(), &loader, &[]);
    assert_eq!(
        lines[..3],
        ["signal", "shell", "exception"]
            .map(|file| { format!("mesh/{file}: crash, expected reject. None: ") })
    );
    assert!(
        lines[3].starts_with("mesh/malformed: prints no JSON: "),
        "{lines:?}"
    );
    assert_eq!(
        lines[4..],
        ["6 files, contents of 2 compared, 4 disagreements"]
    );
    let run = |arguments: &[&str]| {
        let mut command = Command::new("python3");
        let run = command
            .current_dir(folder.path())
            .arg("compare.py")
            .args(arguments)
            .output()
            .unwrap();
        (
            run.status.code(),
            String::from_utf8(run.stdout).unwrap() + &String::from_utf8(run.stderr).unwrap(),
        )
    };
    let usage = "usage: compare.py [--only FORMAT[/DIALECT]] FOLDER LOADER [ARGUMENT...]\ncompare.py: error: ";
    for (arguments, message) in [
        (&["."][..], "the following arguments are required: "),
        (&["nowhere", "python3"], "[Errno 2] "),
        (&[".", "./nothing"], "[Errno 2] "),
        (&["--only", "mes", ".", "python3"], "no files of mes"),
    ] {
        let (status, printed) = run(arguments);
        assert!(
            status == Some(2) && printed.starts_with(&format!("{usage}{message}")),
            "{printed}"
        );
    }
    let (_, printed) = run(&["--only", "mesh", ".", "python3", "load.py"]);
    assert!(printed.contains("\n6 files, "), "{printed}");
}

/// A Python loader that exits or crashes in the way that the file name specifies.
const ENDS: &str = r#"
import os, signal, sys
name = os.path.basename(sys.argv[1])
if name == "signal":
    os.kill(os.getpid(), signal.SIGSEGV)
if name == "exception":
    raise IndexError
if name in ("malformed", "right"):
    sys.exit(print("{" if name == "malformed" else "{}"))
sys.exit(139 if name == "shell" else 255)
"#;
