//! Combines the skins and the animated nodes of a file into one skeleton.

use ::gltf::json;
use glam::{DVec3, Mat4};
use serde_json::Value;

use super::errors::{ReadLog, malformed};
use super::file::{GltfFile, read_extras};
use super::hierarchy::{Hierarchy, animated_nodes, to_transform};
use super::take_meshspec_extras;
use crate::scene::{Joint, Skeleton, Skin, Transform, Weights, push_index};
use crate::{Error, Loss, LossKind, Result};

/// The skeleton, with its joints by node and by skin.
#[derive(Default)]
pub(super) struct NodeJoints {
    pub skeleton: Skeleton,
    /// The joint of each node; `None` if the node is not a joint.
    joint_by_node: Vec<Option<usize>>,
    /// For each skin, the skeleton indices of its joints.
    joints_by_skin: Vec<Vec<u16>>,
    /// For each node, whether it is animated or the joint of a skin.
    is_moving: Vec<bool>,
    /// For each node, the joint that moves it and the transform from node to joint space. `None` for static nodes.
    driving_joints: Vec<Option<(usize, Mat4)>>,
}

impl NodeJoints {
    /// Reads the skeleton of a file. Returns an error for more than 65,535 joints, or if matrices exceed the limits.
    pub fn new(file: &GltfFile, hierarchy: &Hierarchy, log: &mut ReadLog) -> Result<NodeJoints> {
        let root = &file.root;
        let is_moving = animated_nodes(root);
        let mut joints = NodeJoints {
            joint_by_node: vec![None; root.nodes.len()],
            is_moving,
            ..NodeJoints::default()
        };
        let mut skin_joints = Vec::new();
        let unreadable = |at: &str| {
            Loss::changed(
                at,
                "the matrices cannot be read; joints were bound in the rest pose",
            )
        };
        for (index, skin) in root.skins.iter().enumerate() {
            record_declared_root(index, skin, hierarchy, &mut log.losses);
            let at = format!("skins[{index}].inverseBindMatrices");
            let matrices = read_inverse_binds(file, &at, skin);
            let matrices = log.recover(matrices, &at, unreadable)?;
            let at_rest = || {
                skin.joints
                    .iter()
                    .map(|joint| hierarchy.scene_to_node(joint.value()))
                    .collect()
            };
            let matrices = matrices.unwrap_or_else(at_rest);
            let numbers =
                joints.add_skin(root, index, &matrices, &mut skin_joints, &mut log.losses);
            joints.joints_by_skin.push(numbers);
        }
        joints.add_animated_nodes(root, hierarchy, &mut log.losses);
        joints.add_ancestors(root, hierarchy);
        joints.set_parents(hierarchy, &skin_joints);
        if joints.skeleton.joints.len() > usize::from(Skin::NONE) {
            let message = format!(
                "{} joints exceed the maximum of 65535",
                joints.skeleton.joints.len()
            );
            return Err(Error::unsupported(message).at_text("skins"));
        }
        Ok(joints)
    }

    /// Returns the joint of a node; `None` if the node is not a joint.
    pub fn joint_of(&self, node: usize) -> Option<usize> {
        self.joint_by_node.get(node).copied().flatten()
    }

    /// Returns the joint index and exact translation of each node that is a joint.
    pub fn exact_translations(&self, file: &GltfFile) -> Vec<(usize, DVec3)> {
        let nodes = file.local_transforms.iter().zip(&self.joint_by_node);
        nodes
            .filter_map(|(local, joint)| Some(((*joint)?, local.w_axis.truncate())))
            .collect()
    }

    /// Returns the joint that moves the mesh of `node` under `parent`, and the transform from mesh to model space in
    /// the bind pose. `None` for static meshes, and if the inverse bind matrix of the joint has no finite inverse.
    pub fn driving_joint(
        &self,
        hierarchy: &Hierarchy,
        node: usize,
        parent: Option<usize>,
    ) -> Option<(u16, Mat4)> {
        let own =
            self.driving_joints[node].filter(|(joint, _)| self.joint_of(node) == Some(*joint));
        let (joint, to_joint) = own.or_else(|| {
            let (joint, to_joint) = self.driving_joints[parent?]?;
            Some((joint, to_joint * hierarchy.local_transforms[node]))
        })?;
        let bind = self.skeleton.joints.get(joint)?.inverse_bind.inverse();
        bind.is_finite().then_some((joint as u16, bind * to_joint))
    }

