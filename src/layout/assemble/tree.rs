//! Values in the arrangement of their paths.

use std::borrow::Cow;
use std::cell::Cell;

use crate::layout::Value;
use crate::layout::walk::Segment;

/// What is given of a value: the value itself, or its parts; of a packed word maybe both. Nothing, if neither is there.
#[derive(Debug, Clone, Default)]
pub(super) struct Tree<'b> {
    pub(super) leaf: Option<Leaf<'b>>,
    pub(super) group: Option<Box<Group<'b>>>,
}

/// A value as a whole.
#[derive(Debug, Clone)]
pub(super) struct Leaf<'b> {
    pub(super) given: Given<'b>,
    /// Whether the declaration has a place for it.
    pub(super) used: Cell<bool>,
}

/// How a value is given.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Given<'b> {
    Value(Value),
    /// What its type makes of a text.
    Text(String),
    /// The bytes of a string without a NUL.
    Unterminated(Vec<u8>),
    /// A struct or array as it lies in a file, and the number of items of an array.
    Bytes(Cow<'b, [u8]>, u64),
}

/// Parts of a struct or array; the fields of a packed word.
#[derive(Debug, Clone, Default)]
pub(super) struct Group<'b> {
    pub(super) magic: Option<Vec<u8>>,
    /// The packed bytes of a block, of whose content the rest is.
    pub(super) packed: Option<Cow<'b, [u8]>>,
    pub(super) trailing: Option<Cow<'b, [u8]>>,
    pub(super) fields: Vec<(&'static str, Tree<'b>)>,
    pub(super) items: Vec<Tree<'b>>,
}

impl<'b> From<Given<'b>> for Tree<'b> {
    fn from(given: Given<'b>) -> Tree<'b> {
        Tree { leaf: Some(Leaf { given, used: Cell::new(false) }), group: None }
    }
}

impl<'b> Tree<'b> {
    pub(super) fn is_absent(&self) -> bool {
        self.leaf.is_none() && self.group.is_none()
    }

    /// The part that a step of a path leads to.
    pub(super) fn child(&self, step: Segment) -> Option<&Tree<'b>> {
        let group = self.group.as_ref()?;
        match step {
            Segment::Field(name) => group.fields.iter().find(|(own, _)| *own == name).map(|(_, tree)| tree),
            Segment::Index(index) => group.items.get(usize::try_from(index).ok()?),
        }
    }

    /// The parts, of which there are none yet if there was no group.
    pub(super) fn group(&mut self) -> &mut Group<'b> {
        self.group.get_or_insert_default()
    }

    /// The place of the part that a step leads to, made if there is none. `None` behind the end of a list.
    pub(super) fn entry(&mut self, step: Segment) -> Option<&mut Tree<'b>> {
        let group = self.group();
        match step {
            Segment::Field(name) => {
                let found = group.fields.iter().rposition(|(own, _)| *own == name);
                let index = found.unwrap_or_else(|| {
                    group.fields.push((name, Tree::default()));
                    group.fields.len() - 1
                });
                Some(&mut group.fields.get_mut(index)?.1)
            }
            Segment::Index(index) => {
                let index = usize::try_from(index).ok()?;
                if index == group.items.len() {
                    group.items.push(Tree::default());
                }
                group.items.get_mut(index)
            }
        }
    }

    /// Whether there is a value that nothing took, whose path `path` then is.
    pub(super) fn has_unused(&self, path: &mut Vec<Segment>) -> bool {
        if self.leaf.as_ref().is_some_and(|leaf| !leaf.used.get()) {
            return true;
        }
        let Some(group) = &self.group else { return false };
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
