//! The assembler: runs a program over the given values.

use std::collections::HashSet;
use std::ops::Range;

use super::contents::Contents;
use super::equation::{Equation, Presence, Sum};
use super::input::{GroupInput, Input};
use super::leaf::{Leaves, Numbers, Origin};
use super::region::{Region, State};
use super::space::{RegionId, Rejected, Space};
use crate::layout::declaration::Type;
use crate::layout::program::{Call, FormId, Frames, Item, Kind, Program, Unit, UnitId};
use crate::layout::walk::Segment;
use crate::{Error, Limits, Result};

/// The maximum number of runs. One is enough unless packed bytes or a choice depend on a value determined after
/// them; the next run then starts with the determined values.
const MAX_RUNS: usize = 16;

/// Returns the bytes of a file of type `ty` with the given values.
///
/// # Errors
///
/// - The first omitted value that cannot be determined, a value that does not fit its field, or values that
///   overlap or conflict;
/// - a [defective](crate::layout::program::Problem) declaration;
/// - a file larger than [`Limits::max_decoded`].
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
            block_sizes: &contents.block_sizes,
            file_size: contents.file_size,
            assumed: &assumed,
            path: Vec::new(),
            frames: Frames::new(program),
            regions: Vec::new(),
            leaves: Leaves::default(),
            equations: Vec::new(),
            sums: Vec::new(),
            covered: None,
            rejected: Vec::new(),
            doubt: None,
        };
        contents.clear_marks();
        let written = run.file(contents);
        if written.is_err() {
            // The first error is reported.
            let _ = run.propagate();
        }
        let determined = run.leaves.determined();
        let is_known = |numbers: &Numbers, (path, number): (_, &i128)| numbers.get(path) == Some(number);
        let is_stale = match &written {
            // The error may result from a value that was unknown. Values after it are not determined again.
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
    let circle = || Error::inexpressible("computed values depend on each other in a cycle");
    Err(last.unwrap_or_else(circle))
}

/// The place of a value, and its input.
#[derive(Clone, Copy)]
pub(super) struct Place<'p> {
    pub(super) region: RegionId,
    pub(super) at: u64,
    pub(super) input: Input<'p>,
    /// The input of the enclosing struct.
    pub(super) outer: Input<'p>,
}

/// The byte range of a field in its region.
pub(super) type Covered = (RegionId, Range<u64>);

/// The end of a written value, and its number of items or bytes.
pub(super) struct Written {
    pub(super) end: u64,
    pub(super) count: u64,
}

pub(super) struct Assembler<'a> {
    pub(super) program: &'static Program,
    pub(super) limits: &'a Limits,
    /// The maximum size of a region in bytes, since an offset may be any number.
    pub(super) max: u64,
    /// The size of the original file, if the values come from one.
    pub(super) file_size: Option<u64>,
    /// Whether given values are recomputed if they conflict with others.
    pub(super) recounts: bool,
    /// The paths of packed-block sizes that are always recomputed.
    pub(super) block_sizes: &'a HashSet<Vec<Segment>>,
    /// Values determined by an earlier run.
    pub(super) assumed: &'a Numbers,
    pub(super) path: Vec<Segment>,
    pub(super) frames: Frames<Origin>,
    pub(super) regions: Vec<Region>,
    pub(super) leaves: Leaves,
    /// Equations evaluated last: conditions, and those with several unknown values.
    pub(super) equations: Vec<Equation>,
    pub(super) sums: Vec<Sum>,
    /// The byte range of the last field, if it is present.
    pub(super) covered: Option<Covered>,
    pub(super) rejected: Vec<Presence>,
    /// The first error that may disappear once all values are known, such as overlapping values or unpackable
    /// content.
    doubt: Option<Error>,
}

