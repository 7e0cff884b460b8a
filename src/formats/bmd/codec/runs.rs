//! Runs of vertices with the same decoder, for bulk processing.

use std::any::TypeId;

use super::super::document::Vertices;
use super::super::schema::Surface;
use super::decode::{VertexForm, VertexVisitor, with_form};

/// Returns the leading run of items of the same form, at most one block: its words stay in the L1 cache while the
/// columns are decoded in turn. In a mixed list, returns only the first item.
#[inline(always)]
pub(super) fn leading_run<const N: usize>(
    words: &[u32],
    is_alike: impl Fn(&[u32; N]) -> bool,
) -> &[[u32; N]] {
    const BLOCK: usize = 512;
    let (items, _) = words.as_chunks::<N>();
    match items {
        // Tests a sample at once, because a branch per item would be unpredictable in a mixed list.
        [_, a, _, b, _, _, _, c, ..] if is_alike(a) & is_alike(b) & is_alike(c) => {
            let block = &items[..items.len().min(BLOCK)];
            &block[..block.iter().position(|item| !is_alike(item)).unwrap_or(block.len())]
        }
        _ => &items[..items.len().min(1)],
    }
}

/// Receives runs of vertices.
pub trait VertexSink {
    /// Adds a run of vertices of one form.
    fn add<const N: usize, F: VertexForm<N>>(&mut self, run: &[[u32; N]]);
}

impl Vertices {
    /// Passes all vertices to `sink`.
    #[inline(always)]
    pub(super) fn visit_runs(&self, sink: &mut impl VertexSink) {
        let surface = self.surface().unwrap_or_default();
        let mut rest = self.words();
        while !rest.is_empty() {
            let run = Run { words: rest, surface, sink };
            let Some(taken) = with_form(rest, surface, run) else { break };
            rest = &rest[taken..];
        }
    }
}

/// The run of vertices of one form at the start of these words.
struct Run<'a, S> {
    words: &'a [u32],
    surface: Surface,
    sink: &'a mut S,
}

impl<S: VertexSink> VertexVisitor for Run<'_, S> {
    /// The number of words consumed.
    type Output = usize;

    #[inline(always)]
    fn visit<const N: usize, F: VertexForm<N>>(self) -> usize {
        let is_alike =
            |vertex: &[u32; N]| with_form(vertex, self.surface, Decoder) == Some(TypeId::of::<F>());
        let run = leading_run::<N>(self.words, is_alike);
        self.sink.add::<N, F>(run);
        run.len() * N
    }
}

/// The decoder of a form.
struct Decoder;

impl VertexVisitor for Decoder {
    type Output = TypeId;

    #[inline(always)]
    fn visit<const N: usize, F: VertexForm<N>>(self) -> TypeId {
        TypeId::of::<F>()
    }
}
