//! OBJ, PLY and STL: reading, writing, losses, and error messages.

mod colors;
mod detect;
mod far;
mod far_joints;
mod finite;
mod lenient;
mod limits;
mod names;
mod numbers;
mod obj;
mod ply;
mod round_trips;
mod splitting;
mod stl;
mod textures;

use std::collections::BTreeMap;

use meshspec::interop::Interchange;
use meshspec::scene::{Faces, Mesh, Scene};
use meshspec::{Error, Loss};
use serde_json::{Value, json};

/// Files in memory.
type Folder = BTreeMap<String, Vec<u8>>;

fn read(format: Interchange, bytes: &[u8], folder: &Folder) -> Result<(Scene, Vec<Loss>), Error> {
    let (mut scene, losses) =
        format.read(bytes, folder, &Default::default(), &Default::default())?;
    scene.check().unwrap();
    // Scenes are compared without their source.
    let source = scene.source.take().unwrap();
    assert_eq!(
        (&*source.format, source.conventions),
        (format.name(), format.conventions())
    );
    Ok((scene, losses))
}

/// Reads a single file. Returns the scene and the losses, one per line.
fn scene(format: Interchange, bytes: &[u8]) -> (Scene, String) {
    let (scene, losses) = read(format, bytes, &Folder::new()).unwrap();
    (scene, list(&losses))
}

/// Reads an invalid file. Returns the text of the error.
fn error(format: Interchange, bytes: &[u8]) -> String {
    read(format, bytes, &Folder::new()).unwrap_err().to_string()
}

/// Writes a scene. Returns the written files and the losses, one per line.
fn write(format: Interchange, scene: Scene) -> Result<(Folder, String), Error> {
    let mut folder = Folder::new();
    let losses = format.write(
        scene,
        &format!("file.{format}"),
        &mut folder,
        &Default::default(),
    )?;
    Ok((folder, list(&losses)))
}

/// Returns a glTF file with one triangle, the given nodes and roots, and its buffer.
fn triangle_at_nodes(
    corners: &[[f32; 3]; 3],
    nodes: &[Value],
    roots: &[usize],
) -> (String, Folder) {
    let file = json!({
        "asset": { "version": "2.0" },
        "buffers": [{ "byteLength": 36, "uri": "numbers" }],
        "bufferViews": [{ "buffer": 0, "byteLength": 36 }],
        "accessors": [{ "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3" }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
        "nodes": nodes,
        "scenes": [{ "nodes": roots }],
    });
    let numbers = corners
        .as_flattened()
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    (
        file.to_string(),
        Folder::from([("numbers".to_owned(), numbers)]),
    )
}

fn list(losses: &[Loss]) -> String {
    losses
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join("\n")
}

fn scene_of(meshes: Vec<Mesh>) -> Scene {
    Scene {
        meshes,
        ..Scene::default()
    }
}

fn triangle() -> Mesh {
    Mesh {
        positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        faces: Faces::triangles(vec![0, 1, 2]),
        ..Mesh::default()
    }
}
