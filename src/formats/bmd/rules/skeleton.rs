//! Rules for the skeleton, solids, and animations.

use std::collections::BTreeMap;

use super::super::document::{Animation, Document, Mesh, Transform};
use super::{
    FRAMES_TRAILING, KEY_RANGE, PSEUDO_BONES, PSEUDO_ORDER, RESERVED, SOLID_BONE, SOLID_CLOSED,
};
use crate::{Report, path};

/// Checks the transform of bone 0, and the order and references of pseudo-bones.
pub(super) fn check(document: &Document, report: &mut Report) {
    let normal = document.normal_bones().len();
    for (index, bone) in document.bones.iter().enumerate() {
        let at = path!(bones[index]);
        match bone.transform {
            Transform::Bone(transform) => {
                let (origin, rotation) = (transform.origin().word(), transform.rotation().word());
                for (field, word) in [("origin", origin), ("rotation", rotation)] {
                    if index == 0 && word != 0 {
                        let message = format_args!("{word:#x}, expected 0");
                        report.add(&RESERVED, path!(bones[index].xform.(field)), message);
                    }
                }
                if index > normal {
                    let message =
                        format_args!("normal bone {index} comes after pseudo-bone {normal}");
                    report.add(&PSEUDO_ORDER, at, message);
                }
            }
            Transform::Pseudo(transform) => {
                let names = ["bone_0", "bone_1", "bone_2", "bone_3"].into_iter();
                for ((name, followed), weight) in
                    names.zip(transform.bones()).zip(transform.weights())
                {
                    if weight != 0.0 && usize::from(followed) >= index {
                        let message =
                            format_args!("bone {followed}, expected one before bone {index}");
                        report.add(&PSEUDO_BONES, path!(bones[index].pseudo.(name)), message);
                    }
                }
            }
        }
    }
}

/// Checks that bone solids are closed, and bound to their bone or to bone 0. Mesh 0 means no solid.
pub(super) fn check_solids(document: &Document, report: &mut Report) {
    let mut owners: BTreeMap<u8, Vec<usize>> = BTreeMap::new();
    for (index, bone) in document
        .bones
        .iter()
        .enumerate()
        .filter(|(_, bone)| bone.id_solid != 0)
    {
        owners.entry(bone.id_solid).or_default().push(index);
    }
    for (solid, bones) in owners {
        let Some(mesh) = document.meshes.get(usize::from(solid)) else {
            continue;
        };
        if report.is_enabled(&SOLID_CLOSED) {
            check_closed(mesh, solid, report);
        }
        for bone in bones {
            check_solid_bone(mesh, solid, bone, report);
        }
    }
}

/// The number of faces that use an edge in each direction: from the lower to the higher vertex index, and back.
#[derive(Default)]
struct EdgeUses {
    ascending: usize,
    descending: usize,
}

fn check_closed(mesh: &Mesh, solid: u8, report: &mut Report) {
    let at = path!(meshes[solid].faces);
    let mut edges: BTreeMap<(u32, u32), EdgeUses> = BTreeMap::new();
    for face in mesh.faces.iter() {
        let corners = face.vertices();
        for (from, to) in corners.iter().zip(corners.iter().cycle().skip(1)) {
            // Equal indices form no edge: a triangle may be stored as a degenerate quad.
            if from < to {
                edges.entry((*from, *to)).or_default().ascending += 1;
            } else if to < from {
                edges.entry((*to, *from)).or_default().descending += 1;
            }
        }
    }
    if edges.is_empty() {
        report.add(&SOLID_CLOSED, at, "the solid has no faces");
    }
    for (
        (from, to),
        EdgeUses {
            ascending,
            descending,
        },
    ) in edges
    {
        let message = match (ascending, descending) {
            (1, 1) => continue,
            (2, 0) | (0, 2) => {
                format!("both faces at the edge {from}-{to} use it in the same direction")
            }
            _ => format!(
                "the edge {from}-{to} belongs to {} faces, expected 2",
                ascending + descending
            ),
        };
        report.add(&SOLID_CLOSED, at, message);
    }
}

fn check_solid_bone(mesh: &Mesh, solid: u8, bone: usize, report: &mut Report) {
    let mut bones = mesh.vertices.iter().map(|vertex| usize::from(vertex.bone));
    let Some(first) = bones.next() else { return };
    let is_valid = (first == 0 || first == bone) && bones.all(|other| other == first);
    if !is_valid {
        let message = format_args!(
            "the vertices of mesh {solid} are neither all bound to bone {bone} nor all to bone 0"
        );
        report.add(&SOLID_BONE, path!(bones[bone].id_solid), message);
    }
}

/// Checks for keys after the last frame, and bytes after the last track.
pub(super) fn check_animations(document: &Document, report: &mut Report) {
    for (index, animation) in document.animations.iter().enumerate() {
        if !animation.trailing.is_empty() {
            let count = animation.trailing.len();
            let message = format_args!("{count} bytes after the keys of the last bone");
            report.add(
                &FRAMES_TRAILING,
                path!(animations[index].sz_frames),
                message,
            );
        }
        check_keys(animation, index, report);
    }
}

fn check_keys(animation: &Animation, index: usize, report: &mut Report) {
    // The keys of each bone are followed by an end tag in the frames list.
    let mut item = 0;
    for (bone, track) in animation.tracks.iter().enumerate() {
        for key in track.keys() {
            if key.has_values() && key.frame >= animation.n_frames.into() {
                let (frame, frames) = (key.frame, animation.n_frames);
                let message = format_args!(
                    "a key of bone {bone} at frame {frame}, but the animation has {frames} frames"
                );
                report.add(&KEY_RANGE, path!(animations[index].frames[item]), message);
            }
            item += 1;
        }
        item += 1;
    }
}
