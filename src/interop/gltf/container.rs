//! Writes and splits GLB containers; writes `.gltf` files with their buffers.

use std::io::{self, BufWriter, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use serde_json::json;

use super::buffer::Buffer;
use super::entries::{RootMap, RootValue};
use crate::interop::Files;
use crate::interop::folder::bytes_from_name;
use crate::interop::images::file_stem;
use crate::{Error, Result};

const MAGIC: &[u8; 4] = b"glTF";
const JSON_CHUNK: &[u8; 4] = b"JSON";
const BIN_CHUNK: &[u8; 4] = b"BIN\0";

/// The characters to percent-encode in file names.
pub(super) const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

pub(super) fn save_glb(
    mut json: RootMap,
    buffer: &Buffer,
    name: &str,
    files: &mut dyn Files,
) -> Result<()> {
    if buffer.len() > 0 {
        json.insert(
            "buffers",
            RootValue::Value(json!([{ "byteLength": buffer.len() }])),
        );
    }
    let mut json = to_bytes(serde_json::to_vec(&json))?;
    json.resize(json.len().next_multiple_of(4), b' ');
    let bin_chunk_size = if buffer.len() > 0 {
        8 + buffer.len()
    } else {
        0
    };
    let total = 12 + 8 + json.len() as u64 + bin_chunk_size;
    let total = u32::try_from(total).map_err(|_| {
        let message =
            format!("{total} bytes exceed the maximum of 2^32 - 1 for .glb; write .gltf instead");
        Error::inexpressible(message)
    })?;
    let mut file = BufWriter::new(files.create(name)?);
    let header = [*MAGIC, 2_u32.to_le_bytes(), total.to_le_bytes()];
    file.write_all(header.as_flattened())?;
    file.write_all([(json.len() as u32).to_le_bytes(), *JSON_CHUNK].as_flattened())?;
    file.write_all(&json)?;
    if buffer.len() > 0 {
        file.write_all([(buffer.len() as u32).to_le_bytes(), *BIN_CHUNK].as_flattened())?;
        buffer.write(&mut file)?;
    }
    Ok(file.flush()?)
}

/// Writes the JSON, and the buffer to a `.bin` file with the same stem. If companion files are unsupported, embeds the
/// buffer in the JSON as a data URI.
pub(super) fn save_json(
    mut json: RootMap,
    buffer: &Buffer,
    name: &str,
    files: &mut dyn Files,
) -> Result<()> {
    if buffer.len() > 0 {
        let buffer_name = format!("{}.bin", file_stem(name).unwrap_or_default());
        let uri = match files.create(&buffer_name) {
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                let mut buffer_bytes = Vec::new();
                buffer.write(&mut buffer_bytes)?;
                format!(
                    "data:application/octet-stream;base64,{}",
                    BASE64.encode(buffer_bytes)
                )
            }
            file => {
                let mut file = BufWriter::new(file?);
                buffer.write(&mut file)?;
                file.flush()?;
                percent_encode(&bytes_from_name(&buffer_name), ESCAPED).to_string()
            }
        };
        json.insert(
            "buffers",
            RootValue::Value(json!([{ "byteLength": buffer.len(), "uri": uri }])),
        );
    }
    let mut text = to_bytes(serde_json::to_vec_pretty(&json))?;
    text.push(b'\n');
    let mut file = BufWriter::new(files.create(name)?);
    file.write_all(&text)?;
    Ok(file.flush()?)
}

fn to_bytes(json: serde_json::Result<Vec<u8>>) -> Result<Vec<u8>> {
    Ok(json.map_err(io::Error::from)?)
}

/// Splits a file into its JSON and the binary chunk of a GLB, if any.
pub(super) fn split_container(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>)> {
    let Some(rest) = bytes.strip_prefix(MAGIC) else {
        return Ok((bytes, None));
    };
    let reject = |path: &str, message: String| Error::malformed(message).at_text(path);
    let truncated = || reject("header", "the file ends within its header".to_owned());
    let (version, rest) = read_u32(rest).ok_or_else(truncated)?;
    let (length, rest) = read_u32(rest).ok_or_else(truncated)?;
    if version != 2 {
        let message =
            format!("glTF {version}.0 is not supported; convert the file to glTF 2.0 first");
        return Err(Error::unsupported(message).at_text("header.version"));
    }
    if length as usize > bytes.len() {
        return Err(reject(
            "header.length",
            format!("{length} bytes, but the file has {}", bytes.len()),
        ));
    }
    let rest = rest
        .get(..(length as usize).saturating_sub(12))
        .unwrap_or_default();
    let (name, json, mut rest) =
        read_chunk(rest).map_err(|message| reject("chunks[0]", message))?;
    if name != *JSON_CHUNK {
        let message = format!(
            "found the chunk \"{}\", expected \"JSON\"",
            name.escape_ascii()
        );
        return Err(reject("chunks[0]", message));
    }
    let mut index = 1;
    // glTF requires readers to skip unknown chunks.
    while !rest.is_empty() {
        let (name, content, others) =
            read_chunk(rest).map_err(|m| reject(&format!("chunks[{index}]"), m))?;
        if name == *BIN_CHUNK {
            return Ok((json, Some(content)));
        }
        rest = others;
        index += 1;
    }
    Ok((json, None))
}

fn read_u32(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (first, rest) = bytes.split_first_chunk()?;
    Some((u32::from_le_bytes(*first), rest))
}

/// The name and content of a chunk, and the remaining bytes.
type ChunkAndRest<'a> = ([u8; 4], &'a [u8], &'a [u8]);

fn read_chunk(bytes: &[u8]) -> Result<ChunkAndRest<'_>, String> {
    let header =
        read_u32(bytes).and_then(|(length, rest)| Some((length, rest.split_first_chunk::<4>()?)));
    let Some((length, (name, rest))) = header else {
        return Err(format!(
            "truncated chunk header: found {} bytes, expected 8",
            bytes.len()
        ));
    };
    match rest.split_at_checked(length as usize) {
        Some((content, rest)) => Ok((*name, content, rest)),
        None => Err(format!(
            "truncated chunk: needs {length} bytes, {} remain",
            rest.len()
        )),
    }
}
