//! The contents of a document as plain numbers.

use glam::{DMat4, DQuat, DVec3};

use super::schema::{NO_JOINT, Pose};
use super::{Animation, Document, Joint};
use crate::FormatId;
use crate::contents::{
    self, Array, Budget, Contents, Keys, Mesh, Numbers, Skeleton, Skinned, sampled_frames,
};

pub(super) fn contents(document: &Document) -> Contents<'static> {
    let Document { root_transform, vertices, indices, joints, animations, .. } = document;
    let columns = vertices.to_columns();
    let poses = match (&columns.joint_ids, &columns.joint_weights, Rig::new(joints)) {
        (Some(ids), Some(weights), Some(rig)) => rig.poses(document, &columns.positions, ids, weights),
        _ => Vec::new(),
    };
    let mut mesh = Mesh::new(vertices.len());
    for (attribute, array) in columns.into_arrays() {
        let name = match attribute {
            "uv" => "uv_0",
            "joint_ids" => "joints",
            "joint_weights" => "weights",
            name => name,
        };
        mesh.add(name, array);
    }
    mesh.indices = Some(Numbers::U32(indices.clone()).into());
    Contents {
        root_transform: root_transform.map(Array::of_matrix),
        meshes: vec![mesh],
        skeleton: (!joints.is_empty()).then(|| skeleton(joints)),
        animations: animations.iter().map(|animation| self::animation(document, animation)).collect(),
        poses,
        ..Contents::new(FormatId::Mesh.name(), document.dialect)
    }
}

fn skeleton(joints: &[Joint]) -> Skeleton {
    let parent = |joint: &Joint| if joint.parent == NO_JOINT { -1 } else { joint.parent.into() };
    let rows = joints.iter().flat_map(|joint| joint.transform).collect();
    let inverse_bind = Array { shape: vec![joints.len(), 4, 4], ..Array::of_rows::<f32, 4>(rows) };
    Skeleton {
        ids: Some(Numbers::U8(joints.iter().map(|joint| joint.id).collect()).into()),
        inverse_bind: Some(inverse_bind),
        ..Skeleton::new(joints.iter().map(parent).collect())
    }
}

fn animation(document: &Document, animation: &Animation) -> contents::Animation {
    let frames = animation.timestamps.len();
    let poses: Option<Vec<_>> = (0..frames).map(|frame| document.skeleton_pose(animation, frame)).collect();
    let poses = poses.unwrap_or_default();
    // Sorted by joint, then time.
    let keys =
        || (0..document.joints.len()).flat_map(|joint| poses.iter().filter_map(move |pose| pose.get(joint)));
    let joints: Vec<u32> = keys().map(|pose| pose.joint).collect();
    let frames_of_keys: Vec<u32> =
        (0..document.joints.len()).flat_map(|_| (0..poses.len()).map(|frame| frame as u32)).collect();
    let of = |values| Keys::new(joints.clone(), frames_of_keys.clone(), values);
    contents::Animation {
        name: document.name_of(animation),
        frames: frames as u64,
        times: Some(Numbers::F32(animation.timestamps.clone()).into()),
        duration: Some(Array::of_one(animation.duration)),
        rate: Some(Array::of_one(animation.speed)),
        translations: of(Array::of_rows(keys().map(|pose| pose.position).collect())),
        rotations: of(Array::of_rows(keys().map(|pose| xyzw(pose.rotation)).collect())),
        scales: of(Array::of_rows(keys().map(|pose| pose.scale).collect())),
        ..contents::Animation::default()
    }
}

fn xyzw([w, x, y, z]: [f32; 4]) -> [f32; 4] {
    [x, y, z, w]
}

/// Returns the length of the path from each joint to its root; more than the number of joints in a cycle.
fn depths(parents: &[Option<usize>]) -> Vec<usize> {
    let parent = |joint: &usize| parents.get(*joint).copied().flatten();
    let depth = |joint| std::iter::successors(Some(joint), parent).take(parents.len() + 1).count();
    (0..parents.len()).map(depth).collect()
}

/// Returns `true` if all parents exist, and no joint is its own ancestor.
fn is_forest(parents: &[Option<usize>]) -> bool {
    let len = parents.len();
    parents.iter().flatten().all(|parent| *parent < len) && depths(parents).iter().all(|depth| *depth <= len)
}

/// The joints by id, prepared for skinning.
struct Rig {
    /// Joints with parents before children. In a parent cycle, no joint precedes all others, so their poses are
    /// undefined.
    order: Vec<usize>,
    parents: Vec<Option<usize>>,
    inverse_bind: Vec<DMat4>,
}

/// Maximum deviation of a quaternion's length from 1 due to rounding.
const UNIT: f64 = 1e-5;

