//! Arguments of indirect draws, in the layout that GPUs read from a buffer.

use bytemuck::{Pod, Zeroable};

use super::super::schema::MeshInfo;

/// The draw arguments of each mesh.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Draws {
    /// For meshes with indices.
    Indexed(Vec<DrawIndexedIndirect>),
    /// For meshes without indices.
    NonIndexed(Vec<DrawIndirect>),
}

impl Draws {
    /// The arguments in native byte order, ready to upload.
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Draws::Indexed(draws) => bytemuck::cast_slice(draws),
            Draws::NonIndexed(draws) => bytemuck::cast_slice(draws),
        }
    }
}

/// An indexed draw: `VkDrawIndexedIndirectCommand`, `D3D12_DRAW_INDEXED_ARGUMENTS`, `wgpu::DrawIndexedIndirectArgs`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct DrawIndexedIndirect {
    /// Number of indices.
    pub index_count: u32,
    /// Number of instances.
    pub instance_count: u32,
    /// Position of the first index.
    pub first_index: u32,
    /// Value added to each index.
    pub base_vertex: i32,
    /// Index of the first instance.
    pub first_instance: u32,
}

/// A non-indexed draw: `VkDrawIndirectCommand`, `D3D12_DRAW_ARGUMENTS`, `wgpu::DrawIndirectArgs`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct DrawIndirect {
    /// Number of vertices.
    pub vertex_count: u32,
    /// Number of instances.
    pub instance_count: u32,
    /// Position of the first vertex.
    pub first_vertex: u32,
    /// Index of the first instance.
    pub first_instance: u32,
}

impl TryFrom<&MeshInfo> for DrawIndexedIndirect {
    type Error = std::num::TryFromIntError;

    fn try_from(mesh: &MeshInfo) -> Result<Self, Self::Error> {
        Ok(DrawIndexedIndirect {
            index_count: mesh.index_count,
            instance_count: 1,
            first_index: mesh.first_index,
            base_vertex: mesh.first_vertex.try_into()?,
            first_instance: 0,
        })
    }
}

impl From<&MeshInfo> for DrawIndirect {
    fn from(mesh: &MeshInfo) -> Self {
        DrawIndirect {
            vertex_count: mesh.vertex_count,
            instance_count: 1,
            first_vertex: mesh.first_vertex,
            first_instance: 0,
        }
    }
}
