//! Materials, their textures and images.

mod read;
mod textures;
mod write;

pub(super) use read::{MaterialEntry, read, unused_names};
pub(super) use write::{Materials, repair};
