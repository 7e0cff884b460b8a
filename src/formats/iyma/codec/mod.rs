//! Reads and writes IyMA files.

mod header;
mod reader;
pub(super) use header::{FileParts, detect, locate_error, split_file, verify_checksums};
pub use reader::Reader;

use std::io::Cursor;
use std::ops::RangeInclusive;

use binrw::BinWrite;

use super::document::{DataChecksum, Document, dialect};
use super::hash;
use super::schema::Header;
use crate::unpack::zstd;
use crate::{Dialect, Error, ReadOptions, Result, WriteOptions, path};
use header::decode_descriptor;

/// Decodes a file. Rejects structural faults and, in strict mode, wrong checksums.
pub(super) fn read(bytes: &[u8], dialect: Dialect, options: &ReadOptions) -> Result<Document> {
    let parts = split_file(bytes)?;
    let decoded = decode_descriptor(parts.header, parts.descriptor, dialect, options.strictness)?;
    let data_checksum = decoded.verify(&[parts.data], options.strictness)?;
    let data = zstd::unpack(parts.data, decoded.descriptor.data_len(), &options.limits)
        .map_err(|error| decoded.unpack_error(error, Some(bytes.len() as u64)))?;
    Ok(decoded.into_document(data.into(), data_checksum))
}

/// Encodes the document in its dialect. Returns an error if the document is inexpressible, or the compression level is
/// out of range.
pub(super) fn write(document: &Document, options: &WriteOptions) -> Result<Vec<u8>> {
    let descriptor = document
        .descriptor()?
        .encode(document.dialect)
        .map_err(|index| {
            let usage = document.attributes[index].usage.name();
            let message = format!("the {} dialect lacks the usage {usage}", document.dialect);
            Error::inexpressible(message).at(path!(attributes[index].usage))
        })?;
    dialect::reject_duplicate_usages(document)?;
    let descriptor_len = u16::try_from(descriptor.len()).map_err(|_| {
        let (size, max) = (descriptor.len(), u16::MAX);
        let message = format!(
            "{size} bytes encoded, but the header allows at most {max}; write a file with fewer meshes or attributes"
        );
        Error::inexpressible(message).at(path!(descriptor))
    })?;
    let mut file = vec![0; Header::size()];
    file.extend_from_slice(&descriptor);
    let data_start = file.len();
    append_data(document, options, &mut file)?;
    let data_checksum = match (options.data_checksum, document.data_checksum) {
        (Some(true), _) | (None, DataChecksum::Present) => {
            hash::one_shot_hash(&[&file[data_start..]], document.dialect)
        }
        (Some(false), _) | (None, DataChecksum::Absent) => 0,
        (None, DataChecksum::Wrong(wrong)) => wrong.stored,
    };
    let metadata_checksum = match document.metadata_checksum {
        Some(wrong) => wrong.stored,
        None => hash::metadata_checksum(&descriptor, data_checksum, document.dialect),
    };
    let header = Header {
        version: Header::VERSION,
        descriptor_len,
        metadata_checksum,
        data_checksum,
    };
    header
        .write(&mut Cursor::new(&mut file[..Header::size()]))
        .map_err(|error| Error::inexpressible(error.to_string()).at(path!(header)))?;
    Ok(file)
}

/// Returns the range of [`compression_level`](WriteOptions::compression_level): the levels of zstd.
pub fn compression_levels() -> RangeInclusive<i32> {
    zstd::compression_levels()
}

/// Compresses the buffers and appends the result to `file`.
fn append_data(document: &Document, options: &WriteOptions, file: &mut Vec<u8>) -> Result<()> {
    let level = options.compression_level.unwrap_or(zstd::DEFAULT_LEVEL);
    let levels = compression_levels();
    if !levels.contains(&level) {
        let (min, max) = levels.into_inner();
        return Err(Error::unsupported(format!(
            "found compression level {level}, expected {min} to {max}"
        )));
    }
    let mut parts: Vec<&[u8]> = vec![&document.user_data];
    parts.extend(document.indices.iter().map(|indices| &*indices.data));
    parts.extend(document.attributes.iter().map(|attribute| &*attribute.data));
    zstd::pack(&parts, level, options.threads, file)
        .map_err(|message| Error::inexpressible(message).at(path!(data)))?;
    file.shrink_to_fit();
    Ok(())
}
