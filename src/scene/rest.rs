//! Rebinds vertices to joints in the rest pose, for formats with a single pose.

use glam::{Mat3, Mat4, Vec3};

use super::pose::{Skinning, weights};
use super::{Joint, Mesh, Scene};
use crate::{Loss, Quantity};

/// The smallest scale of a joint at rest, as a fraction of its scale in the bind pose.
const NO_SIZE: f32 = 1e-6;

/// The rounding error of a distance, as a fraction of the size of the mesh.
const SAME: f32 = 1e-5;

/// The maximum number of matrix products per animation when measuring a deviation.
const MAX_PRODUCTS: usize = 1 << 22;

/// The number of poses in memory at a time.
const TIMES: usize = 64;

impl Scene {
    /// Drops the skeleton and moves vertices to the rest pose if `count`, the number of joints that the format needs,
    /// exceeds `max`.
    pub(crate) fn limit_joints(&mut self, count: usize, max: usize, format: &str) -> Option<Loss> {
        if count <= max {
            return None;
        }
        self.pose_at_rest();
        self.skeleton.joints.clear();
        self.animations.clear();
        self.meshes.iter_mut().for_each(|mesh| mesh.skins.clear());
        let message = format!(
            "{format} has at most {max} joints: vertices moved to the rest pose, joints and animations dropped"
        );
        Some(Loss::dropped("skeleton.joints", message).counting(count, "joints"))
    }

    /// Rebinds vertices to joints in the rest pose, for formats with a single pose. Does nothing if bind pose and rest
    /// pose agree.
    ///
    /// Animations are unchanged, since keys are relative to parents. Vertices of several joints that move differently
    /// deviate in animations; the deviation is measured and listed. Joints for which `free` returns `true` may be bound
    /// in another pose if the result is exact.
    #[doc(hidden)]
    pub fn bind_at_rest(&mut self, format: &str, free: impl Fn(&Joint) -> bool) -> Vec<Loss> {
        let mut losses = Vec::new();
        if self.skeleton.joints.iter().all(|joint| joint.rest.is_none()) {
            return losses;
        }
        losses.extend(self.give_joints_a_size(format));
        let global = self.skeleton.to_model(&self.skeleton.rest_pose());
        if !global.iter().all(|matrix| matrix.inverse().is_finite()) {
            self.set_rest(None);
            let message =
                format!("{format} has no rest pose, and this one has no inverse: the bind pose kept");
            losses.push(Loss::changed("skeleton.joints.rest", message));
            return losses;
        }
        let skinning = Skinning::new(self, &global);
        if skinning.is_still() {
            return losses;
        }
        let rebinding = Rebinding::new(self, &skinning, &global, free);
        let (moved, bends) = rebinding.apply(self, &skinning);
        losses.extend(rebinding.report(self, format, moved));
        losses.extend(self.deviation(bends, format));
        losses
    }

    /// Gives joints with a scale of 0 at rest the scale of the bind pose. Otherwise their vertices would coincide.
    fn give_joints_a_size(&mut self, format: &str) -> Option<Loss> {
        let mut rest = self.skeleton.rest_pose();
        let mut count = 0;
        for (joint, transform) in rest.iter_mut().enumerate() {
            let bind = self.skeleton.bind(joint);
            let mut given = false;
            for (factor, bound) in transform.scale.iter_mut().zip(bind.scale) {
                if factor.abs() <= NO_SIZE * bound.abs() {
                    (*factor, given) = (if bound == 0.0 { 1.0 } else { bound }, true);
                }
            }
            count += usize::from(given);
        }
        if count == 0 {
            return None;
        }
        self.set_rest(Some(&rest));
        let message =
            format!("{format} has no rest pose: joints with a scale of 0 at rest get that of the bind pose");
        let joints = self.skeleton.joints.len();
        Some(Loss::changed("skeleton.joints.rest", message).affecting(count, joints, "joints"))
    }

    /// Returns a loss with the largest deviation, in metres, of vertices with several joints in animations. `None` if it
    /// does not exceed rounding.
    fn deviation(&self, mut bends: Vec<Bend>, format: &str) -> Option<Loss> {
        bends.sort_by(|a, b| b.bound().total_cmp(&a.bound()));
        let mut most = 0.0_f32;
        for animation in &self.animations {
            let joints = self.skeleton.joints.len();
            let times = animation.all_times();
            let step = (times.len() * joints).div_ceil(MAX_PRODUCTS).max(1);
            let times: Vec<f32> = times.into_iter().step_by(step).collect();
            let count = MAX_PRODUCTS / times.len().max(1);
            for times in times.chunks(TIMES) {
                for pose in animation.poses(&self.skeleton, times).chunks(joints) {
                    let global = self.skeleton.to_model(pose);
                    let distances = bends.iter().take(count).map(|bend| bend.distance(&global));
                    most = distances.filter(|distance| distance.is_finite()).fold(most, f32::max);
                }
            }
        }
        let transform = self.transform.unwrap_or(Mat4::IDENTITY);
        let error = most * longest_axis(transform);
        let size = longest_axis(transform) * self.meshes.iter().map(Mesh::size).fold(0.0, f32::max);
        (error > SAME * size).then(|| {
            let message = format!(
                "{format} has a single pose: vertices weighted to several joints deviate in animations"
            );
            Loss::quantised("animations", message, Quantity::POSITIONS, error).of_size(size)
        })
    }
}

fn longest_axis(matrix: Mat4) -> f32 {
    let axes = Mat3::from_mat4(matrix);
    [axes.x_axis, axes.y_axis, axes.z_axis].map(Vec3::length).into_iter().fold(0.0, f32::max)
}

