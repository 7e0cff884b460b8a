//! Valid MESH files that generated files rarely resemble: skinned vertices of joints that are out of order.

use super::schema::{Animation, Columns, Document, Joint, NO_JOINT, Pose, Vertices};
use crate::{Format, WriteOptions};

/// Returns each file with a description.
pub(super) fn edge_cases() -> Vec<(&'static str, Vec<u8>)> {
    let cases = [
        (
            "parents that only make sense as joint ids, and weights that add up to 254",
            [2, 0, 1],
            [0, NO_JOINT, 2],
        ),
        ("joints out of order, with parents that only make sense as indices", [1, 0, 2], [1, NO_JOINT, 0]),
    ];
    let file = |(what, ids, parents)| Some((what, arm(ids, parents)?.write(&WriteOptions::default()).ok()?));
    cases.into_iter().filter_map(file).collect()
}

/// Returns a skinned triangle, posed by three joints with these ids and parents.
fn arm(ids: [u8; 3], parents: [u8; 3]) -> Option<Document> {
    let columns = Columns {
        positions: vec![[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [3.0, 0.0, 1.0]],
        joint_ids: Some(vec![[0, 1, NO_JOINT, NO_JOINT], [1, 2, NO_JOINT, NO_JOINT], [2, 0, 1, NO_JOINT]]),
        joint_weights: Some(vec![[200, 54, 0, 0], [127, 127, 0, 0], [100, 54, 101, 0]]),
        ..Columns::default()
    };
    let joint = |(id, parent)| {
        let mut transform = super::IDENTITY;
        transform[0][3] = f32::from(id) - 4.0;
        Joint { id, parent, transform }
    };
    let pose = |joint: u32, rotation| Pose {
        joint,
        position: [2.0, joint as f32, 1.0],
        rotation,
        scale: [1.0, 2.0, 1.0],
    };
    let poses =
        vec![pose(0, [0.0, 1.0, 0.0, 0.0]), pose(1, [1.0, 0.0, 0.0, 0.0]), pose(2, [0.5, 0.5, 0.5, 0.5])];
    Some(Document {
        vertices: Vertices::from_columns(&columns).ok()?,
        indices: vec![0, 1, 2],
        joints: ids.into_iter().zip(parents).map(joint).collect(),
        animations: vec![Animation {
            name: Some(0),
            duration: 1.0,
            speed: 1.0,
            timestamps: vec![0.0],
            poses,
        }],
        strings: ["turn"].into_iter().collect(),
        ..Document::default()
    })
}
