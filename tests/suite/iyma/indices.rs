//! Indices must be below the vertex count of their mesh.

use meshspec::Format;
use meshspec::iyma::{Document, IndexBuffer, MeshInfo};

/// Returns the number of findings. Meshes are `(first index, number of indices, number of vertices)`.
fn count_findings(
    indices: IndexBuffer,
    meshes: impl Iterator<Item = (usize, usize, u32)>,
) -> usize {
    let mesh = |(first, count, vertex_count)| MeshInfo {
        first_index: first as u32,
        index_count: count as u32,
        first_vertex: 0,
        vertex_count,
    };
    let document = Document {
        n_vertices: u32::MAX,
        meshes: meshes.map(mesh).collect(),
        indices: Some(indices),
        ..Document::default()
    };
    document.check().count_of("IYMA-INDEX-RANGE")
}

/// With many overlapping ranges, the check compares the maxima of blocks of indices.
#[test]
fn the_largest_index_of_every_range_is_compared() {
    let values: Vec<u32> = (0..10_000)
        .map(|i: u32| i.wrapping_mul(2_654_435_761) >> 7)
        .collect();
    let mut ranges = Vec::new();
    for start in (0..values.len()).step_by(37) {
        for end in (start + 1..=values.len())
            .step_by(613)
            .chain([values.len()])
        {
            ranges.push((
                start,
                end - start,
                *values[start..end].iter().max().unwrap(),
            ));
        }
    }
    let buffer = || IndexBuffer::from_u32(&values);
    assert_eq!(
        count_findings(
            buffer(),
            ranges
                .iter()
                .map(|(start, count, max)| (*start, *count, max + 1))
        ),
        0
    );
    assert_eq!(
        count_findings(buffer(), ranges.iter().copied()),
        ranges.len()
    );
}

#[test]
fn indices_are_below_the_number_of_vertices() {
    let wide = [0, 1, 7, 0x7fff_fffe, 0x7fff_ffff, 0x8000_0000, u32::MAX];
    for index in wide {
        for limit in [
            0,
            1,
            2,
            7,
            8,
            0x7fff_ffff,
            0x8000_0000,
            0x8000_0001,
            u32::MAX,
        ] {
            let mesh = || [(0, 2, limit)].into_iter();
            let expected = |index: u32| [0, index].iter().filter(|index| **index >= limit).count();
            assert_eq!(
                count_findings(IndexBuffer::from_u32(&[0, index]), mesh()),
                expected(index),
                "{index} {limit}"
            );
            let narrow = index as u16;
            let found = count_findings(IndexBuffer::from_u16(&[0, narrow]), mesh());
            assert_eq!(found, expected(narrow.into()), "{narrow} {limit}");
        }
    }
}
