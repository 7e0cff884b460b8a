//! The document fields from which each part of a scene is converted.

use super::Document;
use crate::scene::{MeshFields, SourceFields, StridedList};

pub(super) fn source_fields(document: &Document) -> SourceFields {
    let Document { normals, colors, uvs, .. } = document;
    let normals = (!normals.is_empty()).then(|| "normals".to_owned());
    let colors = (0..colors.len()).map(|channel| format!("colors[{channel}]"));
    let uvs = (0..uvs.len()).map(|channel| format!("uvs[{channel}]"));
    let lists = ["positions".to_owned()].into_iter().chain(normals).chain(colors).chain(uvs);
    let mesh = MeshFields {
        vertices: lists.map(StridedList::single).collect(),
        faces: vec![StridedList::single("faces")],
    };
    SourceFields { meshes: vec![mesh], ..SourceFields::default() }
}
