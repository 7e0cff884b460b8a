//! Read access to the given values, for the assembler.

use std::borrow::Cow;
use std::ops::Range;

use super::number::{describe_type, encode_bits, encode_bits_of_text, parse_integer, parse_value};
use super::tree::{GivenValue, TrackedValue, ValueGroup, ValueTree};
use crate::layout::declaration::{BitField, Declaration, Shape, Type};
use crate::layout::expr::Value;
use crate::layout::walk::Segment;

/// A given value and its parts; empty if the value is omitted.
#[derive(Clone, Copy)]
pub(super) struct Input<'v> {
    tree: Option<&'v ValueTree<'v>>,
    /// Whether the value must not be recomputed.
    pub is_fixed: bool,
}

/// The given content of a struct or array.
pub(super) enum GroupInput<'v> {
    /// Parts that are given individually, with the number of items for an array.
    Parts(u64),
    /// The bytes of the whole content, and the number of items for an array.
    Bytes(&'v [u8], u64),
    /// The type of the numbers in an array, and their bytes.
    Numbers(&'static Type, &'v [u8]),
}

impl<'v> Input<'v> {
    /// Returns the input for a whole file.
    pub fn root(tree: &'v ValueTree) -> Input<'v> {
        Input {
            tree: Some(tree),
            is_fixed: tree.is_fixed,
        }
    }

    /// Returns the input for a field, or for an item of an array.
    pub fn child(self, step: Segment) -> Input<'v> {
        let tree = self.tree.and_then(|tree| tree.child(step));
        Input {
            tree,
            is_fixed: self.is_fixed || tree.is_some_and(|tree| tree.is_fixed),
        }
    }

    /// Returns `true` if the value or a part of it is given.
    pub fn is_given(self) -> bool {
        self.tree.is_some_and(|tree| !tree.is_empty())
    }

    /// Returns the given content of a struct or array. Returns an error if a scalar is given.
    pub fn group_input(self, ty: &Type) -> Result<GroupInput<'v>, String> {
        let Some(tree) = self.tree else {
            return Ok(GroupInput::Parts(0));
        };
        let Some(leaf) = &tree.leaf else {
            return Ok(GroupInput::Parts(
                tree.group
                    .as_ref()
                    .map_or(0, |group| group.items.len() as u64),
            ));
        };
        match leaf.peek() {
            GivenValue::Bytes(bytes, count) => {
                leaf.mark_used();
                Ok(GroupInput::Bytes(bytes, *count))
            }
            GivenValue::Numbers(ty, bytes) => {
                leaf.mark_used();
                Ok(GroupInput::Numbers(ty, bytes))
            }
            _ => Err(format!(
                "found a single value, expected {}",
                describe_type(ty)
            )),
        }
    }

    /// Returns the given number, string, enum value or packed word; `None` if it is omitted. Returns an error if a list
    /// or struct is given instead, or if text or a packed word is invalid.
    pub fn scalar(self, ty: &Type) -> Result<Option<Cow<'v, Value>>, String> {
        match (self.tree, ty.without_byte_order()) {
            (Some(tree @ ValueTree { group: Some(_), .. }), Type::Declared(declaration))
                if matches!(declaration.shape, Shape::Bits { .. }) =>
            {
                let word = compose_word(tree, declaration)?;
                Ok(word.map(|word| Cow::Owned(Value::Bits(word, declaration))))
            }
            (
                Some(ValueTree {
                    leaf: Some(leaf), ..
                }),
                ty,
            ) => read_value(leaf, ty).map(Some),
            (
                Some(ValueTree {
                    group: Some(group), ..
                }),
                ty,
            ) if !group.items.is_empty() => {
                Err(format!("found a list, expected {}", describe_type(ty)))
            }
            (Some(tree), ty) if tree.has_value() => {
                Err(format!("found a struct, expected {}", describe_type(ty)))
            }
            _ => Ok(None),
        }
    }

    /// Returns `true` if the value is a string without its terminating NUL.
    pub fn lacks_nul(self) -> bool {
        let leaf = self.tree.and_then(|tree| tree.leaf.as_ref());
        leaf.is_some_and(|leaf| matches!(leaf.peek(), GivenValue::Unterminated(_)))
    }

    /// Returns the names of the bit fields that must not be recomputed.
    pub fn fixed_bits(self) -> Vec<&'static str> {
        let fixed = self.group().into_iter().flat_map(|group| &group.fields);
        fixed
            .filter(|(_, tree)| tree.is_fixed)
            .map(|(name, _)| *name)
            .collect()
    }

    fn group(self) -> Option<&'v ValueGroup<'v>> {
        self.tree?.group.as_deref()
    }

    /// Returns the given magic bytes of a struct; `None` if they are omitted.
    pub fn magic(self) -> Option<&'v [u8]> {
        Some(self.group()?.magic.as_ref()?.mark_used())
    }

    /// Returns the original packed bytes of a block, if any. The flag is `true` if the content of the block is omitted.
    pub fn packed_block(self) -> Option<(&'v [u8], bool)> {
        let tree = self.tree?;
        let group = tree.group.as_ref()?;
        let is_content_omitted =
            group.fields.is_empty() && group.items.is_empty() && tree.leaf.is_none();
        Some((group.packed.as_ref()?.mark_used(), is_content_omitted))
    }

    /// Returns the given trailing bytes of a file or block; `None` if they are omitted.
    pub fn trailing(self) -> Option<&'v [u8]> {
        Some(self.group()?.trailing.as_ref()?.mark_used())
    }

    /// Returns the range of the value in the original file, if it is recorded.
    pub fn origin(self) -> Option<Range<u64>> {
        self.tree?.origin.as_deref().cloned()
    }
}

