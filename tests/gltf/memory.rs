//! What conversion holds in memory.

use std::sync::Mutex;

use meshspec::interop::{Files, Interchange};
use meshspec::scene::SceneOptions;
use meshspec::{Document, ReadOptions, crucible, mesh};

use crate::MEMORY;

static ALONE: Mutex<()> = Mutex::new(());

/// Counts bytes.
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

/// Other tests run in the process at the same time; what they hold is small against this.
const OTHERS: usize = 8 << 20;

#[test]
fn conversion_takes_three_times_the_decoded_size() {
    let _alone = ALONE.lock();
    let positions: Vec<[f32; 3]> = (0..800_000).map(|i| [i as f32, (i * 7 % 1000) as f32, 0.5]).collect();
    let normals = vec![[0.0f32, 1.0, 0.0]; positions.len()];
    let indices: Vec<u32> = (0..1_500_000).map(|i| i * 31 % 800_000).collect();
    let decoded = 2 * size_of_val(&*positions) + size_of_val(&*indices);
    let columns = mesh::Columns {
        positions: positions.clone(),
        normals: Some(normals.clone()),
        ..mesh::Columns::default()
    };
    let vertices = mesh::Vertices::from_columns(&columns).unwrap();
    drop(columns);
    let streams = vec![crucible::Stream::Position3d(positions), crucible::Stream::Normal(normals)];
    let chunk = crucible::Chunk {
        indices: crucible::Indices::U32(indices.clone()),
        streams,
        ..crucible::Chunk::default()
    };
    let documents = [
        Document::Mesh(mesh::Document { vertices, indices, ..mesh::Document::default() }),
        Document::Crucible(crucible::Document { chunks: vec![chunk], ..crucible::Document::default() }),
    ];
    for document in documents {
        let (format, bytes) = (document.format(), document.write(&Default::default()).unwrap());
        drop(document);
        let before = MEMORY.current_usage();
        MEMORY.reset_peak_usage();
        let document = format.read(&bytes, &ReadOptions::default()).unwrap();
        let (scene, _) = document.into_scene(&SceneOptions::default()).unwrap();
        let mut count = Count::default();
        Interchange::Glb.write(scene, "x.glb", &mut count, &SceneOptions::default()).unwrap();
        let memory = MEMORY.peak_usage().saturating_sub(before);
        assert!(count.0 > decoded, "{format}: {} bytes", count.0);
        assert!(memory < 3 * decoded + OTHERS, "{format}: {memory} bytes for {decoded}");
        println!("{format}: {:.2} times the decoded size", memory as f64 / decoded as f64);
    }
}
