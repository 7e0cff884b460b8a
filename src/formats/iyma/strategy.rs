//! Strategies that generate valid IyMA documents, for tests of other loaders.
//!
//! The ranges of meshes are related to the indices in them by a rule that is enforced in code, so this module generates
//! the buffers. Unless `plausible` is set, they contain arbitrary bit patterns, including NaN and infinities.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

use super::{
    Attribute, Component, DataChecksum, Document, IndexBuffer, MeshInfo, Usage, VertexFormat,
};
use crate::Dialect;
use crate::layout::generate::Config;

/// Returns a strategy for documents that strict reading accepts: both dialects, all usages and formats, with and
/// without indices, user data and data checksum.
///
/// ```
/// use meshspec::{Format, iyma};
/// use proptest::prelude::*;
///
/// proptest!(ProptestConfig::with_cases(2), |(document in iyma::strategy::documents())| {
///     let bytes = document.write(&Default::default()).unwrap();
///     // The loader to test reads `bytes`.
///     prop_assert!(iyma::Document::read(&bytes, &Default::default()).is_ok());
/// });
/// ```
pub fn documents() -> impl Strategy<Value = Document> {
    documents_with(Config {
        max_items: 20,
        ..Config::default()
    })
}

/// Returns a strategy for documents that strict reading accepts, with up to the configured number of vertices and twice
/// as many indices. If `config.plausible` is set, they have only finite floats and whole triangles, and no findings.
///
/// ```
/// use meshspec::{Format, layout::generate::Config, iyma::strategy::documents_with};
/// use proptest::prelude::*;
///
/// proptest!(ProptestConfig::with_cases(2), |(document in documents_with(Config::plausible()))| {
///     prop_assert!(document.check().findings().is_empty());
/// });
/// ```
pub fn documents_with(config: Config) -> impl Strategy<Value = Document> {
    let max_vertices = u32::try_from(config.max_items.max(config.large_items)).unwrap_or(u32::MAX);
    let mask = if config.plausible { 0x3f } else { 0xff };
    let dialects = select(&[Dialect::SPEC, Dialect::REFERENCE][..]);
    (dialects, 0..=max_vertices).prop_flat_map(move |(dialect, n_vertices)| {
        let formats = vec(
            (select(VertexFormat::ALL), any::<u64>()),
            Usage::named(dialect).len() + 2,
        );
        let attributes = (usages(dialect), formats).prop_map(move |(usages, formats)| {
            let attributes = usages.into_iter().zip(formats);
            let attribute =
                |(usage, random)| random_attribute(dialect, usage, random, n_vertices, mask);
            attributes.map(attribute).collect()
        });
        let checksums = select(&[DataChecksum::Absent, DataChecksum::Present][..]);
        let parts = (
            attributes,
            indices(max_vertices),
            vec(any::<u8>(), 0..60),
            checksums,
        );
        let parts = (parts, vec(any::<[u32; 4]>(), 0..4));
        parts.prop_map(
            move |((attributes, indices, user_data, data_checksum), meshes)| {
                let mesh =
                    |random| random_mesh(random, indices.as_ref(), n_vertices, config.plausible);
                let (meshes, user_data) =
                    (meshes.into_iter().map(mesh).collect(), user_data.into());
                let buffers = Document {
                    user_data,
                    indices,
                    attributes,
                    ..Document::default()
                };
                Document {
                    dialect,
                    n_vertices,
                    meshes,
                    data_checksum,
                    ..buffers
                }
            },
        )
    })
}

/// Converts random numbers to a mesh within the buffers. The mesh has no indices unless all indices in the buffer are
/// below its vertex count.
fn random_mesh(
    random: [u32; 4],
    indices: Option<&IndexBuffer>,
    vertices: u32,
    plausible: bool,
) -> MeshInfo {
    let within = |first: u32, count: u32, len: u32| {
        let first = first % (len + 1);
        (first, count % (len - first + 1))
    };
    let (first_vertex, vertex_count) = within(random[2], random[3], vertices);
    let (first_index, count) = within(
        random[0],
        random[1],
        indices.map_or(0, IndexBuffer::len) as u32,
    );
    let largest = indices.and_then(|indices| indices.iter().max());
    let count = if largest.is_some_and(|largest| largest < vertex_count) {
        count
    } else {
        0
    };
    let index_count = if plausible { count / 3 * 3 } else { count };
    MeshInfo {
        first_index,
        index_count,
        first_vertex,
        vertex_count,
    }
}

