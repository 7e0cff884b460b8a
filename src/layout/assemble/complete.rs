//! Completes a region: places the fields whose offsets are not final, and computes the checksums.

use std::collections::HashMap;
use std::ops::Range;

use super::assembler::{Assembler, FieldRange, WriteTarget};
use super::equation::{PendingChecksum, SlotSnapshot, collect_origins};
use super::region::{PlacedField, Placement, RegionState};
use super::sparse_buffer::{RegionId, SparseBuffer, WriteError};
use super::variable::Cause;
use crate::layout::program::{Item, Step};
use crate::layout::tree::{Tree, TreeNode};
use crate::layout::walk::Segment;
use crate::{Error, Result};

impl Assembler<'_> {
    /// Writes a file and returns its bytes.
    pub fn write_file(&mut self) -> Result<Vec<u8>> {
        let (file, given) = (self.add_region(None), Some(&self.tree.root));
        let target = WriteTarget {
            region: file,
            at: 0,
            given,
            outer: given,
            is_inline: false,
        };
        let end = self.write_value(target, &Item::root(self.program))?.end;
        self.solve_pending()?;
        self.complete_region(file, end, given, Some(self.tree))?;
        self.solve_pending()?;
        Ok(std::mem::replace(&mut self.regions[file].buffer, SparseBuffer::new(0)).into_bytes())
    }

    /// Completes a file, or a block if `file` is `None`. The fields without explicit offsets end at `end`.
    pub fn complete_region(
        &mut self,
        region: RegionId,
        end: u64,
        given: Option<&TreeNode>,
        file: Option<&Tree>,
    ) -> Result<()> {
        let sequence = file.map(|_| PlacedField {
            path: Vec::new(),
            pending: None,
            at: Some(0),
            size: end,
            origin: origin_of(given),
        });
        let padding = file.map(padding_by_offset).unwrap_or_default();
        let placement = self.place_fields(region, sequence, &padding)?;
        self.write_trailing(region, end, given)?;
        for (offset, bytes) in file.iter().flat_map(|tree| &tree.gaps) {
            let filled = self.regions[region]
                .buffer
                .fill_unwritten(placement.moved_offset(*offset), bytes);
            if let Err(WriteError::TooLarge(message) | WriteError::Clash(message)) = filled {
                return Err(Error::inexpressible(message));
            }
        }
        self.write_checksums(region)
    }

    /// Writes the trailing bytes of a file or block, and returns their end; `end` if there are none.
    pub fn write_trailing(
        &mut self,
        region: RegionId,
        end: u64,
        given: Option<&TreeNode>,
    ) -> Result<u64> {
        let trailing = given.and_then(|node| node.parts.as_ref()?.trailing.as_ref());
        let Some(bytes) = trailing else {
            return Ok(end);
        };
        self.used.add(bytes);
        let at = end.max(self.regions[region].placed_end);
        self.write(region, at, bytes)?;
        Ok(at + bytes.len() as u64)
    }

    /// Assigns offsets to the fields whose offsets are not final, and copies the fields there. `sequence` spans the
    /// fields without explicit offsets.
    fn place_fields(
        &mut self,
        base: RegionId,
        sequence: Option<PlacedField>,
        padding: &HashMap<u64, u64>,
    ) -> Result<Placement> {
        let mut placed_fields = std::mem::take(&mut self.regions[base].placed_fields);
        for placed in &mut placed_fields {
            if let Some((_, position, slots)) = &mut placed.pending {
                placed.at = slots.eval_offset(position, &self.variables);
            }
        }
        let ends = placed_fields.iter().filter_map(PlacedField::end);
        let end = ends.fold(self.regions[base].buffer.len(), u64::max);
        // A given offset is final, and so are all places if no offset is omitted.
        let has_omitted = placed_fields.iter().any(|placed| placed.at.is_none());
        let movable = placed_fields
            .iter()
            .filter(|placed| self.recounts || placed.at.is_none())
            .chain(sequence.as_ref().filter(|_| self.recounts || has_omitted));
        let mut placement = Placement::new(self.program.alignment, movable, end, padding);
        for placed in &mut placed_fields {
            let Some((_, position, slots)) = &placed.pending else {
                continue;
            };
            let known = placed.at.filter(|_| !self.recounts);
            let offset = known.unwrap_or_else(|| placement.offset_for(placed));
            let cause = Cause {
                path: placed.path.clone(),
                property: "offset",
                number: offset.into(),
            };
            self.require(cause, position, slots.clone())?;
            placed.at.get_or_insert(offset);
        }
        for PlacedField {
            path,
            pending,
            at,
            size,
            ..
        } in placed_fields
        {
            let (Some((region, position, mut slots)), Some(at)) = (pending, at) else {
                continue;
            };
            let at = slots.eval_offset(position, &self.variables).unwrap_or(at);
            self.path = path;
            self.copy_region(region, base, at)?;
            self.path.clear();
            self.regions[base].placed_end =
                self.regions[base].placed_end.max(at.saturating_add(size));
        }
        Ok(placement)
    }

    /// Copies the written bytes of a region to an offset of another region.
    fn copy_region(&mut self, from: RegionId, to: RegionId, at: u64) -> Result<()> {
        let source = std::mem::replace(&mut self.regions[from].buffer, SparseBuffer::new(0));
        self.regions[from].state = RegionState::Moved(to, at);
        let buffer = &mut self.regions[to].buffer;
        let mut result = buffer.reserve(at, source.len());
        for range in source.written_ranges() {
            let bytes = &source.bytes()[range.start as usize..range.end as usize];
            result = result.and_then(|()| buffer.write(at.saturating_add(range.start), bytes));
        }
        self.defer_clash(result)
    }

    /// Schedules the checksum that a field declares, if its stored value is omitted, or may be recomputed and does not
    /// mean "no checksum". The struct starts at `start`; `covered` lists the fields of the struct, each with its range.
    pub fn schedule_checksum(
        &mut self,
        start: (RegionId, u64),
        step: &'static Step,
        covered: &[(&str, Option<FieldRange>)],
    ) {
        let Some(sum) = step
            .checksum
            .as_ref()
            .filter(|_| !self.variables.is_empty())
        else {
            return;
        };
        let range_of = |name: &str| covered.iter().find(|(known, _)| *known == name)?.1.clone();
        let first = match sum.checksum.from {
            Some("self") => Some(start),
            from => range_of(from.unwrap_or(step.field.name))
                .map(|(region, range)| (region, range.start)),
        };
        let (Some(first), Some((region, own))) = (first, range_of(step.field.name)) else {
            return;
        };
        let origins = collect_origins(&sum.stored, self.frames.slots().1);
        let variables = origins
            .into_iter()
            .filter_map(|origin| self.variables.find_or_add(origin));
        let [variable] = variables.collect::<Vec<_>>()[..] else {
            return;
        };
        let none = sum.checksum.none;
        let is_none = none.is_some() && self.variables.value(variable) == none;
        if first.0 == region && (self.variables.get(variable).is_omitted() || !is_none) {
            let path = [&self.path[..], &[Segment::Field(step.field.name)]].concat();
            let (slots, size) = (
                SlotSnapshot::new(self.frames.slots()),
                own.end.saturating_sub(first.1),
            );
            self.checksums.push(PendingChecksum {
                step: sum,
                path,
                start: first,
                size,
                variable,
                slots,
            });
        }
    }

    /// Writes the checksums of a complete region. A checksum may cover another one, so all are computed repeatedly
    /// until none changes.
    fn write_checksums(&mut self, region: RegionId) -> Result<()> {
        let pending = std::mem::take(&mut self.checksums);
        let is_inside =
            |sum: &PendingChecksum| self.locate(sum.start).is_some_and(|(own, _)| own == region);
        let (mut inside, outside): (Vec<_>, Vec<_>) = pending.into_iter().partition(is_inside);
        self.checksums = outside;
        inside.retain(|pending| self.variables.get(pending.variable).cause.is_none());
        let mut last_changed = 0;
        for _ in 0..=inside.len() {
            let mut changed = None;
            for (index, pending) in inside.iter_mut().enumerate() {
                if self.write_checksum(pending)? {
                    changed = Some(index);
                }
            }
            match changed {
                Some(index) => last_changed = index,
                None => return Ok(()),
            }
        }
        let error = Error::inexpressible("its checksum does not converge");
        Err(error.at(&inside[last_changed].path[..]))
    }

    /// Computes and writes a checksum. Returns `true` if its value changed.
    fn write_checksum(&mut self, pending: &mut PendingChecksum) -> Result<bool> {
        let Some((region, start)) = self.locate(pending.start) else {
            return Ok(false);
        };
        let cells = pending.slots.refresh(&self.variables);
        let arguments = pending
            .step
            .arguments
            .iter()
            .map(|code| code.eval_value(cells));
        let (Ok(arguments), Some(bytes)) = (
            arguments.collect::<Result<Vec<_>, _>>(),
            self.regions[region]
                .buffer
                .get(start..start.saturating_add(pending.size)),
        ) else {
            return Ok(false);
        };
        let number = i128::from((pending.step.checksum.function.compute)(bytes, &arguments));
        let is_new = self.variables.value(pending.variable) != Some(number);
        let cause = Cause {
            path: pending.path.clone(),
            property: "checksum",
            number,
        };
        self.set_variable(pending.variable, number, cause)?;
        Ok(is_new)
    }
}

/// Returns the range of a value in the original file or block; `None` if the value is new.
pub(super) fn origin_of(given: Option<&TreeNode>) -> Option<Range<u64>> {
    given?.stored_span().map(|span| span.range().clone())
}

/// Returns the number of leading zero bytes in each uncovered range, by the offset of the range.
fn padding_by_offset(tree: &Tree) -> HashMap<u64, u64> {
    let zeros = |bytes: &[u8]| bytes.iter().take_while(|byte| **byte == 0).count() as u64;
    tree.gaps
        .iter()
        .map(|(start, bytes)| (*start, zeros(bytes)))
        .collect()
}
