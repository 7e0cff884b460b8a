//! The decoded contents of a file: the numbers and strings that a loader should have in memory after reading.
//!
//! All formats share one structure, described in `docs/contents.md`. Values are in the file's coordinate system, and
//! nothing is repaired. To test a loader, let it print the same JSON, or parts of it; [`compare`] lists the
//! differences.

mod array;
#[cfg(feature = "serde")]
mod compare;
mod fields;
mod model;
#[cfg(any(feature = "mesh", feature = "bmd"))]
mod skin;

pub use array::{Array, Numbers};
#[cfg(feature = "serde")]
pub use compare::{Difference, Differences, compare};
pub use fields::{FieldValue, Fields};
pub use model::{
    Animation, Attribute, Blend, Contents, Keys, Lod, Mesh, MeshRange, Pose, Property, Skeleton,
};
#[cfg(any(feature = "mesh", feature = "bmd"))]
pub(crate) use skin::{PoseBudget, SkinnedPositions, sampled_frames};
