//! Minimizes a file while meshspec's verdict and the disagreement of the loader stay the same.

use std::env;
use std::fs;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

use meshspec::conformance::corpus::{Oracle, Verdict};
use meshspec::{AnyFormat, Dialect, Strictness};

use super::disagreement::{Disagreement, Problem};
use super::loader_test::{Expected, LoaderTest};
use super::variants::with_fewer_items;
use crate::failure::{Failure, Result};
use crate::input::read_options;
use crate::temporary::Temporary;

/// The time limit for minimizing a file.
const TIME: Duration = Duration::from_secs(20);
/// The maximum number of variants that meshspec reads per loader run: most variants break another rule.
const READS_PER_RUN: usize = 50;

/// The verdict of meshspec on a file, which its variants share.
#[derive(Debug, Clone, Copy)]
pub struct Baseline {
    pub format: AnyFormat,
    pub dialect: Dialect,
    pub strictness: Strictness,
    pub verdict: Verdict,
    /// The rule that the file breaks in strict reading.
    rule: Option<&'static str>,
}

impl Baseline {
    /// Judges a file; `None` if there is no verdict.
    pub fn of(bytes: &[u8], format: AnyFormat, dialect: Dialect, strictness: Strictness) -> Option<Baseline> {
        let judgement = Oracle::new(format).judge(bytes, Some(dialect))?;
        let verdict = match strictness {
            Strictness::Strict => judgement.strict,
            Strictness::Lenient => judgement.lenient,
        };
        let is_rejected = judgement.strict == Verdict::Reject;
        let rule = judgement.reason.filter(|_| is_rejected).map(|reason| reason.rule.code);
        Some(Baseline { format, dialect, strictness, verdict, rule })
    }

    /// Returns `true` if the variant has the same verdict and rule as the file.
    fn is_shared_by(&self, variant: &[u8]) -> bool {
        let of_variant = Baseline::of(variant, self.format, self.dialect, self.strictness);
        of_variant.is_some_and(|other| (other.verdict, other.rule) == (self.verdict, self.rule))
    }

    /// Returns the expected result for a variant.
    fn expected(&self, variant: &[u8], with_contents: bool) -> Expected {
        let options = read_options(self.strictness == Strictness::Lenient).with_dialect(self.dialect);
        let contents = || {
            let contents = self.format.contents(variant, &options).ok()?;
            serde_json::from_slice(&serde_json::to_vec(&contents).ok()?).ok()
        };
        let contents = if with_contents { contents() } else { None };
        Expected { verdict: self.verdict, contents }
    }
}

/// The limits for minimizing a file.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// The maximum number of loader runs.
    pub runs: usize,
    /// The time limit of each run.
    pub time_per_run: Duration,
    /// The time limit of the run that confirms a hang.
    pub time: Duration,
}

/// The smallest variant found.
#[derive(Debug)]
pub struct Smallest {
    pub bytes: Vec<u8>,
    /// The number of loader runs to find it.
    pub runs: usize,
}

/// Minimizes a file.
pub struct Minimizer<'a> {
    test: LoaderTest<'a>,
    baseline: Baseline,
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
    /// Returns an error if no temporary file can be created.
    pub fn new(
        test: LoaderTest<'a>,
        baseline: Baseline,
        disagreement: &'a Disagreement,
        effort: Effort,
        file: &Path,
    ) -> Result<Minimizer<'a>> {
        let suffix = file.extension().map(|extension| format!(".{}", extension.display()));
        let variant = Temporary::with_suffix(&env::temp_dir(), &suffix.unwrap_or_default());
        Ok(Minimizer {
            test,
            baseline,
            disagreement,
            effort,
            deadline: Instant::now() + TIME,
            runs: 0,
            reads: 0,
            variant: variant.map_err(temporary_failure)?,
        })
    }

    /// Removes items of lists, then removes and zeroes bytes in chunks of decreasing size.
    ///
    /// # Errors
    ///
    /// Returns an error if the loader cannot be started.
    pub fn minimize(mut self, bytes: &[u8]) -> Result<Smallest> {
        let mut smallest = bytes.to_vec();
        while let Some(smaller) = self.with_fewer_items(&smallest)? {
            smallest = smaller;
        }
        self.reduce(&mut smallest, |bytes, chunk| [&bytes[..chunk.start], &bytes[chunk.end..]].concat())?;
        self.reduce(&mut smallest, |bytes, chunk| {
            let mut bytes = bytes.to_vec();
            bytes[chunk].fill(0);
            bytes
        })?;
        let is_hang = self.disagreement.problem == Problem::Hang;
        if is_hang && smallest != bytes && !self.disagrees(&smallest, self.effort.time)? {
            smallest = bytes.to_vec();
        }
        Ok(Smallest { bytes: smallest, runs: self.runs })
    }

    /// Returns the first variant with fewer items that keeps the disagreement.
    fn with_fewer_items(&mut self, bytes: &[u8]) -> Result<Option<Vec<u8>>> {
        let Baseline { format, dialect, .. } = self.baseline;
        let Some(layout) = format.layout_of(bytes, dialect) else { return Ok(None) };
        for variant in with_fewer_items(layout, bytes) {
            if self.is_spent() {
                break;
            }
            if variant.len() < bytes.len() && self.keeps(&variant)? {
                return Ok(Some(variant));
            }
        }
        Ok(None)
    }

    /// Changes each chunk in turn, if that keeps the disagreement.
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

    /// Returns `true` if verdict and disagreement of the variant equal those of the file.
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
        let is_in_contents = self.disagreement.problem == Problem::WrongContents;
        let expected = self.baseline.expected(variant, is_in_contents);
        let found = self.test.run(self.variant.path(), &expected, limit)?.disagreement;
        Ok(found.is_some_and(|found| found.is_like(self.disagreement)))
    }
}

fn temporary_failure(error: io::Error) -> Failure {
    Failure::io(&env::temp_dir().display().to_string(), &error)
}
