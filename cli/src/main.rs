//! The program `meshspec`: all of it is in the library beside this file.

mod allocator;

use std::process::ExitCode;

use allocator::OrExit;
use meshspec::Formats;

#[global_allocator]
static ALLOCATOR: OrExit = OrExit;

fn main() -> ExitCode {
    meshspec_cli::run(&Formats::builtin(), std::env::args_os())
}
