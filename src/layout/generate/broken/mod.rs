//! Generates files with exactly one defect, for tests of a loader.
//!
//! [`breakages()`] yields copies of a valid file, each with exactly one violation of the declaration. Violations are,
//! for example, failed checks, wrong counts and truncated fields. Each copy is verified against the declaration. The
//! first fault of the [walker](crate::layout::walk), or the finding from [`check_bytes`](crate::layout::check_bytes),
//! determines the location and rule; no other rule with severity error is violated. Copies that are still valid are
//! skipped, such as those whose count only regroups the same bytes.
//!
//! Only the first and the last item of each list are broken or truncated. No breakage targets requirements outside the
//! declaration, such as rules against overlaps and rules enforced in code. The only breakages of packed blocks
//! are damaged bytes and wrong sizes.

mod almost;
mod attempt;
mod constraints;
mod dependencies;
mod numbers;
mod structure;
mod substitutions;
mod targets;
pub(crate) mod text;
mod verifier;

#[cfg(feature = "proptest")]
pub(crate) use almost::almost_broken_of;
pub use almost::{AlmostBrokenFile, almost_broken};
pub use substitutions::{SubstitutedFile, substitutions};

use std::fmt;

use crate::layout::declaration::{Check, Constraint, Type};
use crate::{Limits, Path, Result, Rule, Severity};
use attempt::Attempt;
use targets::Targets;
use verifier::Verifier;

/// A file with exactly one defect.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct BrokenFile {
    /// The file.
    pub bytes: Vec<u8>,
    /// The defect.
    pub breakage: Breakage,
    /// The path of the changed value; empty for the whole file.
    pub changed: Path,
    /// The new value, in the syntax of edits; `None` unless exactly one value is set.
    pub value: Option<String>,
    /// The path of the fault or finding. After a wrong count, it may differ from `changed`.
    pub path: Path,
    /// The rule that the declaration assigns. If it is `None`, the format's rule for faults of this kind applies.
    pub rule: Option<&'static Rule>,
    /// The severity of the rule, but at least [`Severity::Error`] for a structural fault.
    pub severity: Severity,
}

/// A kind of defect.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Breakage {
    /// A check of the declaration fails.
    Check(&'static Check),
    /// A value violates a constraint.
    Constraint(&'static Constraint),
    /// A count, or the size of a list or block in bytes, differs from the actual one.
    Count(Miscount),
    /// An offset points past the end of the file, or to an unterminated string.
    Offset,
    /// A number is not a value of its enum, or no variant of a choice applies.
    Value,
    /// The magic bytes are wrong.
    Magic,
    /// The file is truncated at this offset.
    Truncation(u64),
    /// Bytes follow the last field. Only generated if a rule has a code that ends in `-TRAILING`.
    Trailing,
    /// The bytes of a packed block are damaged.
    Packing,
    /// A packed block does not unpack to the stored size.
    UnpackedSize,
    /// A line of a text file has the defect that the string describes.
    Line(&'static str),
    /// A checksum is wrong.
    Checksum,
}

/// The difference between a wrong count and the actual one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Miscount {
    /// One item too many.
    More,
    /// One item too few.
    Less,
    /// The largest number that fits in the field and differs from the actual one by whole items.
    Huge,
    /// The actual number of items plus 2 to this power. A loader that truncates the count to fewer bits, or overflows
    /// when it computes the size in bytes, gets the actual count or size.
    Wrapped(u32),
}

/// Prints `indices[2] = 7: a value that violates MESH-INDEX-RANGE`.
impl fmt::Display for BrokenFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.changed.is_empty() {
            write!(f, "{}", self.changed)?;
            self.value
                .iter()
                .try_for_each(|value| write!(f, " = {value}"))?;
            f.write_str(": ")?;
        }
        write!(f, "{}", self.breakage)?;
        if self.path == self.changed {
            Ok(())
        } else {
            write!(f, ", detected at {}", self.path)
        }
    }
}

impl fmt::Display for Breakage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Breakage::Check(check) => write!(f, "a value that fails a check ({})", check.message),
            Breakage::Constraint(constraint) => {
                write!(f, "a value that violates {}", constraint.rule.code)
            }
            Breakage::Count(Miscount::More) => f.write_str("a count that is one too large"),
            Breakage::Count(Miscount::Less) => f.write_str("a count that is one too small"),
            Breakage::Count(Miscount::Huge) => f.write_str("a huge count"),
            Breakage::Count(Miscount::Wrapped(bits)) => {
                write!(f, "a count that is 2^{bits} too large")
            }
            Breakage::Offset => f.write_str("an offset outside the file"),
            Breakage::Value => f.write_str("an unknown value"),
            Breakage::Magic => f.write_str("wrong magic bytes"),
            Breakage::Truncation(at) => write!(f, "the file ends at byte {at:#x}"),
            Breakage::Trailing => f.write_str("bytes after the last field"),
            Breakage::Line(what) => f.write_str(what),
            Breakage::Packing => f.write_str("damaged packed bytes"),
            Breakage::UnpackedSize => f.write_str("a wrong unpacked size"),
            Breakage::Checksum => f.write_str("a wrong checksum"),
        }
    }
}

