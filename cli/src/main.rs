//! The program `meshspec`, implemented in the library of this crate.

mod allocator;

use std::process::ExitCode;

use allocator::OrExit;
use meshspec::Formats;

#[global_allocator]
static ALLOCATOR: OrExit = OrExit;

fn main() -> ExitCode {
    meshspec_cli::run(&Formats::builtin(), std::env::args_os())
}
