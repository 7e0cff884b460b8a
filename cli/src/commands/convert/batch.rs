//! Many files at once.

use std::collections::{HashMap, HashSet};
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
use crate::output::{self, Staged};
use crate::terminal::{Escaped, counted};

/// Converts every file, and every file with a known extension in each folder, side by side. A bad file does not keep
/// the others from being converted; then the input as a whole is invalid, whatever was wrong with the file.
pub fn run(conversion: &Conversion, inputs: &[PathBuf], folder: &Path, json: bool) -> Result<Status> {
    let Some(to) = conversion.to else {
        return Err(Failure::usage("--out-dir", "wants --to FORMAT"));
    };
    conversion.require_options(to)?;
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
        let rows = jobs.iter().zip(&results).map(|(job, result)| Row::new(&job.input, &job.output, result));
        output::print_json(&rows.collect::<Vec<_>>())?;
    }
    Ok(sum_up(&results))
}

/// One file to convert.
struct Job {
    input: PathBuf,
    output: PathBuf,
    /// Another file that would become the same one.
    rival: Option<PathBuf>,
}

impl Job {
    fn run(&self, conversion: &Conversion, to: Encoding) -> Result<Outcome> {
        if let Some(rival) = &self.rival {
            let message = format!("{} and {} would both become it", self.input.display(), rival.display());
            return Err(Failure::usage(&self.output.display().to_string(), message));
        }
        conversion.run(&self.input, Staged::in_new_folders(&self.output, conversion.force), to)
    }

    fn report(&self, result: &Result<Outcome>) {
        match result {
            Ok(outcome) => {
                report(outcome, &format!("{}: ", Escaped(&self.input.display().to_string())));
                if let Some(refusal) = &outcome.refusal {
                    refusal.report();
                }
            }
            Err(failure) => failure.report(),
        }
    }
}

/// What to convert, in the order of the names, each file once.
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
            let output = folder.join(name).with_extension(to.extension_for(&file));
            Job { output, input: file, rival: None }
        }));
    }
    let mut known = HashSet::new();
    jobs.retain(|job| known.insert(job.input.clone()));
    let mut places: HashMap<PathBuf, usize> = HashMap::new();
    for place in 0..jobs.len() {
        let first = *places.entry(jobs[place].output.clone()).or_insert(place);
        if first != place {
            jobs[place].rival = Some(jobs[first].input.clone());
            jobs[first].rival = Some(jobs[place].input.clone());
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

/// Says how it went.
fn sum_up(results: &[Result<Outcome>]) -> Status {
    let is_written = |result: &&Result<Outcome>| matches!(result, Ok(Outcome { refusal: None, .. }));
    let converted = results.iter().filter(is_written).count();
    let failed = results.len() - converted;
    eprintln!("{} converted, {failed} failed", counted(converted as u64, "file", "files"));
    if failed == 0 { Status::Fine } else { Status::Invalid }
}
