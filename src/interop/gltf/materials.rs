//! Materials: names and flat colours.

use ::gltf::json;
use serde_json::{Value, json};

use super::document::{Document, extras};
use super::take_own;
use crate::Loss;
use crate::scene::Material;

/// The materials of the file, and one more for meshes that name none.
pub(super) fn read(document: &Document, losses: &mut Vec<Loss>) -> Vec<Material> {
    let entries = document.root.materials.iter().enumerate();
    entries.map(|(index, entry)| material(entry, &format!("materials[{index}]"), losses)).collect()
}

fn material(entry: &json::Material, at: &str, losses: &mut Vec<Loss>) -> Material {
    let own = take_own(&mut extras(&entry.extras));
    let factor = entry.pbr_metallic_roughness.base_color_factor.0;
    let color = match own.get("color").and_then(|color| serde_json::from_value(color.clone()).ok()) {
        Some(color) => Some(color),
        None if factor == [1.0; 4] => None,
        None => Some(to_bytes(factor, at, losses)),
    };
    let more = more_than_color(entry);
    if !more.is_empty() {
        let message = format!("materials are names and colours; there is no place for {}", more.join(", "));
        losses.push(Loss::dropped(at, message));
    }
    Material { name: entry.name.clone().unwrap_or_default(), color }
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
        losses.push(Loss::quantised(&*path, "colours of meshes have 8 bits", worst));
    }
    if alpha != 1.0 {
        losses.push(Loss::dropped(path, format!("alpha of {alpha}")));
    }
    color
}

/// The names of properties that say more than a plain surface of one colour would.
fn more_than_color(entry: &json::Material) -> Vec<String> {
    let plain = serde_json::to_value(json::Material::default()).unwrap_or_default();
    let Ok(entry) = serde_json::to_value(entry) else { return Vec::new() };
    let mut more = Vec::new();
    let known = ["name", "extras", "baseColorFactor", "metallicFactor", "roughnessFactor"];
    let mut compare = |entry: &Value, plain: &Value| {
        for (name, value) in entry.as_object().into_iter().flatten() {
            let same = plain.get(name) == Some(value) || known.contains(&name.as_str());
            if !same && name != "pbrMetallicRoughness" {
                more.push(name.clone());
            }
        }
    };
    let part = "pbrMetallicRoughness";
    compare(&entry, &plain);
    compare(entry.get(part).unwrap_or(&json!({})), plain.get(part).unwrap_or(&json!({})));
    more
}
