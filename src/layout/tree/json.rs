//! Reads a tree from JSON.

use std::borrow::Cow;
use std::fmt;

use serde::de::{self, DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::Tree;
use super::list_builder::ListBuilder;
use super::node::{Leaf, PackedBlock, TreeNode};
use super::number::{self, describe_type};
use crate::float::narrow_to_f32;
use crate::layout::declaration::{BitField, Declaration, Shape, Type};
use crate::layout::dump::JSON_VERSION;
use crate::layout::expr::Value;
use crate::layout::program::{
    Argument, EnclosingUnit, FormId, FormKind, Frames, Item, Program, Step, Unit, UnitId,
};
use crate::layout::walk::{Segment, path_text};
use crate::{Error, Result};

/// The keys that describe a value, and are ignored.
const NOTES: &[&str] = &[
    "$at", "$in", "$bits", "$type", "$name", "$decoded", "$unit", "$meaning",
];

impl Tree<'_> {
    /// Reads the values of a file of type `ty` from JSON, as docs/json.md describes it and
    /// [`Dump::write_json`](crate::layout::dump::Dump::write_json) writes it. Omitted values are computed when the file is
    /// assembled.
    ///
    /// ```
    /// use meshspec::layout::{Layout, tree::Tree};
    ///
    /// /// A list of heights.
    /// #[derive(Layout)]
    /// #[br(little)]
    /// struct Heights {
    ///     count: u16,
    ///     #[br(count = count)]
    ///     samples: Vec<f32>,
    /// }
    ///
    /// let heights = Tree::from_json(&Heights::TYPE, br#"{"value": {"samples": [1, 2.5]}}"#)?;
    /// assert_eq!(heights.assemble(&Default::default())?, b"\x02\0\0\0\x80\x3f\0\0\x20\x40");
    /// # Ok::<(), meshspec::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error with line and column if the text is no JSON, or has unknown keys or values of the wrong type.
    pub fn from_json(ty: &'static Type, text: &[u8]) -> Result<Tree<'static>> {
        let mut deserializer = serde_json::Deserializer::from_slice(text);
        let tree = FileVisitor { ty }.read(&mut deserializer);
        tree.and_then(|tree| deserializer.end().map(|()| tree))
            .map_err(Error::malformed)
    }
}

/// Reads the object for a whole file.
struct FileVisitor {
    ty: &'static Type,
}

impl FileVisitor {
    fn read<'de, D: Deserializer<'de>>(self, deserializer: D) -> Result<Tree<'static>, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for FileVisitor {
    type Value = Tree<'static>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object with the values of a file")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Tree<'static>, A::Error> {
        let mut tree = Tree::new(self.ty);
        let mut trailing = None;
        let mut key = String::new();
        while read_key(&mut map, &mut key)? {
            match &*key {
                "file" | "format" | "layout" => drop(map.next_value::<IgnoredAny>()?),
                "size" => tree.file_size = Some(map.next_value()?),
                "version" => match map.next_value::<u32>()? {
                    JSON_VERSION => {}
                    version => {
                        return Err(de::Error::custom(format_args!(
                            "version {version} of the notation, but only {JSON_VERSION} is known"
                        )));
                    }
                },
                "path" => {
                    let path: String = map.next_value()?;
                    return Err(de::Error::custom(format_args!(
                        "contains only `{path}`: the rest of the file is missing"
                    )));
                }
                "error" => {
                    return Err(de::Error::custom(
                        "the dump ends with an error: the rest of the file is missing",
                    ));
                }
                "value" => {
                    let mut reader = Reader::new(self.ty);
                    let item = Item::root(reader.program);
                    tree.root = map.next_value_seed(ValueSeed {
                        reader: &mut reader,
                        item,
                        is_noted: false,
                    })?;
                }
                "gaps" => {
                    for Bytes { at, bytes } in map.next_value::<Vec<Bytes>>()? {
                        tree.add_gap(at.map_or(0, |at| at[0]), bytes);
                    }
                }
                "trailing" => trailing = Some(map.next_value::<Bytes>()?.bytes),
                key => return Err(de::Error::custom(format_args!("unknown key `{key}`"))),
            }
        }
        if let Some(bytes) = trailing {
            tree.root.parts_mut().trailing = Some(bytes.into());
        }
        Ok(tree)
    }
}

/// Bytes that are no value: a gap, trailing bytes, or a packed block.
struct Bytes {
    at: Option<[u64; 2]>,
    bytes: Vec<u8>,
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Bytes, D::Error> {
        struct BytesVisitor;
        impl<'de> Visitor<'de> for BytesVisitor {
            type Value = Bytes;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object with `$bytes`")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Bytes, A::Error> {
                let (mut at, mut bytes) = (None, None);
                let mut key = String::new();
                while read_key(&mut map, &mut key)? {
                    match &*key {
                        "$at" => at = Some(map.next_value()?),
                        "$bytes" => {
                            let digits: Cow<str> = map.next_value()?;
                            bytes = Some(decode_hex(&digits).ok_or_else(|| {
                                de::Error::custom(
                                    "invalid `$bytes`: expected an even number of hexadecimal digits",
                                )
                            })?);
                        }
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

/// Reads values by their declared types.
struct Reader {
    program: &'static Program,
    frames: Frames,
    path: Vec<Segment>,
}

impl Reader {
    fn new(ty: &'static Type) -> Reader {
        let program = Program::of(ty);
        Reader {
            program,
            frames: Frames::new(program),
            path: Vec::new(),
        }
    }

    fn ty(&self, item: &Item) -> &'static Type {
        self.program.forms[item.form].ty
    }

    fn error<E: de::Error>(&self, message: impl fmt::Display) -> E {
        match path_text(&self.path) {
            path if path.is_empty() => E::custom(message),
            path => E::custom(format_args!("{path}: {message}")),
        }
    }

    fn set_field(&mut self, item: &Item, node: &TreeNode) {
        if let (Some(step), Some(Leaf::Value(value))) = (item.own_step(), &node.leaf) {
            self.frames.set_field(step, value);
        }
    }

    /// Returns `true` if the arguments of a type have values.
    fn has_arguments(&self, item: &Item) -> bool {
        let (cells, _) = self.frames.slots();
        let mut arguments = item.arguments.iter();
        arguments.all(|argument| match argument {
            Argument::Value(code, _) => code.eval_cell(cells).is_ok(),
            Argument::Fields(_) => true,
        })
    }

    /// Marks the omitted fields of a struct as absent whose condition is false.
    fn set_absent_fields(&mut self, unit: &'static Unit, given: &TreeNode) {
        for step in &unit.steps {
            if let Some(condition) = &step.condition
                && given.field(step.field.name).is_none()
                && self.frames.eval_bool(condition) == Ok(false)
            {
                self.frames.set_absent(step);
            }
        }
    }
}

/// Reads the value of an item.
struct ValueSeed<'r> {
    reader: &'r mut Reader,
    item: Item,
    /// Whether the value is inside an object with notes on it.
    is_noted: bool,
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
            is_noted,
        } = self;
        match reader.program.forms[item.form].kind {
            FormKind::Choice(unit) => {
                let unit = &reader.program.units[unit];
                let (outer, _) = reader.frames.enter(unit, item.arguments);
                let Ok(step) = reader.frames.choose_variant(&unit.steps) else {
                    let name = unit.declaration.name;
                    return Err(reader.error(format_args!(
                        "no variant of {name} applies, or the value that selects one is omitted"
                    )));
                };
                let content = content_of(step);
                let node = ValueSeed {
                    reader: &mut *reader,
                    item: content,
                    is_noted,
                }
                .deserialize(deserializer)?;
                reader.frames.leave(outer, item.own_step());
                Ok(node)
            }
            // Only the text of such a number has all of its digits.
            FormKind::Number(size) if size > 8 => {
                let text = <&RawValue>::deserialize(deserializer)?.get();
                if text.starts_with(['{', '"', '[']) {
                    let mut inner = serde_json::Deserializer::from_str(text);
                    return inner
                        .deserialize_any(ValueVisitor {
                            reader,
                            item,
                            is_noted,
                        })
                        .map_err(de::Error::custom);
                }
                reader.scalar_of_text(&item, text)
            }
            _ => deserializer.deserialize_any(ValueVisitor {
                reader,
                item,
                is_noted,
            }),
        }
    }
}

/// Returns the value of a field, or the content of its block.
fn content_of(step: &'static Step) -> Item {
    let item = Item::of_field(step);
    step.block
        .as_ref()
        .map_or(item, |block| item.block_content(block))
}

struct ValueVisitor<'r> {
    reader: &'r mut Reader,
    item: Item,
    is_noted: bool,
}

impl Reader {
    /// Parses a number as text, or returns a string.
    fn scalar_of_text<E: de::Error>(
        &mut self,
        item: &Item,
        text: &str,
    ) -> Result<TreeNode<'static>, E> {
        let value = number::parse_value(self.ty(item), text);
        self.scalar(item, value)
    }

    /// Returns a value of a number, and stores it for expressions.
    fn scalar<E: de::Error>(
        &mut self,
        item: &Item,
        value: Result<Value, String>,
    ) -> Result<TreeNode<'static>, E> {
        let ty = self.ty(item);
        let value = value.map_err(|message| self.error(message))?;
        if !matches!(value, Value::Text(_)) {
            number::encode(ty, &value).map_err(|message| self.error(message))?;
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
        _ => Err(format!("{number} is not {}", describe_type(ty))),
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
        self.reader.scalar(&self.item, value)
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<TreeNode<'static>, E> {
        let value = integer(self.reader.ty(&self.item), number.into());
        self.reader.scalar(&self.item, value)
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<TreeNode<'static>, E> {
        let value = float(self.reader.ty(&self.item), number);
        self.reader.scalar(&self.item, value)
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

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<TreeNode<'static>, A::Error> {
        if self.is_noted {
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
            _ => {
                let mut node = TreeNode::default();
                let mut is_unterminated = false;
                let mut key = String::new();
                while read_key(&mut map, &mut key)? {
                    match &*key {
                        "$unterminated" if form.kind == FormKind::Text => {
                            is_unterminated = map.next_value()?;
                        }
                        "$value" | "$items" => {
                            let value = map.next_value_seed(ValueSeed {
                                reader: &mut *reader,
                                item,
                                is_noted: true,
                            })?;
                            node.leaf = value.leaf;
                            if let Some(parts) = value.parts {
                                node.parts_mut().items = parts.items;
                            }
                        }
                        key => reader.read_note(key, &mut node, &mut map)?,
                    }
                }
                if let (true, Some(Leaf::Value(Value::Text(text)))) = (is_unterminated, &node.leaf)
                {
                    node.leaf = Some(Leaf::Unterminated(text.clone()));
                }
                Ok(node)
            }
        }
    }
}

