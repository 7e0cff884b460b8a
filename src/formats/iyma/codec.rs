//! What the declaration of IyMA cannot say: dialects, checksums, and how the data becomes buffers.

use std::io::Cursor;
use std::ops::{Range, RangeInclusive};

use binrw::{BinRead, BinWrite};
use bytes::Bytes;

use super::descriptor::Descriptor;
use super::document::{Attribute, DataChecksum, Document, Indices, WrongChecksum, inexpressible};
use super::schema::{File, Header, ReferenceFile};
use super::{dialect, hash, rules};
use crate::layout::{Layout, Type};
use crate::unpack::zstd;
use crate::{
    Dialect, Error, ErrorKind, Likelihood, ReadOptions, Result, Rule, Span, Strictness, WriteOptions,
};

/// What files start with.
const MAGIC: &[u8] = b"IyMA";

/// The compression level where none is asked for: that of zstd itself.
const LEVEL: i32 = 3;

/// The declaration of a file of this dialect.
pub(super) fn layout(dialect: Dialect) -> &'static Type {
    match dialect {
        Dialect::Reference => &ReferenceFile::TYPE,
        _ => &File::TYPE,
    }
}

pub(super) fn likelihood(bytes: &[u8]) -> Likelihood {
    if bytes.starts_with(MAGIC) { Likelihood::Magic } else { Likelihood::No }
}

/// The dialect of a file (I2).
pub(super) fn dialect_of(bytes: &[u8]) -> Dialect {
    split(bytes).map_or(Dialect::Spec, |parts| dialect_by(&parts.header, parts.descriptor))
}

/// The dialect by the metadata checksum, else by what can be decoded (I2).
fn dialect_by(header: &Header, descriptor: &[u8]) -> Dialect {
    let fits =
        |dialect| hash::is_metadata(header.metadata_checksum, descriptor, header.data_checksum, dialect);
    match (fits(Dialect::Spec), fits(Dialect::Reference)) {
        (true, _) => Dialect::Spec,
        (false, true) => Dialect::Reference,
        (false, false) => Descriptor::guess(descriptor),
    }
}

/// The walker finds the place of what has none.
fn malformed(error: impl ToString) -> Error {
    Error::new(ErrorKind::Malformed, error.to_string())
}

/// The three parts of a file.
struct Parts<'b> {
    header: Header,
    descriptor: &'b [u8],
    data: &'b [u8],
}

fn split(bytes: &[u8]) -> Result<Parts<'_>> {
    let file = File::read(&mut Cursor::new(bytes)).map_err(malformed)?;
    Ok(Parts {
        header: file.header,
        descriptor: file.descriptor.bytes(bytes),
        data: file.data.0.bytes(bytes),
    })
}

/// Header and descriptor, decoded.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) header: Header,
    pub(super) descriptor: Descriptor,
    pub(super) metadata_checksum: Option<WrongChecksum>,
}

pub(super) fn read_header(bytes: &[u8]) -> Result<Header> {
    Header::read(&mut Cursor::new(bytes)).map_err(malformed)
}

/// Decodes the descriptor, having verified the metadata checksum.
pub(super) fn open(header: Header, descriptor: &[u8], options: &ReadOptions) -> Result<Opened> {
    let dialect = options.dialect.unwrap_or_else(|| dialect_by(&header, descriptor));
    check_dialect(dialect)?;
    let wrong = metadata_checksum(&header, descriptor, dialect);
    if let (Some(wrong), Strictness::Strict) = (&wrong, options.strictness) {
        let message = rules::mismatch(wrong).to_string();
        return Err(error_at(&rules::METADATA_CHECKSUM, "header.metadata_checksum", 8..16, message));
    }
    let decoded = Descriptor::decode(descriptor, dialect).map_err(|mut message| {
        if wrong.is_none() {
            message +=
                "; as its checksum is right, an older version of the author's tool may have written it";
        }
        let start = Header::SIZE as u64;
        error_at(&rules::DESCRIPTOR, "descriptor", start..start + descriptor.len() as u64, message)
    })?;
    Ok(Opened { header, descriptor: decoded, metadata_checksum: wrong })
}

