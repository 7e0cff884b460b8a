//! Strategies that generate valid IyMA documents, for tests of other loaders.
//!
//! They are made by hand: no expression says how the descriptor fits the data. Buffers take every bit pattern, NaN and
//! infinities included.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

use super::{Attribute, Component, DataChecksum, Document, IndexBuffer, MeshInfo, Usage, VertexFormat};
use crate::Dialect;
use crate::layout::generate::Config;

/// Documents that strict reading accepts: both dialects, every usage and format, with and without indices, user data
/// and data checksum.
pub fn documents() -> impl Strategy<Value = Document> {
    documents_with(Config { max_items: 20, ..Config::default() })
}

/// Documents that strict reading accepts, of this size and sort: up to so many vertices, and twice as many indices. Those
/// that are plausible have no findings at all, finite floats, and meshes of whole triangles.
pub fn documents_with(config: Config) -> impl Strategy<Value = Document> {
    let Config { plausible, max_items, .. } = config;
    let max_vertices = u32::try_from(max_items).unwrap_or(u32::MAX);
    (any::<bool>(), 0..=max_vertices).prop_flat_map(move |(reference, n_vertices)| {
        let dialect = if reference { Dialect::Reference } else { Dialect::Spec };
        let parts = (
            attributes(dialect, n_vertices, plausible),
            indices(max_vertices),
            vec(any::<u8>(), 0..60),
            any::<bool>(),
        );
        let parts = (parts, vec((any::<[u32; 2]>(), any::<[u32; 2]>()), 0..4));
        parts.prop_map(move |((attributes, indices, user_data, checksum), meshes)| {
            let largest = indices.as_ref().and_then(|indices| indices.iter().max());
            let count = indices.as_ref().map_or(0, |indices| indices.len() as u32);
            Document {
                dialect,
                user_data: user_data.into(),
                n_vertices,
                meshes: meshes
                    .into_iter()
                    .map(|mesh| mesh_in(mesh, count, n_vertices, largest))
                    .map(|mesh| if plausible { whole_triangles(mesh) } else { mesh })
                    .collect(),
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

/// The mesh without the indices behind its last triangle.
fn whole_triangles(mesh: MeshInfo) -> MeshInfo {
    MeshInfo { index_count: mesh.index_count / 3 * 3, ..mesh }
}

/// Indices of either width, or none.
fn indices(max_vertices: u32) -> impl Strategy<Value = Option<IndexBuffer>> {
    let (end, counts) = ((max_vertices / 2).max(1), 0..=2 * max_vertices as usize);
    let narrow = vec(0..u16::try_from(end).unwrap_or(u16::MAX), counts.clone())
        .prop_map(|values| IndexBuffer::from_u16(&values));
    let wide = vec(0..end, counts).prop_map(|values| IndexBuffer::from_u32(&values));
    prop_oneof![Just(None), narrow.prop_map(Some), wide.prop_map(Some)]
}

/// Any set of the usages of a dialect, in any order, each in any format.
fn attributes(dialect: Dialect, vertices: u32, plausible: bool) -> impl Strategy<Value = Vec<Attribute>> {
    (usages(dialect), vec((select(VertexFormat::ALL), any::<u64>()), Usage::named(dialect).len() + 2))
        .prop_map(move |(usages, formats)| {
            let attributes = usages.into_iter().zip(formats);
            attributes
                .map(|(usage, (format, seed))| attribute(dialect, usage, format, vertices, seed))
                .map(|attribute| if plausible { finite(attribute) } else { attribute })
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

/// The attribute with floats from 1 to 2: what is below their exponent stays.
fn finite(attribute: Attribute) -> Attribute {
    let (component, mut data) = (attribute.format.component(), attribute.data.to_vec());
    for bytes in data.chunks_exact_mut(component.size()) {
        match (component, bytes) {
            (Component::Float16, [.., high]) => *high = 0x3c | *high & 0x03,
            (Component::Float32, [.., low, high]) => (*low, *high) = (0x80 | *low, 0x3f),
            (Component::Float64, [.., low, high]) => (*low, *high) = (0xf0 | *low, 0x3f),
            _ => {}
        }
    }
    Attribute { data: data.into(), ..attribute }
}

fn usages(dialect: Dialect) -> impl Strategy<Value = Vec<Usage>> {
    let name = if dialect == Dialect::Reference { "".boxed() } else { any::<String>().boxed() };
    // Two numbers that differ.
    let small = prop_oneof![0..=1u32, any::<u16>().prop_map_into()];
    let large = prop_oneof![Just(1 << 31), Just(u32::MAX), 0x1_0000..=u32::MAX];
    let custom = (small, large, name)
        .prop_map(|(a, b, name)| [Usage::Custom(a, name.clone()), Usage::Custom(b, name)]);
    custom.prop_flat_map(move |[a, b]| {
        let mut all = vec![a, b];
        all.extend_from_slice(Usage::named(dialect));
        let count = all.len();
        subsequence(all, 0..=count).prop_shuffle()
    })
}
