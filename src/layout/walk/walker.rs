//! The walker: runs a program over bytes.

use std::cell;
use std::ops::{ControlFlow, Range};

use super::{Fault, FaultKind, Node, Segment, Visit, Visitor};
use crate::layout::declaration::Type;
use crate::layout::expr::Value;
use crate::layout::program::{FormId, Frames, Item, Kind, Program};
use crate::{Limits, Rule, Span};

/// See [`super::walk`].
pub(super) fn walk(
    ty: &'static Type,
    bytes: &[u8],
    limits: &Limits,
    visitor: &mut dyn Visitor,
) -> Result<u64, Fault> {
    let program = Program::of(ty);
    let frames = Frames::new(program);
    let mut walker =
        Walker { program, visitor, path: Vec::new(), limits, muted: false, frames, covered: None };
    let space = Space::of(bytes);
    match walker.value(&space, 0, &Item::root(program)) {
        Ok(end) => {
            walker.rest(&space, end);
            Ok(end)
        }
        Err(Interrupt::Stopped) => Ok(0),
        Err(Interrupt::Fault(fault)) => Err(*fault),
    }
}

/// An address space: the file, or the unpacked content of a block.
pub(super) struct Space<'b> {
    pub(super) bytes: &'b [u8],
    /// For a block, the range of its packed bytes in the file.
    pub(super) packed: Option<Range<u64>>,
    /// The largest end of a field with an explicit offset.
    pub(super) reached: cell::Cell<u64>,
}

impl<'b> Space<'b> {
    pub(super) fn of(bytes: &'b [u8]) -> Space<'b> {
        Space { bytes, packed: None, reached: cell::Cell::new(0) }
    }

    /// Returns the range of trailing bytes, given the end of the consecutive fields.
    pub(super) fn rest(&self, end: u64) -> Range<u64> {
        end.max(self.reached.get())..self.len()
    }

    pub(super) fn span(&self, range: Range<u64>) -> Span {
        match &self.packed {
            None => Span::Bytes(range),
            Some(packed) => Span::Unpacked { packed: packed.clone(), range },
        }
    }

    pub(super) fn len(&self) -> u64 {
        self.bytes.len() as u64
    }
}

/// The items of an array to visit, as two ranges in order.
pub(super) struct Visited([Range<u64>; 2]);

impl Visited {
    fn contains(&self, index: u64) -> bool {
        self.0.iter().any(|range| range.contains(&index))
    }

    /// Returns the first visited index from `index` on.
    fn next(&self, index: u64) -> Option<u64> {
        let ranges = self.0.iter().filter(|range| !range.is_empty() && index < range.end);
        ranges.map(|range| range.start.max(index)).min()
    }
}

pub(super) enum Interrupt {
    Fault(Box<Fault>),
    Stopped,
}

pub(super) type Flow<T> = Result<T, Interrupt>;

pub(super) struct Walker<'v> {
    pub(super) program: &'static Program,
    pub(super) visitor: &'v mut dyn Visitor,
    pub(super) path: Vec<Segment>,
    pub(super) limits: &'v Limits,
    /// Whether the current value is hidden from the visitor.
    pub(super) muted: bool,
    pub(super) frames: Frames,
    /// The byte range of the last field, if it is present.
    pub(super) covered: Option<Range<u64>>,
}

