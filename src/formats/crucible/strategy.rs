//! Strategies that generate valid Crucible documents, for tests of other loaders.
//!
//! Floats take every value, NaN and infinities included.

use proptest::collection::vec;
use proptest::num::f32::ANY as FLOAT;
use proptest::prelude::*;
use proptest::sample::subsequence;

use super::{BoneWeight, Chunk, Container, Document, Indices, Stream};
use crate::Dialect;

const MAX_VERTICES: usize = 24;

/// Documents that strict reading accepts: every set of attributes in any order, both widths of indices, both
/// dialects, bare chunks and containers.
pub fn documents() -> impl Strategy<Value = Document> {
    (any::<bool>(), any::<bool>()).prop_flat_map(|(tangent, model)| {
        let dialect = if tangent { Dialect::Tangent } else { Dialect::Spec };
        let (container, count) = if model { (Container::Model, 0..=3) } else { (Container::Chunk, 1..=1) };
        vec(chunks(dialect), count).prop_map(move |chunks| Document {
            dialect,
            container,
            chunks,
            trailing: Vec::new(),
        })
    })
}

/// Chunks of a dialect.
pub fn chunks(dialect: Dialect) -> impl Strategy<Value = Chunk> {
    (0..=MAX_VERTICES).prop_flat_map(move |vertices| {
        (streams(dialect, vertices), indices(vertices)).prop_map(|(streams, indices)| Chunk {
            index_size: None,
            // Without a stream there are no vertices.
            indices: if streams.is_empty() { Indices::default() } else { indices },
            streams,
            trailing: Vec::new(),
        })
    })
}

/// Any set of the attributes of a dialect, in any order.
fn streams(dialect: Dialect, vertices: usize) -> impl Strategy<Value = Vec<Stream>> {
    let all = [
        vec([FLOAT; 3], vertices).prop_map(Stream::Position3d).boxed(),
        vec([FLOAT; 2], vertices).prop_map(Stream::Position2d).boxed(),
        vec([FLOAT; 3], vertices).prop_map(Stream::Normal).boxed(),
        vec([FLOAT; 2], vertices).prop_map(Stream::Uv).boxed(),
        vec(any::<[u8; 4]>(), vertices).prop_map(Stream::Color).boxed(),
        vec([bone_weights(), bone_weights(), bone_weights(), bone_weights()], vertices)
            .prop_map(Stream::BoneWeights)
            .boxed(),
        vec([FLOAT; 3], vertices).prop_map(Stream::Tangent).boxed(),
    ];
    let known = if dialect == Dialect::Tangent { all.len() } else { all.len() - 1 };
    subsequence(all[..known].to_vec(), 0..=known).prop_shuffle().prop_flat_map(|streams| streams)
}

fn bone_weights() -> impl Strategy<Value = BoneWeight> {
    (any::<u16>(), FLOAT).prop_map(|(bone, influence)| BoneWeight { bone, influence })
}

/// Indices of either width.
fn indices(vertices: usize) -> impl Strategy<Value = Indices> {
    let count = if vertices == 0 { 0..=0 } else { 0..=3 * MAX_VERTICES };
    (any::<bool>(), vec(0..vertices.max(1) as u16, count)).prop_map(|(wide, indices)| {
        if wide { Indices::U32(indices.into_iter().map(u32::from).collect()) } else { Indices::U16(indices) }
    })
}
