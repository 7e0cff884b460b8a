//! A mesh: the *Mesh Chunk Format* of the specification.

use std::mem::discriminant;

use binrw::{BinResult, BinWrite, Endian, binrw};
use bytemuck::{Pod, Zeroable};
use modular_bitfield::bitfield;
use modular_bitfield::specifiers::B9;

use super::lists::declare_lists;
use super::packing::{ChunkInput, CompressedBlock, Lz4Block};
use super::rules;
use crate::bulk::{self, Bulk, List};
use crate::layout::Layout;
use crate::layout::walk::StoredFields;
use crate::{Dialect, Error, Limit, Result, parallel, path};

/// A mesh.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(import(dialect: Dialect, input: &ChunkInput<'_>))]
#[bw(import(compressed: &CompressedChunk))]
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Chunk {
    /// 0 for 16-bit indices, 1 for 32-bit indices (C5).
    #[br(temp)]
    #[bw(calc = compressed.index_size)]
    #[layout(name = "index_size")]
    #[layout(one_of(0, 1), rule = rules::INDEX_SIZE, message = "{found}, expected {limit}")]
    index_size_byte: u8,
    /// The indices, compressed.
    #[br(temp, args(index_size_byte))]
    #[bw(calc = compressed.index_stream())]
    #[layout(name = "indices")]
    index_stream: IndexStream<'_>,
    /// Number of attribute streams.
    #[br(temp)]
    #[bw(try_calc = u8::try_from(streams.len()))]
    #[layout(
        holds(attribute_count > 0), rule = rules::NO_STREAMS,
        message = "found 0 attributes, expected at least 1"
    )]
    attribute_count: u8,
    /// The attribute streams, in any order.
    #[br(temp, count = attribute_count, args { inner: (dialect, input) })]
    #[bw(ignore)]
    #[layout(name = "streams")]
    compressed_streams: List<Stream>,
    #[br(temp, try_calc = decompress(&index_stream, index_size_byte, compressed_streams.0, input))]
    #[bw(ignore)]
    unpacked: (Indices, Vec<Stream>),
    /// The index size in the file, if it is neither 0 nor 1 and was therefore read as 32 bits. Only lenient reading
    /// accepts it (C5).
    #[br(calc = (index_size_byte > 1).then_some(index_size_byte))]
    #[bw(ignore)]
    pub index_size: Option<u8>,
    /// Vertex indices.
    #[br(calc = unpacked.0)]
    #[bw(ignore)]
    pub indices: Indices,
    /// The vertex attributes, in file order.
    #[br(calc = unpacked.1)]
    #[bw(write_with = write_streams, args(compressed))]
    pub streams: Vec<Stream>,
    /// Bytes after the last stream of a chunk in a container. Only lenient reading accepts them (C9).
    #[br(calc = Vec::new())]
    #[bw(write_with = bulk::write)]
    pub trailing: Vec<u8>,
}

/// The compressed indices.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(import(index_size: u8))]
#[derive(Debug)]
pub struct IndexStream<'a> {
    /// Size of the compressed data in bytes, at least 1 (C3).
    #[br(temp, assert(compressed_size > 0, "an LZ4 block has at least 1 byte"))]
    #[bw(try_calc = i32::try_from(data.len()))]
    #[layout(rule = rules::SIZE)]
    compressed_size: i32,
    /// Size of the uncompressed data in bytes.
    #[br(assert(uncompressed_size >= 0, "a size cannot be negative"))]
    #[layout(rule = rules::SIZE)]
    pub uncompressed_size: i32,
    /// One raw LZ4 block (C3).
    #[br(count = compressed_size)]
    #[layout(packing = lz4, size = uncompressed_size, content = Indices, args(index_size, uncompressed_size))]
    pub data: Bulk<'a, u8>,
}