/// Returns a strategy for indices of either width, or none.
fn indices(max_vertices: u32) -> impl Strategy<Value = Option<IndexBuffer>> {
    let (end, counts) = ((max_vertices / 2).max(1), 0..=2 * max_vertices as usize);
    let narrow = vec(0..u16::try_from(end).unwrap_or(u16::MAX), counts.clone());
    let narrow = narrow.prop_map(|values| Some(IndexBuffer::from_u16(&values)));
    let wide = vec(0..end, counts).prop_map(|values| Some(IndexBuffer::from_u32(&values)));
    prop_oneof![Just(None), narrow, wide]
}

/// Returns an attribute with pseudo-random, masked bytes. Bytes below 64 yield finite, non-negative floats.
fn random_attribute(
    dialect: Dialect,
    usage: Usage,
    (format, seed): (VertexFormat, u64),
    n_vertices: u32,
    mask: u8,
) -> Attribute {
    // With a wrong checksum, a colour of two components would suggest the other dialect (I2).
    let is_ambiguous =
        usage == Usage::Color && dialect == Dialect::SPEC && format.components() == 2;
    let format = if is_ambiguous {
        VertexFormat::Unorm8x4
    } else {
        format
    };
    let mut state = seed | 1;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state >> 24
    };
    let size = n_vertices as usize * format.size();
    let mut data: Vec<u8> = (0..size).map(|_| next() as u8 & mask).collect();
    if mask == 0xff {
        match format.component() {
            Component::Float32 => replace_some(&mut data, SPECIAL_F32.map(f32::to_le_bytes), next),
            Component::Float64 => replace_some(&mut data, SPECIAL_F64.map(f64::to_le_bytes), next),
            Component::Unorm10x3x2 => {
                replace_some(&mut data, SPECIAL_WORDS.map(u32::to_le_bytes), next);
            }
            _ => {}
        }
    }
    Attribute {
        usage,
        format,
        data: data.into(),
    }
}

/// The floats that loaders confuse, and that random bits rarely yield.
const SPECIAL_F32: [f32; 5] = [
    -0.0,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    f32::from_bits(1),
];
const SPECIAL_F64: [f64; 5] = [
    -0.0,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    f64::from_bits(1),
];

/// Words whose components are all 0, 1, only the highest bit, the largest number, or mixed.
const SPECIAL_WORDS: [u32; 5] = [0, 0x4010_0401, 0xa008_0200, u32::MAX, 0x6000_0601];

/// Replaces one of four numbers of `N` bytes.
fn replace_some<const N: usize>(
    data: &mut [u8],
    numbers: [[u8; N]; 5],
    mut next: impl FnMut() -> u64,
) {
    for number in data.chunks_exact_mut(N) {
        if let (0, index) = (next() % 4, next() as usize % numbers.len()) {
            number.copy_from_slice(&numbers[index]);
        }
    }
}

/// Returns a strategy for subsets of the usages in a dialect and two custom usages, in any order.
fn usages(dialect: Dialect) -> impl Strategy<Value = Vec<Usage>> {
    let name = if dialect == Dialect::REFERENCE {
        "".boxed()
    } else {
        any::<String>().boxed()
    };
    // Two distinct numbers.
    let small = prop_oneof![0..=1u32, any::<u16>().prop_map_into()];
    let large = prop_oneof![Just(1 << 31), Just(u32::MAX), 0x1_0000..=u32::MAX];
    (small, large, name).prop_flat_map(move |(a, b, name)| {
        let custom = [Usage::Custom(a, name.clone()), Usage::Custom(b, name)];
        let all = [&custom, Usage::named(dialect)].concat();
        let count = all.len();
        subsequence(all, 0..=count).prop_shuffle()
    })
}
