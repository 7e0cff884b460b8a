//! Walks over scalars, fields and blocks.

use std::borrow::Cow;
use std::ops::Range;

use super::space::Space;
use super::walker::{Interrupt, Walked, Walker, node, stop_on_break};
use super::{FaultKind, Segment};
use crate::layout::declaration::bits::WordFields;
use crate::layout::declaration::{BitField, Check, Declaration, Packing, Shape, Type};
use crate::layout::expr::{EvalError, Expr, Lookup, Value};
use crate::layout::program::{
    BlockStep, ChecksumStep, Code, ComputedStep, Item, Step, Unit, UnitId,
};
use crate::text;
use crate::text::bytes_follow;
use crate::unpack::{self, UnpackError};

const OVERFLOW: &str = "an overflow of its integer type, or a division by 0";

impl Walker<'_> {
    /// Decodes a number, enum or packed word from its bytes.
    #[inline(always)]
    pub fn walk_number(
        &mut self,
        space: &Space,
        range: Range<u64>,
        bytes: &[u8],
        (item, ty): (&Item, &'static Type),
    ) -> Walked<()> {
        let value = &ty.read_value(bytes);
        match ty.without_byte_order() {
            Type::Declared(declaration) => {
                self.walk_enum_or_word(space, range, item, value, declaration)
            }
            _ => self.report_leaf(space, range, item, value),
        }
    }

    /// Reports an enum, or a packed word and its fields.
    fn walk_enum_or_word(
        &mut self,
        space: &Space,
        range: Range<u64>,
        item: &Item,
        value: &Value,
        declaration: &'static Declaration,
    ) -> Walked<()> {
        if let Shape::Enum { values, .. } = declaration.shape
            && !values.iter().any(|named| Value::Int(named.value) == *value)
        {
            let message = format!("{value} is not a value of {}", declaration.name);
            return self.fault(FaultKind::Value, space.span(range), message, None);
        }
        self.report_leaf(space, range.clone(), item, value)?;
        if let (false, Value::Bits(word, _)) = (self.is_muted, value) {
            self.walk_bit_fields(space, &range, item, *word, 0, declaration.bit_fields())?;
        }
        Ok(())
    }

    pub fn walk_text(&mut self, space: &Space, at: u64, item: &Item) -> Walked<u64> {
        let text = self.bytes_at(space, at, space.len().saturating_sub(at))?;
        let (length, size) = match text.iter().position(|b| *b == 0) {
            Some(length) => (length, length + 1),
            // Only the last string of a list may lack its NUL.
            None if item.may_lack_nul => (text.len(), text.len()),
            None => {
                let message = "the string has no terminating NUL".into();
                return self.fault(
                    FaultKind::End,
                    space.span(at..space.len()),
                    message,
                    item.rule(),
                );
            }
        };
        let end = at + size as u64;
        self.report_leaf(space, at..end, item, &Value::Text(text[..length].to_vec()))?;
        Ok(end)
    }

    /// Reports the bit fields of a word, or of a nested word that starts at bit `start`.
    fn walk_bit_fields(
        &mut self,
        space: &Space,
        range: &Range<u64>,
        item: &Item,
        word: u128,
        start: u32,
        fields: &'static [BitField],
    ) -> Walked<()> {
        for field in fields {
            self.path.push(Segment::Field(field.name));
            let mut node = node(self.program, &self.path, space, range.clone(), item);
            let bits = field.bits.after(start);
            (node.bit_field, node.bits, node.decoding) = (Some(field), Some(bits), field.decoding);
            let value = field.value(word);
            stop_on_break(self.visitor.visit_leaf(&node, &value))?;
            if !field.constraints.is_empty() {
                let values = WordFields {
                    word,
                    fields,
                    outer: &self.frames.visible_values(),
                };
                self.visitor.visit_constrained(&node, &values);
            }
            if let Value::Bits(
                inner,
                Declaration {
                    shape: Shape::Bits { fields, .. },
                    ..
                },
            ) = value
            {
                self.walk_bit_fields(space, range, item, inner, bits.offset, fields)?;
            }
            self.path.pop();
        }
        Ok(())
    }

    /// Verifies the magic bytes of a struct. Returns the offset of their end.
    pub fn walk_magic(&mut self, space: &Space, at: u64, item: &Item, magic: &[u8]) -> Walked<u64> {
        let size = magic.len() as u64;
        let found = self.bytes_at(space, at, size)?;
        if found != magic {
            let [start, expected] = [found, magic].map(text::quoted_or_hex);
            let message = format!("starts with {start}, expected {expected}");
            return self.fault(FaultKind::Magic, space.span(at..at + size), message, None);
        }
        if !self.is_muted && !found.is_empty() {
            let node = node(self.program, &self.path, space, at..at + size, item);
            stop_on_break(self.visitor.visit_magic(&node))?;
        }
        Ok(at + size)
    }

    /// Decodes the fields of a struct after its magic bytes. Returns the end of the fields without explicit offsets.
    pub fn walk_fields(
        &mut self,
        space: &Space,
        start: u64,
        at: u64,
        unit: &'static Unit,
    ) -> Walked<u64> {
        let mut next = at;
        let mut covered = unit.has_checksums.then(Vec::new);
        for step in &unit.steps {
            self.path.push(Segment::Field(step.field.name));
            // Look-aheads are not reported, since a later field covers and reports the same bytes.
            let (was_muted, had_placed_bytes) = (self.is_muted, self.has_placed_bytes);
            self.is_muted |= step.field.lookahead;
            let end = self.walk_field(space, next, step)?;
            self.is_muted = was_muted;
            self.path.pop();
            if let Some(covered) = &mut covered {
                covered.push((step.field.name, self.field_range.take()));
            }
            if step.field.lookahead {
                self.has_placed_bytes = had_placed_bytes;
            } else {
                next = end;
            }
        }
        if let (Some(covered), false) = (covered, self.is_muted) {
            unit.steps
                .iter()
                .for_each(|step| self.verify_checksum(space, start, step, &covered));
        }
        Ok(next)
    }

    /// Decodes a field. Returns the offset of the next field.
    pub fn walk_field(&mut self, space: &Space, next: u64, step: &'static Step) -> Walked<u64> {
        let is_present = self.eval_condition(space, next, step.condition.as_ref(), "condition")?;
        if !is_present {
            self.frames.set_absent(step);
            self.require_eager_values(space, next, step)?;
            if !self.is_muted {
                let item = Item::of_field(step);
                let node = node(self.program, &self.path, space, next..next, &item);
                stop_on_break(self.visitor.visit_absent(&node))?;
            }
        }
        let offset = match &step.position {
            Some(position) if is_present => self.eval_offset(space, next, position, step)?,
            _ => next,
        };
        let at = offset.min(space.len());
        let end = if is_present {
            self.walk_content(space, at, step)?
        } else {
            at
        };
        self.field_range = is_present.then_some(at..end);
        self.verify_checks(space, at..end, step)?;
        if step.position.is_some() || step.field.lookahead {
            self.count_placed_bytes(space, at..end, end - at)?;
        }
        if step.position.is_none() {
            return Ok(end);
        }
        self.has_placed_bytes |= end > at;
        if is_present && offset == at {
            space.max_end.set(space.max_end.get().max(end));
        }
        Ok(next)
    }

    /// Counts the bytes of look-aheads and of fields at explicit offsets against the limit, since many of them may
    /// overlap.
    pub fn count_placed_bytes(
        &mut self,
        space: &Space,
        range: Range<u64>,
        bytes: u64,
    ) -> Walked<()> {
        self.costs.placed_bytes = self.costs.placed_bytes.saturating_add(bytes);
        let max = self.max_placed_bytes(space);
        if self.costs.placed_bytes <= max {
            return Ok(());
        }
        let message = format!(
            "look-aheads and fields at explicit offsets overlap and exceed the limit of {max} bytes"
        );
        self.fault(FaultKind::Limit, space.span(range), message, None)
    }

    /// Returns the largest total size of look-aheads and of fields at explicit offsets. Without overlaps, the fields are at
    /// most as large as the file.
    pub fn max_placed_bytes(&self, space: &Space) -> u64 {
        self.limits.max_decoded.max(space.len())
    }

    /// Returns a fault if the count or an argument of an absent field overflows, since codecs compute them nevertheless.
    fn require_eager_values(&self, space: &Space, at: u64, step: &'static Step) -> Walked<()> {
        let overflows = |code: &Code| self.frames.eval_int(code) == Err(EvalError::Overflow);
        if !self.is_for_codec || !step.eager_expressions().any(overflows) {
            return Ok(());
        }
        let message =
            format!("the count or an argument of the absent field cannot be computed: {OVERFLOW}");
        self.fault(FaultKind::Count, space.span(at..at), message, None)
    }

    /// Returns a fault if a value that a codec computes in a struct overflows.
    pub fn compute_values(
        &mut self,
        space: &Space,
        range: Range<u64>,
        unit: &'static Unit,
    ) -> Walked<()> {
        for ComputedStep { name, value, slot } in &unit.computed {
            if !self.frames.compute(value, *slot) {
                let message = format!("`{name}` cannot be computed: {OVERFLOW}");
                return self.fault(FaultKind::Count, space.span(range), message, None);
            }
        }
        Ok(())
    }

    /// Evaluates the condition of a field or variant; `None` is always true. Without a codec, a condition on an unknown
    /// value is false.
    #[inline]
    pub fn eval_condition(
        &self,
        space: &Space,
        at: u64,
        condition: Option<&Code>,
        what: &str,
    ) -> Walked<bool> {
        let Some(condition) = condition else {
            return Ok(true);
        };
        match self.frames.eval_bool(condition) {
            Ok(holds) => Ok(holds),
            Err(EvalError::Unknown) if !self.is_for_codec => Ok(false),
            Err(error) => self.uncomputable(space, at, what, error),
        }
    }

    #[cold]
    fn uncomputable<T>(&self, space: &Space, at: u64, what: &str, error: EvalError) -> Walked<T> {
        let reason = match error {
            EvalError::Overflow => OVERFLOW,
            EvalError::Unknown => "a value is missing or has the wrong type",
        };
        let message = format!("the {what} cannot be computed: {reason}");
        self.fault(FaultKind::Count, space.span(at..at), message, None)
    }

    /// Evaluates the offset of a field. An empty list may have an offset past the end.
    fn eval_offset(
        &self,
        space: &Space,
        next: u64,
        position: &Code,
        step: &'static Step,
    ) -> Walked<u64> {
        let (offset, end) = (
            self.eval_uint(space, next, position, "offset")?,
            space.len(),
        );
        if offset > end && self.eval_count(space, end, step)? != Some(0) {
            let message = format!("offset {offset:#x} is past the end at {end:#x}");
            return self.fault(FaultKind::End, space.span(end..end), message, None);
        }
        Ok(offset)
    }

    /// Decodes the block or value of a field and returns its end.
    fn walk_content(&mut self, space: &Space, at: u64, step: &'static Step) -> Walked<u64> {
        let item = Item {
            count: self.eval_count(space, at, step)?,
            ..Item::of_field(step)
        };
        if let Some(block) = &step.block {
            return self.walk_block(space, at, &item, block);
        }
        let end = self.walk_value(space, at, &item)?;
        self.report_constrained(space, at..end, &item);
        Ok(end)
    }

    /// Evaluates the number of items, or the size of a block in bytes.
    fn eval_count(&self, space: &Space, at: u64, step: &'static Step) -> Walked<Option<u64>> {
        step.count
            .as_ref()
            .map(|count| self.eval_uint(space, at, count, "count"))
            .transpose()
    }

    fn verify_checks(&self, space: &Space, range: Range<u64>, step: &Step) -> Walked<()> {
        for (code, Check { message, .. }) in step.checks.iter().zip(step.field.checks) {
            if self.frames.eval_bool(code) == Ok(true) {
                continue;
            }
            let found = self.frames.visible_values().lookup(&[step.field.name]);
            let found = found.map_or(String::new(), |found| format!(": found {found}"));
            let message = format!("{message}{found}");
            return self.fault(
                FaultKind::Check,
                space.span(range),
                message,
                step.field.rule,
            );
        }
        Ok(())
    }

    /// Reports a decoded field if it has constraints.
    pub fn report_constrained(&mut self, space: &Space, range: Range<u64>, item: &Item) {
        let is_constrained = item
            .own_step()
            .is_some_and(|step| !step.field.constraints.is_empty());
        if is_constrained && !self.is_muted {
            let values = self.frames.visible_values();
            let node = node(self.program, &self.path, space, range, item);
            self.visitor.visit_constrained(&node, &values);
        }
    }

    /// Reports the checksum of a field if the checksum is wrong. The struct starts at `start`; `covered` lists its
    /// fields with their byte ranges.
    fn verify_checksum(
        &mut self,
        space: &Space,
        start: u64,
        step: &Step,
        covered: &[(&str, Option<Range<u64>>)],
    ) {
        let Some(ChecksumStep {
            checksum,
            stored,
            arguments,
            rule,
        }) = &step.checksum
        else {
            return;
        };
        let bytes_of = |name: &str| covered.iter().find(|(known, _)| *known == name)?.1.clone();
        let first = match checksum.from {
            Some("self") => Some(start),
            from => bytes_of(from.unwrap_or(step.field.name)).map(|bytes| bytes.start),
        };
        let arguments = arguments.iter().map(|code| self.frames.eval_value(code));
        let (Some(first), Some(own), Ok(stored), Ok(arguments)) = (
            first,
            bytes_of(step.field.name),
            self.frames.eval_int(stored),
            arguments.collect::<Result<Vec<_>, _>>(),
        ) else {
            return;
        };
        let Some(bytes) = space.bytes.get(first as usize..own.end as usize) else {
            return;
        };
        if checksum.none == Some(stored) || !self.visitor.should_verify(*rule) {
            return;
        }
        let computed = (checksum.function.compute)(bytes, &arguments);
        if i128::from(computed) != stored {
            let names = match checksum.stored {
                Expr::Path(names)
                    if covered
                        .iter()
                        .any(|(known, _)| names.first() == Some(known)) =>
                {
                    names
                }
                _ => &[step.field.name],
            };
            let names = names.iter().map(|name| Segment::Field(name));
            let path: Vec<_> = self.path.iter().copied().chain(names).collect();
            let (function, span) = (checksum.function.name, space.span(first..own.end));
            let message =
                format!("found {stored:#x}, but the {function} of {span} is {computed:#x}");
            self.visitor.visit_wrong_checksum(&path, *rule, message);
        }
    }

    /// Evaluates a count, size or offset.
    fn eval_uint(&self, space: &Space, at: u64, code: &Code, what: &str) -> Walked<u64> {
        let value = match self.frames.eval_int(code) {
            Ok(value) => value,
            Err(error) => return self.uncomputable(space, at, what, error),
        };
        u64::try_from(value).or_else(|_| {
            let message = format!("the {what} is {value}, expected 0 to 2^64 - 1");
            self.fault(FaultKind::Count, space.span(at..at), message, None)
        })
    }

    /// Decodes a field whose bytes contain another structure. Returns the end of the bytes.
    fn walk_block(
        &mut self,
        space: &Space,
        at: u64,
        bytes: &Item,
        block: &'static BlockStep,
    ) -> Walked<u64> {
        let declared = block.block;
        // A block without a size runs to the end.
        let range = at..bytes
            .count
            .map_or(space.len(), |count| at.saturating_add(count));
        let packed = self.bytes_at(space, range.start, range.end - range.start)?;
        let name = if declared.inline {
            self.path.pop()
        } else {
            None
        };
        let visit = !self.is_muted
            && self.visitor.should_unpack(&node(
                self.program,
                &self.path,
                space,
                range.clone(),
                bytes,
            ));
        // Later expressions may refer to the content of a block with custom packing, so it is decoded even if the
        // visitor skips the block. Other skipped blocks are not decoded.
        if !visit && !declared.packing.is_custom() {
            self.path.extend(name);
            return Ok(range.end);
        }
        let was_muted = std::mem::replace(&mut self.is_muted, !visit);
        let size = block.size.as_ref();
        let size = size
            .map(|size| self.eval_uint(space, range.start, size, "unpacked size"))
            .transpose()?;
        let encoding = block
            .encoding
            .as_ref()
            .and_then(|code| self.frames.eval_value(code).ok());
        let content = match unpack::unpack((declared.packing, encoding), packed, size, self.limits)
        {
            Ok(content) => content,
            Err(error) => {
                let (kind, message, rule) = match error {
                    UnpackError::Malformed(message) => (FaultKind::Packing, message, bytes.rule()),
                    UnpackError::Trailing(message) => (FaultKind::Trailing, message, None),
                    UnpackError::Limit(message) => (FaultKind::Limit, message, None),
                    UnpackError::Unsupported(message) => (FaultKind::Unsupported, message, None),
                };
                return self.fault(kind, space.span(range), message, rule);
            }
        };
        if let (Cow::Owned(content), false) = (&content, self.is_muted) {
            let node = node(self.program, &self.path, space, range.clone(), bytes);
            self.visitor.visit_unpacked(&node, content);
        }
        let (inner, start) = match &content {
            // Offsets within stored content count from the start of the outer space.
            Cow::Borrowed(_) => {
                let outer = Space::of(&space.bytes[..range.end as usize]);
                (
                    Space {
                        start: space.start,
                        packed: space.packed.clone(),
                        ..outer
                    },
                    range.start,
                )
            }
            Cow::Owned(content) => {
                let packed = space.packed.clone().unwrap_or(range.clone());
                (
                    Space {
                        packed: Some(packed),
                        ..Space::of(content)
                    },
                    0,
                )
            }
        };
        let mut result = self.walk_value(&inner, start, &bytes.block_content(block));
        if let (Err(Interrupt::Fault(fault)), Packing::Stored) = (&mut result, declared.packing)
            && !matches!(
                fault.kind,
                FaultKind::Limit | FaultKind::EmptyItems | FaultKind::Unsupported
            )
        {
            // Stored content cannot fail to unpack, so the rule of its field applies to the content.
            fault.rule = fault.rule.or(bytes.rule());
        }
        let end = result?;
        let left = inner.trailing_range(end);
        if !left.is_empty() && declared.packing != Packing::Stored {
            let message = bytes_follow(left.end - left.start, "the unpacked content");
            return self.fault(FaultKind::Packing, inner.span(left), message, None);
        }
        self.report_trailing(&inner, end);
        self.is_muted = was_muted;
        self.path.extend(name);
        Ok(range.end)
    }

    /// Decodes a struct or choice with `body`, in a new frame for the slots of the unit.
    pub fn with_unit<T>(
        &mut self,
        space: &Space,
        at: u64,
        item: &Item,
        unit: UnitId,
        body: impl FnOnce(&mut Self, &'static Unit) -> Walked<T>,
    ) -> Walked<T> {
        let unit = &self.program.units[unit];
        let (outer, has_arguments) = self.frames.enter(unit, item.arguments);
        if !has_arguments {
            let message = format!("the arguments of {} have no value", unit.declaration.name);
            return self.fault(FaultKind::Count, space.span(at..at), message, None);
        }
        let end = body(self, unit)?;
        self.frames.leave_value(outer, item);
        Ok(end)
    }
}
