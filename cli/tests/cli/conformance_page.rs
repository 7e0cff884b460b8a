//! `docs/conformance.md`: its commands print the shown output, with the loaders of `examples/loaders`.
//!
//! `UPDATE_GOLDEN=1 cargo test -p meshspec-cli conformance_page -- --include-ignored` updates the shown output. Omissions
//! remain: `…` matches any lines up to the next blank line.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use meshspec::Dialect;
use meshspec::conformance::corpus::IndexEntry;

use crate::files::Folder;

/// The corpus that the commands of a section read.
#[derive(Clone, Copy, PartialEq)]
enum Corpus {
    /// Generated with the command on the page; the whole output is compared.
    Generated,
    /// The files of a format and dialect in the repository: numbers may differ.
    Committed(&'static str, Dialect),
}

#[test]
fn the_loader_in_c_over_the_corpus_of_the_repository() {
    assert_eq!(
        run_section(
            "I write a loader in C",
            Corpus::Committed("mesh", Dialect::SPEC)
        ),
        7
    );
}

#[test]
#[ignore = "takes ten seconds of processor time: `.ci/run` runs it"]
fn the_loader_in_c() {
    assert_eq!(run_section("I write a loader in C", Corpus::Generated), 7);
}

#[test]
#[ignore = "needs python3"]
fn the_loader_in_python() {
    assert_eq!(
        run_section("I write a loader in Python", Corpus::Generated),
        3
    );
}

#[test]
#[ignore = "takes ten seconds of processor time: `.ci/run` runs it"]
fn the_loader_in_rust() {
    assert_eq!(run_section("I test my Rust crate", Corpus::Generated), 4);
}

#[test]
fn excerpts_of_loaders() {
    let page = fs::read_to_string(page()).unwrap();
    for (language, file) in [("c", "mesh_loader.c"), ("python", "crucible_loader.py")] {
        let excerpt = page
            .split(&format!("```{language}\n"))
            .nth(1)
            .unwrap()
            .split("```")
            .next()
            .unwrap();
        let loader = fs::read_to_string(loaders().join(file)).unwrap();
        assert!(
            loader.contains(excerpt),
            "{file} has no such lines:\n{excerpt}"
        );
    }
}

#[test]
fn shown_lines_are_compared() {
    let printed = "wrong verdict: A, 2 files\n  rule  a\n  at    b\n\nwrong verdict: B, 1 file\n\ncorpus: 31 files\n";
    assert_eq!(shown(printed, printed).as_deref(), Some(printed));
    let short = "wrong verdict: A, 9 files\n…\n\nwrong verdict: B, 1 file\n\ncorpus: 30 files\n";
    let renewed = short.replace("9 files", "2 files").replace("30", "31");
    assert_eq!(shown(short, printed), Some(renewed));
    // No group, no line of a group and no end may be missing.
    assert_eq!(
        shown(
            "wrong verdict: A, 2 files\n…\n\ncorpus: 31 files\n",
            printed
        ),
        None
    );
    assert_eq!(
        shown(
            "wrong verdict: A, 2 files\n  at    b\n…\ncorpus: 31 files\n",
            printed
        ),
        None
    );
    assert_eq!(shown("wrong verdict: A, 2 files\n…\n", printed), None);
    assert_eq!(shown("…\ncorpus: 31 files\n", printed), None);
}

fn page() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/conformance.md")
}

fn loaders() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/loaders")
}

