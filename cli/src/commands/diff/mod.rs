//! `meshspec diff`: the differences of two files.

mod align;
mod difference;
mod scene;
mod tree;
mod values;

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use meshspec::{AnyFormat, Formats};
use serde::Serialize;

use crate::buffer::Buffer;
use crate::encoding::Encoding;
use crate::failure::{Failure, Result, Status};
use crate::input::{self, is_standard, name_of};
use crate::json;
use crate::messages::SCREEN;
use crate::output::print_json;
use crate::progress;
use crate::reading::{Bounds, Reading};
use crate::scenes;
use crate::terminal::{Escaped, TITLE, counted};
use difference::{Difference, Differences};
use tree::Tree;

/// Show the differences of two files: value by value in one format, as models otherwise.
///
/// Files of one format are compared by the paths that `dump` shows. Lists are aligned, so that inserted and removed items are
/// found, and differences at several items of a list are shown as one. Files of different formats, and interchange files, are compared as
/// scenes: counts, attributes, names, bounds, and the distance of their surfaces at rest and in animations. The exit status is 1 if they differ.
#[derive(Debug, Args)]
pub struct Diff {
    /// The first file; `-` is standard input.
    a: PathBuf,
    /// The second file.
    b: PathBuf,
    /// Ignore differences of floats up to this, and distances in metres.
    #[arg(long, value_name = "NUMBER", default_value = "0", value_parser = tolerance)]
    tolerance: f64,
    /// Compare as scenes, even files of one format.
    #[arg(long)]
    scenes: bool,
    /// Print data for other programs.
    #[arg(long)]
    json: bool,
    /// List differences one by one.
    #[arg(long, short)]
    verbose: bool,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    bounds: Bounds,
}

fn tolerance(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number >= 0.0 && number.is_finite() => Ok(number),
        _ => Err("expected a number from 0 on".to_owned()),
    }
}

/// What differs, for other programs.
#[derive(Serialize)]
struct Outcome<'o> {
    a: &'o Path,
    b: &'o Path,
    /// `values` or `scenes`.
    compared: &'static str,
    /// The number of differences before they are grouped.
    total: u64,
    differences: &'o [Difference],
}

/// A file to compare.
struct File<'f> {
    path: &'f Path,
    place: String,
    bytes: Buffer,
    encoding: Encoding,
}

impl Diff {
    pub fn run(&self, formats: &Formats) -> Result<Status> {
        progress::on_printed_file(&self.a, || self.diff(formats))
    }

    fn diff(&self, formats: &Formats) -> Result<Status> {
        if is_standard(&self.a) && is_standard(&self.b) {
            return Err(Failure::usage(&name_of(&self.a), "can be only one of the files"));
        }
        let [a, b] = [self.open(&self.a, formats)?, self.open(&self.b, formats)?];
        let mut differences = if self.verbose { Differences::default() } else { Differences::grouped() };
        let [own, other] = [a.format(formats), b.format(formats)];
        let format = own.filter(|format| !self.scenes && other == Some(*format));
        match format {
            Some(_) => {
                let [a, b] = [self.values(&a, formats)?, self.values(&b, formats)?];
                let (before, after, tolerance) = (&a, &b, self.tolerance);
                let mut comparison =
                    values::Comparison { before, after, tolerance, differences: &mut differences };
                comparison.compare(&mut Vec::new(), 0, 0);
            }
            None => {
                let scenes = [(self.scene(&a, formats)?, &*a.place), (self.scene(&b, formats)?, &*b.place)];
                let comparison = scene::Comparison { scenes, tolerance: self.tolerance };
                comparison.compare(&mut differences)?;
            }
        }
        self.print(&differences, format)?;
        Ok(if differences.total > 0 { Status::Invalid } else { Status::Fine })
    }

    fn open<'f>(&self, path: &'f Path, formats: &Formats) -> Result<File<'f>> {
        let bytes = input::read(path)?;
        let encoding = self.reading.encoding_of(&bytes, path, formats)?;
        Ok(File { path, place: name_of(path), bytes, encoding })
    }

    /// Reads the values of a file. A JSON document is compared as the file that it encodes.
    fn values(&self, file: &File, formats: &Formats) -> Result<Tree> {
        let written;
        let (format, bytes): (AnyFormat, &[u8]) = match file.encoding {
            Encoding::Format(format) => (format, &file.bytes),
            _ => {
                written = json::file_of(&file.bytes, formats)
                    .map_err(|error| Failure::invalid(&file.place, error))?;
                (written.0, &written.1)
            }
        };
        let options = self.reading.options(Encoding::Format(format), bytes);
        match format.layout_of(bytes, options.dialect.unwrap_or_default()) {
            Some(ty) => Tree::of_binary(ty, bytes, &options.limits).map_err(|fault| {
                Failure::invalid(&file.place, fault).with_hint("`meshspec dump` shows the values before it")
            }),
            None => Ok(Tree::of_text(format, bytes)),
        }
    }

    fn scene(&self, file: &File, formats: &Formats) -> Result<meshspec::scene::Scene> {
        scenes::of_bytes(&file.bytes, file.encoding, file.path, &self.reading, &self.bounds, formats)
    }

    fn print(&self, differences: &Differences, format: Option<AnyFormat>) -> Result<()> {
        let Differences { list, total, .. } = differences;
        if self.json {
            let compared = if format.is_some() { "values" } else { "scenes" };
            return print_json(&Outcome {
                a: &self.a,
                b: &self.b,
                compared,
                total: *total,
                differences: list,
            });
        }
        let mut out = BufWriter::new(anstream::stdout().lock());
        let [a, b] = [&self.a, &self.b].map(|path| Escaped(&name_of(path)).to_string());
        let compared = format.map_or("compared as scenes", |format| format.about().title);
        let count = match total {
            0 => "no differences".to_owned(),
            total => counted(*total, "difference", "differences"),
        };
        writeln!(out, "{TITLE}{a}{TITLE:#} and {TITLE}{b}{TITLE:#}: {compared}, {count}")?;
        let shown = if self.verbose { list.len() } else { list.len().min(SCREEN) };
        for difference in &list[..shown] {
            writeln!(out, "  {}", Escaped(&difference.to_string()))?;
        }
        if shown < list.len() {
            writeln!(out, "  and {} more lines; --verbose lists all differences", list.len() - shown)?;
        }
        Ok(out.flush()?)
    }
}

impl File<'_> {
    /// Returns the format of the file, or of the document that it holds.
    fn format(&self, formats: &Formats) -> Option<AnyFormat> {
        match self.encoding {
            Encoding::Format(format) => Some(format),
            Encoding::Json => json::format_among(&self.bytes, formats).ok(),
            Encoding::Interchange(_) => None,
        }
    }
}
