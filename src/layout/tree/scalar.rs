//! Reads scalars from a tree: numbers, enum values, packed words and strings.

use std::borrow::Cow;

use super::node::{Leaf, TreeNode};
use super::number::{describe_type, encode_bits, encode_bits_of_text, parse_integer, parse_value};
use crate::layout::declaration::{BitField, Declaration, Shape, Type};
use crate::layout::expr::Value;

/// Called with each value that is read.
pub(in crate::layout) type OnRead<'r> = &'r mut dyn FnMut(&Leaf);

impl TreeNode<'_> {
    /// Returns the number, string, enum value or packed word; `None` if it is omitted. Returns an error if a list or
    /// struct is given instead, or if text or a packed word is invalid.
    pub fn scalar(&self, ty: &Type, on_read: OnRead) -> Result<Option<Cow<'_, Value>>, String> {
        match (self, ty.without_byte_order()) {
            (TreeNode { parts: Some(_), .. }, Type::Declared(declaration))
                if matches!(declaration.shape, Shape::Bits { .. }) =>
            {
                let word = self.compose_word(declaration, on_read)?;
                Ok(word.map(|word| Cow::Owned(Value::Bits(word, declaration))))
            }
            (
                TreeNode {
                    leaf: Some(leaf), ..
                },
                ty,
            ) => {
                on_read(leaf);
                leaf.parse(ty).map(Some)
            }
            (
                TreeNode {
                    parts: Some(parts), ..
                },
                ty,
            ) if !parts.items.is_empty() => {
                Err(format!("found a list, expected {}", describe_type(ty)))
            }
            (node, ty) if node.has_value() => {
                Err(format!("found a struct, expected {}", describe_type(ty)))
            }
            _ => Ok(None),
        }
    }

    /// Returns the names of the bit fields that must not be recomputed.
    pub fn fixed_bits(&self) -> Vec<&'static str> {
        use super::node::Recomputation::Never;
        let fields = self.parts.iter().flat_map(|parts| &parts.fields);
        fields
            .filter(|(_, field)| field.recomputation == Never)
            .map(|(name, _)| *name)
            .collect()
    }

    /// Returns the given packed word, or else composes it from its fields; `None` if nothing is given. Returns an error
    /// if the word and its fields disagree, a value is not an integer that fits, or only some unreserved fields are
    /// given.
    fn compose_word(
        &self,
        declaration: &'static Declaration,
        on_read: OnRead,
    ) -> Result<Option<u128>, String> {
        let Shape::Bits { fields, .. } = declaration.shape else {
            return Ok(None);
        };
        let whole = match &self.leaf {
            None => None,
            Some(leaf) => {
                on_read(leaf);
                match &*leaf.parse(&Type::Declared(declaration))? {
                    Value::Bits(word, _) => Some(*word),
                    other => return Err(format!("{other} is not an integer")),
                }
            }
        };
        if self.parts.is_none() {
            return Ok(whole);
        }
        let mut word = 0;
        for field in fields {
            let bits = match self.field(field.name) {
                Some(part) => part.bits(field, on_read)?,
                None => None,
            };
            match (bits, whole) {
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

    /// Returns the value of a bit field, in the lowest bits; `None` if it is omitted.
    fn bits(&self, field: &BitField, on_read: OnRead) -> Result<Option<u128>, String> {
        if !self.has_value() {
            return Ok(None);
        }
        if let Some(declaration) = field.declared {
            return self.compose_word(declaration, on_read);
        }
        let Some(leaf) = &self.leaf else {
            return Ok(None);
        };
        on_read(leaf);
        let number = match leaf {
            Leaf::Value(Value::Int(number)) => Some(*number),
            Leaf::Value(Value::Bool(flag)) => Some((*flag).into()),
            Leaf::Value(Value::Wide(number)) if field.bits.width == 128 => {
                return Ok(Some(*number));
            }
            Leaf::Text(text) => return parse_bits(text, field),
            _ => None,
        };
        let number =
            number.ok_or_else(|| format!("its field `{}` is not an integer", field.name))?;
        encode_bits(number, field).map(Some)
    }
}

impl Leaf {
    /// Returns the value, parsed as `ty` if it is text.
    fn parse(&self, ty: &Type) -> Result<Cow<'_, Value>, String> {
        match self {
            Leaf::Value(value) => Ok(Cow::Borrowed(value)),
            Leaf::Text(text) => parse_value(ty, text).map(Cow::Owned),
            Leaf::Unterminated(text) => Ok(Cow::Owned(Value::Text(text.clone()))),
        }
    }
}

fn parse_bits(text: &str, field: &BitField) -> Result<Option<u128>, String> {
    match encode_bits_of_text(text, field) {
        Err(_) if parse_integer(text).is_err() => {
            Err(format!("its field `{}` is not an integer", field.name))
        }
        bits => bits.map(Some),
    }
}
