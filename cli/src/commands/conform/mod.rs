//! `meshspec conform`: runs a loader over a corpus and reports disagreements.

mod capture;
mod corpus;
mod disagreement;
mod group;
mod hints;
mod loader;
mod loader_test;
mod minimize;
mod report;
mod variants;

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::builder::ValueParser;
use clap::{Args, ValueEnum};
use meshspec::{Formats, Strictness};

use capture::Printed;
use corpus::Case;
use disagreement::Problem;
use group::{Group, Minimized, Outcome, check_command};
use loader::{Limits, Loader};
use loader_test::{Expected, LoaderTest};
use minimize::{Baseline, Effort, Minimizer};
use report::{ComparedContents, Report};

use crate::batch_args::Jobs;
use crate::failure::{Failure, Result, Status};
use crate::input::{self, read_options};
use crate::output;
use crate::output_format::OutputFormat::{self, Json, Junit, Markdown, Text};
use crate::progress;

/// Run a loader over a corpus and report disagreements.
///
/// Exit status 0 of the loader accepts a file; any other rejects it. A signal is a crash, not a verdict. For each
/// rule with disagreements, the report names the smallest file, and a minimized variant in --out.
#[derive(Debug, Args)]
pub struct Conform {
    /// The index of a corpus, or the folder with its `index.jsonl`.
    index: PathBuf,
    /// The loader and its arguments; `{}` stands for the path of a file.
    #[arg(last = true, required = true, value_name = "LOADER")]
    loader: Vec<OsString>,
    /// Run only the files of this format, or of one of its dialects.
    #[arg(long, value_name = "FORMAT[/DIALECT]")]
    only: Option<String>,
    /// Compare with the verdicts of lenient reading.
    #[arg(long)]
    lenient: bool,
    /// The format of the report.
    #[arg(long, value_parser = OutputFormat::among(&[Text, Json, Junit, Markdown]), default_value = "text")]
    format: OutputFormat,
    /// Compare contents that the loader prints as JSON, as in `meshspec decode --json`.
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    contents: When,
    /// Kill the loader after this many seconds.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = ValueParser::new(seconds))]
    timeout: Duration,
    /// Limit the address space of the loader in MiB; 0 for no limit. Unix only [default: 1024]
    #[arg(long, value_name = "MIB")]
    memory: Option<u64>,
    /// Exit statuses that count as a crash, in addition to signals: 101 for a panic in Rust.
    #[arg(long, value_name = "STATUS", value_delimiter = ',')]
    crash_status: Vec<i32>,
    /// The folder for minimized files. Files of the same name are replaced.
    #[arg(long, value_name = "DIR", default_value = "minimized")]
    out: PathBuf,
    /// Run the loader at most N times to minimize the file of each group; 0 disables minimization.
    #[arg(long, value_name = "N", default_value_t = 200)]
    minimize: usize,
    #[command(flatten)]
    jobs: Jobs,
}

/// The condition for comparing contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum When {
    /// If the loader prints contents for any file
    #[default]
    Auto,
    /// Always: missing contents are wrong
    Always,
    /// Never
    Never,
}

/// The default memory limit of the loader in MiB.
const DEFAULT_MEMORY: u64 = 1024;

