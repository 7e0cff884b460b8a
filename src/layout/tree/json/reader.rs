//! Reads values by their declared types.

use std::fmt;

use serde::Deserialize;
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::super::node::{Leaf, TreeNode};
use super::super::number::{self, describe_type};
use super::list_builder::ListBuilder;
use super::{duplicate_key, message_without_position};
use crate::float::narrow_to_f32;
use crate::layout::declaration::{Shape, Type};
use crate::layout::expr::Value;
use crate::layout::program::{Cell, FormId, FormKind, Frames, Item, Program, Step, Unit};
use crate::layout::walk::{Segment, path_text};

/// Reads values by their declared types.
pub(super) struct Reader {
    pub program: &'static Program,
    /// The values so far that expressions refer to.
    pub frames: Frames,
    /// The path of the current value.
    pub path: Vec<Segment>,
    /// Whether the variant that contains the value is a guess. Numbers and strings then stay text, since the right variant
    /// may give them other types.
    pub is_guessing: bool,
}

impl Reader {
    pub fn new(ty: &'static Type) -> Reader {
        let program = Program::of(ty);
        Reader {
            program,
            frames: Frames::new(program),
            path: Vec::new(),
            is_guessing: false,
        }
    }

    /// Reads the value of the whole file.
    pub fn read_root<'de, A: MapAccess<'de>>(
        mut self,
        map: &mut A,
    ) -> Result<TreeNode<'static>, A::Error> {
        let item = Item::root(self.program);
        map.next_value_seed(ValueSeed {
            reader: &mut self,
            item,
            is_annotated: false,
        })
    }

    fn ty(&self, item: &Item) -> &'static Type {
        self.program.forms[item.form].ty
    }

    /// Adds the path of the current value to a message.
    pub fn message(&self, message: impl fmt::Display) -> String {
        match path_text(&self.path) {
            path if path.is_empty() => message.to_string(),
            path => format!("{path}: {message}"),
        }
    }

    pub fn error<E: de::Error>(&self, message: impl fmt::Display) -> E {
        E::custom(self.message(message))
    }

    pub fn duplicate_key<E: de::Error>(&self, key: &str) -> E {
        self.error(duplicate_key::<E>(key))
    }

    pub fn set_field(&mut self, item: &Item, node: &TreeNode) {
        if let Some(Leaf::Value(value)) = &node.leaf {
            self.frames.set_value(item, Cell::of(value), ());
        }
    }
}

/// Reads the value of an item.
pub(super) struct ValueSeed<'r> {
    pub reader: &'r mut Reader,
    pub item: Item,
    /// Whether the value is in an object with annotations.
    pub is_annotated: bool,
}

impl<'de> DeserializeSeed<'de> for ValueSeed<'_> {
    type Value = TreeNode<'static>;

    fn deserialize<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<TreeNode<'static>, D::Error> {
        let ValueSeed {
            reader,
            item,
            is_annotated,
        } = self;
        match reader.program.forms[item.form].kind {
            FormKind::Choice(unit) => {
                let unit = &reader.program.units[unit];
                let (outer, _) = reader.frames.enter(unit, item.arguments);
                let node = match reader.frames.choose_variant(&unit.steps) {
                    Ok(step) => reader.read_variant(step, is_annotated, deserializer)?,
                    Err(possible) => {
                        let text = Box::<RawValue>::deserialize(deserializer)?;
                        reader
                            .guess_variant(unit, &possible, is_annotated, text.get())
                            .map_err(de::Error::custom)?
                    }
                };
                reader.frames.leave_value(outer, &item);
                Ok(node)
            }
            // Only the text of such a number has all of its digits.
            FormKind::Number(size) if size > 8 => {
                let text = Box::<RawValue>::deserialize(deserializer)?;
                let text = text.get();
                if text.starts_with(['{', '"', '[']) {
                    let inner = &mut serde_json::Deserializer::from_str(text);
                    let value = inner.deserialize_any(ValueVisitor {
                        reader,
                        item,
                        is_annotated,
                    });
                    return value
                        .map_err(|error| de::Error::custom(message_without_position(&error)));
                }
                reader.scalar_of_text(&item, text)
            }
            _ => deserializer.deserialize_any(ValueVisitor {
                reader,
                item,
                is_annotated,
            }),
        }
    }
}

