//! Runs a loader over generated files, with configurable settings.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::marker::PhantomData;

use super::contents::first_difference;
use super::files::TestFiles;
use super::quiet::catch_panic;
use super::run::{LoadFn, TestRun};
use super::shrink::shrink_disagreement;
use super::{LoaderResult, Mismatch, RuleCoverage, RunReport};
use crate::layout::generate::Config;
use crate::{Dialect, Format};

/// The number of mutated files per case.
const MUTATIONS: u32 = 4;

/// The number of mutated files per case of a text format, in which no numbers are substituted.
const TEXT_MUTATIONS: u32 = 64;

/// Creates a test harness for loaders of a format: `conformance::<crucible::Document>()`.
///
/// ```
/// # #[cfg(feature = "mesh")] {
/// use meshspec::{conformance, mesh};
///
/// /// Returns the vertex count of a file. Bug: does not read the vertices.
/// fn vertex_count(bytes: &[u8]) -> Option<u32> {
///     let bytes = bytes.get(3..7)?.try_into().ok()?;
///     Some(u32::from_le_bytes(bytes))
/// }
///
/// let harness = conformance::<mesh::Document>().cases(4);
/// let report = harness.compare(|document| document.vertices.len() as u32, vertex_count);
/// assert!(report.disagreements().iter().any(|found| found.rule.is_some_and(|rule| rule.code == "MESH-TRUNCATED")));
/// # }
/// ```
pub fn conformance<D: Format>() -> Harness<D> {
    Harness {
        format: PhantomData,
        config: Config::default(),
        seed: 0,
        cases: 256,
        dialect: None,
        ignored: Vec::new(),
    }
}

/// A configurable test for a loader. Equal settings generate the same files on every machine.
#[derive(Debug)]
#[must_use = "a harness does nothing until it runs a loader"]
pub struct Harness<D> {
    format: PhantomData<fn() -> D>,
    config: Config,
    seed: u64,
    cases: u32,
    dialect: Option<Dialect>,
    ignored: Vec<&'static str>,
}

impl<D: Format> Harness<D> {
    /// Sets the seed. Default: 0.
    pub fn seed(self, seed: u64) -> Harness<D> {
        Harness { seed, ..self }
    }

    /// Sets the number of cases: valid files from which the other files are derived. Default: 256.
    pub fn cases(self, cases: u32) -> Harness<D> {
        Harness { cases, ..self }
    }

    /// Restricts valid files to plausible ones, with finite floats, UTF-8 names and no warnings.
    pub fn plausible(mut self) -> Harness<D> {
        self.config.plausible = true;
        self
    }

    /// Sets the configuration of generated files. In every eighth case, lists may have four times as many items.
    pub fn config(self, config: Config) -> Harness<D> {
        Harness { config, ..self }
    }

    /// Sets the dialect of generated files, and reads all files in this dialect. By default, uses the first dialect of
    /// the format, and skips files that are detected as another dialect.
    pub fn dialect(self, dialect: Dialect) -> Harness<D> {
        Harness {
            dialect: Some(dialect),
            ..self
        }
    }

