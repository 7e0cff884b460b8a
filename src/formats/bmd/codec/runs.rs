//! Vertices by runs of one decoder: what is done with many of them at once.

use std::any::TypeId;

use super::super::document::Vertices;
use super::super::schema::{Form, PackedVertex, Surface};
use super::bits::run_of;
use super::decode::{VertexForm, Visitor, with_form};

/// What runs of vertices are shown to.
pub trait VertexSink {
    /// Vertices of one form, one after the other.
    fn add<const N: usize, F: VertexForm<N>>(&mut self, run: &[[u32; N]]);
}

impl Vertices {
    /// Shows all vertices to `sink`.
    #[inline(always)]
    pub(super) fn runs(&self, sink: &mut impl VertexSink) {
        let surface = self.surface().unwrap_or_default();
        let mut rest = self.words();
        while !rest.is_empty() {
            let run = Run { words: rest, surface, sink };
            let Some(taken) = with_form(PackedVertex::tag_of(rest), surface, run) else { break };
            rest = &rest[taken..];
        }
    }
}

/// The vertices of one form at the start of these words.
struct Run<'a, S> {
    words: &'a [u32],
    surface: Surface,
    sink: &'a mut S,
}

impl<S: VertexSink> Visitor for Run<'_, S> {
    /// Number of words that were taken.
    type Output = usize;

    #[inline(always)]
    fn visit<const N: usize, F: VertexForm<N>>(self) -> usize {
        let is_alike = |vertex: &[u32; N]| {
            with_form(PackedVertex::tag_of(vertex), self.surface, Decoder) == Some(TypeId::of::<F>())
        };
        let run = run_of::<N>(self.words, is_alike);
        self.sink.add::<N, F>(run);
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
