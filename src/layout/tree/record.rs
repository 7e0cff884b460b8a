//! Reads the values of a file into a tree.

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};

use super::Tree;
use super::items::{ItemEncoding, Items};
use super::node::{Leaf, PackedBlock, Parts, TreeNode};
use super::stored_bytes::StoredBytes;
use crate::layout::covered_ranges::CoveredRanges;
use crate::layout::declaration::{Packing, Type};
use crate::layout::expr::Value;
use crate::layout::program::Step;
use crate::layout::walk::{
    Fault, InlineBlockSpans, ItemLayout, Node, Segment, Visit, Visitor, walk,
};
use crate::{Limits, Span};

/// Reads the values of a file into a tree. If `paths` is given, blocks that contain none of these paths stay packed, unless
/// later expressions may refer to their content.
pub(super) fn record_file<'b>(
    ty: &'static Type,
    bytes: &'b [u8],
    limits: &Limits,
    paths: Option<&[Vec<Segment>]>,
) -> Result<Tree<'b>, Fault> {
    let source = Source {
        bytes: StoredBytes::Borrowed(bytes),
        span: Span::Bytes(0..bytes.len() as u64),
    };
    let mut recorder = Recorder::new(source, paths);
    let end = walk(ty, bytes, limits, &mut recorder)?;
    let covered = std::mem::take(&mut recorder.covered);
    let gaps = covered
        .gaps(bytes.len() as u64)
        .into_iter()
        .filter_map(|gap| {
            let content = bytes.get(gap.start as usize..gap.end as usize)?;
            Some((gap.start, Cow::Borrowed(content)))
        })
        .collect();
    let root = TreeNode {
        span: Some(Span::Bytes(0..end)),
        ..recorder.finish()
    };
    Ok(Tree {
        ty,
        root,
        gaps,
        file_size: Some(bytes.len() as u64),
    })
}

/// Decodes the item at the offset `at` of a list, whose span starts with these bytes; `None` if it was not read from a
/// file.
pub(super) fn decode_item<'b>(
    layout: &ItemLayout,
    list: &StoredBytes<'b>,
    span: Option<&Span>,
    at: u64,
) -> Option<TreeNode<'b>> {
    let source = Source {
        bytes: list.clone(),
        span: span
            .cloned()
            .unwrap_or(Span::Bytes(0..list.as_slice().len() as u64)),
    };
    let span_of_list = source.span.clone();
    let mut recorder = Recorder::new(source, None);
    recorder.is_from_file = span.is_some();
    layout
        .walk_item(list.as_slice(), &span_of_list, at, &mut recorder)
        .ok()?;
    Some(recorder.finish())
}

/// Bytes that values share.
struct Source<'b> {
    bytes: StoredBytes<'b>,
    /// A span that starts with the bytes.
    span: Span,
}

impl<'b> Source<'b> {
    /// Returns the bytes at a span; `None` if the span is in another block, or the range is not inside.
    fn slice(&self, span: &Span) -> Option<StoredBytes<'b>> {
        let range = span.range();
        if !span.is_in_space_of(&self.span) {
            return None;
        }
        let start = range.start.checked_sub(self.span.range().start)?;
        let end = start.checked_add(range.end.checked_sub(range.start)?)?;
        self.bytes.slice(start as usize..end as usize)
    }
}

/// Data of a block, added to the tree after the walk.
enum BlockData<'b> {
    Packed(PackedBlock<'b>),
    Trailing(Cow<'b, [u8]>),
}

/// A struct or array whose content is being read.
struct OpenGroup<'b> {
    /// The number of segments in its path.
    depth: usize,
    parts: Parts<'b>,
    /// Whether the items stay in the bytes of the file.
    is_stored: bool,
}

struct Recorder<'b, 'p> {
    source: Source<'b>,
    /// The paths whose blocks are unpacked; `None` for all.
    paths: Option<&'p [Vec<Segment>]>,
    /// Whether the values have spans.
    is_from_file: bool,
    root: TreeNode<'b>,
    /// The groups that enclose the current value.
    open_groups: Vec<OpenGroup<'b>>,
    blocks: Vec<(Vec<Segment>, BlockData<'b>)>,
    inline_blocks: InlineBlockSpans,
    covered: CoveredRanges,
}

impl<'b, 'p> Recorder<'b, 'p> {
    fn new(source: Source<'b>, paths: Option<&'p [Vec<Segment>]>) -> Recorder<'b, 'p> {
        Recorder {
            source,
            paths,
            is_from_file: true,
            root: TreeNode::default(),
            open_groups: Vec::new(),
            blocks: Vec::new(),
            inline_blocks: InlineBlockSpans::default(),
            covered: CoveredRanges::default(),
        }
    }

    /// Returns the value that was read.
    fn finish(mut self) -> TreeNode<'b> {
        for (path, data) in self.blocks {
            let block = path
                .iter()
                .try_fold(&mut self.root, |node, step| node.child_mut(*step));
            let Some(block) = block else { continue };
            match data {
                BlockData::Packed(packed) => block.parts_mut().packed = Some(packed),
                BlockData::Trailing(bytes) => block.parts_mut().trailing = Some(bytes),
            }
        }
        self.root
    }

