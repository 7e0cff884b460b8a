//! Vertices as floats: attributes to encode, tolerances, and errors.

use meshspec_derive::ToJson;

/// Vertex attributes to encode. Each optional list has as many values as there are positions.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Attributes {
    /// Positions (X, Y, Z) in bone space.
    pub positions: Vec<[f32; 3]>,
    /// Texture coordinates (S, T).
    pub st: Option<Vec<[f32; 2]>>,
    /// Normals (X, Y, Z) of any non-zero length.
    pub normals: Option<Vec<[f32; 3]>>,
    /// Vertex colours (red, green, blue), by which the material's colour is multiplied.
    pub colors: Option<Vec<[u8; 3]>>,
    /// The bone of each vertex; bone 0 is the model itself.
    pub bones: Option<Vec<u16>>,
    /// The maximum coordinate error of each position. Applies if it is smaller than the tolerance.
    pub limits: Option<Vec<f32>>,
}

/// The maximum error of each attribute before a larger form is used.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerance {
    /// The error per position coordinate, relative to the largest coordinate of the mesh.
    pub position: f32,
    /// The error per texture coordinate, as a fraction of the texture width.
    pub st: f32,
    /// The angular error of a normal, in degrees.
    pub normal: f32,
}

impl Default for Tolerance {
    /// Positions: 1/255, a step of 64-bit and 96-bit vertices. Texture coordinates: 1/1024. Normals: 2°, the resolution
    /// of three F8A.
    fn default() -> Tolerance {
        Tolerance {
            position: 1.0 / 255.0,
            st: 1.0 / 1024.0,
            normal: 2.0,
        }
    }
}

/// The policy for choosing vertex sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum VertexSizes {
    /// One size per mesh: the smallest that is precise enough for every vertex, or else the largest that can encode
    /// all of them.
    #[default]
    PerMesh,
    /// One size per vertex: the smallest that is precise enough, or else the one with the smallest position error.
    PerVertex,
    /// The given size for all vertices, regardless of the errors.
    Fixed(VertexSize),
}

/// The size of a packed vertex.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum VertexSize {
    /// 64 bits.
    Bits64,
    /// 96 bits.
    Bits96,
    /// 128 bits.
    Bits128,
}

impl VertexSize {
    /// All sizes, smallest first.
    pub(super) const ALL: [VertexSize; 3] =
        [VertexSize::Bits64, VertexSize::Bits96, VertexSize::Bits128];
}

/// The largest encoding error of each attribute.
#[derive(Debug, Clone, Copy, PartialEq, Default, ToJson)]
pub struct VertexErrors {
    /// The largest error of a position coordinate.
    pub position: f32,
    /// The largest error of a texture coordinate, as a fraction of the texture width.
    pub st: f32,
    /// The largest angle between a normal and its code, in degrees.
    pub normal: f32,
    /// The largest error of a colour channel, 0 to 255.
    pub color: u8,
}

impl VertexErrors {
    /// Returns, for each attribute, the larger error.
    pub fn max(self, other: VertexErrors) -> VertexErrors {
        VertexErrors {
            position: self.position.max(other.position),
            st: self.st.max(other.st),
            normal: self.normal.max(other.normal),
            color: self.color.max(other.color),
        }
    }
}
