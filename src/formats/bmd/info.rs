//! Counts, attributes and bounds for `info`.

use super::schema::{self, VertexTag};
use super::{Animation, Document, Mesh, PackedFace, PackedVertex};
use crate::info::{
    AnimationInfo, AttributeInfo, Bounds, Info, MeshInfo, SkeletonInfo, distinct_names,
};
use crate::{Dialect, Text};

pub fn info(document: &Document) -> Info {
    let bones = document.bones.iter().enumerate();
    let materials = document
        .meshes
        .iter()
        .filter_map(|mesh| mesh.material.as_ref());
    Info {
        meshes: document.meshes.iter().map(mesh_info).collect(),
        skeleton: (!document.bones.is_empty()).then(|| SkeletonInfo {
            joints: document.bones.len() as u64,
            // Bone 0 is its own parent; pseudo-bones have no parent.
            roots: bones
                .filter(|(index, bone)| *index == 0 || bone.is_pseudo())
                .count() as u64,
            names: document
                .bones
                .iter()
                .filter_map(|bone| Some(bone.name.as_ref()?.to_string()))
                .collect(),
        }),
        animations: document.animations.iter().map(animation_info).collect(),
        materials: distinct_names(materials.map(Text::to_string)),
        ..Info::new(schema::NAME, Dialect::SPEC)
    }
}

fn animation_info(animation: &Animation) -> AnimationInfo {
    let (frames, hz) = (f32::from(animation.n_frames), animation.fl_hz.hz());
    AnimationInfo {
        name: animation.name.as_ref().map(Text::to_string),
        ticks: frames,
        seconds: (hz > 0.0).then(|| frames / hz),
        poses: animation.n_frames.into(),
    }
}

fn mesh_info(mesh: &Mesh) -> MeshInfo {
    let counts = mesh.faces.counts();
    MeshInfo {
        vertices: mesh.vertices.len() as u64,
        attributes: attributes(mesh),
        // Quads are drawn as two triangles.
        indices: 3 * counts.triangulated() as u64,
        index_bits: mesh
            .faces
            .packed_items()
            .map(PackedFace::index_bits)
            .max()
            .unwrap_or(0),
        bounds: Bounds::from_points(mesh.vertices.iter().map(|vertex| vertex.position)),
        ..MeshInfo::default()
    }
}

/// Lists the attributes in use, once for each encoding.
fn attributes(mesh: &Mesh) -> Vec<AttributeInfo> {
    let mut attributes: Vec<AttributeInfo> = Vec::new();
    for vertex in mesh.vertices.packed_items() {
        for (name, components) in attributes_of(vertex) {
            let attribute = AttributeInfo {
                name: (*name).into(),
                components: (*components).into(),
            };
            if !attributes.contains(&attribute) {
                attributes.push(attribute);
            }
        }
    }
    attributes
}

/// The name of an attribute, and the number and type of its components.
type Attribute = (&'static str, &'static str);

const POSITION: Attribute = ("position", "3 × 9 bits");
const FINE_ST: Attribute = ("st", "2 × 12 bits");
const SCALED_ST: Attribute = ("st", "2 × 11 bits");
const NORMAL: Attribute = ("normal", "3 × F8A");
const COLOR: Attribute = ("color", "1 × u8");
const BONE: Attribute = ("bone", "1 × u8");

fn attributes_of(vertex: PackedVertex) -> &'static [Attribute] {
    let has_bone = vertex.tag() & !1 == VertexTag::BONE_96;
    match vertex {
        PackedVertex::Textured64(_) => &[POSITION, SCALED_ST, BONE],
        PackedVertex::Flat64(_) => &[POSITION, NORMAL, BONE],
        PackedVertex::Fine96(_) if has_bone => &[POSITION, FINE_ST, NORMAL, BONE],
        PackedVertex::Fine96(_) => &[POSITION, FINE_ST, NORMAL, COLOR],
        PackedVertex::Scaled96(_) if has_bone => &[POSITION, SCALED_ST, NORMAL, BONE],
        PackedVertex::Scaled96(_) => &[POSITION, SCALED_ST, NORMAL, COLOR],
        PackedVertex::Vertex128(_) => &[
            ("position", "3 × f16"),
            ("st", "2 × 14 bits"),
            NORMAL,
            COLOR,
            BONE,
        ],
    }
}
