//! Reads and writes images, and turns packed words into numbers and back.

mod attributes;
mod columns;
mod encode;
mod nearest;
mod reader;
mod target;
mod triangles;
mod writer;

pub use attributes::{Attributes, Tolerance, VertexErrors, VertexSize, VertexSizes};
pub use columns::VertexColumns;
pub use nearest::nearest_shade;
pub(super) use reader::{detect, read};
pub(super) use writer::write;
