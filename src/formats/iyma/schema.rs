//! The declaration of IyMA: the header and the data as binrw structs, the descriptor as the types that `bitcode` takes,
//! in the order and with the names of the specification.
//!
//! What bitcode makes of the descriptor has no layout of fields at fixed places. [`DescriptorFields`] is the same
//! descriptor as plain fields, which is what tables and the dump show.

use binrw::binrw;
use bitcode::{Decode, Encode};
use meshspec_derive::Layout;

use super::descriptor;
use crate::bulk::{Bulk, Rest};
use crate::layout::Packing;

/// A file.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[derive(Debug)]
pub struct File<'a> {
    /// The header.
    pub header: Header,
    /// What is in the data, encoded with bitcode.
    #[br(count = header.descriptor_len)]
    #[layout(rule = "IYMA-DESCRIPTOR", packing = SPEC, content = DescriptorFields<'static>)]
    pub descriptor: Bulk<'a, u8>,
    /// Everything else, compressed with zstd; to the end of the file.
    #[layout(
        rule = "IYMA-PACKING", packing = zstd, size = descriptor.data_len, content = Data<'static>,
        args(
            descriptor.user_data_len, descriptor.has_indices, descriptor.index_format, descriptor.n_indices,
            descriptor.data_len
        )
    )]
    pub data: Rest<'a>,
}

/// A file in the reference dialect (I1).
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[derive(Debug)]
pub struct ReferenceFile<'a> {
    /// The header.
    pub header: Header,
    /// What is in the data, encoded with bitcode.
    #[br(count = header.descriptor_len)]
    #[layout(rule = "IYMA-DESCRIPTOR", packing = REFERENCE, content = DescriptorFields<'static>)]
    pub descriptor: Bulk<'a, u8>,
    /// Everything else, compressed with zstd; to the end of the file.
    #[layout(
        rule = "IYMA-PACKING", packing = zstd, size = descriptor.data_len, content = Data<'static>,
        args(
            descriptor.user_data_len, descriptor.has_indices, descriptor.index_format, descriptor.n_indices,
            descriptor.data_len
        )
    )]
    pub data: Rest<'a>,
}

/// The header: 24 bytes.
#[derive(Layout)]
#[binrw]
#[brw(little, magic = b"IyMA")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// Version of the format: 1.
    #[br(assert(version == 1, "the version is not 1"))]
    #[layout(rule = "IYMA-VERSION")]
    pub version: u16,
    /// Size of the encoded descriptor in bytes.
    pub descriptor_len: u16,
    /// RapidHash of the encoded descriptor, its length and the data checksum (I3, I4).
    pub metadata_checksum: u64,
    /// RapidHash of the compressed data; 0 where there is none (I5).
    pub data_checksum: u64,
}

impl Header {
    /// Size in bytes.
    pub const SIZE: usize = 24;
}

/// bitcode of the specification's descriptor.
pub(super) const SPEC: Packing = Packing::Coded { name: "bitcode", decode: descriptor::spec_fields };

/// bitcode of the reference dialect's descriptor.
pub(super) const REFERENCE: Packing =
    Packing::Coded { name: "bitcode", decode: descriptor::reference_fields };

/// The descriptor as bitcode takes it. `U` is the [`VertexUsage`] of the dialect.
#[derive(Debug, Clone, PartialEq, Encode, Decode)]
pub struct IyesMeshDescriptor<U> {
    /// Number of vertices.
    pub n_vertices: u32,
    /// Size of the user data in bytes.
    pub user_data_len: u32,
    /// The meshes.
    pub meshes: Vec<MeshInfo>,
    /// The index buffer, if there is one.
    pub indices: Option<IndicesInfo>,
    /// The vertex buffers. The reference dialect has a map of them, which is encoded the same way (I1).
    pub attributes: Vec<VertexAttributeInfo<U>>,
}

/// Where a mesh lies in the buffers.
#[derive(Layout, Debug, Clone, Copy, PartialEq, Eq, Default, Encode, Decode)]
#[br(little)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct MeshInfo {
    /// Position of its first index in the index buffer.
    pub first_index: u32,
    /// Number of its indices.
    pub index_count: u32,
    /// Position of its first vertex, which its indices count from.
    pub first_vertex: u32,
    /// Number of its vertices.
    pub vertex_count: u32,
}

