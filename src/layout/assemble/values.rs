//! The values of a file by path.

use std::borrow::Cow;

use super::assembler::assemble;
use super::contents::Contents;
use super::number::set_bits;
use super::part::Part;
use super::record::record;
use super::tree::{Provided, Tree};
use crate::layout::declaration::Type;
use crate::layout::expr::Value;
use crate::layout::walk::{Fault, Segment, parse_path};
use crate::{Error, Limits, Result};

/// The values of a file by path: read from its bytes, or set individually. See [the module](super).
///
/// ```
/// # #[cfg(feature = "mesh")] {
/// use meshspec::layout::assemble::Values;
/// use meshspec::{Dialect, FormatId};
///
/// let file = std::fs::read("samples/mesh/tentacle.mesh")?;
/// let layout = FormatId::Mesh.layout_of(&file, Dialect::Spec).unwrap();
/// let values = Values::of(layout, &file, &Default::default()).unwrap();
/// assert_eq!(values.assemble(&Default::default())?, file);
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Values<'b> {
    pub(super) ty: &'static Type,
    pub(super) contents: Contents<'b>,
}

impl<'b> Values<'b> {
    /// Creates an empty set of values for a file with this layout.
    pub fn new(ty: &'static Type) -> Values<'b> {
        Values { ty, contents: Contents::default() }
    }

    /// Reads all values of a file.
    ///
    /// # Errors
    ///
    /// Returns the first fault of the file.
    pub fn of(ty: &'static Type, bytes: &'b [u8], limits: &Limits) -> Result<Values<'b>, Fault> {
        Ok(Values { ty, contents: record(ty, bytes, limits, None)? })
    }

    /// Sets the value at a full path. Replaces an existing part; items of a list must be set in order.
    ///
    /// # Errors
    ///
    /// If no value of the layout can have this path, or the preceding item is missing.
    pub fn set(&mut self, path: &str, value: impl Into<Part>) -> Result<()> {
        let path = self.parse(path)?;
        self.set_at(&path, value.into())
    }

    /// Replaces the magic bytes of the struct at this path.
    ///
    /// # Errors
    ///
    /// As [`set`](Values::set).
    pub fn set_magic(&mut self, path: &str, bytes: Vec<u8>) -> Result<()> {
        self.contents.size += bytes.len() as u64;
        self.place(path)?.group().magic = Some(bytes.into());
        Ok(())
    }

    /// Sets the original packed bytes of the block at this path. They are used as long as they unpack to its
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

    /// Sets the trailing bytes of the block at this path; an empty path is the file.
    ///
    /// # Errors
    ///
    /// As [`set`](Values::set).
    pub fn set_trailing(&mut self, path: &str, bytes: Vec<u8>) -> Result<()> {
        self.contents.size += bytes.len() as u64;
        self.place(path)?.group().trailing = Some(Cow::from(bytes).into());
        Ok(())
    }

    /// Adds bytes that no field covers at an offset in the file. Fields take precedence over them.
    pub fn add_gap(&mut self, offset: u64, bytes: Vec<u8>) {
        self.contents.size += bytes.len() as u64;
        self.contents.gaps.push((offset, bytes.into()));
    }

    /// Assembles the bytes of the file.
    ///
    /// # Errors
    ///
    /// - The first omitted value that cannot be determined, a value that does not fit its field or has no place in
    ///   the file, or values that overlap or conflict;
    /// - a [defective](crate::layout::program::Problem) declaration;
    /// - a file larger than [`Limits::max_decoded`].
    pub fn assemble(&self, limits: &Limits) -> Result<Vec<u8>> {
        let bytes = assemble(self.ty, &self.contents, limits)?;
        let mut path = Vec::new();
        if self.contents.root.has_unused(&mut path) {
            return Err(
                Error::inexpressible("is given, but the file has no field for it").at(path.as_slice())
            );
        }
        Ok(bytes)
    }

    /// Returns the values with recomputation of those that conflict with others.
    pub(in crate::layout) fn recounted(mut self) -> Values<'b> {
        self.contents.recounts = true;
        self
    }

    /// Sets a number, word or string; `None` marks a list or struct as present.
    pub(in crate::layout) fn put(&mut self, path: &[Segment], value: Option<Value>) {
        let text =
            value.as_ref().map_or(0, |value| if let Value::Text(text) = value { text.len() } else { 0 });
        self.contents.size += 16 + text as u64;
        if let Some(place) = self.contents.entry(path) {
            *place = match value {
                Some(value) => Provided::Value(value).into(),
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
            if let Some(Provided::Value(Value::Bits(word, declaration))) =
                tree.leaf.as_mut().map(|leaf| leaf.peek_mut())
            {
                let inexpressible = |message: String| Error::inexpressible(message).at(path);
                return set_bits(word, declaration, &path[depth..], &value).map_err(inexpressible);
            }
            tree = tree.entry(*step).ok_or_else(|| no_item_before(path))?;
        }
        // Replacing a string keeps its missing NUL missing.
        let lacks_nul = matches!(tree.leaf.as_ref().map(|leaf| leaf.peek()), Some(Provided::Unterminated(_)));
        let value = match value {
            Part::Text(text) if lacks_nul => Part::Unterminated(text.into_bytes()),
            value => value,
        };
        tree.put(value.into_tree(self.ty, path)?);
        Ok(())
    }
}

fn no_item_before(path: &[Segment]) -> Error {
    Error::inexpressible("the preceding item is missing").at(path)
}
