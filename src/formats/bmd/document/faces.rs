//! Faces as an image has them, packed, and the vertices that they refer to.

use super::super::schema::{Packed, PackedFace, Surface};
use crate::Result;

/// The faces of a mesh: packed words, of any mix of forms.
pub type Faces = Packed<PackedFace>;

/// The vertices of a face, counter-clockwise (X2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Face {
    /// Three vertices.
    Triangle([u32; 3]),
    /// Four vertices.
    Quad([u32; 4]),
}

impl Face {
    /// The vertices, three or four.
    pub fn vertices(&self) -> &[u32] {
        match self {
            Face::Triangle(vertices) => vertices,
            Face::Quad(vertices) => vertices,
        }
    }
}

/// How many triangles and quads a mesh has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FaceCounts {
    /// Number of triangles.
    pub triangles: usize,
    /// Number of quads.
    pub quads: usize,
}

impl FaceCounts {
    /// Number of faces.
    pub fn items(self) -> usize {
        self.triangles + self.quads
    }

    /// Number of triangles, with a quad counted as two (B12).
    pub fn triangulated(self) -> usize {
        self.triangles + 2 * self.quads
    }
}

impl Faces {
    /// Faces from the 32-bit words of their list, the low half of a 64-bit word first.
    ///
    /// # Errors
    ///
    /// If the words end inside a face.
    pub fn from_words(words: Vec<u32>) -> Result<Faces> {
        Packed::parse(words, Surface::default())
    }
}
