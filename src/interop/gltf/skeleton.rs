//! Combines the skins of a file and its animated nodes into one skeleton.

use ::gltf::json;
use glam::{DVec3, Mat4};
use serde_json::Value;

use super::errors::{Failures, malformed};
use super::file::{GltfFile, extras};
use super::hierarchy::{Hierarchy, animated, to_transform};
use super::take_own;
use crate::scene::{Joint, Skeleton, Skin, Transform, Weights};
use crate::{Error, Loss, LossKind, Result};

/// The skeleton, with the joints of nodes and skins.
#[derive(Default)]
pub(super) struct Joints {
    pub skeleton: Skeleton,
    /// The joint of each node.
    of_node: Vec<Option<usize>>,
    /// The skeleton indices of the joints of each skin.
    of_skin: Vec<Vec<u16>>,
    /// Whether each node is animated or the joint of a skin.
    moved: Vec<bool>,
    /// The joint that moves each node, and the transform from node space to joint space; `None` for static nodes.
    holders: Vec<Option<(usize, Mat4)>>,
}

impl Joints {
    /// # Errors
    ///
    /// Returns an error if there are more than 65,535 joints, or matrices exceed the limits.
    pub fn new(
        file: &GltfFile,
        hierarchy: &Hierarchy,
        failures: &mut Failures,
        losses: &mut Vec<Loss>,
    ) -> Result<Joints> {
        let root = &file.root;
        let moved = animated(root);
        let mut joints = Joints { of_node: vec![None; root.nodes.len()], moved, ..Joints::default() };
        let mut bound = Vec::new();
        for (index, skin) in root.skins.iter().enumerate() {
            list_root(index, skin, hierarchy, losses);
            let matrices = match inverse_binds(file, index, skin) {
                Ok(matrices) => matrices,
                Err(error) => {
                    let at = format!("skins[{index}].inverseBindMatrices");
                    let why = failures.record(error, &at)?;
                    let message = "cannot be read: joints bound at the rest pose of their nodes";
                    losses.push(Loss::changed(at, message).detail(why));
                    skin.joints.iter().map(|joint| hierarchy.inverse(joint.value())).collect()
                }
            };
            let numbers = joints.skin(root, index, &matrices, &mut bound, losses);
            joints.of_skin.push(numbers);
        }
        joints.add_moved(root, hierarchy, losses);
        joints.add_ancestors(root, hierarchy);
        joints.link(hierarchy, &bound);
        if joints.skeleton.joints.len() > usize::from(Skin::NONE) {
            let message = format!("{} joints, but 65535 is the maximum", joints.skeleton.joints.len());
            return Err(Error::unsupported(message).at_text("skins"));
        }
        Ok(joints)
    }

    /// Returns the joint of a node.
    pub fn of_node(&self, node: usize) -> Option<usize> {
        self.of_node.get(node).copied().flatten()
    }

    /// Returns the joint index and exact translation of each node that is a joint.
    pub fn translations(&self, file: &GltfFile) -> Vec<(usize, DVec3)> {
        let nodes = file.local.iter().zip(&self.of_node);
        nodes.filter_map(|(local, joint)| Some(((*joint)?, local.w_axis.truncate()))).collect()
    }

    /// Returns the joint that moves a mesh at a node below `above`, and the transform of the mesh in the bind pose of that
    /// joint. `None` for static meshes.
    pub fn holder(&self, hierarchy: &Hierarchy, node: usize, above: Option<usize>) -> Option<(u16, Mat4)> {
        let own = self.holders[node].filter(|(joint, _)| self.of_node(node) == Some(*joint));
        let (joint, to_joint) = own.or_else(|| {
            let (joint, to_joint) = self.holders[above?]?;
            Some((joint, to_joint * hierarchy.local[node]))
        })?;
        let bind = self.skeleton.joints.get(joint)?.inverse_bind.inverse();
        bind.is_finite().then_some((joint as u16, bind * to_joint))
    }

