//! The command line: help, incorrect usage, completions and manual pages.

use crate::files::{Folder, triangle};

#[test]
fn help_names_every_command_and_exit_status() {
    let text = Folder::new().run("--help").fine();
    for word in [
        "formats",
        "info",
        "check",
        "dump",
        "decode",
        "view",
        "convert",
        "render",
        "diff",
        "schema",
        "completions",
        "man",
        "Exit status:",
    ] {
        assert!(text.contains(word), "{word}: {text}");
    }
    assert_eq!(
        Folder::new().run("--version").fine(),
        format!("meshspec {}\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn wrong_usage() {
    let folder = Folder::new();
    for arguments in [
        "frobnicate",
        "info",
        "check",
        "dump",
        "convert",
        "convert a",
        "info --frob a",
        "completions tcl",
    ] {
        let run = folder.run(arguments);
        assert_eq!(run.stdout, "", "{arguments}");
        assert!(!run.fails(2).is_empty(), "{arguments}");
    }
    assert_eq!(
        folder.run("man frobnicate").fails(2),
        "error: man: unknown command `frobnicate`; the commands are formats, info, check, dump, decode, view, assemble, \
         edit, convert, render, diff, conform, iyma, corpus, schema, completions, man, help\n"
    );
    let message = folder.run("info --from fbx a.fbx").fails(2);
    assert!(message.contains("[possible values: mesh"), "{message}");
}

#[test]
fn completions_for_shells() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = folder.run(&format!("completions {shell}")).fine();
        assert!(
            script.contains("meshspec") && script.contains("convert"),
            "{shell}: {script}"
        );
    }
}

#[test]
fn manual_pages() {
    let folder = Folder::new();
    let page = folder.run("man").fine();
    assert!(
        page.contains(".TH meshspec 1") && page.contains("Exit status:"),
        "{page}"
    );
    let page = folder.run("man convert").fine();
    assert!(
        page.contains(".TH meshspec-convert 1") && page.contains("\\-\\-strict"),
        "{page}"
    );
    // Every page referred to by another one.
    let page = folder.run("man iyma").fine();
    assert!(page.contains("meshspec\\-iyma\\-merge(1)"), "{page}");
    let page = folder.run("man iyma merge").fine();
    assert!(
        page.contains(".TH meshspec-iyma-merge 1") && page.contains("\\-\\-level"),
        "{page}"
    );
    let page = folder.run("man iyma user-data get").fine();
    assert!(page.contains(".TH meshspec-iyma-user-data-get 1"), "{page}");
    assert_eq!(
        folder.run("man iyma frob").fails(2),
        "error: man: unknown command `frob`; the commands are merge, split, user-data, help\n"
    );
}

/// `[`, `*`, `?` and `{` are expanded by shells; zsh rejects a pattern that matches no file. `{}` is no pattern.
#[test]
fn commands_quote_patterns() {
    let folder = Folder::new();
    let mut lines = Vec::new();
    for command in COMMANDS {
        let help = folder.run(format!("{command} --help").trim_start()).fine();
        let (_, examples) = help.split_once("Examples:\n").unwrap();
        lines.extend(examples.lines().map(|line| line.trim().to_owned()));
    }
    let docs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let pages = std::fs::read_dir(docs)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let pages = pages.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    let mut texts: Vec<_> = pages
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    texts.extend([
        include_str!("../../../README.md").to_owned(),
        include_str!("../../README.md").to_owned(),
    ]);
    for text in &texts {
        // Placeholders and patterns of other programs, such as `parallel`, are theirs.
        let is_own =
            |line: &&str| line.starts_with("meshspec ") || line.starts_with("height_field ");
        lines.extend(shell_lines(text).filter(is_own).map(str::to_owned));
    }
    assert!(lines.len() > 80, "{}", lines.len());
    for line in lines {
        for word in line
            .split('#')
            .next()
            .unwrap()
            .split_whitespace()
            .filter(|word| *word != "{}")
        {
            // Odd parts are quoted.
            let mut unquoted = word.split(['\'', '"']).step_by(2);
            assert!(
                !unquoted.any(|part| part.contains(['[', '*', '?', '{'])),
                "{word}: {line}"
            );
        }
    }
}

/// The names of all commands with examples.
const COMMANDS: [&str; 22] = [
    "",
    "formats",
    "info",
    "check",
    "dump",
    "decode",
    "view",
    "assemble",
    "edit",
    "convert",
    "render",
    "diff",
    "conform",
    "iyma merge",
    "iyma split",
    "iyma user-data get",
    "iyma user-data set",
    "iyma user-data clear",
    "corpus",
    "schema",
    "completions",
    "man",
];