impl Reader {
    /// Reads a note on a value. Only some belong to its content.
    fn read_note<'de, A: MapAccess<'de>>(
        &mut self,
        key: &str,
        node: &mut TreeNode<'static>,
        map: &mut A,
    ) -> Result<(), A::Error> {
        match key {
            "$packed" => {
                node.parts_mut().packed = Some(PackedBlock {
                    bytes: map.next_value::<Bytes>()?.bytes.into(),
                    span: None,
                    is_open: false,
                    is_inline: false,
                    size_paths: Vec::new(),
                });
            }
            "$trailing" => {
                node.parts_mut().trailing = Some(map.next_value::<Bytes>()?.bytes.into());
            }
            "$magic" => {
                let magic: crate::Text = map.next_value()?;
                node.parts_mut().magic = Some(magic.as_bytes().to_vec());
            }
            key if NOTES.contains(&key) => drop(map.next_value::<IgnoredAny>()?),
            key => return Err(self.error(format_args!("has no field `{key}`"))),
        }
        Ok(())
    }

    /// Reads a string that is not UTF-8, as a list of bytes.
    fn read_text<'de, A: SeqAccess<'de>>(
        &mut self,
        item: &Item,
        mut seq: A,
    ) -> Result<TreeNode<'static>, A::Error> {
        let mut text = Vec::new();
        while let Some(byte) = seq.next_element()? {
            text.push(byte);
        }
        self.scalar(item, Ok(Value::Text(text)))
    }

    fn read_struct<'de, A: MapAccess<'de>>(
        &mut self,
        item: &Item,
        unit: UnitId,
        mut map: A,
    ) -> Result<TreeNode<'static>, A::Error> {
        let unit = &self.program.units[unit];
        let (outer, _) = self.frames.enter(unit, item.arguments);
        let mut node = TreeNode::empty_group();
        let mut blocks = InlineBlocks::default();
        let mut deferred: Vec<(&'static str, &'de RawValue)> = Vec::new();
        let mut key = String::new();
        while read_key(&mut map, &mut key)? {
            if key.starts_with('$') {
                self.read_note(&key, &mut node, &mut map)?;
                continue;
            }
            let Some(field) = self.field_of(unit, &key) else {
                return Err(self.error(format_args!("has no field `{key}`")));
            };
            let name = field.step.field.name;
            if node.field(name).is_some() || deferred.iter().any(|(known, _)| *known == name) {
                return Err(self.error(format_args!("has two keys `{name}`")));
            }
            if !self.enter_blocks(&mut blocks, &field, unit, &node) {
                deferred.push((name, map.next_value()?));
                continue;
            }
            let step = field.step;
            let value = map.next_value_seed(FieldSeed { reader: self, step })?;
            node.parts_mut().fields.push((name, value));
        }
        // The types of these depend on values that follow them.
        for (name, text) in deferred {
            if let Some(field) = self.field_of(unit, name) {
                self.enter_blocks(&mut blocks, &field, unit, &node);
                let mut inner = serde_json::Deserializer::from_str(text.get());
                let step = field.step;
                let value = FieldSeed { reader: self, step }
                    .deserialize(&mut inner)
                    .map_err(de::Error::custom)?;
                node.parts_mut().fields.push((name, value));
            }
        }
        blocks.leave(&mut self.frames);
        self.frames.leave(outer, item.own_step());
        Ok(node)
    }

    /// Enters the units of the inline blocks that contain a field, and leaves the others. Returns `false` if the type of the
    /// field depends on values of `unit` that are not known yet. `given` are the known ones.
    fn enter_blocks(
        &mut self,
        blocks: &mut InlineBlocks,
        field: &NamedField,
        mut unit: &'static Unit,
        given: &TreeNode,
    ) -> bool {
        let stays = blocks.contain(field);
        if !stays {
            blocks.leave(&mut self.frames);
        }
        for (step, inner) in &field.inline {
            let (content, outer) = (content_of(step), unit);
            unit = &self.program.units[*inner];
            if stays {
                continue;
            }
            if !self.can_read(&content, outer, given) {
                return false;
            }
            let (enclosing, _) = self.frames.enter(unit, content.arguments);
            blocks.entered.push((step, enclosing));
        }
        self.can_read(&content_of(field.step), unit, given)
    }

    /// Returns `true` if the arguments of a type have values, so that its content can be read. `unit` is the innermost unit,
    /// and `given` its known values.
    fn can_read(&mut self, item: &Item, unit: &'static Unit, given: &TreeNode) -> bool {
        self.has_arguments(item) || {
            self.set_absent_fields(unit, given);
            self.has_arguments(item)
        }
    }

    /// Returns the field with this name in a unit, or in the content of its inline blocks.
    fn field_of(&self, unit: &'static Unit, name: &str) -> Option<NamedField> {
        let inline = unit.steps.iter().find_map(|step| {
            let block = step.block.as_ref().filter(|block| block.block.inline)?;
            let (FormKind::Struct(inner) | FormKind::Choice(inner)) =
                self.program.forms[block.form].kind
            else {
                return None;
            };
            let mut field = self.field_of(&self.program.units[inner], name)?;
            field.inline.insert(0, (step, inner));
            Some(field)
        });
        // The content of an inline block may have a field with the name of the block.
        inline.or_else(|| {
            let inline = Vec::new();
            let step = unit.steps.iter().find(|step| step.field.name == name)?;
            Some(NamedField { inline, step })
        })
    }

    fn read_word<'de, A: MapAccess<'de>>(
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
                is_noted: true,
            })?;
            match word.leaf {
                Some(Leaf::Value(Value::Bits(word, _))) => Ok(word),
                _ => Err(de::Error::custom("a packed word is a number")),
            }
        };
        if let Some(word) = self.read_bit_fields(declaration, map, whole, &mut node)? {
            node.leaf = Some(Leaf::Value(Value::Bits(word, declaration)));
        }
        self.set_field(item, &node);
        Ok(node)
    }

    /// Reads the object of a packed word, or of a word in it. Returns the word; `None` if nothing is given. `read_whole`
    /// reads its number.
    fn read_bit_fields<'de, A: MapAccess<'de>>(
        &mut self,
        declaration: &'static Declaration,
        mut map: A,
        read_whole: impl Fn(&mut Reader, &mut A) -> Result<u128, A::Error>,
        node: &mut TreeNode<'static>,
    ) -> Result<Option<u128>, A::Error> {
        let (mut whole, mut word, mut given) = (None, 0, 0);
        let mut key = String::new();
        while read_key(&mut map, &mut key)? {
            if key == "$value" {
                whole = Some(read_whole(self, &mut map)?);
                continue;
            } else if key.starts_with('$') {
                self.read_note(&key, node, &mut map)?;
                continue;
            }
            let mut fields = declaration.bit_fields().iter();
            let Some(field) = fields.find(|field| field.name == key) else {
                return Err(self.error(format_args!("has no field `{key}`")));
            };
            self.path.push(Segment::Field(field.name));
            let bits = map.next_value_seed(BitsSeed {
                reader: &mut *self,
                field,
                is_noted: false,
            })?;
            self.path.pop();
            word |= bits << field.bits.offset;
            given |= field.bits.mask();
        }
        let mut fields = declaration.bit_fields().iter();
        if let Some(whole) = whole {
            let differs = |field: &&BitField| {
                let mask = field.bits.mask() & given;
                whole & mask != word & mask
            };
            return match fields.find(differs) {
                None => Ok(Some(whole)),
                Some(field) => Err(self.error(format_args!(
                    "is {whole:#x}, but its field `{}` is {:#x}: omit one of them",
                    field.name,
                    field.bits.extract(word)
                ))),
            };
        }
        let missing = fields.find(|field| !field.reserved && field.bits.mask() & given == 0);
        match missing {
            _ if given == 0 => Ok(None),
            None => Ok(Some(word)),
            Some(field) => Err(self.error(format_args!("its field `{}` is omitted", field.name))),
        }
    }

    fn read_items<'de, A: SeqAccess<'de>>(
        &mut self,
        list: &Item,
        inner: FormId,
        mut seq: A,
    ) -> Result<TreeNode<'static>, A::Error> {
        let item = list.array_item(inner);
        let mut builder = ListBuilder::new(item, self.program, &mut self.frames);
        self.path.push(Segment::Index(0));
        let mut index = 0;
        while let Some(node) = seq.next_element_seed(ValueSeed {
            reader: &mut *self,
            item,
            is_noted: false,
        })? {
            builder.push(node, &mut self.frames);
            index += 1;
            if let Some(last) = self.path.last_mut() {
                *last = Segment::Index(index);
            }
        }
        self.path.pop();
        let mut node = TreeNode::empty_group();
        node.parts_mut().items = builder.finish(&self.frames);
        Ok(node)
    }
}

