//! Formats of results on standard output.

use std::iter;
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
        BoolValueParser::new().map(|is_set| {
            if is_set {
                OutputFormat::Json
            } else {
                OutputFormat::Text
            }
        })
    }
}

/// A function that calls `process` for each file, prints the results, and returns the highest status.
pub type FilePrinter<T> = fn(&InputFiles, &(dyn Fn(&Path) -> Result<T> + Sync)) -> Result<Status>;

/// The functions that print the results of a command, by output format.
pub struct Printers<F: 'static> {
    pub text: F,
    pub others: &'static [(OutputFormat, F)],
}

impl<F: Copy> Printers<F> {
    /// Returns the parser of `--format`.
    pub fn parser(&self) -> impl TypedValueParser<Value = OutputFormat> + use<F> {
        let others = self.others.iter().map(|(format, _)| format);
        let names = iter::once(&OutputFormat::Text)
            .chain(others)
            .filter_map(ValueEnum::to_possible_value);
        PossibleValuesParser::new(names).try_map(|name| OutputFormat::from_str(&name, false))
    }

    /// Returns the function that prints `format`; the function for text if `format` is not supported.
    pub fn get(&self, format: OutputFormat) -> F {
        let row = self.others.iter().find(|(other, _)| *other == format);
        row.map_or(self.text, |(_, print)| *print)
    }
}
