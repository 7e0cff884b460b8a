//! Removes scale from the bind pose, for formats with rigid bind poses.
//!
//! Each joint gets a new space in which its bind pose is rigid. The linear map `D` maps new coordinates to old ones. A
//! transform `L` relative to the parent becomes `D⁻¹(parent) · L · D(joint)`, and its translation is mapped by
//! `D⁻¹(parent)`. If both maps are uniform scales, the rotation is unchanged and the scale is multiplied by a factor.
//! Otherwise the product may shear, which keys cannot express, so it is replaced by the nearest rotation and scale.

use std::collections::BTreeSet;

use glam::{Mat3, Mat4, Quat, Vec3};

use super::animation::sorted_times;
use super::{Animation, Channel, Interpolation, Joint, Mesh, Samples, Scene, Skeleton, Transform};
use crate::{Loss, Quantity};

/// The tolerance for equal scale factors.
const TOLERANCE: f32 = 1e-4;

impl Scene {
    /// Removes scale from the bind pose, and converts rest transforms and keys to match. Joints for which `keep`
    /// returns `true` keep their bind scale. Applies a scaling scene transform first. Returns the losses.
    #[doc(hidden)]
    pub fn bake_scale(&mut self, format: &str, keep: impl Fn(&Joint) -> bool) -> Vec<Loss> {
        let mut losses = Vec::new();
        if self.skeleton.joints.is_empty() {
            return losses;
        }
        if self
            .transform
            .is_some_and(|transform| scale_error(transform) > TOLERANCE)
        {
            losses.extend(self.apply_inexpressible_transform(format, true));
        }
        let maps: Vec<Mat3> = self
            .skeleton
            .joints
            .iter()
            .map(|joint| rigid_bind_map(joint, &keep))
            .collect();
        let scaled = maps
            .iter()
            .filter(|map| !map.abs_diff_eq(Mat3::IDENTITY, TOLERANCE))
            .count();
        if scaled > 0 {
            let message = format!(
                "{format} has no joint scale; it was applied to translations, vertices and keys"
            );
            let loss = Loss::changed("skeleton.joints.inverse_bind", message);
            // Applying the transform may have added a joint.
            losses.push(loss.with_count_of(scaled, maps.len(), "joints"));
            losses.extend(self.convert_spaces(maps, format));
        }
        losses
    }

    /// Converts all poses to new joint spaces, one map per joint. Returns a loss if dropped shear moves vertices.
    fn convert_spaces(&mut self, maps: Vec<Mat3>, format: &str) -> Option<Loss> {
        let (skeleton, animations) = (self.skeleton.clone(), self.animations.clone());
        let before = Scene {
            skeleton,
            animations,
            ..Scene::default()
        };
        let spaces = JointSpaces {
            maps,
            skeleton: &before.skeleton,
        };
        for index in 0..before.skeleton.joints.len() {
            let bind = before.skeleton.joints[index].inverse_bind.inverse();
            let joint = &mut self.skeleton.joints[index];
            joint.inverse_bind = (bind * Mat4::from_mat3(spaces.maps[index])).inverse();
            joint.rest =
                Some(spaces.convert_transform(index, before.skeleton.rest_transform(index)));
        }
        self.animations
            .iter_mut()
            .for_each(|animation| spaces.convert_animation(animation));
        if (0..before.skeleton.joints.len()).all(|joint| spaces.scale_factor(joint).is_some()) {
            return None;
        }
        let error = self.largest_distance(&before);
        let size = self.meshes.iter().map(Mesh::size).fold(0.0, f32::max);
        (error > TOLERANCE * size).then(|| {
            let message = format!("{format} has no joint shear; dropping it moves vertices");
            Loss::quantized("skeleton.joints.scale", message, Quantity::POSITIONS, error)
                .with_mesh_size(size)
        })
    }