/// Returns a given scalar, parsed as `ty` if it is text, and marks it as used.
fn read_value<'v>(leaf: &'v TrackedValue<GivenValue>, ty: &Type) -> Result<Cow<'v, Value>, String> {
    match leaf.mark_used() {
        GivenValue::Value(value) => Ok(Cow::Borrowed(value)),
        GivenValue::Text(text) => parse_value(ty, text).map(Cow::Owned),
        GivenValue::Unterminated(text) => Ok(Cow::Owned(Value::Text(text.clone()))),
        GivenValue::Bytes(..) | GivenValue::Numbers(..) => {
            Err("found several values, expected one".to_owned())
        }
    }
}

/// Returns the given packed word, or else composes it from its fields; `None` if nothing is given. Returns an error if
/// the word and its fields disagree, a value is not an integer that fits, or only some unreserved fields are given.
fn compose_word(
    tree: &ValueTree,
    declaration: &'static Declaration,
) -> Result<Option<u128>, String> {
    let Shape::Bits { fields, .. } = declaration.shape else {
        return Ok(None);
    };
    let leaf = tree
        .leaf
        .as_ref()
        .map(|leaf| read_value(leaf, &Type::Declared(declaration)));
    let whole = match leaf.transpose()?.as_deref() {
        Some(Value::Bits(word, _)) => Some(*word),
        Some(other) => return Err(format!("{other} is not an integer")),
        None => None,
    };
    if tree.group.is_none() {
        return Ok(whole);
    }
    let mut word = 0;
    for field in fields {
        let part = tree.child(Segment::Field(field.name));
        match (part.map_or(Ok(None), |part| read_bits(part, field))?, whole) {
            (Some(bits), Some(whole)) if bits != field.bits.extract(whole) => {
                let name = field.name;
                return Err(format!(
                    "is {whole:#x}, but its field `{name}` is {bits:#x}: omit one of them"
                ));
            }
            (Some(bits), _) => word |= bits << field.bits.offset,
            (None, Some(_)) => {}
            (None, None) if field.reserved => {}
            (None, None) => return Err(format!("its field `{}` is omitted", field.name)),
        }
    }
    Ok(Some(whole.unwrap_or(word)))
}

/// Returns the given value of a bit field, in the lowest bits; `None` if it is omitted.
fn read_bits(tree: &ValueTree, field: &BitField) -> Result<Option<u128>, String> {
    if !tree.has_value() {
        return Ok(None);
    }
    if let Some(declaration) = field.declared {
        return compose_word(tree, declaration);
    }
    let Some(leaf) = &tree.leaf else {
        return Ok(None);
    };
    let number = match leaf.mark_used() {
        GivenValue::Value(Value::Int(number)) => Some(*number),
        GivenValue::Value(Value::Bool(flag)) => Some((*flag).into()),
        GivenValue::Value(Value::Wide(number)) if field.bits.width == 128 => {
            return Ok(Some(*number));
        }
        GivenValue::Text(text) => return read_bits_of_text(text, field),
        _ => None,
    };
    let number = number.ok_or_else(|| format!("its field `{}` is not an integer", field.name))?;
    encode_bits(number, field).map(Some)
}

fn read_bits_of_text(text: &str, field: &BitField) -> Result<Option<u128>, String> {
    match encode_bits_of_text(text, field) {
        Err(_) if parse_integer(text).is_err() => {
            Err(format!("its field `{}` is not an integer", field.name))
        }
        bits => bits.map(Some),
    }
}
