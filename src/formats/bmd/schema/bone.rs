//! Bones and their packed transforms.

use std::io::SeekFrom;

use binrw::{binread, binrw};
use modular_bitfield::prelude::*;

use super::f8a::{F8A, Rotation};
use super::rules;
use super::triple::Triple;
use crate::Text;
use crate::layout::Layout;
use crate::layout::walk::StoredFields;

/// A bone: a 16-byte table entry.
#[derive(Layout, StoredFields)]
#[binrw]
#[brw(little)]
#[bw(import(name_offset: u32))]
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BoneDef {
    /// The entry up to the parent, read first because the parent determines the type of the transform.
    #[br(temp, restore_position)]
    #[bw(ignore)]
    entry: BoneEntry,
    /// Base transform relative to the parent; 0 for bone 0.
    #[br(temp, if(entry.id_parent != BoneDef::PSEUDO))]
    #[bw(calc = transform.bone())]
    xform: Option<BoneTransform>,
    /// For a pseudo-bone, the bones that it blends, and their weights (B22).
    #[br(temp, if(entry.id_parent == BoneDef::PSEUDO))]
    #[bw(calc = transform.pseudo())]
    pseudo: Option<PseudoTransform>,
    /// Offset of the bone name; 0 for none.
    #[br(temp, assert(ofs_name == 0 || ofs_name >= 48, "the name overlaps the header"))]
    #[bw(calc = name_offset)]
    #[layout(rule = rules::LIST)]
    ofs_name: u32,
    /// Parent bone, which precedes this bone; 0 for bone 0, FF for a pseudo-bone (B21).
    #[layout(forest, none = BoneDef::PSEUDO, rooted, parents_first, rule = rules::PARENT)]
    pub id_parent: u8,
    /// Index of the mesh that is the bone's solid; 0 for none.
    #[layout(
        index_into = meshes, none = 0, rule = rules::SOLID_RANGE,
        message = "mesh {found} is not below the mesh count {limit}"
    )]
    pub id_solid: u8,
    /// Reserved; must be zero (B28).
    #[layout(one_of(0), rule = rules::RESERVED, message = "{found:#x}, expected 0")]
    pub resv1: u8,
    /// Reserved; must be zero (B28).
    #[layout(one_of(0), rule = rules::RESERVED, message = "{found:#x}, expected 0")]
    pub resv2: u8,
    /// The name.
    #[br(if(ofs_name != 0), seek_before = SeekFrom::Start(ofs_name as u64), restore_position)]
    #[bw(ignore)]
    #[layout(rule = rules::STRING)]
    pub name: Option<Text>,
    /// The transform.
    #[br(calc = Transform::new(xform, pseudo))]
    #[bw(ignore)]
    pub transform: Transform,
}

impl BoneDef {
    /// Size of a table entry in bytes.
    pub const SIZE: u32 = BoneDef::TYPE.stride().expect("entries have a fixed size") as u32;

    /// The parent value that marks a pseudo-bone (B21). No bone has this index.
    pub const PSEUDO: u8 = 0xFF;
}

/// The transform of a bone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transform {
    /// A transform relative to the parent.
    Bone(BoneTransform),
    /// The weighted mean of other bones (B22).
    Pseudo(PseudoTransform),
}

impl Default for Transform {
    fn default() -> Transform {
        Transform::Bone(BoneTransform::default())
    }
}

impl Transform {
    fn new(bone: Option<BoneTransform>, pseudo: Option<PseudoTransform>) -> Transform {
        pseudo.map_or(Transform::Bone(bone.unwrap_or_default()), Transform::Pseudo)
    }

    fn bone(&self) -> Option<BoneTransform> {
        if let Transform::Bone(bone) = self {
            Some(*bone)
        } else {
            None
        }
    }

    fn pseudo(&self) -> Option<PseudoTransform> {
        if let Transform::Pseudo(pseudo) = self {
            Some(*pseudo)
        } else {
            None
        }
    }
}

/// The first 13 bytes of a bone: up to and including its parent.
#[derive(Layout)]
#[binread]
#[br(little)]
pub struct BoneEntry {
    /// The transform, and the offset of the name.
    pub content: [u8; 12],
    /// Parent bone; FF for a pseudo-bone.
    pub id_parent: u8,
}

/// The transform of a bone relative to its parent: 64 bits (B19).
#[derive(Layout)]
#[bitfield(bits = 64)]
#[binrw]
#[br(map = Self::from_bytes)]
#[bw(map = |transform: &Self| transform.into_bytes())]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BoneTransform {
    /// Origin.
    #[layout(declared, unit = "m")]
    pub origin: Triple,
    /// Rotation.
    #[layout(declared)]
    pub rotation: Rotation,
}

impl BoneTransform {
    /// Returns the rotation as a unit quaternion (I, J, K, R). A rotation word of all zeros or all ones means no
    /// rotation (B19). In animation keys, all ones are an ordinary value (B25).
    ///
    /// ```
    /// use meshspec::bmd::Rotation;
    /// use meshspec::bmd::schema::BoneTransform;
    ///
    /// assert_eq!(BoneTransform::default().unit_rotation(), Rotation::IDENTITY.value());
    /// ```
    pub fn unit_rotation(self) -> [f32; 4] {
        let rotation = self.rotation();
        if rotation.word() == u32::MAX {
            Rotation::IDENTITY.value()
        } else {
            rotation.value()
        }
    }
}

/// The bones that a pseudo-bone blends, with their weights: 64 bits (B22).
#[derive(Layout)]
#[bitfield(bits = 64)]
#[binrw]
#[br(map = Self::from_bytes)]
#[bw(map = |transform: &Self| transform.into_bytes())]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PseudoTransform {
    /// First bone.
    pub bone_0: u8,
    /// Second bone.
    pub bone_1: u8,
    /// Third bone.
    pub bone_2: u8,
    /// Fourth bone.
    pub bone_3: u8,
    /// Weight of the first bone.
    #[layout(decoded = F8A::value, formula = F8A::FORMULA)]
    pub weight_0: F8A,
    /// Weight of the second bone.
    #[layout(decoded = F8A::value, formula = F8A::FORMULA)]
    pub weight_1: F8A,
    /// Weight of the third bone.
    #[layout(decoded = F8A::value, formula = F8A::FORMULA)]
    pub weight_2: F8A,
    /// Weight of the fourth bone.
    #[layout(decoded = F8A::value, formula = F8A::FORMULA)]
    pub weight_3: F8A,
}

impl PseudoTransform {
    /// The four bones.
    pub fn bones(self) -> [u8; 4] {
        [self.bone_0(), self.bone_1(), self.bone_2(), self.bone_3()]
    }

    /// The weights of the four bones.
    pub fn weights(self) -> [f32; 4] {
        [
            self.weight_0(),
            self.weight_1(),
            self.weight_2(),
            self.weight_3(),
        ]
        .map(F8A::value)
    }
}
