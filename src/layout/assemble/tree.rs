//! Given values, as a tree by path.

use std::borrow::Cow;
use std::cell::Cell;
use std::ops::Range;

use crate::layout::declaration::Type;
use crate::layout::expr::Value;
use crate::layout::walk::Segment;

/// A given value: the value itself, its parts, or both for a packed word. Empty if nothing is given.
#[derive(Debug, Clone, Default)]
pub(super) struct Tree<'b> {
    pub(super) leaf: Option<Tracked<Provided<'b>>>,
    pub(super) group: Option<Box<Group<'b>>>,
    /// The range in the original file, if the value has an explicit offset.
    pub(super) origin: Option<Box<Range<u64>>>,
    /// Whether it and its parts are never recomputed.
    pub(super) is_fixed: bool,
}

/// A given value, marked once the assembler uses it.
#[derive(Debug, Clone)]
pub(super) struct Tracked<T> {
    content: T,
    is_used: Cell<bool>,
}

impl<T> Tracked<T> {
    /// Returns the content and marks it as used.
    pub(super) fn take(&self) -> &T {
        self.is_used.set(true);
        &self.content
    }

    /// Returns the content without marking it.
    pub(super) fn peek(&self) -> &T {
        &self.content
    }

    pub(super) fn peek_mut(&mut self) -> &mut T {
        &mut self.content
    }
}

impl<T> From<T> for Tracked<T> {
    fn from(content: T) -> Tracked<T> {
        Tracked { content, is_used: Cell::new(false) }
    }
}

/// The representation of a given value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Provided<'b> {
    Value(Value),
    /// Text to be parsed by the type.
    Text(String),
    /// A string without its NUL, as bytes.
    Unterminated(Vec<u8>),
    /// A struct or array as bytes, and the number of items for an array.
    Bytes(Cow<'b, [u8]>, u64),
    /// An array of plain numbers of this type, as bytes.
    Numbers(&'static Type, Cow<'b, [u8]>),
}

/// The parts of a struct or array, or the fields of a packed word.
#[derive(Debug, Clone, Default)]
pub(super) struct Group<'b> {
    pub(super) magic: Option<Tracked<Vec<u8>>>,
    /// The packed bytes of a block; the other members are its content.
    pub(super) packed: Option<Tracked<Cow<'b, [u8]>>>,
    pub(super) trailing: Option<Tracked<Cow<'b, [u8]>>>,
    pub(super) fields: Vec<(&'static str, Tree<'b>)>,
    pub(super) items: Vec<Tree<'b>>,
}

impl<'b> From<Provided<'b>> for Tree<'b> {
    fn from(given: Provided<'b>) -> Tree<'b> {
        Tree { leaf: Some(given.into()), ..Tree::default() }
    }
}

impl<'b> Tree<'b> {
    pub(super) fn is_absent(&self) -> bool {
        self.leaf.is_none() && self.group.is_none()
    }

    /// Whether it contains a value. A tree without one may still be [fixed](Tree::is_fixed).
    pub(super) fn has_value(&self) -> bool {
        let group = self.group.as_ref();
        self.leaf.is_some()
            || group.is_some_and(|group| group.fields.iter().any(|(_, tree)| tree.has_value()))
    }

    /// Replaces the value. Keeps the origin and packed bytes, and the fields of a packed word, which may be given
    /// in addition.
    pub(super) fn put(&mut self, value: Tree<'b>) {
        self.leaf = value.leaf;
        if let Some(new) = value.group {
            let group = self.group();
            (group.fields, group.items) = (new.fields, new.items);
        }
    }

    /// Returns the part at a step of a path.
    pub(super) fn child(&self, step: Segment) -> Option<&Tree<'b>> {
        let group = self.group.as_ref()?;
        match step {
            Segment::Field(name) => group.fields.iter().find(|(own, _)| *own == name).map(|(_, tree)| tree),
            Segment::Index(index) => group.items.get(usize::try_from(index).ok()?),
        }
    }

    /// Returns the group, and creates it if necessary.
    pub(super) fn group(&mut self) -> &mut Group<'b> {
        self.group.get_or_insert_default()
    }

    /// Returns the part at a step, and creates it if necessary; `None` past the end of a list.
    pub(super) fn entry(&mut self, step: Segment) -> Option<&mut Tree<'b>> {
        match step {
            Segment::Field(name) => {
                let group = self.group();
                let found = group.fields.iter().rposition(|(own, _)| *own == name);
                let index = found.unwrap_or_else(|| {
                    group.fields.push((name, Tree::default()));
                    group.fields.len() - 1
                });
                Some(&mut group.fields.get_mut(index)?.1)
            }
            Segment::Index(index) => {
                self.split_numbers();
                let group = self.group();
                let index = usize::try_from(index).ok()?;
                if index == group.items.len() {
                    group.items.push(Tree::default());
                }
                group.items.get_mut(index)
            }
        }
    }

    /// Splits an array of numbers into items.
    fn split_numbers(&mut self) {
        if let Some(Provided::Numbers(ty, bytes)) = self.leaf.as_ref().map(Tracked::peek) {
            let size = ty.size().map_or(1, |size| size as usize);
            let items =
                bytes.chunks_exact(size).map(|bytes| Provided::Value(ty.value_of(bytes)).into()).collect();
            self.leaf = None;
            self.group().items = items;
        }
    }

    /// Clears the marks of used values.
    pub(super) fn clear_marks(&self) {
        self.leaf.iter().for_each(|leaf| leaf.is_used.set(false));
        let Some(group) = &self.group else { return };
        group.magic.iter().for_each(|magic| magic.is_used.set(false));
        let blocks = group.packed.iter().chain(&group.trailing);
        blocks.for_each(|bytes| bytes.is_used.set(false));
        group.fields.iter().for_each(|(_, field)| field.clear_marks());
        group.items.iter().for_each(Tree::clear_marks);
    }

    /// Returns `true` if a value was not used; `path` then becomes its path.
    pub(super) fn has_unused(&self, path: &mut Vec<Segment>) -> bool {
        if is_unused(&self.leaf) {
            return true;
        }
        let Some(group) = &self.group else { return false };
        if is_unused(&group.magic) || is_unused(&group.packed) || is_unused(&group.trailing) {
            return true;
        }
        let fields = group.fields.iter().map(|(name, tree)| (Segment::Field(name), tree));
        let items = group.items.iter().enumerate();
        let items = items.map(|(index, tree)| (Segment::Index(index as u64), tree));
        for (step, tree) in fields.chain(items) {
            path.push(step);
            if tree.has_unused(path) {
                return true;
            }
            path.pop();
        }
        false
    }
}

fn is_unused<T>(given: &Option<Tracked<T>>) -> bool {
    given.as_ref().is_some_and(|given| !given.is_used.get())
}
