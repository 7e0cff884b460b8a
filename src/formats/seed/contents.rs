//! Converts documents to [`Contents`].

use super::Document;
use super::schema;
use crate::Dialect;
use crate::contents::{Array, Contents, Mesh, Numbers, Property};

pub(super) fn contents(document: &Document) -> Contents<'static> {
    let Document {
        properties,
        positions,
        normals,
        colors,
        uvs,
        faces,
        ..
    } = document;
    let mut mesh = Mesh::new(positions.len());
    mesh.add_attribute("position", Array::from_rows(positions.clone()));
    if !normals.is_empty() {
        mesh.add_attribute("normal", Array::from_rows(normals.clone()));
    }
    for (channel, colors) in colors.iter().enumerate() {
        mesh.add_attribute(format!("color_{channel}"), Array::from_rows(colors.clone()));
    }
    for (channel, uvs) in uvs.iter().enumerate() {
        mesh.add_attribute(format!("uv_{channel}"), Array::from_rows(uvs.clone()));
    }
    mesh.indices = Some(Numbers::U32(faces.as_flattened().to_vec()).into());
    let properties = properties.iter().map(|p| Property {
        name: p.name.clone(),
        value: p.value.clone(),
    });
    let properties = properties.collect();
    Contents {
        properties,
        meshes: vec![mesh],
        ..Contents::new(schema::NAME, Dialect::SPEC)
    }
}
