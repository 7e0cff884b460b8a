//! Damaged files: never a panic, a clear error, bounded memory.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::sync::Mutex;

use common::{Damage, all_files};
use meshspec::interop::{Files, Interchange};
use meshspec::scene::SceneOptions;
use meshspec::{Document, ErrorKind, FormatId, Limits, ReadOptions, Result, crucible, mesh};
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// The tests measure the memory of the process, one at a time.
static ALONE: Mutex<()> = Mutex::new(());

const MEBIBYTE: usize = 1 << 20;

/// The result, and the most memory that was held at a time on top of what was held before.
fn measured<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let result = work();
    (result, MEMORY.peak_usage().saturating_sub(before))
}

/// Reads in both modes; an error must say where and why.
fn read(format: FormatId, bytes: &[u8]) -> Result<()> {
    let strict = format.read(bytes, &ReadOptions::default());
    let lenient = format.read(bytes, &ReadOptions::lenient());
    for result in [&strict, &lenient] {
        let Err(error) = result else { continue };
        assert_eq!(error.format(), Some(format), "{error}");
        assert!(error.rule().is_some(), "no rule: {error}");
        assert!(!error.path().is_empty(), "no path: {error}");
        let span = error.span().unwrap_or_else(|| panic!("no place: {error}"));
        assert!(span.range().start <= span.range().end, "{error}");
    }
    assert!(lenient.is_ok() || strict.is_err(), "lenient reading refuses what strict reading accepts");
    lenient.map(drop)
}

/// What reading a damaged version of a valid file may hold.
fn allowed(file: &[u8]) -> usize {
    64 * MEBIBYTE + file.len()
}

#[test]
fn truncated_at_every_byte() {
    let _alone = ALONE.lock();
    let mut refused = 0;
    for (format, file) in all_files() {
        // Large files are cut at every byte of their first headers, and then here and there.
        let lengths =
            (0..file.len()).filter(|length| file.len() < 6000 || *length < 64 || length % 9973 == 0);
        for length in lengths {
            let (result, memory) = measured(|| read(format, &file[..length]));
            assert!(memory <= allowed(&file), "{format}: {memory} bytes for {length} of {}", file.len());
            refused += usize::from(result.is_err());
        }
    }
    assert!(refused > 1000, "only {refused} truncations were refused");
}

