//! Strategies that generate valid IyMA documents, for tests of other loaders.
//!
//! Buffers take every bit pattern, NaN and infinities included.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

use super::{Attribute, DataChecksum, Document, IndexBuffer, MeshInfo, Usage, VertexFormat};
use crate::Dialect;

const MAX_VERTICES: u32 = 20;
const MAX_INDICES: usize = 40;

/// Documents that strict reading accepts: both dialects, every usage and format, with and without indices, user data
/// and data checksum.
pub fn documents() -> impl Strategy<Value = Document> {
    (any::<bool>(), 0..=MAX_VERTICES).prop_flat_map(|(reference, n_vertices)| {
        let dialect = if reference { Dialect::Reference } else { Dialect::Spec };
        let parts = (attributes(dialect, n_vertices), indices(), vec(any::<u8>(), 0..60), any::<bool>());
        let parts = (parts, vec((any::<[u32; 2]>(), any::<[u32; 2]>()), 0..4));
        parts.prop_map(move |((attributes, indices, user_data, checksum), meshes)| {
            let largest = indices.as_ref().and_then(|indices| indices.iter().max());
            let count = indices.as_ref().map_or(0, |indices| indices.len() as u32);
            Document {
                dialect,
                user_data: user_data.into(),
                n_vertices,
                meshes: meshes.into_iter().map(|mesh| mesh_in(mesh, count, n_vertices, largest)).collect(),
                indices,
                attributes,
                data_checksum: if checksum { DataChecksum::Present } else { DataChecksum::Absent },
                metadata_checksum: None,
            }
        })
    })
}

/// A mesh whose indices are below its vertex count.
fn mesh_in(
    ([first_index, index_count], [first_vertex, vertex_count]): ([u32; 2], [u32; 2]),
    indices: u32,
    vertices: u32,
    largest: Option<u32>,
) -> MeshInfo {
    let within = |first: u32, count: u32, there: u32| {
        let first = first % (there + 1);
        (first, count % (there - first + 1))
    };
    let (first_vertex, vertex_count) = within(first_vertex, vertex_count, vertices);
    let (first_index, index_count) = within(first_index, index_count, indices);
    let index_count = if largest.is_some_and(|largest| largest < vertex_count) { index_count } else { 0 };
    MeshInfo { first_index, index_count, first_vertex, vertex_count }
}

/// Indices of either width, or none.
fn indices() -> impl Strategy<Value = Option<IndexBuffer>> {
    let narrow =
        vec(0..MAX_VERTICES as u16 / 2, 0..=MAX_INDICES).prop_map(|values| IndexBuffer::from_u16(&values));
    let wide = vec(0..MAX_VERTICES / 2, 0..=MAX_INDICES).prop_map(|values| IndexBuffer::from_u32(&values));
    prop_oneof![Just(None), narrow.prop_map(Some), wide.prop_map(Some)]
}

/// Any set of the usages of a dialect, in any order, each in any format.
fn attributes(dialect: Dialect, vertices: u32) -> impl Strategy<Value = Vec<Attribute>> {
    (usages(dialect), vec((select(VertexFormat::ALL), any::<u64>()), Usage::named(dialect).len() + 2))
        .prop_map(move |(usages, formats)| {
            let attributes = usages.into_iter().zip(formats);
            attributes
                .map(|(usage, (format, seed))| attribute(dialect, usage, format, vertices, seed))
                .collect()
        })
}

/// An attribute with values made from a seed.
fn attribute(dialect: Dialect, usage: Usage, format: VertexFormat, vertices: u32, seed: u64) -> Attribute {
    // Two components of colour would look like texture coordinates where no checksum tells the dialect (I2).
    let format = match usage {
        Usage::Color if dialect == Dialect::Spec && format.components() == 2 => VertexFormat::Unorm8x4,
        _ => format,
    };
    let mut state = seed | 1;
    let bytes = (0..vertices as usize * format.size()).map(|_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 24) as u8
    });
    Attribute { usage, format, data: bytes.collect::<Vec<_>>().into() }
}

fn usages(dialect: Dialect) -> impl Strategy<Value = Vec<Usage>> {
    let name = if dialect == Dialect::Reference { "".boxed() } else { any::<String>().boxed() };
    let custom = (any::<[u16; 2]>(), name).prop_map(|([a, b], name)| {
        // Two numbers that differ.
        let b = u32::from(b) + 0x1_0000;
        [Usage::Custom(a.into(), name.clone()), Usage::Custom(b, name)]
    });
    custom.prop_flat_map(move |[a, b]| {
        let mut all = vec![a, b];
        all.extend_from_slice(Usage::named(dialect));
        let count = all.len();
        subsequence(all, 0..=count).prop_shuffle()
    })
}
