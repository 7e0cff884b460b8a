//! The declaration of BMD: structs in the order and with the names of the specification, the packed words in a file
//! for each kind.
//!
//! An image is a header that points to lists, whose entries point to strings, vertices, faces and keys. Offsets count
//! from the start of the image. Vertices, faces and keys differ in size; each starts with a tag that tells its form.

#![allow(clippy::expect_used, reason = "in the setters that modular-bitfield generates")]
#![allow(clippy::manual_is_multiple_of, reason = "expressions of a layout have no arguments")]

mod animation;
mod bone;
mod f8a;
mod face;
pub(super) mod triple;
mod vertex;

use std::io::SeekFrom;

use binrw::binrw;
use meshspec_derive::Layout;
use modular_bitfield::prelude::*;

pub use animation::{AnimDef, AnimRate, AnimTag, Key, KeyList};
pub use bone::{BoneDef, BoneEntry, BoneTransform, PSEUDO_BONE, PseudoTransform};
pub use f8a::{F8A, Normal, Rotation};
pub use face::{FaceItem, FaceList, FaceTag, Quad32, Quad64, Triangle32, Triangle64};
pub use triple::Triple;
pub use vertex::{
    FineSt, FineVertex96, FlatVertex64, ScaledSt, ScaledVertex96, TexturedVertex64, Vertex128, VertexItem,
    VertexList, VertexTag, WideSt,
};

use crate::bulk::{Bulk, List, NulString};

/// Size of the header in bytes. No list lies before its end (B29).
pub const HEADER_SIZE: u32 = 48;

/// A file.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[derive(Debug)]
pub struct Image<'a> {
    /// 48 bytes.
    pub header: Header,
    /// Meshes.
    #[br(
        seek_before = SeekFrom::Start(header.ofs_meshes as u64), restore_position, count = header.sz_meshes / 32
    )]
    #[bw(ignore)]
    pub meshes: List<MeshDef<'a>>,
    /// Levels of detail.
    #[br(seek_before = SeekFrom::Start(header.ofs_lods as u64), restore_position, count = header.sz_lods / 4)]
    #[bw(ignore)]
    pub lods: List<LodDef>,
    /// The skeleton.
    #[br(seek_before = SeekFrom::Start(header.ofs_bones as u64), restore_position, count = header.sz_bones / 16)]
    #[bw(ignore)]
    pub bones: List<BoneDef>,
    /// Animations.
    #[br(seek_before = SeekFrom::Start(header.ofs_anims as u64), restore_position, count = header.sz_anims / 16)]
    #[bw(ignore)]
    pub animations: List<AnimDef<'a>>,
}

/// The header: 48 bytes.
#[derive(Layout)]
#[binrw]
#[brw(little, magic = b"BMD1")]
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Header {
    /// MBZ (B28).
    pub resv1: u32,
    /// MBZ (B28).
    pub resv2: u32,
    /// MBZ (B28).
    pub resv3: u32,
    /// Mesh list.
    #[br(assert(ofs_meshes % 4 == 0, "the offset is not a multiple of 4"))]
    #[layout(rule = "BMD-ALIGNMENT")]
    pub ofs_meshes: u32,
    /// Size of the mesh list in bytes.
    #[br(assert(sz_meshes % 32 == 0, "the size is not a multiple of 32"))]
    #[br(assert(sz_meshes == 0 || ofs_meshes >= 48, "the list overlaps the header"))]
    #[layout(rule = "BMD-LIST")]
    pub sz_meshes: u32,
    /// LODs list.
    #[br(assert(ofs_lods % 4 == 0, "the offset is not a multiple of 4"))]
    #[layout(rule = "BMD-ALIGNMENT")]
    pub ofs_lods: u32,
    /// Size of the LODs list in bytes.
    #[br(assert(sz_lods % 4 == 0, "the size is not a multiple of 4"))]
    #[br(assert(sz_lods == 0 || ofs_lods >= 48, "the list overlaps the header"))]
    #[layout(rule = "BMD-LIST")]
    pub sz_lods: u32,
    /// Bone list, MBZ if static.
    #[br(assert(ofs_bones % 4 == 0, "the offset is not a multiple of 4"))]
    #[layout(rule = "BMD-ALIGNMENT")]
    pub ofs_bones: u32,
    /// Size of the bone list in bytes, MBZ if static.
    #[br(assert(sz_bones % 16 == 0, "the size is not a multiple of 16"))]
    #[br(assert(sz_bones <= 4080, "there are more than 255 bones"))]
    #[br(assert(sz_bones == 0 || ofs_bones >= 48, "the list overlaps the header"))]
    #[layout(rule = "BMD-LIST")]
    pub sz_bones: u32,
    /// Animation list, MBZ if static.
    #[br(assert(ofs_anims % 4 == 0, "the offset is not a multiple of 4"))]
    #[layout(rule = "BMD-ALIGNMENT")]
    pub ofs_anims: u32,
    /// Size of the animation list in bytes, MBZ if static.
    #[br(assert(sz_anims % 16 == 0, "the size is not a multiple of 16"))]
    #[br(assert(sz_anims == 0 || ofs_anims >= 48, "the list overlaps the header"))]
    #[layout(rule = "BMD-LIST")]
    pub sz_anims: u32,
}

