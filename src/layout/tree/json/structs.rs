//! Reads structs, and the content of their inline blocks, whose keys are in the same object.

use std::fmt;
use std::ptr;

use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::super::node::{Leaf, TreeNode};
use super::reader::{Reader, ValueSeed, content_of};
use super::{message_of, read_key};
use crate::layout::declaration::Shape;
use crate::layout::program::{Argument, EnclosingUnit, FormKind, Frames, Item, Step, Unit, UnitId};
use crate::layout::walk::Segment;

/// The key of a list that is the content of an inline block.
const LIST_KEY: &str = "$items";

/// A field, and the inline blocks that contain it.
struct NamedField {
    /// The field of each block and the unit of its content, the outermost first. If the content is a choice, its variant
    /// and the unit of that follow.
    inline: Vec<(&'static Step, UnitId)>,
    step: &'static Step,
}

/// The inline blocks whose units the reader has entered.
#[derive(Default)]
struct InlineBlocks {
    /// The field of each block, and the unit that contains it.
    entered: Vec<(&'static Step, EnclosingUnit)>,
}

impl InlineBlocks {
    /// Returns `true` if these blocks contain the field.
    fn contain(&self, field: &NamedField) -> bool {
        let mut steps = self.entered.iter().zip(&field.inline);
        self.entered.len() == field.inline.len()
            && steps.all(|((own, _), (step, _))| ptr::eq(*own, *step))
    }

    fn leave(&mut self, frames: &mut Frames) {
        while let Some((step, outer)) = self.entered.pop() {
            frames.leave(outer, Some(step));
        }
    }
}

/// The reason why a field cannot be read.
#[derive(PartialEq)]
enum Obstacle {
    /// Its type depends on values that are not known yet.
    Unknown,
    /// It belongs to another variant.
    OtherVariant,
}

impl Reader {
    pub(super) fn read_struct<'de, A: MapAccess<'de>>(
        &mut self,
        item: &Item,
        unit: UnitId,
        mut map: A,
    ) -> Result<TreeNode<'static>, A::Error> {
        let unit = &self.program.units[unit];
        let (outer, _) = self.frames.enter(unit, item.arguments);
        let mut node = TreeNode::empty_group();
        let mut blocks = InlineBlocks::default();
        let mut block_notes = Vec::new();
        let mut deferred: Vec<(&'static str, Box<RawValue>)> = Vec::new();
        let mut key = String::new();
        while read_key(&mut map, &mut key)? {
            if key == "$blocks" {
                block_notes = map.next_value_seed(BlockNotesSeed { reader: self, unit })?;
                continue;
            }
            if key.starts_with('$') && key != LIST_KEY {
                self.read_note(&key, &mut node, &mut map)?;
                continue;
            }
            let fields = self.fields_of(unit, &key);
            let Some(first) = fields.first() else {
                return Err(self.error(format_args!("has no field `{key}`")));
            };
            let is_list = key == LIST_KEY;
            let name = if is_list {
                LIST_KEY
            } else {
                first.step.field.name
            };
            let is_given = match is_list {
                true => node
                    .parts
                    .as_ref()
                    .is_some_and(|parts| !parts.items.is_empty()),
                false => node.field(name).is_some(),
            };
            if is_given || deferred.iter().any(|(known, _)| *known == name) {
                return Err(self.two_keys(&key));
            }
            let Ok(step) = self.find_readable(&mut blocks, &fields, unit, &node, false) else {
                deferred.push((name, map.next_value()?));
                continue;
            };
            let seed = FieldSeed {
                reader: self,
                step,
                is_list,
            };
            let value = map.next_value_seed(seed)?;
            add_field(&mut node, step, value, is_list);
        }
        self.read_deferred(&mut blocks, deferred, unit, &mut node)
            .map_err(de::Error::custom)?;
        blocks.leave(&mut self.frames);
        self.frames.leave(outer, item.own_step());
        for (name, notes) in block_notes {
            add_notes(&mut node, name, notes);
        }
        Ok(node)
    }

