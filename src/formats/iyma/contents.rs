//! Converts documents to [`Contents`].

use half::f16;

use super::schema::{self, UNORM10X3X2};
use super::{Attribute, Component, Document, IndexBuffer, IndexFormat, MeshInfo, Usage};
use crate::bulk;
use crate::contents::{Array, Contents, Mesh, MeshRange, Numbers};

pub(super) fn contents(document: &Document) -> Contents<'static> {
    let mut mesh = Mesh::new(document.n_vertices as usize);
    for attribute in &document.attributes {
        mesh.add_attribute(attribute_name(&attribute.usage), to_array(attribute));
    }
    mesh.indices = document
        .indices
        .as_ref()
        .map(|indices| to_numbers(indices).into());
    mesh.parts = Some(document.meshes.iter().map(to_mesh_range).collect());
    let user_data =
        (!document.user_data.is_empty()).then(|| Numbers::U8(document.user_data.to_vec()).into());
    Contents {
        user_data,
        meshes: vec![mesh],
        ..Contents::new(schema::NAME, document.dialect)
    }
}

fn to_mesh_range(mesh: &MeshInfo) -> MeshRange {
    let MeshInfo {
        first_index,
        index_count,
        first_vertex,
        vertex_count,
    } = *mesh;
    MeshRange {
        first_index,
        index_count,
        first_vertex,
        vertex_count,
    }
}

fn attribute_name(usage: &Usage) -> String {
    match usage {
        Usage::Custom(id, name) if name.is_empty() => format!("custom_{id}"),
        Usage::Custom(id, name) => format!("custom_{id}:{name}"),
        Usage::Color => "color_0".to_owned(),
        Usage::Uv => "uv_0".to_owned(),
        Usage::Uv1 => "uv_1".to_owned(),
        Usage::JointIndex => "joints".to_owned(),
        Usage::JointWeight => "weights".to_owned(),
        usage => usage.name(),
    }
}

fn to_numbers(indices: &IndexBuffer) -> Numbers {
    match indices.format {
        IndexFormat::U16 => Numbers::U16(bulk::to_vec(&indices.data)),
        IndexFormat::U32 => Numbers::U32(bulk::to_vec(&indices.data)),
    }
}

/// Returns the stored components of all values.
fn to_array(attribute: &Attribute) -> Array {
    let (format, data) = (attribute.format, &*attribute.data);
    let numbers = match format.component() {
        Component::Float16 => {
            Numbers::F16(bulk::to_vec(data).into_iter().map(f16::from_bits).collect())
        }
        Component::Float32 => Numbers::F32(bulk::to_vec(data)),
        Component::Float64 => Numbers::F64(bulk::to_vec(data)),
        Component::Sint8 | Component::Snorm8 => Numbers::I8(bulk::to_vec(data)),
        Component::Sint16 | Component::Snorm16 => Numbers::I16(bulk::to_vec(data)),
        Component::Sint32 => Numbers::I32(bulk::to_vec(data)),
        Component::Uint8 | Component::Unorm8 | Component::Unorm8Bgra => Numbers::U8(data.to_vec()),
        Component::Uint16 | Component::Unorm16 => Numbers::U16(bulk::to_vec(data)),
        Component::Uint32 => Numbers::U32(bulk::to_vec(data)),
        Component::Unorm10x3x2 => {
            let unpack = |word: u32| UNORM10X3X2.map(|bits| bits.extract_u64(word.into()) as u16);
            Numbers::U16(bulk::to_vec(data).into_iter().flat_map(unpack).collect())
        }
    };
    Array::from(numbers).with_components(format.components())
}
