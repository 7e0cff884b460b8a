//! Reads glTF as a scene.

use std::collections::HashMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use glam::{DMat4, Mat4};
use serde_json::Value;

use super::errors::ReadLog;
use super::file::{GltfFile, read_extras};
use super::hierarchy::{Hierarchy, coarser_levels, lod_distance};
use super::materials::{self, MaterialEntry};
use super::names::{self, MeshOrigin};
use super::skeleton::NodeJoints;
use super::{INSTANCING, curves, instances, primitive, take_meshspec_extras};
use crate::interop::{Files, ReadResult};
use crate::scene::limits::{check_instance_limit, check_mesh_limit, check_triangle_limit};
use crate::scene::{
    Conventions, Lod, Mesh, Placement, Scene, SceneOptions, Skin, Source, Transform,
};
use crate::{Limits, Loss, LossKind, Quantity, Result};

pub(in crate::interop) const CONVENTIONS: Conventions = Conventions::GLTF;

/// The maximum memory, in bytes, that a byte of JSON takes when parsed: a digit and its comma become a `Value`.
const MEMORY_PER_JSON_BYTE: u64 = 16;

/// Reads a `.glb` or `.gltf` file, detected by its magic bytes. A file whose meshes have only lines becomes a scene
/// without meshes, and lists them.
///
/// Returns an error if the file is not valid glTF 2.0, none of its meshes can be read, no node uses them and there are no
/// joints, or a limit is exceeded.
pub fn read(
    bytes: &[u8],
    files: &dyn Files,
    options: &SceneOptions,
    limits: &Limits,
) -> ReadResult {
    let mut log = ReadLog::default();
    let file = GltfFile::new(bytes, files, options.strictness, limits, &mut log.losses)?;
    let hierarchy = Hierarchy::new(&file, &mut log.losses)?;
    let joints = NodeJoints::new(&file, &hierarchy, &mut log)?;
    names::record_empty_nodes(&file, &hierarchy, &joints, &mut log.losses);
    let materials = materials::read(&file, &mut log.losses)?;
    let animations = curves::read(&file, &joints, &mut log)?;
    let mut reader = SceneReader {
        file: &file,
        hierarchy: &hierarchy,
        joints: &joints,
        materials,
        log,
        is_used: vec![false; file.root.meshes.len()],
        shared_meshes: HashMap::new(),
        bake: options.bake,
        max_triangles: limits.max_triangles,
        copied_cost: 0,
        scene: Scene::default(),
    };
    reader.read_meshes()?;
    let SceneReader {
        mut scene,
        mut log,
        is_used,
        ..
    } = reader;
    names::record_unused_meshes(&is_used, &mut log.losses);
    let transform = hierarchy.top_node.map(|node| file.local_transforms[node]);
    let translations = joints.exact_translations(&file);
    scene.skeleton = joints.skeleton;
    scene.lods.retain(|lod| !lod.meshes.is_empty());
    if scene.meshes.is_empty() {
        log.require_readable()?;
        let has_meshes_outside_scene = !is_used.is_empty() && !is_used.contains(&true);
        if has_meshes_outside_scene && scene.skeleton.joints.is_empty() {
            return Err(log.nothing_converted());
        }
    }
    let mut losses = log.losses;
    scene.animations = animations;
    scene.set_transform(transform.unwrap_or_default(), &translations, &mut losses);
    add_sizes(&scene, &mut losses);
    scene
        .meshes
        .iter_mut()
        .for_each(Mesh::drop_redundant_placement);
    if options.bake {
        scene.bake(limits.max_triangles, &mut losses, |_, _| true)?;
    }
    scene.keep_rest_without_shear();
    read_scene_extras(&file, &mut scene);
    CONVENTIONS.finish_scene(&mut scene, options, "gltf");
    let unused_materials = materials::unused_names(&file.root);
    scene.source = scene.source.map(|source| Source {
        unused_materials,
        ..source
    });
    Ok((scene, losses))
}

/// Adds the size of the model to errors of translations, which are found before the meshes are read.
fn add_sizes(scene: &Scene, losses: &mut [Loss]) {
    let mut size = None;
    for loss in losses
        .iter_mut()
        .filter(|loss| loss.quantity == Some(Quantity::TRANSLATIONS))
    {
        let size = *size.get_or_insert_with(|| scene.size_at_rest());
        if loss.size.is_none() {
            *loss = loss.clone().with_mesh_size(size);
        }
    }
}

