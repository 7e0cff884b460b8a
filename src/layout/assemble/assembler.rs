//! The assembler: runs a program over the given values.

use super::contents::Contents;
use super::equation::{Equation, Presence, Sum};
use super::input::{Input, Supply};
use super::leaf::{LeafKind, Leaves, Numbers, Origin};
use super::number;
use super::region::{Region, State};
use super::space::{Refused, RegionId, Space};
use crate::layout::program::{Body, Call, Cell, FormId, Frames, Kind, Program, Step, Unit};
use crate::layout::walk::Segment;
use crate::layout::{Shape, Type, Value};
use crate::{Error, Limits, Result};

/// The most runs. One is enough unless packed bytes or a choice depend on a value determined after them; the next run
/// starts with the determined values.
const MAX_RUNS: usize = 16;

/// Returns the bytes of a file of type `ty` with the given values.
///
/// # Errors
///
/// The first value that is left out and follows from nothing, does not fit its field, or overlaps others; values that
/// contradict each other; a [defective](crate::layout::Problem) declaration; and a file larger than [`Limits::max_decoded`].
pub(super) fn assemble(ty: &'static Type, contents: &Contents, limits: &Limits) -> Result<Vec<u8>> {
    let program = Program::of(ty);
    if let Some(problem) = program.problems.first() {
        return Err(Error::inexpressible(format!("the declaration is defective: {problem}")));
    }
    let mut assumed = Numbers::default();
    let mut last = None;
    for _ in 0..MAX_RUNS {
        let mut run = Assembler {
            program,
            limits,
            max: limits.max_decoded.min(contents.max_size()),
            recounts: contents.recounts,
            assumed: &assumed,
            path: Vec::new(),
            frames: Frames::new(program),
            regions: Vec::new(),
            leaves: Leaves::default(),
            equations: Vec::new(),
            sums: Vec::new(),
            refused: Vec::new(),
            doubt: None,
        };
        contents.clear_marks();
        let written = run.file(contents);
        if written.is_err() {
            // The first error counts.
            let _ = run.settle();
        }
        let determined = run.leaves.determined();
        let is_known = |numbers: &Numbers, (path, number): (_, &i128)| numbers.get(path) == Some(number);
        let is_stale = match &written {
            // The error may follow from a value that was unknown. Values after it are not determined again.
            Err(_) if determined.iter().all(|value| is_known(&assumed, value)) => false,
            Err(_) => {
                assumed.extend(determined);
                last = written.err();
                continue;
            }
            Ok(_) if run.leaves.has_stale() || run.doubt.is_some() => determined != assumed,
            Ok(_) => !assumed.iter().all(|value| is_known(&determined, value)),
        };
        if is_stale {
            assumed = determined;
            continue;
        }
        let bytes = written?;
        return run.verdict().map_or(Ok(bytes), Err);
    }
    let circle = || Error::inexpressible("values that follow from others depend on each other in a circle");
    Err(last.unwrap_or_else(circle))
}

/// A value to write.
#[derive(Clone, Copy)]
pub(super) struct Item {
    pub(super) form: FormId,
    /// The field, or the field that contains the item.
    pub(super) step: Option<&'static Step>,
    /// The arguments for the imports of the type.
    pub(super) call: &'static Call,
    /// Whether the value is an item of an array.
    pub(super) is_item: bool,
}

/// A written value: its end, and its number of items or bytes.
pub(super) struct Written {
    pub(super) end: u64,
    pub(super) count: u64,
}

pub(super) struct Assembler<'a> {
    pub(super) program: &'static Program,
    pub(super) limits: &'a Limits,
    /// The most bytes of a region: an offset may be any number.
    pub(super) max: u64,
    /// Whether given values are recomputed if others contradict them.
    pub(super) recounts: bool,
    /// Values that an earlier run determined.
    pub(super) assumed: &'a Numbers,
    pub(super) path: Vec<Segment>,
    pub(super) frames: Frames<Origin>,
    pub(super) regions: Vec<Region>,
    pub(super) leaves: Leaves,
    /// Equations with several unknown values, and conditions: they are settled last.
    pub(super) equations: Vec<Equation>,
    pub(super) sums: Vec<Sum>,
    pub(super) refused: Vec<Presence>,
    /// The first error that may disappear once all values are known: values that overlap, content that cannot be packed.
    doubt: Option<Error>,
}

impl Item {
    fn own_step(&self) -> Option<&'static Step> {
        self.step.filter(|_| !self.is_item)
    }
}

