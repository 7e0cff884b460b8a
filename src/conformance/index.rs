//! The index of a corpus: a file for each line, with the verdict of reading.

use std::fmt;

use crate::Strictness;

/// A line of `index.jsonl`: one file of a corpus and what a conforming loader does with it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Entry {
    /// Path of the file, relative to the index.
    pub file: String,
    /// Name of the format.
    pub format: String,
    /// Name of the dialect.
    pub dialect: String,
    /// How the file was made.
    pub kind: Kind,
    /// The verdict of strict reading.
    pub strict: Verdict,
    /// The verdict of lenient reading.
    pub lenient: Verdict,
    /// The code of the rule that the file breaks, or almost breaks.
    pub rule: Option<String>,
    /// Path of the value that breaks it.
    pub path: Option<String>,
    /// Start and end of its bytes.
    pub bytes: Option<[u64; 2]>,
    /// What is special about the file, in a sentence.
    pub description: String,
    /// Path of its contents as plain numbers, relative to the index.
    pub contents: Option<String>,
}

impl Entry {
    /// Returns the verdict of reading with this strictness.
    pub fn verdict(&self, strictness: Strictness) -> Verdict {
        match strictness {
            Strictness::Strict => self.strict,
            Strictness::Lenient => self.lenient,
        }
    }
}

/// How a file of a corpus was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Kind {
    /// Follows the declaration.
    Valid,
    /// Breaks exactly one rule.
    Broken,
    /// Only just does not break a rule.
    Almost,
    /// A valid file with bytes changed at random.
    Mutated,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Valid => "valid",
            Kind::Broken => "broken",
            Kind::Almost => "almost broken",
            Kind::Mutated => "mutated",
        })
    }
}

/// Whether reading accepts a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Verdict {
    /// The file is read.
    Accept,
    /// Reading returns an error.
    Reject,
}

impl Verdict {
    /// Returns [`Accept`](Verdict::Accept) if reading accepts the file.
    pub fn of(accepts: bool) -> Verdict {
        if accepts { Verdict::Accept } else { Verdict::Reject }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Accept => "accept",
            Verdict::Reject => "reject",
        })
    }
}
