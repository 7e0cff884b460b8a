//! Coverage: the kinds of values in the fields of files.

mod expected;
mod kinds;
mod notation;
mod observed;

pub(super) use kinds::MANY;

use std::collections::BTreeMap;

use crate::layout::walk::walk;
use crate::{AnyFormat, Dialect, Limits};

/// The number of occurrences of each kind of value of each field.
type Counts = BTreeMap<String, BTreeMap<&'static str, usize>>;

/// The number of occurrences of each kind of value of each field in files of a format.
///
/// Kinds of values are flags, enum values, alternatives, optional fields, list lengths and boundaries of numbers; for
/// texts, also notations, such as comments and exponents.
/// Boundaries are counted only for values that nothing in the declaration depends on. Counts, offsets and indices are
/// determined by the file.
///
/// ```
/// use meshspec::conformance::Coverage;
/// use meshspec::{Dialect, FormatId};
///
/// let mut coverage = Coverage::of(FormatId::Mesh);
/// coverage.add(&std::fs::read("samples/mesh/flag.mesh")?, Dialect::Spec);
/// let never: Vec<_> = coverage.never().collect();
/// assert!(never.contains(&("header.format.position", "false")));
/// assert!(!never.contains(&("vertices.position", "0")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Coverage {
    format: AnyFormat,
    counts: Counts,
}

impl Coverage {
    /// Creates an empty coverage: every kind of every field, with a count of 0.
    pub fn of(format: impl Into<AnyFormat>) -> Coverage {
        Coverage::in_dialect(format, None)
    }

    /// Creates an empty coverage for one dialect. Omits fields and kinds that only other dialects have.
    pub fn in_dialect(format: impl Into<AnyFormat>, dialect: Option<Dialect>) -> Coverage {
        let format = format.into();
        Coverage { format, counts: expected::kinds(format, dialect) }
    }

    /// Returns `true` if the field is declared or was observed.
    pub fn has_field(&self, field: &str) -> bool {
        self.counts.contains_key(field)
    }

    /// Returns `true` if the field has this kind of value, by declaration or in a file.
    pub fn has(&self, field: &str, kind: &str) -> bool {
        self.counts.get(field).is_some_and(|kinds| kinds.contains_key(kind))
    }

    /// Counts the values of a file. In a malformed file, only the values before the first error count.
    pub fn add(&mut self, bytes: &[u8], dialect: Dialect) {
        for (field, kinds) in observed(self.format, bytes, dialect) {
            let counts = self.counts.entry(field).or_default();
            kinds.into_iter().for_each(|(kind, count)| *counts.entry(kind).or_default() += count);
        }
    }

    /// Returns each field with its kinds of values and their counts.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &BTreeMap<&'static str, usize>)> {
        self.counts.iter().map(|(field, kinds)| (field.as_str(), kinds))
    }

    /// Returns the fields and kinds of values that occur in no file.
    pub fn never(&self) -> impl Iterator<Item = (&str, &'static str)> {
        self.fields().flat_map(|(field, kinds)| {
            let never = kinds.iter().filter(|(_, count)| **count == 0);
            never.map(move |(kind, _)| (field, *kind))
        })
    }
}

/// Counts the values of a file.
pub(super) fn observed(format: AnyFormat, bytes: &[u8], dialect: Dialect) -> Counts {
    let mut observer = observed::Observer::default();
    match format.layout_of(bytes, dialect) {
        Some(layout) => {
            // Counts the values up to the first error.
            let _ = walk(layout, bytes, &Limits::default(), &mut observer);
        }
        None => observer.lines(format, &String::from_utf8_lossy(bytes)),
    }
    observer.counts
}
