//! Measures how far vertices move if joints lose the shear of the bind pose.

use glam::{Mat4, Vec3};

use super::pose::{Skinning, longest_axis};
use super::{Mesh, Scene};
use crate::{Loss, Quantity};

impl Scene {
    /// States the rest pose of all joints if vertices move where the bind pose loses its shear. Readers of formats
    /// without shear call this function, since an omitted rest pose equals the bind pose.
    pub(crate) fn keep_rest_without_shear(&mut self) {
        if self.bind_shear_loss("").is_none() {
            return;
        }
        let rest_pose = self.skeleton.rest_pose();
        for (joint, rest) in self.skeleton.joints.iter_mut().zip(rest_pose) {
            joint.rest = Some(rest);
        }
    }

    /// Returns a loss if vertices move where joints get the rest transforms of a format without shear.
    pub(crate) fn bind_shear_loss(&self, format: &str) -> Option<Loss> {
        // Other rest poses have no shear.
        if self
            .skeleton
            .joints
            .iter()
            .any(|joint| joint.rest.is_some())
        {
            return None;
        }
        let mut skinning = Skinning::new(
            self,
            &self.skeleton.global_matrices(&self.skeleton.rest_pose()),
        );
        // A singular inverse bind matrix has no bind pose, so neither its joint nor the joints below have shear to lose.
        let joints = &self.skeleton.joints;
        for (joint, matrix) in skinning.matrices.iter_mut().enumerate() {
            let mut chain = std::iter::successors(Some(joint), |joint| joints.get(*joint)?.parent);
            // A malformed skeleton may have cycles.
            let mut chain = chain.by_ref().take(joints.len());
            let is_singular = |joint: usize| {
                let joint = joints.get(joint);
                joint.is_some_and(|joint| !joint.inverse_bind.inverse().is_finite())
            };
            if chain.any(is_singular) {
                *matrix = Mat4::IDENTITY;
            }
        }
        if skinning.is_identity() {
            return None;
        }
        let mut largest = 0.0_f32;
        for mesh in &self.meshes {
            for (vertex, position) in mesh.positions.iter().enumerate() {
                let Some(matrix) = skinning.blend(&mesh.skins, vertex) else {
                    continue;
                };
                if !skinning.is_negligible(matrix) {
                    let position = Vec3::from(*position);
                    largest = largest.max(matrix.transform_point3(position).distance(position));
                }
            }
        }
        let scale = longest_axis(self.transform.unwrap_or(Mat4::IDENTITY));
        let size = scale * self.meshes.iter().map(Mesh::size).fold(0.0, f32::max);
        let message = format!("{format} has no joint shear; dropping it moves vertices");
        let error = (scale * largest).next_up();
        let loss = Loss::quantized("skeleton.joints.scale", message, Quantity::POSITIONS, error);
        (largest > 0.0).then(|| loss.with_mesh_size(size))
    }
}
