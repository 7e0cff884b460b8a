//! Rebinds vertices to joints in the rest pose, for formats with a single pose.

use std::cmp::Ordering;

use glam::{Mat4, Vec3};

use super::pose::{Skinning, joint_weights, longest_axis};
use super::{Joint, Mesh, Scene};
use crate::{Loss, Quantity};

/// The largest scale of a joint at rest that counts as 0, as a fraction of its scale in the bind pose.
const MIN_SCALE: f32 = 1e-6;

/// The largest deviation that counts as rounding, as a fraction of the mesh size.
const TOLERANCE: f32 = 1e-5;

/// The maximum number of matrix products per animation when measuring a deviation.
const MAX_PRODUCTS: usize = 1 << 22;

/// The number of poses computed at a time, which limits the memory.
const POSES_PER_BATCH: usize = 64;

impl Scene {
    /// If `count`, the number of joints that the format needs, exceeds `max`, moves vertices to the rest pose and drops
    /// joints, animations and skins. Returns the loss.
    pub(crate) fn limit_joints(&mut self, count: usize, max: usize, format: &str) -> Option<Loss> {
        if count <= max {
            return None;
        }
        self.apply_rest_pose();
        self.skeleton.joints.clear();
        self.animations.clear();
        self.meshes.iter_mut().for_each(|mesh| mesh.skins.clear());
        let message = format!(
            "{format} supports at most {max} joints; vertices were moved to the rest pose, and joints dropped"
        );
        Some(Loss::dropped("skeleton.joints", message).with_count(count, "joints"))
    }

    /// Rebinds vertices to joints in the rest pose, for formats with a single pose. Does nothing if the bind pose
    /// equals the rest pose, and keeps the bind pose if a rest matrix is singular. Returns the losses.
    ///
    /// Animations are unchanged, since keys are relative to parents. In animations, a vertex deviates if it is bound to
    /// several joints that move differently; the largest deviation is measured and listed. A joint for which `free`
    /// returns `true` may be bound in a pose other than the rest pose, if its vertices then do not deviate.
    #[doc(hidden)]
    pub fn bind_at_rest(&mut self, format: &str, free: impl Fn(&Joint) -> bool) -> Vec<Loss> {
        let mut losses = Vec::new();
        if self
            .skeleton
            .joints
            .iter()
            .all(|joint| joint.rest.is_none())
        {
            return losses;
        }
        losses.extend(self.restore_zero_scales(format));
        let global = self.skeleton.global_matrices(&self.skeleton.rest_pose());
        if !global.iter().all(|matrix| matrix.inverse().is_finite()) {
            self.set_rest_transforms(None);
            let message = format!(
                "{format} has no rest pose, and a rest matrix is singular; the bind pose was kept"
            );
            losses.push(Loss::changed("skeleton.joints.rest", message));
            return losses;
        }
        let skinning = Skinning::new(self, &global);
        if skinning.is_identity() {
            return losses;
        }
        // A missing rest transform follows the bind pose, which changes.
        let rest = self.skeleton.rest_pose();
        for (joint, rest) in self.skeleton.joints.iter_mut().zip(rest) {
            joint.rest.get_or_insert(rest);
        }
        let rebinding = Rebinding::new(self, &skinning, &global, free);
        let (moved, deviations) = rebinding.apply(self, &skinning);
        losses.extend(rebinding.to_loss(self, format, moved));
        losses.extend(self.measure_deviation(deviations, format));
        losses
    }

    /// Replaces rest scales of 0 by the scale in the bind pose (1 if that is 0), since the vertices of such joints
    /// would coincide.
    fn restore_zero_scales(&mut self, format: &str) -> Option<Loss> {
        let mut rest = self.skeleton.rest_pose();
        let mut count = 0;
        for (joint, transform) in rest.iter_mut().enumerate() {
            let bind = self.skeleton.bind_transform(joint);
            let mut is_changed = false;
            for (factor, bound) in transform.scale.iter_mut().zip(bind.scale) {
                if factor.abs() <= MIN_SCALE * bound.abs() {
                    (*factor, is_changed) = (if bound == 0.0 { 1.0 } else { bound }, true);
                }
            }
            count += usize::from(is_changed);
        }
        if count == 0 {
            return None;
        }
        self.set_rest_transforms(Some(&rest));
        let message = format!(
            "{format} has no rest pose; a scale of 0 at rest was replaced by the bind scale"
        );
        let joints = self.skeleton.joints.len();
        Some(Loss::changed("skeleton.joints.rest", message).with_count_of(count, joints, "joints"))
    }