/// Returns the commands in the shell blocks of a page, without their output.
fn shell_lines(page: &str) -> impl Iterator<Item = &str> {
    page.split("```").skip(1).step_by(2).flat_map(|block| {
        let (language, code) = block.split_once('\n').unwrap_or_default();
        code.lines().filter_map(move |line| match language {
            "sh" => Some(line),
            "console" => line.strip_prefix("$ "),
            _ => None,
        })
    })
}

/// The values of `--from` in the help of each command are the encodings that it reads.
#[test]
fn from_offers_what_a_command_reads() {
    let folder = Folder::new();
    folder.put_mesh("a.mesh", &triangle());
    for name in [
        "crucible", "iyma", "bmd", "seed", "obj", "ply", "stl", "glb", "gltf", "json",
    ] {
        let run = folder.run(&format!("convert a.mesh a-{name} --to {name} -q"));
        assert_eq!(run.status, 0, "{run:?}");
    }
    folder.put_mesh("a-mesh", &triangle());
    let commands = [
        "info FILE",
        "check FILE",
        "dump FILE",
        "decode FILE",
        "view FILE --out out.html --force",
        "edit FILE out.mesh --force --set nothing=1",
        "convert FILE out.glb --force",
        "render FILE out.png --force",
        "diff FILE FILE",
    ];
    for command in commands {
        let help = folder
            .run(&format!("{} --help", command.split(' ').next().unwrap()))
            .fine();
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        let (_, values) = help.split_once("--from <FORMAT>").unwrap();
        let (_, values) = values.split_once("[possible values: ").unwrap();
        let offered: Vec<_> = values.split(']').next().unwrap().split(", ").collect();
        for name in [
            "mesh", "crucible", "iyma", "bmd", "seed", "obj", "ply", "stl", "glb", "gltf", "json",
        ] {
            // Without --from, the name of the file decides.
            let file = if name == "json" {
                "a-json.json"
            } else {
                &format!("a-{name}")
            };
            if name == "json" {
                folder.put(file, folder.get("a-json"));
            }
            let run = folder.run(&command.replace("FILE", file));
            let reads = !run.stderr.contains(" supports only ");
            assert_eq!(reads, offered.contains(&name), "{command} {name}: {run:?}");
            let run = folder.run(&format!(
                "{} --from {name}",
                command.replace("FILE", &format!("a-{name}"))
            ));
            assert_eq!(
                run.stderr.contains("invalid value"),
                !reads,
                "{command} {name}: {run:?}"
            );
        }
    }
}

#[test]
fn dialects_are_offered_with_their_formats() {
    let folder = Folder::new();
    let help = |command: &str| {
        let help = folder.run(&format!("{command} --help")).fine();
        help.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    for command in ["info", "convert", "corpus", "edit"] {
        let text = help(command);
        assert!(
            text.contains("renderlib (mesh), tangent (crucible), reference (iyma)]"),
            "{text}"
        );
    }
    let text = help("iyma merge");
    assert!(
        text.contains("[possible values: spec (iyma), reference (iyma)]"),
        "{text}"
    );
    folder.put_mesh("a.mesh", &triangle());
    let message = folder
        .run("convert a.mesh a.bmd --dialect renderlib")
        .fails(2);
    assert!(
        message.contains("bmd has no renderlib dialect, only spec"),
        "{message}"
    );
    folder
        .run("iyma merge a.ima -o b.ima --dialect renderlib")
        .fails(2);
}

/// Programs are installed without pages, so their messages and help give addresses.
#[test]
fn pages_are_given_by_their_addresses() {
    let folder = Folder::new();
    folder.put_mesh("a.mesh", &triangle());
    let mut texts = vec![
        folder.run("convert a.mesh a.glb").stderr,
        folder.run("check a.mesh --ignore QUUX").fails(2),
        folder.run("check --explain M13").fine(),
    ];
    texts.extend(
        COMMANDS.map(|command| folder.run(format!("{command} --help").trim_start()).fine()),
    );
    for text in texts {
        let pages = text.match_indices("docs/").map(|(at, _)| &text[..at]);
        let address = "https://github.com/meshspec/meshspec/blob/main/";
        assert!(
            pages.into_iter().all(|before| before.ends_with(address)),
            "{text}"
        );
        assert!(!text.replace(address, "").contains("](docs"), "{text}");
    }
}
