//! Look-aheads: values read from the first bytes of later fields.

use super::assembler::Assembler;
use super::input::{GroupInput, Input};
use super::number;
use super::space::RegionId;
use crate::Result;
use crate::layout::expr::Value;
use crate::layout::program::{Cell, FormId, Kind, Step, Unit};
use crate::layout::walk::Segment;

impl Assembler<'_> {
    /// Reads a look-ahead from the written bytes; returns `false` if they are not written yet.
    pub(super) fn look(&mut self, region: RegionId, looking: &'static Step, start: u64) -> bool {
        let ty = &looking.field.ty;
        let range = ty.size().and_then(|size| Some(start..start.checked_add(size)?));
        let Some(bytes) = range.and_then(|range| self.regions[region].space.get(range)) else {
            return false;
        };
        self.frames.set(looking, &ty.value_of(bytes));
        true
    }

    /// Sets the look-aheads at `end` if `next` is a choice that depends on them. They get the first bytes of the
    /// first variant that they select.
    pub(super) fn look_ahead(
        &mut self,
        ahead: &mut Vec<(&'static Step, u64)>,
        end: u64,
        next: &'static Step,
        input: Input,
    ) -> Result<()> {
        let Kind::Choice(unit) = self.program.forms[next.form].kind else { return Ok(()) };
        let unit = &self.program.units[unit];
        let looking: Vec<_> =
            ahead.iter().filter(|(_, start)| *start == end).map(|(step, _)| *step).collect();
        if looking.is_empty() {
            return Ok(());
        }
        // Given values take precedence over implied magic bytes.
        let alternatives = [false, true]
            .into_iter()
            .flat_map(|demanded| unit.steps.iter().map(move |step| (step, demanded)));
        for (variant, demanded) in alternatives {
            let Some(start) = self.start_of(variant.form, demanded, input)? else { continue };
            let is_read = |step: &&'static Step| {
                let size = step.field.ty.size().map_or(usize::MAX, |size| size as usize);
                start.len() >= size
            };
            let read: Vec<_> = looking.iter().copied().filter(is_read).collect();
            for step in &read {
                let size = step.field.ty.size().unwrap_or_default() as usize;
                self.frames.set(step, &step.field.ty.value_of(&start[..size]));
            }
            let (outer, _) = self.frames.enter(unit, &next.call);
            let is_chosen = self.frames.choose(&unit.steps).is_ok_and(|chosen| std::ptr::eq(chosen, variant));
            self.frames.leave(outer, None);
            if is_chosen {
                ahead.retain(|(step, _)| !read.iter().any(|read| std::ptr::eq(*read, *step)));
                return Ok(());
            }
            for slot in read.iter().filter_map(|step| step.value) {
                self.frames.put_marked(slot, Cell::Empty, Default::default());
            }
        }
        Ok(())
    }

    /// Returns the first bytes of a value: given ones, or implied magic bytes if `demanded`.
    fn start_of(&mut self, form: FormId, demanded: bool, input: Input) -> Result<Option<Vec<u8>>> {
        let form = &self.program.forms[form];
        let unit = match form.kind {
            Kind::Number(_) | Kind::Text => None,
            Kind::Struct(unit) => Some(&self.program.units[unit]),
            Kind::Items(..) | Kind::Choice(_) => return Ok(None),
        };
        if let Some(Unit { declaration, steps, .. }) = unit {
            return match (input.group_input(form.ty), steps.iter().find(|step| !step.field.lookahead)) {
                // Another variant is given.
                (Err(_), _) => Ok(None),
                (Ok(GroupInput::Bytes(bytes, _)), _) => Ok(Some(bytes.to_vec())),
                (Ok(_), _) if !declaration.magic.is_empty() => {
                    let magic = demanded.then_some(declaration.magic);
                    Ok(input.magic().or(magic).map(<[u8]>::to_vec))
                }
                (_, Some(step)) => {
                    self.path.push(Segment::Field(step.field.name));
                    let start = self.start_of(step.form, demanded, input.field(step.field.name));
                    self.path.pop();
                    start
                }
                (_, None) => Ok(None),
            };
        }
        let given = input.leaf(form.ty).map_err(|message| self.error(message))?;
        Ok(match given.as_deref() {
            None => None,
            Some(Value::Text(text)) => Some(text.clone()),
            Some(value) => {
                let (bytes, size) = number::encode(form.ty, value).map_err(|message| self.error(message))?;
                Some(bytes[..size].to_vec())
            }
        })
    }
}
