//! The format of results on standard output.

use clap::{Args, ValueEnum};

/// The format of results on standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// Readable text
    Text,
    /// JSON: a list with an object per file
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// JUnit XML, a test case per file
    Junit,
}

/// Options that select the format of results.
#[derive(Debug, Args)]
pub struct Output {
    /// Print JSON; short for --format json.
    #[arg(long)]
    json: bool,
    /// Print results in this format [default: text]
    #[arg(long, value_enum, conflicts_with_all = ["json", "json_lines", "log"])]
    format: Option<OutputFormat>,
}

impl Output {
    /// Returns the selected format.
    pub fn format(&self) -> OutputFormat {
        match self.format {
            Some(format) => format,
            None if self.json => OutputFormat::Json,
            None => OutputFormat::Text,
        }
    }
}
