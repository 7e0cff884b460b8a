//! Vertices as floats: what is encoded, how exactly, and how far the result is off.

use meshspec_derive::ToJson;

/// The attributes of vertices as floats: a list each, as long as that of the positions, or none.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Attributes {
    /// Positions (X, Y, Z), each in the space of its bone.
    pub positions: Vec<[f32; 3]>,
    /// Texture coordinates (S, T).
    pub st: Option<Vec<[f32; 2]>>,
    /// Normals (X, Y, Z), of any length but 0.
    pub normals: Option<Vec<[f32; 3]>>,
    /// Colours (red, green, blue), relative to that of the material.
    pub colors: Option<Vec<[u8; 3]>>,
    /// Bones; 0 is the base.
    pub bones: Option<Vec<u16>>,
    /// The largest error of the coordinates of each position, where it shall be smaller than the tolerance.
    pub limits: Option<Vec<f32>>,
}

/// How far attributes may be off before a larger form is used.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerance {
    /// Of each coordinate of a position, relative to the largest coordinate of all of them.
    pub position: f32,
    /// Of each texture coordinate, in widths of the texture.
    pub st: f32,
    /// Of the direction of a normal, in degrees.
    pub normal: f32,
}

impl Default for Tolerance {
    /// Positions with the 255 steps that the small forms have, texture coordinates to 1/1024, normals as well as three
    /// F8A can point.
    fn default() -> Tolerance {
        Tolerance { position: 1.0 / 255.0, st: 1.0 / 1024.0, normal: 2.0 }
    }
}

/// Which vertices of a mesh have the same size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum VertexSizes {
    /// All: the smallest size that holds every vertex.
    #[default]
    PerMesh,
    /// Each has the smallest that holds it.
    PerVertex,
    /// All have this size, whatever its errors.
    Fixed(VertexSize),
}

/// Size of a vertex.
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
    /// From small to large.
    pub(super) const ALL: [VertexSize; 3] = [VertexSize::Bits64, VertexSize::Bits96, VertexSize::Bits128];
}

/// The largest error of each attribute that was encoded.
#[derive(Debug, Clone, Copy, PartialEq, Default, ToJson)]
pub struct VertexErrors {
    /// Of the coordinates of positions.
    pub position: f32,
    /// Of texture coordinates, in widths of the texture.
    pub st: f32,
    /// Of the direction of normals, in degrees.
    pub normal: f32,
    /// Of the channels of colours, of 255.
    pub color: u8,
}

impl VertexErrors {
    /// The larger error of each attribute.
    pub fn max(self, other: VertexErrors) -> VertexErrors {
        VertexErrors {
            position: self.position.max(other.position),
            st: self.st.max(other.st),
            normal: self.normal.max(other.normal),
            color: self.color.max(other.color),
        }
    }
}