    /// Returns the largest distance that a corner of the [joint boxes](Self::joint_boxes) moves from the scene `before`
    /// to this one. Compares the rest poses, and the animations at the times of all samples.
    fn largest_distance(&self, before: &Scene) -> f32 {
        let boxes = self.joint_boxes();
        let mut error = 0.0_f32;
        let mut compare = |old: &[Transform], new: &[Transform]| {
            let matrices = before.skeleton.global_matrices(old).into_iter();
            let matrices = matrices.zip(self.skeleton.global_matrices(new));
            let joints = before.skeleton.joints.iter().zip(&self.skeleton.joints);
            for (((old, new), (bound, rebound)), corners) in matrices.zip(joints).zip(&boxes) {
                let difference = old * bound.inverse_bind - new * rebound.inverse_bind;
                for corner in corners.iter().flatten() {
                    let distance = (difference * corner.extend(1.0)).truncate().length();
                    error = error.max(if distance.is_finite() { distance } else { 0.0 });
                }
            }
        };
        compare(&before.skeleton.rest_pose(), &self.skeleton.rest_pose());
        for (old, new) in before.animations.iter().zip(&self.animations) {
            for time in old.all_times() {
                compare(
                    &old.pose(&before.skeleton, time),
                    &new.pose(&self.skeleton, time),
                );
            }
        }
        error
    }

    /// Returns, for each joint, the corners of a bounding box around its vertices; `None` if it has no vertices.
    fn joint_boxes(&self) -> Vec<Option<[Vec3; 8]>> {
        let mut bounds = vec![None::<(Vec3, Vec3)>; self.skeleton.joints.len()];
        for mesh in &self.meshes {
            for skin in &mesh.skins {
                for (position, joints) in mesh.positions.iter().zip(&skin.joints) {
                    let at = Vec3::from(*position);
                    for joint in joints {
                        if let Some(bounds) = bounds.get_mut(usize::from(*joint)) {
                            let (min, max) = bounds.unwrap_or((at, at));
                            *bounds = Some((min.min(at), max.max(at)));
                        }
                    }
                }
            }
        }
        let corner = |(min, max): (Vec3, Vec3), index: usize| {
            let pick = |axis: usize| {
                if index >> axis & 1 == 0 {
                    min[axis]
                } else {
                    max[axis]
                }
            };
            Vec3::new(pick(0), pick(1), pick(2))
        };
        let corners = |bounds| std::array::from_fn(|index| corner(bounds, index));
        bounds
            .into_iter()
            .map(|bounds| bounds.map(corners))
            .collect()
    }
}

/// Returns the map from the rigidly bound space of a joint to its current space. Returns the identity if the bind pose
/// is unscaled or singular, or `keep` returns `true`.
fn rigid_bind_map(joint: &Joint, keep: impl Fn(&Joint) -> bool) -> Mat3 {
    let bind = joint.inverse_bind.inverse();
    if keep(joint) || !bind.is_finite() || scale_error(bind) <= TOLERANCE {
        return Mat3::IDENTITY;
    }
    let turn = Mat3::from_quat(Quat::from_array(Transform::from_matrix(bind).rotation));
    let map = Mat3::from_mat4(joint.inverse_bind) * turn;
    if map.inverse().is_finite() {
        map
    } else {
        Mat3::IDENTITY
    }
}

/// Returns the largest deviation of a matrix column from unit length.
fn scale_error(matrix: Mat4) -> f32 {
    let axes = Mat3::from_mat4(matrix);
    [axes.x_axis, axes.y_axis, axes.z_axis]
        .iter()
        .map(|axis| (axis.length() - 1.0).abs())
        .fold(0.0, f32::max)
}

/// Returns the factor of a uniform scale; `None` if the map is not a uniform scale.
fn uniform_factor(map: Mat3) -> Option<f32> {
    let factor = map.x_axis.x;
    map.abs_diff_eq(
        Mat3::from_diagonal(Vec3::splat(factor)),
        TOLERANCE * factor.abs(),
    )
    .then_some(factor)
}

struct JointSpaces<'a> {
    /// The map from the new space of each joint to its old space.
    maps: Vec<Mat3>,
    /// The skeleton before the conversion.
    skeleton: &'a Skeleton,
}

