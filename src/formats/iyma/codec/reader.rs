//! Reads all or part of a file from a stream: the document, one mesh, or the user data.

use std::io::Read;
use std::ops::Range;

use bytes::Bytes;

use super::super::document::merge::narrow_to_mesh;
use super::super::document::{DataChecksum, Document, missing_mesh};
use super::super::rules;
use super::super::schema::{self, Descriptor, Header, IndicesInfo, MeshInfo};
use super::header::{DecodedHeader, decode_descriptor, locate_error, read_header};
use crate::formats::require_valid;
use crate::unpack::zstd::{self, Chunks, Inflater, ZstdError};
use crate::{Dialect, Error, Format, ReadOptions, Result, Strictness, path};

/// A file of which only the header and the descriptor have been read.
///
/// [`Document::read`](crate::Format::read) is faster for files in memory.
///
/// ```
/// use meshspec::iyma::Reader;
///
/// let file = std::fs::File::open("samples/iyma/quads.ima")?;
/// let reader = Reader::new(file, &Default::default())?;
/// assert_eq!(reader.descriptor().meshes.len(), 2);
/// // The user data comes first; nothing after it is decompressed.
/// assert_eq!(reader.user_data()?, "two quads");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Reader<R> {
    source: R,
    decoded: DecodedHeader,
    options: ReadOptions,
}

impl<R: Read> Reader<R> {
    /// Reads the header and the descriptor, and verifies the metadata checksum.
    ///
    /// # Errors
    ///
    /// Returns an error if the header or descriptor is unreadable or invalid, or `options` reject the dialect or the
    /// checksum.
    pub fn new(mut source: R, options: &ReadOptions) -> Result<Reader<R>> {
        let mut start = Vec::new();
        source
            .by_ref()
            .take(Header::size() as u64)
            .read_to_end(&mut start)?;
        let header = read_header(&start).and_then(|header| {
            let length = u64::from(header.descriptor_len);
            let read = source.by_ref().take(length).read_to_end(&mut start)?;
            if (read as u64) < length {
                let message = format!("truncated descriptor: needs {length} bytes, {read} remain");
                return Err(Error::malformed(message));
            }
            Ok(header)
        });
        let dialect = Document::dialect_of(&start, options)?;
        let decoded = header.and_then(|header| {
            decode_descriptor(
                header,
                &start[Header::size()..],
                dialect,
                options.strictness,
            )
        });
        let decoded =
            decoded.map_err(|error| locate_error(error, &start, dialect, &options.limits))?;
        Ok(Reader {
            source,
            decoded,
            options: options.clone(),
        })
    }

    /// The descriptor.
    pub fn descriptor(&self) -> &Descriptor {
        &self.decoded.descriptor
    }

    /// The dialect.
    pub fn dialect(&self) -> Dialect {
        self.decoded.dialect
    }

    /// Reads only the user data. Does not verify the data checksum, which covers all data.
    ///
    /// # Errors
    ///
    /// Returns an error if the data cannot be read or decompressed, or the user data exceeds the limits.
    pub fn user_data(self) -> Result<Bytes> {
        let size = self.decoded.descriptor.user_data_len.into();
        self.check_limit(size)?;
        let data = Inflater::new(self.source).read_vec(size);
        data.map(Bytes::from)
            .map_err(|error| unpack_error(&self.decoded, error))
    }

    /// Reads one mesh and the user data, like [`Document::mesh`], without keeping the other meshes in memory.
    ///
    /// Decompresses the data up to the last vertex of the mesh. Strict mode verifies the data checksum, if any.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such mesh, the data cannot be read or unpacked, or the options reject the mesh.
    pub fn mesh(self, index: usize) -> Result<Document> {
        let ranges = self.mesh_data_ranges(index)?;
        self.check_limit(ranges.iter().map(|range| range.end - range.start).sum())?;
        let Reader {
            source,
            mut decoded,
            options,
        } = self;
        narrow_to_mesh(&mut decoded.descriptor, index);
        let (data, checksum) = match (decoded.header.data_checksum, options.strictness) {
            (0, _) => (
                decompress_ranges(Inflater::new(source), ranges),
                DataChecksum::Absent,
            ),
            (_, Strictness::Strict) => {
                let (chunks, checksum) = read_verified(source, &decoded, &options)?;
                (decompress_ranges(Inflater::new(chunks), ranges), checksum)
            }
            _ => (
                decompress_ranges(Inflater::new(source), ranges),
                DataChecksum::Present,
            ),
        };
        let data = data.map_err(|error| unpack_error(&decoded, error))?;
        check_accepted(decoded.into_document(data.into(), checksum), &options)
    }

