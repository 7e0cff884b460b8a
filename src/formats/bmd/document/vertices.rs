//! Packed vertices, decoded one by one.

use super::super::schema::{Packed, PackedVertex, Surface};
use crate::Result;

/// The vertices of a mesh: packed words in any mix of sizes.
pub type Vertices = Packed<PackedVertex>;

/// A decoded vertex.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Vertex {
    /// Position (X, Y, Z) in bone space.
    pub position: [f32; 3],
    /// Texture coordinate (S, T); 0 where a flat colour omits it.
    pub st: [f32; 2],
    /// Stored normal (X, Y, Z), not normalised. Forms without one use the direction of the position, 0 at the origin.
    pub normal: [f32; 3],
    /// Colour/shade byte, if the form has one; see [`shade_color`](super::shade_color).
    pub color: Option<u8>,
    /// The bone; 0 is the base.
    pub bone: u8,
}

impl Vertices {
    /// Parses the 32-bit words of a vertex list for a surface; 64-bit words have their low half first.
    ///
    /// # Errors
    ///
    /// If the words end inside a vertex.
    pub fn from_words(words: Vec<u32>, surface: Surface) -> Result<Vertices> {
        Packed::parse(words, surface)
    }
}
