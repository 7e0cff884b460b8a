//! The nodes, skin and meshes of an output file.
//!
//! The joints come first, so that node indices equal joint indices. All joints must have a common root: the top node,
//! which has the scene transform. Its children are the root joints and the unskinned meshes. Skinned meshes are root
//! nodes, since transforms of ancestors do not move them.

use std::collections::HashSet;

use glam::DVec3;
use serde_json::{Value, json};

use super::attributes::{mesh_extras, write_primitive};
use super::buffer::{AccessorType, Buffer, Stream, ViewUse};
use super::entries::{RawEntry, to_raw_entries, to_raw_entry};
use super::materials::Materials;
use super::repair::OutputJoints;
use super::{
    INSTANCING, LOD, Object, TOP_NODE_NAME, set_extras, set_if, set_meshspec_extra,
    set_meshspec_extra_if, set_text,
};
use crate::Loss;
use crate::scene::placement::is_diagonal;
use crate::scene::{Extras, Joint, Mesh, Placement, Scene, Transform};

/// The nodes, skin and meshes of an output file, and the buffer with their values.
#[derive(Default)]
pub(super) struct NodeGraph<'a> {
    joints: OutputJoints,
    pub buffer: Buffer<'a>,
    /// The joints, then the top node.
    nodes: Vec<Value>,
    /// The nodes with meshes.
    mesh_nodes: Vec<RawEntry>,
    pub meshes: Vec<RawEntry>,
    pub skins: Vec<Value>,
    pub materials: Materials<'a>,
    /// The root nodes of the scene.
    pub roots: Vec<usize>,
    /// The children of the top node; `None` if there is no top node, or it is complete.
    top_children: Option<Vec<usize>>,
    /// Whether any node has instances.
    pub has_instances: bool,
}

