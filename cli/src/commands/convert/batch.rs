//! Conversion of many files.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use meshspec::Formats;

use super::Convert;
use super::outcome::{Outcome, Row};
use crate::encoding::Encoding;
use crate::failure::{Failure, Result, Status};
use crate::input::{is_standard, name_of};
use crate::job_log::{JobLog, Newer};
use crate::json;
use crate::listing::{self, Listed};
use crate::messages::{self, Messages};
use crate::output::Staged;
use crate::output_format::OutputFormat::Json;
use crate::progress;
use crate::terminal::counted;

/// One file to convert.
struct Job {
    input: Listed,
    output: PathBuf,
    /// Another input with the same output.
    conflicting_input: Option<PathBuf>,
}

/// The outcome of a job.
enum JobOutcome {
    /// The output is up to date, or the same conversion failed before.
    Skipped(Status),
    Finished(Box<Result<Outcome>>),
}

/// The numbers of files by outcome.
#[derive(Default)]
struct Counts {
    converted: u64,
    failed: u64,
    up_to_date: u64,
}

impl Convert {
    /// Converts all files in parallel, and all files with a known extension in folders. Failed files do not stop the
    /// others, but make the status `Invalid`. A pattern without a match counts as unreadable.
    pub(super) fn run_all(
        &self,
        inputs: &[PathBuf],
        folder: &Path,
        to: Encoding,
        formats: &Formats,
    ) -> Result<Status> {
        self.conversion.require_options(to, formats)?;
        if inputs.iter().any(|input| is_standard(input)) {
            return Err(Failure::usage("standard input", "has no file name for --out-dir; name OUT instead"));
        }
        if self.batch.newer == Some(Newer::Hash) {
            self.batch.require_log()?;
        }
        let mut files = listing::list(inputs, &|path| listing::is_mesh(path, formats))?;
        self.batch.add_to(&mut files)?;
        let jobs = jobs(files, folder, to);
        let outputs: Arc<HashSet<_>> = Arc::new(jobs.iter().map(|job| job.output.clone()).collect());
        let log = self.batch.job_log("convert", &(&self.conversion, folder))?;
        let bar = progress::of(&jobs);
        let mut counts = Counts::default();
        let mut messages = Messages::default();
        let is_json = self.output_format == Json;
        let mut list = json::List::new();
        let mut out = anstream::stdout();
        let work = |job| {
            let done = self.convert(job, &log, &outputs, formats);
            if let (Ok(JobOutcome::Finished(result)), false) = (&done, is_json) {
                bar.suspend(|| self.report(job, result));
            }
            bar.inc(1);
            done.map(|done| (job, done))
        };
        let then = |done: Result<(&Job, JobOutcome)>| {
            let (job, done) = done?;
            counts.add(&done);
            if let JobOutcome::Finished(result) = done {
                if is_json {
                    list.write(&json::to_vec(&Row::new(&job.input.file, &job.output, &result))?, &mut out)?;
                } else if let (Ok(outcome), false) = (&*result, self.verbosity.verbose) {
                    let file = name_of(&job.input.file);
                    messages.add(Some(&file), &outcome.notes(), &outcome.losses, &outcome.warnings);
                }
            }
            Ok(())
        };
        progress::shown(&bar, || self.batch.jobs.side_by_side(&jobs, work, then))?;
        if is_json {
            list.end(&mut out)?;
        }
        messages.print(self.verbosity);
        if !self.verbosity.quiet {
            eprintln!("{}", counts.text());
        }
        Ok(match counts.failed {
            0 => Status::Fine,
            _ if jobs.iter().any(|job| job.input.is_unmatched()) => Status::Io,
            _ => Status::Invalid,
        })
    }

    /// Converts a file unless an earlier run did.
    fn convert(
        &self,
        job: &Job,
        log: &JobLog,
        outputs: &Arc<HashSet<PathBuf>>,
        formats: &Formats,
    ) -> Result<JobOutcome> {
        if let Some(status) = self.before(job, log) {
            return Ok(JobOutcome::Skipped(status));
        }
        let mut state = log.state(&job.input.file);
        let earlier = log.images(&job.input.file);
        // --newer implies replacing outdated outputs.
        let force = self.force || self.batch.newer.is_some();
        let staged = Staged::in_new_folders(&job.output, force, earlier.clone(), Arc::clone(outputs));
        let result = job.run(|| self.conversion.run(&job.input.file, staged, formats));
        if let Some(state) = &mut state {
            state.images = match &result {
                Ok(Outcome { rejection: None, images, .. }) => images.clone(),
                _ => earlier.unwrap_or_default(),
            };
        }
        if log.is_written() {
            log.write(&Row::new(&job.input.file, &job.output, &result), state, status_of(&result))?;
        }
        Ok(JobOutcome::Finished(Box::new(result)))
    }

