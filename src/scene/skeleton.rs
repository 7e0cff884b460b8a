//! The joints that vertices follow.

use glam::{Mat3, Mat4, Quat, Vec3};

use super::Extras;

/// A tree, or several, of joints.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Skeleton {
    /// The joints. A parent may stand behind its children.
    pub joints: Vec<Joint>,
}

/// One joint.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Joint {
    /// The name; empty for none.
    pub name: String,
    /// Index of the parent; `None` for a root.
    pub parent: Option<usize>,
    /// From model space, where the vertices are, to the space of the joint in the bind pose.
    pub inverse_bind: Mat4,
    /// Where the joint is, relative to its parent, while no animation moves it. `None`: where it is in the bind pose.
    pub rest: Option<Transform>,
    /// What has no other place.
    pub extras: Extras,
}

/// A scale, then a rotation, then a translation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Transform {
    /// Translation (X, Y, Z).
    pub translation: [f32; 3],
    /// Rotation quaternion (X, Y, Z, W).
    pub rotation: [f32; 4],
    /// Factors along the axes (X, Y, Z).
    pub scale: [f32; 3],
}

impl Default for Transform {
    /// The identity.
    fn default() -> Transform {
        Transform { translation: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0], scale: [1.0; 3] }
    }
}

impl Transform {
    /// The transform as a matrix for column vectors.
    pub fn to_matrix(&self) -> Mat4 {
        let rotation = Quat::from_array(self.rotation);
        // Quaternions of files are of length 1 only as far as their packed forms allow.
        let rotation = if rotation.length_squared() > 0.0 { rotation.normalize() } else { Quat::IDENTITY };
        Mat4::from_scale_rotation_translation(self.scale.into(), rotation, self.translation.into())
    }

    /// The transform that is nearest to a matrix; exact unless it shears or projects.
    pub fn from_matrix(matrix: Mat4) -> Transform {
        if !matrix.is_finite() {
            return Transform::default();
        }
        let (scale, rotation, translation) = matrix.to_scale_rotation_translation();
        let translation = translation.into();
        if scale.is_finite() && rotation.is_finite() && !scale.cmpeq(Vec3::ZERO).any() {
            return Transform { translation, rotation: rotation.normalize().to_array(), scale: scale.into() };
        }
        // Flat, or so long that its square is infinite: the directions that have no length follow from the others.
        let axes = Mat3::from_mat4(matrix);
        let axes = [axes.x_axis, axes.y_axis, axes.z_axis].map(Vec3::as_dvec3);
        let scale = axes.map(|axis| axis.length().min(f32::MAX.into()) as f32);
        let [x, y, z] = axes.map(|axis| axis.normalize_or_zero().as_vec3());
        let beside = |axis: Vec3| axis.try_normalize().map(|axis| axis.any_orthonormal_vector());
        let x = x.try_normalize().or_else(|| y.cross(z).try_normalize()).or_else(|| beside(y + z));
        let x = x.unwrap_or(Vec3::X);
        // What shears y towards x is lost.
        let y = (y - x * x.dot(y)).try_normalize().or_else(|| z.cross(x).try_normalize());
        let y = y.unwrap_or_else(|| x.any_orthonormal_vector());
        let rotation = Quat::from_mat3(&Mat3::from_cols(x, y, x.cross(y)));
        Transform { translation, rotation: rotation.to_array(), scale }
    }
}

impl Skeleton {
    /// Where a joint is relative to its parent while no animation moves it.
    pub fn rest(&self, joint: usize) -> Transform {
        self.joints.get(joint).and_then(|joint| joint.rest).unwrap_or_else(|| self.bind(joint))
    }

    /// Where a joint is relative to its parent in the bind pose.
    pub fn bind(&self, joint: usize) -> Transform {
        let Some(entry) = self.joints.get(joint) else { return Transform::default() };
        let parent = entry.parent.and_then(|parent| self.joints.get(parent));
        let to_parent = parent.map_or(Mat4::IDENTITY, |parent| parent.inverse_bind);
        Transform::from_matrix(to_parent * entry.inverse_bind.inverse())
    }

    /// From the space of each joint to model space, for these transforms relative to the parents, one per joint.
    pub fn to_model(&self, local: &[Transform]) -> Vec<Mat4> {
        let mut global: Vec<Option<Mat4>> = vec![None; self.joints.len()];
        for joint in self.parents_first() {
            let own = local.get(joint).map_or(Mat4::IDENTITY, Transform::to_matrix);
            let parent = self.joints[joint].parent.and_then(|parent| *global.get(parent)?);
            global[joint] = Some(parent.unwrap_or(Mat4::IDENTITY) * own);
        }
        global.into_iter().map(|matrix| matrix.unwrap_or(Mat4::IDENTITY)).collect()
    }

    /// The joints in an order in which parents stand before their children; those in cycles are left out.
    pub fn parents_first(&self) -> Vec<usize> {
        let count = self.joints.len();
        let mut children = vec![Vec::new(); count];
        let mut order = Vec::with_capacity(count);
        for (index, joint) in self.joints.iter().enumerate() {
            match joint.parent {
                Some(parent) if parent < count => children[parent].push(index),
                Some(_) => {}
                None => order.push(index),
            }
        }
        let mut next = 0;
        while let Some(&joint) = order.get(next) {
            order.append(&mut children[joint]);
            next += 1;
        }
        order
    }
}