    /// Reads values whose types depend on values that followed them. If some remain unknown, reading the first of them
    /// says what is missing.
    fn read_deferred(
        &mut self,
        blocks: &mut InlineBlocks,
        mut deferred: Vec<(&'static str, Box<RawValue>)>,
        unit: &'static Unit,
        node: &mut TreeNode<'static>,
    ) -> Result<(), String> {
        let mut is_forced = false;
        while !deferred.is_empty() {
            let before = deferred.len();
            let mut remaining = Vec::new();
            for (name, text) in deferred {
                let fields = self.fields_of(unit, name);
                match self.find_readable(blocks, &fields, unit, node, is_forced) {
                    Ok(step) => {
                        let is_list = name == LIST_KEY;
                        let seed = FieldSeed {
                            reader: self,
                            step,
                            is_list,
                        };
                        let inner = &mut serde_json::Deserializer::from_str(text.get());
                        let value = seed.deserialize(inner);
                        let value = value.map_err(|error| message_of(&error))?;
                        add_field(node, step, value, is_list);
                    }
                    Err(_) if is_forced => {
                        let error: de::value::Error =
                            self.error(format_args!("no variant with a field `{name}` applies"));
                        return Err(error.to_string());
                    }
                    Err(_) => remaining.push((name, text)),
                }
            }
            is_forced = remaining.len() == before;
            deferred = remaining;
        }
        Ok(())
    }

    /// Returns the fields with a name in a unit or in the content of its inline blocks. Several variants may have one.
    /// `$items` is the content of an inline block that is a list.
    fn fields_of(&self, unit: &'static Unit, name: &str) -> Vec<NamedField> {
        let mut fields = Vec::new();
        for step in &unit.steps {
            let is_choice = step.variant.is_some();
            let is_inline = step.block.as_ref().is_some_and(|block| block.block.inline);
            if !is_inline && !is_choice {
                continue;
            }
            match self.program.forms[content_of(step).form].kind {
                FormKind::Struct(inner) | FormKind::Choice(inner) => {
                    for mut field in self.fields_of(&self.program.units[inner], name) {
                        field.inline.insert(0, (step, inner));
                        fields.push(field);
                    }
                }
                FormKind::Items(..) if name == LIST_KEY => fields.push(NamedField {
                    inline: Vec::new(),
                    step,
                }),
                _ => {}
            }
        }
        // The content of an inline block may have a field with the name of the block.
        let own = unit.steps.iter().find(|step| step.field.name == name);
        fields.extend(
            own.filter(|step| step.variant.is_none())
                .map(|step| NamedField {
                    inline: Vec::new(),
                    step,
                }),
        );
        fields
    }

    /// Returns the name of an inline block in a unit, or in the content of its inline blocks.
    fn inline_block_of(&self, unit: &'static Unit, name: &str) -> Option<&'static str> {
        unit.steps.iter().find_map(|step| {
            let is_inline = step.block.as_ref().is_some_and(|block| block.block.inline);
            if is_inline && step.field.name == name {
                return Some(step.field.name);
            }
            match self.program.forms[content_of(step).form].kind {
                FormKind::Struct(inner) | FormKind::Choice(inner)
                    if is_inline || step.variant.is_some() =>
                {
                    self.inline_block_of(&self.program.units[inner], name)
                }
                _ => None,
            }
        })
    }

    /// Enters the units of the inline blocks that contain the first field that can be read, and returns the field. With
    /// `is_forced`, reads a field although arguments of its type are unknown.
    fn find_readable(
        &mut self,
        blocks: &mut InlineBlocks,
        fields: &[NamedField],
        unit: &'static Unit,
        given: &TreeNode,
        is_forced: bool,
    ) -> Result<&'static Step, Obstacle> {
        for field in fields {
            match self.enter_blocks(blocks, field, unit, given, is_forced) {
                Err(Obstacle::OtherVariant) => {}
                Err(Obstacle::Unknown) => return Err(Obstacle::Unknown),
                Ok(()) => return Ok(field.step),
            }
        }
        Err(Obstacle::OtherVariant)
    }

    /// Enters the units of the inline blocks that contain a field, and leaves the others. `given` are the known values.
    fn enter_blocks(
        &mut self,
        blocks: &mut InlineBlocks,
        field: &NamedField,
        mut unit: &'static Unit,
        given: &TreeNode,
        is_forced: bool,
    ) -> Result<(), Obstacle> {
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
            if let Shape::Choice(_) = outer.declaration.shape {
                match self.frames.choose_variant(&outer.steps) {
                    Ok(chosen) if ptr::eq(chosen, *step) => {}
                    Ok(_) => return Err(Obstacle::OtherVariant),
                    Err(_) => return Err(Obstacle::Unknown),
                }
            }
            if !self.can_read(&content, outer, given) && !is_forced {
                return Err(Obstacle::Unknown);
            }
            let (enclosing, _) = self.frames.enter(unit, content.arguments);
            self.set_known_fields(unit, given);
            blocks.entered.push((step, enclosing));
        }
        if self.can_read(&content_of(field.step), unit, given) || is_forced {
            Ok(())
        } else {
            Err(Obstacle::Unknown)
        }
    }

