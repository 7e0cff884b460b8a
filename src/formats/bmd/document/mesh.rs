//! Decoded vertices, colour/shade bytes, and the derived values of a mesh: surface, number of triangles, control flags.

use super::super::schema::{ControlFlags, PackedList, PackedVertex};
use super::{Faces, Mesh, Surface};
use crate::{Result, Text};

/// The vertices of a mesh: packed words in any mix of sizes.
pub type Vertices = PackedList<PackedVertex>;

/// A decoded vertex.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Vertex {
    /// Position (X, Y, Z) in bone space.
    pub position: [f32; 3],
    /// Texture coordinate (S, T); 0 where a flat colour omits it.
    pub st: [f32; 2],
    /// Stored normal (X, Y, Z), not normalised. Forms without one use the direction of the position, 0 at the origin.
    pub normal: [f32; 3],
    /// Colour/shade byte; `None` if the vertex has none. See [`shade_color`](super::shade_color).
    pub color: Option<u8>,
    /// The bone; bone 0 is the model itself.
    pub bone: u8,
}

impl Vertices {
    /// Parses the 32-bit words of a vertex list for a surface; 64-bit words have their low half first.
    ///
    /// ```
    /// use meshspec::bmd::{self, Vertices};
    /// use meshspec::Format;
    ///
    /// let bytes = std::fs::read("samples/bmd/pyramid.bmd")?;
    /// let document = bmd::Document::read(&bytes, &Default::default())?;
    /// let mesh = &document.meshes[0];
    /// let vertices = Vertices::from_words(mesh.vertices.words().to_vec(), mesh.surface())?;
    /// assert_eq!(vertices, mesh.vertices);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the words end inside a vertex.
    pub fn from_words(words: Vec<u32>, surface: Surface) -> Result<Vertices> {
        PackedList::parse(words, surface)
    }
}

impl Mesh {
    /// Creates a mesh with control flags that match its content.
    pub fn new(material: Option<Text>, vertices: Vertices, faces: Faces) -> Mesh {
        let mut mesh = Mesh {
            material,
            vertices,
            faces,
            ..Mesh::default()
        };
        mesh.flags = mesh.fitting_flags();
        mesh
    }

    /// Returns the narrowest control flags that allow every vertex and face of the mesh (B11).
    ///
    /// ```
    /// use meshspec::bmd::{Face, Faces, Mesh, Vertices};
    ///
    /// let faces = Faces::encode(&[Face::Triangle([0, 1, 2]), Face::Quad([0, 2, 3, 1])])?;
    /// let mesh = Mesh { faces, ..Mesh::default() };
    /// // Only type 1 allows both triangles and quads.
    /// assert_eq!(mesh.fitting_flags().triangles_type(), 1);
    /// # Ok::<(), meshspec::Error>(())
    /// ```
    pub fn fitting_flags(&self) -> ControlFlags {
        // From narrowest to widest.
        let subtype = [0, 3, 2].into_iter().find(|subtype| {
            let sizes = ControlFlags::new()
                .with_vertex_subtype(*subtype)
                .vertex_sizes();
            self.vertices
                .packed_items()
                .all(|vertex| sizes.contains(&vertex.bits()))
        });
        let triangles = [0, 2, 3].into_iter().find(|triangles| {
            let flags = ControlFlags::new().with_triangles_type(*triangles);
            self.faces.packed_items().all(|face| flags.allows(face))
        });
        let flags = ControlFlags::new().with_vertex_subtype(subtype.unwrap_or(1));
        flags.with_triangles_type(triangles.unwrap_or(1))
    }

    /// Returns the kind of surface, determined by the name of the material.
    pub fn surface(&self) -> Surface {
        Surface::of(self.material.as_ref())
    }

    /// The number of triangles to write. A quad counts as two up to 1,024 vertices, and as one above (B12).
    pub fn triangle_count(&self) -> usize {
        let counts = self.faces.counts();
        if self.vertices.len() <= 1024 {
            counts.triangulated()
        } else {
            counts.faces()
        }
    }
}

/// The colours (red, green, blue) of the sixteen hues at level 16.
const HUES: [u32; 16] = [
    0xffffff, 0xff5555, 0x55ff55, 0xffff55, 0x5555ff, 0xff55ff, 0x55ffff, 0x55aaff, 0xffaa55,
    0xffaaaa, 0xaaffaa, 0xffffaa, 0xaaaaff, 0xffaaff, 0xaaffff, 0xaa55ff,
];

/// Decodes a colour/shade byte to a colour (red, green, blue): hue in the high four bits, level − 1 in the low ones
/// (B17).
///
/// ```
/// use meshspec::bmd::shade_color;
///
/// assert_eq!(shade_color(0x0f), [255, 255, 255]);
/// assert_eq!(shade_color(0x17), [127, 42, 42]);
/// ```
pub const fn shade_color(code: u8) -> [u8; 3] {
    let [_, red, green, blue] = HUES[(code >> 4) as usize].to_be_bytes();
    let level = (code & 15) as u16 + 1;
    [
        at_level(red, level),
        at_level(green, level),
        at_level(blue, level),
    ]
}

/// Scales a channel to a level, 1 to 16.
const fn at_level(channel: u8, level: u16) -> u8 {
    // The product is at most 255 · 16, so the result fits a byte.
    ((channel as u16 * level) >> 4) as u8
}
