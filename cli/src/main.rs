//! The program `meshspec`: all of it is in the library beside this file.

use std::process::ExitCode;

fn main() -> ExitCode {
    meshspec_cli::run(std::env::args_os())
}
