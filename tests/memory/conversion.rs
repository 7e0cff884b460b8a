//! Memory limit of conversions to GLB: three times the decoded size.
//!
//! The decoded size is that of the scene's lists: 12 bytes per position and normal, 8 per texture coordinate pair, 4
//! per face corner. The tests measure peak memory from reading the file to writing the GLB, which is streamed.
//!
//! Binary files count. Text files do not: they are more than twice the size of their content. They remain in memory
//! during parsing, since words, names and errors refer to them.

use libtest_mimic::Trial;
use meshspec::interop::{Files, Interchange};
use meshspec::scene::{Faces, Mesh, Scene, SceneOptions};
use meshspec::{Document, Formats};

use crate::MEMORY;

pub fn trials() -> Vec<Trial> {
    trials![each_format_to_gltf, obj_to_gltf]
}

/// Counts the bytes of written files and discards them.
#[derive(Default)]
struct ByteCounter(usize);

impl std::io::Write for ByteCounter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Files for ByteCounter {
    fn read(&self, name: &str, _: u64) -> std::io::Result<Vec<u8>> {
        Err(std::io::Error::other(name))
    }

    fn create(&mut self, _: &str) -> std::io::Result<Box<dyn std::io::Write + '_>> {
        Ok(Box::new(self))
    }
}

/// Returns a square grid with `side` vertices per side and two triangles per cell.
fn square(side: u32, height: f32) -> Mesh {
    let places = || (0..side * side).map(|vertex| ((vertex % side) as f32, (vertex / side) as f32));
    let corners = (0..(side - 1) * (side - 1)).flat_map(|cell| {
        let first = cell / (side - 1) * side + cell % (side - 1);
        [
            first,
            first + 1,
            first + side,
            first + side,
            first + 1,
            first + side + 1,
        ]
    });
    Mesh {
        positions: places().map(|(x, z)| [x / 8.0, height, z / 8.0]).collect(),
        normals: Some(vec![[0.0, 1.0, 0.0]; (side * side) as usize]),
        uvs: vec![
            places()
                .map(|(x, z)| [x / side as f32, z / side as f32])
                .collect(),
        ],
        faces: Faces::triangles(corners.collect()),
        ..Mesh::default()
    }
}

/// Returns eight squares: 320,000 vertices and 1.9 million corners, 18 million bytes.
fn scene() -> Scene {
    Scene {
        meshes: (0..8).map(|height| square(200, height as f32)).collect(),
        ..Scene::default()
    }
}

fn decoded_size(scene: &Scene) -> usize {
    let size = |mesh: &Mesh| {
        let normals = mesh
            .normals
            .as_ref()
            .map_or(0, |normals| size_of_val(&**normals));
        let uvs: usize = mesh.uvs.iter().map(|uvs| size_of_val(&**uvs)).sum();
        let corners = 4 * mesh.faces.corner_count(mesh.positions.len());
        size_of_val(&*mesh.positions) + normals + uvs + corners
    };
    scene.meshes.iter().map(size).sum()
}

/// Asserts that converting a file to GLB uses at most three times the decoded size. The bytes of a text file are not
/// counted.
fn assert_memory(name: &str, is_text: bool, file: Vec<u8>, read: impl FnOnce(&[u8]) -> Scene) {
    let mut count = ByteCounter::default();
    // Drops spare capacity.
    let file = file.into_boxed_slice();
    let length = file.len();
    let before = MEMORY.current_usage().saturating_sub(length);
    MEMORY.reset_peak_usage();
    let scene = read(&file);
    let reading = MEMORY.peak_usage().saturating_sub(before);
    // Frees the file before writing the GLB, like the program.
    drop(file);
    MEMORY.reset_peak_usage();
    let size = decoded_size(&scene);
    Interchange::Glb
        .write(scene, "x.glb", &mut count, &SceneOptions::default())
        .unwrap();
    let writing = MEMORY.peak_usage().saturating_sub(before);
    let (all, without_file) = (
        reading.max(writing),
        writing.max(reading.saturating_sub(length)),
    );
    let times = |memory: usize| memory as f64 / size as f64;
    println!(
        "{name}: {:.2} times {size} bytes, {:.2} with the file",
        times(without_file),
        times(all)
    );
    // The GLB has 16-bit indices, the scene 32-bit indices.
    assert!(
        count.0 > size / 2 && size > 15_000_000,
        "{name}: {} bytes of GLB for {size}",
        count.0
    );
    assert!(
        without_file <= 3 * size,
        "{name}: {without_file} bytes for {size}"
    );
    assert!(is_text || all <= 3 * size, "{name}: {all} bytes for {size}");
}

fn each_format_to_gltf() {
    for format in Formats::BUILT_IN {
        let (document, _) =
            Document::from_scene(*format, scene(), &SceneOptions::default()).unwrap();
        let file = document.write(&Default::default()).unwrap();
        drop(document);
        assert_memory(
            format.name(),
            format.about().layouts().is_empty(),
            file,
            |file| {
                let document = format.read(file, &Default::default()).unwrap();
                document.into_scene(&SceneOptions::default()).unwrap().0
            },
        );
    }
}

fn obj_to_gltf() {
    let mut files = std::collections::BTreeMap::new();
    Interchange::Obj
        .write(scene(), "x.obj", &mut files, &SceneOptions::default())
        .unwrap();
    let file = files.remove("x.obj").unwrap();
    assert_memory("obj", true, file, |file| {
        Interchange::Obj
            .read(file, &files, &SceneOptions::default(), &Default::default())
            .unwrap()
            .0
    });
}
