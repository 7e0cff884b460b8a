//! Results of format detection.

use crate::Dialect;

/// The confidence that given bytes are a file of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// Not a file of the format.
    None,
    /// The start matches, but the structure does not: possibly a damaged file.
    Possible,
    /// The format has no magic bytes, but the whole structure matches.
    Structure,
    /// The magic bytes match.
    Magic,
}

/// The result of detecting a format: the confidence and the dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Detection {
    /// The confidence that the bytes are a file of the format.
    pub confidence: Confidence,
    /// The dialect, assuming that the bytes are a file of the format.
    pub dialect: Dialect,
}
