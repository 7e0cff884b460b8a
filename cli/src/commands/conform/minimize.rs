//! Makes a file smaller while meshspec's verdict and the disagreement of the loader stay.

use std::env;
use std::fs;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

use meshspec::conformance::Verdict;
use meshspec::{AnyFormat, ReadOptions};

use super::disagreement::{Disagreement, Problem};
use super::loader::Loader;
use crate::failure::{Failure, Result};
use crate::temporary::Temporary;

/// How long the file of one group is made smaller.
const TIME: Duration = Duration::from_secs(20);
/// Variants that meshspec reads for each one that the loader runs on: most of them break another rule.
const READS_PER_RUN: usize = 50;

/// The verdict of meshspec on a file, which its variants share.
pub struct Baseline {
    format: AnyFormat,
    options: ReadOptions,
    verdict: Verdict,
    /// The rule by which reading rejects the file.
    rule: Option<&'static str>,
}

impl Baseline {
    pub fn of(bytes: &[u8], format: AnyFormat, options: ReadOptions) -> Baseline {
        let rule = refused_rule(bytes, format, &options);
        Baseline { format, options, verdict: Verdict::of(rule.is_none()), rule }
    }

    /// The verdict of reading.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Returns `true` if reading accepts the variant as it does the file, or rejects it by the same rule.
    fn is_shared_by(&self, variant: &[u8]) -> bool {
        refused_rule(variant, self.format, &self.options) == self.rule
    }
}

/// Returns the code of the rule by which reading rejects the bytes; `None` if it accepts them.
fn refused_rule(bytes: &[u8], format: AnyFormat, options: &ReadOptions) -> Option<&'static str> {
    match format.check(bytes, options) {
        Ok(report) => report.first_refused(options.strictness).map(|finding| finding.rule.code),
        Err(_) => Some("unreadable"),
    }
}

/// How much work the file of one group may cost.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Runs of the loader.
    pub runs: usize,
    /// Time limit of each of them. A hang is confirmed with the time limit of the loader.
    pub time_per_run: Duration,
}

/// The smallest variant that was found.
#[derive(Debug)]
pub struct Smallest {
    pub bytes: Vec<u8>,
    /// Runs of the loader that it took.
    pub runs: usize,
}

/// Makes a file smaller.
pub struct Minimizer<'a> {
    loader: &'a Loader,
    baseline: &'a Baseline,
    disagreement: &'a Disagreement,
    effort: Effort,
    deadline: Instant,
    runs: usize,
    reads: usize,
    /// The variant that the loader reads.
    variant: Temporary,
}

impl<'a> Minimizer<'a> {
    /// Prepares a search among variants of a file with this extension.
    ///
    /// # Errors
    ///
    /// Returns an error if no temporary file can be made.
    pub fn new(
        loader: &'a Loader,
        baseline: &'a Baseline,
        disagreement: &'a Disagreement,
        effort: Effort,
        file: &Path,
    ) -> Result<Minimizer<'a>> {
        let suffix = file.extension().map(|extension| format!(".{}", extension.display()));
        let variant = Temporary::with_suffix(&env::temp_dir(), &suffix.unwrap_or_default());
        Ok(Minimizer {
            loader,
            baseline,
            disagreement,
            effort,
            deadline: Instant::now() + TIME,
            runs: 0,
            reads: 0,
            variant: variant.map_err(temporary_failure)?,
        })
    }

    /// Removes bytes, then sets bytes to zero, in ever smaller chunks.
    ///
    /// # Errors
    ///
    /// Returns an error if the loader cannot be started.
    pub fn minimize(mut self, bytes: &[u8]) -> Result<Smallest> {
        let mut smallest = bytes.to_vec();
        self.reduce(&mut smallest, |bytes, chunk| [&bytes[..chunk.start], &bytes[chunk.end..]].concat())?;
        self.reduce(&mut smallest, |bytes, chunk| {
            let mut bytes = bytes.to_vec();
            bytes[chunk].fill(0);
            bytes
        })?;
        let is_hang = self.disagreement.problem == Problem::Hang;
        if is_hang && smallest != bytes && !self.disagrees(&smallest, self.loader.time_limit())? {
            smallest = bytes.to_vec();
        }
        Ok(Smallest { bytes: smallest, runs: self.runs })
    }

    /// Changes chunk after chunk where that keeps the disagreement.
    fn reduce(&mut self, bytes: &mut Vec<u8>, change: impl Fn(&[u8], Range<usize>) -> Vec<u8>) -> Result<()> {
        let mut size = bytes.len().div_ceil(2);
        while size > 0 {
            let mut start = 0;
            while start < bytes.len() {
                if self.is_spent() {
                    return Ok(());
                }
                let variant = change(bytes, start..bytes.len().min(start + size));
                if variant != *bytes && self.keeps(&variant)? {
                    *bytes = variant;
                } else {
                    start += size;
                }
            }
            size /= 2;
        }
        Ok(())
    }

    fn is_spent(&self) -> bool {
        let Effort { runs, .. } = self.effort;
        self.runs >= runs || self.reads >= runs * READS_PER_RUN || Instant::now() >= self.deadline
    }

    /// Returns `true` if the variant has the verdict of the file and the loader disagrees with it in the same way.
    fn keeps(&mut self, variant: &[u8]) -> Result<bool> {
        self.reads += 1;
        if !self.baseline.is_shared_by(variant) {
            return Ok(false);
        }
        self.disagrees(variant, self.effort.time_per_run)
    }

    fn disagrees(&mut self, variant: &[u8], limit: Duration) -> Result<bool> {
        self.runs += 1;
        fs::write(self.variant.path(), variant).map_err(temporary_failure)?;
        let run = self.loader.run_for(self.variant.path(), limit)?;
        let found = Disagreement::in_verdict(self.baseline.verdict, &run);
        Ok(found.is_some_and(|found| found.is_like(self.disagreement)))
    }
}

fn temporary_failure(error: io::Error) -> Failure {
    Failure::io(&env::temp_dir().display().to_string(), &error)
}
