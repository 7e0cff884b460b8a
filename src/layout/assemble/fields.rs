//! The assembler on fields: presence, position and content.

use super::assembler::{Assembler, Written};
use super::equation::{Bound, Presence};
use super::input::Input;
use super::region::Chunk;
use super::space::RegionId;
use crate::Result;
use crate::layout::program::{Code, Item, Step};
use crate::layout::walk::Segment;

impl Assembler<'_> {
    /// Returns the first alternative whose condition holds, or the only possible one.
    pub(super) fn choose(&mut self, variants: &'static [(Code, Step)]) -> Result<&'static Step> {
        for (condition, _) in variants {
            self.rely_on(condition);
            if self.frames.truth(condition) == Ok(true) {
                break;
            }
        }
        let possible = match self.frames.choose(variants) {
            Ok(step) => return Ok(step),
            Err(possible) => possible,
        };
        let names = |steps: &mut dyn Iterator<Item = &Step>| {
            let names = steps.filter_map(|step| step.variant).map(|variant| variant.name);
            names.collect::<Vec<_>>().join(", ")
        };
        match possible[..] {
            [step] => Ok(step),
            [] => {
                let names = names(&mut variants.iter().map(|(_, step)| step));
                Err(self.error(format!("no condition holds for any of {names}")))
            }
            _ => {
                let names = names(&mut possible.into_iter());
                Err(self.error(format!("what says which of {names} it is, is left out")))
            }
        }
    }

    /// Writes the fields of a struct; returns their end.
    pub(super) fn fields(
        &mut self,
        region: RegionId,
        at: u64,
        steps: &'static [Step],
        input: Input,
    ) -> Result<u64> {
        let mut end = at;
        // The look-aheads whose bytes are not written yet, and their offsets.
        let mut ahead: Vec<(&'static Step, u64)> = Vec::new();
        for step in steps {
            if step.field.lookahead {
                // The next fields write the bytes.
                ahead.push((step, end));
                continue;
            }
            self.path.push(Segment::Field(step.field.name));
            let own = input.field(step.field.name);
            if !ahead.is_empty() {
                self.look_ahead(&mut ahead, end, step, own)?;
            }
            let written = self.field(region, end, step, own, input)?;
            self.require_checks(step)?;
            self.path.pop();
            match step.position {
                None => end = written.end,
                // An empty list outside of the file decides nothing.
                Some(_)
                    if step.count.is_some()
                        && written.count == 0
                        && self.file_size.is_some_and(|size| written.end > size) => {}
                Some(_) => {
                    let base = self.regions[region].base;
                    self.regions[base].reached = self.regions[base].reached.max(written.end);
                }
            }
            ahead.retain(|(looking, start)| !self.look(region, looking, *start));
        }
        if let Some((looking, _)) = ahead.iter().find(|(_, start)| *start == end) {
            let message = format!("nothing of it is given, but `{}` tells what it is", looking.field.name);
            return Err(self.error(message));
        }
        Ok(end)
    }

    /// Writes one field, unless its condition excludes it. `input` is that of the enclosing struct.
    pub(super) fn field(
        &mut self,
        region: RegionId,
        at: u64,
        step: &'static Step,
        own: Input,
        input: Input,
    ) -> Result<Written> {
        if let (Some(code), Some(condition)) = (&step.condition, &step.field.condition) {
            let is_given = own.is_given();
            let is_there = is_given || (!self.is_removed(step, code) && self.demands(code));
            // The presence of a field with an offset follows from the offset.
            if !(is_there && step.position.is_some()) {
                self.require_truth(code, is_there);
            }
            if !is_there {
                return Ok(Written { end: at, count: 0 });
            }
            if self.recounts && (self.depends_on_leaves(code) || self.frames.truth(code) == Ok(false)) {
                let (path, slots) = (self.path.clone(), Bound::new(self.frames.slots()));
                self.refused.push(Presence { path, condition, code, slots });
            }
        }
        match (&step.position, &step.field.position) {
            (Some(position), Some(_)) => self.placed(region, step, position, own, input),
            _ => self.content(region, at, step, own, input),
        }
    }

    /// Returns `true` if the condition of a missing field requires it.
    fn demands(&mut self, condition: &'static Code) -> bool {
        self.rely_on(condition);
        self.frames.truth(condition) == Ok(true)
    }

    /// Returns `true` if a missing field was removed on purpose, so that the values of its condition follow.
    fn is_removed(&self, step: &Step, condition: &Code) -> bool {
        self.recounts
            && step.block.as_ref().is_none_or(|block| !block.block.inline)
            && !self.depends_on_fixed(condition)
    }

    /// Writes a field at an explicit offset.
    fn placed(
        &mut self,
        region: RegionId,
        step: &'static Step,
        position: &'static Code,
        own: Input,
        input: Input,
    ) -> Result<Written> {
        let base = self.regions[region].base;
        let at = match self.frames.int(position).map(|at| (at, u64::try_from(at))) {
            Ok((_, Ok(at))) => Some(at),
            Ok((at, Err(_))) => return Err(self.error(format!("its offset is {at}"))),
            Err(_) => None,
        };
        let (path, origin) = (self.path.clone(), own.origin());
        if let (Some(start), false) = (at, self.depends_on_leaves(position)) {
            let written = self.content(base, start, step, own, input)?;
            if self.recounts {
                let size = written.end - start;
                self.regions[base].chunks.push(Chunk { path, pending: None, at, size, origin });
            }
            return Ok(written);
        }
        let (index, own_region) = (self.regions[base].chunks.len(), self.add_region(Some(base)));
        let pending = Some((own_region, position, Bound::new(self.frames.slots())));
        self.regions[base].chunks.push(Chunk { path, pending, at, size: 0, origin });
        let written = self.content(own_region, 0, step, own, input)?;
        self.regions[base].chunks[index].size = written.end;
        Ok(Written { end: 0, ..written })
    }

    /// Writes the content of a field.
    fn content(
        &mut self,
        region: RegionId,
        at: u64,
        step: &'static Step,
        own: Input,
        input: Input,
    ) -> Result<Written> {
        let item = Item::of_field(step);
        let written = match &step.block {
            Some(block) => self.block(region, at, &item, block, (own, input))?,
            None => self.value(region, at, &item, own)?,
        };
        if let Some(count) = &step.count {
            let what = if step.block.is_some() { "size" } else { "number of items" };
            self.require(count, written.count, what)?;
        }
        Ok(written)
    }
}