/// The metadata checksum of a file, if it is wrong.
fn metadata_checksum(header: &Header, descriptor: &[u8], dialect: Dialect) -> Option<WrongChecksum> {
    let Header { metadata_checksum: stored, data_checksum, .. } = *header;
    (!hash::is_metadata(stored, descriptor, data_checksum, dialect))
        .then(|| WrongChecksum::found(stored, hash::metadata(descriptor, data_checksum, dialect)))
}

/// The data checksum of a file with these compressed bytes.
fn data_checksum(header: &Header, packed: &[u8], dialect: Dialect) -> DataChecksum {
    match header.data_checksum {
        0 => DataChecksum::Absent,
        stored if hash::is_one_shot(stored, packed) => DataChecksum::Present,
        stored => DataChecksum::Wrong(WrongChecksum::found(stored, hash::one_shot(packed, dialect))),
    }
}

/// Both checksums of a file, whether or not anything else of it can be decoded; `None` if it has not both of header
/// and descriptor.
pub(super) fn checksums(
    bytes: &[u8],
    options: &ReadOptions,
) -> Option<(Option<WrongChecksum>, DataChecksum)> {
    let Parts { header, descriptor, data } = split(bytes).ok()?;
    let dialect = options.dialect.unwrap_or_else(|| dialect_by(&header, descriptor));
    Some((metadata_checksum(&header, descriptor, dialect), data_checksum(&header, data, dialect)))
}

fn check_dialect(dialect: Dialect) -> Result<()> {
    match dialect {
        Dialect::Spec | Dialect::Reference => Ok(()),
        other => {
            Err(Error::new(ErrorKind::Unsupported, format!("there is no {other} dialect of IyMA"))
                .at("dialect"))
        }
    }
}

fn error_at(rule: &'static Rule, path: &str, bytes: Range<u64>, message: String) -> Error {
    Error::new(ErrorKind::Malformed, message).at(path).with_rule(rule).with_span(Some(Span::Bytes(bytes)))
}

impl Opened {
    /// Where the data starts in the file.
    pub(super) fn data_start(&self) -> u64 {
        Header::SIZE as u64 + u64::from(self.header.descriptor_len)
    }

    /// The data checksum of a file with these compressed bytes.
    pub(super) fn verify(&self, packed: &[u8], strictness: Strictness) -> Result<DataChecksum> {
        match (data_checksum(&self.header, packed, self.descriptor.dialect), strictness) {
            (DataChecksum::Wrong(wrong), Strictness::Strict) => {
                let message = rules::mismatch(&wrong).to_string();
                Err(error_at(&rules::DATA_CHECKSUM, "header.data_checksum", 16..24, message))
            }
            (checksum, _) => Ok(checksum),
        }
    }

    /// The error for data that cannot be unpacked, given where it ends as far as that is known.
    pub(super) fn unpacking(&self, fault: zstd::Fault, end: Option<u64>) -> Error {
        let rule = match fault {
            zstd::Fault::Invalid(_) => &rules::PACKING,
            zstd::Fault::Window(_) => &rules::WINDOW,
            zstd::Fault::Size(_) => &rules::DATA_SIZE,
            zstd::Fault::Trailing(bytes) => {
                let end = end.unwrap_or(self.data_start());
                let range = end.saturating_sub(bytes as u64)..end;
                return error_at(&rules::TRAILING, "data", range, fault.to_string());
            }
            zstd::Fault::Limit(message) => {
                return Error::new(ErrorKind::LimitExceeded, message).at("data");
            }
            zstd::Fault::Io(error) => return error.into(),
        };
        let range = self.data_start()..end.unwrap_or(self.data_start());
        error_at(rule, "data", range, fault.to_string())
    }

