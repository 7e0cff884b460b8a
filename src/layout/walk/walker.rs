//! The walker itself: goes through the bytes as the declaration says.

use std::cell::Cell;
use std::ops::{ControlFlow, Range};

use super::{Fault, FaultKind, Node, Segment, Visit, Visitor};
use crate::layout::{Decoding, Expr, Field, Scope, Type, Value, Variant};
use crate::{Limits, Span};

/// See [`super::walk`].
pub(super) fn walk(
    ty: &'static Type,
    bytes: &[u8],
    limits: &Limits,
    visitor: &mut impl Visitor,
) -> Result<u64, Fault> {
    let mut walker = Walker { visitor, path: Vec::new(), limits, muted: false };
    let space = Space { bytes, packed: None, reached: Cell::new(0) };
    let item = Item { ty, field: None, variant: None, arguments: &[], count: None, decoding: Decoding::NONE };
    match walker.value(&space, 0, &item, &Scope::default()) {
        Ok((end, _)) => {
            walker.rest(&space, end);
            Ok(end)
        }
        Err(Interrupt::Stopped) => Ok(0),
        Err(Interrupt::Fault(fault)) => Err(*fault),
    }
}

/// The bytes that offsets count in: the file, or the unpacked content of a block of it.
pub(super) struct Space<'b> {
    pub(super) bytes: &'b [u8],
    /// For a block, the place of its packed bytes in the file.
    pub(super) packed: Option<Range<u64>>,
    /// The last end of a field with a position of its own.
    pub(super) reached: Cell<u64>,
}

impl Space<'_> {
    /// Where the trailing bytes start, given the end of the fields that follow one another.
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

/// What to decode next.
#[derive(Clone, Copy)]
pub(super) struct Item {
    pub(super) ty: &'static Type,
    pub(super) field: Option<&'static Field>,
    /// The alternative of a choice that it is.
    pub(super) variant: Option<&'static Variant>,
    pub(super) arguments: &'static [Expr],
    /// Number of items of a list; `None` where it runs to the end.
    pub(super) count: Option<u64>,
    pub(super) decoding: Decoding,
}

/// Which items of an array to visit: those in either range, which are in order.
pub(super) struct Visited([Range<u64>; 2]);

impl Visited {
    fn contains(&self, index: u64) -> bool {
        self.0.iter().any(|range| range.contains(&index))
    }

    /// The first of them from this one on.
    fn next(&self, index: u64) -> Option<u64> {
        let ranges = self.0.iter().filter(|range| !range.is_empty() && index < range.end);
        ranges.map(|range| range.start.max(index)).min()
    }
}

pub(super) enum Interrupt {
    Fault(Box<Fault>),
    Stopped,
}

pub(super) type Step<T> = Result<T, Interrupt>;

pub(super) struct Walker<'v, V> {
    pub(super) visitor: &'v mut V,
    pub(super) path: Vec<Segment>,
    pub(super) limits: &'v Limits,
    /// Whether the visitor skips what is being decoded.
    pub(super) muted: bool,
}

