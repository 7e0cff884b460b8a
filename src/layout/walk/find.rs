//! Finds the span of a path and the content of a block.

use std::ops::{ControlFlow, Range};

use super::{Node, Segment, Visit, Visitor, walk};
use crate::layout::declaration::Type;
use crate::layout::expr::Value;
use crate::{Limits, Path, Span};

/// The last path segment of trailing bytes in the file or in a block.
pub const TRAILING: &str = "trailing";

/// Returns the span of the value at a path; `None` if there is no such value.
pub fn find(ty: &'static Type, bytes: &[u8], path: impl Into<Path>, limits: &Limits) -> Option<Span> {
    let path = path.into();
    let mut finder = Finder { path: path.segments()?, found: None };
    // A fault after the value does not matter; a fault before it prevents finding it.
    let _ = walk(ty, bytes, limits, &mut finder);
    finder.found
}

/// Returns the unpacked content of the block at the range `packed` of the file; `None` if there is no such block.
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
    let mut finder = ContentFinder { packed, found: None };
    // A fault after the block does not matter; a fault before it prevents finding it.
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

struct Finder<'p> {
    path: &'p [Segment],
    found: Option<Span>,
}

impl Finder<'_> {
    fn record_match(&mut self, node: &Node) -> ControlFlow<()> {
        if self.path != node.path {
            return ControlFlow::Continue(());
        }
        self.found = Some(node.span.clone());
        ControlFlow::Break(())
    }
}

impl Visitor for Finder<'_> {
    fn enter(&mut self, node: &Node) -> Visit {
        if self.path == node.path { Visit::Nothing } else { Visit::towards(self.path, node.path) }
    }

    fn visit_leaf(&mut self, node: &Node, _: &Value) -> ControlFlow<()> {
        self.record_match(node)
    }

    fn should_unpack(&mut self, node: &Node) -> bool {
        self.path.starts_with(node.path)
    }

    fn leave(&mut self, node: &Node) -> ControlFlow<()> {
        self.record_match(node)
    }

    fn visit_trailing(&mut self, path: &[Segment], span: Span, _: &[u8]) {
        if self.path.strip_prefix(path) == Some(&[Segment::Field(TRAILING)]) {
            self.found = Some(span);
        }
    }
}
