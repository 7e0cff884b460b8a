//! The declaration of MESH 1.0: structs with the names and order of the specification. The import `dialect` selects
//! the conditional fields and the choices of the renderlib dialect (M17).

#![allow(
    clippy::expect_used,
    reason = "in the setters that modular-bitfield generates"
)]

mod header;
mod pose;
pub(super) mod rules;
pub(super) mod vertex;

use std::sync::LazyLock;

use binrw::binrw;
use meshspec_derive::Layout;

pub use pose::{Pose, PoseEntry, RenderlibPose};
pub use vertex::{Columns, NO_JOINT, Vertex, VertexFormat, Vertices};

use super::summary::JointSummary;
use crate::Dialect;
use crate::bulk::{self, Strings};
use crate::layout::declaration::{Type, bind};
use crate::layout::walk::StoredFields;

/// The name of the format on the command line and in messages.
pub const NAME: &str = "mesh";

impl Dialect {
    /// MESH: 78-byte header with a root transform, shorter animation headers, no strings (M17).
    pub const RENDERLIB: Dialect = Dialect::new("renderlib", 1);
}

/// A MESH file: sections without padding between them.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(import(dialect: Dialect, summary: &JointSummary))]
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Document {
    /// The dialect, which determines the layout of the file.
    #[br(calc = dialect)]
    #[bw(ignore)]
    pub dialect: Dialect,
    /// The header, always present.
    #[br(temp, args(dialect))]
    #[bw(try_calc = header::reject_inexpressible(self).and_then(|()| Header::from_document(self)))]
    header: Header,
    /// Transform of the whole model, 4×4, row-major. Only the renderlib dialect has one (M17).
    #[br(calc = header.root_transform)]
    #[bw(ignore)]
    pub root_transform: Option<[[f32; 4]; 4]>,
    /// One entry per vertex.
    #[br(count = header.vertex_count, args { inner: (header.format, summary) })]
    pub vertices: Vertices,
    /// Vertex indices, three per triangle, although the specification does not state it (M13).
    #[br(count = header.index_count, parse_with = bulk::read)]
    #[bw(write_with = bulk::write)]
    // A file without vertices is reported as empty instead (M12).
    #[layout(
        below = header.vertex_count, if(header.vertex_count > 0), rule = rules::INDEX_RANGE,
        message = "index {found} is not below the vertex count {limit}"
    )]
    pub indices: Vec<u32>,
    /// The skeleton, up to 255 joints.
    #[br(count = header.joint_count)]
    pub joints: Vec<Joint>,
    /// Animations of varying size (M4): up to 255, or 65,535 in the renderlib dialect.
    #[br(count = header.animation_count, args { inner: (header.joint_count, dialect) })]
    #[bw(args(*dialect))]
    pub animations: Vec<Animation>,
    /// Names of the animations, up to the end of the file (M3). The renderlib dialect has none.
    #[br(if(dialect == Dialect::SPEC))]
    #[layout(terminated, rule = rules::STRING_END, message = "the file ends before the string does")]
    pub strings: Strings,
}

/// The header: 13 bytes, or 78 in the renderlib dialect.
#[derive(Layout, StoredFields)]
#[binrw]
#[brw(little)]
#[br(import(dialect: Dialect))]
#[derive(Debug, Clone, PartialEq)]
pub struct Header {
    /// Version of the format, minor and major as nibbles: 0x01 is 1.0 (M1).
    #[br(assert(version == Header::VERSION, "the version is not 1.0 (0x01)"))]
    #[layout(rule = rules::VERSION)]
    pub version: u8,
    /// The vertex attributes.
    #[br(assert(format.position(), "bit 0 is not set: a vertex without a position"))]
    #[layout(rule = rules::POSITION)]
    #[layout(reserved_zero, rule = rules::FORMAT_BITS, message = "unused bits are set: {found:#06x}")]
    pub format: VertexFormat,
    /// Number of entries in the vertex data.
    #[layout(holds(vertex_count > 0), rule = rules::EMPTY, message = "found 0 vertices, expected at least 1")]
    pub vertex_count: u32,
    /// Number of indices in the index data.
    #[layout(holds(index_count > 0), rule = rules::EMPTY, message = "found 0 indices, expected at least 1")]
    #[layout(
        holds(index_count % 3 == 0), rule = rules::TRIANGLES,
        message = "index count {found} is not a multiple of 3"
    )]
    pub index_count: u32,
    /// Number of joints in the joint data.
    pub joint_count: u8,
    /// Number of animations in the animation data.
    #[br(args(dialect))]
    pub animation_count: AnimationCount,
    /// Transform of the whole model, 4×4, row-major.
    #[br(if(dialect == Dialect::RENDERLIB))]
    pub root_transform: Option<[[f32; 4]; 4]>,
}

