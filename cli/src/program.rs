//! The command line. To add a subcommand: a file in `commands`, a variant here and its line in [`Program::run`].

use std::any::TypeId;

use clap::{Arg, CommandFactory, Parser, Subcommand};
use meshspec::{AnyFormat, Formats};

use crate::commands::{assemble, check, completions, convert, dump, edit, formats, info, iyma, man, schema};
use crate::encoding::{self, Encoding};
use crate::failure::{Result, Status};

/// Show, check and convert the mesh files of game engines.
#[derive(Debug, Parser)]
#[command(name = "meshspec", version, after_help = EXIT_STATUS)]
pub struct Program {
    #[command(subcommand)]
    command: Command,
}

const EXIT_STATUS: &str = "\
Exit status:
  0  success
  1  the input is invalid, or --strict and something would be lost
  2  incorrect usage
  3  a file cannot be read or written";

#[derive(Debug, Subcommand)]
enum Command {
    Formats(formats::Formats),
    Info(info::Info),
    Check(check::Check),
    Dump(dump::Dump),
    Assemble(assemble::Assemble),
    Edit(edit::Edit),
    Convert(convert::Convert),
    Iyma(iyma::Iyma),
    Schema(schema::Schema),
    Completions(completions::Completions),
    Man(man::Man),
}

/// The command line with the names of these formats.
pub fn command(formats: &Formats) -> clap::Command {
    with_names(Program::command(), formats)
}

/// Gives the options that are formats the values that there are.
fn with_names(command: clap::Command, formats: &Formats) -> clap::Command {
    let with_values = |arg: Arg| {
        let id = arg.get_value_parser().type_id();
        if id == TypeId::of::<Encoding>() {
            arg.value_parser(encoding::parser(formats))
        } else if id == TypeId::of::<AnyFormat>() {
            arg.value_parser(encoding::format_parser(formats))
        } else {
            arg
        }
    };
    command.mut_args(with_values).mut_subcommands(|subcommand| with_names(subcommand, formats))
}

impl Program {
    /// Does what the command line says.
    pub fn run(&self, formats: &Formats) -> Result<Status> {
        match &self.command {
            Command::Formats(command) => command.run(formats),
            Command::Info(info) => info.run(formats),
            Command::Check(check) => check.run(formats),
            Command::Dump(dump) => dump.run(formats),
            Command::Assemble(assemble) => assemble.run(formats),
            Command::Edit(edit) => edit.run(formats),
            Command::Convert(convert) => convert.run(formats),
            Command::Iyma(iyma) => iyma.run(),
            Command::Schema(schema) => schema.run(),
            Command::Completions(completions) => completions.run(command(formats)),
            Command::Man(man) => man.run(command(formats)),
        }
    }
}
