//! The assembler: runs the program of a declaration over the given values.

use std::ops::Range;

use super::contents::Contents;
use super::equation::{ConditionalField, Equation, PendingChecksum};
use super::input::{GroupInput, Input};
use super::region::{Region, RegionState};
use super::sparse_buffer::{RegionId, SparseBuffer, WriteError};
use super::variable::{NumbersByPath, SlotOrigin, Variables};
use crate::layout::declaration::Type;
use crate::layout::program::{Argument, FormId, FormKind, Frames, Item, Program, Unit, UnitId};
use crate::layout::walk::Segment;
use crate::{Error, Limits, Result};

/// The maximum number of runs. If a run fails, or written bytes depend on a value that is determined later, the next
/// run starts with the values determined so far.
const MAX_RUNS: usize = 16;

/// Returns the bytes of a file of type `ty` with the given values. Fails like
/// [`FileValues::assemble`](super::FileValues::assemble), except that given values without a field are ignored.
pub(super) fn assemble(ty: &'static Type, contents: &Contents, limits: &Limits) -> Result<Vec<u8>> {
    let program = Program::of(ty);
    if let Some(problem) = program.problems.first() {
        return Err(Error::inexpressible(format!(
            "the declaration is defective: {problem}"
        )));
    }
    let mut earlier_values = NumbersByPath::default();
    let mut last_error = None;
    for _ in 0..MAX_RUNS {
        let mut run = Assembler {
            program,
            limits,
            max: limits.max_decoded.min(contents.max_size()),
            contents,
            earlier_values: &earlier_values,
            path: Vec::new(),
            frames: Frames::new(program),
            regions: Vec::new(),
            variables: Variables::default(),
            equations: Vec::new(),
            checksums: Vec::new(),
            last_field: None,
            conditional_fields: Vec::new(),
            deferred_error: None,
        };
        contents.clear_marks();
        let written = run.write_file();
        if written.is_err() {
            // An error here is ignored: the error from `write_file` is reported.
            let _ = run.solve_pending();
        }
        let determined = run.variables.determined_values();
        let are_in = |values: &NumbersByPath, others: &NumbersByPath| {
            others
                .iter()
                .all(|(path, number)| values.get(path) == Some(number))
        };
        let is_stale = match &written {
            // The error may disappear once more values are known: run again if this run determined new ones.
            Err(_) if are_in(&earlier_values, &determined) => false,
            Err(_) => {
                earlier_values.extend(determined);
                last_error = written.err();
                continue;
            }
            _ if run.variables.has_stale_dependency() || run.deferred_error.is_some() => {
                determined != earlier_values
            }
            _ => !are_in(&determined, &earlier_values),
        };
        if is_stale {
            earlier_values = determined;
            continue;
        }
        let bytes = written?;
        return run.into_error().map_or(Ok(bytes), Err);
    }
    let cycle_error = || Error::inexpressible("computed values depend on each other in a cycle");
    Err(last_error.unwrap_or_else(cycle_error))
}

/// The region and offset at which a value is written, and the given value.
#[derive(Clone, Copy)]
pub(super) struct WriteTarget<'p> {
    pub region: RegionId,
    pub at: u64,
    pub input: Input<'p>,
    /// The given value of the enclosing struct.
    pub outer: Input<'p>,
}

/// The byte range of a field in its region.
pub(super) type FieldRange = (RegionId, Range<u64>);

/// The result of writing a value.
pub(super) struct Written {
    /// The offset after the last byte.
    pub end: u64,
    /// The number of items in an array or list, or of bytes in a block; 0 for other values.
    pub count: u64,
}

pub(super) struct Assembler<'a> {
    pub program: &'static Program,
    pub limits: &'a Limits,
    /// The maximum size of a region in bytes. The maximum bounds memory use, since a given offset may be any number.
    pub max: u64,
    pub contents: &'a Contents<'a>,
    /// Values determined by an earlier run.
    pub earlier_values: &'a NumbersByPath,
    pub path: Vec<Segment>,
    pub frames: Frames<SlotOrigin>,
    pub regions: Vec<Region>,
    pub variables: Variables,
    /// The equations that are not solved yet, such as conditions and equations with several unknown values.
    pub equations: Vec<Equation>,
    pub checksums: Vec<PendingChecksum>,
    /// The range of the field written last; `None` if its condition excluded it.
    pub last_field: Option<FieldRange>,
    pub conditional_fields: Vec<ConditionalField>,
    /// The first error that may disappear once all values are known: an overlap, or content that cannot be packed.
    deferred_error: Option<Error>,
}

