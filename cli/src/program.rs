//! The command line. A new subcommand requires a module in `commands`, a variant of [`Command`] and an arm in
//! [`Program::run`].

use std::any::TypeId;
use std::ffi::OsString;
use std::path::Path;

use clap::builder::PossibleValue;
use clap::{Arg, CommandFactory, Parser, Subcommand};
use meshspec::{AnyFormat, Dialect, Formats};

#[cfg(feature = "formats")]
use crate::commands::iyma;
use crate::commands::{
    assemble, check, completions, conform, convert, corpus, decode, diff, dump, edit, formats,
    info, man, render, schema, view,
};
use crate::encoding::{self, Encoding};
use crate::examples;
use crate::failure::{Result, Status};
use crate::input;
use crate::readable::Readable;

/// Show, check and convert the mesh files of game engines.
#[derive(Debug, Parser)]
#[command(name = "meshspec", version)]
pub struct Program {
    #[command(subcommand)]
    command: Command,
}

/// The exit statuses, printed at the end of the program's help.
const EXIT_STATUS: &str = "\
Exit status:
  0  success
  1  the input is invalid, files differ, a loader disagrees, --strict prevents a loss, or --deny finds a warning
  2  incorrect usage
  3  a file cannot be read or written

";

#[derive(Debug, Subcommand)]
enum Command {
    Formats(formats::Formats),
    Info(info::Info),
    Check(check::Check),
    Dump(dump::Dump),
    Decode(decode::Decode),
    View(view::View),
    Assemble(assemble::Assemble),
    Edit(edit::Edit),
    Convert(convert::Convert),
    Render(render::Render),
    Diff(diff::Diff),
    Conform(conform::Conform),
    #[cfg(feature = "formats")]
    Iyma(iyma::Iyma),
    Corpus(corpus::Corpus),
    Schema(schema::Schema),
    Completions(completions::Completions),
    Man(man::Man),
}

/// The level of detail of a command's help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Help {
    /// The common options, one line each: `-h`.
    Short,
    /// All options and details: `--help` and manual pages.
    Long,
}

/// Returns the command-line definition, with the names of `formats` as values of options.
pub fn command(formats: &Formats, help: Help) -> clap::Command {
    with_help(with_possible_values(Program::command(), formats), help, "")
}

/// Joins an option and the next word as `--option=word` if the value of the option is optional, and the word is one of
/// its values. Other words are files. If one of these neither exists nor resembles a file, also returns a hint for the
/// case that the command fails.
pub fn join_optional_values(
    program: &clap::Command,
    arguments: Vec<OsString>,
) -> (Vec<OsString>, Option<String>) {
    let mut command = program;
    let mut joined = Vec::new();
    let mut hint = None;
    let mut arguments = arguments.into_iter().peekable();
    // The name of the program is no command.
    joined.extend(arguments.next());
    while let Some(mut argument) = arguments.next() {
        if argument == "--" {
            joined.push(argument);
            break;
        }
        command = command.find_subcommand(&argument).unwrap_or(command);
        let long = argument.to_str().and_then(|text| text.strip_prefix("--"));
        let option = command.get_arguments().find(|option| {
            option.is_require_equals_set() && long.is_some() && option.get_long() == long
        });
        if let Some(option) = option {
            let values = option.get_possible_values();
            let is_value = |word: &OsString| {
                word.to_str()
                    .is_some_and(|word| values.iter().any(|value| value.matches(word, false)))
            };
            if let Some(value) = arguments.next_if(is_value) {
                argument.push("=");
                argument.push(value);
            } else if let Some(word) = arguments.peek().and_then(|word| word.to_str())
                && !word.contains(['.', '-', '/', '\\', '*', '?'])
                && !Path::new(word).exists()
            {
                let option = argument.display();
                let names: Vec<_> = values
                    .iter()
                    .map(|value| format!("`{option}={}`", value.get_name()))
                    .collect();
                hint = Some(format!(
                    "\"{word}\" is no value of {option}: {}",
                    names.join(", ")
                ));
            }
        }
        joined.push(argument);
    }
    joined.extend(arguments);
    (joined, hint)
}

