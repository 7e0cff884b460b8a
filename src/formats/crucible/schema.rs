//! The declaration of Crucible's mesh chunk: structs in the order of the specification, and the container around
//! chunks that real files have (C11).
//!
//! The tangent dialect (C10) has the same structs; what its attribute bits mean is chosen by `tangent`.

#![allow(clippy::expect_used, reason = "in the setters that modular-bitfield generates")]

use binrw::binrw;
use bytemuck::{Pod, Zeroable};
use meshspec_derive::Layout;
use modular_bitfield::bitfield;
use modular_bitfield::specifiers::B9;

use crate::bulk::{Bulk, List, Plain};

/// A file of one bare chunk.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[derive(Debug)]
pub struct ChunkFile<'a> {
    /// The only chunk.
    #[br(count = 1, args { inner: (false,) })]
    pub chunks: List<Chunk<'a>>,
}

/// A file of one bare chunk in the tangent dialect.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[derive(Debug)]
pub struct TangentChunkFile<'a> {
    /// The only chunk.
    #[br(count = 1, args { inner: (true,) })]
    pub chunks: List<Chunk<'a>>,
}

/// A `.cmodel` file: chunks with their lengths (C11).
#[derive(Layout)]
#[binrw]
#[brw(little, magic = b"cmodel\n")]
#[derive(Debug)]
pub struct ModelFile<'a> {
    /// Number of chunks.
    pub chunk_count: u32,
    /// The chunks, one per mesh.
    #[br(count = chunk_count)]
    pub chunks: List<ModelChunk<'a>>,
}

/// A `.cmodel` file in the tangent dialect.
#[derive(Layout)]
#[binrw]
#[brw(little, magic = b"cmodel\n")]
#[derive(Debug)]
pub struct TangentModelFile<'a> {
    /// Number of chunks.
    pub chunk_count: u32,
    /// The chunks, one per mesh.
    #[br(count = chunk_count)]
    pub chunks: List<TangentModelChunk<'a>>,
}

/// A chunk in a container.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[derive(Debug)]
pub struct ModelChunk<'a> {
    /// Size of the chunk in bytes.
    pub length: u64,
    /// The chunk.
    #[br(count = length)]
    #[layout(content = Chunk<'static>, args(false), inline)]
    pub chunk: Bulk<'a, u8>,
}

/// A chunk in a container, in the tangent dialect.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[derive(Debug)]
pub struct TangentModelChunk<'a> {
    /// Size of the chunk in bytes.
    pub length: u64,
    /// The chunk.
    #[br(count = length)]
    #[layout(content = Chunk<'static>, args(true), inline)]
    pub chunk: Bulk<'a, u8>,
}

/// One mesh.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(import(tangent: bool))]
#[derive(Debug)]
pub struct Chunk<'a> {
    /// 0 for 16-bit indices, 1 for 32-bit indices (C5).
    pub index_size: u8,
    /// The index data.
    #[br(args(index_size))]
    pub indices: IndexStream<'a>,
    /// Number of attribute streams.
    pub attribute_count: u8,
    /// The attributes, one stream each, in any order.
    #[br(count = attribute_count, args { inner: (tangent,) })]
    pub streams: List<AttributeStream<'a>>,
}

/// The index data, compressed.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(import(index_size: u8))]
#[derive(Debug)]
pub struct IndexStream<'a> {
    /// Size of the compressed data in bytes, 1 at least (C3).
    #[br(assert(compressed_size > 0, "an LZ4 block has 1 byte at least"))]
    #[layout(rule = "CRUCIBLE-SIZE")]
    pub compressed_size: i32,
    /// Size of the uncompressed data in bytes.
    #[br(assert(uncompressed_size >= 0, "a size cannot be negative"))]
    #[layout(rule = "CRUCIBLE-SIZE")]
    pub uncompressed_size: i32,
    /// One raw LZ4 block (C3).
    #[br(count = compressed_size)]
    #[layout(packing = lz4, size = uncompressed_size, content = IndexData<'static>, args(index_size, uncompressed_size))]
    pub data: Bulk<'a, u8>,
}

