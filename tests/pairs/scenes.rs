//! Scenes to be converted.

use meshspec::scene::{Scene, Skeleton, Transform, strategy};
use proptest::prelude::*;

/// Scenes with at least one mesh, some of them with polygons, in which joints may rest elsewhere than in the bind pose.
pub fn at_rest_anywhere() -> impl Strategy<Value = Scene> {
    let scenes = strategy::scenes().prop_filter("no meshes", |scene| !scene.meshes.is_empty());
    (scenes, any::<bool>(), any::<bool>()).prop_map(|(mut scene, polygons, whole)| {
        for mesh in &mut scene.meshes {
            // That they have no third coordinate is what flat means.
            for position in mesh.positions.iter_mut().filter(|_| mesh.flat) {
                position[2] = 0.0;
            }
            if let (true, Some(indices)) = (polygons, &mesh.faces.indices) {
                mesh.faces.corners = Some(corners(indices.len()));
            }
        }
        for animation in scene.animations.iter_mut().filter(|_| whole) {
            let last = animation.times.iter().flatten().copied().fold(0.0, f32::max);
            animation.duration = last + 1.0;
        }
        scene
    })
}

/// Scenes in which joints rest in the bind pose; in half of them they have no scale, so that every format holds it.
pub fn at_rest_in_the_bind_pose() -> impl Strategy<Value = Scene> {
    (at_rest_anywhere(), any::<bool>()).prop_map(|(mut scene, rigid)| {
        if rigid {
            make_rigid(&mut scene.skeleton);
        }
        scene.skeleton.joints.iter_mut().filter(|_| !rigid).for_each(|joint| joint.rest = None);
        scene
    })
}

/// Numbers of corners, from 3 to 5, that add up.
fn corners(indices: usize) -> Vec<u32> {
    let mut rest = indices as u32;
    let mut corners = Vec::new();
    while rest > 0 {
        let count = match rest {
            5 => 5,
            4 | 7 => 4,
            rest if rest >= 8 => 5,
            _ => 3,
        };
        corners.push(count);
        rest -= count;
    }
    corners
}

/// Joints that are where their rest takes them, without its scale.
fn make_rigid(skeleton: &mut Skeleton) {
    let rests: Vec<_> = skeleton
        .joints
        .iter()
        .map(|joint| Transform { scale: [1.0; 3], ..joint.rest.unwrap_or_default() })
        .collect();
    let matrices = skeleton.to_model(&rests);
    for ((joint, rest), matrix) in skeleton.joints.iter_mut().zip(rests).zip(matrices) {
        joint.rest = Some(rest);
        joint.inverse_bind = matrix.inverse();
    }
}
