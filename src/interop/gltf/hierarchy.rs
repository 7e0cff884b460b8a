//! The node hierarchy, with the transforms of nodes.

use std::ops::Range;

use ::gltf::json;
use ::gltf::json::animation::{Property, Target};
use ::gltf::json::validation::Checked;
use glam::{DMat4, Mat4};
use serde_json::Value;

use super::errors::malformed;
use super::file::{GltfFile, read_extras};
use super::{LOD, node_extension, take_meshspec_extras};
use crate::scene::Transform;
use crate::scene::repair::repair_rotations;
use crate::{Loss, Result};

#[derive(Default)]
pub(super) struct Hierarchy {
    pub parents: Vec<Option<usize>>,
    /// The transform of each node relative to its parent.
    pub local_transforms: Vec<Mat4>,
    /// Whether each node is in the scene.
    pub is_in_scene: Vec<bool>,
    /// The root node whose transform becomes the scene transform, if any.
    pub top_node: Option<usize>,
    /// All nodes in depth-first order.
    pub order: Vec<usize>,
    /// The range in `order` of each node and its descendants.
    ranges: Vec<Range<usize>>,
    /// The transform of each node to scene space.
    node_to_scene: Vec<Mat4>,
    /// The same transforms in 64 bits.
    node_to_scene_f64: Vec<DMat4>,
}

impl Hierarchy {
    /// Reads the hierarchy of a file. Returns an error if a node has two parents, or if nodes form a cycle.
    pub fn new(file: &GltfFile, losses: &mut Vec<Loss>) -> Result<Hierarchy> {
        let nodes = &file.root.nodes;
        let mut parents = vec![None; nodes.len()];
        for (index, node) in nodes.iter().enumerate() {
            for child in node.children.iter().flatten() {
                if let Some(other) = parents[child.value()].replace(index) {
                    let message =
                        format!("the node is a child of nodes[{other}] and of nodes[{index}]");
                    return Err(malformed(format!("nodes[{}]", child.value()), message));
                }
            }
        }
        let roots = (0..nodes.len()).filter(|index| parents[*index].is_none());
        let order = depth_first_order(nodes, roots.collect());
        let ranges = subtree_ranges(&order, &parents);
        if let Some(index) = ranges.iter().position(Range::is_empty) {
            return Err(malformed(
                format!("nodes[{index}]"),
                "the node is its own ancestor",
            ));
        }
        let roots = scene_roots(file, &parents, losses);
        let to_matrix = |node| to_transform(node).map_or_else(|matrix| matrix, |t| t.to_matrix());
        let local_transforms = nodes.iter().map(to_matrix).collect();
        let mut is_in_scene = vec![false; nodes.len()];
        for node in depth_first_order(nodes, roots.clone()) {
            is_in_scene[node] = true;
            if let Some(json::scene::UnitQuaternion(rotation)) = nodes[node].rotation {
                repair_rotations(&mut [rotation], &format!("nodes[{node}].rotation"), losses);
            }
        }
        let mut hierarchy = Hierarchy {
            parents,
            local_transforms,
            is_in_scene,
            order,
            ranges,
            ..Hierarchy::default()
        };
        hierarchy.top_node = hierarchy.find_top_node(file, &roots);
        hierarchy.compute_scene_transforms(file);
        Ok(hierarchy)
    }

    fn compute_scene_transforms(&mut self, file: &GltfFile) {
        self.node_to_scene = vec![Mat4::IDENTITY; self.local_transforms.len()];
        self.node_to_scene_f64 = vec![DMat4::IDENTITY; self.local_transforms.len()];
        for node in self
            .order
            .iter()
            .copied()
            .filter(|node| Some(*node) != self.top_node)
        {
            self.node_to_scene[node] =
                self.node_to_scene(self.parents[node]) * self.local_transforms[node];
            self.node_to_scene_f64[node] =
                self.node_to_scene_f64(self.parents[node]) * file.local_transforms[node];
        }
    }

    /// Returns the only root besides skinned meshes, if it is static, is not a joint, and has no mesh, camera or
    /// extensions.
    fn find_top_node(&self, file: &GltfFile, roots: &[usize]) -> Option<usize> {
        let root = &file.root;
        let is_skinned =
            |json::Node {
                 skin,
                 mesh,
                 children,
                 ..
             }: &json::Node| { skin.is_some() && mesh.is_some() && children.is_none() };
        let mut others = roots
            .iter()
            .filter(|index| !is_skinned(&root.nodes[**index]));
        let top_node = *others.next()?;
        let node = &root.nodes[top_node];
        let is_joint = root
            .skins
            .iter()
            .flat_map(|skin| &skin.joints)
            .any(|joint| joint.value() == top_node);
        let is_plain = node.mesh.is_none() && node.camera.is_none() && node.extensions.is_none();
        let is_only_root = others.next().is_none() && self.parents[top_node].is_none();
        (is_only_root && is_plain && !is_joint && !animated_nodes(root)[top_node])
            .then_some(top_node)
    }

    /// Returns the transform from node space to scene space; the identity for `None`.
    pub fn node_to_scene(&self, node: Option<usize>) -> Mat4 {
        node.map_or(Mat4::IDENTITY, |node| self.node_to_scene[node])
    }

    /// Like [`node_to_scene`](Hierarchy::node_to_scene), but in 64 bits.
    pub fn node_to_scene_f64(&self, node: Option<usize>) -> DMat4 {
        node.map_or(DMat4::IDENTITY, |node| self.node_to_scene_f64[node])
    }

    /// Returns the transform from scene space to node space; the identity if this transform is not finite.
    pub fn scene_to_node(&self, node: usize) -> Mat4 {
        let inverse = self.node_to_scene(Some(node)).inverse();
        if inverse.is_finite() {
            inverse
        } else {
            Mat4::IDENTITY
        }
    }