/// Indices, uncompressed.
#[derive(Layout)]
#[br(import(index_size: u8, size: i32))]
pub enum IndexData<'a> {
    /// 16 bits each.
    #[br(pre_assert(index_size == 0))]
    U16(#[br(count = size / 2)] Bulk<'a, u16>),
    /// 32 bits each.
    #[br(pre_assert(index_size != 0))]
    U32(#[br(count = size / 4)] Bulk<'a, u32>),
}

/// The data of one attribute, compressed.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(import(tangent: bool))]
#[derive(Debug)]
pub struct AttributeStream<'a> {
    /// Which attribute: exactly one bit (C2).
    #[br(assert(
        attribute.position_3d() as u8 + attribute.position_2d() as u8 + attribute.normal() as u8
            + attribute.uv() as u8 + attribute.bit_4() as u8 + attribute.bit_5() as u8
            + attribute.bit_6() as u8 == 1
            && attribute.reserved() == 0 && (tangent || !attribute.bit_6()),
        "the attribute is not exactly one known bit"
    ))]
    #[layout(rule = "CRUCIBLE-ATTRIBUTE")]
    pub attribute: AttributeFlags,
    /// Size of the compressed data in bytes, 1 at least (C3).
    #[br(assert(compressed_size > 0, "an LZ4 block has 1 byte at least"))]
    #[layout(rule = "CRUCIBLE-SIZE")]
    pub compressed_size: i32,
    /// Size of the uncompressed data in bytes.
    #[br(assert(uncompressed_size >= 0, "a size cannot be negative"))]
    #[layout(rule = "CRUCIBLE-SIZE")]
    pub uncompressed_size: i32,
    /// One raw LZ4 block (C3).
    #[br(count = compressed_size)]
    #[layout(
        packing = lz4, size = uncompressed_size, content = AttributeData<'static>,
        args(attribute, uncompressed_size, tangent)
    )]
    pub data: Bulk<'a, u8>,
}

/// Which attribute a stream holds: 16 bits (C1).
#[derive(Layout)]
#[bitfield(bits = 16)]
#[binrw]
#[br(map = Self::from_bytes)]
#[bw(map = |flags: &Self| flags.into_bytes())]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttributeFlags {
    /// 3D position.
    pub position_3d: bool,
    /// 2D position.
    pub position_2d: bool,
    /// Normal.
    pub normal: bool,
    /// UV coordinate.
    pub uv: bool,
    /// Colour; in the tangent dialect tangent.
    pub bit_4: bool,
    /// Bone weights; in the tangent dialect colour.
    pub bit_5: bool,
    /// Reserved; in the tangent dialect bone weights.
    pub bit_6: bool,
    /// Reserved for future use.
    #[layout(reserved)]
    pub reserved: B9,
}

/// The values of one attribute, one per vertex, uncompressed.
#[derive(Layout)]
#[br(import(attribute: AttributeFlags, size: i32, tangent: bool))]
pub enum AttributeData<'a> {
    /// Position (X, Y, Z): +X right, +Y up, +Z forward (C12).
    #[br(pre_assert(attribute.position_3d()))]
    Position3d(#[br(count = size / 12)] Bulk<'a, [f32; 3]>),
    /// Position (X, Y): +X right, +Y up.
    #[br(pre_assert(attribute.position_2d()))]
    Position2d(#[br(count = size / 8)] Bulk<'a, [f32; 2]>),
    /// Normal (X, Y, Z).
    #[br(pre_assert(attribute.normal()))]
    Normal(#[br(count = size / 12)] Bulk<'a, [f32; 3]>),
    /// UV coordinate (U, V): (0, 0) is the top left of the image.
    #[br(pre_assert(attribute.uv()))]
    Uv(#[br(count = size / 8)] Bulk<'a, [f32; 2]>),
    /// Tangent (X, Y, Z), in the tangent dialect only (C10).
    #[br(pre_assert(tangent && attribute.bit_4()))]
    Tangent(#[br(count = size / 12)] Bulk<'a, [f32; 3]>),
    /// Colour (red, green, blue, alpha).
    #[br(pre_assert(!tangent && attribute.bit_4() || tangent && attribute.bit_5()))]
    Color(#[br(count = size / 4)] Bulk<'a, [u8; 4]>),
    /// Four bones and their influences (C7).
    #[br(pre_assert(!tangent && attribute.bit_5() || tangent && attribute.bit_6()))]
    BoneWeights(#[br(count = size / 24)] Bulk<'a, [BoneWeight; 4]>),
}

/// A bone and its influence on a vertex: 6 bytes (C7).
#[derive(Layout, Debug, Clone, Copy, PartialEq, Default, Pod, Zeroable)]
#[repr(C, packed)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct BoneWeight {
    /// Bone ID.
    pub bone: u16,
    /// Influence; the four of a vertex add up to 1.0 (C8).
    #[cfg_attr(feature = "serde", serde(with = "crate::float"))]
    pub influence: f32,
}

impl Plain for BoneWeight {
    fn swap_bytes(self) -> BoneWeight {
        BoneWeight { bone: self.bone.swap_bytes(), influence: Plain::swap_bytes(self.influence) }
    }
}

#[cfg(feature = "serde")]
crate::float::as_it_is!(BoneWeight);
