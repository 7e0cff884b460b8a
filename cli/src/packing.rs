//! How data is packed that is written in a format that packs it.

use clap::builder::{RangedI64ValueParser, TypedValueParser};
use clap::{Args, ValueEnum};
use meshspec::{WriteOptions, iyma};

/// How to pack, in formats that have the choice: iyma.
#[derive(Debug, Args)]
#[command(next_help_heading = "Packing, in iyma")]
pub struct Packing {
    /// How much to compress: 3 unless it is said, up to 22.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = level_parser())]
    level: Option<i32>,
    /// Threads to compress with.
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: u32,
    /// Whether to write a checksum of the data. Otherwise as in the file read.
    #[arg(long, value_enum)]
    data_checksum: Option<Switch>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Switch {
    On,
    Off,
}

impl Packing {
    pub fn options(&self, lenient: bool) -> WriteOptions {
        let mut options = if lenient { WriteOptions::lenient() } else { WriteOptions::default() };
        options.compression_level = self.level;
        options.threads = self.threads;
        options.data_checksum = self.data_checksum.map(|switch| switch == Switch::On);
        options
    }
}

fn level_parser() -> impl TypedValueParser<Value = i32> {
    let (least, most) = iyma::compression_levels().into_inner();
    RangedI64ValueParser::new().range(i64::from(least)..=i64::from(most))
}
