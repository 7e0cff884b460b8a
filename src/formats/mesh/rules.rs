//! The rules of MESH.

use super::schema::{Animation, Document, Header, Joint, NO_JOINT, Vertex};
use super::summary::Summary;
use super::vertices;
use crate::finding::rules;
use crate::layout::{Constraints, Scope, Value};
use crate::{Report, path};

rules! {
    TRUNCATED "MESH-TRUNCATED" Fatal "General structure" ""
        "The file is as long as its header and counts say.";
    TRAILING "MESH-TRAILING" Fatal "General structure" "M17"
        "Nothing follows the animations of a renderlib file.";
    VERSION "MESH-VERSION" Fatal "Header, Version" "M1"
        "The version is 1.0, the byte 0x01.";
    POSITION "MESH-POSITION" Fatal "Vertex data, Position" ""
        "Every vertex has a position: bit 0 of the format is set.";
    FORMAT_BITS "MESH-FORMAT-BITS" Error "Header, Format" "M7"
        "Bits 4 to 15 of the format are not set.";
    EMPTY "MESH-EMPTY" Warning "Header" "M12"
        "There are vertices and indices.";
    INDEX_RANGE "MESH-INDEX-RANGE" Error "Index data" "M13"
        "Every index is below the vertex count.";
    TRIANGLES "MESH-TRIANGLES" Warning "Index data" "M13"
        "The number of indices is a multiple of 3.";
    NON_FINITE "MESH-NON-FINITE" Warning "Vertex data, Position" "M14"
        "Positions are finite.";
    VERTEX_JOINT "MESH-VERTEX-JOINT" Warning "Vertex data, JointN ID" "M9"
        "A vertex names joints that exist, or 255 with weight 0 for none.";
    VERTEX_UNBOUND "MESH-VERTEX-UNBOUND" Error "Vertex data, JointN ID" "M9"
        "A vertex with weights has one on a joint that exists.";
    JOINT_ID "MESH-JOINT-ID" Error "Joint data" "M10"
        "The ids of the joints are the numbers from 0 up, each once.";
    JOINT_ORDER "MESH-JOINT-ORDER" Warning "Joint data" "M10"
        "The id of a joint is the position of its entry.";
    PARENT "MESH-PARENT" Error "Joint data, Parent ID" "M10"
        "The parent of a joint is another entry or 255, and no joint is its own ancestor.";
    POSE_JOINT "MESH-POSE-JOINT" Fatal "Skeleton poses" "M11"
        "A skeleton pose has one entry for each joint.";
    POSE_TIME "MESH-POSE-TIME" Warning "Skeleton poses" ""
        "Timestamps are in chronological order.";
    NO_STRINGS "MESH-NO-STRINGS" Fatal "Strings" ""
        "A file with animations has the strings that they name.";
    NAME "MESH-NAME" Error "Animation data, Name" "M16"
        "The name of an animation is one of the strings.";
    STRING_END "MESH-STRING-END" Error "Strings" "M16"
        "The last string ends with a NUL.";
}

/// Whether a slot of a vertex names a joint, or none (M9).
fn is_attached(id: u8, weight: u8, joints: usize) -> bool {
    (usize::from(id) < joints) | ((id == NO_JOINT) & (weight == 0))
}

/// Adds every violation to `report`.
pub(super) fn check(document: &Document, report: &mut Report) {
    let summary = Summary::default();
    vertices::inspect(document.vertices.as_bytes(), document.vertices.format(), &summary);
    summary.inspect_indices(&document.indices);
    check_after(&summary, document, report);
}

/// Adds every violation to `report`, once all the bulk data was inspected.
pub(super) fn check_after(summary: &Summary, document: &Document, report: &mut Report) {
    check_constraints(document, summary.max_index(), report);
    if summary.max_joint().is_some_and(|joint| usize::from(joint) >= document.joints.len()) {
        check_vertex_joints(document, report);
    }
    check_joints(&document.joints, report);
    for index in 0..document.animations.len() {
        check_animation(document, index, report);
    }
    let last = document.strings.len().saturating_sub(1);
    Constraints::declared::<Document>("strings", &Scope::default(), RULES).check(
        document.strings.as_bytes().last().map(|byte| [*byte]),
        |_| path!(strings[last]),
        report,
    );
    if document.strings.is_empty() && document.animations.iter().any(|animation| animation.name.is_some()) {
        report.add(&NO_STRINGS, path!(strings), "there are none, but animations name them");
    }
}

/// The header of a document, as far as constraints ask for it.
fn header(document: &Document) -> Scope {
    Scope::new(vec![
        ("format", document.vertices.format().into()),
        ("vertex_count", (document.vertices.len() as u64).into()),
        ("index_count", (document.indices.len() as u64).into()),
    ])
}

/// What the declaration says of vertices and indices.
fn check_constraints(document: &Document, max_index: Option<u32>, report: &mut Report) {
    let header = header(document);
    Constraints::check_fields::<Header>(&header, RULES, path!(header), report);
    let scope = Scope::new(vec![("header", Value::Struct(header))]);
    Constraints::declared::<Vertex>("position", &scope, RULES).check(
        document.vertices.positions().iter(),
        |index| path!(vertices[index].position),
        report,
    );
    let mut indices = Constraints::declared::<Document>("indices", &scope, RULES);
    if !max_index.is_none_or(|max| indices.allow_up_to(max)) {
        indices.check(document.indices.iter().map(|i| [*i]), |index| path!(indices[index]), report);
    }
}

