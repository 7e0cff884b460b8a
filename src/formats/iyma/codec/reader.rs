//! Reads all or part of a file from a stream: the document, one mesh, or the user data.

use std::io::Read;
use std::ops::Range;

use bytes::Bytes;

use super::super::document::merge::narrow;
use super::super::document::{DataChecksum, Document, missing_mesh};
use super::super::rules;
use super::super::schema::{Descriptor, Header, IndicesInfo, MeshInfo};
use super::opened::{Opened, locate_in, open, read_header};
use crate::formats::accept;
use crate::unpack::zstd::{self, Chunks, Fault, Inflater};
use crate::{Declared, Dialect, Error, FormatId, ReadOptions, Result, Strictness, path};

/// A file whose header and descriptor have been read, but not its data.
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
    opened: Opened,
    options: ReadOptions,
}

impl<R: Read> Reader<R> {
    /// Reads header and descriptor and verifies the metadata checksum.
    ///
    /// # Errors
    ///
    /// If they cannot be read or decoded, or, in strict mode, if the metadata checksum is wrong.
    pub fn new(mut source: R, options: &ReadOptions) -> Result<Reader<R>> {
        let mut start = Vec::new();
        source.by_ref().take(Header::size() as u64).read_to_end(&mut start)?;
        let header = read_header(&start).and_then(|header| {
            let length = u64::from(header.descriptor_len);
            let read = source.by_ref().take(length).read_to_end(&mut start)?;
            if (read as u64) < length {
                let message = format!("the descriptor has {length} bytes, but {read} remain");
                return Err(Error::malformed(message));
            }
            Ok(header)
        });
        let dialect = Document::dialect_of(&start, options)?;
        let opened =
            header.and_then(|header| open(header, &start[Header::size()..], dialect, options.strictness));
        let opened = opened.map_err(|error| locate_in(error, &start, dialect, options))?;
        Ok(Reader { source, opened, options: options.clone() })
    }

    /// The descriptor.
    pub fn descriptor(&self) -> &Descriptor {
        &self.opened.descriptor
    }

    /// The dialect.
    pub fn dialect(&self) -> Dialect {
        self.opened.dialect
    }

    /// Reads the user data without decompressing the rest. The data checksum is not verified, because it covers all
    /// data.
    ///
    /// # Errors
    ///
    /// If the data cannot be read or decompressed, or the user data exceeds the limits.
    pub fn user_data(self) -> Result<Bytes> {
        let size = self.opened.descriptor.user_data_len.into();
        self.within_limits(size)?;
        let mut inflater = Inflater::new(self.source);
        let data = inflater.read_vec(size).map_err(|fault| unpacking(&self.opened, fault))?;
        Ok(data.into())
    }

    /// Reads one mesh and the user data, like [`Document::mesh`], without keeping the other meshes in memory.
    ///
    /// Decompresses the data up to the last vertex of the mesh. Strict mode verifies the checksum of all data.
    ///
    /// # Errors
    ///
    /// If there is no such mesh, the file cannot be read, or the mesh violates a rule.
    pub fn mesh(self, index: usize) -> Result<Document> {
        let ranges = self.ranges_of_mesh(index)?;
        self.within_limits(ranges.iter().map(|range| range.end - range.start).sum())?;
        let Reader { source, mut opened, options } = self;
        let verifies = options.strictness == Strictness::Strict && opened.header.data_checksum != 0;
        let (data, checksum) = if verifies {
            let (chunks, checksum) = verified(source, &opened, &options)?;
            (pieces(Inflater::new(chunks), ranges), checksum)
        } else {
            let absent = opened.header.data_checksum == 0;
            let checksum = if absent { DataChecksum::Absent } else { DataChecksum::Present };
            (pieces(Inflater::new(source), ranges), checksum)
        };
        let data = data.map_err(|fault| unpacking(&opened, fault))?;
        narrow(&mut opened.descriptor, index);
        checked(opened.document(data.into(), checksum), &options)
    }

