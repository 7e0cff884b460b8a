//! Minimises a file on which a loader disagrees, keeping the verdict of meshspec and the disagreement.

use std::env;
use std::fs;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

use meshspec::conformance::corpus::{Oracle, Verdict};
use meshspec::{AnyFormat, Dialect, Strictness};

use super::disagreement::{Disagreement, DisagreementKind};
use super::loader_test::{ExpectedResult, LoaderTest};
use super::variants::with_fewer_items;
use crate::failure::{Failure, Result};
use crate::input::read_options;
use crate::temp_files::TemporaryFile;

/// The maximum time for minimising a file.
const MAX_TIME: Duration = Duration::from_secs(20);
/// The maximum number of variants that meshspec reads per allowed run of the loader. Most variants break another rule,
/// so the loader does not read them.
const READS_PER_RUN: usize = 50;

/// The verdict of meshspec on a file, which variants must share.
#[derive(Debug, Clone, Copy)]
pub struct Baseline {
    pub format: AnyFormat,
    pub dialect: Dialect,
    pub strictness: Strictness,
    pub verdict: Verdict,
    /// The code of the rule whose violation makes strict reading reject the file; `None` if it accepts the file.
    rule: Option<&'static str>,
}

impl Baseline {
    /// Judges a file. Returns `None` if there is no verdict because reading exceeds the default limits or disagrees
    /// with `check`.
    pub fn of(
        bytes: &[u8],
        format: AnyFormat,
        dialect: Dialect,
        strictness: Strictness,
    ) -> Option<Baseline> {
        let verdicts = Oracle::new(format).judge(bytes, Some(dialect))?;
        let verdict = match strictness {
            Strictness::Strict => verdicts.strict,
            Strictness::Lenient => verdicts.lenient,
        };
        let is_rejected = verdicts.strict == Verdict::Reject;
        let rule = verdicts
            .reason
            .filter(|_| is_rejected)
            .map(|reason| reason.rule.code);
        Some(Baseline {
            format,
            dialect,
            strictness,
            verdict,
            rule,
        })
    }

    /// Returns `true` if a variant has the same verdict and rule.
    fn is_shared_by(&self, variant: &[u8]) -> bool {
        let of_variant = Baseline::of(variant, self.format, self.dialect, self.strictness);
        of_variant.is_some_and(|other| (other.verdict, other.rule) == (self.verdict, self.rule))
    }

