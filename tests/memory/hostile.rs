//! Reading files that declare more content than they contain uses bounded memory and returns a clear error.

use std::collections::BTreeMap;

use libtest_mimic::Trial;
use meshspec::interop::Interchange;
use meshspec::scene::SceneOptions;
use meshspec::{Document, ErrorKind, Limit, Limits, ReadOptions, crucible, mesh};

use crate::common::Mutator;
use crate::{MEBIBYTE, measure_peak};

pub fn trials() -> Vec<Trial> {
    trials![
        bombs_stop_at_the_limits,
        excessive_lz4_sizes_are_not_allocated,
        zstd_bombs_stop_at_the_declared_size,
        reading_user_data_does_not_load_meshes,
        excessive_iyma_sizes_are_not_allocated,
        iyma_streams_use_the_result_and_unverified_bytes,
        sizes_near_integer_limits,
        images_with_shared_bytes_use_bounded_memory,
        vertices_without_attributes_are_not_allocated,
        empty_strings_use_memory_of_the_file_size,
        reading_uses_at_most_110_percent_of_the_decoded_size,
        excessive_gltf_counts_are_not_allocated,
    ]
}

/// Returns a bare Crucible chunk with the index stream `packed`, which declares `size` unpacked bytes.
fn crucible_chunk(packed: &[u8], size: u32) -> Vec<u8> {
    let mut bytes = vec![1];
    bytes.extend((packed.len() as u32).to_le_bytes());
    bytes.extend(size.to_le_bytes());
    bytes.extend(packed);
    bytes.push(0);
    bytes
}

/// Returns an LZ4 block that unpacks to about 255 times its size, and the unpacked size.
fn bomb(size: usize) -> (Vec<u8>, u32) {
    let zeros = vec![0u8; size];
    (lz4_flex::block::compress(&zeros), size as u32)
}

fn bombs_stop_at_the_limits() {
    let (packed, size) = bomb(256 * MEBIBYTE);
    let bytes = crucible_chunk(&packed, size);
    let options = ReadOptions::default().with_limits(Limits::default().with_max_decoded(16 << 20));
    let (result, memory) = measure_peak(|| crucible::FORMAT.read(&bytes, &options));
    assert_eq!(
        result.unwrap_err().kind(),
        ErrorKind::LimitExceeded(Limit::Decoded)
    );
    assert!(memory < MEBIBYTE, "{memory} bytes");
}

fn excessive_lz4_sizes_are_not_allocated() {
    // A block of 1 MiB unpacks to 1 MiB, but declares 200 times as much.
    let mut random = Mutator::new(3);
    let noise: Vec<u8> = (0..MEBIBYTE).map(|_| random.below(256) as u8).collect();
    let packed = lz4_flex::block::compress(&noise);
    assert!(packed.len() > MEBIBYTE);
    let bytes = crucible_chunk(&packed, 200 * MEBIBYTE as u32);
    let (result, memory) = measure_peak(|| crucible::FORMAT.read(&bytes, &ReadOptions::default()));
    let error = result.unwrap_err();
    assert_eq!(error.rule().unwrap().code, "CRUCIBLE-PACKING", "{error}");
    assert!(memory < 20 * MEBIBYTE, "{memory} bytes");
}

/// Returns an IyMA file that contains only user data: `size` declared bytes, compressed in `data`.
fn iyma_file(size: u32, data: &[u8]) -> Vec<u8> {
    // The descriptor: no vertices, a 4-byte user data size, no meshes, indices or attributes.
    let mut descriptor = vec![4, 0, 0];
    descriptor.extend(size.to_le_bytes());
    descriptor.extend([0; 3]);
    let mut bytes = b"IyMA\x01\0".to_vec();
    bytes.extend((descriptor.len() as u16).to_le_bytes());
    bytes.extend([0; 16]);
    bytes.extend(descriptor);
    bytes.extend(data);
    bytes
}

/// Returns a zstd frame without magic bytes, with blocks of 128 KiB of one repeated byte.
fn zstd_bomb(blocks: usize) -> Vec<u8> {
    let header = |last: u32| (last | 1 << 1 | (128 << 10) << 3u32).to_le_bytes();
    let mut frame = vec![0, 0x58];
    for block in 1..=blocks {
        frame.extend(&header(u32::from(block == blocks))[..3]);
        frame.push(0);
    }
    frame
}

