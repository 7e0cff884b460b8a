//! The meshspec program as a library: shows, checks and converts the mesh files of game engines.
//!
//! Each subcommand is a module in `commands`. Commands access formats only through the tables and declarations of the
//! library `meshspec`, with these exceptions:
//!
//! - `commands/iyma` edits data that only IyMA files have.
//! - `compression_args` uses the range of IyMA's compression levels.
//! - `commands/convert/comments` handles the comments of Seed.
//! - `commands/convert/run`, `commands/view/content`, and commands that read JSON use documents of built-in formats.

#![forbid(unsafe_code)]

mod batch_args;
mod buffer;
mod commands;
mod compression_args;
mod content_kind;
mod encoding;
mod examples;
mod excerpt;
mod extension;
mod failure;
mod file_content;
mod findings;
mod input;
mod job_log;
mod json;
mod junit;
mod listing;
#[doc(hidden)]
pub mod memory;
mod messages;
mod names;
mod output;
mod output_format;
mod pages;
mod path_resolver;
mod per_file;
mod pose_selection;
mod printed_finding;
mod process_groups;
mod program;
mod progress;
mod read_args;
mod readable;
mod regular_files;
mod scenes;
mod sections;
mod shell;
mod temp_files;
mod terminal;
mod text_dump;
mod text_excerpt;
mod untyped_value;
mod winding;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::FromArgMatches;
use meshspec::Formats;
use program::Help;

/// Runs the program with the given formats and arguments; the first argument is the program's name. Returns the exit
/// status.
///
/// `convert` (except to JSON), `render` and `diff --scenes` need formats with
/// [scenes](meshspec::Format::SCENES); `assemble` and `edit` need a binary format. All other commands except
/// `iyma` support every format.
///
/// ```no_run
/// use meshspec::Formats;
///
/// fn main() -> std::process::ExitCode {
///     meshspec_cli::run(&Formats::builtin(), std::env::args_os())
/// }
/// ```
///
/// Reads and writes files and the standard streams; `conform` starts processes, and `view --serve` opens a local port.
///
/// On Unix, installs signal handlers. On SIGINT and SIGTERM, the program kills its child processes and removes
/// temporary files before it exits. SIGXFSZ is ignored, so that exceeding a file size limit causes a write error. A
/// failed allocation aborts the process; the binary `meshspec` has an allocator that exits with status 3 instead.
pub fn run(formats: &Formats, arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let help = if arguments.iter().any(|argument| argument == "-h") {
        Help::Short
    } else {
        Help::Long
    };
    let command = program::command(formats, help);
    let (arguments, hint) = program::join_optional_values(&command, arguments);
    let matches = command.try_get_matches_from(arguments);
    let program = match matches.and_then(|matches| program::Program::from_arg_matches(&matches)) {
        Ok(program) => program,
        Err(error) => {
            // Ignores the error: the stream may be closed.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() {
                failure::Status::Usage as u8
            } else {
                0
            });
        }
    };
    let run = || {
        encoding::reject_reserved(formats)?;
        temp_files::remove_on_signals()?;
        program.run(formats)
    };
    match run() {
        Ok(status) => status.into(),
        Err(failure) => {
            let status = failure.status;
            failure.or_hint(hint).report();
            status.into()
        }
    }
}
