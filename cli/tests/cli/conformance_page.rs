//! `docs/conformance.md`: its commands print what it shows, with the loaders of `examples/loaders`.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::files::Folder;

const PAGE: &str = include_str!("../../../docs/conformance.md");

#[test]
#[ignore = "takes ten seconds of processor time: `.ci/run` runs it"]
fn the_loader_in_c() {
    assert_eq!(run_section("I write a loader in C"), 7);
}

#[test]
#[ignore = "needs python3"]
fn the_loader_in_python() {
    assert_eq!(run_section("I write a loader in Python"), 3);
}

#[test]
#[ignore = "takes ten seconds of processor time: `.ci/run` runs it"]
fn the_loader_in_rust() {
    assert_eq!(run_section("I test my Rust crate"), 4);
}

#[test]
fn excerpts_of_loaders() {
    for (language, file) in [("c", "mesh_loader.c"), ("python", "crucible_loader.py")] {
        let excerpt = PAGE.split(&format!("```{language}\n")).nth(1).unwrap().split("```").next().unwrap();
        let loader = fs::read_to_string(loaders().join(file)).unwrap();
        assert!(loader.contains(excerpt), "{file} has no such lines:\n{excerpt}");
    }
}

fn loaders() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/loaders")
}

/// Runs the commands of a section in a folder with the loaders, and compares what they print. Returns how many there
/// are.
fn run_section(title: &str) -> usize {
    let section = PAGE.split(&format!("\n## {title}\n")).nth(1).unwrap().split("\n## ").next().unwrap();
    let folder = Folder::new();
    for loader in fs::read_dir(loaders()).unwrap().map(Result::unwrap) {
        fs::copy(loader.path(), folder.path(loader.file_name().to_str().unwrap())).unwrap();
    }
    let blocks = section.split("```console\n").skip(1).filter_map(|rest| rest.split("```").next());
    let examples: Vec<&str> = blocks.flat_map(|block| block.split("$ ").skip(1)).collect();
    for example in &examples {
        let (command, expected) = example.split_once('\n').unwrap();
        assert_shows(expected, &run(command, &folder), command);
    }
    examples.len()
}

/// Runs a command by the shell, which finds the program that is tested.
fn run(command: &str, folder: &Folder) -> String {
    let program = assert_cmd::cargo::cargo_bin!("meshspec");
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let mut shell = Command::new("sh");
    let output = shell.args(["-c", command]).current_dir(folder.path("")).env("PATH", path).output().unwrap();
    String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
}

/// Fails unless the lines are those of the page. Numbers may differ; `…` stands for any lines.
#[track_caller]
fn assert_shows(expected: &str, printed: &str, command: &str) {
    let (expected, mut rest) = (without_numbers(expected), &*without_numbers(printed));
    for (index, part) in expected.split("…\n").enumerate() {
        let place = rest.find(part).filter(|place| index > 0 || *place == 0);
        let place = place.unwrap_or_else(|| panic!("$ {command}\n{printed}"));
        rest = &rest[place + part.len()..];
    }
    assert!(rest.is_empty() || expected.ends_with("…\n"), "$ {command}\n{printed}");
}

/// The text with 0 for each number, and without plurals.
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
        .fold(kept, |text, word| text.replace(&format!("0 {word}s"), &format!("0 {word}")))
}