impl Conform {
    pub fn run(&self, formats: &Formats) -> Result<Status> {
        let loader = Loader::new(&self.loader, self.limits())?;
        if self.minimize > 0 && self.out.is_file() {
            return Err(Failure::usage("--out", format_args!("{} is a file", self.out.display())));
        }
        let mut cases = corpus::read(&self.index, formats)?;
        if let Some(only) = &self.only {
            corpus::select(&mut cases, only)?;
        }
        let mut test = LoaderTest {
            loader: &loader,
            compares_contents: self.contents != When::Never,
            requires_contents: self.contents == When::Always,
        };
        let mut outcomes = self.outcomes(test, &cases)?;
        if self.contents == When::Auto
            && outcomes.iter().any(|outcome| outcome.result.printed == Some(Printed::Contents))
        {
            test.requires_contents = true;
            outcomes.iter_mut().for_each(Outcome::require_contents);
        }
        let never_starts = hints::give(&outcomes, self.limits().memory.is_some());
        let changed = changed_files(&cases);
        let mut groups = group::by_rule(&outcomes, formats);
        // Reports a failure to minimize after the report.
        let minimized = match self.minimize > 0 && !never_starts && changed.is_ok() {
            true => self.minimize_all(test, &outcomes, &mut groups, formats),
            false => Ok(()),
        };
        groups.iter_mut().for_each(|group| group.check = check_command(group, self.lenient, formats));
        let count = |problem| outcomes.iter().filter(|outcome| outcome.problem() == Some(problem)).count();
        let report = Report {
            index: self.index.display().to_string(),
            command: self.loader.iter().map(|argument| argument.display().to_string()).collect(),
            lenient: self.lenient,
            files: cases.len(),
            crashes: count(Problem::Crash),
            hangs: count(Problem::Hang),
            wrong_verdicts: count(Problem::WrongVerdict),
            wrong_contents: count(Problem::WrongContents),
            contents: self.compared_contents(&outcomes),
            groups,
            outcomes: &outcomes,
        };
        let mut out = anstream::stdout().lock();
        match report.print(self.format, &mut out).and_then(|()| out.flush()) {
            // A closed pipe, as with `| head`, does not change the verdict.
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => return Err(error.into()),
            _ => {}
        }
        let mut status = if report.groups.is_empty() { Status::Fine } else { Status::Invalid };
        for failure in [minimized, changed].into_iter().filter_map(Result::err) {
            failure.report();
            status = status.max(failure.status);
        }
        Ok(status)
    }

    /// Counts compared contents; `None` if there is nothing to compare.
    fn compared_contents(&self, outcomes: &[Outcome]) -> Option<ComparedContents> {
        let files = outcomes.iter().filter(|outcome| outcome.case.contents.is_some()).count();
        let printed = || outcomes.iter().filter_map(|outcome| outcome.result.printed.as_ref());
        let compared = printed().filter(|printed| **printed == Printed::Contents).count();
        let are_empty = printed().any(|printed| *printed == Printed::Empty);
        let is_compared = files > 0 && self.contents != When::Never;
        is_compared.then_some(ComparedContents { files, compared, are_empty })
    }

    fn limits(&self) -> Limits {
        let default = if cfg!(unix) { DEFAULT_MEMORY } else { 0 };
        let memory = self.memory.unwrap_or(default);
        Limits {
            memory: (memory > 0).then_some(memory.saturating_mul(1024)),
            crash_statuses: self.crash_status.clone(),
        }
    }

