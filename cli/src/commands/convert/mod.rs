//! `meshspec convert`: files as other formats or dialects, as JSON, or from JSON.

mod batch;
mod conversion;
mod edits;
mod encoding;

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use meshspec::Loss;
use serde::Serialize;

use crate::failure::{Failure, Result, Status};
use crate::input::is_standard;
use crate::output::{self, Staged};
use crate::terminal::{Escaped, HINT, WARNING};
use conversion::{Conversion, Outcome};

/// Convert files: to another format or dialect, to JSON that loses nothing, and back.
#[derive(Debug, Args)]
#[command(override_usage = "meshspec convert [OPTIONS] <IN> <OUT>\n       \
                            meshspec convert [OPTIONS] <IN>... --out-dir <DIR> --to <FORMAT>")]
pub struct Convert {
    /// The file to read and the one to write; `-` is standard input and output. With --out-dir, all are files to
    /// read, or folders with such files.
    #[arg(value_name = "IN… OUT", required = true)]
    paths: Vec<PathBuf>,
    /// Write a file for each IN to this folder, with the same name and the usual extension.
    #[arg(long, value_name = "DIR", requires = "to")]
    out_dir: Option<PathBuf>,
    /// Print what was lost and assumed as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    conversion: Conversion,
}

/// What there is to say of one file, as data.
#[derive(Serialize)]
struct Row<'a> {
    file: String,
    output: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    losses: &'a [Loss],
    assumed: &'a [String],
}

impl<'a> Row<'a> {
    fn new(input: &Path, output: &Path, result: &'a Result<Outcome>) -> Row<'a> {
        let outcome = result.as_ref().ok();
        let failure = result.as_ref().err().or(outcome.and_then(|outcome| outcome.refusal.as_ref()));
        Row {
            file: input.display().to_string(),
            output: output.display().to_string(),
            error: failure.map(Failure::message),
            losses: outcome.map_or(&[], |outcome| &outcome.losses),
            assumed: outcome.map_or(&[], |outcome| &outcome.assumed),
        }
    }
}

impl Convert {
    pub fn run(&self) -> Result<Status> {
        match (&self.out_dir, &*self.paths) {
            (Some(folder), inputs) => batch::run(&self.conversion, inputs, folder, self.json),
            (None, [input, output]) => self.run_one(input, output),
            (None, [input]) => Err(Failure::usage(&input.display().to_string(), "what to write is not said")
                .with_hint("name the file to write, or a folder with --out-dir")),
            (None, _) => Err(Failure::usage("convert", "several files to read want --out-dir")),
        }
    }

    fn run_one(&self, input: &Path, output: &Path) -> Result<Status> {
        if self.json && is_standard(output) {
            return Err(Failure::usage("standard output", "cannot take the file as well as --json"));
        }
        let to = self.conversion.target(output)?;
        self.conversion.require_options(to)?;
        let result = self.conversion.run(input, Staged::new(output, self.conversion.force), to);
        if self.json {
            output::print_json(&Row::new(input, output, &result))?;
        } else if let Ok(outcome) = &result {
            report(outcome, "");
        }
        result?.refusal.map_or(Ok(Status::Fine), Err)
    }
}

/// Says on standard error what was assumed and lost. If that is closed there is nobody to tell.
fn report(outcome: &Outcome, prefix: &str) {
    let mut stderr = anstream::stderr().lock();
    for assumption in &outcome.assumed {
        let _ = writeln!(stderr, "{prefix}{HINT}assumed{HINT:#}: {assumption}");
    }
    report_losses(&outcome.losses, prefix);
}

/// Says on standard error what was lost.
pub fn report_losses(losses: &[Loss], prefix: &str) {
    let mut stderr = anstream::stderr().lock();
    for loss in losses {
        let _ = writeln!(stderr, "{prefix}{WARNING}lost{WARNING:#}: {}", Escaped(&loss.to_string()));
    }
}
