//! The `README.md` of a corpus: its comparison scripts in C and Python, run with loaders of known verdicts and
//! contents.

use std::fs;
use std::path::Path;

use meshspec::conformance::corpus::{Entry, Kind, README, Verdict};
use meshspec::{Format as _, mesh};

use crate::corpus::{self, cases};

/// Compiles and runs the page's C program with a loader that accepts everything: every invalid file is a
/// disagreement.
#[test]
fn the_readme_compares_a_loader_in_c() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("compare.c");
    fs::write(&page, README.split("```c\n").nth(1).unwrap().split("```").next().unwrap()).unwrap();
    let rejected = cases().filter(|(entry, _)| entry.strict == Verdict::Reject).count();
    for (verdict, wrong) in [(0, rejected), (1, cases().count() - rejected)] {
        let (loader, program) = (folder.path().join("load.c"), folder.path().join("compare"));
        let code = format!(
            "#include <stddef.h>\nint load(const unsigned char *b, size_t n) {{ (void)b, (void)n; return {verdict}; }}\n"
        );
        fs::write(&loader, code).unwrap();
        let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
        let mut command = std::process::Command::new(compiler);
        command.args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-o"]).arg(&program).args([&page, &loader]);
        assert!(command.status().unwrap().success());
        let run = std::process::Command::new(&program).arg(corpus::folder()).output().unwrap();
        let printed = String::from_utf8(run.stdout).unwrap();
        let end = format!("{} files, {wrong} disagreements", cases().count());
        assert_eq!(printed.lines().last(), Some(&*end));
        assert_eq!((printed.lines().count(), run.status.code()), (wrong + 1, Some(1)));
    }
}

/// Returns the page's Python command, with a folder that holds a subset of the repository's corpus.
fn comparison_in_python(lines: impl Fn(&Entry) -> bool) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let page = README.split("```python\n").nth(1).unwrap().split("```").next().unwrap();
    fs::write(folder.path().join("compare.py"), page).unwrap();
    let mut index = String::new();
    for line in corpus::index().lines() {
        let entry: Entry = serde_json::from_str(line).unwrap();
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

/// Compares a Python loader. Returns the lines that the command prints.
fn compare(folder: &Path, loader: &Path, arguments: &[&str]) -> Vec<String> {
    let mut command = std::process::Command::new("python3");
    command.arg(folder.join("compare.py")).arg(folder).arg("python3").arg(loader);
    let run = command.args(arguments).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&run.stderr), "");
    let lines: Vec<_> = String::from_utf8(run.stdout).unwrap().lines().map(str::to_owned).collect();
    assert_eq!(run.status.code(), Some(i32::from(lines.len() > 1)), "{lines:?}");
    lines
}

#[test]
#[ignore = "needs python3"]
fn the_readme_accepts_a_correct_loader_in_python() {
    let folder = comparison_in_python(|entry| entry.format == "crucible");
    let loader = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/loaders/crucible_loader.py");
    let cases: Vec<_> = cases().map(|(entry, _)| entry).filter(|entry| entry.format == "crucible").collect();
    let (all, compared) = (cases.len(), cases.iter().filter(|entry| entry.contents.is_some()).count());
    assert!(compared > 10, "{compared}");
    let lines = compare(folder.path(), &loader, &["--fixed"]);
    assert_eq!(lines, [format!("{all} files, contents of {compared} compared, 0 disagreements")]);
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
    assert!(lines[0].starts_with(&format!("{}: other contents. ", changed.unwrap())), "{lines:?}");
    assert_eq!(lines[1..], [format!("{all} files, contents of {compared} compared, 1 disagreements")]);
}

/// Contents in any form that `docs/contents.md` allows agree; partly wrong contents do not.
#[test]
#[ignore = "needs python3"]
fn the_readme_accepts_every_form_of_contents() {
    let has_tolerance = |entry: &Entry| {
        let path = entry.contents.as_ref().filter(|_| entry.format == "bmd" && entry.kind == Kind::Valid);
        path.is_some_and(|path| {
            fs::read_to_string(corpus::folder().join(path)).unwrap().contains("\"tolerance\"")
        })
    };
    let files: Vec<_> = cases().map(|(entry, _)| entry).filter(has_tolerance).take(8).collect();
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
        assert_eq!((lines.len(), lines.last()), (wrong + 1, Some(&end)), "{form}: {lines:?}");
    }
}

/// Prints the contents of a file in another form.
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

/// A Python loader that enforces one MESH rule: the page's command finds what it misses.
#[test]
#[ignore = "needs python3"]
fn the_readme_compares_a_loader_in_python() {
    let folder = comparison_in_python(|_| false);
    let loader = folder.path().join("load.py");
    fs::write(&loader, "import sys\ndata = open(sys.argv[1], 'rb').read()\nsys.exit(len(data) < 13)\n")
        .unwrap();
    let document = mesh::Document::default().write(&Default::default()).unwrap();
    fs::write(folder.path().join("valid.mesh"), &document).unwrap();
    fs::write(folder.path().join("short.mesh"), &document[..12]).unwrap();
    fs::write(folder.path().join("wrong.mesh"), [&[2], &document[1..]].concat()).unwrap();
    let line = |file: &str, strict: &str| {
        format!(
            "{{\"file\":\"{file}\",\"strict\":\"{strict}\",\"rule\":null,\"description\":\"\",\"contents\":null}}\n"
        )
    };
    let index = [line("valid.mesh", "accept"), line("short.mesh", "reject"), line("wrong.mesh", "reject")];
    fs::write(folder.path().join("index.jsonl"), index.concat()).unwrap();
    assert_eq!(
        compare(folder.path(), &loader, &[]),
        ["wrong.mesh: accept, expected reject. None: ", "3 files, contents of 0 compared, 1 disagreements"]
    );
}
