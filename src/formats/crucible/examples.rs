//! Hand-written violations of the Crucible rules that no generated breakage violates alone.

use super::rules::{POSITION, TRIANGLES};
use super::schema::{Chunk, Document, Indices, Values};
use crate::Rule;
use crate::formats::{DocumentChange, RuleExample, example_from_changes};

const CHANGES: &[(&Rule, DocumentChange<Document>)] = &[
    (&POSITION, |document| {
        document
            .chunks
            .iter_mut()
            .for_each(|chunk| drop(chunk.streams.remove(0)))
    }),
    (&TRIANGLES, |document| {
        document
            .chunks
            .iter_mut()
            .for_each(|chunk| chunk.indices = Indices::U16(vec![0, 1, 2, 0]));
    }),
];

/// Returns the example for a rule; `None` if `CHANGES` has none.
pub(super) fn example_of(rule: &'static Rule) -> Option<RuleExample> {
    let streams = vec![
        Values::Position3d(vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]).into(),
        Values::Normal(vec![[0.0, 0.0, 1.0]; 3]).into(),
    ];
    let chunk = Chunk {
        indices: Indices::U16(vec![0, 1, 2]),
        streams,
        ..Chunk::default()
    };
    example_from_changes(
        Document {
            chunks: vec![chunk],
            ..Document::default()
        },
        rule,
        CHANGES,
    )
}
