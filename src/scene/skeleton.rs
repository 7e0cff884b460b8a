//! Skeletons, and transforms of joints.

use glam::{Mat3, Mat4, Quat, Vec3};

use super::Extras;

/// A forest of joints.
///
/// ```
/// use meshspec::scene::{Joint, Skeleton, Transform};
///
/// let up = Transform { translation: [0.0, 1.0, 0.0], ..Transform::default() };
/// let tip = Joint { name: "tip".to_owned(), parent: Some(0), rest: Some(up), ..Joint::default() };
/// let skeleton = Skeleton { joints: vec![Joint { rest: Some(up), ..Joint::default() }, tip] };
/// let rest = [0, 1].map(|joint| skeleton.rest_transform(joint));
/// let in_model_space = Transform::from_matrix(skeleton.global_matrices(&rest)[1]);
/// assert_eq!(in_model_space.translation, [0.0, 2.0, 0.0]);
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Skeleton {
    /// The joints, in any order: a parent may follow its children.
    pub joints: Vec<Joint>,
}

/// One joint.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Joint {
    /// The name; empty for an unnamed joint.
    pub name: String,
    /// The index of the parent; `None` for a root.
    pub parent: Option<usize>,
    /// The transform from model space to joint space in the bind pose.
    pub inverse_bind: Mat4,
    /// The rest transform relative to the parent, used while no animation plays. `None` to rest in the bind pose.
    pub rest: Option<Transform>,
    /// Application-specific data.
    pub extras: Extras,
}

/// A transform that applies scale, then rotation, then translation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Transform {
    /// Translation (X, Y, Z).
    pub translation: [f32; 3],
    /// Rotation quaternion (X, Y, Z, W).
    pub rotation: [f32; 4],
    /// Scale factors along the axes (X, Y, Z).
    pub scale: [f32; 3],
}

impl Default for Transform {
    /// Returns the identity.
    fn default() -> Transform {
        Transform {
            translation: [0.0; 3],
            rotation: [0.0, 0.0, 0.0, 1.0],
            scale: [1.0; 3],
        }
    }
}

impl Transform {
    /// Converts the transform to a matrix for column vectors.
    ///
    /// ```
    /// use glam::Vec3;
    /// use meshspec::scene::Transform;
    ///
    /// let transform = Transform { translation: [1.0, 0.0, 0.0], scale: [2.0; 3], ..Transform::default() };
    /// let matrix = transform.to_matrix();
    /// assert_eq!(matrix.transform_point3(Vec3::Y), Vec3::new(1.0, 2.0, 0.0));
    /// assert_eq!(Transform::from_matrix(matrix), transform);
    /// ```
    pub fn to_matrix(&self) -> Mat4 {
        let rotation = Quat::from_array(self.rotation);
        // Packed quaternions have unit length only approximately.
        let rotation = if rotation.length_squared() > 0.0 {
            rotation.normalize()
        } else {
            Quat::IDENTITY
        };
        Mat4::from_scale_rotation_translation(self.scale.into(), rotation, self.translation.into())
    }

    /// Approximates a matrix by a transform. Drops shear and projection; returns the identity for non-finite matrices.
    pub fn from_matrix(matrix: Mat4) -> Transform {
        if !matrix.is_finite() {
            return Transform::default();
        }
        let (scale, rotation, translation) = matrix.to_scale_rotation_translation();
        let translation = translation.into();
        if scale.is_finite() && rotation.is_finite() && !scale.cmpeq(Vec3::ZERO).any() {
            return Transform {
                translation,
                rotation: rotation.normalize().to_array(),
                scale: scale.into(),
            };
        }
        // A column is zero, or its squared length overflows. Derives the directions of zero columns from the others.
        let axes = Mat3::from_mat4(matrix);
        let axes = [axes.x_axis, axes.y_axis, axes.z_axis].map(Vec3::as_dvec3);
        let scale = axes.map(|axis| axis.length().min(f32::MAX.into()) as f32);
        let [x, y, z] = axes.map(|axis| axis.normalize_or_zero().as_vec3());
        let perpendicular = |axis: Vec3| {
            axis.try_normalize()
                .map(|axis| axis.any_orthonormal_vector())
        };
        let x = x
            .try_normalize()
            .or_else(|| y.cross(z).try_normalize())
            .or_else(|| perpendicular(y + z));
        let x = x.unwrap_or(Vec3::X);
        // Drops the shear of y towards x.
        let y = (y - x * x.dot(y))
            .try_normalize()
            .or_else(|| z.cross(x).try_normalize());
        let y = y.unwrap_or_else(|| x.any_orthonormal_vector());
        let rotation = Quat::from_mat3(&Mat3::from_cols(x, y, x.cross(y)));
        Transform {
            translation,
            rotation: rotation.to_array(),
            scale,
        }
    }
}

impl Skeleton {
    /// Returns the rest transform of a joint relative to its parent; the bind transform if it has none.
    pub fn rest_transform(&self, joint: usize) -> Transform {
        self.joints
            .get(joint)
            .and_then(|joint| joint.rest)
            .unwrap_or_else(|| self.bind_transform(joint))
    }

    /// Returns the bind transform of a joint relative to its parent; the identity if there is no such joint.
    pub fn bind_transform(&self, joint: usize) -> Transform {
        let Some(child) = self.joints.get(joint) else {
            return Transform::default();
        };
        let parent = child.parent.and_then(|parent| self.joints.get(parent));
        let to_parent = parent.map_or(Mat4::IDENTITY, |parent| parent.inverse_bind);
        Transform::from_matrix(to_parent * child.inverse_bind.inverse())
    }

    /// Returns the matrix from joint space to model space for each joint. `local` is the pose: one transform per joint,
    /// relative to its parent.
    pub fn global_matrices(&self, local: &[Transform]) -> Vec<Mat4> {
        let mut global: Vec<Option<Mat4>> = vec![None; self.joints.len()];
        for joint in self.parents_first() {
            let own = local
                .get(joint)
                .map_or(Mat4::IDENTITY, Transform::to_matrix);
            let parent = self.joints[joint]
                .parent
                .and_then(|parent| *global.get(parent)?);
            global[joint] = Some(parent.unwrap_or(Mat4::IDENTITY) * own);
        }
        global
            .into_iter()
            .map(|matrix| matrix.unwrap_or(Mat4::IDENTITY))
            .collect()
    }

    /// Returns the joint indices, parents before their children. Omits joints whose ancestors do not end at a root, as
    /// in cycles.
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
