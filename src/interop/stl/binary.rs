//! Reads binary STL: a header of 80 bytes, the number of facets, and 50 bytes per facet.

use super::Solid;
use crate::{Error, Loss, Result, Span, Strictness};

/// The offset of the facets.
const FACETS: usize = 84;
/// The size of a facet: a normal, three corners, and two attribute bytes.
const FACET: usize = 50;

/// Returns `true` if the file size matches the number of facets.
pub(super) fn has_size(bytes: &[u8]) -> bool {
    count(bytes).is_some_and(|count| bytes.len() as u64 == FACETS as u64 + FACET as u64 * u64::from(count))
}

fn count(bytes: &[u8]) -> Option<u32> {
    bytes.get(..FACETS)?.last_chunk().map(|count| u32::from_le_bytes(*count))
}

/// Reads the facets. Lenient mode accepts missing facets at the end of the file.
pub(super) fn read(bytes: &[u8], strictness: Strictness, losses: &mut Vec<Loss>) -> Result<Solid> {
    let reject = |start: usize, end: usize, message: String| {
        let span = Span::Bytes(start as u64..end as u64);
        Err(Error::malformed(message).with_span(Some(span)))
    };
    let (Some(count), Some(facets)) = (count(bytes), bytes.get(FACETS..)) else {
        let message =
            format!("{} bytes are neither a binary STL file, which has 84 or more, nor text", bytes.len());
        return reject(0, bytes.len(), message);
    };
    let there = (facets.len() / FACET) as u64;
    let mut count = u64::from(count);
    if there < count && strictness == Strictness::Lenient {
        let loss = Loss::dropped("facets", "facets missing at the end of the file");
        losses.push(loss.affecting((count - there) as usize, count as usize, "facets"));
        count = there;
    }
    let needed = FACET as u64 * count;
    if needed > facets.len() as u64 {
        let message = format!("{count} facets take {needed} bytes, but {} are left", facets.len());
        return reject(FACETS - 4, FACETS, message);
    }
    // `needed` does not exceed the number of bytes.
    let (facets, trailing) = facets.split_at(needed as usize);
    if !trailing.is_empty() {
        losses.push(Loss::dropped("", "bytes after the last facet").counting(trailing.len(), "bytes"));
    }
    let mut solid = Solid {
        name: name(&bytes[..FACETS - 4]),
        normals: Vec::with_capacity(count as usize),
        positions: Vec::with_capacity(count as usize * 3),
        exact_positions: None,
    };
    let mut attributes = 0;
    for facet in facets.as_chunks::<FACET>().0 {
        let [normal, a, b, c] = std::array::from_fn(|index| vector(facet, 12 * index));
        solid.normals.push(normal);
        solid.positions.extend([a, b, c]);
        attributes += usize::from(facet[48..] != [0; 2]);
    }
    if attributes > 0 {
        let loss =
            Loss::dropped("facets.attributes", "attribute bytes, whose meaning differs between programs");
        losses.push(loss.affecting(attributes, count as usize, "facets"));
    }
    Ok(solid)
}

/// Returns the text of the header up to the first zero byte.
fn name(header: &[u8]) -> Vec<u8> {
    let end = header.iter().position(|byte| *byte == 0).unwrap_or(header.len());
    header[..end].trim_ascii().to_vec()
}

fn vector(facet: &[u8; FACET], at: usize) -> [f32; 3] {
    std::array::from_fn(|axis| {
        let at = at + 4 * axis;
        f32::from_le_bytes([facet[at], facet[at + 1], facet[at + 2], facet[at + 3]])
    })
}
