//! Derived values of a mesh: surface, number of triangles, control flags.

use super::super::schema::ControlFlags;
use super::{Faces, Mesh, Surface, Vertices};
use crate::Text;

impl Mesh {
    /// Creates a mesh with control flags that match its content.
    pub fn new(material: Option<Text>, vertices: Vertices, faces: Faces) -> Mesh {
        let mut mesh = Mesh { material, vertices, faces, ..Mesh::default() };
        mesh.flags = mesh.fitting_flags();
        mesh
    }

    /// Returns the narrowest control flags that allow every vertex and face of the mesh (B11).
    pub fn fitting_flags(&self) -> ControlFlags {
        // From narrowest to widest.
        let subtype = [0, 3, 2].into_iter().find(|subtype| {
            let sizes = ControlFlags::new().with_vertex_subtype(*subtype).vertex_sizes();
            self.vertices.packed().all(|vertex| sizes.contains(&vertex.bits()))
        });
        let triangles = [0, 2, 3].into_iter().find(|triangles| {
            let flags = ControlFlags::new().with_triangles_type(*triangles);
            self.faces.packed().all(|face| flags.allows(face))
        });
        ControlFlags::new()
            .with_vertex_subtype(subtype.unwrap_or(1))
            .with_triangles_type(triangles.unwrap_or(1))
    }

    /// The surface kind, determined by the name of the material.
    pub fn surface(&self) -> Surface {
        Surface::of(self.material.as_ref())
    }

    /// The number of triangles to write. A quad counts as two in a mesh of up to 1,024 vertices, otherwise as one
    /// (B12).
    pub fn triangle_count(&self) -> usize {
        let counts = self.faces.counts();
        if self.vertices.len() <= 1024 { counts.triangulated() } else { counts.items() }
    }
}
