//! The declaration of MESH 1.0: structs in the order and with the names of the specification, then the structs of
//! the renderlib dialect where they differ (M17).

#![allow(clippy::expect_used, reason = "in the setters that modular-bitfield generates")]

use binrw::binrw;
use bytemuck::{Pod, Zeroable};
use meshspec_derive::Layout;
use modular_bitfield::bitfield;
use modular_bitfield::specifiers::B12;

use crate::bulk::{Bulk, List, NulStrings, Plain, Records};

/// A file as the specification lays it out: sections without padding between them.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[derive(Debug)]
pub struct File<'a> {
    /// 13 bytes, always present.
    pub header: Header,
    /// One entry per vertex.
    #[br(count = header.vertex_count, args { inner: (header.format,) })]
    pub vertices: Records<'a, Vertex>,
    /// Indices of vertices.
    #[br(count = header.index_count)]
    pub indices: Bulk<'a, u32>,
    /// The skeleton.
    #[br(count = header.joint_count)]
    pub joints: Vec<Joint>,
    /// Animations, each of its own size (M4).
    #[br(count = header.animation_count, args { inner: (header.joint_count,) })]
    pub animations: List<Animation<'a>>,
    /// Names of the animations, up to the end of the file (M3).
    pub strings: NulStrings<'a>,
}

/// The header: 13 bytes.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[derive(Debug, Clone, PartialEq)]
pub struct Header {
    /// Version of the format, minor and major as nibbles: 0x01 is 1.0 (M1).
    #[br(assert(version == 0x01, "the version is not 1.0 (0x01)"))]
    #[layout(rule = "MESH-VERSION")]
    pub version: u8,
    /// Which attributes a vertex has.
    #[br(assert(format.position(), "bit 0 is not set: a vertex without a position"))]
    #[layout(rule = "MESH-POSITION")]
    pub format: VertexFormat,
    /// Number of entries in the vertex data.
    pub vertex_count: u32,
    /// Number of indices in the index data.
    pub index_count: u32,
    /// Number of joints in the joint data.
    pub joint_count: u8,
    /// Number of animations in the animation data.
    pub animation_count: u8,
}

/// Which attributes a vertex has: 16 bits.
#[derive(Layout)]
#[bitfield(bits = 16)]
#[binrw]
#[br(map = Self::from_bytes)]
#[bw(map = |format: &Self| format.into_bytes())]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VertexFormat {
    /// Position. Always present: a format without this bit is an error.
    pub position: bool,
    /// Normal vector.
    pub normal: bool,
    /// Texture coordinate (UV).
    pub uv: bool,
    /// Joint ids and weights.
    pub joints: bool,
    /// Not used. Set bits are an error, kept in lenient mode (M7).
    #[layout(reserved)]
    pub unused: B12,
}

/// One vertex: 12 to 40 bytes, the attributes that the format has in this order, packed tightly (M2).
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(import(format: VertexFormat))]
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Vertex {
    /// Vertex coordinate (X, Y, Z).
    #[cfg_attr(feature = "serde", serde(with = "crate::float"))]
    pub position: [f32; 3],
    /// Normal vector (X, Y, Z).
    #[br(if(format.normal()))]
    #[cfg_attr(
        feature = "serde",
        serde(default, with = "crate::float", skip_serializing_if = "Option::is_none")
    )]
    pub normal: Option<[f32; 3]>,
    /// Texture coordinate (U, V).
    #[br(if(format.uv()))]
    #[cfg_attr(
        feature = "serde",
        serde(default, with = "crate::float", skip_serializing_if = "Option::is_none")
    )]
    pub uv: Option<[f32; 2]>,
    /// Joints the vertex is attached to; 255 with weight 0 for none (M9).
    #[br(if(format.joints()))]
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub joint_ids: Option<[u8; 4]>,
    /// Weights of the joints, 255 for the whole.
    #[br(if(format.joints()))]
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub joint_weights: Option<[u8; 4]>,
}

/// One joint of the skeleton: 66 bytes.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Joint {
    /// Identifier: the position of the entry (M10).
    pub id: u8,
    /// Index of the parent entry; 255 for a root (M10).
    pub parent: u8,
    /// Model space to joint space, 4×4, row-major (M15).
    #[cfg_attr(feature = "serde", serde(with = "crate::float"))]
    pub transform: [[f32; 4]; 4],
}

/// One animation: 16 + 4 · P + 44 · J · P bytes for P poses and J joints (M4).
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(import(joint_count: u8))]
#[derive(Debug)]
pub struct Animation<'a> {
    /// Which of the strings is the name, counted from 0 (M6).
    pub name: u32,
    /// Duration in ticks.
    pub duration: f32,
    /// Speed in ticks per second.
    pub speed: f32,
    /// Number of skeleton poses.
    pub pose_count: u32,
    /// Time of each pose in ticks.
    #[br(count = pose_count)]
    pub timestamps: Bulk<'a, f32>,
    /// For each timestamp, one entry per joint.
    #[br(count = pose_count as u64 * joint_count as u64)]
    pub poses: Bulk<'a, Pose>,
}

