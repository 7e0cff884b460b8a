//! Removal of scale from skeletons.

use crate::common::config;
use glam::{Mat3, Mat4, Vec3};
use meshspec::scene::{Samples, Scene, Skin, Transform, strategy};
use proptest::prelude::*;

/// A strategy for scenes with scaled joints, bound in their rest pose or in the pose of other joints.
fn scaled(uniform: bool) -> impl Strategy<Value = Scene> {
    (strategy::scenes(), any::<bool>()).prop_map(move |(mut scene, elsewhere)| {
        let of_joint = |joint: usize| {
            let rest = scene.skeleton.rest_transform(joint);
            let scale = if uniform {
                [rest.scale[0]; 3]
            } else {
                rest.scale
            };
            Transform { scale, ..rest }
        };
        let rests: Vec<Transform> = (0..scene.skeleton.joints.len()).map(of_joint).collect();
        scene.set_rest_transforms(Some(&rests));
        let bind: Vec<_> = if elsewhere {
            rests.into_iter().rev().collect()
        } else {
            rests
        };
        let matrices = scene.skeleton.global_matrices(&bind);
        for (joint, matrix) in scene.skeleton.joints.iter_mut().zip(matrices) {
            joint.inverse_bind = matrix.inverse();
        }
        if uniform {
            scene.transform = None;
            let channels = scene
                .animations
                .iter_mut()
                .flat_map(|animation| &mut animation.channels);
            for channel in channels {
                if let Samples::Scale(values) = &mut channel.samples {
                    values.iter_mut().for_each(|value| *value = [value[0]; 3]);
                }
            }
        }
        // In another pose, the blend of several joints would differ, so only one joint is kept.
        for skin in scene
            .meshes
            .iter_mut()
            .filter_map(|mesh| mesh.skins.first_mut())
        {
            *skin = Skin::rigid(
                skin.joints
                    .iter()
                    .map(|joints| joints[0])
                    .collect::<Vec<_>>(),
            );
        }
        scene
            .meshes
            .iter_mut()
            .for_each(|mesh| mesh.skins.truncate(1));
        scene.apply_transform();
        scene
    })
}

/// Returns the largest deviation of the column lengths of a matrix from 1.
fn scale_error(matrix: Mat4) -> f32 {
    let axes = Mat3::from_mat4(matrix);
    [axes.x_axis, axes.y_axis, axes.z_axis]
        .iter()
        .map(|axis| (axis.length() - 1.0).abs())
        .fold(0.0, f32::max)
}

/// Returns the local transforms of the rest pose.
fn rest(scene: &Scene) -> Vec<Transform> {
    (0..scene.skeleton.joints.len())
        .map(|joint| scene.skeleton.rest_transform(joint))
        .collect()
}

fn skinned_positions(scene: &Scene, pose: &[Transform]) -> Vec<[f32; 3]> {
    let mut scene = scene.clone();
    scene.apply_pose(pose);
    scene
        .meshes
        .into_iter()
        .flat_map(|mesh| mesh.positions)
        .collect()
}

fn keeps_positions(before: &Scene) -> Result<f32, TestCaseError> {
    let mut after = before.clone();
    prop_assert_eq!(
        after
            .bind_at_rest("BMD", |_| false)
            .into_iter()
            .find_map(|loss| loss.error),
        None
    );
    let losses = after.bake_scale("BMD", |_| false);
    for joint in &after.skeleton.joints {
        prop_assert!(scale_error(joint.inverse_bind) < 1e-3, "{:?}", joint);
    }
    let error = losses
        .iter()
        .filter_map(|loss| loss.error)
        .fold(0.0, f64::max) as f32;
    let mut poses = vec![(rest(before), rest(&after))];
    for (old, new) in before.animations.iter().zip(&after.animations) {
        for time in old.times.iter().flatten() {
            poses.push((
                old.pose(&before.skeleton, *time),
                new.pose(&after.skeleton, *time),
            ));
        }
    }
    for (old, new) in poses {
        for (old, new) in skinned_positions(before, &old)
            .into_iter()
            .zip(skinned_positions(&after, &new))
        {
            let (old, new) = (Vec3::from(old), Vec3::from(new));
            let rounding = 1e-3 * (1000.0 + old.length());
            prop_assert!(
                old.distance(new) <= error + rounding,
                "{} {} {:?}",
                old,
                new,
                losses
            );
        }
    }
    Ok(error)
}

proptest! {
    #![proptest_config(config(200, "scale"))]

    #[test]
    fn uniform_scale_is_folded_exactly(scene in scaled(true)) {
        prop_assert_eq!(keeps_positions(&scene)?, 0.0);
    }

    #[test]
    fn unfoldable_scale_is_reported_exactly(scene in scaled(false)) {
        keeps_positions(&scene)?;
    }
}
