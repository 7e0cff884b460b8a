//! The subcommands. To add one: a file here, a variant of [`Command`] and its line in [`Command::run`].

mod check;
mod completions;
mod convert;
mod dump;
mod formats;
mod info;
mod iyma;
mod man;
mod schema;

use clap::Subcommand;

use crate::failure::{Result, Status};

#[derive(Debug, Subcommand)]
pub enum Command {
    Formats(formats::Formats),
    Info(info::Info),
    Check(check::Check),
    Dump(dump::Dump),
    Convert(convert::Convert),
    Iyma(iyma::Iyma),
    Schema(schema::Schema),
    Completions(completions::Completions),
    Man(man::Man),
}

impl Command {
    /// Does what the command line says.
    pub fn run(&self) -> Result<Status> {
        match self {
            Command::Formats(formats) => formats.run(),
            Command::Info(info) => info.run(),
            Command::Check(check) => check.run(),
            Command::Dump(dump) => dump.run(),
            Command::Convert(convert) => convert.run(),
            Command::Iyma(iyma) => iyma.run(),
            Command::Schema(schema) => schema.run(),
            Command::Completions(completions) => completions.run(),
            Command::Man(man) => man.run(),
        }
    }
}
