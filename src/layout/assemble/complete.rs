//! Completes a region: places its fields and computes its checksums.

use std::collections::HashMap;

use super::assembler::{Assembler, Covered, Place};
use super::contents::Contents;
use super::equation::{Bound, Equation, Sum, origins_of};
use super::input::Input;
use super::leaf::Cause;
use super::region::{Chunk, Placement, State};
use super::space::{RegionId, Rejected, Space};
use crate::layout::program::{Item, Step};
use crate::layout::walk::Segment;
use crate::{Error, Result};

impl Assembler<'_> {
    /// Writes a file and returns its bytes.
    pub(super) fn file(&mut self, contents: &Contents) -> Result<Vec<u8>> {
        let (file, input) = (self.add_region(None), Input::root(&contents.root));
        let place = Place { region: file, at: 0, input, outer: input };
        let end = self.value(place, &Item::root(self.program))?.end;
        self.propagate()?;
        self.complete(file, end, input, Some(contents))?;
        self.propagate()?;
        Ok(std::mem::replace(&mut self.regions[file].space, Space::new(0)).into_bytes())
    }

    /// Completes a file or unpacked block whose consecutive fields end at `end`.
    pub(super) fn complete(
        &mut self,
        region: RegionId,
        end: u64,
        input: Input,
        file: Option<&Contents>,
    ) -> Result<()> {
        let whole = file.map(|_| Chunk {
            path: Vec::new(),
            pending: None,
            at: Some(0),
            size: end,
            origin: input.origin(),
        });
        let padding = file.map(Contents::padding).unwrap_or_default();
        let placement = self.place(region, whole, &padding)?;
        self.trailing(region, end, input)?;
        for (offset, bytes) in file.iter().flat_map(|contents| &contents.gaps) {
            let filled = self.regions[region].space.fill(placement.moved(*offset), bytes);
            if let Err(Rejected::TooLarge(message) | Rejected::Clash(message)) = filled {
                return Err(Error::inexpressible(message));
            }
        }
        self.sum(region)
    }

    /// Writes the trailing bytes; returns their end.
    pub(super) fn trailing(&mut self, region: RegionId, end: u64, input: Input) -> Result<u64> {
        let Some(bytes) = input.trailing() else { return Ok(end) };
        let at = end.max(self.regions[region].reached);
        self.write(region, at, bytes)?;
        Ok(at + bytes.len() as u64)
    }

    /// Places the fields whose offsets are not final.
    fn place(
        &mut self,
        base: RegionId,
        whole: Option<Chunk>,
        padding: &HashMap<u64, u64>,
    ) -> Result<Placement> {
        let mut chunks = std::mem::take(&mut self.regions[base].chunks);
        for chunk in &mut chunks {
            if let Some((_, position, slots)) = &mut chunk.pending {
                chunk.at = position.int(slots.refresh(&self.leaves)).ok().and_then(|at| at.try_into().ok());
            }
        }
        let ends = chunks.iter().filter_map(Chunk::end);
        let end = ends.fold(self.regions[base].space.len(), u64::max);
        let recounted = chunks.iter().chain(&whole).filter(|_| self.recounts);
        let mut placement = Placement::new(self.program.alignment, recounted, end, padding);
        for chunk in &mut chunks {
            let Some((_, position, slots)) = &chunk.pending else { continue };
            let known = chunk.at.filter(|_| !self.recounts);
            let place = known.unwrap_or_else(|| placement.place(chunk));
            let cause = Cause { path: chunk.path.clone(), what: "offset", number: place.into() };
            let equation = Equation::new(cause, position, slots.clone(), &mut self.leaves);
            equation.map_or(Ok(()), |equation| self.add_equation(equation))?;
            chunk.at.get_or_insert(place);
        }
        for Chunk { path, pending, at, size, .. } in chunks {
            let (Some((region, position, mut slots)), Some(at)) = (pending, at) else { continue };
            let known = position.int(slots.refresh(&self.leaves)).ok().and_then(|at| at.try_into().ok());
            let at = known.unwrap_or(at);
            self.path = path;
            self.copy(region, base, at)?;
            self.path.clear();
            self.regions[base].reached = self.regions[base].reached.max(at.saturating_add(size));
        }
        Ok(placement)
    }

    /// Copies the written bytes of a region to an offset of another region.
    fn copy(&mut self, from: RegionId, to: RegionId, at: u64) -> Result<()> {
        let source = std::mem::replace(&mut self.regions[from].space, Space::new(0));
        self.regions[from].state = State::Moved(to, at);
        let space = &mut self.regions[to].space;
        let mut result = space.reserve(at, source.len());
        for range in source.written() {
            let bytes = &source.bytes()[range.start as usize..range.end as usize];
            result = result.and_then(|()| space.write(at.saturating_add(range.start), bytes));
        }
        self.accept(result)
    }

    /// Schedules the checksum of a field, unless the given value is the number for "no checksum". The struct
    /// starts at `start`; `covered` has the byte range of each field.
    pub(super) fn require_sum(
        &mut self,
        start: (RegionId, u64),
        step: &'static Step,
        covered: &[(&str, Option<Covered>)],
    ) {
        let Some(sum) = step.sum.as_ref().filter(|_| !self.leaves.is_empty()) else { return };
        let place_of = |name: &str| covered.iter().find(|(known, _)| *known == name)?.1.clone();
        let first = match sum.checksum.from {
            Some("self") => Some(start),
            from => place_of(from.unwrap_or(step.field.name)).map(|(region, range)| (region, range.start)),
        };
        let (Some(first), Some((region, own))) = (first, place_of(step.field.name)) else { return };
        let origins = origins_of(&sum.stored, self.frames.slots().1);
        let leaves: Vec<_> = origins.into_iter().filter_map(|origin| self.leaves.at(origin)).collect();
        let [leaf] = leaves[..] else { return };
        let is_none = sum.checksum.none.is_some() && self.leaves.value(leaf) == sum.checksum.none;
        if first.0 == region && (self.leaves.get(leaf).is_left_out() || !is_none) {
            let mut path = self.path.clone();
            path.push(Segment::Field(step.field.name));
            let (slots, size) = (Bound::new(self.frames.slots()), own.end.saturating_sub(first.1));
            self.sums.push(Sum { step: sum, path, start: first, size, leaf, slots });
        }
    }

    /// Computes the checksums in a complete region. A checksum may cover another one.
    fn sum(&mut self, region: RegionId) -> Result<()> {
        let sums = std::mem::take(&mut self.sums);
        let is_inside = |sum: &Sum| self.locate(sum.start).is_some_and(|(own, _)| own == region);
        let (mut own, others): (Vec<_>, Vec<_>) = sums.into_iter().partition(is_inside);
        self.sums = others;
        own.retain(|sum| self.leaves.get(sum.leaf).cause.is_none());
        for _ in 0..=own.len() {
            let mut progressed = false;
            for sum in &mut own {
                progressed |= self.compute(sum)?;
            }
            if !progressed {
                return Ok(());
            }
        }
        Err(Error::inexpressible("checksums depend on each other in a cycle"))
    }

    /// Computes a checksum. Returns `true` if its value changed.
    fn compute(&mut self, sum: &mut Sum) -> Result<bool> {
        let Some((region, start)) = self.locate(sum.start) else { return Ok(false) };
        let cells = sum.slots.refresh(&self.leaves);
        let arguments = sum.step.arguments.iter().map(|code| code.value(cells));
        let (Ok(arguments), Some(bytes)) = (
            arguments.collect::<Result<Vec<_>, _>>(),
            self.regions[region].space.get(start..start.saturating_add(sum.size)),
        ) else {
            return Ok(false);
        };
        let number = i128::from((sum.step.checksum.function.compute)(bytes, &arguments));
        let is_new = self.leaves.value(sum.leaf) != Some(number);
        let cause = Cause { path: sum.path.clone(), what: "checksum", number };
        self.determine(sum.leaf, number, cause)?;
        Ok(is_new)
    }
}
