//! The values of a file by their paths.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use super::record::record;
use super::source::Cursor;
use super::tree::{Given, Tree};
use super::{assemble, number};
use crate::layout::walk::{Fault, Segment, parse_path, path_text};
use crate::layout::{Shape, Type, Value};
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
    ty: &'static Type,
    pub(super) root: Tree<'b>,
    /// Bytes that no field covers, with their offsets.
    pub(super) gaps: Vec<(u64, Cow<'b, [u8]>)>,
    /// Where fields lay that have positions of their own.
    pub(super) origins: HashMap<Vec<Segment>, Range<u64>>,
    /// Number of bytes that the values take at most.
    pub(super) size: u64,
    pub(super) recounts: bool,
    /// What is never computed anew, with all of its parts.
    pub(super) fixed: Vec<Vec<Segment>>,
}

/// A value that is not of a type yet: what becomes of a text is up to the field that it is for.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// A number, word, flag or enum: `7`, `-0x10`, `1.5`, `NaN`, `true`, the name of an enum's value. A string as it is.
    Text(String),
    /// A string without the NUL that should end it.
    Unterminated(Vec<u8>),
    /// A string that may not be UTF-8.
    Bytes(Vec<u8>),
    /// The items of an array.
    List(Vec<Part>),
    /// The fields of a struct, or of a packed word, by their names. Those that are left out are computed.
    Struct(Vec<(String, Part)>),
}

impl Part {
    /// Number of bytes that it takes at most.
    pub(super) fn max_size(&self) -> u64 {
        match self {
            Part::Text(text) => 16 + text.len() as u64,
            Part::Unterminated(bytes) | Part::Bytes(bytes) => 1 + bytes.len() as u64,
            Part::List(items) => items.iter().map(Part::max_size).sum(),
            Part::Struct(fields) => fields.iter().map(|(_, field)| field.max_size()).sum(),
        }
    }
}

impl From<&str> for Part {
    fn from(text: &str) -> Part {
        Part::Text(text.to_owned())
    }
}

impl From<String> for Part {
    fn from(text: String) -> Part {
        Part::Text(text)
    }
}

impl<'b> Values<'b> {
    /// Nothing yet, of a file with this layout.
    pub fn new(ty: &'static Type) -> Values<'b> {
        let (gaps, origins, fixed) = Default::default();
        Values { ty, root: Tree::default(), gaps, origins, size: 0, recounts: false, fixed }
    }

    /// Every value of a file.
    ///
    /// # Errors
    ///
    /// The first fault of the file.
    pub fn of(ty: &'static Type, bytes: &'b [u8], limits: &Limits) -> Result<Values<'b>, Fault> {
        record(ty, bytes, limits, None)
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
        self.size += bytes.len() as u64;
        self.place(path)?.group().magic = Some(bytes);
        Ok(())
    }

    /// Gives the packed bytes of the block with this path as they were. They are used as long as they unpack to its
    /// content.
    ///
    /// # Errors
    ///
    /// As [`set`](Values::set).
    pub fn set_packed(&mut self, path: &str, bytes: Vec<u8>) -> Result<()> {
        self.size += bytes.len() as u64;
        self.place(path)?.group().packed = Some(bytes.into());
        Ok(())
    }

    /// Gives the bytes behind all fields of the file, for an empty path, or of the block with this path.
    ///
    /// # Errors
    ///
    /// As [`set`](Values::set).
    pub fn set_trailing(&mut self, path: &str, bytes: Vec<u8>) -> Result<()> {
        self.size += bytes.len() as u64;
        self.place(path)?.group().trailing = Some(bytes.into());
        Ok(())
    }

    /// Gives bytes that no field covers, at this offset in the file. Where fields lie, they are not written.
    pub fn add_gap(&mut self, offset: u64, bytes: Vec<u8>) {
        self.size += bytes.len() as u64;
        self.gaps.push((offset, bytes.into()));
    }

    /// The bytes of the file.
    ///
    /// # Errors
    ///
    /// See [`assemble`]; and if a value is given that the file has no place for.
    pub fn assemble(&self, limits: &Limits) -> Result<Vec<u8>> {
        let bytes = assemble(self.ty, &mut Cursor::new(self), limits)?;
        let mut path = Vec::new();
        if self.root.has_unused(&mut path) {
            return Err(Error::inexpressible("is given, but a file of these values has no place for it")
                .at(path.as_slice()));
        }
        Ok(bytes)
    }

