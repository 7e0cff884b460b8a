//! The rows of IyMA. The baselines of reading are one-shot zstd, and streaming zstd into a growing buffer; the
//! baseline of writing is one-shot zstd.

use std::io::Read;

use meshspec::iyma::{Attribute, Document, IndexBuffer, Usage, VertexFormat};
use meshspec::{Format, ReadOptions, WriteOptions};
use zstd::zstd_safe::{CCtx, CParameter, DCtx, DParameter, FrameFormat};

use crate::{Bench, Error, Sheet, sheet};

/// Returns a document with positions, normals, texture coordinates and indices of a sheet, as GPU buffers.
pub fn document(sheet: Sheet) -> Result<Document, Error> {
    let Sheet {
        positions,
        normals,
        uvs,
        indices,
    } = sheet;
    let attributes = vec![
        Attribute::from_f32(
            Usage::Position,
            VertexFormat::Float32x3,
            positions.as_flattened(),
        ),
        Attribute::from_f32(
            Usage::Normal,
            VertexFormat::Float32x3,
            normals.as_flattened(),
        ),
        Attribute::from_f32(Usage::Uv, VertexFormat::Float32x2, uvs.as_flattened()),
    ];
    Ok(Document::from_mesh(
        Some(IndexBuffer::from_u32(&indices)),
        attributes,
    )?)
}

/// Concatenates the index and vertex buffers.
fn concatenate_buffers(document: &Document) -> Vec<u8> {
    let indices = document.indices.iter().map(|indices| &*indices.data);
    indices
        .chain(document.attributes.iter().map(|attribute| &*attribute.data))
        .collect::<Vec<_>>()
        .concat()
}

fn encoder(level: i32) -> CCtx<'static> {
    let mut encoder = CCtx::create();
    for parameter in [
        CParameter::CompressionLevel(level),
        CParameter::Format(FrameFormat::Magicless),
        CParameter::ContentSizeFlag(false),
        CParameter::EnableLongDistanceMatching(true),
    ] {
        let _ = encoder.set_parameter(parameter);
    }
    encoder
}

fn decoder() -> DCtx<'static> {
    let mut decoder = DCtx::create();
    let _ = decoder.set_parameter(DParameter::Format(FrameFormat::Magicless));
    decoder
}

pub fn add_rows(bench: &mut Bench) -> Result<(), Error> {
    // 56 MB.
    let document = document(sheet(1000))?;
    let raw = concatenate_buffers(&document);
    let size = raw.len() as u64;
    let bytes = document.write(&WriteOptions::default())?;
    let packed = &bytes[24 + usize::from(u16::from_le_bytes([bytes[6], bytes[7]]))..];
    let options = ReadOptions::default();
    let read = || Document::read(&bytes, &options);
    let one_shot = || {
        let mut out = Vec::with_capacity(raw.len());
        decoder().decompress(&mut out, packed).map(|_| out)
    };
    bench.add_row("iyma/read", size, read, "one-shot zstd", one_shot);
    bench.add_row(
        "iyma/check",
        size,
        || meshspec::check(&bytes, meshspec::iyma::FORMAT, &options),
        "reading",
        read,
    );
    let streaming = || {
        let mut out = Vec::new();
        let mut stream = zstd::stream::read::Decoder::new(packed)?;
        stream.set_parameter(DParameter::Format(FrameFormat::Magicless))?;
        stream.read_to_end(&mut out)?;
        Ok::<_, std::io::Error>((rapidhash::v1::rapidhash_v1(packed), out))
    };
    bench.add_row(
        "iyma/read streaming",
        size,
        read,
        "stream, grow, hash",
        streaming,
    );
    let mut compress = compressor(&raw, 3);
    bench.add_row(
        "iyma/write",
        size,
        || document.write(&WriteOptions::default()),
        "one-shot zstd",
        &mut compress,
    );
    let user_data = || {
        meshspec::iyma::Reader::new(&bytes[..], &options)
            .and_then(meshspec::iyma::Reader::user_data)
    };
    bench.add_row("iyma/user data", size, user_data, "read all", read);
    add_column_rows(bench, &document)?;
    add_slow_row(bench, &document, &raw);
    Ok(())
}

fn compressor(raw: &[u8], level: i32) -> impl FnMut() -> Result<Vec<u8>, usize> {
    move || {
        let mut out = Vec::with_capacity(zstd::zstd_safe::compress_bound(raw.len()));
        encoder(level).compress2(&mut out, raw).map(|_| out)
    }
}

/// Adds the row that writes with compression level 19, in fewer rounds, since it is slow.
fn add_slow_row(bench: &mut Bench, document: &Document, raw: &[u8]) {
    let options = WriteOptions::default()
        .with_compression_level(19)
        .with_threads(2);
    let rounds = std::mem::replace(&mut bench.rounds, 3);
    let size = raw.len() as u64;
    let write = || document.write(&options);
    bench.add_row(
        "iyma/write parallel 19",
        size,
        write,
        "one-shot zstd 19",
        compressor(raw, 19),
    );
    bench.rounds = rounds;
}

fn add_column_rows(bench: &mut Bench, document: &Document) -> Result<(), Error> {
    let Some(normals) = document.attribute(&Usage::Normal) else {
        return Ok(());
    };
    let floats = normals.to_f32();
    for (name, format) in [
        ("iyma/to_f32 Float16x2", VertexFormat::Float16x2),
        ("iyma/to_f32 Snorm8x4", VertexFormat::Snorm8x4),
        ("iyma/to_f32 Unorm10_10_10_2", VertexFormat::Unorm10_10_10_2),
    ] {
        let bytes = format.from_f32(&floats);
        let copy = || floats.to_vec();
        bench.add_row(
            name,
            4 * floats.len() as u64,
            || format.to_f32(&bytes),
            "copy of the floats",
            copy,
        );
    }
    Ok(())
}