/// Where one joint is at one time: 44 bytes, read in bulk.
#[derive(Layout, Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Pose {
    /// The joint (M11).
    pub joint: u32,
    /// Position (X, Y, Z).
    #[cfg_attr(feature = "serde", serde(with = "crate::float"))]
    pub position: [f32; 3],
    /// Rotation quaternion (W, X, Y, Z) (M15).
    #[cfg_attr(feature = "serde", serde(with = "crate::float"))]
    pub rotation: [f32; 4],
    /// Scale (X, Y, Z).
    #[cfg_attr(feature = "serde", serde(with = "crate::float"))]
    pub scale: [f32; 3],
}

/// A file of the renderlib dialect: another header, other animations, no strings (M17).
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[derive(Debug)]
pub struct RenderlibFile<'a> {
    /// 78 bytes.
    pub header: RenderlibHeader,
    /// One entry per vertex.
    #[br(count = header.vertex_count, args { inner: (header.format,) })]
    pub vertices: Records<'a, Vertex>,
    /// Indices of vertices.
    #[br(count = header.index_count)]
    pub indices: Bulk<'a, u32>,
    /// The skeleton.
    #[br(count = header.joint_count)]
    pub joints: Vec<Joint>,
    /// Animations, each of its own size.
    #[br(count = header.animation_count, args { inner: (header.joint_count,) })]
    pub animations: List<RenderlibAnimation<'a>>,
}

/// The header of the renderlib dialect: 78 bytes.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[derive(Debug, Clone, PartialEq)]
pub struct RenderlibHeader {
    /// Version of the format: 0x01, the same as that of the specification.
    #[br(assert(version == 0x01, "the version is not 1.0 (0x01)"))]
    #[layout(rule = "MESH-VERSION")]
    pub version: u8,
    /// Which attributes a vertex has.
    #[br(assert(format.position(), "bit 0 is not set: a vertex without a position"))]
    #[layout(rule = "MESH-POSITION")]
    pub format: VertexFormat,
    /// Number of entries in the vertex data.
    pub vertex_count: u32,
    /// Number of indices in the index data.
    pub index_count: u32,
    /// Number of joints in the joint data.
    pub joint_count: u8,
    /// Number of animations in the animation data.
    pub animation_count: u16,
    /// Transform of the whole model, 4×4, row-major.
    pub root_transform: [[f32; 4]; 4],
}

/// One animation of the renderlib dialect: 12 + 4 · P + 41 · J · P bytes.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(import(joint_count: u8))]
#[derive(Debug)]
pub struct RenderlibAnimation<'a> {
    /// Duration in ticks.
    pub duration: f32,
    /// Speed in ticks per second.
    pub speed: f32,
    /// Number of skeleton poses.
    pub pose_count: u32,
    /// Time of each pose in ticks.
    #[br(count = pose_count)]
    pub timestamps: Bulk<'a, f32>,
    /// For each timestamp, one entry per joint.
    #[br(count = pose_count as u64 * joint_count as u64)]
    pub poses: Bulk<'a, RenderlibPose>,
}

/// Where one joint is at one time, in the renderlib dialect: 41 bytes, read in bulk.
#[derive(Layout, Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C, packed)]
pub struct RenderlibPose {
    /// The joint.
    pub joint: u8,
    /// Position (X, Y, Z).
    pub position: [f32; 3],
    /// Rotation quaternion (W, X, Y, Z).
    pub rotation: [f32; 4],
    /// Scale (X, Y, Z).
    pub scale: [f32; 3],
}

impl Plain for Pose {
    fn swap_bytes(self) -> Pose {
        Pose {
            joint: self.joint.swap_bytes(),
            position: Plain::swap_bytes(self.position),
            rotation: Plain::swap_bytes(self.rotation),
            scale: Plain::swap_bytes(self.scale),
        }
    }
}

impl Plain for RenderlibPose {
    fn swap_bytes(self) -> RenderlibPose {
        let Pose { joint, position, rotation, scale } = Pose::from(self);
        RenderlibPose {
            // A byte has no order.
            joint: joint as u8,
            position: Plain::swap_bytes(position),
            rotation: Plain::swap_bytes(rotation),
            scale: Plain::swap_bytes(scale),
        }
    }
}

impl From<RenderlibPose> for Pose {
    fn from(pose: RenderlibPose) -> Pose {
        Pose { joint: pose.joint.into(), position: pose.position, rotation: pose.rotation, scale: pose.scale }
    }
}
