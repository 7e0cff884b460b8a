//! What is given of a file as a source: a cursor that follows the assembler.

use std::borrow::Cow;
use std::ops::Range;

use super::contents::Contents;
use super::number::{bits_of_number, integer, kind_of, parse};
use super::source::{Packed, Source, Supply};
use super::tree::{Given, Group, Once, Tree};
use crate::layout::walk::{Node, Segment};
use crate::layout::{BitField, Declaration, Shape, Type, Value};

/// Follows the assembler through the values.
pub(super) struct Cursor<'v, 'b> {
    contents: &'v Contents<'b>,
    /// The groups that are open, each with the length of its path.
    open: Vec<(usize, Option<&'v Tree<'b>>)>,
}

impl<'v, 'b> Cursor<'v, 'b> {
    pub(super) fn new(contents: &'v Contents<'b>) -> Cursor<'v, 'b> {
        Cursor { contents, open: Vec::new() }
    }

    /// What is given of the value with this path, which is that of an open group or of a part of the innermost.
    fn find(&self, path: &[Segment]) -> Option<&'v Tree<'b>> {
        match (self.open.last(), path.last()) {
            (None, None) => Some(&self.contents.root),
            // A struct in another one's place has the same path.
            (Some((depth, tree)), _) if *depth == path.len() => *tree,
            (Some((_, tree)), Some(step)) => tree.as_ref()?.child(*step),
            _ => None,
        }
    }

    fn group(&self, path: &[Segment]) -> Option<&'v Group<'b>> {
        self.find(path)?.group.as_deref()
    }
}

impl Source for Cursor<'_, '_> {
    fn has(&mut self, path: &[Segment]) -> bool {
        self.find(path).is_some_and(|tree| !tree.is_absent())
    }

    fn enter(&mut self, node: &Node) -> Result<Supply<'_>, String> {
        let tree = self.find(node.path);
        let supply = match tree.and_then(|tree| tree.leaf.as_ref()) {
            Some(leaf) => match leaf.peek() {
                Given::Bytes(bytes, count) => {
                    leaf.take();
                    Supply::Bytes(bytes, *count)
                }
                _ => return Err(format!("is {}, but a single value is given", kind_of(node.ty))),
            },
            None => {
                let group = tree.and_then(|tree| tree.group.as_ref());
                Supply::Parts(group.map_or(0, |group| group.items.len() as u64))
            }
        };
        self.open.push((node.path.len(), tree));
        Ok(supply)
    }

    fn leave(&mut self, _: &Node) {
        self.open.pop();
    }

    fn leaf(&mut self, node: &Node) -> Result<Option<Cow<'_, Value>>, String> {
        match (self.find(node.path), node.ty) {
            (Some(tree @ Tree { group: Some(_), .. }), Type::Declared(declaration))
                if matches!(declaration.shape, Shape::Bits { .. }) =>
            {
                let word = word_of(tree, declaration)?;
                Ok(word.map(|word| Cow::Owned(Value::Bits(word, declaration))))
            }
            (Some(Tree { leaf: Some(leaf), .. }), ty) => value_of(leaf, ty).map(Some),
            (Some(Tree { group: Some(group), .. }), ty) if !group.items.is_empty() => {
                Err(format!("is {}, but a list is given", kind_of(ty)))
            }
            (Some(tree), ty) if tree.has_value() => Err(format!("is {}, but a struct is given", kind_of(ty))),
            _ => Ok(None),
        }
    }

    fn lacks_nul(&mut self, node: &Node) -> bool {
        let leaf = self.find(node.path).and_then(|tree| tree.leaf.as_ref());
        leaf.is_some_and(|leaf| matches!(leaf.peek(), Given::Unterminated(_)))
    }

    fn magic(&mut self, node: &Node) -> Option<&[u8]> {
        Some(self.group(node.path)?.magic.as_ref()?.take())
    }

    fn packed(&mut self, path: &[Segment]) -> Option<Packed<'_>> {
        let tree = self.find(path)?;
        let group = tree.group.as_ref()?;
        let is_opaque = group.fields.is_empty() && group.items.is_empty() && tree.leaf.is_none();
        Some(Packed { bytes: group.packed.as_ref()?.take(), is_opaque })
    }

    fn trailing(&mut self, path: &[Segment]) -> Option<&[u8]> {
        Some(self.group(path)?.trailing.as_ref()?.take())
    }

    fn gaps(&self) -> Vec<(u64, &[u8])> {
        self.contents.gaps.iter().map(|(offset, bytes)| (*offset, &**bytes)).collect()
    }

    fn max_size(&self) -> u64 {
        /// What offsets may leave free in any file.
        const FREE: u64 = 16 << 20;
        FREE.saturating_add(self.contents.size.saturating_mul(2))
    }

    fn recounts(&self) -> bool {
        self.contents.recounts
    }

    fn is_fixed(&self, path: &[Segment]) -> bool {
        self.contents.way(path).any(|tree| tree.is_fixed)
    }

    fn origin(&self, path: &[Segment]) -> Option<Range<u64>> {
        let tree = self.contents.way(path).nth(path.len())?;
        tree.origin.as_deref().cloned()
    }
}

