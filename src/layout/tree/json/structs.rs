//! Reads structs, and inline blocks, whose content is in the object of the struct.

use std::{fmt, ptr};

use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::super::node::TreeNode;
use super::reader::{Reader, ValueSeed};
use super::{message_without_position, read_key};
use crate::layout::declaration::Shape;
use crate::layout::expr::Value;
use crate::layout::program::{
    Cell, Code, EnclosingUnit, FormKind, Frames, Item, Slot, Step, Unit, UnitId, solve_for,
    to_equation,
};
use crate::layout::walk::Segment;

/// The key of a list in an inline block.
const LIST_KEY: &str = "$items";

/// A key of a struct: a field, or a list in an inline block.
struct StructKey {
    /// The inline blocks that contain the field, and the variants of choices among their content, the outermost first. Each
    /// has the unit of its content.
    enclosing: Vec<(&'static Step, UnitId)>,
    step: &'static Step,
    /// Whether the value is the whole content of the inline block `step`.
    is_inline_list: bool,
}

impl StructKey {
    fn name(&self) -> &'static str {
        if self.is_inline_list {
            LIST_KEY
        } else {
            self.step.field.name
        }
    }
}

/// A value whose type depends on values after it.
struct DeferredValue {
    name: &'static str,
    text: Box<RawValue>,
}

