//! Adds bones for meshes that are too fine for model-space coordinates: packed numbers lose precision away from 0.

use std::collections::HashMap;

use glam::{Mat4, Vec3};

use super::super::Triple;
use super::precision::Encoding;
use super::pseudo::is_part;
use super::rig;
use crate::Loss;
use crate::scene::skin::influences;
use crate::scene::{Extras, Joint, Mesh, Scene, Skin, Transform, Weights, push_index};

/// Maximum number of bones added per group of vertices.
const MAX_CHAIN_LENGTH: usize = 8;

/// Accepted error near a bone, as a multiple of the error with the bone at the centre of the vertices.
const CENTER_ERROR_FACTOR: f32 = 2.0;

/// Adds bones near meshes whose packed coordinates would be too coarse, and binds their vertices to these bones.
/// Returns `true` if more bones were needed than BMD allows.
pub fn add_bones(
    scene: &mut Scene,
    extras: &[Extras],
    encoding: &Encoding,
    losses: &mut Vec<Loss>,
) -> bool {
    let first = scene.skeleton.joints.len();
    let base_joint = rig::base_joint(scene);
    let mut added_bones = AddedBones {
        base_joint,
        anchors: Vec::new(),
        first,
        out_of_bones: false,
    };
    let origins: Vec<_> = scene
        .skeleton
        .joints
        .iter()
        .map(|joint| joint.inverse_bind.inverse())
        .collect();
    let farthest_joint = origins
        .iter()
        .map(|origin| origin.w_axis.truncate().length())
        .fold(0.0, f32::max);
    let mut meshes = std::mem::take(&mut scene.meshes);
    for (index, mesh) in meshes.iter_mut().enumerate() {
        let accepted = encoding.accepted_error(mesh.size());
        let distances = mesh
            .positions
            .iter()
            .map(|position| Vec3::from(*position).length());
        let mesh_radius = distances.fold(0.0, f32::max);
        let has_no_extent = accepted == 0.0;
        let (_, max_error) = encoding.rounding_errors(Vec3::splat(mesh_radius + farthest_joint));
        if has_no_extent || max_error <= accepted {
            continue;
        }
        let before = added_bones.anchors.len();
        let dominant: Vec<_> = (0..mesh.positions.len())
            .map(|vertex| dominant_joint(mesh, vertex))
            .collect();
        for group in groups_of(scene, mesh, &dominant, encoding) {
            let follows_pseudo_bone = group
                .joint
                .is_some_and(|joint| extras.get(joint).is_some_and(is_part));
            if group.error > accepted && !follows_pseudo_bone {
                added_bones.bind_group(scene, mesh, &dominant, &group, encoding);
            }
        }
        let added = added_bones.anchors.len() - before;
        if added > 0 {
            let message = "packed coordinates are too coarse this far from the origin; bones were added near the mesh";
            losses
                .push(Loss::changed(format!("meshes[{index}].skins"), message).with_detail(added));
        }
    }
    scene.meshes = meshes;
    added_bones.out_of_bones
}

/// Returns the joint to which a vertex is bound in BMD: the joint with the largest weight. `None` without influences.
pub fn dominant_joint(mesh: &Mesh, vertex: usize) -> Option<usize> {
    influences(&mesh.skins, vertex)
        .first()
        .map(|(joint, _)| usize::from(*joint))
}

/// The bounds of all vertices of a mesh with the same dominant joint, in the space of that joint.
struct JointGroup {
    joint: Option<usize>,
    min: Vec3,
    max: Vec3,
    /// The largest rounding error of a coordinate.
    error: f32,
}

fn groups_of(
    scene: &Scene,
    mesh: &Mesh,
    dominant: &[Option<usize>],
    encoding: &Encoding,
) -> Vec<JointGroup> {
    let mut groups: Vec<JointGroup> = Vec::new();
    let mut group_indices = HashMap::new();
    for (position, joint) in mesh.positions.iter().zip(dominant) {
        let at = model_to_joint(scene, *joint).transform_point3(Vec3::from(*position));
        let new_group = JointGroup {
            joint: *joint,
            min: at,
            max: at,
            error: 0.0,
        };
        let index = *group_indices
            .entry(*joint)
            .or_insert_with(|| push_index(&mut groups, new_group));
        let group = &mut groups[index];
        (group.min, group.max) = (group.min.min(at), group.max.max(at));
        group.error = group.error.max(encoding.rounding_errors(at).0);
    }
    groups
}

/// Returns the inverse bind matrix of a joint; the identity without a joint.
pub fn model_to_joint(scene: &Scene, joint: Option<usize>) -> Mat4 {
    let joint = joint.and_then(|joint| scene.skeleton.joints.get(joint));
    joint.map_or(Mat4::IDENTITY, |joint| joint.inverse_bind)
}

