//! The program of meshspec: shows, checks and converts the mesh files of game engines.
//!
//! Nothing in here knows a format: all comes from the tables and the declarations of the library. One file per
//! subcommand stands in `commands`.

mod commands;
mod excerpt;
mod failure;
mod input;
mod json;
mod names;
mod output;
mod packing;
mod per_file;
mod problem;
mod sections;
mod terminal;
mod text_dump;
mod text_excerpt;

use std::process::ExitCode;

use clap::Parser;

use commands::Command;

/// Show, check and convert the mesh files of game engines.
#[derive(Debug, Parser)]
#[command(name = "meshspec", version, after_help = EXIT_STATUS)]
struct Program {
    #[command(subcommand)]
    command: Command,
}

const EXIT_STATUS: &str = "\
Exit status:
  0  fine
  1  the input is invalid, or --strict and something would be lost
  2  wrong usage
  3  a file cannot be read or written";

fn main() -> ExitCode {
    match Program::parse().command.run() {
        Ok(status) => status.into(),
        Err(failure) => {
            failure.report();
            failure.status.into()
        }
    }
}
