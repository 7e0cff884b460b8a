//! Assembles single values: numbers, enums, packed words and strings.

use super::assembler::{Assembler, Place, Written};
use super::leaf::{LeafId, LeafKind, Origin};
use super::number;
use crate::layout::declaration::Type;
use crate::layout::expr::Value;
use crate::layout::program::{Cell, FormId, Item, Step};
use crate::layout::walk::Segment;
use crate::{Error, Result};

impl Assembler<'_> {
    /// Writes a number, enum, packed word or string.
    pub(super) fn leaf(&mut self, place: Place, item: &Item) -> Result<Written> {
        let ty = self.program.forms[item.form].ty;
        let given = place.input.leaf(ty).map_err(|message| self.error(message))?;
        let step = item.own_step().filter(|step| step.value.is_some());
        match (given, step) {
            (None, _) => self.unknown(place, step, ty),
            (Some(value), Some(step))
                if (self.recounts || self.block_sizes.contains(&self.path))
                    && matches!(*value, Value::Int(_) | Value::Bits(..)) =>
            {
                self.recounted(place, step, (&value, ty))
            }
            (Some(value), _) => {
                step.iter().for_each(|step| self.frames.set(step, &value));
                self.put(place, item, (&value, ty))
            }
        }
    }

    /// Writes a given value.
    fn put(&mut self, place: Place, item: &Item, (value, ty): (&Value, &'static Type)) -> Result<Written> {
        let Place { region, at, input, .. } = place;
        let size = match (ty, value) {
            (Type::NulString, Value::Text(text)) => {
                if text.contains(&0) {
                    return Err(self.error("contains a NUL, which would end it"));
                }
                self.write(region, at, text)?;
                let end = at + text.len() as u64;
                let ends: &[u8] = if item.is_item && input.lacks_nul() { &[] } else { &[0] };
                self.write(region, end, ends)?;
                text.len() + ends.len()
            }
            _ => {
                let (bytes, size) = number::encode(ty, value).map_err(|message| self.error(message))?;
                self.write(region, at, &bytes[..size])?;
                size
            }
        };
        Ok(Written { end: at + size as u64, count: 0 })
    }

    /// Reserves the bytes of an omitted value.
    fn unknown(&mut self, place: Place, step: Option<&'static Step>, ty: &'static Type) -> Result<Written> {
        let Place { region, at, .. } = place;
        let size = ty.size().unwrap_or_default();
        let value = self.assumed.get(&self.path).copied();
        let reserved = self.regions[region].space.reserve(at, size);
        self.accept(reserved)?;
        let leaf = self.add_leaf(place, ty, value, true);
        if let Some(slot) = step.and_then(|step| step.value) {
            self.frames.put_marked(slot, value.map_or(Cell::Empty, Cell::Int), Origin::Leaf(leaf, None));
        }
        if value.is_some() {
            self.patch(leaf)?;
        }
        Ok(Written { end: at + size, count: 0 })
    }

    /// Writes a given value that equations may change.
    fn recounted(
        &mut self,
        place: Place,
        step: &'static Step,
        (value, ty): (&Value, &'static Type),
    ) -> Result<Written> {
        let Place { region, at, input, .. } = place;
        let mut number = match value {
            Value::Bits(word, _) => *word as i128,
            Value::Int(number) => *number,
            _ => return Err(self.error("is not an integer")),
        };
        let mut origin = Origin::Fixed;
        if !input.is_fixed {
            number = self.assume(value, number)?;
            let leaf = self.add_leaf(place, ty, Some(number), false);
            origin = Origin::Leaf(leaf, None);
        }
        if let Some(slot) = step.value {
            self.frames.put_marked(slot, Cell::Int(number), origin);
        }
        let (bytes, size) = number::encode(ty, &Value::Int(number)).map_err(|message| self.error(message))?;
        self.write(region, at, &bytes[..size])?;
        Ok(Written { end: at + size as u64, count: 0 })
    }

    /// Returns the number determined by an earlier run, or else `number`.
    fn assume(&mut self, value: &Value, number: i128) -> Result<i128> {
        if let Some(assumed) = self.assumed.get(&self.path) {
            return Ok(*assumed);
        }
        let Value::Bits(mut word, declaration) = *value else { return Ok(number) };
        for field in declaration.bit_fields().iter().filter(|_| !self.assumed.is_empty()) {
            self.path.push(Segment::Field(field.name));
            if let Some(assumed) = self.assumed.get(&self.path) {
                let bits = number::bits_of_number(*assumed, field).map_err(|message| self.error(message))?;
                word = field.bits.put(word, bits);
            }
            self.path.pop();
        }
        Ok(word as i128)
    }

    fn add_leaf(
        &mut self,
        place: Place,
        ty: &'static Type,
        value: Option<i128>,
        is_left_out: bool,
    ) -> LeafId {
        let Place { region, at, input, .. } = place;
        let (fixed, parts) = (input.fixed_bits(), Vec::new());
        self.leaves.add(
            &self.path,
            LeafKind::Whole { region, at, ty, value, is_left_out, is_written: !is_left_out, fixed, parts },
        )
    }

    /// Writes numbers of type `given`, converted to the type of the item.
    pub(super) fn numbers(
        &mut self,
        Place { region, at, .. }: Place,
        item: FormId,
        (given, bytes): (&'static Type, &[u8]),
    ) -> Result<Written> {
        let ty = self.program.forms[item].ty;
        let items = bytes.chunks_exact(given.size().map_or(1, |size| size as usize));
        let count = items.len() as u64;
        if ty == given {
            self.write(region, at, bytes)?;
            return Ok(Written { end: at + bytes.len() as u64, count });
        }
        let mut end = at;
        for (index, item) in (0..).zip(items) {
            let encoded = number::encode(ty, &given.value_of(item));
            let (bytes, size) = encoded.map_err(|message| {
                Error::inexpressible(message).at(&[&self.path[..], &[Segment::Index(index)]].concat()[..])
            })?;
            self.write(region, end, &bytes[..size])?;
            end += size as u64;
        }
        Ok(Written { end, count })
    }
}
