//! The fields that become parts of a scene.

use super::{Animation, Document};
use crate::scene::{KeyPlaces, MeshPlaces, Places, Share};

pub(super) fn places(document: &Document) -> Places {
    let joints = &document.joints;
    // A scene joint comes from the entry with its id.
    let entry = |id: usize| joints.iter().position(|joint| usize::from(joint.id) == id).unwrap_or(id);
    let animations = document.animations.iter().enumerate();
    Places {
        meshes: vec![MeshPlaces {
            vertices: vec![Share::single("vertices")],
            faces: vec![Share { width: 3, ..Share::single("indices") }],
        }],
        joints: (0..joints.len()).map(|id| format!("joints[{}]", entry(id))).collect(),
        animations: animations.map(|(index, animation)| keys(index, animation, joints.len())).collect(),
    }
}

/// Returns the entries of each joint, repeated for each of the three properties. Entries of a timestamp may be in any
/// order.
fn keys(index: usize, animation: &Animation, joints: usize) -> KeyPlaces {
    let mut entries = vec![Vec::new(); joints];
    for (place, pose) in animation.poses.iter().enumerate() {
        if let Some(joint) = entries.get_mut(pose.joint as usize) {
            joint.push(place as u32);
        }
    }
    let channels = entries.into_iter().flat_map(|entries| std::iter::repeat_n(entries, 3)).collect();
    KeyPlaces { list: format!("animations[{index}].poses"), channels }
}
