//! What the declaration of Crucible cannot say: which dialect a file is, and how its streams unpack into a document.

use std::io::Cursor;
use std::ops::Range;

use binrw::{BinRead, BinWrite};

use super::document::unpack_values;
use super::schema::{
    self, AttributeData, AttributeFlags, AttributeStream, ChunkFile, IndexStream, ModelFile,
    TangentChunkFile, TangentModelFile,
};
use super::{Chunk, Container, Document, Indices, Stream, rules};
use crate::bulk::{self, Bulk, List};
use crate::layout::{Layout, Shape, Type, Variant};
use crate::{Confidence, Detection, Dialect, Error, Limits, Path, Result, path};

/// What a container starts with.
const MAGIC: &[u8] = b"cmodel\n";

/// The declaration of a file of this dialect.
pub(super) fn layout(bytes: &[u8], dialect: Dialect) -> &'static Type {
    match (container_of(bytes), dialect) {
        (Container::Chunk, Dialect::Tangent) => &TangentChunkFile::TYPE,
        (Container::Chunk, _) => &ChunkFile::TYPE,
        (Container::Model, Dialect::Tangent) => &TangentModelFile::TYPE,
        (Container::Model, _) => &ModelFile::TYPE,
    }
}

fn container_of(bytes: &[u8]) -> Container {
    if bytes.starts_with(MAGIC) { Container::Model } else { Container::Chunk }
}

/// The chunks of a file: for each the bytes that it may take, and where the last one must end.
fn chunk_ranges(bytes: &[u8]) -> Result<(Vec<Range<usize>>, usize)> {
    match container_of(bytes) {
        Container::Chunk => Ok((std::iter::once(0..bytes.len()).collect(), bytes.len())),
        Container::Model => {
            let mut cursor = Cursor::new(bytes);
            let file = ModelFile::read(&mut cursor).map_err(Error::malformed)?;
            let ranges = file.chunks.0.into_iter().filter_map(|chunk| match chunk.chunk {
                Bulk::Found(range) => Some(range),
                Bulk::Given(_) => None,
            });
            Ok((ranges.collect(), cursor.position() as usize))
        }
    }
}

/// The headers of a chunk, and how many bytes it takes.
fn parse<'b>(bytes: &'b [u8], dialect: Dialect) -> Result<(schema::Chunk<'b>, usize)> {
    let mut cursor = Cursor::new(bytes);
    let tangent = dialect == Dialect::Tangent;
    let chunk = schema::Chunk::read_args(&mut cursor, (tangent,)).map_err(Error::malformed)?;
    Ok((chunk, cursor.position() as usize))
}

/// Whether the bytes have the structure of Crucible, and in which dialect: that of the specification, unless the sizes
/// of the streams fit the tangent dialect only (C10).
pub(super) fn detect(bytes: &[u8]) -> Detection {
    let chunks = headers(bytes).unwrap_or_default();
    let fit = |dialect| chunks.iter().all(|(chunk, _)| sizes_fit(chunk, dialect));
    let (spec, tangent) = (fit(Dialect::Spec), fit(Dialect::Tangent));
    let dialect = if tangent && !spec { Dialect::Tangent } else { Dialect::Spec };
    let confidence = match &chunks[..] {
        _ if bytes.starts_with(MAGIC) => Confidence::Magic,
        [(chunk, end)] if chunk.index_size <= 1 => {
            // An empty stream is packed as one byte (C3). Files of other formats that say little may look otherwise.
            let sizes =
                chunk.streams.0.iter().map(|stream| (stream.compressed_size, stream.uncompressed_size));
            let mut sizes = sizes.chain([(chunk.indices.compressed_size, chunk.indices.uncompressed_size)]);
            let fits = (spec || tangent) && sizes.all(|(packed, unpacked)| unpacked != 0 || packed == 1);
            if fits && *end == bytes.len() { Confidence::Structure } else { Confidence::Possible }
        }
        _ => Confidence::None,
    };
    Detection { confidence, dialect }
}