impl Rig {
    /// Returns `None` without joints, or if their parents are ambiguous: ids or indices (M10).
    fn new(joints: &[Joint]) -> Option<Rig> {
        let mut entries: Vec<_> = (0..joints.len()).collect();
        entries.sort_by_key(|entry| joints[*entry].id);
        let is_permutation =
            entries.iter().enumerate().all(|(id, entry)| usize::from(joints[*entry].id) == id);
        if joints.is_empty() || !is_permutation {
            return None;
        }
        let by_id: Vec<_> = entries.iter().map(|entry| joints[*entry].parent_entry()).collect();
        let id_of = |entry: usize| joints.get(entry).map_or(entry, |joint| joint.id.into());
        let by_index: Vec<_> = by_id.iter().map(|parent| parent.map(id_of)).collect();
        let parents = match (is_forest(&by_id), is_forest(&by_index)) {
            _ if by_id == by_index => by_id,
            (true, false) => by_id,
            (false, true) => by_index,
            _ => return None,
        };
        let mut order: Vec<_> = depths(&parents).into_iter().zip(0..).collect();
        order.sort_unstable();
        let order = order.into_iter().map(|(_, joint)| joint).collect();
        let rows = |joint: &Joint| DMat4::from_cols_array_2d(&joint.transform.map(|row| row.map(f64::from)));
        let inverse_bind = entries.into_iter().map(|entry| rows(&joints[entry]).transpose()).collect();
        Some(Rig { order, parents, inverse_bind })
    }

    fn poses(
        &self,
        document: &Document,
        positions: &[[f32; 3]],
        ids: &[[u8; 4]],
        weights: &[[u8; 4]],
    ) -> Vec<contents::Pose> {
        let mut budget = Budget::new(positions.len() + self.parents.len());
        let all = document.animations.iter().enumerate().flat_map(|(index, animation)| {
            sampled_frames(animation.timestamps.len() as u64)
                .into_iter()
                .map(move |frame| (index, animation, frame))
        });
        let poses = all.take_while(|_| budget.take()).filter_map(|(index, animation, frame)| {
            let pose = document.skeleton_pose(animation, frame as usize)?;
            let (matrices, reach) = self.matrices(&pose);
            let mut skinned = Skinned::default();
            for ((position, ids), weights) in positions.iter().zip(ids).zip(weights) {
                let matrix = blend(&matrices, *ids, *weights);
                skinned.add(*position, matrix.map(|matrix| matrix.to_cols_array_2d()));
            }
            Some(contents::Pose {
                animation: Some(index),
                frame: Some(frame),
                ..contents::Pose::at_rest(vec![skinned.into_array(reach)])
            })
        });
        poses.collect()
    }

    /// Returns the skinning matrix of each joint in a pose, and the largest number involved. `None` for a joint whose
    /// transform is undefined.
    fn matrices(&self, pose: &[Pose]) -> (Vec<Option<DMat4>>, f64) {
        let mut global = vec![None; pose.len()];
        for &joint in &self.order {
            let local = pose.get(joint).and_then(local);
            global[joint] = match self.parents[joint] {
                None => local,
                Some(parent) => global
                    .get(parent)
                    .copied()
                    .flatten()
                    .zip(local)
                    .map(|(parent, local): (DMat4, _)| parent * local),
            };
        }
        let mut reach = 0.0_f64;
        let matrices = global.into_iter().zip(&self.inverse_bind).map(|(global, inverse_bind)| {
            let global = global?;
            // Terms of the product that cancel still contribute rounding errors.
            let [size, bind] = [global, *inverse_bind]
                .map(|matrix| DMat4::from_cols_array(&matrix.to_cols_array().map(f64::abs)));
            reach = reach.max((size * bind).w_axis.max_element());
            Some(global * *inverse_bind)
        });
        (matrices.collect(), reach)
    }
}

/// Returns the transform of a joint relative to its parent; `None` if the rotation is not a unit quaternion.
fn local(pose: &Pose) -> Option<DMat4> {
    let rotation = DQuat::from_array(xyzw(pose.rotation).map(f64::from));
    let is_unit = (rotation.length() - 1.0).abs() <= UNIT;
    let [scale, translation] = [pose.scale, pose.position].map(|vector| DVec3::from(vector.map(f64::from)));
    is_unit.then(|| DMat4::from_scale_rotation_translation(scale, rotation.normalize(), translation))
}

/// Maximum deviation of the sum of weights from 255 due to rounding.
const WEIGHTS: i32 = 2;

/// Blends the joint matrices of a vertex by their weights; `None` if the result is undefined.
fn blend(matrices: &[Option<DMat4>], ids: [u8; 4], weights: [u8; 4]) -> Option<DMat4> {
    let sum: i32 = weights.iter().map(|weight| i32::from(*weight)).sum();
    if (sum - 255).abs() > WEIGHTS {
        return None;
    }
    let mut blended = DMat4::ZERO;
    for (id, weight) in ids.into_iter().zip(weights).filter(|(_, weight)| *weight > 0) {
        blended += matrices.get(usize::from(id)).copied().flatten()? * (f64::from(weight) / f64::from(sum));
    }
    Some(blended)
}
