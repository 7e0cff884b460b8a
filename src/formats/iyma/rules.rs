//! The rules of IyMA.

use std::fmt::Display;
use std::ops::Range;

use super::document::{DataChecksum, Document, IndexBuffer, WrongChecksum};
use super::schema::{IndexFormat, MeshInfo};
use crate::finding::rules;
use crate::{Report, path};

rules! {
    MAGIC "IYMA-MAGIC" Fatal "Header" ""
        "A file starts with `IyMA`.";
    VERSION "IYMA-VERSION" Fatal "Header" ""
        "The version is 1.";
    TRUNCATED "IYMA-TRUNCATED" Fatal "General Structure" ""
        "The file contains the whole header and descriptor.";
    DESCRIPTOR "IYMA-DESCRIPTOR" Fatal "Descriptor" "I1, I14, I15"
        "The descriptor is bitcode of the dialect's types, and nothing follows it.";
    PACKING "IYMA-PACKING" Fatal "Data" "I7"
        "The data is a sequence of complete zstd frames without magic bytes.";
    WINDOW "IYMA-WINDOW" Fatal "Data" "I7"
        "No frame requires a window larger than 128 MiB.";
    DATA_SIZE "IYMA-DATA-SIZE" Fatal "Data" "I6, I7"
        "The data unpacks to exactly the size of the buffers in the descriptor.";
    TRAILING "IYMA-TRAILING" Fatal "Data" "I10"
        "Nothing follows the last frame.";
    METADATA_CHECKSUM "IYMA-METADATA-CHECKSUM" Error "Checksums" "I4, I16"
        "The metadata checksum is the hash of descriptor, descriptor length and data checksum.";
    DATA_CHECKSUM "IYMA-DATA-CHECKSUM" Error "Checksums" "I5, I16"
        "The data checksum is the hash of the compressed data, or 0.";
    MESH_RANGE "IYMA-MESH-RANGE" Error "Descriptor" "I11"
        "The index and vertex range of each mesh lies within the buffers.";
    INDEX_RANGE "IYMA-INDEX-RANGE" Error "Overview" "I11"
        "Every index is below the vertex count of its mesh.";
    DUPLICATE "IYMA-DUPLICATE" Warning "Descriptor" "I13"
        "No two vertex buffers have the same usage.";
}

/// Adds every violation to `report`.
pub(super) fn check(document: &Document, report: &mut Report) {
    check_checksums(document.metadata_checksum.as_ref(), &document.data_checksum, report);
    check_meshes(document, report);
    if let Some(indices) = &document.indices {
        check_indices(document, indices, report);
    }
    for (index, attribute) in document.attributes.iter().enumerate() {
        let first = document.attributes[..index].iter().position(|other| other.usage == attribute.usage);
        if let Some(first) = first {
            let message = format!("duplicate usage {}, as attributes[{first}]", attribute.usage.name());
            report.add(&DUPLICATE, path!(descriptor.attributes[index]), message);
        }
    }
}

/// Adds the checksums that are wrong.
pub(super) fn check_checksums(metadata: Option<&WrongChecksum>, data: &DataChecksum, report: &mut Report) {
    if let Some(wrong) = metadata {
        report.add(&METADATA_CHECKSUM, path!(header.metadata_checksum), mismatch(wrong));
    }
    if let DataChecksum::Wrong(wrong) = data {
        report.add(&DATA_CHECKSUM, path!(header.data_checksum), mismatch(wrong));
    }
}

/// The message for a wrong checksum.
pub(super) fn mismatch(wrong: &WrongChecksum) -> impl Display + use<> {
    let stored = wrong.stored;
    match wrong.computed() {
        Some(computed) => format!("{stored:#018x} is stored, {computed:#018x} computed"),
        None => format!("{stored:#018x} is stored, which is wrong"),
    }
}

fn check_meshes(document: &Document, report: &mut Report) {
    let indices = document.indices.as_ref().map_or(0, |indices| indices.len() as u64);
    let vertices = u64::from(document.n_vertices);
    for (index, mesh) in document.meshes.iter().enumerate() {
        let mut check = |what, field, first: u32, count: u32, there: u64| {
            let end = u64::from(first) + u64::from(count);
            if end > there {
                let path = path!(descriptor.meshes[index].(field));
                report.add(&MESH_RANGE, path, format_args!("{what} {first}..{end} of {there}"));
            }
        };
        check("indices", "index_count", mesh.first_index, mesh.index_count, indices);
        check("vertices", "vertex_count", mesh.first_vertex, mesh.vertex_count, vertices);
    }
}

/// Where the indices of a mesh lie in the index buffer; `None` if it has none or they leave the buffer.
fn range_of(mesh: &MeshInfo, indices: &IndexBuffer) -> Option<Range<usize>> {
    let start = usize::try_from(mesh.first_index).ok()?;
    let end = start.checked_add(usize::try_from(mesh.index_count).ok()?)?;
    (start < end && end <= indices.len()).then_some(start..end)
}

