//! Formats of results on standard output.

use std::path::Path;

use clap::ValueEnum;
use clap::builder::{BoolValueParser, PossibleValuesParser, TypedValueParser};

use crate::failure::{Result, Status};
use crate::per_file::InputFiles;

/// The format of results on standard output. Each command accepts the formats in its [`Printers`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// Human-readable text
    Text,
    /// JSON
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// JUnit XML, a test case per file
    Junit,
    /// Markdown with a table
    Markdown,
}

impl OutputFormat {
    /// Returns the parser of the flag `--json`: [`Json`](OutputFormat::Json) if set, otherwise
    /// [`Text`](OutputFormat::Text).
    pub fn json_flag() -> impl TypedValueParser<Value = OutputFormat> {
        BoolValueParser::new().map(|is_set| if is_set { OutputFormat::Json } else { OutputFormat::Text })
    }
}

/// The output formats of a command, each with the function that prints it.
pub type Printers<F> = &'static [(OutputFormat, F)];

/// Prints the results of `process` for the files.
pub type FilePrinter<T> = fn(&InputFiles, &(dyn Fn(&Path) -> Result<T> + Sync)) -> Result<Status>;

/// Returns the parser of `--format` for a command with `printers`.
pub fn parser_of<F>(printers: Printers<F>) -> impl TypedValueParser<Value = OutputFormat> {
    let names = printers.iter().filter_map(|(format, _)| format.to_possible_value());
    PossibleValuesParser::new(names).try_map(|name| OutputFormat::from_str(&name, false))
}

/// Returns the function that prints `format`, one of the formats in `printers`.
pub fn printer_of<F: Copy>(printers: Printers<F>, format: OutputFormat) -> F {
    let row = printers.iter().find(|(printed, _)| *printed == format);
    row.map(|(_, print)| *print).expect("the command accepts only formats in its table")
}