fn zstd_bombs_stop_at_the_declared_size() {
    let bomb = zstd_bomb(2 << 10);
    assert!(bomb.len() < 10_000);
    for (size, code) in [
        (0, "IYMA-DATA-SIZE"),
        (54, "IYMA-DATA-SIZE"),
        ((1 << 28) - 1, "IYMA-DATA-SIZE"),
    ] {
        let bytes = iyma_file(size, &bomb);
        let (result, memory) =
            measure_peak(|| meshspec::iyma::FORMAT.read(&bytes, &ReadOptions::lenient()));
        let error = result.unwrap_err();
        assert_eq!(error.rule().map(|rule| rule.code), Some(code), "{error}");
        assert!(memory < MEBIBYTE, "{memory} bytes");
        let stream = meshspec::iyma::Reader::new(&bytes[..], &ReadOptions::lenient()).unwrap();
        let (result, memory) = measure_peak(|| stream.document());
        assert!(result.is_err());
        assert!(
            memory < size as usize / 16 * 17 + 20 * MEBIBYTE,
            "{memory} bytes"
        );
    }
    // The declared size is correct, but exceeds the limits.
    let bytes = iyma_file(1 << 28, &bomb);
    let options = ReadOptions::lenient().with_limits(Limits::default().with_max_decoded(16 << 20));
    let (result, memory) = measure_peak(|| meshspec::iyma::FORMAT.read(&bytes, &options));
    assert_eq!(
        result.unwrap_err().kind(),
        ErrorKind::LimitExceeded(Limit::Decoded)
    );
    assert!(memory < MEBIBYTE, "{memory} bytes");
}

fn reading_user_data_does_not_load_meshes() {
    let mut random = Mutator::new(5);
    let mut file = |vertices: usize| {
        let document = meshspec::iyma::Document {
            user_data: b"only this"[..].into(),
            n_vertices: vertices as u32,
            attributes: vec![meshspec::iyma::Attribute {
                usage: meshspec::iyma::Usage::Position,
                format: meshspec::iyma::VertexFormat::Float32,
                data: (0..4 * vertices).map(|_| random.below(256) as u8).collect(),
            }],
            ..Default::default()
        };
        Document::Iyma(document).write(&Default::default()).unwrap()
    };
    for bytes in [file(10), file(4 << 20)] {
        let (data, memory) = measure_peak(|| {
            let reader = meshspec::iyma::Reader::new(&bytes[..], &ReadOptions::default()).unwrap();
            reader.user_data().unwrap()
        });
        assert_eq!(data, "only this");
        assert!(memory < MEBIBYTE, "{memory} bytes of {}", bytes.len());
    }
}

fn excessive_iyma_sizes_are_not_allocated() {
    // Compressed blocks do not state their unpacked size; these unpack to nothing.
    let block = |last: u32| [&(last | 2 << 1 | 2 << 3).to_le_bytes()[..3], &[0, 0]].concat();
    let blocks = 4 << 10;
    let frame: Vec<u8> = [0, 0x58]
        .into_iter()
        .chain((1..=blocks).flat_map(|i| block(u32::from(i == blocks))))
        .collect();
    let bytes = iyma_file(512 << 20, &frame);
    let (result, memory) =
        measure_peak(|| meshspec::iyma::FORMAT.read(&bytes, &ReadOptions::lenient()));
    assert_eq!(result.unwrap_err().rule().unwrap().code, "IYMA-DATA-SIZE");
    assert!(memory < 10 * MEBIBYTE, "{memory} bytes");
    let stream = meshspec::iyma::Reader::new(&bytes[..], &ReadOptions::lenient()).unwrap();
    let (result, memory) = measure_peak(|| stream.document());
    assert_eq!(result.unwrap_err().rule().unwrap().code, "IYMA-DATA-SIZE");
    assert!(memory < 10 * MEBIBYTE, "{memory} bytes");
}

/// Returns an IyMA document with `numbers` numbers, in meshes of 1,000 vertices each.
fn iyma_meshes(numbers: u32) -> meshspec::iyma::Document {
    use meshspec::iyma::{Attribute, Document, MeshInfo, Usage, VertexFormat};
    let values: Vec<f32> = (0..numbers).map(|i| (i % 1_009) as f32).collect();
    let mut document = Document::from_mesh(
        None,
        vec![Attribute::from_f32(
            Usage::Position,
            VertexFormat::Float32,
            &values,
        )],
    )
    .unwrap();
    let mesh = |first_vertex| MeshInfo {
        first_vertex,
        vertex_count: 1_000,
        ..MeshInfo::default()
    };
    document.meshes = (0..numbers / 1_000)
        .map(|index| mesh(1_000 * index))
        .collect();
    document.user_data = b"kept"[..].into();
    document
}