/// The index buffer.
#[derive(Layout, Debug, Clone, Copy, PartialEq, Eq, Encode, Decode)]
#[br(little)]
pub struct IndicesInfo {
    /// Number of indices of all meshes.
    pub n_indices: u32,
    /// Their format.
    pub format: IndexFormat,
}

/// One vertex buffer.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub struct VertexAttributeInfo<U> {
    /// What its values mean.
    pub usage: U,
    /// How its values are stored.
    pub format: VertexFormat,
}

/// What the values of a vertex buffer mean.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub enum VertexUsage {
    /// Anything else: a number and a name.
    Custom(u32, String),
    /// Position.
    Position,
    /// Normal.
    Normal,
    /// Tangent.
    Tangent,
    /// Colour.
    Color,
    /// Texture coordinate.
    Uv,
    /// Joint indices.
    JointIndex,
    /// Joint weights.
    JointWeight,
}

/// What the values of a vertex buffer mean, in the reference dialect (I1).
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub enum ReferenceVertexUsage {
    /// Anything else: a number.
    Custom(u32),
    /// Position.
    Position,
    /// Normal.
    Normal,
    /// Tangent.
    Tangent,
    /// First set of texture coordinates.
    Uv0,
    /// Second set of texture coordinates.
    Uv1,
    /// Joint indices.
    JointIndex,
    /// Joint weights.
    JointWeight,
    /// Colour.
    Color,
}

/// Format of indices.
#[derive(Layout, Debug, Clone, Copy, PartialEq, Eq, Encode, Decode)]
#[br(repr = u8)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum IndexFormat {
    /// 16 bits each.
    U16 = 0,
    /// 32 bits each.
    U32 = 1,
}

/// Format of the values of a vertex buffer: the kind of its components, and how many of them a value has.
#[derive(Layout, Debug, Clone, Copy, PartialEq, Eq, Hash, Encode, Decode)]
#[br(repr = u8)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[allow(non_camel_case_types, reason = "the specification's name")]
pub enum VertexFormat {
    /// One 16-bit float.
    Float16 = 0,
    /// One 32-bit float.
    Float32 = 1,
    /// One 64-bit float.
    Float64 = 2,
    /// Two 16-bit floats.
    Float16x2 = 3,
    /// Four 16-bit floats.
    Float16x4 = 4,
    /// Two 32-bit floats.
    Float32x2 = 5,
    /// Three 32-bit floats.
    Float32x3 = 6,
    /// Four 32-bit floats.
    Float32x4 = 7,
    /// Two 64-bit floats.
    Float64x2 = 8,
    /// Three 64-bit floats.
    Float64x3 = 9,
    /// Four 64-bit floats.
    Float64x4 = 10,
    /// One 8-bit integer with a sign.
    Sint8 = 11,
    /// Two 8-bit integers with a sign.
    Sint8x2 = 12,
    /// Four 8-bit integers with a sign.
    Sint8x4 = 13,
    /// One 16-bit integer with a sign.
    Sint16 = 14,
    /// One 32-bit integer with a sign.
    Sint32 = 15,
    /// Two 16-bit integers with a sign.
    Sint16x2 = 16,
    /// Four 16-bit integers with a sign.
    Sint16x4 = 17,
    /// Two 32-bit integers with a sign.
    Sint32x2 = 18,
    /// Three 32-bit integers with a sign.
    Sint32x3 = 19,
    /// Four 32-bit integers with a sign.
    Sint32x4 = 20,
    /// One 8 bits for -1 to 1.
    Snorm8 = 21,
    /// Two times 8 bits for -1 to 1.
    Snorm8x2 = 22,
    /// Four times 8 bits for -1 to 1.
    Snorm8x4 = 23,
    /// One 16 bits for -1 to 1.
    Snorm16 = 24,
    /// Two times 16 bits for -1 to 1.
    Snorm16x2 = 25,
    /// Four times 16 bits for -1 to 1.
    Snorm16x4 = 26,
    /// One 8-bit integer.
    Uint8 = 27,
    /// Two 8-bit integers.
    Uint8x2 = 28,
    /// Four 8-bit integers.
    Uint8x4 = 29,
    /// One 16-bit integer.
    Uint16 = 30,
    /// One 32-bit integer.
    Uint32 = 31,
    /// Two 16-bit integers.
    Uint16x2 = 32,
    /// Four 16-bit integers.
    Uint16x4 = 33,
    /// Two 32-bit integers.
    Uint32x2 = 34,
    /// Three 32-bit integers.
    Uint32x3 = 35,
    /// Four 32-bit integers.
    Uint32x4 = 36,
    /// One 8 bits for 0 to 1.
    Unorm8 = 37,
    /// Two times 8 bits for 0 to 1.
    Unorm8x2 = 38,
    /// Four times 8 bits for 0 to 1.
    Unorm8x4 = 39,
    /// Blue, green, red and alpha of 8 bits for 0 to 1.
    Unorm8x4Bgra = 40,
    /// One 16 bits for 0 to 1.
    Unorm16 = 41,
    /// Three times 10 and once 2 bits for 0 to 1 in a word, the first in its lowest bits.
    Unorm10_10_10_2 = 42,
    /// Two times 16 bits for 0 to 1.
    Unorm16x2 = 43,
    /// Four times 16 bits for 0 to 1.
    Unorm16x4 = 44,
}

