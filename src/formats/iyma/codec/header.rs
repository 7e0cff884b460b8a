//! Decodes the header and the descriptor, detects the dialect, and verifies the checksums.

use std::io::Cursor;
use std::ops::Range;

use binrw::BinRead;
use bytes::Bytes;

use super::super::document::{Attribute, DataChecksum, Document, IndexBuffer, WrongChecksum};
use super::super::schema::{
    self, Descriptor, File, Header, IndicesInfo, VertexAttributeInfo, layout,
};
use super::super::{hash, rules};
use crate::layout::Layout;
use crate::unpack::zstd::ZstdError;
use crate::{
    Confidence, Detection, Dialect, Error, ErrorKind, Format, Limit, Limits, Path, Result, Rule,
    Span, Strictness, path,
};

/// Detects IyMA by its magic bytes, and the dialect (I2).
pub(in super::super) fn detect(bytes: &[u8]) -> Detection {
    let dialect = split_file(bytes).map_or(Dialect::SPEC, |parts| {
        dialect_from_checksums(&parts.header, parts.descriptor)
    });
    Detection {
        confidence: Confidence::by_magic(bytes, Header::TYPE.magic()),
        dialect,
    }
}

/// Detects the dialect by the metadata checksum. If it matches neither dialect, guesses from the descriptor (I2).
fn dialect_from_checksums(header: &Header, descriptor: &[u8]) -> Dialect {
    let matches = |dialect| {
        hash::is_metadata_checksum(
            header.metadata_checksum,
            descriptor,
            header.data_checksum,
            dialect,
        )
    };
    match (matches(Dialect::SPEC), matches(Dialect::REFERENCE)) {
        (true, _) => Dialect::SPEC,
        (false, true) => Dialect::REFERENCE,
        (false, false) => Descriptor::guess_dialect(descriptor),
    }
}

/// The parts of a file: the decoded header, the encoded descriptor and the compressed data.
pub(in super::super) struct FileParts<'b> {
    pub(super) header: Header,
    pub descriptor: &'b [u8],
    pub data: &'b [u8],
}

pub(in super::super) fn split_file(bytes: &[u8]) -> Result<FileParts<'_>> {
    // The positions of the parts do not depend on the dialect.
    let file =
        File::read_args(&mut Cursor::new(bytes), (Dialect::SPEC,)).map_err(Error::malformed)?;
    let File {
        header,
        descriptor,
        data,
    } = file;
    Ok(FileParts {
        header,
        descriptor: descriptor.bytes(bytes),
        data: data.0.bytes(bytes),
    })
}

#[derive(Debug)]
pub(super) struct DecodedHeader {
    pub(super) header: Header,
    pub(super) dialect: Dialect,
    pub(super) descriptor: Descriptor,
    /// The metadata checksum, if it is wrong.
    pub(super) metadata_checksum: Option<WrongChecksum>,
}

pub(super) fn read_header(bytes: &[u8]) -> Result<Header> {
    Header::read(&mut Cursor::new(bytes)).map_err(Error::malformed)
}

/// Verifies the metadata checksum and decodes the descriptor. Only strict mode rejects a wrong checksum.
pub(super) fn decode_descriptor(
    header: Header,
    descriptor: &[u8],
    dialect: Dialect,
    strictness: Strictness,
) -> Result<DecodedHeader> {
    let wrong = wrong_metadata_checksum(&header, descriptor, dialect);
    if let (Some(wrong), Strictness::Strict) = (&wrong, strictness) {
        return Err(mismatch_error(
            &rules::METADATA_CHECKSUM,
            "metadata_checksum",
            wrong,
        ));
    }
    let decoded = Descriptor::decode(descriptor, dialect).map_err(|mut message| {
        if wrong.is_none() {
            message +=
                "; its checksum is correct, so an older version of the author's tool may have written it";
        }
        let start = Header::size() as u64;
        error_at(&rules::DESCRIPTOR, path!(descriptor), start..start + descriptor.len() as u64, message)
    })?;
    Ok(DecodedHeader {
        header,
        dialect,
        descriptor: decoded,
        metadata_checksum: wrong,
    })
}

/// Verifies the metadata checksum. Returns the stored and the computed checksum if the stored one is wrong; `None`
/// otherwise.
fn wrong_metadata_checksum(
    header: &Header,
    descriptor: &[u8],
    dialect: Dialect,
) -> Option<WrongChecksum> {
    let Header {
        metadata_checksum: stored,
        data_checksum,
        ..
    } = *header;
    (!hash::is_metadata_checksum(stored, descriptor, data_checksum, dialect)).then(|| {
        WrongChecksum::new(
            stored,
            hash::metadata_checksum(descriptor, data_checksum, dialect),
        )
    })
}

/// Returns the state of the data checksum, given the parts of the compressed data.
fn data_checksum_state(
    header: &Header,
    packed: &[impl AsRef<[u8]>],
    dialect: Dialect,
) -> DataChecksum {
    match header.data_checksum {
        0 => DataChecksum::Absent,
        stored if hash::is_one_shot_hash(stored, packed) => DataChecksum::Present,
        stored => DataChecksum::Wrong(WrongChecksum::new(
            stored,
            hash::one_shot_hash(packed, dialect),
        )),
    }
}

