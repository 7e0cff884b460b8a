//! Converts many files.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use meshspec::Formats;

use super::Convert;
use super::report::{ConversionReport, ReportRow};
use crate::encoding::Encoding;
use crate::failure::{Failure, Result, Status};
use crate::input::{is_standard, name_of, text_of};
use crate::job_log::{ChangeCriterion, JobLog, LoggedFailures};
use crate::json;
use crate::listing::{self, InputFile};
use crate::messages::{self, Messages};
use crate::output::{FileOwners, StagedOutput};
use crate::output_format::OutputFormat::Json;
use crate::progress;
use crate::terminal::counted;

struct ConversionJob {
    input: InputFile,
    output: PathBuf,
    /// Another input with the same output path, if any.
    conflicting_input: Option<PathBuf>,
}

enum JobOutcome {
    /// Not repeated: the output is up to date, or the same conversion failed before.
    Skipped(Status),
    Finished(Box<Result<ConversionReport>>),
}

/// The numbers of files by outcome.
#[derive(Default)]
struct OutcomeCounts {
    converted: u64,
    failed: u64,
    up_to_date: u64,
}

impl Convert {
    /// Converts files in parallel: the given files, and the files with a known extension in folders. A failure does not
    /// stop other conversions, but makes the status [`Invalid`](Status::Invalid); a pattern without a match makes it
    /// [`Io`](Status::Io).
    pub(super) fn run_all(
        &self,
        inputs: &[PathBuf],
        folder: &Path,
        to: Encoding,
        formats: &Formats,
    ) -> Result<Status> {
        self.conversion.require_options(None, to, formats)?;
        if inputs.iter().any(|input| is_standard(input)) {
            return Err(Failure::usage(
                "standard input",
                "cannot be combined with --out-dir, as it has no file name; specify OUT",
            ));
        }
        if self.batch.newer == Some(ChangeCriterion::Hash) {
            self.batch.require_log()?;
        }
        let is_wanted = |path: &Path| listing::has_mesh_extension(path, formats);
        let mut files = listing::list_files(inputs, Some(folder), &is_wanted)?;
        self.batch.add_listed(&mut files)?;
        let jobs = plan_jobs(files, folder, to);
        let owners = Arc::new(FileOwners::of_outputs(
            jobs.iter().map(|job| job.output.clone()),
        ));
        let log = self
            .batch
            .open_job_log("convert", &(&self.conversion, folder))?;
        let bar = progress::bar_for(&jobs);
        let mut counts = OutcomeCounts::default();
        let mut logged = LoggedFailures::default();
        let mut messages = Messages::default();
        let is_json = self.output_format == Json;
        let mut list = json::ListWriter::new();
        let mut out = anstream::stdout();
        let work = |job| {
            let outcome = self.convert(job, &log, &owners, formats);
            if let (Ok(JobOutcome::Finished(result)), false) = (&outcome, is_json) {
                bar.suspend(|| self.report(job, result));
            }
            bar.inc(1);
            outcome.map(|outcome| (job, outcome))
        };
        let record = |finished: Result<(&ConversionJob, JobOutcome)>| {
            let (job, outcome) = finished?;
            counts.add(&outcome);
            if matches!(outcome, JobOutcome::Skipped(status) if status != Status::Success) {
                logged.add(&job.input.file);
            }
            if let JobOutcome::Finished(result) = outcome {
                if is_json {
                    list.write(
                        &json::to_element(&ReportRow::new(&job.input.file, &job.output, &result))?,
                        &mut out,
                    )?;
                } else if let (Ok(report), false) = (&*result, self.verbosity.verbose) {
                    let file = name_of(&job.input.file);
                    messages.add(
                        Some(&file),
                        &report.notes(),
                        &report.losses,
                        &report.warnings,
                    );
                }
            }
            Ok(())
        };
        progress::run_with_bar(&bar, || self.batch.jobs.run_parallel(&jobs, work, record))?;
        if is_json {
            list.end(&mut out)?;
        }
        messages.print(self.verbosity);
        log.report_failures(&logged);
        if !self.verbosity.quiet {
            messages::print_line(&counts.text());
        }
        Ok(match counts.failed {
            0 => Status::Success,
            _ if jobs.iter().any(|job| job.input.is_unmatched_pattern()) => Status::Io,
            _ => Status::Invalid,
        })
    }

    /// Converts a file unless the result of an earlier run still applies.
    fn convert(
        &self,
        job: &ConversionJob,
        log: &JobLog,
        owners: &Arc<FileOwners>,
        formats: &Formats,
    ) -> Result<JobOutcome> {
        if let Some(status) = self.earlier_status(job, log) {
            return Ok(JobOutcome::Skipped(status));
        }
        let mut state = log.read_state(&job.input.file);
        let earlier = log.last_images(&job.input.file);
        // `--newer` implies that outdated outputs are replaced.
        let force = self.force || self.batch.newer.is_some();
        let staged =
            StagedOutput::with_new_folders(&job.output, force, earlier.clone(), Arc::clone(owners));
        let result = job.run(|| self.conversion.run(&job.input.file, staged, formats));
        if let Some(state) = &mut state {
            state.images = match &result {
                Ok(ConversionReport {
                    rejection: None,
                    images,
                    ..
                }) => images.clone(),
                _ => earlier.unwrap_or_default(),
            };
        }
        if log.is_enabled() {
            log.write(
                &ReportRow::new(&job.input.file, &job.output, &result),
                state,
                status_of(&result),
            )?;
        }
        Ok(JobOutcome::Finished(Box::new(result)))
    }

