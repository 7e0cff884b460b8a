//! The contents of a document as plain numbers.

use super::{Chunk, Document, Indices, Values};
use crate::FormatId;
use crate::contents::{Array, Contents, Mesh, Numbers};

pub(super) fn contents(document: &Document) -> Contents<'static> {
    Contents {
        meshes: document.chunks.iter().map(mesh).collect(),
        ..Contents::new(FormatId::Crucible.name(), document.dialect)
    }
}

fn mesh(chunk: &Chunk) -> Mesh {
    let mut mesh = Mesh::new(chunk.vertex_count());
    for stream in &chunk.streams {
        match &stream.values {
            Values::Position3d(values) => mesh.add("position", Array::of_rows(values.clone())),
            Values::Position2d(values) => mesh.add("position_2d", Array::of_rows(values.clone())),
            Values::Normal(values) => mesh.add("normal", Array::of_rows(values.clone())),
            Values::Uv(values) => mesh.add("uv_0", Array::of_rows(values.clone())),
            Values::Tangent(values) => mesh.add("tangent", Array::of_rows(values.clone())),
            Values::Color(values) => mesh.add("color_0", Array::of_rows(values.clone())),
            Values::BoneWeights(values) => {
                let bones = values.iter().map(|four| four.map(|weight| weight.bone)).collect();
                let influences = values.iter().map(|four| four.map(|weight| weight.influence)).collect();
                mesh.add("joints", Array::of_rows::<u16, 4>(bones));
                mesh.add("weights", Array::of_rows::<f32, 4>(influences));
            }
        }
    }
    let indices = match &chunk.indices {
        Indices::U16(values) => Numbers::U16(values.clone()),
        Indices::U32(values) => Numbers::U32(values.clone()),
    };
    mesh.indices = Some(indices.into());
    mesh
}
