//! Writes glTF materials.

use std::collections::{BTreeSet, HashMap};

use percent_encoding::percent_encode;
use serde_json::{Value, json};

use crate::Loss;
use crate::interop::folder::bytes_from_name;
use crate::interop::gltf::buffer::Buffer;
use crate::interop::gltf::container::ESCAPED;
use crate::interop::gltf::{
    Object, TEXTURE_SOURCES, set_extras, set_if, set_meshspec_extra_if, set_text,
};
use crate::interop::images;
use crate::interop::references;
use crate::scene::{
    AlphaMode, Extras, Filter, Image, Material, Sampler, Scene, Texture, Wrap, push_index,
};

/// Repairs materials for glTF: clamps factors and alpha cutoffs, and drops textures without texture coordinates. Lists
/// images of types that neither glTF nor its extensions support.
pub(in crate::interop::gltf) fn repair(scene: &mut Scene, losses: &mut Vec<Loss>) {
    for (index, mesh) in scene.meshes.iter_mut().enumerate() {
        let at = |field: &str| format!("meshes[{index}].material.{field}");
        let material = &mut mesh.material;
        if let Some(texture) = material
            .texture
            .take_if(|texture| texture.uv_set >= mesh.uvs.len())
        {
            let loss = Loss::dropped(at("texture"), "no texture coordinates for the texture");
            losses.push(loss.with_detail(texture.label()));
        }
        let is_unsupported = |texture: &Texture| {
            let media_type = media_type(texture);
            let is_png_or_jpeg = matches!(media_type, Some("image/png" | "image/jpeg"));
            !is_png_or_jpeg && media_type.and_then(texture_extension).is_none()
        };
        if let Some(texture) = material
            .texture
            .as_ref()
            .filter(|texture| is_unsupported(texture))
        {
            let loss = Loss::changed(
                at("texture"),
                "glTF readers may support PNG and JPEG images only",
            );
            losses.push(loss.with_detail(texture.label()));
        }
        let mut clamp = |field: &str, values: &mut [f32], max: f32, message: &str| {
            let mut changed = false;
            for value in values {
                let clamped = if value.is_nan() {
                    0.0
                } else {
                    value.clamp(0.0, max)
                };
                changed |= clamped != *value;
                *value = clamped;
            }
            if changed {
                losses.push(Loss::changed(at(field), message));
            }
        };
        let factors = [
            (
                "base_color",
                material
                    .base_color
                    .as_mut()
                    .map_or(&mut [][..], |color| color),
            ),
            ("metallic", std::slice::from_mut(&mut material.metallic)),
            ("roughness", std::slice::from_mut(&mut material.roughness)),
        ];
        for (field, values) in factors {
            clamp(
                field,
                values,
                1.0,
                "values were clamped to the range of glTF factors, 0 to 1",
            );
        }
        if let AlphaMode::Mask { cutoff } = &mut material.alpha_mode {
            let cutoff = std::slice::from_mut(cutoff);
            clamp(
                "alpha_mode",
                cutoff,
                f32::MAX,
                "the alpha cutoff was clamped to 0, the minimum in glTF",
            );
        }
    }
}

/// Returns the media type of an embedded image, or the one that the file name implies.
fn media_type(texture: &Texture) -> Option<&str> {
    let embedded = texture.image.as_ref().map(|image| &*image.media_type);
    embedded.or_else(|| images::media_type_by_name(&texture.name))
}

/// Returns the glTF extension for images of a media type; `None` if no extension supports it.
fn texture_extension(media_type: &str) -> Option<&'static str> {
    TEXTURE_SOURCES
        .iter()
        .find(|(_, known)| *known == media_type)
        .map(|(name, _)| *name)
}

/// The distinct materials of an output file, with their distinct textures, images and samplers.
#[derive(Default)]
pub(in crate::interop::gltf) struct Materials<'a> {
    pub entries: Vec<Value>,
    pub textures: Vec<Value>,
    pub images: Vec<Value>,
    pub samplers: Vec<Value>,
    /// The extensions that the images require.
    pub extensions: BTreeSet<&'static str>,
    known_materials: HashMap<&'a Material, usize>,
    known_textures: HashMap<(usize, Option<usize>), usize>,
    known_images: HashMap<(&'a str, Option<&'a Image>), usize>,
    known_samplers: HashMap<Sampler, usize>,
}

impl<'a> Materials<'a> {
    /// Returns the index of a material, adding the material if it is new; `None` for the default material.
    pub fn add(&mut self, material: &'a Material, buffer: &mut Buffer<'a>) -> Option<usize> {
        if *material == Material::default() {
            return None;
        }
        if let Some(index) = self.known_materials.get(material) {
            return Some(*index);
        }
        let entry = self.material_entry(material, buffer);
        let index = push_index(&mut self.entries, entry);
        self.known_materials.insert(material, index);
        Some(index)
    }

