//! Losses and their kinds.

use meshspec_derive::ToJson;
use std::fmt;

use super::category::Category;
use super::quantity::Quantity;
use crate::Path;

/// Content that the target of a conversion drops or changes.
///
/// Displayed like a [`LossGroup`](crate::LossGroup) of one loss.
///
/// ```
/// use meshspec::{Loss, LossKind, path};
///
/// let loss = Loss::new(LossKind::Dropped, path!(meshes[0].name), "the format has no names");
/// assert_eq!(loss.to_string(), "dropped: meshes[0].name: the format has no names");
/// ```
#[derive(Debug, Clone, PartialEq, ToJson)]
#[non_exhaustive]
pub struct Loss {
    /// The kind of change.
    pub kind: LossKind,
    /// The affected part of the model. Derived from the path by default.
    pub category: Category,
    /// The path of the field in the source. Mesh indices refer to the meshes that remain after all earlier losses.
    pub path: Path,
    /// The change, and its result or reason. Contains no values of the file, so that equal changes share one message.
    pub message: String,
    /// Details of this occurrence, such as a name, the value before and after, or a location; `None` without details.
    pub detail: Option<String>,
    /// The number of affected items, if counted.
    pub affected: Option<Affected>,
    /// An upper bound of the deviation of a value from the source, in the unit of `quantity`; `None` if not measured.
    /// Positions and translations deviate by a distance, directions and rotations by an angle, and other vectors by
    /// their largest component.
    pub error: Option<f64>,
    /// The quantity that `error` measures.
    pub quantity: Option<Quantity>,
    /// The longest side of the affected mesh, in the unit of `quantity`, if known.
    pub size: Option<f64>,
}

/// The kind of change to content that the target cannot store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, ToJson)]
#[non_exhaustive]
pub enum LossKind {
    /// Missing in the target.
    Dropped,
    /// Rounded to nearby values.
    Quantized,
    /// Split into several items.
    Split,
    /// Several items merged into one.
    Merged,
    /// Renamed in the target.
    Renamed,
    /// Replaced by other content.
    Changed,
}

impl fmt::Display for LossKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LossKind::Dropped => "dropped",
            LossKind::Quantized => "quantized",
            LossKind::Split => "split",
            LossKind::Merged => "merged",
            LossKind::Renamed => "renamed",
            LossKind::Changed => "changed",
        })
    }
}

/// The number of items that a loss affects.
///
/// ```
/// use meshspec::{Affected, Loss, LossKind, Quantity, Unit, path};
///
/// let mut loss = Loss::new(LossKind::Quantized, path!(heights), "stored in 16 bits");
/// (loss.error, loss.quantity) = (Some(0.0125), Some(Quantity::new("heights", Unit::Metres)));
/// loss.affected = Some(Affected { count: 3, of: Some(120), items: "heights" });
/// assert_eq!(loss.to_string(), "quantized: heights: stored in 16 bits, 3 of 120 heights, off by at most 0.013 m");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, ToJson)]
pub struct Affected {
    /// The number of affected items.
    pub count: u64,
    /// The total number of items, if known.
    pub of: Option<u64>,
    /// The plural noun for the items: `vertices`.
    pub items: &'static str,
}

#[cfg_attr(
    not(all(feature = "mesh", feature = "bmd", feature = "gltf")),
    allow(dead_code, reason = "unused if only some formats are enabled")
)]
impl Loss {
    /// Creates a loss from the path of a field in the source and a message. Derives the category from the path.
    pub fn new(kind: LossKind, path: impl Into<Path>, message: impl Into<String>) -> Loss {
        let (path, message) = (path.into(), message.into());
        let category = Category::from_path(&path.to_string());
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

    pub(crate) fn dropped(path: impl Into<Path>, message: impl Into<String>) -> Loss {
        Loss::new(LossKind::Dropped, path, message)
    }

    pub(crate) fn changed(path: impl Into<Path>, message: impl Into<String>) -> Loss {
        Loss::new(LossKind::Changed, path, message)
    }

    pub(crate) fn renamed(path: impl Into<Path>, message: impl Into<String>) -> Loss {
        Loss::new(LossKind::Renamed, path, message)
    }

    /// Creates a loss of kind [`LossKind::Quantized`]. Values deviate by at most `error`, in the unit of `quantity`.
    pub(crate) fn quantized(
        path: impl Into<Path>,
        message: impl Into<String>,
        quantity: Quantity,
        error: impl Into<f64>,
    ) -> Loss {
        Loss {
            error: Some(error.into()),
            quantity: Some(quantity),
            ..Loss::new(LossKind::Quantized, path, message)
        }
    }

    /// Sets the category, for paths that do not imply a category.
    pub(crate) fn in_category(self, category: Category) -> Loss {
        Loss { category, ..self }
    }

    /// Prefixes the path with `parent`: `faces` within `meshes[3]` becomes `meshes[3].faces`.
    pub fn within(self, parent: impl Into<Path>) -> Loss {
        Loss {
            path: parent.into().join(self.path),
            ..self
        }
    }

    /// Sets the details.
    pub(crate) fn with_detail(self, detail: impl fmt::Display) -> Loss {
        Loss {
            detail: Some(detail.to_string()),
            ..self
        }
    }

    /// Sets the details to the text in the source and its replacement.
    pub(crate) fn with_change(self, before: impl fmt::Display, after: &str) -> Loss {
        self.with_detail(format_args!("\"{before}\" becomes \"{after}\""))
    }

    /// Sets the details to the first 20 names and the number of further names. `None` without names.
    pub(crate) fn listing(self, names: impl IntoIterator<Item = String>) -> Option<Loss> {
        const MAX_NAMES: usize = 20;
        let mut names = names.into_iter();
        let listed: Vec<String> = names.by_ref().take(MAX_NAMES).collect();
        match names.count() {
            0 if listed.is_empty() => None,
            0 => Some(self.with_detail(listed.join(", "))),
            more => Some(self.with_detail(format_args!("{} and {more} more", listed.join(", ")))),
        }
    }

    /// Returns the loss; `None` if the number of affected items is 0, or the error is not positive.
    pub(crate) fn if_any(self) -> Option<Loss> {
        let has_items = self.affected.is_none_or(|affected| affected.count > 0);
        (has_items && self.error.is_none_or(|error| error > 0.0)).then_some(self)
    }

    /// Sets the number of affected items.
    pub(crate) fn with_count(self, count: usize, items: &'static str) -> Loss {
        Loss {
            affected: Some(Affected {
                count: count as u64,
                of: None,
                items,
            }),
            ..self
        }
    }

    /// Sets the number of affected items and the total.
    pub(crate) fn with_count_of(self, count: usize, total: usize, items: &'static str) -> Loss {
        Loss {
            affected: Some(Affected {
                count: count as u64,
                of: Some(total as u64),
                items,
            }),
            ..self
        }
    }

    /// Sets the longest side of the affected mesh; `None` unless positive and finite.
    #[doc(hidden)]
    pub fn with_mesh_size(self, size: impl Into<f64>) -> Loss {
        Loss {
            size: Some(size.into()).filter(|size| *size > 0.0 && size.is_finite()),
            ..self
        }
    }
}
