//! Stores undrawn meshes, such as bone solids, as packed words in the extras of a scene, and restores them.

use serde_json::{Value, json};

use super::super::{Faces, Mesh, Surface, Vertices};
use crate::Loss;

/// The name of the scene extra for undrawn meshes.
pub const EXTRA: &str = "bmd_hidden_meshes";

/// Returns an undrawn mesh as JSON: its index and packed words.
pub fn stash(index: usize, mesh: &Mesh) -> Value {
    json!({ "mesh": index, "vertices": mesh.vertices.words(), "faces": mesh.faces.words() })
}

/// Reinserts the undrawn meshes at their original indices. Returns the new index of each drawn mesh.
pub fn restore(
    hidden: Option<Value>,
    meshes: &mut Vec<Mesh>,
    losses: &mut Vec<Loss>,
) -> Vec<usize> {
    let mut mesh_indices: Vec<usize> = (0..meshes.len()).collect();
    let Some(hidden) = hidden else {
        return mesh_indices;
    };
    for value in hidden.as_array().into_iter().flatten() {
        match parse_mesh(value) {
            Some((index, mesh)) if index <= meshes.len() => {
                meshes.insert(index, mesh);
                mesh_indices
                    .iter_mut()
                    .filter(|other| **other >= index)
                    .for_each(|other| *other += 1);
            }
            _ => losses.push(Loss::dropped(
                format!("extras.{EXTRA}"),
                "invalid undrawn mesh",
            )),
        }
    }
    mesh_indices
}

/// Parses an undrawn mesh and its index; `None` if `value` is invalid.
fn parse_mesh(value: &Value) -> Option<(usize, Mesh)> {
    let words = |name: &str| -> Option<Vec<u32>> {
        let words = value.get(name)?.as_array()?.iter();
        words
            .map(|word| word.as_u64().and_then(|word| u32::try_from(word).ok()))
            .collect()
    };
    let vertices = Vertices::from_words(words("vertices")?, Surface::Textured).ok()?;
    let faces = Faces::from_words(words("faces")?).ok()?;
    let index = usize::try_from(value.get("mesh")?.as_u64()?).ok()?;
    Some((index, Mesh::new(None, vertices, faces)))
}