    /// Reads the whole file.
    ///
    /// # Errors
    ///
    /// See [`Document::read`](crate::Format::read).
    pub fn document(self) -> Result<Document> {
        let size = self.opened.descriptor.data_len();
        self.within_limits(size)?;
        let Reader { source, opened, options } = self;
        let (data, checksum) = if opened.header.data_checksum == 0 {
            (Inflater::new(source).read_only(size), DataChecksum::Absent)
        } else {
            let (chunks, checksum) = verified(source, &opened, &options)?;
            (zstd::unpack_chunks(chunks, size), checksum)
        };
        let data = data.map_err(|fault| unpacking(&opened, fault))?;
        checked(opened.document(data.into(), checksum), &options)
    }

    fn within_limits(&self, size: u64) -> Result<()> {
        let limit = self.options.limits.max_decoded;
        if size > limit {
            let fault = Fault::Limit(format!("unpacks to {size} bytes, over the limit of {limit}"));
            return Err(unpacking(&self.opened, fault));
        }
        Ok(())
    }

    /// Returns the ranges of the user data and of one mesh in the uncompressed data.
    fn ranges_of_mesh(&self, index: usize) -> Result<Vec<Range<u64>>> {
        let descriptor = &self.opened.descriptor;
        let Some(mesh) = descriptor.meshes.get(index) else {
            return Err(missing_mesh(index, descriptor.meshes.len()));
        };
        let part = |buffer: Range<u64>, size: usize, first: u32, count: u32| {
            let start = buffer.start + u64::from(first) * size as u64;
            let end = start + u64::from(count) * size as u64;
            if end > buffer.end {
                let message = "the mesh range exceeds its buffers";
                let error = Error::malformed(message).at(path!(descriptor.meshes[index]));
                return Err(error.with_rule(&rules::MESH_RANGE).in_format(FormatId::Iyma));
            }
            Ok(start..end)
        };
        let MeshInfo { first_index, index_count, first_vertex, vertex_count } = *mesh;
        let mut buffers = descriptor.buffers();
        let mut ranges: Vec<_> = buffers.next().into_iter().collect();
        let size = descriptor.indices.map_or(1, |IndicesInfo { format, .. }| format.size());
        for buffer in buffers.by_ref().take(1) {
            ranges.push(part(buffer, size, first_index, index_count)?);
        }
        for (buffer, info) in buffers.zip(&descriptor.attributes) {
            ranges.push(part(buffer, info.format.size(), first_vertex, vertex_count)?);
        }
        Ok(ranges)
    }
}

/// Reads the packed data and checks its checksum.
fn verified(source: impl Read, opened: &Opened, options: &ReadOptions) -> Result<(Chunks, DataChecksum)> {
    let chunks =
        Chunks::read(source, options.limits.max_decoded).map_err(|fault| unpacking(opened, fault))?;
    let checksum = opened.verify(chunks.as_slice(), options.strictness);
    Ok((chunks, checksum.map_err(|error| error.in_format(FormatId::Iyma))?))
}

/// Decompresses these ranges, which must be in order.
fn pieces<R: Read>(
    mut inflater: Inflater<R>,
    ranges: Vec<Range<u64>>,
) -> std::result::Result<Vec<u8>, Fault> {
    let (mut data, mut position) = (Vec::new(), 0);
    for Range { start, end } in ranges {
        inflater.skip(start - position)?;
        inflater.append(end - start, &mut data)?;
        position = end;
    }
    Ok(data)
}

/// A stream's end is not known in advance.
fn unpacking(opened: &Opened, fault: Fault) -> Error {
    opened.unpacking(fault, None).in_format(FormatId::Iyma)
}

fn checked(document: Document, options: &ReadOptions) -> Result<Document> {
    accept(document, options).map_err(|error| error.in_format(FormatId::Iyma))
}
