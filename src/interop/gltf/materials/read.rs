//! Reads materials of glTF.

use std::collections::BTreeSet;

use ::gltf::json;
use ::gltf::json::material::AlphaMode as Mode;
use ::gltf::json::texture::Info;
use ::gltf::json::validation::Checked;
use serde_json::{Map, Value};

use super::textures::Textures;
use crate::interop::gltf::file::{GltfFile, extras};
use crate::interop::gltf::{label, take_own};
use crate::interop::texture_transform::TextureTransform;
use crate::scene::{AlphaMode, Material, Mesh};
use crate::{Loss, Result};

/// The older extension for surfaces; its diffuse colour becomes the base colour.
const SPECULAR_GLOSSINESS: &str = "KHR_materials_pbrSpecularGlossiness";

/// A material, and the set and transform of the texture coordinates of its texture.
#[derive(Default)]
pub(in crate::interop::gltf) struct MaterialEntry {
    pub material: Material,
    uv_set: u32,
    transform: TextureTransform,
}

impl MaterialEntry {
    /// Applies the material to a mesh; `sets` are the numbers of its sets of texture coordinates.
    pub fn apply(&self, mesh: &mut Mesh, sets: &[u32]) {
        mesh.material = self.material.clone();
        let Some(texture) = &mut mesh.material.texture else { return };
        // An index past the end marks a missing set.
        texture.uv_set = sets.iter().position(|set| *set == self.uv_set).unwrap_or(mesh.uvs.len());
        if let Some(uvs) = mesh.uvs.get_mut(texture.uv_set) {
            self.transform.apply(uvs);
        }
    }
}

/// Reads the materials of the file.
///
/// # Errors
///
/// Returns an error if the images exceed the limits.
pub(in crate::interop::gltf) fn read(file: &GltfFile, losses: &mut Vec<Loss>) -> Result<Vec<MaterialEntry>> {
    let root = &file.root;
    let used = used(root);
    let mut reader = Reader {
        textures: Textures::new(file),
        unsupported: Vec::new(),
        affected: 0,
        placed: Vec::new(),
        losses,
    };
    let mut entries = Vec::new();
    let mut unused = Vec::new();
    for (index, entry) in root.materials.iter().enumerate() {
        if used[index] {
            entries.push(reader.material(index, entry)?);
        } else {
            unused.push(label("materials", index, entry.name.as_deref()));
            entries.push(MaterialEntry::default());
        }
    }
    reader.list(unused);
    Ok(entries)
}

/// Returns one flag per material: `true` if a primitive uses it.
fn used(root: &json::Root) -> Vec<bool> {
    let mut used = vec![false; root.materials.len()];
    let primitives = root.meshes.iter().flat_map(|mesh| &mesh.primitives);
    for index in primitives.filter_map(|primitive| primitive.material) {
        used[index.value()] = true;
    }
    used
}

/// Returns the names of the materials that no primitive uses.
pub(in crate::interop::gltf) fn unused(root: &json::Root) -> Vec<String> {
    let unused = root.materials.iter().zip(used(root)).filter(|(_, used)| !used);
    unused.filter_map(|(entry, _)| entry.name.clone()).collect()
}

struct Reader<'a> {
    textures: Textures<'a>,
    /// Properties that scenes lack, in order of occurrence.
    unsupported: Vec<String>,
    /// The number of materials with unsupported properties.
    affected: usize,
    /// Materials with a texture transform.
    placed: Vec<String>,
    losses: &'a mut Vec<Loss>,
}

