//! Reads binary STL: an 80-byte header, the number of facets, and 50 bytes per facet.

use super::Solid;
use crate::interop::detect::{
    STL_FACET_SIZE as FACET_SIZE, STL_HEADER_SIZE as HEADER_SIZE, stl_facet_count,
};
use crate::{Error, Loss, Result, Span, Strictness};

/// Reads the facets. In lenient mode, facets may be missing at the end of the file.
pub(super) fn read(bytes: &[u8], strictness: Strictness, losses: &mut Vec<Loss>) -> Result<Solid> {
    let reject = |start: usize, end: usize, message: String| {
        Err(Error::malformed(message).with_span(Some(Span::Bytes(start as u64..end as u64))))
    };
    let (Some(count), Some(facets)) = (stl_facet_count(bytes), bytes.get(HEADER_SIZE..)) else {
        let size = bytes.len();
        let message =
            format!("{size} bytes are neither a binary STL file, which has at least 84, nor text");
        return reject(0, size, message);
    };
    let available = (facets.len() / FACET_SIZE) as u64;
    let mut count = u64::from(count);
    if available < count && strictness == Strictness::Lenient {
        let loss = Loss::dropped("facets", "facets missing at the end of the file");
        losses.push(loss.with_count_of((count - available) as usize, count as usize, "facets"));
        count = available;
    }
    let needed = FACET_SIZE as u64 * count;
    if needed > facets.len() as u64 {
        let left = facets.len();
        let message =
            format!("truncated facet list: a count of {count} needs {needed} bytes, {left} remain");
        return reject(HEADER_SIZE - 4, HEADER_SIZE, message);
    }
    // `needed` does not exceed the number of bytes.
    let (facets, trailing) = facets.split_at(needed as usize);
    let loss = Loss::dropped("", "bytes after the last facet").with_count(trailing.len(), "bytes");
    losses.extend(loss.if_any());
    let mut solid = Solid {
        name: header_name(&bytes[..HEADER_SIZE - 4]),
        normals: Vec::with_capacity(count as usize),
        positions: Vec::with_capacity(count as usize * 3),
        exact_positions: None,
    };
    let mut attributes = 0;
    for facet in facets.as_chunks::<FACET_SIZE>().0 {
        let numbers = facet.as_chunks().0;
        let vector =
            |index| std::array::from_fn(|axis| f32::from_le_bytes(numbers[3 * index + axis]));
        let [normal, a, b, c] = std::array::from_fn(vector);
        solid.normals.push(normal);
        solid.positions.extend([a, b, c]);
        attributes += usize::from(facet[48..] != [0; 2]);
    }
    let message = "attribute bytes, which programs interpret differently";
    let loss = Loss::dropped("facets.attributes", message);
    losses.extend(
        loss.with_count_of(attributes, count as usize, "facets")
            .if_any(),
    );
    Ok(solid)
}

/// Returns the text in the header, up to the first zero byte.
fn header_name(header: &[u8]) -> Vec<u8> {
    let end = header
        .iter()
        .position(|byte| *byte == 0)
        .unwrap_or(header.len());
    header[..end].trim_ascii().to_vec()
}
