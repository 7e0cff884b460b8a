//! The document fields from which each part of a scene is converted.

use super::Document;
use crate::scene::{MeshFields, SourceFields, StridedList};

pub(super) fn source_fields(document: &Document) -> SourceFields {
    let meshes = document.chunks.iter().enumerate().map(|(index, chunk)| {
        let streams = 0..chunk.streams.len();
        let indices = format!("chunks[{index}].indices.data");
        MeshFields {
            vertices: streams
                .map(|stream| StridedList::single(format!("chunks[{index}].streams[{stream}].data")))
                .collect(),
            faces: vec![StridedList { width: 3, ..StridedList::single(indices) }],
        }
    });
    SourceFields { meshes: meshes.collect(), ..SourceFields::default() }
}