/// The descriptor as plain fields.
#[derive(Layout)]
#[br(little)]
pub struct DescriptorFields<'a> {
    /// Size of the uncompressed data in bytes: what the buffers below take (I6). Not in the file.
    pub data_len: u64,
    /// Number of vertices.
    pub n_vertices: u32,
    /// Size of the user data in bytes.
    pub user_data_len: u32,
    /// Number of meshes.
    pub mesh_count: u32,
    /// The meshes.
    #[br(count = mesh_count)]
    pub meshes: Bulk<'a, MeshInfo>,
    /// Whether there is an index buffer.
    pub has_indices: u8,
    /// Number of indices of all meshes; 0 without an index buffer.
    pub n_indices: u32,
    /// Their format.
    pub index_format: IndexFormat,
    /// Number of vertex buffers.
    pub attribute_count: u32,
    /// The vertex buffers.
    #[br(count = attribute_count)]
    pub attributes: Bulk<'a, AttributeFields<'a>>,
}

/// One vertex buffer of the descriptor as plain fields.
#[derive(Layout)]
#[br(little)]
pub struct AttributeFields<'a> {
    /// What its values mean.
    pub usage: UsageField,
    /// The number of a custom usage.
    #[br(if(usage as u8 == 0))]
    pub custom: Option<u32>,
    /// The name of a custom usage. The reference dialect has none.
    #[br(if(usage as u8 == 0))]
    pub name_len: Option<u32>,
    /// The name in UTF-8.
    #[br(if(usage as u8 == 0), count = name_len)]
    pub name: Option<Bulk<'a, u8>>,
    /// How its values are stored.
    pub format: VertexFormat,
}

/// What the values of a vertex buffer mean: the usages of both dialects.
#[derive(Layout, Debug, Clone, Copy, PartialEq, Eq)]
#[br(repr = u8)]
pub enum UsageField {
    /// Anything else.
    Custom = 0,
    /// Position.
    Position = 1,
    /// Normal.
    Normal = 2,
    /// Tangent.
    Tangent = 3,
    /// Colour.
    Color = 4,
    /// Texture coordinate; the reference dialect's first set.
    Uv = 5,
    /// The reference dialect's second set of texture coordinates.
    Uv1 = 6,
    /// Joint indices.
    JointIndex = 7,
    /// Joint weights.
    JointWeight = 8,
}

/// The buffers, one after the other, uncompressed.
#[derive(Layout)]
#[br(little, import(user_data_len: u32, has_indices: u8, index_format: IndexFormat, n_indices: u32, data_len: u64))]
pub struct Data<'a> {
    /// Anything that the application wants to keep with the meshes.
    #[br(count = user_data_len)]
    pub user_data: Bulk<'a, u8>,
    /// The index buffer.
    #[br(if(has_indices != 0), args(index_format, n_indices))]
    pub indices: Option<IndexData<'a>>,
    /// The vertex buffers in the order of the descriptor (I8).
    #[br(count = data_len - user_data_len as u64 - n_indices as u64 * (2 + 2 * (index_format as u64)))]
    pub vertices: Bulk<'a, u8>,
}

/// The index buffer.
#[derive(Layout)]
#[br(little, import(index_format: IndexFormat, n_indices: u32))]
pub enum IndexData<'a> {
    /// 16 bits each.
    #[br(pre_assert(index_format as u8 == 0))]
    U16(#[br(count = n_indices)] Bulk<'a, u16>),
    /// 32 bits each.
    #[br(pre_assert(index_format as u8 == 1))]
    U32(#[br(count = n_indices)] Bulk<'a, u32>),
}