impl JointSpaces<'_> {
    fn map(&self, joint: usize) -> Mat3 {
        self.maps.get(joint).copied().unwrap_or(Mat3::IDENTITY)
    }

    /// Returns the map from the old space of the parent to its new space; the identity for roots.
    fn inverse_parent_map(&self, joint: usize) -> Mat3 {
        let parent = self
            .skeleton
            .joints
            .get(joint)
            .and_then(|joint| joint.parent);
        parent.map_or(Mat3::IDENTITY, |parent| self.map(parent).inverse())
    }

    /// Returns the factor that the scale of a joint is multiplied by. `None` if the map of the joint or of its parent
    /// is not a uniform scale, or the factor is not positive.
    fn scale_factor(&self, joint: usize) -> Option<f32> {
        Some(uniform_factor(self.inverse_parent_map(joint))? * uniform_factor(self.map(joint))?)
            .filter(|factor| *factor > 0.0)
    }

    fn convert_transform(&self, joint: usize, local: Transform) -> Transform {
        let parent_map = self.inverse_parent_map(joint);
        let translation = (parent_map * Vec3::from(local.translation)).into();
        match self.scale_factor(joint) {
            Some(factor) => Transform {
                translation,
                scale: local.scale.map(|own| own * factor),
                ..local
            },
            None => {
                let linear = parent_map * Mat3::from_mat4(local.to_matrix()) * self.map(joint);
                Transform {
                    translation,
                    ..Transform::from_matrix(Mat4::from_mat3(linear))
                }
            }
        }
    }

    fn convert_animation(&self, animation: &mut Animation) {
        let mut sheared = BTreeSet::new();
        for channel in &mut animation.channels {
            match (&mut channel.samples, self.scale_factor(channel.joint)) {
                (Samples::Translation(values), _) => {
                    let parent_map = self.inverse_parent_map(channel.joint);
                    values
                        .iter_mut()
                        .for_each(|value| *value = (parent_map * Vec3::from(*value)).into());
                }
                (Samples::Rotation(_), Some(_)) => {}
                (Samples::Scale(values), Some(factor)) => {
                    values
                        .as_flattened_mut()
                        .iter_mut()
                        .for_each(|value| *value *= factor);
                }
                (_, None) => drop(sheared.insert(channel.joint)),
            }
        }
        for joint in sheared {
            self.resample_joint(animation, joint);
        }
        // Scales of 1 need no keys.
        let is_one = |value: &f32| (value - 1.0).abs() <= TOLERANCE;
        animation.channels.retain(|channel| match &channel.samples {
            Samples::Scale(values) => !values.as_flattened().iter().all(is_one),
            _ => true,
        });
    }

    /// Resamples and converts a joint's rotation and scale at the sample times of both.
    fn resample_joint(&self, animation: &mut Animation, joint: usize) {
        let is_own = |channel: &mut Channel| {
            channel.joint == joint && !matches!(channel.samples, Samples::Translation(_))
        };
        let own: Vec<_> = animation.channels.extract_if(.., is_own).collect();
        let lists: BTreeSet<usize> = own.iter().map(|channel| channel.times).collect();
        let lists = lists.iter().filter_map(|list| animation.times.get(*list));
        let times = sorted_times(lists.flatten().copied());
        let period = animation.looped.then_some(animation.duration);
        let mut poses = vec![self.skeleton.rest_transform(joint); times.len()];
        for channel in &own {
            let Some(list) = animation.times.get(channel.times) else {
                continue;
            };
            let poses = poses.iter_mut();
            match channel.resample(list, &times, period) {
                Samples::Rotation(values) => poses
                    .zip(values)
                    .for_each(|(pose, value)| pose.rotation = value),
                Samples::Scale(values) => poses
                    .zip(values)
                    .for_each(|(pose, value)| pose.scale = value),
                Samples::Translation(_) => {}
            }
        }
        let (mut rotations, mut scales) = (Vec::<[f32; 4]>::new(), Vec::new());
        for pose in poses {
            let Transform {
                rotation, scale, ..
            } = self.convert_transform(joint, pose);
            let turn = Quat::from_array(rotation);
            let is_opposite = rotations
                .last()
                .is_some_and(|last| Quat::from_array(*last).dot(turn) < 0.0);
            rotations.push(if is_opposite { -turn } else { turn }.to_array());
            scales.push(scale);
        }
        let list = animation.times.len();
        animation.times.push(times);
        let interpolation = Interpolation::Linear;
        let to_channel = |samples| Channel {
            joint,
            times: list,
            interpolation,
            samples,
        };
        animation
            .channels
            .extend([Samples::Rotation(rotations), Samples::Scale(scales)].map(to_channel));
    }
}