impl Assembler<'_> {
    pub(super) fn error(&self, message: impl ToString) -> Error {
        Error::inexpressible(message).at(self.path.as_slice())
    }

    /// Adds a region for a file or block, or for a field whose offset counts in `base`.
    pub(super) fn add_region(&mut self, base: Option<RegionId>) -> RegionId {
        let id = self.regions.len();
        let (base, space) = (base.unwrap_or(id), Space::new(self.max));
        self.regions.push(Region { space, base, state: State::Open, reached: 0, chunks: Vec::new() });
        id
    }

    pub(super) fn write(&mut self, region: RegionId, at: u64, bytes: &[u8]) -> Result<()> {
        let result = self.regions[region].space.write(at, bytes);
        self.accept(result)
    }

    /// Notes an error that may disappear once all values are known.
    pub(super) fn doubt(&mut self, message: String) {
        let error = self.error(message);
        self.doubt.get_or_insert(error);
    }

    pub(super) fn accept(&mut self, result: Result<(), Refused>) -> Result<()> {
        match result {
            Ok(()) => Ok(()),
            Err(Refused::TooLarge(message)) => Err(self.error(message)),
            Err(Refused::Clash(message)) => {
                self.doubt(message);
                Ok(())
            }
        }
    }

    /// Returns the error of a complete run, if any.
    fn verdict(mut self) -> Option<Error> {
        if let Some(path) = self.leaves.first_unknown() {
            return Some(Error::inexpressible("is left out, and nothing says what it is").at(path));
        }
        self.refusal().or_else(|| self.contradiction()).or(self.doubt)
    }

    /// Writes one value.
    pub(super) fn value(&mut self, region: RegionId, at: u64, item: &Item, input: Input) -> Result<Written> {
        let form = &self.program.forms[item.form];
        match form.kind {
            Kind::Number(_) | Kind::Text => self.leaf(region, at, item, form.ty, input),
            Kind::Items(inner, count) => self.items(region, at, item, (inner, count), input),
            Kind::Unit(unit) => self.unit(region, at, item, &self.program.units[unit], input),
        }
    }

    fn unit(
        &mut self,
        region: RegionId,
        at: u64,
        item: &Item,
        unit: &'static Unit,
        input: Input,
    ) -> Result<Written> {
        let ty = self.program.forms[item.form].ty;
        match &unit.body {
            Body::Enum(size) | Body::Word(size) => self.leaf(region, at, item, &Type::Unsigned(*size), input),
            Body::Struct(steps) => match input.supply(ty).map_err(|message| self.error(message))? {
                Supply::Bytes(bytes, count) => {
                    self.write(region, at, bytes)?;
                    Ok(Written { end: at + bytes.len() as u64, count })
                }
                _ => self.called(item, unit, |assembler| {
                    let magic = match unit.declaration.magic {
                        [] => &[],
                        magic => input.magic().unwrap_or(magic),
                    };
                    assembler.write(region, at, magic)?;
                    let end = assembler.fields(region, at + magic.len() as u64, steps, input)?;
                    Ok(Written { end, count: 0 })
                }),
            },
            Body::Choice(variants) => self.called(item, unit, |assembler| {
                let step = assembler.choose(variants)?;
                assembler.field(region, at, step, input, input)
            }),
        }
    }

    /// Writes a unit with `body`, within a frame for the slots of the unit.
    fn called(
        &mut self,
        item: &Item,
        unit: &'static Unit,
        body: impl FnOnce(&mut Self) -> Result<Written>,
    ) -> Result<Written> {
        self.rely_on_arguments(item.call);
        let (outer, _) = self.frames.enter(unit, item.call);
        let written = body(self)?;
        self.frames.leave(outer, item.own_step());
        Ok(written)
    }

    fn items(
        &mut self,
        region: RegionId,
        at: u64,
        list: &Item,
        (inner, fixed): (FormId, Option<u64>),
        input: Input,
    ) -> Result<Written> {
        let ty = self.program.forms[list.form].ty;
        let count = match input.supply(ty).map_err(|message| self.error(message))? {
            Supply::Bytes(bytes, count) => {
                self.require_size((inner, list.call), count, bytes)?;
                self.write(region, at, bytes)?;
                return Ok(Written { end: at + bytes.len() as u64, count });
            }
            Supply::Numbers(ty, bytes) => return self.numbers(region, at, inner, (ty, bytes)),
            Supply::Parts(given) => fixed.unwrap_or(given),
        };
        let item = Item { form: inner, is_item: true, ..*list };
        let mut end = at;
        for index in 0..count {
            self.path.push(Segment::Index(index));
            let next = self.value(region, end, &item, input.item(index))?.end;
            self.path.pop();
            if next == end {
                // Items without bytes: the rest are the same.
                break;
            }
            end = next;
        }
        Ok(Written { end, count })
    }

    /// Writes numbers of the type `given`.
    fn numbers(
        &mut self,
        region: RegionId,
        at: u64,
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

    /// Returns an error if kept items have another size by now: a value that decides it was changed.
    fn require_size(
        &mut self,
        (item, call): (FormId, &'static Call),
        count: u64,
        bytes: &[u8],
    ) -> Result<()> {
        let size = self.frames.size_of(item, call).and_then(|size| size.checked_mul(count));
        match size.filter(|size| self.recounts && *size != bytes.len() as u64) {
            Some(size) => Err(self.error(format!(
                "its {count} items have {} bytes, but a changed value requires {size}: set them as well",
                bytes.len()
            ))),
            None => Ok(()),
        }
    }

    /// Writes a value that is stored as the plain type `stored`: a number, an enum, a packed word, a string.
    fn leaf(
        &mut self,
        region: RegionId,
        at: u64,
        item: &Item,
        stored: &Type,
        input: Input,
    ) -> Result<Written> {
        let ty = self.program.forms[item.form].ty;
        let given = input.leaf(ty).map_err(|message| self.error(message))?;
        let step = item.own_step().filter(|step| step.value.is_some());
        match given {
            None => self.unknown(region, at, step, (ty, stored), input),
            Some(value) => match (step, &*value) {
                (Some(step), Value::Int(_) | Value::Bits(..)) if self.recounts => {
                    self.recounted(region, at, step, (&value, stored), input)
                }
                _ => {
                    if let Some(step) = step {
                        self.frames.set(step, &value);
                    }
                    self.put(region, at, item, (&value, stored), input)
                }
            },
        }
    }

    /// Writes a given value.
    fn put(
        &mut self,
        region: RegionId,
        at: u64,
        item: &Item,
        (value, stored): (&Value, &Type),
        input: Input,
    ) -> Result<Written> {
        let size = match (stored, value) {
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
                let (bytes, size) = number::encode(stored, value).map_err(|message| self.error(message))?;
                self.write(region, at, &bytes[..size])?;
                size
            }
        };
        Ok(Written { end: at + size as u64, count: 0 })
    }

    /// Reserves the bytes of a value that is left out.
    fn unknown(
        &mut self,
        region: RegionId,
        at: u64,
        step: Option<&'static Step>,
        (ty, stored): (&Type, &Type),
        input: Input,
    ) -> Result<Written> {
        let size = stored.size().or_else(|| ty.size()).unwrap_or_default();
        let value = self.assumed.get(&self.path).copied();
        let reserved = self.regions[region].space.reserve(at, size);
        self.accept(reserved)?;
        let leaf = self.add_leaf(region, at, stored, value, true, input);
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
        region: RegionId,
        at: u64,
        step: &'static Step,
        (value, stored): (&Value, &Type),
        input: Input,
    ) -> Result<Written> {
        let mut number = match value {
            Value::Bits(word, _) => *word as i128,
            Value::Int(number) => *number,
            _ => return Err(self.error("is not an integer")),
        };
        let mut origin = Origin::Fixed;
        if !input.is_fixed {
            number = self.assume(value, number)?;
            let leaf = self.add_leaf(region, at, stored, Some(number), false, input);
            origin = Origin::Leaf(leaf, None);
        }
        if let Some(slot) = step.value {
            self.frames.put_marked(slot, Cell::Int(number), origin);
        }
        let (bytes, size) =
            number::encode(stored, &Value::Int(number)).map_err(|message| self.error(message))?;
        self.write(region, at, &bytes[..size])?;
        Ok(Written { end: at + size as u64, count: 0 })
    }

    /// Returns the number that an earlier run determined, or `number`.
    fn assume(&mut self, value: &Value, number: i128) -> Result<i128> {
        if let Some(assumed) = self.assumed.get(&self.path) {
            return Ok(*assumed);
        }
        let Value::Bits(mut word, declaration) = *value else { return Ok(number) };
        let (Shape::Bits { fields, .. }, false) = (declaration.shape, self.assumed.is_empty()) else {
            return Ok(number);
        };
        for field in fields {
            self.path.push(Segment::Field(field.name));
            if let Some(assumed) = self.assumed.get(&self.path) {
                word = number::with_bits(word, field, *assumed).map_err(|message| self.error(message))?;
            }
            self.path.pop();
        }
        Ok(word as i128)
    }

    fn add_leaf(
        &mut self,
        region: RegionId,
        at: u64,
        stored: &Type,
        value: Option<i128>,
        is_left_out: bool,
        input: Input,
    ) -> usize {
        let (stored, fixed, parts) = (*stored, input.fixed_bits(), Vec::new());
        self.leaves.add(
            &self.path,
            LeafKind::Whole {
                region,
                at,
                stored,
                value,
                is_left_out,
                is_written: !is_left_out,
                fixed,
                parts,
            },
        )
    }
}