/// The headers of the chunks of a file. The tangent dialect knows every attribute bit of the specification and one more.
fn headers(bytes: &[u8]) -> Result<Vec<(schema::Chunk<'_>, usize)>> {
    let (ranges, _) = chunk_ranges(bytes)?;
    ranges.into_iter().map(|range| parse(&bytes[range], Dialect::Tangent)).collect()
}

/// Whether all streams have values for the same number of vertices in this dialect.
fn sizes_fit(chunk: &schema::Chunk, dialect: Dialect) -> bool {
    let mut counts = chunk.streams.0.iter().map(|stream| {
        let size = stream.uncompressed_size as u64;
        let value = value_size(variant_of(stream.attribute, dialect)?)?;
        size.is_multiple_of(value).then_some(size / value)
    });
    match counts.next() {
        Some(first) => first.is_some() && counts.all(|count| count == first),
        None => true,
    }
}

/// What a stream of this attribute holds, as the declaration chooses it.
fn variant_of(attribute: AttributeFlags, dialect: Dialect) -> Option<&'static Variant> {
    let Type::Declared(declaration) = AttributeData::TYPE else { return None };
    let Shape::Choice(variants) = declaration.shape else { return None };
    let tangent = dialect == Dialect::Tangent;
    let scope = declaration.bind([attribute.into(), 0.into(), tangent.into()]);
    variants.iter().find(|variant| variant.condition.eval_bool(&scope) == Ok(true))
}

/// Size in bytes of a value of this attribute.
fn value_size(variant: &Variant) -> Option<u64> {
    match variant.field.ty {
        Type::List(value) => value.size(),
        _ => None,
    }
}

/// The bit of the attribute that a stream holds; `None` if the dialect has no such attribute.
fn flags_of(stream: &Stream, dialect: Dialect) -> Option<AttributeFlags> {
    let mut flags = (0..16).map(|bit| AttributeFlags::from_bytes(u16::to_le_bytes(1 << bit)));
    flags.find(|flags| variant_of(*flags, dialect).is_some_and(|variant| variant.name == stream.variant()))
}

/// Decodes a file of this dialect, checking nothing but its structure.
pub(super) fn read(bytes: &[u8], dialect: Dialect, limits: &Limits) -> Result<Document> {
    let (ranges, end) = chunk_ranges(bytes)?;
    let mut document = Document {
        dialect,
        container: container_of(bytes),
        trailing: bytes[end..].to_vec(),
        ..Document::default()
    };
    let mut limits = *limits;
    for (index, range) in ranges.into_iter().enumerate() {
        let mut chunk = read_chunk(&bytes[range], dialect, &mut limits, index)?;
        if document.container == Container::Chunk {
            document.trailing = std::mem::take(&mut chunk.trailing);
        }
        document.chunks.push(chunk);
    }
    Ok(document)
}

/// Decodes a chunk and takes what it unpacks to off the limits.
fn read_chunk(bytes: &[u8], dialect: Dialect, limits: &mut Limits, index: usize) -> Result<Chunk> {
    let (chunk, end) = parse(bytes, dialect)?;
    let sizes = chunk.streams.0.iter().map(|stream| stream.uncompressed_size);
    let total: u64 = sizes.chain([chunk.indices.uncompressed_size]).map(|size| size as u64).sum();
    if total > limits.max_decoded {
        let message = format!("unpacks to {total} bytes, over the limit of {}", limits.max_decoded);
        return Err(Error::limit_exceeded(message).at(path!(chunks[index])));
    }
    let (indices, streams) = both(
        || read_indices(bytes, &chunk, limits, index),
        || read_streams(bytes, &chunk.streams.0, dialect, limits, index),
    );
    limits.max_decoded -= total;
    Ok(Chunk {
        index_size: (chunk.index_size > 1).then_some(chunk.index_size),
        indices: indices?,
        streams: streams?,
        trailing: bytes[end..].to_vec(),
    })
}