/// The inline blocks whose units were entered.
#[derive(Default)]
struct EnteredBlocks(Vec<(&'static Step, EnclosingUnit)>);

impl EnteredBlocks {
    fn are_those_of(&self, key: &StructKey) -> bool {
        let mut steps = self.0.iter().zip(&key.enclosing);
        self.0.len() == key.enclosing.len()
            && steps.all(|((own, _), (step, _))| ptr::eq(*own, *step))
    }

    fn leave(&mut self, frames: &mut Frames) {
        while let Some((step, outer)) = self.0.pop() {
            frames.leave(outer, Some(step));
        }
    }
}

/// The reason why a value cannot be read.
enum Obstacle {
    /// Its type depends on unknown values.
    UnknownType,
    /// It belongs to a variant that does not apply.
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
        let mut entered = EnteredBlocks::default();
        let mut block_annotations = None;
        let mut deferred: Vec<DeferredValue> = Vec::new();
        let mut absent: Vec<&'static str> = Vec::new();
        let mut has_list = false;
        let mut key = String::new();
        while read_key(&mut map, &mut key)? {
            if key == "$blocks" {
                if block_annotations.is_some() {
                    return Err(self.duplicate_key(&key));
                }
                let seed = BlocksSeed { reader: self, unit };
                block_annotations = Some(map.next_value_seed(seed)?);
                continue;
            }
            if key.starts_with('$') && key != LIST_KEY {
                self.read_annotation(&key, &mut node, &mut map)?;
                continue;
            }
            let candidates = self.find_keys(unit, &key);
            let Some(first) = candidates.first() else {
                return Err(self.error(format_args!("has no field `{key}`")));
            };
            let name = first.name();
            let is_read = if first.is_inline_list {
                std::mem::replace(&mut has_list, true)
            } else {
                node.field(name).is_some()
            };
            let is_deferred = deferred.iter().any(|value| value.name == name);
            if is_read || is_deferred || absent.contains(&name) {
                return Err(self.duplicate_key(&key));
            }
            match self.select_key(&mut entered, &candidates, unit, &node, false) {
                Ok(key) => {
                    let value = map.next_value_seed(self.start_value(key))?;
                    if value.is_none() {
                        absent.push(name);
                    }
                    self.end_value(key, value, &mut node);
                }
                Err(_) => deferred.push(DeferredValue {
                    name,
                    text: map.next_value()?,
                }),
            }
        }
        self.read_deferred(deferred, &mut entered, unit, &mut node)
            .map_err(de::Error::custom)?;
        entered.leave(&mut self.frames);
        self.frames.leave_value(outer, item);
        for (name, annotations) in block_annotations.unwrap_or_default() {
            // The content may have a field with the name of the block.
            let block = node.child_mut(Segment::Field(name));
            if let (Some(block), Some(annotations)) = (block, annotations.parts) {
                let parts = block.parts_mut();
                parts.packed = annotations.packed;
                parts.trailing = annotations.trailing;
            }
        }
        Ok(node)
    }

    /// Reads values whose types depend on values after them, as soon as these are known. Guesses the types that remain
    /// unknown; the assembler determines them.
    fn read_deferred(
        &mut self,
        mut deferred: Vec<DeferredValue>,
        entered: &mut EnteredBlocks,
        unit: &'static Unit,
        node: &mut TreeNode<'static>,
    ) -> Result<(), String> {
        let was_guessing = self.is_guessing;
        let mut assumes_absence = false;
        while !deferred.is_empty() {
            let before = deferred.len();
            let mut remaining = Vec::new();
            for value in deferred {
                let candidates = self.find_keys(unit, value.name);
                let guesses = self.is_guessing;
                let Ok(key) = self.select_key(entered, &candidates, unit, node, guesses) else {
                    remaining.push(value);
                    continue;
                };
                let inner = &mut serde_json::Deserializer::from_str(value.text.get());
                let read = self.start_value(key).deserialize(inner);
                let read = read.map_err(|error| message_without_position(&error))?;
                self.end_value(key, read, node);
            }
            if remaining.len() == before {
                if !assumes_absence {
                    assumes_absence = true;
                    entered.leave(&mut self.frames);
                    self.assume_absence(unit, node, &remaining);
                } else if !self.is_guessing {
                    self.is_guessing = true;
                } else if let Some(value) = remaining.first() {
                    let name = value.name;
                    let message = format_args!("no variant with a field `{name}` applies");
                    return Err(self.message(message));
                }
            }
            deferred = remaining;
        }
        self.is_guessing = was_guessing;
        Ok(())
    }

    /// Returns the seed that reads the value of a key.
    fn start_value(&mut self, key: &StructKey) -> FieldSeed<'_> {
        if !key.is_inline_list {
            self.path.push(Segment::Field(key.step.field.name));
        }
        FieldSeed(ValueSeed {
            reader: self,
            item: Item::content_of(key.step),
            // `$items` is such an annotation itself.
            is_annotated: key.is_inline_list,
        })
    }

    /// Adds the value of a key to its struct; `None` if the field is absent.
    fn end_value(
        &mut self,
        key: &StructKey,
        value: Option<TreeNode<'static>>,
        node: &mut TreeNode<'static>,
    ) {
        if !key.is_inline_list {
            self.path.pop();
        }
        self.assume_presence(key.step, value.is_some());
        if let Some(list) = value.as_ref().and_then(|value| value.parts.as_ref()) {
            self.assume_count(key.step, list.items.len());
        }
        let parts = node.parts_mut();
        match value {
            Some(value) if key.is_inline_list => {
                parts.items = value.parts.map(|list| list.items).unwrap_or_default();
            }
            Some(value) => parts.fields.push((key.step.field.name, value)),
            None => {}
        }
    }

    /// Assumes that a field of the innermost unit is present or absent. If its condition depends on an omitted number, this
    /// number gets a value that the condition accepts.
    fn assume_presence(&mut self, step: &'static Step, is_present: bool) {
        if !is_present {
            self.frames.set_absent(step);
        }
        let Some(condition) = step.condition.as_ref().filter(|_| step.shows_absence) else {
            return;
        };
        let Some(unit) = self.frames.visible_values().unit else {
            return;
        };
        let Some(slot) = self.unknown_slot(condition) else {
            return;
        };
        let (cells, _) = self.frames.slots();
        if let Some((code, number, _)) = to_equation(condition, is_present, cells)
            && unit.only_tests(slot, condition)
        {
            self.solve_slot(slot, code, number);
        }
    }

    /// Sets an omitted number of items, on which the types of later values may depend.
    fn assume_count(&mut self, step: &'static Step, items: u64) {
        if let (Some(count), None) = (&step.count, &step.block)
            && let Some(slot) = self.unknown_slot(count)
        {
            self.solve_slot(slot, count, items.into());
        }
    }

    /// Returns a slot without a value on which an expression depends.
    fn unknown_slot(&self, code: &Code) -> Option<Slot> {
        let (cells, _) = self.frames.slots();
        let mut unknown = None;
        code.for_each_value(&mut |slot, _| {
            if cells.get(slot as usize) == Some(&Cell::Empty) {
                unknown = Some(slot);
            }
        });
        unknown
    }

    /// Sets a slot to the value for which an expression yields a number.
    fn solve_slot(&mut self, slot: Slot, code: &Code, number: i128) {
        let is_unknown = |code: &Code| matches!(code, Code::Slot(own, _) if *own == slot);
        let (cells, _) = self.frames.slots();
        if let Some(number) = solve_for(code, number, &is_unknown, cells) {
            self.frames.set_slot(slot, &Value::Int(number));
        }
    }

    /// Assumes that the fields that no value mentions are absent.
    fn assume_absence(&mut self, unit: &'static Unit, node: &TreeNode, deferred: &[DeferredValue]) {
        for step in unit.steps.iter().filter(|step| step.shows_absence) {
            let name = step.field.name;
            let is_mentioned =
                node.field(name).is_some() || deferred.iter().any(|value| value.name == name);
            if !is_mentioned {
                self.assume_presence(step, false);
            }
        }
    }

    /// Returns the fields with a name in a unit and in its inline content. Several variants may have one.
    fn find_keys(&self, unit: &'static Unit, name: &str) -> Vec<StructKey> {
        let mut keys = Vec::new();
        for step in &unit.steps {
            let Some(form) = step.inlined_form() else {
                continue;
            };
            match self.program.forms[form].kind {
                FormKind::Struct(inner) | FormKind::Choice(inner) => {
                    for mut key in self.find_keys(&self.program.units[inner], name) {
                        key.enclosing.insert(0, (step, inner));
                        keys.push(key);
                    }
                }
                FormKind::Items(..) if name == LIST_KEY => keys.push(StructKey {
                    enclosing: Vec::new(),
                    step,
                    is_inline_list: true,
                }),
                _ => {}
            }
        }
        // Last, since the content of an inline block may have a field with the name of the block.
        let own = unit.steps.iter().find(|step| step.field.name == name);
        keys.extend(
            own.filter(|step| step.variant.is_none())
                .map(|step| StructKey {
                    enclosing: Vec::new(),
                    step,
                    is_inline_list: false,
                }),
        );
        keys
    }

    /// Returns the name of an inline block in a unit or in its inline content.
    fn find_inline_block(&self, unit: &'static Unit, name: &str) -> Option<&'static str> {
        unit.steps.iter().find_map(|step| {
            let form = step.inlined_form()?;
            if step.variant.is_none() && step.field.name == name {
                return Some(step.field.name);
            }
            match self.program.forms[form].kind {
                FormKind::Struct(inner) | FormKind::Choice(inner) => {
                    self.find_inline_block(&self.program.units[inner], name)
                }
                _ => None,
            }
        })
    }

    /// Returns the first key whose value can be read, and enters the units of the inline blocks that contain it.
    fn select_key<'k>(
        &mut self,
        entered: &mut EnteredBlocks,
        candidates: &'k [StructKey],
        unit: &'static Unit,
        known: &TreeNode,
        guesses: bool,
    ) -> Result<&'k StructKey, Obstacle> {
        for key in candidates {
            match self.enter_blocks(entered, key, unit, known, guesses) {
                Ok(()) => return Ok(key),
                Err(Obstacle::OtherVariant) => {}
                Err(Obstacle::UnknownType) => return Err(Obstacle::UnknownType),
            }
        }
        Err(Obstacle::OtherVariant)
    }

    /// Enters the units of the inline blocks that contain a key, and leaves those of all others. Leaving drops values of the
    /// block, so types that depend on them are unknown if its keys are apart. `known` contains the values so far.
    fn enter_blocks(
        &mut self,
        entered: &mut EnteredBlocks,
        key: &StructKey,
        unit: &'static Unit,
        known: &TreeNode,
        guesses: bool,
    ) -> Result<(), Obstacle> {
        let mut innermost = unit;
        if entered.are_those_of(key) {
            if let Some((_, inner)) = key.enclosing.last() {
                innermost = &self.program.units[*inner];
            }
        } else {
            entered.leave(&mut self.frames);
            for (step, inner) in &key.enclosing {
                self.require_variant(innermost, step, guesses)?;
                let content = Item::content_of(step);
                self.require_arguments(&content, innermost, known, guesses)?;
                innermost = &self.program.units[*inner];
                let (outer, _) = self.frames.enter(innermost, content.arguments);
                entered.0.push((step, outer));
            }
        }
        self.require_arguments(&Item::content_of(key.step), innermost, known, guesses)
    }

    /// Returns an obstacle if a step is a variant of a choice, and does not apply.
    fn require_variant(
        &self,
        unit: &'static Unit,
        step: &'static Step,
        guesses: bool,
    ) -> Result<(), Obstacle> {
        let Shape::Choice(_) = unit.declaration.shape else {
            return Ok(());
        };
        let applies = match self.frames.choose_variant(&unit.steps) {
            Ok(chosen) => ptr::eq(chosen, step),
            Err(possible) if guesses => possible.iter().any(|variant| ptr::eq(*variant, step)),
            Err(_) => return Err(Obstacle::UnknownType),
        };
        if applies {
            Ok(())
        } else {
            Err(Obstacle::OtherVariant)
        }
    }

    /// Returns an obstacle if an argument that selects a type has no value. `unit` is the innermost unit.
    fn require_arguments(
        &mut self,
        item: &Item,
        unit: &'static Unit,
        known: &TreeNode,
        guesses: bool,
    ) -> Result<(), Obstacle> {
        if guesses || self.has_arguments(item) {
            return Ok(());
        }
        self.set_absent_fields(unit, known);
        if self.has_arguments(item) {
            Ok(())
        } else {
            Err(Obstacle::UnknownType)
        }
    }

    /// Returns `true` if the arguments that select the variants of a value are known.
    fn has_arguments(&self, item: &Item) -> bool {
        let Some(unit) = self.program.forms[item.form].unit else {
            return true;
        };
        let selects = &self.program.units[unit].selects;
        let mut arguments = item.arguments.iter().zip(selects);
        let each = item.own_step().and_then(|step| step.each.as_ref());
        let has_items = each.is_some_and(|each| self.frames.has_columns(each));
        arguments.all(|(argument, selects)| !selects || has_items || self.frames.is_known(argument))
    }

    /// Marks the omitted fields of a struct as absent whose condition is false.
    fn set_absent_fields(&mut self, unit: &'static Unit, known: &TreeNode) {
        for step in &unit.steps {
            if let Some(condition) = &step.condition
                && known.field(step.field.name).is_none()
                && self.frames.eval_bool(condition) == Ok(false)
            {
                self.frames.set_absent(step);
            }
        }
    }
}