/// Yields copies of a valid file, each with exactly one defect.
///
/// Constraints are broken only if their rule is among `rules`, the rules of the format.
///
/// ```
/// use binrw::binrw;
/// use meshspec::Limits;
/// use meshspec::layout::{Layout, generate};
///
/// /// A list of heights.
/// #[derive(Layout)]
/// #[binrw]
/// #[brw(little, magic = b"HGT")]
/// struct Heights {
///     /// Number of samples.
///     #[br(assert(count < 100, "there are too many samples"))]
///     count: u8,
///     #[br(count = count)]
///     samples: Vec<u8>,
/// }
///
/// let broken = generate::breakages(&Heights::TYPE, b"HGT\x01\x07", &[], &Limits::default())?;
/// let broken: Vec<String> = broken.map(|broken| broken.to_string()).collect();
/// assert_eq!(
///     broken,
///     [
///         "count = 100: a value that fails a check (there are too many samples)",
///         "count = 2: a count that is one too large, detected at samples",
///         "the file ends at byte 0x0",
///         "the file ends at byte 0x3, detected at count",
///         "the file ends at byte 0x4, detected at samples",
///         "wrong magic bytes",
///     ]
/// );
/// # Ok::<(), meshspec::Error>(())
/// ```
///
/// # Errors
///
/// Returns the first fault of an invalid file, or its first finding that is an error.
pub fn breakages<'f>(
    ty: &'static Type,
    file: &'f [u8],
    rules: &'static [&'static Rule],
    limits: &Limits,
) -> Result<impl Iterator<Item = BrokenFile> + use<'f>> {
    breakages_of(ty, file, rules, limits, 1, |_| true)
}

/// Like [`breakages`], but only for breakages that `is_selected` accepts, with up to `max` copies for each.
pub(crate) fn breakages_of<'f, F: Fn(&Breakage) -> bool>(
    ty: &'static Type,
    file: &'f [u8],
    rules: &'static [&'static Rule],
    limits: &Limits,
    max: usize,
    is_selected: F,
) -> Result<impl Iterator<Item = BrokenFile> + use<'f, F>> {
    let verifier = Verifier::new(ty, file, rules, limits)?;
    let attempts = attempts(&verifier, is_selected)?;
    let broken = move |attempt: Attempt| {
        verifier
            .broken_files(&attempt)
            .take(max)
            .collect::<Vec<_>>()
    };
    Ok(attempts.into_iter().flat_map(broken))
}

/// Returns the attempts at all selected breakages of a file.
fn attempts(verifier: &Verifier, is_selected: impl Fn(&Breakage) -> bool) -> Result<Vec<Attempt>> {
    let dependencies = dependencies::dependencies(verifier.ty);
    let targets = Targets::of(verifier.ty, verifier.file, &dependencies, &verifier.limits)
        .map_err(|fault| crate::Error::inexpressible(fault.message).at(fault.path))?;
    let mut attempts = numbers::attempts(&targets, verifier.file.len() as u64);
    attempts.extend(constraints::attempts(&targets));
    attempts.extend(structure::attempts(&targets, verifier.file));
    attempts.retain(|attempt| is_selected(&attempt.breakage));
    Ok(attempts)
}

/// A strategy for files of a declared type with exactly one defect. Each file is one that [`breakages`] yields for a
/// [`valid`](super::valid) file and `rules`.
///
/// ```
/// # #[cfg(feature = "mesh")] {
/// use meshspec::layout::{Layout, generate, walk};
/// use meshspec::mesh::schema::Joint;
/// use proptest::prelude::*;
///
/// // A joint has only one possible defect: its size.
/// proptest!(|(broken in generate::broken::<Joint>(generate::Config::default(), &[]))| {
///     prop_assert!(walk::first_fault(&Joint::TYPE, &broken.bytes, &Default::default()).is_some());
/// });
/// # }
/// ```
#[cfg(feature = "proptest")]
pub fn broken<T: crate::layout::Layout>(
    config: super::Config,
    rules: &'static [&'static Rule],
) -> impl proptest::strategy::Strategy<Value = BrokenFile> {
    use proptest::prelude::*;

    let files = super::files(&T::TYPE, config);
    (files, any::<u64>()).prop_filter_map("no breakage", move |(file, chosen)| {
        let verifier = Verifier::new(&T::TYPE, &file, rules, &Limits::default()).ok()?;
        let attempts = attempts(&verifier, |_| true).ok()?;
        // Tries one kind of breakage first, so that shrinking tends to keep the kind.
        let kind = |attempt: &&Attempt| std::mem::discriminant(&attempt.breakage);
        let mut seen = std::collections::HashSet::new();
        let mut kinds: Vec<_> = attempts.iter().map(|attempt| kind(&attempt)).collect();
        kinds.retain(|kind| seen.insert(*kind));
        let count = kinds.len().max(1) as u64;
        let first = kinds.get((chosen % count) as usize)?;
        let (same, other): (Vec<_>, Vec<_>) =
            attempts.iter().partition(|attempt| kind(attempt) == *first);
        let (before, after) =
            same.split_at_checked((chosen / count % same.len().max(1) as u64) as usize)?;
        after
            .iter()
            .chain(before)
            .chain(&other)
            .find_map(|attempt| verifier.first_broken(attempt))
    })
}
