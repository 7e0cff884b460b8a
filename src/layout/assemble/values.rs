//! The values of a file, accessed by path.

use std::borrow::Cow;

use super::assembler::assemble;
use super::contents::Contents;
use super::number::set_bits;
use super::record::record_values;
use super::tree::{GivenValue, ValueTree};
use super::untyped_value::UntypedValue;
use crate::layout::declaration::Type;
use crate::layout::expr::Value;
use crate::layout::walk::{Fault, Segment, parse_full_path};
use crate::{Error, Limits, Result};

/// The values of a file, read from its bytes or set individually by path. See [the module](super).
///
/// ```
/// # #[cfg(feature = "mesh")] {
/// use meshspec::layout::assemble::FileValues;
/// use meshspec::{Dialect, FormatId};
///
/// let file = std::fs::read("samples/mesh/tentacle.mesh")?;
/// let layout = FormatId::Mesh.layout_of(&file, Dialect::Spec).unwrap();
/// let values = FileValues::read(layout, &file, &Default::default()).unwrap();
/// assert_eq!(values.assemble(&Default::default())?, file);
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct FileValues<'b> {
    pub(super) ty: &'static Type,
    pub(super) contents: Contents<'b>,
}

impl<'b> FileValues<'b> {
    /// Creates an empty set of values for a file of type `ty`.
    pub fn new(ty: &'static Type) -> FileValues<'b> {
        FileValues {
            ty,
            contents: Contents::default(),
        }
    }

    /// Reads all values of a file of type `ty`.
    ///
    /// # Errors
    ///
    /// Returns the first structural fault.
    pub fn read(
        ty: &'static Type,
        bytes: &'b [u8],
        limits: &Limits,
    ) -> Result<FileValues<'b>, Fault> {
        Ok(FileValues {
            ty,
            contents: record_values(ty, bytes, limits, None)?,
        })
    }

    /// Sets or replaces the value at a full path. The items of a list must be set in order.
    ///
    /// # Errors
    ///
    /// Returns an error if the layout has no value at `path`, or the path skips a list index. Also returns an error if
    /// `value` has an unknown field or does not fit its bit field.
    pub fn set(&mut self, path: &str, value: impl Into<UntypedValue>) -> Result<()> {
        self.set_at(&parse_full_path(self.ty, path)?, value.into())
    }

    /// Sets the magic bytes of the struct at `path`, in place of the declared ones.
    ///
    /// ```
    /// use meshspec::layout::{Layout, assemble::FileValues};
    ///
    /// #[derive(Layout)]
    /// #[br(little, magic = b"HGT1")]
    /// struct Height {
    ///     metres: f32,
    /// }
    ///
    /// let mut values = FileValues::new(&<Height as Layout>::TYPE);
    /// values.set("metres", "1")?;
    /// values.set_magic("", b"HGT9".to_vec())?;
    /// assert_eq!(values.assemble(&Default::default())?, b"HGT9\0\0\x80\x3f");
    /// # Ok::<(), meshspec::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the layout has no value at `path`, or the path skips a list index.
    pub fn set_magic(&mut self, path: &str, bytes: Vec<u8>) -> Result<()> {
        self.contents.raise_bound(bytes.len() as u64);
        self.tree_at(path)?.group_mut().magic = Some(bytes.into());
        Ok(())
    }

    /// Sets the original packed bytes of the block at `path`. [`assemble`](FileValues::assemble) writes these bytes if
    /// the content of the block is omitted, or equals their unpacked content.
    ///
    /// # Errors
    ///
    /// Returns an error if the layout has no value at `path`, or the path skips a list index.
    pub fn set_packed(&mut self, path: &str, bytes: Vec<u8>) -> Result<()> {
        self.contents.raise_bound(bytes.len() as u64);
        self.tree_at(path)?.group_mut().packed = Some(Cow::from(bytes).into());
        Ok(())
    }

    /// Sets the trailing bytes of the block at `path`, or of the file if `path` is empty.
    ///
    /// ```
    /// use meshspec::layout::{Layout, assemble::FileValues};
    ///
    /// let mut values = FileValues::new(&<u16 as Layout>::TYPE);
    /// values.set("", "7")?;
    /// values.set_trailing("", vec![0xff])?;
    /// assert_eq!(values.assemble(&Default::default())?, [7, 0, 0xff]);
    /// # Ok::<(), meshspec::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the layout has no value at `path`, or the path skips a list index.
    pub fn set_trailing(&mut self, path: &str, bytes: Vec<u8>) -> Result<()> {
        self.contents.raise_bound(bytes.len() as u64);
        self.tree_at(path)?.group_mut().trailing = Some(Cow::from(bytes).into());
        Ok(())
    }

