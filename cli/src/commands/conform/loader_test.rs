//! Runs a loader on a file and compares its result with the expected one.

use std::path::Path;
use std::time::Duration;

use meshspec::conformance::corpus::Verdict;
use meshspec::contents;
use serde_json::Value;

use super::capture::Captured;
use super::capture::Printed;
use super::disagreement::Disagreement;
use super::loader::{End, Loader, Run};
use crate::failure::Result;

/// The expected result for a file.
#[derive(Debug)]
pub struct Expected {
    pub verdict: Verdict,
    /// The contents of the file, if known.
    pub contents: Option<Value>,
}

/// The result of a loader for a file.
#[derive(Debug)]
pub struct TestResult {
    pub disagreement: Option<Disagreement>,
    /// The printed contents; `None` if contents are not compared.
    pub printed: Option<Printed>,
    pub end: End,
    /// A line of standard error.
    pub stderr: String,
    pub time: Duration,
}

/// A loader and the checks of its results.
#[derive(Debug, Clone, Copy)]
pub struct LoaderTest<'a> {
    pub loader: &'a Loader,
    /// Whether printed contents are compared.
    pub compares_contents: bool,
    /// Whether contents must be printed.
    pub requires_contents: bool,
}

impl LoaderTest<'_> {
    /// Runs the loader on a file and compares its result with the expected one.
    ///
    /// # Errors
    ///
    /// Returns an error if the loader cannot be started.
    pub fn run(&self, file: &Path, expected: &Expected, limit: Duration) -> Result<TestResult> {
        let run = self.loader.run(file, limit)?;
        let mut result = TestResult {
            disagreement: Disagreement::in_verdict(expected.verdict, &run),
            printed: None,
            end: run.end.clone(),
            stderr: run.stderr.excerpt(),
            time: run.time,
        };
        let is_compared = self.compares_contents && run.end == End::Accepts && result.disagreement.is_none();
        if let Some(contents) = expected.contents.as_ref().filter(|_| is_compared) {
            self.compare(contents, &run, &mut result);
        }
        Ok(result)
    }

    fn compare(&self, expected: &Value, run: &Run, result: &mut TestResult) {
        let printed = Printed::of(&run.stdout);
        result.disagreement = match &printed {
            Printed::Contents => in_contents(expected, &run.stdout),
            other => Disagreement::no_contents(other).filter(|_| self.requires_contents),
        };
        result.printed = Some(printed);
    }
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