    /// Returns `true` if the arguments of a type have values, so that its content can be read. `unit` is the innermost unit,
    /// and `given` its known values.
    fn can_read(&mut self, item: &Item, unit: &'static Unit, given: &TreeNode) -> bool {
        self.has_arguments(item) || {
            self.set_absent_fields(unit, given);
            self.has_arguments(item)
        }
    }

    /// Returns `true` if the arguments of a type have values.
    fn has_arguments(&self, item: &Item) -> bool {
        let (cells, _) = self.frames.slots();
        let mut arguments = item.arguments.iter();
        arguments.all(|argument| match argument {
            Argument::Value(code, _) => code.eval_cell(cells).is_ok(),
            Argument::Fields(fields) => {
                fields.iter().all(|(code, _)| code.eval_cell(cells).is_ok())
            }
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

    /// Stores the values of a unit that was left and is entered again.
    fn set_known_fields(&mut self, unit: &'static Unit, given: &TreeNode) {
        for step in unit.steps.iter().filter(|step| step.variant.is_none()) {
            let Some(node) = given.field(step.field.name) else {
                continue;
            };
            if let Some(Leaf::Value(value)) = &node.leaf {
                self.frames.set_field(step, value);
            }
            let content = content_of(step);
            if let FormKind::Struct(inner) = self.program.forms[content.form].kind
                && !step.exports.is_empty()
            {
                let inner = &self.program.units[inner];
                let (outer, _) = self.frames.enter(inner, content.arguments);
                self.set_known_fields(inner, node);
                self.frames.leave(outer, Some(step));
            }
        }
    }
}

/// Adds the value of a field, or the items of a list that is inline content.
fn add_field(
    node: &mut TreeNode<'static>,
    step: &'static Step,
    value: TreeNode<'static>,
    is_list: bool,
) {
    let parts = node.parts_mut();
    if !is_list {
        parts.fields.push((step.field.name, value));
    } else if let Some(list) = value.parts {
        parts.items = list.items;
    }
}

/// Adds what notes on an inline block contain to the value with its name.
fn add_notes(node: &mut TreeNode<'static>, name: &'static str, notes: TreeNode<'static>) {
    let block = node.child_mut(Segment::Field(name));
    if let (Some(block), Some(notes)) = (block, notes.parts) {
        let parts = block.parts_mut();
        (parts.packed, parts.trailing) = (notes.packed, notes.trailing);
    }
}

/// Reads the value of a field.
struct FieldSeed<'r> {
    reader: &'r mut Reader,
    step: &'static Step,
    /// Whether the value is a list that is the content of an inline block.
    is_list: bool,
}

impl<'de> DeserializeSeed<'de> for FieldSeed<'_> {
    type Value = TreeNode<'static>;

    fn deserialize<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<TreeNode<'static>, D::Error> {
        let FieldSeed {
            reader,
            step,
            is_list,
        } = self;
        let depth = reader.path.len();
        if !is_list {
            reader.path.push(Segment::Field(step.field.name));
        }
        let item = content_of(step);
        let seed = ValueSeed {
            reader: &mut *reader,
            item,
            is_noted: is_list,
        };
        let node = seed.deserialize(deserializer)?;
        reader.path.truncate(depth);
        Ok(node)
    }
}

/// Reads the notes on inline blocks, by the names of the blocks.
struct BlockNotesSeed<'r> {
    reader: &'r mut Reader,
    unit: &'static Unit,
}

impl<'de> DeserializeSeed<'de> for BlockNotesSeed<'_> {
    type Value = Vec<(&'static str, TreeNode<'static>)>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for BlockNotesSeed<'_> {
    type Value = Vec<(&'static str, TreeNode<'static>)>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object of inline blocks")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let BlockNotesSeed { reader, unit } = self;
        let mut blocks = Vec::new();
        let mut key = String::new();
        while read_key(&mut map, &mut key)? {
            let Some(name) = reader.inline_block_of(unit, &key) else {
                return Err(reader.error(format_args!("has no inline block `{key}`")));
            };
            let notes = map.next_value_seed(NotesSeed {
                reader: &mut *reader,
            })?;
            blocks.push((name, notes));
        }
        Ok(blocks)
    }
}

/// Reads an object of notes.
struct NotesSeed<'r> {
    reader: &'r mut Reader,
}

impl<'de> DeserializeSeed<'de> for NotesSeed<'_> {
    type Value = TreeNode<'static>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for NotesSeed<'_> {
    type Value = TreeNode<'static>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object of notes on a block")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut node = TreeNode::default();
        let mut key = String::new();
        while read_key(&mut map, &mut key)? {
            self.reader.read_note(&key, &mut node, &mut map)?;
        }
        Ok(node)
    }
}