impl Reader<'_> {
    fn material(&mut self, index: usize, entry: &json::Material) -> Result<MaterialEntry> {
        let mut extras = extras(&entry.extras);
        // glTF does not distinguish white from no colour; the extras do.
        let is_white = take_own(&mut extras).contains_key("white");
        self.list_unsupported(entry, !extras.is_empty());
        let Surface { color, texture, metallic, roughness } = surface(entry);
        let alpha_mode = match entry.alpha_mode {
            Checked::Valid(Mode::Mask) => {
                AlphaMode::Mask { cutoff: entry.alpha_cutoff.unwrap_or_default().0 }
            }
            Checked::Valid(Mode::Blend) => AlphaMode::Blend,
            Checked::Valid(Mode::Opaque) | Checked::Invalid => AlphaMode::Opaque,
        };
        let found = match texture {
            Some(info) => {
                let at = format!("materials[{index}].pbrMetallicRoughness.baseColorTexture");
                self.textures.read(&info, &at, self.losses)?
            }
            None => None,
        };
        let (texture, uv_set, transform) = match found {
            Some((texture, uv_set, transform)) => (Some(texture), uv_set, transform),
            None => (None, 0, TextureTransform::default()),
        };
        if !transform.is_identity() {
            self.placed.push(label("materials", index, entry.name.as_deref()));
        }
        let material = Material {
            name: entry.name.clone().unwrap_or_default(),
            base_color: (is_white || color != [1.0; 4]).then_some(color),
            texture,
            alpha_mode,
            double_sided: entry.double_sided,
            metallic,
            roughness,
        };
        Ok(MaterialEntry { material, uv_set, transform })
    }

    /// Records the properties that scenes lack. Extensions are listed with those of the whole file.
    fn list_unsupported(&mut self, entry: &json::Material, extras: bool) {
        const KNOWN: [&str; 10] = [
            "name",
            "pbrMetallicRoughness",
            "alphaMode",
            "alphaCutoff",
            "doubleSided",
            "baseColorFactor",
            "baseColorTexture",
            "metallicFactor",
            "roughnessFactor",
            "extensions",
        ];
        let own = json::Material { extras: None, ..entry.clone() };
        let plain = json::Material::default();
        let pairs = [
            (to_map(&own), to_map(&plain)),
            (to_map(&own.pbr_metallic_roughness), to_map(&plain.pbr_metallic_roughness)),
        ];
        let mut names = BTreeSet::new();
        for (own, plain) in &pairs {
            let more = own.iter().filter(|(name, value)| plain.get(*name) != Some(value));
            names.extend(more.map(|(name, _)| &**name).filter(|name| !KNOWN.contains(name)));
        }
        names.extend(extras.then_some("extras"));
        self.affected += usize::from(!names.is_empty());
        for name in names {
            if !self.unsupported.iter().any(|known| known == name) {
                self.unsupported.push(name.to_owned());
            }
        }
    }

    /// Lists each kind of loss once.
    fn list(self, unused: Vec<String>) {
        let Reader { textures, unsupported, affected, placed, losses, .. } = self;
        if !unsupported.is_empty() {
            let loss = Loss::dropped("materials", "unsupported properties").naming(unsupported);
            let all = textures.file.root.materials.len();
            losses.push(loss.affecting(affected, all, "materials"));
        }
        let mut list = |loss: Loss, names: Vec<String>| {
            if !names.is_empty() {
                losses.push(loss.naming(names));
            }
        };
        list(Loss::dropped("materials", "unused materials"), unused);
        list(Loss::dropped("images", "unused as base colours"), textures.unused());
        let message = "texture transforms applied to the texture coordinates";
        list(Loss::changed("materials", message), placed);
    }
}

/// The base colour and the reflection of a surface.
struct Surface {
    color: [f32; 4],
    texture: Option<Info>,
    metallic: f32,
    roughness: f32,
}

fn surface(entry: &json::Material) -> Surface {
    let surface = &entry.pbr_metallic_roughness;
    let extensions = entry.extensions.as_ref();
    let Some(older) = extensions.and_then(|extensions| extensions.others.get(SPECULAR_GLOSSINESS)) else {
        return Surface {
            color: surface.base_color_factor.0,
            texture: surface.base_color_texture.clone(),
            metallic: surface.metallic_factor.0,
            roughness: surface.roughness_factor.0,
        };
    };
    let field = |name: &str| older.get(name).cloned();
    let color = field("diffuseFactor").and_then(|color| serde_json::from_value(color).ok());
    let Material { metallic, roughness, .. } = Material::default();
    Surface {
        color: color.unwrap_or([1.0; 4]),
        texture: field("diffuseTexture").and_then(|info| serde_json::from_value(info).ok()),
        metallic,
        roughness,
    }
}

fn to_map(value: &impl serde::Serialize) -> Map<String, Value> {
    match serde_json::to_value(value) {
        Ok(Value::Object(map)) => map,
        _ => Map::new(),
    }
}
