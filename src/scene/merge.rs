//! Merges meshes, for formats with a single mesh.

use super::{Colors, CustomAttribute, Indices, Mesh, Skin, Weights};
use crate::Loss;

/// Concatenates the vertices and faces of meshes that have the same texture origin.
///
/// Fills in attributes that only some meshes have: normals are generated, colours white, tangents +X, joints
/// [`Skin::NONE`], and all other attributes 0.
pub(super) fn merge(mut meshes: Vec<Mesh>, losses: &mut Vec<Loss>) -> Mesh {
    share_attributes(&mut meshes, losses);
    record_dropped_materials(&meshes, losses);
    let mut merged = Mesh::default();
    let mut indices = Vec::with_capacity(
        meshes
            .iter()
            .map(|mesh| mesh.faces.corner_count(mesh.positions.len()))
            .sum(),
    );
    // Surplus corners of triangles would shift the faces of the meshes that follow.
    let has_polygons = meshes.iter().any(|mesh| {
        mesh.faces.corners.is_some()
            || !mesh
                .faces
                .corner_count(mesh.positions.len())
                .is_multiple_of(3)
    });
    let mut corners = Vec::new();
    for (position, mut mesh) in meshes.into_iter().enumerate() {
        let base = merged.positions.len() as u32;
        mesh.faces.add_sequential_indices(mesh.positions.len());
        let mut own = mesh
            .faces
            .indices
            .take()
            .map(Indices::into_u32)
            .unwrap_or_default();
        if has_polygons {
            corners.extend(face_sizes(mesh.faces.corners.take(), &mut own));
        }
        indices.extend(own.into_iter().map(|index| index.wrapping_add(base)));
        if position == 0 {
            merged = mesh;
        } else {
            append(&mut merged, mesh);
        }
    }
    merged.faces.indices = Some(Indices::U32(indices));
    merged.faces.corners = has_polygons.then_some(corners);
    merged
}

/// Returns the number of corners of each face. Surplus corners of triangles become a face of fewer than three; those of
/// other faces are removed from `indices`.
fn face_sizes(corners: Option<Vec<u32>>, indices: &mut Vec<u32>) -> Vec<u32> {
    match corners {
        Some(corners) => {
            indices.truncate(corners.iter().map(|count| *count as usize).sum());
            corners
        }
        None => indices.chunks(3).map(|face| face.len() as u32).collect(),
    }
}

/// Records losses for names, material names, textures, base colours and extras that differ from those of the first
/// mesh, which the merged mesh keeps.
fn record_dropped_materials(meshes: &[Mesh], losses: &mut Vec<Loss>) {
    let Some((first, others)) = meshes.split_first() else {
        return;
    };
    for (index, mesh) in others.iter().enumerate() {
        let (own, kept) = (&mesh.material, &first.material);
        let texts = [
            ("name", &mesh.name, &first.name),
            ("material.name", &own.name, &kept.name),
        ];
        let texts = texts.map(|(field, own, kept)| (field, !own.is_empty() && own != kept));
        let others = [
            (
                "material.texture",
                own.texture.is_some() && own.texture != kept.texture,
            ),
            (
                "material.base_color",
                own.base_color.is_some() && own.base_color != kept.base_color,
            ),
            (
                "extras",
                !mesh.extras.is_empty() && mesh.extras != first.extras,
            ),
        ];
        for (field, _) in texts.into_iter().chain(others).filter(|(_, lost)| *lost) {
            let message = "the merged mesh keeps the value of the first mesh";
            losses.push(Loss::dropped(
                format!("meshes[{}].{field}", index + 1),
                message,
            ));
        }
    }
}

fn append(merged: &mut Mesh, mesh: Mesh) {
    merged.positions.extend(mesh.positions);
    merged.flat &= mesh.flat;
    merged
        .normals
        .iter_mut()
        .zip(mesh.normals)
        .for_each(|(all, more)| all.extend(more));
    merged
        .tangents
        .iter_mut()
        .zip(mesh.tangents)
        .for_each(|(all, more)| all.extend(more));
    merged
        .uvs
        .iter_mut()
        .zip(mesh.uvs)
        .for_each(|(all, more)| all.extend(more));
    merged
        .colors
        .iter_mut()
        .zip(mesh.colors)
        .for_each(|(all, more)| all.append(more));
    merged
        .custom
        .iter_mut()
        .zip(mesh.custom)
        .for_each(|(all, more)| all.values.append(more.values));
    for (all, more) in merged.skins.iter_mut().zip(mesh.skins) {
        all.joints.extend(more.joints);
        all.weights.append(more.weights);
    }
}