    /// Replaces indices into the joints of a skin by indices into the joints of the skeleton. The static joint becomes
    /// [`Skin::NONE`] with a weight of 0. Returns an error if an index is out of range.
    pub fn map_joint_indices(&self, skin: usize, vertices: &mut Skin, path: &str) -> Result<()> {
        let numbers = self.joints_by_skin.get(skin).map_or(&[][..], Vec::as_slice);
        for (slot, joint) in vertices.joints.as_flattened_mut().iter_mut().enumerate() {
            if *joint == Skin::NONE {
                continue;
            }
            *joint = *numbers.get(usize::from(*joint)).ok_or_else(|| {
                let binding = format!("vertex {} is bound to joint {joint}", slot / 4);
                malformed(
                    path,
                    format!("{binding}, but skins[{skin}] has {}", numbers.len()),
                )
            })?;
            if *joint == Skin::NONE {
                match &mut vertices.weights {
                    Weights::U8(values) => values.as_flattened_mut()[slot] = 0,
                    Weights::F32(values) => values.as_flattened_mut()[slot] = 0.0,
                }
            }
        }
        Ok(())
    }

    /// Adds the joints of a skin. Returns their indices in the skeleton, with [`Skin::NONE`] for the static joint.
    fn add_skin(
        &mut self,
        root: &json::Root,
        index: usize,
        matrices: &[Mat4],
        skin_joints: &mut Vec<usize>,
        losses: &mut Vec<Loss>,
    ) -> Vec<u16> {
        let skin = &root.skins[index];
        let own = take_meshspec_extras(&mut read_extras(&skin.extras));
        let has_flag = |name: &str| own.get(name).and_then(Value::as_bool).unwrap_or(false);
        let moving_count = skin
            .joints
            .len()
            .saturating_sub(usize::from(has_flag("still")));
        let static_joint = (moving_count..skin.joints.len()).map(|_| Skin::NONE);
        if has_flag("placeholders") {
            return (0..moving_count)
                .map(|joint| joint as u16)
                .chain(static_joint)
                .collect();
        }
        let mut numbers = Vec::new();
        let mut duplicates = 0;
        for (position, node) in skin.joints.iter().take(moving_count).enumerate() {
            let node = node.value();
            self.is_moving[node] = true;
            let inverse_bind = matrices.get(position).copied().unwrap_or(Mat4::IDENTITY);
            let number = match self.joint_of(node) {
                Some(joint) if self.skeleton.joints[joint].inverse_bind == inverse_bind => joint,
                Some(joint) => {
                    // The bind pose differs from that of an earlier skin: adds a child joint that moves with the known
                    // joint.
                    duplicates += 1;
                    let name = self.skeleton.joints[joint].name.clone();
                    let (parent, rest) = (Some(joint), Some(Transform::default()));
                    self.add_joint(Joint {
                        name,
                        parent,
                        inverse_bind,
                        rest,
                        ..Joint::default()
                    })
                }
                None => {
                    let joint = self.add_joint(to_joint(&root.nodes[node], inverse_bind));
                    skin_joints.push(joint);
                    self.joint_by_node[node] = Some(joint);
                    joint
                }
            };
            numbers.push(number as u16);
        }
        let message = "joints were duplicated, since their bind pose differs from an earlier skin";
        let loss = Loss::new(LossKind::Split, format!("skins[{index}]"), message);
        losses.extend(
            loss.with_count_of(duplicates, skin.joints.len(), "joints")
                .if_any(),
        );
        numbers.into_iter().chain(static_joint).collect()
    }

    fn add_joint(&mut self, joint: Joint) -> usize {
        push_index(&mut self.skeleton.joints, joint)
    }

    /// Adds a joint, bound in the rest pose, for each animated node that moves a mesh. Skips nodes whose transform has
    /// no finite inverse.
    fn add_animated_nodes(
        &mut self,
        root: &json::Root,
        hierarchy: &Hierarchy,
        losses: &mut Vec<Loss>,
    ) {
        let meshes = root
            .nodes
            .iter()
            .enumerate()
            .filter(|(_, n)| n.mesh.is_some() && n.skin.is_none());
        let mut moves_mesh = vec![false; root.nodes.len()];
        for (node, _) in meshes.filter(|(node, _)| hierarchy.is_in_scene[*node]) {
            visit_unmarked(&mut moves_mesh, hierarchy.ancestors(Some(node)), |_| {});
        }
        for node in (0..root.nodes.len()).filter(|node| moves_mesh[*node]) {
            if !self.is_moving[node] || self.joint_by_node[node].is_some() {
                continue;
            }
            if !hierarchy.node_to_scene(Some(node)).inverse().is_finite() {
                self.is_moving[node] = false;
                let message = "animations of nodes with a scale of 0 at rest are not converted";
                losses.push(Loss::dropped(format!("nodes[{node}]"), message));
                continue;
            }
            let mut joint = to_joint(&root.nodes[node], hierarchy.scene_to_node(node));
            if root.nodes[node].mesh.is_some() {
                // The mesh keeps the extras.
                joint.extras.clear();
            }
            self.joint_by_node[node] = Some(self.add_joint(joint));
        }
    }

