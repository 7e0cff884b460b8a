//! Undrawn meshes, such as bone solids, kept word by word in the extras of a scene.

use serde_json::{Value, json};

use super::super::{Faces, Mesh, Surface, Vertices};
use crate::Loss;

/// The scene extra for undrawn meshes, such as bone solids.
pub const KEY: &str = "bmd_hidden_meshes";

/// Returns an undrawn mesh as its packed words.
pub fn stash(index: usize, mesh: &Mesh) -> Value {
    json!({ "mesh": index, "vertices": mesh.vertices.words(), "faces": mesh.faces.words() })
}

/// Reinserts the undrawn meshes at their original positions. Returns the new index of each other mesh.
pub fn restore(hidden: Option<Value>, meshes: &mut Vec<Mesh>, losses: &mut Vec<Loss>) -> Vec<usize> {
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
