//! A line of a text file, for showing it with what it means.

use crate::{Finding, Path};

/// A line of a text file.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Line {
    /// The line, counted from 1.
    pub number: u64,
    /// The offset in the file of its first byte.
    pub offset: u64,
    /// What it says, without its line end. What is not UTF-8 is replaced.
    pub text: String,
    /// The field that it gives, `positions[3]`; empty for a line without content.
    pub path: Path,
    /// What it means.
    pub meaning: String,
    /// What is wrong with it.
    pub findings: Vec<Finding>,
}