fn check_indices(document: &Document, indices: &IndexBuffer, report: &mut Report) {
    let meshes = || document.meshes.iter().filter_map(|mesh| Some((mesh, range_of(mesh, indices)?)));
    // Ranges may overlap. Where many do, a summary of maxima bounds the time.
    let work: usize = meshes().map(|(_, range)| range.len()).fold(0, usize::saturating_add);
    let summary = (work / 4 > indices.len()).then(|| Maxima::of(indices));
    for (mesh, range) in meshes() {
        let fits = match &summary {
            Some(maxima) => maxima.max(indices, range.clone()) < mesh.vertex_count,
            None => all_below(indices, range.clone(), mesh.vertex_count),
        };
        if fits {
            continue;
        }
        let size = indices.format.size();
        let values = IndexBuffer {
            format: indices.format,
            data: indices.data.slice(range.start * size..range.end * size),
        };
        let limit = mesh.vertex_count;
        let wrong = values.iter().enumerate().filter(|(_, index)| *index >= limit);
        for (position, index) in wrong {
            let path = path!(data.indices[range.start + position]);
            report.add(&INDEX_RANGE, path, format_args!("index {index}, but the mesh has {limit} vertices"));
            // Once the report is full, one finding per mesh is enough: many may share the same indices.
            if report.count_of(INDEX_RANGE.code) > 1000 {
                break;
            }
        }
    }
}

/// Whether all indices of a range are below `limit`: one pass without branches.
fn all_below(indices: &IndexBuffer, range: Range<usize>, limit: u32) -> bool {
    let Some(max_index) = limit.checked_sub(1) else { return range.is_empty() };
    let size = indices.format.size();
    let bytes = &indices.data[range.start * size..range.end * size];
    match indices.format {
        IndexFormat::U16 => {
            let max_index = u16::try_from(max_index).unwrap_or(u16::MAX);
            let excess = |b: &[u8]| u16::from_le_bytes([b[0], b[1]]).saturating_sub(max_index);
            bytes.chunks_exact(2).fold(0, |any, b| any | excess(b)) == 0
        }
        IndexFormat::U32 if max_index <= i32::MAX as u32 => {
            // The highest bit is set for indices from 2³¹ on and for negative differences.
            let bits = |b: &[u8]| {
                let index = u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
                index | max_index.wrapping_sub(index)
            };
            bytes.chunks_exact(4).fold(0, |any, b| any | bits(b)) >> 31 == 0
        }
        IndexFormat::U32 => max(indices, range) <= max_index,
    }
}

fn max(indices: &IndexBuffer, range: Range<usize>) -> u32 {
    let size = indices.format.size();
    let bytes = &indices.data[range.start * size..range.end * size];
    match indices.format {
        IndexFormat::U16 => {
            let values = bytes.chunks_exact(2).map(|b| u16::from_le_bytes([b[0], b[1]]));
            values.fold(0, u16::max).into()
        }
        IndexFormat::U32 => {
            let values = bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
            values.fold(0, u32::max)
        }
    }
}

/// The largest index of each piece of the buffer, of each piece of pieces, and so on.
struct Maxima(Vec<Vec<u32>>);

/// How many items make a piece.
const PIECE: usize = 64;

impl Maxima {
    fn of(indices: &IndexBuffer) -> Maxima {
        let pieces = (0..indices.len()).step_by(PIECE);
        let mut levels: Vec<Vec<u32>> =
            vec![pieces.map(|start| max(indices, start..indices.len().min(start + PIECE))).collect()];
        while let Some(last) = levels.last().filter(|last| last.len() > PIECE) {
            let next = last.chunks(PIECE).map(|piece| piece.iter().fold(0, |a, b| a.max(*b))).collect();
            levels.push(next);
        }
        Maxima(levels)
    }

    /// The largest index of a range: whole pieces from the summary, what is left at both ends from below it.
    fn max(&self, indices: &IndexBuffer, mut range: Range<usize>) -> u32 {
        let mut largest = 0;
        for level in 0..=self.0.len() {
            let mut look = |range: Range<usize>| {
                largest = largest.max(match level.checked_sub(1).and_then(|level| self.0.get(level)) {
                    Some(maxima) => maxima[range].iter().fold(0, |a, b| a.max(*b)),
                    None => max(indices, range),
                });
            };
            let inner = range.start.div_ceil(PIECE)..range.end / PIECE;
            if level == self.0.len() || inner.is_empty() {
                look(range);
                break;
            }
            look(range.start..inner.start * PIECE);
            look(inner.end * PIECE..range.end);
            range = inner;
        }
        largest
    }
}
