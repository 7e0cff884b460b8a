//! Skinned vertices where the joints take them, for formats without a skeleton.

use glam::{Mat3, Mat4, Vec3};

use super::{Mesh, Scene, Skin, Transform, Weights};

/// How far a matrix may be from the identity and move nothing, as a part of the coordinates.
const SAME: f32 = 1e-5;

impl Scene {
    /// Moves skinned vertices to where they are at rest: what is shown while no animation plays. Returns how many moved.
    pub(crate) fn pose_at_rest(&mut self) -> usize {
        // Joints without a rest are where they are bound.
        if self.skeleton.joints.iter().all(|joint| joint.rest.is_none()) {
            return 0;
        }
        let rest: Vec<_> = (0..self.skeleton.joints.len()).map(|joint| self.skeleton.rest(joint)).collect();
        self.pose(&rest)
    }

    /// Lets the joints rest in this pose, given by their transforms relative to their parents; without one, in the bind pose.
    /// Formats without a skeleton show the vertices there.
    pub fn set_rest(&mut self, local: Option<&[Transform]>) {
        for (index, joint) in self.skeleton.joints.iter_mut().enumerate() {
            joint.rest = local.and_then(|local| local.get(index).copied());
        }
    }

    /// Moves skinned vertices to where these transforms of the joints, relative to their parents, take them. The skeleton
    /// stays bound as it was. Returns how many moved.
    pub fn pose(&mut self, local: &[Transform]) -> usize {
        let global = self.skeleton.to_model(local);
        let matrices = self.skinning(&global);
        let still = |(matrix, global): (&Mat4, &Mat4)| {
            let far = 1.0 + global.w_axis.truncate().abs().max_element();
            matrix.abs_diff_eq(Mat4::IDENTITY, SAME * far)
        };
        if matrices.iter().zip(&global).all(still) {
            return 0;
        }
        self.meshes.iter_mut().map(|mesh| mesh.pose(&matrices)).sum()
    }

    /// Visits each vertex where it is at rest.
    pub(super) fn for_each_at_rest(&self, mut visit: impl FnMut(Vec3)) {
        let rest: Vec<_> = (0..self.skeleton.joints.len()).map(|joint| self.skeleton.rest(joint)).collect();
        let matrices = self.skinning(&self.skeleton.to_model(&rest));
        for mesh in &self.meshes {
            for (vertex, position) in mesh.positions.iter().map(|position| Vec3::from(*position)).enumerate()
            {
                let matrix = blend(&mesh.skins, vertex, &matrices);
                visit(matrix.map_or(position, |matrix| matrix.transform_point3(position)));
            }
        }
    }

    /// What takes vertices from the bind pose to where the joints are, for these transforms to model space.
    fn skinning(&self, global: &[Mat4]) -> Vec<Mat4> {
        let matrices = global.iter().zip(&self.skeleton.joints);
        let matrices = matrices.map(|(global, joint)| *global * joint.inverse_bind);
        matrices.map(|matrix| if matrix.is_finite() { matrix } else { Mat4::IDENTITY }).collect()
    }
}

impl Mesh {
    /// Linear blend skinning. Vertices without joints stay.
    fn pose(&mut self, matrices: &[Mat4]) -> usize {
        let mut moved = 0;
        for vertex in 0..self.positions.len() {
            let Some(matrix) = blend(&self.skins, vertex, matrices) else { continue };
            moved += 1;
            self.positions[vertex] = matrix.transform_point3(Vec3::from(self.positions[vertex])).into();
            let turn = Mat3::from_mat4(matrix);
            if let Some(normal) = self.normals.as_mut().and_then(|normals| normals.get_mut(vertex)) {
                let turned = turn.inverse().transpose() * Vec3::from(*normal);
                *normal = turned.try_normalize().unwrap_or(Vec3::from(*normal)).into();
            }
            if let Some(tangent) = self.tangents.as_mut().and_then(|tangents| tangents.get_mut(vertex)) {
                let [x, y, z, side] = *tangent;
                let own = Vec3::new(x, y, z);
                *tangent = (turn * own).try_normalize().unwrap_or(own).extend(side).into();
            }
        }
        moved
    }
}

/// The mean of the matrices of the joints of a vertex, by their weights; `None` if it has none.
fn blend(skins: &[Skin], vertex: usize, matrices: &[Mat4]) -> Option<Mat4> {
    let (mut sum, mut blended) = (0.0, Mat4::ZERO);
    for skin in skins {
        let weights = match &skin.weights {
            Weights::U8(values) => values.get(vertex)?.map(|weight| f32::from(weight) / 255.0),
            Weights::F32(values) => *values.get(vertex)?,
        };
        for (joint, weight) in skin.joints.get(vertex)?.iter().zip(weights) {
            let matrix = matrices.get(usize::from(*joint)).filter(|_| weight > 0.0 && weight.is_finite());
            if let Some(matrix) = matrix {
                sum += weight;
                blended += *matrix * weight;
            }
        }
    }
    (sum > 0.0).then(|| blended * (1.0 / sum))
}
