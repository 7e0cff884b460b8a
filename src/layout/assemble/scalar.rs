//! Assembles scalars: numbers, enums, packed words and strings.

use std::borrow::Cow;

use super::assembler::{Assembler, WriteTarget, Written};
use super::variable::{SlotOrigin, VariableId, VariableKind};
use crate::layout::declaration::Type;
use crate::layout::expr::{Operand, Value};
use crate::layout::program::{Cell, Item, Step};
use crate::layout::tree::{Recomputation, TreeNode, number};
use crate::layout::walk::Segment;
use crate::{Error, Result};

impl Assembler<'_> {
    /// Returns the given number, string, enum value or packed word; `None` if it is omitted.
    pub fn given_scalar<'p>(
        &mut self,
        given: Option<&'p TreeNode<'p>>,
        ty: &Type,
    ) -> Result<Option<Cow<'p, Value>>> {
        let Some(node) = given else { return Ok(None) };
        node.scalar(ty, &mut |leaf| self.used.add(leaf))
            .map_err(|message| self.error(message))
    }

    /// Writes a number, enum, packed word or string.
    pub fn write_scalar(&mut self, target: WriteTarget, item: &Item) -> Result<Written> {
        let ty = self.program.forms[item.form].ty;
        let given = self.given_scalar(target.given, ty)?;
        let is_read_ahead = self.recounts && self.lookaheads.contains(&(target.region, target.at));
        let is_own = |step: &Step| step.value.is_some() || is_read_ahead;
        let is_named = item.has_columns || item.own_step().is_some_and(is_own);
        let Some(value) = given else {
            return self.reserve_omitted(target, item, ty);
        };
        let integer = match *value {
            Value::Int(number) => Some(number),
            Value::Wide(number) => Some(number as i128),
            Value::Bits(word, _) => Some(word as i128),
            _ => None,
        };
        let is_recomputable =
            is_named && (self.recounts || target.recomputation() == Recomputation::Always);
        let value = match integer.filter(|_| is_recomputable) {
            Some(number) => Cow::Owned(Value::Int(self.add_recomputable(
                target,
                item,
                (&value, number),
                ty,
            )?)),
            None => {
                self.frames
                    .set_value(item, Cell::of(&value), SlotOrigin::Other);
                value
            }
        };
        self.write_given(target, item, &value)
    }

    fn write_given(&mut self, target: WriteTarget, item: &Item, value: &Value) -> Result<Written> {
        let WriteTarget {
            region, at, given, ..
        } = target;
        let ty = self.program.forms[item.form].ty;
        let size = match (ty, value) {
            (Type::NulString, Value::Text(text)) => {
                if text.contains(&0) {
                    return Err(self.error("contains a NUL, which would end the string"));
                }
                self.write(region, at, text)?;
                let end = at + text.len() as u64;
                let lacks_nul = given.is_some_and(TreeNode::lacks_nul);
                let terminator: &[u8] = if lacks_nul { &[] } else { &[0] };
                if lacks_nul && !item.may_lack_nul {
                    return Err(self.error(
                        "needs a terminating NUL, since it is not in a list without a count",
                    ));
                }
                self.write(region, end, terminator)?;
                text.len() + terminator.len()
            }
            _ => {
                let (bytes, size) =
                    number::encode(ty, value).map_err(|message| self.error(message))?;
                self.write(region, at, &bytes[..size])?;
                size
            }
        };
        Ok(Written {
            end: at + size as u64,
            count: 0,
        })
    }

    /// Reserves the bytes of an omitted value, or writes the known value.
    fn reserve_omitted(
        &mut self,
        target: WriteTarget,
        item: &Item,
        ty: &'static Type,
    ) -> Result<Written> {
        let WriteTarget { region, at, .. } = target;
        let size = ty.size().unwrap_or_default();
        let value = self.known.get(&self.path).copied();
        let reserved = self.regions[region].buffer.reserve(at, size);
        self.defer_clash(reserved)?;
        let variable = self.add_variable(target, ty, value, true);
        let cell = value.map_or(Cell::Empty, |number| Cell::Number(Operand::Int(number)));
        let origin = SlotOrigin::Variable(variable, None);
        self.frames.set_value(item, cell, origin);
        if value.is_some() {
            self.rewrite_bytes(variable)?;
        }
        Ok(Written {
            end: at + size,
            count: 0,
        })
    }

    /// Stores a given value, as a variable unless it is fixed, and returns the number to write.
    fn add_recomputable(
        &mut self,
        target: WriteTarget,
        item: &Item,
        (value, mut number): (&Value, i128),
        ty: &'static Type,
    ) -> Result<i128> {
        let mut origin = SlotOrigin::Fixed;
        if target.recomputation() != Recomputation::Never {
            number = self.known_or(value, number)?;
            let variable = self.add_variable(target, ty, Some(number), false);
            origin = SlotOrigin::Variable(variable, None);
        }
        self.frames
            .set_value(item, Cell::Number(Operand::Int(number)), origin);
        Ok(number)
    }

    /// Returns the known number, or else `number`. Bit fields are replaced individually.
    fn known_or(&mut self, value: &Value, number: i128) -> Result<i128> {
        if let Some(known) = self.known.get(&self.path) {
            return Ok(*known);
        }
        let Value::Bits(mut word, declaration) = *value else {
            return Ok(number);
        };
        for field in declaration
            .bit_fields()
            .iter()
            .filter(|_| !self.known.is_empty())
        {
            self.path.push(Segment::Field(field.name));
            if let Some(known) = self.known.get(&self.path) {
                let bits =
                    number::encode_bits(*known, field).map_err(|message| self.error(message))?;
                word = field.bits.insert(word, bits);
            }
            self.path.pop();
        }
        Ok(word as i128)
    }

    fn add_variable(
        &mut self,
        target: WriteTarget,
        ty: &'static Type,
        value: Option<i128>,
        is_omitted: bool,
    ) -> VariableId {
        let WriteTarget {
            region, at, given, ..
        } = target;
        let fixed_fields = given.map_or(Vec::new(), TreeNode::fixed_bits);
        let bit_fields = Vec::new();
        let is_written = !is_omitted;
        let kind = VariableKind::Whole {
            region,
            at,
            ty,
            value,
            is_omitted,
            is_written,
            fixed_fields,
            bit_fields,
        };
        self.variables.add(&self.path, kind)
    }

    /// Writes numbers stored as type `given`, converted to the type `ty`, and returns their end. The first of them has
    /// this index.
    pub fn write_numbers(
        &mut self,
        WriteTarget { region, at, .. }: WriteTarget,
        ty: &'static Type,
        (given, bytes): (&'static Type, &[u8]),
        first_index: u64,
    ) -> Result<u64> {
        let size = given.size().map_or(1, |size| size as usize);
        let mut end = at;
        for (index, item) in (first_index..).zip(bytes.chunks_exact(size)) {
            let encoded = number::encode(ty, &given.read_value(item));
            let (bytes, size) = encoded.map_err(|message| {
                Error::inexpressible(message)
                    .at(&[&self.path[..], &[Segment::Index(index)]].concat()[..])
            })?;
            self.write(region, end, &bytes[..size])?;
            end += size as u64;
        }
        Ok(end)
    }
}

impl WriteTarget<'_> {
    fn recomputation(&self) -> Recomputation {
        self.given
            .map_or(Recomputation::default(), |node| node.recomputation)
    }
}
