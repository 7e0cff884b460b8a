//! The nodes, skin and meshes of an output file.
//!
//! The joints come first, so that node and joint indices are equal. Joints must have a common root: a top node, with the
//! transform of the scene, is the parent of root joints and unskinned meshes. Skinned meshes are root nodes, since their
//! ancestors do not move them.

use std::collections::HashSet;

use glam::DVec3;
use serde_json::{Map, Value, json};

use super::attributes::{extras, primitive};
use super::data::{Data, Kind, Shape, Stream, Target};
use super::entries::{Entry, entry, list};
use super::materials::Materials;
use super::repair::Bones;
use super::{INSTANCING, LOD, TOP, set_own};
use crate::Loss;
use crate::scene::placement::is_diagonal;
use crate::scene::{Extras, Joint, Mesh, Placement, Scene, Transform};

#[derive(Default)]
pub(super) struct NodeGraph<'a> {
    /// The joints, then the top node.
    nodes: Vec<Value>,
    /// The nodes with meshes.
    shown: Vec<Entry>,
    pub meshes: Vec<Entry>,
    pub skins: Vec<Value>,
    pub materials: Materials<'a>,
    /// The root nodes of the scene.
    pub roots: Vec<usize>,
    /// Whether a node has instances.
    pub has_instances: bool,
}

