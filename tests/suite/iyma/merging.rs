//! Merging meshes into one file, and splitting a file by mesh.

use meshspec::iyma::{
    Attribute, DataChecksum, Document, IndexBuffer, IndexFormat, MeshInfo, Usage, VertexFormat,
    merge,
};
use meshspec::{ErrorKind, Format};

use super::{strip, write};

#[test]
fn merging_and_splitting() {
    let (a, mut b) = (strip(5, "one"), strip(8, "two"));
    b.attributes.reverse();
    let (merged, losses) = merge(&[a.clone(), b.clone()]).unwrap();
    assert_eq!((merged.n_vertices, merged.meshes.len()), (13, 2));
    assert_eq!(
        merged.meshes[1],
        MeshInfo {
            first_index: 9,
            index_count: 18,
            first_vertex: 5,
            vertex_count: 8
        }
    );
    assert_eq!(
        (&*merged.user_data, losses.len()),
        (&b"one"[..], 1),
        "{losses:?}"
    );
    let (parts, losses) = merged.split().unwrap();
    assert!(losses.is_empty());
    b.attributes.reverse();
    b.user_data = a.user_data.clone();
    assert_eq!(parts, [a.clone(), b.clone()]);

    // 16-bit and 32-bit indices all become 32-bit.
    let mut wide = strip(5, "");
    wide.indices = wide.indices.map(|indices| indices.to_u32());
    let (merged, _) = merge(&[a.clone(), wide]).unwrap();
    let indices = merged.indices.as_ref().unwrap();
    assert_eq!(indices.format, IndexFormat::U32);
    assert!(
        indices
            .iter()
            .take(9)
            .eq(a.indices.as_ref().unwrap().iter())
    );
    assert_eq!(
        Document::read(&write(&merged), &Default::default()).unwrap(),
        merged
    );

    // Incompatible documents are rejected.
    let mut bare = strip(5, "");
    bare.indices = None;
    bare.meshes[0].index_count = 0;
    let error = merge(&[a.clone(), bare.clone()]).unwrap_err();
    assert!(
        error.path() == "documents[1]" && error.message().contains("without indices"),
        "{error}"
    );

    // Data outside all meshes is listed as lost.
    let mut spare = strip(5, "");
    spare.meshes[0] = MeshInfo {
        first_vertex: 2,
        vertex_count: 3,
        first_index: 3,
        index_count: 3,
    };
    let losses: Vec<String> = spare
        .split()
        .unwrap()
        .1
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(losses.len(), 2, "{losses:?}");
    assert!(
        losses[0].ends_with("uses: 6") && losses[1].ends_with("uses: 2"),
        "{losses:?}"
    );

    // More vertices than 32 bits can count, without any bytes.
    let many = Document {
        n_vertices: u32::MAX,
        meshes: vec![MeshInfo::default()],
        ..Document::default()
    };
    assert_eq!(
        merge(&[many.clone(), many]).unwrap_err().kind(),
        ErrorKind::Inexpressible
    );
}

/// Merging keeps vertices and indices outside all meshes, so that the ranges of meshes remain correct.
#[test]
fn unused_buffer_ranges_are_kept() {
    let mut spare = strip(8, "");
    spare.meshes = vec![
        MeshInfo {
            first_index: 0,
            index_count: 3,
            first_vertex: 1,
            vertex_count: 4,
        },
        MeshInfo {
            first_index: 6,
            index_count: 3,
            first_vertex: 2,
            vertex_count: 5,
        },
    ];
    let all = [spare.clone(), strip(5, ""), spare.clone(), strip(9, "")];
    let (merged, losses) = merge(&all).unwrap();
    assert!(losses.is_empty());
    let parts: Vec<_> = all
        .iter()
        .flat_map(|document| document.split().unwrap().0)
        .collect();
    assert_eq!(merged.split().unwrap().0, parts);
}

/// If several buffers have the same usage, each is appended to its counterpart.
#[test]
fn buffers_of_equal_usage_keep_their_order() {
    let with = |values: [f32; 2]| {
        let uv = |value| Attribute::from_f32(Usage::Uv, VertexFormat::Float32, &[value]);
        Document::from_mesh(None, values.map(uv).to_vec()).unwrap()
    };
    let (merged, _) = merge(&[with([1.0, 2.0]), with([3.0, 4.0])]).unwrap();
    let values: Vec<_> = merged.attributes.iter().map(Attribute::to_f32).collect();
    assert_eq!(values, [[1.0, 3.0], [2.0, 4.0]]);
}

#[test]
fn shared_ranges_are_counted_once() {
    let heights = Attribute::from_f32(Usage::Position, VertexFormat::Float32, &[0.0; 8]);
    let mut document =
        Document::from_mesh(Some(IndexBuffer::from_u16(&[0; 8])), vec![heights]).unwrap();
    let cases: [(&[(u32, u32)], u32); 7] = [
        (&[(0, 8), (0, 8)], 0),
        (&[(0, 5), (3, 3)], 2),
        (&[(0, 6), (1, 2)], 2),
        (&[(0, 6), (1, 6)], 1),
        (&[(5, 1), (0, 2)], 5),
        (&[(3, 0), (3, 0)], 8),
        (&[(0, 6), (1, 2), (4, 3)], 1),
    ];
    for (ranges, lost) in cases {
        let mesh = |&(first, count): &(u32, u32)| MeshInfo {
            first_index: first,
            index_count: count,
            first_vertex: first,
            vertex_count: count,
        };
        document.meshes = ranges.iter().map(mesh).collect();
        let losses: Vec<_> = document
            .split()
            .unwrap()
            .1
            .iter()
            .map(ToString::to_string)
            .collect();
        let expected =
            ["indices", "vertices"].map(|what| format!("{what} that no mesh uses: {lost}"));
        let all = losses
            .iter()
            .zip(&expected)
            .all(|(loss, expected)| loss.contains(expected));
        assert!(
            all && losses.len() == if lost == 0 { 0 } else { 2 },
            "{ranges:?}: {losses:?}"
        );
    }
}

#[test]
fn checksums_and_user_data_without_a_mesh() {
    let mut document = strip(5, "kept");
    for (checksum, expected) in [
        (DataChecksum::Present, DataChecksum::Present),
        (DataChecksum::Absent, DataChecksum::Absent),
        (DataChecksum::Wrong(7.into()), DataChecksum::Present),
    ] {
        document.data_checksum = checksum;
        assert_eq!(
            merge(&[document.clone(), strip(5, "kept")])
                .unwrap()
                .0
                .data_checksum,
            expected
        );
        assert_eq!(document.mesh(0).unwrap().data_checksum, expected);
    }
    document.meshes.clear();
    let (parts, losses) = document.split().unwrap();
    assert!(parts.is_empty());
    assert!(
        losses.iter().any(|loss| loss.path == "user_data"),
        "{losses:?}"
    );
}
