//! Files that break one thing: what a test of a loader needs beside valid files.
//!
//! [`breakages()`] goes through a valid file and gives every way to break exactly one thing that its declaration says: a
//! check, a constraint, a count, magic bytes, the end of a field. Nothing of that is guessed: each changed file is held
//! against the declaration before it is given. What the [walker](crate::layout::walk) says first of it, or
//! [`check_bytes`](crate::layout::check_bytes), is where and how it is broken, and no other rule that is an error is. What is still
//! valid is not given, as a count of which another value is only another reading of the same bytes.
//!
//! Of each list, the first and the last item are broken, and the file is cut off at their fields only. What no declaration
//! says is not broken either: that parts overlap, what rules say that are written by hand, and what a packing demands by
//! functions of its own, except that its bytes are damaged.

mod almost;
mod attempt;
mod constraints;
mod dependencies;
mod judge;
mod numbers;
mod places;
mod structure;
mod substitutions;
pub(crate) mod text;

#[cfg(feature = "proptest")]
pub(crate) use almost::almost_broken_of;
pub use almost::{AlmostBroken, almost_broken};
pub use substitutions::{Substituted, substitutions};

use std::fmt;

use crate::layout::declaration::{Check, Constraint, Type};
use crate::{Limits, Path, Result, Rule, Severity};
use attempt::Attempt;
use judge::Judge;
use places::Places;

/// A file that breaks one thing.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Broken {
    /// The file.
    pub bytes: Vec<u8>,
    /// What is broken.
    pub breakage: Breakage,
    /// What was changed of the valid file; empty for the file as a whole.
    pub changed: Path,
    /// What it was set to, if it is a single value; in the form that edits take.
    pub value: Option<String>,
    /// Where a reader notices it: the path of the fault or the finding. A list whose count is wrong may end elsewhere.
    pub path: Path,
    /// The rule that the declaration names for it. Without one, it is the one that the format has for faults of this kind.
    pub rule: Option<&'static Rule>,
    /// How bad it is: that of the rule, [`Severity::Error`] at least where the bytes do not follow the declaration.
    pub severity: Severity,
}

/// What is broken of a file.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Breakage {
    /// A check of the declaration does not hold.
    Check(&'static Check),
    /// A value violates a constraint.
    Constraint(&'static Constraint),
    /// A count, or the size of a list in bytes, is not the number of items that are there.
    Count(Miscount),
    /// An offset lies outside the file.
    Offset,
    /// A number stands for no value of an enum, or for no alternative of a choice.
    Value,
    /// Other magic bytes.
    Magic,
    /// The file ends at this offset.
    Truncation(u64),
    /// Bytes follow the last field. Given where one of the rules has a code that ends in `-TRAILING`.
    Trailing,
    /// The bytes of a packed block are damaged.
    Packing,
    /// A packed block unpacks to another size than stated.
    UnpackedSize,
    /// A line of a text is invalid in this way.
    Line(&'static str),
    /// A checksum is wrong.
    Checksum,
}

/// How a count is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Miscount {
    /// One item more than there are.
    More,
    /// One item less than there are.
    Less,
    /// As many as there is room for.
    Huge,
    /// Two to this power more than there are. A loader that narrows the count, or whose size in bytes overflows, sees the right
    /// one.
    Wrapped(u32),
}

/// `indices[2] = 7: a value that violates MESH-INDEX-RANGE`.
impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.changed.is_empty() {
            write!(f, "{}", self.changed)?;
            self.value.iter().try_for_each(|value| write!(f, " = {value}"))?;
            f.write_str(": ")?;
        }
        write!(f, "{}", self.breakage)?;
        if self.path == self.changed { Ok(()) } else { write!(f, ", noticed at {}", self.path) }
    }
}

impl fmt::Display for Breakage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Breakage::Check(check) => write!(f, "a value that a check refuses ({})", check.message),
            Breakage::Constraint(constraint) => write!(f, "a value that violates {}", constraint.rule.code),
            Breakage::Count(Miscount::More) => f.write_str("a count of one more than there are"),
            Breakage::Count(Miscount::Less) => f.write_str("a count of one less than there are"),
            Breakage::Count(Miscount::Huge) => f.write_str("a huge count"),
            Breakage::Count(Miscount::Wrapped(bits)) => write!(f, "a count of 2^{bits} too many"),
            Breakage::Offset => f.write_str("an offset outside the file"),
            Breakage::Value => f.write_str("a number that stands for no value"),
            Breakage::Magic => f.write_str("other magic bytes"),
            Breakage::Truncation(at) => write!(f, "the file ends at byte {at:#x}"),
            Breakage::Trailing => f.write_str("bytes behind the last field"),
            Breakage::Line(what) => f.write_str(what),
            Breakage::Packing => f.write_str("damaged packed bytes"),
            Breakage::UnpackedSize => f.write_str("another unpacked size"),
            Breakage::Checksum => f.write_str("a wrong checksum"),
        }
    }
}