    /// Adds bytes at an offset in the file. They are written only where no field is stored.
    ///
    /// ```
    /// use meshspec::layout::{Layout, assemble::FileValues};
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
    /// let mut values = FileValues::new(&<Moved as Layout>::TYPE);
    /// values.set("offset", "3")?;
    /// values.set("value", "7")?;
    /// values.add_gap(1, vec![0xaa, 0xbb]);
    /// assert_eq!(values.assemble(&Default::default())?, [3, 0xaa, 0xbb, 7]);
    /// # Ok::<(), meshspec::Error>(())
    /// ```
    pub fn add_gap(&mut self, offset: u64, bytes: Vec<u8>) {
        self.contents.raise_bound(bytes.len() as u64);
        self.contents.gaps.push((offset, bytes.into()));
    }

    /// Assembles the bytes of the file.
    ///
    /// # Errors
    ///
    /// Returns an error if:
    ///
    /// - an omitted value cannot be determined;
    /// - a given value does not fit its field, or the file has no field for it;
    /// - values overlap or conflict, or a block cannot be packed;
    /// - the declaration is [defective](crate::layout::program::Problem);
    /// - the file, or the content of a block, would exceed [`Limits::max_decoded`], or 16 MiB plus twice the maximum
    ///   size of the given values.
    pub fn assemble(&self, limits: &Limits) -> Result<Vec<u8>> {
        let bytes = assemble(self.ty, &self.contents, limits)?;
        let mut path = Vec::new();
        match self.contents.root.has_unused(&mut path) {
            true => Err(
                Error::inexpressible("is given, but the file has no field for it").at(&path[..]),
            ),
            false => Ok(bytes),
        }
    }

    /// Makes [`assemble`](FileValues::assemble) recompute values that conflict with others.
    pub(in crate::layout) fn with_recounting(mut self) -> FileValues<'b> {
        self.contents.recounts = true;
        self
    }

    /// Sets a number, packed word or string; `None` adds an empty list or struct.
    pub(in crate::layout) fn set_value(&mut self, path: &[Segment], value: Option<Value>) {
        let value = match value {
            Some(value) => GivenValue::Value(value).into(),
            None => ValueTree {
                group: Some(Box::default()),
                ..ValueTree::default()
            },
        };
        self.contents.raise_bound(value.max_size());
        if let Some(tree) = self.contents.get_or_insert(path) {
            *tree = value;
        }
    }

    fn tree_at(&mut self, path: &str) -> Result<&mut ValueTree<'b>> {
        let path = parse_full_path(self.ty, path)?;
        self.contents
            .get_or_insert(&path)
            .ok_or_else(|| no_item_before(&path))
    }

    pub(super) fn set_at(&mut self, path: &[Segment], value: UntypedValue) -> Result<()> {
        let mut tree = &mut self.contents.root;
        for (depth, step) in path.iter().enumerate() {
            let leaf = tree.leaf.as_mut().map(|leaf| leaf.peek_mut());
            if let Some(GivenValue::Value(Value::Bits(word, declaration))) = leaf {
                let result = set_bits(word, declaration, &path[depth..], &value);
                return result.map_err(|message| Error::inexpressible(message).at(path));
            }
            tree = tree
                .get_or_insert(*step)
                .ok_or_else(|| no_item_before(path))?;
        }
        // A string without a terminating NUL stays unterminated if its text is replaced.
        let old = tree.leaf.as_ref().map(|leaf| leaf.peek());
        let lacks_nul = matches!(old, Some(GivenValue::Unterminated(_)));
        let value = match value {
            UntypedValue::Text(text) if lacks_nul => UntypedValue::Unterminated(text.into_bytes()),
            value => value,
        };
        let value = value.into_tree(self.ty, path)?;
        let size = value.max_size();
        tree.set_value(value);
        self.contents.raise_bound(size);
        Ok(())
    }
}

fn no_item_before(path: &[Segment]) -> Error {
    Error::inexpressible("the path skips a list index").at(path)
}
