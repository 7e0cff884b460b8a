//! The program `meshspec`, implemented in the library `meshspec_cli`.

mod allocator;

use std::process::ExitCode;

use allocator::ExitingAllocator;
use meshspec::Formats;

#[global_allocator]
static ALLOCATOR: ExitingAllocator = ExitingAllocator;

fn main() -> ExitCode {
    meshspec_cli::run(&Formats::builtin(), std::env::args_os())
}
