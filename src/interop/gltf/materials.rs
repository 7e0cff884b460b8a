//! Materials: names, flat colours and the names of their images.

use ::gltf::json;
use ::gltf::json::material::StrengthFactor;
use percent_encoding::percent_decode_str;
use serde_json::Value;

use super::document::{Document, extras};
use super::take_own;
use crate::Loss;
use crate::scene::Material;

/// The materials of the file.
pub(super) fn read(document: &Document, losses: &mut Vec<Loss>) -> Vec<Material> {
    let root = &document.root;
    let mut used = vec![false; root.materials.len()];
    for index in
        root.meshes.iter().flat_map(|mesh| &mesh.primitives).filter_map(|primitive| primitive.material)
    {
        used[index.value()] = true;
    }
    let mut materials = Vec::new();
    for (index, entry) in root.materials.iter().enumerate() {
        let at = format!("materials[{index}]");
        if !used[index] {
            losses.push(Loss::dropped(&*at, "unused materials"));
        }
        materials.push(material(root, entry, &at, losses));
    }
    materials
}

/// A colour as glTF has it.
pub(super) fn to_factor([red, green, blue]: [u8; 3]) -> [f32; 4] {
    [red, green, blue, 255].map(|channel| f32::from(channel) / 255.0)
}

fn material(root: &json::Root, entry: &json::Material, at: &str, losses: &mut Vec<Loss>) -> Material {
    let mut extras = extras(&entry.extras);
    // Whether there is a colour, where this crate has written it: without one, the factor is that of white.
    let mut own = take_own(&mut extras);
    let color: Option<Option<[u8; 3]>> =
        own.remove("color").and_then(|color| serde_json::from_value(color).ok());
    let known = own.get("texture").and_then(Value::as_str).map(str::to_owned);
    let texture = known.or_else(|| texture(root, entry)).unwrap_or_default();
    let mut more = more_than_color(entry, color.is_some(), !extras.is_empty());
    more.retain(|name| name != "baseColorTexture" || texture.is_empty());
    let factor = entry.pbr_metallic_roughness.base_color_factor.0;
    let color = match color.filter(|color| color.map_or([1.0; 4], to_factor) == factor) {
        Some(color) => color,
        None if factor == [1.0; 4] => None,
        None => Some(to_bytes(factor, at, losses)),
    };
    if !more.is_empty() {
        let message = "materials of scenes have a name, a base colour and the name of its texture only";
        losses.push(Loss::dropped(at, message).detail(more.join(", ")));
    }
    Material { name: entry.name.clone().unwrap_or_default(), color, texture }
}

/// The name of the image of the base colour: that of its file or, where it is in this one, its own or that of the texture.
fn texture(root: &json::Root, entry: &json::Material) -> Option<String> {
    let texture = entry.pbr_metallic_roughness.base_color_texture.as_ref()?;
    let texture = root.textures.get(texture.index.value())?;
    let image = root.images.get(texture.source.value())?;
    let file = image.uri.as_deref().filter(|uri| !uri.starts_with("data:"));
    let file = file.map(|uri| percent_decode_str(uri).decode_utf8_lossy().into_owned());
    file.or_else(|| image.name.clone()).or_else(|| texture.name.clone()).filter(|name| !name.is_empty())
}

fn to_bytes([red, green, blue, alpha]: [f32; 4], at: &str, losses: &mut Vec<Loss>) -> [u8; 3] {
    let mut worst = 0.0_f32;
    let color = [red, green, blue].map(|channel| {
        let byte = (channel * 255.0).round() as u8;
        worst = worst.max((channel - f32::from(byte) / 255.0).abs());
        byte
    });
    let path = format!("{at}.pbrMetallicRoughness.baseColorFactor");
    if worst > 0.0 {
        losses.push(Loss::quantised(&*path, "base colours rounded to 8 bits", worst));
    }
    if alpha != 1.0 {
        losses.push(Loss::dropped(path, "alpha of base colours").detail(alpha));
    }
    color
}

/// The names of properties that say more than a plain surface of one colour would. Those that this crate writes are not
/// metallic.
fn more_than_color(entry: &json::Material, is_own: bool, extras: bool) -> Vec<String> {
    let mut plain = json::Material::default();
    if is_own {
        plain.pbr_metallic_roughness.metallic_factor = StrengthFactor(0.0);
    }
    let mut entry = entry.clone();
    entry.extras = None;
    let surface = |material: &json::Material| serde_json::to_value(&material.pbr_metallic_roughness);
    let parts =
        [(serde_json::to_value(&entry), serde_json::to_value(&plain)), (surface(&entry), surface(&plain))];
    let mut more = Vec::new();
    for (entry, plain) in parts {
        let (entry, plain) = (entry.unwrap_or_default(), plain.unwrap_or_default());
        for (name, value) in entry.as_object().into_iter().flatten() {
            let known = ["name", "pbrMetallicRoughness", "baseColorFactor"].contains(&name.as_str());
            if !known && plain.get(name) != Some(value) {
                more.push(name.clone());
            }
        }
    }
    more.extend(extras.then(|| "extras".to_owned()));
    more
}
