//! Conformance tests for loaders, with generated files and the verdicts of strict reading.
//!
//! [`conformance()`] runs a loader over valid, broken, almost broken and mutated files of a format. It reports one
//! disagreement with strict reading per cause, shrunk and grouped by rule. [`Harness::ignoring`] skips files that violate
//! given rules, and [`Harness::plausible`] generates valid files without warnings. [`corpus`] generates files for loaders
//! in other languages.
//!
//! ```
//! # #[cfg(feature = "mesh")] {
//! use meshspec::conformance::{FileKind, Harness, Mismatch, conformance};
//! use meshspec::{Format, mesh};
//!
//! let harness: Harness<mesh::Document> = conformance().seed(7).cases(8).plausible();
//! let report = harness.run(|bytes| {
//!     let document = mesh::Document::read(bytes, &Default::default()).ok()?;
//!     assert!(document.indices.is_empty(), "indices"); // a bug
//!     Some(document)
//! });
//! assert!(matches!(report.disagreements()[0].mismatch, Mismatch::Panicked(_)));
//! assert!(report.files(FileKind::Broken) > 0 && report.coverage().iter().any(|rule| rule.broken > 0));
//! # }
//! ```

mod contents;
pub mod corpus;
mod coverage;
mod disagreement;
mod files;
mod harness;
mod hex;
mod loader_result;
mod quiet;
mod report;
mod run;
mod shrink;

pub use coverage::Coverage;
pub use disagreement::{Disagreement, Mismatch};
pub use files::FileKind;
pub use harness::{Harness, conformance};
pub use loader_result::LoaderResult;
pub use report::{RuleCoverage, RunReport};

pub use crate::formats::Files;