/// Verifies both checksums without decoding the descriptor or the data. Returns the metadata checksum if it is wrong,
/// and the state of the data checksum. `None` if the header is invalid or the descriptor truncated.
pub(in super::super) fn verify_checksums(
    bytes: &[u8],
    dialect: Dialect,
) -> Option<(Option<WrongChecksum>, DataChecksum)> {
    let FileParts {
        header,
        descriptor,
        data,
    } = split_file(bytes).ok()?;
    let metadata = wrong_metadata_checksum(&header, descriptor, dialect);
    Some((metadata, data_checksum_state(&header, &[data], dialect)))
}

/// Returns the error for a wrong checksum in the header field `name`.
fn mismatch_error(rule: &'static Rule, name: &'static str, wrong: &WrongChecksum) -> Error {
    let start = Header::offset_with(name, &[]).unwrap_or_default();
    let message = rules::mismatch_message(wrong).to_string();
    error_at(
        rule,
        path!(header.(name)),
        start..start + size_of::<u64>() as u64,
        message,
    )
}

fn error_at(
    rule: &'static Rule,
    path: impl Into<Path>,
    bytes: Range<u64>,
    message: String,
) -> Error {
    Error::malformed(message)
        .at(path)
        .with_rule(rule)
        .with_span(Some(Span::Bytes(bytes)))
}

impl DecodedHeader {
    /// The file offset of the data.
    pub(super) fn data_start(&self) -> u64 {
        Header::size() as u64 + u64::from(self.header.descriptor_len)
    }

    /// Returns the state of the data checksum, given the compressed data. Strict mode rejects a wrong checksum.
    pub(super) fn verify(
        &self,
        data: &[impl AsRef<[u8]>],
        strictness: Strictness,
    ) -> Result<DataChecksum> {
        match (
            data_checksum_state(&self.header, data, self.dialect),
            strictness,
        ) {
            (DataChecksum::Wrong(wrong), Strictness::Strict) => Err(mismatch_error(
                &rules::DATA_CHECKSUM,
                "data_checksum",
                &wrong,
            )),
            (checksum, _) => Ok(checksum),
        }
    }

    /// Converts a decompression error. `end` is the file offset where the data ends, if known.
    pub(super) fn unpack_error(&self, error: ZstdError, end: Option<u64>) -> Error {
        let start = self.data_start();
        let end = end.unwrap_or(start);
        let (rule, range) = match error {
            ZstdError::Invalid(_) => (&rules::PACKING, start..end),
            ZstdError::Window(_) => (&rules::WINDOW, start..end),
            ZstdError::Size(_) => (&rules::DATA_SIZE, start..end),
            ZstdError::Trailing(bytes) => (&rules::TRAILING, end.saturating_sub(bytes as u64)..end),
            ZstdError::Limit(text) => {
                return Error::limit_exceeded(Limit::Decoded, text).at(path!(data));
            }
            ZstdError::Io(error) => return error.into(),
        };
        error_at(rule, path!(data), range, error.to_string())
    }

    /// Builds the document from the uncompressed data.
    pub(super) fn into_document(self, data: Bytes, data_checksum: DataChecksum) -> Document {
        let DecodedHeader {
            header: _,
            dialect,
            descriptor,
            metadata_checksum,
        } = self;
        // The ranges cannot exceed the data, which was unpacked to the size in the descriptor.
        let buffers = descriptor
            .buffers()
            .map(|range| data.slice(range.start as usize..range.end as usize));
        let mut buffers = buffers.collect::<Vec<_>>().into_iter();
        let mut next = || buffers.next().unwrap_or_default();
        let Descriptor {
            n_vertices,
            user_data_len: _,
            meshes,
            indices,
            attributes,
        } = descriptor;
        let (user_data, data) = (next(), next());
        let indices = indices.map(
            |IndicesInfo {
                 n_indices: _,
                 format,
             }| IndexBuffer { format, data },
        );
        let attribute = |VertexAttributeInfo { usage, format }| Attribute {
            usage,
            format,
            data: next(),
        };
        Document {
            dialect,
            user_data,
            n_vertices,
            meshes,
            indices,
            attributes: attributes.into_iter().map(attribute).collect(),
            data_checksum,
            metadata_checksum,
        }
    }
}

/// Adds the format to an error. Also adds a missing location, except to I/O and limit errors.
pub(in super::super) fn locate_error(
    error: Error,
    bytes: &[u8],
    dialect: Dialect,
    limits: &Limits,
) -> Error {
    if error.span().is_some()
        || matches!(error.kind(), ErrorKind::Io(_) | ErrorKind::LimitExceeded(_))
    {
        return error.in_format(schema::NAME);
    }
    Document::ABOUT
        .structure(layout(dialect))
        .locate(error, bytes, limits)
}