    /// The document whose uncompressed data this is.
    pub(super) fn document(self, data: Bytes, data_checksum: DataChecksum) -> Document {
        let Descriptor { dialect, n_vertices, meshes, indices, attributes, .. } = self.descriptor.clone();
        // The data is as long as the descriptor says.
        let mut buffers =
            self.descriptor.buffers().map(|Range { start, end }| data.slice(start as usize..end as usize));
        let mut next = || buffers.next().unwrap_or_default();
        let (user_data, index_data) = (next(), next());
        Document {
            dialect,
            user_data,
            n_vertices,
            meshes,
            indices: indices.map(|indices| Indices { format: indices.format, data: index_data }),
            attributes: attributes
                .into_iter()
                .map(|(usage, format)| Attribute { usage, format, data: next() })
                .collect(),
            data_checksum,
            metadata_checksum: self.metadata_checksum,
        }
    }
}

/// Decodes a file, checking nothing but its structure and, if strictly, its checksums.
pub(super) fn read(bytes: &[u8], options: &ReadOptions) -> Result<Document> {
    let parts = split(bytes)?;
    let opened = open(parts.header, parts.descriptor, options)?;
    let data_checksum = opened.verify(parts.data, options.strictness)?;
    let data = zstd::unpack(parts.data, opened.descriptor.data_len(), &options.limits)
        .map_err(|fault| opened.unpacking(fault, Some(bytes.len() as u64)))?;
    Ok(opened.document(data.into(), data_checksum))
}

/// Encodes the document in its own dialect, checking nothing but that it can be expressed.
pub(super) fn write(document: &Document, options: &WriteOptions) -> Result<Vec<u8>> {
    check_dialect(document.dialect)?;
    let descriptor = document.descriptor()?.encode().map_err(|index| {
        let usage = document.attributes[index].usage.name();
        let message = format!("the {} dialect has no {usage}", document.dialect);
        inexpressible(format!("attributes[{index}].usage"), message)
    })?;
    dialect::require_keys(document)?;
    let descriptor_len = u16::try_from(descriptor.len()).map_err(|_| {
        let message = format!("{} bytes encoded, but a file can have {}", descriptor.len(), u16::MAX);
        inexpressible("descriptor", message)
    })?;
    let mut file = vec![0; Header::SIZE];
    file.extend_from_slice(&descriptor);
    let data_start = file.len();
    pack(document, options, &mut file)?;
    let own = match options.data_checksum {
        Some(true) => DataChecksum::Present,
        Some(false) => DataChecksum::Absent,
        None => document.data_checksum,
    };
    let data_checksum = match own {
        DataChecksum::Present => hash::one_shot(&file[data_start..], document.dialect),
        DataChecksum::Absent => 0,
        DataChecksum::Wrong(wrong) => wrong.stored,
    };
    let metadata_checksum = match document.metadata_checksum {
        Some(wrong) => wrong.stored,
        None => hash::metadata(&descriptor, data_checksum, document.dialect),
    };
    let header = Header { version: 1, descriptor_len, metadata_checksum, data_checksum };
    header
        .write(&mut Cursor::new(&mut file[..Header::SIZE]))
        .map_err(|error| inexpressible("header", error.to_string()))?;
    Ok(file)
}

/// The levels that [`compression_level`](WriteOptions::compression_level) can be, those of zstd.
pub fn compression_levels() -> RangeInclusive<i32> {
    zstd::levels()
}

/// Appends the compressed data.
fn pack(document: &Document, options: &WriteOptions, file: &mut Vec<u8>) -> Result<()> {
    let level = options.compression_level.unwrap_or(LEVEL);
    let levels = compression_levels();
    if !levels.contains(&level) {
        let (least, most) = levels.into_inner();
        let message = format!("there is no compression level {level}, only {least} to {most}");
        return Err(Error::new(ErrorKind::Unsupported, message));
    }
    let mut parts: Vec<&[u8]> = vec![&document.user_data];
    parts.extend(document.indices.iter().map(|indices| &*indices.data));
    parts.extend(document.attributes.iter().map(|attribute| &*attribute.data));
    zstd::pack(&parts, level, options.threads, file).map_err(|message| inexpressible("data", message))?;
    file.shrink_to_fit();
    Ok(())
}
