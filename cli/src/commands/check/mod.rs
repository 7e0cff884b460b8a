//! `meshspec check`: lists the rules that files violate, with the bytes concerned.

mod checked;
mod codes;
mod explain;
mod junit;
mod policy;
mod sarif;

use std::path::{Path, PathBuf};

use clap::ArgAction::SetTrue;
use clap::Args;
use meshspec::Formats;

use crate::batch_args::BatchArgs;
use crate::encoding::Encoding;
use crate::failure::{Failure, Result, Status};
use crate::input::{STANDARD, SiblingFiles, name_of, text_of};
use crate::json;
use crate::messages::{MAX_LINES, Verbosity};
use crate::output;
use crate::output_format::OutputFormat::{self, Json, Junit, Sarif, Text};
use crate::output_format::{FilePrinter, Printers};
use crate::per_file::InputFiles;
use crate::read_args::{LimitArgs, ReadArgs};
use checked::CheckResult;
use policy::{PolicyArgs, ResolvedPolicy};

/// The output formats of `check`.
const PRINTERS: Printers<FilePrinter<CheckResult>> = Printers {
    text: |files, process| files.print_text(process),
    others: &[(Json, |files, process| files.print_json(process)), (Sarif, print_sarif), (Junit, print_junit)],
};

/// List all rule violations in files, each with its path, bytes and rule.
///
/// Files of interchange formats are only read: the first error is the only finding.
#[derive(Debug, Args)]
pub struct Check {
    /// The files, folders or patterns such as `*.glb`; `-` is standard input.
    #[arg(required_unless_present_any = ["files_from", "explain"], value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Explain a rule instead: its meaning and source, with a violating and a correct example.
    #[arg(long, value_name = "CODE", exclusive = true)]
    explain: Option<String>,
    /// Print JSON; short for --format json.
    #[arg(long, action = SetTrue, value_parser = OutputFormat::json_flag())]
    json: OutputFormat,
    /// Print results in this format [default: text]
    #[arg(long, value_parser = PRINTERS.parser(), conflicts_with_all = ["json", "json_lines", "log"])]
    format: Option<OutputFormat>,
    #[command(flatten)]
    policy: PolicyArgs,
    #[command(flatten)]
    batch: BatchArgs,
    #[command(flatten)]
    verbosity: Verbosity,
    #[command(flatten)]
    read_args: ReadArgs,
    #[command(flatten)]
    limit_args: LimitArgs,
}

impl Check {
    pub fn run(&self, formats: &Formats) -> Result<Status> {
        if let Some(code) = &self.explain {
            return explain::explain(code, formats);
        }
        let options = (&self.read_args, &self.limit_args, &self.policy);
        let files = InputFiles::new(&self.batch, &self.files, "check", &options, formats)?;
        let policy = self.policy.resolve(formats)?;
        let is_brief = files.len() > MAX_LINES && !self.verbosity.verbose;
        let process = |path: &Path| self.process(path, is_brief, &policy, formats);
        let format = self.format.unwrap_or(self.json);
        let status = PRINTERS.get(format)(&files, &process)?;
        if format == Text && is_brief && !self.verbosity.quiet {
            let findings = if policy.max_findings.is_none() { " and their findings" } else { "" };
            eprintln!("{} files checked; --verbose lists all files{findings}", files.len());
        }
        Ok(status)
    }

    fn process(
        &self,
        path: &Path,
        is_brief: bool,
        policy: &ResolvedPolicy,
        formats: &Formats,
    ) -> Result<CheckResult> {
        let (bytes, encoding) = self.read_args.read(path, formats)?;
        let limits = policy.limits(self.limit_args.limits());
        let options = self.read_args.options(encoding, &bytes).with_limits(limits);
        let (report, layout) = match encoding {
            Encoding::Format(format) => {
                let report = meshspec::check(&bytes, format, &options);
                (report, format.layout_of(&bytes, options.dialect.unwrap_or_default()))
            }
            Encoding::Json => {
                let document = json::read_document(&bytes);
                let document = document.map_err(|error| Failure::invalid(&name_of(path), error))?;
                (Ok(document.check()), None)
            }
            Encoding::Interchange(format) => (format.check(&bytes, &SiblingFiles::new(path), &options), None),
        };
        let report = report.map_err(|error| Failure::from_error(&name_of(path), &error))?;
        let report = policy.apply(report);
        Ok(CheckResult {
            file: text_of(path),
            format: encoding.name(),
            valid: report.is_valid(self.read_args.strictness()),
            errors: report.errors(),
            warnings: report.warnings(),
            layout,
            limits: options.limits,
            bytes,
            max_findings: policy.max_findings,
            verbosity: self.verbosity,
            is_brief,
            is_denied: policy.denies(&report),
            report,
        })
    }
}

fn print_sarif(
    files: &InputFiles,
    process: &(dyn Fn(&Path) -> Result<CheckResult> + Sync),
) -> Result<Status> {
    let mut log = sarif::SarifLog::new();
    let results = |file: &Path, result: Result<&CheckResult, &Failure>| match result {
        Ok(checked) => sarif::FileResults::of(checked),
        Err(failure) => sarif::FileResults::failed(file, failure.message()),
    };
    let status = files.process_all(process, results, |results| {
        log.add(results);
        Ok(())
    })?;
    output::print_json(&log)?;
    Ok(status)
}

fn print_junit(
    files: &InputFiles,
    process: &(dyn Fn(&Path) -> Result<CheckResult> + Sync),
) -> Result<Status> {
    let mut cases = junit::TestCases::new();
    let case = |file: &Path, result: Result<&CheckResult, &Failure>| match result {
        Ok(checked) => junit::test_case(checked),
        Err(failure) => junit::failed_test_case(file, failure.message()),
    };
    let status = files.process_all(process, case, |case| {
        cases.add(case);
        Ok(())
    })?;
    output::write(Path::new(STANDARD), false, |out| cases.write(out))?;
    Ok(status)
}
