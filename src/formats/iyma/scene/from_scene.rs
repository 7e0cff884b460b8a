//! Converts the meshes of a scene to buffers.

use super::super::document::{Attribute, Document, IndexBuffer, count_to_u32};
use super::super::schema::{MeshInfo, Usage, VertexFormat};
use super::custom::{add_custom_losses, custom_buffer, unique_numbers};
use crate::bulk;
use crate::scene::{self, Colors, Mesh, Skin, Weights};
use crate::{Loss, Result, path};

/// Concatenates the indices of all meshes: in 32 bits if any mesh has 32-bit indices, otherwise in 16.
pub(super) fn join_indices(meshes: &[Mesh]) -> IndexBuffer {
    let all = meshes.iter().filter_map(|mesh| mesh.faces.indices.as_ref());
    let narrow = all.clone().map(|indices| match indices {
        scene::Indices::U16(values) => Some(&**values),
        scene::Indices::U32(_) => None,
    });
    if let Some(parts) = narrow.collect::<Option<Vec<_>>>() {
        return IndexBuffer::from_u16(&parts.concat());
    }
    let parts: Vec<_> = all.map(|indices| indices.clone().into_u32()).collect();
    IndexBuffer::from_u32(&parts.concat())
}

/// Returns the range of each mesh in the joined buffers.
pub(super) fn mesh_ranges(meshes: &[Mesh], document: &Document) -> Result<Vec<MeshInfo>> {
    let (mut first_index, mut first_vertex) = (0, 0);
    let total = document.indices.as_ref().map_or(0, IndexBuffer::len);
    // If the total fits in 32 bits, so does the count of each mesh.
    count_to_u32(total, path!(indices))?;
    let infos = meshes.iter().map(|mesh| {
        let index_count = mesh.faces.indices.as_ref().map_or(0, scene::Indices::len) as u32;
        let vertex_count = mesh.positions.len() as u32;
        let info = MeshInfo {
            first_index,
            index_count,
            first_vertex,
            vertex_count,
        };
        first_index += index_count;
        first_vertex += vertex_count;
        info
    });
    Ok(infos.collect())
}

/// Converts flat meshes to three coordinates, unless all meshes are flat.
pub(super) fn unify_coordinates(meshes: &mut [Mesh], losses: &mut Vec<Loss>) {
    if meshes.iter().all(|mesh| mesh.flat) {
        return;
    }
    for (index, mesh) in meshes.iter_mut().enumerate().filter(|(_, mesh)| mesh.flat) {
        mesh.flat = false;
        let message = "z was set to 0, because another mesh has three coordinates";
        losses.push(Loss::dropped(format!("meshes[{index}].flat"), message));
    }
}

/// Concatenates the attributes of all meshes into one buffer per attribute. The meshes must have the same attributes.
pub(super) fn join_attributes(meshes: Vec<Mesh>, losses: &mut Vec<Loss>) -> Vec<Attribute> {
    let mut attributes: Vec<(Attribute, Vec<u8>)> = Vec::new();
    for (index, mesh) in meshes.into_iter().enumerate() {
        add_custom_losses(&mesh, index, losses);
        for (position, (usage, format, bytes)) in vertex_buffers(mesh).into_iter().enumerate() {
            match attributes.get_mut(position) {
                Some((_, data)) => data.extend(bytes),
                None => attributes.push((
                    Attribute {
                        usage,
                        format,
                        data: Default::default(),
                    },
                    bytes,
                )),
            }
        }
    }
    attributes
        .into_iter()
        .map(|(attribute, data)| Attribute {
            data: data.into(),
            ..attribute
        })
        .collect()
}

fn vertex_buffers(mesh: Mesh) -> Vec<(Usage, VertexFormat, Vec<u8>)> {
    let Mesh {
        positions,
        flat,
        normals,
        tangents,
        uvs,
        colors,
        skins,
        custom,
        // Converted by `join_indices`.
        faces: _,
        // Adapted to the format, or reported as losses, by `Capabilities::restrict`.
        name: _,
        material: _,
        uv_origin: _,
        extras: _,
        exact_positions: _,
        placements: _,
    } = mesh;
    let floats = |values: &[f32]| bulk::as_bytes(values).into_owned();
    let mut buffers = vec![match flat {
        true => {
            let flat: Vec<[f32; 2]> = positions.iter().map(|[x, y, _]| [*x, *y]).collect();
            (
                Usage::Position,
                VertexFormat::Float32x2,
                floats(flat.as_flattened()),
            )
        }
        false => (
            Usage::Position,
            VertexFormat::Float32x3,
            floats(positions.as_flattened()),
        ),
    }];
    if let Some(normals) = normals {
        buffers.push((
            Usage::Normal,
            VertexFormat::Float32x3,
            floats(normals.as_flattened()),
        ));
    }
    if let Some(tangents) = tangents {
        buffers.push((
            Usage::Tangent,
            VertexFormat::Float32x4,
            floats(tangents.as_flattened()),
        ));
    }
    let usage_of = |set: usize, first: Usage, name: &str| match set {
        0 => first,
        set => Usage::Custom(set as u32, format!("{name}{set}")),
    };
    for (set, uvs) in uvs.into_iter().enumerate() {
        buffers.push((
            usage_of(set, Usage::Uv, "uv"),
            VertexFormat::Float32x2,
            floats(uvs.as_flattened()),
        ));
    }
    for (set, colors) in colors.into_iter().enumerate() {
        let usage = usage_of(set, Usage::Color, "color");
        buffers.push(match colors {
            Colors::U8(values) => (usage, VertexFormat::Unorm8x4, values.into_flattened()),
            Colors::F32(values) => (
                usage,
                VertexFormat::Float32x4,
                floats(values.as_flattened()),
            ),
        });
    }
    for mut skin in skins {
        // Unused slots get joint 0 with a weight of 0.
        skin.clear_unused_weights();
        let mut joints = skin.joints.into_flattened();
        joints
            .iter_mut()
            .filter(|joint| **joint == Skin::NONE)
            .for_each(|joint| *joint = 0);
        buffers.push((
            Usage::JointIndex,
            VertexFormat::Uint16x4,
            bulk::as_bytes(&joints).into_owned(),
        ));
        let (format, weights) = match skin.weights {
            Weights::U8(values) => (VertexFormat::Unorm8x4, values.into_flattened()),
            Weights::F32(values) => (VertexFormat::Float32x4, floats(values.as_flattened())),
        };
        buffers.push((Usage::JointWeight, format, weights));
    }
    let usages = unique_numbers(&custom)
        .into_iter()
        .map(|(number, name)| Usage::Custom(number, name));
    buffers.extend(
        usages
            .zip(custom)
            .map(|(usage, custom)| custom_buffer(usage, custom)),
    );
    buffers
}
