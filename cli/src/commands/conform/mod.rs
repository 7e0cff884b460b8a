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

use capture::PrintedOutput;
use corpus::CorpusFile;
use disagreement::DisagreementKind;
use group::{DisagreementGroup, LoaderOutcome, MinimizedFile, check_command};
use loader::{Loader, RunOptions};
use loader_test::{ExpectedResult, LoaderTest};
use minimize::{Baseline, MinimizeLimits, Minimizer};
use report::{ComparedContents, PRINTERS, Report};

use crate::batch_args::JobArgs;
use crate::failure::{Failure, Result, Status};
use crate::input::{self, read_options, text_of};
use crate::output;
use crate::output_format::OutputFormat;
use crate::progress;

/// Run a loader over a corpus and report disagreements.
///
/// If the loader exits with status 0, it accepts the file; with another status, it rejects the file. A signal, a status
/// of 128 plus the number of a fault signal (such as 139 for SIGSEGV), or a status of --crash-status is a crash, never a
/// verdict. For each rule with disagreements, the report lists the smallest file, and a minimised variant in --out.
#[derive(Debug, Args)]
pub struct Conform {
    /// The index of a corpus, or the folder that contains its `index.jsonl`.
    index: PathBuf,
    /// The loader and its arguments; `{}` is replaced by the path of a file.
    #[arg(last = true, required = true, value_name = "LOADER")]
    loader: Vec<OsString>,
    /// Run only the files of this format, or of one of its dialects.
    #[arg(long, value_name = "FORMAT[/DIALECT]")]
    only: Option<String>,
    /// Compare with the verdicts of lenient reading.
    #[arg(long)]
    lenient: bool,
    /// The format of the report.
    #[arg(long, value_parser = PRINTERS.parser(), default_value = "text")]
    format: OutputFormat,
    /// Compare contents that the loader prints as JSON in the form of `meshspec decode --json`.
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    contents: ContentsMode,
    /// Kill the loader after this many seconds.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = ValueParser::new(parse_seconds))]
    timeout: Duration,
    /// Limit the address space of the loader in MiB; 0 for no limit. Unix only [default: 1024]
    #[arg(long, value_name = "MIB")]
    memory: Option<u64>,
    /// Exit statuses that count as a crash, in addition to signals: 101 for a panic in Rust.
    #[arg(long, value_name = "STATUS", value_delimiter = ',')]
    crash_status: Vec<i32>,
    /// The folder for minimised files. Existing files with the same names are replaced.
    #[arg(long, value_name = "DIR", default_value = "minimized")]
    out: PathBuf,
    /// Run the loader at most N times to minimise the file of each group; 0 disables minimisation.
    #[arg(long, value_name = "N", default_value_t = 200)]
    minimize: usize,
    #[command(flatten)]
    jobs: JobArgs,
}

/// When to compare contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum ContentsMode {
    /// Compare if the loader prints contents for any file
    #[default]
    Auto,
    /// Require contents for each accepted file
    Always,
    /// Do not compare
    Never,
}

/// The default memory limit of the loader in MiB.
const DEFAULT_MEMORY_MIB: u64 = 1024;

