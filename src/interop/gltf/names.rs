//! Names and extras.
//!
//! A scene mesh combines the names and extras of its node, mesh and primitive. Names and extras of empty nodes are
//! listed as losses.

use std::collections::HashMap;

use ::gltf::json;
use serde_json::Value;

use super::file::{GltfFile, extras};
use super::hierarchy::Hierarchy;
use super::skeleton::Joints;
use super::{LIGHTS, TOP, label, take_own};
use crate::scene::{Extras, Mesh};
use crate::{Category, Loss};

/// The origin of a mesh of the scene.
pub(super) struct Origin<'a> {
    pub root: &'a json::Root,
    pub node: usize,
    pub mesh: usize,
    /// The path of the primitive.
    pub at: &'a str,
    /// The number of losses before those of the node.
    pub listed: usize,
    /// Whether a placement stores the name and extras of the node.
    pub is_placed: bool,
}

impl Origin<'_> {
    /// Sets the name of the mesh and merges the extras. Those of the primitive override those of the mesh, which override
    /// those of the node; overridden extras are listed.
    pub fn gather(&self, mesh: &mut Mesh, losses: &mut Vec<Loss>) {
        let (node, entry) = (&self.root.nodes[self.node], &self.root.meshes[self.mesh]);
        let named = [&entry.name, &node.name].into_iter().flatten().find(|name| !name.is_empty());
        mesh.name = named.cloned().unwrap_or_default();
        let own = if self.is_placed { Extras::new() } else { extras(&node.extras) };
        let sources = [
            (format!("nodes[{}]", self.node), own),
            (format!("meshes[{}]", self.mesh), extras(&entry.extras)),
            (self.at.to_owned(), std::mem::take(&mut mesh.extras)),
        ];
        let mut known = Extras::new();
        let mut holders = HashMap::new();
        for (path, extras) in &sources {
            let mut extras = extras.clone();
            known.extend(take_own(&mut extras));
            for (key, value) in extras {
                let holder = holders.insert(key.clone(), path);
                let old = mesh.extras.insert(key.clone(), value.clone()).filter(|old| *old != value);
                if let (Some(holder), Some(old)) = (holder, old) {
                    let message = "extras of the same name as those of a mesh or primitive";
                    let loss = Loss::dropped(format!("{holder}.extras.{key}"), message);
                    let loss = loss.detail(format_args!("{old}, but {path} has {value}"));
                    // Other primitives of the same mesh may have listed the same loss.
                    if losses.get(self.listed..).is_some_and(|own| !own.contains(&loss)) {
                        losses.push(loss);
                    }
                }
            }
        }
        mesh.flat = known.get("flat").and_then(Value::as_bool).unwrap_or(false);
        if let Some(name) = known.get("name").and_then(Value::as_str) {
            mesh.name = name.to_owned();
        }
    }

    /// Lists the names of node and mesh that no mesh of the scene got. A joint keeps the name of its node.
    pub fn list_names(&self, meshes: &[Mesh], is_joint: bool, losses: &mut Vec<Loss>) {
        let node = self.root.nodes[self.node].name.as_ref().filter(|_| !is_joint);
        let names = [
            (format!("nodes[{}].name", self.node), node),
            (format!("meshes[{}].name", self.mesh), self.root.meshes[self.mesh].name.as_ref()),
        ];
        for (path, name) in names {
            let Some(name) = name.filter(|name| !name.is_empty()) else { continue };
            if let Some(first) = meshes.first().filter(|_| meshes.iter().all(|mesh| mesh.name != *name)) {
                let loss = Loss::dropped(path, "a mesh keeps one name");
                losses.push(loss.detail(format_args!("\"{name}\"; the mesh is called \"{}\"", first.name)));
            }
        }
    }
}

/// Lists the empty nodes of the scene with a name or extras, which are neither meshes nor joints. Cameras and lights are
/// listed separately.
pub(super) fn list_nodes(file: &GltfFile, hierarchy: &Hierarchy, joints: &Joints, losses: &mut Vec<Loss>) {
    let root = &file.root;
    // Placeholder joints of skins without a skeleton are not in `joints`.
    let mut kept: Vec<bool> = (0..root.nodes.len()).map(|node| joints.of_node(node).is_some()).collect();
    for joint in root.skins.iter().flat_map(|skin| &skin.joints) {
        kept[joint.value()] = true;
    }
    let mut empties = Vec::new();
    for (index, node) in root.nodes.iter().enumerate() {
        if kept[index] || !hierarchy.shown[index] || node.mesh.is_some() {
            continue;
        }
        let is_listed = node.camera.is_some()
            || node.extensions.as_ref().is_some_and(|extensions| extensions.others.contains_key(LIGHTS));
        // Writing restores the name of the top node.
        let known = if hierarchy.top == Some(index) { TOP } else { "" };
        let name = node.name.as_deref().filter(|name| !name.is_empty() && *name != known && !is_listed);
        let mut extras = extras(&node.extras);
        take_own(&mut extras);
        let names: Vec<_> = extras.keys().map(String::as_str).collect();
        match (name, &*names) {
            (None, []) => {}
            (_, []) => empties.push(label("nodes", index, name)),
            _ => empties.push(format!("{} (extras: {})", label("nodes", index, name), names.join(" "))),
        }
    }
    if !empties.is_empty() {
        let loss = Loss::dropped("nodes", "empty objects are not converted").naming(empties);
        losses.push(loss.in_category(Category::Names));
    }
}

/// Lists the meshes not used by the scene.
pub(super) fn list_unused(shown: &[bool], losses: &mut Vec<Loss>) {
    for (index, _) in shown.iter().enumerate().filter(|(_, shown)| !**shown) {
        losses.push(Loss::dropped(format!("meshes[{index}]"), "meshes not used by the scene"));
    }
}