declare_lists! {
    /// Vertex indices, in the width stored in the file.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub enum Indices(index_size: u8; size) each #[layout(
        index_into = streams[0].data, rule = rules::INDEX_RANGE,
        message = "index {found} is not below the vertex count {limit}"
    )] {
        /// 16-bit indices.
        U16: u16, 2 bytes, "u16",
            if index_size == 0, #[layout(
                holds(size / 2 % 3 == 0), rule = rules::TRIANGLES,
                message = "index count {items} is not a multiple of 3"
            )];
        /// 32-bit indices.
        U32: u32, 4 bytes, "u32",
            if index_size != 0, #[layout(
                holds(size / 4 % 3 == 0), rule = rules::TRIANGLES,
                message = "index count {items} is not a multiple of 3"
            )];
    }
}

/// A vertex attribute: a header and the compressed values.
#[derive(Layout, StoredFields)]
#[binrw]
#[brw(little)]
#[br(import(dialect: Dialect, input: &ChunkInput<'_>))]
#[bw(import(compressed: &CompressedStream))]
#[derive(Debug, Clone, PartialEq)]
pub struct Stream {
    /// The attribute; exactly one bit is set (C2).
    #[br(temp, assert(
        attribute.position_3d() as u8 + attribute.position_2d() as u8 + attribute.normal() as u8
            + attribute.uv() as u8 + attribute.bit_4() as u8 + attribute.bit_5() as u8
            + attribute.bit_6() as u8 == 1
            && attribute.reserved() == 0 && (dialect == Dialect::TANGENT || !attribute.bit_6()),
        "the attribute does not have exactly one known bit set"
    ))]
    #[bw(calc = compressed.attribute)]
    #[layout(rule = rules::ATTRIBUTE)]
    #[layout(unique, rule = rules::DUPLICATE)]
    #[layout(
        some(attribute.position_3d || attribute.position_2d), rule = rules::POSITION,
        message = "no stream has positions"
    )]
    attribute: AttributeFlags,
    /// Size of the compressed data in bytes, at least 1 (C3).
    #[br(temp, assert(compressed_size > 0, "an LZ4 block has at least 1 byte"))]
    #[bw(try_calc = i32::try_from(compressed.block.bytes.len()))]
    #[layout(rule = rules::SIZE)]
    compressed_size: i32,
    /// Size of the uncompressed data in bytes.
    #[br(temp, assert(uncompressed_size >= 0, "a size cannot be negative"))]
    #[bw(calc = compressed.block.uncompressed_size)]
    #[layout(rule = rules::SIZE)]
    uncompressed_size: i32,
    /// One raw LZ4 block (C3).
    #[br(temp, count = compressed_size)]
    #[bw(calc = Bulk::Values(&compressed.block.bytes))]
    #[layout(
        packing = lz4, size = uncompressed_size, content = Values, args(attribute, dialect, uncompressed_size)
    )]
    data: Bulk<'_, u8>,
    /// One value per vertex. The reader fills this list last: it decompresses all streams of a chunk in parallel.
    #[br(try_calc = defer(input, input.lz4_block(&data, uncompressed_size), Values::empty(attribute, dialect)))]
    #[bw(ignore)]
    pub values: Values,
}

impl From<Values> for Stream {
    fn from(values: Values) -> Stream {
        Stream { values }
    }
}

/// The attribute of a stream: 16 bits (C1).
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
    /// Colour; tangent in the tangent dialect.
    pub bit_4: bool,
    /// Bone weights; colour in the tangent dialect.
    pub bit_5: bool,
    /// Reserved; bone weights in the tangent dialect.
    pub bit_6: bool,
    /// Reserved for future use.
    #[layout(reserved)]
    pub reserved: B9,
}