impl<'a> NodeGraph<'a> {
    pub fn new(scene: &'a Scene, bones: Bones, data: &mut Data<'a>, losses: &mut Vec<Loss>) -> NodeGraph<'a> {
        let mut graph = NodeGraph::default();
        let mut below = graph.joints(scene, bones);
        if bones.all() > 0 {
            graph.skins.push(skin(scene, bones, data));
        }
        let top = (bones.all() > 0 || scene.transform.is_some()).then_some(graph.nodes.len());
        if let Some(top) = top {
            graph.nodes.push(json!({ "name": TOP }));
            graph.roots.push(top);
        }
        let levelled: HashSet<usize> = scene.lods.iter().flat_map(|lod| lod.meshes.iter().copied()).collect();
        for (index, mesh) in scene.meshes.iter().enumerate() {
            if mesh.positions.is_empty() {
                losses.push(Loss::dropped(format!("meshes[{index}]"), "glTF has no meshes without vertices"));
            }
            if !levelled.contains(&index) {
                graph.mesh_nodes(mesh, bones, data, |graph, node, skinned| {
                    graph.place(node, skinned, &mut below, top);
                });
            }
        }
        if let Some((node, skinned)) = graph.lods(scene, bones, data) {
            graph.place(node, skinned, &mut below, top);
        }
        if graph.roots.is_empty() {
            // Some readers require a scene to have a node.
            let node = graph.show(&json!({ "name": TOP }));
            graph.roots.push(node);
        }
        if let Some(top) = top {
            let node = &mut graph.nodes[top];
            if !below.is_empty() {
                node["children"] = below.into();
            }
            if let Some(matrix) = scene.transform {
                node["matrix"] = matrix.to_cols_array().to_vec().into();
            }
        }
        graph
    }

    /// Takes all nodes, in order.
    pub fn take_nodes(&mut self) -> Vec<Entry> {
        let mut nodes = list(&std::mem::take(&mut self.nodes));
        nodes.append(&mut self.shown);
        nodes
    }

    /// Adds a node after the joints and the top node. Returns its index.
    fn show(&mut self, node: &Value) -> usize {
        self.shown.push(entry(node));
        self.nodes.len() + self.shown.len() - 1
    }

    /// Adds a node to the children of the top node, or to the roots.
    fn place(&mut self, node: usize, skinned: bool, below: &mut Vec<usize>, top: Option<usize>) {
        if top.is_some() && !skinned {
            below.push(node);
        } else {
            self.roots.push(node);
        }
    }

    /// Adds the nodes that show a mesh, and passes each to `place`.
    fn mesh_nodes(
        &mut self,
        mesh: &'a Mesh,
        bones: Bones,
        data: &mut Data<'a>,
        mut place: impl FnMut(&mut NodeGraph<'a>, usize, bool),
    ) {
        let Some(plain) = self.mesh(&[mesh], bones, data) else { return };
        let skinned = plain.contains_key("skin");
        if mesh.placements.is_empty() {
            let node = self.show(&plain.into());
            return place(self, node, skinned);
        }
        for placement in &mesh.placements {
            let mut node = plain.clone();
            add_placement(&mut node, placement, data);
            self.has_instances |= !placement.instances.is_empty();
            let node = self.show(&node.into());
            place(self, node, skinned);
        }
    }

    /// Adds a node per joint. Returns the root joints.
    fn joints(&mut self, scene: &Scene, bones: Bones) -> Vec<usize> {
        if bones.placeholders {
            self.nodes.extend((0..bones.count).map(|joint| json!({ "name": format!("joint {joint}") })));
        }
        let mut children = vec![Vec::new(); scene.skeleton.joints.len()];
        let mut roots: Vec<usize> = (0..bones.all()).collect();
        for (index, joint) in scene.skeleton.joints.iter().enumerate() {
            if let Some(siblings) = joint.parent.and_then(|parent| children.get_mut(parent)) {
                siblings.push(index);
            }
            self.nodes.push(joint_node(joint, &scene.skeleton.rest(index)));
        }
        if !bones.placeholders {
            roots
                .retain(|index| scene.skeleton.joints.get(*index).is_none_or(|joint| joint.parent.is_none()));
        }
        for (node, children) in self.nodes.iter_mut().zip(children).filter(|(_, list)| !list.is_empty()) {
            node["children"] = children.into();
        }
        if bones.still {
            self.nodes.push(json!({ "name": "still" }));
        }
        roots
    }

    /// Adds the meshes as primitives of a single mesh. Returns a node that shows it; `None` without vertices.
    fn mesh(&mut self, meshes: &[&'a Mesh], bones: Bones, data: &mut Data<'a>) -> Option<Map<String, Value>> {
        let several = meshes.len() > 1;
        let mut node = Map::new();
        let mut entry = Map::new();
        let mut primitives: Vec<Value> = Vec::new();
        for mesh in meshes.iter().filter(|mesh| !mesh.positions.is_empty()) {
            let mut primitive = primitive(mesh, bones, data);
            if let Some(material) = self.materials.index(&mesh.material, data) {
                primitive.insert("material".to_owned(), material.into());
            }
            let extras = extras(mesh, several);
            if !extras.is_empty() {
                let holder = if several { &mut primitive } else { &mut entry };
                holder.insert("extras".to_owned(), extras.into());
            }
            if !several && !mesh.name.is_empty() {
                entry.insert("name".to_owned(), mesh.name.as_str().into());
                node.insert("name".to_owned(), mesh.name.as_str().into());
            }
            if !mesh.skins.is_empty() {
                node.insert("skin".to_owned(), 0.into());
            }
            primitives.push(primitive.into());
        }
        if primitives.is_empty() {
            return None;
        }
        node.insert("mesh".to_owned(), self.meshes.len().into());
        entry.insert("primitives".to_owned(), primitives.into());
        self.meshes.push(super::entries::entry(&entry.into()));
        Some(node)
    }

    /// Adds a node per level of detail, with the meshes of the level as primitives. Returns the finest node, which refers
    /// to the others, and whether it is skinned.
    fn lods(&mut self, scene: &'a Scene, bones: Bones, data: &mut Data<'a>) -> Option<(usize, bool)> {
        let mut lods: Vec<_> = scene.lods.iter().collect();
        lods.sort_by(|a, b| a.distance.total_cmp(&b.distance));
        let mut nodes = Vec::new();
        for lod in lods {
            let meshes: Vec<_> = lod.meshes.iter().filter_map(|mesh| scene.meshes.get(*mesh)).collect();
            let mut node = self.mesh(&meshes, bones, data).unwrap_or_default();
            let mut extras = Extras::new();
            set_own(&mut extras, "distance", lod.distance.into());
            node.insert("extras".to_owned(), extras.into());
            nodes.push(node);
        }
        let first = self.nodes.len() + self.shown.len();
        let skinned = nodes.first()?.contains_key("skin");
        let others: Vec<usize> = (1..nodes.len()).map(|level| first + level).collect();
        if !others.is_empty() {
            nodes[0].insert("extensions".to_owned(), json!({ LOD: { "ids": others } }));
        }
        for node in nodes {
            self.show(&node.into());
        }
        Some((first, skinned))
    }
}

fn add_placement(node: &mut Map<String, Value>, placement: &Placement, data: &mut Data) {
    let Placement { name, transform, instances, extras } = placement;
    node.remove("name");
    if !name.is_empty() {
        node.insert("name".to_owned(), name.as_str().into());
    }
    if is_diagonal(*transform) {
        let [translation, scale] = [transform.w_axis.truncate(), transform.diagonal().truncate()];
        if translation != DVec3::ZERO {
            node.insert("translation".to_owned(), translation.to_array().to_vec().into());
        }
        if scale != DVec3::ONE {
            node.insert("scale".to_owned(), scale.to_array().to_vec().into());
        }
    } else {
        node.insert("matrix".to_owned(), transform.to_cols_array().to_vec().into());
    }
    if !instances.is_empty() {
        let mut push = |stream: Stream<'static>, name| {
            data.push(Target::Matrices, stream, instances.len(), Shape::new(Kind::F32, name))
        };
        let translations: Vec<_> = instances.iter().map(|instance| instance.translation).collect();
        let rotations: Vec<_> = instances.iter().map(|instance| instance.rotation).collect();
        let scales: Vec<_> = instances.iter().map(|instance| instance.scale).collect();
        let attributes = json!({
            "TRANSLATION": push(Stream::owned(&translations), "VEC3"),
            "ROTATION": push(Stream::owned(&rotations), "VEC4"),
            "SCALE": push(Stream::owned(&scales), "VEC3"),
        });
        node.insert("extensions".to_owned(), json!({ INSTANCING: { "attributes": attributes } }));
    }
    if !extras.is_empty() {
        node.insert("extras".to_owned(), extras.clone().into());
    }
}

