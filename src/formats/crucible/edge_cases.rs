//! Cases that generated Crucible files rarely cover: long runs, distant matches and faults in LZ4 blocks, and faults
//! that tolerant loaders miss.

use std::io::Cursor;

use binrw::{BinWrite, Endian};

use super::schema::AttributeFlags;
use super::schema::chunk::{CompressedChunk, CompressedStream};
use super::schema::packing::Lz4Block;
use super::{Chunk, Container, Document, Indices, Values};
use crate::{Format, WriteOptions};

/// Returns the files, each with a description.
pub(super) fn edge_cases() -> Vec<(&'static str, Vec<u8>)> {
    let literals = "a stream of more than 15 + 255 bytes that do not repeat";
    let window = "indices of more than 64 KiB, with a match 65,535 bytes back";
    let empty_with_match = Some(Lz4Block {
        uncompressed_size: 0,
        bytes: vec![1],
    });
    let zeros = || Lz4Block::compress(&[0; 6]).ok();
    let normal = AttributeFlags::new().with_normal(true);
    let cases = [
        (window, distant_match()),
        (literals, long_literals()),
        (
            "LZ4 indices with a match 0 bytes back",
            with_indices(6, &[(&[0, 0], Some((0, 4)))]),
        ),
        (
            "LZ4 indices that end with a match",
            with_indices(6, &[(&[0, 0], Some((2, 4)))]),
        ),
        (
            "empty data whose LZ4 token has a match length",
            bare_chunk(empty_with_match, 1, None),
        ),
        (
            "an index that is −1 as a signed number",
            with_indices(6, &[(&[0, 0, 255, 255, 0, 0], None)]),
        ),
        ("an index, but no vertices", bare_chunk(zeros(), 0, None)),
        (
            "an empty stream after a stream with values",
            bare_chunk(zeros(), 1, Some(normal)),
        ),
        (
            "a byte after the last stream of the second chunk in a container",
            trailing_byte(),
        ),
    ];
    cases
        .into_iter()
        .filter_map(|(what, bytes)| Some((what, bytes?)))
        .collect()
}

/// Literals, then the distance and length of a match, if any.
type Sequence<'a> = (&'a [u8], Option<(u16, usize)>);

/// Builds a bare chunk of one vertex, with 16-bit indices whose stated size is `size` bytes.
fn with_indices(size: i32, sequences: &[Sequence<'_>]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    sequences
        .iter()
        .for_each(|(literals, lz4_match)| push_sequence(&mut bytes, literals, *lz4_match));
    bare_chunk(
        Some(Lz4Block {
            uncompressed_size: size,
            bytes,
        }),
        1,
        None,
    )
}

/// Builds a bare chunk with 16-bit indices, vertices at the origin and, if given, an empty stream of attribute `empty`.
fn bare_chunk(
    indices: Option<Lz4Block>,
    vertices: usize,
    empty: Option<AttributeFlags>,
) -> Option<Vec<u8>> {
    let positions = vec![0; size_of::<[f32; 3]>() * vertices];
    let mut streams = vec![position_stream(Lz4Block::compress(&positions).ok()?)];
    if let Some(attribute) = empty {
        streams.push(CompressedStream {
            attribute,
            block: Lz4Block::compress(&[]).ok()?,
        });
    }
    write(&CompressedChunk {
        index_size: 0,
        indices: indices?,
        streams,
    })
}

fn position_stream(block: Lz4Block) -> CompressedStream {
    CompressedStream {
        attribute: AttributeFlags::new().with_position_3d(true),
        block,
    }
}

fn write(compressed: &CompressedChunk) -> Option<Vec<u8>> {
    let streams = compressed
        .streams
        .iter()
        .map(|_| Values::Position3d(Vec::new()).into())
        .collect();
    let mut bytes = Cursor::new(Vec::new());
    Chunk {
        streams,
        ..Chunk::default()
    }
    .write_options(&mut bytes, Endian::Little, (compressed,))
    .ok()?;
    Some(bytes.into_inner())
}

fn model(chunks: Vec<Chunk>) -> Option<Vec<u8>> {
    let document = Document {
        container: Container::Model,
        chunks,
        ..Document::default()
    };
    Format::write(&document, &WriteOptions::lenient()).ok()
}

fn chunk(indices: [u16; 3], positions: Vec<[f32; 3]>) -> Chunk {
    let streams = vec![Values::Position3d(positions).into()];
    Chunk {
        indices: Indices::U16(indices.to_vec()),
        streams,
        ..Chunk::default()
    }
}

/// Builds a container whose second chunk has one byte after its last stream.
fn trailing_byte() -> Option<Vec<u8>> {
    let chunk = chunk([0, 0, 0], vec![[0.0; 3]]);
    model(vec![
        chunk.clone(),
        Chunk {
            trailing: vec![0],
            ..chunk
        },
    ])
}

/// Builds a file whose positions are pseudo-random, so that LZ4 finds no matches and stores them as literals.
fn long_literals() -> Option<Vec<u8>> {
    let mut state = 1_u32;
    let mut coordinate = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f32::from_bits(0x3f80_0000 | state >> 9)
    };
    model(vec![chunk(
        [0, 1, 29],
        (0..30).map(|_| [(); 3].map(|()| coordinate())).collect(),
    )])
}

/// Builds a bare chunk whose indices are zeros, a run of ones, and zeros again, copied from before the run. A reader
/// that copies from a wrong, odd offset within the ones reads the out-of-range index 256.
fn distant_match() -> Option<Vec<u8>> {
    const ONES: usize = 65_520;
    let mut packed = Vec::new();
    push_sequence(&mut packed, &[0; 4], Some((1, 60)));
    push_sequence(&mut packed, &[1, 0], Some((2, ONES - 2)));
    push_sequence(&mut packed, &[], Some((65_535, 10)));
    push_sequence(&mut packed, &[0; 16], None);
    let mut positions = Vec::new();
    push_sequence(&mut positions, &[0; 36], None);
    let indices = Lz4Block {
        uncompressed_size: 64 + ONES as i32 + 26,
        bytes: packed,
    };
    let positions = Lz4Block {
        uncompressed_size: 36,
        bytes: positions,
    };
    write(&CompressedChunk {
        index_size: 0,
        indices,
        streams: vec![position_stream(positions)],
    })
}

/// Appends an LZ4 sequence: literals, then a match with this distance and length, if any.
fn push_sequence(block: &mut Vec<u8>, literals: &[u8], lz4_match: Option<(u16, usize)>) {
    let (literal_count, match_code) = (
        literals.len(),
        lz4_match.map_or(0, |(_, length)| length - 4),
    );
    let start = |length: usize| length.min(15) as u8;
    let rest = |length: usize| {
        let rest = length.checked_sub(15);
        rest.into_iter()
            .flat_map(|rest| std::iter::repeat_n(255, rest / 255).chain([(rest % 255) as u8]))
    };
    block.push(start(literal_count) << 4 | start(match_code));
    block.extend(rest(literal_count));
    block.extend(literals);
    if let Some((distance, _)) = lz4_match {
        block.extend(distance.to_le_bytes());
        block.extend(rest(match_code));
    }
}
