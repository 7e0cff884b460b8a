//! Reads and changes the values of a tree by path.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, Range};

use super::{Leaf, Section, StoredItems, Tree, TreeNode, UntypedValue, number};
use crate::layout::declaration::{Field, Type};
use crate::layout::expr::Value;
use crate::layout::walk::{Segment, is_padding, parse_full_path};
use crate::{Error, Path, Result, Span};

/// A value of a [`Tree`].
#[derive(Debug, Clone)]
pub struct TreeValue<'t>(NodeRef<'t>);

/// A node in a tree, or one decoded from its bytes. Unlike a `Cow`, references to it may be shortened.
#[derive(Debug, Clone)]
enum NodeRef<'t> {
    Borrowed(&'t TreeNode<'t>),
    Owned(TreeNode<'t>),
}

impl<'t> From<Cow<'t, TreeNode<'t>>> for TreeValue<'t> {
    fn from(node: Cow<'t, TreeNode<'t>>) -> TreeValue<'t> {
        TreeValue(match node {
            Cow::Borrowed(node) => NodeRef::Borrowed(node),
            Cow::Owned(node) => NodeRef::Owned(node),
        })
    }
}

impl<'t> Deref for NodeRef<'t> {
    type Target = TreeNode<'t>;

    fn deref(&self) -> &TreeNode<'t> {
        match self {
            NodeRef::Borrowed(node) => node,
            NodeRef::Owned(node) => node,
        }
    }
}

impl TreeValue<'_> {
    /// Returns the span in the file that the value, or the value that it replaces or copies, was read from.
    pub fn span(&self) -> Option<&Span> {
        self.0.span.as_ref()
    }

    /// Returns the type of the value that was read from a file, or that this value replaces or copies. The content of a
    /// block has its own type, not that of the field.
    pub fn ty(&self) -> Option<&'static Type> {
        self.0.ty
    }

    /// Returns the declared field; `None` for the root, for items of arrays, and for values that were not read from a
    /// file.
    pub fn field(&self) -> Option<&'static Field> {
        self.0.field
    }

    /// Returns the number, packed word or string. Returns `None` for a struct or list, and for a value that was set as
    /// text, which is parsed when the file is assembled.
    pub fn scalar(&self) -> Option<&Value> {
        match self.0.leaf.as_ref()? {
            Leaf::Value(value) => Some(value),
            Leaf::Text(_) | Leaf::Unterminated(_) => None,
        }
    }

    /// Returns the text of a string, without its terminating NUL; `None` for other values.
    pub fn text(&self) -> Option<&[u8]> {
        match self.0.leaf.as_ref()? {
            Leaf::Value(Value::Text(text)) | Leaf::Unterminated(text) => Some(text),
            Leaf::Value(_) | Leaf::Text(_) => None,
        }
    }

    /// Returns `true` for the last string of a file or block if it ends without a NUL.
    pub fn lacks_nul(&self) -> bool {
        self.0.lacks_nul()
    }

    /// Returns the names and values of the fields of a struct or packed word, in the order of the file.
    pub fn fields(&self) -> impl Iterator<Item = (&'static str, TreeValue<'_>)> {
        let parts = self.0.parts.iter().flat_map(|parts| &parts.fields);
        let fields = parts.map(|(name, field)| (*name, Cow::Borrowed(field)));
        fields
            .chain(self.0.bit_fields())
            .map(|(name, field)| (name, field.into()))
    }

    /// Returns the bytes that follow the content of a block or file.
    pub fn trailing(&self) -> Option<&[u8]> {
        self.0.parts.as_ref()?.trailing.as_deref()
    }

    /// Returns the number of items; 0 for other values than lists.
    pub fn item_count(&self) -> u64 {
        self.0.parts.as_ref().map_or(0, |parts| parts.items.len())
    }

    /// Returns the bytes of a list that is stored in one piece; `None` for other values.
    pub fn encoded(&self) -> Option<&[u8]> {
        self.stored_items().map(StoredItems::bytes)
    }

    /// Returns the bytes that determine each existing item with these indices: the bytes of the item, and those after
    /// it that its look-aheads read. Returns none if the list is not stored in one piece.
    pub fn encoded_items(&self, indices: Range<u64>) -> impl Iterator<Item = &[u8]> {
        let stored = self.stored_items();
        stored
            .into_iter()
            .flat_map(move |stored| stored.determining_bytes(indices.clone()))
    }

    /// Returns `true` if both values are lists that are stored in one piece, and whose items have the same type and
    /// arguments. Items with the same [bytes](TreeValue::encoded_items) are equal then.
    pub fn has_same_encoding(&self, other: &TreeValue) -> bool {
        match (self.stored_items(), other.stored_items()) {
            (Some(own), Some(other)) => own.encoding().decodes_like(other.encoding()),
            _ => false,
        }
    }

    /// Returns `true` if both values are lists that are stored in one piece, with the same items, type and arguments.
    /// Returns `false` for equal lists if bytes after them differ that look-aheads may read.
    pub fn is_encoded_alike(&self, other: &TreeValue) -> bool {
        match (self.stored_items(), other.stored_items()) {
            (Some(own), Some(other)) => {
                own.len() == other.len()
                    && own.encoding().decodes_like(other.encoding())
                    && own.all_determining_bytes() == other.all_determining_bytes()
            }
            _ => false,
        }
    }

    /// Hashes the type, the arguments and the bytes of a list that is stored in one piece. Lists with different hashes
    /// may be equal, for example if their arguments differ. Returns `false`, and hashes nothing, for other values.
    pub fn hash_encoded(&self, hasher: &mut impl Hasher) -> bool {
        let stored = self.stored_items();
        if let Some(stored) = stored {
            stored.encoding().hash(hasher);
            stored.all_determining_bytes().hash(hasher);
        }
        stored.is_some()
    }

    fn stored_items(&self) -> Option<&StoredItems<'_>> {
        match self.0.parts.as_ref()?.items.sections() {
            [Section::Stored(stored)] => Some(stored),
            _ => None,
        }
    }

    /// Returns the items of a list with these indices, as far as they exist. Items in the bytes of a file are decoded.
    pub fn items(&self, indices: Range<u64>) -> impl Iterator<Item = TreeValue<'_>> {
        let items = self.0.parts.iter().map(|parts| &parts.items);
        items
            .flat_map(move |items| items.range(indices.clone()))
            .map(TreeValue::from)
    }
}

