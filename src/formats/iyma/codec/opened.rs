//! Header and descriptor: detects the dialect and verifies the checksums.

use std::io::Cursor;
use std::ops::Range;

use binrw::BinRead;
use bytes::Bytes;

use super::super::document::{Attribute, DataChecksum, Document, IndexBuffer, WrongChecksum};
use super::super::schema::{Descriptor, File, Header, IndicesInfo, VertexAttributeInfo, layout};
use super::super::{hash, rules};
use crate::layout::Layout;
use crate::layout::declaration::Type;
use crate::layout::expr::Scope;
use crate::unpack::zstd;
use crate::{
    Confidence, Declared, Detection, Dialect, Error, ErrorKind, FormatId, Limit, Path, ReadOptions, Result,
    Rule, Span, Strictness, path,
};

/// Detects IyMA by its magic bytes, and its dialect (I2).
pub(in super::super) fn detect(bytes: &[u8]) -> Detection {
    let confidence =
        if bytes.starts_with(Header::TYPE.magic()) { Confidence::Magic } else { Confidence::None };
    let dialect = split(bytes).map_or(Dialect::Spec, |parts| dialect_by(&parts.header, parts.descriptor));
    Detection { confidence, dialect }
}

/// Detects the dialect by the metadata checksum, or else by which dialect decodes (I2).
fn dialect_by(header: &Header, descriptor: &[u8]) -> Dialect {
    let fits =
        |dialect| hash::is_metadata(header.metadata_checksum, descriptor, header.data_checksum, dialect);
    match (fits(Dialect::Spec), fits(Dialect::Reference)) {
        (true, _) => Dialect::Spec,
        (false, true) => Dialect::Reference,
        (false, false) => Descriptor::guess(descriptor),
    }
}

/// The parts of a file.
pub(super) struct Parts<'b> {
    pub(super) header: Header,
    pub(super) descriptor: &'b [u8],
    pub(super) data: &'b [u8],
}

pub(super) fn split(bytes: &[u8]) -> Result<Parts<'_>> {
    // The parts have the same positions in all dialects.
    let file = File::read_args(&mut Cursor::new(bytes), (Dialect::Spec,)).map_err(Error::malformed)?;
    Ok(Parts {
        header: file.header,
        descriptor: file.descriptor.bytes(bytes),
        data: file.data.0.bytes(bytes),
    })
}

/// The decoded header and descriptor.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) header: Header,
    pub(super) dialect: Dialect,
    pub(super) descriptor: Descriptor,
    pub(super) metadata_checksum: Option<WrongChecksum>,
}

pub(super) fn read_header(bytes: &[u8]) -> Result<Header> {
    Header::read(&mut Cursor::new(bytes)).map_err(Error::malformed)
}

/// Decodes the descriptor after verifying the metadata checksum.
pub(super) fn open(
    header: Header,
    descriptor: &[u8],
    dialect: Dialect,
    strictness: Strictness,
) -> Result<Opened> {
    let wrong = metadata_checksum(&header, descriptor, dialect);
    if let (Some(wrong), Strictness::Strict) = (&wrong, strictness) {
        let message = rules::mismatch(wrong).to_string();
        let place = in_header("metadata_checksum");
        return Err(error_at(&rules::METADATA_CHECKSUM, path!(header.metadata_checksum), place, message));
    }
    let decoded = Descriptor::decode(descriptor, dialect).map_err(|mut message| {
        if wrong.is_none() {
            message +=
                "; its checksum is right, so an older version of the author's tool may have written it";
        }
        let start = Header::size() as u64;
        error_at(&rules::DESCRIPTOR, path!(descriptor), start..start + descriptor.len() as u64, message)
    })?;
    Ok(Opened { header, dialect, descriptor: decoded, metadata_checksum: wrong })
}

/// Returns the metadata checksum if it is wrong.
fn metadata_checksum(header: &Header, descriptor: &[u8], dialect: Dialect) -> Option<WrongChecksum> {
    let Header { metadata_checksum: stored, data_checksum, .. } = *header;
    (!hash::is_metadata(stored, descriptor, data_checksum, dialect))
        .then(|| WrongChecksum::found(stored, hash::metadata(descriptor, data_checksum, dialect)))
}

/// Checks the data checksum against the compressed data.
fn data_checksum(header: &Header, packed: &[impl AsRef<[u8]>], dialect: Dialect) -> DataChecksum {
    match header.data_checksum {
        0 => DataChecksum::Absent,
        stored if hash::is_one_shot(stored, packed) => DataChecksum::Present,
        stored => DataChecksum::Wrong(WrongChecksum::found(stored, hash::one_shot(packed, dialect))),
    }
}

