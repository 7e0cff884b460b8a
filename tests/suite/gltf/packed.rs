//! Compressed data from meshoptimizer and Draco, which `tests/external/gltf/make_packed.mjs` creates, and compressed
//! models of other projects.

use std::path::Path;

use glam::Vec3;
use meshspec::interop::Interchange;
use meshspec::scene::{Indices, Scene, SceneOptions};
use meshspec::{Error, ErrorKind, Limits};
use serde_json::{Value, json};

use super::{Files, read_json};

/// A file and its binary buffer.
pub type GltfFile = (Value, Vec<u8>);

pub fn packed_cases(list: &str) -> Value {
    let mut all: Value = serde_json::from_str(include_str!("packed.json")).unwrap();
    all[list].take()
}

pub fn bytes(hex: &Value) -> Vec<u8> {
    let digits = hex.as_str().unwrap().as_bytes().chunks(2);
    digits
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

pub fn buffer(bytes: &[u8]) -> Value {
    json!({ "byteLength": bytes.len(), "uri": "numbers.bin" })
}

pub fn rejected((json, bytes): &GltfFile) -> Error {
    read_json(json, bytes)
        .map(|(scene, _)| scene)
        .expect_err(&json.to_string())
}

/// Reads a file with a limit on decoded bytes. Returns the number of meshes, or the kind and path of the error.
pub fn read_within(limit: u64, (json, bytes): &GltfFile) -> Result<usize, (ErrorKind, String)> {
    let files = Files::from([("numbers.bin".to_owned(), bytes.clone())]);
    let limits = Limits::default().with_max_decoded(limit);
    let scene = Interchange::Gltf.read(
        json.to_string().as_bytes(),
        &files,
        &SceneOptions::default(),
        &limits,
    );
    scene
        .map(|(scene, _)| scene.meshes.len())
        .map_err(|error| (error.kind(), error.path().to_string()))
}

/// Reads copies of a file: each byte of the packed first buffer is damaged in turn, and the buffer is truncated
/// at each length. Returns how many copies are read and how many are rejected.
pub fn count_damaged((json, bytes): &GltfFile, length: &str) -> [usize; 2] {
    let mut counts = [0; 2];
    let mut attempt = |json: &Value, bytes: &[u8]| match read_json(json, bytes) {
        Ok((scene, _)) => {
            assert_eq!(scene.meshes.len(), 1);
            counts[0] += 1;
        }
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::Malformed, "{error}");
            counts[1] += 1;
        }
    };
    for at in 0..bytes.len() {
        for bits in [0xff, 0x80, 0x10, 0x01] {
            let mut bytes = bytes.clone();
            bytes[at] ^= bits;
            attempt(json, &bytes);
        }
        let mut json = json.clone();
        *json.pointer_mut(length).unwrap() = at.into();
        attempt(&json, bytes);
    }
    counts
}

/// Returns the triangles of all meshes in the space of the scene.
pub fn triangles(mut scene: Scene) -> Vec<[Vec3; 3]> {
    scene.apply_transform();
    let meshes = scene.meshes.into_iter().flat_map(|mesh| {
        let corners = mesh.faces.indices.map(Indices::into_u32).unwrap();
        let corners: Vec<Vec3> = corners
            .into_iter()
            .map(|corner| mesh.positions[corner as usize].into())
            .collect();
        corners.as_chunks().0.to_vec()
    });
    meshes.collect()
}

/// Compares a model of another project with the results of an independent decoder.
pub fn compare_model(name: &str, count: usize, bounds: [[f32; 3]; 2], area: f32) {
    let folder =
        std::env::var_os("MESHSPEC_MODELS").expect("MESHSPEC_MODELS must be the folder of models");
    let path = Path::new(&folder).join("files").join(name);
    let beside = std::fs::read_dir(path.parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let files: Files = beside
        .filter(|path| path.is_file())
        .map(|path| {
            (
                path.file_name().unwrap().to_string_lossy().into_owned(),
                std::fs::read(path).unwrap(),
            )
        })
        .collect();
    let format = Interchange::by_extension(&path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let (scene, losses) = format
        .read(
            &bytes,
            &files,
            &SceneOptions::default().with_bake(true),
            &Limits::default(),
        )
        .unwrap();
    assert!(
        losses
            .iter()
            .all(|loss| !loss.to_string().contains("compression")),
        "{name}: {losses:?}"
    );
    let triangles = triangles(scene);
    assert_eq!(triangles.len(), count, "{name}");
    let corners = triangles.as_flattened();
    let low = corners.iter().copied().reduce(Vec3::min).unwrap();
    let high = corners.iter().copied().reduce(Vec3::max).unwrap();
    let [expected_low, expected_high] = bounds.map(Vec3::from);
    let size = (expected_high - expected_low).max_element();
    let worst = (low - expected_low)
        .abs()
        .max((high - expected_high).abs())
        .max_element();
    assert!(worst < 1e-5 * size, "{name}: from {low} to {high}");
    let found: f64 = triangles
        .iter()
        .map(|[a, b, c]| f64::from((b - a).cross(c - a).length()) / 2.0)
        .sum();
    assert!(
        (found / f64::from(area) - 1.0).abs() < 1e-4,
        "{name}: area {found}"
    );
}
