//! Stores given values as a tree.

use std::borrow::Cow;
use std::cell::Cell;
use std::ops::Range;

use crate::layout::declaration::Type;
use crate::layout::expr::Value;
use crate::layout::walk::Segment;

/// A given value, whole or in parts; a packed word may be given both ways. Empty if nothing is given.
#[derive(Debug, Clone, Default)]
pub(super) struct ValueTree<'b> {
    /// The value, unless only its parts are given.
    pub leaf: Option<TrackedValue<GivenValue<'b>>>,
    pub group: Option<Box<ValueGroup<'b>>>,
    /// The range in the original file; recorded only for the root and for values at explicit offsets.
    pub origin: Option<Box<Range<u64>>>,
    /// Whether the value and its parts must not be recomputed.
    pub is_fixed: bool,
}

/// Given data, with a flag that is set when the data is used. Unused data is reported as an error.
#[derive(Debug, Clone)]
pub(super) struct TrackedValue<T> {
    content: T,
    is_used: Cell<bool>,
}

impl<T> TrackedValue<T> {
    /// Returns the content and marks it as used.
    pub fn mark_used(&self) -> &T {
        self.is_used.set(true);
        &self.content
    }

    /// Returns the content without marking it.
    pub fn peek(&self) -> &T {
        &self.content
    }

    pub fn peek_mut(&mut self) -> &mut T {
        &mut self.content
    }
}

impl<T> From<T> for TrackedValue<T> {
    fn from(content: T) -> TrackedValue<T> {
        TrackedValue {
            content,
            is_used: Cell::new(false),
        }
    }
}

/// The representation of a given value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum GivenValue<'b> {
    /// A number, packed word or string.
    Value(Value),
    /// Text that is parsed according to the type of the field.
    Text(String),
    /// The bytes of a string without its terminating NUL.
    Unterminated(Vec<u8>),
    /// The bytes of a struct or array, and the number of items for an array.
    Bytes(Cow<'b, [u8]>, u64),
    /// The type of the numbers in an array, and their bytes.
    Numbers(&'static Type, Cow<'b, [u8]>),
}

impl GivenValue<'_> {
    fn max_size(&self) -> u64 {
        match self {
            GivenValue::Value(Value::Text(text)) => 1 + text.len() as u64,
            GivenValue::Value(_) => 16,
            GivenValue::Text(text) => 16 + text.len() as u64,
            GivenValue::Unterminated(text) => 1 + text.len() as u64,
            GivenValue::Bytes(bytes, _) | GivenValue::Numbers(_, bytes) => bytes.len() as u64,
        }
    }
}

/// The parts of a struct or array, or the fields of a packed word.
#[derive(Debug, Clone, Default)]
pub(super) struct ValueGroup<'b> {
    /// The magic bytes of a struct.
    pub magic: Option<TrackedValue<Vec<u8>>>,
    /// The packed bytes of a block, whose content is in `fields` and `items`.
    pub packed: Option<TrackedValue<Cow<'b, [u8]>>>,
    /// The trailing bytes of a block or file.
    pub trailing: Option<TrackedValue<Cow<'b, [u8]>>>,
    pub fields: Vec<(&'static str, ValueTree<'b>)>,
    pub items: Vec<ValueTree<'b>>,
}

impl<'b> From<GivenValue<'b>> for ValueTree<'b> {
    fn from(given: GivenValue<'b>) -> ValueTree<'b> {
        ValueTree {
            leaf: Some(given.into()),
            ..ValueTree::default()
        }
    }
}

impl<'b> ValueTree<'b> {
    pub fn is_empty(&self) -> bool {
        self.leaf.is_none() && self.group.is_none()
    }

    /// Returns an upper bound on the size of the values in bytes.
    pub fn max_size(&self) -> u64 {
        let leaf = self.leaf.as_ref().map_or(0, |leaf| leaf.peek().max_size());
        let Some(group) = &self.group else {
            return leaf;
        };
        let blocks = group
            .packed
            .iter()
            .chain(&group.trailing)
            .map(|bytes| bytes.peek().len());
        let bytes = blocks
            .chain(group.magic.iter().map(|magic| magic.peek().len()))
            .sum::<usize>() as u64;
        let parts = group
            .fields
            .iter()
            .map(|(_, tree)| tree)
            .chain(&group.items)
            .map(ValueTree::max_size);
        parts.fold(leaf.saturating_add(bytes), u64::saturating_add)
    }

