//! Walks over single values, fields and blocks.

use std::borrow::Cow;
use std::cell;
use std::ops::Range;

use super::walker::{Flow, Interrupt, Space, Walker, node};
use super::{FaultKind, Segment};
use crate::layout::declaration::bits::WordFields;
use crate::layout::declaration::{BitField, BitRange, Check, Declaration, Packing, Shape, Type};
use crate::layout::expr::{Expr, Lookup, Value};
use crate::layout::program::{BlockStep, Code, Item, Step, SumStep, Unit, UnitId};
use crate::{text, unpack};

impl Walker<'_> {
    /// Decodes a number, enum or packed word from its bytes.
    #[inline(always)]
    pub(super) fn single(
        &mut self,
        space: &Space,
        range: Range<u64>,
        bytes: &[u8],
        (item, ty): (&Item, &'static Type),
    ) -> Flow<()> {
        let value = ty.value_of(bytes);
        match ty.without_order() {
            Type::Declared(declaration) => self.declared(space, range, item, value, declaration),
            _ => self.leaf(space, range, item, value),
        }
    }

    /// Reports an enum, or a packed word and its fields.
    fn declared(
        &mut self,
        space: &Space,
        range: Range<u64>,
        item: &Item,
        value: Value,
        declaration: &'static Declaration,
    ) -> Flow<()> {
        if let Shape::Enum { values, .. } = declaration.shape
            && !values.iter().any(|named| Value::Int(named.value) == value)
        {
            let message = format!("{value} is not a value of {}", declaration.name);
            return self.fault(FaultKind::Value, space.span(range), message, None);
        }
        self.leaf(space, range.clone(), item, value.clone())?;
        if let (false, Value::Bits(word, _)) = (self.muted, value) {
            self.bit_fields(space, &range, item, word, 0, declaration.bit_fields())?;
        }
        Ok(())
    }

    /// Decodes a string.
    pub(super) fn text(&mut self, space: &Space, at: u64, item: &Item) -> Flow<u64> {
        let text = self.take(space, at, space.len().saturating_sub(at))?;
        let length = text.iter().position(|b| *b == 0);
        // Only the last string of a list may lack its NUL.
        if length.is_none() && !item.is_item {
            let message = "the string has no terminating NUL".into();
            let rule = item.step.and_then(|step| step.field.rule);
            return self.fault(FaultKind::End, space.span(at..space.len()), message, rule);
        }
        let end = at + length.map_or(text.len(), |n| n + 1) as u64;
        let value = Value::Text(text[..length.unwrap_or(text.len())].to_vec());
        self.leaf(space, at..end, item, value)?;
        Ok(end)
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

    /// Compares the magic bytes of a struct, and returns their end.
    pub(super) fn magic(
        &mut self,
        space: &Space,
        at: u64,
        item: &Item,
        declaration: &Declaration,
    ) -> Flow<u64> {
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
        if !self.muted && !found.is_empty() {
            let node = node(self.program, &self.path, space, at..at + size, item);
            if self.visitor.magic(&node).is_break() {
                return Err(Interrupt::Stopped);
            }
        }
        Ok(at + size)
    }

    /// Decodes the fields of a struct after its magic bytes. Returns the end of the consecutive fields.
    pub(super) fn fields(&mut self, space: &Space, start: u64, at: u64, unit: &'static Unit) -> Flow<u64> {
        let mut next = at;
        let mut covered = unit.is_summed.then(Vec::new);
        for step in &unit.steps {
            self.path.push(Segment::Field(step.field.name));
            // A later field covers the same bytes and reports them.
            let was_muted = self.muted;
            self.muted |= step.field.lookahead;
            let end = self.field(space, next, step)?;
            self.muted = was_muted;
            self.path.pop();
            if let Some(covered) = &mut covered {
                covered.push((step.field.name, self.covered.take()));
            }
            if !step.field.lookahead {
                next = end;
            }
        }
        if let (Some(covered), false) = (covered, self.muted) {
            unit.steps.iter().for_each(|step| self.checksum(space, start, step, &covered));
        }
        Ok(next)
    }

    /// Decodes a field. Returns the offset of the next one.
    pub(super) fn field(&mut self, space: &Space, next: u64, step: &'static Step) -> Flow<u64> {
        let is_present =
            step.condition.as_ref().is_none_or(|condition| self.frames.truth(condition) == Ok(true));
        let offset = match &step.position {
            Some(position) if is_present => self.offset(space, next, position, step)?,
            _ => next,
        };
        let at = offset.min(space.len());
        let end = if is_present { self.content(space, at, step)? } else { at };
        self.covered = is_present.then_some(at..end);
        self.checks(space, at..end, step)?;
        if step.position.is_none() {
            return Ok(end);
        }
        if is_present && offset == at {
            space.reached.set(space.reached.get().max(end));
        }
        Ok(next)
    }

    /// Evaluates the offset of a field. An empty list may have an offset past the end.
    fn offset(&self, space: &Space, next: u64, position: &Code, step: &'static Step) -> Flow<u64> {
        let (offset, end) = (self.number(space, next, position, "offset")?, space.len());
        if offset > end && self.count(space, end, step)? != Some(0) {
            let message = format!("offset {offset:#x} is past the end at {end:#x}");
            return self.fault(FaultKind::End, space.span(end..end), message, None);
        }
        Ok(offset)
    }

    /// Decodes the block or value of a field and returns its end.
    fn content(&mut self, space: &Space, at: u64, step: &'static Step) -> Flow<u64> {
        let item = Item { count: self.count(space, at, step)?, ..Item::of_field(step) };
        if let Some(block) = &step.block {
            return self.block(space, at, &item, block);
        }
        let end = self.value(space, at, &item)?;
        self.constrained(space, at..end, &item);
        Ok(end)
    }

    /// Evaluates the number of items, or the size of a block in bytes.
    fn count(&self, space: &Space, at: u64, step: &'static Step) -> Flow<Option<u64>> {
        step.count.as_ref().map(|count| self.number(space, at, count, "count")).transpose()
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

    /// Reports a decoded field with constraints.
    pub(super) fn constrained(&mut self, space: &Space, range: Range<u64>, item: &Item) {
        let is_constrained = item.own_step().is_some_and(|step| !step.field.constraints.is_empty());
        if is_constrained && !self.muted {
            let values = self.frames.seen();
            let node = node(self.program, &self.path, space, range, item);
            self.visitor.constrained(&node, &values);
        }
    }

    /// Reports the checksum of a field if it is wrong. The struct starts at `start`; `covered` has the byte ranges
    /// of its fields.
    fn checksum(&mut self, space: &Space, start: u64, step: &Step, covered: &[(&str, Option<Range<u64>>)]) {
        let Some(SumStep { checksum, stored, arguments, rule }) = &step.sum else { return };
        let bytes_of = |name: &str| covered.iter().find(|(known, _)| *known == name)?.1.clone();
        let first = match checksum.from {
            Some("self") => Some(start),
            from => bytes_of(from.unwrap_or(step.field.name)).map(|bytes| bytes.start),
        };
        let arguments: Result<Vec<_>, _> = arguments.iter().map(|code| self.frames.value(code)).collect();
        let (Some(first), Some(own), Ok(stored), Ok(arguments), true) = (
            first,
            bytes_of(step.field.name),
            self.frames.int(stored),
            arguments,
            self.visitor.verifies(*rule),
        ) else {
            return;
        };
        let Some(bytes) = space.bytes.get(first as usize..own.end as usize) else { return };
        if checksum.none == Some(stored) {
            return;
        }
        let computed = (checksum.function.compute)(bytes, &arguments);
        if i128::from(computed) != stored {
            let names = match checksum.stored {
                Expr::Path(names) if covered.iter().any(|(known, _)| names.first() == Some(known)) => names,
                _ => &[step.field.name],
            };
            let path: Vec<_> =
                self.path.iter().copied().chain(names.iter().map(|name| Segment::Field(name))).collect();
            let message = format!(
                "found {stored:#x}, but the {} of {} is {computed:#x}",
                checksum.function.name,
                space.span(first..own.end)
            );
            self.visitor.wrong_checksum(&path, *rule, message);
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
    fn block(&mut self, space: &Space, at: u64, bytes: &Item, block: &'static BlockStep) -> Flow<u64> {
        let declared = block.block;
        // A block without a size runs to the end.
        let range = at..bytes.count.map_or(space.len(), |count| at.saturating_add(count));
        let packed = self.take(space, range.start, range.end - range.start)?;
        let name = if declared.inline { self.path.pop() } else { None };
        let visit = !self.muted && {
            let node = node(self.program, &self.path, space, range.clone(), bytes);
            self.visitor.unpack(&node)
        };
        // Later expressions may refer to encoded content, so it is decoded even if the visitor skips it. Other
        // blocks are then skipped.
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
            Err(unpack::Failure::Unsupported(message)) => {
                return self.fault(FaultKind::Unsupported, space.span(range), message, None);
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
            // Stored content cannot fail to unpack, so the rule of its field applies to the content.
            Interrupt::Fault(mut fault) if declared.packing == Packing::Stored => {
                fault.rule = fault.rule.or_else(|| bytes.step.and_then(|step| step.field.rule));
                Interrupt::Fault(fault)
            }
            other => other,
        })?;
        let left = inner.rest(end);
        if !left.is_empty() && declared.packing != Packing::Stored {
            let message = format!("{} unpacked bytes follow the content", left.end - left.start);
            return self.fault(FaultKind::Packing, inner.span(left), message, None);
        }
        self.rest(&inner, end);
        self.muted = was_muted;
        self.path.extend(name);
        Ok(range.end)
    }
}

impl Walker<'_> {
    /// Decodes a struct or choice with `body`, in a new frame for the slots of the unit.
    pub(super) fn unit<T>(
        &mut self,
        space: &Space,
        at: u64,
        item: &Item,
        unit: UnitId,
        body: impl FnOnce(&mut Self, &'static Unit) -> Flow<T>,
    ) -> Flow<T> {
        let unit = &self.program.units[unit];
        let (outer, has_arguments) = self.frames.enter(unit, item.call);
        if !has_arguments {
            let message = "its arguments have no value".to_owned();
            return self.fault(FaultKind::Count, space.span(at..at), message, None);
        }
        let end = body(self, unit)?;
        self.frames.leave(outer, item.own_step());
        Ok(end)
    }
}
