//! Formats of results on standard output.

use clap::ValueEnum;
use clap::builder::{BoolValueParser, PossibleValuesParser, TypedValueParser};

/// The format of results on standard output. Each command accepts a subset.
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
    /// Returns the parser of an option that accepts the formats `accepted`.
    pub fn among(accepted: &[OutputFormat]) -> impl TypedValueParser<Value = OutputFormat> + use<> {
        let names = accepted.iter().filter_map(ValueEnum::to_possible_value);
        PossibleValuesParser::new(names).try_map(|name| OutputFormat::from_str(&name, false))
    }

    /// Returns the parser of the flag `--json`: [`Json`](OutputFormat::Json) if set, otherwise
    /// [`Text`](OutputFormat::Text).
    pub fn json_flag() -> impl TypedValueParser<Value = OutputFormat> {
        BoolValueParser::new().map(|is_set| if is_set { OutputFormat::Json } else { OutputFormat::Text })
    }
}
