//! What a format makes of some bytes.

use crate::Dialect;

/// How surely some bytes are a file of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// They are not.
    None,
    /// They start like one, but the structure does not hold: perhaps a damaged file.
    Possible,
    /// There are no magic bytes, but the whole structure holds.
    Structure,
    /// The magic bytes of the format.
    Magic,
}

/// What a format makes of some bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Detection {
    /// How surely they are a file of the format.
    pub confidence: Confidence,
    /// The dialect that they follow, if they are one.
    pub dialect: Dialect,
}