    /// Returns `true` if `node` is `above` or one of its descendants.
    pub fn is_in_subtree(&self, node: usize, above: usize) -> bool {
        self.ranges[above].contains(&self.ranges[node].start)
    }

    /// Returns `node` and its ancestors, nearest first, excluding the top node.
    pub fn ancestors(&self, node: Option<usize>) -> impl Iterator<Item = usize> {
        let first = node.filter(|node| Some(*node) != self.top_node);
        std::iter::successors(first, |node| {
            self.parents[*node].filter(|node| Some(*node) != self.top_node)
        })
    }
}

/// Returns one flag per node: `true` if the node is animated. Ignores channels that animate morph targets, have an
/// unknown path, or lack a sampler.
pub(super) fn animated_nodes(root: &json::Root) -> Vec<bool> {
    let mut animated = vec![false; root.nodes.len()];
    for animation in &root.animations {
        for channel in &animation.channels {
            let Target { path, node, .. } = &channel.target;
            let is_ignored = matches!(
                path,
                Checked::Invalid | Checked::Valid(Property::MorphTargetWeights)
            );
            let is_effective = !is_ignored && channel.sampler.value() < animation.samplers.len();
            if let Some(animated) = animated.get_mut(node.value()) {
                *animated |= is_effective;
            }
        }
    }
    animated
}

/// Returns the nodes `pending` and their descendants in depth-first order.
fn depth_first_order(nodes: &[json::Node], mut pending: Vec<usize>) -> Vec<usize> {
    let mut reached = vec![false; nodes.len()];
    let mut order = Vec::new();
    pending.reverse();
    while let Some(index) = pending.pop() {
        if !std::mem::replace(&mut reached[index], true) {
            order.push(index);
            pending.extend(
                nodes[index]
                    .children
                    .iter()
                    .flatten()
                    .rev()
                    .map(|child| child.value()),
            );
        }
    }
    order
}

/// Returns the range in `order` of each node and its descendants; empty if the node is not in `order`.
fn subtree_ranges(order: &[usize], parents: &[Option<usize>]) -> Vec<Range<usize>> {
    let mut ranges = vec![0..0; parents.len()];
    for (position, node) in order.iter().enumerate() {
        ranges[*node] = position..position + 1;
    }
    for node in order.iter().rev() {
        if let Some(parent) = parents[*node] {
            ranges[parent].end = ranges[parent].end.max(ranges[*node].end);
        }
    }
    ranges
}

/// Returns the roots of the default scene or, if none is declared, of the first scene. Without scenes, returns all
/// roots of the file. Lists the other scenes as losses.
fn scene_roots(file: &GltfFile, parents: &[Option<usize>], losses: &mut Vec<Loss>) -> Vec<usize> {
    let root = &file.root;
    let chosen = root.scene.map_or(0, |scene| scene.value());
    for (index, _) in root
        .scenes
        .iter()
        .enumerate()
        .filter(|(index, _)| *index != chosen)
    {
        losses.push(Loss::dropped(
            format!("scenes[{index}]"),
            format!("only scenes[{chosen}] is read"),
        ));
    }
    match root.scenes.get(chosen) {
        Some(scene) => scene.nodes.iter().map(|node| node.value()).collect(),
        None => (0..root.nodes.len())
            .filter(|index| parents[*index].is_none())
            .collect(),
    }
}

/// Normalises a rotation; [`Hierarchy::new`] lists the changes.
fn to_unit_rotation(rotation: [f32; 4]) -> [f32; 4] {
    let mut rotations = [rotation];
    repair_rotations(&mut rotations, "", &mut Vec::new());
    let [rotation] = rotations;
    rotation
}

/// Returns the transform of a node, or `Err` with its matrix if it has one.
pub(super) fn to_transform(node: &json::Node) -> Result<Transform, Mat4> {
    let default = Transform::default();
    match node.matrix {
        Some(matrix) => Err(Mat4::from_cols_array(&matrix)),
        None => Ok(Transform {
            translation: node.translation.unwrap_or(default.translation),
            rotation: node
                .rotation
                .map_or(default.rotation, |rotation| to_unit_rotation(rotation.0)),
            scale: node.scale.unwrap_or(default.scale),
        }),
    }
}

/// Returns the coarser levels of detail of a node. Lists references to missing nodes as losses.
pub(super) fn coarser_levels(file: &GltfFile, node: usize, losses: &mut Vec<Loss>) -> Vec<usize> {
    let nodes = &file.root.nodes;
    let ids = node_extension(&nodes[node], LOD).and_then(|lods| lods.get("ids")?.as_array());
    let is_existing = |id: &&Value| id.as_u64().is_some_and(|id| id < nodes.len() as u64);
    let (existing, missing): (Vec<_>, Vec<_>) = ids.into_iter().flatten().partition(is_existing);
    for id in missing {
        let loss = Loss::dropped(
            format!("nodes[{node}].extensions.{LOD}"),
            "reference to a missing node",
        );
        losses.push(loss.with_detail(format_args!("{id} of {}", nodes.len())));
    }
    existing
        .into_iter()
        .filter_map(|id| Some(id.as_u64()? as usize))
        .collect()
}

/// Returns the minimum distance, in metres, at which a level of detail is displayed; `None` if the extras of its node
/// contain no distance.
pub(super) fn lod_distance(node: &json::Node) -> Option<f32> {
    let meshspec_extras = take_meshspec_extras(&mut read_extras(&node.extras));
    meshspec_extras
        .get("distance")
        .and_then(Value::as_f64)
        .map(|distance| distance as f32)
}