    /// Maps the joint indices of a skin to those of the skeleton. The static joint becomes [`Skin::NONE`].
    ///
    /// # Errors
    ///
    /// Returns an error if an index is out of range.
    pub fn number(&self, skin: usize, vertices: &mut Skin, path: &str) -> Result<()> {
        let numbers = self.of_skin.get(skin).map(Vec::as_slice).unwrap_or_default();
        for (slot, joint) in vertices.joints.as_flattened_mut().iter_mut().enumerate() {
            if *joint == Skin::NONE {
                continue;
            }
            *joint = *numbers.get(usize::from(*joint)).ok_or_else(|| {
                let message = format!(
                    "vertex {} is bound to joint {joint}, but skins[{skin}] has {}",
                    slot / 4,
                    numbers.len()
                );
                malformed(path, message)
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

    /// Adds the joints of a skin. Returns their indices in the skeleton.
    fn skin(
        &mut self,
        root: &json::Root,
        index: usize,
        matrices: &[Mat4],
        bound: &mut Vec<usize>,
        losses: &mut Vec<Loss>,
    ) -> Vec<u16> {
        let skin = &root.skins[index];
        let own = take_own(&mut extras(&skin.extras));
        let is = |name: &str| own.get(name).and_then(Value::as_bool).unwrap_or(false);
        let moving = skin.joints.len().saturating_sub(usize::from(is("still")));
        let still = (moving..skin.joints.len()).map(|_| Skin::NONE);
        if is("placeholders") {
            return (0..moving).map(|joint| joint as u16).chain(still).collect();
        }
        let mut numbers = Vec::new();
        let mut twice = 0;
        for (place, node) in skin.joints.iter().take(moving).enumerate() {
            let node = node.value();
            self.moved[node] = true;
            let inverse_bind = matrices.get(place).copied().unwrap_or(Mat4::IDENTITY);
            let known = self.of_node.get(node).copied().flatten();
            let number = match known {
                Some(joint) if self.skeleton.joints[joint].inverse_bind == inverse_bind => joint,
                Some(joint) => {
                    // Another bind pose than in an earlier skin: adds a child joint that moves with the known one.
                    twice += 1;
                    let name = self.skeleton.joints[joint].name.clone();
                    let rest = Some(Transform::default());
                    self.push(Joint { name, parent: Some(joint), inverse_bind, rest, ..Joint::default() })
                }
                None => {
                    let joint = self.push(joint(&root.nodes[node], inverse_bind));
                    bound.push(joint);
                    self.of_node[node] = Some(joint);
                    joint
                }
            };
            numbers.push(number as u16);
        }
        if twice > 0 {
            let message = "joints duplicated: another bind pose than in an earlier skin";
            let loss = Loss::new(LossKind::Split, format!("skins[{index}]"), message);
            losses.push(loss.affecting(twice, skin.joints.len(), "joints"));
        }
        numbers.into_iter().chain(still).collect()
    }

    fn push(&mut self, joint: Joint) -> usize {
        self.skeleton.joints.push(joint);
        self.skeleton.joints.len() - 1
    }

    /// Adds animated nodes that carry a mesh as joints, bound in their rest pose.
    fn add_moved(&mut self, root: &json::Root, hierarchy: &Hierarchy, losses: &mut Vec<Loss>) {
        let meshes =
            root.nodes.iter().enumerate().filter(|(_, node)| node.mesh.is_some() && node.skin.is_none());
        let mut carries = vec![false; root.nodes.len()];
        for (node, _) in meshes.filter(|(node, _)| hierarchy.shown[*node]) {
            mark(&mut carries, hierarchy.up(Some(node)), |_| {});
        }
        for node in (0..root.nodes.len()).filter(|node| carries[*node]) {
            if !self.moved[node] {
                continue;
            }
            if self.of_node[node].is_some() {
                continue;
            }
            if !hierarchy.to_scene(Some(node)).inverse().is_finite() {
                self.moved[node] = false;
                let message = "animations of nodes with a scale of 0 at rest: their meshes stay at rest";
                losses.push(Loss::dropped(format!("nodes[{node}]"), message));
                continue;
            }
            let mut joint = joint(&root.nodes[node], hierarchy.inverse(node));
            if root.nodes[node].mesh.is_some() {
                // The mesh keeps the extras.
                joint.extras.clear();
            }
            self.of_node[node] = Some(self.push(joint));
        }
    }

    /// Adds ancestors of joints as joints, unless they are static with an identity transform.
    fn add_ancestors(&mut self, root: &json::Root, hierarchy: &Hierarchy) {
        let joints: Vec<usize> =
            (0..self.of_node.len()).filter(|node| self.of_node[*node].is_some()).collect();
        let mut visited = vec![false; root.nodes.len()];
        for node in joints {
            mark(&mut visited, hierarchy.up(hierarchy.parents[node]), |above| {
                let moves = hierarchy.local[above] != Mat4::IDENTITY || self.moved[above];
                if self.of_node[above].is_none() && moves {
                    let joint = joint(&root.nodes[above], hierarchy.inverse(above));
                    self.of_node[above] = Some(self.push(joint));
                }
            });
        }
    }

    /// Sets the parents of joints, and drops rest transforms equal to those of the bind pose. Finds the joint that moves
    /// each node.
    fn link(&mut self, hierarchy: &Hierarchy, bound: &[usize]) {
        let mut nearest = vec![None; self.of_node.len()];
        self.holders = vec![None; self.of_node.len()];
        for &node in &hierarchy.order {
            let parent = hierarchy.parents[node];
            let own = self.of_node[node];
            if let Some(joint) = own {
                self.skeleton.joints[joint].parent = parent.and_then(|parent| nearest[parent]);
            }
            nearest[node] = own.or(parent.and_then(|parent| nearest[parent]));
            let holder = parent.and_then(|parent| self.holders[parent]);
            self.holders[node] = match own.filter(|_| self.moved[node] || holder.is_some()) {
                Some(joint) => Some((joint, Mat4::IDENTITY)),
                None => holder.map(|(joint, to_joint)| (joint, to_joint * hierarchy.local[node])),
            };
        }
        for joint in bound {
            let rest = self.skeleton.joints[*joint].rest.take();
            if Some(self.skeleton.rest(*joint)) != rest {
                self.skeleton.joints[*joint].rest = rest;
            }
        }
    }
}

/// Marks and visits nodes until the first marked one.
fn mark(marks: &mut [bool], nodes: impl Iterator<Item = usize>, mut visit: impl FnMut(usize)) {
    for node in nodes {
        if std::mem::replace(&mut marks[node], true) {
            return;
        }
        visit(node);
    }
}

/// Lists the declared root of a skin, unless it is the common ancestor of its joints, which writing restores.
fn list_root(index: usize, skin: &json::Skin, hierarchy: &Hierarchy, losses: &mut Vec<Loss>) {
    let Some(root) = skin.skeleton.map(|root| root.value()) else { return };
    let is_joint = skin.joints.iter().any(|joint| joint.value() == root);
    if !is_joint || !skin.joints.iter().all(|joint| hierarchy.is_below(joint.value(), root)) {
        let loss = Loss::dropped(format!("skins[{index}].skeleton"), "the root node of a skin is not kept");
        losses.push(loss.detail(format_args!("nodes[{root}]")));
    }
}

fn joint(node: &json::Node, inverse_bind: Mat4) -> Joint {
    let rest = to_transform(node).unwrap_or_else(Transform::from_matrix);
    let name = node.name.clone().unwrap_or_default();
    Joint { name, parent: None, inverse_bind, rest: Some(rest), extras: extras(&node.extras) }
}

fn inverse_binds(file: &GltfFile, index: usize, skin: &json::Skin) -> Result<Vec<Mat4>> {
    let Some(accessor) = skin.inverse_bind_matrices else { return Ok(Vec::new()) };
    let accessor = file.accessor(accessor.value())?;
    let matrices: Vec<[f32; 16]> = accessor.floats()?;
    if matrices.len() < skin.joints.len() {
        let message = format!("{} matrices for {} joints", matrices.len(), skin.joints.len());
        return Err(malformed(format!("skins[{index}].inverseBindMatrices"), message));
    }
    Ok(matrices.iter().map(Mat4::from_cols_array).collect())
}
