//! The values of a file by their paths.

use std::borrow::Cow;

use super::assembler::assemble;
use super::contents::Contents;
use super::number::set_bits;
use super::part::Part;
use super::record::record;
use super::tree::{Given, Tree};
use crate::layout::declaration::Type;
use crate::layout::expr::Value;
use crate::layout::walk::{Fault, Segment, parse_path};
use crate::{Error, Limits, Result};

/// The values of a file by their paths: from its bytes, or set one by one. See [the module](super).
///
/// ```
/// # #[cfg(feature = "mesh")] {
/// use meshspec::layout::assemble::Values;
/// use meshspec::{Dialect, FormatId};
///
/// let file = include_bytes!("../../../samples/mesh/tentacle.mesh");
/// let layout = FormatId::Mesh.layout_of(file, Dialect::Spec).unwrap();
/// let values = Values::of(layout, file, &Default::default()).unwrap();
/// assert_eq!(values.assemble(&Default::default())?, file);
/// # }
/// # Ok::<(), meshspec::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Values<'b> {
    pub(super) ty: &'static Type,
    pub(super) contents: Contents<'b>,
}

impl<'b> Values<'b> {
    /// Nothing yet, of a file with this layout.
    pub fn new(ty: &'static Type) -> Values<'b> {
        Values { ty, contents: Contents::default() }
    }

    /// Every value of a file.
    ///
    /// # Errors
    ///
    /// The first fault of the file.
    pub fn of(ty: &'static Type, bytes: &'b [u8], limits: &Limits) -> Result<Values<'b>, Fault> {
        Ok(Values { ty, contents: record(ty, bytes, limits, None)? })
    }

    /// Gives the value with this path, which is whole. A part that is there already is replaced; items of a list are given
    /// in order.
    ///
    /// # Errors
    ///
    /// If no value of the layout can have this path, or the item before it is not there.
    pub fn set(&mut self, path: &str, value: impl Into<Part>) -> Result<()> {
        let path = self.parse(path)?;
        self.set_at(&path, value.into())
    }

    /// Gives other magic bytes to the struct with this path.
    ///
    /// # Errors
    ///
    /// As [`set`](Values::set).
    pub fn set_magic(&mut self, path: &str, bytes: Vec<u8>) -> Result<()> {
        self.contents.size += bytes.len() as u64;
        self.place(path)?.group().magic = Some(bytes.into());
        Ok(())
    }

    /// Gives the packed bytes of the block with this path as they were. They are used as long as they unpack to its
    /// content.
    ///
    /// # Errors
    ///
    /// As [`set`](Values::set).
    pub fn set_packed(&mut self, path: &str, bytes: Vec<u8>) -> Result<()> {
        self.contents.size += bytes.len() as u64;
        self.place(path)?.group().packed = Some(Cow::from(bytes).into());
        Ok(())
    }

    /// Gives the bytes behind all fields of the file, for an empty path, or of the block with this path.
    ///
    /// # Errors
    ///
    /// As [`set`](Values::set).
    pub fn set_trailing(&mut self, path: &str, bytes: Vec<u8>) -> Result<()> {
        self.contents.size += bytes.len() as u64;
        self.place(path)?.group().trailing = Some(Cow::from(bytes).into());
        Ok(())
    }

    /// Gives bytes that no field covers, at this offset in the file. Where fields lie, they are not written.
    pub fn add_gap(&mut self, offset: u64, bytes: Vec<u8>) {
        self.contents.size += bytes.len() as u64;
        self.contents.gaps.push((offset, bytes.into()));
    }

    /// The bytes of the file.
    ///
    /// # Errors
    ///
    /// The first value that is left out and follows from nothing, does not fit its field, overlaps others, or has no place in
    /// the file; values that contradict each other; a [defective](crate::layout::program::Problem) declaration; and a file larger than
    /// [`Limits::max_decoded`].
    pub fn assemble(&self, limits: &Limits) -> Result<Vec<u8>> {
        let bytes = assemble(self.ty, &self.contents, limits)?;
        let mut path = Vec::new();
        if self.contents.root.has_unused(&mut path) {
            return Err(Error::inexpressible("is given, but a file of these values has no place for it")
                .at(path.as_slice()));
        }
        Ok(bytes)
    }

    /// These, of which those that others contradict are computed anew.
    pub(in crate::layout) fn recounted(mut self) -> Values<'b> {
        self.contents.recounts = true;
        self
    }

    /// Gives a number, word or string; of a list, or a struct, that it is there.
    pub(in crate::layout) fn put(&mut self, path: &[Segment], value: Option<Value>) {
        let text =
            value.as_ref().map_or(0, |value| if let Value::Text(text) = value { text.len() } else { 0 });
        self.contents.size += 16 + text as u64;
        if let Some(place) = self.contents.entry(path) {
            *place = match value {
                Some(value) => Given::Value(value).into(),
                None => Tree { group: Some(Box::default()), ..Tree::default() },
            };
        }
    }

    fn parse(&self, path: &str) -> Result<Vec<Segment>> {
        if path.is_empty() {
            return Ok(Vec::new());
        }
        parse_path(self.ty, path).ok_or_else(|| {
            Error::inexpressible("no value of the layout has this path").at(crate::Path::text(path))
        })
    }

    fn place(&mut self, path: &str) -> Result<&mut Tree<'b>> {
        let path = self.parse(path)?;
        self.contents.entry(&path).ok_or_else(|| no_item_before(&path))
    }

    pub(super) fn set_at(&mut self, path: &[Segment], value: Part) -> Result<()> {
        self.contents.size += value.max_size();
        let mut tree = &mut self.contents.root;
        for (depth, step) in path.iter().enumerate() {
            if let Some(Given::Value(Value::Bits(word, declaration))) =
                tree.leaf.as_mut().map(|leaf| leaf.peek_mut())
            {
                let inexpressible = |message: String| Error::inexpressible(message).at(path);
                return set_bits(word, declaration, &path[depth..], &value).map_err(inexpressible);
            }
            tree = tree.entry(*step).ok_or_else(|| no_item_before(path))?;
        }
        // A string that lacks its NUL goes on to lack it.
        let lacks_nul = matches!(tree.leaf.as_ref().map(|leaf| leaf.peek()), Some(Given::Unterminated(_)));
        let value = match value {
            Part::Text(text) if lacks_nul => Part::Unterminated(text.into_bytes()),
            value => value,
        };
        tree.put(value.into_tree(self.ty, path)?);
        Ok(())
    }
}

fn no_item_before(path: &[Segment]) -> Error {
    Error::inexpressible("the item before it is not given").at(path)
}
