//! What a conversion could not keep.

use std::fmt;

/// Something that the target of a conversion cannot hold.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Loss {
    /// What happened to it.
    pub kind: LossKind,
    /// The field of the source.
    pub path: String,
    /// What is lost and why.
    pub message: String,
}

/// What happened to something that the target cannot hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum LossKind {
    /// It is not in the target.
    Dropped,
}

impl Loss {
    /// Something that is not in the target.
    #[cfg_attr(
        not(any(feature = "mesh", feature = "crucible")),
        allow(dead_code, reason = "the other formats have one dialect")
    )]
    pub(crate) fn dropped(path: impl Into<String>, message: impl Into<String>) -> Loss {
        Loss { kind: LossKind::Dropped, path: path.into(), message: message.into() }
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            LossKind::Dropped => "dropped",
        };
        write!(f, "{kind}: {}: {}", self.path, self.message)
    }
}
