//! Runs of vertices with the same decoder, for bulk processing.

use std::any::TypeId;

use super::super::document::Vertices;
use super::super::schema::Surface;
use super::decode::{VertexForm, VertexVisitor, with_form};

/// Returns the leading items that match: at most one block, whose words stay in the L1 cache while the columns are
/// decoded one by one. Returns only the first item if the list has fewer than eight items, or item 1, 3 or 7 does not
/// match.
#[inline(always)]
pub(super) fn leading_run<const N: usize>(
    words: &[u32],
    matches: impl Fn(&[u32; N]) -> bool,
) -> &[[u32; N]] {
    const MAX_RUN_LENGTH: usize = 512;
    let (items, _) = words.as_chunks::<N>();
    match items {
        // Tests a sample at once, because a branch per item would be unpredictable in a mixed list.
        [_, a, _, b, _, _, _, c, ..] if matches(a) & matches(b) & matches(c) => {
            let block = &items[..items.len().min(MAX_RUN_LENGTH)];
            &block[..block
                .iter()
                .position(|item| !matches(item))
                .unwrap_or(block.len())]
        }
        _ => &items[..items.len().min(1)],
    }
}

pub trait VertexSink {
    /// Adds a run of vertices with the decoder `F`.
    fn add_run<const N: usize, F: VertexForm<N>>(&mut self, run: &[[u32; N]]);
}

impl Vertices {
    /// Passes all vertices to `sink` in order, in runs with the same decoder.
    #[inline(always)]
    pub(super) fn visit_runs(&self, sink: &mut impl VertexSink) {
        let surface = self.surface().unwrap_or_default();
        let mut rest = self.words();
        while !rest.is_empty() {
            let visitor = VertexRunVisitor {
                words: rest,
                surface,
                sink,
            };
            let Some(consumed) = with_form(rest, surface, visitor) else {
                break;
            };
            rest = &rest[consumed..];
        }
    }
}

/// Passes the leading run of vertices with the same decoder in `words` to `sink`.
struct VertexRunVisitor<'a, S> {
    words: &'a [u32],
    surface: Surface,
    sink: &'a mut S,
}

impl<S: VertexSink> VertexVisitor for VertexRunVisitor<'_, S> {
    /// The number of words consumed.
    type Output = usize;

    #[inline(always)]
    fn visit<const N: usize, F: VertexForm<N>>(self) -> usize {
        let decoder = |vertex: &[u32; N]| with_form(vertex, self.surface, DecoderType);
        let run = leading_run::<N>(self.words, |vertex| {
            decoder(vertex) == Some(TypeId::of::<F>())
        });
        self.sink.add_run::<N, F>(run);
        run.len() * N
    }
}

/// Returns the decoder type of a form.
struct DecoderType;

impl VertexVisitor for DecoderType {
    type Output = TypeId;

    #[inline(always)]
    fn visit<const N: usize, F: VertexForm<N>>(self) -> TypeId {
        TypeId::of::<F>()
    }
}
