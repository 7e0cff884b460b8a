//! The program `meshspec`: all of it is in the library beside this file.

use std::process::ExitCode;

use meshspec::Formats;

fn main() -> ExitCode {
    meshspec_cli::run(&Formats::builtin(), std::env::args_os())
}