impl Assembler<'_> {
    pub(super) fn error(&self, message: impl ToString) -> Error {
        Error::inexpressible(message).at(self.path.as_slice())
    }

    /// Adds a region for a file or block, or for a field whose offset counts from the start of `base`.
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

    /// Stores an error that may disappear once all values are known.
    pub(super) fn doubt(&mut self, message: String) {
        let error = self.error(message);
        self.doubt.get_or_insert(error);
    }

    /// Stores a clash for later; returns any other error.
    pub(super) fn accept(&mut self, result: Result<(), Rejected>) -> Result<()> {
        match result {
            Ok(()) => Ok(()),
            Err(Rejected::TooLarge(message)) => Err(self.error(message)),
            Err(Rejected::Clash(message)) => {
                self.doubt(message);
                Ok(())
            }
        }
    }

    /// Returns the error of a complete run, if any.
    fn verdict(mut self) -> Option<Error> {
        if let Some(path) = self.leaves.first_unknown() {
            return Some(Error::inexpressible("is omitted and cannot be determined").at(path));
        }
        self.rejection().or_else(|| self.contradiction()).or(self.doubt)
    }

    /// Writes a value.
    pub(super) fn value(&mut self, place: Place, item: &Item) -> Result<Written> {
        match self.program.forms[item.form].kind {
            Kind::Number(_) | Kind::Text => self.leaf(place, item),
            Kind::Items(inner, count) => self.items(place, item, (inner, count)),
            Kind::Struct(unit) => match self.group_input(place, item)? {
                GroupInput::Bytes(bytes, count) => self.bytes(place, bytes, count),
                _ => self.unit(item, unit, |assembler, unit| {
                    let magic = match unit.declaration.magic {
                        [] => &[],
                        magic => place.input.magic().unwrap_or(magic),
                    };
                    assembler.write(place.region, place.at, magic)?;
                    let first = Place { at: place.at + magic.len() as u64, ..place };
                    let end = assembler.fields((place.region, place.at), first, &unit.steps)?;
                    Ok(Written { end, count: 0 })
                }),
            },
            Kind::Choice(unit) => self.unit(item, unit, |assembler, unit| {
                let step = assembler.choose(&unit.steps)?;
                assembler.field(Place { outer: place.input, ..place }, step)
            }),
        }
    }

    /// Returns the content of a struct or array.
    fn group_input<'p>(&self, place: Place<'p>, item: &Item) -> Result<GroupInput<'p>> {
        let ty = self.program.forms[item.form].ty;
        place.input.group_input(ty).map_err(|message| self.error(message))
    }

    /// Writes recorded bytes.
    fn bytes(&mut self, Place { region, at, .. }: Place, bytes: &[u8], count: u64) -> Result<Written> {
        self.write(region, at, bytes)?;
        Ok(Written { end: at + bytes.len() as u64, count })
    }

    /// Writes a struct or choice with `body`, in a new frame for the slots of the unit.
    fn unit(
        &mut self,
        item: &Item,
        unit: UnitId,
        body: impl FnOnce(&mut Self, &'static Unit) -> Result<Written>,
    ) -> Result<Written> {
        let unit = &self.program.units[unit];
        self.rely_on_arguments(item.call);
        let (outer, _) = self.frames.enter(unit, item.call);
        let written = body(self, unit)?;
        self.frames.leave(outer, item.own_step());
        Ok(written)
    }

    fn items(&mut self, place: Place, list: &Item, (inner, fixed): (FormId, Option<u64>)) -> Result<Written> {
        let count = match self.group_input(place, list)? {
            GroupInput::Bytes(bytes, count) => {
                self.require_size((inner, list.call), count, bytes)?;
                return self.bytes(place, bytes, count);
            }
            GroupInput::Numbers(ty, bytes) => return self.numbers(place, inner, (ty, bytes)),
            GroupInput::Parts(given) => fixed.unwrap_or(given),
        };
        let (mut next, item) = (place, list.item(inner));
        for index in 0..count {
            self.path.push(Segment::Index(index));
            next.input = place.input.item(index);
            let end = self.value(next, &item)?.end;
            self.path.pop();
            if end == next.at {
                // Empty items: the rest are the same.
                break;
            }
            next.at = end;
        }
        Ok(Written { end: next.at, count })
    }

    /// Returns an error if a changed value invalidates the size of recorded items.
    fn require_size(
        &mut self,
        (item, call): (FormId, &'static Call),
        count: u64,
        bytes: &[u8],
    ) -> Result<()> {
        let size = self.frames.size_of(item, call).and_then(|size| size.checked_mul(count));
        match size.filter(|size| self.recounts && *size != bytes.len() as u64) {
            Some(size) => Err(self.error(format!(
                "a changed value requires {size} bytes for its {count} items, found {}: set the items as well",
                bytes.len()
            ))),
            None => Ok(()),
        }
    }
}