    /// Returns the status of an earlier conversion if it need not be repeated.
    fn before(&self, job: &Job, log: &JobLog) -> Option<Status> {
        self.batch.newer?;
        let status = match log.is_log() {
            true => log.known(&job.input.file)?,
            false if job.is_newer() => Status::Fine,
            false => return None,
        };
        // The output may have been removed.
        (status != Status::Fine || job.output.exists()).then_some(status)
    }

    /// Prints messages that cannot be grouped immediately.
    fn report(&self, job: &Job, result: &Result<Outcome>) {
        match result {
            Ok(outcome) => {
                if self.verbosity.verbose {
                    let prefix = format!("{}: ", job.input.file.display());
                    messages::print_all(&prefix, &outcome.notes(), &outcome.losses, &outcome.warnings);
                }
                if let Some(rejection) = &outcome.rejection {
                    rejection.report();
                }
            }
            Err(failure) => failure.report(),
        }
    }
}

fn status_of(result: &Result<Outcome>) -> Status {
    match result {
        Ok(Outcome { rejection: None, .. }) => Status::Fine,
        Ok(Outcome { rejection: Some(failure), .. }) | Err(failure) => failure.status,
    }
}

impl Job {
    fn run(&self, conversion: impl FnOnce() -> Result<Outcome>) -> Result<Outcome> {
        match &self.conflicting_input {
            None => self.input.require_readable().and_then(|()| conversion()),
            Some(conflicting_input) => {
                let (input, other) = (self.input.file.display(), conflicting_input.display());
                let message = format!("not written: both {input} and {other} map to this path");
                Err(Failure::usage(&self.output.display().to_string(), message))
            }
        }
    }

    /// Returns `true` if the output exists and is not older than the input.
    fn is_newer(&self) -> bool {
        let modified = |path: &Path| fs::metadata(path).and_then(|metadata| metadata.modified());
        match (modified(&self.output), modified(&self.input.file)) {
            (Ok(output), Ok(input)) => output >= input,
            _ => false,
        }
    }
}

impl AsRef<Path> for Job {
    fn as_ref(&self) -> &Path {
        &self.input.file
    }
}

impl Counts {
    fn add(&mut self, done: &JobOutcome) {
        match done {
            JobOutcome::Skipped(Status::Fine) => self.up_to_date += 1,
            JobOutcome::Finished(result) if status_of(result) == Status::Fine => self.converted += 1,
            JobOutcome::Skipped(_) | JobOutcome::Finished(_) => self.failed += 1,
        }
    }

    fn text(&self) -> String {
        let converted = counted(self.converted, "file", "files");
        let up_to_date = match self.up_to_date {
            0 => String::new(),
            count => format!(", {count} up to date"),
        };
        format!("{converted} converted{up_to_date}, {} failed", self.failed)
    }
}

/// Returns the files to convert, sorted by name, each once.
fn jobs(files: Vec<Listed>, folder: &Path, to: Encoding) -> Vec<Job> {
    let job = |input: Listed| {
        let output = folder.join(&input.name).with_extension(to.extension_for(&input.file));
        Job { output, input, conflicting_input: None }
    };
    let mut jobs: Vec<_> = files.into_iter().map(job).collect();
    let mut known = HashSet::new();
    jobs.retain(|job| known.insert(job.input.file.clone()));
    let mut places: HashMap<PathBuf, usize> = HashMap::new();
    for place in 0..jobs.len() {
        let first = *places.entry(jobs[place].output.clone()).or_insert(place);
        if first != place {
            jobs[place].conflicting_input = Some(jobs[first].input.file.clone());
            jobs[first].conflicting_input = Some(jobs[place].input.file.clone());
        }
    }
    jobs
}
