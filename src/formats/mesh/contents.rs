//! Converts documents to [`Contents`].

use glam::{DMat4, DQuat, DVec3};

use super::schema::{self, NO_JOINT, Pose};
use super::{Animation, Columns, Document, Joint};
use crate::contents::{
    self, Array, Contents, Keys, Mesh, Numbers, PoseBudget, Skeleton, SkinnedPositions,
    sampled_frames,
};

pub(super) fn contents(document: &Document) -> Contents<'static> {
    let Document {
        root_transform,
        vertices,
        indices,
        joints,
        animations,
        ..
    } = document;
    let columns = vertices.to_columns();
    let poses = Rig::new(joints)
        .and_then(|rig| rig.poses(document, &columns))
        .unwrap_or_default();
    let mut mesh = Mesh::new(vertices.len());
    for (attribute, array) in columns.into_arrays() {
        let name = match attribute {
            "uv" => "uv_0",
            "joint_ids" => "joints",
            "joint_weights" => "weights",
            name => name,
        };
        mesh.add_attribute(name, array);
    }
    mesh.indices = Some(Numbers::U32(indices.clone()).into());
    Contents {
        root_transform: root_transform.map(Array::from_matrix),
        meshes: vec![mesh],
        skeleton: (!joints.is_empty()).then(|| to_skeleton(joints)),
        animations: animations
            .iter()
            .map(|animation| to_animation(document, animation))
            .collect(),
        poses,
        ..Contents::new(schema::NAME, document.dialect)
    }
}

fn to_skeleton(joints: &[Joint]) -> Skeleton {
    let parent = |joint: &Joint| {
        if joint.parent == NO_JOINT {
            -1
        } else {
            joint.parent.into()
        }
    };
    let rows = joints.iter().flat_map(|joint| joint.transform).collect();
    let inverse_bind = Array {
        shape: vec![joints.len(), 4, 4],
        ..Array::from_rows::<f32, 4>(rows)
    };
    Skeleton {
        ids: Some(Numbers::U8(joints.iter().map(|joint| joint.id).collect()).into()),
        inverse_bind: Some(inverse_bind),
        ..Skeleton::new(joints.iter().map(parent).collect())
    }
}

fn to_animation(document: &Document, animation: &Animation) -> contents::Animation {
    let frames = animation.timestamps.len();
    let poses: Option<Vec<_>> = (0..frames)
        .map(|frame| document.skeleton_pose(animation, frame))
        .collect();
    let poses = poses.unwrap_or_default();
    // Sorted by joint, then frame.
    let joints = 0..document.joints.len();
    let key_frames: Vec<_> = joints.clone().flat_map(|_| 0..poses.len() as u32).collect();
    let keys = || {
        joints
            .clone()
            .flat_map(|joint| poses.iter().filter_map(move |pose| pose.get(joint)))
    };
    let key_joints: Vec<_> = keys().map(|pose| pose.joint).collect();
    let to_keys = |values| Keys::new(key_joints.clone(), key_frames.clone(), values);
    contents::Animation {
        name: document.animation_name(animation),
        frames: frames as u64,
        times: Some(Numbers::F32(animation.timestamps.clone()).into()),
        duration: Some(Array::from_number(animation.duration)),
        rate: Some(Array::from_number(animation.speed)),
        translations: to_keys(Array::from_rows(keys().map(|pose| pose.position).collect())),
        rotations: to_keys(Array::from_rows(
            keys().map(|pose| xyzw(pose.rotation)).collect(),
        )),
        scales: to_keys(Array::from_rows(keys().map(|pose| pose.scale).collect())),
        ..contents::Animation::default()
    }
}

/// Moves the real part of a quaternion to the end.
fn xyzw([w, x, y, z]: [f32; 4]) -> [f32; 4] {
    [x, y, z, w]
}

/// The joints, prepared for skinning.
struct Rig {
    /// The joint indices, parents before children. Joints in a cycle have no such order; their poses are undefined.
    order: Vec<usize>,
    parents: Vec<Option<usize>>,
    inverse_bind: Vec<DMat4>,
}

/// Maximum deviation of a unit quaternion's length from 1, due to rounding.
const MAX_LENGTH_DEVIATION: f64 = 1e-5;

impl Rig {
    /// Returns `None` if there are no joints, or the ids are out of order, as parents may then be ids or indices (M10).
    fn new(joints: &[Joint]) -> Option<Rig> {
        let is_ordered = joints
            .iter()
            .enumerate()
            .all(|(index, joint)| usize::from(joint.id) == index);
        if joints.is_empty() || !is_ordered {
            return None;
        }
        let parents: Vec<_> = joints.iter().map(Joint::parent_entry).collect();
        let depth = |joint: usize| {
            let path =
                std::iter::successors(Some(joint), |joint| parents.get(*joint).copied().flatten());
            path.take(joints.len() + 1).count()
        };
        let mut order: Vec<_> = (0..joints.len())
            .map(|joint| (depth(joint), joint))
            .collect();
        order.sort_unstable();
        let order = order.into_iter().map(|(_, joint)| joint).collect();
        let rows = |joint: &Joint| {
            DMat4::from_cols_array_2d(&joint.transform.map(|row| row.map(f64::from)))
        };
        let inverse_bind = joints.iter().map(|joint| rows(joint).transpose()).collect();
        Some(Rig {
            order,
            parents,
            inverse_bind,
        })
    }

