//! Differences of the dialects: usages as map keys, and files of older tools.

use meshspec::iyma::{
    Attribute, DataChecksum, Document, IndexBuffer, IndexFormat, Usage, VertexFormat,
};
use meshspec::scene::{Faces, FromScene, Mesh, Scene, SceneOptions};
use meshspec::{Dialect, ErrorKind, Format, Loss, LossKind, ReadOptions, Strictness, WriteOptions};
use rapidhash::v1::rapidhash_v1;

/// Returns a document of one vertex with attributes of the given usages.
fn with_usages(dialect: Dialect, usages: &[Usage]) -> Document {
    let attributes = usages.iter().enumerate().map(|(index, usage)| {
        Attribute::from_f32(usage.clone(), VertexFormat::Float32x2, &[index as f32, 0.5])
    });
    let document = Document::from_mesh(None, attributes.collect()).unwrap();
    Document {
        dialect,
        ..document
    }
}

fn custom(number: u32, name: &str) -> Usage {
    Usage::Custom(number, name.into())
}

#[test]
fn duplicate_usages_are_rejected_in_a_map() {
    for usage in [Usage::Uv, Usage::Position, custom(7, "")] {
        let usages = [Usage::Normal, usage.clone(), Usage::Color, usage];
        let document = with_usages(Dialect::REFERENCE, &usages);
        for options in [WriteOptions::default(), WriteOptions::lenient()] {
            let error = document.write(&options).unwrap_err();
            assert_eq!(
                (error.kind(), &*error.path().to_string()),
                (ErrorKind::Inexpressible, "attributes[3].usage")
            );
            assert!(error.message().contains("attributes[1]"), "{error}");
        }
        // The specification allows a usage twice.
        let (document, losses) = document.into_dialect(Dialect::SPEC).unwrap();
        assert!(losses.is_empty() && document.write(&WriteOptions::default()).is_ok());
    }
}

