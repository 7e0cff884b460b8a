//! Reads materials of glTF.

use std::collections::BTreeSet;

use ::gltf::json;
use ::gltf::json::material::AlphaMode as Mode;
use ::gltf::json::texture::Info;
use ::gltf::json::validation::Checked;
use serde_json::{Map, Value};

use super::textures::Textures;
use crate::interop::gltf::file::{GltfFile, read_extras};
use crate::interop::gltf::{SPECULAR_GLOSSINESS, label, take_meshspec_extras};
use crate::interop::texture_transform::TextureTransform;
use crate::scene::{AlphaMode, Material, Mesh};
use crate::{Loss, Result};

/// A material, with the set and the transform of the texture coordinates that its texture uses.
#[derive(Default)]
pub(in crate::interop::gltf) struct MaterialEntry {
    pub material: Material,
    uv_set: u32,
    transform: TextureTransform,
}

impl MaterialEntry {
    /// Assigns the material to a mesh, and transforms the texture coordinates of its texture. `sets` lists the
    /// `TEXCOORD` number of each item of `mesh.uvs`.
    pub fn apply(&self, mesh: &mut Mesh, sets: &[u32]) {
        mesh.material = self.material.clone();
        let Some(texture) = &mut mesh.material.texture else {
            return;
        };
        // An index past the end marks a missing set.
        texture.uv_set = sets
            .iter()
            .position(|set| *set == self.uv_set)
            .unwrap_or(mesh.uvs.len());
        if let Some(uvs) = mesh.uvs.get_mut(texture.uv_set) {
            self.transform.apply(uvs);
        }
    }
}

/// Reads the materials of the file; unused ones become default entries. Returns an error if the images exceed the
/// limits.
pub(in crate::interop::gltf) fn read(
    file: &GltfFile,
    losses: &mut Vec<Loss>,
) -> Result<Vec<MaterialEntry>> {
    let root = &file.root;
    let used = used_materials(root);
    let mut reader = MaterialReader {
        textures: Textures::new(file),
        unsupported: Vec::new(),
        affected: 0,
        transformed: Vec::new(),
        losses,
    };
    let mut entries = Vec::new();
    let mut unused = Vec::new();
    for (index, entry) in root.materials.iter().enumerate() {
        if used[index] {
            entries.push(reader.read_material(index, entry)?);
        } else {
            unused.push(label("materials", index, entry.name.as_deref()));
            entries.push(MaterialEntry::default());
        }
    }
    reader.record_losses(unused);
    Ok(entries)
}

/// Returns one flag per material: `true` if a primitive uses the material.
fn used_materials(root: &json::Root) -> Vec<bool> {
    let mut used = vec![false; root.materials.len()];
    let primitives = root.meshes.iter().flat_map(|mesh| &mesh.primitives);
    for index in primitives.filter_map(|primitive| primitive.material) {
        used[index.value()] = true;
    }
    used
}

/// Returns the names of the materials that no primitive uses.
pub(in crate::interop::gltf) fn unused_names(root: &json::Root) -> Vec<String> {
    let unused = root
        .materials
        .iter()
        .zip(used_materials(root))
        .filter(|(_, used)| !used);
    unused.filter_map(|(entry, _)| entry.name.clone()).collect()
}

struct MaterialReader<'a> {
    textures: Textures<'a>,
    /// The unsupported properties, in order of occurrence.
    unsupported: Vec<String>,
    /// The number of materials with unsupported properties.
    affected: usize,
    /// The labels of materials with a texture transform.
    transformed: Vec<String>,
    losses: &'a mut Vec<Loss>,
}