declare_lists! {
    /// The values of one attribute, one per vertex.
    #[derive(Debug, Clone, PartialEq)]
    pub enum Values(attribute: AttributeFlags, dialect: Dialect; size)
    each #[layout(same_length, rule = rules::COUNT)] {
        /// Position (X, Y, Z): +X right, +Y up, +Z forward (C12).
        Position3d: [f32; 3], 12 bytes, "position_3d" in Chunk::positions_3d,
            if attribute.position_3d();
        /// Position (X, Y): +X right, +Y up.
        Position2d: [f32; 2], 8 bytes, "position_2d" in Chunk::positions_2d,
            if attribute.position_2d();
        /// Normal (X, Y, Z).
        Normal: [f32; 3], 12 bytes, "normal" in Chunk::normals,
            if attribute.normal(),
            #[layout(unit_vector, plausible)];
        /// UV coordinate (U, V): (0, 0) is the top left of the image.
        Uv: [f32; 2], 8 bytes, "uv" in Chunk::uvs,
            if attribute.uv();
        /// Tangent (X, Y, Z), only in the tangent dialect (C10).
        Tangent: [f32; 3], 12 bytes, "tangent" in Chunk::tangents,
            if dialect == Dialect::TANGENT && attribute.bit_4(),
            #[layout(unit_vector, plausible)];
        /// Colour (red, green, blue, alpha).
        Color: [u8; 4], 4 bytes, "color" in Chunk::colors,
            if dialect == Dialect::SPEC && attribute.bit_4() || dialect == Dialect::TANGENT && attribute.bit_5();
        /// Four bones and their influences (C7).
        BoneWeights: [BoneWeight; 4], 24 bytes, "bone_weights" in Chunk::bone_weights,
            if dialect == Dialect::SPEC && attribute.bit_5() || dialect == Dialect::TANGENT && attribute.bit_6(),
            #[layout(
                sum = 1, tolerance = 0.001, of = influence, rule = rules::WEIGHT_SUM,
                message = "the influences add up to {found}"
            )];
    }
}

/// A bone and its influence on a vertex: 6 bytes (C7).
#[derive(Layout, Debug, Clone, Copy, PartialEq, Default, Pod, Zeroable)]
#[repr(C, packed)]
pub struct BoneWeight {
    /// Bone ID.
    pub bone: u16,
    /// Influence; the four influences of a vertex add up to 1.0 (C8).
    pub influence: f32,
}

/// Defers the decompression of a stream. Returns the list `empty`, to be replaced later; an error if `empty` is `None`.
fn defer<'i>(
    input: &ChunkInput<'i>,
    block: CompressedBlock<'i>,
    empty: Option<Values>,
) -> Result<Values> {
    input.deferred.borrow_mut().push(block);
    empty.ok_or_else(no_variant_error)
}

fn no_variant_error() -> Error {
    Error::malformed("no variant applies")
}

/// Decompresses the indices and streams of a chunk.
fn decompress(
    indices: &IndexStream<'_>,
    index_size: u8,
    mut streams: Vec<Stream>,
    input: &ChunkInput<'_>,
) -> Result<(Indices, Vec<Stream>)> {
    let indices = input.lz4_block(&indices.data, indices.uncompressed_size);
    let deferred = input.deferred.take();
    let size: u64 = deferred
        .iter()
        .chain([&indices])
        .map(|block| block.size as u64)
        .sum();
    let error = |text| Error::limit_exceeded(Limit::Decoded, text).at(path!(chunks[input.chunk]));
    input.limits.check_decoded(size).map_err(error)?;
    let (indices, values) = parallel::join(
        || {
            Indices::empty(index_size)
                .ok_or_else(no_variant_error)?
                .decompress(&indices)
        },
        || {
            parallel::try_map(&deferred, |index, block| {
                streams[index].values.decompress(block)
            })
        },
    );
    for (stream, values) in streams.iter_mut().zip(values?) {
        stream.values = values;
    }
    Ok((indices?, streams))
}

/// A chunk whose lists are compressed.
#[derive(Debug)]
pub struct CompressedChunk {
    /// The index size in the file.
    pub index_size: u8,
    /// The compressed indices.
    pub indices: Lz4Block,
    /// The compressed streams.
    pub streams: Vec<CompressedStream>,
}

/// The attribute and compressed values of a stream.
#[derive(Debug)]
pub struct CompressedStream {
    /// The attribute.
    pub attribute: AttributeFlags,
    /// The compressed values.
    pub block: Lz4Block,
}

