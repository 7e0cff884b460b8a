//! Reads names and extras.
//!
//! A scene mesh combines the names and extras of its node, mesh and primitive. Names and extras of empty nodes are
//! listed as losses.

use std::collections::HashMap;

use ::gltf::json;
use serde_json::Value;

use super::file::{GltfFile, read_extras};
use super::hierarchy::Hierarchy;
use super::skeleton::NodeJoints;
use super::{LIGHTS, TOP_NODE_NAME, label, node_extension, take_meshspec_extras};
use crate::scene::{Extras, Mesh};
use crate::{Category, Loss};

/// The objects of the file that a scene mesh is read from.
pub(super) struct MeshOrigin<'a> {
    pub root: &'a json::Root,
    pub node: usize,
    /// The parent of the node, or of the finest level of detail.
    pub parent: Option<usize>,
    pub mesh: usize,
    /// The index of the primitive in the mesh.
    pub primitive: usize,
    /// The path of the primitive.
    pub at: &'a str,
    /// The number of losses before the node was read.
    pub losses_before: usize,
    /// Whether a placement stores the name and extras of the node.
    pub is_placed: bool,
}

impl MeshOrigin<'_> {
    /// Sets the name and merges the extras. Lists overridden extras as losses. Primitives override meshes, which
    /// override nodes.
    pub fn set_name_and_extras(&self, mesh: &mut Mesh, losses: &mut Vec<Loss>) {
        let (node, entry) = (&self.root.nodes[self.node], &self.root.meshes[self.mesh]);
        let named = [&entry.name, &node.name]
            .into_iter()
            .flatten()
            .find(|name| !name.is_empty());
        mesh.name = named.cloned().unwrap_or_default();
        let own = if self.is_placed {
            Extras::new()
        } else {
            read_extras(&node.extras)
        };
        let sources = [
            (format!("nodes[{}]", self.node), own),
            (format!("meshes[{}]", self.mesh), read_extras(&entry.extras)),
            (self.at.to_owned(), std::mem::take(&mut mesh.extras)),
        ];
        let mut meshspec_extras = Extras::new();
        let mut source_paths = HashMap::new();
        for (path, extras) in &sources {
            let mut extras = extras.clone();
            meshspec_extras.extend(take_meshspec_extras(&mut extras));
            for (key, value) in extras {
                let source = source_paths.insert(key.clone(), path);
                let old = mesh
                    .extras
                    .insert(key.clone(), value.clone())
                    .filter(|old| *old != value);
                if let (Some(source), Some(old)) = (source, old) {
                    let message = "extras conflict with extras of the mesh or primitive";
                    let loss = Loss::dropped(format!("{source}.extras.{key}"), message);
                    let loss = loss.with_detail(format_args!("{old}, but {path} has {value}"));
                    // Other primitives of the same mesh may have listed the same loss.
                    if losses
                        .get(self.losses_before..)
                        .is_some_and(|own| !own.contains(&loss))
                    {
                        losses.push(loss);
                    }
                }
            }
        }
        mesh.flat = meshspec_extras
            .get("flat")
            .and_then(Value::as_bool)
            .unwrap_or(false);
        if let Some(name) = meshspec_extras.get("name").and_then(Value::as_str) {
            mesh.name = name.to_owned();
        }
    }

    /// Records losses for the names of the node and the glTF mesh, unless one of `meshes` has the same name.
    /// `has_node_name` is set if a joint or a placement keeps the node name.
    pub fn record_names(&self, meshes: &[Mesh], has_node_name: bool, losses: &mut Vec<Loss>) {
        let node = self.root.nodes[self.node]
            .name
            .as_ref()
            .filter(|_| !has_node_name);
        let names = [
            (format!("nodes[{}].name", self.node), node),
            (
                format!("meshes[{}].name", self.mesh),
                self.root.meshes[self.mesh].name.as_ref(),
            ),
        ];
        for (path, name) in names {
            let Some(name) = name.filter(|name| !name.is_empty()) else {
                continue;
            };
            if let Some(first) = meshes
                .first()
                .filter(|_| meshes.iter().all(|mesh| mesh.name != *name))
            {
                let loss = Loss::dropped(path, "a mesh has a single name");
                losses.push(
                    loss.with_detail(format!("\"{name}\"; the mesh is called \"{}\"", first.name)),
                );
            }
        }
    }
}

/// Records losses for nodes of the scene that have a name or extras, but no mesh, and are not joints. The module
/// `unsupported` lists the names of cameras and lights.
pub(super) fn record_empty_nodes(
    file: &GltfFile,
    hierarchy: &Hierarchy,
    joints: &NodeJoints,
    losses: &mut Vec<Loss>,
) {
    let root = &file.root;
    // `joints` does not contain placeholder joints of scenes without a skeleton.
    let mut is_joint: Vec<bool> = (0..root.nodes.len())
        .map(|node| joints.joint_of(node).is_some())
        .collect();
    for joint in root.skins.iter().flat_map(|skin| &skin.joints) {
        is_joint[joint.value()] = true;
    }
    let mut empties = Vec::new();
    for (index, node) in root.nodes.iter().enumerate() {
        if is_joint[index] || !hierarchy.is_in_scene[index] || node.mesh.is_some() {
            continue;
        }
        let is_listed = node.camera.is_some() || node_extension(node, LIGHTS).is_some();
        // Writing restores the name of the top node.
        let default_name = if hierarchy.top_node == Some(index) {
            TOP_NODE_NAME
        } else {
            ""
        };
        let is_lost = |name: &&str| !name.is_empty() && *name != default_name && !is_listed;
        let name = node.name.as_deref().filter(is_lost);
        let mut extras = read_extras(&node.extras);
        take_meshspec_extras(&mut extras);
        let names: Vec<_> = extras.keys().map(String::as_str).collect();
        match (name, &*names) {
            (None, []) => {}
            (_, []) => empties.push(label("nodes", index, name)),
            _ => empties.push(format!(
                "{} (extras: {})",
                label("nodes", index, name),
                names.join(" ")
            )),
        }
    }
    let loss =
        Loss::dropped("nodes", "empty objects are not converted").in_category(Category::Names);
    losses.extend(loss.listing(empties));
}

/// Records losses for the meshes that the scene does not use.
pub(super) fn record_unused_meshes(is_used: &[bool], losses: &mut Vec<Loss>) {
    for (index, _) in is_used.iter().enumerate().filter(|(_, is_used)| !**is_used) {
        losses.push(Loss::dropped(
            format!("meshes[{index}]"),
            "the scene does not use the mesh",
        ));
    }
}
