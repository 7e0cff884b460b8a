//! `meshspec check`: lists rule violations with their bytes.

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
use crate::input::{self, STANDARD, SiblingFiles, name_of};
use crate::json;
use crate::messages::{SCREEN, Verbosity};
use crate::output;
use crate::output_format::OutputFormat::{self, Json, Junit, Sarif, Text};
use crate::per_file::Files;
use crate::reading::{Bounds, Reading};
use checked::Checked;
use policy::{Policy, Rulings};

/// List all rule violations in files, with path, bytes and rule.
///
/// Files of interchange formats are only read: the first error is the only finding.
#[derive(Debug, Args)]
pub struct Check {
    /// The files, folders of files, or patterns such as `*.glb`; `-` is standard input.
    #[arg(required_unless_present_any = ["files_from", "explain"], value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Explain a rule instead: its meaning and source, with a violating and a correct example.
    #[arg(long, value_name = "CODE", exclusive = true)]
    explain: Option<String>,
    /// Print JSON; short for --format json.
    #[arg(long, action = SetTrue, value_parser = OutputFormat::json_flag())]
    json: OutputFormat,
    /// Print results in this format [default: text]
    #[arg(long, value_parser = OutputFormat::among(&[Text, Json, Sarif, Junit]), conflicts_with_all = ["json", "json_lines", "log"])]
    format: Option<OutputFormat>,
    #[command(flatten)]
    policy: Policy,
    #[command(flatten)]
    batch: BatchArgs,
    #[command(flatten)]
    verbosity: Verbosity,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    bounds: Bounds,
}

impl Check {
    pub fn run(&self, formats: &Formats) -> Result<Status> {
        if let Some(code) = &self.explain {
            return explain::explain(code, formats);
        }
        let options = (&self.reading, &self.bounds, &self.policy);
        let files = Files::new(&self.batch, &self.files, "check", &options, formats)?;
        let rulings = self.policy.resolve(formats)?;
        let brief = files.len() > SCREEN && !self.verbosity.verbose;
        let look_at = |path: &Path| self.look_at(path, brief, &rulings, formats);
        match self.format.unwrap_or(self.json) {
            Json => files.print_json(look_at),
            Sarif => print_sarif(&files, look_at),
            Junit => print_junit(&files, look_at),
            _ => {
                let status = files.print_text(look_at)?;
                if brief && !self.verbosity.quiet {
                    let findings = if rulings.max_findings.is_none() { " and their findings" } else { "" };
                    eprintln!("{} files checked; --verbose shows all of them{findings}", files.len());
                }
                Ok(status)
            }
        }
    }

    fn look_at(&self, path: &Path, brief: bool, rulings: &Rulings, formats: &Formats) -> Result<Checked> {
        let bytes = input::read(path)?;
        let encoding = self.reading.encoding_of(&bytes, path, formats)?;
        let limits = rulings.limits(self.bounds.limits());
        let options = self.reading.options(encoding, &bytes).with_limits(limits);
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
        let report = report.map_err(|error| Failure::of(&name_of(path), &error))?;
        let report = rulings.apply(report);
        Ok(Checked {
            file: path.display().to_string(),
            format: encoding.name(),
            valid: report.is_valid(self.reading.strictness()),
            errors: report.errors(),
            warnings: report.warnings(),
            layout,
            limits: options.limits,
            bytes,
            max_findings: rulings.max_findings,
            verbosity: self.verbosity,
            brief,
            is_denied: rulings.denies(&report),
            report,
        })
    }
}

/// Prints the results of all files as SARIF.
fn print_sarif(files: &Files, look_at: impl Fn(&Path) -> Result<Checked> + Sync) -> Result<Status> {
    let mut log = sarif::Log::new();
    let results = |file: &Path, result: Result<&Checked, &Failure>| match result {
        Ok(checked) => sarif::Results::of(checked),
        Err(failure) => sarif::Results::failed(file, failure.message()),
    };
    let status = files.each(look_at, results, |results| {
        log.add(results);
        Ok(())
    })?;
    output::print_json(&log)?;
    Ok(status)
}

/// Prints the results of all files as JUnit XML.
fn print_junit(files: &Files, look_at: impl Fn(&Path) -> Result<Checked> + Sync) -> Result<Status> {
    let mut cases = junit::Cases::new();
    let case = |file: &Path, result: Result<&Checked, &Failure>| match result {
        Ok(checked) => junit::case(checked),
        Err(failure) => junit::failed(file, failure.message()),
    };
    let status = files.each(look_at, case, |case| {
        cases.add(case);
        Ok(())
    })?;
    output::write(Path::new(STANDARD), false, |out| cases.write(out))?;
    Ok(status)
}
