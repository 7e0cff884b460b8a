//! Vertices as an image has them, packed, and decoded one by one.

use super::super::schema::{Packed, PackedVertex, Surface};
use crate::Result;

/// The vertices of a mesh: packed words, of any mix of sizes.
pub type Vertices = Packed<PackedVertex>;

/// A decoded vertex.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Vertex {
    /// Position (X, Y, Z) in the space of the bone.
    pub position: [f32; 3],
    /// Texture coordinate (S, T); 0 where a flat colour leaves it out.
    pub st: [f32; 2],
    /// Normal (X, Y, Z) as it is stored, not normalised. Where the form has none, the direction of the position (0 at
    /// the origin).
    pub normal: [f32; 3],
    /// Colour/shade byte, where the form has one; see [`shade_color`](super::shade_color).
    pub color: Option<u8>,
    /// The bone; 0 is the base.
    pub bone: u8,
}

impl Vertices {
    /// Vertices of such a surface from the 32-bit words of their list, the low half of a 64-bit word first.
    ///
    /// # Errors
    ///
    /// If the words end inside a vertex.
    pub fn from_words(words: Vec<u32>, surface: Surface) -> Result<Vertices> {
        Packed::parse(words, surface)
    }
}