impl Conform {
    pub fn run(&self, formats: &Formats) -> Result<Status> {
        let loader = Loader::new(&self.loader, self.run_options())?;
        if self.minimize > 0 && self.out.is_file() {
            return Err(Failure::usage(
                "--out",
                format_args!("{} is a file", self.out.display()),
            ));
        }
        let mut cases = corpus::read_index(&self.index, formats)?;
        if let Some(only) = &self.only {
            corpus::retain_only(&mut cases, only)?;
        }
        let mut test = LoaderTest {
            loader: &loader,
            compares_contents: self.contents != ContentsMode::Never,
            requires_contents: self.contents == ContentsMode::Always,
        };
        let mut outcomes = self.run_all(test, &cases)?;
        if self.contents == ContentsMode::Auto
            && outcomes
                .iter()
                .any(|outcome| outcome.result.printed == Some(PrintedOutput::Contents))
        {
            test.requires_contents = true;
            outcomes
                .iter_mut()
                .for_each(LoaderOutcome::require_contents);
        }
        let never_starts = hints::print_hints(&outcomes, self.run_options().memory_kib.is_some());
        let changed = require_unchanged(&cases);
        let mut groups = group::group_by_rule(&outcomes, formats);
        // A failure of minimisation is reported after the results.
        let minimized = match self.minimize > 0 && !never_starts && changed.is_ok() {
            true => self.minimize_groups(test, &outcomes, &mut groups, formats),
            false => Ok(()),
        };
        groups
            .iter_mut()
            .for_each(|group| group.check = check_command(group, self.lenient, formats));
        let count = |kind| {
            outcomes
                .iter()
                .filter(|outcome| outcome.disagreement_kind() == Some(kind))
                .count()
        };
        let report = Report {
            index: text_of(&self.index),
            command: self.loader.iter().map(text_of).collect(),
            lenient: self.lenient,
            files: cases.len(),
            crashes: count(DisagreementKind::Crash),
            hangs: count(DisagreementKind::Hang),
            wrong_verdicts: count(DisagreementKind::WrongVerdict),
            wrong_contents: count(DisagreementKind::WrongContents),
            contents: self.compared_contents(&outcomes),
            groups,
            outcomes: &outcomes,
        };
        let mut out = anstream::stdout().lock();
        match PRINTERS.get(self.format)(&report, &mut out).and_then(|()| out.flush()) {
            // A closed pipe, as with `| head`, does not change the verdict.
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => return Err(error.into()),
            _ => {}
        }
        let mut status = if report.groups.is_empty() {
            Status::Success
        } else {
            Status::Invalid
        };
        for failure in [minimized, changed].into_iter().filter_map(Result::err) {
            failure.report();
            status = status.max(failure.status);
        }
        Ok(status)
    }

    /// Counts the files whose contents were compared; `None` if the corpus has no contents, or they are not compared.
    fn compared_contents(&self, outcomes: &[LoaderOutcome]) -> Option<ComparedContents> {
        let files = outcomes
            .iter()
            .filter(|outcome| outcome.case.contents.is_some())
            .count();
        let printed = || {
            outcomes
                .iter()
                .filter_map(|outcome| outcome.result.printed.as_ref())
        };
        let compared = printed()
            .filter(|printed| **printed == PrintedOutput::Contents)
            .count();
        let has_empty_object = printed().any(|printed| *printed == PrintedOutput::Empty);
        let is_compared = files > 0 && self.contents != ContentsMode::Never;
        is_compared.then_some(ComparedContents {
            files,
            compared,
            has_empty_object,
        })
    }

    fn run_options(&self) -> RunOptions {
        let default_mib = if cfg!(unix) { DEFAULT_MEMORY_MIB } else { 0 };
        let memory_mib = self.memory.unwrap_or(default_mib);
        RunOptions {
            memory_kib: (memory_mib > 0).then_some(memory_mib.saturating_mul(1024)),
            crash_statuses: self.crash_status.clone(),
        }
    }

