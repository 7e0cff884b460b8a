//! Lists of files, JSON lines, logs and resuming.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::files::{Folder, animated, broken_triangle, triangle};

/// Three valid files, two of them with the same name, and an invalid one.
fn library() -> Folder {
    let folder = Folder::new();
    for name in ["a", "b"] {
        fs::create_dir_all(folder.path(name)).unwrap();
        folder.put_mesh(&format!("{name}/same.mesh"), &triangle());
    }
    folder.put_mesh("a/walk.mesh", &animated());
    folder.put_mesh("b/bad.mesh", &broken_triangle());
    folder.put(
        "list",
        "a/same.mesh\na/walk.mesh\r\n\nb/same.mesh\nb/bad.mesh",
    );
    folder
}

fn lines(text: &[u8]) -> Vec<Value> {
    let lines = std::str::from_utf8(text).unwrap().lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn files(rows: &[Value]) -> BTreeSet<&str> {
    rows.iter()
        .map(|row| row["file"].as_str().unwrap())
        .collect()
}

const ALL: [&str; 4] = ["a/same.mesh", "a/walk.mesh", "b/bad.mesh", "b/same.mesh"];

#[test]
fn lists_name_files_by_line_or_by_nul() {
    let folder = library();
    folder.put(
        "nul",
        b"a/same.mesh\0a/walk.mesh\0b/same.mesh\0b/bad.mesh\0",
    );
    for list in ["list", "nul", "-"] {
        let run = folder.run_with(
            &format!("check --files-from {list} --json-lines"),
            folder.get("nul"),
        );
        assert_eq!(run.status, 1, "{}", run.stderr);
        assert_eq!(files(&lines(run.stdout.as_bytes())), ALL.into());
    }
    let run = folder.run("info --files-from nul a/walk.mesh --json-lines");
    assert_eq!(lines(run.stdout.as_bytes()).len(), 5);
    folder.put("list", "a/none.mesh\na/same.mesh\n");
    let run = folder.run("info --files-from list");
    assert!(
        run.stderr.starts_with("error: a/none.mesh: "),
        "{}",
        run.stderr
    );
    assert!(run.stdout.starts_with("a/same.mesh: "), "{}", run.stdout);
    run.fails(3);
}

#[test]
fn json_lines_match_json() {
    let folder = library();
    for command in ["check", "info"] {
        let list: Vec<Value> =
            serde_json::from_str(&folder.run(&format!("{command} a b --json --jobs 3")).stdout)
                .unwrap();
        let mut found = lines(
            folder
                .run(&format!("{command} a b --json-lines --jobs 3"))
                .stdout
                .as_bytes(),
        );
        found.sort_by_key(|row| row["file"].as_str().unwrap().to_owned());
        assert_eq!(found, list);
    }
}

#[test]
fn equal_names_in_different_folders_do_not_collide() {
    let folder = library();
    let run =
        folder.run("convert --files-from list --out-dir out --to crucible --quiet --json-lines");
    assert_eq!(files(&lines(run.stdout.as_bytes())), ALL.into());
    run.fails(1);
    assert!(
        folder.path("out/a/same.cmodel").is_file() && folder.path("out/b/same.cmodel").is_file()
    );
}

/// Returns the reported numbers of converted, skipped and failed files.
fn counts(folder: &Folder, options: &str) -> [u32; 3] {
    let run = folder.run(&format!(
        "convert --files-from list --out-dir out --to crucible {options}"
    ));
    let last = run.stderr.lines().last().unwrap().to_owned();
    let number = |before: &str| {
        last.split(", ")
            .find_map(|part| part.strip_suffix(before)?.trim().parse().ok())
            .unwrap_or(0)
    };
    let converted = number("files converted") + number("file converted");
    assert_eq!(run.status, i32::from(number("failed") > 0), "{last}");
    [converted, number("up to date"), number("failed")]
}

#[test]
fn logged_files_are_skipped() {
    for by in ["time", "hash"] {
        let folder = library();
        let options = format!("--log log --newer={by}");
        assert_eq!(counts(&folder, &options), [3, 0, 1]);
        let log = folder.get("log");
        assert_eq!(files(&lines(&log)), ALL.into());
        // Invalid files are not retried.
        assert_eq!(counts(&folder, &options), [0, 3, 1]);
        assert_eq!(folder.get("log"), log);
        // A truncated line.
        folder.put("log", &log[..log.len() - 5]);
        let again = u32::from(lines(&log)[3]["file"] != "b/bad.mesh");
        assert_eq!(counts(&folder, &options), [again, 3 - again, 1]);
        assert_eq!(files(&lines(&folder.get("log"))), ALL.into());
        // A missing output.
        fs::remove_file(folder.path("out/a/walk.cmodel")).unwrap();
        assert_eq!(counts(&folder, &options), [1, 2, 1]);
        // Changed content of the same size.
        let mut bytes = folder.get("b/bad.mesh");
        let place = bytes.len() - 4;
        bytes[place..].copy_from_slice(&2_u32.to_le_bytes());
        folder.put("b/bad.mesh", bytes);
        set_time(&folder, "b/bad.mesh");
        assert_eq!(counts(&folder, &options), [1, 3, 0]);
        // A changed modification time.
        set_time(&folder, "a/walk.mesh");
        let again = u32::from(by == "time");
        assert_eq!(counts(&folder, &options), [again, 4 - again, 0]);
        // Other options change the output; --force does not.
        assert_eq!(counts(&folder, &format!("{options} --force")), [0, 4, 0]);
        assert_eq!(counts(&folder, &format!("{options} --scale 2")), [4, 0, 0]);
    }
}

#[test]
fn files_may_be_older_than_1970() {
    let folder = library();
    for (name, seconds) in [("a/walk.mesh", 86_400), ("b/bad.mesh", 1)] {
        let file = File::options().write(true).open(folder.path(name)).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH - Duration::new(seconds, 5))
            .unwrap();
    }
    assert_eq!(counts(&folder, "--log log --newer"), [3, 0, 1]);
    let log = lines(&folder.get("log"));
    let walk = log
        .iter()
        .find(|line| line["file"] == "a/walk.mesh")
        .unwrap();
    assert_eq!(walk["done"]["modified"], -86_400_000_000_005_i64);
    assert_eq!(counts(&folder, "--log log --newer"), [0, 3, 1]);
}

