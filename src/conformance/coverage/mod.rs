//! Counts the kinds of values in the fields of files.

mod expected;
mod kinds;
mod notation;
mod observed;

pub(super) use kinds::MANY;
pub(super) use observed::{field_names, fields_of};

use std::collections::BTreeMap;

use crate::layout::walk::walk;
use crate::{AnyFormat, Dialect, Limits};

/// The number of occurrences of each kind of value, by field.
type KindCounts = BTreeMap<String, BTreeMap<&'static str, usize>>;

/// The number of occurrences of each kind of value in files, by field of a format.
///
/// Kinds of values are flags, enum values, alternatives, presence of optional fields, list lengths, encodings of
/// strings and boundaries of numbers. In text formats, they include notations such as comments and exponents.
/// Boundaries are expected only in fields that have no checks or constraints, and that no expression refers to. This
/// excludes counts, offsets and indices, since other fields determine their values.
///
/// ```
/// # #[cfg(feature = "mesh")] {
/// use meshspec::conformance::Coverage;
/// use meshspec::Dialect;
///
/// let mut coverage = Coverage::of(meshspec::mesh::FORMAT);
/// coverage.add(&std::fs::read("samples/mesh/flag.mesh")?, Dialect::SPEC);
/// let missing: Vec<_> = coverage.missing().collect();
/// assert!(missing.contains(&("header.format.position", "false")));
/// assert!(!missing.contains(&("vertices.position", "0")));
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Coverage {
    format: AnyFormat,
    counts: KindCounts,
}

impl Coverage {
    /// Creates an empty coverage, in which every kind of every field has a count of 0.
    pub fn of(format: AnyFormat) -> Coverage {
        Coverage::in_dialect(format, None)
    }

    /// Creates an empty coverage for one dialect; for all dialects if `None`. Omits fields and kinds that only other
    /// dialects have.
    ///
    /// ```
    /// # #[cfg(feature = "mesh")] {
    /// use meshspec::conformance::Coverage;
    /// use meshspec::Dialect;
    ///
    /// let [all, spec] = [None, Some(Dialect::SPEC)].map(|dialect| Coverage::in_dialect(meshspec::mesh::FORMAT, dialect));
    /// // Only the renderlib dialect has a root transform.
    /// assert!(all.has_field("header.root_transform") && !spec.has_field("header.root_transform"));
    /// # }
    /// ```
    pub fn in_dialect(format: AnyFormat, dialect: Option<Dialect>) -> Coverage {
        Coverage {
            format,
            counts: expected::expected_kinds(format, dialect),
        }
    }

    /// Returns `true` if the field is declared or occurs in a file.
    pub fn has_field(&self, field: &str) -> bool {
        self.counts.contains_key(field)
    }

    /// Returns `true` if the declaration of the field allows this kind of value, or a file contains it.
    pub fn has(&self, field: &str, kind: &str) -> bool {
        self.counts
            .get(field)
            .is_some_and(|kinds| kinds.contains_key(kind))
    }

    /// Counts the values in a file. In a malformed binary file, counts only the values before the first error.
    pub fn add(&mut self, bytes: &[u8], dialect: Dialect) {
        for (field, kinds) in observe(self.format, bytes, dialect) {
            let counts = self.counts.entry(field).or_default();
            kinds
                .into_iter()
                .for_each(|(kind, count)| *counts.entry(kind).or_default() += count);
        }
    }

    /// Returns each field with the counts of its kinds of values.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &BTreeMap<&'static str, usize>)> {
        self.counts
            .iter()
            .map(|(field, kinds)| (field.as_str(), kinds))
    }

    /// Returns the kinds of values that occur in no file, each with its field.
    pub fn missing(&self) -> impl Iterator<Item = (&str, &'static str)> {
        self.fields().flat_map(|(field, kinds)| {
            kinds
                .iter()
                .filter(|(_, count)| **count == 0)
                .map(move |(kind, _)| (field, *kind))
        })
    }
}

/// Returns the counts of the kinds of values in a file.
pub(super) fn observe(format: AnyFormat, bytes: &[u8], dialect: Dialect) -> KindCounts {
    let mut observer = observed::Observer::default();
    match format.layout_of(bytes, dialect) {
        Some(layout) => {
            // Ignores errors, since the values before an error are counted.
            let _ = walk(layout, bytes, &Limits::default(), &mut observer);
        }
        None => observer.observe_text(format, &String::from_utf8_lossy(bytes)),
    }
    observer.counts
}