    /// Returns the expected result of the loader for a variant.
    fn expected_result(&self, variant: &[u8], with_contents: bool) -> ExpectedResult {
        let options =
            read_options(self.strictness == Strictness::Lenient).with_dialect(self.dialect);
        let contents = || {
            let contents = self.format.contents(variant, &options).ok()?;
            serde_json::from_slice(&serde_json::to_vec(&contents).ok()?).ok()
        };
        let contents = if with_contents { contents() } else { None };
        ExpectedResult {
            verdict: self.verdict,
            contents,
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub struct MinimizeLimits {
    pub max_runs: usize,
    /// The timeout of a run on a variant.
    pub variant_timeout: Duration,
    /// The timeout of the run that confirms a hang.
    pub timeout: Duration,
}

#[derive(Debug)]
pub struct SmallestVariant {
    pub bytes: Vec<u8>,
    /// The number of loader runs to find the variant.
    pub run_count: usize,
}

/// Searches for the smallest variant of a file with the same disagreement.
pub struct Minimizer<'a> {
    test: LoaderTest<'a>,
    baseline: Baseline,
    disagreement: &'a Disagreement,
    limits: MinimizeLimits,
    deadline: Instant,
    run_count: usize,
    read_count: usize,
    /// The temporary file with the variant that the loader reads.
    variant: TemporaryFile,
}

impl<'a> Minimizer<'a> {
    /// Prepares the search. The temporary file gets the extension of `file`.
    ///
    /// # Errors
    ///
    /// Returns an error if no temporary file can be created.
    pub fn new(
        test: LoaderTest<'a>,
        baseline: Baseline,
        disagreement: &'a Disagreement,
        limits: MinimizeLimits,
        file: &Path,
    ) -> Result<Minimizer<'a>> {
        let suffix = file
            .extension()
            .map(|extension| format!(".{}", extension.display()));
        let variant = TemporaryFile::with_suffix(&env::temp_dir(), &suffix.unwrap_or_default());
        Ok(Minimizer {
            test,
            baseline,
            disagreement,
            limits,
            deadline: Instant::now() + MAX_TIME,
            run_count: 0,
            read_count: 0,
            variant: variant.map_err(temp_folder_failure)?,
        })
    }

    /// Removes items from lists, then removes chunks of bytes, then zeroes chunks of bytes. Keeps each change that
    /// preserves the disagreement. Returns `bytes` if there is none, or if a run with the full timeout does not confirm
    /// a hang.
    ///
    /// # Errors
    ///
    /// Returns an error if the loader cannot be started.
    pub fn minimize(mut self, bytes: &[u8]) -> Result<SmallestVariant> {
        let mut smallest = bytes.to_vec();
        while let Some(smaller) = self.with_fewer_items(&smallest)? {
            smallest = smaller;
        }
        self.change_chunks(&mut smallest, |bytes, chunk| {
            [&bytes[..chunk.start], &bytes[chunk.end..]].concat()
        })?;
        self.change_chunks(&mut smallest, |bytes, chunk| {
            let mut bytes = bytes.to_vec();
            bytes[chunk].fill(0);
            bytes
        })?;
        let is_hang = self.disagreement.kind == DisagreementKind::Hang;
        if is_hang && smallest != bytes && !self.disagrees(&smallest, self.limits.timeout)? {
            smallest = bytes.to_vec();
        }
        Ok(SmallestVariant {
            bytes: smallest,
            run_count: self.run_count,
        })
    }

    /// Returns the first smaller variant with fewer list items and the same disagreement; `None` if none is found.
    fn with_fewer_items(&mut self, bytes: &[u8]) -> Result<Option<Vec<u8>>> {
        let Baseline {
            format, dialect, ..
        } = self.baseline;
        let Some(layout) = format.layout_of(bytes, dialect) else {
            return Ok(None);
        };
        for variant in with_fewer_items(layout, bytes) {
            if self.is_exhausted() {
                break;
            }
            if variant.len() < bytes.len() && self.keeps_disagreement(&variant)? {
                return Ok(Some(variant));
            }
        }
        Ok(None)
    }

    /// Applies `change` to each chunk in turn, then to chunks of half the size, and so on. Keeps each change
    /// that preserves the disagreement.
    fn change_chunks(
        &mut self,
        bytes: &mut Vec<u8>,
        change: impl Fn(&[u8], Range<usize>) -> Vec<u8>,
    ) -> Result<()> {
        let mut size = bytes.len().div_ceil(2);
        while size > 0 {
            let mut start = 0;
            while start < bytes.len() {
                if self.is_exhausted() {
                    return Ok(());
                }
                let variant = change(bytes, start..bytes.len().min(start + size));
                if variant != *bytes && self.keeps_disagreement(&variant)? {
                    *bytes = variant;
                } else {
                    start += size;
                }
            }
            size /= 2;
        }
        Ok(())
    }

    fn is_exhausted(&self) -> bool {
        let MinimizeLimits { max_runs, .. } = self.limits;
        self.run_count >= max_runs
            || self.read_count >= max_runs * READS_PER_RUN
            || Instant::now() >= self.deadline
    }

    /// Returns `true` if the variant has the same verdict and disagreement as the file.
    fn keeps_disagreement(&mut self, variant: &[u8]) -> Result<bool> {
        self.read_count += 1;
        if !self.baseline.is_shared_by(variant) {
            return Ok(false);
        }
        self.disagrees(variant, self.limits.variant_timeout)
    }

    fn disagrees(&mut self, variant: &[u8], timeout: Duration) -> Result<bool> {
        self.run_count += 1;
        fs::write(self.variant.path(), variant).map_err(temp_folder_failure)?;
        let is_in_contents = self.disagreement.kind == DisagreementKind::WrongContents;
        let expected = self.baseline.expected_result(variant, is_in_contents);
        let disagreement = self
            .test
            .run(self.variant.path(), &expected, timeout)?
            .disagreement;
        Ok(disagreement
            .is_some_and(|disagreement| disagreement.has_same_symptom(self.disagreement)))
    }
}

fn temp_folder_failure(error: io::Error) -> Failure {
    Failure::io(&env::temp_dir().display().to_string(), &error)
}