#[test]
fn threads_are_limited_by_the_number_of_files() {
    let folder = library();
    // More threads than any system can start.
    let run = folder.run("check a b --quiet --jobs 1000000000");
    assert_eq!((run.status, run.stderr), (1, String::new()));
}

/// Changes the modification time.
fn set_time(folder: &Folder, name: &str) {
    let file = File::options().write(true).open(folder.path(name)).unwrap();
    file.set_modified(SystemTime::now() + Duration::from_secs(5))
        .unwrap();
}

#[test]
fn newer_outputs_are_kept_without_a_log() {
    let folder = library();
    assert_eq!(counts(&folder, "--newer"), [3, 0, 1]);
    assert_eq!(counts(&folder, "--newer"), [0, 3, 1]);
    set_time(&folder, "a/walk.mesh");
    assert_eq!(counts(&folder, "--newer"), [1, 2, 1]);
    let message = folder.run("check --files-from list --newer").fails(2);
    assert_eq!(
        message,
        "error: --newer: requires --log LOG, the record of finished files\n"
    );
    let message = folder.run("convert a/same.mesh x.glb --log log").fails(2);
    assert_eq!(
        message,
        "error: --log: requires --out-dir DIR and --to FORMAT\n"
    );
}

#[test]
fn logged_checks_are_skipped() {
    let folder = library();
    let check = |options: &str| {
        folder.run(format!("check --files-from list --log log {options}").trim_end())
    };
    check("").fails(1);
    assert_eq!(lines(&folder.get("log")).len(), 4);
    // The exit status covers all files, as without the log.
    check("--newer").fails(1);
    assert_eq!(lines(&folder.get("log")).len(), 4);
    check("--newer --lenient").fails(0);
    assert_eq!(lines(&folder.get("log")).len(), 8);
}

#[test]
fn each_command_has_its_own_results_in_a_log() {
    let folder = library();
    folder.run("info --files-from list --log log").fails(1);
    let run = folder.run("check --files-from list --log log --newer");
    assert_eq!(lines(&folder.get("log")).len(), 8);
    run.fails(1);
}

#[test]
fn files_other_than_logs_are_kept() {
    let folder = library();
    let model = folder.get("a/walk.mesh");
    // The output of `dump --json` for a text file starts like a log.
    let sample = crate::dump::repository().join("samples/seed/facets.mesh");
    folder.put("seed.mesh", fs::read(sample).unwrap());
    let dump = folder.run("dump --json seed.mesh").fine().into_bytes();
    let without_end = dump.trim_ascii_end().to_vec();
    assert!(dump.starts_with(b"{\"file\":\"seed.mesh\""));
    for content in [
        &*model,
        b"v 1 2 3\n",
        b"{\"files\": 1}",
        &dump,
        &without_end,
    ] {
        folder.put("model", content);
        let message = folder.run("check a --log model").fails(2);
        assert!(
            message.starts_with("error: model: is not a log: "),
            "{message}"
        );
        assert_eq!(folder.get("model"), content);
    }
    // A truncated first line.
    folder.put("log", b"{\"fi");
    folder.run("check a --log log").fails(0);
    assert_eq!(
        files(&lines(&folder.get("log"))),
        ["a/same.mesh", "a/walk.mesh"].into()
    );
}

#[test]
fn a_log_can_be_printed() {
    let folder = library();
    let rows = lines(folder.run("check a --log -").fine().as_bytes());
    assert_eq!(files(&rows), ["a/same.mesh", "a/walk.mesh"].into());
    assert!(
        rows.iter().all(|row| row["done"]["status"] == 0),
        "{rows:?}"
    );
    folder.run("check a --log - --newer").fails(2);
    assert_eq!(folder.names(), ["a", "b", "list"]);
}
