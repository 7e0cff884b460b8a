//! Files that almost break a constraint: the last values that are right.

use std::fmt;

use super::attempt::Alteration;
use super::judge::Judge;
use super::places::{Constrained, Leaf, Places};
use super::{Limits, dependencies};
use crate::layout::{Constraint, Requirement, Type};
use crate::{Path, Result};

/// A valid file in which a value is the last that a constraint allows.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct AlmostBroken {
    /// The file.
    pub bytes: Vec<u8>,
    /// The constraint.
    pub constraint: &'static Constraint,
    /// The value that was changed.
    pub changed: Path,
    /// What it was set to, in the form that edits take.
    pub value: String,
}

/// `indices[2] = 6: allowed by MESH-INDEX-RANGE`.
impl fmt::Display for AlmostBroken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}: allowed by {}", self.changed, self.value, self.constraint.rule.code)
    }
}

/// Every way to almost break a constraint of a valid file, one after the other: the largest index, the last item of a
/// range, each number that is allowed. The files are as valid as this one, which a loader with a limit that is one too
/// small refuses.
///
/// ```
/// use meshspec::layout::generate;
/// use meshspec::mesh::{self, Document, Vertices};
/// use meshspec::{Dialect, FormatId, Format as _, Limits};
///
/// let columns = mesh::Columns { positions: vec![[0.0; 3]; 4], ..Default::default() };
/// let vertices = Vertices::from_columns(&columns)?;
/// let document = Document { vertices, indices: vec![0, 1, 2], ..Default::default() };
/// let file = document.write(&Default::default())?;
/// let layout = FormatId::Mesh.layout_of(&file, Dialect::Spec).unwrap();
///
/// let almost: Vec<_> = generate::almost_broken(layout, &file, &Limits::default())?.collect();
/// assert!(almost.iter().any(|almost| almost.to_string() == "indices[2] = 3: allowed by MESH-INDEX-RANGE"));
/// # Ok::<(), meshspec::Error>(())
/// ```
///
/// # Errors
///
/// If the file is not valid: its first fault, or its first finding that is an error.
pub fn almost_broken<'f>(
    ty: &'static Type,
    file: &'f [u8],
    limits: &Limits,
) -> Result<impl Iterator<Item = AlmostBroken> + use<'f>> {
    almost_broken_of(ty, file, limits, None)
}

/// Returns the files of [`almost_broken`] for this constraint.
///
/// # Errors
///
/// See [`almost_broken`].
#[cfg(feature = "proptest")]
pub(crate) fn almost_broken_alike<'f>(
    ty: &'static Type,
    file: &'f [u8],
    limits: &Limits,
    alike: &'static Constraint,
) -> Result<impl Iterator<Item = AlmostBroken> + use<'f>> {
    almost_broken_of(ty, file, limits, Some(alike))
}

/// Returns the files of [`almost_broken`], for one constraint or all.
fn almost_broken_of<'f>(
    ty: &'static Type,
    file: &'f [u8],
    limits: &Limits,
    chosen: Option<&'static Constraint>,
) -> Result<impl Iterator<Item = AlmostBroken> + use<'f>> {
    let judge = Judge::new(ty, file, &[], limits)?;
    let dependencies = dependencies::dependencies(ty);
    let places = Places::of(ty, file, &dependencies, limits)
        .map_err(|fault| crate::Error::inexpressible(fault.message).at(fault.path))?;
    let mut attempts: Vec<_> = places.constrained.iter().flat_map(attempts_on).collect();
    attempts.retain(|(constraint, _)| chosen.is_none_or(|chosen| chosen == *constraint));
    Ok(attempts.into_iter().filter_map(move |(constraint, change)| {
        let bytes = change.apply(judge.ty, judge.file, &judge.limits)?;
        let (changed, value) = (change.path(), change.value()?);
        let is_right = bytes != judge.file && judge.is_as_valid(&bytes);
        is_right.then_some(AlmostBroken { bytes, constraint, changed, value })
    }))
}

fn attempts_on(place: &Constrained) -> Vec<(&'static Constraint, Alteration)> {
    let mut attempts = Vec::new();
    for (constraint, numbers) in &place.constraints {
        let texts = last_values(&constraint.requirement, numbers);
        let set = |leaf: &Leaf| leaf.set_to(texts.clone()).into_iter().map(|change| (*constraint, change));
        attempts.extend(place.leaves.iter().flat_map(set));
    }
    attempts
}

/// Returns the last values that are right; `numbers` are those of the expressions, behind the size of a list.
fn last_values(requirement: &Requirement, numbers: &[i128]) -> Vec<String> {
    let text = |number: Option<i128>| number.map(|number| number.to_string()).into_iter().collect();
    match (requirement, numbers) {
        (Requirement::Below(_), [limit, ..]) => text(limit.checked_sub(1)),
        (Requirement::AtLeast(_), [limit, ..]) => text(Some(*limit)),
        (Requirement::OneOf(_), numbers) => numbers.iter().map(i128::to_string).collect(),
        (Requirement::IndexInto { .. }, [len, none @ ..]) => {
            let last = len.checked_sub(1).filter(|last| *last >= 0);
            last.iter().chain(none.first()).map(i128::to_string).collect()
        }
        (Requirement::Within { .. }, [len, first, ..]) => text(len.checked_sub(*first)),
        (Requirement::Finite, _) => vec![format!("{:e}", f32::MAX), format!("{:e}", f32::MIN)],
        _ => Vec::new(),
    }
}
