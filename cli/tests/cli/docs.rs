//! The examples in `docs/` show the actual output of the program.

use crate::files::{Folder, animated, broken_triangle, unquoted};

#[test]
fn examples_of_the_program() {
    assert_eq!(run_examples(include_str!("../../../docs/cli.md")), 30);
}

/// Unix only, since the system's error messages differ.
#[cfg(unix)]
#[test]
fn examples_of_json() {
    assert_eq!(run_examples(include_str!("../../../docs/json.md")), 5);
}

/// The commands of both READMEs run unchanged in a clone, given its samples. Transcripts show what they print.
#[test]
fn commands_of_the_readme() {
    let folder = Folder::new();
    let samples = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples");
    for kind in std::fs::read_dir(samples).unwrap().map(Result::unwrap) {
        let kind_name = kind.file_name().into_string().unwrap();
        std::fs::create_dir_all(folder.path(&format!("samples/{kind_name}"))).unwrap();
        for file in std::fs::read_dir(kind.path()).unwrap().map(Result::unwrap) {
            let name = format!(
                "samples/{kind_name}/{}",
                file.file_name().into_string().unwrap()
            );
            folder.put(&name, std::fs::read(file.path()).unwrap());
        }
    }
    let readmes = [
        (include_str!("../../../README.md"), 3, 15),
        (include_str!("../../README.md"), 0, 6),
    ];
    for (readme, shown, count) in readmes {
        assert_eq!(run_examples_in(&folder, readme), shown);
        let commands: Vec<_> = readme
            .lines()
            .filter_map(|line| line.strip_prefix("meshspec "))
            .collect();
        assert_eq!(commands.len(), count);
        for command in commands {
            let arguments = command.split('#').next().unwrap().trim();
            let run = folder.run(arguments);
            assert_eq!(run.status, 0, "meshspec {arguments}: {}", run.stderr);
        }
    }
}

/// Runs the commands of all console blocks in order, in one folder, and compares their output. Returns their number.
fn run_examples(page: &str) -> usize {
    let folder = Folder::new();
    folder.put_mesh("walk.mesh", &animated());
    folder.put_mesh("bad.mesh", &broken_triangle());
    run_examples_in(&folder, page)
}

/// Runs the commands of all console blocks in turn and compares their output. Returns the number of commands.
fn run_examples_in(folder: &Folder, page: &str) -> usize {
    let mut status = 0;
    let mut count = 0;
    let blocks = page
        .split("```console\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next());
    for example in blocks.flat_map(|block| block.split("$ ").skip(1)) {
        let (command, expected) = example.split_once('\n').unwrap();
        let printed = match command.split(' ').collect::<Vec<_>>()[..] {
            ["echo", "$?"] => format!("{status}\n"),
            ["cmp", a, b] => if folder.get(a) == folder.get(b) {
                ""
            } else {
                "differ"
            }
            .to_owned(),
            _ => {
                let run = folder.run(&unquoted(command.strip_prefix("meshspec ").unwrap()));
                status = run.status;
                run.stdout + &run.stderr
            }
        };
        assert_eq!(printed, expected, "$ {command}");
        count += 1;
    }
    count
}