#[test]
fn ten_thousand_mutations() {
    let _alone = ALONE.lock();
    let files = all_files();
    let mut damage = Damage::new(1);
    let (mut refused, mut accepted) = (0, 0);
    // Every file gets its share, the small ones more.
    let small: Vec<_> = files.iter().filter(|(_, file)| file.len() < 50_000).collect();
    for round in 0..10_000 {
        let (format, file) =
            if round % 500 == 0 { &files[damage.below(files.len())] } else { small[round % small.len()] };
        let bytes = damage.mutate(file);
        let (result, memory) = measured(|| read(*format, &bytes));
        assert!(memory <= allowed(file), "{format}: {memory} bytes for a file of {}", file.len());
        match result {
            Ok(()) => accepted += 1,
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 1000 && accepted > 100, "{refused} refused, {accepted} accepted");
}

/// A bare Crucible chunk whose index stream is `packed`, said to unpack to `size` bytes.
fn crucible_chunk(packed: &[u8], size: u32) -> Vec<u8> {
    let mut bytes = vec![1];
    bytes.extend((packed.len() as u32).to_le_bytes());
    bytes.extend(size.to_le_bytes());
    bytes.extend(packed);
    bytes.push(0);
    bytes
}

/// An LZ4 block that unpacks to about 255 times its size.
fn bomb(size: usize) -> (Vec<u8>, u32) {
    let zeros = vec![0u8; size];
    (lz4_flex::block::compress(&zeros), size as u32)
}

#[test]
fn bombs_unpack_no_further_than_the_limits() {
    let _alone = ALONE.lock();
    let (packed, size) = bomb(256 * MEBIBYTE);
    let bytes = crucible_chunk(&packed, size);
    let options = ReadOptions::default().with_limits(Limits::default().with_max_decoded(16 << 20));
    let (result, memory) = measured(|| FormatId::Crucible.read(&bytes, &options));
    assert_eq!(result.unwrap_err().kind(), ErrorKind::LimitExceeded);
    assert!(memory < MEBIBYTE, "{memory} bytes");
}

#[test]
fn a_false_size_takes_no_memory() {
    let _alone = ALONE.lock();
    // A block of 1 MiB that gives 1 MiB, said to give 200 times as much.
    let mut random = Damage::new(3);
    let noise: Vec<u8> = (0..MEBIBYTE).map(|_| random.below(256) as u8).collect();
    let packed = lz4_flex::block::compress(&noise);
    assert!(packed.len() > MEBIBYTE);
    let bytes = crucible_chunk(&packed, 200 * MEBIBYTE as u32);
    let (result, memory) = measured(|| FormatId::Crucible.read(&bytes, &ReadOptions::default()));
    let error = result.unwrap_err();
    assert_eq!(error.rule().unwrap().code, "CRUCIBLE-PACKING", "{error}");
    assert!(memory < 20 * MEBIBYTE, "{memory} bytes");
}

#[test]
fn sizes_near_the_ends_of_their_range() {
    let _alone = ALONE.lock();
    for size in [0x7fff_fffe_u32, 0x7fff_ffff, 0x8000_0000, 0x8000_0001, 0xffff_fffe, 0xffff_ffff] {
        // MESH: vertex, index and pose counts.
        let mut vertices = vec![1, 1, 0];
        vertices.extend(size.to_le_bytes());
        vertices.extend([0; 6]);
        let mut indices = vec![1, 1, 0, 0, 0, 0, 0];
        indices.extend(size.to_le_bytes());
        indices.extend([0; 2]);
        let mut poses = vec![1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
        poses.extend([0; 12]);
        poses.extend(size.to_le_bytes());
        for (bytes, path) in
            [(vertices, "vertices"), (indices, "indices"), (poses, "animations[0].timestamps")]
        {
            let (result, memory) = measured(|| FormatId::Mesh.read(&bytes, &ReadOptions::default()));
            let error = result.unwrap_err();
            assert_eq!((error.path(), error.rule().unwrap().code), (path, "MESH-TRUNCATED"), "{error}");
            assert!(memory < MEBIBYTE, "{memory} bytes");
        }
        // Crucible: the uncompressed, then the compressed size.
        let mut compressed = crucible_chunk(&[0], 0);
        compressed[1..5].copy_from_slice(&size.to_le_bytes());
        for bytes in [crucible_chunk(&[0], size), compressed] {
            let (result, memory) = measured(|| FormatId::Crucible.read(&bytes, &ReadOptions::default()));
            let error = result.unwrap_err();
            assert!(error.path().starts_with("chunks[0].indices"), "{error}");
            assert!(memory < MEBIBYTE, "{memory} bytes");
        }
    }
}

#[test]
fn reading_takes_the_decoded_size_and_a_tenth() {
    let _alone = ALONE.lock();
    let positions: Vec<[f32; 3]> = (0..400_000).map(|i| [i as f32, (i * 7 % 1000) as f32, 0.5]).collect();
    let indices: Vec<u32> = (0..800_000).map(|i| i * 31 % 400_000).collect();
    let decoded = size_of_val(&*positions) + size_of_val(&*indices);
    let mesh = Document::Mesh(mesh::Document {
        vertices: mesh::Vertices::from_columns(&mesh::Columns {
            positions: positions.clone(),
            ..Default::default()
        })
        .unwrap(),
        indices: indices.clone(),
        ..Default::default()
    });
    let crucible = Document::Crucible(crucible::Document {
        chunks: vec![crucible::Chunk {
            indices: crucible::Indices::U32(indices),
            streams: vec![crucible::Stream::Position3d(positions)],
            ..Default::default()
        }],
        ..Default::default()
    });
    for document in [mesh, crucible] {
        let bytes = document.write(&Default::default()).unwrap();
        let (result, memory) = measured(|| document.format().read(&bytes, &ReadOptions::default()).unwrap());
        assert!(result == document);
        assert!(memory <= decoded + decoded / 10, "{}: {memory} bytes for {decoded}", document.format());
    }
}

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

#[test]
fn conversion_to_gltf_takes_three_times_the_decoded_size() {
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
        let mut count = Count::default();
        let ((), memory) = measured(|| {
            let document = format.read(&bytes, &ReadOptions::default()).unwrap();
            let (scene, _) = document.into_scene(&SceneOptions::default()).unwrap();
            Interchange::Glb.write(scene, "x.glb", &mut count, &SceneOptions::default()).unwrap();
        });
        assert!(count.0 > decoded, "{format}: {} bytes", count.0);
        assert!(memory <= 3 * decoded, "{format}: {memory} bytes for {decoded}");
        println!("{format}: {:.2} times the decoded size", memory as f64 / decoded as f64);
    }
}

#[test]
fn false_counts_in_gltf_take_no_memory() {
    let _alone = ALONE.lock();
    let accessor = |count: u64, view: &str| {
        format!(r#"{{ "componentType": 5126, "count": {count}, "type": "VEC4"{view} }}"#)
    };
    for count in [1 << 28, u64::from(u32::MAX), 1 << 60, u64::MAX] {
        for view in ["", r#", "bufferView": 0"#] {
            let json = format!(
                r#"{{ "asset": {{ "version": "2.0" }}, "nodes": [{{ "mesh": 0 }}],
                "meshes": [{{ "primitives": [{{ "attributes": {{ "POSITION": 0 }} }}] }}],
                "accessors": [{}], "bufferViews": [{{ "buffer": 0, "byteLength": 48 }}],
                "buffers": [{{ "byteLength": 48, "uri": "data:;base64,{}" }}] }}"#,
                accessor(count, view),
                "A".repeat(64)
            );
            let (limits, options) = (Limits::default(), SceneOptions::default());
            let (result, memory) =
                measured(|| Interchange::Gltf.read(json.as_bytes(), &Count::default(), &options, &limits));
            let error = result.unwrap_err();
            assert_eq!(error.path(), "accessors[0]", "{error}");
            assert!(memory < MEBIBYTE, "{memory} bytes");
        }
    }
}
