//! Command-line options for the compression of output files.

use clap::builder::{RangedI64ValueParser, TypedValueParser};
use clap::{Args, ValueEnum};
use meshspec::WriteOptions;

/// Options for formats with compression levels, such as IyMA.
#[derive(Debug, Args)]
#[command(next_help_heading = "Compression of iyma")]
pub struct CompressionArgs {
    /// Compression level, up to 22; 3 by default.
    #[arg(long, hide_short_help = true, value_name = "N", allow_negative_numbers = true, value_parser = level_parser())]
    level: Option<i32>,
    /// Number of compression threads; 1 by default.
    #[arg(long, hide_short_help = true, value_name = "N")]
    threads: Option<u32>,
    /// Write a checksum of the data, or none; by default, as in the input.
    #[arg(long, hide_short_help = true, value_enum)]
    data_checksum: Option<OnOff>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OnOff {
    On,
    Off,
}

impl CompressionArgs {
    /// Returns the name of the first compression option given; `None` if there is none.
    pub fn first_given(&self) -> Option<&'static str> {
        let options = [
            ("--level", self.level.is_some()),
            ("--threads", self.threads.is_some()),
            ("--data-checksum", self.data_checksum.is_some()),
        ];
        options
            .into_iter()
            .find(|(_, is_given)| *is_given)
            .map(|(name, _)| name)
    }

    pub fn write_options(&self, lenient: bool) -> WriteOptions {
        let mut options = if lenient {
            WriteOptions::lenient()
        } else {
            WriteOptions::default()
        };
        options.compression_level = self.level;
        options.threads = self.threads.unwrap_or(options.threads);
        options.data_checksum = self.data_checksum.map(|switch| switch == OnOff::On);
        options
    }
}

fn level_parser() -> impl TypedValueParser<Value = i32> {
    #[cfg(feature = "formats")]
    let (min, max) = meshspec::iyma::compression_levels().into_inner();
    #[cfg(not(feature = "formats"))]
    let (min, max) = (0, 0);
    RangedI64ValueParser::new().range(i64::from(min)..=i64::from(max))
}
