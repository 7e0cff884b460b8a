//! Checks documents against the rules of MESH.

pub(super) use super::schema::rules::*;

use super::schema::{Document, layout};
use super::summary::JointSummary;
use super::vertices;
use crate::layout::check_document;
use crate::{Report, path};

/// Adds all violations of a document to `report`.
pub(super) fn check(document: &Document, report: &mut Report) {
    let summary = JointSummary::default();
    vertices::summarize_joints(
        document.vertices.as_bytes(),
        document.vertices.format(),
        &summary,
    );
    check_with_summary(&summary, document, report);
}

/// Adds all violations of a document to `report`, given the summary of its vertex joints.
pub(super) fn check_with_summary(summary: &JointSummary, document: &Document, report: &mut Report) {
    check_document(layout(document.dialect), document, report);
    if summary
        .max_joint()
        .is_some_and(|joint| usize::from(joint) >= document.joints.len())
    {
        check_vertex_joints(document, report);
    }
    if document.strings.is_empty()
        && document
            .animations
            .iter()
            .any(|animation| animation.name.is_some())
    {
        report.add(
            &NO_STRINGS,
            path!(strings),
            "missing, but animations refer to them",
        );
    }
}

fn check_vertex_joints(document: &Document, report: &mut Report) {
    let (Some(ids), Some(weights)) = (
        document.vertices.joint_ids(),
        document.vertices.joint_weights(),
    ) else {
        return;
    };
    let joints = document.joints.len();
    let exists = |id: u8| usize::from(id) < joints;
    for (vertex, (ids, weights)) in ids.iter().zip(weights.iter()).enumerate() {
        let path = path!(vertices[vertex].joint_ids);
        let is_bound = (0..4).any(|slot| exists(ids[slot]) && weights[slot] > 0);
        if weights != [0; 4] && !is_bound {
            let message = format_args!(
                "no weight on an existing joint: joint ids {ids:?}, weights {weights:?}, joint count {joints}"
            );
            report.add(&VERTEX_UNBOUND, path, message);
        }
    }
}
