//! Runs a loader on a file and compares its result with the expected one.

use std::path::Path;
use std::time::Duration;

use meshspec::conformance::corpus::Verdict;
use meshspec::contents;
use serde_json::Value;

use super::capture::CapturedOutput;
use super::capture::PrintedOutput;
use super::disagreement::Disagreement;
use super::loader::{Loader, LoaderRun, RunEnd};
use crate::failure::Result;

#[derive(Debug)]
pub struct ExpectedResult {
    pub verdict: Verdict,
    /// The expected contents; `None` to compare the verdict only.
    pub contents: Option<Value>,
}

#[derive(Debug)]
pub struct TestResult {
    pub disagreement: Option<Disagreement>,
    /// The kind of output that the loader printed; `None` if contents are not compared.
    pub printed: Option<PrintedOutput>,
    pub end: RunEnd,
    /// The most informative line of standard error.
    pub stderr: String,
    pub time: Duration,
}

/// A loader, and whether to compare the contents that it prints.
#[derive(Debug, Clone, Copy)]
pub struct LoaderTest<'a> {
    pub loader: &'a Loader,
    pub compares_contents: bool,
    /// Whether missing contents are a disagreement.
    pub requires_contents: bool,
}

impl LoaderTest<'_> {
    /// Runs the loader on a file and compares its result with the expected one.
    ///
    /// # Errors
    ///
    /// Returns an error if the loader cannot be started.
    pub fn run(
        &self,
        file: &Path,
        expected: &ExpectedResult,
        timeout: Duration,
    ) -> Result<TestResult> {
        let run = self.loader.run(file, timeout)?;
        let mut result = TestResult {
            disagreement: Disagreement::compare_verdict(expected.verdict, &run),
            printed: None,
            end: run.end.clone(),
            stderr: run.stderr.excerpt(),
            time: run.time,
        };
        let is_compared =
            self.compares_contents && run.end == RunEnd::Accepts && result.disagreement.is_none();
        if let Some(contents) = expected.contents.as_ref().filter(|_| is_compared) {
            self.compare(contents, &run, &mut result);
        }
        Ok(result)
    }

    fn compare(&self, expected: &Value, run: &LoaderRun, result: &mut TestResult) {
        let printed = PrintedOutput::classify(&run.stdout);
        result.disagreement = match &printed {
            PrintedOutput::Contents => compare_contents(expected, &run.stdout),
            other => Disagreement::missing_contents(other).filter(|_| self.requires_contents),
        };
        result.printed = Some(printed);
    }
}

/// Compares the contents that a loader printed with the expected contents. Returns `None` if they agree.
fn compare_contents(expected: &Value, stdout: &CapturedOutput) -> Option<Disagreement> {
    if stdout.is_truncated {
        let size = stdout.bytes.len() >> 20;
        return Some(Disagreement::wrong_output(format!(
            "standard output is longer than {size} MiB"
        )));
    }
    let printed: Value = match serde_json::from_slice(&stdout.bytes) {
        Ok(printed) => printed,
        Err(error) => {
            return Some(Disagreement::wrong_output(format!(
                "standard output is not JSON: {error}"
            )));
        }
    };
    let differences = contents::compare(expected, &printed, 1);
    let first = differences.listed.first()?;
    Some(Disagreement::wrong_contents(first, differences.total))
}
