//! Valid Crucible files that generated files rarely resemble: long runs and distant matches in LZ4 blocks.

use std::io::Cursor;

use binrw::{BinWrite, Endian};

use super::schema::AttributeFlags;
use super::schema::chunk::{PackedChunk, PackedStream};
use super::schema::packing::Lz4Block;
use super::{Chunk, Container, Document, Indices, Values};
use crate::{Format, WriteOptions};

/// Returns each file with a description.
pub(super) fn edge_cases() -> Vec<(&'static str, Vec<u8>)> {
    let literals = "a stream of more than 15 + 255 bytes that do not repeat";
    let window = "indices of more than 64 KiB, with a match 65,535 bytes back";
    let cases = [(window, distant_match()), (literals, long_literals())];
    cases.into_iter().filter_map(|(what, bytes)| Some((what, bytes?))).collect()
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
    let packed = PackedChunk {
        index_size: 0,
        indices: Lz4Block { unpacked_size: 64 + ONES as i32 + 26, bytes: packed },
        streams: vec![PackedStream { attribute, block: Lz4Block { unpacked_size: 36, bytes: positions } }],
    };
    let streams = vec![Values::Position3d(Vec::new()).into()];
    let mut bytes = Cursor::new(Vec::new());
    Chunk { streams, ..Chunk::default() }.write_options(&mut bytes, Endian::Little, (&packed,)).ok()?;
    Some(bytes.into_inner())
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
