//! The values of a file by the names of its declaration.
//!
//! A [`Tree`] is read from the bytes of a file, or built by setting values by path. The
//! [assembler](super::assemble) writes it as a file.
//!
//! Lists in a file stay in its bytes: items are decoded when they are requested or changed. Only items with packed blocks,
//! fields at explicit offsets, or arguments per item are decoded at once.

mod cursor;
mod items;
#[cfg(feature = "serde")]
mod json;
mod node;
pub(in crate::layout) mod number;
mod record;
mod scalar;
mod stored_bytes;
mod untyped_value;

pub use cursor::TreeValue;
#[cfg(feature = "serde")]
pub(in crate::layout) use json::{ComputedFields, is_placed};
pub use untyped_value::UntypedValue;

use std::borrow::Cow;

use cursor::no_item_before;
pub(in crate::layout) use items::{ItemEncoding, Items, Section, StoredItems};
pub(in crate::layout) use node::{Leaf, Recomputation, TreeNode};

use super::declaration::Type;
use super::expr::Value;
use super::walk::{Fault, Segment};
use crate::{Limits, Path, Result};

/// The values of a file, read from its bytes or set individually by path.
///
/// ```
/// # #[cfg(feature = "mesh")] {
/// use meshspec::layout::tree::Tree;
/// use meshspec::Dialect;
///
/// let file = std::fs::read("samples/mesh/tentacle.mesh")?;
/// let layout = meshspec::mesh::FORMAT.layout_of(&file, Dialect::SPEC).unwrap();
/// let values = Tree::read(layout, &file, &Default::default()).unwrap();
/// assert_eq!(values.assemble(&Default::default())?, file);
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Tree<'b> {
    pub(in crate::layout) ty: &'static Type,
    pub(in crate::layout) root: TreeNode<'b>,
    /// Bytes that no field covers, each range with its offset.
    pub(in crate::layout) gaps: Vec<(u64, Cow<'b, [u8]>)>,
    /// The size of the original file, if the values come from one. Empty lists past its end do not extend a file.
    pub(in crate::layout) file_size: Option<u64>,
}

impl<'b> Tree<'b> {
    /// Creates an empty tree for a file of type `ty`.
    pub fn new(ty: &'static Type) -> Tree<'b> {
        Tree {
            ty,
            root: TreeNode::default(),
            gaps: Vec::new(),
            file_size: None,
        }
    }

    /// Reads all values of a file of type `ty`.
    ///
    /// # Errors
    ///
    /// Returns the first structural fault.
    pub fn read(ty: &'static Type, bytes: &'b [u8], limits: &Limits) -> Result<Tree<'b>, Fault> {
        record::record_file(ty, bytes, limits, None)
    }

    /// Reads the values of a file to change those at `paths`. Packed blocks without these paths stay packed.
    pub(in crate::layout) fn read_to_change(
        ty: &'static Type,
        bytes: &'b [u8],
        limits: &Limits,
        paths: &[Vec<Segment>],
    ) -> Result<Tree<'b>, Fault> {
        record::record_file(ty, bytes, limits, Some(paths))
    }

    /// Sets the magic bytes of the struct at `path`, in place of the declared ones.
    ///
    /// ```
    /// use meshspec::layout::{Layout, tree::Tree};
    ///
    /// #[derive(Layout)]
    /// #[br(little, magic = b"HGT1")]
    /// struct Height {
    ///     metres: f32,
    /// }
    ///
    /// let mut values = Tree::new(&<Height as Layout>::TYPE);
    /// values.set("metres", "1")?;
    /// values.set_magic("", b"HGT9".to_vec())?;
    /// assert_eq!(values.assemble(&Default::default())?, b"HGT9\0\0\x80\x3f");
    /// # Ok::<(), meshspec::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the layout has no value at `path`, or the path skips a list index.
    pub fn set_magic(&mut self, path: impl Into<Path>, bytes: Vec<u8>) -> Result<()> {
        self.node_at(path)?.parts_mut().magic = Some(bytes);
        Ok(())
    }

    /// Sets the original packed bytes of the block at `path`. [`assemble`](Tree::assemble) writes these bytes if
    /// the content of the block is omitted, or equals their unpacked content.
    ///
    /// # Errors
    ///
    /// Returns an error if the layout has no value at `path`, or the path skips a list index.
    pub fn set_packed(&mut self, path: impl Into<Path>, bytes: Vec<u8>) -> Result<()> {
        self.node_at(path)?.parts_mut().packed = Some(bytes.into());
        Ok(())
    }

    /// Sets the trailing bytes of the block at `path`, or of the file if `path` is empty.
    ///
    /// ```
    /// use meshspec::layout::{Layout, tree::Tree};
    ///
    /// let mut values = Tree::new(&<u16 as Layout>::TYPE);
    /// values.set("", "7")?;
    /// values.set_trailing("", vec![0xff])?;
    /// assert_eq!(values.assemble(&Default::default())?, [7, 0, 0xff]);
    /// # Ok::<(), meshspec::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the layout has no value at `path`, or the path skips a list index.
    pub fn set_trailing(&mut self, path: impl Into<Path>, bytes: Vec<u8>) -> Result<()> {
        self.node_at(path)?.parts_mut().trailing = Some(bytes.into());
        Ok(())
    }

    /// Adds bytes at an offset in the file. They are written only where no field is stored.
    ///
    /// ```
    /// use meshspec::layout::{Layout, tree::Tree};
    ///
    /// /// A list at an explicit offset.
    /// #[derive(Layout)]
    /// #[br(little)]
    /// struct Moved {
    ///     offset: u8,
    ///     #[br(seek_before = std::io::SeekFrom::Start(offset as u64), restore_position)]
    ///     value: u8,
    /// }
    ///
    /// let mut values = Tree::new(&<Moved as Layout>::TYPE);
    /// values.set("offset", "3")?;
    /// values.set("value", "7")?;
    /// values.add_gap(1, vec![0xaa, 0xbb]);
    /// assert_eq!(values.assemble(&Default::default())?, [3, 0xaa, 0xbb, 7]);
    /// # Ok::<(), meshspec::Error>(())
    /// ```
    pub fn add_gap(&mut self, offset: u64, bytes: Vec<u8>) {
        self.gaps.push((offset, bytes.into()));
    }

    /// Sets a number, packed word or string; `None` adds an empty list or struct.
    pub(in crate::layout) fn set_value(&mut self, path: &[Segment], value: Option<Value>) {
        if let Some(node) = self.get_or_insert(path) {
            *node = match value {
                Some(value) => Leaf::Value(value).into(),
                None => TreeNode::empty_group(),
            };
        }
    }

    /// Returns the value at `path`, and creates it if necessary; `None` if the path skips a list index.
    pub(in crate::layout) fn get_or_insert(
        &mut self,
        path: &[Segment],
    ) -> Option<&mut TreeNode<'b>> {
        path.iter()
            .try_fold(&mut self.root, |node, step| node.child_mut(*step))
    }

    fn node_at(&mut self, path: impl Into<Path>) -> Result<&mut TreeNode<'b>> {
        let path = self.segments_of(&path.into())?;
        self.get_or_insert(&path)
            .ok_or_else(|| no_item_before(&path))
    }

    /// Returns an upper bound on the size of all values in bytes.
    pub(in crate::layout) fn max_size(&self) -> u64 {
        self.gaps
            .iter()
            .map(|(_, bytes)| bytes.len() as u64)
            .fold(self.root.max_size(), u64::saturating_add)
    }
}