/// A field, and the inline blocks that contain it.
struct NamedField {
    /// The fields of the blocks, the outermost first, and the units of their content.
    inline: Vec<(&'static Step, UnitId)>,
    step: &'static Step,
}

/// The inline blocks whose units the reader has entered. The keys of their content are in the object of the struct that
/// contains them.
#[derive(Default)]
struct InlineBlocks {
    /// The field of each block, and the unit that contains it.
    entered: Vec<(&'static Step, EnclosingUnit)>,
}

impl InlineBlocks {
    /// Returns `true` if these blocks contain the field.
    fn contain(&self, field: &NamedField) -> bool {
        self.entered.len() == field.inline.len()
            && (self.entered.iter().zip(&field.inline))
                .all(|((own, _), (step, _))| std::ptr::eq(*own, *step))
    }

    fn leave(&mut self, frames: &mut Frames) {
        while let Some((step, outer)) = self.entered.pop() {
            frames.leave(outer, Some(step));
        }
    }
}

/// Reads the value of a field.
struct FieldSeed<'r> {
    reader: &'r mut Reader,
    step: &'static Step,
}

impl<'de> DeserializeSeed<'de> for FieldSeed<'_> {
    type Value = TreeNode<'static>;

    fn deserialize<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<TreeNode<'static>, D::Error> {
        let FieldSeed { reader, step } = self;
        reader.path.push(Segment::Field(step.field.name));
        let item = content_of(step);
        let seed = ValueSeed {
            reader: &mut *reader,
            item,
            is_noted: false,
        };
        let node = seed.deserialize(deserializer)?;
        reader.path.pop();
        Ok(node)
    }
}