impl<'b> Tree<'b> {
    /// Returns the whole file as a value.
    pub fn root(&self) -> TreeValue<'_> {
        TreeValue(NodeRef::Borrowed(&self.root))
    }

    /// Returns the bytes that no field covers, each range with its offset. Omits
    /// [padding](crate::layout::walk::uncovered).
    pub fn gaps(&self) -> impl Iterator<Item = (u64, &[u8])> {
        let file_size = self.file_size.unwrap_or(u64::MAX);
        self.gaps
            .iter()
            .map(|(offset, bytes)| (*offset, &**bytes))
            .filter(move |(offset, bytes)| !is_padding(*offset, bytes, file_size))
    }

    /// Returns the value at a full path; `None` if there is none.
    ///
    /// ```
    /// use meshspec::layout::expr::Value;
    /// use meshspec::layout::{Layout, tree::Tree};
    ///
    /// let pairs = Tree::read(&<[[u8; 2]; 2] as Layout>::TYPE, &[1, 2, 3, 4], &Default::default())?;
    /// assert_eq!(pairs.get("[1][0]").unwrap().scalar(), Some(&Value::Int(3)));
    /// assert_eq!(pairs.get("[0]").unwrap().item_count(), 2);
    /// assert!(pairs.get("[2]").is_none());
    /// # Ok::<(), meshspec::layout::walk::Fault>(())
    /// ```
    pub fn get(&self, path: impl Into<Path>) -> Option<TreeValue<'_>> {
        let path = self.segments_of(&path.into()).ok()?;
        path.iter()
            .try_fold(Cow::Borrowed(&self.root), |node, step| match node {
                Cow::Borrowed(node) => node.part(*step),
                Cow::Owned(node) => node.part(*step).map(Cow::into_owned).map(Cow::Owned),
            })
            .map(TreeValue::from)
    }

    /// Sets or replaces the value at a full path, and adds a missing field. An index at the end of a list adds an item.
    ///
    /// # Errors
    ///
    /// Returns an error if the layout has no value at `path`, or the path skips a list index. Also returns an error if
    /// `value` has an unknown field or does not fit its bit field.
    pub fn set(&mut self, path: impl Into<Path>, value: impl Into<UntypedValue>) -> Result<()> {
        let path = self.segments_of(&path.into())?;
        let (path, value) = (&path[..], value.into());
        let error = |message| Error::inexpressible(message).at(path);
        let mut node = &mut self.root;
        for (depth, step) in path.iter().enumerate() {
            if let Some(Leaf::Value(Value::Bits(word, declaration))) = &mut node.leaf {
                return number::set_bits(word, declaration, &path[depth..], &value).map_err(error);
            }
            node = node.child_mut(*step).ok_or_else(|| no_item_before(path))?;
        }
        let value = match (&node.leaf, value) {
            // A string without a terminating NUL stays unterminated if its text is replaced.
            (Some(Leaf::Unterminated(_)), UntypedValue::Text(text)) => {
                Leaf::Unterminated(text.into_bytes()).into()
            }
            // Parses the word now, so that later changes can set single bit fields.
            (Some(Leaf::Value(Value::Bits(_, declaration))), UntypedValue::Text(text)) => {
                let word = number::parse_value(&Type::Declared(declaration), &text);
                Leaf::Value(word.map_err(error)?).into()
            }
            (_, value) => value.into_node(self.ty, path)?,
        };
        node.set_value(value);
        Ok(())
    }

    /// Inserts an item before the item at `path`, or at the end of the list; or adds a missing field. The list or
    /// struct that contains it must exist.
    ///
    /// # Errors
    ///
    /// Returns an error if the layout has no value at `path`, the list is too short, or the field exists.
    pub fn insert(&mut self, path: impl Into<Path>, value: impl Into<UntypedValue>) -> Result<()> {
        let path = self.segments_of(&path.into())?;
        let new = value.into().into_node(self.ty, &path)?;
        let (outer, last) = self.split_last(&path, "inserted")?;
        let parts = outer.parts_mut();
        match last {
            Segment::Index(index) if parts.items.insert(index, &new, 1) => Ok(()),
            Segment::Index(_) => {
                Err(Error::inexpressible("is past the end of the list").at(&path[..]))
            }
            Segment::Field(name) if parts.fields.iter().any(|(own, _)| *own == name) => {
                Err(Error::inexpressible("already exists").at(&path[..]))
            }
            Segment::Field(name) => {
                parts.fields.push((name, new));
                Ok(())
            }
        }
    }

    /// Removes the item or field at `path`.
    ///
    /// # Errors
    ///
    /// Returns an error if it does not exist.
    pub fn remove(&mut self, path: impl Into<Path>) -> Result<()> {
        let path = self.segments_of(&path.into())?;
        let (outer, last) = self.split_last(&path, "removed")?;
        let parts = outer.parts_mut();
        let is_removed = match last {
            Segment::Index(index) => parts.items.remove(index),
            Segment::Field(name) => {
                let fields = parts.fields.len();
                parts.fields.retain(|(own, _)| *own != name);
                parts.fields.len() < fields
            }
        };
        if is_removed {
            Ok(())
        } else {
            Err(no_such_value(&path))
        }
    }

    /// Inserts copies of the item at `path` before it.
    ///
    /// # Errors
    ///
    /// Returns an error if `path` leads to no item of a list.
    pub fn repeat(&mut self, path: impl Into<Path>, copies: u16) -> Result<()> {
        let path = self.segments_of(&path.into())?;
        let (outer, last) = self.split_last(&path, "repeated")?;
        let Segment::Index(index) = last else {
            let message = "only items of a list can be repeated";
            return Err(Error::inexpressible(message).at(&path[..]));
        };
        let items = &mut outer.parts_mut().items;
        let item = items.get(index).map(Cow::into_owned);
        let item = item.ok_or_else(|| no_such_value(&path))?;
        items.insert(index, &item, copies.into());
        Ok(())
    }

    /// Moves the item at `path` to another index of its list.
    ///
    /// # Errors
    ///
    /// Returns an error if `path` leads to no item of a list, or the list has no item at `index`.
    pub fn move_item(&mut self, path: impl Into<Path>, index: u64) -> Result<()> {
        let path = self.segments_of(&path.into())?;
        let (outer, last) = self.split_last(&path, "moved")?;
        let items = &mut outer.parts_mut().items;
        if index >= items.len() {
            let message = format!("cannot move to index {index}: the list has no such item");
            return Err(Error::inexpressible(message).at(&path[..]));
        }
        let Segment::Index(from) = last else {
            return Err(no_such_value(&path));
        };
        let moved = items.get(from).map(Cow::into_owned);
        let item = moved.ok_or_else(|| no_such_value(&path))?;
        items.remove(from);
        items.insert(index, &item, 1);
        Ok(())
    }

    /// Returns the struct or list that contains the value at `path`, and the last segment. `change` names the change in
    /// the error for the whole file.
    fn split_last(
        &mut self,
        path: &[Segment],
        change: &str,
    ) -> Result<(&mut TreeNode<'b>, Segment)> {
        let Some((last, outer)) = path.split_last() else {
            return Err(Error::inexpressible(format!(
                "the whole file cannot be {change}"
            )));
        };
        // A failed change must not leave empty structs behind, which would count as given.
        if self.root.existing_steps(outer) < outer.len() {
            return Err(no_such_value(path));
        }
        let outer = self.get_or_insert(outer);
        Ok((outer.ok_or_else(|| no_such_value(path))?, *last))
    }

    /// Returns the segments of a path. Parses the path if it was created from a string.
    pub(in crate::layout) fn segments_of(&self, path: &Path) -> Result<Vec<Segment>> {
        match path.segments() {
            Some(segments) => Ok(segments.to_vec()),
            None => parse_full_path(self.ty, &path.to_string()),
        }
    }
}

fn no_such_value(path: &[Segment]) -> Error {
    Error::inexpressible("no such value").at(path)
}

/// The error for a path whose index is past the end of its list.
pub(super) fn no_item_before(path: &[Segment]) -> Error {
    Error::inexpressible("the path skips a list index").at(path)
}