    /// Adds the ancestors of joints as joints, unless they are static with an identity transform.
    fn add_ancestors(&mut self, root: &json::Root, hierarchy: &Hierarchy) {
        let nodes = 0..root.nodes.len();
        let joints: Vec<usize> = nodes
            .filter(|node| self.joint_by_node[*node].is_some())
            .collect();
        let mut visited = vec![false; root.nodes.len()];
        for node in joints {
            visit_unmarked(
                &mut visited,
                hierarchy.ancestors(hierarchy.parents[node]),
                |above| {
                    let moves = hierarchy.local_transforms[above] != Mat4::IDENTITY
                        || self.is_moving[above];
                    if self.joint_by_node[above].is_none() && moves {
                        let joint = to_joint(&root.nodes[above], hierarchy.scene_to_node(above));
                        self.joint_by_node[above] = Some(self.add_joint(joint));
                    }
                },
            );
        }
    }

    /// Sets the parents of joints, and finds the joint that moves each node. Drops rest poses of `skin_joints` that
    /// equal the bind pose.
    fn set_parents(&mut self, hierarchy: &Hierarchy, skin_joints: &[usize]) {
        let mut nearest = vec![None; self.joint_by_node.len()];
        self.driving_joints = vec![None; self.joint_by_node.len()];
        for &node in &hierarchy.order {
            let parent = hierarchy.parents[node];
            let own = self.joint_by_node[node];
            if let Some(joint) = own {
                self.skeleton.joints[joint].parent = parent.and_then(|parent| nearest[parent]);
            }
            nearest[node] = own.or(parent.and_then(|parent| nearest[parent]));
            let inherited = parent.and_then(|parent| self.driving_joints[parent]);
            let driving = own.filter(|_| self.is_moving[node] || inherited.is_some());
            let inherit = |(joint, to_joint)| (joint, to_joint * hierarchy.local_transforms[node]);
            self.driving_joints[node] = driving
                .map(|joint| (joint, Mat4::IDENTITY))
                .or_else(|| inherited.map(inherit));
        }
        for joint in skin_joints {
            let rest = self.skeleton.joints[*joint].rest.take();
            if Some(self.skeleton.rest_transform(*joint)) != rest {
                self.skeleton.joints[*joint].rest = rest;
            }
        }
    }
}

/// Marks and visits `nodes` in order, until the first node that is already marked.
fn visit_unmarked(
    marks: &mut [bool],
    nodes: impl Iterator<Item = usize>,
    mut visit: impl FnMut(usize),
) {
    for node in nodes {
        if std::mem::replace(&mut marks[node], true) {
            return;
        }
        visit(node);
    }
}

/// Records a loss for the declared root of a skin, unless the root is a joint and an ancestor of all others.
fn record_declared_root(
    index: usize,
    skin: &json::Skin,
    hierarchy: &Hierarchy,
    losses: &mut Vec<Loss>,
) {
    let Some(root) = skin.skeleton.map(|root| root.value()) else {
        return;
    };
    let is_joint = skin.joints.iter().any(|joint| joint.value() == root);
    if !is_joint
        || !skin
            .joints
            .iter()
            .all(|joint| hierarchy.is_in_subtree(joint.value(), root))
    {
        let path = format!("skins[{index}].skeleton");
        let loss = Loss::dropped(path, "the root nodes of skins are not converted");
        losses.push(loss.with_detail(format_args!("nodes[{root}]")));
    }
}

fn to_joint(node: &json::Node, inverse_bind: Mat4) -> Joint {
    let rest = to_transform(node).unwrap_or_else(Transform::from_matrix);
    let name = node.name.clone().unwrap_or_default();
    Joint {
        name,
        parent: None,
        inverse_bind,
        rest: Some(rest),
        extras: read_extras(&node.extras),
    }
}

fn read_inverse_binds(file: &GltfFile, at: &str, skin: &json::Skin) -> Result<Vec<Mat4>> {
    let Some(accessor) = skin.inverse_bind_matrices else {
        return Ok(Vec::new());
    };
    let matrices: Vec<[f32; 16]> = file.accessor(accessor.value())?.read_floats()?;
    if matrices.len() < skin.joints.len() {
        let message = format!(
            "{} matrices for {} joints",
            matrices.len(),
            skin.joints.len()
        );
        return Err(malformed(at, message));
    }
    Ok(matrices.iter().map(Mat4::from_cols_array).collect())
}
