//! Disagreements between a loader and strict reading.

use std::fmt;

use super::hex::Excerpt;
use super::{FileKind, files::Making};
use crate::{Path, Rule, Span};

/// A file on which a loader and strict reading disagree.
#[derive(Clone)]
#[non_exhaustive]
pub struct Disagreement {
    /// The disagreement.
    pub mismatch: Mismatch,
    /// The rule that the file breaks or almost breaks; `None` for other valid files.
    pub rule: Option<&'static Rule>,
    /// The path of the field that breaks the rule; empty for a valid file.
    pub path: Path,
    /// The bytes of the field.
    pub span: Option<Span>,
    /// The error of strict reading; empty for a valid file.
    pub message: String,
    /// The warnings about a valid file, sorted by code; empty for an invalid file.
    pub warnings: Vec<&'static Rule>,
    /// The origin of the file.
    pub kind: FileKind,
    /// The change to a valid file that made it; empty for a generated file.
    pub change: String,
    /// The shrunk file.
    pub bytes: Vec<u8>,
    /// The number of files with this disagreement.
    pub files: usize,
    /// The number of loader runs for shrinking.
    pub runs: usize,
    pub(super) making: Making,
}

/// How a loader and strict reading disagree.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mismatch {
    /// The loader accepts an invalid file.
    Accepted,
    /// The loader rejects a valid file, for this reason.
    Rejected(String),
    /// The loader accepts a valid file but loads other contents.
    Contents {
        /// The path of the first difference.
        place: String,
        /// The expected and the loaded value.
        text: String,
    },
    /// The loader panics, with this message.
    Panicked(String),
}

/// The key that groups disagreements: kind, rule, and the field or the message without numbers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cause {
    how: u8,
    rule: &'static str,
    place: String,
}

impl Disagreement {
    /// Returns the sort key of files with the same disagreement. Generated files and files with changed fields come first,
    /// then those with other bytes; shorter files come before longer ones.
    pub(super) fn order(&self) -> (u8, usize) {
        let order = match self.making {
            Making::Valid | Making::AlmostBroken(..) | Making::Broken(..) => 0,
            Making::Substituted(_) => 1,
            Making::Mutated(_) => 2,
        };
        (order, self.bytes.len())
    }

    pub(super) fn cause(&self) -> Cause {
        let code = self.rule.map_or("", |rule| rule.code);
        let (how, rule, place) = match &self.mismatch {
            Mismatch::Accepted => (0, code, without_numbers(&self.path.to_string())),
            Mismatch::Rejected(reason) => (1, code, without_numbers(reason)),
            Mismatch::Contents { place, .. } => (2, "", without_numbers(place)),
            Mismatch::Panicked(message) => (3, "", without_numbers(message)),
        };
        Cause { how, rule, place }
    }
}

fn without_numbers(text: &str) -> String {
    text.chars().filter(|char| !char.is_ascii_digit()).collect()
}

impl Cause {
    /// Returns the cause without its rule.
    pub(super) fn without_rule(self) -> Cause {
        Cause { rule: "", ..self }
    }
}

/// Prints the mismatch, its location, the origin of the file, and an excerpt of its bytes.
impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.mismatch {
            Mismatch::Accepted => write!(f, "accepts an invalid file")?,
            Mismatch::Rejected(reason) if reason.is_empty() => write!(f, "rejects a valid file")?,
            Mismatch::Rejected(reason) => write!(f, "rejects a valid file: {reason}")?,
            Mismatch::Contents { place, text } if place.is_empty() => {
                write!(f, "loads other contents: {text}")?
            }
            Mismatch::Contents { place, text } => write!(f, "loads other contents: {place}: {text}")?,
            Mismatch::Panicked(message) => write!(f, "panics: {message}")?,
        }
        writeln!(f)?;
        if !self.message.is_empty() {
            write!(f, "  strict reading rejects it: ")?;
            if !self.path.is_empty() {
                write!(f, "{}", self.path)?;
                self.span.iter().try_for_each(|span| write!(f, " ({span})"))?;
                write!(f, ": ")?;
            }
            writeln!(f, "{}", self.message)?;
        }
        if !self.warnings.is_empty() {
            let codes: Vec<_> = self.warnings.iter().map(|rule| rule.code).collect();
            writeln!(f, "  strict reading accepts it, with warnings: {}", codes.join(", "))?;
        }
        let made = match self.kind {
            _ if self.change.is_empty() => "generated",
            FileKind::Valid => "",
            FileKind::AlmostBroken => "almost broken, ",
            FileKind::Broken => "broken, ",
            FileKind::Mutated => "mutated, ",
        };
        let (size, files) = (self.bytes.len(), self.files);
        writeln!(f, "  {made}{}; {size} bytes, the smallest of {files}:", self.change)?;
        let marked = self.span.as_ref().map(|span| match span {
            Span::Bytes(range) | Span::Text { range, .. } => range.clone(),
            Span::Unpacked { packed, .. } => packed.clone(),
        });
        write!(f, "{}", Excerpt { bytes: &self.bytes, marked })
    }
}

impl fmt::Debug for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
