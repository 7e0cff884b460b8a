//! Runs a loader on a file and compares what it does with what it must do.

use std::path::Path;
use std::time::Duration;

use meshspec::conformance::corpus::Verdict;
use meshspec::contents;
use serde_json::Value;

use super::capture::Captured;
use super::disagreement::Disagreement;
use super::loader::{End, Loader, Run};
use crate::failure::Result;

/// What a conforming loader does with a file.
#[derive(Debug)]
pub struct Expected {
    pub verdict: Verdict,
    /// The contents of the file, if they are known.
    pub contents: Option<Value>,
}

/// How a loader treated a file.
#[derive(Debug)]
pub struct Judged {
    pub disagreement: Option<Disagreement>,
    /// Whether the loader printed contents; `None` where none are expected.
    pub prints_contents: Option<bool>,
    /// The first line on standard error.
    pub stderr: String,
    pub time: Duration,
}

/// Runs a loader and judges it.
#[derive(Debug, Clone, Copy)]
pub struct Judge<'a> {
    pub loader: &'a Loader,
    /// Whether what the loader prints is compared.
    pub compares_contents: bool,
    /// Whether it has to print contents.
    pub requires_contents: bool,
}

impl Judge<'_> {
    /// Judges one run on a file.
    ///
    /// # Errors
    ///
    /// Returns an error if the loader cannot be started.
    pub fn judge(&self, file: &Path, expected: &Expected, limit: Duration) -> Result<Judged> {
        let run = self.loader.run(file, limit)?;
        let mut judged = Judged {
            disagreement: Disagreement::in_verdict(expected.verdict, &run),
            prints_contents: None,
            stderr: run.stderr.first_line(),
            time: run.time,
        };
        let is_compared = self.compares_contents && run.end == End::Accepts && judged.disagreement.is_none();
        if let Some(contents) = expected.contents.as_ref().filter(|_| is_compared) {
            self.compare(contents, &run, &mut judged);
        }
        Ok(judged)
    }

    fn compare(&self, expected: &Value, run: &Run, judged: &mut Judged) {
        let printed = is_object(&run.stdout);
        judged.prints_contents = Some(printed);
        judged.disagreement = match printed {
            true => in_contents(expected, &run.stdout),
            false if self.requires_contents => Some(Disagreement::no_contents()),
            false => None,
        };
    }
}

/// Returns `true` if the output starts like a JSON object.
fn is_object(stdout: &Captured) -> bool {
    stdout.bytes.trim_ascii_start().starts_with(b"{")
}

/// Compares the contents that a loader printed with the expected ones.
fn in_contents(expected: &Value, stdout: &Captured) -> Option<Disagreement> {
    if stdout.is_truncated {
        let size = stdout.bytes.len() >> 20;
        return Some(Disagreement::in_output(format!("standard output is longer than {size} MiB")));
    }
    let found: Value = match serde_json::from_slice(&stdout.bytes) {
        Ok(found) => found,
        Err(error) => return Some(Disagreement::in_output(format!("standard output is not JSON: {error}"))),
    };
    let differences = contents::compare(expected, &found, 1);
    let first = differences.listed.first()?;
    Some(Disagreement::in_contents(first, differences.total))
}