    fn material_entry(&mut self, material: &'a Material, buffer: &mut Buffer<'a>) -> Value {
        let Material {
            name,
            base_color,
            texture,
            alpha_mode,
            double_sided,
            metallic,
            roughness,
        } = material;
        let mut surface = Object::new();
        if let Some(color) = base_color {
            surface.insert("baseColorFactor".to_owned(), color.to_vec().into());
        }
        if let Some(texture) = texture {
            let mut info = json!({ "index": self.add_texture(texture, buffer) });
            if texture.uv_set > 0 {
                info["texCoord"] = texture.uv_set.into();
            }
            surface.insert("baseColorTexture".to_owned(), info);
        }
        set_if(&mut surface, *metallic != 1.0, "metallicFactor", *metallic);
        set_if(
            &mut surface,
            *roughness != 1.0,
            "roughnessFactor",
            *roughness,
        );
        let mut entry = Object::new();
        set_text(&mut entry, "name", name);
        set_if(
            &mut entry,
            !surface.is_empty(),
            "pbrMetallicRoughness",
            surface,
        );
        match alpha_mode {
            AlphaMode::Opaque => {}
            AlphaMode::Mask { cutoff } => {
                entry.insert("alphaMode".to_owned(), "MASK".into());
                entry.insert("alphaCutoff".to_owned(), (*cutoff).into());
            }
            AlphaMode::Blend => drop(entry.insert("alphaMode".to_owned(), "BLEND".into())),
        }
        set_if(&mut entry, *double_sided, "doubleSided", true);
        // glTF does not distinguish white from no colour; the extras do.
        let mut extras = Extras::new();
        set_meshspec_extra_if(&mut extras, *base_color == Some([1.0; 4]), "white", true);
        set_extras(&mut entry, extras);
        entry.into()
    }

    fn add_texture(&mut self, texture: &'a Texture, buffer: &mut Buffer<'a>) -> usize {
        let source = self.add_image(texture, buffer);
        let sampler = self.add_sampler(texture.sampler);
        let Materials {
            textures,
            extensions,
            known_textures,
            ..
        } = self;
        *known_textures.entry((source, sampler)).or_insert_with(|| {
            let mut entry = match media_type(texture).and_then(texture_extension) {
                Some(name) => {
                    extensions.insert(name);
                    json!({ "extensions": { name: { "source": source } } })
                }
                None => json!({ "source": source }),
            };
            if let Some(sampler) = sampler {
                entry["sampler"] = sampler.into();
            }
            push_index(textures, entry)
        })
    }

    fn add_image(
        &mut self,
        Texture { name, image, .. }: &'a Texture,
        buffer: &mut Buffer<'a>,
    ) -> usize {
        let Materials {
            images,
            known_images,
            ..
        } = self;
        *known_images
            .entry((name, image.as_ref()))
            .or_insert_with(|| {
                let mut entry = match image {
                    Some(image) => json!({
                        "bufferView": buffer.push_image(&image.bytes),
                        "mimeType": image.media_type,
                    }),
                    None => json!({ "uri": to_uri(name) }),
                };
                if image.is_some() && !name.is_empty() {
                    entry["name"] = name.as_str().into();
                }
                push_index(images, entry)
            })
    }

    /// Returns the index of a sampler, adding the sampler if it is new; `None` for the default sampler.
    fn add_sampler(&mut self, sampler: Sampler) -> Option<usize> {
        if sampler == Sampler::default() {
            return None;
        }
        let Materials {
            samplers,
            known_samplers,
            ..
        } = self;
        let add = || push_index(samplers, sampler_entry(sampler));
        Some(*known_samplers.entry(sampler).or_insert_with(add))
    }
}

/// Returns the JSON of a sampler, which uses OpenGL constants.
fn sampler_entry(
    Sampler {
        wrap,
        magnify,
        minify,
    }: Sampler,
) -> Value {
    let mut entry = Object::new();
    for (name, wrap) in ["wrapS", "wrapT"].into_iter().zip(wrap) {
        let mode = match wrap {
            Wrap::Repeat => continue,
            Wrap::Mirror => 33648,
            Wrap::Clamp => 33071,
        };
        entry.insert(name.to_owned(), mode.into());
    }
    let filter = |filter: Filter| u32::from(filter == Filter::Linear);
    if let Some(magnify) = magnify {
        entry.insert("magFilter".to_owned(), (9728 + filter(magnify)).into());
    }
    if let Some((pixels, levels)) = minify {
        let first = levels.map_or(9728, |levels| 9984 + 2 * filter(levels));
        entry.insert("minFilter".to_owned(), (first + filter(pixels)).into());
    }
    entry.into()
}

/// Converts the path of a file to a relative URI. Returns remote URIs unchanged.
fn to_uri(path: &str) -> String {
    if references::is_remote(path) {
        return path.to_owned();
    }
    let parts = path
        .split('/')
        .map(|part| percent_encode(&bytes_from_name(part), ESCAPED).to_string());
    parts.collect::<Vec<_>>().join("/")
}
