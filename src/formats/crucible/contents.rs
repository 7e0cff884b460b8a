//! Converts documents to [`Contents`].

use super::schema;
use super::{Chunk, Document, Indices, Values};
use crate::contents::{Array, Contents, Mesh, Numbers};

pub(super) fn contents(document: &Document) -> Contents<'static> {
    Contents {
        meshes: document.chunks.iter().map(mesh).collect(),
        ..Contents::new(schema::NAME, document.dialect)
    }
}

fn mesh(chunk: &Chunk) -> Mesh {
    let mut mesh = Mesh::new(chunk.vertex_count());
    for stream in &chunk.streams {
        match &stream.values {
            Values::Position3d(values) => {
                mesh.add_attribute("position", Array::from_rows(values.clone()))
            }
            Values::Position2d(values) => {
                mesh.add_attribute("position_2d", Array::from_rows(values.clone()))
            }
            Values::Normal(values) => {
                mesh.add_attribute("normal", Array::from_rows(values.clone()))
            }
            Values::Uv(values) => mesh.add_attribute("uv_0", Array::from_rows(values.clone())),
            Values::Tangent(values) => {
                mesh.add_attribute("tangent", Array::from_rows(values.clone()))
            }
            Values::Color(values) => {
                mesh.add_attribute("color_0", Array::from_rows(values.clone()))
            }
            Values::BoneWeights(values) => {
                let bones = values
                    .iter()
                    .map(|four| four.map(|weight| weight.bone))
                    .collect();
                let influences = values
                    .iter()
                    .map(|four| four.map(|weight| weight.influence))
                    .collect();
                mesh.add_attribute("joints", Array::from_rows::<u16, 4>(bones));
                mesh.add_attribute("weights", Array::from_rows::<f32, 4>(influences));
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
