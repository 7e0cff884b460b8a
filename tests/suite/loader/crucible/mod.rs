//! A loader of Crucible.

mod engine;

use meshspec::conformance::RunReport;
use meshspec::crucible::{Document, Indices, Values};
use meshspec::{Dialect, conformance};

use crate::common::cases;

use super::{bits, require_agreement, require_all_found};
use engine::{Attribute, Bug, Mesh, Stream, load};

fn run(bug: Option<Bug>, cases: u32) -> Vec<RunReport> {
    let dialects = [Dialect::SPEC, Dialect::TANGENT].into_iter();
    let run = |dialect| {
        let harness = conformance::<Document>().dialect(dialect).cases(cases / 2);
        harness.compare(meshes, |bytes| load(bytes, dialect, bug))
    };
    dialects.map(run).collect()
}

#[test]
fn a_loader_without_bugs_agrees() {
    require_agreement(&run(None, cases(16)));
}

#[test]
#[ignore = "takes minutes of processor time: `.ci/run` runs it"]
fn every_bug_is_found_by_a_small_file() {
    require_all_found(&Bug::ALL, 64, |bug, cases| run(Some(bug), cases));
}

/// Converts a document to the loader's data.
fn meshes(document: &Document) -> Vec<Mesh> {
    let mesh = |chunk: &meshspec::crucible::Chunk| Mesh {
        indices: match &chunk.indices {
            Indices::U16(indices) => indices.iter().map(|index| u32::from(*index)).collect(),
            Indices::U32(indices) => indices.clone(),
        },
        streams: chunk
            .streams
            .iter()
            .map(|column| stream(&column.values))
            .collect(),
    };
    document.chunks.iter().map(mesh).collect()
}

fn stream(column: &Values) -> Stream {
    let (attribute, values) = match column {
        Values::Position3d(values) => (Attribute::Position3d, bits(values.as_flattened())),
        Values::Position2d(values) => (Attribute::Position2d, bits(values.as_flattened())),
        Values::Normal(values) => (Attribute::Normal, bits(values.as_flattened())),
        Values::Uv(values) => (Attribute::Uv, bits(values.as_flattened())),
        Values::Tangent(values) => (Attribute::Tangent, bits(values.as_flattened())),
        Values::Color(values) => (
            Attribute::Color,
            values
                .iter()
                .flatten()
                .map(|byte| u32::from(*byte))
                .collect(),
        ),
        Values::BoneWeights(values) => {
            let pair = |weight: &meshspec::crucible::BoneWeight| {
                let (bone, influence) = (weight.bone, weight.influence);
                [bone.into(), influence.to_bits()]
            };
            (
                Attribute::BoneWeights,
                values.iter().flatten().flat_map(pair).collect(),
            )
        }
    };
    Stream { attribute, values }
}