    /// Skips files that violate any of the rules `codes`. Ignore rules that the loader deliberately does not enforce,
    /// and warnings about files that the loader rejects. If the format lacks one of `codes`, the run generates no files
    /// and reports an error.
    ///
    /// ```
    /// # #[cfg(feature = "mesh")] {
    /// use meshspec::{Format, ReadOptions, conformance, mesh};
    ///
    /// let load = |bytes: &[u8]| {
    ///     let document = mesh::Document::read(bytes, &ReadOptions::default()).ok()?;
    ///     (document.indices.len() % 3 == 0).then_some(())
    /// };
    /// let harness = || conformance::<mesh::Document>().cases(8);
    /// assert!(!harness().run(load).agrees());
    /// assert!(harness().ignoring(&["MESH-TRIANGLES"]).run(load).agrees());
    /// # }
    /// ```
    pub fn ignoring(mut self, codes: &[&'static str]) -> Harness<D> {
        self.ignored.extend(codes);
        self
    }

    /// Runs a loader over all files, and compares its verdicts with those of strict reading.
    pub fn run<L: LoaderResult>(self, mut load: impl FnMut(&[u8]) -> L) -> RunReport {
        self.run_with(&mut |bytes, _| call(|| load(bytes)).err())
    }

    /// Runs a loader over all files, and compares its verdicts and contents with strict reading. `expected` converts a
    /// strictly read document to the contents that the loader should return. Contents with equal `Debug` output are
    /// equal, so NaN equals NaN.
    pub fn compare<T: PartialEq + Debug, L: LoaderResult<Contents = T>>(
        self,
        expected: impl Fn(&D) -> T,
        mut load: impl FnMut(&[u8]) -> L,
    ) -> RunReport {
        self.run_with(&mut |bytes, document| match call(|| load(bytes)) {
            Ok(contents) => {
                document.and_then(|document| first_difference(&expected(document), &contents))
            }
            Err(mismatch) => Some(mismatch),
        })
    }

    fn run_with(self, load: LoadFn<D>) -> RunReport {
        let Harness {
            format: _,
            config,
            seed,
            cases,
            dialect: given_dialect,
            ignored,
        } = self;
        let about = D::ABOUT;
        let dialect = given_dialect
            .or(about.dialects.first().copied())
            .unwrap_or_default();
        let unknown = ignored
            .iter()
            .find(|code| about.rules.iter().all(|rule| rule.code != **code));
        let unknown =
            unknown.map(|code| format!("cannot ignore {code}: the format has no such rule"));
        let mut report = RunReport {
            format: about.name,
            dialect,
            files: Vec::new(),
            disagreements: Vec::new(),
            coverage: Vec::new(),
            generation_error: about
                .require_dialect(dialect)
                .err()
                .map(|error| error.to_string())
                .or(unknown),
        };
        if report.generation_error.is_some() {
            return report;
        }
        let skips_other_dialects = given_dialect.is_none() && about.dialects.len() > 1;
        let files = TestFiles::new(dialect, config, seed);
        let coverage = about.rules.iter().map(|rule| RuleCoverage {
            rule,
            broken: 0,
            almost_broken: 0,
        });
        let (coverage, counts, smallest) = (coverage.collect(), BTreeMap::new(), BTreeMap::new());
        let mut run = TestRun {
            files,
            skips_other_dialects,
            ignored,
            load,
            counts,
            coverage,
            smallest,
        };
        let is_text = about.layouts().is_empty();
        (0..cases)
            .for_each(|case| run.run_case(case, if is_text { TEXT_MUTATIONS } else { MUTATIONS }));
        let smallest = std::mem::take(&mut run.smallest);
        report.disagreements = smallest
            .into_iter()
            .map(|(cause, case)| shrink_disagreement(&mut run, &cause, case))
            .collect();
        for disagreement in report
            .disagreements
            .iter_mut()
            .filter(|found| found.message.is_empty())
        {
            disagreement.warnings = run.files.violated_rules(&disagreement.bytes);
        }
        let mut smallest_sizes = BTreeMap::new();
        for disagreement in &report.disagreements {
            let size = smallest_sizes
                .entry(disagreement.rule.map(|rule| rule.code))
                .or_insert(usize::MAX);
            *size = disagreement.bytes.len().min(*size);
        }
        report.disagreements.sort_by_key(|disagreement| {
            let rule = disagreement.rule.map(|rule| rule.code);
            (
                smallest_sizes.get(&rule).copied(),
                rule,
                disagreement.bytes.len(),
            )
        });
        report.files = run.counts.into_iter().collect();
        report.coverage = run.coverage;
        report
    }
}

/// Calls a loader. Returns its contents, or its rejection or panic.
fn call<L: LoaderResult>(load: impl FnOnce() -> L) -> Result<L::Contents, Mismatch> {
    catch_panic(|| load().contents())
        .map_err(Mismatch::Panicked)?
        .map_err(Mismatch::Rejected)
}