#[cfg(feature = "parallel")]
use rayon::join as both;

#[cfg(not(feature = "parallel"))]
fn both<A, B>(a: impl FnOnce() -> A, b: impl FnOnce() -> B) -> (A, B) {
    (a(), b())
}

fn read_indices(bytes: &[u8], chunk: &schema::Chunk, limits: &Limits, index: usize) -> Result<Indices> {
    let stream = &chunk.indices;
    let packed = stream.data.bytes(bytes);
    let size = stream.uncompressed_size as u64;
    let wide = chunk.index_size != 0;
    let value = if wide { 4 } else { 2 };
    if !size.is_multiple_of(value) {
        return Err(uneven(path!(chunks[index].indices.uncompressed_size), size, value));
    }
    if wide {
        unpack_values(packed, size, limits).map(Indices::U32).map_err(Error::from)
    } else {
        unpack_values(packed, size, limits).map(Indices::U16).map_err(Error::from)
    }
}

fn read_streams(
    bytes: &[u8],
    streams: &[AttributeStream],
    dialect: Dialect,
    limits: &Limits,
    chunk: usize,
) -> Result<Vec<Stream>> {
    let read = |(index, stream): (usize, &AttributeStream)| {
        let size = stream.uncompressed_size as u64;
        let unknown = || Error::malformed("unknown attribute");
        let variant = variant_of(stream.attribute, dialect).ok_or_else(unknown)?;
        let value = value_size(variant).ok_or_else(unknown)?;
        if !size.is_multiple_of(value) {
            let path = path!(chunks[chunk].streams[index].uncompressed_size);
            return Err(uneven(path, size, value));
        }
        let packed = stream.data.bytes(bytes);
        Stream::unpack(variant.name, packed, size, limits).ok_or_else(unknown)?.map_err(Error::from)
    };
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        streams.par_iter().enumerate().map(read).collect()
    }
    #[cfg(not(feature = "parallel"))]
    streams.iter().enumerate().map(read).collect()
}

fn uneven(path: impl Into<Path>, size: u64, value: u64) -> Error {
    let message = format!("{size} bytes are not a whole number of {value}-byte values");
    Error::malformed(message).at(path).with_rule(&rules::STREAM_SIZE)
}

/// Encodes the document in its own dialect.
pub(super) fn write(document: &Document) -> Result<Vec<u8>> {
    let mut out = Output { bytes: vec![0; max_size(document)], end: 0 };
    match document.container {
        Container::Chunk => {
            let [chunk] = &*document.chunks else {
                let message = format!("{} chunks, but a bare file is exactly one", document.chunks.len());
                return Err(Error::inexpressible(message).at(path!(chunks)));
            };
            if !chunk.trailing.is_empty() {
                let message = "what follows a bare chunk is the document's trailing, not the chunk's";
                return Err(Error::inexpressible(message).at(path!(chunks[0].trailing)));
            }
            write_chunk(chunk, document.dialect, 0, &mut out)?;
        }
        Container::Model => {
            out.put(&ModelFile {
                chunk_count: count(document.chunks.len(), path!(chunks))?,
                chunks: List(Vec::new()),
            })?;
            for (index, chunk) in document.chunks.iter().enumerate() {
                let start = out.end;
                out.put(&schema::ModelChunk { length: 0, chunk: Bulk::Given(&[]) })?;
                let data = out.end;
                write_chunk(chunk, document.dialect, index, &mut out)?;
                let end = std::mem::replace(&mut out.end, start);
                out.put(&schema::ModelChunk { length: (end - data) as u64, chunk: Bulk::Given(&[]) })?;
                out.end = end;
            }
        }
    }
    out.put_bytes(&document.trailing);
    out.bytes.truncate(out.end);
    Ok(out.bytes)
}