    /// Returns the status of an earlier conversion that need not be repeated; `None` if the file must be converted.
    fn earlier_status(&self, job: &ConversionJob, log: &JobLog) -> Option<Status> {
        self.batch.newer?;
        let status = match log.has_log() {
            true => log.finished_status(&job.input.file)?,
            false if job.is_up_to_date() => Status::Success,
            false => return None,
        };
        // The output may have been removed.
        (status != Status::Success || job.output.exists()).then_some(status)
    }

    /// Immediately prints failures and, with `--verbose`, all messages. Other messages are grouped and printed at the
    /// end.
    fn report(&self, job: &ConversionJob, result: &Result<ConversionReport>) {
        match result {
            Ok(report) => {
                if self.verbosity.verbose {
                    let prefix = format!("{}: ", name_of(&job.input.file));
                    messages::print_all(&prefix, &report.notes(), &report.losses, &report.warnings);
                }
                if let Some(rejection) = &report.rejection {
                    rejection.report();
                }
            }
            Err(failure) => failure.report(),
        }
    }
}

fn status_of(result: &Result<ConversionReport>) -> Status {
    match result {
        Ok(ConversionReport {
            rejection: None, ..
        }) => Status::Success,
        Ok(ConversionReport {
            rejection: Some(failure),
            ..
        })
        | Err(failure) => failure.status,
    }
}

impl ConversionJob {
    fn run(
        &self,
        conversion: impl FnOnce() -> Result<ConversionReport>,
    ) -> Result<ConversionReport> {
        match &self.conflicting_input {
            None => self.input.require_readable().and_then(|()| conversion()),
            Some(conflicting_input) => {
                let (input, other) = (name_of(&self.input.file), name_of(conflicting_input));
                let message = format!("not written: both {input} and {other} map to this path");
                Err(Failure::usage(&text_of(&self.output), message))
            }
        }
    }

    /// Returns `true` if the output exists and was not modified before the input.
    fn is_up_to_date(&self) -> bool {
        let modified = |path: &Path| fs::metadata(path).and_then(|metadata| metadata.modified());
        match (modified(&self.output), modified(&self.input.file)) {
            (Ok(output), Ok(input)) => output >= input,
            _ => false,
        }
    }
}

impl AsRef<Path> for ConversionJob {
    fn as_ref(&self) -> &Path {
        &self.input.file
    }
}

impl OutcomeCounts {
    fn add(&mut self, outcome: &JobOutcome) {
        match outcome {
            JobOutcome::Skipped(Status::Success) => self.up_to_date += 1,
            JobOutcome::Finished(result) if status_of(result) == Status::Success => {
                self.converted += 1
            }
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

/// Returns a job for each distinct file, with an output path in `folder`. Marks jobs with the same output path as
/// conflicting. Skips a file from a folder, pattern or list that is the output of another one: an earlier run has written
/// it.
fn plan_jobs(files: Vec<InputFile>, folder: &Path, to: Encoding) -> Vec<ConversionJob> {
    let mut known = HashSet::new();
    let distinct = files
        .into_iter()
        .filter(|input| known.insert(input.file.clone()));
    let planned: Vec<_> = distinct
        .map(|input| {
            let output = folder.join(&input.relative_path);
            let output = output.with_extension(to.output_extension(&input.file));
            (is_same_file(&input.file, &output), input, output)
        })
        .collect();
    let others = planned.iter().filter(|(is_own_output, ..)| !is_own_output);
    let outputs_of_others: HashSet<_> = others.map(|(.., output)| output.clone()).collect();
    let mut jobs: Vec<ConversionJob> = Vec::new();
    let mut first_jobs: HashMap<PathBuf, usize> = HashMap::new();
    for (is_own_output, input, output) in planned {
        if is_own_output && !input.is_explicit && outputs_of_others.contains(&output) {
            continue;
        }
        let first = *first_jobs.entry(output.clone()).or_insert(jobs.len());
        let mut job = ConversionJob {
            output,
            input,
            conflicting_input: None,
        };
        if let Some(first) = jobs.get_mut(first) {
            if is_same_file(&first.input.file, &job.input.file) {
                continue;
            }
            job.conflicting_input = Some(first.input.file.clone());
            first.conflicting_input = Some(job.input.file.clone());
        }
        jobs.push(job);
    }
    jobs
}

/// Returns `true` if two paths of the same file differ at most in their spelling, such as `a.obj` and `./a.obj`.
fn is_same_file(a: &Path, b: &Path) -> bool {
    a == b || fs::canonicalize(a).is_ok_and(|a| fs::canonicalize(b).is_ok_and(|b| a == b))
}
