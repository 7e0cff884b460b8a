//! Disagreements between a loader and strict reading.

use std::fmt;

use super::hex::HexDump;
use super::{FileKind, files::FileChange};
use crate::{Path, Rule, Span};

/// A file on which a loader and strict reading disagree.
#[derive(Clone)]
#[non_exhaustive]
pub struct Disagreement {
    /// How the loader and strict reading disagree.
    pub mismatch: Mismatch,
    /// The rule that the file breaks or, if the loader rejects a valid file, almost breaks; `None` if there is none.
    pub rule: Option<&'static Rule>,
    /// The path of the field that breaks the rule; empty for a valid file.
    pub path: Path,
    /// The location of the field in the file; `None` if unknown or the file is valid.
    pub span: Option<Span>,
    /// The message of the error with which strict reading rejects the file; empty for a valid file.
    pub message: String,
    /// The rules that cause warnings about a valid file, sorted by code; empty for an invalid file.
    pub warnings: Vec<&'static Rule>,
    /// The origin of the file.
    pub kind: FileKind,
    /// A description of the change to a valid file; empty for a generated file.
    pub change: String,
    /// The content of the shrunk file.
    pub bytes: Vec<u8>,
    /// The number of files with the same disagreement, including this one.
    pub files: usize,
    /// The number of simplifications tried to shrink the file.
    pub runs: usize,
    pub(super) file_change: FileChange,
}

/// How a loader and strict reading disagree.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mismatch {
    /// The loader accepts an invalid file.
    Accepted,
    /// The loader rejects a valid file. Contains the reason; empty if unknown.
    Rejected(String),
    /// The loader accepts a valid file, but loads different contents.
    Contents {
        /// The path of the first difference; empty if unknown.
        path: String,
        /// A description of the difference, such as ``expected `1`, loaded `2` ``.
        text: String,
    },
    /// The loader panics. Contains the message and its source location.
    Panicked(String),
}

/// The key by which disagreements are grouped: the kind of mismatch, the rule, and the path or message without digits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cause {
    mismatch_kind: u8,
    rule: &'static str,
    detail: String,
}

impl Disagreement {
    /// Returns the sort key among files with the same disagreement: first the change (generated, broken or almost
    /// broken; then substituted; then mutated), then the size.
    pub(super) fn sort_key(&self) -> (u8, usize) {
        let order = match self.file_change {
            FileChange::Valid | FileChange::AlmostBroken(..) | FileChange::Broken(..) => 0,
            FileChange::Substituted(_) => 1,
            FileChange::Mutated(_) => 2,
        };
        (order, self.bytes.len())
    }

    pub(super) fn cause(&self) -> Cause {
        let code = self.rule.map_or("", |rule| rule.code);
        let (mismatch_kind, rule, detail) = match &self.mismatch {
            Mismatch::Accepted => (0, code, without_numbers(&self.path.to_string())),
            Mismatch::Rejected(reason) => (1, code, without_numbers(reason)),
            Mismatch::Contents { path, .. } => (2, "", without_numbers(path)),
            Mismatch::Panicked(message) => (3, "", without_numbers(message)),
        };
        Cause {
            mismatch_kind,
            rule,
            detail,
        }
    }
}

fn without_numbers(text: &str) -> String {
    text.chars().filter(|char| !char.is_ascii_digit()).collect()
}

impl Cause {
    pub(super) fn without_rule(self) -> Cause {
        Cause { rule: "", ..self }
    }
}

/// Prints the mismatch, its location, the origin of the file, and a hex dump of an excerpt.
impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.mismatch {
            Mismatch::Accepted => write!(f, "accepts an invalid file")?,
            Mismatch::Rejected(reason) if reason.is_empty() => write!(f, "rejects a valid file")?,
            Mismatch::Rejected(reason) => write!(f, "rejects a valid file: {reason}")?,
            Mismatch::Contents { path, text } if path.is_empty() => {
                write!(f, "loads wrong contents: {text}")?
            }
            Mismatch::Contents { path, text } => {
                write!(f, "loads wrong contents at {path}: {text}")?
            }
            Mismatch::Panicked(message) => write!(f, "panics: {message}")?,
        }
        writeln!(f)?;
        if !self.message.is_empty() {
            write!(f, "  strict reading rejects it: ")?;
            if !self.path.is_empty() {
                write!(f, "{}", self.path)?;
                self.span
                    .iter()
                    .try_for_each(|span| write!(f, " ({span})"))?;
                write!(f, ": ")?;
            }
            writeln!(f, "{}", self.message)?;
        }
        if !self.warnings.is_empty() {
            let codes: Vec<_> = self.warnings.iter().map(|rule| rule.code).collect();
            writeln!(
                f,
                "  strict reading accepts it, with warnings: {}",
                codes.join(", ")
            )?;
        }
        let origin = match self.kind {
            _ if self.change.is_empty() => "generated",
            FileKind::Valid => "",
            FileKind::AlmostBroken => "almost broken, ",
            FileKind::Broken => "broken, ",
            FileKind::Mutated => "mutated, ",
        };
        let (size, files) = (self.bytes.len(), self.files);
        let of_files = if files > 1 {
            format!(", one of {files} files")
        } else {
            String::new()
        };
        writeln!(f, "  {origin}{}; {size} bytes{of_files}:", self.change)?;
        let marked = self.span.as_ref().map(|span| span.file_range().clone());
        write!(
            f,
            "{}",
            HexDump {
                bytes: &self.bytes,
                marked
            }
        )
    }
}

impl fmt::Debug for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
