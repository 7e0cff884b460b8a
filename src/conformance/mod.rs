//! Conformance of other loaders: corpora of files with their verdicts.

mod index;

pub use index::{Entry, Kind, Verdict};
