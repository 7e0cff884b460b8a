//! A value of a tree, and its parts.

use std::borrow::Cow;

use super::items::{Items, Section};
use crate::Span;
use crate::layout::declaration::{Block, Field, Type};
use crate::layout::expr::{Expr, Value};
use crate::layout::walk::Segment;

/// A value, whole or in parts; a packed word may be given both ways. Empty if the value is omitted.
#[derive(Debug, Clone, Default)]
pub(in crate::layout) struct TreeNode<'b> {
    /// The value, unless only its parts are given.
    pub leaf: Option<Leaf>,
    pub parts: Option<Box<Parts<'b>>>,
    /// The type and the field of a value that was read from a file; `None` for a new value.
    pub ty: Option<&'static Type>,
    pub field: Option<&'static Field>,
    /// The span in the file that the value was read from; `None` for a new value.
    pub span: Option<Span>,
    pub recomputation: Recomputation,
}

/// A number, packed word or string.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::layout) enum Leaf {
    /// A number, packed word or string of the declared type.
    Value(Value),
    /// Text that is parsed according to the type of the field.
    Text(String),
    /// The bytes of a string without its terminating NUL.
    Unterminated(Vec<u8>),
}

/// The parts of a struct or array, or the fields of a packed word.
#[derive(Debug, Clone, Default)]
pub(in crate::layout) struct Parts<'b> {
    /// The magic bytes of a struct, if they differ from the declared ones.
    pub magic: Option<Vec<u8>>,
    /// The packed bytes of a block, whose content is in `fields` and `items`.
    pub packed: Option<PackedBlock<'b>>,
    /// The trailing bytes of a block or file.
    pub trailing: Option<Cow<'b, [u8]>>,
    pub fields: Vec<(&'static str, TreeNode<'b>)>,
    pub items: Items<'b>,
}

/// The packed bytes of a block.
#[derive(Debug, Clone)]
pub(in crate::layout) struct PackedBlock<'b> {
    pub bytes: Cow<'b, [u8]>,
    /// The span of the packed bytes; `None` for a new block.
    pub span: Option<Span>,
    /// Whether the content was read.
    pub is_open: bool,
    /// The field that declares the block; `None` for a new block.
    pub field: Option<&'static Field>,
}

/// Whether the assembler may replace a given value that conflicts with others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::layout) enum Recomputation {
    /// If the caller asks for it.
    #[default]
    OnRequest,
    Never,
    Always,
}

/// A block that was not read from a file.
impl From<Vec<u8>> for PackedBlock<'_> {
    fn from(bytes: Vec<u8>) -> Self {
        PackedBlock {
            bytes: bytes.into(),
            span: None,
            is_open: false,
            field: None,
        }
    }
}

impl PackedBlock<'_> {
    fn block(&self) -> Option<Block> {
        self.field?.block
    }

    /// Returns `true` if the content belongs to the struct that contains the block.
    pub fn is_inline(&self) -> bool {
        self.block().is_some_and(|block| block.inline)
    }

    /// Returns the paths of the stored sizes of the block, relative to the struct that contains it.
    pub fn size_paths(&self) -> Vec<&'static [&'static str]> {
        let sizes = [
            self.field.and_then(|field| field.count),
            self.block().and_then(|block| block.size),
        ];
        let mut paths = Vec::new();
        for size in sizes.iter().flatten() {
            size.visit(&mut |part| {
                if let Expr::Path(names) = part {
                    paths.push(*names);
                }
            });
        }
        paths
    }
}

impl<'b> From<Leaf> for TreeNode<'b> {
    fn from(leaf: Leaf) -> TreeNode<'b> {
        TreeNode {
            leaf: Some(leaf),
            ..TreeNode::default()
        }
    }
}

impl Leaf {
    fn max_size(&self) -> u64 {
        match self {
            Leaf::Value(Value::Text(text)) => 1 + text.len() as u64,
            Leaf::Value(_) => 16,
            Leaf::Text(text) => 16 + text.len() as u64,
            Leaf::Unterminated(text) => 1 + text.len() as u64,
        }
    }
}

