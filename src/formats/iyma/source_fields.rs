//! The document fields from which each part of a scene is converted.

use super::{Document, MeshInfo};
use crate::scene::{MeshFields, SourceFields, StridedList};

pub(super) fn source_fields(document: &Document) -> SourceFields {
    let meshes = document.meshes.iter().map(|mesh| MeshFields {
        vertices: vertices(document, mesh),
        faces: vec![StridedList {
            list: "data.indices".to_owned(),
            first: mesh.first_index.into(),
            width: 3,
        }],
    });
    SourceFields { meshes: meshes.collect(), ..SourceFields::default() }
}

/// Returns the location of a mesh's vertices in each buffer. The declaration has one list of bytes for all buffers.
fn vertices(document: &Document, mesh: &MeshInfo) -> Vec<StridedList> {
    let mut start = 0;
    let buffers = document.attributes.iter().map(|attribute| {
        let width = attribute.format.size() as u64;
        let first = start + width * u64::from(mesh.first_vertex);
        start += attribute.data.len() as u64;
        StridedList { list: "data.vertices".to_owned(), first, width }
    });
    buffers.collect()
}
