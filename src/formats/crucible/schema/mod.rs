//! The declaration of Crucible: structs with the names and order of the specification, and the container that real
//! files use (C11). The meaning of attribute bits depends on `dialect` (C10).

#![allow(
    clippy::expect_used,
    reason = "in the setters that modular-bitfield generates"
)]

pub(super) mod chunk;
mod lists;
pub(super) mod packing;
pub(super) mod rules;

use std::io::Cursor;
use std::sync::LazyLock;

use binrw::{BinRead, BinResult, BinWrite, Endian, VecArgs, binrw};

pub use chunk::{AttributeFlags, BoneWeight, Chunk, IndexStream, Indices, Stream, Values};
pub use packing::{ChunkInput, CompressedBlock};

use crate::bulk::{self, Bulk};
use crate::layout::Layout;
use crate::layout::declaration::{Type, bind_partially};
use crate::layout::expr::Value;
use crate::{Dialect, Error, Result, parallel, path};

/// The name of the format on the command line and in messages.
pub const NAME: &str = "crucible";

impl Dialect {
    /// Crucible: tangents at bit 4, colour at bit 5, bone weights at bit 6 (C10).
    pub const TANGENT: Dialect = Dialect::new("tangent", 2);
}

/// A Crucible file: one chunk, or a container of chunks (C11).
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(import(dialect: Dialect, container: Container, input: &ChunkInput<'_>))]
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Document {
    /// The dialect, which determines the meaning of attribute bits.
    #[br(calc = dialect)]
    #[bw(ignore)]
    pub dialect: Dialect,
    /// The container of the chunks.
    #[br(calc = container)]
    #[bw(ignore)]
    pub container: Container,
    /// The header of a container.
    #[br(temp, if(container == Container::Model))]
    #[bw(if(*container == Container::Model), try_calc = ModelHeader::for_chunks(chunks))]
    header: ModelHeader,
    /// The chunks, one per mesh; exactly one in a bare file.
    #[br(
        count = if container == Container::Model { header.chunk_count } else { 1 },
        args { inner: (dialect, container, input) }, parse_with = read_chunks
    )]
    #[bw(args(*dialect, *container), write_with = write_chunks)]
    #[layout(stored_as = Vec<StoredChunk>)]
    pub chunks: Vec<Chunk>,
    /// Bytes after the last chunk. Only lenient reading accepts them (C9).
    #[br(calc = Vec::new())]
    #[bw(write_with = bulk::write)]
    pub trailing: Vec<u8>,
}

/// The container of the chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Container {
    /// No container: the file is a bare chunk.
    #[default]
    Chunk,
    /// A `.cmodel` file (C11).
    Model,
}

impl From<Container> for Value {
    fn from(container: Container) -> Value {
        Value::Int(container as i128)
    }
}

/// The header of a `.cmodel` file (C11).
#[derive(Layout)]
#[binrw]
#[brw(little, magic = b"cmodel\n")]
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ModelHeader {
    /// Number of chunks.
    pub chunk_count: u32,
}

