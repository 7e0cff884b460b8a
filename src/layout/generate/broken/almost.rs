//! Generates files at the limit of a rule: one value is the last that the rule allows.

use std::collections::BTreeSet;
use std::fmt;

use super::attempt::Attempt;
use super::verifier::Verifier;
use super::{Breakage, BrokenFile};
use crate::layout::declaration::Type;
use crate::{Limits, Path, Result, Rule};

/// A valid file with a value at the limit of a check or constraint.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct AlmostBrokenFile {
    /// The file.
    pub bytes: Vec<u8>,
    /// The check or constraint.
    pub breakage: Breakage,
    /// The path of the changed value.
    pub changed: Path,
    /// The new value, in the syntax of edits.
    pub value: String,
    /// The rule of the check or constraint, as in [`BrokenFile::rule`].
    pub rule: Option<&'static Rule>,
}

/// Formats the change, for example `indices[2] = 6: the last value that MESH-INDEX-RANGE allows`.
impl fmt::Display for AlmostBrokenFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}: the last value that ", self.changed, self.value)?;
        match (self.rule, self.breakage) {
            (Some(rule), _) => write!(f, "{} allows", rule.code),
            (None, Breakage::Check(check)) => write!(f, "a check allows ({})", check.message),
            (None, breakage) => write!(f, "does not cause {breakage}"),
        }
    }
}

/// Returns copies of a valid file, each with one value at the limit of a check or constraint.
///
/// With the next value, the copy would be one of the [`breakages`](super::breakages()). Examples are the largest index,
/// the last item of a range, a sum at the end of its tolerance, and the largest finite float. A loader with an
/// off-by-one limit rejects such a file. The copies violate no rule that the file satisfies. A limit that the file
/// already reaches yields no copy.
///
/// ```
/// # #[cfg(feature = "mesh")] {
/// use meshspec::layout::generate;
/// use meshspec::mesh::{self, Document, Vertices};
/// use meshspec::{Dialect, Format as _, Limits};
///
/// let columns = mesh::Columns { positions: vec![[0.0; 3]; 4], ..Default::default() };
/// let vertices = Vertices::from_columns(&columns)?;
/// let document = Document { vertices, indices: vec![0, 1, 2], ..Default::default() };
/// let file = document.write(&Default::default())?;
/// let layout = meshspec::mesh::FORMAT.layout_of(&file, Dialect::SPEC).unwrap();
///
/// let almost = generate::almost_broken(layout, &file, Document::ABOUT.rules, &Limits::default())?;
/// let almost: Vec<_> = almost.map(|almost| almost.to_string()).collect();
/// assert!(almost.iter().any(|almost| almost == "indices[2] = 3: the last value that MESH-INDEX-RANGE allows"));
/// # }
/// # Ok::<(), meshspec::Error>(())
/// ```
///
/// # Errors
///
/// Returns the first fault of an invalid file, or its first finding that is an error.
pub fn almost_broken<'f>(
    ty: &'static Type,
    file: &'f [u8],
    rules: &'static [&'static Rule],
    limits: &Limits,
) -> Result<impl Iterator<Item = AlmostBrokenFile> + use<'f>> {
    almost_broken_of(ty, file, rules, limits, |_| true)
}

/// Like [`almost_broken`], but restricted to the breakages for which `is_selected` returns `true`.
pub(crate) fn almost_broken_of<'f, F: Fn(&Breakage) -> bool>(
    ty: &'static Type,
    file: &'f [u8],
    rules: &'static [&'static Rule],
    limits: &Limits,
    is_selected: F,
) -> Result<impl Iterator<Item = AlmostBrokenFile> + use<'f, F>> {
    let verifier = Verifier::new(ty, file, rules, limits)?;
    let attempts = super::attempts(&verifier, is_selected)?;
    let mut seen = BTreeSet::new();
    Ok(attempts.into_iter().flat_map(move |attempt| {
        let broken = verifier.first_broken(&attempt);
        let almost = broken
            .into_iter()
            .flat_map(|broken| valid_neighbors(&verifier, &attempt, &broken));
        almost
            .filter(|almost| seen.insert(almost.bytes.clone()))
            .collect::<Vec<_>>()
    }))
}

/// Returns valid files in which the changed value is one of `attempt.allowed_values`, or adjacent to its value in
/// `broken`.
fn valid_neighbors(
    verifier: &Verifier,
    attempt: &Attempt,
    broken: &BrokenFile,
) -> Vec<AlmostBrokenFile> {
    let (Breakage::Constraint(_) | Breakage::Check(_), Some(value)) =
        (broken.breakage, &broken.value)
    else {
        return Vec::new();
    };
    let next = value
        .parse::<i128>()
        .into_iter()
        .flat_map(|number| [number - 1, number + 1]);
    let texts = next
        .map(|number| number.to_string())
        .chain(attempt.allowed_values.iter().cloned());
    let change = attempt
        .changes
        .iter()
        .find(|change| change.value() == Some(value));
    let change = change.filter(|change| change.patch.is_none());
    let almost = texts.filter_map(|text| {
        let bytes = verifier.apply(&change?.with_text(&text))?;
        let (breakage, rule, changed, value) =
            (broken.breakage, broken.rule, broken.changed.clone(), text);
        let is_valid = verifier.is_as_valid(&bytes);
        is_valid.then_some(AlmostBrokenFile {
            bytes,
            breakage,
            changed,
            value,
            rule,
        })
    });
    almost.collect()
}
