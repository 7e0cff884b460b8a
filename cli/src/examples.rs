//! Examples in the help of each command.

/// Returns three examples for a command such as `iyma merge`, or for the whole program if `command` is empty. Returns
/// `None` if there is no such command.
pub fn for_command(command: &str) -> Option<[&'static str; 3]> {
    EXAMPLES
        .iter()
        .find(|(name, _)| *name == command)
        .map(|(_, examples)| *examples)
}

const EXAMPLES: &[(&str, [&str; 3])] = &[
    (
        "",
        [
            "meshspec info robot.bmd",
            "meshspec convert robot.bmd robot.glb",
            "meshspec convert models --out-dir glb --to glb",
        ],
    ),
    (
        "formats",
        [
            "meshspec formats",
            "meshspec formats --json",
            "meshspec formats --help",
        ],
    ),
    (
        "info",
        [
            "meshspec info robot.bmd",
            "meshspec info models --verbose",
            "meshspec info robot.glb --json",
        ],
    ),
    (
        "check",
        [
            "meshspec check robot.bmd",
            "meshspec check models --deny warnings --format sarif",
            "meshspec check --explain MESH-INDEX-RANGE",
        ],
    ),
    (
        "dump",
        [
            "meshspec dump flag.mesh",
            "meshspec dump flag.mesh --path header",
            "meshspec dump flag.mesh --path 'vertices[0]' --json",
        ],
    ),
    (
        "decode",
        [
            "meshspec decode robot.bmd",
            "meshspec decode robot.bmd --json",
            "meshspec decode flag.mesh --all",
        ],
    ),
    (
        "view",
        [
            "meshspec view robot.bmd",
            "meshspec view robot.glb --out robot.html",
            "meshspec view --serve models",
        ],
    ),
    (
        "assemble",
        [
            "meshspec assemble flag.json flag.mesh",
            "meshspec assemble flag.json flag.mesh --force",
            "meshspec assemble - flag.mesh",
        ],
    ),
    (
        "edit",
        [
            "meshspec edit flag.mesh bad.mesh --set vertex_count=7",
            "meshspec edit flag.mesh out.mesh --remove 'indices[3]' --recount",
            "meshspec edit flag.mesh out.mesh --insert 'indices[0]=2' --recount",
        ],
    ),
    (
        "convert",
        [
            "meshspec convert robot.bmd robot.glb",
            "meshspec convert city.obj city.bmd --center --strict",
            "meshspec convert models --out-dir glb --to glb",
        ],
    ),
    (
        "render",
        [
            "meshspec render robot.bmd robot.png",
            "meshspec render robot.glb robot.png --view turntable --size 256",
            "meshspec render models sheet.png --size 200 --background white",
        ],
    ),
    (
        "diff",
        [
            "meshspec diff old.bmd new.bmd",
            "meshspec diff robot.bmd robot.glb --tolerance 0.001",
            "meshspec diff old.mesh new.mesh --json",
        ],
    ),
    (
        "conform",
        [
            "meshspec conform corpus/index.jsonl -- ./my_loader {}",
            "meshspec conform corpus --lenient --timeout 2 -- python3 my_loader.py {}",
            "meshspec conform corpus --format junit -- ./my_loader {}",
        ],
    ),
    (
        "iyma",
        [
            "meshspec iyma merge a.ima b.ima --output both.ima",
            "meshspec iyma split both.ima --out parts",
            "meshspec iyma user-data get both.ima",
        ],
    ),
    (
        "iyma merge",
        [
            "meshspec iyma merge a.ima b.ima --output both.ima",
            "meshspec iyma merge models --output all.ima --level 19",
            "meshspec iyma merge a.ima b.ima --output both.ima --dialect reference",
        ],
    ),
    (
        "iyma split",
        [
            "meshspec iyma split both.ima",
            "meshspec iyma split both.ima --out parts",
            "meshspec iyma split both.ima --mesh 0 --force",
        ],
    ),
    (
        "iyma user-data",
        [
            "meshspec iyma user-data get a.ima",
            "meshspec iyma user-data set a.ima b.ima --text note",
            "meshspec iyma user-data clear a.ima b.ima",
        ],
    ),
    (
        "iyma user-data get",
        [
            "meshspec iyma user-data get a.ima",
            "meshspec iyma user-data get a.ima --output note.bin",
            "meshspec iyma user-data get a.ima --lenient",
        ],
    ),
    (
        "iyma user-data set",
        [
            "meshspec iyma user-data set a.ima b.ima --text note",
            "meshspec iyma user-data set a.ima b.ima --data note.bin",
            "meshspec iyma user-data set a.ima a.ima --text note --force",
        ],
    ),
    (
        "iyma user-data clear",
        [
            "meshspec iyma user-data clear a.ima b.ima",
            "meshspec iyma user-data clear a.ima a.ima --force",
            "meshspec iyma user-data clear a.ima b.ima --dialect reference",
        ],
    ),
    (
        "schema",
        [
            "meshspec schema bmd --as markdown",
            "meshspec schema mesh --as kaitai --out definitions",
            "meshspec schema mesh --as c --layout mesh_renderlib",
        ],
    ),
    (
        "corpus",
        [
            "meshspec corpus mesh --out corpus",
            "meshspec corpus bmd crucible --out corpus --count 1000 --plausible",
            "meshspec corpus mesh --out corpus --dialect spec --seed 7 --json",
        ],
    ),
    (
        "completions",
        [
            "meshspec completions bash",
            "meshspec completions zsh",
            "meshspec completions fish",
        ],
    ),
    (
        "man",
        [
            "meshspec man",
            "meshspec man convert",
            "meshspec man iyma merge",
        ],
    ),
];

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]

    use clap::error::ErrorKind;
    use meshspec::Formats;

    use super::*;
    use crate::program::{Help, command};

    /// Collects the names of a command and its subcommands, each as words separated by spaces.
    fn collect_commands(command: &clap::Command, words: &str, all: &mut Vec<String>) {
        all.push(words.to_owned());
        for subcommand in command
            .get_subcommands()
            .filter(|subcommand| subcommand.get_name() != "help")
        {
            collect_commands(
                subcommand,
                format!("{words} {}", subcommand.get_name()).trim_start(),
                all,
            );
        }
    }

    #[test]
    fn every_command_has_valid_examples() {
        let program = command(&Formats::builtin(), Help::Long);
        let mut all = Vec::new();
        collect_commands(&program, "", &mut all);
        assert_eq!(all.len(), EXAMPLES.len());
        for words in all {
            for example in for_command(&words).unwrap_or_else(|| panic!("no examples: {words}")) {
                assert!(
                    example.starts_with(format!("meshspec {words}").trim_end()),
                    "{example}"
                );
                let arguments = example.split(' ').map(|word| word.trim_matches('\''));
                let parsed = program.clone().try_get_matches_from(arguments);
                let is_help = |error: &clap::Error| error.kind() == ErrorKind::DisplayHelp;
                assert!(
                    parsed.as_ref().is_ok() || parsed.as_ref().is_err_and(is_help),
                    "{example}: {parsed:?}"
                );
            }
        }
    }

    #[test]
    fn help_ends_with_three_examples_and_fits() {
        let mut all = Vec::new();
        collect_commands(&command(&Formats::builtin(), Help::Long), "", &mut all);
        for words in all {
            for (help, flag, most) in [(Help::Short, "-h", 50), (Help::Long, "--help", 100)] {
                let arguments = ["meshspec"]
                    .into_iter()
                    .chain(words.split_whitespace())
                    .chain([flag]);
                let text = command(&Formats::builtin(), help)
                    .try_get_matches_from(arguments)
                    .unwrap_err()
                    .to_string();
                let lines: Vec<&str> = text.trim_end().lines().collect();
                assert!(lines.len() <= most, "{words} {flag}: {} lines", lines.len());
                assert!(
                    lines.iter().all(|line| line.chars().count() <= 100),
                    "{words} {flag}: {text}"
                );
                let examples = &lines[lines.len() - 4..];
                assert_eq!(examples[0], "Examples:", "{words} {flag}: {text}");
                assert!(
                    examples[1..]
                        .iter()
                        .all(|line| line.starts_with("  meshspec")),
                    "{text}"
                );
            }
        }
    }

    #[test]
    fn short_help_leaves_out_rare_options() {
        let text = |help, flag| {
            let found = command(&Formats::builtin(), help)
                .try_get_matches_from(["meshspec", "convert", flag]);
            found.unwrap_err().to_string()
        };
        let (short, long) = (text(Help::Short, "-h"), text(Help::Long, "--help"));
        assert!(
            short.contains("--out-dir") && !short.contains("--flip-u"),
            "{short}"
        );
        assert!(
            long.contains("--out-dir") && long.contains("--flip-u"),
            "{long}"
        );
    }
}