struct ValueVisitor<'r> {
    reader: &'r mut Reader,
    item: Item,
    is_annotated: bool,
}

impl Reader {
    fn read_variant<'de, D: Deserializer<'de>>(
        &mut self,
        variant: &'static Step,
        is_annotated: bool,
        deserializer: D,
    ) -> Result<TreeNode<'static>, D::Error> {
        let item = Item::content_of(variant);
        let seed = ValueSeed {
            reader: self,
            item,
            is_annotated,
        };
        seed.deserialize(deserializer)
    }

    /// Reads a choice whose variant depends on unknown values, such as a look-ahead, as the first variant with its fields.
    /// The assembler finds out the variant.
    fn guess_variant(
        &mut self,
        unit: &Unit,
        possible: &[&'static Step],
        is_annotated: bool,
        text: &str,
    ) -> Result<TreeNode<'static>, String> {
        let (depth, was_guessing) = (self.path.len(), self.is_guessing);
        let mut errors = Vec::new();
        for variant in possible {
            let enclosing = self.frames.enclosing();
            self.is_guessing = true;
            let inner = &mut serde_json::Deserializer::from_str(text);
            let node = self.read_variant(variant, is_annotated, inner);
            self.is_guessing = was_guessing;
            match node {
                Ok(node) => return Ok(node),
                Err(error) => errors.push(message_without_position(&error)),
            }
            self.path.truncate(depth);
            self.frames.leave(enclosing, None);
        }
        match &mut errors[..] {
            [error] => Err(std::mem::take(error)),
            _ => Err(self.message(format_args!(
                "no variant of {} applies, or the value that selects one is omitted",
                unit.declaration.name
            ))),
        }
    }

    /// Parses a number as text, or returns a string.
    fn scalar_of_text<E: de::Error>(
        &mut self,
        item: &Item,
        text: &str,
    ) -> Result<TreeNode<'static>, E> {
        let value = number::parse_value(self.ty(item), text);
        self.scalar(item, value, text)
    }

    /// Returns a number or string, and stores it for expressions. `text` is its text in the JSON.
    fn scalar<E: de::Error>(
        &mut self,
        item: &Item,
        value: Result<Value, String>,
        text: impl fmt::Display,
    ) -> Result<TreeNode<'static>, E> {
        let ty = self.ty(item);
        let value = value.map_err(|message| self.error(message))?;
        if !matches!(value, Value::Text(_)) {
            number::encode(ty, &value).map_err(|message| self.error(message))?;
        }
        if self.is_guessing {
            return Ok(Leaf::Text(text.to_string()).into());
        }
        let node = Leaf::Value(value).into();
        self.set_field(item, &node);
        Ok(node)
    }
}

/// Returns an integer as a value of type `ty`.
fn integer(ty: &'static Type, number: i128) -> Result<Value, String> {
    let wrong = || Err(format!("{number} is not {}", describe_type(ty)));
    match *ty.without_byte_order() {
        // Converted once: 64-bit floats in between would be rounded twice.
        Type::Float(4) => Ok(Value::F32(number as f32)),
        Type::Float(_) => Ok(Value::F64(number as f64)),
        Type::Unsigned(16) => u128::try_from(number)
            .map(Value::unsigned)
            .or_else(|_| wrong()),
        Type::Unsigned(_) | Type::Signed(_) => Ok(Value::Int(number)),
        Type::Declared(declaration) => match declaration.shape {
            Shape::Bits { .. } => u128::try_from(number)
                .map(|word| Value::Bits(word, declaration))
                .or_else(|_| wrong()),
            Shape::Enum { .. } => Ok(Value::Int(number)),
            Shape::Struct(_) | Shape::Choice(_) => wrong(),
        },
        _ => wrong(),
    }
}

