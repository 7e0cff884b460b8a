//! Reads glTF as a scene.

use std::collections::HashMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use glam::{DMat4, Mat4};
use serde_json::Value;

use super::errors::Failures;
use super::file::{GltfFile, extras};
use super::hierarchy::{Hierarchy, coarser, distance};
use super::materials::{self, MaterialEntry};
use super::names::{self, Origin};
use super::skeleton::Joints;
use super::{INSTANCING, curves, instances, primitive, take_own};
use crate::interop::Files;
use crate::limits::MAX_TRIANGLES;
use crate::scene::limits::{require_meshes, require_triangles};
use crate::scene::{Conventions, Lod, Mesh, Placement, Scene, SceneOptions, Skin, Source, Transform};
use crate::{Error, Limit, Limits, Loss, LossKind, Result};

pub(in crate::interop) const CONVENTIONS: Conventions = Conventions::GLTF;

/// The maximum memory per byte of JSON, in bytes: a digit and its comma become a `Value`.
const SIZE_OF_VALUE: u64 = 16;

/// Reads a `.glb` or `.gltf` file, detected by its magic bytes.
///
/// # Errors
///
/// Returns an error if the file is not glTF 2.0, none of its meshes can be read, or it exceeds the limits.
pub(in crate::interop) fn read(
    bytes: &[u8],
    files: &dyn Files,
    options: &SceneOptions,
    limits: &Limits,
) -> Result<(Scene, Vec<Loss>)> {
    let conventions = options.conventions.unwrap_or(CONVENTIONS);
    let mut losses = Vec::new();
    let file = GltfFile::new(bytes, files, options.strictness, limits, &mut losses)?;
    let hierarchy = Hierarchy::new(&file, &mut losses)?;
    let mut failures = Failures::default();
    let joints = Joints::new(&file, &hierarchy, &mut failures, &mut losses)?;
    names::list_nodes(&file, &hierarchy, &joints, &mut losses);
    let materials = materials::read(&file, &mut losses)?;
    let animations = curves::read(&file, &joints, &mut failures, &mut losses)?;
    let mut reader = Reader {
        file: &file,
        hierarchy: &hierarchy,
        joints: &joints,
        materials,
        failures,
        shown: vec![false; file.root.meshes.len()],
        known: HashMap::new(),
        bake: options.bake,
        max_triangles: limits.max_triangles,
        copied: 0,
        losses,
        scene: Scene::default(),
    };
    reader.meshes()?;
    let Reader { mut scene, failures, shown, mut losses, .. } = reader;
    names::list_unused(&shown, &mut losses);
    failures.finish(&mut scene)?;
    for mesh in &mut scene.meshes {
        mesh.uv_origin = conventions.uv_origin;
    }
    let transform = hierarchy.top.map(|top| file.local[top]);
    let translations = joints.translations(&file);
    scene.skeleton = joints.skeleton;
    scene.animations = animations;
    scene.split_transform(transform.unwrap_or_default(), &translations, &mut losses);
    scene.meshes.iter_mut().for_each(Mesh::forget_plain_node);
    if options.bake {
        scene.bake(limits.max_triangles, &mut losses, |_, _| true)?;
    }
    scene_extras(&file, &mut scene);
    conventions.to_scene_space(&mut scene, "gltf");
    let unused_materials = materials::unused(&file.root);
    scene.source = scene.source.map(|source| Source { unused_materials, ..source });
    Ok((scene, losses))
}

fn scene_extras(file: &GltfFile, scene: &mut Scene) {
    let root = &file.root;
    let chosen = root.scenes.get(root.scene.map_or(0, |scene| scene.value()));
    scene.extras = chosen.map(|scene| extras(&scene.extras)).unwrap_or_default();
    let own = take_own(&mut scene.extras);
    let properties = own.get("properties").and_then(|value| serde_json::from_value(value.clone()).ok());
    scene.properties = properties.unwrap_or_default();
    let data = own.get("user_data").and_then(Value::as_str).and_then(|text| BASE64.decode(text).ok());
    scene.user_data = data.unwrap_or_default();
}

