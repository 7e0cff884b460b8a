//! Vertices by runs of one decoder: what is done with many of them at once.

use std::any::TypeId;

use super::super::document::Vertices;
use super::super::schema::Surface;
use super::decode::{VertexForm, Visitor, with_form};

/// The first items of a list that are alike, a block at most: few enough for their words to stay in the fastest cache
/// while one column after the other is decoded. In a mixed list it is the first one alone.
#[inline(always)]
pub(super) fn run_of<const N: usize>(words: &[u32], is_alike: impl Fn(&[u32; N]) -> bool) -> &[[u32; N]] {
    const BLOCK: usize = 512;
    let (items, _) = words.as_chunks::<N>();
    match items {
        // A sample, all at once: a branch for each item could not be predicted in a mixed list.
        [_, a, _, b, _, _, _, c, ..] if is_alike(a) & is_alike(b) & is_alike(c) => {
            let block = &items[..items.len().min(BLOCK)];
            &block[..block.iter().position(|item| !is_alike(item)).unwrap_or(block.len())]
        }
        _ => &items[..items.len().min(1)],
    }
}

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
            let Some(taken) = with_form(rest, surface, run) else { break };
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
        let is_alike =
            |vertex: &[u32; N]| with_form(vertex, self.surface, Decoder) == Some(TypeId::of::<F>());
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
