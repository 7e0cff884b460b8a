//! The data of a loss.

use std::fmt;

use super::category::Category;
use super::quantity::Quantity;

/// Something that the target of a conversion cannot hold, or holds otherwise.
///
/// It is shown as a [`LossGroup`](crate::LossGroup) of one.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Loss {
    /// What happened to it.
    pub kind: LossKind,
    /// The part of the model that it concerns; derived from the path, unless set.
    pub category: Category,
    /// The field of the source. Meshes are numbered as those that are left by the losses before this one.
    pub path: String,
    /// What changed, and to what or why: the same words wherever the same happens, without values.
    pub message: String,
    /// The value that it happened to, such as a name.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub detail: Option<String>,
    /// The number of items affected, where they are counted.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub affected: Option<Affected>,
    /// The largest distance of a value from what it was, where values were rounded, in the unit of the quantity.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub error: Option<f32>,
    /// The quantity that the error is of.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub quantity: Option<Quantity>,
    /// The size of the mesh that the error is in, in the same unit: its longest side.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub size: Option<f32>,
}

/// What happened to something that the target cannot hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum LossKind {
    /// It is not in the target.
    Dropped,
    /// The target has values near those of the source.
    Quantised,
    /// It is several things in the target.
    Split,
    /// Several things are one in the target.
    Merged,
    /// It has another name in the target.
    Renamed,
    /// The target has something else in its place.
    Changed,
}

impl fmt::Display for LossKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LossKind::Dropped => "dropped",
            LossKind::Quantised => "quantised",
            LossKind::Split => "split",
            LossKind::Merged => "merged",
            LossKind::Renamed => "renamed",
            LossKind::Changed => "changed",
        })
    }
}

/// The number of items that a loss affects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Affected {
    /// The number of items affected.
    pub count: u64,
    /// The number of items that there are, where not all of them are affected.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub of: Option<u64>,
    /// What they are, in the plural: `vertices`.
    pub items: &'static str,
}

#[cfg_attr(
    not(all(feature = "mesh", feature = "bmd", feature = "scene")),
    allow(dead_code, reason = "each format tells some of this")
)]
impl Loss {
    /// Something that happened to a field of the source: its path, and what is lost and why. Crates with formats of their own
    /// can make them, too.
    pub fn new(kind: LossKind, path: impl Into<String>, message: impl Into<String>) -> Loss {
        let (path, message) = (path.into(), message.into());
        let category = Category::of_path(&path);
        Loss {
            kind,
            category,
            path,
            message,
            detail: None,
            affected: None,
            error: None,
            quantity: None,
            size: None,
        }
    }

    /// Something that is not in the target.
    pub(crate) fn dropped(path: impl Into<String>, message: impl Into<String>) -> Loss {
        Loss::new(LossKind::Dropped, path, message)
    }

    /// Something that is something else in the target.
    #[cfg(feature = "scene")]
    pub(crate) fn changed(path: impl Into<String>, message: impl Into<String>) -> Loss {
        Loss::new(LossKind::Changed, path, message)
    }

    /// Something that has another name in the target.
    #[cfg(feature = "scene")]
    pub(crate) fn renamed(path: impl Into<String>, message: impl Into<String>) -> Loss {
        Loss::new(LossKind::Renamed, path, message)
    }

    /// Values of a quantity that are at most this far from what they were, in its unit.
    #[cfg(feature = "scene")]
    pub(crate) fn quantised(
        path: impl Into<String>,
        message: impl Into<String>,
        quantity: Quantity,
        error: f32,
    ) -> Loss {
        Loss { error: Some(error), quantity: Some(quantity), ..Loss::new(LossKind::Quantised, path, message) }
    }

    /// Sets the category, where the path does not tell it.
    #[cfg(feature = "scene")]
    pub(crate) fn in_category(self, category: Category) -> Loss {
        Loss { category, ..self }
    }

    /// The same loss in a part of a larger whole: `faces` within `meshes[3]` is `meshes[3].faces`.
    pub fn within(self, whole: &str) -> Loss {
        Loss { path: format!("{whole}.{}", self.path), ..self }
    }

    /// Names the value that it happened to.
    pub(crate) fn detail(self, detail: impl fmt::Display) -> Loss {
        Loss { detail: Some(detail.to_string()), ..self }
    }

    /// Names the items that it happened to: the first ones, and how many more there are.
    #[cfg(any(feature = "gltf", feature = "obj"))]
    pub(crate) fn naming(self, names: impl IntoIterator<Item = String>) -> Loss {
        const SHOWN: usize = 20;
        let mut names = names.into_iter();
        let shown: Vec<String> = names.by_ref().take(SHOWN).collect();
        match names.count() {
            0 => self.detail(shown.join(", ")),
            more => self.detail(format_args!("{} and {more} more", shown.join(", "))),
        }
    }

    /// Counts the items affected.
    pub(crate) fn counting(self, count: usize, items: &'static str) -> Loss {
        Loss { affected: Some(Affected { count: count as u64, of: None, items }), ..self }
    }

    /// Counts the items affected among all there are.
    #[cfg(feature = "scene")]
    pub(crate) fn affecting(self, count: usize, of: usize, items: &'static str) -> Loss {
        Loss { affected: Some(Affected { count: count as u64, of: Some(of as u64), items }), ..self }
    }

    /// Sets the size of the mesh that the error is in.
    #[cfg(feature = "scene")]
    #[doc(hidden)]
    pub fn of_size(self, size: f32) -> Loss {
        Loss { size: Some(size).filter(|size| *size > 0.0 && size.is_finite()), ..self }
    }
}
