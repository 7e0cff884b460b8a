//! The given values, as read by the assembler.

use std::borrow::Cow;
use std::ops::Range;

use super::number::{bits_of_number, integer, kind_of, parse};
use super::tree::{Group, Provided, Tracked, Tree};
use crate::layout::declaration::{BitField, Declaration, Shape, Type};
use crate::layout::expr::Value;
use crate::layout::walk::Segment;

/// The given value and its parts; empty if the value is omitted.
#[derive(Clone, Copy)]
pub(super) struct Input<'v> {
    tree: Option<&'v Tree<'v>>,
    /// Whether the value is never recomputed.
    pub(super) is_fixed: bool,
}

/// The content of a struct or array.
pub(super) enum GroupInput<'v> {
    /// Individual parts; for an array, this many items.
    Parts(u64),
    /// All bytes, and the number of items for an array.
    Bytes(&'v [u8], u64),
    /// Plain numbers of this type, as bytes.
    Numbers(&'static Type, &'v [u8]),
}

impl<'v> Input<'v> {
    /// Returns the input for a whole file.
    pub(super) fn root(tree: &'v Tree) -> Input<'v> {
        Input { tree: Some(tree), is_fixed: tree.is_fixed }
    }

    fn of(self, tree: Option<&'v Tree<'v>>) -> Input<'v> {
        Input { tree, is_fixed: self.is_fixed || tree.is_some_and(|tree| tree.is_fixed) }
    }

    /// Returns the input for a field.
    pub(super) fn field(self, name: &'static str) -> Input<'v> {
        self.of(self.tree.and_then(|tree| tree.child(Segment::Field(name))))
    }

    /// Returns the input for an item of an array.
    pub(super) fn item(self, index: u64) -> Input<'v> {
        self.of(self.tree.and_then(|tree| tree.child(Segment::Index(index))))
    }

    /// Returns `true` if the value or a part of it is given.
    pub(super) fn is_given(self) -> bool {
        self.tree.is_some_and(|tree| !tree.is_absent())
    }

    /// Returns the content of a struct or array.
    ///
    /// # Errors
    ///
    /// If a single value is given.
    pub(super) fn group_input(self, ty: &Type) -> Result<GroupInput<'v>, String> {
        let Some(tree) = self.tree else { return Ok(GroupInput::Parts(0)) };
        let Some(leaf) = &tree.leaf else {
            return Ok(GroupInput::Parts(tree.group.as_ref().map_or(0, |group| group.items.len() as u64)));
        };
        match leaf.peek() {
            Provided::Bytes(bytes, count) => {
                leaf.take();
                Ok(GroupInput::Bytes(bytes, *count))
            }
            Provided::Numbers(ty, bytes) => {
                leaf.take();
                Ok(GroupInput::Numbers(ty, bytes))
            }
            _ => Err(format!("is {}, but a single value is given", kind_of(ty))),
        }
    }

    /// Returns the number, string, enum or packed word; `None` if it is omitted.
    ///
    /// # Errors
    ///
    /// If the given value is not of this type.
    pub(super) fn leaf(self, ty: &Type) -> Result<Option<Cow<'v, Value>>, String> {
        match (self.tree, ty.without_order()) {
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

    /// Returns `true` if the string lacks its NUL.
    pub(super) fn lacks_nul(self) -> bool {
        let leaf = self.tree.and_then(|tree| tree.leaf.as_ref());
        leaf.is_some_and(|leaf| matches!(leaf.peek(), Provided::Unterminated(_)))
    }

    /// Returns the bit fields of a packed word that are never recomputed.
    pub(super) fn fixed_bits(self) -> Vec<&'static str> {
        let fixed = self.group().into_iter().flat_map(|group| &group.fields);
        fixed.filter(|(_, tree)| tree.is_fixed).map(|(name, _)| *name).collect()
    }

    fn group(self) -> Option<&'v Group<'v>> {
        self.tree?.group.as_deref()
    }

    /// Returns the magic bytes given for a struct, if any.
    pub(super) fn magic(self) -> Option<&'v [u8]> {
        Some(self.group()?.magic.as_ref()?.take())
    }

    /// Returns the original packed bytes of a block, and whether its content is omitted.
    pub(super) fn packed(self) -> Option<(&'v [u8], bool)> {
        let tree = self.tree?;
        let group = tree.group.as_ref()?;
        let is_opaque = group.fields.is_empty() && group.items.is_empty() && tree.leaf.is_none();
        Some((group.packed.as_ref()?.take(), is_opaque))
    }

    /// Returns the trailing bytes of a file or block.
    pub(super) fn trailing(self) -> Option<&'v [u8]> {
        Some(self.group()?.trailing.as_ref()?.take())
    }

    /// Returns the range of the value in the original file, if it has an explicit offset.
    pub(super) fn origin(self) -> Option<Range<u64>> {
        self.tree?.origin.as_deref().cloned()
    }
}

fn value_of<'v>(leaf: &'v Tracked<Provided>, ty: &Type) -> Result<Cow<'v, Value>, String> {
    match leaf.take() {
        Provided::Value(value) => Ok(Cow::Borrowed(value)),
        Provided::Text(text) => parse(ty, text).map(Cow::Owned),
        Provided::Unterminated(text) => Ok(Cow::Owned(Value::Text(text.clone()))),
        Provided::Bytes(..) | Provided::Numbers(..) => {
            Err("is a single value, but several are given".to_owned())
        }
    }
}

/// Returns a packed word: the given word, which its given fields must match, or the word composed of its fields.
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
                return Err(format!("is {whole:#x}, but its field `{name}` is {bits:#x}: omit one of them"));
            }
            (Some(bits), _) => word |= bits << field.bits.offset,
            (None, Some(_)) => {}
            (None, None) if field.reserved => {}
            (None, None) => return Err(format!("its field `{}` is omitted", field.name)),
        }
    }
    Ok(Some(whole.unwrap_or(word)))
}

/// Returns the bits of a field, shifted down.
fn bits_of(tree: &Tree, field: &BitField) -> Result<Option<u128>, String> {
    if !tree.has_value() {
        return Ok(None);
    }
    if let Some(declaration) = field.declared {
        return word_of(tree, declaration);
    }
    let Some(leaf) = &tree.leaf else { return Ok(None) };
    let number = match leaf.take() {
        Provided::Value(Value::Int(number)) => Some(*number),
        Provided::Value(Value::Bool(flag)) => Some((*flag).into()),
        Provided::Text(text) => integer(text).ok(),
        _ => None,
    };
    let number = number.ok_or_else(|| format!("its field `{}` is not an integer", field.name))?;
    bits_of_number(number, field).map(Some)
}
