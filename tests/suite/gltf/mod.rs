//! glTF: round trips, poses, files of other writers, and located errors for malformed files.

mod draco;
mod evaluate;
mod hostile;
mod layout;
mod malformed;
mod meshopt;
mod models;
mod nodes;
mod numbers;
mod packed;
mod partial;
mod poses;
mod round_trip;
mod textures;
mod tolerant;
mod unsupported;

use std::collections::BTreeMap;

use meshspec::interop::Interchange;
use meshspec::scene::{Scene, SceneOptions};
use meshspec::{Limits, Loss, Result};

/// Files in memory, by name.
type Files = BTreeMap<String, Vec<u8>>;

/// Writes a scene. Returns the written files and the losses.
fn write(format: Interchange, scene: Scene) -> Result<(Files, Vec<Loss>)> {
    let mut files = Files::new();
    let losses = format.write(
        scene,
        &format!("a scene.{format}"),
        &mut files,
        &SceneOptions::default(),
    )?;
    Ok((files, losses))
}

/// Reads the scene from its files.
fn read(format: Interchange, files: &Files) -> Result<(Scene, Vec<Loss>)> {
    let bytes = &files[&format!("a scene.{format}")];
    format.read(bytes, files, &SceneOptions::default(), &Limits::default())
}

/// Reads the scene of a `.gltf` with this JSON, and the buffer `numbers.bin`.
fn read_json(json: &serde_json::Value, numbers: &[u8]) -> Result<(Scene, Vec<Loss>)> {
    let text = json.to_string();
    let files = Files::from([("numbers.bin".to_owned(), numbers.to_vec())]);
    Interchange::Gltf.read(
        text.as_bytes(),
        &files,
        &SceneOptions::default(),
        &Limits::default(),
    )
}

/// Returns the JSON and binary chunk of a `.glb`.
fn parts(glb: &[u8]) -> (serde_json::Value, &[u8]) {
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    let json = serde_json::from_slice(&glb[20..20 + length]).unwrap();
    (json, glb.get(28 + length..).unwrap_or_default())
}
