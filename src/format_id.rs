//! Ids of the built-in formats.

use meshspec_derive::Json;
use std::fmt;

/// A built-in format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Json)]
#[non_exhaustive]
pub enum FormatId {
    /// MESH 1.0.
    #[cfg(feature = "mesh")]
    Mesh,
    /// Crucible mesh chunks.
    #[cfg(feature = "crucible")]
    Crucible,
    /// IyMA.
    #[cfg(feature = "iyma")]
    Iyma,
    /// Seed.
    #[cfg(feature = "seed")]
    Seed,
    /// BMD images.
    #[cfg(feature = "bmd")]
    Bmd,
}

impl FormatId {
    /// All built-in formats.
    pub const ALL: &[FormatId] = &[
        #[cfg(feature = "mesh")]
        FormatId::Mesh,
        #[cfg(feature = "crucible")]
        FormatId::Crucible,
        #[cfg(feature = "iyma")]
        FormatId::Iyma,
        #[cfg(feature = "seed")]
        FormatId::Seed,
        #[cfg(feature = "bmd")]
        FormatId::Bmd,
    ];
}

impl fmt::Display for FormatId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl From<FormatId> for &'static str {
    fn from(format: FormatId) -> &'static str {
        format.name()
    }
}
