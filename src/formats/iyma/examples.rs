//! Hand-written examples for the IyMA rules: a triangle, and a change to it for each rule. Generated breakages cannot
//! change compressed bytes or bytes with a checksum.

use super::codec;
use super::document::{Attribute, DataChecksum, Document, IndexBuffer, WrongChecksum};
use super::hash;
use super::rules::*;
use super::schema::{Header, MeshInfo, Usage, VertexFormat};
use crate::formats::RuleExample;
use crate::{Dialect, Rule};

/// A change that breaks a rule, applied to the document or to the encoded file.
enum Change {
    Document(fn(&mut Document)),
    Bytes(fn(&mut Vec<u8>)),
}

use Change::{Bytes, Document as Content};

const CHANGES: &[(&Rule, Change)] = &[
    (&MAGIC, Bytes(|file| overwrite(file, 0, b"IYMA"))),
    (&VERSION, Bytes(|file| overwrite(file, 4, &[2]))),
    (&TRUNCATED, Bytes(|file| file.truncate(Header::size() - 4))),
    (
        &DESCRIPTOR,
        Bytes(|file| change_parts(file, |parts| parts.descriptor.push(0))),
    ),
    (
        &PACKING,
        Bytes(|file| file.truncate(file.len().saturating_sub(1))),
    ),
    (
        &WINDOW,
        Bytes(|file| {
            change_parts(file, |parts| {
                parts.data = zstd_frame(28, &uncompressed_data())
            })
        }),
    ),
    (
        &DATA_SIZE,
        Bytes(|file| {
            change_parts(file, |parts| {
                parts.data = zstd_frame(10, &[uncompressed_data(), vec![0]].concat())
            });
        }),
    ),
    (&TRAILING, Bytes(|file| file.push(0))),
    (
        &METADATA_CHECKSUM,
        Bytes(|file| overwrite(file, 8, &[0; 8])),
    ),
    (
        &DATA_CHECKSUM,
        Content(|d| d.data_checksum = DataChecksum::Wrong(WrongChecksum::from(1))),
    ),
    (
        &MESH_RANGE,
        Content(|document| {
            document
                .meshes
                .iter_mut()
                .for_each(|mesh| mesh.index_count = 4)
        }),
    ),
    (
        &INDEX_RANGE,
        Content(|document| document.indices = Some(IndexBuffer::from_u16(&[0, 1, 3]))),
    ),
    (
        &DUPLICATE,
        Content(|document| document.attributes.extend_from_within(..)),
    ),
];

/// Returns the example for a rule; `None` if the rule has no example.
pub(super) fn example_of(rule: &'static Rule) -> Option<RuleExample> {
    let (_, change) = CHANGES.iter().find(|(broken, _)| *broken == rule)?;
    let mut document = triangle();
    if *rule == DATA_CHECKSUM {
        document.data_checksum = DataChecksum::Present;
    }
    let correct = codec::write(&document, &Default::default()).ok()?;
    let violating = match change {
        Content(change) => {
            change(&mut document);
            codec::write(&document, &Default::default()).ok()?
        }
        Bytes(change) => {
            let mut file = correct.clone();
            change(&mut file);
            file
        }
    };
    Some(RuleExample {
        dialect: Dialect::SPEC,
        violating,
        correct,
    })
}

/// Returns a triangle without a data checksum.
fn triangle() -> Document {
    let positions = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    Document {
        n_vertices: 3,
        meshes: vec![MeshInfo {
            first_index: 0,
            index_count: 3,
            first_vertex: 0,
            vertex_count: 3,
        }],
        indices: Some(IndexBuffer::from_u16(&[0, 1, 2])),
        attributes: vec![Attribute::from_f32(
            Usage::Position,
            VertexFormat::Float32x3,
            &positions,
        )],
        data_checksum: DataChecksum::Absent,
        ..Document::default()
    }
}

/// Returns the uncompressed data of the triangle.
fn uncompressed_data() -> Vec<u8> {
    let Document {
        indices,
        attributes,
        ..
    } = triangle();
    let buffers = indices
        .iter()
        .map(|indices| &indices.data)
        .chain(attributes.iter().map(|a| &a.data));
    buffers.flat_map(|buffer| buffer.to_vec()).collect()
}

fn overwrite(file: &mut [u8], offset: usize, bytes: &[u8]) {
    file.iter_mut()
        .skip(offset)
        .zip(bytes)
        .for_each(|(old, new)| *old = *new);
}

/// The parts of a file after the header: the encoded descriptor and the compressed data.
struct FileParts {
    descriptor: Vec<u8>,
    data: Vec<u8>,
}

/// Changes the descriptor or data, and updates the header.
fn change_parts(file: &mut Vec<u8>, change: fn(&mut FileParts)) {
    let Ok(codec::FileParts {
        descriptor, data, ..
    }) = codec::split_file(file)
    else {
        return;
    };
    let mut parts = FileParts {
        descriptor: descriptor.to_vec(),
        data: data.to_vec(),
    };
    change(&mut parts);
    let FileParts { descriptor, data } = parts;
    overwrite(file, 6, &(descriptor.len() as u16).to_le_bytes());
    overwrite(
        file,
        8,
        &hash::metadata_checksum(&descriptor, 0, Dialect::SPEC).to_le_bytes(),
    );
    file.truncate(Header::size());
    file.extend(descriptor);
    file.extend(data);
}

/// Returns a zstd frame without magic bytes: one raw block, with a window of 2^`window_log` bytes.
fn zstd_frame(window_log: u8, content: &[u8]) -> Vec<u8> {
    const LAST_RAW: u32 = 1;
    let block = (LAST_RAW | (content.len() as u32) << 3).to_le_bytes();
    [&[0, (window_log - 10) << 3], &block[..3], content].concat()
}
