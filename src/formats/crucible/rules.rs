//! The rules of Crucible.

use super::{Chunk, Container, Document, Indices, Stream};
use crate::finding::rules;
use crate::layout::{Constraints, Scope};
use crate::{Report, path};

rules! {
    MAGIC "CRUCIBLE-MAGIC" Fatal "" "C11"
        "A container starts with `cmodel` and a line feed.";
    TRUNCATED "CRUCIBLE-TRUNCATED" Fatal "Mesh Chunk Format" ""
        "The file is as long as its sizes and counts say.";
    SIZE "CRUCIBLE-SIZE" Fatal "#2, #3" "C3, C4"
        "A compressed size is positive, an uncompressed size not negative.";
    PACKING "CRUCIBLE-PACKING" Fatal "#4" "C3, C4"
        "A stream is one raw LZ4 block that gives exactly the uncompressed size.";
    ATTRIBUTE "CRUCIBLE-ATTRIBUTE" Fatal "*3" "C1, C2"
        "The type of an attribute is exactly one known bit.";
    DUPLICATE "CRUCIBLE-DUPLICATE" Fatal "*2" "C2"
        "There is at most one stream of each attribute.";
    STREAM_SIZE "CRUCIBLE-STREAM-SIZE" Fatal "*4" "C6"
        "The uncompressed size is a multiple of the size of a value.";
    COUNT "CRUCIBLE-COUNT" Fatal "*2" "C6"
        "All streams have a value for the same number of vertices.";
    INDEX_SIZE "CRUCIBLE-INDEX-SIZE" Error "#1" "C5"
        "The index size is 0 or 1.";
    TRAILING "CRUCIBLE-TRAILING" Error "Mesh Chunk Format" "C9"
        "Nothing follows the last stream.";
    INDEX_RANGE "CRUCIBLE-INDEX-RANGE" Error "*1" "C8"
        "Every index is below the vertex count.";
    TRIANGLES "CRUCIBLE-TRIANGLES" Warning "*1" "C8"
        "The number of indices is a multiple of 3.";
    POSITION "CRUCIBLE-POSITION" Warning "*3" "C8"
        "There is a stream of positions.";
    NO_STREAMS "CRUCIBLE-NO-STREAMS" Warning "#5" "C8"
        "There are attribute streams.";
    WEIGHT_SUM "CRUCIBLE-WEIGHT-SUM" Warning "*5" "C8"
        "The four influences of a vertex add up to 1.0, give or take 0.001.";
}

/// Adds every violation to `report`.
pub(super) fn check(document: &Document, report: &mut Report) {
    for (index, chunk) in document.chunks.iter().enumerate() {
        check_chunk(chunk, index, report);
    }
    if !document.trailing.is_empty() {
        let what = match document.container {
            Container::Chunk => "stream",
            Container::Model => "chunk",
        };
        report.add(
            &TRAILING,
            path!(trailing),
            format_args!("{} bytes follow the last {what}", document.trailing.len()),
        );
    }
}

fn check_chunk(chunk: &Chunk, at: usize, report: &mut Report) {
    let wide = u8::from(matches!(chunk.indices, Indices::U32(_)));
    let fields = Scope::new(vec![
        ("index_size", chunk.index_size.unwrap_or(wide).into()),
        ("attribute_count", (chunk.streams.len() as u64).into()),
    ]);
    Constraints::check_fields::<Chunk>(&fields, RULES, path!(chunks[at]), report);
    check_streams(chunk, at, report);
    check_indices(chunk, at, report);
    check_weights(chunk, at, report);
    if !chunk.trailing.is_empty() {
        let count = chunk.trailing.len();
        let message = format_args!("{count} bytes follow the last stream");
        report.add(&TRAILING, path!(chunks[at].trailing), message);
    }
}

fn check_streams(chunk: &Chunk, at: usize, report: &mut Report) {
    let has_positions = chunk.positions_3d().is_some() || chunk.positions_2d().is_some();
    if !chunk.streams.is_empty() && !has_positions {
        report.add(&POSITION, path!(chunks[at].streams), "no stream holds positions");
    }
    let count = chunk.vertex_count();
    for (index, stream) in chunk.streams.iter().enumerate() {
        let path = path!(chunks[at].streams[index]);
        if chunk.streams[..index].iter().any(|other| other.name() == stream.name()) {
            report.add(&DUPLICATE, path, format_args!("{} for the second time", stream.name()));
        }
        if stream.len() != count {
            let message = format_args!("{} values, but the first stream has {count}", stream.len());
            report.add(&COUNT, path, message);
        }
    }
}

fn check_indices(chunk: &Chunk, at: usize, report: &mut Report) {
    let (indices, vertices) = (&chunk.indices, chunk.vertex_count());
    if !indices.len().is_multiple_of(3) {
        let count = indices.len();
        let message = format_args!("{count} indices, expected a multiple of 3");
        report.add(&TRIANGLES, path!(chunks[at].indices), message);
    }
    // Without any streams there is nothing to index, which is reported as such (C8).
    if chunk.streams.is_empty() {
        return;
    }
    // The common case is one pass without branches.
    if indices.max().is_none_or(|max| (max as usize) < vertices) {
        return;
    }
    for (position, index) in indices.iter().enumerate().filter(|(_, index)| *index as usize >= vertices) {
        let path = path!(chunks[at].indices.data[position]);
        report.add(&INDEX_RANGE, path, format_args!("index {index}, but there are {vertices} vertices"));
    }
}

fn check_weights(chunk: &Chunk, at: usize, report: &mut Report) {
    for (index, stream) in chunk.streams.iter().enumerate() {
        let Stream::BoneWeights(weights) = stream else { continue };
        Constraints::declared::<Stream>("BoneWeights", &Scope::default(), RULES).check(
            weights.iter().map(|weights| weights.map(|weight| weight.influence)),
            |vertex| path!(chunks[at].streams[index].data[vertex]),
            report,
        );
    }
}