fn count<N: TryFrom<usize>>(items: usize, path: impl Into<Path>) -> Result<N> {
    N::try_from(items)
        .map_err(|_| Error::inexpressible(format!("{items} are more than the file can count")).at(path))
}

/// The file as far as it is written, with room for the rest.
struct Output {
    bytes: Vec<u8>,
    end: usize,
}

impl Output {
    fn put(&mut self, value: &impl for<'a> BinWrite<Args<'a> = ()>) -> Result<()> {
        let mut cursor = Cursor::new(&mut self.bytes[self.end..]);
        value.write_le(&mut cursor).map_err(|error| Error::inexpressible(error.to_string()))?;
        self.end += cursor.position() as usize;
        Ok(())
    }

    fn put_bytes(&mut self, bytes: &[u8]) {
        self.bytes[self.end..self.end + bytes.len()].copy_from_slice(bytes);
        self.end += bytes.len();
    }

    /// Compresses `raw` to where it belongs, behind the header that `header` makes of both sizes.
    fn put_stream<H>(&mut self, raw: &[u8], path: &Path, header: impl Fn(i32, i32) -> H) -> Result<()>
    where
        H: for<'a> BinWrite<Args<'a> = ()>,
    {
        let start = self.end;
        self.put(&header(0, 0))?;
        let packed = lz4_flex::block::compress_into(raw, &mut self.bytes[self.end..])
            .map_err(|error| Error::inexpressible(error.to_string()).at(path))?;
        let end = self.end + packed;
        self.end = start;
        self.put(&header(count(packed, path)?, count(raw.len(), path)?))?;
        self.end = end;
        Ok(())
    }
}

/// Room for the file, however badly it compresses.
fn max_size(document: &Document) -> usize {
    let streams = |chunk: &Chunk| {
        let sizes = chunk.streams.iter().map(|stream| 10 + max_compressed(stream.to_bytes().len()));
        sizes.sum::<usize>()
    };
    let chunks = document
        .chunks
        .iter()
        .map(|chunk| 18 + max_compressed(4 * chunk.indices.len()) + streams(chunk) + chunk.trailing.len());
    MAGIC.len() + 4 + chunks.sum::<usize>() + document.trailing.len()
}

fn max_compressed(size: usize) -> usize {
    lz4_flex::block::get_maximum_output_size(size)
}

fn write_chunk(chunk: &Chunk, dialect: Dialect, index: usize, out: &mut Output) -> Result<()> {
    let path = path!(chunks[index].indices).into();
    let (size, raw) = match (&chunk.indices, chunk.index_size) {
        (Indices::U16(values), None) => (0u8, bulk::as_bytes(values)),
        (Indices::U32(values), None) => (1, bulk::as_bytes(values)),
        (Indices::U32(values), Some(size @ 2..)) => (size, bulk::as_bytes(values)),
        (_, Some(size)) => {
            let message = format!("{size} is not another way to say that indices have 32 bits");
            return Err(Error::inexpressible(message).at(path!(chunks[index].index_size)));
        }
    };
    out.put(&size)?;
    out.put_stream(&raw, &path, |compressed_size, uncompressed_size| IndexStream {
        compressed_size,
        uncompressed_size,
        data: Bulk::Given(&[]),
    })?;
    out.put(&count::<u8>(chunk.streams.len(), path!(chunks[index].streams))?)?;
    for (position, stream) in chunk.streams.iter().enumerate() {
        let path = path!(chunks[index].streams[position]).into();
        let attribute = flags_of(stream, dialect).ok_or_else(|| {
            Error::inexpressible(format!("the {dialect} dialect has no {}", stream.name())).at(&path)
        })?;
        out.put_stream(&stream.to_bytes(), &path, |compressed_size, uncompressed_size| AttributeStream {
            attribute,
            compressed_size,
            uncompressed_size,
            data: Bulk::Given(&[]),
        })?;
    }
    out.put_bytes(&chunk.trailing);
    Ok(())
}