/// Reads the value of a field, which is `null` if the field is absent.
struct FieldSeed<'r>(ValueSeed<'r>);

impl<'de> DeserializeSeed<'de> for FieldSeed<'_> {
    type Value = Option<TreeNode<'static>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        let step = self.0.item.step;
        if step.is_some_and(|step| step.condition.is_some()) {
            deserializer.deserialize_option(self)
        } else {
            self.0.deserialize(deserializer).map(Some)
        }
    }
}

impl<'de> Visitor<'de> for FieldSeed<'_> {
    type Value = Option<TreeNode<'static>>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a value or `null`")
    }

    fn visit_none<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        self.0.deserialize(deserializer).map(Some)
    }
}

/// Reads `$blocks`: the annotations of inline blocks, by the names of the blocks.
struct BlocksSeed<'r> {
    reader: &'r mut Reader,
    unit: &'static Unit,
}

impl<'de> DeserializeSeed<'de> for BlocksSeed<'_> {
    type Value = Vec<(&'static str, TreeNode<'static>)>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for BlocksSeed<'_> {
    type Value = Vec<(&'static str, TreeNode<'static>)>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object of inline blocks")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let BlocksSeed { reader, unit } = self;
        let mut blocks: Self::Value = Vec::new();
        let mut key = String::new();
        while read_key(&mut map, &mut key)? {
            let Some(name) = reader.find_inline_block(unit, &key) else {
                return Err(reader.error(format_args!("has no inline block `{key}`")));
            };
            if blocks.iter().any(|(known, _)| *known == name) {
                return Err(reader.duplicate_key(&key));
            }
            let annotations = map.next_value_seed(AnnotationsSeed {
                reader: &mut *reader,
            })?;
            blocks.push((name, annotations));
        }
        Ok(blocks)
    }
}

/// Reads an object that only contains annotations.
struct AnnotationsSeed<'r> {
    reader: &'r mut Reader,
}

impl<'de> DeserializeSeed<'de> for AnnotationsSeed<'_> {
    type Value = TreeNode<'static>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for AnnotationsSeed<'_> {
    type Value = TreeNode<'static>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object with `$packed` or `$trailing`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut node = TreeNode::default();
        let mut key = String::new();
        while read_key(&mut map, &mut key)? {
            self.reader.read_annotation(&key, &mut node, &mut map)?;
        }
        Ok(node)
    }
}
