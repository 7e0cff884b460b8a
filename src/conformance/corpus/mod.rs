//! Corpora: files of a format with expected verdicts, for testing loaders in any language.
//!
//! A corpus contains:
//!
//! - valid files that together cover the fields, alternatives and boundaries of the declaration,
//! - files that break or almost break each rule,
//! - files with a broken structure: truncated at each field, or with wrong magic bytes, counts or offsets,
//! - mutated files.
//!
//! The verdicts are determined by reading the files. Equal seeds generate the same bytes on every machine.
//!
//! ```
//! # #[cfg(feature = "crucible")] {
//! use meshspec::conformance::corpus::{Config, Corpus, Verdict};
//! use meshspec::ReadOptions;
//!
//! let corpus = Corpus::of(meshspec::crucible::FORMAT, &Config::default().with_count(500).with_seed(7))?;
//! for case in &corpus.cases {
//!     // Replace this line with a call of your loader.
//!     let options = ReadOptions::default().with_dialect(case.entry.dialect);
//!     let result = meshspec::crucible::FORMAT.read(&case.bytes, &options);
//!     assert_eq!(result.is_ok(), case.entry.strict == Verdict::Accept, "{}", case.entry.file);
//! }
//! assert!(corpus.rules().all(|(_, [broken, _])| broken > 0));
//! # }
//! # Ok::<(), meshspec::Error>(())
//! ```

mod boundaries;
mod breakages;
mod build;
mod candidates;
mod entry;
mod minimize;
mod oracle;
mod pool;
mod search;

pub use entry::{CaseKind, INDEX_SCHEMA, IndexEntry, Verdict};
pub use oracle::{Oracle, Reason, Verdicts};

use super::Coverage;
use crate::contents::Contents;
use crate::{AnyFormat, Dialect, ReadOptions, Result, Rule};

/// The `README.md` of a corpus, for authors of loaders.
pub const README: &str = include_str!("README.md");

/// The configuration of a corpus.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Config {
    /// The minimum number of files. Files required for coverage are always included; valid and mutated files make up
    /// the rest.
    pub count: usize,
    /// The seed of the generator.
    pub seed: u64,
    /// The dialect of all files; `None` for files of every dialect.
    pub dialect: Option<Dialect>,
    /// Whether valid files are plausible: no warnings, finite floats of common magnitude, and UTF-8 strings.
    pub plausible: bool,
}

impl Config {
    /// Sets the minimum number of files.
    pub fn with_count(self, count: usize) -> Config {
        Config { count, ..self }
    }

    /// Sets the seed.
    pub fn with_seed(self, seed: u64) -> Config {
        Config { seed, ..self }
    }

    /// Restricts the files to a dialect.
    pub fn with_dialect(self, dialect: Option<Dialect>) -> Config {
        Config { dialect, ..self }
    }

    /// Sets whether to generate only [plausible](Config::plausible) valid files.
    pub fn with_plausible(self, plausible: bool) -> Config {
        Config { plausible, ..self }
    }
}

/// The corpus of a format, with its coverage.
#[derive(Debug)]
#[non_exhaustive]
pub struct Corpus {
    /// The format.
    pub format: AnyFormat,
    /// The files, sorted by kind.
    pub cases: Vec<Case>,
    /// The coverage of the valid files.
    pub coverage: Coverage,
    /// The coverage of all files, including broken and mutated files.
    pub coverage_with_broken: Coverage,
}

/// A file of a corpus.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Case {
    /// The index entry.
    pub entry: IndexEntry,
    /// The content of the file.
    pub bytes: Vec<u8>,
}

impl Case {
    /// Returns the expected contents of the file; `None` if the corpus has none for it.
    pub fn contents(&self, format: AnyFormat) -> Option<Contents<'_>> {
        self.entry.contents.as_ref()?;
        format
            .contents(
                &self.bytes,
                &ReadOptions::default().with_dialect(self.entry.dialect),
            )
            .ok()
    }
}

impl Corpus {
    /// Generates the corpus of a format.
    ///
    /// # Errors
    ///
    /// Returns an error if the format lacks the dialect of `config`, or its files cannot be generated.
    pub fn of(format: AnyFormat, config: &Config) -> Result<Corpus> {
        build::build_corpus(format, config)
    }

    /// Returns each rule of the format with the numbers of broken and almost broken files.
    pub fn rules(&self) -> impl Iterator<Item = (&'static Rule, [usize; 2])> {
        let count = |rule: &Rule, kind| {
            let has = |case: &&Case| {
                case.entry.kind == kind && case.entry.rule.as_deref() == Some(rule.code)
            };
            self.cases.iter().filter(has).count()
        };
        let rules = self.format.about().rules.iter();
        rules.map(move |rule| {
            (
                *rule,
                [CaseKind::Broken, CaseKind::Almost].map(|kind| count(rule, kind)),
            )
        })
    }
}
