//! Records the values of a file.

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};

use super::contents::Contents;
use super::tree::{Group, Provided, Tree};
use crate::layout::covered_ranges::CoveredRanges;
use crate::layout::declaration::{Block, Field, Packing, Shape, Type};
use crate::layout::expr::{Expr, Value};
use crate::layout::walk::{Fault, Node, Segment, Visit, Visitor, walk};
use crate::{Limits, Span};

/// Records the values of a file.
///
/// With `near`, values off those paths are kept as bytes where possible, and assembled unchanged.
pub(super) fn record<'b>(
    ty: &'static Type,
    bytes: &'b [u8],
    limits: &Limits,
    near: Option<&[Vec<Segment>]>,
) -> Result<Contents<'b>, Fault> {
    let mut recorder = Recorder {
        file: bytes,
        near,
        contents: Contents::default(),
        open: Vec::new(),
        detached: Vec::new(),
        covered: CoveredRanges::default(),
        is_packed: false,
    };
    let end = walk(ty, bytes, limits, &mut recorder)?;
    let Recorder { mut contents, detached, covered, is_packed, .. } = recorder;
    if !is_packed {
        contents.block_sizes.clear();
    }
    for (path, part) in detached {
        if let Some(tree) = contents.entry(&path) {
            match part {
                Detached::Packed(packed) => tree.group().packed = Some(packed.into()),
                Detached::Trailing(trailing) => tree.group().trailing = Some(trailing.into()),
                Detached::Origin(range) => tree.origin = Some(tree.origin.take().unwrap_or(Box::new(range))),
            }
        }
    }
    let gaps = covered.gaps(bytes.len() as u64).into_iter();
    contents.gaps = gaps.map(|gap| (gap.start, Cow::Borrowed(slice(bytes, &gap)))).collect();
    contents.root.origin = Some(Box::new(0..end));
    contents.size += bytes.len() as u64;
    contents.file_size = Some(bytes.len() as u64);
    Ok(contents)
}

fn slice<'b>(bytes: &'b [u8], range: &Range<u64>) -> &'b [u8] {
    // Bytes that were read are in memory.
    bytes.get(range.start as usize..range.end as usize).unwrap_or_default()
}

