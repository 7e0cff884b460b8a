//! IyMA: columns of 45 formats, partial reading, merging, checksums of both dialects.

mod checksums;
mod columns;
mod dialects;
mod frames;
mod indices;
mod merging;
mod scenes;
mod streams;

use meshspec::iyma::{
    Attribute, Bytes, DataChecksum, Document, Draws, IndexBuffer, IndexFormat, MeshInfo, Reader,
    Usage, VertexFormat, merge,
};
use meshspec::{AnyDocument, Dialect, ErrorKind, Format, ReadOptions, Span, WriteOptions};
use serde_json::json;

/// Returns a strip of `count` vertices with positions, texture coordinates and indices.
fn strip(count: u32, user_data: &'static str) -> Document {
    let positions: Vec<f32> = (0..count)
        .flat_map(|i| [i as f32, (i * i % 7) as f32, 0.5])
        .collect();
    let uvs: Vec<f32> = (0..count)
        .flat_map(|i| [i as f32 / count as f32, 0.25])
        .collect();
    let indices: Vec<u16> = (0..count as u16 - 2)
        .flat_map(|i| [i, i + 1, i + 2])
        .collect();
    let mut document = Document::from_mesh(
        Some(IndexBuffer::from_u16(&indices)),
        vec![
            Attribute::from_f32(Usage::Position, VertexFormat::Float32x3, &positions),
            Attribute::from_f32(Usage::Uv, VertexFormat::Unorm16x2, &uvs),
        ],
    )
    .unwrap();
    document.user_data = user_data.as_bytes().into();
    document
}

/// Returns nearly incompressible bytes, which zstd compresses slightly better at high levels.
fn noise(size: usize) -> Bytes {
    let mut state = 1u64;
    let bytes = (0..size).map(|i| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        if i % 3 == 0 {
            (i / 500) as u8
        } else {
            state as u8
        }
    });
    bytes.collect()
}

fn write(document: &Document) -> Vec<u8> {
    document.write(&WriteOptions::default()).unwrap()
}

#[test]
fn ranges_beyond_the_buffers() {
    let good = strip(10, "");
    for (mesh, what) in [
        (
            MeshInfo {
                first_index: 1,
                index_count: 24,
                ..good.meshes[0]
            },
            "index_count",
        ),
        (
            MeshInfo {
                first_index: u32::MAX,
                index_count: u32::MAX,
                ..good.meshes[0]
            },
            "index_count",
        ),
        (
            MeshInfo {
                first_vertex: u32::MAX,
                ..good.meshes[0]
            },
            "vertex_count",
        ),
    ] {
        let document = Document {
            meshes: vec![mesh],
            ..good.clone()
        };
        let bytes = document.write(&WriteOptions::lenient()).unwrap();
        let error = Document::read(&bytes, &ReadOptions::default()).unwrap_err();
        assert_eq!(
            error.path().to_string(),
            format!("descriptor.meshes[0].{what}")
        );
        assert!(
            matches!(error.span(), Some(Span::Unpacked { .. })),
            "{error}"
        );
        assert!(
            Document::read(&bytes, &ReadOptions::lenient())
                .unwrap()
                .mesh(0)
                .is_err()
        );
        assert!(
            Reader::new(&bytes[..], &ReadOptions::lenient())
                .unwrap()
                .mesh(0)
                .is_err()
        );
    }
    let mut document = good.clone();
    document.indices = Some(IndexBuffer::from_u16(&[0, 1, 10]));
    document.meshes[0].index_count = 3;
    let bytes = document.write(&WriteOptions::lenient()).unwrap();
    let error = Document::read(&bytes, &ReadOptions::default()).unwrap_err();
    assert_eq!(
        (&*error.path().to_string(), error.rule().unwrap().code),
        ("data.indices[2]", "IYMA-INDEX-RANGE")
    );
    assert!(error.span().is_some(), "{error}");
}