fn read_scene_extras(file: &GltfFile, scene: &mut Scene) {
    let root = &file.root;
    let chosen = root.scenes.get(root.scene.map_or(0, |scene| scene.value()));
    scene.extras = chosen
        .map(|scene| read_extras(&scene.extras))
        .unwrap_or_default();
    let meshspec_extras = take_meshspec_extras(&mut scene.extras);
    let properties = meshspec_extras
        .get("properties")
        .and_then(|v| serde_json::from_value(v.clone()).ok());
    scene.properties = properties.unwrap_or_default();
    let data = meshspec_extras
        .get("user_data")
        .and_then(Value::as_str)
        .and_then(|t| BASE64.decode(t).ok());
    scene.user_data = data.unwrap_or_default();
}

struct SceneReader<'a> {
    file: &'a GltfFile<'a>,
    hierarchy: &'a Hierarchy,
    joints: &'a NodeJoints,
    materials: Vec<MaterialEntry>,
    log: ReadLog,
    /// For each mesh of the file, whether the scene uses it.
    is_used: Vec<bool>,
    /// The scene mesh of each shared primitive, by mesh and primitive index; `None` if the primitive was dropped.
    shared_meshes: HashMap<(usize, usize), Option<usize>>,
    /// Whether the caller requested baking of node transforms, so that baking is not a loss.
    bake: bool,
    max_triangles: u64,
    /// The number of triangles or vertices, whichever is larger, in copies of meshes.
    copied_cost: u64,
    scene: Scene,
}

