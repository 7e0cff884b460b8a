//! Reads the values of a file into a tree.

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};

use super::contents::Contents;
use super::tree::{GivenValue, ValueGroup, ValueTree};
use crate::layout::covered_ranges::CoveredRanges;
use crate::layout::declaration::{Block, Field, Packing, Type};
use crate::layout::expr::{Expr, Value};
use crate::layout::walk::{Fault, Node, Segment, Visit, Visitor, walk};
use crate::{Limits, Span};

/// Reads the values of a file into a tree.
///
/// If `edit_paths` is given, contiguous arrays and items at other paths are stored as bytes. Otherwise, only arrays of
/// plain numbers are.
pub(super) fn record_values<'b>(
    ty: &'static Type,
    bytes: &'b [u8],
    limits: &Limits,
    edit_paths: Option<&[Vec<Segment>]>,
) -> Result<Contents<'b>, Fault> {
    let mut recorder = Recorder {
        file: bytes,
        edit_paths,
        contents: Contents::default(),
        open_groups: Vec::new(),
        detached: Vec::new(),
        covered: CoveredRanges::default(),
        edits_packed_value: false,
    };
    let end = walk(ty, bytes, limits, &mut recorder)?;
    let Recorder {
        mut contents,
        detached,
        covered,
        edits_packed_value,
        ..
    } = recorder;
    if !edits_packed_value {
        contents.block_size_paths.clear();
    }
    for (path, data) in detached {
        if let Some(tree) = contents.get_or_insert(&path) {
            match data {
                DetachedData::Packed(packed) => tree.group_mut().packed = Some(packed.into()),
                DetachedData::Trailing(trailing) => {
                    tree.group_mut().trailing = Some(trailing.into())
                }
                DetachedData::Origin(range) => {
                    tree.origin.get_or_insert(Box::new(range));
                }
            }
        }
    }
    let gaps = covered.gaps(bytes.len() as u64).into_iter();
    contents.gaps = gaps
        .map(|gap| (gap.start, Cow::Borrowed(bytes_in(bytes, &gap))))
        .collect();
    contents.root.origin = Some(Box::new(0..end));
    contents.raise_bound(bytes.len() as u64);
    contents.file_size = Some(bytes.len() as u64);
    Ok(contents)
}

fn bytes_in<'b>(bytes: &'b [u8], range: &Range<u64>) -> &'b [u8] {
    // The walker only reports ranges within the file.
    bytes
        .get(range.start as usize..range.end as usize)
        .unwrap_or_default()
}

