//! Vertices in bulk: from packed words to one column per attribute, as graphics APIs take them.

use std::any::TypeId;

use super::super::document::Vertices;
use super::super::schema::{Form, PackedVertex, Surface};
use super::bits::run_of;
use super::decode::{COLORS, VertexForm, Visitor, with_form};

/// The decoded vertices of a mesh, one list per attribute.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct VertexColumns {
    /// Positions (X, Y, Z), each in the space of its bone.
    pub positions: Vec<[f32; 3]>,
    /// Texture coordinates (S, T); 0 where a flat colour leaves them out.
    pub st: Vec<[f32; 2]>,
    /// Normals (X, Y, Z) as they are stored, not normalised. Where the form has none, the direction of the position.
    pub normals: Vec<[f32; 3]>,
    /// Colours (red, green, blue, alpha), relative to that of the material; white where the form has none. Alpha is
    /// always 255. The shade bytes are in [`Vertices::iter`].
    pub colors: Vec<[u8; 4]>,
    /// Bones; 0 is the base.
    pub bones: Vec<u8>,
}

impl Vertices {
    /// The decoded vertices, as [`iter`](Vertices::iter) has them, in bulk.
    pub fn columns(&self) -> VertexColumns {
        let len = self.len();
        let mut columns = VertexColumns {
            positions: Vec::with_capacity(len),
            st: Vec::with_capacity(len),
            normals: Vec::with_capacity(len),
            colors: Vec::with_capacity(len),
            bones: Vec::with_capacity(len),
        };
        let surface = self.surface().unwrap_or_default();
        let mut rest = self.words();
        while !rest.is_empty() {
            let run = Run { words: rest, surface, columns: &mut columns };
            let Some(taken) = with_form(PackedVertex::tag_of(rest), surface, run) else { break };
            rest = &rest[taken..];
        }
        columns
    }
}

/// The vertices of one form at the start of these words.
struct Run<'a> {
    words: &'a [u32],
    surface: Surface,
    columns: &'a mut VertexColumns,
}

impl Visitor for Run<'_> {
    /// Number of words that were taken.
    type Output = usize;

    #[inline(always)]
    fn visit<const N: usize, F: VertexForm<N>>(self) -> usize {
        let is_alike = |vertex: &[u32; N]| {
            with_form(PackedVertex::tag_of(vertex), self.surface, Decoder) == Some(TypeId::of::<F>())
        };
        let run = run_of::<N>(self.words, is_alike);
        match run {
            [vertex] => self.columns.push::<N, F>(vertex),
            run => self.columns.extend::<N, F>(run),
        }
        run.len() * N
    }
}

/// Which decoder a form has.
struct Decoder;

impl Visitor for Decoder {
    type Output = TypeId;

    #[inline(always)]
    fn visit<const N: usize, F: VertexForm<N>>(self) -> TypeId {
        TypeId::of::<F>()
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

/// Looked up in any case: nobody could predict a branch.
#[inline(always)]
fn color<const N: usize, F: VertexForm<N>>(vertex: &[u32; N]) -> [u8; 4] {
    COLORS[F::shade(vertex) as usize % COLORS.len()]
}