impl Walker<'_> {
    pub(super) fn fault<T>(
        &self,
        kind: FaultKind,
        span: Span,
        message: String,
        rule: Option<&'static Rule>,
    ) -> Flow<T> {
        let path = self.path.as_slice().into();
        Err(Interrupt::Fault(Box::new(Fault { kind, path, span, message, rule })))
    }

    pub(super) fn rest(&mut self, space: &Space, end: u64) {
        let rest = space.rest(end);
        if !rest.is_empty() && !self.muted {
            let bytes = space.bytes.get(rest.start as usize..).unwrap_or_default();
            self.visitor.trailing(&self.path, space.span(rest), bytes);
        }
    }

    /// Returns `size` bytes at `at`, or a fault if there are fewer.
    pub(super) fn take<'b>(&self, space: &Space<'b>, at: u64, size: u64) -> Flow<&'b [u8]> {
        let bytes = usize::try_from(at)
            .ok()
            .zip(usize::try_from(size).ok())
            .and_then(|(at, size)| space.bytes.get(at..at.checked_add(size)?));
        match bytes {
            Some(bytes) => Ok(bytes),
            None => {
                let remain = space.len().saturating_sub(at);
                let message = format!("needs {size} bytes, but {remain} remain");
                self.fault(FaultKind::End, space.span(at.min(space.len())..space.len()), message, None)
            }
        }
    }

    /// Reports a single value, and stores it if an expression refers to it.
    pub(super) fn leaf(&mut self, space: &Space, range: Range<u64>, item: &Item, value: Value) -> Flow<()> {
        if !self.muted {
            let node = node(self.program, &self.path, space, range, item);
            if self.visitor.leaf(&node, &value).is_break() {
                return Err(Interrupt::Stopped);
            }
        }
        if let Some(step) = item.own_step() {
            self.frames.set(step, &value);
        }
        Ok(())
    }

    /// Decodes one value; returns its end.
    pub(super) fn value(&mut self, space: &Space, at: u64, item: &Item) -> Flow<u64> {
        let form = &self.program.forms[item.form];
        match form.kind {
            Kind::Number(size) => {
                let bytes = self.take(space, at, size)?;
                self.single(space, at..at + size, bytes, (item, form.ty))?;
                Ok(at + size)
            }
            Kind::Text => self.text(space, at, item),
            Kind::Items(inner, count) => {
                self.items(space, at, &Item { count: count.or(item.count), ..*item }, inner)
            }
            Kind::Struct(unit) => self.unit(space, at, item, unit, |walker, unit| {
                walker.group(space, at, item, |walker, _| {
                    let start = walker.magic(space, at, item, unit.declaration)?;
                    Ok((walker.fields(space, at, start, unit)?, None))
                })
            }),
            Kind::Choice(unit) => self.unit(space, at, item, unit, |walker, unit| {
                let Ok(step) = walker.frames.choose(&unit.steps) else {
                    let message = format!("no variant of {} fits", unit.declaration.name);
                    return walker.fault(FaultKind::Value, space.span(at..at), message, None);
                };
                walker.field(space, at, step)
            }),
        }
    }

    /// Reports the start of a group, decodes it with `body`, and reports its end. `body` receives the items to
    /// visit, and returns the end and the number of items.
    pub(super) fn group(
        &mut self,
        space: &Space,
        at: u64,
        item: &Item,
        body: impl FnOnce(&mut Self, &Visited) -> Flow<(u64, Option<u64>)>,
    ) -> Flow<u64> {
        let was_muted = self.muted;
        let visit = if was_muted {
            Visit::Nothing
        } else {
            self.visitor.enter(&node(self.program, &self.path, space, at..at, item))
        };
        self.muted = visit == Visit::Nothing;
        let visited = match visit {
            Visit::All => Visited([0..u64::MAX, 0..0]),
            Visit::Items(items) => Visited([items, 0..0]),
            Visit::Ends { first, last } => {
                let end = item.count.unwrap_or_default();
                Visited([0..first, end.saturating_sub(last)..end])
            }
            Visit::Nothing => Visited([0..0, 0..0]),
            Visit::Stop => return Err(Interrupt::Stopped),
        };
        let (end, count) = body(self, &visited)?;
        self.muted = was_muted;
        if was_muted {
            return Ok(end);
        }
        let node = Node { count, ..node(self.program, &self.path, space, at..end, item) };
        match self.visitor.leave(&node) {
            ControlFlow::Continue(()) => Ok(end),
            ControlFlow::Break(()) => Err(Interrupt::Stopped),
        }
    }

    /// Reports the visited ones of `count` numbers. All numbers are within the space.
    fn numbers(&mut self, space: &Space, at: u64, item: &Item, visited: &Visited, count: u64) -> Flow<()> {
        let form = &self.program.forms[item.form];
        let Kind::Number(size) = form.kind else { return Ok(()) };
        let bytes = self.take(space, at, size * count)?;
        let mut next = 0;
        self.path.push(Segment::Index(0));
        for range in if self.muted { &[][..] } else { &visited.0 } {
            // The ranges may overlap.
            for index in range.start.max(next)..range.end.min(count) {
                next = index + 1;
                if let Some(last) = self.path.last_mut() {
                    *last = Segment::Index(index);
                }
                let (start, end) = (size * index, size * next);
                let bytes = bytes.get(start as usize..end as usize).unwrap_or_default();
                self.single(space, at + start..at + end, bytes, (item, form.ty))?;
            }
        }
        self.path.pop();
        Ok(())
    }

    fn items(&mut self, space: &Space, at: u64, list: &Item, inner: FormId) -> Flow<u64> {
        let size = self.frames.size_of(inner, list.call);
        let (missing, count) = match (size, list.count) {
            (Some(size), Some(count)) => match self.take(space, at, size.saturating_mul(count)) {
                Ok(_) => (None, Some(count)),
                Err(missing) if self.muted || !self.visitor.visits_partial_arrays() => return Err(missing),
                // Includes one more item than fits, the truncated one.
                Err(missing) => {
                    let there = space.len().saturating_sub(at) / size.max(1) + 1;
                    (Some(missing), Some(count.min(there)))
                }
            },
            (_, count) => (None, count),
        };
        let item = list.item(inner);
        let result = self.group(space, at, list, |walker, visited| {
            if let (Kind::Number(size), Some(count), None) =
                (walker.program.forms[inner].kind, count, &missing)
            {
                walker.numbers(space, at, &item, visited, count)?;
                return Ok((at + size * count, Some(count)));
            }
            let mut position = at;
            if let (Some(size), Some(count), None, false) = (size, count, &missing, walker.muted)
                && walker.skips(space, at..at + size * count, list, inner)
            {
                return Ok((at + size * count, Some(count)));
            }
            let hidden = walker.muted;
            let mut index = 0;
            while count.map_or(position < space.len(), |count| index < count) {
                let visit = visited.contains(index);
                if let (Some(size), Some(count), false) = (size, count, visit) {
                    // Skips to the next visited item, or to the end.
                    let next = visited.next(index).map_or(count, |next| next.min(count));
                    position += size * (next - index);
                    index = next;
                    continue;
                }
                walker.muted = hidden || !visit;
                walker.path.push(Segment::Index(index));
                let end = walker.value(space, position, &item)?;
                walker.path.pop();
                if end == position {
                    // Empty items: all that follow are the same.
                    break;
                }
                position = end;
                index += 1;
            }
            walker.muted = hidden;
            Ok((position, list.count.or(Some(index))))
        });
        match (missing, result) {
            (Some(missing), Ok(_) | Err(Interrupt::Fault(_))) => Err(missing),
            (_, result) => result,
        }
    }
}