#[test]
fn duplicate_usages_are_renamed_for_a_map() {
    let usages = [
        custom(0, ""),
        custom(7, "wind"),
        custom(7, "sway"),
        Usage::Uv,
        Usage::Uv,
        Usage::Uv,
        Usage::Normal,
        Usage::Normal,
    ];
    let document = with_usages(Dialect::SPEC, &usages);
    let (converted, losses) = document.clone().into_dialect(Dialect::REFERENCE).unwrap();
    let found: Vec<_> = converted
        .attributes
        .iter()
        .map(|attribute| attribute.usage.clone())
        .collect();
    let expected = [
        custom(0, ""),
        custom(7, ""),
        custom(1, ""),
        Usage::Uv,
        Usage::Uv1,
        custom(2, ""),
        Usage::Normal,
        custom(3, ""),
    ];
    assert_eq!(found, expected);
    let of = |kind| {
        let losses = losses.iter().filter(move |loss: &&Loss| loss.kind == kind);
        losses.map(|loss| loss.path.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(
        of(LossKind::Dropped),
        ["attributes[1].usage", "attributes[2].usage"]
    );
    assert_eq!(
        of(LossKind::Renamed),
        [
            "attributes[2].usage",
            "attributes[5].usage",
            "attributes[7].usage"
        ],
        "{losses:?}"
    );
    let bytes = converted.write(&WriteOptions::default()).unwrap();
    assert_eq!(
        Document::read(&bytes, &ReadOptions::default()).unwrap(),
        converted
    );
    assert!(converted.check().findings().is_empty());
}

/// Returns a file in the specification's dialect with the given descriptor and correct checksums.
fn with_descriptor(descriptor: &[u8]) -> Vec<u8> {
    let whole = with_usages(Dialect::SPEC, &[])
        .write(&WriteOptions::default())
        .unwrap();
    let data = &whole[24 + usize::from(u16::from_le_bytes([whole[6], whole[7]]))..];
    let length = (descriptor.len() as u16).to_le_bytes();
    let data_checksum = rapidhash_v1(data).to_le_bytes();
    let metadata_checksum =
        rapidhash_v1(&[descriptor, &length, &data_checksum].concat()).to_le_bytes();
    [
        b"IyMA\x01\0",
        &length[..],
        &metadata_checksum,
        &data_checksum,
        descriptor,
        data,
    ]
    .concat()
}

#[test]
fn an_unknown_descriptor_may_be_from_an_older_tool() {
    let mut bytes = with_descriptor(&[0xff; 9]);
    let older = "an older version of the author's tool";
    let error = Document::read(&bytes, &ReadOptions::default()).unwrap_err();
    assert_eq!(
        (&*error.path().to_string(), error.rule().unwrap().code),
        ("descriptor", "IYMA-DESCRIPTOR")
    );
    assert_eq!(error.span().unwrap().range(), &(24..33));
    assert!(error.message().contains(older), "{error}");
    // A damaged file does not suggest an older tool.
    bytes[30] ^= 1;
    let error = Document::read(&bytes, &ReadOptions::lenient()).unwrap_err();
    assert!(!error.message().contains(older), "{error}");
}

#[test]
fn checksums_are_checked_even_if_nothing_can_be_decoded() {
    let codes = |bytes: &[u8]| {
        let report =
            meshspec::check(bytes, meshspec::iyma::FORMAT, &ReadOptions::default()).unwrap();
        assert!(!report.is_valid(Strictness::Lenient));
        report
            .findings()
            .iter()
            .map(|finding| finding.rule.code)
            .collect::<Vec<_>>()
    };
    let good = with_descriptor(&[0xff; 9]);
    assert_eq!(codes(&good), ["IYMA-DESCRIPTOR"]);
    let mut bytes = good.clone();
    bytes[30] ^= 1;
    assert_eq!(codes(&bytes), ["IYMA-METADATA-CHECKSUM", "IYMA-DESCRIPTOR"]);
    let mut bytes = good.clone();
    *bytes.last_mut().unwrap() ^= 1;
    assert_eq!(codes(&bytes), ["IYMA-DATA-CHECKSUM", "IYMA-DESCRIPTOR"]);
    // If the descriptor is truncated, no checksum can be computed.
    assert_eq!(codes(&good[..30]), ["IYMA-TRUNCATED"]);
}

#[test]
fn the_options_select_the_checksum() {
    let document = with_usages(Dialect::SPEC, &[Usage::Position]);
    let without = Document {
        data_checksum: DataChecksum::Absent,
        ..document.clone()
    };
    let write = |document: &Document, checksum| {
        document
            .write(&WriteOptions::default().with_data_checksum(checksum))
            .unwrap()
    };
    let plain = document.write(&WriteOptions::default()).unwrap();
    assert_eq!(write(&without, true), plain);
    assert_eq!(
        write(&document, false),
        without.write(&WriteOptions::default()).unwrap()
    );
    assert_eq!(write(&document, true), plain);
}

/// Returns a document with 32-bit indices up to `last`.
fn wide(last: u32) -> Document {
    Document {
        indices: Some(IndexBuffer::from_u32(&[0, 1, last])),
        ..with_usages(Dialect::SPEC, &[Usage::Position])
    }
}

#[test]
fn indices_of_the_reference_dialect_have_16_bits_if_they_fit() {
    let format = |document: &Document| document.indices.as_ref().unwrap().format;
    let (narrow, losses) = wide(65_535).into_dialect(Dialect::REFERENCE).unwrap();
    assert_eq!((format(&narrow), losses.len()), (IndexFormat::U16, 0));
    assert_eq!(
        narrow.indices.unwrap().iter().collect::<Vec<_>>(),
        [0, 1, 65_535]
    );
    assert_eq!(
        format(&wide(65_536).into_dialect(Dialect::REFERENCE).unwrap().0),
        IndexFormat::U32
    );
    assert_eq!(
        format(&wide(2).into_dialect(Dialect::SPEC).unwrap().0),
        IndexFormat::U32
    );

    let mesh = Mesh {
        positions: vec![[0.0; 3], [1.0; 3], [2.0; 3]],
        faces: Faces::triangles(vec![0, 1, 2]),
        ..Mesh::default()
    };
    let scene = Scene {
        meshes: vec![mesh],
        ..Scene::default()
    };
    let written = |dialect| {
        Document::from_scene(
            scene.clone(),
            &SceneOptions::default().with_dialect(dialect),
        )
        .unwrap()
        .0
    };
    assert_eq!(format(&written(Dialect::SPEC)), IndexFormat::U32);
    assert_eq!(format(&written(Dialect::REFERENCE)), IndexFormat::U16);
}
