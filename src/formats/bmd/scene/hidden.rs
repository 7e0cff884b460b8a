//! Meshes that are not drawn, such as the solids of bones: kept in the extras of a scene, word by word.

use serde_json::{Value, json};

use super::super::{Faces, Mesh, Surface, Vertices};
use crate::Loss;

/// The extra of a scene with the meshes that are not drawn, such as the solids of bones.
pub const KEY: &str = "bmd_hidden_meshes";

/// A mesh that is not drawn, as its packed words.
pub fn hide(index: usize, mesh: &Mesh) -> Value {
    json!({ "mesh": index, "vertices": mesh.vertices.words(), "faces": mesh.faces.words() })
}

/// Puts the meshes that are not drawn back to their places. Returns where each of the others is then.
pub fn show(hidden: Option<Value>, meshes: &mut Vec<Mesh>, losses: &mut Vec<Loss>) -> Vec<usize> {
    let mut places: Vec<usize> = (0..meshes.len()).collect();
    let Some(hidden) = hidden else { return places };
    for value in hidden.as_array().into_iter().flatten() {
        match shown(value) {
            Some((index, mesh)) if index <= meshes.len() => {
                meshes.insert(index, mesh);
                places.iter_mut().filter(|place| **place >= index).for_each(|place| *place += 1);
            }
            _ => losses.push(Loss::dropped(format!("extras.{KEY}"), "extras that are not a mesh of BMD")),
        }
    }
    places
}

fn shown(value: &Value) -> Option<(usize, Mesh)> {
    let words = |name: &str| -> Option<Vec<u32>> {
        let words = value.get(name)?.as_array()?.iter();
        words.map(|word| word.as_u64().and_then(|word| u32::try_from(word).ok())).collect()
    };
    let vertices = Vertices::from_words(words("vertices")?, Surface::Textured).ok()?;
    let faces = Faces::from_words(words("faces")?).ok()?;
    let index = usize::try_from(value.get("mesh")?.as_u64()?).ok()?;
    Some((index, Mesh::new(None, vertices, faces)))
}