fn check_vertex_joints(document: &Document, report: &mut Report) {
    let (Some(ids), Some(weights)) = (document.vertices.joint_ids(), document.vertices.joint_weights())
    else {
        return;
    };
    let joints = document.joints.len();
    let exists = |id: u8| usize::from(id) < joints;
    for (vertex, (ids, weights)) in ids.iter().zip(weights.iter()).enumerate() {
        let is_fine = |slot: usize| is_attached(ids[slot], weights[slot], joints);
        let path = path!(vertices[vertex].joint_ids);
        let bound = (0..4).any(|slot| exists(ids[slot]) && weights[slot] > 0);
        if weights != [0; 4] && !bound {
            let message =
                format_args!("no weight on any of the {joints} joints: joints {ids:?}, weights {weights:?}");
            report.add(&VERTEX_UNBOUND, path, message);
            continue;
        }
        for slot in (0..4).filter(|slot| !is_fine(*slot)) {
            let message = format_args!(
                "joint {} with weight {}, but there are {joints} joints",
                ids[slot], weights[slot]
            );
            report.add(&VERTEX_JOINT, path!(vertices[vertex].joint_ids[slot]), message);
        }
    }
}

fn check_joints(joints: &[Joint], report: &mut Report) {
    let mut seen = [false; 256];
    for (position, joint) in joints.iter().enumerate() {
        let id = usize::from(joint.id);
        let path = path!(joints[position].id);
        if id >= joints.len() {
            report.add(&JOINT_ID, path, format_args!("id {id}, but there are {} joints", joints.len()));
        } else if std::mem::replace(&mut seen[id], true) {
            report.add(&JOINT_ID, path, format_args!("id {id} for the second time"));
        } else if id != position {
            report.add(&JOINT_ORDER, path, format_args!("id {id} in the entry at position {position}"));
        }
    }
    let places = if parents_are_ids(joints) { ids(joints) } else { (0..joints.len()).collect() };
    for (position, message) in parent_faults(joints, &places) {
        report.add(&PARENT, path!(joints[position].parent), message);
    }
}

fn ids(joints: &[Joint]) -> Vec<usize> {
    joints.iter().map(|joint| usize::from(joint.id)).collect()
}

/// Where the entries are out of order, a parent may be meant as an id as well as an entry: either will do (M10).
pub(super) fn parents_are_ids(joints: &[Joint]) -> bool {
    parent_faults(joints, &ids(joints)).is_empty()
}

/// What is wrong with the parents of joints that are addressed by these places.
fn parent_faults(joints: &[Joint], places: &[usize]) -> Vec<(usize, String)> {
    let mut parents = vec![None; joints.len()];
    for (joint, place) in joints.iter().zip(places) {
        if let Some(parent) = parents.get_mut(*place) {
            *parent = joint.parent_entry();
        }
    }
    let mut faults = Vec::new();
    for (position, (joint, place)) in joints.iter().zip(places).enumerate() {
        if let Some(parent) = joint.parent_entry().filter(|parent| *parent >= joints.len()) {
            faults.push((position, format!("parent {parent}, but there are {} joints", joints.len())));
        } else if is_own_ancestor(&parents, *place) {
            faults.push((position, "the joint is its own ancestor".to_owned()));
        }
    }
    faults
}

fn is_own_ancestor(parents: &[Option<usize>], start: usize) -> bool {
    let parent_of = |joint: &usize| parents.get(*joint).copied().flatten();
    // A path longer than the number of joints runs in a circle, though not always through `start`.
    std::iter::successors(parent_of(&start), parent_of).take(parents.len()).any(|ancestor| ancestor == start)
}

fn check_animation(document: &Document, index: usize, report: &mut Report) {
    let animation = &document.animations[index];
    if let (Some(name), None) = (animation.name, document.name_of(animation)) {
        let message = format_args!("string {name}, but there are {} strings", document.strings.len());
        report.add(&NAME, path!(animations[index].name), message);
    }
    Constraints::declared::<Animation>("timestamps", &Scope::default(), RULES).check(
        animation.timestamps.iter().map(|time| [*time]),
        |time| path!(animations[index].timestamps[time]),
        report,
    );
    let joints = document.joints.len();
    for (i, pose) in animation.poses.chunks(joints.max(1)).enumerate() {
        let mut seen = [false; 256];
        for (j, entry) in pose.iter().enumerate() {
            let path = path!(animations[index].poses[i * joints + j].joint);
            let joint = entry.joint as usize;
            if joint >= joints {
                report.add(&POSE_JOINT, path, format_args!("joint {joint}, but there are {joints} joints"));
            } else if std::mem::replace(&mut seen[joint & 0xff], true) {
                let message = format_args!("joint {joint} for the second time in pose {i}");
                report.add(&POSE_JOINT, path, message);
            }
        }
    }
}
