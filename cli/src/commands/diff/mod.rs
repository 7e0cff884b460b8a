//! `meshspec diff`: shows the differences between two files.

mod align;
pub mod compare;
mod content;
pub mod difference;
mod digest;
mod number;
mod values;

use std::io::{BufWriter, Write};
use std::path::PathBuf;

use clap::ArgAction::SetTrue;
use clap::Args;
use meshspec::scene::UncomparedCorners;
use meshspec::{AnyFormat, Formats};
use serde::Serialize;

use crate::failure::{Failure, Result, Status};
use crate::input::{is_standard, name_of, text_of};
use crate::messages::MAX_LINES;
use crate::output::print_json;
use crate::output_format::OutputFormat::{self, Json};
use crate::progress;
use crate::read_args::{LimitArgs, ReadArgs};
use crate::readable::Readable;
use crate::terminal::{Escaped, TITLE, counted};
use compare::{ComparedFile, ComparisonOptions};
use difference::{Difference, Differences};

/// Show the differences between two files: value by value in the same format, otherwise as scenes.
///
/// Files of the same built-in or custom format are compared value by value, with the paths of fields as in `dump`.
/// Lists are aligned to find inserted and removed items. Similar differences at several items of a list are grouped.
/// Interchange files and files of different formats are compared as scenes: counts, names, bounds, surfaces, attributes
/// of corners matched by position and face, materials, joints and animations. The exit status is 1 if the files differ.
#[derive(Debug, Args)]
pub struct Diff {
    /// The first file; `-` is standard input.
    a: PathBuf,
    /// The second file.
    b: PathBuf,
    /// Ignore differences up to NUMBER between floats, and between scenes in metres, degrees and seconds.
    #[arg(long, value_name = "NUMBER", default_value = "0", value_parser = parse_tolerance)]
    tolerance: f64,
    /// Compare as scenes, even if the files have the same format.
    #[arg(long)]
    scenes: bool,
    /// Print JSON.
    #[arg(id = "json", long, action = SetTrue, value_parser = OutputFormat::json_flag())]
    output_format: OutputFormat,
    /// List all differences individually.
    #[arg(long, short)]
    verbose: bool,
    #[command(flatten)]
    read_args: ReadArgs,
    #[command(flatten)]
    limit_args: LimitArgs,
}

fn parse_tolerance(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number >= 0.0 && number.is_finite() => Ok(number),
        _ => Err("expected a finite number of at least 0".to_owned()),
    }
}

/// The differences as JSON.
#[derive(Serialize)]
struct DiffReport<'o> {
    a: String,
    b: String,
    /// `values` or `scenes`.
    compared: &'static str,
    /// The compared parts of scenes; empty for values.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    parts: &'o [String],
    /// The corners whose attributes are not compared; `None` if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    uncompared_corners: Option<UncomparedCorners>,
    /// The number of differences before they are grouped.
    total: u64,
    differences: &'o [Difference],
}

impl Diff {
    pub fn run(&self, formats: &Formats) -> Result<Status> {
        progress::on_printed_file(&self.a, || self.diff(formats))
    }

    fn diff(&self, formats: &Formats) -> Result<Status> {
        if is_standard(&self.a) && is_standard(&self.b) {
            return Err(Failure::usage(
                &name_of(&self.a),
                "can be used for one of the files only",
            ));
        }
        let open = |path| ComparedFile::open(path, &self.read_args, Readable::ALL, formats);
        let [a, b] = [open(&self.a)?, open(&self.b)?];
        let mut differences = if self.verbose {
            Differences::default()
        } else {
            Differences::grouped()
        };
        let Diff {
            read_args,
            limit_args,
            tolerance,
            scenes,
            ..
        } = self;
        let options = ComparisonOptions {
            read_args,
            limit_args,
            formats,
            tolerance: *tolerance,
            as_scenes: *scenes,
        };
        let format = options.compare([&a, &b], &mut differences)?;
        self.print(&differences, format)?;
        Ok(if differences.total > 0 {
            Status::Invalid
        } else {
            Status::Success
        })
    }

    fn print(&self, differences: &Differences, format: Option<AnyFormat>) -> Result<()> {
        let Differences { list, total, .. } = differences;
        let uncompared_corners = Some(differences.uncompared_corners)
            .filter(|corners| *corners != UncomparedCorners::default());
        if self.output_format == Json {
            let compared = if format.is_some() { "values" } else { "scenes" };
            return print_json(&DiffReport {
                a: text_of(&self.a),
                b: text_of(&self.b),
                compared,
                parts: &differences.compared_parts,
                uncompared_corners,
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
        let parts = match &differences.compared_parts[..] {
            [] => String::new(),
            [only] => format!(" in {only}"),
            [others @ .., last] => format!(" in {} and {last}", others.join(", ")),
        };
        let parts = Escaped(&parts);
        writeln!(
            out,
            "{TITLE}{a}{TITLE:#} and {TITLE}{b}{TITLE:#}: {compared}, {count}{parts}"
        )?;
        if let Some(corners) = uncompared_corners {
            writeln!(out, "  not compared: {}", corners_text(&corners))?;
        }
        let shown = if self.verbose {
            list.len()
        } else {
            list.len().min(MAX_LINES)
        };
        for difference in &list[..shown] {
            writeln!(out, "  {}", Escaped(&difference.to_string()))?;
        }
        if shown < list.len() {
            writeln!(
                out,
                "  and {} more lines; --verbose lists all differences",
                list.len() - shown
            )?;
        }
        Ok(out.flush()?)
    }
}

/// Describes corners that are not compared: `3 corners of a and 6 of b without a counterpart`.
fn corners_text(corners: &UncomparedCorners) -> String {
    let reasons = [
        (corners.without_counterpart, "without a counterpart"),
        (corners.without_area, "of triangles without area"),
    ];
    let texts = reasons
        .into_iter()
        .filter(|([a, b], _)| a + b > 0)
        .map(|([a, b], reason)| {
            let of_a = counted(a, "corner", "corners");
            format!("{of_a} of the first and {b} of the second file {reason}")
        });
    texts.collect::<Vec<_>>().join("; ")
}