/// Adds missing attributes, so that all meshes have the same attributes with the same component types.
pub(crate) fn share_attributes(meshes: &mut [Mesh], losses: &mut Vec<Loss>) {
    let normals = meshes.iter().any(|mesh| mesh.normals.is_some());
    let tangents = meshes.iter().any(|mesh| mesh.tangents.is_some());
    let uvs = meshes.iter().map(|mesh| mesh.uvs.len()).max().unwrap_or(0);
    let colors = meshes
        .iter()
        .map(|mesh| mesh.colors.len())
        .max()
        .unwrap_or(0);
    let skins = meshes
        .iter()
        .map(|mesh| mesh.skins.len())
        .max()
        .unwrap_or(0);
    let custom = merged_custom_attributes(meshes);
    for (index, mesh) in meshes.iter_mut().enumerate() {
        let vertices = mesh.positions.len();
        let mut fill = |attribute: &str, value: &str| {
            let message = format!("{value} were added, since other meshes have them");
            losses.push(Loss::changed(
                format!("meshes[{index}].{attribute}"),
                message,
            ));
        };
        if normals && mesh.normals.is_none() {
            mesh.generate_normals();
            fill("normals", "generated normals");
        }
        if tangents && mesh.tangents.is_none() {
            mesh.tangents = Some(vec![[1.0, 0.0, 0.0, 1.0]; vertices]);
            fill("tangents", "tangents along +X");
        }
        for set in mesh.uvs.len()..uvs {
            mesh.uvs.push(vec![[0.0; 2]; vertices]);
            fill(&format!("uvs[{set}]"), "texture coordinates (0, 0)");
        }
        for set in mesh.colors.len()..colors {
            mesh.colors.push(Colors::U8(vec![[255; 4]; vertices]));
            fill(&format!("colors[{set}]"), "white colours");
        }
        for set in mesh.skins.len()..skins {
            mesh.skins
                .push(Skin::rigid(std::iter::repeat_n(Skin::NONE, vertices)));
            fill(&format!("skins[{set}]"), "empty joints and weights");
        }
        let mut existing: Vec<_> = std::mem::take(&mut mesh.custom)
            .into_iter()
            .map(Some)
            .collect();
        for needed in &custom {
            let is_same = |slot: &&mut Option<CustomAttribute>| {
                slot.as_ref()
                    .is_some_and(|existing| existing.is_same_attribute(needed))
            };
            let found = existing.iter_mut().find(is_same).and_then(Option::take);
            mesh.custom.push(found.unwrap_or_else(|| {
                fill("custom", "custom attributes with the value 0");
                needed.zeros(vertices)
            }));
        }
    }
    share_component_types(meshes);
}

/// Converts a set of colours or weights to floats if any mesh stores this set in floats.
fn share_component_types(meshes: &mut [Mesh]) {
    for set in 0..meshes.first().map_or(0, |mesh| mesh.colors.len()) {
        if meshes
            .iter()
            .any(|mesh| matches!(mesh.colors[set], Colors::F32(_)))
        {
            meshes.iter_mut().for_each(|mesh| mesh.colors[set].widen());
        }
    }
    for set in 0..meshes.first().map_or(0, |mesh| mesh.skins.len()) {
        if meshes
            .iter()
            .any(|mesh| matches!(mesh.skins[set].weights, Weights::F32(_)))
        {
            meshes
                .iter_mut()
                .for_each(|mesh| mesh.skins[set].weights.widen());
        }
    }
}

/// Returns the union of the custom attributes of all meshes, without values. Meshes share attributes of the same name
/// and type; duplicates within one mesh are kept.
fn merged_custom_attributes(meshes: &[Mesh]) -> Vec<CustomAttribute> {
    let mut all: Vec<CustomAttribute> = Vec::new();
    for mesh in meshes {
        for (index, custom) in mesh.custom.iter().enumerate() {
            let before = mesh.custom[..index]
                .iter()
                .filter(|other| other.is_same_attribute(custom))
                .count();
            if all
                .iter()
                .filter(|other| other.is_same_attribute(custom))
                .count()
                <= before
            {
                all.push(custom.zeros(0));
            }
        }
    }
    all
}
