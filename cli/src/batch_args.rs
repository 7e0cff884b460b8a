//! Command-line options for processing many files: file lists, parallel jobs, logs and resuming.

use std::fmt;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Component, PathBuf};
use std::thread;

use clap::Args;
use meshspec::Formats;
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;

use crate::extension;
use crate::failure::{Failure, Result};
use crate::input::{self, is_standard};
use crate::job_log::{ChangeCriterion, JobLog};
use crate::listing::InputFile;

/// Options for processing many input files.
#[derive(Debug, Args)]
pub struct BatchArgs {
    /// Also read the files named in LIST, one per line or NUL-terminated; `-` is standard input.
    #[arg(long, value_name = "LIST", hide_short_help = true)]
    pub files_from: Option<PathBuf>,
    /// Print one JSON object per line for each file, as soon as the file is done.
    #[arg(long, conflicts_with = "json", hide_short_help = true)]
    pub json_lines: bool,
    /// Append the lines of --json-lines to LOG, with the file state that --newer needs; `-` is standard output.
    #[arg(long, value_name = "LOG", conflicts_with_all = ["json", "json_lines"], hide_short_help = true)]
    log: Option<PathBuf>,
    /// Skip files that are unchanged since LOG recorded them: same size, and same modification time or content. The
    /// outputs of changed files are replaced.
    #[arg(long, value_name = "BY", value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "time", hide_short_help = true)]
    pub newer: Option<ChangeCriterion>,
    #[command(flatten)]
    pub jobs: JobArgs,
}

/// The number of parallel jobs.
#[derive(Debug, Args)]
pub struct JobArgs {
    /// Process up to N files in parallel [default: the number of cores]
    #[arg(long, value_name = "N", hide_short_help = true)]
    jobs: Option<NonZeroUsize>,
}

impl BatchArgs {
    /// Adds the files listed in `--files-from` to `files`.
    pub fn add_listed(&self, files: &mut Vec<InputFile>) -> Result<()> {
        if let Some(list) = &self.files_from {
            let text = input::read(list)?;
            let separator = if text.contains(&0) { 0 } else { b'\n' };
            for entry in text.split(|byte| *byte == separator) {
                let entry = if separator == 0 {
                    entry
                } else {
                    entry.strip_suffix(b"\r").unwrap_or(entry)
                };
                if !entry.is_empty() {
                    let file = input::path_from_bytes(entry).ok_or_else(|| {
                        Failure::invalid(&input::name_of(list), "a path in the list is not UTF-8")
                    })?;
                    // Keeps the folders, so that files with the same name have different outputs.
                    let parts = file
                        .components()
                        .filter(|part| matches!(part, Component::Normal(_)));
                    files.push(InputFile {
                        relative_path: parts.collect(),
                        file,
                        is_explicit: false,
                    });
                }
            }
        }
        Ok(())
    }

    /// Opens the log of finished files. `options` are the options that affect the results of the command.
    pub fn open_job_log(&self, command: &str, options: &impl fmt::Debug) -> Result<JobLog> {
        match (&self.log, self.newer) {
            (Some(log), Some(_)) if is_standard(log) => Err(Failure::usage(
                "--newer",
                "requires a file as LOG: standard output cannot be read back",
            )),
            (Some(log), newer) => {
                let own = ["jsonl", "json", "log", "txt"];
                extension::require(log, &own, "a log in JSON lines", &Formats::builtin())?;
                JobLog::open(log, newer, command, options)
            }
            (None, _) if self.json_lines => Ok(JobLog::on_stdout()),
            (None, _) => Ok(JobLog::disabled()),
        }
    }

    /// Returns the name of the first batch option given; `None` if there is none.
    pub fn first_given(&self) -> Option<&'static str> {
        let options = [
            ("--files-from", self.files_from.is_some()),
            ("--json-lines", self.json_lines),
            ("--log", self.log.is_some()),
            ("--newer", self.newer.is_some()),
            ("--jobs", self.jobs.jobs.is_some()),
        ];
        options
            .into_iter()
            .find(|(_, is_given)| *is_given)
            .map(|(name, _)| name)
    }

    /// Returns a usage error if `--newer` is given without `--log`.
    pub fn require_log(&self) -> Result<()> {
        match (self.newer, &self.log) {
            (Some(_), None) => Err(Failure::usage(
                "--newer",
                "requires --log LOG, the record of finished files",
            )),
            _ => Ok(()),
        }
    }
}

impl JobArgs {
    /// Calls `work` for the items in parallel, up to `--jobs` at a time, and passes the results to `consume` in order.
    pub fn run_parallel<'a, T: Sync, R: Send>(
        &self,
        items: &'a [T],
        work: impl Fn(&'a T) -> R + Sync,
        mut consume: impl FnMut(R) -> Result<()>,
    ) -> Result<()> {
        let threads = self
            .jobs
            .or(thread::available_parallelism().ok())
            .map_or(1, NonZeroUsize::get);
        // At most one thread per item. At least one in total, since 0 would select the number of cores.
        let threads = threads.min(items.len()).max(1);
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| Failure::io("--jobs", &io::Error::other(error)))?;
        // Chunks limit the number of pending results, and are large enough to keep all threads busy.
        for items in items.chunks(16 * pool.current_num_threads()) {
            let results: Vec<R> = pool.install(|| items.par_iter().map(&work).collect());
            results.into_iter().try_for_each(&mut consume)?;
        }
        Ok(())
    }
}