/// A number of animations.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(import(dialect: Dialect))]
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum AnimationCount {
    /// Up to 255.
    #[br(pre_assert(dialect == Dialect::SPEC))]
    Spec(u8),
    /// Up to 65,535.
    #[br(pre_assert(dialect == Dialect::RENDERLIB))]
    Renderlib(u16),
}

/// A joint of the skeleton: 66 bytes.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Joint {
    /// Identifier: the position of the entry (M10).
    #[layout(permutation, rule = rules::JOINT_ID, message = "id {problem}")]
    #[layout(
        position,
        rule = rules::JOINT_ORDER,
        message = "id {found} in the entry at position {position}"
    )]
    pub id: u8,
    /// Index of the parent entry; 255 for a root (M10).
    #[layout(forest, none = 255, ids = id, rule = rules::PARENT)]
    pub parent: u8,
    /// Model space to joint space, 4×4, row-major (M15).
    pub transform: [[f32; 4]; 4],
}

/// An animation of P poses and J joints: 16 + 4 · P + 44 · J · P bytes (M4). In the renderlib dialect, 12 + 4 · P +
/// 41 · J · P.
#[derive(Layout, StoredFields)]
#[binrw]
#[brw(little)]
#[br(import(joint_count: u8, dialect: Dialect))]
#[bw(import(dialect: Dialect))]
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Animation {
    /// Index of the name in the strings, zero-based (M6). The renderlib dialect has no names.
    #[br(if(dialect == Dialect::SPEC))]
    #[layout(
        index_into = strings, rule = rules::NAME,
        message = "string {found} is not below the string count {limit}"
    )]
    pub name: Option<u32>,
    /// Duration in ticks.
    #[layout(unit = "ticks")]
    #[layout(at_least = 0, plausible)]
    pub duration: f32,
    /// Speed in ticks per second.
    #[layout(unit = "ticks/s")]
    #[layout(at_least = 1, plausible)]
    pub speed: f32,
    /// Number of skeleton poses.
    #[br(temp)]
    #[bw(try_calc = self.pose_count(dialect))]
    pose_count: u32,
    /// Time of each pose in ticks.
    #[br(count = pose_count, parse_with = bulk::read)]
    #[bw(write_with = bulk::write)]
    #[layout(ordered, rule = rules::POSE_TIME)]
    #[layout(at_least = 0, plausible)]
    #[layout(unit = "ticks")]
    pub timestamps: Vec<f32>,
    /// For each timestamp, one entry per joint, in any order (M11).
    #[br(count = pose_count as u64 * joint_count as u64, args { inner: (dialect,) }, parse_with = pose::read)]
    #[bw(write_with = pose::write, args(dialect))]
    #[layout(stored_as = Vec<PoseEntry>)]
    #[layout(
        permutation, of = joint, groups = joint_count, rule = rules::POSE_JOINT,
        message = "joint {problem}"
    )]
    pub poses: Vec<Pose>,
}

impl Header {
    /// Version 1.0, with the minor and the major number as nibbles (M1).
    pub const VERSION: u8 = 0x01;
}

impl Joint {
    /// Index of the parent entry; `None` for a root (M10).
    ///
    /// ```
    /// use meshspec::{Format, mesh};
    ///
    /// let document = mesh::Document::read(&std::fs::read("samples/mesh/flag.mesh")?, &Default::default())?;
    /// assert_eq!(document.joints[0].parent_entry(), None);
    /// let first = document.vertices.joint_ids().and_then(|ids| ids.get(0));
    /// println!("joints of vertex 0: {first:?}");
    /// # Ok::<(), meshspec::Error>(())
    /// ```
    pub fn parent_entry(&self) -> Option<usize> {
        (self.parent != NO_JOINT).then_some(self.parent.into())
    }
}

impl From<AnimationCount> for usize {
    fn from(count: AnimationCount) -> usize {
        match count {
            AnimationCount::Spec(count) => count.into(),
            AnimationCount::Renderlib(count) => count.into(),
        }
    }
}

/// The name and the layout of each dialect.
pub(super) static LAYOUTS: LazyLock<[(&str, &Type); 2]> = LazyLock::new(|| {
    [
        ("mesh", bind::<Document>("", &[Dialect::SPEC.into()])),
        (
            "mesh_renderlib",
            bind::<Document>("Renderlib", &[Dialect::RENDERLIB.into()]),
        ),
    ]
});

/// Returns the layout of a file in `dialect`.
pub(super) fn layout(dialect: Dialect) -> &'static Type {
    let [(_, spec), (_, renderlib)] = *LAYOUTS;
    if dialect == Dialect::RENDERLIB {
        renderlib
    } else {
        spec
    }
}