    /// Shares the bytes of a span with the file or list, or copies them if they are in an unpacked block.
    fn stored_bytes(&self, span: &Span, bytes: &[u8]) -> StoredBytes<'b> {
        let shared = self.source.slice(span);
        shared.unwrap_or_else(|| StoredBytes::copied(bytes))
    }

    /// Borrows the bytes of a span from the file, or copies them.
    fn block_bytes(&self, span: &Span, bytes: &[u8]) -> Cow<'b, [u8]> {
        match self.source.slice(span) {
            Some(StoredBytes::Borrowed(bytes)) => Cow::Borrowed(bytes),
            _ => Cow::Owned(bytes.to_vec()),
        }
    }

    fn span_of(&self, node: &Node) -> Option<Span> {
        self.is_from_file.then(|| node.span.clone())
    }

    /// Adds a value to the innermost group.
    fn add_value(&mut self, path: &[Segment], node: TreeNode<'b>) {
        match (self.open_groups.last_mut(), path.last()) {
            (Some(group), Some(Segment::Index(_))) => group.parts.items.push(node),
            (Some(group), Some(Segment::Field(name))) => group.parts.fields.push((name, node)),
            _ => self.root = node,
        }
    }
}

impl Visitor for Recorder<'_, '_> {
    fn enter(&mut self, node: &Node) -> Visit {
        let is_stored = !node.step.is_some_and(Step::is_related)
            && node
                .ty
                .item_type_and_count()
                .is_some_and(|(item, _)| is_contiguous(item));
        self.open_groups.push(OpenGroup {
            depth: node.path.len(),
            parts: Parts::default(),
            is_stored,
        });
        if is_stored { Visit::Index } else { Visit::All }
    }

    fn visit_leaf(&mut self, node: &Node, value: &Value) -> ControlFlow<()> {
        if node.bit_field.is_some() {
            return ControlFlow::Continue(());
        }
        self.covered.add(&node.span);
        let leaf = match value {
            Value::Text(text) if text.len() == node.bytes.len() => Leaf::Unterminated(text.clone()),
            value => Leaf::Value(value.clone()),
        };
        let value = TreeNode {
            ty: Some(node.ty),
            field: node.field,
            span: self.span_of(node),
            ..leaf.into()
        };
        self.add_value(node.path, value);
        ControlFlow::Continue(())
    }

    fn visit_magic(&mut self, node: &Node) -> ControlFlow<()> {
        // Magic bytes are not recorded, since the declaration determines them.
        self.covered.add(&node.span);
        ControlFlow::Continue(())
    }

    fn should_unpack(&mut self, node: &Node) -> bool {
        self.inline_blocks.add(node);
        let Some(block) = node.field.and_then(|field| field.block) else {
            return true;
        };
        if block.packing == Packing::Stored {
            return true;
        }
        self.covered.add(&node.span);
        let is_open = block.packing.is_custom()
            || self
                .paths
                .is_none_or(|paths| paths.iter().any(|path| path.starts_with(node.path)));
        let packed = PackedBlock {
            bytes: self.block_bytes(&node.span, node.bytes),
            span: Some(node.span.clone()),
            is_open,
            field: node.field,
        };
        self.blocks
            .push((node.own_path(), BlockData::Packed(packed)));
        is_open
    }

    fn leave(&mut self, node: &Node) -> ControlFlow<()> {
        self.covered.add(&node.span);
        let Some(group) = self.open_groups.pop() else {
            return ControlFlow::Continue(());
        };
        let mut parts = group.parts;
        if group.is_stored
            && let Some((item, _)) = node.ty.item_type_and_count()
        {
            let encoding = match &node.items {
                Some(layout) => ItemEncoding::Walked(layout.clone()),
                None => ItemEncoding::Numbers(item),
            };
            let following = node
                .items
                .as_ref()
                .map_or(&[][..], |items| items.following());
            let mut span = node.span.clone();
            let bytes = if following.is_empty() {
                self.stored_bytes(&span, node.bytes)
            } else {
                let Range { start, end } = *span.range();
                span = span.with_range(start..end + following.len() as u64);
                self.stored_bytes(&span, &[node.bytes, following].concat())
            };
            let count = node.count.unwrap_or_default();
            parts.items =
                Items::stored(bytes, node.bytes.len(), self.span_of(node), encoding, count);
        }
        // The content of an inline block has the path of the enclosing struct: add its parts to that struct.
        if let Some(outer) = self.open_groups.last_mut()
            && outer.depth == group.depth
        {
            outer.parts.fields.extend(parts.fields);
            outer.parts.items.append(parts.items);
            return ControlFlow::Continue(());
        }
        let group = TreeNode {
            parts: Some(Box::new(parts)),
            ty: Some(node.ty),
            field: node.field,
            span: self.span_of(node),
            ..TreeNode::default()
        };
        self.add_value(node.path, group);
        ControlFlow::Continue(())
    }

    fn visit_trailing(&mut self, path: &[Segment], span: Span, bytes: &[u8]) {
        self.covered.add(&span);
        let bytes = self.block_bytes(&span, bytes);
        let mut path = path.to_vec();
        // The file may end with an inline block, too.
        if !self.open_groups.is_empty() {
            let name = self.inline_blocks.block_before(&path, &span);
            path.extend(name.map(Segment::Field));
        }
        self.blocks.push((path, BlockData::Trailing(bytes)));
    }
}

/// Returns `true` if values of this type are stored in one piece: no part is packed or at an explicit offset, and no part is
/// a list whose items take arguments from another one.
pub(super) fn is_contiguous(ty: &Type) -> bool {
    match ty {
        Type::Array(item, _) | Type::List(item) => is_contiguous(item),
        Type::Declared(declaration) => declaration.fields().all(|field| {
            let is_packed = field
                .block
                .is_some_and(|block| block.packing != Packing::Stored);
            field.position.is_none()
                && field.each.is_none()
                && !is_packed
                && is_contiguous(&field.content_type())
        }),
        _ => true,
    }
}
