//! Finds the span of the value at a path, and the content of a block.

use std::ops::{ControlFlow, Range};

use super::{Node, Segment, Subtree, Visit, Visitor, walk};
use crate::layout::declaration::Type;
use crate::layout::expr::Value;
use crate::{Limits, Path, Span};

/// Returns the span of the value at a path; `None` if there is no such value, or a fault precedes it.
pub fn find(
    ty: &'static Type,
    bytes: &[u8],
    path: impl Into<Path>,
    limits: &Limits,
) -> Option<Span> {
    let path = path.into();
    let mut found = FoundSpan(None);
    // Only a fault before the value prevents finding it.
    let _ = walk(
        ty,
        bytes,
        limits,
        &mut Subtree::new(path.segments()?, &mut found),
    );
    found.0
}

/// Returns the unpacked content of the block at the range `packed` of the file. Returns `None` if no packed block has
/// this range, the block cannot be unpacked, or a fault precedes it.
///
/// Ranges in a [`Span::Unpacked`] refer to this content.
///
/// ```
/// # #[cfg(feature = "crucible")] {
/// use binrw::binrw;
/// use meshspec::layout::{Layout, walk};
///
/// #[derive(Layout)]
/// #[binrw]
/// #[brw(little)]
/// struct Heights {
///     packed_size: u8,
///     #[br(count = packed_size)]
///     #[layout(content = Vec<u8>, packing = lz4, size = 3)]
///     samples: Vec<u8>,
/// }
///
/// // An LZ4 block of three literal bytes.
/// let bytes = [4, 0x30, 7, 8, 9];
/// let content = walk::unpack_block(&Heights::TYPE, &bytes, &Default::default(), &(1..5));
/// assert_eq!(content.unwrap(), [7, 8, 9]);
/// # }
/// ```
pub fn unpack_block(
    ty: &'static Type,
    bytes: &[u8],
    limits: &Limits,
    packed: &Range<u64>,
) -> Option<Vec<u8>> {
    let mut finder = ContentFinder {
        packed,
        found: None,
    };
    // Only a fault before the block prevents finding it.
    let _ = walk(ty, bytes, limits, &mut finder);
    finder.found
}

struct ContentFinder<'p> {
    packed: &'p Range<u64>,
    found: Option<Vec<u8>>,
}

impl Visitor for ContentFinder<'_> {
    fn enter(&mut self, node: &Node) -> Visit {
        match (&self.found, &node.span) {
            (Some(_), _) => Visit::Stop,
            (None, Span::Unpacked { .. }) => Visit::Nothing,
            (None, Span::Bytes(_) | Span::Text { .. }) => Visit::All,
        }
    }

    fn visit_unpacked(&mut self, node: &Node, content: &[u8]) {
        if node.span.range() == self.packed {
            self.found = Some(content.to_vec());
        }
    }
}

/// The span of the value that a [`Subtree`] visits.
struct FoundSpan(Option<Span>);

impl Visitor for FoundSpan {
    fn enter(&mut self, _: &Node) -> Visit {
        Visit::Nothing
    }

    fn visit_leaf(&mut self, node: &Node, _: &Value) -> ControlFlow<()> {
        self.leave(node)
    }

    fn leave(&mut self, node: &Node) -> ControlFlow<()> {
        self.0 = Some(node.span.clone());
        ControlFlow::Break(())
    }

    fn visit_trailing(&mut self, _: &[Segment], span: Span, _: &[u8]) {
        self.0 = Some(span);
    }
}
