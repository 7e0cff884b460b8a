//! Reads and writes images, and turns packed words into numbers and back.

mod attributes;
mod bits;
mod columns;
mod decode;
mod dispatch;
mod encode;
mod faces;
mod nearest;
mod reader;
mod runs;
mod sharing;
mod summary;
mod target;
mod writer;

pub use attributes::{Attributes, Tolerance, VertexErrors, VertexSize, VertexSizes};
pub use columns::VertexColumns;
pub(super) use decode::attributes_of;
pub(super) use faces::CORNERS;
pub use nearest::nearest_shade;
pub(super) use reader::{detect, read};
#[cfg(feature = "proptest")]
pub(super) use sharing::Input;
pub(super) use writer::write;
