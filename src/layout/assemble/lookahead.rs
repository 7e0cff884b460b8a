//! Look-aheads: values read from the first bytes of later fields.

use super::assembler::Assembler;
use super::sparse_buffer::RegionId;
use super::variable::SlotOrigin;
use crate::Result;
use crate::layout::expr::Value;
use crate::layout::program::{Cell, FormId, FormKind, Step, Unit};
use crate::layout::tree::{TreeNode, number};
use crate::layout::walk::Segment;

impl Assembler<'_> {
    /// Connects a look-ahead at `start` to the value that will be written there, so that equations may determine it.
    pub fn mark_lookahead(&mut self, region: RegionId, lookahead: &'static Step, start: u64) {
        if let Some(slot) = lookahead.value {
            let ty = self.program.forms[lookahead.form].ty;
            let origin = SlotOrigin::LookAhead(region, start, ty);
            self.frames.set_marked_slot(slot, Cell::Empty, origin);
            if self.recounts {
                self.lookaheads.insert((region, start));
            }
        }
    }

    /// Reads a look-ahead from the written bytes at `start`. Returns `false` if not all of its bytes are written yet.
    pub fn read_lookahead(
        &mut self,
        region: RegionId,
        lookahead: &'static Step,
        start: u64,
    ) -> bool {
        let ty = &lookahead.field.ty;
        let range = ty
            .size()
            .and_then(|size| Some(start..start.checked_add(size)?));
        let Some(bytes) = range.and_then(|r| self.regions[region].buffer.get(r)) else {
            return false;
        };
        self.frames.set_field(lookahead, &ty.read_value(bytes));
        true
    }

    /// Sets the look-aheads at offset `end` before the choice `next` is written there. Tries the first bytes of each
    /// variant as the value of the look-aheads, until these bytes select that variant. Does nothing if `next` is not a
    /// choice.
    pub fn predict_lookaheads(
        &mut self,
        lookaheads: &mut Vec<(&'static Step, u64)>,
        end: u64,
        next: &'static Step,
        given: Option<&TreeNode>,
    ) -> Result<()> {
        let FormKind::Choice(unit) = self.program.forms[next.form].kind else {
            return Ok(());
        };
        let unit = &self.program.units[unit];
        let candidates = lookaheads
            .iter()
            .filter(|(_, start)| *start == end)
            .map(|(step, _)| *step);
        let candidates: Vec<_> = candidates.collect();
        if candidates.is_empty() {
            return Ok(());
        }
        // Given values take precedence over implied magic bytes.
        for implies_magic in [false, true] {
            for variant in &unit.steps {
                let Some(start) = self.first_bytes(variant.form, implies_magic, given)? else {
                    continue;
                };
                let mut read = Vec::new();
                for step in &candidates {
                    if let Some(bytes) = step
                        .field
                        .ty
                        .size()
                        .and_then(|size| start.get(..size as usize))
                    {
                        self.frames
                            .set_field(step, &step.field.ty.read_value(bytes));
                        read.push(*step);
                    }
                }
                let (outer, _) = self.frames.enter(unit, &next.arguments);
                let chosen = self.frames.choose_variant(&unit.steps);
                self.frames.leave(outer, None);
                if chosen.is_ok_and(|chosen| std::ptr::eq(chosen, variant)) {
                    lookaheads
                        .retain(|(step, _)| !read.iter().any(|read| std::ptr::eq(*read, *step)));
                    return Ok(());
                }
                for slot in read.iter().filter_map(|step| step.value) {
                    self.frames
                        .set_marked_slot(slot, Cell::Empty, Default::default());
                }
            }
        }
        Ok(())
    }

    /// Returns the first bytes of a given value; `None` if they are unknown. With `implies_magic`, the magic bytes
    /// of a struct are known even if they are omitted.
    fn first_bytes(
        &mut self,
        form: FormId,
        implies_magic: bool,
        given: Option<&TreeNode>,
    ) -> Result<Option<Vec<u8>>> {
        let form = &self.program.forms[form];
        let unit = match form.kind {
            FormKind::Number(_) | FormKind::Text => None,
            FormKind::Struct(unit) => Some(&self.program.units[unit]),
            FormKind::Items(..) | FormKind::Choice(_) => return Ok(None),
        };
        if let Some(Unit {
            declaration, steps, ..
        }) = unit
        {
            if given.is_some_and(|node| node.leaf.is_some()) {
                // The given value has the type of another variant.
                return Ok(None);
            }
            if !declaration.magic.is_empty() {
                let magic = implies_magic.then_some(declaration.magic);
                return Ok(self.given_magic(given).or(magic).map(<[u8]>::to_vec));
            }
            let first = steps
                .iter()
                .find(|step| !step.field.lookahead && step.position.is_none());
            let Some(step) = first else {
                return Ok(None);
            };
            let name = step.field.name;
            self.path.push(Segment::Field(name));
            let given = given.and_then(|node| node.field(name));
            let start = self.first_bytes(step.form, implies_magic, given);
            self.path.pop();
            return start;
        }
        let given = self.given_scalar(given, form.ty)?;
        Ok(match given.as_deref() {
            None => None,
            Some(Value::Text(text)) => Some(text.clone()),
            Some(value) => {
                let (bytes, size) =
                    number::encode(form.ty, value).map_err(|message| self.error(message))?;
                Some(bytes[..size].to_vec())
            }
        })
    }
}