impl Walker<'_> {
    /// Returns `true` if the visitor skips the fixed-size structs in `range`.
    fn skips(&mut self, space: &Space, range: Range<u64>, list: &Item, inner: FormId) -> bool {
        let (Kind::Struct(unit) | Kind::Choice(unit)) = self.program.forms[inner].kind else { return false };
        let (outer, _) = self.frames.enter(&self.program.units[unit], list.call);
        let node = node(self.program, &self.path, space, range, list);
        let skips = self.visitor.structs(&node, &self.frames.seen());
        self.frames.leave(outer, None);
        skips
    }
}

/// Returns the node for an item at a range of a space.
pub(super) fn node<'w>(
    program: &'static Program,
    path: &'w [Segment],
    space: &'w Space,
    range: Range<u64>,
    item: &Item,
) -> Node<'w> {
    // The range is within bytes in memory, so its ends fit in a `usize`.
    let bytes = space.bytes.get(range.start as usize..range.end as usize).unwrap_or_default();
    let (ty, step) = (program.forms[item.form].ty, item.own_step());
    let (field, variant) = (step.map(|step| step.field), step.and_then(|step| step.variant));
    let Item { count, decoding, .. } = *item;
    Node {
        path,
        ty,
        field,
        variant,
        decoding,
        span: space.span(range),
        bytes,
        count,
        bit_field: None,
        bits: None,
    }
}
