//! Counts, attributes and bounds for `info`.

use super::codec::attributes_of;
use super::{Document, Mesh, PackedFace};
use crate::info::{AnimationInfo, AttributeInfo, Bounds, Info, MeshInfo, SkeletonInfo, distinct};
use crate::{Dialect, FormatId, Text};

pub fn info(document: &Document) -> Info {
    Info {
        format: FormatId::Bmd.name(),
        dialect: Dialect::Spec,
        meshes: document.meshes.iter().map(mesh_info).collect(),
        skeleton: (!document.bones.is_empty()).then(|| SkeletonInfo {
            joints: document.bones.len() as u64,
            // Bone 0 is its own parent, and a pseudo-bone has none.
            roots: document
                .bones
                .iter()
                .enumerate()
                .filter(|(index, bone)| *index == 0 || bone.is_pseudo())
                .count() as u64,
            names: document.bones.iter().filter_map(|bone| Some(bone.name.as_ref()?.to_string())).collect(),
        }),
        animations: document
            .animations
            .iter()
            .map(|animation| {
                let (frames, hz) = (f32::from(animation.n_frames), animation.fl_hz.hz());
                AnimationInfo {
                    name: animation.name.as_ref().map(Text::to_string),
                    ticks: frames,
                    seconds: (hz > 0.0).then(|| frames / hz),
                    poses: animation.n_frames.into(),
                }
            })
            .collect(),
        properties: Vec::new(),
        materials: distinct(
            document.meshes.iter().filter_map(|mesh| Some(mesh.material.as_ref()?.to_string())),
        ),
    }
}

fn mesh_info(mesh: &Mesh) -> MeshInfo {
    let counts = mesh.faces.counts();
    MeshInfo {
        vertices: mesh.vertices.len() as u64,
        attributes: attributes(mesh),
        // As triangles, which is what a quad is drawn as.
        indices: 3 * counts.triangulated() as u64,
        index_bits: mesh.faces.packed().map(PackedFace::index_bits).max().unwrap_or(0),
        start: None,
        copies: None,
        bounds: Bounds::of(mesh.decoded_vertices().map(|vertex| vertex.position)),
    }
}

/// Every attribute that some vertex has, in each of its forms.
fn attributes(mesh: &Mesh) -> Vec<AttributeInfo> {
    let mut attributes: Vec<AttributeInfo> = Vec::new();
    let surface = mesh.surface();
    for tag in mesh.vertices.tags() {
        for (name, components) in attributes_of(tag, surface) {
            let attribute = AttributeInfo { name: (*name).into(), components: (*components).into() };
            if !attributes.contains(&attribute) {
                attributes.push(attribute);
            }
        }
    }
    attributes
}