    /// Returns a loss with the largest measured deviation, in metres, of vertices in animations; `None` if within
    /// rounding.
    fn measure_deviation(
        &self,
        mut deviations: Vec<VertexDeviation>,
        format: &str,
    ) -> Option<Loss> {
        deviations.sort_by(|a, b| by_bound(&b, &a));
        let (mut largest, mut largest_scale) = (0.0_f32, 1.0_f32);
        let mut unmeasured = None::<&VertexDeviation>;
        for animation in &self.animations {
            let joints = self.skeleton.joints.len();
            let times = with_midpoints(&animation.all_times());
            let step = (times.len() * joints).div_ceil(MAX_PRODUCTS).max(1);
            let times: Vec<f32> = times.into_iter().step_by(step).collect();
            let count = MAX_PRODUCTS / times.len().max(1);
            let first_unmeasured = if step > 1 { 0 } else { count };
            unmeasured = deviations
                .get(first_unmeasured)
                .into_iter()
                .chain(unmeasured)
                .max_by(by_bound);
            for times in times.chunks(POSES_PER_BATCH) {
                for pose in animation.poses(&self.skeleton, times).chunks(joints) {
                    let global = self.skeleton.global_matrices(pose);
                    largest_scale = global
                        .iter()
                        .map(|matrix| longest_axis(*matrix))
                        .fold(largest_scale, f32::max);
                    let distances = deviations
                        .iter()
                        .take(count)
                        .map(|vertex| vertex.distance(&global));
                    largest = distances
                        .filter(|distance| distance.is_finite())
                        .fold(largest, f32::max);
                }
            }
        }
        // Vertices and keys above the maximum number are not measured, so their bound is stated.
        if let Some(bound) = unmeasured
            .map(|vertex| vertex.bound() * largest_scale)
            .filter(|bound| bound.is_finite())
        {
            largest = largest.max(bound);
        }
        let transform = self.transform.unwrap_or(Mat4::IDENTITY);
        let error = largest * longest_axis(transform);
        let size = longest_axis(transform) * self.meshes.iter().map(Mesh::size).fold(0.0, f32::max);
        (error > TOLERANCE * size).then(|| {
            let message = format!(
                "{format} stores a single pose; vertices with several joints deviate in animations"
            );
            Loss::quantized("animations", message, Quantity::POSITIONS, error).with_mesh_size(size)
        })
    }
}

/// Returns the times and the middles between them, where poses between keys differ most from those of the keys.
fn with_midpoints(times: &[f32]) -> Vec<f32> {
    let middles = times
        .windows(2)
        .map(|pair| pair[0] + (pair[1] - pair[0]) / 2.0);
    times.iter().copied().chain(middles).collect()
}

/// The changes that make the bind pose equal to the rest pose.
struct Rebinding {
    /// The new inverse bind matrix of each joint; `None` if it is unchanged.
    inverse_binds: Vec<Option<Mat4>>,
    /// For each joint, whether any of its vertices moves to the rest pose differently from the rebound joint.
    is_deviating: Vec<bool>,
}

/// How the vertices of a joint move to the rest pose.
#[derive(Clone, Copy)]
struct JointMotion {
    /// The motion of the first vertex.
    first: Option<Mat4>,
    /// Whether all vertices move like the first.
    is_uniform: bool,
    /// Whether all vertices move like the joint.
    is_rigid: bool,
}

impl Rebinding {
    fn new(
        scene: &Scene,
        skinning: &Skinning,
        global: &[Mat4],
        free: impl Fn(&Joint) -> bool,
    ) -> Rebinding {
        let mut motions = vec![
            JointMotion {
                first: None,
                is_uniform: true,
                is_rigid: true
            };
            global.len()
        ];
        for mesh in &scene.meshes {
            for vertex in 0..mesh.positions.len() {
                let Some(matrix) = skinning.blend(&mesh.skins, vertex) else {
                    continue;
                };
                for (joint, _) in joint_weights(&mesh.skins, vertex) {
                    let Some(motion) = motions.get_mut(joint) else {
                        continue;
                    };
                    let first = *motion.first.get_or_insert(matrix);
                    motion.is_uniform &= skinning.are_equivalent(matrix, first);
                    motion.is_rigid &= skinning.are_equivalent(matrix, skinning.matrices[joint]);
                }
            }
        }
        let mut rebinding = Rebinding {
            inverse_binds: Vec::new(),
            is_deviating: Vec::new(),
        };
        for ((joint, motion), (matrix, global)) in scene
            .skeleton
            .joints
            .iter()
            .zip(motions)
            .zip(skinning.matrices.iter().zip(global))
        {
            let exact = motion.first.filter(|first| {
                motion.is_uniform && !motion.is_rigid && free(joint) && first.inverse().is_finite()
            });
            let matrix = exact.unwrap_or(*matrix);
            let inverse_bind = exact.map_or_else(
                || global.inverse(),
                |exact| joint.inverse_bind * exact.inverse(),
            );
            rebinding
                .inverse_binds
                .push((!skinning.is_negligible(matrix)).then_some(inverse_bind));
            rebinding
                .is_deviating
                .push(!motion.is_rigid && exact.is_none());
        }
        rebinding
    }