/// Formats the help of the command `words` with one line per option, where clap uses three. Below the options, adds
/// details to long help, exit statuses to the help of the program, a reference to `--help` if options are hidden, and
/// examples.
fn with_help(command: clap::Command, help: Help, words: &str) -> clap::Command {
    let is_long = help == Help::Long;
    let about = command
        .get_long_about()
        .filter(|_| is_long)
        .map(ToString::to_string)
        .unwrap_or_default();
    // The first paragraph is the short description.
    let details = about
        .split_once("\n\n")
        .map(|(_, details)| format!("{details}\n\n"))
        .unwrap_or_default();
    let command = command.long_about(None).mut_args(|arg| {
        let arg = match arg.get_long_help().filter(|_| is_long).cloned() {
            Some(text) => arg.help(text),
            None => arg,
        };
        let is_hidden = arg.is_hide_set() || (arg.is_hide_short_help_set() && !is_long);
        with_values(arg)
            .long_help(None)
            .hide_short_help(false)
            .hide(is_hidden)
    });
    let hides = |arg: &Arg| arg.is_hide_set() && !is_long;
    let more = if command.get_arguments().any(hides) {
        "--help lists all options.\n\n"
    } else {
        ""
    };
    let status = if words.is_empty() { EXIT_STATUS } else { "" };
    let command = match examples::for_command(words) {
        Some(examples) => command.after_help(format!(
            "{details}{status}{more}Examples:\n  {}",
            examples.join("\n  ")
        )),
        None => command,
    };
    command.mut_subcommands(|subcommand| {
        let words = format!("{words} {}", subcommand.get_name());
        with_help(subcommand, help, words.trim_start())
    })
}

/// If any possible value has a help text, lists the values in one line instead of one per line: dialects with their
/// formats, other values by name only.
fn with_values(arg: Arg) -> Arg {
    let values = arg.get_possible_values();
    if arg.is_hide_possible_values_set() || !values.iter().any(|value| value.get_help().is_some()) {
        return arg;
    }
    let is_dialect = arg.get_value_parser().type_id() == TypeId::of::<Dialect>();
    let name = |value: &PossibleValue| match value.get_help() {
        Some(formats) if is_dialect => format!("{} ({formats})", value.get_name()),
        _ => value.get_name().to_owned(),
    };
    let names: Vec<_> = values.iter().map(name).collect();
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    arg.help(format!("{help} [possible values: {}]", names.join(", ")))
        .hide_possible_values(true)
}

/// Returns the encodings that a command reads.
fn readable_by(command: &str) -> Readable {
    match command {
        "dump" => dump::READABLE,
        "decode" => decode::READABLE,
        "edit" => edit::READABLE,
        "view" => view::READABLE,
        "render" => render::READABLE,
        _ => Readable::ALL,
    }
}

/// Sets the possible values of options that take an encoding, format or dialect.
fn with_possible_values(command: clap::Command, formats: &Formats) -> clap::Command {
    let readable = readable_by(command.get_name());
    #[cfg(feature = "formats")]
    let formats = &if command.get_name() == "iyma" {
        iyma::formats()
    } else {
        formats.clone()
    };
    let with_values = |arg: Arg| {
        let id = arg.get_value_parser().type_id();
        if id == TypeId::of::<Encoding>() {
            let encodings = if arg.get_id() == "from" {
                readable
            } else {
                Readable::ALL
            };
            arg.value_parser(encoding::encoding_parser(formats, encodings))
        } else if id == TypeId::of::<AnyFormat>() {
            arg.value_parser(encoding::format_parser(formats))
        } else if id == TypeId::of::<Dialect>() {
            arg.value_parser(input::dialect_parser(formats, readable))
        } else {
            arg
        }
    };
    command
        .mut_args(with_values)
        .mut_subcommands(|subcommand| with_possible_values(subcommand, formats))
}

impl Program {
    /// Runs the subcommand. Returns the exit status.
    pub fn run(&self, formats: &Formats) -> Result<Status> {
        match &self.command {
            Command::Formats(command) => command.run(formats),
            Command::Info(info) => info.run(formats),
            Command::Check(check) => check.run(formats),
            Command::Dump(dump) => dump.run(formats),
            Command::Decode(decode) => decode.run(formats),
            Command::View(view) => view.run(formats),
            Command::Assemble(assemble) => assemble.run(formats),
            Command::Edit(edit) => edit.run(formats),
            Command::Convert(convert) => convert.run(formats),
            Command::Render(render) => render.run(formats),
            Command::Diff(diff) => diff.run(formats),
            Command::Conform(conform) => conform.run(formats),
            #[cfg(feature = "formats")]
            Command::Iyma(iyma) => iyma.run(),
            Command::Corpus(corpus) => corpus.run(),
            Command::Schema(schema) => schema.run(),
            Command::Completions(completions) => {
                completions.run(with_possible_values(Program::command(), formats))
            }
            Command::Man(man) => man.run(command(formats, Help::Long)),
        }
    }
}