/// Every way to break exactly one thing of a valid file, one after the other.
///
/// Constraints are broken only if their rule is among `rules`, those of the format.
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
///         "count = 100: a value that a check refuses (there are too many samples)",
///         "count = 2: a count of one more than there are, noticed at samples",
///         "the file ends at byte 0x0",
///         "the file ends at byte 0x3, noticed at count",
///         "the file ends at byte 0x4, noticed at samples",
///         "other magic bytes",
///     ]
/// );
/// # Ok::<(), meshspec::Error>(())
/// ```
///
/// # Errors
///
/// If the file is not valid: its first fault, or its first finding that is an error.
pub fn breakages<'f>(
    ty: &'static Type,
    file: &'f [u8],
    rules: &'static [&'static Rule],
    limits: &Limits,
) -> Result<impl Iterator<Item = Broken> + use<'f>> {
    breakages_of(ty, file, rules, limits, |_| true)
}

/// As [`breakages`], but only those that `is_meant` selects.
pub(crate) fn breakages_of<'f, F: Fn(&Breakage) -> bool>(
    ty: &'static Type,
    file: &'f [u8],
    rules: &'static [&'static Rule],
    limits: &Limits,
    is_meant: F,
) -> Result<impl Iterator<Item = Broken> + use<'f, F>> {
    let judge = Judge::new(ty, file, rules, limits)?;
    let mut attempts = attempts(&judge)?;
    attempts.retain(|attempt| is_meant(&attempt.breakage));
    Ok(attempts.into_iter().filter_map(move |attempt| judge.first_broken(&attempt)))
}

/// Everything that may be broken of a file.
fn attempts(judge: &Judge) -> Result<Vec<Attempt>> {
    let dependencies = dependencies::dependencies(judge.ty);
    let places = Places::of(judge.ty, judge.file, &dependencies, &judge.limits)
        .map_err(|fault| crate::Error::inexpressible(fault.message).at(fault.path))?;
    let mut attempts = numbers::attempts(&places, judge.file.len() as u64);
    attempts.extend(constraints::attempts(&places));
    attempts.extend(structure::attempts(&places, judge.file));
    Ok(attempts)
}

/// A strategy for files of a declared type that break one thing: those of [`valid`](super::valid), each with one of its
/// [`breakages`] for these rules.
///
/// ```
/// use meshspec::layout::{Layout, generate, walk};
/// use meshspec::mesh::schema::Joint;
/// use proptest::prelude::*;
///
/// // Nothing can be wrong with a joint but its size.
/// proptest!(|(broken in generate::broken::<Joint>(generate::Config::default(), &[]))| {
///     prop_assert!(walk::first_fault(&Joint::TYPE, &broken.bytes, &Default::default()).is_some());
/// });
/// ```
#[cfg(feature = "proptest")]
pub fn broken<T: crate::layout::Layout>(
    config: super::Config,
    rules: &'static [&'static Rule],
) -> impl proptest::strategy::Strategy<Value = Broken> {
    use proptest::prelude::*;

    let files = super::files(&T::TYPE, config);
    (files, any::<u64>()).prop_filter_map("nothing that can be broken", move |(file, chosen)| {
        let judge = Judge::new(&T::TYPE, &file, rules, &Limits::default()).ok()?;
        let attempts = attempts(&judge).ok()?;
        // First of one kind, so that a file that shrinks stays broken in the same way.
        let kind = |attempt: &&Attempt| std::mem::discriminant(&attempt.breakage);
        let mut kinds: Vec<_> = Vec::new();
        for kind in attempts.iter().map(|attempt| kind(&attempt)) {
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        let count = kinds.len().max(1) as u64;
        let first = kinds.get((chosen % count) as usize)?;
        let (same, other): (Vec<_>, Vec<_>) = attempts.iter().partition(|attempt| kind(attempt) == *first);
        let (before, after) = same.split_at_checked((chosen / count % same.len().max(1) as u64) as usize)?;
        after.iter().chain(before).chain(&other).find_map(|attempt| judge.first_broken(attempt))
    })
}