    /// Moves the vertices and rebinds the joints. Returns the number of moved vertices, and the deviations of vertices
    /// in poses other than the rest pose.
    fn apply(&self, scene: &mut Scene, skinning: &Skinning) -> (usize, Vec<VertexDeviation>) {
        let (mut moved, mut deviations) = (0, Vec::new());
        let joints = &scene.skeleton.joints;
        for mesh in &mut scene.meshes {
            for vertex in 0..mesh.positions.len() {
                let Some(matrix) = skinning.blend(&mesh.skins, vertex) else {
                    continue;
                };
                let before = Vec3::from(mesh.positions[vertex]);
                if !skinning.is_negligible(matrix) {
                    mesh.transform_vertex(vertex, matrix);
                    moved += 1;
                }
                let is_deviating =
                    |(joint, _)| self.is_deviating.get(joint).is_some_and(|flag| *flag);
                if joint_weights(&mesh.skins, vertex).any(is_deviating) {
                    let after = Vec3::from(mesh.positions[vertex]);
                    deviations.push(VertexDeviation::new(
                        joint_weights(&mesh.skins, vertex),
                        |joint| {
                            let old = joints.get(joint)?.inverse_bind;
                            let new = self.inverse_binds[joint].unwrap_or(old);
                            Some(new.transform_point3(after) - old.transform_point3(before))
                        },
                    ));
                }
            }
        }
        for (joint, inverse_bind) in scene.skeleton.joints.iter_mut().zip(&self.inverse_binds) {
            joint.inverse_bind = inverse_bind.unwrap_or(joint.inverse_bind);
        }
        (moved, deviations)
    }

    fn to_loss(&self, scene: &Scene, format: &str, moved: usize) -> Option<Loss> {
        let rebound = self.inverse_binds.iter().flatten().count();
        let (what, count, of, items) = match moved {
            0 => (
                "joints were rebound in the rest pose",
                rebound,
                self.inverse_binds.len(),
                "joints",
            ),
            _ => {
                let vertices = scene.meshes.iter().map(|mesh| mesh.positions.len()).sum();
                (
                    "vertices were moved to the rest pose and rebound",
                    moved,
                    vertices,
                    "vertices",
                )
            }
        };
        let message = format!("{format} stores a single pose; {what}");
        (count > 0)
            .then(|| Loss::changed("skeleton.joints.rest", message).with_count_of(count, of, items))
    }
}

fn by_bound(a: &&VertexDeviation, b: &&VertexDeviation) -> Ordering {
    a.bound().total_cmp(&b.bound())
}

/// For each joint of a vertex, the weighted deviation of the vertex in joint space.
struct VertexDeviation(Vec<(usize, Vec3)>);

impl VertexDeviation {
    fn new(
        weights: impl Iterator<Item = (usize, f32)>,
        offset: impl Fn(usize) -> Option<Vec3>,
    ) -> Self {
        let mut sum = 0.0;
        let mut offsets = Vec::new();
        for (joint, weight) in weights {
            if let Some(offset) = offset(joint) {
                sum += weight;
                offsets.push((joint, offset * weight));
            }
        }
        offsets.iter_mut().for_each(|(_, offset)| *offset /= sum);
        VertexDeviation(offsets)
    }

    /// Returns an upper bound of [`distance`](VertexDeviation::distance) for poses without scale.
    fn bound(&self) -> f32 {
        self.0.iter().map(|(_, offset)| offset.length()).sum()
    }

    /// Returns the distance between the exact and the rebound vertex. `global` contains the matrices from joint to
    /// model space.
    fn distance(&self, global: &[Mat4]) -> f32 {
        let moved = self
            .0
            .iter()
            .filter_map(|(joint, offset)| Some(global.get(*joint)?.transform_vector3(*offset)));
        moved.fold(Vec3::ZERO, |sum, offset| sum + offset).length()
    }
}
