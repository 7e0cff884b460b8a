//! Encodes complete values as bytes, so that a tree needs no node for them.

use super::super::node::{Leaf, TreeNode};
use super::super::{ItemEncoding, Section, number};
use crate::layout::declaration::{Shape, Type};
use crate::layout::expr::Value;
use crate::layout::program::{
    Code, FormKind, Frames, Item, Program, Step, Unit, UnitId, solve_for,
};

/// The largest padding in an item that is kept as bytes: far more than any alignment needs. The assembler checks larger
/// padding against its limit before it allocates memory.
const MAX_PADDING: usize = 1 << 16;

/// Encodes values whose parts are all given and follow each other.
pub(super) struct Encoder<'e> {
    pub program: &'static Program,
    /// The slots of the unit that contains the value.
    pub frames: &'e mut Frames,
    /// The bytes of the values so far.
    pub bytes: &'e mut Vec<u8>,
}

impl Encoder<'_> {
    /// Appends the bytes of a value. Returns `false`, and appends nothing, if a part is omitted or does not fit, only the
    /// assembler can place it, or a list in it takes arguments from the items of another one.
    pub fn encode(&mut self, node: &TreeNode, item: &Item) -> bool {
        let (start, enclosing) = (self.bytes.len(), self.frames.enclosing());
        let is_encoded = self.encode_value(node, item).is_some();
        if !is_encoded {
            self.bytes.truncate(start);
            self.frames.leave(enclosing, None);
        }
        is_encoded
    }

    fn encode_value(&mut self, node: &TreeNode, item: &Item) -> Option<()> {
        let form = &self.program.forms[item.form];
        if has_other_parts(node, form.kind) {
            return None;
        }
        match form.kind {
            FormKind::Number(_) => {
                let value = node.scalar(form.ty, &mut |_| {}).ok()??;
                if !is_named(form.ty, &value) {
                    return None;
                }
                let (encoded, size) = number::encode(form.ty, &value).ok()?;
                self.bytes.extend(&encoded[..size]);
                self.set_field(item, &value);
            }
            FormKind::Text => {
                let Some(Leaf::Value(value @ Value::Text(text))) = &node.leaf else {
                    return None;
                };
                if text.contains(&0) {
                    return None;
                }
                self.bytes.extend(text);
                self.bytes.push(0);
                self.set_field(item, value);
            }
            FormKind::Items(inner, fixed) => {
                let items = &node.parts.as_ref()?.items;
                if items.len() != fixed.or(item.count)? {
                    return None;
                }
                let inner = item.array_item(inner);
                if item.own_step().is_some_and(Step::is_related) {
                    return None;
                }
                let ty = self.program.forms[inner.form].ty;
                for section in items.sections() {
                    match section {
                        Section::Stored(stored) => {
                            let stored_type = match stored.encoding() {
                                ItemEncoding::Numbers(ty) => ty,
                                ItemEncoding::Walked(layout) => layout.ty(),
                            };
                            if stored_type != ty {
                                return None;
                            }
                            self.bytes.extend(stored.bytes());
                        }
                        Section::Given(nodes) => {
                            for node in nodes {
                                self.encode_value(node, &inner)?;
                            }
                        }
                    }
                }
            }
            FormKind::Struct(unit) => self.encode_in_unit(item, unit, |encoder, unit| {
                let magic = unit.declaration.magic;
                let given = node.parts.as_ref()?.magic.as_ref();
                if given.is_some_and(|given| given != magic) {
                    return None;
                }
                encoder.bytes.extend(magic);
                encoder.encode_fields(node, &unit.steps)
            })?,
            FormKind::Choice(unit) => self.encode_in_unit(item, unit, |encoder, unit| {
                let step = encoder.frames.choose_variant(&unit.steps).ok()?;
                encoder.encode_field(node, step)
            })?,
        }
        Some(())
    }

    fn set_field(&mut self, item: &Item, value: &Value) {
        if let Some(step) = item.own_step() {
            self.frames.set_field(step, value);
        }
    }

    fn encode_in_unit(
        &mut self,
        item: &Item,
        unit: UnitId,
        encode: impl FnOnce(&mut Self, &'static Unit) -> Option<()>,
    ) -> Option<()> {
        let unit = &self.program.units[unit];
        let (outer, _) = self.frames.enter(unit, item.arguments);
        encode(self, unit)?;
        self.frames.leave(outer, item.own_step());
        Some(())
    }

    fn encode_fields(&mut self, node: &TreeNode, steps: &'static [Step]) -> Option<()> {
        let mut encoded_fields = 0;
        let mut lookaheads = Vec::new();
        for step in steps {
            if step.field.lookahead {
                lookaheads.push((step, self.bytes.len()));
                continue;
            }
            match node.field(step.field.name) {
                Some(field) => {
                    self.encode_field(field, step)?;
                    encoded_fields += 1;
                }
                None if step.is_padding => self.encode_padding(step)?,
                None if step.is_computed => self.encode_count(node, step, steps)?,
                None if step.condition.is_some() => self.frames.set_absent(step),
                None => return None,
            }
        }
        for (step, at) in lookaheads {
            self.read_lookahead(step, at)?;
        }
        // Conditions may depend on look-aheads, which read the bytes of later fields.
        for step in steps.iter().filter(|step| !step.field.lookahead) {
            let is_given = node.field(step.field.name).is_some();
            let is_counted = !is_given && step.is_computed;
            if let Some(condition) = &step.condition
                && !is_counted
                && self.frames.eval_bool(condition) != Ok(is_given)
            {
                return None;
            }
        }
        for check in steps.iter().flat_map(|step| &step.checks) {
            if self.frames.eval_bool(check) != Ok(true) {
                return None;
            }
        }
        // The struct may have fields that the declaration lacks, such as those of inline content.
        let given_fields = node.parts.as_ref()?.fields.len();
        (encoded_fields == given_fields).then_some(())
    }

    fn encode_padding(&mut self, step: &'static Step) -> Option<()> {
        let size = self.frames.eval_int(step.count.as_ref()?).ok()?;
        let size = usize::try_from(size)
            .ok()
            .filter(|size| *size <= MAX_PADDING)?;
        self.bytes.resize(self.bytes.len() + size, 0);
        Some(())
    }

    /// Appends an omitted number of items, which a list in the same struct determines.
    fn encode_count(
        &mut self,
        node: &TreeNode,
        step: &'static Step,
        steps: &'static [Step],
    ) -> Option<()> {
        if let Some(condition) = &step.condition
            && !self.frames.eval_bool(condition).ok()?
        {
            self.frames.set_absent(step);
            return Some(());
        }
        let slot = step.value?;
        let is_unknown = |code: &Code| matches!(code, Code::Slot(own, _) if *own == slot);
        let number = steps.iter().find_map(|list| {
            let items = &node.field(list.field.name)?.parts.as_ref()?.items;
            let (cells, _) = self.frames.slots();
            solve_for(list.count.as_ref()?, items.len().into(), &is_unknown, cells)
        })?;
        let value = Value::Int(number);
        let (encoded, size) = number::encode(self.program.forms[step.form].ty, &value).ok()?;
        self.bytes.extend(&encoded[..size]);
        self.frames.set_field(step, &value);
        Some(())
    }

    /// Sets the value of a look-ahead at the offset `at` of the bytes.
    fn read_lookahead(&mut self, step: &'static Step, at: usize) -> Option<()> {
        let ty: &Type = self.program.forms[step.form].ty;
        let size = usize::try_from(ty.size()?).ok()?;
        let bytes = self.bytes.get(at..at.checked_add(size)?)?;
        match self.program.forms[step.form].kind {
            FormKind::Number(_) if step.condition.is_none() && step.position.is_none() => {
                self.frames.set_field(step, &ty.read_value(bytes));
                Some(())
            }
            _ => None,
        }
    }

    fn encode_field(&mut self, node: &TreeNode, step: &'static Step) -> Option<()> {
        if step.position.is_some() || step.block.is_some() || step.checksum.is_some() {
            return None;
        }
        let count = match &step.count {
            Some(count) => Some(u64::try_from(self.frames.eval_int(count).ok()?).ok()?),
            None => None,
        };
        let item = Item {
            count,
            ..Item::of_field(step)
        };
        self.encode_value(node, &item)
    }
}

/// Returns `true` if a value has parts that do not belong to its kind. Only the assembler writes or rejects them.
fn has_other_parts(node: &TreeNode, kind: FormKind) -> bool {
    let Some(parts) = &node.parts else {
        return false;
    };
    if parts.packed.is_some() || parts.trailing.is_some() {
        return true;
    }
    let has_fields = parts.magic.is_some() || !parts.fields.is_empty();
    let has_items = !parts.items.is_empty();
    match kind {
        FormKind::Number(_) | FormKind::Text => has_fields || has_items,
        FormKind::Items(..) => has_fields || node.leaf.is_some(),
        FormKind::Struct(_) => has_items || node.leaf.is_some(),
        // The parts belong to the variant.
        FormKind::Choice(_) => false,
    }
}

/// Returns `false` for an enum value without a name, which the walker rejects.
fn is_named(ty: &Type, value: &Value) -> bool {
    match ty.without_byte_order() {
        Type::Declared(declaration) => match declaration.shape {
            Shape::Enum { values, .. } => {
                values.iter().any(|named| Value::Int(named.value) == *value)
            }
            _ => true,
        },
        _ => true,
    }
}
