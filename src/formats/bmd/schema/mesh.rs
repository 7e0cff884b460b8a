//! Meshes and levels of detail.

use std::io::SeekFrom;

use binrw::binrw;
use modular_bitfield::prelude::*;

use super::f8a::F8A;
use super::face::{FaceList, PackedFace};
use super::packed::PackedList;
use super::rules;
use super::surface::Surface;
use super::vertex::{PackedVertex, VertexList};
use crate::Text;
use crate::layout::Layout;
use crate::layout::walk::StoredFields;

/// A mesh: a 32-byte table entry whose lists are stored elsewhere.
#[derive(Layout, StoredFields)]
#[binrw]
#[brw(little)]
#[bw(import(extents: MeshExtents))]
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MeshDef {
    /// Offset of the vertex list.
    #[br(temp, assert(ofs_vtx % 4 == 0, "the offset is not a multiple of 4"))]
    #[bw(calc = extents.ofs_vtx)]
    #[layout(rule = rules::ALIGNMENT)]
    ofs_vtx: u32,
    /// Offset of the face list.
    #[br(temp, assert(ofs_tris % 4 == 0, "the offset is not a multiple of 4"))]
    #[bw(calc = extents.ofs_tris)]
    #[layout(rule = rules::ALIGNMENT)]
    ofs_tris: u32,
    /// Offset of the material name; 0 for none.
    #[br(temp, assert(ofs_mat == 0 || ofs_mat >= 48, "the name overlaps the header"))]
    #[bw(calc = extents.ofs_mat)]
    #[layout(rule = rules::LIST)]
    ofs_mat: u32,
    /// Number of vertices.
    #[br(temp)]
    #[bw(calc = extents.n_vtx)]
    #[layout(
        counts = vertices, rule = rules::VERTEX_COUNT,
        message = "{found}, but the vertex count of the list is {limit}"
    )]
    n_vtx: u16,
    /// Number of triangles (B12).
    #[bw(map = |stated| stated.unwrap_or(extents.n_tris))]
    pub n_tris: Option<u16>,
    /// Size of the vertex list in bytes.
    #[br(temp, assert(sz_vtx == 0 || ofs_vtx >= 48, "the vertices overlap the header"))]
    #[bw(calc = extents.sz_vtx)]
    #[layout(rule = rules::LIST)]
    sz_vtx: u32,
    /// Size of the face list in bytes.
    #[br(temp, assert(sz_tris == 0 || ofs_tris >= 48, "the faces overlap the header"))]
    #[bw(calc = extents.sz_tris)]
    #[layout(rule = rules::LIST)]
    sz_tris: u32,
    /// The forms that the vertices and faces may have.
    #[layout(reserved_zero, rule = rules::RESERVED, message = "{flags.reserved:#x}, expected 0")]
    pub flags: ControlFlags,
    /// Reserved; must be zero (B28).
    #[layout(one_of(0), rule = rules::RESERVED, message = "{found:#x}, expected 0")]
    pub resv3: u32,
    /// The name of the material; `None` for a mesh that must not be drawn.
    #[br(if(ofs_mat != 0), seek_before = SeekFrom::Start(ofs_mat as u64), restore_position)]
    #[bw(ignore)]
    #[layout(rule = rules::STRING)]
    pub material: Option<Text>,
    /// The vertices, in any mix of forms.
    #[br(seek_before = SeekFrom::Start(ofs_vtx as u64), restore_position)]
    #[br(count = sz_vtx, parse_with = PackedList::read(Surface::of(material.as_ref())))]
    #[bw(ignore)]
    #[layout(
        stored_as = Vec<u8>, content = VertexList, inline,
        args(flags.vertex_subtype(), ofs_mat != 0 && material.matches("#xxxxxx"))
    )]
    pub vertices: PackedList<PackedVertex>,
    /// The faces, in any mix of forms.
    #[br(seek_before = SeekFrom::Start(ofs_tris as u64), restore_position)]
    #[br(count = sz_tris, parse_with = PackedList::read(Surface::default()))]
    #[bw(ignore)]
    #[layout(stored_as = Vec<u8>, content = FaceList, args(flags.triangles_type()), inline)]
    pub faces: PackedList<PackedFace>,
}

impl MeshDef {
    /// Size of a table entry in bytes.
    pub const SIZE: u32 = MeshDef::TYPE.stride().expect("entries have a fixed size") as u32;
}

/// The fields of a mesh that the writer fills in after writing its lists.
#[derive(Debug, Clone, Copy, Default)]
#[expect(missing_docs, reason = "documented at the same fields of the mesh")]
pub struct MeshExtents {
    pub ofs_vtx: u32,
    pub ofs_tris: u32,
    pub ofs_mat: u32,
    pub n_vtx: u16,
    pub n_tris: u16,
    pub sz_vtx: u32,
    pub sz_tris: u32,
}

/// The allowed forms of the vertices and faces of a mesh: 32 bits. A hint for loaders (B11).
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
    /// Reserved.
    #[layout(reserved)]
    pub reserved: B28,
}

impl ControlFlags {
    /// Returns the vertex sizes that the flags allow, in bits.
    ///
    /// ```
    /// use meshspec::bmd::ControlFlags;
    ///
    /// assert_eq!(ControlFlags::new().with_vertex_subtype(1).vertex_sizes(), [64, 96, 128]);
    /// ```
    pub fn vertex_sizes(self) -> &'static [u32] {
        match self.vertex_subtype() {
            0 => &[64],
            1 => &[64, 96, 128],
            2 => &[128],
            _ => &[96],
        }
    }

    /// Returns `true` if the flags allow the form of `face`.
    pub fn allows(self, face: PackedFace) -> bool {
        match self.triangles_type() {
            0 => face.bits() == 32 && face.corner_count() == 3,
            1 => true,
            2 => face.bits() == 64 && face.corner_count() == 3,
            _ => face.bits() == 64,
        }
    }
}

/// A level of detail: a 4-byte table entry.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LodDef {
    /// Index of the first mesh.
    pub id_mesh: u8,
    /// Number of meshes.
    #[layout(
        within = meshes, first = id_mesh, rule = rules::LOD_RANGE,
        message = "first mesh {id_mesh} plus count {n_mesh} exceeds the mesh count {limit}"
    )]
    pub n_mesh: u8,
    /// Nominal scale: at scale s, the viewing distance is 1/s − 1 metres (B18).
    pub ld_sc: F8A,
    /// Reserved; must be zero (B28).
    #[layout(one_of(0), rule = rules::RESERVED, message = "{found:#x}, expected 0")]
    pub resv1: u8,
}

impl LodDef {
    /// Size of a table entry in bytes.
    pub const SIZE: u32 = LodDef::TYPE.stride().expect("entries have a fixed size") as u32;

    /// Returns `true` if all fields are 0: the level contains all meshes (B18).
    ///
    /// ```
    /// use meshspec::bmd::LodDef;
    ///
    /// assert!(LodDef::default().contains_all_meshes());
    /// assert!(!LodDef { n_mesh: 1, ..LodDef::default() }.contains_all_meshes());
    /// ```
    pub fn contains_all_meshes(self) -> bool {
        matches!(
            self,
            LodDef {
                id_mesh: 0,
                n_mesh: 0,
                resv1: 0,
                ..
            }
        ) && self.ld_sc.code() == 0
    }

    /// Returns the viewing distance in metres; `None` if the scale is not positive.
    pub fn distance(self) -> Option<f32> {
        let scale = self.ld_sc.value();
        (scale > 0.0).then(|| 1.0 / scale - 1.0)
    }
}