/// Reads a field of a packed word. The result is in the lowest bits.
struct BitsSeed<'r> {
    reader: &'r mut Reader,
    field: &'static BitField,
    /// Whether the value is inside an object with notes on it.
    is_noted: bool,
}

impl<'de> DeserializeSeed<'de> for BitsSeed<'_> {
    type Value = u128;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<u128, D::Error> {
        if self.field.bits.width <= 64 {
            return deserializer.deserialize_any(self);
        }
        // Only the text of such a number has all of its digits.
        let text = <&RawValue>::deserialize(deserializer)?.get();
        if text.starts_with(['{', '"', '[']) {
            let mut inner = serde_json::Deserializer::from_str(text);
            return inner.deserialize_any(self).map_err(de::Error::custom);
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
        if self.is_noted {
            return Err(de::Error::invalid_type(de::Unexpected::Map, &self));
        }
        let BitsSeed { reader, field, .. } = self;
        let read_whole = |reader: &mut Reader, map: &mut A| {
            map.next_value_seed(BitsSeed {
                reader,
                field,
                is_noted: true,
            })
        };
        let mut node = TreeNode::default();
        let bits = match field.declared {
            Some(declaration) => reader.read_bit_fields(declaration, map, read_whole, &mut node)?,
            None => {
                let (mut bits, mut key) = (None, String::new());
                while read_key(&mut map, &mut key)? {
                    if key == "$value" {
                        bits = Some(read_whole(reader, &mut map)?);
                    } else {
                        reader.read_note(&key, &mut node, &mut map)?;
                    }
                }
                bits
            }
        };
        bits.ok_or_else(|| reader.error("is omitted"))
    }
}

/// Reads the next key of an object into `key`. Returns `false` at the end.
fn read_key<'de, A: MapAccess<'de>>(map: &mut A, key: &mut String) -> Result<bool, A::Error> {
    struct KeySeed<'k>(&'k mut String);

    impl<'de> DeserializeSeed<'de> for KeySeed<'_> {
        type Value = ();

        fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
            deserializer.deserialize_str(self)
        }
    }

    impl Visitor<'_> for KeySeed<'_> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
            f.write_str("a key")
        }

        fn visit_str<E>(self, text: &str) -> Result<(), E> {
            self.0.clear();
            self.0.push_str(text);
            Ok(())
        }
    }

    Ok(map.next_key_seed(KeySeed(key))?.is_some())
}
