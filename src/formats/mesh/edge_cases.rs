//! Cases that generated MESH files rarely cover: rounded weights, and parents by id.

use super::schema::{Animation, Columns, Document, Joint, NO_JOINT, Pose, Vertices};
use crate::{Format, WriteOptions};

/// Returns the files, each with a description.
pub(super) fn edge_cases() -> Vec<(&'static str, Vec<u8>)> {
    let weights =
        "weights that add up to 253 to 258, and rotations that are almost unit quaternions";
    let parents = "joints out of order, whose parents form a cycle as indices, but not as ids";
    let cases = [(weights, rounded_weights()), (parents, parents_by_id())];
    let write = |document: Document| document.write(&WriteOptions::default()).ok();
    cases
        .into_iter()
        .filter_map(|(what, document)| Some((what, document.and_then(write)?)))
        .collect()
}

/// Builds vertices with inexact weight sums, bound to two joints. The second joint is rotated by quaternions of
/// the lengths 1, 1.000008 and 1.0002.
fn rounded_weights() -> Option<Document> {
    let sums = [[128, 125], [64, 190], [200, 56], [7, 250], [129, 129]];
    let columns = Columns {
        positions: (0..5).map(|index| [1.0, 2.0, index as f32]).collect(),
        joint_ids: Some(vec![[0, 1, NO_JOINT, NO_JOINT]; 5]),
        joint_weights: Some(sums.map(|[a, b]| [a, b, 0, 0]).to_vec()),
        ..Columns::default()
    };
    let pose = |joint, rotation| Pose {
        joint,
        position: [1.0, 0.0, 4.0],
        rotation,
        scale: [1.0, 2.0, 0.5],
    };
    let turned = |length: f32| [0.6 * length, 0.0, 0.8 * length, 0.0];
    let poses = [1.0, 1.000_008, 1.000_2]
        .into_iter()
        .flat_map(|length| [pose(0, [0.8, 0.0, 0.0, 0.6]), pose(1, turned(length))]);
    Some(Document {
        vertices: Vertices::from_columns(&columns).ok()?,
        indices: vec![0, 1, 2],
        joints: vec![joint(0, NO_JOINT), joint(1, 0)],
        animations: vec![Animation {
            name: Some(0),
            duration: 3.0,
            speed: 1.0,
            timestamps: vec![0.0, 1.0, 2.0],
            poses: poses.collect(),
        }],
        strings: ["turn"].into_iter().collect(),
        ..Document::default()
    })
}

/// Builds three joints. As ids, 2 is the parent of 0, and 0 of 1. As indices, two joints are their own parents.
fn parents_by_id() -> Option<Document> {
    let columns = Columns {
        positions: vec![[0.0; 3]],
        ..Columns::default()
    };
    let joints = vec![joint(1, 0), joint(2, NO_JOINT), joint(0, 2)];
    let vertices = Vertices::from_columns(&columns).ok()?;
    Some(Document {
        indices: vec![0, 0, 0],
        vertices,
        joints,
        ..Document::default()
    })
}

fn joint(id: u8, parent: u8) -> Joint {
    // The joint is at x = 1 in the bind pose.
    let mut transform = super::IDENTITY;
    transform[0][3] = -1.0;
    #[allow(
        clippy::needless_update,
        reason = "new fields have default values here"
    )]
    Joint {
        id,
        parent,
        transform,
        ..Joint::default()
    }
}
