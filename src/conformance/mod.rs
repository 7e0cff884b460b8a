//! Tests of other loaders: corpora of files with their verdicts.

pub mod corpus;
mod coverage;

pub use coverage::Coverage;

pub use crate::formats::Files;