#[test]
fn dialects_without_their_checksum() {
    // Without a correct checksum, the dialect is detected by a custom usage, a colour or texture coordinates.
    let attribute = |usage, format: VertexFormat| {
        Attribute::from_f32(usage, format, &vec![0.5; format.components()])
    };
    let cases = [
        (
            Dialect::SPEC,
            Usage::Custom(3, "c".into()),
            VertexFormat::Uint8,
        ),
        (
            Dialect::REFERENCE,
            Usage::Custom(3, String::new()),
            VertexFormat::Uint8,
        ),
        (Dialect::REFERENCE, Usage::Color, VertexFormat::Unorm8x4),
        (Dialect::SPEC, Usage::Color, VertexFormat::Float32x4),
        (Dialect::SPEC, Usage::Color, VertexFormat::Uint32),
        (Dialect::REFERENCE, Usage::Uv, VertexFormat::Float32x2),
        (Dialect::SPEC, Usage::Uv, VertexFormat::Float32x2),
    ];
    for (dialect, usage, format) in cases {
        let mut document =
            Document::from_mesh(None, vec![attribute(usage.clone(), format)]).unwrap();
        document.dialect = dialect;
        let mut bytes = write(&document);
        assert_eq!(
            Document::read(&bytes, &ReadOptions::default()).unwrap(),
            document,
            "{usage:?}"
        );
        bytes[8] ^= 1;
        let again = Document::read(&bytes, &ReadOptions::lenient()).unwrap();
        assert_eq!(
            (again.dialect, &again.attributes),
            (dialect, &document.attributes),
            "{usage:?}"
        );
    }
    let mut document = strip(5, "");
    document.attributes[0].usage = Usage::Uv1;
    let error = document.write(&WriteOptions::default()).unwrap_err();
    assert_eq!(
        (error.kind(), &*error.path().to_string()),
        (ErrorKind::Inexpressible, "attributes[0].usage")
    );
    document.dialect = Dialect::REFERENCE;
    document.attributes[0].usage = Usage::Custom(1, "named".into());
    assert!(
        document.write(&WriteOptions::default()).is_err(),
        "the reference dialect has no names"
    );
    let error = Document::read(
        &write(&strip(5, "")),
        &ReadOptions::default().with_dialect(Dialect::TANGENT),
    );
    assert_eq!(error.unwrap_err().kind(), ErrorKind::Unsupported);
}

#[test]
fn draw_arguments() {
    let (merged, _) = merge(&[strip(5, ""), strip(8, "")]).unwrap();
    let draws = merged.draws().unwrap();
    let expected: Vec<u8> = [9u32, 1, 0, 0, 0, 18, 1, 9, 5, 0]
        .iter()
        .flat_map(|word| word.to_ne_bytes())
        .collect();
    assert_eq!(draws.as_bytes(), expected);
    let mut bare = Document {
        indices: None,
        ..merged
    };
    let Draws::NonIndexed(draws) = bare.draws().unwrap() else {
        panic!()
    };
    assert_eq!(
        (
            draws[1].vertex_count,
            draws[1].first_vertex,
            draws[1].instance_count
        ),
        (8, 5, 1)
    );
    bare.meshes[1].first_vertex = 1 << 31;
    assert!(bare.draws().is_ok());
    bare.indices = Some(IndexBuffer::from_u16(&[]));
    assert_eq!(bare.draws().unwrap_err().path(), "meshes[1].first_vertex");
}

#[test]
fn inexpressible_documents_are_rejected() {
    let mut document = strip(5, "");
    document.attributes[1].data = document.attributes[1].data.slice(1..);
    let error = document.write(&WriteOptions::default()).unwrap_err();
    assert_eq!(
        (error.kind(), &*error.path().to_string()),
        (ErrorKind::Inexpressible, "attributes[1].data")
    );
    let mut document = strip(5, "");
    document.attributes[1].data = [&*document.attributes[1].data, &[0; 4][..]].concat().into();
    let error = document.write(&WriteOptions::default()).unwrap_err();
    assert_eq!(
        (error.kind(), &*error.path().to_string()),
        (ErrorKind::Inexpressible, "attributes[1].data")
    );
    let mut document = strip(5, "");
    document.indices = Some(IndexBuffer {
        format: IndexFormat::U16,
        data: vec![0; 19].into(),
    });
    let error = document.write(&WriteOptions::default()).unwrap_err();
    assert_eq!(
        (error.kind(), &*error.path().to_string()),
        (ErrorKind::Inexpressible, "indices.data")
    );
    let error = strip(5, "")
        .write(&WriteOptions::default().with_compression_level(23))
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
}

/// The length of a descriptor has 16 bits (I9).
#[test]
fn descriptors_end_at_65_535_bytes() {
    let named = |length| {
        let mut document = strip(5, "");
        document.attributes[0].usage = Usage::Custom(0, "x".repeat(length));
        document
    };
    let bytes = write(&named(60_000));
    let fits = 60_000 + 0xffff - usize::from(u16::from_le_bytes([bytes[6], bytes[7]]));
    let bytes = write(&named(fits));
    assert_eq!(bytes[6..8], [0xff, 0xff]);
    assert_eq!(
        Document::read(&bytes, &Default::default()).unwrap(),
        named(fits)
    );
    for length in [fits + 1, 70_000, fits + 0x1_0000] {
        let error = named(length).write(&WriteOptions::default()).unwrap_err();
        assert!(
            error.path() == "descriptor" && error.message().contains("65535"),
            "{error}"
        );
    }
}

#[test]
fn one_buffer_of_each_usage() {
    let mut document = strip(5, "");
    for format in [VertexFormat::Unorm16x2, VertexFormat::Float32x2] {
        document
            .attributes
            .push(Attribute::from_f32(Usage::Uv, format, &[0.5; 10]));
    }
    let report = meshspec::check(
        &write(&document),
        meshspec::iyma::FORMAT,
        &Default::default(),
    )
    .unwrap();
    let found: Vec<_> = report
        .findings()
        .iter()
        .map(|finding| (finding.rule.code, finding.path.to_string()))
        .collect();
    let duplicate = |path: &str| ("IYMA-DUPLICATE", path.to_owned());
    assert_eq!(
        found,
        ["descriptor.attributes[2]", "descriptor.attributes[3]"].map(duplicate)
    );
}

