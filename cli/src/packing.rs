//! Compression options of formats.

use clap::builder::{RangedI64ValueParser, TypedValueParser};
use clap::{Args, ValueEnum};
use meshspec::WriteOptions;

/// Compression options of formats with compression levels, as in IyMA.
#[derive(Debug, Args)]
#[command(next_help_heading = "Compression of iyma")]
pub struct Packing {
    /// Compression level, up to 22; 3 by default.
    #[arg(long, hide_short_help = true, value_name = "N", allow_negative_numbers = true, value_parser = level_parser())]
    level: Option<i32>,
    /// Number of compression threads; 1 by default.
    #[arg(long, hide_short_help = true, value_name = "N")]
    threads: Option<u32>,
    /// Whether to write a checksum of the data; by default as in the input.
    #[arg(long, hide_short_help = true, value_enum)]
    data_checksum: Option<Switch>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Switch {
    On,
    Off,
}

impl Packing {
    /// Returns the first of these options that is given.
    pub fn asked(&self) -> Option<&'static str> {
        let options = [
            ("--level", self.level.is_some()),
            ("--threads", self.threads.is_some()),
            ("--data-checksum", self.data_checksum.is_some()),
        ];
        options.into_iter().find(|(_, given)| *given).map(|(name, _)| name)
    }

    pub fn options(&self, lenient: bool) -> WriteOptions {
        let mut options = if lenient { WriteOptions::lenient() } else { WriteOptions::default() };
        options.compression_level = self.level;
        options.threads = self.threads.unwrap_or(options.threads);
        options.data_checksum = self.data_checksum.map(|switch| switch == Switch::On);
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
