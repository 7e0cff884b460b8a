//! The walker on declarations: structs with their fields and blocks, choices, enums, packed words.

use std::borrow::Cow;
use std::cell::Cell;
use std::ops::{ControlFlow, Range};

use super::walker::{Interrupt, Item, Space, Step, Walker};
use super::{FaultKind, Segment, Visitor};
use crate::layout::bits::word;
use crate::layout::{
    BitField, BitRange, Block, Check, Declaration, Decoding, EvalError, Field, Packing, Scope, Shape, Type,
    Value, Variant,
};
use crate::unpack;

impl<V: Visitor> Walker<'_, V> {
    /// Decodes a value with a declaration.
    pub(super) fn declared(
        &mut self,
        space: &Space,
        at: u64,
        item: &Item,
        declaration: &'static Declaration,
        scope: &Scope,
    ) -> Step<(u64, Option<Value>)> {
        let arguments = item.arguments.iter().map(|a| a.eval(scope)).collect::<Result<Vec<_>, _>>();
        let Ok(arguments) = arguments else {
            return self.fault(
                FaultKind::Count,
                space.span(at..at),
                "its arguments have no value".into(),
                None,
            );
        };
        let scope = declaration.bind(arguments);
        match declaration.shape {
            Shape::Struct(fields) => self.group(space, at, item, |walker, _| {
                walker.magic(space, at, item, declaration)?;
                let (end, value) = walker.fields(space, at, declaration, fields, scope)?;
                Ok((end, None, value))
            }),
            Shape::Choice(variants) => {
                let chosen = variants.iter().find(|v| v.condition.eval_bool(&scope) == Ok(true));
                match chosen {
                    Some(variant) => {
                        let field = &variant.field;
                        let (end, value) = self.field(space, at, field, Some(variant), &scope)?;
                        for check in field.checks {
                            self.check(space, at..end, check, &scope, field)?;
                        }
                        Ok((end, value))
                    }
                    None => {
                        let message = format!("no variant of {} fits", declaration.name);
                        self.fault(FaultKind::Value, space.span(at..at), message, None)
                    }
                }
            }
            Shape::Enum { size, values } => {
                let bytes = self.take(space, at, size.into())?;
                let value = Type::Unsigned(size).value_of(bytes);
                let range = at..at + u64::from(size);
                if !values.iter().any(|v| Value::Int(v.value) == value) {
                    let message = format!("{value} is not a value of {}", declaration.name);
                    return self.fault(FaultKind::Value, space.span(range), message, None);
                }
                self.report_leaf(space, range.clone(), item, &value)?;
                Ok((range.end, Some(value)))
            }
            Shape::Bits { size, fields } => {
                let word = word(self.take(space, at, size.into())?);
                let range = at..at + u64::from(size);
                let value = Value::Bits(word, declaration);
                self.report_leaf(space, range.clone(), item, &value)?;
                if !self.muted {
                    self.bit_fields(space, &range, item, word, 0, fields)?;
                }
                Ok((range.end, Some(value)))
            }
        }
    }

    /// The fields of a word, or of a word within it that starts at bit `start`.
    fn bit_fields(
        &mut self,
        space: &Space,
        range: &Range<u64>,
        item: &Item,
        word: u128,
        start: u32,
        fields: &'static [BitField],
    ) -> Step<()> {
        for field in fields {
            self.path.push(Segment::Field(field.name));
            let path = std::mem::take(&mut self.path);
            let mut node = Self::node(&path, space, range.clone(), item);
            let bits = BitRange { offset: start + field.bits.offset, width: field.bits.width };
            (node.bit_field, node.bits, node.decoding) = (Some(field), Some(bits), field.decoding);
            let value = field.value(word);
            let flow = self.leaf(&node, &value);
            self.path = path;
            flow?;
            if let Value::Bits(inner, Declaration { shape: Shape::Bits { fields, .. }, .. }) = value {
                self.bit_fields(space, range, item, inner, bits.offset, fields)?;
            }
            self.path.pop();
        }
        Ok(())
    }

    /// The magic bytes that a struct starts with.
    fn magic(&mut self, space: &Space, at: u64, item: &Item, declaration: &Declaration) -> Step<()> {
        let size = declaration.magic.len() as u64;
        let found = self.take(space, at, size)?;
        if found != declaration.magic {
            let message = format!("starts with {found:02x?}, expected {:02x?}", declaration.magic);
            return self.fault(FaultKind::Magic, space.span(at..at + size), message, None);
        }
        if self.muted || found.is_empty() {
            return Ok(());
        }
        match self.visitor.magic(&Self::node(&self.path, space, at..at + size, item)) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Interrupt::Stopped),
        }
    }

    /// The fields of a struct, behind its magic bytes.
    fn fields(
        &mut self,
        space: &Space,
        at: u64,
        declaration: &'static Declaration,
        fields: &'static [Field],
        mut scope: Scope,
    ) -> Step<(u64, Option<Value>)> {
        let imports = scope.len();
        let mut position = at + declaration.magic.len() as u64;
        for field in fields {
            self.path.push(Segment::Field(field.name));
            // Bytes ahead are reported by the fields that they belong to.
            let was_muted = self.muted;
            self.muted |= field.lookahead;
            let (end, value) = self.field(space, position, field, None, &scope)?;
            self.muted = was_muted;
            if let Some(value) = value {
                scope.push(field.name, value);
            }
            for check in field.checks {
                self.check(space, position..end, check, &scope, field)?;
            }
            self.path.pop();
            match field.position {
                None if field.lookahead => {}
                None => position = end,
                Some(_) => space.reached.set(space.reached.get().max(end)),
            }
        }
        Ok((position, Some(Value::Struct(scope.without_first(imports)))))
    }

    fn check(
        &self,
        space: &Space,
        range: Range<u64>,
        check: &Check,
        scope: &Scope,
        field: &Field,
    ) -> Step<()> {
        match check.condition.eval_bool(scope) {
            Ok(true) => Ok(()),
            Ok(false) | Err(_) => {
                let message = match scope.get(field.name) {
                    Some(Value::Struct(_)) | None => check.message.to_owned(),
                    Some(found) => format!("{}: found {found}", check.message),
                };
                self.fault(FaultKind::Check, space.span(range), message, field.rule)
            }
        }
    }

    /// One field, unless its condition says that it is not there.
    fn field(
        &mut self,
        space: &Space,
        at: u64,
        field: &'static Field,
        variant: Option<&'static Variant>,
        scope: &Scope,
    ) -> Step<(u64, Option<Value>)> {
        if field.condition.is_some_and(|c| c.eval_bool(scope) != Ok(true)) {
            return Ok((at, None));
        }
        let at = match field.position {
            Some(position) => {
                let position = self.size(space, at, position.eval_int(scope), "offset")?;
                if position > space.len() {
                    let end = space.len();
                    let message = format!("lies at offset {position:#x}, but the end is at {end:#x}");
                    return self.fault(FaultKind::End, space.span(end..end), message, None);
                }
                position
            }
            None => at,
        };
        let count = match field.count {
            Some(count) => Some(self.size(space, at, count.eval_int(scope), "count")?),
            None => None,
        };
        let (ty, arguments, decoding) = (&field.ty, field.arguments, field.decoding);
        let item = Item { ty, field: Some(field), variant, arguments, count, decoding };
        match &field.block {
            Some(block) => {
                // Bytes without a count run to the end.
                let end = count.map_or(space.len(), |count| at.saturating_add(count));
                self.block(space, at..end, &item, block, scope)
            }
            None => {
                let (end, value) = self.value(space, at, &item, scope)?;
                if !field.constraints.is_empty() && !self.muted {
                    let node = Self::node(&self.path, space, at..end, &item);
                    self.visitor.constrained(&node, value.as_ref(), scope);
                }
                Ok((end, value))
            }
        }
    }

    fn size(&self, space: &Space, at: u64, value: Result<i128, EvalError>, what: &str) -> Step<u64> {
        match value.map(u64::try_from) {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(_)) => {
                let message = format!("the {what} is negative or too large");
                self.fault(FaultKind::Count, space.span(at..at), message, None)
            }
            Err(_) => {
                let message = format!("the {what} cannot be computed");
                self.fault(FaultKind::Count, space.span(at..at), message, None)
            }
        }
    }

    /// A field of bytes that hold another structure.
    fn block(
        &mut self,
        space: &Space,
        range: Range<u64>,
        bytes: &Item,
        block: &'static Block,
        scope: &Scope,
    ) -> Step<(u64, Option<Value>)> {
        let packed = self.take(space, range.start, range.end - range.start)?;
        let name = if block.inline { self.path.pop() } else { None };
        let visit = !self.muted && {
            let node = Self::node(&self.path, space, range.clone(), bytes);
            self.visitor.unpack(&node)
        };
        // What is encoded may say how to go on; what is compressed is large and does not.
        let was_muted = self.muted;
        self.muted |= !visit;
        if !visit && !matches!(block.packing, Packing::Coded { .. }) {
            self.muted = was_muted;
            self.path.extend(name);
            return Ok((range.end, None));
        }
        let size = match block.size {
            Some(size) => Some(self.size(space, range.start, size.eval_int(scope), "unpacked size")?),
            None => None,
        };
        let encoding = block.encoding.and_then(|encoding| encoding.eval(scope).ok());
        let content = match unpack::unpack((block.packing, encoding), packed, size, self.limits) {
            Ok(content) => content,
            Err(unpack::Failure::Malformed(message)) => {
                let rule = bytes.field.and_then(|field| field.rule);
                return self.fault(FaultKind::Packing, space.span(range), message, rule);
            }
            Err(unpack::Failure::Limit(message)) => {
                return self.fault(FaultKind::Limit, space.span(range), message, None);
            }
        };
        if let (Cow::Owned(content), false) = (&content, self.muted) {
            self.visitor.unpacked(&Self::node(&self.path, space, range.clone(), bytes), content);
        }
        let (bytes_in, packed_in) = match (&content, &space.packed) {
            // Stored content keeps the offsets of the space it lies in.
            (Cow::Borrowed(_), outer) => (&space.bytes[..range.end as usize], outer.clone()),
            (Cow::Owned(content), outer) => (&**content, Some(outer.clone().unwrap_or(range.clone()))),
        };
        let inner = Space { bytes: bytes_in, packed: packed_in, reached: Cell::new(0) };
        let start = if matches!(content, Cow::Borrowed(_)) { range.start } else { 0 };
        let decoding = Decoding::NONE;
        let item = Item { ty: &block.content, arguments: block.arguments, count: None, decoding, ..*bytes };
        let (end, value) = self.value(&inner, start, &item, scope)?;
        let left = inner.rest(end);
        if !left.is_empty() && block.packing != Packing::Stored {
            let message = format!("{} bytes are left over", left.end - left.start);
            return self.fault(FaultKind::Packing, inner.span(left), message, None);
        }
        self.rest(&inner, end);
        self.muted = was_muted;
        self.path.extend(name);
        let value = value.filter(|_| matches!(block.packing, Packing::Coded { .. }));
        Ok((range.end, value))
    }
}
