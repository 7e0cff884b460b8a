//! The fields that become parts of a scene.

use super::{Animation, Document, Transform};
use crate::scene::{KeyPlaces, MeshPlaces, Places, Share};

pub(super) fn places(document: &Document) -> Places {
    let Document { meshes, bones, animations, .. } = document;
    // The scene omits meshes without a material.
    let shown = meshes.iter().enumerate().filter(|(_, mesh)| mesh.material.is_some());
    let shown = shown.map(|(index, _)| MeshPlaces {
        vertices: vec![Share::single(format!("meshes[{index}].vertices"))],
        faces: vec![Share::single(format!("meshes[{index}].faces"))],
    });
    let normal = bones.iter().enumerate().filter(|(_, bone)| !bone.is_pseudo()).map(|(index, _)| index);
    let parts = bones.iter().enumerate().flat_map(|(index, bone)| match bone.transform {
        Transform::Pseudo(pseudo) => vec![index; pseudo.weights().len()],
        Transform::Bone(_) => Vec::new(),
    });
    let animations = animations.iter().enumerate();
    Places {
        meshes: shown.collect(),
        joints: normal.chain(parts).map(|index| format!("bones[{index}]")).collect(),
        animations: animations.map(|(index, animation)| keys(index, animation)).collect(),
    }
}

/// Returns the key positions of the rotation, translation and scale channels of each bone except bone 0.
fn keys(index: usize, animation: &Animation) -> KeyPlaces {
    let mut channels = Vec::new();
    let mut start = 0;
    for (bone, track) in animation.tracks.iter().enumerate() {
        let mut properties = [const { Vec::new() }; 3];
        let mut count = 0;
        for (place, key) in track.keys().enumerate() {
            let has = [key.rotation.is_some(), key.translation.is_some(), key.scale.is_some()];
            let is_played = key.frame < animation.n_frames.into();
            for (property, has) in properties.iter_mut().zip(has) {
                property.extend((has && is_played).then_some(start + place as u32));
            }
            count += 1;
        }
        // The end tag of a bone is also an item.
        start += count + 1;
        if bone > 0 {
            channels.extend(properties.into_iter().filter(|keys| !keys.is_empty()));
        }
    }
    KeyPlaces { list: format!("animations[{index}].frames"), channels }
}
