//! Reads the values of a file into a tree.

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};

use super::Tree;
use super::items::{ItemEncoding, Items};
use super::node::{Leaf, Node, PackedBlock, Parts};
use crate::layout::covered_ranges::CoveredRanges;
use crate::layout::declaration::{Block, Field, Packing, Type};
use crate::layout::expr::{Expr, Value};
use crate::layout::walk::{Fault, ItemLayout, Node as WalkNode, Segment, Visit, Visitor, walk};
use crate::{Limits, Span};

/// Reads the values of a file into a tree.
pub(super) fn record_file<'b>(
    ty: &'static Type,
    bytes: &'b [u8],
    limits: &Limits,
) -> Result<Tree<'b>, Fault> {
    let mut recorder = Recorder::new(Some(Source { bytes, start: 0 }));
    let end = walk(ty, bytes, limits, &mut recorder)?;
    let gaps = std::mem::take(&mut recorder.covered).gaps(bytes.len() as u64);
    let gaps = gaps
        .into_iter()
        .map(|gap| (gap.start, Cow::Borrowed(bytes_in(bytes, &gap))))
        .collect();
    let root = Node {
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

/// Decodes the item at the offset `at` of a list with these bytes and this span.
pub(super) fn decode_item<'b>(
    layout: &ItemLayout,
    list: &Cow<'b, [u8]>,
    span: &Span,
    at: u64,
) -> Option<Node<'b>> {
    let source = match list {
        Cow::Borrowed(bytes) => Some(Source {
            bytes,
            start: span.range().start,
        }),
        Cow::Owned(_) => None,
    };
    let mut recorder = Recorder::new(source);
    layout.walk_item(list, span, at, &mut recorder).ok()?;
    Some(recorder.finish())
}

fn bytes_in<'b>(bytes: &'b [u8], range: &Range<u64>) -> &'b [u8] {
    // The walker only reports ranges within the file.
    bytes
        .get(range.start as usize..range.end as usize)
        .unwrap_or_default()
}

/// A part of the file that the tree borrows from.
struct Source<'b> {
    bytes: &'b [u8],
    /// The offset of the bytes in the file.
    start: u64,
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

struct Recorder<'b> {
    /// The part of the file that the walk covers; `None` if the tree cannot borrow from it.
    source: Option<Source<'b>>,
    root: Node<'b>,
    /// The groups that enclose the current value.
    open_groups: Vec<OpenGroup<'b>>,
    blocks: Vec<(Vec<Segment>, BlockData<'b>)>,
    covered: CoveredRanges,
}

impl<'b> Recorder<'b> {
    fn new(source: Option<Source<'b>>) -> Recorder<'b> {
        Recorder {
            source,
            root: Node::default(),
            open_groups: Vec::new(),
            blocks: Vec::new(),
            covered: CoveredRanges::default(),
        }
    }

    /// Returns the value that was read.
    fn finish(mut self) -> Node<'b> {
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

    /// Borrows the bytes of a span from the file, or copies them if they are in an unpacked block.
    fn content_bytes(&self, span: &Span, bytes: &[u8]) -> Cow<'b, [u8]> {
        match (span, &self.source) {
            (Span::Bytes(range), Some(source)) => {
                let range = range.start - source.start..range.end - source.start;
                Cow::Borrowed(bytes_in(source.bytes, &range))
            }
            _ => Cow::Owned(bytes.to_vec()),
        }
    }

    /// Adds a value to the innermost group.
    fn add_value(&mut self, path: &[Segment], node: Node<'b>) {
        match (self.open_groups.last_mut(), path.last()) {
            (Some(group), Some(Segment::Index(_))) => group.parts.items.push(node),
            (Some(group), Some(Segment::Field(name))) => group.parts.fields.push((name, node)),
            _ => self.root = node,
        }
    }
}

impl Visitor for Recorder<'_> {
    fn enter(&mut self, node: &WalkNode) -> Visit {
        let is_stored = node
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

    fn visit_leaf(&mut self, node: &WalkNode, value: &Value) -> ControlFlow<()> {
        if node.bit_field.is_some() {
            return ControlFlow::Continue(());
        }
        self.covered.add(&node.span);
        let leaf = match value {
            Value::Text(text) if text.len() == node.bytes.len() => Leaf::Unterminated(text.clone()),
            value => Leaf::Value(value.clone()),
        };
        let value = Node {
            ty: Some(node.ty),
            field: node.field,
            span: Some(node.span.clone()),
            ..leaf.into()
        };
        self.add_value(node.path, value);
        ControlFlow::Continue(())
    }

    fn visit_magic(&mut self, node: &WalkNode) -> ControlFlow<()> {
        // Magic bytes are not recorded, since the declaration determines them.
        self.covered.add(&node.span);
        ControlFlow::Continue(())
    }

    fn should_unpack(&mut self, node: &WalkNode) -> bool {
        if let Some(block) = node.field.and_then(|field| field.block)
            && block.packing != Packing::Stored
        {
            self.covered.add(&node.span);
            let packed = PackedBlock {
                bytes: self.content_bytes(&node.span, node.bytes),
                span: Some(node.span.clone()),
                is_inline: block.inline,
                size_paths: size_paths(node.field, &block),
            };
            self.blocks
                .push((node.own_path(), BlockData::Packed(packed)));
        }
        true
    }

    fn leave(&mut self, node: &WalkNode) -> ControlFlow<()> {
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
            let bytes = self.content_bytes(&node.span, node.bytes);
            let count = node.count.unwrap_or_default();
            parts.items = Items::stored(bytes, node.span.clone(), encoding, count);
        }
        // The content of an inline block has the path of the enclosing struct: add its parts to that struct.
        if let Some(outer) = self.open_groups.last_mut()
            && outer.depth == group.depth
        {
            outer.parts.fields.extend(parts.fields);
            outer.parts.items.append(parts.items);
            return ControlFlow::Continue(());
        }
        let group = Node {
            parts: Some(Box::new(parts)),
            ty: Some(node.ty),
            field: node.field,
            span: Some(node.span.clone()),
            ..Node::default()
        };
        self.add_value(node.path, group);
        ControlFlow::Continue(())
    }

    fn visit_trailing(&mut self, path: &[Segment], span: Span, bytes: &[u8]) {
        self.covered.add(&span);
        let bytes = self.content_bytes(&span, bytes);
        self.blocks
            .push((path.to_vec(), BlockData::Trailing(bytes)));
    }
}

/// Returns the names of the values that store the packed and unpacked size of a block.
fn size_paths(field: Option<&Field>, block: &Block) -> Vec<&'static [&'static str]> {
    let mut paths = Vec::new();
    for expr in [field.and_then(|field| field.count), block.size]
        .iter()
        .flatten()
    {
        expr.visit(&mut |part| {
            if let Expr::Path(names) = part {
                paths.push(*names);
            }
        });
    }
    paths
}

/// Returns `true` if values of this type are stored in one piece: no part is packed or at an explicit offset.
fn is_contiguous(ty: &Type) -> bool {
    match ty {
        Type::Array(item, _) | Type::List(item) => is_contiguous(item),
        Type::Declared(declaration) => declaration.fields().all(|field| {
            let is_packed = field
                .block
                .is_some_and(|block| block.packing != Packing::Stored);
            field.position.is_none() && !is_packed && is_contiguous(&field.content_type())
        }),
        _ => true,
    }
}