/// Data that is added to the tree after the walk.
enum DetachedData<'b> {
    /// The packed bytes of a block.
    Packed(Cow<'b, [u8]>),
    /// The trailing bytes of a file or block.
    Trailing(Cow<'b, [u8]>),
    /// The range of a field at an explicit offset.
    Origin(Range<u64>),
}

/// The representation of a struct or array in the tree.
#[derive(Clone, Copy, PartialEq)]
enum Storage {
    /// As fields or items.
    Parts,
    /// As the bytes of the whole struct or array.
    Bytes,
    /// As the bytes of an array of numbers of this type.
    Numbers(&'static Type),
}

struct Recorder<'b, 'n> {
    file: &'b [u8],
    edit_paths: Option<&'n [Vec<Segment>]>,
    contents: Contents<'b>,
    /// The groups that enclose the current value, each with the length of its path.
    open_groups: Vec<(usize, ValueGroup<'b>, Storage)>,
    detached: Vec<(Vec<Segment>, DetachedData<'b>)>,
    covered: CoveredRanges,
    /// Whether an edited value is in a packed block.
    edits_packed_value: bool,
}

impl<'b> Recorder<'b, '_> {
    /// Returns `true` if the value at `path` or a part of it is edited, or if `edit_paths` is `None`.
    fn is_edited(&self, path: &[Segment]) -> bool {
        self.edit_paths
            .is_none_or(|paths| paths.iter().any(|edited| edited.starts_with(path)))
    }

    /// Borrows the bytes of a span from the file, or copies them if they are in an unpacked block.
    fn content_bytes(&mut self, span: &Span, bytes: &[u8]) -> Cow<'b, [u8]> {
        self.contents.raise_bound(bytes.len() as u64);
        match span {
            Span::Bytes(range) => Cow::Borrowed(bytes_in(self.file, range)),
            _ => Cow::Owned(bytes.to_vec()),
        }
    }

    /// Adds a value to the innermost group.
    fn add_value(&mut self, path: &[Segment], tree: ValueTree<'b>) {
        match (self.open_groups.last_mut(), path.last()) {
            (Some((_, group, _)), Some(Segment::Index(_))) => group.items.push(tree),
            (Some((_, group, _)), Some(Segment::Field(name))) => group.fields.push((name, tree)),
            _ => self.contents.root = tree,
        }
    }

    /// Records the range of a field at an explicit offset.
    fn record_origin(&mut self, node: &Node) {
        if node.field.is_some_and(|field| field.position.is_some()) {
            self.detached.push((
                node.own_path(),
                DetachedData::Origin(node.span.range().clone()),
            ));
        }
    }
}

impl Visitor for Recorder<'_, '_> {
    fn enter(&mut self, node: &Node) -> Visit {
        let is_array = matches!(node.ty, Type::Array(..) | Type::List(_));
        // The content of an inline block has the path of the enclosing struct, which may be an item.
        let is_array_item =
            node.field.is_none() && matches!(node.path.last(), Some(Segment::Index(_)));
        let is_unedited = !self.is_edited(node.path);
        let has_numbers = is_unedited || self.edit_paths.is_none();
        let storage = match node.ty {
            // The content of an inline block: its parts belong to the enclosing struct.
            _ if self
                .open_groups
                .last()
                .is_some_and(|group| group.0 == node.path.len()) =>
            {
                Storage::Parts
            }
            Type::Array(item, _) | Type::List(item) if has_numbers && is_plain_number(item) => {
                Storage::Numbers(item)
            }
            ty if (is_array || is_array_item) && is_unedited && is_contiguous(ty) => Storage::Bytes,
            _ => Storage::Parts,
        };
        self.open_groups
            .push((node.path.len(), ValueGroup::default(), storage));
        if storage == Storage::Parts {
            Visit::All
        } else {
            Visit::Nothing
        }
    }

    fn visit_leaf(&mut self, node: &Node, value: &Value) -> ControlFlow<()> {
        if node.bit_field.is_some() {
            return ControlFlow::Continue(());
        }
        self.covered.add(&node.span);
        self.record_origin(node);
        self.contents.raise_bound(node.bytes.len() as u64);
        let given = match value {
            Value::Text(text) if text.len() == node.bytes.len() => {
                GivenValue::Unterminated(text.clone())
            }
            value => GivenValue::Value(value.clone()),
        };
        self.add_value(node.path, given.into());
        ControlFlow::Continue(())
    }

    fn visit_magic(&mut self, node: &Node) -> ControlFlow<()> {
        // Magic bytes are not recorded, since the declaration determines them.
        self.covered.add(&node.span);
        ControlFlow::Continue(())
    }

    fn should_unpack(&mut self, node: &Node) -> bool {
        let Some(block) = node.field.and_then(|field| field.block) else {
            return true;
        };
        if block.packing == Packing::Stored {
            return true;
        }
        self.covered.add(&node.span);
        self.record_origin(node);
        let packed = self.content_bytes(&node.span, node.bytes);
        self.detached
            .push((node.own_path(), DetachedData::Packed(packed)));
        self.edits_packed_value |= self.edit_paths.is_some() && self.is_edited(node.path);
        let outer = node.path.split_last().map_or(node.path, |(_, outer)| outer);
        if self.edit_paths.is_some() && self.is_edited(outer) {
            self.contents
                .block_size_paths
                .extend(size_paths(outer, node.field, &block));
        }
        self.is_edited(node.path) || matches!(block.packing, Packing::Custom { .. })
    }

    fn leave(&mut self, node: &Node) -> ControlFlow<()> {
        self.covered.add(&node.span);
        self.record_origin(node);
        let Some((depth, group, storage)) = self.open_groups.pop() else {
            return ControlFlow::Continue(());
        };
        // The content of an inline block has the path of the enclosing struct: add its parts to that struct.
        if let Some((outer, parts, _)) = self.open_groups.last_mut()
            && *outer == depth
        {
            parts.fields.extend(group.fields);
            parts.items.extend(group.items);
            return ControlFlow::Continue(());
        }
        let tree = match storage {
            Storage::Parts => ValueTree {
                group: Some(Box::new(group)),
                ..ValueTree::default()
            },
            Storage::Bytes => {
                let bytes = self.content_bytes(&node.span, node.bytes);
                GivenValue::Bytes(bytes, node.count.unwrap_or_default()).into()
            }
            Storage::Numbers(ty) => {
                GivenValue::Numbers(ty, self.content_bytes(&node.span, node.bytes)).into()
            }
        };
        self.add_value(node.path, tree);
        ControlFlow::Continue(())
    }

    fn visit_trailing(&mut self, path: &[Segment], span: Span, bytes: &[u8]) {
        self.covered.add(&span);
        let bytes = self.content_bytes(&span, bytes);
        self.detached
            .push((path.to_vec(), DetachedData::Trailing(bytes)));
    }
}

/// Returns the paths of the values that store the packed and unpacked size of a block in the struct at `outer`.
fn size_paths(outer: &[Segment], field: Option<&Field>, block: &Block) -> Vec<Vec<Segment>> {
    let mut paths = Vec::new();
    for expr in [field.and_then(|field| field.count), block.size]
        .iter()
        .flatten()
    {
        expr.visit(&mut |part| {
            if let Expr::Path(names) = part {
                let names = names.iter().map(|name| Segment::Field(name));
                paths.push(outer.iter().copied().chain(names).collect());
            }
        });
    }
    paths
}

fn is_plain_number(ty: &Type) -> bool {
    matches!(
        ty.without_byte_order(),
        Type::Unsigned(_) | Type::Signed(_) | Type::Float(_)
    )
}

/// Returns `true` if values of this type are contiguous: no part is stored at an explicit offset.
fn is_contiguous(ty: &Type) -> bool {
    match ty {
        Type::Array(item, _) | Type::List(item) => is_contiguous(item),
        Type::Declared(declaration) => declaration
            .fields()
            .all(|f| f.position.is_none() && is_contiguous(&f.content_type())),
        _ => true,
    }
}
