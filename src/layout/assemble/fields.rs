//! Assembles fields: their presence, position and content.

use super::assembler::{Assembler, Place, Written};
use super::equation::{Bound, Presence};
use super::region::Chunk;
use super::space::RegionId;
use crate::Result;
use crate::layout::program::{Code, Item, Step};
use crate::layout::walk::Segment;

impl Assembler<'_> {
    /// Writes the fields of a struct and returns their end. The struct starts at `start`, its first field at
    /// `next` with the input of the struct.
    pub(super) fn fields(
        &mut self,
        start: (RegionId, u64),
        mut next: Place,
        steps: &'static [Step],
    ) -> Result<u64> {
        // The look-aheads whose bytes are not written yet, with their offsets.
        let mut ahead: Vec<(&'static Step, u64)> = Vec::new();
        let mut covered = Vec::new();
        for step in steps {
            if step.field.lookahead {
                // Later fields write the bytes.
                ahead.push((step, next.at));
                continue;
            }
            self.path.push(Segment::Field(step.field.name));
            let input = next.input.field(step.field.name);
            if !ahead.is_empty() {
                self.look_ahead(&mut ahead, next.at, step, input)?;
            }
            self.covered = None;
            next.at = self.field(Place { input, outer: next.input, ..next }, step)?.end;
            covered.push((step.field.name, self.covered.take()));
            self.path.pop();
            ahead.retain(|(looking, start)| !self.look(next.region, looking, *start));
        }
        if let Some((looking, _)) = ahead.iter().find(|(_, start)| *start == next.at) {
            let message = format!("no value follows the look-ahead `{}`", looking.field.name);
            return Err(self.error(message));
        }
        steps.iter().for_each(|step| self.require_sum(start, step, &covered));
        Ok(next.at)
    }

    /// Writes a field, unless its condition excludes it.
    pub(super) fn field(&mut self, place: Place, step: &'static Step) -> Result<Written> {
        if let Some(condition) = &step.condition
            && !self.is_present(place, step, condition)
        {
            return Ok(Written { end: place.at, count: 0 });
        }
        match &step.position {
            Some(offset) => self.placed(place, step, offset),
            None => self.content(place, step),
        }
    }

    fn is_present(&mut self, place: Place, step: &'static Step, condition: &'static Code) -> bool {
        let is_given = place.input.is_given();
        let is_there = is_given || (!self.is_removed(step, condition) && self.demands(condition));
        // The presence of a field with an offset follows from the offset.
        if !(is_there && step.position.is_some()) {
            self.require_truth(condition, is_there);
        }
        if !is_there {
            return false;
        }
        if self.recounts && (self.depends_on_leaves(condition) || self.frames.truth(condition) == Ok(false)) {
            let (path, slots) = (self.path.clone(), Bound::new(self.frames.slots()));
            self.rejected.push(Presence { path, step, slots });
        }
        true
    }

    /// Writes a field at an explicit offset.
    fn placed(&mut self, place: Place, step: &'static Step, offset: &'static Code) -> Result<Written> {
        let base = self.regions[place.region].base;
        let at = match self.frames.int(offset).map(|at| (at, u64::try_from(at))) {
            Ok((_, Ok(at))) => Some(at),
            Ok((at, Err(_))) => return Err(self.error(format!("its offset is {at}"))),
            Err(_) => None,
        };
        let (path, origin) = (self.path.clone(), place.input.origin());
        if let (Some(start), false) = (at, self.depends_on_leaves(offset)) {
            let written = self.content(Place { region: base, at: start, ..place }, step)?;
            let size = written.end - start;
            if self.recounts {
                self.regions[base].chunks.push(Chunk { path, pending: None, at, size, origin });
            }
            // An empty list outside the file does not extend it.
            let is_outside = self.file_size.is_some_and(|size| written.end > size);
            if !(step.count.is_some() && written.count == 0 && is_outside) {
                self.regions[base].reached = self.regions[base].reached.max(written.end);
            }
        } else {
            let (index, region) = (self.regions[base].chunks.len(), self.add_region(Some(base)));
            let pending = Some((region, offset, Bound::new(self.frames.slots())));
            self.regions[base].chunks.push(Chunk { path, pending, at, size: 0, origin });
            let size = self.content(Place { region, at: 0, ..place }, step)?.end;
            self.regions[base].chunks[index].size = size;
        }
        Ok(Written { end: place.at, count: 0 })
    }

    /// Writes the block or value of a field.
    fn content(&mut self, place: Place, step: &'static Step) -> Result<Written> {
        let item = Item::of_field(step);
        let written = match &step.block {
            Some(block) => self.block(place, &item, block)?,
            None => self.value(place, &item)?,
        };
        if let Some(count) = &step.count {
            let what = if step.block.is_some() { "size" } else { "number of items" };
            self.require(count, written.count, what)?;
        }
        self.covered = Some((place.region, place.at..written.end));
        self.require_checks(step)?;
        Ok(written)
    }

    /// Returns the first variant whose condition holds, or the only possible one.
    pub(super) fn choose(&mut self, variants: &'static [Step]) -> Result<&'static Step> {
        for condition in variants.iter().filter_map(|step| step.choice.as_ref()) {
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
                let names = names(&mut variants.iter());
                Err(self.error(format!("no condition holds for any of {names}")))
            }
            _ => {
                let names = names(&mut possible.into_iter());
                Err(self.error(format!("the value that selects one of {names} is omitted")))
            }
        }
    }

    /// Returns `true` if the condition of a missing field requires it.
    fn demands(&mut self, condition: &'static Code) -> bool {
        self.rely_on(condition);
        self.frames.truth(condition) == Ok(true)
    }

    /// Returns `true` if a missing field was removed on purpose, so that its condition must fail.
    fn is_removed(&self, step: &Step, condition: &Code) -> bool {
        self.recounts
            && step.block.as_ref().is_none_or(|block| !block.block.inline)
            && !self.depends_on_fixed(condition)
    }
}