    pub(super) fn layout(&self) -> &'static Type {
        self.ty
    }

    pub(super) fn parse(&self, path: &str) -> Result<Vec<Segment>> {
        if path.is_empty() {
            return Ok(Vec::new());
        }
        parse_path(self.ty, path).ok_or_else(|| {
            Error::inexpressible("no value of the layout has this path").at(crate::Path::text(path))
        })
    }

    fn place(&mut self, path: &str) -> Result<&mut Tree<'b>> {
        let path = self.parse(path)?;
        self.entry(&path).ok_or_else(|| no_item_before(&path))
    }

    /// The place of the value with this path, made if there is none.
    pub(super) fn entry(&mut self, path: &[Segment]) -> Option<&mut Tree<'b>> {
        path.iter().try_fold(&mut self.root, |tree, step| tree.entry(*step))
    }

    pub(super) fn set_at(&mut self, path: &[Segment], value: Part) -> Result<()> {
        self.size += value.max_size();
        let mut tree = &mut self.root;
        for (depth, step) in path.iter().enumerate() {
            if let Some(leaf) = &mut tree.leaf
                && let Given::Value(Value::Bits(word, declaration)) = &mut leaf.given
            {
                let inexpressible = |message: String| Error::inexpressible(message).at(path);
                return set_bits(word, declaration, &path[depth..], &value).map_err(inexpressible);
            }
            tree = tree.entry(*step).ok_or_else(|| no_item_before(path))?;
        }
        // A string that lacks its NUL goes on to lack it.
        let lacks_nul = tree.leaf.as_ref().is_some_and(|leaf| matches!(leaf.given, Given::Unterminated(_)));
        let value = match value {
            Part::Text(text) if lacks_nul => Part::Unterminated(text.into_bytes()),
            value => value,
        };
        *tree = tree_of(self.ty, path, value)?;
        Ok(())
    }
}

fn no_item_before(path: &[Segment]) -> Error {
    Error::inexpressible("the item before it is not given").at(path)
}

/// A value, whose own path is `path`, with its parts.
pub(super) fn tree_of<'b>(ty: &Type, path: &[Segment], value: Part) -> Result<Tree<'b>> {
    let given = match value {
        Part::Text(text) => Given::Text(text),
        Part::Unterminated(text) => Given::Unterminated(text),
        Part::Bytes(text) => Given::Value(Value::Text(text)),
        Part::List(items) => {
            let items = items.into_iter().map(|item| tree_of(ty, path, item)).collect::<Result<_>>()?;
            let mut list = Tree::default();
            list.group().items = items;
            return Ok(list);
        }
        Part::Struct(fields) => {
            let mut whole = Tree::default();
            for (name, field) in fields {
                let steps = parse_path(ty, &name).unwrap_or_default();
                let [step] = steps[..] else {
                    let message = format!("no value of the layout has a field `{name}`");
                    return Err(Error::inexpressible(message).at(path));
                };
                let field = tree_of(ty, path, field)?;
                if let Some(place) = whole.entry(step) {
                    *place = field;
                }
            }
            return Ok(whole);
        }
    };
    Ok(given.into())
}

/// Sets a field of a packed word.
fn set_bits(
    word: &mut u128,
    declaration: &crate::layout::Declaration,
    path: &[Segment],
    value: &Part,
) -> Result<(), String> {
    let (Shape::Bits { fields, .. }, Some((Segment::Field(name), rest))) =
        (declaration.shape, path.split_first())
    else {
        return Err(format!("{} has no such field", declaration.name));
    };
    let field = fields.iter().find(|field| field.name == *name);
    let field = field.ok_or_else(|| format!("{} has no field `{}`", declaration.name, path_text(path)))?;
    match (rest, field.declared, value) {
        ([], _, Part::Text(text)) => {
            let number = number::signed(text).ok_or_else(|| format!("\"{text}\" is not an integer"))?;
            *word = number::with_bits(*word, field, number)?;
        }
        ([_, ..], Some(inner), value) => {
            let mut bits = field.bits.of(*word);
            set_bits(&mut bits, inner, rest, value)?;
            let outside = *word & !(u128::MAX >> (128 - field.bits.width) << field.bits.offset);
            *word = outside | bits << field.bits.offset;
        }
        _ => return Err(format!("`{name}` is an integer")),
    }
    Ok(())
}
