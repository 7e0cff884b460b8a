//! The content of a BMD image.

mod animation;
mod channels;
mod faces;
mod material;
mod pose;
mod split;
mod summary;
mod vertices;

pub(super) use animation::are_keys;
pub use animation::{Animation, Track, TrackKey};
pub use channels::{ChannelErrors, Channels, FloatChannels};
pub use faces::{Face, FaceCounts, Faces, PackedFace};
pub use material::{Surface, flat_color, resource_name, shade_color};
pub use pose::{Matrix, Motion, Pose};
#[cfg(feature = "scene")]
pub(super) use split::PieceLimits;
pub(super) use summary::info;
pub use vertices::{PackedVertex, Vertex, Vertices};
pub(super) use vertices::{direction, tag_of, words_of};

use super::schema::{BoneTransform, ControlFlags, LodDef, PseudoTransform};
use crate::Text;

/// A BMD image: everything in it but what can be computed.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Document {
    /// The three reserved words of the header, MBZ (B28).
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "is_default"))]
    pub reserved: [u32; 3],
    /// The meshes.
    pub meshes: Vec<Mesh>,
    /// The levels of detail.
    pub lods: Vec<LodDef>,
    /// The skeleton: bones, then pseudo-bones; at most 255.
    #[cfg_attr(feature = "serde", serde(default))]
    pub bones: Vec<Bone>,
    /// The animations.
    #[cfg_attr(feature = "serde", serde(default))]
    pub animations: Vec<Animation>,
}

/// One mesh.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mesh {
    /// The name of the material; `None` for a mesh that may not be drawn.
    pub material: Option<Text>,
    /// Which forms its vertices and faces may have (B11).
    pub flags: ControlFlags,
    /// The vertices.
    pub vertices: Vertices,
    /// The faces.
    pub faces: Faces,
    /// The number of triangles, where the image states one that does not match the faces. Only lenient reading
    /// accepts that (B12).
    pub n_tris: Option<u16>,
    /// MBZ (B28).
    pub resv3: u32,
}

/// One bone.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Bone {
    /// Where it is.
    pub transform: Transform,
    /// The name.
    #[cfg_attr(feature = "serde", serde(default))]
    pub name: Option<Text>,
    /// The parent, an earlier bone; 0 for bone 0, 255 for a pseudo-bone (B21).
    pub id_parent: u8,
    /// The mesh that is its solid; 0 for none.
    pub id_solid: u8,
    /// MBZ (B28).
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "is_default"))]
    pub resv1: u8,
    /// MBZ (B28).
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "is_default"))]
    pub resv2: u8,
}

/// Where a bone is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Transform {
    /// In the space of its parent.
    #[cfg_attr(feature = "serde", serde(rename = "xform"))]
    Bone(BoneTransform),
    /// Where other bones are, weighted (B22).
    #[cfg_attr(feature = "serde", serde(rename = "pseudo"))]
    Pseudo(PseudoTransform),
}

impl Default for Transform {
    fn default() -> Transform {
        Transform::Bone(BoneTransform::default())
    }
}

impl Bone {
    /// Whether it is a pseudo-bone.
    pub fn is_pseudo(&self) -> bool {
        matches!(self.transform, Transform::Pseudo(_))
    }
}

impl Mesh {
    /// The kind of surface, from the name of the material.
    pub fn surface(&self) -> Surface {
        match self.material.as_ref().and_then(|name| flat_color(name.as_bytes())) {
            Some(_) => Surface::Flat,
            None => Surface::Textured,
        }
    }

    /// The number of triangles that is written: a quad counts as two while there are at most 1,024 vertices, else
    /// as one (B12).
    pub fn triangle_count(&self) -> usize {
        let counts = self.faces.counts();
        if self.vertices.len() <= 1024 { counts.triangulated() } else { counts.items() }
    }

    /// The vertices in their forms.
    pub fn packed_vertices(&self) -> impl Iterator<Item = PackedVertex> + use<'_> {
        self.vertices.packed(self.surface())
    }

    /// The decoded vertices.
    pub fn decoded_vertices(&self) -> impl Iterator<Item = Vertex> + use<'_> {
        self.vertices.iter(self.surface())
    }
}

impl Document {
    /// The bones whose keys animations have: those before the first pseudo-bone.
    pub fn normal_bones(&self) -> &[Bone] {
        let count = self.bones.iter().position(Bone::is_pseudo).unwrap_or(self.bones.len());
        &self.bones[..count]
    }

    /// The meshes of a level of detail; `None` if it refers to meshes that do not exist.
    pub fn meshes_of(&self, lod: LodDef) -> Option<&[Mesh]> {
        if lod.is_all() {
            return Some(&self.meshes);
        }
        let first = usize::from(lod.id_mesh);
        self.meshes.get(first..first + usize::from(lod.n_mesh))
    }
}

/// Whether a field that must be zero is.
#[cfg(feature = "serde")]
pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
