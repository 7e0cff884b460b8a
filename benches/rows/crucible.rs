//! The rows of Crucible. The baseline of reading is LZ4 in C, the baseline of writing is LZ4 in Rust.

use meshspec::{Format, ReadOptions, WriteOptions, crucible};

use crate::{Bench, Error, Sheet, sheet};

/// Returns a document with positions, normals, texture coordinates and indices of a sheet.
pub fn document(sheet: Sheet) -> crucible::Document {
    let Sheet {
        positions,
        normals,
        uvs,
        indices,
    } = sheet;
    crucible::Document {
        chunks: vec![crucible::Chunk {
            indices: crucible::Indices::U32(indices),
            streams: vec![
                crucible::Values::Position3d(positions).into(),
                crucible::Values::Normal(normals).into(),
                crucible::Values::Uv(uvs).into(),
            ],
            ..Default::default()
        }],
        ..Default::default()
    }
}

pub fn add_rows(bench: &mut Bench) -> Result<(), Error> {
    // 50 MB.
    let document = document(sheet(950));
    let bytes = document.write(&WriteOptions::default())?;
    let mut raw: Vec<Vec<u8>> = document.chunks[0]
        .streams
        .iter()
        .map(|stream| stream.values.to_bytes().into_owned())
        .collect();
    if let crucible::Indices::U32(indices) = &document.chunks[0].indices {
        raw.push(meshspec::bulk::as_bytes(indices).into_owned());
    }
    let size = raw.iter().map(|stream| stream.len() as u64).sum();
    let packed: Vec<(Vec<u8>, usize)> = raw
        .iter()
        .map(|stream| (lz4_flex::block::compress(stream), stream.len()))
        .collect();
    let max_size = raw
        .iter()
        .map(|stream| lz4_flex::block::get_maximum_output_size(stream.len()))
        .sum();

    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let (one, two) = (pool(1)?, pool(2)?);
    let options = ReadOptions::default();
    let read = || crucible::Document::read(&bytes, &options);
    let lz4_in_c = || -> Vec<_> {
        let unpacked = packed.iter().map(|(packed, size)| {
            let mut buffer = vec![0u8; *size];
            lz4::block::decompress_to_buffer(packed, Some(*size as i32), &mut buffer)
                .map(|_| buffer)
        });
        unpacked.collect()
    };
    bench.add_row(
        "crucible/read",
        size,
        || one.install(read),
        "C LZ4_decompress_safe",
        lz4_in_c,
    );
    bench.add_row(
        "crucible/read parallel",
        size,
        || two.install(read),
        "one thread",
        || one.install(read),
    );
    let check = || one.install(|| meshspec::check(&bytes, crucible::FORMAT, &options));
    bench.add_row("crucible/check", size, check, "reading", || {
        one.install(read)
    });
    let options = WriteOptions::default();
    let compress = || {
        let mut file = vec![0u8; max_size];
        let mut end = 0;
        for stream in &raw {
            end += lz4_flex::block::compress_into(stream, &mut file[end..]).unwrap_or(0);
        }
        file.truncate(end);
        file
    };
    bench.add_row(
        "crucible/write",
        size,
        || document.write(&options),
        "lz4_flex",
        compress,
    );
    Ok(())
}
