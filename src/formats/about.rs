//! What there is to know about a format.

use crate::layout::{Type, walk};
use crate::{Dialect, Error, FormatId, Result, Rule, path};

/// What there is to know about a format.
#[derive(Debug)]
pub struct About {
    /// The format.
    pub id: FormatId,
    /// The name as people write it.
    pub title: &'static str,
    /// The format in a sentence.
    pub summary: &'static str,
    /// The document that it follows.
    pub specification: Specification,
    /// File name extensions, without the dot.
    pub extensions: &'static [&'static str],
    /// The dialects, the specification first.
    pub dialects: &'static [Dialect],
    /// Whether files can be compressed more or less, as [`WriteOptions::compression_level`](crate::WriteOptions::compression_level) says.
    pub has_compression_levels: bool,
    /// Whether vertices can be stored more or less precisely, as [`Precision`](crate::scene::Precision) says.
    pub has_precisions: bool,
    /// Every rule that `check` knows.
    pub rules: &'static [&'static Rule],
    /// See [`layouts`](About::layouts).
    pub(crate) layouts: fn() -> &'static [(&'static str, &'static Type)],
}

/// The document that a format follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Specification {
    /// Its title.
    pub title: &'static str,
    /// The project that it belongs to, and whose that is.
    pub project: &'static str,
    /// Where the revision lies that this crate follows.
    pub url: &'static str,
}

impl About {
    /// That the format has this dialect.
    ///
    /// # Errors
    ///
    /// If it does not: the message names those that it has.
    pub fn require_dialect(&self, dialect: Dialect) -> Result<()> {
        if self.dialects.contains(&dialect) {
            return Ok(());
        }
        let names: Vec<_> = self.dialects.iter().map(|dialect| dialect.name()).collect();
        let message = format!("{} has no {dialect} dialect, only {}", self.id, names.join(", "));
        Err(Error::unsupported(message).at(path!(dialect)).in_format(self.id))
    }

    /// The declarations of whole files, one for each dialect: a name and the type of each. A text format has none.
    pub fn layouts(&self) -> &'static [(&'static str, &'static Type)] {
        (self.layouts)()
    }

    /// The rule with this code.
    pub fn rule(&self, code: &str) -> Option<&'static Rule> {
        self.rules.iter().find(|rule| rule.code == code).copied()
    }

    /// The rule that a fault of the structure breaks.
    pub fn rule_for(&self, fault: &walk::Fault) -> Option<&'static Rule> {
        fault.rule.and_then(|code| self.rule(code)).or_else(|| self.rule_of(fault.kind))
    }

    /// The rule that a fault of this kind breaks where its field names none: the one of the format whose code ends
    /// in the kind's name.
    fn rule_of(&self, kind: walk::FaultKind) -> Option<&'static Rule> {
        let ending = match kind {
            walk::FaultKind::End => "-TRUNCATED",
            walk::FaultKind::Magic => "-MAGIC",
            walk::FaultKind::Count | walk::FaultKind::Check | walk::FaultKind::Value => "-VALUE",
            walk::FaultKind::Packing => "-PACKING",
            walk::FaultKind::Limit => return None,
        };
        self.rules.iter().find(|rule| rule.code.ends_with(ending)).copied()
    }
}
