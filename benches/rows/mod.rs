//! What is measured: a file for each format, one for the layout and one for conversions.

pub mod bmd;
pub mod crucible;
pub mod gltf;
pub mod iyma;
pub mod layout;
pub mod mesh;
pub mod seed;