struct Reader<'a> {
    file: &'a GltfFile<'a>,
    hierarchy: &'a Hierarchy,
    joints: &'a Joints,
    materials: Vec<MaterialEntry>,
    failures: Failures,
    /// Whether each mesh of the file is in the scene.
    shown: Vec<bool>,
    /// The scene mesh of each shared primitive, by mesh and primitive index; `None` for unreadable primitives.
    known: HashMap<(usize, usize), Option<usize>>,
    /// Whether to bake the transforms of nodes, so that baking is no loss.
    bake: bool,
    max_triangles: u64,
    /// The number of triangles or vertices in copies of meshes.
    copied: u64,
    losses: Vec<Loss>,
    scene: Scene,
}

impl Reader<'_> {
    /// Reads the meshes of all nodes of the scene, in the order of the nodes.
    fn meshes(&mut self) -> Result<()> {
        let root = &self.file.root;
        let nodes = root.nodes.iter().zip(&self.hierarchy.shown).filter(|(_, shown)| **shown);
        let counts = nodes.map(|(node, _)| instances::count(root, node));
        require_instances(counts.fold(0, u64::saturating_add), self.max_triangles)?;
        for index in 0..self.file.root.nodes.len() {
            if !self.hierarchy.shown[index] {
                continue;
            }
            let others = coarser(self.file, index, &mut self.losses);
            let above = self.hierarchy.parents[index];
            let start = distance(&self.file.root.nodes[index]);
            if others.is_empty() && start.is_none() {
                self.node(index, above, false)?;
                continue;
            }
            let first = self.node(index, above, true)?;
            self.lod(0, start, first, index);
            for (level, node) in others.into_iter().enumerate() {
                let meshes = self.node(node, above, true)?;
                let start = distance(&self.file.root.nodes[node]);
                self.lod(level + 1, start, meshes, node);
            }
        }
        Ok(())
    }

    /// Adds meshes to a level of detail.
    fn lod(&mut self, level: usize, distance: Option<f32>, meshes: Vec<usize>, node: usize) {
        if distance.is_none() {
            let loss = Loss::changed(format!("nodes[{node}]"), "no distance for a level of detail: assumed");
            self.losses.push(loss.detail(format_args!("{level} m")));
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
            self.losses.push(loss.detail(format_args!("{other} m becomes {known} m")));
        }
        lods[level].meshes.extend(meshes);
    }

    /// Adds the meshes of a node below `above`, alone or as a level of detail. Returns the indices of the new meshes.
    fn node(&mut self, index: usize, above: Option<usize>, is_level: bool) -> Result<Vec<usize>> {
        let node = &self.file.root.nodes[index];
        let Some(mesh) = node.mesh else { return Ok(Vec::new()) };
        let mesh = mesh.value();
        self.shown[mesh] = true;
        let (start, listed) = (self.scene.meshes.len(), self.losses.len());
        let instances = match instances::read(self.file, index, &mut self.losses) {
            Ok(instances) => instances,
            Err(error) => {
                let at = format!("nodes[{index}].extensions.{INSTANCING}");
                let why = self.failures.record(error, &at)?;
                let message = "instances that cannot be read: the mesh is placed once";
                self.losses.push(Loss::dropped(at, message).detail(why));
                None
            }
        };
        let is_placed = !is_level && self.joints.holder(self.hierarchy, index, above).is_none();
        // Morph target weights of a node change the vertices of its mesh.
        let is_shared = is_placed && node.skin.is_none() && node.weights.is_none();
        for place in 0..self.file.root.meshes[mesh].primitives.len() {
            if let Some(known) = self.known.get(&(mesh, place)).copied().filter(|_| is_shared) {
                known.map_or(Ok(()), |known| self.show(known, index, above, instances.as_deref()))?;
                continue;
            }
            let at = format!("meshes[{mesh}].primitives[{place}]");
            let origin = Origin { root: &self.file.root, node: index, mesh, at: &at, listed, is_placed };
            let read = match self.primitive(&origin, place) {
                Ok(read) => read,
                Err(error) => {
                    let why = self.failures.record(error, &at)?;
                    self.losses.push(Loss::dropped(at.clone(), "cannot be read").detail(why));
                    None
                }
            };
            let added = read.is_some().then_some(self.scene.meshes.len());
            match (read, &instances) {
                (None, _) => {}
                (Some(mesh), _) if is_placed && mesh.skins.is_empty() => {
                    self.scene.meshes.push(mesh);
                    self.show(self.scene.meshes.len() - 1, index, above, instances.as_deref())?;
                }
                (Some(mesh), Some(instances)) => {
                    let words = self.text_size(&origin, place);
                    self.instances(&mesh, words, instances, index, above)?;
                }
                (Some(mesh), None) => self.place(mesh, Mat4::IDENTITY, index, above),
            }
            if is_shared {
                self.known.insert((mesh, place), added);
            }
        }
        let is_joint = self.joints.of_node(index).is_some();
        let origin = Origin { root: &self.file.root, node: index, mesh, at: "", listed, is_placed };
        origin.list_names(&self.scene.meshes[start..], is_joint || is_placed, &mut self.losses);
        let added: Vec<usize> = (start..self.scene.meshes.len()).collect();
        let is_split = self.file.root.meshes[mesh].primitives.len() > 1;
        if added.len() > 1 && is_split && distance(node).is_none() {
            let loss = Loss::new(
                LossKind::Split,
                format!("meshes[{mesh}]"),
                "each primitive becomes a separate mesh",
            );
            self.losses.push(loss.counting(added.len(), "meshes"));
        }
        Ok(added)
    }

    /// Adds a placement of a mesh of the scene for a node.
    fn show(
        &mut self,
        mesh: usize,
        node: usize,
        above: Option<usize>,
        instances: Option<&[Transform]>,
    ) -> Result<()> {
        let entry = &self.file.root.nodes[node];
        let instances = instances.unwrap_or_default().to_vec();
        let words =
            entry.extras.as_ref().map_or(0, |raw| raw.get().len() as u64).saturating_mul(SIZE_OF_VALUE);
        let size =
            size_of::<Placement>() + size_of_val(&*instances) + entry.name.as_ref().map_or(0, String::len);
        self.file.spend(words + size as u64, || format!("nodes[{node}]"))?;
        let mut extras = extras(&entry.extras);
        take_own(&mut extras);
        let transform = self.hierarchy.exact(above) * self.file.local[node];
        let name = entry.name.clone().unwrap_or_default();
        let placement = Placement { name, transform, instances, extras };
        if let Some(mesh) = self.scene.meshes.get_mut(mesh) {
            mesh.placements.push(placement);
        }
        Ok(())
    }

    /// Reads the mesh of a primitive in mesh space.
    fn primitive(&mut self, origin: &Origin, place: usize) -> Result<Option<Mesh>> {
        self.file.spend(self.text_size(origin, place), || origin.at.to_owned())?;
        let entry = &self.file.root.meshes[origin.mesh];
        let primitive = &entry.primitives[place];
        let known = take_own(&mut extras(&entry.extras));
        let weights = self.file.root.nodes[origin.node].weights.as_ref().or(entry.weights.as_ref());
        let weights = weights.map_or(&[][..], Vec::as_slice);
        let Reader { file, failures, losses, .. } = self;
        let mesh = primitive::read(file, primitive, &known, weights, origin.at, failures, losses)?;
        let Some((mut mesh, uv_sets)) = mesh else { return Ok(None) };
        if let Some(entry) = primitive.material.and_then(|index| self.materials.get(index.value())) {
            entry.apply(&mut mesh, &uv_sets);
        }
        self.attach(&mut mesh, origin.node, origin.at)?;
        origin.gather(&mut mesh, &mut self.losses);
        Ok(Some(mesh))
    }

    /// Returns the memory in bytes for names and extras of a primitive, which every copy duplicates.
    fn text_size(&self, origin: &Origin, place: usize) -> u64 {
        let (node, mesh) = (&self.file.root.nodes[origin.node], &self.file.root.meshes[origin.mesh]);
        let primitive = &mesh.primitives[place];
        let extras = [&node.extras, &mesh.extras, &primitive.extras].into_iter().flatten();
        let extras: usize = extras.map(|raw| raw.get().len()).sum();
        let names: usize = [&node.name, &mesh.name].into_iter().flatten().map(String::len).sum();
        let entry = primitive.material.and_then(|index| self.materials.get(index.value()));
        let material = entry.map_or(0, |entry| {
            let texture = entry.material.texture.as_ref();
            entry.material.name.len() + texture.map_or(0, |texture| texture.name.len())
        });
        (extras as u64).saturating_mul(SIZE_OF_VALUE) + (names + material) as u64
    }

    /// Maps the joints of the skin to those of the skeleton.
    fn attach(&mut self, mesh: &mut Mesh, node: usize, at: &str) -> Result<()> {
        match self.file.root.nodes[node].skin {
            Some(skin) => {
                let path = format!("{at}.attributes.JOINTS");
                mesh.skins.iter_mut().try_for_each(|set| self.joints.number(skin.value(), set, &path))
            }
            None => {
                if !mesh.skins.is_empty() {
                    let loss =
                        Loss::dropped(format!("{at}.attributes.JOINTS"), "joints of a node without a skin");
                    self.losses.push(loss.detail(format_args!("nodes[{node}]")));
                    mesh.skins.clear();
                }
                Ok(())
            }
        }
    }

    /// Adds a mesh. Without a skin, its vertices move to scene space and are bound to the joint that moves the node.
    fn place(&mut self, mut mesh: Mesh, instance: Mat4, node: usize, above: Option<usize>) {
        if mesh.skins.is_empty() {
            self.place_unskinned(&mut mesh, instance, node, above);
        }
        self.scene.meshes.push(mesh);
    }

    /// Adds a mesh per instance.
    fn instances(
        &mut self,
        mesh: &Mesh,
        words: u64,
        instances: &[Transform],
        node: usize,
        above: Option<usize>,
    ) -> Result<()> {
        let size =
            mesh.positions.len() as u64 * 32 + mesh.faces.corner_count(mesh.positions.len()) as u64 * 4;
        self.copied = self.copied.saturating_add(mesh.cost().saturating_mul(instances.len() as u64));
        require_triangles(self.copied, self.max_triangles)?;
        require_meshes(self.scene.meshes.len() + instances.len(), self.max_triangles)?;
        self.file.spend((size + words).saturating_mul(instances.len() as u64), || {
            format!("nodes[{node}].extensions.{INSTANCING}")
        })?;
        let bake = std::mem::replace(&mut self.bake, true);
        for instance in instances {
            self.place(mesh.clone(), instance.to_matrix(), node, above);
        }
        self.bake = bake;
        let message = "instances become separate meshes";
        let loss = Loss::new(LossKind::Split, format!("nodes[{node}]"), message);
        self.losses.push(loss.detail(instances.len()));
        Ok(())
    }

    fn place_unskinned(&mut self, mesh: &mut Mesh, instance: Mat4, node: usize, above: Option<usize>) {
        let transform = match self.joints.holder(self.hierarchy, node, above) {
            Some((joint, transform)) => {
                mesh.skins = vec![Skin::rigid(std::iter::repeat_n(joint, mesh.positions.len()))];
                (transform * instance).as_dmat4()
            }
            None => self.hierarchy.exact(above) * self.file.local[node] * instance.as_dmat4(),
        };
        if transform == DMat4::IDENTITY {
            return;
        }
        mesh.place(transform);
        if !self.bake {
            let message = "transforms of nodes applied to the vertices";
            self.losses.push(Loss::changed(format!("nodes[{node}]"), message));
        }
    }
}

/// The memory of an instance during reading, in triangles.
const INSTANCE: u64 = 4;

/// # Errors
///
/// If there are more mesh instances than the triangle limit allows.
fn require_instances(count: u64, max_triangles: u64) -> Result<()> {
    let max = max_triangles.max(MAX_TRIANGLES) / INSTANCE;
    if count <= max {
        return Ok(());
    }
    let message = format!("{count} instances, but the limit is {max}, one for {INSTANCE} triangles");
    Err(Error::limit_exceeded(Limit::Triangles, message))
}