fn value_of<'v>(leaf: &'v Once<Given>, ty: &Type) -> Result<Cow<'v, Value>, String> {
    match leaf.take() {
        Given::Value(value) => Ok(Cow::Borrowed(value)),
        Given::Text(text) => parse(ty, text).map(Cow::Owned),
        Given::Unterminated(text) => Ok(Cow::Owned(Value::Text(text.clone()))),
        Given::Bytes(..) => Err("is a single value, but several are given".to_owned()),
    }
}

/// The word that a tree stands for: the word itself, which its fields must agree with, or what its fields make.
fn word_of(tree: &Tree, declaration: &'static Declaration) -> Result<Option<u128>, String> {
    let Shape::Bits { fields, .. } = declaration.shape else { return Ok(None) };
    let whole = match &tree.leaf {
        Some(leaf) => match &*value_of(leaf, &Type::Declared(declaration))? {
            Value::Bits(word, _) => Some(*word),
            other => return Err(format!("{other} is not an integer")),
        },
        None => None,
    };
    if tree.group.is_none() {
        return Ok(whole);
    }
    let mut word = 0;
    for field in fields {
        let bits = match tree.child(Segment::Field(field.name)) {
            Some(part) => bits_of(part, field)?,
            None => None,
        };
        match (bits, whole) {
            (Some(bits), Some(whole)) if bits != field.bits.of(whole) => {
                let name = field.name;
                return Err(format!(
                    "is {whole:#x}, but its field `{name}` is {bits:#x}: leave out one of them"
                ));
            }
            (Some(bits), _) => word |= bits << field.bits.offset,
            (None, Some(_)) => {}
            (None, None) if field.reserved => {}
            (None, None) => return Err(format!("its field `{}` is left out", field.name)),
        }
    }
    Ok(Some(whole.unwrap_or(word)))
}

/// The bits of a field, as they lie in its word shifted down.
fn bits_of(tree: &Tree, field: &BitField) -> Result<Option<u128>, String> {
    if !tree.has_value() {
        return Ok(None);
    }
    if let Some(declaration) = field.declared {
        return word_of(tree, declaration);
    }
    let Some(leaf) = &tree.leaf else { return Ok(None) };
    let number = match leaf.take() {
        Given::Value(Value::Int(number)) => Some(*number),
        Given::Value(Value::Bool(flag)) => Some((*flag).into()),
        Given::Text(text) => integer(text).ok(),
        _ => None,
    };
    let number = number.ok_or_else(|| format!("its field `{}` is not an integer", field.name))?;
    bits_of_number(number, field).map(Some)
}