/// Data recorded apart from the values.
enum Detached<'b> {
    Packed(Cow<'b, [u8]>),
    Trailing(Cow<'b, [u8]>),
    Origin(Range<u64>),
}

/// The representation of a group's content.
#[derive(Clone, Copy, PartialEq)]
enum Storage {
    Parts,
    Bytes,
    /// As plain numbers of this type, in bytes.
    Numbers(&'static Type),
}

struct Recorder<'b, 'n> {
    file: &'b [u8],
    near: Option<&'n [Vec<Segment>]>,
    contents: Contents<'b>,
    /// The open groups, each with the length of its path and its representation.
    open: Vec<(usize, Group<'b>, Storage)>,
    detached: Vec<(Vec<Segment>, Detached<'b>)>,
    covered: CoveredRanges,
    /// Whether a value at a `near` path is packed.
    is_packed: bool,
}

impl<'b> Recorder<'b, '_> {
    /// Whether a value or a part of it is at a `near` path.
    fn is_near(&self, path: &[Segment]) -> bool {
        self.near.is_none_or(|near| near.iter().any(|wanted| wanted.starts_with(path)))
    }

    /// Returns the bytes of a span; copies unpacked content.
    fn bytes(&mut self, span: &Span, bytes: &[u8]) -> Cow<'b, [u8]> {
        self.contents.size += bytes.len() as u64;
        match span {
            Span::Bytes(range) => Cow::Borrowed(slice(self.file, range)),
            _ => Cow::Owned(bytes.to_vec()),
        }
    }

    /// Adds a value to the innermost group.
    fn add(&mut self, path: &[Segment], tree: Tree<'b>) {
        match (self.open.last_mut(), path.last()) {
            (Some((_, group, _)), Some(Segment::Index(_))) => group.items.push(tree),
            (Some((_, group, _)), Some(Segment::Field(name))) => group.fields.push((name, tree)),
            _ => self.contents.root = tree,
        }
    }

    /// Records the range of a field at an explicit offset.
    fn record_origin(&mut self, node: &Node) {
        if node.field.is_some_and(|field| field.position.is_some()) {
            self.detached.push((node.own_path(), Detached::Origin(node.span.range().clone())));
        }
    }
}

impl Visitor for Recorder<'_, '_> {
    fn enter(&mut self, node: &Node) -> Visit {
        let is_array = matches!(node.ty, Type::Array(..) | Type::List(_));
        // The content of an inline block has the path of its struct, but is a field of it.
        let is_item = node.field.is_none() && matches!(node.path.last(), Some(Segment::Index(_)));
        let is_far = !self.is_near(node.path);
        let storage = match node.ty {
            // Its parts belong to the enclosing struct.
            _ if self.open.last().is_some_and(|(depth, ..)| *depth == node.path.len()) => Storage::Parts,
            Type::Array(item, _) | Type::List(item) if is_plain(item) && (is_far || self.near.is_none()) => {
                Storage::Numbers(item)
            }
            ty if (is_array || is_item) && is_far && is_contiguous(ty) => Storage::Bytes,
            _ => Storage::Parts,
        };
        self.open.push((node.path.len(), Group::default(), storage));
        if storage == Storage::Parts { Visit::All } else { Visit::Nothing }
    }

    fn leaf(&mut self, node: &Node, value: &Value) -> ControlFlow<()> {
        if node.bit_field.is_some() {
            return ControlFlow::Continue(());
        }
        self.covered.add(&node.span);
        self.record_origin(node);
        self.contents.size += node.bytes.len() as u64;
        let given = match value {
            Value::Text(text) if text.len() == node.bytes.len() => Provided::Unterminated(text.clone()),
            value => Provided::Value(value.clone()),
        };
        self.add(node.path, given.into());
        ControlFlow::Continue(())
    }

    fn magic(&mut self, node: &Node) -> ControlFlow<()> {
        // Magic bytes follow from the declaration and need no record.
        self.covered.add(&node.span);
        ControlFlow::Continue(())
    }

    fn unpack(&mut self, node: &Node) -> bool {
        let Some(block) = node.field.and_then(|field| field.block) else { return true };
        if block.packing == Packing::Stored {
            return true;
        }
        self.covered.add(&node.span);
        self.record_origin(node);
        let packed = self.bytes(&node.span, node.bytes);
        self.detached.push((node.own_path(), Detached::Packed(packed)));
        let is_near = self.near.is_some() && self.is_near(node.path);
        self.is_packed |= is_near;
        let outer = node.path.split_last().map_or(node.path, |(_, outer)| outer);
        if self.near.is_some() && self.is_near(outer) {
            self.contents.block_sizes.extend(sizes_of(outer, node.field, &block));
        }
        self.is_near(node.path) || matches!(block.packing, Packing::Coded { .. })
    }

    fn leave(&mut self, node: &Node) -> ControlFlow<()> {
        self.covered.add(&node.span);
        self.record_origin(node);
        let Some((depth, group, storage)) = self.open.pop() else { return ControlFlow::Continue(()) };
        // A struct that replaces its container has the same path, so its parts are added to the container's.
        if let Some((outer, parts, _)) = self.open.last_mut()
            && *outer == depth
        {
            parts.fields.extend(group.fields);
            parts.items.extend(group.items);
            return ControlFlow::Continue(());
        }
        let tree = match storage {
            Storage::Parts => Tree { group: Some(Box::new(group)), ..Tree::default() },
            Storage::Bytes => {
                let bytes = self.bytes(&node.span, node.bytes);
                Provided::Bytes(bytes, node.count.unwrap_or_default()).into()
            }
            Storage::Numbers(item) => Provided::Numbers(item, self.bytes(&node.span, node.bytes)).into(),
        };
        self.add(node.path, tree);
        ControlFlow::Continue(())
    }

    fn trailing(&mut self, path: &[Segment], span: Span, bytes: &[u8]) {
        self.covered.add(&span);
        let bytes = self.bytes(&span, bytes);
        self.detached.push((path.to_vec(), Detached::Trailing(bytes)));
    }
}

/// Returns the paths of the values that determine the packed and the unpacked size of a block.
fn sizes_of(outer: &[Segment], field: Option<&Field>, block: &Block) -> Vec<Vec<Segment>> {
    let count = field.and_then(|field| field.count);
    let sizes = [count, block.size];
    let mut paths = Vec::new();
    for expr in sizes.iter().flatten() {
        expr.visit(&mut |part| {
            if let Expr::Path(names) = part {
                paths.push(
                    outer.iter().copied().chain(names.iter().map(|name| Segment::Field(name))).collect(),
                );
            }
        });
    }
    paths
}

fn is_plain(ty: &Type) -> bool {
    matches!(ty.without_order(), Type::Unsigned(_) | Type::Signed(_) | Type::Float(_))
}

/// Whether values of this type are contiguous in the file.
fn is_contiguous(ty: &Type) -> bool {
    match ty {
        Type::Array(item, _) | Type::List(item) => is_contiguous(item),
        Type::Declared(declaration) => match declaration.shape {
            Shape::Struct(_) | Shape::Choice(_) => declaration.fields().all(|field| {
                let content = field.block.map_or(field.ty, |block| block.content);
                field.position.is_none() && is_contiguous(&content)
            }),
            Shape::Enum { .. } | Shape::Bits { .. } => true,
        },
        _ => true,
    }
}
