//! The assembler on declarations: structs with their fields, choices, enums, packed words.

use super::assembler::{Assembler, Item, Written, node};
use super::frame::Frame;
use super::output::Output;
use super::place::Chunk;
use super::source::{Source, Supply};
use crate::Result;
use crate::layout::walk::Segment;
use crate::layout::{Declaration, Expr, Field, Shape, Type, Value, Variant};

impl<S: Source> Assembler<'_, S> {
    /// Writes a value with a declaration.
    pub(super) fn declared(
        &mut self,
        out: &mut Output,
        at: u64,
        item: &Item,
        declaration: &'static Declaration,
        outer: &Frame,
    ) -> Result<Written> {
        match declaration.shape {
            Shape::Struct(fields) => {
                let given = match self.source.enter(&node(&self.path, item, at)) {
                    Err(message) => return Err(self.error(message)),
                    Ok(Supply::Bytes(bytes, count)) => Some((bytes.to_vec(), count)),
                    Ok(Supply::Parts(_)) => None,
                };
                self.group(at, item, |assembler| match given {
                    Some((bytes, count)) => {
                        assembler.write(out, at, &bytes)?;
                        Ok(Written { end: at + bytes.len() as u64, count, value: None })
                    }
                    None => {
                        let frame = outer.within(declaration, item.arguments, assembler.path.len());
                        let at = assembler.magic(out, at, item, declaration)?;
                        assembler.fields(out, at, fields, frame)
                    }
                })
            }
            Shape::Choice(variants) => {
                let frame = outer.within(declaration, item.arguments, self.path.len());
                let variant = self.choose(variants, &frame)?;
                self.field(out, at, &variant.field, Some(variant), &frame)
            }
            Shape::Enum { size, .. } => self.leaf(out, at, item, &Type::Unsigned(size)),
            Shape::Bits { size, .. } => {
                let written = self.leaf(out, at, item, &Type::Unsigned(size))?;
                let value = match written.value {
                    Some(Value::Int(number)) => Some(Value::Bits(number as u128, declaration)),
                    value => value,
                };
                Ok(Written { value, ..written })
            }
        }
    }

    /// The first variant whose condition holds, or the only one that may.
    fn choose(&self, variants: &'static [Variant], frame: &Frame) -> Result<&'static Variant> {
        let mut possible = Vec::new();
        for variant in variants {
            match frame.truth(&variant.condition) {
                Some(true) => return Ok(variant),
                Some(false) => {}
                None => possible.push(variant),
            }
        }
        match possible[..] {
            [variant] => Ok(variant),
            [] => {
                let names: Vec<_> = variants.iter().map(|variant| variant.name).collect();
                Err(self.error(format!("no condition holds for any of {}", names.join(", "))))
            }
            _ => {
                let names: Vec<_> = possible.iter().map(|variant| variant.name).collect();
                Err(self.error(format!("what says which of {} it is, is left out", names.join(", "))))
            }
        }
    }

    /// What a struct starts with; returns its end.
    fn magic(&mut self, out: &mut Output, at: u64, item: &Item, declaration: &Declaration) -> Result<u64> {
        if declaration.magic.is_empty() {
            return Ok(at);
        }
        let given = self.source.magic(&node(&self.path, item, at)).map(<[u8]>::to_vec);
        let magic = given.as_deref().unwrap_or(declaration.magic);
        self.write(out, at, magic)?;
        Ok(at + magic.len() as u64)
    }

    /// The fields of a struct, behind its magic bytes.
    fn fields(
        &mut self,
        out: &mut Output,
        at: u64,
        fields: &'static [Field],
        mut frame: Frame,
    ) -> Result<Written> {
        let imported = frame.imported();
        let mut end = at;
        // Look-aheads whose bytes are not written yet, and where those begin.
        let mut ahead: Vec<(&Field, u64)> = Vec::new();
        for field in fields {
            if field.lookahead {
                // The fields that follow write the bytes that it looks at.
                ahead.push((field, end));
                continue;
            }
            self.path.push(Segment::Field(field.name));
            let looking: Vec<_> = ahead.iter().filter(|(_, start)| *start == end).map(|(f, _)| *f).collect();
            for (name, value) in self.ahead_of(&looking, field, &frame)? {
                frame.push(name, Some(value));
                ahead.retain(|(field, _)| field.name != name);
            }
            let written = self.field(out, end, field, None, &frame)?;
            if self.known.is_incomplete() && self.known.is_missing(&self.path) {
                for check in field.checks {
                    self.known.require_truth(&check.condition, true, &frame, &self.path);
                }
            }
            self.path.pop();
            frame.push(field.name, written.value);
            match field.position {
                None => end = written.end,
                Some(_) => out.reached = out.reached.max(written.end),
            }
            ahead.retain(|(looking, start)| {
                let bytes = looking.ty.size().and_then(|size| out.get(*start..start.checked_add(size)?));
                frame.push(looking.name, bytes.map(|bytes| looking.ty.value_of(bytes)));
                bytes.is_none()
            });
        }
        if let Some((looking, _)) = ahead.iter().find(|(_, start)| *start == end) {
            let message = format!("nothing of it is given, but `{}` tells what it is", looking.name);
            return Err(self.error(message));
        }
        let value = Value::Struct(frame.scope.without_first(imported));
        Ok(Written { end, count: 0, value: Some(value) })
    }

    /// One field, unless its condition says that it is not there.
    pub(super) fn field(
        &mut self,
        out: &mut Output,
        at: u64,
        field: &'static Field,
        variant: Option<&'static Variant>,
        frame: &Frame,
    ) -> Result<Written> {
        if let Some(condition) = &field.condition {
            let is_there = self.source.has(&self.path)
                || (frame.truth(condition) == Some(true) && !self.is_taken_out(field, condition, frame));
            // That a field with an offset is there follows from its offset.
            if !(is_there && field.position.is_some()) {
                self.known.require_truth(condition, is_there, frame, &self.path);
            }
            if !is_there {
                return Ok(Written { end: at, count: 0, value: None });
            }
            if frame.truth(condition) == Some(false) {
                self.known.refuse(condition, &self.path);
            }
        }
        match &field.position {
            Some(position) => self.placed(out, field, variant, position, frame),
            None => self.content(out, at, field, variant, frame),
        }
    }

    /// Whether a field that is not given is not to be there, rather than left out: what says that it is follows from that.
    fn is_taken_out(&self, field: &Field, condition: &Expr, frame: &Frame) -> bool {
        let is_fixed = |leaf: &Vec<Segment>| self.source.is_fixed(leaf);
        self.source.recounts()
            && field.block.is_none_or(|block| !block.inline)
            && !frame.leaves_of(condition, &self.path).iter().any(is_fixed)
    }

    /// A field with a position of its own.
    fn placed(
        &mut self,
        out: &mut Output,
        field: &'static Field,
        variant: Option<&'static Variant>,
        position: &Expr,
        frame: &Frame,
    ) -> Result<Written> {
        if let Some(place) = self.known.place_of(&self.path) {
            self.known.require(position, place, "offset", frame, &self.path);
        }
        let at = frame.int(position);
        let origin = self.source.origin(&self.path);
        let path = self.path.clone();
        if let Some(at) = at {
            let Ok(at) = u64::try_from(at) else {
                return Err(self.error(format!("its offset is {at}")));
            };
            let written = self.content(out, at, field, variant, frame)?;
            self.known.add_chunk(Chunk { path, at: Some(at), size: written.end - at, origin }, out);
            return Ok(written);
        }
        // It is assembled where it does not matter: only its size is of interest.
        let mut scratch = self.output();
        let written = self.content(&mut scratch, 0, field, variant, frame)?;
        self.known.add_chunk(Chunk { path, at: None, size: written.end, origin }, out);
        out.chunks.append(&mut scratch.chunks);
        Ok(Written { end: 0, ..written })
    }

    /// What a field holds, wherever it lies.
    fn content(
        &mut self,
        out: &mut Output,
        at: u64,
        field: &'static Field,
        variant: Option<&'static Variant>,
        frame: &Frame,
    ) -> Result<Written> {
        let item = Item { ty: &field.ty, field: Some(field), variant, arguments: field.arguments };
        let written = match &field.block {
            Some(block) => self.block(out, at, &item, block, frame)?,
            None => self.value(out, at, &item, frame)?,
        };
        if let Some(count) = &field.count {
            let what = if field.block.is_some() { "size" } else { "number of items" };
            self.known.require(count, written.count, what, frame, &self.path);
        }
        Ok(written)
    }
}
