//! The program of meshspec as a library: shows, checks and converts the mesh files of game engines.
//!
//! One file per subcommand stands in `commands`. What they know of a format comes from the tables and declarations of
//! the library `meshspec`, with three exceptions: `commands/iyma` edits what only IyMA files have, `packing` has the
//! range of its compression levels, and `commands/convert/comments` knows that Seed has comments.

#![forbid(unsafe_code)]

mod buffer;
mod commands;
mod encoding;
mod examples;
mod excerpt;
mod failure;
mod findings;
mod input;
mod json;
mod junit;
mod lines;
mod listing;
mod many;
#[doc(hidden)]
pub mod memory;
mod messages;
mod model;
mod names;
mod output;
mod output_format;
mod packing;
mod part;
mod per_file;
mod problem;
mod process_groups;
mod program;
mod progress;
mod reading;
mod regular;
mod scenes;
mod sections;
mod selection;
mod surface;
mod temporary;
mod terminal;
mod text_dump;
mod text_excerpt;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::FromArgMatches;
use meshspec::Formats;
use program::Help;

/// Runs the program over these formats with these arguments, of which the first is its name, and returns its exit status.
///
/// Every command knows every format. `convert`, `render` and `diff --scenes` need [scenes](meshspec::AnyFormat::with_scenes).
///
/// ```no_run
/// use meshspec::Formats;
///
/// fn main() -> std::process::ExitCode {
///     meshspec_cli::run(&Formats::builtin(), std::env::args_os())
/// }
/// ```
///
/// It reads and writes files and the standard streams, and `conform` starts processes. On Unix it installs handlers for
/// SIGINT and SIGTERM, which kill these processes and remove temporary files before they end the process, and for SIGXFSZ, so that a file size limit is an error of writing. A failed
/// allocation aborts the process; `meshspec` has an allocator that exits with status 3.
pub fn run(formats: &Formats, arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let help = if arguments.iter().any(|argument| argument == "-h") { Help::Short } else { Help::Long };
    let matches = program::command(formats, help).try_get_matches_from(arguments);
    let program = match matches.and_then(|matches| program::Program::from_arg_matches(&matches)) {
        Ok(program) => program,
        Err(error) => {
            // If the stream is closed there is nobody to tell.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { failure::Status::Usage as u8 } else { 0 });
        }
    };
    let run = || {
        encoding::refuse_reserved(formats)?;
        temporary::remove_on_signals()?;
        program.run(formats)
    };
    match run() {
        Ok(status) => status.into(),
        Err(failure) => {
            failure.report();
            failure.status.into()
        }
    }
}