impl CompressedChunk {
    fn index_stream(&self) -> IndexStream<'_> {
        let Lz4Block {
            uncompressed_size,
            bytes,
        } = &self.indices;
        IndexStream {
            uncompressed_size: *uncompressed_size,
            data: Bulk::Values(bytes),
        }
    }
}

#[allow(
    clippy::ptr_arg,
    reason = "`write_with` passes a reference to the field"
)]
fn write_streams<W: binrw::io::Write + binrw::io::Seek>(
    streams: &Vec<Stream>,
    writer: &mut W,
    endian: Endian,
    (compressed,): (&CompressedChunk,),
) -> BinResult<()> {
    let mut streams = streams.iter().zip(&compressed.streams);
    streams.try_for_each(|(stream, compressed)| stream.write_options(writer, endian, (compressed,)))
}

impl Chunk {
    /// Compresses the indices and streams. `chunk` is the index of the chunk, for error paths.
    pub(super) fn compress(&self, dialect: Dialect, chunk: usize) -> Result<CompressedChunk> {
        let index_size = match (&self.indices, self.index_size) {
            (Indices::U16(_), None) => 0,
            (Indices::U32(_), None) => 1,
            (Indices::U32(_), Some(size @ 2..)) => size,
            (_, Some(size)) => {
                let message = format!("index size {size}, expected 2 or more with 32-bit indices");
                return Err(Error::inexpressible(message).at(path!(chunks[chunk].index_size)));
            }
        };
        let count = self.streams.len();
        if count > u8::MAX.into() {
            let message = format!("{count} streams, but the format allows at most {}", u8::MAX);
            return Err(Error::inexpressible(message).at(path!(chunks[chunk].streams)));
        }
        let compress = |position: usize, stream: &Stream| {
            stream
                .compress(dialect)
                .map_err(|error| error.at(path!(chunks[chunk].streams[position])))
        };
        let (indices, streams) = parallel::join(
            || Lz4Block::compress(&self.indices.to_bytes()),
            || parallel::try_map(&self.streams, compress),
        );
        let indices = indices.map_err(|error| error.at(path!(chunks[chunk].indices)))?;
        Ok(CompressedChunk {
            index_size,
            indices,
            streams: streams?,
        })
    }

    /// The total uncompressed size of the lists in bytes.
    pub(in super::super) fn uncompressed_size(&self) -> usize {
        let streams = self
            .streams
            .iter()
            .map(|stream| stream.values.to_bytes().len());
        self.indices.to_bytes().len() + streams.sum::<usize>()
    }
}

impl Stream {
    fn compress(&self, dialect: Dialect) -> Result<CompressedStream> {
        let Stream { values } = self;
        let attribute = values.attribute(dialect).ok_or_else(|| {
            Error::inexpressible(format!(
                "the {dialect} dialect has no attribute {}",
                values.name()
            ))
        })?;
        Ok(CompressedStream {
            attribute,
            block: Lz4Block::compress(&values.to_bytes())?,
        })
    }
}

impl Values {
    /// Returns the attribute of the values; `None` if the dialect lacks it.
    pub fn attribute(&self, dialect: Dialect) -> Option<AttributeFlags> {
        let has_same_variant = |empty: Values| discriminant(&empty) == discriminant(self);
        let mut attributes = AttributeFlags::single_bits();
        attributes
            .find(|attribute| Values::empty(*attribute, dialect).is_some_and(has_same_variant))
    }
}

impl AttributeFlags {
    /// Returns `true` if the meaning of a set bit depends on the dialect (C10).
    pub(in super::super) fn depends_on_dialect(self) -> bool {
        self.bit_4() || self.bit_5() || self.bit_6()
    }

    /// Returns all flags with exactly one bit set.
    pub(in super::super) fn single_bits() -> impl Iterator<Item = AttributeFlags> {
        (0..16).map(|bit| AttributeFlags::from_bytes(u16::to_le_bytes(1 << bit)))
    }
}
