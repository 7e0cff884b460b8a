//! Control flags that fit the content of a mesh.

use super::super::schema::ControlFlags;
use super::{Faces, Mesh, Vertices};
use crate::Text;

impl Mesh {
    /// A mesh with the control flags that fit its content.
    pub fn new(material: Option<Text>, vertices: Vertices, faces: Faces) -> Mesh {
        let mut mesh = Mesh { material, vertices, faces, ..Mesh::default() };
        mesh.flags = mesh.fitting_flags();
        mesh
    }

    /// The narrowest control flags that allow every vertex and face of the mesh (B11).
    pub fn fitting_flags(&self) -> ControlFlags {
        // Narrow ones first.
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
}
