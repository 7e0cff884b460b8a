//! Reads packed words.

use std::fmt;

use serde::Deserialize;
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::super::node::{Leaf, TreeNode};
use super::super::number;
use super::super::scalar::GivenBits;
use super::reader::{Reader, ValueSeed};
use super::{message_without_position, read_key};
use crate::layout::declaration::{BitField, Declaration, Type};
use crate::layout::expr::Value;
use crate::layout::program::Item;
use crate::layout::walk::{Segment, path_text};

impl Reader {
    pub(super) fn read_word<'de, A: MapAccess<'de>>(
        &mut self,
        item: &Item,
        declaration: &'static Declaration,
        map: A,
    ) -> Result<TreeNode<'static>, A::Error> {
        let mut node = TreeNode::default();
        let whole = |reader: &mut Reader, map: &mut A| {
            let word = map.next_value_seed(ValueSeed {
                reader,
                item: *item,
                is_annotated: true,
            })?;
            let ty = &Type::Declared(declaration);
            let word = word
                .scalar(ty, &mut |_| {})
                .map_err(|message| reader.error(message))?;
            match word.as_deref() {
                Some(Value::Bits(word, _)) => Ok(*word),
                _ => Err(reader.error("a packed word is a number")),
            }
        };
        if let Some(word) = self.read_bit_fields(declaration, map, whole, Some(&mut node))? {
            node.leaf = Some(Leaf::Value(Value::Bits(word, declaration)));
        }
        self.set_field(item, &node);
        Ok(node)
    }

    /// Reads the object of a packed word, or of a word in it. Returns the word; `None` if nothing is given. `read_whole`
    /// reads its number. `node` receives the content of annotations; without it, they have none.
    fn read_bit_fields<'de, A: MapAccess<'de>>(
        &mut self,
        declaration: &'static Declaration,
        mut map: A,
        read_whole: impl Fn(&mut Reader, &mut A) -> Result<u128, A::Error>,
        mut node: Option<&mut TreeNode<'static>>,
    ) -> Result<Option<u128>, A::Error> {
        let (mut whole, mut given) = (None, GivenBits::default());
        let mut is_given = false;
        let mut key = String::new();
        while read_key(&mut map, &mut key)? {
            if key == "$value" {
                if whole.is_some() {
                    return Err(self.duplicate_key(&key));
                }
                whole = Some(read_whole(self, &mut map)?);
                continue;
            }
            if key.starts_with('$') {
                match &mut node {
                    Some(node) => self.read_annotation(&key, node, &mut map)?,
                    None => self.skip_description(&key, &mut map)?,
                }
                continue;
            }
            let mut fields = declaration.bit_fields().iter();
            let Some(field) = fields.find(|field| field.name == key) else {
                return Err(self.error(format_args!("has no field `{key}`")));
            };
            if given.contains(field) {
                return Err(self.duplicate_key(&key));
            }
            self.path.push(Segment::Field(field.name));
            let bits = map.next_value_seed(BitsSeed {
                reader: &mut *self,
                field,
                is_annotated: false,
            })?;
            self.path.pop();
            given.add(field, bits);
            is_given = true;
        }
        if !is_given {
            return Ok(whole);
        }
        let word = given.compose(declaration, whole);
        word.map_err(|message| self.error(message))
    }
}

/// Reads a field of a packed word. The result is in the lowest bits.
struct BitsSeed<'r> {
    reader: &'r mut Reader,
    field: &'static BitField,
    /// Whether the value is in an object with annotations.
    is_annotated: bool,
}

impl<'de> DeserializeSeed<'de> for BitsSeed<'_> {
    type Value = u128;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<u128, D::Error> {
        if self.field.bits.width <= 64 {
            return deserializer.deserialize_any(self);
        }
        // Only the text of such a number has all of its digits.
        let text = Box::<RawValue>::deserialize(deserializer)?;
        let text = text.get();
        if text.starts_with(['{', '"', '[']) {
            let inner = &mut serde_json::Deserializer::from_str(text);
            let bits = inner.deserialize_any(self);
            return bits.map_err(|error| de::Error::custom(message_without_position(&error)));
        }
        self.bits(number::encode_bits_of_text(text, self.field))
    }
}

impl BitsSeed<'_> {
    fn bits<E: de::Error>(&self, bits: Result<u128, String>) -> Result<u128, E> {
        bits.map_err(|message| self.reader.error(message))
    }
}

impl<'de> Visitor<'de> for BitsSeed<'_> {
    type Value = u128;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(
            f,
            "an integer, a flag or an object of bit fields for `{}`",
            path_text(&self.reader.path)
        )
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<u128, E> {
        self.bits(number::encode_bits(number.into(), self.field))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<u128, E> {
        self.bits(number::encode_bits(number.into(), self.field))
    }

    fn visit_bool<E: de::Error>(self, flag: bool) -> Result<u128, E> {
        self.bits(number::encode_bits(flag.into(), self.field))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<u128, E> {
        self.bits(number::encode_bits_of_text(text, self.field))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<u128, A::Error> {
        if self.is_annotated {
            return Err(de::Error::invalid_type(de::Unexpected::Map, &self));
        }
        let BitsSeed { reader, field, .. } = self;
        let read_whole = |reader: &mut Reader, map: &mut A| {
            map.next_value_seed(BitsSeed {
                reader,
                field,
                is_annotated: true,
            })
        };
        let bits = match field.declared {
            Some(declaration) => reader.read_bit_fields(declaration, map, read_whole, None)?,
            None => {
                let (mut bits, mut key) = (None, String::new());
                while read_key(&mut map, &mut key)? {
                    match &*key {
                        "$value" if bits.is_some() => return Err(reader.duplicate_key(&key)),
                        "$value" => bits = Some(read_whole(reader, &mut map)?),
                        key => reader.skip_description(key, &mut map)?,
                    }
                }
                bits
            }
        };
        bits.ok_or_else(|| reader.error("is omitted"))
    }
}
