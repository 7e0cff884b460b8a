//! The document fields from which the meshes, joints and animations of a scene are converted.

use super::super::{Animation, Document, Transform};
use crate::scene::{KeyframeFields, MeshFields, SourceFields, StridedList};

pub fn source_fields(document: &Document) -> SourceFields {
    let Document {
        meshes,
        bones,
        animations,
        ..
    } = document;
    // The scene omits meshes without a material.
    let drawn = meshes
        .iter()
        .enumerate()
        .filter(|(_, mesh)| mesh.material.is_some());
    let drawn = drawn.map(|(index, _)| MeshFields {
        vertices: vec![StridedList::single(format!("meshes[{index}].vertices"))],
        faces: vec![StridedList::single(format!("meshes[{index}].faces"))],
    });
    let normal = bones
        .iter()
        .enumerate()
        .filter(|(_, bone)| !bone.is_pseudo())
        .map(|(index, _)| index);
    let parts = bones
        .iter()
        .enumerate()
        .flat_map(|(index, bone)| match bone.transform {
            Transform::Pseudo(pseudo) => vec![index; pseudo.weights().len()],
            Transform::Bone(_) => Vec::new(),
        });
    let animations = animations.iter().enumerate();
    SourceFields {
        meshes: drawn.collect(),
        joints: normal
            .chain(parts)
            .map(|index| format!("bones[{index}]"))
            .collect(),
        animations: animations
            .map(|(index, animation)| keyframe_fields(index, animation))
            .collect(),
    }
}

/// Returns the indices of the played keys of each rotation, translation and scale channel. Bone 0 has no channels.
fn keyframe_fields(index: usize, animation: &Animation) -> KeyframeFields {
    let mut channels = Vec::new();
    let mut start = 0;
    for (bone, track) in animation.tracks.iter().enumerate() {
        let mut properties = [const { Vec::new() }; 3];
        let mut count = 0;
        for (offset, key) in track.keys().enumerate() {
            let has_values = [
                key.rotation.is_some(),
                key.translation.is_some(),
                key.scale.is_some(),
            ];
            let is_played = key.frame < animation.n_frames.into();
            for (property, has_value) in properties.iter_mut().zip(has_values) {
                property.extend((has_value && is_played).then_some(start + offset as u32));
            }
            count += 1;
        }
        // The end tag of a bone is also an item.
        start += count + 1;
        if bone > 0 {
            channels.extend(properties.into_iter().filter(|keys| !keys.is_empty()));
        }
    }
    KeyframeFields {
        list: format!("animations[{index}].frames"),
        channels,
    }
}