impl SceneReader<'_> {
    /// Reads the meshes of all nodes in the scene, in node order.
    fn read_meshes(&mut self) -> Result<()> {
        let root = &self.file.root;
        let nodes = (0..root.nodes.len()).filter(|index| self.hierarchy.is_in_scene[*index]);
        let nodes: Vec<usize> = nodes.collect();
        let counts = nodes
            .iter()
            .map(|index| instances::instance_count(root, &root.nodes[*index]));
        check_instance_limit(counts.fold(0, u64::saturating_add), self.max_triangles)?;
        for index in nodes {
            let others = coarser_levels(self.file, index, &mut self.log.losses);
            let parent = self.hierarchy.parents[index];
            let start = lod_distance(&root.nodes[index]);
            if others.is_empty() && start.is_none() {
                self.read_node(index, parent, false)?;
                continue;
            }
            let first = self.read_node(index, parent, true)?;
            self.add_to_lod(0, start, first, index);
            for (level, node) in others.into_iter().enumerate() {
                let meshes = self.read_node(node, parent, true)?;
                let start = lod_distance(&root.nodes[node]);
                self.add_to_lod(level + 1, start, meshes, node);
            }
        }
        Ok(())
    }

    /// Adds the meshes of a node to a level of detail.
    fn add_to_lod(&mut self, level: usize, distance: Option<f32>, meshes: Vec<usize>, node: usize) {
        if distance.is_none() {
            let loss = Loss::changed(
                format!("nodes[{node}]"),
                "the distance of the level was assumed",
            );
            self.log
                .losses
                .push(loss.with_detail(format_args!("{level} m")));
        }
        let lods = &mut self.scene.lods;
        if lods.len() <= level {
            lods.resize_with(level + 1, Lod::default);
            lods[level].distance = distance.unwrap_or(level as f32);
        }
        let known = lods[level].distance;
        if let Some(other) = distance.filter(|distance| *distance != known) {
            let message = "a level of detail has a single distance";
            let loss = Loss::changed(format!("nodes[{node}]"), message);
            self.log
                .losses
                .push(loss.with_detail(format_args!("{other} m becomes {known} m")));
        }
        lods[level].meshes.extend(meshes);
    }

    /// Adds the meshes of a node, or of a level of detail. Returns the indices of the new meshes.
    fn read_node(
        &mut self,
        index: usize,
        parent: Option<usize>,
        is_level: bool,
    ) -> Result<Vec<usize>> {
        let node = &self.file.root.nodes[index];
        let Some(mesh) = node.mesh else {
            return Ok(Vec::new());
        };
        let mesh = mesh.value();
        self.is_used[mesh] = true;
        let (start, losses_before) = (self.scene.meshes.len(), self.log.losses.len());
        let at = format!("nodes[{index}].extensions.{INSTANCING}");
        let unreadable =
            |at: &str| Loss::dropped(at, "instances cannot be read; the mesh was placed once");
        let instances = instances::read(self.file, index, &mut self.log.losses);
        let instances = self.log.recover(instances, &at, unreadable)?.flatten();
        let is_placed = !is_level
            && self
                .joints
                .driving_joint(self.hierarchy, index, parent)
                .is_none();
        // Morph target weights of a node change the vertices of its mesh.
        let is_shared = is_placed && node.skin.is_none() && node.weights.is_none();
        let root = &self.file.root;
        let node_instances = instances.as_deref().unwrap_or_default();
        // The loop sets the primitive and its path.
        let origin = MeshOrigin {
            root,
            node: index,
            parent,
            mesh,
            primitive: 0,
            at: "",
            losses_before,
            is_placed,
        };
        for primitive in 0..root.meshes[mesh].primitives.len() {
            let shared = self
                .shared_meshes
                .get(&(mesh, primitive))
                .filter(|_| is_shared);
            if let Some(shared) = shared.copied() {
                if let Some(shared) = shared {
                    self.add_placement(shared, &origin, node_instances)?;
                }
                continue;
            }
            let at = format!("meshes[{mesh}].primitives[{primitive}]");
            let origin = MeshOrigin {
                primitive,
                at: &at,
                ..origin
            };
            let read = self.read_primitive(&origin);
            let unreadable = |at: &str| Loss::dropped(at, "cannot be read");
            let read = self.log.recover(read, &at, unreadable)?.flatten();
            let added = read.is_some().then_some(self.scene.meshes.len());
            match (read, &instances) {
                (None, _) => {}
                (Some(mesh), _) if is_placed && mesh.skins.is_empty() => {
                    self.scene.meshes.push(mesh);
                    self.add_placement(self.scene.meshes.len() - 1, &origin, node_instances)?;
                }
                (Some(mesh), Some(instances)) => self.add_instances(&mesh, instances, &origin)?,
                (Some(mesh), None) => self.add_mesh(mesh, Mat4::IDENTITY, &origin),
            }
            if is_shared {
                self.shared_meshes.insert((mesh, primitive), added);
            }
        }
        let is_joint = self.joints.joint_of(index).is_some();
        origin.record_names(
            &self.scene.meshes[start..],
            is_joint || is_placed,
            &mut self.log.losses,
        );
        let added: Vec<usize> = (start..self.scene.meshes.len()).collect();
        let is_split = root.meshes[mesh].primitives.len() > 1;
        if added.len() > 1 && is_split && lod_distance(node).is_none() {
            let message = "each primitive became a separate mesh";
            let loss = Loss::new(LossKind::Split, format!("meshes[{mesh}]"), message);
            self.log.losses.push(loss.with_count(added.len(), "meshes"));
        }
        Ok(added)
    }

    /// Places an existing mesh of the scene at a node.
    fn add_placement(
        &mut self,
        mesh: usize,
        origin: &MeshOrigin,
        instances: &[Transform],
    ) -> Result<()> {
        let entry = &self.file.root.nodes[origin.node];
        let extras_size = entry
            .extras
            .as_ref()
            .map_or(0, |raw| raw.get().len() as u64);
        let name_size = entry.name.as_ref().map_or(0, String::len);
        let size = (size_of::<Placement>() + size_of_val(instances) + name_size) as u64;
        let size = size + extras_size.saturating_mul(MEMORY_PER_JSON_BYTE);
        self.file
            .charge_budget(size, || format!("nodes[{}]", origin.node))?;
        let mut extras = read_extras(&entry.extras);
        take_meshspec_extras(&mut extras);
        let transform = self.node_to_scene(origin);
        let name = entry.name.clone().unwrap_or_default();
        let placement = Placement {
            name,
            transform,
            instances: instances.to_vec(),
            extras,
        };
        self.scene.meshes[mesh].placements.push(placement);
        Ok(())
    }

    /// Reads the mesh of a primitive, in mesh space. `None` if the primitive is unsupported.
    fn read_primitive(&mut self, origin: &MeshOrigin) -> Result<Option<Mesh>> {
        self.file
            .charge_budget(self.text_size(origin), || origin.at.to_owned())?;
        let entry = &self.file.root.meshes[origin.mesh];
        let primitive = &entry.primitives[origin.primitive];
        let known = take_meshspec_extras(&mut read_extras(&entry.extras));
        let weights = self.file.root.nodes[origin.node]
            .weights
            .as_ref()
            .or(entry.weights.as_ref());
        let weights = weights.map_or(&[][..], Vec::as_slice);
        let mesh = primitive::read(
            self.file,
            primitive,
            &known,
            weights,
            origin.at,
            &mut self.log,
        )?;
        let Some((mut mesh, uv_sets)) = mesh else {
            return Ok(None);
        };
        if let Some(entry) = primitive
            .material
            .and_then(|index| self.materials.get(index.value()))
        {
            entry.apply(&mut mesh, &uv_sets);
        }
        self.map_joints(&mut mesh, origin)?;
        origin.set_name_and_extras(&mut mesh, &mut self.log.losses);
        Ok(Some(mesh))
    }

    /// Returns the memory, in bytes, for the names and extras of a primitive. Every copy of the mesh duplicates them.
    fn text_size(&self, origin: &MeshOrigin) -> u64 {
        let (node, mesh) = (
            &self.file.root.nodes[origin.node],
            &self.file.root.meshes[origin.mesh],
        );
        let primitive = &mesh.primitives[origin.primitive];
        let extras = [&node.extras, &mesh.extras, &primitive.extras]
            .into_iter()
            .flatten();
        let extras: usize = extras.map(|raw| raw.get().len()).sum();
        let names: usize = [&node.name, &mesh.name]
            .into_iter()
            .flatten()
            .map(String::len)
            .sum();
        let entry = primitive
            .material
            .and_then(|index| self.materials.get(index.value()));
        let material = entry.map_or(0, |entry| {
            let texture = entry.material.texture.as_ref();
            entry.material.name.len() + texture.map_or(0, |texture| texture.name.len())
        });
        (extras as u64).saturating_mul(MEMORY_PER_JSON_BYTE) + (names + material) as u64
    }

    /// Replaces indices into the joints of the skin by indices into the joints of the skeleton.
    fn map_joints(&mut self, mesh: &mut Mesh, origin: &MeshOrigin) -> Result<()> {
        if mesh.skins.is_empty() {
            return Ok(());
        }
        let path = format!("{}.attributes.JOINTS", origin.at);
        if let Some(skin) = self.file.root.nodes[origin.node].skin {
            let mut sets = mesh.skins.iter_mut();
            return sets
                .try_for_each(|set| self.joints.map_joint_indices(skin.value(), set, &path));
        }
        let loss = Loss::dropped(path, "joints of a node without a skin");
        self.log
            .losses
            .push(loss.with_detail(format_args!("nodes[{}]", origin.node)));
        mesh.skins.clear();
        Ok(())
    }

    /// Adds a mesh. Without a skin, moves its vertices to scene space and binds them to the joint of the node, if any.
    fn add_mesh(&mut self, mut mesh: Mesh, instance: Mat4, origin: &MeshOrigin) {
        if mesh.skins.is_empty() {
            self.transform_and_bind(&mut mesh, instance, origin);
        }
        self.scene.meshes.push(mesh);
    }

    fn add_instances(
        &mut self,
        mesh: &Mesh,
        instances: &[Transform],
        origin: &MeshOrigin,
    ) -> Result<()> {
        let (vertices, count) = (mesh.positions.len(), instances.len() as u64);
        let size = vertices as u64 * 32 + mesh.faces.corner_count(vertices) as u64 * 4;
        self.copied_cost = self
            .copied_cost
            .saturating_add(mesh.cost().saturating_mul(count));
        check_triangle_limit(self.copied_cost, self.max_triangles)?;
        check_mesh_limit(
            self.scene.meshes.len() + instances.len(),
            self.max_triangles,
        )?;
        let path = || format!("nodes[{}].extensions.{INSTANCING}", origin.node);
        self.file
            .charge_budget((size + self.text_size(origin)).saturating_mul(count), path)?;
        let bake = std::mem::replace(&mut self.bake, true);
        for instance in instances {
            self.add_mesh(mesh.clone(), instance.to_matrix(), origin);
        }
        self.bake = bake;
        let message = "instances became separate meshes";
        let loss = Loss::new(LossKind::Split, format!("nodes[{}]", origin.node), message);
        self.log.losses.push(loss.with_detail(instances.len()));
        Ok(())
    }

    /// Returns the transform of a node to scene space.
    fn node_to_scene(&self, origin: &MeshOrigin) -> DMat4 {
        self.hierarchy.node_to_scene_f64(origin.parent) * self.file.local_transforms[origin.node]
    }

    fn transform_and_bind(&mut self, mesh: &mut Mesh, instance: Mat4, origin: &MeshOrigin) {
        let transform = match self
            .joints
            .driving_joint(self.hierarchy, origin.node, origin.parent)
        {
            Some((joint, transform)) => {
                mesh.skins = vec![Skin::rigid(std::iter::repeat_n(
                    joint,
                    mesh.positions.len(),
                ))];
                (transform * instance).as_dmat4()
            }
            None => self.node_to_scene(origin) * instance.as_dmat4(),
        };
        if transform == DMat4::IDENTITY {
            return;
        }
        mesh.transform_f64(transform);
        if !self.bake {
            let message = "the node transform was applied to the vertices";
            self.log
                .losses
                .push(Loss::changed(format!("nodes[{}]", origin.node), message));
        }
    }
}
