//! The document fields from which each part of a scene is converted.

use super::{Animation, Document};
use crate::scene::{KeyframeFields, MeshFields, SourceFields, StridedList};

pub(super) fn source_fields(document: &Document) -> SourceFields {
    let joints = &document.joints;
    // The index of a scene joint is the id of its entry.
    let entry = |id: usize| joints.iter().position(|joint| usize::from(joint.id) == id).unwrap_or(id);
    let animations = document.animations.iter().enumerate();
    SourceFields {
        meshes: vec![MeshFields {
            vertices: vec![StridedList::single("vertices")],
            faces: vec![StridedList { width: 3, ..StridedList::single("indices") }],
        }],
        joints: (0..joints.len()).map(|id| format!("joints[{}]", entry(id))).collect(),
        animations: animations
            .map(|(index, animation)| keyframe_fields(index, animation, joints.len()))
            .collect(),
    }
}

/// Returns the pose entries of each joint, repeated for its three channels: translation, rotation and scale. The
/// entries of a timestamp may be in any order.
fn keyframe_fields(index: usize, animation: &Animation, joints: usize) -> KeyframeFields {
    let mut entries = vec![Vec::new(); joints];
    for (index, pose) in animation.poses.iter().enumerate() {
        if let Some(joint) = entries.get_mut(pose.joint as usize) {
            joint.push(index as u32);
        }
    }
    let channels = entries.into_iter().flat_map(|entries| std::iter::repeat_n(entries, 3)).collect();
    KeyframeFields { list: format!("animations[{index}].poses"), channels }
}
