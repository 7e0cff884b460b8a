//! The program of meshspec as a library: shows, checks and converts the mesh files of game engines.
//!
//! One file per subcommand stands in `commands`. What they know of a format comes from the tables and declarations of
//! the library `meshspec`, with three exceptions: `commands/iyma` edits what only IyMA files have, `packing` has the
//! range of its compression levels, and `commands/convert/comments` knows that Seed has comments.

#![forbid(unsafe_code)]

mod commands;
mod encoding;
mod excerpt;
mod failure;
mod findings;
mod input;
mod json;
mod lines;
mod listing;
mod many;
mod messages;
mod names;
mod output;
mod packing;
mod part;
mod per_file;
mod problem;
mod program;
mod progress;
mod reading;
mod sections;
mod selection;
mod temporary;
mod terminal;
mod text_dump;
mod text_excerpt;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

/// Runs the program with these arguments, of which the first is its name, and returns its exit status.
///
/// It reads and writes files and the standard streams. On Unix it installs handlers for SIGINT and SIGTERM, which remove
/// temporary files before they end the process, and for SIGXFSZ, so that a file size limit is an error of writing.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let program = match program::Program::try_parse_from(arguments) {
        Ok(program) => program,
        Err(error) => {
            // If the stream is closed there is nobody to tell.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { failure::Status::Usage as u8 } else { 0 });
        }
    };
    match temporary::remove_on_signals().and_then(|()| program.run()) {
        Ok(status) => status.into(),
        Err(failure) => {
            failure.report();
            failure.status.into()
        }
    }
}
