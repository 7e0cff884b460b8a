//! Reads and writes images, and converts between packed words and numbers.

mod attributes;
mod columns;
mod decode;
mod encode;
mod faces;
mod nearest;
mod reader;
mod runs;
mod sharing;
mod vertex_to_pack;
mod writer;

pub use attributes::{Attributes, Tolerance, VertexErrors, VertexSize, VertexSizes};
pub use columns::VertexColumns;
pub use nearest::nearest_shade;
pub(super) use reader::read;
#[cfg(feature = "proptest")]
pub(super) use sharing::BoundedReader;
pub(super) use writer::{is_final_padding, write};