impl<'b> TreeNode<'b> {
    /// Creates an empty struct or list.
    pub fn empty_group() -> TreeNode<'b> {
        TreeNode {
            parts: Some(Box::default()),
            ..TreeNode::default()
        }
    }

    pub fn is_empty(&self) -> bool {
        self.leaf.is_none() && self.parts.is_none()
    }

    /// Returns `true` for a string without its terminating NUL.
    pub fn lacks_nul(&self) -> bool {
        matches!(self.leaf, Some(Leaf::Unterminated(_)))
    }

    /// Returns `true` if a field or item is given.
    pub fn has_parts(&self) -> bool {
        let parts = self.parts.as_ref();
        parts.is_some_and(|parts| !parts.fields.is_empty() || !parts.items.is_empty())
    }

    /// Returns `true` if a value or one of its fields is given.
    pub fn has_value(&self) -> bool {
        let mut fields = self.parts.iter().flat_map(|parts| &parts.fields);
        self.leaf.is_some() || fields.any(|(_, field)| field.has_value())
    }

    /// Returns an upper bound on the size of the value in bytes.
    pub fn max_size(&self) -> u64 {
        let leaf = self.leaf.as_ref().map_or(0, Leaf::max_size);
        let Some(parts) = &self.parts else {
            return leaf;
        };
        let magic = parts.magic.as_ref().map_or(0, Vec::len);
        let packed = parts.packed.as_ref().map_or(0, |block| block.bytes.len());
        let trailing = parts.trailing.as_ref().map_or(0, |bytes| bytes.len());
        let own = leaf.saturating_add((magic + packed + trailing) as u64);
        parts
            .fields
            .iter()
            .map(|(_, field)| field.max_size())
            .fold(own, u64::saturating_add)
            .saturating_add(parts.items.max_size())
    }

    /// Replaces the value and, if the new one has parts, the fields and items. Keeps all other data.
    pub fn set_value(&mut self, value: TreeNode<'b>) {
        self.leaf = value.leaf;
        if let Some(new) = value.parts {
            let parts = self.parts_mut();
            (parts.fields, parts.items) = (new.fields, new.items);
        }
    }

    /// Sets the recomputation of the value and all of its parts.
    pub fn set_recomputation(&mut self, recomputation: Recomputation) {
        self.recomputation = recomputation;
        if let Some(parts) = &mut self.parts {
            parts
                .fields
                .iter_mut()
                .map(|(_, field)| field)
                .chain(parts.items.given_mut())
                .for_each(|part| part.set_recomputation(recomputation));
        }
    }

    /// Returns the parts; creates an empty group if the value has no parts.
    pub fn parts_mut(&mut self) -> &mut Parts<'b> {
        self.parts.get_or_insert_default()
    }

    /// Returns the field `name`; `None` if it is omitted.
    pub fn field(&self, name: &str) -> Option<&TreeNode<'b>> {
        let fields = &self.parts.as_ref()?.fields;
        fields
            .iter()
            .find(|(own, _)| *own == name)
            .map(|(_, field)| field)
    }

    /// Returns the existing field with these names, the outermost first.
    pub fn nested_field_mut(&mut self, names: &[&str]) -> Option<&mut TreeNode<'b>> {
        names.iter().try_fold(self, |node, name| {
            let fields = &mut node.parts.as_mut()?.fields;
            fields
                .iter_mut()
                .find(|(own, _)| own == name)
                .map(|(_, field)| field)
        })
    }

    /// Returns the field or item at a step of a path; `None` if it is omitted.
    pub fn child(&self, step: Segment) -> Option<Cow<'_, TreeNode<'b>>> {
        match step {
            Segment::Field(name) => self.field(name).map(Cow::Borrowed),
            Segment::Index(index) => self.parts.as_ref()?.items.get(index),
        }
    }

    /// Returns the field, item or bit field at a step of a path; `None` if it is omitted.
    pub fn part(&self, step: Segment) -> Option<Cow<'_, TreeNode<'b>>> {
        let child = self.child(step);
        if child.is_some() {
            return child;
        }
        let Segment::Field(name) = step else {
            return None;
        };
        let mut fields = self.bit_fields();
        fields.find(|(own, _)| *own == name).map(|(_, field)| field)
    }

    /// Returns the names and values of the fields of a packed word; none for other values.
    pub fn bit_fields(&self) -> impl Iterator<Item = (&'static str, Cow<'_, TreeNode<'b>>)> {
        let word = match &self.leaf {
            Some(Leaf::Value(Value::Bits(word, declaration))) => Some((*word, *declaration)),
            _ => None,
        };
        word.into_iter().flat_map(move |(word, declaration)| {
            declaration.bit_fields().iter().map(move |field| {
                let value = TreeNode {
                    span: self.span.clone(),
                    ..Leaf::Value(field.value(word)).into()
                };
                (field.name, Cow::Owned(value))
            })
        })
    }

    /// Returns the field or item at a step of a path, and creates it if necessary. Returns `None` for an index past the
    /// end of a list; the index at the end adds an item.
    pub fn child_mut(&mut self, step: Segment) -> Option<&mut TreeNode<'b>> {
        let parts = self.parts_mut();
        match step {
            Segment::Field(name) => {
                let position = parts.fields.iter().rposition(|(own, _)| *own == name);
                let index = position.unwrap_or_else(|| {
                    parts.fields.push((name, TreeNode::default()));
                    parts.fields.len() - 1
                });
                Some(&mut parts.fields.get_mut(index)?.1)
            }
            Segment::Index(index) => {
                if index == parts.items.len() {
                    parts.items.push(TreeNode::default());
                }
                parts.items.get_mut(index)
            }
        }
    }

    /// Returns the number of steps of `path` that lead to an existing field or item.
    pub fn existing_steps(&self, path: &[Segment]) -> usize {
        let Some((step, rest)) = path.split_first() else {
            return 0;
        };
        self.child(*step)
            .map_or(0, |child| 1 + child.existing_steps(rest))
    }

    /// Returns `true` if the value has a field or item that `other` lacks, and extends `path` to the first one. Of
    /// stored items, only the number is compared.
    pub fn has_more_than(&self, other: &TreeNode, path: &mut Vec<Segment>) -> bool {
        let Some(parts) = self.parts.as_ref().filter(|_| other.leaf.is_none()) else {
            return false;
        };
        // A block without content, whose bytes are given, is no field of the other value.
        let is_given = |field: &TreeNode| field.leaf.is_some() || field.has_parts();
        for (name, field) in parts.fields.iter().filter(|(_, field)| is_given(field)) {
            path.push(Segment::Field(name));
            let other = other.field(name);
            if other.is_none_or(|other| field.has_more_than(other, path)) {
                return true;
            }
            path.pop();
        }
        let count = other.parts.as_ref().map_or(0, |other| other.items.len());
        if parts.items.len() > count {
            path.push(Segment::Index(count));
            return true;
        }
        let mut first = 0;
        for section in parts.items.sections() {
            let indices = first..first + section.len();
            first = indices.end;
            let Section::Given(items) = section else {
                continue;
            };
            let others = other.parts.iter().map(|parts| &parts.items);
            let compared = indices.clone();
            let mut others = others.flat_map(|others| others.range(compared.clone()));
            for (item, index) in items.iter().zip(indices) {
                path.push(Segment::Index(index));
                let other = others.next();
                if other.is_none_or(|other| item.has_more_than(&other, path)) {
                    return true;
                }
                path.pop();
            }
        }
        false
    }

    /// Returns the packed bytes of a block.
    pub fn packed(&self) -> Option<&PackedBlock<'b>> {
        self.parts.as_ref()?.packed.as_ref()
    }

    /// Returns the span of a field as stored: of the packed bytes, if the value is in a packed block.
    pub fn stored_span(&self) -> Option<&Span> {
        let packed = self.packed().and_then(|block| block.span.as_ref());
        packed.or(self.span.as_ref())
    }
}