/// One mesh: 32 bytes.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[derive(Debug)]
pub struct MeshDef<'a> {
    /// Offset of the vertices list.
    #[br(assert(ofs_vtx % 4 == 0, "the offset is not a multiple of 4"))]
    #[layout(rule = "BMD-ALIGNMENT")]
    pub ofs_vtx: u32,
    /// Offset of the triangles list.
    #[br(assert(ofs_tris % 4 == 0, "the offset is not a multiple of 4"))]
    #[layout(rule = "BMD-ALIGNMENT")]
    pub ofs_tris: u32,
    /// Material name string; 0 for none.
    #[br(assert(ofs_mat == 0 || ofs_mat >= 48, "the name overlaps the header"))]
    #[layout(rule = "BMD-LIST")]
    pub ofs_mat: u32,
    /// Number of vertices.
    pub n_vtx: u16,
    /// Number of triangles (B12).
    pub n_tris: u16,
    /// Size of the vertices list in bytes.
    #[br(assert(sz_vtx == 0 || ofs_vtx >= 48, "the vertices overlap the header"))]
    #[layout(rule = "BMD-LIST")]
    pub sz_vtx: u32,
    /// Size of the triangles list in bytes.
    #[br(assert(sz_tris == 0 || ofs_tris >= 48, "the triangles overlap the header"))]
    #[layout(rule = "BMD-LIST")]
    pub sz_tris: u32,
    /// Mesh control flags.
    pub flags: ControlFlags,
    /// MBZ (B28).
    pub resv3: u32,
    /// The name of the material.
    #[br(if(ofs_mat != 0), seek_before = SeekFrom::Start(ofs_mat as u64), restore_position)]
    #[bw(ignore)]
    #[layout(rule = "BMD-STRING")]
    pub material: Option<NulString>,
    /// The vertices, of any mix of forms.
    #[br(seek_before = SeekFrom::Start(ofs_vtx as u64), restore_position, count = sz_vtx)]
    #[bw(ignore)]
    #[layout(content = VertexList, args(ofs_mat != 0 && material.matches("#xxxxxx")), inline)]
    pub vertices: Bulk<'a, u8>,
    /// The faces, of any mix of forms.
    #[br(seek_before = SeekFrom::Start(ofs_tris as u64), restore_position, count = sz_tris)]
    #[bw(ignore)]
    #[layout(content = FaceList, inline)]
    pub faces: Bulk<'a, u8>,
}

/// Which forms the vertices and faces of a mesh have: 32 bits. A hint for loaders (B11).
#[derive(Layout)]
#[bitfield(bits = 32)]
#[binrw]
#[br(map = Self::from_bytes)]
#[bw(map = |flags: &Self| flags.into_bytes())]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ControlFlags {
    /// 0: 64 bits; 1: any; 2: 128 bits; 3: 96 bits.
    pub vertex_subtype: B2,
    /// 0: 32 bits, triangles; 1: any; 2: 64 bits, triangles; 3: 64 bits, triangles or quads.
    pub triangles_type: B2,
    /// Not defined.
    #[layout(reserved)]
    pub reserved: B28,
}

/// One level of detail: 4 bytes.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct LodDef {
    /// Index of the first mesh.
    pub id_mesh: u8,
    /// Number of meshes.
    pub n_mesh: u8,
    /// Nominal scale: at scale s the viewer is 1/s − 1 metres away (B18).
    pub ld_sc: F8A,
    /// MBZ (B28).
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "crate::formats::bmd::document::is_default")
    )]
    pub resv1: u8,
}

impl LodDef {
    /// Whether all fields are 0: the level is all meshes (B18).
    pub fn is_all(self) -> bool {
        self == LodDef::default()
    }

    /// The distance in metres that the scale stands for; `None` if it is not positive.
    pub fn distance(self) -> Option<f32> {
        let scale = self.ld_sc.value();
        (scale > 0.0).then(|| 1.0 / scale - 1.0)
    }
}
