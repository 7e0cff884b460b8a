//! The walker on declared types: structs with their fields and blocks, choices, enums, packed words.

use std::borrow::Cow;
use std::cell;
use std::ops::{ControlFlow, Range};

use super::walker::{Flow, Interrupt, Space, Walker, node};
use super::{FaultKind, Segment};
use crate::layout::bits::{WordFields, word};
use crate::layout::program::{BlockStep, Body, Code, Item, Step, Unit};
use crate::layout::{BitField, BitRange, Check, Declaration, Lookup, Packing, Shape, Type, Value};
use crate::{text, unpack};

impl Walker<'_> {
    /// Decodes a value of a declared type.
    pub(super) fn declared(&mut self, space: &Space, at: u64, item: &Item, unit: &'static Unit) -> Flow<u64> {
        match &unit.body {
            Body::Struct(steps) => self.called(space, at, item, unit, |walker| {
                walker.group(space, at, item, |walker, _| {
                    walker.magic(space, at, item, unit.declaration)?;
                    let start = at + unit.declaration.magic.len() as u64;
                    Ok((walker.fields(space, start, steps)?, None))
                })
            }),
            Body::Choice(variants) => self.called(space, at, item, unit, |walker| {
                let Ok(step) = walker.frames.choose(variants) else {
                    let message = format!("no variant of {} fits", unit.declaration.name);
                    return walker.fault(FaultKind::Value, space.span(at..at), message, None);
                };
                let end = walker.field(space, at, step)?;
                walker.checks(space, at..end, step)?;
                Ok(end)
            }),
            Body::Enum(size) => {
                let value = Type::Unsigned(*size).value_of(self.take(space, at, (*size).into())?);
                let range = at..at + u64::from(*size);
                let is_named = match unit.declaration.shape {
                    Shape::Enum { values, .. } => values.iter().any(|v| Value::Int(v.value) == value),
                    _ => false,
                };
                if !is_named {
                    let message = format!("{value} is not a value of {}", unit.declaration.name);
                    return self.fault(FaultKind::Value, space.span(range), message, None);
                }
                self.leaf(space, range.clone(), item, value)?;
                Ok(range.end)
            }
            Body::Word(size) => {
                let word = word(self.take(space, at, (*size).into())?);
                let range = at..at + u64::from(*size);
                self.leaf(space, range.clone(), item, Value::Bits(word, unit.declaration))?;
                if let (false, Shape::Bits { fields, .. }) = (self.muted, unit.declaration.shape) {
                    self.bit_fields(space, &range, item, word, 0, fields)?;
                }
                Ok(range.end)
            }
        }
    }

    /// Reports the bit fields of a word, or of a nested word that starts at bit `start`.
    fn bit_fields(
        &mut self,
        space: &Space,
        range: &Range<u64>,
        item: &Item,
        word: u128,
        start: u32,
        fields: &'static [BitField],
    ) -> Flow<()> {
        for field in fields {
            self.path.push(Segment::Field(field.name));
            let mut node = node(self.program, &self.path, space, range.clone(), item);
            let bits = BitRange { offset: start + field.bits.offset, width: field.bits.width };
            (node.bit_field, node.bits, node.decoding) = (Some(field), Some(bits), field.decoding);
            let value = field.value(word);
            if self.visitor.leaf(&node, &value).is_break() {
                return Err(Interrupt::Stopped);
            }
            if !field.constraints.is_empty() {
                let values = WordFields { word, fields, outer: &self.frames.seen() };
                self.visitor.constrained(&node, &values);
            }
            if let Value::Bits(inner, Declaration { shape: Shape::Bits { fields, .. }, .. }) = value {
                self.bit_fields(space, range, item, inner, bits.offset, fields)?;
            }
            self.path.pop();
        }
        Ok(())
    }

    /// Reads and compares the magic bytes of a struct.
    fn magic(&mut self, space: &Space, at: u64, item: &Item, declaration: &Declaration) -> Flow<()> {
        let size = declaration.magic.len() as u64;
        let found = self.take(space, at, size)?;
        if found != declaration.magic {
            let message = format!(
                "starts with {}, expected {}",
                text::quoted_or_hex(found),
                text::quoted_or_hex(declaration.magic)
            );
            return self.fault(FaultKind::Magic, space.span(at..at + size), message, None);
        }
        if self.muted || found.is_empty() {
            return Ok(());
        }
        let node = node(self.program, &self.path, space, at..at + size, item);
        match self.visitor.magic(&node) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Interrupt::Stopped),
        }
    }

    /// Decodes the fields of a struct after its magic bytes. Returns the end of the consecutive fields.
    fn fields(&mut self, space: &Space, at: u64, steps: &'static [Step]) -> Flow<u64> {
        let mut position = at;
        for step in steps {
            self.path.push(Segment::Field(step.field.name));
            // The fields that own these bytes report them.
            let was_muted = self.muted;
            self.muted |= step.field.lookahead;
            let end = self.field(space, position, step)?;
            self.muted = was_muted;
            self.checks(space, position..end, step)?;
            self.path.pop();
            match step.position {
                None if step.field.lookahead => {}
                None => position = end,
                Some(_) => space.reached.set(space.reached.get().max(end)),
            }
        }
        Ok(position)
    }

    fn checks(&self, space: &Space, range: Range<u64>, step: &Step) -> Flow<()> {
        for (code, Check { message, .. }) in step.checks.iter().zip(step.field.checks) {
            if self.frames.truth(code) == Ok(true) {
                continue;
            }
            let found = self.frames.seen().lookup(&[step.field.name]);
            let message =
                found.map_or_else(|| (*message).to_owned(), |found| format!("{message}: found {found}"));
            return self.fault(FaultKind::Check, space.span(range), message, step.field.rule);
        }
        Ok(())
    }

    /// Decodes a field and returns its end; a missing field, and an empty list outside of the bytes, ends at `next`.
    fn field(&mut self, space: &Space, next: u64, step: &'static Step) -> Flow<u64> {
        if step.condition.as_ref().is_some_and(|condition| self.frames.truth(condition) != Ok(true)) {
            return Ok(next);
        }
        let position = match &step.position {
            Some(position) => self.number(space, next, position, "offset")?,
            None => next,
        };
        let at = position.min(space.len());
        let count = match &step.count {
            Some(count) => Some(self.number(space, at, count, "count")?),
            None => None,
        };
        let is_outside = position > space.len();
        // An empty list has no bytes that could lie outside.
        if is_outside && count != Some(0) {
            let end = space.len();
            let message = format!("lies at offset {position:#x}, but the end is at {end:#x}");
            return self.fault(FaultKind::End, space.span(end..end), message, None);
        }
        let item = Item { count, ..Item::of_field(step) };
        let end = match &step.block {
            Some(block) => {
                // Bytes without a count run to the end.
                let end = count.map_or(space.len(), |count| at.saturating_add(count));
                self.block(space, at..end, &item, block)?
            }
            None => {
                let end = self.value(space, at, &item)?;
                self.constrained(space, at..end, &item);
                end
            }
        };
        Ok(if is_outside { next } else { end })
    }

    /// Reports a decoded field with constraints.
    pub(super) fn constrained(&mut self, space: &Space, range: Range<u64>, item: &Item) {
        let is_constrained = item.own_step().is_some_and(|step| !step.field.constraints.is_empty());
        if is_constrained && !self.muted {
            let values = self.frames.seen();
            let node = node(self.program, &self.path, space, range, item);
            self.visitor.constrained(&node, &values);
        }
    }

    /// Evaluates a count, size or offset.
    fn number(&self, space: &Space, at: u64, code: &Code, what: &str) -> Flow<u64> {
        let why = match self.frames.int(code).map(u64::try_from) {
            Ok(Ok(value)) => return Ok(value),
            Ok(Err(_)) => "is negative or too large",
            Err(_) => "cannot be computed",
        };
        self.fault(FaultKind::Count, space.span(at..at), format!("the {what} {why}"), None)
    }

    /// Decodes a field whose bytes hold another structure. Returns the end of the bytes.
    fn block(
        &mut self,
        space: &Space,
        range: Range<u64>,
        bytes: &Item,
        block: &'static BlockStep,
    ) -> Flow<u64> {
        let declared = block.block;
        let packed = self.take(space, range.start, range.end - range.start)?;
        let name = if declared.inline { self.path.pop() } else { None };
        let visit = !self.muted && {
            let node = node(self.program, &self.path, space, range.clone(), bytes);
            self.visitor.unpack(&node)
        };
        // Later expressions may name encoded content, so it is decoded even if the visitor skips it. Other blocks are
        // skipped.
        let was_muted = self.muted;
        self.muted |= !visit;
        if !visit && !matches!(declared.packing, Packing::Coded { .. }) {
            self.muted = was_muted;
            self.path.extend(name);
            return Ok(range.end);
        }
        let size = match &block.size {
            Some(size) => Some(self.number(space, range.start, size, "unpacked size")?),
            None => None,
        };
        let encoding = block.encoding.as_ref().and_then(|code| self.frames.value(code).ok());
        let content = match unpack::unpack((declared.packing, encoding), packed, size, self.limits) {
            Ok(content) => content,
            Err(unpack::Failure::Malformed(message)) => {
                let rule = bytes.step.and_then(|step| step.field.rule);
                return self.fault(FaultKind::Packing, space.span(range), message, rule);
            }
            Err(unpack::Failure::Trailing(message)) => {
                return self.fault(FaultKind::Trailing, space.span(range), message, None);
            }
            Err(unpack::Failure::Limit(message)) => {
                return self.fault(FaultKind::Limit, space.span(range), message, None);
            }
        };
        if let (Cow::Owned(content), false) = (&content, self.muted) {
            let node = node(self.program, &self.path, space, range.clone(), bytes);
            self.visitor.unpacked(&node, content);
        }
        let (bytes_in, packed_in) = match (&content, &space.packed) {
            // Offsets within stored content count from the start of the outer space.
            (Cow::Borrowed(_), outer) => (&space.bytes[..range.end as usize], outer.clone()),
            (Cow::Owned(content), outer) => (&**content, Some(outer.clone().unwrap_or(range.clone()))),
        };
        let inner = Space { bytes: bytes_in, packed: packed_in, reached: cell::Cell::new(0) };
        let start = if matches!(content, Cow::Borrowed(_)) { range.start } else { 0 };
        let end = self.value(&inner, start, &bytes.content(block)).map_err(|interrupt| match interrupt {
            // Stored content cannot fail to unpack: the rule of its field is about what it holds.
            Interrupt::Fault(mut fault) if declared.packing == Packing::Stored => {
                fault.rule = fault.rule.or_else(|| bytes.step.and_then(|step| step.field.rule));
                Interrupt::Fault(fault)
            }
            other => other,
        })?;
        let left = inner.rest(end);
        if !left.is_empty() && declared.packing != Packing::Stored {
            let message = format!("{} bytes are left over", left.end - left.start);
            return self.fault(FaultKind::Packing, inner.span(left), message, None);
        }
        self.rest(&inner, end);
        self.muted = was_muted;
        self.path.extend(name);
        Ok(range.end)
    }
}

impl Walker<'_> {
    /// Decodes a unit with `body`, within a frame for the slots of the unit.
    pub(super) fn called(
        &mut self,
        space: &Space,
        at: u64,
        item: &Item,
        unit: &'static Unit,
        body: impl FnOnce(&mut Self) -> Flow<u64>,
    ) -> Flow<u64> {
        let (outer, has_arguments) = self.frames.enter(unit, item.call);
        if !has_arguments {
            let message = "its arguments have no value".to_owned();
            return self.fault(FaultKind::Count, space.span(at..at), message, None);
        }
        let end = body(self)?;
        self.frames.leave(outer, item.own_step());
        Ok(end)
    }
}
