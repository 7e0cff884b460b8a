//! The fields that become parts of a scene.

use super::{Document, MeshInfo};
use crate::scene::{MeshPlaces, Places, Share};

pub(super) fn places(document: &Document) -> Places {
    let meshes = document.meshes.iter().map(|mesh| MeshPlaces {
        vertices: vertices(document, mesh),
        faces: vec![Share { list: "data.indices".to_owned(), first: mesh.first_index.into(), width: 3 }],
    });
    Places { meshes: meshes.collect(), ..Places::default() }
}

/// Returns the bytes of a vertex in each buffer. The declaration lists all buffers as one list of bytes.
fn vertices(document: &Document, mesh: &MeshInfo) -> Vec<Share> {
    let mut start = 0;
    let buffers = document.attributes.iter().map(|attribute| {
        let width = attribute.format.size() as u64;
        let first = start + width * u64::from(mesh.first_vertex);
        start += attribute.data.len() as u64;
        Share { list: "data.vertices".to_owned(), first, width }
    });
    buffers.collect()
}
