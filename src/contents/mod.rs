//! The contents of a file as plain numbers: what a loader should have in memory after reading.
//!
//! One shape for every format, which `docs/contents.md` describes. Values stay in the file's own coordinate system, and
//! nothing is repaired. Independent loaders print the same JSON, or parts of it, and [`compare`] names the differences.

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
pub use model::{Animation, Attribute, Blend, Contents, Keys, Lod, Mesh, Part, Pose, Property, Skeleton};
#[cfg(any(feature = "mesh", feature = "bmd"))]
pub(crate) use skin::{Budget, Skinned, sampled_frames};
