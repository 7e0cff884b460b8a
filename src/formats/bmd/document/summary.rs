//! Counts, attributes and bounds for `info`.

use super::{Document, Mesh, PackedFace, PackedVertex};
use crate::info::{AnimationInfo, AttributeInfo, Bounds, Info, MeshInfo, SkeletonInfo};
use crate::{Dialect, FormatId, Text};

pub fn info(document: &Document) -> Info {
    Info {
        format: FormatId::Bmd,
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
    }
}

fn mesh_info(mesh: &Mesh) -> MeshInfo {
    let counts = mesh.faces.counts();
    MeshInfo {
        vertices: mesh.vertices.len() as u64,
        attributes: attributes(mesh),
        // As triangles, which is what a quad is drawn as.
        indices: 3 * counts.triangulated() as u64,
        index_bits: mesh.faces.packed().map(index_bits).max().unwrap_or(0),
        start: None,
        bounds: Bounds::of(mesh.decoded_vertices().map(|vertex| vertex.position)),
    }
}

fn index_bits(face: PackedFace) -> u32 {
    match face {
        PackedFace::Triangle32(_) => 10,
        PackedFace::Quad32(_) => 7,
        PackedFace::Triangle64(_) => 20,
        PackedFace::Quad64(_) => 15,
    }
}

/// Every attribute that some vertex has, in each of its forms.
fn attributes(mesh: &Mesh) -> Vec<AttributeInfo> {
    let mut attributes: Vec<AttributeInfo> = Vec::new();
    for vertex in mesh.packed_vertices() {
        for (name, components) in attributes_of(vertex) {
            let attribute = AttributeInfo { name: (*name).into(), components: (*components).into() };
            if !attributes.contains(&attribute) {
                attributes.push(attribute);
            }
        }
    }
    attributes
}

fn attributes_of(vertex: PackedVertex) -> &'static [(&'static str, &'static str)] {
    match vertex {
        PackedVertex::Textured64(_) => {
            &[("position", "3 × 9 bits"), ("st", "2 × 11 bits"), ("bone", "1 × u8")]
        }
        PackedVertex::Flat64(_) => &[("position", "3 × 9 bits"), ("normal", "3 × F8A"), ("bone", "1 × u8")],
        PackedVertex::Fine96(v) if v.tag() == 0xFA => {
            &[("position", "3 × 9 bits"), ("st", "2 × 12 bits"), ("normal", "3 × F8A"), ("bone", "1 × u8")]
        }
        PackedVertex::Fine96(_) => {
            &[("position", "3 × 9 bits"), ("st", "2 × 12 bits"), ("normal", "3 × F8A"), ("color", "1 × u8")]
        }
        PackedVertex::Scaled96(v) if v.tag() == 0xFB => {
            &[("position", "3 × 9 bits"), ("st", "2 × 11 bits"), ("normal", "3 × F8A"), ("bone", "1 × u8")]
        }
        PackedVertex::Scaled96(_) => {
            &[("position", "3 × 9 bits"), ("st", "2 × 11 bits"), ("normal", "3 × F8A"), ("color", "1 × u8")]
        }
        PackedVertex::Vertex128(_) => &[
            ("position", "3 × f16"),
            ("st", "2 × 14 bits"),
            ("normal", "3 × F8A"),
            ("color", "1 × u8"),
            ("bone", "1 × u8"),
        ],
    }
}
