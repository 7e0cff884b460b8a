//! What a conversion to GLB holds in memory: at most three times the decoded size.
//!
//! The decoded size is that of the lists of the scene: 12 bytes for each position and normal, 8 for each pair of texture
//! coordinates, 4 for each corner of a face. Counted is the most that is allocated at a time from the bytes of the file
//! to the last one of the GLB; not the file itself, which the program maps, nor the GLB, which goes out as it is made.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Mutex;

use meshspec::interop::{Files, Interchange};
use meshspec::scene::{Faces, Mesh, Scene, SceneOptions};
use meshspec::{Document, FormatId};
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// The tests measure the memory of the process, one at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// Files that are counted and forgotten.
#[derive(Default)]
struct Count(usize);

impl std::io::Write for Count {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Files for Count {
    fn read(&self, name: &str) -> std::io::Result<Vec<u8>> {
        Err(std::io::Error::other(name))
    }

    fn create(&mut self, _: &str) -> std::io::Result<Box<dyn std::io::Write + '_>> {
        Ok(Box::new(self))
    }
}

/// A square of so many vertices on each side, with two triangles between each four of them.
fn square(side: u32, height: f32) -> Mesh {
    let places = || (0..side * side).map(|vertex| ((vertex % side) as f32, (vertex / side) as f32));
    let corners = (0..(side - 1) * (side - 1)).flat_map(|cell| {
        let first = cell / (side - 1) * side + cell % (side - 1);
        [first, first + 1, first + side, first + side, first + 1, first + side + 1]
    });
    Mesh {
        positions: places().map(|(x, z)| [x / 8.0, height, z / 8.0]).collect(),
        normals: Some(vec![[0.0, 1.0, 0.0]; (side * side) as usize]),
        uvs: vec![places().map(|(x, z)| [x / side as f32, z / side as f32]).collect()],
        faces: Faces::triangles(corners.collect()),
        ..Mesh::default()
    }
}

/// Eight squares: 320,000 vertices and 1.9 million corners, 18 million bytes.
fn scene() -> Scene {
    Scene { meshes: (0..8).map(|height| square(200, height as f32)).collect(), ..Scene::default() }
}

fn decoded_size(scene: &Scene) -> usize {
    let size = |mesh: &Mesh| {
        let normals = mesh.normals.as_ref().map_or(0, |normals| size_of_val(&**normals));
        let uvs: usize = mesh.uvs.iter().map(|uvs| size_of_val(&**uvs)).sum();
        let corners = 4 * mesh.faces.corner_count(mesh.positions.len());
        size_of_val(&*mesh.positions) + normals + uvs + corners
    };
    scene.meshes.iter().map(size).sum()
}

/// Fails if reading a file and writing what it holds as GLB takes more than three times the decoded size.
fn assert_three_times(name: &str, read: impl FnOnce() -> Scene) {
    let mut size = 0;
    let mut count = Count::default();
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let scene = read();
    size += decoded_size(&scene);
    Interchange::Glb.write(scene, "x.glb", &mut count, &SceneOptions::default()).unwrap();
    let memory = MEMORY.peak_usage().saturating_sub(before);
    println!("{name}: {:.2} times {size} bytes", memory as f64 / size as f64);
    // Indices of up to 16 bits take half of what they do in a scene.
    assert!(count.0 > size / 2 && size > 15_000_000, "{name}: {} bytes of GLB for {size}", count.0);
    assert!(memory <= 3 * size, "{name}: {memory} bytes for {size}");
}

#[test]
fn each_format_to_gltf() {
    let _alone = ALONE.lock();
    for format in FormatId::ALL {
        let (document, _) = Document::from_scene(*format, scene(), &SceneOptions::default()).unwrap();
        let bytes = document.write(&Default::default()).unwrap();
        drop(document);
        assert_three_times(format.name(), || {
            let document = format.read(&bytes, &Default::default()).unwrap();
            document.into_scene(&SceneOptions::default()).unwrap().0
        });
    }
}

#[test]
fn obj_to_gltf() {
    let _alone = ALONE.lock();
    let mut files = std::collections::BTreeMap::new();
    Interchange::Obj.write(scene(), "x.obj", &mut files, &SceneOptions::default()).unwrap();
    let text = &files["x.obj"];
    assert_three_times("obj", || {
        Interchange::Obj.read(text, &files, &SceneOptions::default(), &Default::default()).unwrap().0
    });
}