impl<V: Visitor> Walker<'_, V> {
    pub(super) fn fault<T>(
        &self,
        kind: FaultKind,
        span: Span,
        message: String,
        rule: Option<&'static str>,
    ) -> Step<T> {
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

    /// `size` bytes at `at`, or the fault that they are not there.
    pub(super) fn take<'b>(&self, space: &Space<'b>, at: u64, size: u64) -> Step<&'b [u8]> {
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

    pub(super) fn node<'w>(
        path: &'w [Segment],
        space: &'w Space,
        range: Range<u64>,
        item: &Item,
    ) -> Node<'w> {
        // What was read lies in memory, so that its place is no larger than a `usize`.
        let bytes = space.bytes.get(range.start as usize..range.end as usize).unwrap_or_default();
        let Item { ty, field, variant, count, decoding, .. } = *item;
        let span = space.span(range);
        Node { path, ty, field, variant, decoding, span, bytes, count, bit_field: None, bits: None }
    }

    pub(super) fn leaf(&mut self, node: &Node, value: &Value) -> Step<()> {
        match self.visitor.leaf(node, value) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Interrupt::Stopped),
        }
    }

    /// Decodes one value; returns its end and what expressions may see of it.
    pub(super) fn value(
        &mut self,
        space: &Space,
        at: u64,
        item: &Item,
        scope: &Scope,
    ) -> Step<(u64, Option<Value>)> {
        match item.ty {
            Type::Unsigned(size) | Type::Signed(size) | Type::Float(size) => {
                let value = item.ty.value_of(self.take(space, at, (*size).into())?);
                let end = at + u64::from(*size);
                self.report_leaf(space, at..end, item, &value)?;
                Ok((end, Some(value)))
            }
            Type::NulString => {
                let text = self.take(space, at, space.len().saturating_sub(at))?;
                let length = text.iter().position(|b| *b == 0);
                // Only the last one of a list may lack its NUL.
                if length.is_none() && item.field.is_some() {
                    let message = "no NUL ends the string".into();
                    let rule = item.field.and_then(|field| field.rule);
                    return self.fault(FaultKind::End, space.span(at..space.len()), message, rule);
                }
                let end = at + length.map_or(text.len(), |n| n + 1) as u64;
                let value = Value::Text(text[..length.unwrap_or(text.len())].to_vec());
                self.report_leaf(space, at..end, item, &value)?;
                Ok((end, Some(value)))
            }
            Type::Array(inner, count) => {
                let array = Item { count: Some(*count), ..*item };
                Ok((self.items(space, at, &array, inner, scope)?, None))
            }
            Type::List(inner) => Ok((self.items(space, at, item, inner, scope)?, None)),
            Type::Declared(declaration) => self.declared(space, at, item, declaration, scope),
        }
    }

    pub(super) fn report_leaf(
        &mut self,
        space: &Space,
        range: Range<u64>,
        item: &Item,
        value: &Value,
    ) -> Step<()> {
        if self.muted {
            return Ok(());
        }
        let path = std::mem::take(&mut self.path);
        let flow = self.leaf(&Self::node(&path, space, range, item), value);
        self.path = path;
        flow
    }

    /// Reports a group to the visitor, decodes it with `body`, which gets the items to show and gives the end, the
    /// number of items and the value, and reports its end.
    pub(super) fn group<T>(
        &mut self,
        space: &Space,
        at: u64,
        item: &Item,
        body: impl FnOnce(&mut Self, &Visited) -> Step<(u64, Option<u64>, T)>,
    ) -> Step<(u64, T)> {
        let was_muted = self.muted;
        let visit = if was_muted {
            Visit::Nothing
        } else {
            self.visitor.enter(&Self::node(&self.path, space, at..at, item))
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
        let (end, count, value) = body(self, &visited)?;
        self.muted = was_muted;
        if was_muted {
            return Ok((end, value));
        }
        let node = Node { count, ..Self::node(&self.path, space, at..end, item) };
        match self.visitor.leave(&node) {
            ControlFlow::Continue(()) => Ok((end, value)),
            ControlFlow::Break(()) => Err(Interrupt::Stopped),
        }
    }

    fn items(
        &mut self,
        space: &Space,
        at: u64,
        list: &Item,
        inner: &'static Type,
        scope: &Scope,
    ) -> Step<u64> {
        let size = inner.size_in(scope, list.arguments);
        let (missing, count) = match (size, list.count) {
            (Some(size), Some(count)) => match self.take(space, at, size.saturating_mul(count)) {
                Ok(_) => (None, Some(count)),
                Err(missing) if self.muted || !self.visitor.visits_partial_arrays() => return Err(missing),
                // One more than there is room for: the last one in part.
                Err(missing) => {
                    let there = space.len().saturating_sub(at) / size.max(1) + 1;
                    (Some(missing), Some(count.min(there)))
                }
            },
            (_, count) => (None, count),
        };
        let item = Item { ty: inner, field: None, variant: None, count: None, ..*list };
        let result = self.group(space, at, list, |walker, visited| {
            let hidden = walker.muted;
            let mut position = at;
            let mut index = 0;
            while count.map_or(position < space.len(), |count| index < count) {
                let visit = visited.contains(index);
                if let (Some(size), Some(count), false) = (size, count, visit) {
                    // All items up to the next visited one, or to the end, at once.
                    let next = visited.next(index).map_or(count, |next| next.min(count));
                    position += size * (next - index);
                    index = next;
                    continue;
                }
                walker.muted = hidden || !visit;
                walker.path.push(Segment::Index(index));
                let end = walker.value(space, position, &item, scope)?.0;
                walker.path.pop();
                if end == position {
                    // Items without bytes: all that follow are the same.
                    break;
                }
                position = end;
                index += 1;
            }
            walker.muted = hidden;
            Ok((position, list.count.or(Some(index)), ()))
        });
        match (missing, result) {
            (Some(missing), Ok(_) | Err(Interrupt::Fault(_))) => Err(missing),
            (_, result) => Ok(result?.0),
        }
    }
}