impl MaterialReader<'_> {
    fn read_material(&mut self, index: usize, entry: &json::Material) -> Result<MaterialEntry> {
        let mut extras = read_extras(&entry.extras);
        // glTF does not distinguish white from no colour; the extras do.
        let is_white = take_meshspec_extras(&mut extras).contains_key("white");
        self.record_unsupported(entry, !extras.is_empty());
        let Surface {
            color,
            texture,
            metallic,
            roughness,
        } = read_surface(entry);
        let alpha_mode = match entry.alpha_mode {
            Checked::Valid(Mode::Mask) => AlphaMode::Mask {
                cutoff: entry.alpha_cutoff.unwrap_or_default().0,
            },
            Checked::Valid(Mode::Blend) => AlphaMode::Blend,
            Checked::Valid(Mode::Opaque) | Checked::Invalid => AlphaMode::Opaque,
        };
        let at = format!("materials[{index}].pbrMetallicRoughness.baseColorTexture");
        let found = texture
            .map(|info| self.textures.read(&info, &at, self.losses))
            .transpose()?
            .flatten();
        let found = found.map(|(texture, uv_set, transform)| (Some(texture), uv_set, transform));
        let (texture, uv_set, transform) = found.unwrap_or_default();
        if !transform.is_identity() {
            self.transformed
                .push(label("materials", index, entry.name.as_deref()));
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
        Ok(MaterialEntry {
            material,
            uv_set,
            transform,
        })
    }

    /// Records unsupported properties, except extensions, which the module `unsupported` lists for the whole file.
    fn record_unsupported(&mut self, entry: &json::Material, has_extras: bool) {
        const SUPPORTED: [&str; 10] = [
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
        let own = json::Material {
            extras: None,
            ..entry.clone()
        };
        let default = json::Material::default();
        let pairs = [
            (to_map(&own), to_map(&default)),
            (
                to_map(&own.pbr_metallic_roughness),
                to_map(&default.pbr_metallic_roughness),
            ),
        ];
        let mut names = BTreeSet::new();
        for (own, default) in &pairs {
            let more = own
                .iter()
                .filter(|(name, value)| default.get(*name) != Some(value));
            names.extend(
                more.map(|(name, _)| &**name)
                    .filter(|name| !SUPPORTED.contains(name)),
            );
        }
        names.extend(has_extras.then_some("extras"));
        self.affected += usize::from(!names.is_empty());
        for name in names {
            if !self.unsupported.iter().any(|known| known == name) {
                self.unsupported.push(name.to_owned());
            }
        }
    }

    /// Records the losses, at most one of each kind.
    fn record_losses(self, unused: Vec<String>) {
        let MaterialReader {
            textures,
            unsupported,
            affected,
            transformed,
            losses,
            ..
        } = self;
        let all = textures.file.root.materials.len();
        let loss = Loss::dropped("materials", "unsupported properties");
        losses.extend(
            loss.with_count_of(affected, all, "materials")
                .listing(unsupported),
        );
        losses.extend(Loss::dropped("materials", "unused materials").listing(unused));
        let loss = Loss::dropped("images", "images that are not used as base colours");
        losses.extend(loss.listing(textures.unused_images()));
        let message = "texture transforms were applied to the texture coordinates";
        losses.extend(Loss::changed("materials", message).listing(transformed));
    }
}

/// The base colour and the reflection properties of a surface.
struct Surface {
    color: [f32; 4],
    texture: Option<Info>,
    metallic: f32,
    roughness: f32,
}

fn read_surface(entry: &json::Material) -> Surface {
    let surface = &entry.pbr_metallic_roughness;
    let extensions = entry.extensions.as_ref();
    let Some(older) = extensions.and_then(|extensions| extensions.others.get(SPECULAR_GLOSSINESS))
    else {
        return Surface {
            color: surface.base_color_factor.0,
            texture: surface.base_color_texture.clone(),
            metallic: surface.metallic_factor.0,
            roughness: surface.roughness_factor.0,
        };
    };
    let field = |name: &str| older.get(name).cloned();
    let color = field("diffuseFactor").and_then(|color| serde_json::from_value(color).ok());
    let Material {
        metallic,
        roughness,
        ..
    } = Material::default();
    let texture = field("diffuseTexture").and_then(|info| serde_json::from_value(info).ok());
    Surface {
        color: color.unwrap_or([1.0; 4]),
        texture,
        metallic,
        roughness,
    }
}

fn to_map(value: &impl serde::Serialize) -> Map<String, Value> {
    if let Ok(Value::Object(map)) = serde_json::to_value(value) {
        map
    } else {
        Map::new()
    }
}
