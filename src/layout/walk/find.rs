//! Finds the place of a path and the content of a block.

use std::ops::{ControlFlow, Range};

use super::{Node, Segment, Visit, Visitor, walk};
use crate::layout::{Type, Value};
use crate::{Limits, Span};

/// The name in paths of bytes that no field covers, at the end of the file or of a block.
pub const TRAILING: &str = "trailing";

/// Where the value with this path lies; `None` if there is none.
pub fn find(ty: &'static Type, bytes: &[u8], path: &str, limits: &Limits) -> Option<Span> {
    find_exactly(ty, bytes, path, limits).map(|(_, span)| span)
}

/// The path as segments, and where the value lies.
pub(super) fn find_exactly(
    ty: &'static Type,
    bytes: &[u8],
    path: &str,
    limits: &Limits,
) -> Option<(Vec<Segment>, Span)> {
    let mut finder = Finder { path, found: None };
    // A fault behind the value does not matter, one before it leaves nothing found.
    let _ = walk(ty, bytes, limits, &mut finder);
    finder.found
}

/// What the packed block at these bytes of the file unpacks to: the space that a [`Span::Unpacked`] counts in. `None`
/// if no packed block lies there.
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
/// let content = walk::content(&Heights::TYPE, &bytes, &Default::default(), &(1..5));
/// assert_eq!(content.unwrap(), [7, 8, 9]);
/// # }
/// ```
pub fn content(ty: &'static Type, bytes: &[u8], limits: &Limits, packed: &Range<u64>) -> Option<Vec<u8>> {
    let mut finder = ContentFinder { packed, found: None };
    // A fault behind the block does not matter, one before it leaves nothing found.
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

    fn unpacked(&mut self, node: &Node, content: &[u8]) {
        if node.span.range() == self.packed {
            self.found = Some(content.to_vec());
        }
    }
}

/// If `whole` starts with `path`, the rest; compares segment by segment without building text.
fn strip_path<'p>(whole: &'p str, path: &[Segment]) -> Option<&'p str> {
    path.iter().try_fold(whole, |rest, segment| match segment {
        Segment::Field(name) => {
            let rest = rest.strip_prefix('.').unwrap_or(rest).strip_prefix(name)?;
            (rest.is_empty() || rest.starts_with(['.', '['])).then_some(rest)
        }
        Segment::Index(index) => {
            let (number, rest) = rest.strip_prefix('[')?.split_once(']')?;
            (number.parse() == Ok(*index)).then_some(rest)
        }
    })
}

struct Finder<'p> {
    path: &'p str,
    found: Option<(Vec<Segment>, Span)>,
}

impl Finder<'_> {
    fn check(&mut self, node: &Node) -> ControlFlow<()> {
        match strip_path(self.path, node.path) {
            Some("") => {
                self.found = Some((node.path.to_vec(), node.span.clone()));
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(()),
        }
    }
}

impl Visitor for Finder<'_> {
    fn enter(&mut self, node: &Node) -> Visit {
        let Some(rest) = strip_path(self.path, node.path).filter(|rest| !rest.is_empty()) else {
            return Visit::Nothing;
        };
        let index = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')?.0.parse().ok());
        match index {
            Some(index) => Visit::Items(index..u64::saturating_add(index, 1)),
            None => Visit::All,
        }
    }

    fn leaf(&mut self, node: &Node, _: &Value) -> ControlFlow<()> {
        self.check(node)
    }

    fn unpack(&mut self, node: &Node) -> bool {
        strip_path(self.path, node.path).is_some()
    }

    fn leave(&mut self, node: &Node) -> ControlFlow<()> {
        self.check(node)
    }

    fn rest(&mut self, path: &[Segment], span: Span) {
        let rest = strip_path(self.path, path);
        if rest.is_some_and(|rest| rest.trim_start_matches('.') == TRAILING) {
            let path = path.iter().copied().chain([Segment::Field(TRAILING)]);
            self.found = Some((path.collect(), span));
        }
    }
}
