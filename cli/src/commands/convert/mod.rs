//! `meshspec convert`: converts files between formats and dialects, and to and from JSON.

mod batch;
mod comments;
mod conversion;
mod edits;
mod images;
mod report;
mod run;

use std::io;
use std::path::{Path, PathBuf};

use clap::ArgAction::SetTrue;
use clap::Args;
use meshspec::Formats;

use crate::batch_args::BatchArgs;
use crate::failure::{Failure, Result, Status};
use crate::input::{is_pattern, is_standard, text_of};
use crate::messages::{self, Verbosity};
use crate::output::{self, StagedOutput};
use crate::output_format::OutputFormat::{self, Json};
use crate::progress;
use conversion::ConversionArgs;
use report::ReportRow;

/// Convert files to another format or dialect, or losslessly to JSON and back.
#[derive(Debug, Args)]
#[command(override_usage = "meshspec convert [OPTIONS] <IN> <OUT>\n       \
                            meshspec convert [OPTIONS] <IN>... --out-dir <DIR> --to <FORMAT>")]
pub struct Convert {
    /// The file to read and the file to write; `-` is standard input or output. With --out-dir, only files to read,
    /// folders or patterns such as `*.glb`.
    #[arg(value_name = "IN… OUT", required_unless_present = "files_from")]
    paths: Vec<PathBuf>,
    /// Write a file for each IN to this folder, with the same name and the extension of FORMAT.
    #[arg(long, value_name = "DIR", requires = "to")]
    out_dir: Option<PathBuf>,
    /// Print all losses and assumptions as JSON.
    #[arg(id = "json", long, action = SetTrue, value_parser = OutputFormat::json_flag())]
    output_format: OutputFormat,
    /// Overwrite existing files.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    batch: BatchArgs,
    #[command(flatten)]
    verbosity: Verbosity,
    #[command(flatten)]
    conversion: ConversionArgs,
}

impl Convert {
    pub fn run(&self, formats: &Formats) -> Result<Status> {
        if let (Some(folder), Some(to)) = (&self.out_dir, self.conversion.to) {
            return self.run_all(&self.paths, folder, to, formats);
        }
        match (self.batch.first_given(), &*self.paths) {
            (Some(option), _) => Err(Failure::usage(
                option,
                "requires --out-dir DIR and --to FORMAT",
            )),
            (None, [input, output]) => self.run_one(input, output, formats),
            (None, [input]) => Err(Failure::usage(&text_of(input), "no output file").with_hint(
                "specify the file to write, or a folder with --out-dir DIR --to FORMAT",
            )),
            _ => Err(Failure::usage(
                "convert",
                "several input files require --out-dir DIR and --to FORMAT",
            )),
        }
    }

    fn run_one(&self, input: &Path, output: &Path, formats: &Formats) -> Result<Status> {
        if self.output_format == Json && is_standard(output) {
            let message = "cannot be used for both OUT and the report of --json";
            return Err(Failure::usage("standard output", message).with_hint("write OUT to a file"));
        }
        if input.is_dir() {
            return Err(
                Failure::io(&text_of(input), &io::ErrorKind::IsADirectory.into())
                    .with_hint("convert a folder with --out-dir DIR --to FORMAT"),
            );
        }
        if is_pattern(input) && !input.exists() {
            return Err(Failure::usage(
                &text_of(input),
                "a pattern cannot be used with a single OUT, as it may match several files",
            )
            .with_hint("convert them with --out-dir DIR --to FORMAT"));
        }
        let staged = StagedOutput::new(output, self.force);
        let result = progress::on_files(input, output, || {
            self.conversion.run(input, staged, formats)
        });
        if self.output_format == Json {
            output::print_json(&ReportRow::new(input, output, &result))?;
        } else if let Ok(report) = &result {
            messages::print(
                self.verbosity,
                &report.notes(),
                &report.losses,
                &report.warnings,
            );
        }
        result?.rejection.map_or(Ok(Status::Success), Err)
    }
}