/// Returns a number with a fraction as a value of type `ty`.
fn float(ty: &Type, number: f64) -> Result<Value, String> {
    match ty.without_byte_order() {
        Type::Float(4) => {
            let narrow = narrow_to_f32(number);
            if narrow.is_infinite() {
                return Err(format!("{number} is out of range for a 32-bit float"));
            }
            Ok(Value::F32(narrow))
        }
        Type::Float(_) => Ok(Value::F64(number)),
        _ => Err(format!("{number:?} is not {}", describe_type(ty))),
    }
}

impl<'de> Visitor<'de> for ValueVisitor<'_> {
    type Value = TreeNode<'static>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&describe_type(self.reader.ty(&self.item)))?;
        match path_text(&self.reader.path) {
            path if path.is_empty() => Ok(()),
            path => write!(f, " for `{path}`"),
        }
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<TreeNode<'static>, E> {
        let value = integer(self.reader.ty(&self.item), number.into());
        self.reader.scalar(&self.item, value, number)
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<TreeNode<'static>, E> {
        let value = integer(self.reader.ty(&self.item), number.into());
        self.reader.scalar(&self.item, value, number)
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<TreeNode<'static>, E> {
        let value = float(self.reader.ty(&self.item), number);
        // `Debug` keeps the sign of 0, and all digits.
        self.reader
            .scalar(&self.item, value, format_args!("{number:?}"))
    }

    fn visit_bool<E: de::Error>(self, flag: bool) -> Result<TreeNode<'static>, E> {
        let text = if flag { "true" } else { "false" };
        self.reader.scalar_of_text(&self.item, text)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<TreeNode<'static>, E> {
        self.reader.scalar_of_text(&self.item, text)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<TreeNode<'static>, A::Error> {
        match self.reader.program.forms[self.item.form].kind {
            FormKind::Items(inner, _) => self.reader.read_items(&self.item, inner, seq),
            FormKind::Text => self.reader.read_text(&self.item, seq),
            _ => Err(de::Error::invalid_type(de::Unexpected::Seq, &self)),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<TreeNode<'static>, A::Error> {
        if self.is_annotated {
            return Err(de::Error::invalid_type(de::Unexpected::Map, &self));
        }
        let ValueVisitor { reader, item, .. } = self;
        let form = &reader.program.forms[item.form];
        match (form.kind, form.ty.own_declaration()) {
            (FormKind::Struct(unit), _) => reader.read_struct(&item, unit, map),
            (FormKind::Number(_), Some(declaration))
                if matches!(declaration.shape, Shape::Bits { .. }) =>
            {
                reader.read_word(&item, declaration, map)
            }
            _ => reader.read_annotated(&item, map),
        }
    }
}

impl Reader {
    /// Reads a string that is not UTF-8, as a list of bytes.
    fn read_text<'de, A: SeqAccess<'de>>(
        &mut self,
        item: &Item,
        mut seq: A,
    ) -> Result<TreeNode<'static>, A::Error> {
        let mut text = Vec::new();
        while let Some(byte) = seq.next_element().map_err(|error| self.error(error))? {
            text.push(byte);
        }
        let node = Leaf::Value(Value::Text(text)).into();
        self.set_field(item, &node);
        Ok(node)
    }

    fn read_items<'de, A: SeqAccess<'de>>(
        &mut self,
        list: &Item,
        inner: FormId,
        mut seq: A,
    ) -> Result<TreeNode<'static>, A::Error> {
        let item = list.array_item(inner);
        let keeps_nodes = self.is_guessing || list.own_step().is_some_and(Step::is_related);
        let mut builder = ListBuilder::new(item, self.program, &mut self.frames, keeps_nodes);
        self.frames.start_columns(list);
        self.path.push(Segment::Index(0));
        let mut index = 0;
        self.frames.set_current_item(&item, index, |()| None);
        while let Some(node) = seq.next_element_seed(ValueSeed {
            reader: &mut *self,
            item,
            is_annotated: false,
        })? {
            builder.push(node, &mut self.frames);
            index += 1;
            if let Some(last) = self.path.last_mut() {
                *last = Segment::Index(index);
            }
            self.frames.set_current_item(&item, index, |()| None);
        }
        self.path.pop();
        let mut node = TreeNode::empty_group();
        node.parts_mut().items = builder.finish(&self.frames);
        Ok(node)
    }
}