/// Returns both checksums, even if nothing else can be decoded; `None` if the header or descriptor is truncated.
pub(in super::super) fn checksums(
    bytes: &[u8],
    dialect: Dialect,
) -> Option<(Option<WrongChecksum>, DataChecksum)> {
    let Parts { header, descriptor, data } = split(bytes).ok()?;
    Some((metadata_checksum(&header, descriptor, dialect), data_checksum(&header, &[data], dialect)))
}

/// Returns the byte range of a header field.
fn in_header(name: &str) -> Range<u64> {
    let Type::Declared(header) = Header::TYPE else { return 0..0 };
    let field = header.offset_of(name, &Scope::default());
    let (start, size) = field.map_or((0, 0), |(start, field)| (start, field.ty.size().unwrap_or_default()));
    start..start + size
}

fn error_at(rule: &'static Rule, path: impl Into<Path>, bytes: Range<u64>, message: String) -> Error {
    Error::malformed(message).at(path).with_rule(rule).with_span(Some(Span::Bytes(bytes)))
}

impl Opened {
    /// The file offset of the data.
    pub(super) fn data_start(&self) -> u64 {
        Header::size() as u64 + u64::from(self.header.descriptor_len)
    }

    /// Verifies the data checksum against the compressed data.
    pub(super) fn verify(&self, packed: &[impl AsRef<[u8]>], strictness: Strictness) -> Result<DataChecksum> {
        match (data_checksum(&self.header, packed, self.dialect), strictness) {
            (DataChecksum::Wrong(wrong), Strictness::Strict) => {
                let message = rules::mismatch(&wrong).to_string();
                let place = in_header("data_checksum");
                Err(error_at(&rules::DATA_CHECKSUM, path!(header.data_checksum), place, message))
            }
            (checksum, _) => Ok(checksum),
        }
    }

    /// Returns the error for data that cannot be decompressed. `end` is the end of the data, if known.
    pub(super) fn unpacking(&self, fault: zstd::Fault, end: Option<u64>) -> Error {
        let rule = match fault {
            zstd::Fault::Invalid(_) => &rules::PACKING,
            zstd::Fault::Window(_) => &rules::WINDOW,
            zstd::Fault::Size(_) => &rules::DATA_SIZE,
            zstd::Fault::Trailing(bytes) => {
                let end = end.unwrap_or(self.data_start());
                let range = end.saturating_sub(bytes as u64)..end;
                return error_at(&rules::TRAILING, path!(data), range, fault.to_string());
            }
            zstd::Fault::Limit(message) => {
                return Error::limit_exceeded(Limit::Decoded, message).at(path!(data));
            }
            zstd::Fault::Io(error) => return error.into(),
        };
        let range = self.data_start()..end.unwrap_or(self.data_start());
        error_at(rule, path!(data), range, fault.to_string())
    }

    /// Builds the document from the uncompressed data.
    pub(super) fn document(self, data: Bytes, data_checksum: DataChecksum) -> Document {
        let Opened { header: _, dialect, descriptor, metadata_checksum } = self;
        // The data was unpacked to the size in the descriptor.
        let buffers =
            descriptor.buffers().map(|Range { start, end }| data.slice(start as usize..end as usize));
        let mut buffers = buffers.collect::<Vec<_>>().into_iter();
        let mut next = || buffers.next().unwrap_or_default();
        let Descriptor { n_vertices, user_data_len: _, meshes, indices, attributes } = descriptor;
        let (user_data, index_data) = (next(), next());
        Document {
            dialect,
            user_data,
            n_vertices,
            meshes,
            indices: indices
                .map(|IndicesInfo { n_indices: _, format }| IndexBuffer { format, data: index_data }),
            attributes: attributes
                .into_iter()
                .map(|VertexAttributeInfo { usage, format }| Attribute { usage, format, data: next() })
                .collect(),
            data_checksum,
            metadata_checksum,
        }
    }
}

/// Adds the location to an error without one.
pub(in super::super) fn locate_in(
    error: Error,
    bytes: &[u8],
    dialect: Dialect,
    options: &ReadOptions,
) -> Error {
    if error.span().is_some() || matches!(error.kind(), ErrorKind::Io | ErrorKind::LimitExceeded(_)) {
        return error.in_format(FormatId::Iyma);
    }
    Document::ABOUT.structure(layout(dialect)).locate(error, bytes, &options.limits)
}
