//! Nodes, skin and meshes of a file to be written.
//!
//! The joints come first, so that a joint's node has its number. Above all joints and unskinned meshes stands one node
//! with the transform of the scene: joints must have a common root. Skinned meshes are roots themselves, since nodes
//! above them do not move them.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};

use super::attributes::{extras, primitive};
use super::data::{Data, Kind, Shape, Stream, Target};
use super::materials::to_factor;
use super::repair::Bones;
use super::{LOD, TOP, set_own};
use crate::Loss;
use crate::scene::{Extras, Joint, Material, Mesh, Scene, Transform};

#[derive(Default)]
pub(super) struct Outline {
    pub nodes: Vec<Value>,
    pub meshes: Vec<Value>,
    pub skins: Vec<Value>,
    pub materials: Vec<Value>,
    /// The nodes of the scene.
    pub roots: Vec<usize>,
    /// Where the materials are that are there already.
    known: HashMap<Material, usize>,
}

impl Outline {
    pub fn new<'a>(scene: &'a Scene, bones: Bones, data: &mut Data<'a>, losses: &mut Vec<Loss>) -> Outline {
        let mut outline = Outline::default();
        let mut below = outline.joints(scene, bones);
        if bones.all() > 0 {
            outline.skins.push(skin(scene, bones, data));
        }
        let top = (bones.all() > 0 || scene.transform.is_some()).then_some(outline.nodes.len());
        if let Some(top) = top {
            outline.nodes.push(json!({ "name": TOP }));
            outline.roots.push(top);
        }
        let levelled: HashSet<usize> = scene.lods.iter().flat_map(|lod| lod.meshes.iter().copied()).collect();
        for (index, mesh) in scene.meshes.iter().enumerate() {
            if mesh.positions.is_empty() {
                losses.push(Loss::dropped(format!("meshes[{index}]"), "glTF has no meshes without vertices"));
            }
            if !levelled.contains(&index) {
                let node = outline.mesh(&[mesh], bones, data);
                outline.place(node, &mut below, top);
            }
        }
        if let Some(node) = outline.lods(scene, bones, data) {
            outline.place(Some(node), &mut below, top);
        }
        if outline.roots.is_empty() {
            // Some readers want a scene to have a node.
            outline.roots.push(outline.nodes.len());
            outline.nodes.push(json!({ "name": TOP }));
        }
        if let Some(top) = top {
            let node = &mut outline.nodes[top];
            if !below.is_empty() {
                node["children"] = below.into();
            }
            if let Some(matrix) = scene.transform {
                node["matrix"] = matrix.to_cols_array().to_vec().into();
            }
        }
        outline
    }

    /// Puts a node below the top or beside it.
    fn place(&mut self, node: Option<usize>, below: &mut Vec<usize>, top: Option<usize>) {
        let Some(node) = node else { return };
        let skinned = self.nodes[node].get("skin").is_some();
        if top.is_some() && !skinned {
            below.push(node);
        } else {
            self.roots.push(node);
        }
    }

    /// A node for each joint. Returns those without a parent.
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

    /// A node with the meshes as primitives of one mesh; `None` if none has vertices.
    fn mesh<'a>(&mut self, meshes: &[&'a Mesh], bones: Bones, data: &mut Data<'a>) -> Option<usize> {
        let several = meshes.len() > 1;
        let mut node = Map::new();
        let mut entry = Map::new();
        let mut primitives: Vec<Value> = Vec::new();
        for mesh in meshes.iter().filter(|mesh| !mesh.positions.is_empty()) {
            let mut primitive = primitive(mesh, bones, data);
            if let Some(material) = self.material(&mesh.material) {
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
        self.meshes.push(entry.into());
        self.nodes.push(node.into());
        Some(self.nodes.len() - 1)
    }

    /// One node for each level of detail, all meshes of which are its primitives. Returns the finest, which names the
    /// others.
    fn lods<'a>(&mut self, scene: &'a Scene, bones: Bones, data: &mut Data<'a>) -> Option<usize> {
        let mut lods: Vec<_> = scene.lods.iter().collect();
        lods.sort_by(|a, b| a.distance.total_cmp(&b.distance));
        let mut nodes = Vec::new();
        for lod in lods {
            let meshes: Vec<_> = lod.meshes.iter().filter_map(|mesh| scene.meshes.get(*mesh)).collect();
            let node = self.mesh(&meshes, bones, data).unwrap_or_else(|| {
                self.nodes.push(json!({}));
                self.nodes.len() - 1
            });
            let mut extras = Extras::new();
            set_own(&mut extras, "distance", lod.distance.into());
            self.nodes[node]["extras"] = extras.into();
            nodes.push(node);
        }
        let (first, others) = nodes.split_first()?;
        if !others.is_empty() {
            self.nodes[*first]["extensions"] = json!({ LOD: { "ids": others } });
        }
        Some(*first)
    }

    /// The index of a material; `None` for one that says nothing.
    fn material(&mut self, material: &Material) -> Option<usize> {
        if *material == Material::default() {
            return None;
        }
        if let Some(index) = self.known.get(material) {
            return Some(*index);
        }
        let mut entry = Map::new();
        if !material.name.is_empty() {
            entry.insert("name".to_owned(), material.name.as_str().into());
        }
        // What shines like metal would be black without surroundings.
        let mut look = json!({ "metallicFactor": 0.0 });
        if let Some(color) = material.color {
            look["baseColorFactor"] = to_factor(color).to_vec().into();
        }
        entry.insert("pbrMetallicRoughness".to_owned(), look);
        let mut extras = Extras::new();
        set_own(&mut extras, "color", json!(material.color));
        if !material.texture.is_empty() {
            set_own(&mut extras, "texture", material.texture.as_str().into());
        }
        entry.insert("extras".to_owned(), extras.into());
        self.materials.push(entry.into());
        self.known.insert(material.clone(), self.materials.len() - 1);
        Some(self.materials.len() - 1)
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
