//! Strategies that generate valid Crucible documents, for tests of other loaders.
//!
//! They are files that the [declaration](super::schema) generates, in which what no expression says is put right:
//! whatever it is about, a field that is added to the declaration has any value.

use proptest::prelude::*;

use super::schema::Block;
use super::{BoneWeight, Chunk, Container, Document, Indices, Stream, codec};
use crate::formats::plausible::unit;
use crate::layout::Packing;
use crate::layout::generate::{self, Config};
use crate::{Dialect, Limits};

/// Documents that strict reading accepts: every set of attributes in any order, both widths of indices, both
/// dialects, bare chunks and containers, floats of all bits.
pub fn documents() -> impl Strategy<Value = Document> {
    documents_with(Config::default())
}

/// Documents that strict reading accepts, of this size and sort. Those that are plausible have no findings at all, but
/// positions, whole triangles, unit normals and tangents, and influences that add up to 1.
pub fn documents_with(config: Config) -> impl Strategy<Value = Document> {
    let of = move |container, dialect| {
        let files = generate::drafts(codec::layout_of(container, dialect), config);
        files.prop_filter_map("a document", move |bytes| {
            let mut document = codec::read(&bytes, dialect, &Limits::default()).ok()?;
            for chunk in &mut document.chunks {
                complete(chunk, dialect)?;
                if config.plausible {
                    make_plausible(chunk);
                }
            }
            Some(document)
        })
    };
    prop_oneof![
        of(Container::Chunk, Dialect::Spec),
        of(Container::Chunk, Dialect::Tangent),
        of(Container::Model, Dialect::Spec),
        of(Container::Model, Dialect::Tangent),
    ]
}

/// Gives the chunk each attribute once (C2), with as many values as the longest stream has (C6), and indices of these (C8).
fn complete(chunk: &mut Chunk, dialect: Dialect) -> Option<()> {
    let mut names = Vec::new();
    chunk.streams.retain(|stream| {
        !names.contains(&stream.name()) && {
            names.push(stream.name());
            true
        }
    });
    let vertices = chunk.streams.iter().map(Stream::len).max().unwrap_or_default();
    for stream in &mut chunk.streams {
        *stream = resized(stream, vertices, dialect)?;
    }
    match &mut chunk.indices {
        Indices::U16(indices) if vertices == 0 => indices.clear(),
        Indices::U32(indices) if vertices == 0 => indices.clear(),
        Indices::U16(indices) => {
            indices.iter_mut().for_each(|index| *index = (usize::from(*index) % vertices) as u16);
        }
        Indices::U32(indices) => indices.iter_mut().for_each(|index| *index %= vertices as u32),
    }
    Some(())
}

/// The stream with so many values, zeros behind its own.
fn resized(stream: &Stream, vertices: usize, dialect: Dialect) -> Option<Stream> {
    let mut bytes = stream.to_bytes().into_owned();
    bytes.resize(vertices * stream.value_size(), 0);
    let (size, packing, limits) = (bytes.len() as i32, Packing::Stored, Limits::default());
    Stream::unpack(&Block { packing, bytes: &bytes, size, limits }, stream.attribute(dialect)?, dialect).ok()
}

/// Makes of the chunk what exporters write.
fn make_plausible(chunk: &mut Chunk) {
    let vertices = chunk.vertex_count();
    if chunk.positions_3d().is_none() && chunk.positions_2d().is_none() {
        let positions = (0..vertices).map(|vertex| [vertex as f32, 0.0, 0.0]).collect();
        chunk.streams.insert(0, Stream::Position3d(positions));
    }
    for stream in &mut chunk.streams {
        match stream {
            Stream::Normal(vectors) | Stream::Tangent(vectors) => {
                vectors.iter_mut().for_each(|vector| *vector = unit(*vector, [0.0, 0.0, 1.0]));
            }
            Stream::BoneWeights(weights) => {
                weights.iter_mut().for_each(|weights| *weights = balanced(*weights));
            }
            _ => {}
        }
    }
    match &mut chunk.indices {
        Indices::U16(indices) => indices.truncate(indices.len() / 3 * 3),
        Indices::U32(indices) => indices.truncate(indices.len() / 3 * 3),
    }
}

/// Influences in the same proportion that add up to 1.
fn balanced(mut weights: [BoneWeight; 4]) -> [BoneWeight; 4] {
    let sum: f32 = weights.iter().map(|weight| weight.influence.abs()).sum();
    if sum > 0.0 {
        weights.iter_mut().for_each(|weight| weight.influence = weight.influence.abs() / sum);
    } else {
        weights[0].influence = 1.0;
    }
    weights
}
