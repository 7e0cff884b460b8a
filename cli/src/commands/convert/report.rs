//! The report on a converted file.

use std::path::Path;

use meshspec::Loss;
use serde::Serialize;

use crate::failure::{Failure, Result};
use crate::input::text_of;
use crate::job_log::ImageHashes;
use crate::messages::{HINT_LABEL, Note};
use crate::pages;

#[derive(Debug, Default)]
pub struct ConversionReport {
    /// Content that the output lacks, or stores differently.
    pub losses: Vec<Loss>,
    /// The assumed conventions of the input and output, and notes about generated normals and the written dialect.
    pub assumed: Vec<String>,
    /// Whether `assumed` contains the default conventions of a format.
    pub assumes_defaults: bool,
    /// The translation by `--center`, in metres.
    pub moved: Option<[f64; 3]>,
    /// Warnings about images that are missing or cannot be embedded.
    pub warnings: Vec<String>,
    /// The images copied for the output, to be recorded in the log.
    pub images: ImageHashes,
    /// The failure if `--strict` prevented writing.
    pub rejection: Option<Failure>,
}

impl ConversionReport {
    /// Returns the assumptions, the page that describes the defaults, and the translation by `--center` as messages.
    pub fn notes(&self) -> Vec<Note> {
        let moved = self
            .moved
            .map(|[x, y, z]| format!("by ({x}, {y}, {z}) m to centre the scene"));
        let moved = moved.map(|text| Note {
            label: "moved",
            text,
        });
        let assumed = self.assumed.iter().map(|text| Note {
            label: "assumed",
            text: text.clone(),
        });
        let hint = || Note {
            label: HINT_LABEL,
            text: format!("{} describes the defaults", pages::CONVERSION),
        };
        assumed
            .chain(self.assumes_defaults.then(hint))
            .chain(moved)
            .collect()
    }
}

#[derive(Serialize)]
pub struct ReportRow<'a> {
    file: String,
    output: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    losses: &'a [Loss],
    assumed: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    moved: Option<[f64; 3]>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    warnings: &'a [String],
}

impl<'a> ReportRow<'a> {
    pub fn new(input: &Path, output: &Path, result: &'a Result<ConversionReport>) -> ReportRow<'a> {
        let report = result.as_ref().ok();
        let failure = result
            .as_ref()
            .err()
            .or(report.and_then(|report| report.rejection.as_ref()));
        ReportRow {
            file: text_of(input),
            output: text_of(output),
            error: failure.map(Failure::message),
            losses: report.map_or(&[], |report| &report.losses),
            assumed: report.map_or(&[], |report| &report.assumed),
            moved: report.and_then(|report| report.moved),
            warnings: report.map_or(&[], |report| &report.warnings),
        }
    }
}