/// The measured memory excludes the window of zstd, at most 128 MiB.
fn iyma_streams_use_the_result_and_unverified_bytes() {
    use meshspec::iyma::Reader;
    for numbers in [1_000_000, 4_000_000] {
        let document = iyma_meshes(numbers);
        let bytes = meshspec::Format::write(&document, &Default::default()).unwrap();
        let (raw, packed) = (4 * numbers as usize, bytes.len());
        // Packed bytes are kept for verification in a buffer that doubles; during a copy, the old buffer also exists.
        let kept = 3 * packed;
        for (options, kept_for_mesh) in
            [(ReadOptions::default(), kept), (ReadOptions::lenient(), 0)]
        {
            let open = || Reader::new(&bytes[..], &options).unwrap();
            let (whole, memory) = measure_peak(|| open().document().unwrap());
            assert!(whole == document);
            assert!(
                memory <= raw + raw / 16 + kept + MEBIBYTE,
                "{memory} bytes for {raw} from {packed}"
            );
            drop(whole);
            let last = document.meshes.len() - 1;
            let (mesh, memory) = measure_peak(|| open().mesh(last).unwrap());
            assert!(mesh == document.mesh(last).unwrap());
            assert!(
                memory <= kept_for_mesh + MEBIBYTE,
                "{memory} bytes for one mesh of {raw} from {packed}"
            );
        }
    }
}

fn sizes_near_integer_limits() {
    for size in [
        0x7fff_fffe_u32,
        0x7fff_ffff,
        0x8000_0000,
        0x8000_0001,
        0xffff_fffe,
        0xffff_ffff,
    ] {
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
        for (bytes, path) in [
            (vertices, "vertices"),
            (indices, "indices"),
            (poses, "animations[0].timestamps"),
        ] {
            let (result, memory) =
                measure_peak(|| mesh::FORMAT.read(&bytes, &ReadOptions::default()));
            let error = result.unwrap_err();
            assert_eq!(
                (&*error.path().to_string(), error.rule().unwrap().code),
                (path, "MESH-TRUNCATED"),
                "{error}"
            );
            assert!(memory < MEBIBYTE, "{memory} bytes");
        }
        // IyMA: user data.
        let bytes = iyma_file(size, &zstd_bomb(1));
        let (result, memory) =
            measure_peak(|| meshspec::iyma::FORMAT.read(&bytes, &ReadOptions::lenient()));
        assert_eq!(result.unwrap_err().rule().unwrap().code, "IYMA-DATA-SIZE");
        assert!(memory < MEBIBYTE, "{memory} bytes");
        // Crucible: the uncompressed, then the compressed size.
        let mut compressed = crucible_chunk(&[0], 0);
        compressed[1..5].copy_from_slice(&size.to_le_bytes());
        for bytes in [crucible_chunk(&[0], size), compressed] {
            let (result, memory) =
                measure_peak(|| crucible::FORMAT.read(&bytes, &ReadOptions::default()));
            let error = result.unwrap_err();
            assert!(
                error.path().to_string().starts_with("chunks[0].indices"),
                "{error}"
            );
            assert!(memory < MEBIBYTE, "{memory} bytes");
        }
    }
}

/// All meshes of a BMD image refer to the same bytes as vertices, faces and material.
fn images_with_shared_bytes_use_bounded_memory() {
    let (meshes, size) = (20_000u32, 64_000u32);
    let mut words = vec![
        0x3144_4d42,
        0,
        0,
        0,
        48 + size,
        32 * meshes,
        0,
        0,
        0,
        0,
        0,
        0,
    ];
    // A very long material name.
    words.resize(12 + size as usize / 4 - 1, 0x4141_4141);
    words.push(0);
    for _ in 0..meshes {
        words.extend([48, 48, 48, size / 8, size, size, 0, 0]);
    }
    let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    for options in [ReadOptions::default(), ReadOptions::lenient()] {
        let (result, memory) = measure_peak(|| meshspec::bmd::FORMAT.read(&bytes, &options));
        assert_eq!(
            result.unwrap_err().kind(),
            ErrorKind::LimitExceeded(Limit::Fixed)
        );
        assert!(
            memory < 24 * bytes.len(),
            "{memory} bytes for an image of {}",
            bytes.len()
        );
    }
    // Animations that share zeros as keys: one track per byte.
    let (animations, bones) = (20_000u32, 224u32);
    let bones_end = 48 + 16 * bones;
    let mut words = vec![
        0x3144_4d42,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        48,
        16 * bones,
        bones_end,
        16 * animations,
    ];
    words.resize(bones_end as usize / 4, 0);
    for _ in 0..animations {
        words.extend([0, 1, 48, bones]);
    }
    let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    let (result, memory) =
        measure_peak(|| meshspec::bmd::FORMAT.read(&bytes, &ReadOptions::lenient()));
    let error = result.err().unwrap();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded(Limit::Fixed));
    assert_eq!(error.rule().unwrap().code, "BMD-SHARING", "{error}");
    assert!(error.message().contains("tracks"), "{error}");
    assert!(
        memory < 64 * bytes.len(),
        "{memory} bytes for an image of {}",
        bytes.len()
    );
    // All four lists share the same zeros.
    let zeros = 1 << 20;
    let mut words = vec![
        0x3144_4d42,
        0,
        0,
        0,
        48,
        zeros,
        48,
        zeros,
        48,
        255 * 16,
        48,
        zeros,
    ];
    words.resize(12 + zeros as usize / 4, 0);
    let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    let (result, memory) =
        measure_peak(|| meshspec::bmd::FORMAT.read(&bytes, &ReadOptions::lenient()));
    assert!(result.is_ok());
    assert!(
        memory < 24 * bytes.len(),
        "{memory} bytes for an image of {}",
        bytes.len()
    );
}

