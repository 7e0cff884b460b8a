//! The rows of MESH.

use meshspec::{Format, ReadOptions, WriteOptions, mesh};

use crate::{Bench, Error, Sheet, sheet};

/// Returns a document with 1,000,000 vertices with all attributes, and almost 2,000,000 triangles.
pub fn document() -> Result<mesh::Document, Error> {
    document_with_side(1000)
}

/// Returns a document with `side`² vertices and two joints.
pub fn document_with_side(side: usize) -> Result<mesh::Document, Error> {
    let Sheet {
        positions,
        normals,
        uvs,
        indices,
    } = sheet(side);
    let count = positions.len();
    let mut columns = mesh::Columns {
        positions,
        normals: Some(normals),
        uvs: Some(uvs),
        ..Default::default()
    };
    columns.joint_ids = Some((0..count).map(|i| [(i % 2) as u8, 1, 255, 255]).collect());
    columns.joint_weights = Some(vec![[128, 127, 0, 0]; count]);
    Ok(mesh::Document {
        vertices: mesh::Vertices::from_columns(&columns)?,
        indices,
        joints: joints(),
        ..Default::default()
    })
}

pub fn joints() -> Vec<mesh::Joint> {
    let joint = |id, parent| mesh::Joint {
        id,
        parent,
        transform: [[0.0; 4]; 4],
    };
    vec![joint(0, 255), joint(1, 0)]
}

pub fn add_rows(bench: &mut Bench) -> Result<(), Error> {
    let document = document()?;
    let bytes = document.write(&WriteOptions::default())?;
    let size = bytes.len() as u64;
    let copy = || bytes.to_vec();
    let options = ReadOptions::default();
    let read = || mesh::Document::read(&bytes, &options);
    bench.add_row("mesh/read", size, read, "copy", copy);
    bench.add_row(
        "mesh/check",
        size,
        || meshspec::check(&bytes, mesh::FORMAT, &options),
        "reading",
        read,
    );
    let sheet = sheet(1000);
    let columns = mesh::Columns {
        positions: sheet.positions,
        ..Default::default()
    };
    let vertices = mesh::Vertices::from_columns(&columns)?;
    let bare = mesh::Document {
        vertices,
        indices: sheet.indices,
        ..Default::default()
    };
    let bytes_of_bare = bare.write(&WriteOptions::default())?;
    let size_of_bare = bytes_of_bare.len() as u64;
    let check = || meshspec::check(&bytes_of_bare, mesh::FORMAT, &options);
    let read = || mesh::Document::read(&bytes_of_bare, &options);
    bench.add_row("mesh/check-positions", size_of_bare, check, "reading", read);
    let options = WriteOptions::default();
    bench.add_row(
        "mesh/write",
        size,
        || document.write(&options),
        "copy",
        copy,
    );
    Ok(())
}
