//! Assembles fields: their presence, position and content.

use super::assembler::{Assembler, WriteTarget, Written};
use super::complete::origin_of;
use super::equation::{ConditionalField, SlotSnapshot};
use super::region::PlacedField;
use super::sparse_buffer::RegionId;
use super::variable::{Cause, VariableId};
use crate::Result;
use crate::layout::declaration::Requirement;
use crate::layout::program::{Code, Item, Step};
use crate::layout::tree::{Section, TreeNode};
use crate::layout::walk::Segment;

impl Assembler<'_> {
    /// Writes the fields of a struct and returns their end. The struct starts at `start`, and its first field at
    /// `next`. `next.given` is the given value of the struct.
    pub fn write_fields(
        &mut self,
        start: (RegionId, u64),
        mut next: WriteTarget,
        steps: &'static [Step],
    ) -> Result<u64> {
        // The look-aheads whose bytes are not written yet, with their offsets.
        let mut lookaheads: Vec<(&'static Step, u64)> = Vec::new();
        let mut covered = Vec::new();
        // The omitted numbers of items, each with the path of its list.
        let mut counts = Vec::new();
        for step in steps {
            if step.field.lookahead {
                // The fields after a look-ahead write its bytes.
                lookaheads.push((step, next.at));
                self.mark_lookahead(next.region, step, next.at);
                continue;
            }
            self.path.push(Segment::Field(step.field.name));
            let given = next.given.and_then(|node| node.field(step.field.name));
            if !lookaheads.is_empty() && step.position.is_none() {
                self.predict_lookaheads(&mut lookaheads, next.at, step, given)?;
            }
            self.last_field = None;
            let variable = self.variables.len();
            next.at = self
                .write_field(
                    WriteTarget {
                        given,
                        outer: next.given,
                        is_inline: false,
                        ..next
                    },
                    step,
                )?
                .end;
            covered.push((step.field.name, self.last_field.take()));
            self.path.pop();
            if self.variables.len() > variable && self.variables.get(variable).is_omitted() {
                counts.extend(counted_list(step).map(|list| (variable, list)));
            }
            lookaheads
                .retain(|(lookahead, start)| !self.read_lookahead(next.region, lookahead, *start));
        }
        if let Some((lookahead, _)) = lookaheads.iter().find(|(_, start)| *start == next.at) {
            return Err(self.error(format!(
                "no value follows the look-ahead `{}`",
                lookahead.field.name
            )));
        }
        for (variable, list) in counts {
            if let Some(given) = next.given {
                self.set_count(variable, given, list)?;
            }
        }
        steps
            .iter()
            .for_each(|step| self.schedule_checksum(start, step, &covered));
        Ok(next.at)
    }

    /// Sets an omitted value to the number of items in the list at a path in its struct.
    fn set_count(
        &mut self,
        variable: VariableId,
        given: &TreeNode,
        list: &'static [Segment],
    ) -> Result<()> {
        let list_node = list.iter().try_fold(given, |node, step| match step {
            Segment::Field(name) => node.field(name),
            Segment::Index(_) => None,
        });
        let Some(parts) = list_node.and_then(|node| node.parts.as_ref()) else {
            return Ok(());
        };
        let number = parts.items.len().into();
        let cause = Cause {
            path: [&self.path[..], list].concat(),
            property: "number of items",
            number,
        };
        self.set_variable(variable, number, cause)
    }

    /// Writes a field, unless its condition excludes it.
    pub fn write_field(&mut self, target: WriteTarget, step: &'static Step) -> Result<Written> {
        if !self.decide_presence(target, step) {
            self.frames.set_absent(step);
            return Ok(Written {
                end: target.at,
                count: 0,
            });
        }
        match &step.position {
            Some(offset) => self.write_at_offset(target, step, offset),
            None => self.write_content(target, step),
        }
    }

    /// Returns `true` if a field is written. Adds the equation for its condition, if there is one, unless the field is
    /// present at an explicit offset.
    fn decide_presence(&mut self, target: WriteTarget, step: &'static Step) -> bool {
        let Some(condition) = &step.condition else {
            return true;
        };
        let is_given = target.given.is_some_and(|node| !node.is_empty());
        let is_present =
            is_given || (!self.is_removed(step, condition) && self.is_required(condition));
        // The condition of a present field at an explicit offset follows from the equation of the offset.
        if !(is_present && step.position.is_some()) {
            // The equation is solved later, as several values may satisfy it.
            let equation = self.condition_equation(condition, is_present);
            self.equations.extend(equation);
        }
        if !is_present {
            return false;
        }
        if self.recounts
            && (self.depends_on_variables(condition)
                || self.frames.eval_bool(condition) == Ok(false))
        {
            let (path, slots) = (self.path.clone(), SlotSnapshot::new(self.frames.slots()));
            self.conditional_fields
                .push(ConditionalField { path, step, slots });
        }
        true
    }

    fn write_at_offset(
        &mut self,
        target: WriteTarget,
        step: &'static Step,
        offset: &'static Code,
    ) -> Result<Written> {
        let base = self.regions[target.region].base;
        let at = match self
            .frames
            .eval_int(offset)
            .map(|at| (at, u64::try_from(at)))
        {
            Ok((_, Ok(at))) => Some(at),
            Ok((at, Err(_))) => return Err(self.error(format!("its offset {at} is out of range"))),
            Err(_) => None,
        };
        let (path, origin) = (self.path.clone(), origin_of(target.given));
        if let (Some(start), false) = (at, self.depends_on_variables(offset)) {
            let written = self.write_content(
                WriteTarget {
                    region: base,
                    at: start,
                    ..target
                },
                step,
            )?;
            let size = written.end - start;
            if self.recounts {
                self.regions[base].placed_fields.push(PlacedField {
                    path,
                    pending: None,
                    at,
                    size,
                    origin,
                });
            }
            // An empty list at an offset past the end of the original file does not extend the file.
            let is_outside = self.tree.file_size.is_some_and(|size| written.end > size);
            if !(step.count.is_some() && written.count == 0 && is_outside) {
                self.regions[base].placed_end = self.regions[base].placed_end.max(written.end);
            }
        } else {
            let (index, region) = (
                self.regions[base].placed_fields.len(),
                self.add_region(Some(base)),
            );
            let pending = Some((region, offset, SlotSnapshot::new(self.frames.slots())));
            self.regions[base].placed_fields.push(PlacedField {
                path,
                pending,
                at,
                size: 0,
                origin,
            });
            let size = self
                .write_content(
                    WriteTarget {
                        region,
                        at: 0,
                        ..target
                    },
                    step,
                )?
                .end;
            self.regions[base].placed_fields[index].size = size;
        }
        Ok(Written {
            end: target.at,
            count: 0,
        })
    }

    /// Writes the block or value of a field.
    fn write_content(&mut self, target: WriteTarget, step: &'static Step) -> Result<Written> {
        let item = Item::of_field(step);
        let padding = self.padding_size(target, step);
        let written = match (&step.block, padding) {
            (Some(block), _) => self.write_block(target, &item, block)?,
            (None, Some(size)) => self.write_padding(target, size)?,
            (None, None) => self.write_value(target, &item)?,
        };
        if let (Some(count), None) = (&step.count, padding) {
            let property = if step.block.is_some() {
                "size"
            } else {
                "number of items"
            };
            self.require_number(count, written.count, property)?;
        }
        self.last_field = Some((target.region, target.at..written.end));
        self.require_checks(step)?;
        Ok(written)
    }

    /// Returns the number of bytes of padding that is omitted, or that consists of zeros and may be recomputed; `None` for
    /// other fields. Several values yield the same number, so padding never determines them: they determine the padding.
    fn padding_size(&mut self, target: WriteTarget, step: &'static Step) -> Option<u64> {
        let count = step.count.as_ref().filter(|_| step.is_padding)?;
        let parts = target.given.and_then(|given| given.parts.as_ref());
        if parts.is_some_and(|parts| !self.recounts || !parts.items.are_zeros()) {
            return None;
        }
        self.record_dependency(count);
        // If the number is unknown, the next run writes the padding.
        let size = self.frames.eval_int(count).unwrap_or_default();
        u64::try_from(size).ok()
    }

    fn write_padding(&mut self, target: WriteTarget, size: u64) -> Result<Written> {
        let given = target.given.and_then(|given| given.parts.as_ref());
        for section in given.iter().flat_map(|parts| parts.items.sections()) {
            if let Section::Stored(stored) = section {
                self.used.add(stored);
            }
        }
        if size > self.max {
            return Err(self.error(format!("would have {size} bytes of padding")));
        }
        self.write(target.region, target.at, &vec![0; size as usize])?;
        Ok(Written {
            end: target.at + size,
            count: size,
        })
    }

    /// Returns the first variant whose condition holds, or else the only one whose condition cannot be evaluated.
    /// Returns an error if neither exists.
    pub fn choose_variant(&mut self, variants: &'static [Step]) -> Result<&'static Step> {
        for condition in variants.iter().filter_map(|step| step.choice.as_ref()) {
            self.record_dependency(condition);
            if self.frames.eval_bool(condition) == Ok(true) {
                break;
            }
        }
        let possible = match self.frames.choose_variant(variants) {
            Ok(step) => return Ok(step),
            Err(possible) => possible,
        };
        let names = |steps: &[&Step]| {
            steps
                .iter()
                .filter_map(|step| Some(step.variant?.name))
                .collect::<Vec<_>>()
                .join(", ")
        };
        let message = match possible[..] {
            [step] => return Ok(step),
            [] => format!(
                "no variant applies: the conditions of {} are false",
                names(&variants.iter().collect::<Vec<_>>())
            ),
            _ => format!(
                "the value that selects one of {} is omitted",
                names(&possible)
            ),
        };
        Err(self.error(message))
    }

    /// Returns `true` if the condition of an omitted field holds.
    fn is_required(&mut self, condition: &'static Code) -> bool {
        self.record_dependency(condition);
        self.frames.eval_bool(condition) == Ok(true)
    }

    /// Returns `true` if an omitted field counts as removed, so that its condition must not hold.
    fn is_removed(&self, step: &Step, condition: &Code) -> bool {
        self.recounts
            && step.block.as_ref().is_none_or(|block| !block.block.inline)
            && !self.depends_on_fixed(condition)
    }
}

/// Returns the path of the list whose number of items a field stores by a constraint.
fn counted_list(step: &Step) -> Option<&'static [Segment]> {
    let mut constraints = step.field.constraints.iter();
    constraints.find_map(|constraint| match constraint.requirement {
        Requirement::Counts { list } => Some(list),
        _ => None,
    })
}