    /// Runs the loader on every file.
    fn outcomes<'a>(&self, test: LoaderTest, cases: &'a [Case]) -> Result<Vec<Outcome<'a>>> {
        let mut outcomes = Vec::with_capacity(cases.len());
        let bar = progress::of(cases);
        let work = |case| {
            let outcome = self.outcome(test, case);
            bar.inc(1);
            outcome
        };
        progress::shown(&bar, || {
            self.jobs.side_by_side(cases, work, |outcome| {
                outcomes.push(outcome?);
                Ok(())
            })
        })?;
        Ok(outcomes)
    }

    fn outcome<'a>(&self, test: LoaderTest, case: &'a Case) -> Result<Outcome<'a>> {
        let verdict = case.verdict(self.strictness());
        let contents = if test.compares_contents { case.read_contents()? } else { None };
        let result = test.run(&case.file, &Expected { verdict, contents }, self.timeout)?;
        Ok(Outcome { case, expected: verdict, result })
    }

    fn strictness(&self) -> Strictness {
        read_options(self.lenient).strictness
    }

    /// Minimizes the smallest file of each group.
    fn minimize_all(
        &self,
        test: LoaderTest,
        outcomes: &[Outcome],
        groups: &mut [Group],
        formats: &Formats,
    ) -> Result<()> {
        if groups.is_empty() {
            return Ok(());
        }
        let effort =
            Effort { runs: self.minimize, time_per_run: self.time_per_variant(outcomes), time: self.timeout };
        fs::create_dir_all(&self.out)
            .map_err(|error| Failure::io(&self.out.display().to_string(), &error))?;
        let mut first_failure = Ok(());
        let bar = progress::of(&groups.iter().map(|group| group.first.case).collect::<Vec<_>>());
        let work = |group| {
            let minimized = self.minimize(test, group, effort, formats);
            bar.inc(1);
            minimized
        };
        let mut minimized = Vec::with_capacity(groups.len());
        progress::shown(&bar, || {
            self.jobs.side_by_side(groups, work, |result| {
                minimized.push(result);
                Ok(())
            })
        })?;
        for (group, minimized) in groups.iter_mut().zip(minimized) {
            match minimized {
                Ok(minimized) => group.minimized = minimized,
                Err(failure) => first_failure = first_failure.and(Err(failure)),
            }
        }
        first_failure
    }

    /// Returns the time limit for variants, well above the time for files that do not hang.
    fn time_per_variant(&self, outcomes: &[Outcome]) -> Duration {
        let others = outcomes.iter().filter(|outcome| outcome.problem() != Some(Problem::Hang));
        let longest = others.map(|outcome| outcome.result.time.as_secs_f64()).fold(0.05, f64::max);
        self.timeout.min(Duration::from_secs_f64(10.0 * longest))
    }

    /// Minimizes the smallest file of a group. Returns `None` if no smaller file disagrees, or if this program's verdict
    /// differs from the index.
    fn minimize(
        &self,
        test: LoaderTest,
        group: &Group,
        effort: Effort,
        formats: &Formats,
    ) -> Result<Option<Minimized>> {
        let case = group.first.case;
        let Ok(format) = formats.get(&case.entry.format) else { return Ok(None) };
        let bytes = input::read(&case.file)?;
        let baseline = Baseline::of(&bytes, format, case.entry.dialect, self.strictness());
        let Some(baseline) = baseline.filter(|baseline| baseline.verdict == group.expected) else {
            return Ok(None);
        };
        let minimizer = Minimizer::new(test, baseline, group.disagreement, effort, &case.file)?;
        let smallest = minimizer.minimize(&bytes)?;
        if *smallest.bytes == *bytes {
            return Ok(None);
        }
        let path = self.out.join(file_name(group, &case.file));
        output::write(&path, true, |out| out.write_all(&smallest.bytes))?;
        let size = smallest.bytes.len() as u64;
        Ok(Some(Minimized { file: path.display().to_string(), size, runs: smallest.runs }))
    }
}

/// Returns the name of the minimized file of a group, with the extension of the file.
fn file_name(group: &Group, file: &Path) -> PathBuf {
    let mut name = OsString::from(&group.stem);
    if let Some(extension) = file.extension() {
        name.push(".");
        name.push(extension);
    }
    name.into()
}

/// Returns an error if the loader changed files of the corpus.
fn changed_files(cases: &[Case]) -> Result<()> {
    let mut changed = cases.iter().filter(|case| case.is_changed());
    let Some(first) = changed.next() else { return Ok(()) };
    let more = match changed.count() {
        0 => String::new(),
        count => format!(", and {count} more"),
    };
    let message = format!("the loader changed this file of the corpus{more}");
    let failure = Failure::invalid(&first.file.display().to_string(), message);
    Err(failure.with_hint("generate the corpus again; no verdict of this run counts"))
}

/// Parses a time in seconds.
fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number of seconds".to_owned())?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(time) if !time.is_zero() => Ok(time),
        _ => Err("not a positive number of seconds".to_owned()),
    }
}