fn joint_node(joint: &Joint, rest: &Transform) -> Value {
    let mut node = Map::new();
    if !joint.name.is_empty() {
        node.insert("name".to_owned(), joint.name.as_str().into());
    }
    let default = Transform::default();
    if rest.translation != default.translation {
        node.insert("translation".to_owned(), rest.translation.to_vec().into());
    }
    if rest.rotation != default.rotation {
        node.insert("rotation".to_owned(), rest.rotation.to_vec().into());
    }
    if rest.scale != default.scale {
        node.insert("scale".to_owned(), rest.scale.to_vec().into());
    }
    if !joint.extras.is_empty() {
        node.insert("extras".to_owned(), joint.extras.clone().into());
    }
    node.into()
}

fn skin(scene: &Scene, bones: Bones, data: &mut Data) -> Value {
    let mut skin = json!({ "joints": (0..bones.all()).collect::<Vec<_>>() });
    let mut matrices: Vec<[f32; 16]> =
        scene.skeleton.joints.iter().map(|joint| joint.inverse_bind.to_cols_array()).collect();
    if !matrices.is_empty() {
        matrices.resize(bones.all(), glam::Mat4::IDENTITY.to_cols_array());
        let shape = Shape::new(Kind::F32, "MAT4");
        let accessor = data.push(Target::Matrices, Stream::owned(&matrices), matrices.len(), shape);
        skin["inverseBindMatrices"] = accessor.into();
    }
    let mut extras = Extras::new();
    if bones.placeholders {
        set_own(&mut extras, "placeholders", true.into());
    }
    if bones.still {
        set_own(&mut extras, "still", true.into());
    }
    if !extras.is_empty() {
        skin["extras"] = extras.into();
    }
    skin
}
