//! Finds the bytes of a file that no field covers.

use std::ops::{ControlFlow, Range};

use super::{Fault, Node, Visit, Visitor, walk};
use crate::Limits;
use crate::layout::covered_ranges::CoveredRanges;
use crate::layout::declaration::{Block, Packing, Shape, Type};
use crate::layout::expr::Value;

/// Returns the byte ranges of a file that no field covers, in ascending order: gaps between fields, bytes after the
/// content of stored blocks, and bytes after the last field. In formats with explicit offsets, up to 31 zeros between
/// two fields are padding, and skipped. The content of packed blocks is not examined.
///
/// ```
/// use binrw::binrw;
/// use meshspec::layout::{Layout, walk};
///
/// #[derive(Layout)]
/// #[binrw]
/// #[brw(little)]
/// struct Name {
///     offset: u8,
///     #[br(seek_before = std::io::SeekFrom::Start(offset as u64), restore_position)]
///     name: [u8; 2],
/// }
///
/// let uncovered = walk::uncovered(&Name::TYPE, b"\x03??ab!", &Default::default())?;
/// assert_eq!(uncovered, [1..3, 5..6]);
/// # Ok::<(), walk::Fault>(())
/// ```
///
/// # Errors
///
/// Returns the first [`Fault`] of the file.
pub fn uncovered(
    ty: &'static Type,
    bytes: &[u8],
    limits: &Limits,
) -> Result<Vec<Range<u64>>, Fault> {
    let mut coverage = Coverage::default();
    walk(ty, bytes, limits, &mut coverage)?;
    let mut gaps = coverage.0.gaps(bytes.len() as u64);
    if !has_no_gaps(ty) {
        gaps.retain(|gap| {
            // The range is within bytes in memory, so its ends fit in a `usize`.
            let content = bytes.get(gap.start as usize..gap.end as usize);
            !is_padding(gap.start, content.unwrap_or_default(), bytes.len() as u64)
        });
    }
    Ok(gaps)
}

/// Returns `true` for zeros between two fields, up to a multiple of 16, the alignment of vectors, and 16 more, which
/// some writers add so that readers of vectors may read past the end of a list.
pub(in crate::layout) fn is_padding(start: u64, gap: &[u8], file_size: u64) -> bool {
    let end = start.saturating_add(gap.len() as u64);
    end < file_size
        && end <= start.next_multiple_of(16).saturating_add(16)
        && gap.iter().all(|byte| *byte == 0)
}

#[derive(Default)]
struct Coverage(CoveredRanges);

impl Visitor for Coverage {
    fn enter(&mut self, node: &Node) -> Visit {
        if has_no_gaps(node.ty) {
            Visit::Nothing
        } else {
            Visit::All
        }
    }

    fn visit_leaf(&mut self, node: &Node, _: &Value) -> ControlFlow<()> {
        self.0.add(&node.span);
        ControlFlow::Continue(())
    }

    fn visit_magic(&mut self, node: &Node) -> ControlFlow<()> {
        self.0.add(&node.span);
        ControlFlow::Continue(())
    }

    fn should_unpack(&mut self, node: &Node) -> bool {
        let is_covered = node
            .field
            .and_then(|field| field.block)
            .is_some_and(|block| fills_block(&block));
        if is_covered {
            self.0.add(&node.span);
        }
        !is_covered
    }

    fn leave(&mut self, node: &Node) -> ControlFlow<()> {
        // The span of any other value includes gaps.
        if has_no_gaps(node.ty) {
            self.0.add(&node.span);
        }
        ControlFlow::Continue(())
    }
}

/// Returns `true` if every value of the type covers all of its bytes.
fn has_no_gaps(ty: &Type) -> bool {
    match ty {
        Type::Array(item, _) | Type::List(item) => has_no_gaps(item),
        Type::Declared(declaration) => declaration.fields().all(|field| {
            field.position.is_none()
                && field
                    .block
                    .as_ref()
                    .map_or_else(|| has_no_gaps(&field.ty), fills_block)
        }),
        _ => true,
    }
}

/// Returns `true` if the content of a block covers all of its bytes in every file: packed bytes, which nothing may
/// follow, or content without gaps that runs to the end.
fn fills_block(block: &Block) -> bool {
    block.packing != Packing::Stored || runs_to_end(&block.content) && has_no_gaps(&block.content)
}

/// Returns `true` for a list without a count, and for a struct that ends with one.
fn runs_to_end(ty: &Type) -> bool {
    let Type::Declared(declaration) = ty else {
        return matches!(ty, Type::List(_));
    };
    let Shape::Struct([.., last]) = declaration.shape else {
        return false;
    };
    matches!(last.ty, Type::List(_))
        && last.count.is_none()
        && last.each.is_none()
        && last.condition.is_none()
        && !last.lookahead
}
