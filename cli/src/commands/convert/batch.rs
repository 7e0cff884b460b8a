//! Many files at once.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::conversion::Conversion;
use super::outcome::{Outcome, Row};
use crate::encoding::Encoding;
use crate::failure::{Failure, Result, Status};
use crate::input::is_standard;
use crate::listing::{self, Listed};
use crate::messages::{self, Messages, Verbosity};
use crate::output::{self, Staged};
use crate::progress;
use crate::terminal::counted;

/// Converts every file, and every file with a known extension in each folder, side by side. A bad file does not keep
/// the others from being converted; then the input as a whole is invalid, whatever was wrong with the file.
pub fn run(
    conversion: &Conversion,
    inputs: &[PathBuf],
    folder: &Path,
    to: Encoding,
    json: bool,
    verbosity: Verbosity,
) -> Result<Status> {
    conversion.require_options(to)?;
    if inputs.iter().any(|input| is_standard(input)) {
        return Err(Failure::usage("standard input", "has no file name for --out-dir; name OUT instead"));
    }
    let jobs = jobs(inputs, folder, to)?;
    let bar = progress::counting(jobs.len());
    let results: Vec<_> = progress::shown(&bar, || {
        let run = |job: &Job| {
            let result = job.run(conversion);
            if !json {
                bar.suspend(|| job.report(&result, verbosity));
            }
            bar.inc(1);
            result
        };
        jobs.par_iter().map(run).collect()
    });
    if json {
        let rows = jobs.iter().zip(&results).map(|(job, result)| Row::new(&job.input, &job.output, result));
        output::print_json(&rows.collect::<Vec<_>>())?;
    } else if !verbosity.verbose {
        let mut messages = Messages::default();
        for (job, result) in jobs.iter().zip(&results) {
            if let Ok(Outcome { assumed, losses, .. }) = result {
                messages.add(Some(&job.input.display().to_string()), assumed, losses);
            }
        }
        messages.print(verbosity);
    }
    Ok(sum_up(&results, verbosity))
}

/// One file to convert.
struct Job {
    input: PathBuf,
    output: PathBuf,
    /// Another file that would become the same one.
    rival: Option<PathBuf>,
}

impl Job {
    fn run(&self, conversion: &Conversion) -> Result<Outcome> {
        if let Some(rival) = &self.rival {
            let (input, rival) = (self.input.display(), rival.display());
            let message = format!("not written: both {input} and {rival} would become it");
            return Err(Failure::usage(&self.output.display().to_string(), message));
        }
        conversion.run(&self.input, Staged::in_new_folders(&self.output, conversion.force))
    }

    /// Prints at once what cannot be grouped with other files.
    fn report(&self, result: &Result<Outcome>, verbosity: Verbosity) {
        match result {
            Ok(Outcome { assumed, losses, refusal }) => {
                if verbosity.verbose {
                    messages::print_all(&format!("{}: ", self.input.display()), assumed, losses);
                }
                if let Some(refusal) = refusal {
                    refusal.report();
                }
            }
            Err(failure) => failure.report(),
        }
    }
}

/// What to convert, in the order of the names, each file once.
fn jobs(inputs: &[PathBuf], folder: &Path, to: Encoding) -> Result<Vec<Job>> {
    let job = |Listed { file, name }| {
        let output = folder.join(name).with_extension(to.extension_for(&file));
        Job { output, input: file, rival: None }
    };
    let mut jobs: Vec<_> = listing::list(inputs, listing::is_mesh)?.into_iter().map(job).collect();
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

/// Says how it went.
fn sum_up(results: &[Result<Outcome>], verbosity: Verbosity) -> Status {
    let is_written = |result: &&Result<Outcome>| matches!(result, Ok(Outcome { refusal: None, .. }));
    let converted = results.iter().filter(is_written).count();
    let failed = results.len() - converted;
    if !verbosity.quiet {
        eprintln!("{} converted, {failed} failed", counted(converted as u64, "file", "files"));
    }
    if failed == 0 { Status::Fine } else { Status::Invalid }
}
