//! `meshspec corpus`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::files::{Folder, Run};

/// Runs the example with a custom format, which cargo builds with the tests.
fn run_own(folder: &Folder, arguments: &str) -> Run {
    let mut example: PathBuf = assert_cmd::cargo::cargo_bin!("meshspec").into();
    example.set_file_name("examples");
    example.push(format!("height_field{}", std::env::consts::EXE_SUFFIX));
    folder.run_program(&example, arguments)
}

fn index(folder: &Folder, name: &str) -> Vec<Value> {
    let text = String::from_utf8(folder.get(&format!("{name}/index.jsonl"))).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn a_corpus_has_files_verdicts_and_contents() {
    let folder = Folder::new();
    let text = run_own(&folder, "corpus height_field --out a").fine();
    assert!(text.starts_with("height_field: "), "{text}");
    let rules = "\n  4 of 6 rules broken in isolation\n    never broken: LAYOUT-PACKING\n    never broken: LAYOUT-CHECKSUM\n";
    assert!(text.contains(rules), "{text}");
    assert!(text.contains("kinds of values in valid files\n"), "{text}");
    let cases = index(&folder, "a");
    let mut kinds = BTreeSet::new();
    for case in &cases {
        let file = folder.get(&format!("a/{}", case["file"].as_str().unwrap()));
        folder.put("file.hfld", &file);
        let check = run_own(&folder, "check --quiet file.hfld");
        let lenient = run_own(&folder, "check --quiet --lenient file.hfld");
        let verdict = |run: &Run| if run.status == 0 { "accept" } else { "reject" };
        assert_eq!(
            (&case["strict"], &case["lenient"]),
            (&json!(verdict(&check)), &json!(verdict(&lenient)))
        );
        kinds.insert(case["kind"].as_str().unwrap());
        if let Some(contents) = case["contents"].as_str() {
            let printed = run_own(&folder, "decode --json file.hfld").fine();
            assert_eq!(
                String::from_utf8(folder.get(&format!("a/{contents}"))).unwrap(),
                printed
            );
        }
    }
    assert_eq!(
        kinds,
        BTreeSet::from(["almost", "broken", "mutated", "valid"])
    );
    assert!(
        String::from_utf8(folder.get("a/README.md"))
            .unwrap()
            .contains("```python")
    );
    let schema: Value = serde_json::from_slice(&folder.get("a/index.schema.json")).unwrap();
    assert_eq!(
        schema["required"].as_array().unwrap().len(),
        cases[0].as_object().unwrap().len()
    );
    // Equal seeds generate equal corpora; different seeds generate different ones.
    run_own(&folder, "corpus height_field --out b").fine();
    assert_eq!(folder.get("a/index.jsonl"), folder.get("b/index.jsonl"));
    run_own(&folder, "corpus height_field --out c --seed 1").fine();
    assert_ne!(folder.get("a/index.jsonl"), folder.get("c/index.jsonl"));
}

#[test]
fn the_number_of_files_is_selectable() {
    let folder = Folder::new();
    let text = run_own(
        &folder,
        "corpus height_field --out a --count 500 --plausible --json",
    )
    .fine();
    let data: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(index(&folder, "a").len(), 500);
    let files = data[0]["files"].as_object().unwrap();
    assert_eq!(
        files
            .values()
            .map(|count| count.as_u64().unwrap())
            .sum::<u64>(),
        500
    );
    assert_eq!(
        data[0]["rules"][0],
        json!({ "code": "LAYOUT-TRUNCATED", "broken": data[0]["rules"][0]["broken"], "almost": 1 })
    );
    let heights = data[0]["fields"]
        .as_array()
        .unwrap()
        .iter()
        .find(|field| field["field"] == "heights")
        .unwrap();
    assert!(
        heights["kinds"]["several items"].as_u64().unwrap() > 10,
        "{heights}"
    );
    // All numbers are ordinary.
    for kind in ["infinity", "largest", "signalling NaN"] {
        assert!(
            heights["never"].as_array().unwrap().contains(&json!(kind)),
            "{heights}"
        );
    }
}

#[test]
fn existing_corpora_are_kept_without_force() {
    let folder = Folder::new();
    fs::create_dir(folder.path("a")).unwrap();
    folder.put("a/index.jsonl", "precious");
    let message = run_own(&folder, "corpus height_field --out a").fails(2);
    assert!(
        message.contains("a/index.jsonl: the file already exists"),
        "{message}"
    );
    assert_eq!(fs::read_dir(folder.path("a")).unwrap().count(), 1);
    run_own(&folder, "corpus height_field --out a --force").fine();
    assert!(index(&folder, "a").len() > 50);
    folder.put("file", "");
    run_own(&folder, "corpus height_field --out file/a").fails(3);
}

/// `.ci/run` compares the corpora of all formats.
#[test]
fn the_committed_corpus_is_current() {
    let folder = Folder::new();
    folder.run("corpus seed --out new").fine();
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    let index = fs::read_to_string(committed.join("index.jsonl")).unwrap();
    let index: Vec<Value> = index
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let old: Vec<_> = index
        .iter()
        .filter(|case| case["format"] == "seed")
        .collect();
    let new = self::index(&folder, "new");
    assert!(old.len() > 100, "{} files", old.len());
    let advice = "update the corpus: meshspec corpus mesh crucible iyma seed bmd --out corpus";
    assert_eq!(old, new.iter().collect::<Vec<_>>(), "{advice}");
    for name in old
        .iter()
        .flat_map(|case| [&case["file"], &case["contents"]])
        .filter_map(Value::as_str)
    {
        assert!(
            fs::read(committed.join(name)).unwrap() == folder.get(&format!("new/{name}")),
            "{name}: {advice}"
        );
    }
}

#[test]
#[ignore = "takes ten seconds of processor time: `.ci/run` runs it"]
fn summaries_of_one_dialect_omit_others() {
    let folder = Folder::new();
    let text = folder.run("corpus mesh --dialect renderlib --out a").fine();
    let unbroken: Vec<_> = text
        .lines()
        .filter(|line| line.contains("never broken"))
        .collect();
    assert_eq!(
        unbroken,
        [
            "    never broken in the renderlib dialect: MESH-NO-STRINGS (spans animations and strings)"
        ]
    );
    assert!(!text.contains("\n    strings "), "{text}");
    assert!(text.contains("\n    header.root_transform "), "{text}");
}

#[test]
fn wrong_usage() {
    let folder = Folder::new();
    for arguments in [
        "corpus",
        "corpus --out a",
        "corpus mesh",
        "corpus obj --out a",
    ] {
        folder.run(arguments).fails(2);
    }
    let message = folder
        .run("corpus mesh bmd --out a --dialect renderlib")
        .fails(2);
    assert!(
        message.contains("bmd has no renderlib dialect, only spec"),
        "{message}"
    );
    assert!(folder.names().is_empty());
}
