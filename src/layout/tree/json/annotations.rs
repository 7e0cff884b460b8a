//! Reads annotations: the keys that begin with `$`.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{self, Deserializer, IgnoredAny, MapAccess, Visitor};

use super::super::node::{Leaf, TreeNode};
use super::reader::{Reader, ValueSeed};
use super::{duplicate_key, read_key};
use crate::layout::expr::Value;
use crate::layout::program::{FormKind, Item};
use crate::{Span, Text};

/// The annotations without content.
const DESCRIPTIONS: &[&str] = &[
    "$in", "$bits", "$type", "$name", "$decoded", "$unit", "$meaning",
];

impl Reader {
    /// Reads the object of a number, a string or a list.
    pub(super) fn read_annotated<'de, A: MapAccess<'de>>(
        &mut self,
        item: &Item,
        mut map: A,
    ) -> Result<TreeNode<'static>, A::Error> {
        let kind = self.program.forms[item.form].kind;
        let value_key = match kind {
            FormKind::Items(..) => "$items",
            _ => "$value",
        };
        let mut node = TreeNode::default();
        let (mut is_given, mut is_unterminated) = (false, false);
        let mut key = String::new();
        while read_key(&mut map, &mut key)? {
            if key == "$unterminated" && kind == FormKind::Text {
                let value = map.next_value();
                is_unterminated = value.map_err(|error| self.error(error))?;
            } else if key == value_key {
                if std::mem::replace(&mut is_given, true) {
                    return Err(self.duplicate_key(&key));
                }
                let value = map.next_value_seed(ValueSeed {
                    reader: &mut *self,
                    item: *item,
                    is_annotated: true,
                })?;
                node.leaf = value.leaf;
                if let Some(parts) = value.parts {
                    node.parts_mut().items = parts.items;
                }
            } else {
                self.read_annotation(&key, &mut node, &mut map)?;
            }
        }
        if let (true, Some(Leaf::Value(Value::Text(text)))) = (is_unterminated, &node.leaf) {
            node.leaf = Some(Leaf::Unterminated(text.clone()));
        }
        Ok(node)
    }

    /// Reads an annotation of a value.
    pub(super) fn read_annotation<'de, A: MapAccess<'de>>(
        &mut self,
        key: &str,
        node: &mut TreeNode<'static>,
        map: &mut A,
    ) -> Result<(), A::Error> {
        match key {
            "$packed" | "$trailing" | "$magic" if has_content(node, key) => {
                return Err(self.duplicate_key(key));
            }
            "$packed" => node.parts_mut().packed = Some(self.read_bytes(map)?.into()),
            "$trailing" => node.parts_mut().trailing = Some(self.read_bytes(map)?.into()),
            "$magic" => {
                let magic: Result<Text, _> = map.next_value();
                let magic = magic.map_err(|error| self.error(error))?;
                node.parts_mut().magic = Some(magic.as_bytes().to_vec());
            }
            "$at" => {
                let at: Result<[u64; 2], _> = map.next_value();
                let [start, end] = at.map_err(|error| self.error(error))?;
                if start > end {
                    return Err(self.error(format_args!("`$at` ends before it starts: {start}")));
                }
                node.span = Some(Span::Bytes(start..end));
            }
            key => self.skip_description(key, map)?,
        }
        Ok(())
    }

    fn read_bytes<'de, A: MapAccess<'de>>(&self, map: &mut A) -> Result<Vec<u8>, A::Error> {
        let bytes: Result<Bytes, _> = map.next_value();
        Ok(bytes.map_err(|error| self.error(error))?.bytes)
    }

    /// Skips an annotation without content. Returns an error for any other key.
    pub(super) fn skip_description<'de, A: MapAccess<'de>>(
        &self,
        key: &str,
        map: &mut A,
    ) -> Result<(), A::Error> {
        if !DESCRIPTIONS.contains(&key) {
            return Err(self.error(format_args!("has no field `{key}`")));
        }
        map.next_value::<IgnoredAny>().map(drop)
    }
}

/// Returns `true` if an annotation with content was read.
fn has_content(node: &TreeNode, key: &str) -> bool {
    let Some(parts) = &node.parts else {
        return false;
    };
    match key {
        "$packed" => parts.packed.is_some(),
        "$trailing" => parts.trailing.is_some(),
        _ => parts.magic.is_some(),
    }
}

/// Bytes that are no value: a gap, trailing bytes, or a packed block.
pub(super) struct Bytes {
    /// The start and the end; `None` if omitted.
    pub at: Option<[u64; 2]>,
    pub bytes: Vec<u8>,
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Bytes, D::Error> {
        struct BytesVisitor;
        impl<'de> Visitor<'de> for BytesVisitor {
            type Value = Bytes;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object with `$bytes` or `$text`")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Bytes, A::Error> {
                let (mut at, mut bytes) = (None, None);
                let mut key = String::new();
                while read_key(&mut map, &mut key)? {
                    match &*key {
                        "$at" if at.is_some() => return Err(duplicate_key(&key)),
                        "$bytes" | "$text" if bytes.is_some() => return Err(duplicate_key(&key)),
                        "$at" => at = Some(map.next_value()?),
                        "$bytes" => {
                            let digits: Cow<str> = map.next_value()?;
                            bytes = Some(decode_hex(&digits).ok_or_else(|| {
                                de::Error::custom(
                                    "invalid `$bytes`: expected an even number of hexadecimal digits",
                                )
                            })?);
                        }
                        "$text" => bytes = Some(map.next_value::<String>()?.into_bytes()),
                        "$in" | "$packing" => drop(map.next_value::<IgnoredAny>()?),
                        key => return Err(de::Error::custom(format_args!("unknown key `{key}`"))),
                    }
                }
                let bytes = bytes.ok_or_else(|| de::Error::missing_field("$bytes"))?;
                Ok(Bytes { at, bytes })
            }
        }
        deserializer.deserialize_map(BytesVisitor)
    }
}

/// Decodes hexadecimal digits; `None` if their number is odd or another character occurs.
fn decode_hex(digits: &str) -> Option<Vec<u8>> {
    let digit = |digit: u8| char::from(digit).to_digit(16);
    let mut pairs = digits.as_bytes().chunks(2);
    let decode = |pair: &[u8]| match *pair {
        [high, low] => Some((16 * digit(high)? + digit(low)?) as u8),
        _ => None,
    };
    pairs.try_fold(Vec::new(), |mut bytes, pair| {
        bytes.push(decode(pair)?);
        Some(bytes)
    })
}
