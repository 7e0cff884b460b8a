//! Bulk decoding of packed vertices to one column per attribute, for graphics APIs.

use super::super::document::Vertices;
use super::decode::{SHADE_COLORS, VertexForm};
use super::runs::VertexSink;

/// The decoded vertices of a mesh, one column per attribute.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct VertexColumns {
    /// Positions (X, Y, Z) in bone space.
    pub positions: Vec<[f32; 3]>,
    /// Texture coordinates (S, T); 0 where a flat colour omits them.
    pub st: Vec<[f32; 2]>,
    /// Stored normals (X, Y, Z), not normalised. Forms without a normal use the direction of the position.
    pub normals: Vec<[f32; 3]>,
    /// Vertex colours (red, green, blue, alpha), by which the material's colour is multiplied. The default is white;
    /// alpha is always 255. [`Vertices::iter`] returns the shade bytes.
    pub colors: Vec<[u8; 4]>,
    /// The bone of each vertex; bone 0 is the model itself.
    pub bones: Vec<u8>,
}

impl Vertices {
    /// Decodes all vertices in bulk, like [`iter`](Vertices::iter), but with colours instead of shade bytes.
    pub fn columns(&self) -> VertexColumns {
        let len = self.len();
        let mut columns = VertexColumns {
            positions: Vec::with_capacity(len),
            st: Vec::with_capacity(len),
            normals: Vec::with_capacity(len),
            colors: Vec::with_capacity(len),
            bones: Vec::with_capacity(len),
        };
        self.visit_runs(&mut columns);
        columns
    }
}

impl VertexSink for VertexColumns {
    #[inline(always)]
    fn add_run<const N: usize, F: VertexForm<N>>(&mut self, run: &[[u32; N]]) {
        match run {
            [vertex] => self.push::<N, F>(vertex),
            run => self.extend::<N, F>(run),
        }
    }
}

impl VertexColumns {
    #[inline(always)]
    fn push<const N: usize, F: VertexForm<N>>(&mut self, vertex: &[u32; N]) {
        self.positions.push(F::position(vertex));
        self.st.push(F::st(vertex));
        self.normals.push(F::normal(vertex));
        self.colors.push(color::<N, F>(vertex));
        self.bones.push(F::bone(vertex));
    }

    #[inline(never)]
    fn extend<const N: usize, F: VertexForm<N>>(&mut self, vertices: &[[u32; N]]) {
        self.positions.extend(vertices.iter().map(F::position));
        self.st.extend(vertices.iter().map(F::st));
        self.normals.extend(vertices.iter().map(F::normal));
        self.colors.extend(vertices.iter().map(color::<N, F>));
        self.bones.extend(vertices.iter().map(F::bone));
    }
}

/// Returns the colour of a vertex; white if it has none. Always uses the table, because a branch would be
/// unpredictable.
#[inline(always)]
fn color<const N: usize, F: VertexForm<N>>(vertex: &[u32; N]) -> [u8; 4] {
    SHADE_COLORS[F::shade(vertex) as usize % SHADE_COLORS.len()]
}
