//! Packed faces and their vertex indices.

use super::super::schema::{PackedFace, PackedList, Surface};
use crate::Result;

/// The faces of a mesh: packed words in any mix of forms.
pub type Faces = PackedList<PackedFace>;

/// The vertex indices of a face, counter-clockwise (X2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Face {
    /// Three vertices.
    Triangle([u32; 3]),
    /// Four vertices.
    Quad([u32; 4]),
}

impl Face {
    /// The vertex indices, three or four.
    pub fn vertices(&self) -> &[u32] {
        match self {
            Face::Triangle(vertices) => vertices,
            Face::Quad(vertices) => vertices,
        }
    }
}

/// The number of triangles and quads in a mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FaceCounts {
    /// The number of triangles.
    pub triangles: usize,
    /// The number of quads.
    pub quads: usize,
}

impl FaceCounts {
    /// The number of faces: triangles and quads.
    pub fn faces(self) -> usize {
        self.triangles + self.quads
    }

    /// The number of triangles if each quad counts as two (B12).
    pub fn triangulated(self) -> usize {
        self.triangles + 2 * self.quads
    }
}

impl Faces {
    /// Parses the 32-bit words of a face list; 64-bit words have their low half first.
    ///
    /// ```
    /// use meshspec::bmd::{Face, Faces};
    ///
    /// let faces = Faces::encode(&[Face::Triangle([0, 1, 2]), Face::Quad([0, 2, 3, 4])])?;
    /// assert_eq!(Faces::from_words(faces.words().to_vec())?, faces);
    /// # Ok::<(), meshspec::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the words end inside a face.
    pub fn from_words(words: Vec<u32>) -> Result<Faces> {
        PackedList::parse(words, Surface::default())
    }
}
