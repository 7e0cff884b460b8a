//! Vertices and their attributes.

use binrw::binrw;
use meshspec_derive::{Columns, Layout};
use modular_bitfield::bitfield;
use modular_bitfield::specifiers::B12;

use super::rules;
use crate::layout::decoding::{UNORM8, unorm8};

/// The joint id in unused slots of a vertex, with weight 0 (M9), and the parent of a root (M10).
pub const NO_JOINT: u8 = 255;

/// The attributes of a vertex: 16 bits.
#[derive(Layout)]
#[bitfield(bits = 16)]
#[binrw]
#[br(map = Self::from_bytes)]
#[bw(map = |format: &Self| format.into_bytes())]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VertexFormat {
    /// Position. Mandatory: a format without this bit is an error.
    pub position: bool,
    /// Normal vector.
    pub normal: bool,
    /// Texture coordinate (UV).
    pub uv: bool,
    /// Joint ids and weights.
    pub joints: bool,
    /// Unused. Set bits are an error; lenient reading keeps them (M7).
    #[layout(reserved)]
    pub unused: B12,
}

impl Default for VertexFormat {
    /// Returns a format with only positions.
    fn default() -> VertexFormat {
        VertexFormat::new().with_position(true)
    }
}

/// A vertex: the attributes in the format, in this order, tightly packed (M2).
#[derive(Layout, Columns)]
#[columns(records = Vertices, format = VertexFormat)]
#[binrw]
#[brw(little)]
#[br(import(format: VertexFormat))]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Vertex {
    /// Vertex coordinate (X, Y, Z).
    #[columns(name = positions)]
    #[layout(finite, rule = rules::NON_FINITE)]
    pub position: [f32; 3],
    /// Normal vector (X, Y, Z).
    #[br(if(format.normal()))]
    #[columns(name = normals)]
    #[layout(unit_vector, plausible)]
    pub normal: Option<[f32; 3]>,
    /// Texture coordinate (U, V).
    #[br(if(format.uv()))]
    #[columns(name = uvs)]
    pub uv: Option<[f32; 2]>,
    /// Joints that the vertex is bound to; 255 with weight 0 for none (M9).
    #[br(if(format.joints()))]
    #[layout(
        index_into = joints, none = 255, weights = joint_weights, rule = rules::VERTEX_JOINT,
        message = "joint {found} is not below the joint count {limit}"
    )]
    pub joint_ids: Option<[u8; 4]>,
    /// Weights of the joints, 0 to 255; 255 is the full weight.
    #[br(if(format.joints()))]
    #[layout(decoded = unorm8, formula = UNORM8)]
    #[layout(sum = 255, plausible)]
    pub joint_weights: Option<[u8; 4]>,
}

/// The vertices of a mesh, as the interleaved records of the file.
///
/// ```
/// use meshspec::mesh::{Columns, Vertices};
///
/// let vertices = Vertices::from_columns(&Columns {
///     positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]],
///     uvs: Some(vec![[0.0, 0.0], [1.0, 0.0]]),
///     ..Columns::default()
/// })?;
/// assert_eq!(vertices.len(), 2);
/// assert_eq!(vertices.uvs().unwrap().to_vec(), [[0.0, 0.0], [1.0, 0.0]]);
/// assert!(vertices.normals().is_none());
/// # Ok::<(), meshspec::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Vertices {
    pub(in super::super) format: VertexFormat,
    pub(in super::super) bytes: Vec<u8>,
}
