//! Strategies for the scenes that the tests convert.

use meshspec::scene::{Faces, Mesh, Scene, Skeleton, Skin, Transform, Weights, strategy};
use proptest::prelude::*;

const NONE: u16 = Skin::NONE;

/// Scenes with at least one mesh, some with polygons.
fn scenes() -> impl Strategy<Value = Scene> {
    let scenes = strategy::scenes().prop_filter("no meshes", |scene| !scene.meshes.is_empty());
    (scenes, any::<bool>(), any::<bool>()).prop_map(|(mut scene, polygons, whole)| {
        let joints = scene.skeleton.joints.len();
        for mesh in &mut scene.meshes {
            // Flat meshes have no third coordinate.
            for position in mesh.positions.iter_mut().filter(|_| mesh.flat) {
                position[2] = 0.0;
            }
            // More joints per vertex than most formats allow.
            if mesh.skins.len() == 2 && matches!(joints, 0 | 5..) {
                let vertices = mesh.positions.len();
                mesh.skins = [
                    ([0, 1, 2, 3], [0.25, 0.25, 0.25, 0.125]),
                    ([4, NONE, NONE, NONE], [0.125, 0.0, 0.0, 0.0]),
                ]
                .map(|(joints, weights)| Skin {
                    joints: vec![joints; vertices],
                    weights: Weights::F32(vec![weights; vertices]),
                })
                .into();
            }
            if polygons {
                make_convex(mesh);
            }
        }
        for animation in scene.animations.iter_mut().filter(|_| whole) {
            let last = animation
                .times
                .iter()
                .flatten()
                .copied()
                .fold(0.0, f32::max);
            animation.duration = last + 1.0;
        }
        scene
    })
}

/// Scenes whose joints rest in the bind pose. Half of them have no scale, so that every format can store them.
pub fn at_rest_in_the_bind_pose() -> impl Strategy<Value = Scene> {
    (scenes(), any::<bool>()).prop_map(|(mut scene, rigid)| {
        bind_at_rest(&mut scene.skeleton, rigid);
        scene
    })
}

/// Scenes in which each joint rests in the bind pose of another joint.
pub fn at_rest_elsewhere() -> impl Strategy<Value = Scene> {
    (scenes(), any::<bool>()).prop_map(|(mut scene, rigid)| {
        bind_at_rest(&mut scene.skeleton, rigid);
        let mut rests: Vec<_> = scene
            .skeleton
            .joints
            .iter()
            .map(|joint| joint.rest)
            .collect();
        rests.reverse();
        scene
            .skeleton
            .joints
            .iter_mut()
            .zip(rests)
            .for_each(|(joint, rest)| joint.rest = rest);
        scene
    })
}

/// Makes the polygons of a mesh convex, by moving its vertices to a parabola.
fn make_convex(mesh: &mut Mesh) {
    for (x, position) in mesh.positions.iter_mut().enumerate() {
        let x = x as f32;
        *position = [8.0 * x, 3.0 * x * x, 0.0];
    }
    let indices = (0..mesh.positions.len() as u32).collect();
    mesh.faces = Faces {
        corners: Some(corners(mesh.positions.len())),
        ..Faces::triangles(indices)
    };
}

/// Splits `indices` indices into faces. Returns the corner count of each face, 3 to 5.
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

/// Sets the bind pose to the rest pose, without shear.
fn bind_at_rest(skeleton: &mut Skeleton, rigid: bool) {
    let rests: Vec<_> = skeleton
        .joints
        .iter()
        .map(|joint| {
            let rest = joint.rest.unwrap_or_default();
            if rigid {
                Transform {
                    scale: [1.0; 3],
                    ..rest
                }
            } else {
                rest
            }
        })
        .collect();
    let matrices = skeleton.global_matrices(&rests);
    for ((joint, rest), matrix) in skeleton.joints.iter_mut().zip(rests).zip(matrices) {
        joint.rest = Some(rest);
        joint.inverse_bind = matrix.inverse();
    }
}
