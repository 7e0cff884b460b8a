//! The spans of inline blocks, to find the block before trailing bytes.

use super::{Node, Segment};
use crate::Span;
use crate::layout::declaration::Packing;

/// The open stored inline blocks. Their content, and the bytes after it, have the path of the struct that contains them.
#[derive(Default)]
pub(in crate::layout) struct InlineBlockSpans(Vec<InlineBlockSpan>);

struct InlineBlockSpan {
    /// The number of segments in the path of the struct.
    depth: usize,
    name: &'static str,
    span: Span,
}

impl InlineBlockSpans {
    /// Adds the block at `node`, if it is stored and inline.
    pub fn add(&mut self, node: &Node) {
        // Blocks inside others end with them at the latest.
        self.0.retain(|block| {
            !block.span.is_in_space_of(&node.span)
                || block.span.range().end >= node.span.range().end
        });
        if let Some(field) = node.field
            && let Some(block) = field.block
            && block.inline
            && block.packing == Packing::Stored
        {
            self.0.push(InlineBlockSpan {
                depth: node.path.len(),
                name: field.name,
                span: node.span.clone(),
            });
        }
    }

    /// Returns the name of the block that ends with these trailing bytes. `path` is the path of its struct.
    pub fn block_before(&self, path: &[Segment], trailing: &Span) -> Option<&'static str> {
        let block = self.0.iter().rev().find(|block| {
            block.depth == path.len()
                && block.span.is_in_space_of(trailing)
                && block.span.range().end == trailing.range().end
        })?;
        Some(block.name)
    }
}