/// Without attributes, an IyMA file stores only the number of vertices.
fn vertices_without_attributes_are_not_allocated() {
    let count = u32::MAX;
    let whole = meshspec::iyma::schema::MeshInfo {
        first_index: 0,
        index_count: 0,
        first_vertex: 0,
        vertex_count: count,
    };
    let document = Document::Iyma(meshspec::iyma::Document {
        n_vertices: count,
        meshes: vec![whole],
        ..Default::default()
    });
    let bytes = document.write(&Default::default()).unwrap();
    let (result, memory) = measure_peak(|| {
        let document = meshspec::iyma::FORMAT
            .read(&bytes, &ReadOptions::default())
            .unwrap();
        document.into_scene(&SceneOptions::default())
    });
    let error = result.unwrap_err();
    assert_eq!(
        (error.kind(), &*error.path().to_string()),
        (ErrorKind::LimitExceeded(Limit::Fixed), "meshes")
    );
    assert!(memory < MEBIBYTE, "{memory} bytes");
}

/// An empty string occupies one byte in a MESH file.
fn empty_strings_use_memory_of_the_file_size() {
    let mut bytes = include_bytes!("../../samples/mesh/flag.mesh").to_vec();
    let strings = 8 << 20;
    bytes.resize(bytes.len() + strings, 0);
    let (losses, memory) = measure_peak(|| {
        let document = mesh::FORMAT.read(&bytes, &Default::default()).unwrap();
        assert!(document.check().findings().len() < 100);
        document.into_scene(&SceneOptions::default()).unwrap().1
    });
    assert!(
        memory <= 3 * bytes.len(),
        "{memory} bytes for a file of {}",
        bytes.len()
    );
    let counted = losses.last().unwrap().affected.unwrap();
    assert_eq!(counted.count + losses.len() as u64 - 1, strings as u64);
    assert!(losses.len() < 1000, "{} losses", losses.len());
}

fn reading_uses_at_most_110_percent_of_the_decoded_size() {
    let positions: Vec<[f32; 3]> = (0..400_000)
        .map(|i| [i as f32, (i * 7 % 1000) as f32, 0.5])
        .collect();
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
            indices: crucible::Indices::U32(indices.clone()),
            streams: vec![crucible::Values::Position3d(positions.clone()).into()],
            ..Default::default()
        }],
        ..Default::default()
    });
    let iyma = Document::Iyma(
        meshspec::iyma::Document::from_mesh(
            Some(meshspec::iyma::IndexBuffer::from_u32(&indices)),
            vec![meshspec::iyma::Attribute::from_f32(
                meshspec::iyma::Usage::Position,
                meshspec::iyma::VertexFormat::Float32x3,
                positions.as_flattened(),
            )],
        )
        .unwrap(),
    );
    for document in [mesh, crucible, iyma] {
        let bytes = document.write(&Default::default()).unwrap();
        let (result, memory) = measure_peak(|| {
            Document::read(document.format(), &bytes, &ReadOptions::default()).unwrap()
        });
        assert!(result == document);
        assert!(
            memory <= decoded + decoded / 10,
            "{}: {memory} bytes for {decoded}",
            document.format()
        );
    }
}

fn excessive_gltf_counts_are_not_allocated() {
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
            let (result, memory) = measure_peak(|| {
                Interchange::Gltf.read(
                    json.as_bytes(),
                    &BTreeMap::<String, Vec<u8>>::new(),
                    &options,
                    &limits,
                )
            });
            let error = result.unwrap_err();
            assert_eq!(error.path(), "accessors[0]", "{error}");
            assert!(memory < MEBIBYTE, "{memory} bytes");
        }
    }
}
