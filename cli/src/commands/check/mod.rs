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
use meshspec::scene::SceneOptions;
use meshspec::{Formats, Report};

use crate::batch_args::BatchArgs;
use crate::encoding::Encoding;
use crate::failure::{Failure, Result, Status};
use crate::input::{STANDARD, SiblingFiles, name_of, text_of};
use crate::json::FileFromJson;
use crate::messages::{self, MAX_LINES, Verbosity};
use crate::output;
use crate::output_format::OutputFormat::{self, Json, Junit, Sarif, Text};
use crate::output_format::{FilePrinter, Printers};
use crate::per_file::InputFiles;
use crate::read_args::{LimitArgs, ReadArgs};
use crate::readable::Readable;
use crate::scenes;
use crate::winding::{self, MAX_EXAMINED_SIZE};
use checked::CheckResult;
use policy::{PolicyArgs, ResolvedPolicy};

/// The limit on the decoded size of a file whose geometry is examined, which may be compressed.
const MAX_EXAMINED_DECODED: u64 = 16 * MAX_EXAMINED_SIZE as u64;

/// The output formats of `check`.
const PRINTERS: Printers<FilePrinter<CheckResult>> = Printers {
    text: |files, process| files.print_text(process),
    others: &[
        (Json, |files, process| files.print_json(process)),
        (Sarif, print_sarif),
        (Junit, print_junit),
    ],
};

/// The arguments that conflict with `--explain`: all but `--json`.
const EXPLAIN_CONFLICTS: [&str; 7] = [
    "files",
    "format",
    "PolicyArgs",
    "BatchArgs",
    "Verbosity",
    "ReadArgs",
    "LimitArgs",
];

/// List all rule violations in files, each with its path, bytes and rule.
///
/// Files of interchange formats are only read: the first error is the only finding.
#[derive(Debug, Args)]
pub struct Check {
    /// The files, folders or patterns such as `*.glb`; `-` is standard input.
    #[arg(required_unless_present_any = ["files_from", "explain"], value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Explain a rule or an interpretation instead, such as MESH-INDEX-RANGE or M13; without CODE, list all rules.
    #[arg(long, value_name = "CODE", num_args = 0..=1, default_missing_value = "", conflicts_with_all = EXPLAIN_CONFLICTS)]
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
            let format = self.json;
            return match &**code {
                "" => explain::list(format, formats),
                code => explain::explain(code, format, formats),
            };
        }
        let options = (&self.read_args, &self.limit_args, &self.policy);
        let files = InputFiles::new(&self.batch, &self.files, "check", &options, formats)?;
        let policy = self.policy.resolve(formats)?;
        let is_brief = files.len() > MAX_LINES && !self.verbosity.verbose;
        let process = |path: &Path| self.process(path, is_brief, &policy, formats);
        let format = self.format.unwrap_or(self.json);
        let status = PRINTERS.get(format)(&files, &process)?;
        if format == Text && is_brief && !self.verbosity.quiet {
            let findings = if policy.max_findings.is_none() {
                " and their findings"
            } else {
                ""
            };
            let count = files.len();
            messages::print_line(&format!(
                "{count} files checked; --verbose lists all files{findings}"
            ));
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
        let (bytes, encoding) = self.read_args.read(path, Readable::ALL, formats)?;
        let limits = policy.limits(self.limit_args.limits());
        let options = self.read_args.options(encoding, &bytes).with_limits(limits);
        let (mut scene, mut layout) = (None, None);
        let report = match encoding {
            Encoding::Format(format) => {
                layout = format.layout_of(&bytes, options.dialect.unwrap_or_default());
                meshspec::check(&bytes, format, &options)
            }
            Encoding::Json => {
                let report = FileFromJson::read(&bytes, formats).and_then(|file| file.check());
                Ok(report.map_err(|error| Failure::invalid(&name_of(path), error))?)
            }
            Encoding::Interchange(format) => {
                let siblings = SiblingFiles::new(path);
                let scene_options = SceneOptions::default().with_strictness(options.strictness);
                match format.read(&bytes, &siblings, &scene_options, &options.limits) {
                    Ok((read, _)) => {
                        scene = Some(read);
                        Ok(Report::new(&options.limits))
                    }
                    Err(_) => format.check(&bytes, &siblings, &options),
                }
            }
        };
        let report = report.map_err(|error| Failure::from_error(&name_of(path), &error))?;
        let report = policy.apply(report);
        let valid = report.is_valid(self.read_args.strictness());
        if valid && scene.is_none() && bytes.len() <= MAX_EXAMINED_SIZE {
            let limits = self
                .limit_args
                .limits()
                .with_max_decoded(MAX_EXAMINED_DECODED);
            let scene_options = SceneOptions::default();
            // Some formats have no scenes.
            scene = scenes::read_with(
                &bytes,
                encoding,
                path,
                &self.read_args,
                &limits,
                &scene_options,
                formats,
            )
            .ok();
        }
        Ok(CheckResult {
            file: text_of(path),
            format: encoding.name(),
            valid,
            errors: report.errors(),
            warnings: report.warnings(),
            hints: scene.iter().flat_map(winding::warnings).collect(),
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