/// A chunk, bare or in a container.
#[derive(Layout)]
#[br(import(dialect: Dialect, container: Container))]
pub enum StoredChunk {
    /// A bare chunk.
    #[br(pre_assert(container == Container::Chunk))]
    Bare(#[br(args(dialect))] Chunk),
    /// A chunk in a container.
    #[br(pre_assert(container == Container::Model))]
    Contained(#[br(args(dialect))] ModelChunk<'static>),
}

/// A chunk in a container.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(import(dialect: Dialect))]
#[derive(Debug)]
pub struct ModelChunk<'a> {
    /// Size of the chunk in bytes.
    #[br(temp)]
    #[bw(calc = chunk.len() as u64)]
    length: u64,
    /// The chunk.
    #[br(count = length)]
    #[layout(content = Chunk, args(dialect), inline)]
    pub chunk: Bulk<'a, u8>,
}

impl ModelHeader {
    pub(super) fn for_chunks(chunks: &[Chunk]) -> Result<ModelHeader> {
        let chunk_count = u32::try_from(chunks.len()).map_err(|_| {
            let message = format!(
                "{} chunks, but the format allows at most {}",
                chunks.len(),
                u32::MAX
            );
            Error::inexpressible(message).at(path!(chunks))
        })?;
        Ok(ModelHeader { chunk_count })
    }
}

fn read_chunks<R: binrw::io::Read + binrw::io::Seek>(
    reader: &mut R,
    endian: Endian,
    args: VecArgs<(Dialect, Container, &ChunkInput<'_>)>,
) -> BinResult<Vec<Chunk>> {
    let (dialect, container, input) = args.inner;
    let mut limits = input.limits;
    let read = |index| {
        let chunk = match container {
            Container::Chunk => Chunk::read_options(
                reader,
                endian,
                (dialect, &ChunkInput::new(input.bytes, limits, index)),
            )?,
            Container::Model => {
                let bytes = ModelChunk::read_options(reader, endian, (dialect,))?
                    .chunk
                    .bytes(input.bytes);
                let mut cursor = Cursor::new(bytes);
                let input = ChunkInput::new(bytes, limits, index);
                let chunk = Chunk::read_options(&mut cursor, endian, (dialect, &input))?;
                Chunk {
                    trailing: bytes[cursor.position() as usize..].to_vec(),
                    ..chunk
                }
            }
        };
        limits.max_decoded -= chunk.uncompressed_size() as u64;
        Ok(chunk)
    };
    (0..args.count).map(read).collect()
}

#[allow(
    clippy::ptr_arg,
    reason = "`write_with` passes a reference to the field"
)]
fn write_chunks<W: binrw::io::Write + binrw::io::Seek>(
    chunks: &Vec<Chunk>,
    writer: &mut W,
    endian: Endian,
    (dialect, container): (Dialect, Container),
) -> BinResult<()> {
    let compressed = check_container(chunks, container)
        .and_then(|()| parallel::try_map(chunks, |index, chunk| chunk.compress(dialect, index)))
        .map_err(|error| binrw::Error::Custom {
            pos: 0,
            err: Box::new(error),
        })?;
    for (chunk, compressed) in chunks.iter().zip(&compressed) {
        if container == Container::Chunk {
            chunk.write_options(writer, endian, (compressed,))?;
            continue;
        }
        let mut bytes = Cursor::new(Vec::new());
        chunk.write_options(&mut bytes, endian, (compressed,))?;
        ModelChunk {
            chunk: Bulk::Values(bytes.get_ref()),
        }
        .write_options(writer, endian, ())?;
    }
    Ok(())
}

/// Rejects data that a file without a container cannot store.
fn check_container(chunks: &[Chunk], container: Container) -> Result<()> {
    match (container, chunks) {
        (Container::Model, _) => Ok(()),
        (Container::Chunk, [chunk]) if chunk.trailing.is_empty() => Ok(()),
        (Container::Chunk, [_]) => {
            let message =
                "bytes after a bare chunk must be in `trailing` of the document, not of the chunk";
            Err(Error::inexpressible(message).at(path!(chunks[0].trailing)))
        }
        (Container::Chunk, chunks) => {
            let message = format!(
                "{} chunks, but a file without a container has exactly one",
                chunks.len()
            );
            Err(Error::inexpressible(message).at(path!(chunks)))
        }
    }
}

/// The name and the layout for each container and dialect.
pub(super) static LAYOUTS: LazyLock<[(&str, &Type); 4]> = LazyLock::new(|| {
    let bind_container = |prefix, container: Container| {
        bind_partially(&Document::TYPE, prefix, vec![None, Some(container.into())])
    };
    let (chunk, model) = (
        bind_container("", Container::Chunk),
        bind_container("Model", Container::Model),
    );
    let spec = |ty| bind_partially(ty, "", vec![Some(Dialect::SPEC.into())]);
    let tangent = |ty| bind_partially(ty, "Tangent", vec![Some(Dialect::TANGENT.into())]);
    [
        ("crucible_chunk", spec(chunk)),
        ("crucible_model", spec(model)),
        ("crucible_chunk_tangent", tangent(chunk)),
        ("crucible_model_tangent", tangent(model)),
    ]
});

pub(super) fn layout_of(container: Container, dialect: Dialect) -> &'static Type {
    let [
        (_, chunk),
        (_, model),
        (_, tangent_chunk),
        (_, tangent_model),
    ] = *LAYOUTS;
    match (container, dialect) {
        (Container::Chunk, Dialect::TANGENT) => tangent_chunk,
        (Container::Model, Dialect::TANGENT) => tangent_model,
        (Container::Chunk, _) => chunk,
        (Container::Model, _) => model,
    }
}
