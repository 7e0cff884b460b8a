//! The command line. To add a subcommand: a file in `commands`, a variant here and its line in [`Program::run`].

use clap::{CommandFactory, Parser, Subcommand};

use crate::commands::{assemble, check, completions, convert, dump, edit, formats, info, iyma, man, schema};
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

impl Program {
    /// Does what the command line says.
    pub fn run(&self) -> Result<Status> {
        match &self.command {
            Command::Formats(formats) => formats.run(),
            Command::Info(info) => info.run(),
            Command::Check(check) => check.run(),
            Command::Dump(dump) => dump.run(),
            Command::Assemble(assemble) => assemble.run(),
            Command::Edit(edit) => edit.run(),
            Command::Convert(convert) => convert.run(),
            Command::Iyma(iyma) => iyma.run(),
            Command::Schema(schema) => schema.run(),
            Command::Completions(completions) => completions.run(Program::command()),
            Command::Man(man) => man.run(Program::command()),
        }
    }
}