    fn run_all<'a>(
        &self,
        test: LoaderTest,
        cases: &'a [CorpusFile],
    ) -> Result<Vec<LoaderOutcome<'a>>> {
        let mut outcomes = Vec::with_capacity(cases.len());
        let bar = progress::bar_for(cases);
        let work = |case| {
            let outcome = self.run_case(test, case);
            bar.inc(1);
            outcome
        };
        progress::run_with_bar(&bar, || {
            self.jobs.run_parallel(cases, work, |outcome| {
                outcomes.push(outcome?);
                Ok(())
            })
        })?;
        Ok(outcomes)
    }

    fn run_case<'a>(&self, test: LoaderTest, case: &'a CorpusFile) -> Result<LoaderOutcome<'a>> {
        let verdict = case.verdict(self.strictness());
        let contents = if test.compares_contents {
            case.read_contents()?
        } else {
            None
        };
        let result = test.run(
            &case.file,
            &ExpectedResult { verdict, contents },
            self.timeout,
        )?;
        Ok(LoaderOutcome {
            case,
            expected: verdict,
            result,
        })
    }

    fn strictness(&self) -> Strictness {
        read_options(self.lenient).strictness
    }

    /// Minimises the smallest file of each group. After a failure, continues with the other groups. Returns the first
    /// failure.
    fn minimize_groups(
        &self,
        test: LoaderTest,
        outcomes: &[LoaderOutcome],
        groups: &mut [DisagreementGroup],
        formats: &Formats,
    ) -> Result<()> {
        if groups.is_empty() {
            return Ok(());
        }
        let limits = MinimizeLimits {
            max_runs: self.minimize,
            variant_timeout: self.variant_timeout(outcomes),
            timeout: self.timeout,
        };
        fs::create_dir_all(&self.out).map_err(|error| Failure::io(&text_of(&self.out), &error))?;
        let mut first_failure = Ok(());
        let bar = progress::bar_for(
            &groups
                .iter()
                .map(|group| group.first.case)
                .collect::<Vec<_>>(),
        );
        let work = |group| {
            let minimized = self.minimize(test, group, limits, formats);
            bar.inc(1);
            minimized
        };
        let mut minimized = Vec::with_capacity(groups.len());
        progress::run_with_bar(&bar, || {
            self.jobs.run_parallel(groups, work, |result| {
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

    /// Returns the timeout for variants: ten times the longest run without a hang, at least 0.5 s and at most
    /// `--timeout`.
    fn variant_timeout(&self, outcomes: &[LoaderOutcome]) -> Duration {
        let others = outcomes
            .iter()
            .filter(|outcome| outcome.disagreement_kind() != Some(DisagreementKind::Hang));
        let longest = others
            .map(|outcome| outcome.result.time.as_secs_f64())
            .fold(0.05, f64::max);
        self.timeout.min(Duration::from_secs_f64(10.0 * longest))
    }

    /// Minimises the smallest file of a group, and writes the result to `--out`. Returns `None` if no variant keeps the
    /// disagreement, the format is unknown, or this program's verdict on the file differs from the index.
    fn minimize(
        &self,
        test: LoaderTest,
        group: &DisagreementGroup,
        limits: MinimizeLimits,
        formats: &Formats,
    ) -> Result<Option<MinimizedFile>> {
        let case = group.first.case;
        let Ok(format) = formats.get(&case.entry.format) else {
            return Ok(None);
        };
        let bytes = input::read(&case.file)?;
        let baseline = Baseline::of(&bytes, format, case.entry.dialect, self.strictness());
        let Some(baseline) = baseline.filter(|baseline| baseline.verdict == group.expected) else {
            return Ok(None);
        };
        let minimizer = Minimizer::new(test, baseline, group.disagreement, limits, &case.file)?;
        let smallest = minimizer.minimize(&bytes)?;
        if *smallest.bytes == *bytes {
            return Ok(None);
        }
        let path = self.out.join(file_name(group, &case.file));
        output::write(&path, true, |out| out.write_all(&smallest.bytes))?;
        let size = smallest.bytes.len() as u64;
        Ok(Some(MinimizedFile {
            file: text_of(&path),
            size,
            runs: smallest.run_count,
        }))
    }
}

/// Returns the name for the minimised file of a group, with the extension of `file`.
fn file_name(group: &DisagreementGroup, file: &Path) -> PathBuf {
    let mut name = OsString::from(&group.stem);
    if let Some(extension) = file.extension() {
        name.push(".");
        name.push(extension);
    }
    name.into()
}

/// Returns an error if the loader changed files of the corpus.
fn require_unchanged(cases: &[CorpusFile]) -> Result<()> {
    let mut changed = cases.iter().filter(|case| case.is_changed());
    let Some(first) = changed.next() else {
        return Ok(());
    };
    let more = match changed.count() {
        0 => String::new(),
        count => format!(", and {count} more"),
    };
    let message = format!("the loader changed this file of the corpus{more}");
    let failure = Failure::invalid(&text_of(&first.file), message);
    Err(failure.with_hint("generate the corpus again; the verdicts of this run are unreliable"))
}

/// Parses a time in seconds.
fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text
        .parse()
        .map_err(|_| "not a number of seconds".to_owned())?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(time) if !time.is_zero() => Ok(time),
        _ => Err("not a positive number of seconds".to_owned()),
    }
}
