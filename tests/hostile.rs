//! Damaged files: never a panic, a clear error, bounded memory.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::sync::Mutex;

use common::{Damage, all_files};
use meshspec::{ErrorKind, FormatId, Limits, ReadOptions, Result, Span};
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
        let span = error.span().unwrap_or_else(|| panic!("no place: {error}"));
        // A line of text may be of no field at all.
        assert!(!error.path().is_empty() || matches!(span, Span::Text { .. }), "no path: {error}");
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
    let mesh = meshspec::Document::Mesh(meshspec::mesh::Document {
        vertices: meshspec::mesh::Vertices::from_columns(&meshspec::mesh::Columns {
            positions: positions.clone(),
            ..Default::default()
        })
        .unwrap(),
        indices: indices.clone(),
        ..Default::default()
    });
    let crucible = meshspec::Document::Crucible(meshspec::crucible::Document {
        chunks: vec![meshspec::crucible::Chunk {
            indices: meshspec::crucible::Indices::U32(indices),
            streams: vec![meshspec::crucible::Stream::Position3d(positions)],
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

/// A valid Seed file with as many vertices and twice as many faces, as text.
fn seed_text(vertices: usize) -> Vec<u8> {
    let mut text = String::from("[name]=Large\n");
    for i in 0..vertices {
        text += &format!("p {i}.25, -1.5, 0.125\nn 0,0,1\nu0 0.5,0.5\n");
    }
    for i in 0..2 * vertices {
        text += &format!("f {}, {}, 2\n", i % vertices, (i + 1) % vertices);
    }
    text.into_bytes()
}

#[test]
fn texts_take_the_result_and_32_mebibytes() {
    let _alone = ALONE.lock();
    let vertices = 400_000;
    let text = seed_text(vertices);
    let decoded = vertices * (12 + 12 + 8 + 2 * 12);
    for options in [ReadOptions::default(), ReadOptions::lenient()] {
        let (result, memory) = measured(|| FormatId::Seed.read(&text, &options).unwrap());
        assert!(memory <= decoded + 32 * MEBIBYTE, "{memory} bytes for {decoded}");
        assert_eq!(result.info().meshes[0].vertices, vertices as u64);
    }
}

#[test]
fn junk_takes_no_memory() {
    let _alone = ALONE.lock();
    let size = 6 * MEBIBYTE;
    let mut random = Damage::new(5);
    let repeated = |unit: &[u8]| unit.repeat(size / unit.len());
    // Each thread holds a piece of the text.
    let two = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    for (what, junk, most) in [
        ("bytes", (0..size).map(|_| random.below(256) as u8).collect(), MEBIBYTE),
        ("lines", repeated(b"x\n"), size - MEBIBYTE),
        ("blank lines", repeated(b"\n"), MEBIBYTE),
        ("alternating lines", repeated(b"q 1\n#\nr 2\n\n"), size - MEBIBYTE),
        ("a line", [b"p 1,2,3 ".to_vec(), repeated(b"9")].concat(), 2 * MEBIBYTE),
        ("zeros", repeated(b"\0"), 2 * MEBIBYTE),
        ("UTF-16", repeated(b"p\0 \x001\0,\0"), MEBIBYTE),
    ] {
        let check = || meshspec::check(&junk, FormatId::Seed, &ReadOptions::default()).unwrap();
        let (report, memory) = measured(|| two.install(check));
        assert!(report.errors() > 0 && memory <= most, "{what}: {memory} bytes");
        let (result, memory) = measured(|| two.install(|| read(FormatId::Seed, &junk)));
        assert!(result.is_err() && memory <= most, "{what}: {memory} bytes");
    }
}

#[test]
fn long_lines_need_no_stack() {
    let texts = [
        format!("p 1,{}2,3\n", " ".repeat(300_000)),
        format!("p {}1,2,3\n", "0".repeat(300_000)),
        format!("p {}1\n", "0,".repeat(150_000)),
        format!("[{}]=x\n", "a".repeat(300_000)),
        format!("[a]={}\n", "[b]= ".repeat(60_000)),
        format!("#{}\n", "#".repeat(300_000)),
        "p".repeat(300_000),
        "p ".repeat(150_000),
    ];
    let small = std::thread::Builder::new().stack_size(128 << 10);
    let read =
        move || texts.map(|text| FormatId::Seed.read(text.as_bytes(), &ReadOptions::default()).is_ok());
    // None is a whole file.
    assert_eq!(small.spawn(read).unwrap().join().unwrap(), [false; 8]);
}
