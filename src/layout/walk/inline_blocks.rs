//! The inline blocks that a visitor has seen.

use super::{Node, Segment};
use crate::Span;
use crate::layout::declaration::Packing;

/// The stored inline blocks so far. Their content has the path of the struct that contains them, and so do the bytes after
/// the content.
#[derive(Default)]
pub(in crate::layout) struct InlineBlocks {
    /// The number of segments in the path of the struct, the name of the block, and its span.
    blocks: Vec<(usize, &'static str, Span)>,
}

impl InlineBlocks {
    /// Adds the block at `node`, if it is one.
    pub fn add(&mut self, node: &Node) {
        let depth = node.path.len();
        // Those in earlier structs have ended.
        self.blocks.retain(|(outer, ..)| *outer <= depth);
        if let Some(field) = node.field
            && let Some(block) = field.block
            && block.inline
            && block.packing == Packing::Stored
        {
            self.blocks.push((depth, field.name, node.span.clone()));
        }
    }

    /// Returns the name of the block that ends with these trailing bytes. `path` is the path of its struct.
    pub fn block_before(&self, path: &[Segment], trailing: &Span) -> Option<&'static str> {
        let mut blocks = self.blocks.iter().rev();
        let (_, name, _) = blocks.find(|(depth, _, span)| {
            let is_in_same_space = span.with_range(0..0) == trailing.with_range(0..0);
            *depth == path.len() && is_in_same_space && span.range().end == trailing.range().end
        })?;
        Some(name)
    }
}