    /// Reads the whole file.
    ///
    /// # Errors
    ///
    /// See [`Document::read`](crate::Format::read).
    pub fn document(self) -> Result<Document> {
        let size = self.decoded.descriptor.data_len();
        self.check_limit(size)?;
        let Reader {
            source,
            decoded,
            options,
        } = self;
        let (data, checksum) = if decoded.header.data_checksum == 0 {
            (
                Inflater::new(source).read_growing(size),
                DataChecksum::Absent,
            )
        } else {
            let (chunks, checksum) = read_verified(source, &decoded, &options)?;
            (zstd::unpack_chunks(chunks, size), checksum)
        };
        let data = data.map_err(|error| unpack_error(&decoded, error))?;
        check_accepted(decoded.into_document(data.into(), checksum), &options)
    }

    fn check_limit(&self, size: u64) -> Result<()> {
        let error = |message| unpack_error(&self.decoded, ZstdError::Limit(message));
        self.options.limits.check_decoded(size).map_err(error)
    }

    /// Returns the byte ranges of the user data and of one mesh in the uncompressed data.
    fn mesh_data_ranges(&self, index: usize) -> Result<Vec<Range<u64>>> {
        let descriptor = &self.decoded.descriptor;
        let Some(mesh) = descriptor.meshes.get(index) else {
            return Err(missing_mesh(index, descriptor.meshes.len()));
        };
        let mesh_range = |buffer: Range<u64>, size: usize, first: u32, count: u32| {
            let start = buffer.start + u64::from(first) * size as u64;
            let end = start + u64::from(count) * size as u64;
            if end > buffer.end {
                let message = "the mesh range exceeds its buffers";
                let error = Error::malformed(message).at(path!(descriptor.meshes[index]));
                return Err(error.with_rule(&rules::MESH_RANGE).in_format(schema::NAME));
            }
            Ok(start..end)
        };
        let MeshInfo {
            first_index,
            index_count,
            first_vertex,
            vertex_count,
        } = *mesh;
        let mut buffers = descriptor.buffers();
        let mut ranges: Vec<_> = buffers.next().into_iter().collect();
        let size = descriptor
            .indices
            .map_or(1, |IndicesInfo { format, .. }| format.size());
        for buffer in buffers.by_ref().take(1) {
            ranges.push(mesh_range(buffer, size, first_index, index_count)?);
        }
        for (buffer, info) in buffers.zip(&descriptor.attributes) {
            ranges.push(mesh_range(
                buffer,
                info.format.size(),
                first_vertex,
                vertex_count,
            )?);
        }
        Ok(ranges)
    }
}

/// Reads the compressed data, and returns it with the state of its checksum. Strict mode rejects a wrong checksum.
fn read_verified(
    source: impl Read,
    decoded: &DecodedHeader,
    options: &ReadOptions,
) -> Result<(Chunks, DataChecksum)> {
    let chunks = Chunks::read(source, options.limits.max_decoded);
    let chunks = chunks.map_err(|error| unpack_error(decoded, error))?;
    let checksum = decoded.verify(chunks.as_slice(), options.strictness);
    Ok((
        chunks,
        checksum.map_err(|error| error.in_format(schema::NAME))?,
    ))
}

/// Decompresses ascending, disjoint byte ranges of the content. Returns their concatenated bytes.
fn decompress_ranges(
    mut input: Inflater<impl Read>,
    ranges: Vec<Range<u64>>,
) -> Result<Vec<u8>, ZstdError> {
    let (mut data, mut position) = (Vec::new(), 0);
    for Range { start, end } in ranges {
        input.skip(start - position)?;
        input.append(end - start, &mut data)?;
        position = end;
    }
    Ok(data)
}

/// Converts an error from decompressing a stream, whose end is unknown.
fn unpack_error(decoded: &DecodedHeader, error: ZstdError) -> Error {
    decoded.unpack_error(error, None).in_format(schema::NAME)
}

fn check_accepted(document: Document, options: &ReadOptions) -> Result<Document> {
    require_valid(document, options).map_err(|error| error.in_format(schema::NAME))
}
