//! Many files at once.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use indicatif::{ParallelProgressIterator, ProgressBar, ProgressDrawTarget, ProgressStyle};
use rayon::prelude::*;

use super::conversion::{Conversion, Outcome};
use super::encoding::Encoding;
use super::{Row, report};
use crate::failure::{Failure, Result, Status};
use crate::input::is_standard;
use crate::output;
use crate::terminal::{Escaped, counted};

/// Converts every file, and every file with a known extension in each folder, side by side. A bad file does not keep
/// the others from being converted; the status is the worst of all.
pub fn run(conversion: &Conversion, inputs: &[PathBuf], folder: &Path, json: bool) -> Result<Status> {
    let Some(to) = conversion.to else {
        return Err(Failure::usage("--out-dir", "wants --to FORMAT"));
    };
    let jobs = jobs(inputs, folder, to)?;
    let bar = progress(jobs.len() as u64);
    let results: Vec<_> = jobs
        .par_iter()
        .progress_with(bar.clone())
        .map(|job| {
            let result = job.run(conversion, to);
            if !json {
                bar.suspend(|| job.report(&result));
            }
            result
        })
        .collect();
    bar.finish_and_clear();
    if json {
        print(&jobs, &results)?;
    }
    Ok(sum_up(&results))
}

/// One file to convert.
struct Job {
    input: PathBuf,
    output: PathBuf,
}

impl Job {
    fn run(&self, conversion: &Conversion, to: Encoding) -> Result<Outcome> {
        if let Some(folder) = self.output.parent() {
            fs::create_dir_all(folder).map_err(|error| Failure::io(&folder.display().to_string(), &error))?;
        }
        conversion.run(&self.input, &self.output, to)
    }

    fn report(&self, result: &Result<Outcome>) {
        match result {
            Ok(outcome) => {
                report(outcome, &format!("{}: ", Escaped(&self.input.display().to_string())));
                if let Some(failure) = outcome.failure(&self.input) {
                    failure.report();
                }
            }
            Err(failure) => failure.report(),
        }
    }
}

/// What to convert, in the order of the names. No two files may become one.
fn jobs(inputs: &[PathBuf], folder: &Path, to: Encoding) -> Result<Vec<Job>> {
    let mut jobs = Vec::new();
    for input in inputs {
        if is_standard(input) {
            return Err(Failure::usage("standard input", "has no name to write to --out-dir"));
        }
        let fail = |error| Failure::io(&input.display().to_string(), &error);
        let (base, files) = match input.is_dir() {
            true => (&**input, files_in(input).map_err(fail)?),
            false => (input.parent().unwrap_or(Path::new("")), vec![input.clone()]),
        };
        jobs.extend(files.into_iter().map(|file| {
            let name = file.strip_prefix(base).unwrap_or(&file);
            Job { output: folder.join(name).with_extension(to.extension()), input: file }
        }));
    }
    let mut seen = HashMap::new();
    for job in &jobs {
        if let Some(other) = seen.insert(&job.output, &job.input) {
            let message = format!("{} and {} would both become it", other.display(), job.input.display());
            return Err(Failure::usage(&job.output.display().to_string(), message));
        }
    }
    Ok(jobs)
}

/// Files that may be meshes by their extension, below a folder, sorted. Links to folders are not followed.
fn files_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            files.extend(files_in(&path)?);
        } else if is_mesh(&path) {
            files.push(path);
        }
    }
    Ok(files)
}

/// JSON may be anything.
fn is_mesh(path: &Path) -> bool {
    let known = meshspec::FormatId::ALL.iter().flat_map(|format| format.about().extensions);
    let others = meshspec::interop::Interchange::ALL.iter().map(|format| format.name());
    let extension = path.extension().unwrap_or_default();
    known.copied().chain(others).any(|name| extension.eq_ignore_ascii_case(name))
}

/// A bar on a terminal, nothing elsewhere.
fn progress(count: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(count), ProgressDrawTarget::stderr());
    match ProgressStyle::with_template("{bar:40} {pos}/{len} {eta}") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

fn print(jobs: &[Job], results: &[Result<Outcome>]) -> Result<()> {
    let none = Outcome::default();
    let refusals: Vec<_> = jobs
        .iter()
        .zip(results)
        .map(|(job, result)| result.as_ref().ok().and_then(|outcome| outcome.failure(&job.input)))
        .collect();
    let rows = jobs.iter().zip(results).zip(&refusals).map(|((job, result), refusal)| Row {
        file: job.input.display().to_string(),
        output: job.output.display().to_string(),
        error: result.as_ref().err().or(refusal.as_ref()).map(Failure::message),
        outcome: result.as_ref().unwrap_or(&none),
    });
    output::print_json(&rows.collect::<Vec<_>>())
}

/// Says how it went; the status is the worst of all.
fn sum_up(results: &[Result<Outcome>]) -> Status {
    let status = |result: &Result<Outcome>| match result {
        Ok(outcome) if outcome.refused => Status::Invalid,
        Ok(_) => Status::Fine,
        Err(failure) => failure.status,
    };
    let failed = results.iter().filter(|result| status(result) != Status::Fine).count() as u64;
    let converted = counted(results.len() as u64 - failed, "file", "files");
    eprintln!("{converted} converted, {failed} failed");
    match results.iter().map(status).max() {
        // Whatever each of them failed of, of many files some are bad.
        Some(worst) if worst != Status::Fine => Status::Invalid,
        _ => Status::Fine,
    }
}
