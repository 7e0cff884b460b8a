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
    /// like [`GivenBits::compose`], or if a value is not an integer that fits.
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
        let mut given = GivenBits::default();
        for field in fields {
            if let Some(part) = self.field(field.name)
                && let Some(bits) = part.bits(field, on_read)?
            {
                given.add(field, bits);
            }
        }
        given.compose(declaration, whole)
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

/// The given fields of a packed word.
#[derive(Default)]
pub(in crate::layout) struct GivenBits {
    word: u128,
    /// The bits of the given fields.
    mask: u128,
}

impl GivenBits {
    /// Adds a field, whose value is in the lowest bits of `bits`.
    pub fn add(&mut self, field: &BitField, bits: u128) {
        self.word |= bits << field.bits.offset;
        self.mask |= field.bits.mask();
    }

    pub fn contains(&self, field: &BitField) -> bool {
        self.mask & field.bits.mask() != 0
    }

    /// Returns the word, whose whole value may be given, too; `None` if nothing is given. Returns an error if the word and
    /// its fields disagree, or only some unreserved fields are given.
    pub fn compose(
        &self,
        declaration: &Declaration,
        whole: Option<u128>,
    ) -> Result<Option<u128>, String> {
        let mut fields = declaration.bit_fields().iter();
        if let Some(whole) = whole {
            let differs = |field: &&BitField| {
                let mask = field.bits.mask() & self.mask;
                whole & mask != self.word & mask
            };
            return match fields.find(differs) {
                None => Ok(Some(whole)),
                Some(field) => Err(format!(
                    "is {whole:#x}, but its field `{}` is {:#x}: omit one of them",
                    field.name,
                    field.bits.extract(self.word)
                )),
            };
        }
        let missing = fields.find(|field| !field.reserved && !self.contains(field));
        match missing {
            Some(field) => Err(format!("its field `{}` is omitted", field.name)),
            None => Ok(Some(self.word)),
        }
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