impl Assembler<'_> {
    pub fn error(&self, message: impl ToString) -> Error {
        Error::inexpressible(message).at(self.path.as_slice())
    }

    /// Adds a region for a file or block, or for a field whose offset counts from the start of `base`.
    pub fn add_region(&mut self, base: Option<RegionId>) -> RegionId {
        let id = self.regions.len();
        let (base, buffer) = (base.unwrap_or(id), SparseBuffer::new(self.max));
        let state = RegionState::Open;
        self.regions.push(Region {
            buffer,
            base,
            state,
            placed_end: 0,
            placed_fields: Vec::new(),
        });
        id
    }

    pub fn write(&mut self, region: RegionId, at: u64, bytes: &[u8]) -> Result<()> {
        let result = self.regions[region].buffer.write(at, bytes);
        self.defer_clash(result)
    }

    /// Stores an error that may disappear once all values are known. Keeps only the first.
    pub fn defer_error(&mut self, message: String) {
        let error = self.error(message);
        self.deferred_error.get_or_insert(error);
    }

    /// Defers a [`WriteError::Clash`]; returns any other error.
    pub fn defer_clash(&mut self, result: Result<(), WriteError>) -> Result<()> {
        match result {
            Ok(()) => Ok(()),
            Err(WriteError::TooLarge(message)) => Err(self.error(message)),
            Err(WriteError::Clash(message)) => {
                self.defer_error(message);
                Ok(())
            }
        }
    }

    /// Returns the error of a complete run, if any.
    fn into_error(mut self) -> Option<Error> {
        if let Some(path) = self.variables.first_undetermined() {
            return Some(Error::inexpressible("is omitted and cannot be determined").at(path));
        }
        self.excluded_field_error()
            .or_else(|| self.conflict_error())
            .or(self.deferred_error)
    }

    /// Writes a number, string, array, list, struct or choice.
    pub fn write_value(&mut self, target: WriteTarget, item: &Item) -> Result<Written> {
        match self.program.forms[item.form].kind {
            FormKind::Number(_) | FormKind::Text => self.write_scalar(target, item),
            FormKind::Items(inner, count) => self.write_items(target, item, inner, count),
            FormKind::Struct(unit) => match self.group_input(target, item)? {
                GroupInput::Bytes(bytes, count) => self.write_recorded(target, bytes, count),
                _ => self.write_unit(item, unit, |assembler, unit| {
                    let magic = match unit.declaration.magic {
                        [] => &[],
                        magic => target.input.magic().unwrap_or(magic),
                    };
                    assembler.write(target.region, target.at, magic)?;
                    let first = WriteTarget {
                        at: target.at + magic.len() as u64,
                        ..target
                    };
                    let end =
                        assembler.write_fields((target.region, target.at), first, &unit.steps)?;
                    Ok(Written { end, count: 0 })
                }),
            },
            FormKind::Choice(unit) => self.write_unit(item, unit, |assembler, unit| {
                let step = assembler.choose_variant(&unit.steps)?;
                assembler.write_field(
                    WriteTarget {
                        outer: target.input,
                        ..target
                    },
                    step,
                )
            }),
        }
    }

    /// Returns the given content of a struct or array.
    fn group_input<'p>(&self, target: WriteTarget<'p>, item: &Item) -> Result<GroupInput<'p>> {
        target
            .input
            .group_input(self.program.forms[item.form].ty)
            .map_err(|message| self.error(message))
    }

    /// Writes the recorded bytes of a struct or array unchanged.
    fn write_recorded(&mut self, target: WriteTarget, bytes: &[u8], count: u64) -> Result<Written> {
        self.write(target.region, target.at, bytes)?;
        Ok(Written {
            end: target.at + bytes.len() as u64,
            count,
        })
    }

    /// Writes a struct or choice with `body`, in a new frame for the slots of the unit.
    fn write_unit(
        &mut self,
        item: &Item,
        unit: UnitId,
        body: impl FnOnce(&mut Self, &'static Unit) -> Result<Written>,
    ) -> Result<Written> {
        let unit = &self.program.units[unit];
        self.record_argument_dependencies(item.arguments);
        let (outer, _) = self.frames.enter(unit, item.arguments);
        let written = body(self, unit)?;
        self.frames.leave(outer, item.own_step());
        Ok(written)
    }

    fn write_items(
        &mut self,
        target: WriteTarget,
        list: &Item,
        inner: FormId,
        fixed: Option<u64>,
    ) -> Result<Written> {
        let count = match self.group_input(target, list)? {
            GroupInput::Bytes(bytes, count) => {
                self.check_item_sizes(inner, list.arguments, count, bytes)?;
                return self.write_recorded(target, bytes, count);
            }
            GroupInput::Numbers(ty, bytes) => {
                return self.write_numbers(target, inner, (ty, bytes));
            }
            GroupInput::Parts(given) => fixed.unwrap_or(given),
        };
        // The count of a field with a block is the size of the block.
        let field = list
            .step
            .filter(|step| step.block.is_none())
            .map(|step| step.field);
        let is_counted = fixed.is_some() || field.is_some_and(|field| field.count.is_some());
        let (mut next, item) = (
            target,
            Item {
                may_lack_nul: !is_counted,
                ..list.array_item(inner)
            },
        );
        for index in 0..count {
            self.path.push(Segment::Index(index));
            next.input = target.input.child(Segment::Index(index));
            let end = self.write_value(next, &item)?.end;
            self.path.pop();
            if end == next.at {
                // The item is empty, so all further items are also empty.
                break;
            }
            next.at = end;
        }
        Ok(Written {
            end: next.at,
            count,
        })
    }

    /// If given values are recomputed, returns an error for recorded items whose size differs from the size that the
    /// current values require.
    fn check_item_sizes(
        &mut self,
        item: FormId,
        arguments: &'static [Argument],
        count: u64,
        bytes: &[u8],
    ) -> Result<()> {
        let size = self
            .frames
            .form_size(item, arguments)
            .and_then(|size| size.checked_mul(count));
        match size.filter(|size| self.contents.recounts && *size != bytes.len() as u64) {
            Some(size) => Err(self.error(format!(
                "a changed value requires {size} bytes for its {count} items, found {}: set the items as well",
                bytes.len()
            ))),
            None => Ok(()),
        }
    }
}
