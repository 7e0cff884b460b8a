//! What a conversion could not keep.

use std::fmt;

/// Something that the target of a conversion cannot hold, or holds otherwise.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Loss {
    /// What happened to it.
    pub kind: LossKind,
    /// The field of the source. Meshes are numbered as those that are left by the losses before this one.
    pub path: String,
    /// What is lost and why.
    pub message: String,
    /// The largest distance of a value from what it was, where values were rounded.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub error: Option<f32>,
}

/// What happened to something that the target cannot hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

impl LossKind {
    fn name(self) -> &'static str {
        match self {
            LossKind::Dropped => "dropped",
            LossKind::Quantised => "quantised",
            LossKind::Split => "split",
            LossKind::Merged => "merged",
            LossKind::Renamed => "renamed",
            LossKind::Changed => "changed",
        }
    }
}

impl Loss {
    /// Something that happened to a field of the source.
    pub(crate) fn new(kind: LossKind, path: impl Into<String>, message: impl Into<String>) -> Loss {
        Loss { kind, path: path.into(), message: message.into(), error: None }
    }

    /// Something that is not in the target.
    #[cfg_attr(
        not(any(feature = "mesh", feature = "crucible")),
        allow(dead_code, reason = "the other formats have one dialect")
    )]
    pub(crate) fn dropped(path: impl Into<String>, message: impl Into<String>) -> Loss {
        Loss::new(LossKind::Dropped, path, message)
    }

    /// Values that are at most this far from what they were.
    #[cfg(feature = "scene")]
    pub(crate) fn quantised(path: impl Into<String>, message: impl Into<String>, error: f32) -> Loss {
        Loss { error: Some(error), ..Loss::new(LossKind::Quantised, path, message) }
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.kind.name(), self.path, self.message)?;
        match self.error {
            Some(error) => write!(f, ", at most {error:e} off"),
            None => Ok(()),
        }
    }
}