/// The new bind pose.
struct Rebinding {
    /// The new inverse bind matrix of each joint; `None` if it is unchanged.
    inverse_binds: Vec<Option<Mat4>>,
    /// Whether some vertices of a joint move to the rest pose differently from the joint.
    bent: Vec<bool>,
}

/// The movement of the vertices of a joint to the rest pose.
#[derive(Clone, Copy)]
struct Moves {
    first: Option<Mat4>,
    /// Whether all vertices move alike.
    alike: bool,
    /// Whether all vertices move with the joint.
    rigid: bool,
}

impl Rebinding {
    fn new(scene: &Scene, skinning: &Skinning, global: &[Mat4], free: impl Fn(&Joint) -> bool) -> Rebinding {
        let mut moves = vec![Moves { first: None, alike: true, rigid: true }; global.len()];
        for mesh in &scene.meshes {
            for vertex in 0..mesh.positions.len() {
                let Some(matrix) = skinning.blend(&mesh.skins, vertex) else { continue };
                for (joint, _) in weights(&mesh.skins, vertex) {
                    let Some(moves) = moves.get_mut(joint) else { continue };
                    let first = *moves.first.get_or_insert(matrix);
                    moves.alike &= skinning.agree(matrix, first);
                    moves.rigid &= skinning.agree(matrix, skinning.matrices[joint]);
                }
            }
        }
        let mut rebinding = Rebinding { inverse_binds: Vec::new(), bent: Vec::new() };
        for ((joint, moves), (own, global)) in
            scene.skeleton.joints.iter().zip(moves).zip(skinning.matrices.iter().zip(global))
        {
            let exact = moves
                .first
                .filter(|first| moves.alike && !moves.rigid && free(joint) && first.inverse().is_finite());
            let moved = exact.unwrap_or(*own);
            let inverse_bind = match exact {
                Some(moved) => joint.inverse_bind * moved.inverse(),
                None => global.inverse(),
            };
            rebinding.inverse_binds.push((!skinning.keeps(moved)).then_some(inverse_bind));
            rebinding.bent.push(!moves.rigid && exact.is_none());
        }
        rebinding
    }

    /// Moves the vertices and binds the joints. Returns the number of moved vertices, and the vertices that deviate in
    /// other poses.
    fn apply(&self, scene: &mut Scene, skinning: &Skinning) -> (usize, Vec<Bend>) {
        let (mut moved, mut bends) = (0, Vec::new());
        let joints = &scene.skeleton.joints;
        for mesh in &mut scene.meshes {
            for vertex in 0..mesh.positions.len() {
                let Some(matrix) = skinning.blend(&mesh.skins, vertex) else { continue };
                let before = Vec3::from(mesh.positions[vertex]);
                if !skinning.keeps(matrix) {
                    mesh.place_vertex(vertex, matrix);
                    moved += 1;
                }
                let bent = |(joint, _)| self.bent.get(joint).is_some_and(|bent| *bent);
                if weights(&mesh.skins, vertex).any(bent) {
                    let after = Vec3::from(mesh.positions[vertex]);
                    bends.push(Bend::new(weights(&mesh.skins, vertex), |joint| {
                        let old = joints.get(joint)?.inverse_bind;
                        let new = self.inverse_binds[joint].unwrap_or(old);
                        Some(new.transform_point3(after) - old.transform_point3(before))
                    }));
                }
            }
        }
        for (joint, inverse_bind) in scene.skeleton.joints.iter_mut().zip(&self.inverse_binds) {
            joint.inverse_bind = inverse_bind.unwrap_or(joint.inverse_bind);
        }
        (moved, bends)
    }

    fn report(&self, scene: &Scene, format: &str, moved: usize) -> Option<Loss> {
        let rebound = self.inverse_binds.iter().flatten().count();
        let (what, count, of, items) = match moved {
            0 => ("joints rebound where they rest", rebound, self.inverse_binds.len(), "joints"),
            _ => {
                let vertices = scene.meshes.iter().map(|mesh| mesh.positions.len()).sum();
                ("vertices moved to the rest pose and rebound there", moved, vertices, "vertices")
            }
        };
        let message = format!("{format} has a single pose: {what}");
        (count > 0).then(|| Loss::changed("skeleton.joints.rest", message).affecting(count, of, items))
    }
}

/// The weighted deviation of a vertex in the space of each of its joints.
struct Bend(Vec<(usize, Vec3)>);

impl Bend {
    fn new(weights: impl Iterator<Item = (usize, f32)>, offset: impl Fn(usize) -> Option<Vec3>) -> Bend {
        let mut sum = 0.0;
        let mut offsets = Vec::new();
        for (joint, weight) in weights {
            if let Some(offset) = offset(joint) {
                sum += weight;
                offsets.push((joint, offset * weight));
            }
        }
        offsets.iter_mut().for_each(|(_, offset)| *offset /= sum);
        Bend(offsets)
    }

    /// Returns an upper bound of the distance if no joint is scaled.
    fn bound(&self) -> f32 {
        self.0.iter().map(|(_, offset)| offset.length()).sum()
    }

    /// Returns the distance for these transforms from joint space to model space.
    fn distance(&self, global: &[Mat4]) -> f32 {
        let moved =
            self.0.iter().filter_map(|(joint, offset)| Some(global.get(*joint)?.transform_vector3(*offset)));
        moved.fold(Vec3::ZERO, |sum, offset| sum + offset).length()
    }
}
