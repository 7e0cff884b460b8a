//! Hand-written violations of the MESH rules that no generated breakage violates alone.

use super::rules::*;
use super::schema::{Animation, Columns, Document, Joint, NO_JOINT, Vertices};
use crate::formats::{DocumentChange, RuleExample, example_from_changes};
use crate::{Format, Rule, WriteOptions};

const CHANGES: &[(&Rule, DocumentChange<Document>)] = &[
    (&VERTEX_UNBOUND, |document| {
        document.vertices = vertices(7).unwrap_or_default()
    }),
    (&JOINT_ID, |document| set_joint_ids(document, [0, 0])),
    (&JOINT_ORDER, |document| set_joint_ids(document, [1, 0])),
];

/// Returns the example for a rule; `None` if the rule has no example.
pub(super) fn example_of(rule: &'static Rule) -> Option<RuleExample> {
    #[allow(
        clippy::needless_update,
        reason = "new fields have default values here"
    )]
    let joint = |id| Joint {
        id,
        parent: NO_JOINT,
        transform: super::IDENTITY,
        ..Joint::default()
    };
    let document = Document {
        vertices: vertices(0)?,
        indices: vec![0, 1, 2],
        joints: vec![joint(0), joint(1)],
        animations: vec![Animation {
            name: Some(0),
            ..Animation::default()
        }],
        strings: [ANIMATION_NAME].into_iter().collect(),
        ..Document::default()
    };
    if *rule != NO_STRINGS {
        return example_from_changes(document, rule, CHANGES);
    }
    // The writer rejects a document that breaks this rule, so the encoded file is changed.
    let dialect = document.dialect;
    let correct = document.write(&WriteOptions::default()).ok()?;
    let violating = correct
        .strip_suffix(format!("{ANIMATION_NAME}\0").as_bytes())?
        .to_vec();
    Some(RuleExample {
        dialect,
        violating,
        correct,
    })
}

const ANIMATION_NAME: &str = "walk";

/// Returns a triangle whose first vertex is bound to `joint`.
fn vertices(joint: u8) -> Option<Vertices> {
    let columns = Columns {
        positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        joint_ids: Some([joint, 0, 0].map(|joint| [joint, 255, 255, 255]).to_vec()),
        joint_weights: Some(vec![[255, 0, 0, 0]; 3]),
        ..Columns::default()
    };
    Vertices::from_columns(&columns).ok()
}

fn set_joint_ids(document: &mut Document, ids: [u8; 2]) {
    document
        .joints
        .iter_mut()
        .zip(ids)
        .for_each(|(joint, id)| joint.id = id);
}