    /// Returns the poses of the [sampled](sampled_frames) frames of each animation, until the budget is spent. `None`
    /// if the vertices have no joints.
    fn poses(&self, document: &Document, columns: &Columns) -> Option<Vec<contents::Pose>> {
        let Columns {
            positions,
            joint_ids: Some(ids),
            joint_weights: Some(weights),
            ..
        } = columns
        else {
            return None;
        };
        let mut budget = PoseBudget::new(positions.len() + self.parents.len());
        let all = document
            .animations
            .iter()
            .enumerate()
            .flat_map(|(index, animation)| {
                let frames = sampled_frames(animation.timestamps.len() as u64).into_iter();
                frames.map(move |frame| (index, animation, frame))
            });
        let poses =
            all.take_while(|_| budget.take_pose())
                .filter_map(|(index, animation, frame)| {
                    let pose = document.skeleton_pose(animation, frame as usize)?;
                    let (matrices, max_term) = self.skinning_matrices(&pose);
                    let mut skinned = SkinnedPositions::default();
                    for ((position, ids), weights) in positions.iter().zip(ids).zip(weights) {
                        let matrix = blend_matrices(&matrices, *ids, *weights, &mut skinned);
                        skinned
                            .add_vertex(*position, matrix.map(|matrix| matrix.to_cols_array_2d()));
                    }
                    Some(contents::Pose {
                        animation: Some(index),
                        frame: Some(frame),
                        ..contents::Pose::at_rest(vec![skinned.into_array(max_term)])
                    })
                });
        Some(poses.collect())
    }

    /// Returns the skinning matrix of each joint in a pose; `None` if its transform is undefined. Also returns an upper
    /// bound of the translation coordinates, computed from the absolute values of all terms.
    fn skinning_matrices(&self, pose: &[Pose]) -> (Vec<Option<DMat4>>, f64) {
        let mut global: Vec<Option<DMat4>> = vec![None; pose.len()];
        for &joint in &self.order {
            let local = pose.get(joint).and_then(local_transform);
            global[joint] = match self.parents[joint] {
                None => local,
                Some(parent) => global
                    .get(parent)
                    .copied()
                    .flatten()
                    .zip(local)
                    .map(|(a, b)| a * b),
            };
        }
        let mut max_term = 0.0_f64;
        let matrices = global
            .into_iter()
            .zip(&self.inverse_bind)
            .map(|(global, inverse_bind)| {
                let global = global?;
                // Terms that cancel also contribute rounding errors, so absolute values are added.
                let [size, bind] = [global, *inverse_bind]
                    .map(|matrix| DMat4::from_cols_array(&matrix.to_cols_array().map(f64::abs)));
                max_term = max_term.max((size * bind).w_axis.max_element());
                Some(global * *inverse_bind)
            });
        (matrices.collect(), max_term)
    }
}

/// Returns the transform of a joint relative to its parent; `None` if the rotation is not a unit quaternion.
fn local_transform(pose: &Pose) -> Option<DMat4> {
    let rotation = DQuat::from_array(xyzw(pose.rotation).map(f64::from));
    let is_unit = (rotation.length() - 1.0).abs() <= MAX_LENGTH_DEVIATION;
    let [scale, translation] =
        [pose.scale, pose.position].map(|vector| DVec3::from(vector.map(f64::from)));
    is_unit
        .then(|| DMat4::from_scale_rotation_translation(scale, rotation.normalize(), translation))
}

/// Maximum deviation of a weight sum from 255, due to rounding.
const MAX_SUM_DEVIATION: i32 = 2;

/// Blends a vertex's joint matrices, and records the deviation of the weight sum from 255 in `skinned`. `None` if the
/// deviation is too large, or the matrix of a weighted joint is undefined.
fn blend_matrices(
    matrices: &[Option<DMat4>],
    ids: [u8; 4],
    weights: [u8; 4],
    skinned: &mut SkinnedPositions,
) -> Option<DMat4> {
    let sum: i32 = weights.iter().map(|weight| i32::from(*weight)).sum();
    let deviation = (sum - 255).abs();
    if deviation > MAX_SUM_DEVIATION {
        return None;
    }
    skinned.allow_deviation(f64::from(deviation) / 255.0);
    let mut blended = DMat4::ZERO;
    for (id, weight) in ids
        .into_iter()
        .zip(weights)
        .filter(|(_, weight)| *weight > 0)
    {
        blended += matrices.get(usize::from(id)).copied().flatten()?
            * (f64::from(weight) / f64::from(sum));
    }
    Some(blended)
}