/// Runs the commands of a section in a folder with the loaders, and compares their output. Returns their number.
fn run_section(title: &str, corpus: Corpus) -> usize {
    let page = fs::read_to_string(page()).unwrap();
    let section = page
        .split(&format!("\n## {title}\n"))
        .nth(1)
        .unwrap()
        .split("\n## ")
        .next()
        .unwrap();
    let folder = Folder::new();
    for loader in fs::read_dir(loaders()).unwrap().map(Result::unwrap) {
        fs::copy(
            loader.path(),
            folder.path(loader.file_name().to_str().unwrap()),
        )
        .unwrap();
    }
    let blocks = section
        .split("```console\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next());
    let examples: Vec<&str> = blocks.flat_map(|block| block.split("$ ").skip(1)).collect();
    for example in &examples {
        let (command, expected) = example.split_once('\n').unwrap();
        match corpus {
            Corpus::Committed(format, dialect) if command.starts_with("meshspec corpus ") => {
                copy_corpus(&folder, format, dialect);
            }
            _ => compare(command, expected, &run(command, &folder), corpus),
        }
    }
    examples.len()
}

/// Copies the files of a format and dialect in the repository to the folder `corpus`.
fn copy_corpus(folder: &Folder, format: &str, dialect: Dialect) {
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    let mut index = String::new();
    for line in fs::read_to_string(committed.join("index.jsonl"))
        .unwrap()
        .lines()
    {
        let entry: IndexEntry = serde_json::from_str(line).unwrap();
        if (&*entry.format, entry.dialect) != (format, dialect) {
            continue;
        }
        for file in [Some(entry.file), entry.contents].into_iter().flatten() {
            let copy = folder.path("corpus").join(&file);
            fs::create_dir_all(copy.parent().unwrap()).unwrap();
            fs::copy(committed.join(file), copy).unwrap();
        }
        index += &format!("{line}\n");
    }
    folder.put("corpus/index.jsonl", index);
}

/// Runs a command in a shell that finds the tested program.
fn run(command: &str, folder: &Folder) -> String {
    let program = assert_cmd::cargo::cargo_bin!("meshspec");
    let path = format!(
        "{}:{}",
        program.parent().unwrap().display(),
        std::env::var("PATH").unwrap()
    );
    let mut shell = Command::new("sh");
    let output = shell
        .args(["-c", command])
        .current_dir(folder.path(""))
        .env("PATH", path)
        .output()
        .unwrap();
    String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
}

/// Fails unless a command prints the shown output, or updates the page.
#[track_caller]
fn compare(command: &str, expected: &str, printed: &str, corpus: Corpus) {
    static WRITING: Mutex<()> = Mutex::new(());
    let shown = shown(expected, printed).unwrap_or_else(|| panic!("$ {command}\n{printed}"));
    if corpus != Corpus::Generated || shown == expected {
        return;
    }
    assert!(
        std::env::var_os("UPDATE_GOLDEN").is_some(),
        "$ {command}\n{printed}\nsee UPDATE_GOLDEN"
    );
    let _writing = WRITING.lock().unwrap();
    let old = fs::read_to_string(page()).unwrap();
    let example = |lines: &str| format!("$ {command}\n{lines}");
    fs::write(page(), old.replace(&example(expected), &example(&shown))).unwrap();
}

/// Returns the printed lines that replace the shown ones; `None` if they differ in more than numbers.
fn shown(expected: &str, printed: &str) -> Option<String> {
    let mut printed = printed.lines().peekable();
    let mut shown = String::new();
    let mut may_skip = false;
    for line in expected.lines() {
        if line == "…" {
            may_skip = true;
            shown += "…\n";
            continue;
        }
        let is_it = |printed: &&str| without_numbers(printed) == without_numbers(line);
        while may_skip
            && printed
                .next_if(|line| !is_it(line) && !line.is_empty())
                .is_some()
        {}
        shown += &format!("{}\n", printed.next_if(is_it)?);
        may_skip = false;
    }
    while may_skip && printed.next_if(|line| !line.is_empty()).is_some() {}
    printed.next().is_none().then_some(shown)
}

/// Replaces numbers by 0, and removes plurals.
fn without_numbers(text: &str) -> String {
    let mut kept = String::new();
    for c in text.chars() {
        match c {
            c if !c.is_ascii_digit() => kept.push(c),
            _ if kept.ends_with('0') => {}
            _ => kept.push('0'),
        }
    }
    ["run", "file", "wrong verdict"]
        .iter()
        .fold(kept, |text, word| {
            text.replace(&format!("0 {word}s"), &format!("0 {word}"))
        })
}
