//! The declaration of BMD: structs with the names and order of the specification.
//!
//! The header refers to lists, whose entries refer to strings, vertices, faces and keys. Offsets are relative to the
//! start of the image. Vertices, faces and keys vary in size; each has a tag that determines its size.

#![allow(
    clippy::expect_used,
    reason = "in the setters that modular-bitfield generates"
)]
#![allow(
    clippy::manual_is_multiple_of,
    reason = "expressions of a layout cannot call functions with arguments"
)]

mod animation;
mod bone;
mod f8a;
mod face;
mod forms;
mod mesh;
mod packed;
pub(super) mod rules;
mod surface;
mod track;
pub(super) mod triple;
mod vertex;

use std::io::SeekFrom;

use binrw::{binread, binrw};

pub use animation::{AnimDef, AnimExtents, AnimRate};
pub use bone::{BoneDef, BoneEntry, BoneTransform, PseudoTransform, Transform};
pub use f8a::{F8A, Normal, Rotation};
pub use face::*;
pub use forms::{Form, FormRow, WordVisitor};
pub use mesh::{ControlFlags, LodDef, MeshDef, MeshExtents};
pub use packed::PackedList;
pub use surface::{Surface, flat_color};
pub(super) use track::are_keys;
pub use track::{AnimTag, Key, KeyList, Track, TrackKey};
pub use triple::Triple;
pub use vertex::*;

use crate::bulk::List;
use crate::layout::Layout;

/// The name of the format on the command line and in messages.
pub const NAME: &str = "bmd";

/// A BMD file.
#[derive(Layout)]
#[binread]
#[br(little)]
#[derive(Debug)]
pub struct Image {
    /// The header.
    pub header: Header,
    /// Meshes.
    #[br(seek_before = SeekFrom::Start(header.ofs_meshes as u64), restore_position)]
    #[br(count = header.sz_meshes / MeshDef::SIZE)]
    pub meshes: List<MeshDef>,
    /// Levels of detail.
    #[br(seek_before = SeekFrom::Start(header.ofs_lods as u64), restore_position)]
    #[br(count = header.sz_lods / LodDef::SIZE)]
    pub lods: List<LodDef>,
    /// The skeleton.
    #[br(seek_before = SeekFrom::Start(header.ofs_bones as u64), restore_position)]
    #[br(count = header.sz_bones / BoneDef::SIZE)]
    pub bones: List<BoneDef>,
    /// Animations.
    #[br(seek_before = SeekFrom::Start(header.ofs_anims as u64), restore_position)]
    #[br(count = header.sz_anims / AnimDef::SIZE)]
    pub animations: List<AnimDef>,
}

/// The header: 48 bytes.
#[derive(Layout)]
#[binrw]
#[brw(little, magic = b"BMD1")]
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Header {
    /// Reserved; must be zero (B28).
    #[layout(one_of(0), rule = rules::RESERVED, message = "{found:#x}, expected 0")]
    pub resv1: u32,
    /// Reserved; must be zero (B28).
    #[layout(one_of(0), rule = rules::RESERVED, message = "{found:#x}, expected 0")]
    pub resv2: u32,
    /// Reserved; must be zero (B28).
    #[layout(one_of(0), rule = rules::RESERVED, message = "{found:#x}, expected 0")]
    pub resv3: u32,
    /// Offset of the mesh list.
    #[br(assert(ofs_meshes % 4 == 0, "the offset is not a multiple of 4"))]
    #[layout(rule = rules::ALIGNMENT)]
    pub ofs_meshes: u32,
    /// Size of the mesh list in bytes.
    #[br(assert(sz_meshes % MeshDef::SIZE == 0, "the size is not a multiple of the size of an entry"))]
    #[br(assert(sz_meshes == 0 || ofs_meshes >= 48, "the list overlaps the header"))]
    #[layout(rule = rules::LIST)]
    pub sz_meshes: u32,
    /// Offset of the list of levels of detail.
    #[br(assert(ofs_lods % 4 == 0, "the offset is not a multiple of 4"))]
    #[layout(rule = rules::ALIGNMENT)]
    pub ofs_lods: u32,
    /// Size of the list of levels of detail in bytes.
    #[br(assert(sz_lods % LodDef::SIZE == 0, "the size is not a multiple of the size of an entry"))]
    #[br(assert(sz_lods == 0 || ofs_lods >= 48, "the list overlaps the header"))]
    #[layout(rule = rules::LIST)]
    pub sz_lods: u32,
    /// Offset of the bone list; must be zero in a static model.
    #[br(assert(ofs_bones % 4 == 0, "the offset is not a multiple of 4"))]
    #[layout(rule = rules::ALIGNMENT)]
    pub ofs_bones: u32,
    /// Size of the bone list in bytes; must be zero in a static model.
    #[br(assert(sz_bones % BoneDef::SIZE == 0, "the size is not a multiple of the size of an entry"))]
    #[br(assert(sz_bones / BoneDef::SIZE <= 255, "there are more than 255 bones"))]
    #[br(assert(sz_bones == 0 || ofs_bones >= 48, "the list overlaps the header"))]
    #[layout(rule = rules::LIST)]
    pub sz_bones: u32,
    /// Offset of the animation list; must be zero in a static model.
    #[br(assert(ofs_anims % 4 == 0, "the offset is not a multiple of 4"))]
    #[layout(rule = rules::ALIGNMENT)]
    pub ofs_anims: u32,
    /// Size of the animation list in bytes; must be zero in a static model.
    #[br(assert(sz_anims % AnimDef::SIZE == 0, "the size is not a multiple of the size of an entry"))]
    #[br(assert(sz_anims == 0 || ofs_anims >= 48, "the list overlaps the header"))]
    #[layout(rule = rules::LIST)]
    pub sz_anims: u32,
}

const _: () = assert!(
    Header::TYPE.stride().expect("the header has a fixed size") == 48,
    "checks of offsets compare with 48 bytes, but the declared header has another size"
);
