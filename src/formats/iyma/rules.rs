//! Checks documents against the rules of IyMA.

pub(super) use super::schema::rules::*;

use std::fmt::Display;
use std::ops::Range;

use super::document::{DataChecksum, Document, IndexBuffer, WrongChecksum};
use super::schema::layout;
use super::schema::{IndexFormat, MeshInfo};
use crate::layout::check_document;
use crate::{Report, path};

/// Adds the violations of a document to `report`.
pub(super) fn check(document: &Document, report: &mut Report) {
    check_checksums(
        document.metadata_checksum.as_ref(),
        &document.data_checksum,
        report,
    );
    check_document(layout(document.dialect), document, report);
    if let Some(indices) = &document.indices {
        check_indices(document, indices, report);
    }
    for (index, attribute) in document.attributes.iter().enumerate() {
        let first = document.attributes[..index]
            .iter()
            .position(|other| other.usage == attribute.usage);
        if let Some(first) = first {
            let message = format!(
                "duplicate usage {} of attributes[{first}]",
                attribute.usage.name()
            );
            report.add(&DUPLICATE, path!(descriptor.attributes[index]), message);
        }
    }
}

pub(super) fn check_checksums(
    metadata: Option<&WrongChecksum>,
    data: &DataChecksum,
    report: &mut Report,
) {
    if let Some(wrong) = metadata {
        report.add(
            &METADATA_CHECKSUM,
            path!(header.metadata_checksum),
            mismatch_message(wrong),
        );
    }
    if let DataChecksum::Wrong(wrong) = data {
        report.add(
            &DATA_CHECKSUM,
            path!(header.data_checksum),
            mismatch_message(wrong),
        );
    }
}

pub(super) fn mismatch_message(wrong: &WrongChecksum) -> impl Display + use<> {
    let stored = wrong.stored;
    match wrong.computed() {
        Some(computed) => format!("found {stored:#018x}, expected {computed:#018x}"),
        None => format!("{stored:#018x} is wrong"),
    }
}

/// Returns the range of a mesh in the index buffer; `None` if the range is empty or exceeds the buffer.
fn index_range(mesh: &MeshInfo, indices: &IndexBuffer) -> Option<Range<usize>> {
    let start = usize::try_from(mesh.first_index).ok()?;
    let end = start.checked_add(usize::try_from(mesh.index_count).ok()?)?;
    (start < end && end <= indices.len()).then_some(start..end)
}

fn check_indices(document: &Document, indices: &IndexBuffer, report: &mut Report) {
    let meshes = || {
        document
            .meshes
            .iter()
            .filter_map(|mesh| Some((mesh, index_range(mesh, indices)?)))
    };
    // If ranges overlap so much that a search of each would be slow, builds a hierarchy of maxima first.
    let total_len: usize = meshes()
        .map(|(_, range)| range.len())
        .fold(0, usize::saturating_add);
    let maxima = (total_len / 4 > indices.len()).then(|| Maxima::new(indices));
    for (mesh, range) in meshes() {
        let is_valid = match &maxima {
            Some(maxima) => maxima.max(indices, range.clone()) < mesh.vertex_count,
            None => all_below(indices, range.clone(), mesh.vertex_count),
        };
        if is_valid {
            continue;
        }
        let limit = mesh.vertex_count;
        let Some(values) = indices.slice_mesh(mesh) else {
            continue;
        };
        for (position, index) in values
            .iter()
            .enumerate()
            .filter(|(_, index)| *index >= limit)
        {
            let message = format_args!("index {index} is not below the vertex count {limit}");
            report.add(
                &INDEX_RANGE,
                path!(data.indices[range.start + position]),
                message,
            );
            // After many findings, one per mesh suffices: overlapping ranges could make the search slow.
            if report.count_of(INDEX_RANGE.code) > 1000 {
                break;
            }
        }
    }
}

/// Returns `true` if all indices in a range are below `limit`. Makes one branch-free pass over them.
fn all_below(indices: &IndexBuffer, range: Range<usize>, limit: u32) -> bool {
    let Some(max) = limit.checked_sub(1) else {
        return range.is_empty();
    };
    let size = indices.format.size();
    let bytes = &indices.data[range.start * size..range.end * size];
    match indices.format {
        IndexFormat::U16 => {
            let max = u16::try_from(max).unwrap_or(u16::MAX);
            let excess = |b: &[u8]| u16::from_le_bytes([b[0], b[1]]).saturating_sub(max);
            bytes.chunks_exact(2).fold(0, |any, b| any | excess(b)) == 0
        }
        IndexFormat::U32 if max <= i32::MAX as u32 => {
            // The highest bit is set for indices of 2³¹ and above, and for negative differences.
            let bits = |b: &[u8]| {
                let index = u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
                index | max.wrapping_sub(index)
            };
            bytes.chunks_exact(4).fold(0, |any, b| any | bits(b)) >> 31 == 0
        }
        IndexFormat::U32 => max_index(indices, range) < limit,
    }
}

/// Returns the largest index in a range; 0 if it is empty.
fn max_index(indices: &IndexBuffer, range: Range<usize>) -> u32 {
    let size = indices.format.size();
    let bytes = &indices.data[range.start * size..range.end * size];
    match indices.format {
        IndexFormat::U16 => bytes
            .chunks_exact(2)
            .map(|b| u16::from_le_bytes([b[0], b[1]]))
            .fold(0, u16::max)
            .into(),
        IndexFormat::U32 => bytes
            .chunks_exact(4)
            .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .fold(0, u32::max),
    }
}

/// Maxima in levels: the maximum of each block of indices, then of each block of these maxima, and so on.
struct Maxima(Vec<Vec<u32>>);

/// The number of items per block.
const BLOCK_LEN: usize = 64;

impl Maxima {
    fn new(indices: &IndexBuffer) -> Maxima {
        let starts = (0..indices.len()).step_by(BLOCK_LEN);
        let mut levels: Vec<Vec<u32>> = vec![
            starts
                .map(|start| max_index(indices, start..indices.len().min(start + BLOCK_LEN)))
                .collect(),
        ];
        while let Some(last) = levels.last().filter(|last| last.len() > BLOCK_LEN) {
            let next = last
                .chunks(BLOCK_LEN)
                .map(|block| block.iter().fold(0, |a, b| a.max(*b)))
                .collect();
            levels.push(next);
        }
        Maxima(levels)
    }

    /// Returns the largest index in a range. Uses maxima for whole blocks, and the level below at both ends.
    fn max(&self, indices: &IndexBuffer, mut range: Range<usize>) -> u32 {
        let mut largest = 0;
        for level in 0..=self.0.len() {
            let mut include = |range: Range<usize>| {
                largest = largest.max(
                    match level.checked_sub(1).and_then(|level| self.0.get(level)) {
                        Some(maxima) => maxima[range].iter().fold(0, |a, b| a.max(*b)),
                        None => max_index(indices, range),
                    },
                );
            };
            let inner = range.start.div_ceil(BLOCK_LEN)..range.end / BLOCK_LEN;
            if level == self.0.len() || inner.is_empty() {
                include(range);
                break;
            }
            include(range.start..inner.start * BLOCK_LEN);
            include(inner.end * BLOCK_LEN..range.end);
            range = inner;
        }
        largest
    }
}
