//! The node hierarchy and the transforms of nodes.

use std::ops::Range;

use ::gltf::json;
use ::gltf::json::animation::Property;
use ::gltf::json::validation::Checked;
use glam::{DMat4, Mat4};
use serde_json::Value;

use super::LOD;
use super::errors::malformed;
use super::file::{GltfFile, extras};
use crate::scene::Transform;
use crate::{Loss, Result};

pub(super) struct Hierarchy {
    pub parents: Vec<Option<usize>>,
    /// The transform of each node relative to its parent.
    pub local: Vec<Mat4>,
    /// Whether each node is in the scene.
    pub shown: Vec<bool>,
    /// The root node whose transform is that of the scene.
    pub top: Option<usize>,
    /// All nodes in depth-first order.
    pub order: Vec<usize>,
    /// The range in the order of each node and its descendants.
    ranges: Vec<Range<usize>>,
    /// The transform from node space to scene space of each node.
    to_scene: Vec<Mat4>,
    /// The same transforms in double precision.
    exact: Vec<DMat4>,
}

impl Hierarchy {
    /// # Errors
    ///
    /// Returns an error if a node has two parents, or if nodes form a cycle.
    pub fn new(file: &GltfFile, losses: &mut Vec<Loss>) -> Result<Hierarchy> {
        let nodes = &file.root.nodes;
        let mut parents = vec![None; nodes.len()];
        for (index, node) in nodes.iter().enumerate() {
            for child in node.children.iter().flatten() {
                if let Some(other) = parents[child.value()].replace(index) {
                    let message = format!("it is a child of nodes[{other}] and of nodes[{index}]");
                    return Err(malformed(format!("nodes[{}]", child.value()), message));
                }
            }
        }
        let roots = (0..nodes.len()).filter(|index| parents[*index].is_none());
        let order = below(nodes, roots.collect());
        let ranges = ranges(&order, &parents);
        if let Some(index) = ranges.iter().position(Range::is_empty) {
            return Err(malformed(format!("nodes[{index}]"), "it is its own ancestor"));
        }
        let roots = scene_roots(file, &parents, losses);
        let local = nodes.iter().map(|node| to_transform(node).map_or_else(|m| m, |t| t.to_matrix()));
        let mut shown = vec![false; nodes.len()];
        below(nodes, roots.clone()).into_iter().for_each(|node| shown[node] = true);
        let (local, to_scene, exact) = (local.collect(), Vec::new(), Vec::new());
        let mut hierarchy = Hierarchy { parents, local, shown, top: None, order, ranges, to_scene, exact };
        hierarchy.top = hierarchy.find_top(file, &roots);
        hierarchy.place(file);
        Ok(hierarchy)
    }

    /// Computes the transform of each node to scene space.
    fn place(&mut self, file: &GltfFile) {
        self.to_scene = vec![Mat4::IDENTITY; self.local.len()];
        self.exact = vec![DMat4::IDENTITY; self.local.len()];
        for node in self.order.iter().copied().filter(|node| Some(*node) != self.top) {
            self.to_scene[node] = self.to_scene(self.parents[node]) * self.local[node];
            self.exact[node] = self.exact(self.parents[node]) * file.local[node];
        }
    }

    /// Returns the only root besides skinned meshes, if it has no content and is neither a joint nor animated.
    fn find_top(&self, file: &GltfFile, roots: &[usize]) -> Option<usize> {
        let root = &file.root;
        let skinned =
            |node: &json::Node| node.skin.is_some() && node.mesh.is_some() && node.children.is_none();
        let mut others = roots.iter().filter(|index| !skinned(&root.nodes[**index]));
        let top = *others.next()?;
        let node = &root.nodes[top];
        let joint = root.skins.iter().flat_map(|skin| &skin.joints).any(|joint| joint.value() == top);
        let plain = node.mesh.is_none() && node.camera.is_none() && node.extensions.is_none();
        let alone = others.next().is_none() && self.parents[top].is_none();
        (alone && plain && !joint && !animated(root)[top]).then_some(top)
    }

    /// Returns the transform from the space of a node to that of the scene; the identity for `None`.
    pub fn to_scene(&self, node: Option<usize>) -> Mat4 {
        node.map_or(Mat4::IDENTITY, |node| self.to_scene[node])
    }

    /// Returns the same as [`to_scene`](Hierarchy::to_scene), in 64 bits.
    pub fn exact(&self, node: Option<usize>) -> DMat4 {
        node.map_or(DMat4::IDENTITY, |node| self.exact[node])
    }

    /// Returns the transform from scene space to that of a node; the identity if it has no inverse.
    pub fn inverse(&self, node: usize) -> Mat4 {
        let inverse = self.to_scene(Some(node)).inverse();
        if inverse.is_finite() { inverse } else { Mat4::IDENTITY }
    }