/// A bone added near a mesh.
struct Anchor {
    /// The joint with which the bone moves; `None` for the model itself.
    joint: Option<usize>,
    /// The origin of the bone in the space of `joint`.
    origin: Vec3,
}

struct AddedBones {
    /// The joint that becomes bone 0; `None` if no joint can.
    base_joint: Option<usize>,
    anchors: Vec<Anchor>,
    /// The joint index of the first added bone.
    first: usize,
    /// Whether a group needed more bones than BMD allows.
    out_of_bones: bool,
}

impl AddedBones {
    /// Binds the vertices of a group to the nearest added bone of the same joint. If that bone is too far away, adds a
    /// chain of bones and binds the vertices to its last bone. Binds nothing if the error is small enough or no chain
    /// can be added. Sets `out_of_bones` if BMD lacks bones for the chain.
    fn bind_group(
        &mut self,
        scene: &mut Scene,
        mesh: &mut Mesh,
        dominant: &[Option<usize>],
        group: &JointGroup,
        encoding: &Encoding,
    ) {
        let joint = group.joint.or(self.base_joint);
        let error_at = |origin: Vec3| {
            let farthest = (group.min - origin).abs().max((group.max - origin).abs());
            encoding.rounding_errors(farthest).1
        };
        let center = group.min + (group.max - group.min) / 2.0;
        // Adds bones even if the accepted error is out of reach, so that the rejection states a smaller error.
        let accepted = encoding
            .accepted_error(mesh.size())
            .max(CENTER_ERROR_FACTOR * error_at(center));
        if group.error <= accepted {
            return;
        }
        let same_joint = self
            .anchors
            .iter()
            .enumerate()
            .filter(|(_, anchor)| anchor.joint == joint);
        let mut nearest = same_joint
            .min_by(|(_, a), (_, b)| {
                a.origin
                    .distance(center)
                    .total_cmp(&b.origin.distance(center))
            })
            .map(|(index, anchor)| (Some(index), anchor.origin))
            .filter(|(_, at)| at.distance(center) < center.length())
            .unwrap_or((None, Vec3::ZERO));
        let mut chain = Vec::new();
        while error_at(nearest.1) > accepted {
            let offset = (center - nearest.1).clamp_length_max(Triple::MAX / 2.0);
            let Some(offset) = Triple::nearest(offset.into()) else {
                return;
            };
            let (parent, offset) = (nearest.0, Vec3::from(offset.value()));
            if offset == Vec3::ZERO || chain.len() == MAX_CHAIN_LENGTH {
                return;
            }
            nearest = (Some(self.anchors.len() + chain.len()), nearest.1 + offset);
            chain.push((parent, offset, nearest.1));
        }
        let Some(last) = nearest.0 else { return };
        // The model itself may need one more bone: bone 0.
        if scene.skeleton.joints.len() + chain.len() + 1 > rig::MAX_BONES {
            self.out_of_bones = true;
            return;
        }
        let to_joint = model_to_joint(scene, joint);
        for (parent, offset, origin) in chain {
            scene.skeleton.joints.push(Joint {
                name: mesh.name.clone(),
                parent: parent.map(|index| self.first + index).or(joint),
                inverse_bind: Mat4::from_translation(-origin) * to_joint,
                rest: Some(Transform {
                    translation: offset.into(),
                    ..Transform::default()
                }),
                ..Joint::default()
            });
            self.anchors.push(Anchor { joint, origin });
        }
        rebind_vertices(mesh, dominant, |vertex| {
            (dominant[vertex] == group.joint).then_some(self.first + last)
        });
    }
}

/// Binds vertices to the joints that `target` returns, in place of their dominant joints; `None` keeps a binding.
pub fn rebind_vertices(
    mesh: &mut Mesh,
    dominant: &[Option<usize>],
    target: impl Fn(usize) -> Option<usize>,
) {
    if mesh.skins.is_empty() {
        mesh.skins = vec![Skin::rigid(dominant.iter().map(|_| Skin::NONE))];
    }
    for skin in &mut mesh.skins {
        for (vertex, (joints, from)) in skin.joints.iter_mut().zip(dominant).enumerate() {
            let Some(to) = target(vertex).map(|joint| joint as u16) else {
                continue;
            };
            if let Some(from) = *from {
                joints
                    .iter_mut()
                    .filter(|joint| usize::from(**joint) == from)
                    .for_each(|joint| *joint = to);
                continue;
            }
            joints[0] = to;
            match &mut skin.weights {
                Weights::U8(weights) => weights[vertex] = [255, 0, 0, 0],
                Weights::F32(weights) => weights[vertex] = [1.0, 0.0, 0.0, 0.0],
            }
        }
    }
}
