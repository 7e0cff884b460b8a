//! Cases that generated Crucible files rarely cover: long runs, distant matches and faults in LZ4 blocks, and faults
//! that tolerant loaders miss.

use std::io::Cursor;

use binrw::{BinWrite, Endian};

use super::schema::AttributeFlags;
use super::schema::chunk::{CompressedChunk, CompressedStream};
use super::schema::packing::Lz4Block;
use super::{Chunk, Container, Document, Indices, Values};
use crate::{Format, WriteOptions};

/// Returns each file with a description.
pub(super) fn edge_cases() -> Vec<(&'static str, Vec<u8>)> {
    let literals = "a stream of more than 15 + 255 bytes that do not repeat";
    let window = "indices of more than 64 KiB, with a match 65,535 bytes back";
    let cases = [
        (window, distant_match()),
        (literals, long_literals()),
        ("LZ4 indices with a match 0 bytes back", with_indices(6, &[(&[0, 0], Some((0, 4)))])),
        ("LZ4 indices that end with a match", with_indices(6, &[(&[0, 0], Some((2, 4)))])),
        (
            "empty data whose LZ4 token has a match length",
            with_block(Lz4Block { uncompressed_size: 0, bytes: vec![1] }),
        ),
        ("an index that is −1 as a signed number", with_indices(6, &[(&[0, 0, 255, 255, 0, 0], None)])),
        ("an index into empty streams", index_into_empty_streams()),
        ("an empty stream after a stream with values", unequal_streams()),
        ("a byte after the last stream of the second chunk in a container", trailing_byte()),
    ];
    cases.into_iter().filter_map(|(what, bytes)| Some((what, bytes?))).collect()
}

/// ComparedValues and the match after them, with its distance and length.
type Sequence<'a> = (&'a [u8], Option<(u16, usize)>);

/// Builds a bare chunk of one vertex, with 16-bit indices that unpack to `size` bytes.
fn with_indices(size: i32, sequences: &[Sequence<'_>]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    sequences.iter().for_each(|(literals, lz4_match)| push_sequence(&mut bytes, literals, *lz4_match));
    with_block(Lz4Block { uncompressed_size: size, bytes })
}

/// Builds a bare chunk of one vertex, with 16-bit indices.
fn with_block(indices: Lz4Block) -> Option<Vec<u8>> {
    bare_chunk(indices, &[[0.0; 3]], &[])
}

fn index_into_empty_streams() -> Option<Vec<u8>> {
    bare_chunk(Lz4Block::compress(&[0; 6]).ok()?, &[], &[])
}

fn unequal_streams() -> Option<Vec<u8>> {
    bare_chunk(Lz4Block::compress(&[0; 6]).ok()?, &[[0.0; 3]], &[AttributeFlags::new().with_normal(true)])
}

/// Builds a bare chunk with positions and empty streams of other attributes.
fn bare_chunk(indices: Lz4Block, positions: &[[f32; 3]], empty: &[AttributeFlags]) -> Option<Vec<u8>> {
    let positions = Lz4Block::compress(bytemuck::cast_slice(positions)).ok()?;
    let mut streams =
        vec![CompressedStream { attribute: AttributeFlags::new().with_position_3d(true), block: positions }];
    for attribute in empty {
        streams.push(CompressedStream { attribute: *attribute, block: Lz4Block::compress(&[]).ok()? });
    }
    write(&CompressedChunk { index_size: 0, indices, streams })
}

/// Writes a bare chunk.
fn write(compressed: &CompressedChunk) -> Option<Vec<u8>> {
    let streams = compressed.streams.iter().map(|_| Values::Position3d(Vec::new()).into()).collect();
    let mut bytes = Cursor::new(Vec::new());
    Chunk { streams, ..Chunk::default() }.write_options(&mut bytes, Endian::Little, (compressed,)).ok()?;
    Some(bytes.into_inner())
}

/// Builds a container whose second chunk is one byte longer than its streams.
fn trailing_byte() -> Option<Vec<u8>> {
    let chunk = Chunk {
        indices: Indices::U16(vec![0, 0, 0]),
        streams: vec![Values::Position3d(vec![[0.0; 3]]).into()],
        ..Chunk::default()
    };
    let chunks = vec![chunk.clone(), Chunk { trailing: vec![0], ..chunk }];
    let document = Document { container: Container::Model, chunks, ..Document::default() };
    Format::write(&document, &WriteOptions::lenient()).ok()
}

/// Builds a file whose positions have no repeated bytes, so that LZ4 stores them as literals.
fn long_literals() -> Option<Vec<u8>> {
    let mut state = 1_u32;
    let mut coordinate = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f32::from_bits(0x3f80_0000 | state >> 9)
    };
    let positions = (0..30).map(|_| [(); 3].map(|()| coordinate())).collect();
    let chunk = Chunk {
        indices: Indices::U16(vec![0, 1, 29]),
        streams: vec![Values::Position3d(positions).into()],
        ..Chunk::default()
    };
    let document = Document { container: Container::Model, chunks: vec![chunk], ..Document::default() };
    Format::write(&document, &WriteOptions::default()).ok()
}

/// Builds a bare chunk whose indices are zeros, a run of ones, and a copy of the first zeros. A reader that copies from
/// a wrong, odd offset within the ones reads the out-of-range index 256.
fn distant_match() -> Option<Vec<u8>> {
    const ONES: usize = 65_520;
    let mut packed = Vec::new();
    push_sequence(&mut packed, &[0; 4], Some((1, 60)));
    push_sequence(&mut packed, &[1, 0], Some((2, ONES - 2)));
    push_sequence(&mut packed, &[], Some((65_535, 10)));
    push_sequence(&mut packed, &[0; 16], None);
    let mut positions = Vec::new();
    push_sequence(&mut positions, &[0; 36], None);
    let attribute = AttributeFlags::new().with_position_3d(true);
    let compressed = CompressedChunk {
        index_size: 0,
        indices: Lz4Block { uncompressed_size: 64 + ONES as i32 + 26, bytes: packed },
        streams: vec![CompressedStream {
            attribute,
            block: Lz4Block { uncompressed_size: 36, bytes: positions },
        }],
    };
    write(&compressed)
}

/// Appends an LZ4 sequence: literals, then a match with this distance and length, if there is one.
fn push_sequence(block: &mut Vec<u8>, literals: &[u8], lz4_match: Option<(u16, usize)>) {
    let (literal_count, match_code) = (literals.len(), lz4_match.map_or(0, |(_, length)| length - 4));
    let start = |length: usize| length.min(15) as u8;
    let rest = |length: usize| {
        let rest = length.checked_sub(15);
        rest.into_iter().flat_map(|rest| std::iter::repeat_n(255, rest / 255).chain([(rest % 255) as u8]))
    };
    block.push(start(literal_count) << 4 | start(match_code));
    block.extend(rest(literal_count));
    block.extend(literals);
    if let Some((distance, _)) = lz4_match {
        block.extend(distance.to_le_bytes());
        block.extend(rest(match_code));
    }
}
