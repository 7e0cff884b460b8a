//! Which kinds of values the fields of files have.

mod expected;
mod kinds;
mod observed;

pub(super) use kinds::MANY;

use std::collections::BTreeMap;

use crate::layout::walk::walk;
use crate::{AnyFormat, Dialect, Limits};

/// How often each kind of value of each field occurs.
type Counts = BTreeMap<String, BTreeMap<&'static str, usize>>;

/// How often each kind of value of each field occurs in files of a format: flags, values of enums, alternatives,
/// optional fields, lengths of lists, boundaries of numbers.
///
/// Boundaries are counted for values that nothing in the declaration depends on: a count, an offset or an index is
/// whatever fits the file.
///
/// ```
/// use meshspec::conformance::Coverage;
/// use meshspec::{Dialect, FormatId};
///
/// let mut coverage = Coverage::of(FormatId::Mesh);
/// coverage.add(include_bytes!("../../../samples/mesh/flag.mesh"), Dialect::Spec);
/// let never: Vec<_> = coverage.never().collect();
/// assert!(never.contains(&("header.format.position", "false")));
/// assert!(!never.contains(&("vertices.position", "0")));
/// ```
#[derive(Debug, Clone)]
pub struct Coverage {
    format: AnyFormat,
    counts: Counts,
}

impl Coverage {
    /// Returns the coverage of no files: every kind of every field, with a count of 0.
    pub fn of(format: impl Into<AnyFormat>) -> Coverage {
        Coverage::in_dialect(format, None)
    }

    /// Returns the coverage of no files of a dialect: what only other dialects have is left out.
    pub fn in_dialect(format: impl Into<AnyFormat>, dialect: Option<Dialect>) -> Coverage {
        let format = format.into();
        Coverage { format, counts: expected::kinds(format, dialect) }
    }

    /// Returns `true` if the field is declared or was observed.
    pub fn has_field(&self, field: &str) -> bool {
        self.counts.contains_key(field)
    }

    /// Returns `true` if the field has this kind of value, in a file or by its declaration.
    pub fn has(&self, field: &str, kind: &str) -> bool {
        self.counts.get(field).is_some_and(|kinds| kinds.contains_key(kind))
    }

    /// Counts the values of a file. Of a file that does not follow its declaration, the values before the fault count.
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

    /// Returns the kinds of values that no file has, each with its field.
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
            // Up to the first fault.
            let _ = walk(layout, bytes, &Limits::default(), &mut observer);
        }
        None => observer.lines(format, &String::from_utf8_lossy(bytes)),
    }
    observer.counts
}
