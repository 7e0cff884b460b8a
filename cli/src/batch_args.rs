//! Options of commands for many files: lists, parallel jobs, logs and resuming.

use std::fmt;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Component, PathBuf};
use std::thread;

use clap::Args;
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;

use crate::failure::{Failure, Result};
use crate::input::{self, is_standard};
use crate::job_log::{JobLog, Newer};
use crate::listing::Listed;

/// Options of commands with many input files.
#[derive(Debug, Args)]
pub struct BatchArgs {
    /// Also read the files named in LIST, one per line or NUL-terminated; `-` is standard input.
    #[arg(long, value_name = "LIST", hide_short_help = true)]
    pub files_from: Option<PathBuf>,
    /// Print one JSON object per line for each file, as soon as the file is done.
    #[arg(long, conflicts_with = "json", hide_short_help = true)]
    pub json_lines: bool,
    /// Append these lines to LOG instead, with the file state that --newer needs; `-` is standard output.
    #[arg(long, value_name = "LOG", conflicts_with_all = ["json", "json_lines"], hide_short_help = true)]
    log: Option<PathBuf>,
    /// Skip files in LOG that are unchanged, by size and modification time or by content; the outputs of others are
    /// replaced.
    #[arg(long, value_name = "BY", value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "time", hide_short_help = true)]
    pub newer: Option<Newer>,
    #[command(flatten)]
    pub jobs: Jobs,
}

/// The number of parallel jobs.
#[derive(Debug, Args)]
pub struct Jobs {
    /// Process up to N files in parallel [default: the number of cores]
    #[arg(long, value_name = "N", hide_short_help = true)]
    jobs: Option<NonZeroUsize>,
}

impl BatchArgs {
    /// Adds the files of the list.
    pub fn add_to(&self, files: &mut Vec<Listed>) -> Result<()> {
        if let Some(list) = &self.files_from {
            let text = input::read(list)?;
            let separator = if text.contains(&0) { 0 } else { b'\n' };
            for entry in text.split(|byte| *byte == separator) {
                let entry = if separator == 0 { entry } else { entry.strip_suffix(b"\r").unwrap_or(entry) };
                if !entry.is_empty() {
                    let file = path_of(entry).map_err(|why| Failure::invalid(&input::name_of(list), why))?;
                    // Keeps files of the same name in different folders apart.
                    let names = file.components().filter(|part| matches!(part, Component::Normal(_)));
                    files.push(Listed { name: names.collect(), file, is_named: false });
                }
            }
        }
        Ok(())
    }

    /// Returns the destination of the lines. `options` are the options that affect the results of the command.
    pub fn job_log(&self, command: &str, options: &impl fmt::Debug) -> Result<JobLog> {
        match (&self.log, self.newer) {
            (Some(log), Some(_)) if is_standard(log) => {
                Err(Failure::usage("--newer", "requires a file as LOG: standard output cannot be read back"))
            }
            (Some(log), newer) => JobLog::append_to(log, newer, command, options),
            (None, _) if self.json_lines => Ok(JobLog::printed()),
            (None, _) => Ok(JobLog::none()),
        }
    }

    /// Returns the first of these options that is given.
    pub fn asked(&self) -> Option<&'static str> {
        let options = [
            ("--files-from", self.files_from.is_some()),
            ("--json-lines", self.json_lines),
            ("--log", self.log.is_some()),
            ("--newer", self.newer.is_some()),
            ("--jobs", self.jobs.jobs.is_some()),
        ];
        options.into_iter().find(|(_, is_asked)| *is_asked).map(|(name, _)| name)
    }

    /// Incorrect usage if `--newer` is given without `--log`.
    pub fn require_log(&self) -> Result<()> {
        match (self.newer, &self.log) {
            (Some(_), None) => {
                Err(Failure::usage("--newer", "requires --log LOG, the record of finished files"))
            }
            _ => Ok(()),
        }
    }
}

impl Jobs {
    /// Processes the items in parallel, up to `--jobs` at a time, and passes on the results in order.
    pub fn side_by_side<'a, T: Sync, R: Send>(
        &self,
        items: &'a [T],
        work: impl Fn(&'a T) -> R + Sync,
        mut then: impl FnMut(R) -> Result<()>,
    ) -> Result<()> {
        let threads = self.jobs.or(thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
        // No more threads than items. At least one, since 0 would mean the number of cores.
        let threads = threads.min(items.len()).max(1);
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| Failure::io("--jobs", &io::Error::other(error)))?;
        // Chunks bound the number of pending results, and are large enough to keep all threads busy.
        for items in items.chunks(16 * pool.current_num_threads()) {
            let results: Vec<R> = pool.install(|| items.par_iter().map(&work).collect());
            results.into_iter().try_for_each(&mut then)?;
        }
        Ok(())
    }
}

#[cfg(unix)]
fn path_of(bytes: &[u8]) -> Result<PathBuf, &'static str> {
    use std::os::unix::ffi::OsStrExt;
    Ok(std::ffi::OsStr::from_bytes(bytes).into())
}

#[cfg(not(unix))]
fn path_of(bytes: &[u8]) -> Result<PathBuf, &'static str> {
    std::str::from_utf8(bytes).map(PathBuf::from).map_err(|_| "a path in the list is not UTF-8")
}