    /// Returns `true` if `node` is `above` or one of its descendants.
    pub fn is_below(&self, node: usize, above: usize) -> bool {
        self.ranges[above].contains(&self.ranges[node].start)
    }

    /// Iterates over a node and its ancestors, up to but excluding the top node.
    pub fn up(&self, node: Option<usize>) -> impl Iterator<Item = usize> {
        let first = node.filter(|node| Some(*node) != self.top);
        std::iter::successors(first, |node| self.parents[*node].filter(|node| Some(*node) != self.top))
    }
}

/// Returns one flag per node: `true` if it is animated.
pub(super) fn animated(root: &json::Root) -> Vec<bool> {
    let mut animated = vec![false; root.nodes.len()];
    for animation in &root.animations {
        for channel in &animation.channels {
            let path = channel.target.path;
            let moves = !matches!(path, Checked::Invalid | Checked::Valid(Property::MorphTargetWeights))
                && channel.sampler.value() < animation.samplers.len();
            if let Some(animated) = animated.get_mut(channel.target.node.value()) {
                *animated |= moves;
            }
        }
    }
    animated
}

/// Returns these nodes and their descendants in depth-first order.
fn below(nodes: &[json::Node], mut open: Vec<usize>) -> Vec<usize> {
    let mut reached = vec![false; nodes.len()];
    let mut order = Vec::new();
    open.reverse();
    while let Some(index) = open.pop() {
        if !std::mem::replace(&mut reached[index], true) {
            order.push(index);
            open.extend(nodes[index].children.iter().flatten().rev().map(|child| child.value()));
        }
    }
    order
}

/// Returns the range in the order of each node and its descendants; empty for nodes outside the order.
fn ranges(order: &[usize], parents: &[Option<usize>]) -> Vec<Range<usize>> {
    let mut ranges = vec![0..0; parents.len()];
    for (place, node) in order.iter().enumerate() {
        ranges[*node] = place..place + 1;
    }
    for node in order.iter().rev() {
        if let Some(parent) = parents[*node] {
            ranges[parent].end = ranges[parent].end.max(ranges[*node].end);
        }
    }
    ranges
}

/// Returns the roots of the chosen scene; all roots if the file has no scene.
fn scene_roots(file: &GltfFile, parents: &[Option<usize>], losses: &mut Vec<Loss>) -> Vec<usize> {
    let root = &file.root;
    let chosen = root.scene.map_or(0, |scene| scene.value());
    for (index, _) in root.scenes.iter().enumerate().filter(|(index, _)| *index != chosen) {
        losses.push(Loss::dropped(format!("scenes[{index}]"), format!("only scenes[{chosen}] is read")));
    }
    match root.scenes.get(chosen) {
        Some(scene) => scene.nodes.iter().map(|node| node.value()).collect(),
        None => (0..root.nodes.len()).filter(|index| parents[*index].is_none()).collect(),
    }
}

/// Returns the transform of a node, or its matrix as `Err`.
pub(super) fn to_transform(node: &json::Node) -> Result<Transform, Mat4> {
    let default = Transform::default();
    match node.matrix {
        Some(matrix) => Err(Mat4::from_cols_array(&matrix)),
        None => Ok(Transform {
            translation: node.translation.unwrap_or(default.translation),
            rotation: node.rotation.map_or(default.rotation, |rotation| rotation.0),
            scale: node.scale.unwrap_or(default.scale),
        }),
    }
}

/// Returns the coarser levels of detail of a node.
pub(super) fn coarser(file: &GltfFile, node: usize, losses: &mut Vec<Loss>) -> Vec<usize> {
    let nodes = &file.root.nodes;
    let lods = nodes[node].extensions.as_ref().and_then(|extensions| extensions.others.get(LOD));
    let ids = lods.and_then(|lods| lods.get("ids")).and_then(Value::as_array).into_iter().flatten();
    let is_there = |id: &&Value| id.as_u64().is_some_and(|id| id < nodes.len() as u64);
    let (there, missing): (Vec<_>, Vec<_>) = ids.partition(is_there);
    for id in missing {
        let loss = Loss::dropped(format!("nodes[{node}].extensions.{LOD}"), "reference to a missing node");
        losses.push(loss.detail(format_args!("{id} of {}", nodes.len())));
    }
    there.into_iter().filter_map(|id| Some(id.as_u64()? as usize)).collect()
}

/// Returns the minimum distance in metres at which a node is shown, if the extras of this crate hold it.
pub(super) fn distance(node: &json::Node) -> Option<f32> {
    let own = super::take_own(&mut extras(&node.extras));
    own.get("distance").and_then(Value::as_f64).map(|distance| distance as f32)
}