    /// Returns `true` if a value or one of its fields is given. A tree without values may still be
    /// [fixed](ValueTree::is_fixed).
    pub fn has_value(&self) -> bool {
        let mut fields = self.group.iter().flat_map(|group| &group.fields);
        self.leaf.is_some() || fields.any(|(_, tree)| tree.has_value())
    }

    /// Replaces the value and, if the new one has parts, the fields and items. Keeps all other data.
    pub fn set_value(&mut self, value: ValueTree<'b>) {
        self.leaf = value.leaf;
        if let Some(new) = value.group {
            let group = self.group_mut();
            (group.fields, group.items) = (new.fields, new.items);
        }
    }

    /// Returns the field or item at a step of a path; `None` if it is omitted.
    pub fn child(&self, step: Segment) -> Option<&ValueTree<'b>> {
        let group = self.group.as_ref()?;
        match step {
            Segment::Field(name) => group
                .fields
                .iter()
                .find(|(own, _)| *own == name)
                .map(|(_, tree)| tree),
            Segment::Index(index) => group.items.get(usize::try_from(index).ok()?),
        }
    }

    /// Returns the parts; creates an empty group if the value has no parts.
    pub fn group_mut(&mut self) -> &mut ValueGroup<'b> {
        self.group.get_or_insert_default()
    }

    /// Returns the field or item at a step of a path, and creates it if necessary. Returns `None` for an index past the
    /// end of a list; the index at the end adds an item.
    pub fn get_or_insert(&mut self, step: Segment) -> Option<&mut ValueTree<'b>> {
        match step {
            Segment::Field(name) => {
                let group = self.group_mut();
                let position = group.fields.iter().rposition(|(own, _)| *own == name);
                let index = position.unwrap_or_else(|| {
                    group.fields.push((name, ValueTree::default()));
                    group.fields.len() - 1
                });
                Some(&mut group.fields.get_mut(index)?.1)
            }
            Segment::Index(index) => {
                self.split_numbers();
                let group = self.group_mut();
                let index = usize::try_from(index).ok()?;
                if index == group.items.len() {
                    group.items.push(ValueTree::default());
                }
                group.items.get_mut(index)
            }
        }
    }

    /// Splits an array of numbers into individual items.
    fn split_numbers(&mut self) {
        if let Some(GivenValue::Numbers(ty, bytes)) = self.leaf.as_ref().map(TrackedValue::peek) {
            let items = bytes.chunks_exact(ty.size().map_or(1, |size| size as usize));
            let items = items
                .map(|bytes| GivenValue::Value(ty.read_value(bytes)).into())
                .collect();
            self.leaf = None;
            self.group_mut().items = items;
        }
    }

    /// Marks all data of the tree as unused.
    pub fn clear_marks(&self) {
        self.leaf.iter().for_each(|leaf| leaf.is_used.set(false));
        let Some(group) = &self.group else { return };
        group
            .magic
            .iter()
            .for_each(|magic| magic.is_used.set(false));
        group
            .packed
            .iter()
            .chain(&group.trailing)
            .for_each(|bytes| bytes.is_used.set(false));
        group
            .fields
            .iter()
            .for_each(|(_, field)| field.clear_marks());
        group.items.iter().for_each(ValueTree::clear_marks);
    }

    /// Returns `true` if any value is unused, and extends `path` to the first one.
    pub fn has_unused(&self, path: &mut Vec<Segment>) -> bool {
        if is_unused(&self.leaf) {
            return true;
        }
        let Some(group) = &self.group else {
            return false;
        };
        if is_unused(&group.magic) || is_unused(&group.packed) || is_unused(&group.trailing) {
            return true;
        }
        let fields = group
            .fields
            .iter()
            .map(|(name, tree)| (Segment::Field(name), tree));
        let items = (0..)
            .zip(&group.items)
            .map(|(index, tree)| (Segment::Index(index), tree));
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

/// Returns `true` for data that was given but not used.
fn is_unused<T>(given: &Option<TrackedValue<T>>) -> bool {
    given.as_ref().is_some_and(|given| !given.is_used.get())
}