impl<'a> NodeGraph<'a> {
    pub fn new(scene: &'a Scene, joints: OutputJoints, losses: &mut Vec<Loss>) -> NodeGraph<'a> {
        let mut graph = NodeGraph {
            joints,
            ..NodeGraph::default()
        };
        let root_joints = graph.add_joints(scene);
        if joints.total() > 0 {
            graph
                .skins
                .push(skin_entry(scene, joints, &mut graph.buffer));
        }
        let top = graph.nodes.len();
        if joints.total() > 0 || scene.transform.is_some() {
            graph.nodes.push(json!({ "name": TOP_NODE_NAME }));
            graph.roots.push(top);
            graph.top_children = Some(root_joints);
        }
        let lod_meshes: HashSet<_> = scene.lods.iter().flat_map(|lod| &lod.meshes).collect();
        for (index, mesh) in scene.meshes.iter().enumerate() {
            if mesh.positions.is_empty() {
                losses.push(Loss::dropped(
                    format!("meshes[{index}]"),
                    "glTF has no meshes without vertices",
                ));
            }
            if !lod_meshes.contains(&index) {
                graph.add_mesh_nodes(mesh);
            }
        }
        graph.add_lods(scene);
        if graph.roots.is_empty() {
            // Some readers require that a scene has a node.
            let node = graph.add_node(&json!({ "name": TOP_NODE_NAME }));
            graph.roots.push(node);
        }
        if let Some(children) = graph.top_children.take() {
            let node = &mut graph.nodes[top];
            if !children.is_empty() {
                node["children"] = children.into();
            }
            if let Some(matrix) = scene.transform {
                node["matrix"] = matrix.to_cols_array().to_vec().into();
            }
        }
        graph
    }

    /// Removes and returns all nodes, in order.
    pub fn take_nodes(&mut self) -> Vec<RawEntry> {
        let mut nodes = to_raw_entries(&std::mem::take(&mut self.nodes));
        nodes.append(&mut self.mesh_nodes);
        nodes
    }

    /// Adds a node after the joints and the top node. Returns its index.
    fn add_node(&mut self, node: &Value) -> usize {
        self.mesh_nodes.push(to_raw_entry(node));
        self.nodes.len() + self.mesh_nodes.len() - 1
    }

    /// Attaches a node to the top node if it is unskinned and there is a top node, otherwise to the scene.
    fn attach_node(&mut self, node: usize, is_skinned: bool) {
        let children = self.top_children.as_mut().filter(|_| !is_skinned);
        children.unwrap_or(&mut self.roots).push(node);
    }

    /// Adds a mesh and the nodes that reference it.
    fn add_mesh_nodes(&mut self, mesh: &'a Mesh) {
        let Some(plain) = self.add_mesh(&[mesh]) else {
            return;
        };
        let is_skinned = plain.contains_key("skin");
        if mesh.placements.is_empty() {
            let node = self.add_node(&plain.into());
            return self.attach_node(node, is_skinned);
        }
        for placement in &mesh.placements {
            let mut node = plain.clone();
            add_placement(&mut node, placement, &mut self.buffer);
            self.has_instances |= !placement.instances.is_empty();
            let node = self.add_node(&node.into());
            self.attach_node(node, is_skinned);
        }
    }

    /// Adds one node per joint. Returns the root joints.
    fn add_joints(&mut self, scene: &Scene) -> Vec<usize> {
        let joints = self.joints;
        if joints.are_placeholders {
            self.nodes
                .extend((0..joints.count).map(|joint| json!({ "name": format!("joint {joint}") })));
        }
        let mut children = vec![Vec::new(); scene.skeleton.joints.len()];
        let mut roots: Vec<usize> = (0..joints.total()).collect();
        for (index, joint) in scene.skeleton.joints.iter().enumerate() {
            if let Some(siblings) = joint.parent.and_then(|parent| children.get_mut(parent)) {
                siblings.push(index);
            }
            self.nodes
                .push(joint_node(joint, &scene.skeleton.rest_transform(index)));
        }
        if !joints.are_placeholders {
            let joints = &scene.skeleton.joints;
            roots.retain(|index| {
                joints
                    .get(*index)
                    .is_none_or(|joint| joint.parent.is_none())
            });
        }
        for (node, children) in self
            .nodes
            .iter_mut()
            .zip(children)
            .filter(|(_, list)| !list.is_empty())
        {
            node["children"] = children.into();
        }
        if joints.has_static_joint {
            self.nodes.push(json!({ "name": "still" }));
        }
        roots
    }

    /// Adds the meshes as primitives of a single mesh. Returns a node that references it; `None` without vertices.
    fn add_mesh(&mut self, meshes: &[&'a Mesh]) -> Option<Object> {
        let is_combined = meshes.len() > 1;
        let mut node = Object::new();
        let mut entry = Object::new();
        let mut primitives: Vec<Value> = Vec::new();
        for mesh in meshes.iter().filter(|mesh| !mesh.positions.is_empty()) {
            let mut primitive = write_primitive(mesh, self.joints, &mut self.buffer);
            if let Some(material) = self.materials.add(&mesh.material, &mut self.buffer) {
                primitive.insert("material".to_owned(), material.into());
            }
            let target = if is_combined {
                &mut primitive
            } else {
                &mut entry
            };
            set_extras(target, mesh_extras(mesh, is_combined));
            if !is_combined {
                set_text(&mut entry, "name", &mesh.name);
                set_text(&mut node, "name", &mesh.name);
            }
            set_if(&mut node, !mesh.skins.is_empty(), "skin", 0);
            primitives.push(primitive.into());
        }
        if primitives.is_empty() {
            return None;
        }
        node.insert("mesh".to_owned(), self.meshes.len().into());
        entry.insert("primitives".to_owned(), primitives.into());
        self.meshes.push(to_raw_entry(&entry.into()));
        Some(node)
    }

    /// Adds one node per level of detail, with its meshes as primitives. Attaches the node of the finest level, which
    /// refers to the others.
    fn add_lods(&mut self, scene: &'a Scene) {
        let mut lods: Vec<_> = scene.lods.iter().collect();
        lods.sort_by(|a, b| a.distance.total_cmp(&b.distance));
        let mut nodes = Vec::new();
        for lod in lods {
            let meshes: Vec<_> = lod
                .meshes
                .iter()
                .filter_map(|mesh| scene.meshes.get(*mesh))
                .collect();
            let mut node = self.add_mesh(&meshes).unwrap_or_default();
            let mut extras = Extras::new();
            set_meshspec_extra(&mut extras, "distance", lod.distance);
            node.insert("extras".to_owned(), extras.into());
            nodes.push(node);
        }
        let first = self.nodes.len() + self.mesh_nodes.len();
        let others: Vec<usize> = (1..nodes.len()).map(|level| first + level).collect();
        let Some(finest) = nodes.first_mut() else {
            return;
        };
        let is_skinned = finest.contains_key("skin");
        if !others.is_empty() {
            finest.insert("extensions".to_owned(), json!({ LOD: { "ids": others } }));
        }
        for node in nodes {
            self.add_node(&node.into());
        }
        self.attach_node(first, is_skinned);
    }
}

fn add_placement(node: &mut Object, placement: &Placement, buffer: &mut Buffer) {
    let Placement {
        name,
        transform,
        instances,
        extras,
    } = placement;
    node.remove("name");
    set_text(node, "name", name);
    if is_diagonal(*transform) {
        let [translation, scale] = [transform.w_axis.truncate(), transform.diagonal().truncate()];
        set_if(
            node,
            translation != DVec3::ZERO,
            "translation",
            &translation.to_array()[..],
        );
        set_if(node, scale != DVec3::ONE, "scale", &scale.to_array()[..]);
    } else {
        node.insert(
            "matrix".to_owned(),
            transform.to_cols_array().to_vec().into(),
        );
    }
    if !instances.is_empty() {
        let mut push = |stream: Stream<'static>, name| {
            buffer.push(
                ViewUse::Matrices,
                stream,
                instances.len(),
                AccessorType::floats(name),
            )
        };
        let translations: Vec<_> = instances
            .iter()
            .map(|instance| instance.translation)
            .collect();
        let rotations: Vec<_> = instances.iter().map(|instance| instance.rotation).collect();
        let scales: Vec<_> = instances.iter().map(|instance| instance.scale).collect();
        let attributes = json!({
            "TRANSLATION": push(Stream::owned(&translations), "VEC3"),
            "ROTATION": push(Stream::owned(&rotations), "VEC4"),
            "SCALE": push(Stream::owned(&scales), "VEC3"),
        });
        node.insert(
            "extensions".to_owned(),
            json!({ INSTANCING: { "attributes": attributes } }),
        );
    }
    set_extras(node, extras.clone());
}

fn joint_node(joint: &Joint, rest: &Transform) -> Value {
    let mut node = Object::new();
    set_text(&mut node, "name", &joint.name);
    let default = Transform::default();
    let Transform {
        translation,
        rotation,
        scale,
    } = rest;
    set_if(
        &mut node,
        *translation != default.translation,
        "translation",
        &translation[..],
    );
    set_if(
        &mut node,
        *rotation != default.rotation,
        "rotation",
        &rotation[..],
    );
    set_if(&mut node, *scale != default.scale, "scale", &scale[..]);
    set_extras(&mut node, joint.extras.clone());
    node.into()
}

fn skin_entry(scene: &Scene, joints: OutputJoints, buffer: &mut Buffer) -> Value {
    let mut skin = Object::new();
    skin.insert(
        "joints".to_owned(),
        (0..joints.total()).collect::<Vec<_>>().into(),
    );
    let mut matrices: Vec<[f32; 16]> = scene
        .skeleton
        .joints
        .iter()
        .map(|joint| joint.inverse_bind.to_cols_array())
        .collect();
    if !matrices.is_empty() {
        matrices.resize(joints.total(), glam::Mat4::IDENTITY.to_cols_array());
        let (stream, ty) = (Stream::owned(&matrices), AccessorType::floats("MAT4"));
        let accessor = buffer.push(ViewUse::Matrices, stream, matrices.len(), ty);
        skin.insert("inverseBindMatrices".to_owned(), accessor.into());
    }
    let mut extras = Extras::new();
    set_meshspec_extra_if(&mut extras, joints.are_placeholders, "placeholders", true);
    set_meshspec_extra_if(&mut extras, joints.has_static_joint, "still", true);
    set_extras(&mut skin, extras);
    skin.into()
}
