//! The measured rows: a module per format, one for layouts and one for conversions.

pub mod bmd;
pub mod crucible;
pub mod gltf;
pub mod iyma;
pub mod layout;
pub mod mesh;
pub mod seed;
