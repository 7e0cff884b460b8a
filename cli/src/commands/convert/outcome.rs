//! The report on a converted file.

use std::path::Path;

use meshspec::Loss;
use serde::Serialize;

use crate::failure::{Failure, Result};
use crate::job_log::Images;
use crate::messages::Note;

/// The report on a converted file.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Content that the target cannot hold, or holds differently.
    pub losses: Vec<Loss>,
    /// The assumed axes and units of both files; empty if they did not matter.
    pub assumed: Vec<String>,
    /// The translation by `--center`, in metres.
    pub moved: Option<[f64; 3]>,
    /// Faults of the input that lose no other content, such as missing images.
    pub warnings: Vec<String>,
    /// The images beside the output, for the log.
    pub images: Images,
    /// The reason why `--strict` prevented writing.
    pub rejection: Option<Failure>,
}

impl Outcome {
    /// Returns the assumptions and the translation by `--center`.
    pub fn notes(&self) -> Vec<Note> {
        let moved = self.moved.map(|[x, y, z]| format!("by ({x}, {y}, {z}) m to centre the scene"));
        let moved = moved.map(|text| Note { label: "moved", text });
        let assumed = self.assumed.iter().map(|text| Note { label: "assumed", text: text.clone() });
        assumed.chain(moved).collect()
    }
}

/// The report as JSON.
#[derive(Serialize)]
pub struct Row<'a> {
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

impl<'a> Row<'a> {
    pub fn new(input: &Path, output: &Path, result: &'a Result<Outcome>) -> Row<'a> {
        let outcome = result.as_ref().ok();
        let failure = result.as_ref().err().or(outcome.and_then(|outcome| outcome.rejection.as_ref()));
        Row {
            file: input.display().to_string(),
            output: output.display().to_string(),
            error: failure.map(Failure::message),
            losses: outcome.map_or(&[], |outcome| &outcome.losses),
            assumed: outcome.map_or(&[], |outcome| &outcome.assumed),
            moved: outcome.and_then(|outcome| outcome.moved),
            warnings: outcome.map_or(&[], |outcome| &outcome.warnings),
        }
    }
}