#[test]
fn levels_and_threads_do_not_change_the_content() {
    let mut document = strip(60_000, "");
    document.attributes[0].data = noise(720_000);
    let plain = write(&document);
    let small = document
        .write(&WriteOptions::default().with_compression_level(19))
        .unwrap();
    assert!(small.len() < plain.len());
    let threads = |threads| {
        document
            .write(&WriteOptions::default().with_threads(threads))
            .unwrap()
    };
    assert_eq!(threads(1), plain);
    assert_ne!(threads(2), plain);
    assert_eq!(
        threads(2),
        threads(3),
        "the number of threads makes no difference"
    );
    for bytes in [small, threads(2)] {
        assert_eq!(
            Document::read(&bytes, &Default::default()).unwrap(),
            document
        );
    }
    // With and without a checksum.
    document.data_checksum = DataChecksum::Absent;
    let bytes = write(&document);
    assert_eq!(bytes[16..24], [0; 8]);
    assert_eq!(
        Document::read(&bytes, &Default::default()).unwrap(),
        document
    );
}

/// Values that cannot be stored are rejected, not changed.
#[test]
fn invalid_json_values_are_rejected() {
    let json_of = |document: &AnyDocument| -> serde_json::Value {
        let mut json = Vec::new();
        document
            .write_json(&WriteOptions::lenient(), &mut json)
            .unwrap();
        serde_json::from_slice(&json).unwrap()
    };
    // Returns the document in which the only vertex is `value`.
    let read = |format: VertexFormat, value: serde_json::Value| {
        let document = Document {
            n_vertices: 1,
            attributes: vec![Attribute {
                usage: Usage::Position,
                format,
                data: vec![0; format.size()].into(),
            }],
            ..Document::default()
        };
        let mut json = json_of(&(Box::new(document) as AnyDocument));
        json["value"]["data"]["vertices"][0] = json!([value]);
        meshspec::iyma::FORMAT.document_from_json(json.to_string().as_bytes())
    };
    for (format, good, bad) in [
        (
            VertexFormat::Uint8,
            json!([0, 255]),
            json!([256, -1, 0.5, [1]]),
        ),
        (
            VertexFormat::Sint8,
            json!([-128, 127]),
            json!([128, -129, 0.5, [1]]),
        ),
        (
            VertexFormat::Sint16,
            json!([-32768, 32767]),
            json!([32768, -32769, 0.5, [1]]),
        ),
        (
            VertexFormat::Uint32,
            json!([0, 4294967295_u32]),
            json!([4294967296_u64, -1, 0.5, [1]]),
        ),
        (
            VertexFormat::Float16,
            json!([0, 0x7c01, 65535]),
            json!([65536, -1, "x", [1]]),
        ),
        (
            VertexFormat::Float64,
            json!(["NaN", "NaN:7ff8000000000001", 1e300]),
            json!([
                "NaN:3ff0000000000000",
                "NaN:+ff8000000000001",
                "NaN:ffc00001"
            ]),
        ),
        (
            VertexFormat::Unorm8x2,
            json!([[0, 255]]),
            json!([[0], [0, 0, 0], [0, 256], 0]),
        ),
        (
            VertexFormat::Unorm10_10_10_2,
            json!([{"x": 0, "y": 1, "z": 1023, "w": 3}]),
            json!([
                {"x": 0, "y": 0, "z": 0, "w": 4}, {"x": 1024, "y": 0, "z": 0, "w": 0},
                {"x": -1, "y": 0, "z": 0, "w": 0}, {"x": 0}
            ]),
        ),
    ] {
        for good in good.as_array().unwrap() {
            let json = json_of(&read(format, good.clone()).unwrap());
            assert_eq!(json["value"]["data"]["vertices"][0][0], *good, "{format:?}");
        }
        for bad in bad.as_array().unwrap() {
            let error = read(format, bad.clone()).expect_err(&format!("{format:?} {bad}"));
            assert!(
                error.to_string().contains("data.vertices[0][0]"),
                "{format:?} {bad}: {error}"
            );
        }
    }
}

#[test]
fn shared_indices_are_checked_in_bounded_time() {
    let indices: Vec<u32> = (0..300_000).map(|i| i % 1000).collect();
    let mesh = MeshInfo {
        first_index: 0,
        index_count: 299_999,
        first_vertex: 0,
        vertex_count: 1000,
    };
    // Only the first mesh, which may use 999 vertices, is invalid.
    let meshes = (0..60_000).map(|i| MeshInfo {
        vertex_count: 1000 - u32::from(i == 0),
        ..mesh
    });
    let document = Document {
        n_vertices: 1000,
        meshes: meshes.collect(),
        indices: Some(IndexBuffer::from_u32(&indices)),
        ..Default::default()
    };
    // Tested one by one, these would be 18 billion indices.
    assert_eq!(document.check().count_of("IYMA-INDEX-RANGE"), 299);
}
