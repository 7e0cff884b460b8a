//! The walker: runs a program over bytes.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use super::item_layout::ItemLayout;
use super::space::Space;
use super::{Fault, FaultKind, Node, Segment, Visit, Visitor};
use crate::layout::declaration::Type;
use crate::layout::expr::Value;
use crate::layout::program::{Cell, FormId, FormKind, Frames, Item, Program};
use crate::{Limits, Rule, Span};

/// The items of an array to visit.
pub(super) struct VisitedItems {
    /// Two ranges in order.
    pub ranges: [Range<u64>; 2],
    /// Whether the visitor requested the layout of the items.
    pub is_indexed: bool,
}

impl VisitedItems {
    fn contains(&self, index: u64) -> bool {
        self.ranges.iter().any(|range| range.contains(&index))
    }

    /// Returns the first visited index that is at least `index`.
    fn first_at_or_after(&self, index: u64) -> Option<u64> {
        let ranges = self
            .ranges
            .iter()
            .filter(|range| !range.is_empty() && index < range.end);
        ranges.map(|range| range.start.max(index)).min()
    }
}

pub(super) enum Interrupt {
    Fault(Box<Fault>),
    Stopped,
}

/// The result of walking over a value.
pub(super) type Walked<T> = Result<T, Interrupt>;

/// Ends the walk if a visitor breaks.
pub(super) fn stop_on_break(flow: ControlFlow<()>) -> Walked<()> {
    if flow.is_break() {
        Err(Interrupt::Stopped)
    } else {
        Ok(())
    }
}

/// The work so far that the size of the file does not bound.
#[derive(Clone, Copy, Default)]
pub(super) struct Costs {
    /// The number of list items without bytes.
    pub empty_items: u64,
    /// The total size of look-aheads, and of fields at explicit offsets.
    pub placed_bytes: u64,
}

pub(super) struct Walker<'v> {
    pub program: &'static Program,
    pub visitor: &'v mut dyn Visitor,
    pub path: Vec<Segment>,
    pub limits: &'v Limits,
    /// Whether the current value is hidden from the visitor.
    pub is_muted: bool,
    pub frames: Frames,
    /// The byte range of the last field, if it is present.
    pub field_range: Option<Range<u64>>,
    /// Whether the walk precedes decoding by a codec: everything that the codec computes must have a value.
    pub is_for_codec: bool,
    pub costs: Costs,
    /// Whether a field at an explicit offset had bytes since this was last set to `false`.
    pub has_placed_bytes: bool,
    /// Whether faults are found in values that are hidden from the visitor.
    is_validating: bool,
    /// The offsets of items in the list whose layout the visitor requested, from the start of the list.
    item_starts: Vec<u64>,
}

impl<'v> Walker<'v> {
    pub fn new(ty: &'static Type, limits: &'v Limits, visitor: &'v mut dyn Visitor) -> Walker<'v> {
        let program = Program::of(ty);
        Walker::in_unit(program, limits, visitor, Frames::new(program))
    }

    /// Creates a walker that starts in the innermost unit of `frames`.
    pub fn in_unit(
        program: &'static Program,
        limits: &'v Limits,
        visitor: &'v mut dyn Visitor,
        frames: Frames,
    ) -> Walker<'v> {
        Walker {
            program,
            visitor,
            path: Vec::new(),
            limits,
            is_muted: false,
            frames,
            field_range: None,
            is_for_codec: false,
            costs: Costs::default(),
            has_placed_bytes: false,
            is_validating: false,
            item_starts: Vec::new(),
        }
    }

    /// See [`super::walk`].
    pub fn walk_file(mut self, bytes: &[u8]) -> Result<u64, Fault> {
        let space = Space::of(bytes);
        match self.walk_value(&space, 0, &Item::root(self.program)) {
            Ok(end) => {
                self.report_trailing(&space, end);
                Ok(end)
            }
            Err(Interrupt::Stopped) => Ok(0),
            Err(Interrupt::Fault(fault)) => Err(*fault),
        }
    }

    pub fn fault<T>(
        &self,
        kind: FaultKind,
        span: Span,
        message: String,
        rule: Option<&'static Rule>,
    ) -> Walked<T> {
        let path = self.path.as_slice().into();
        Err(Interrupt::Fault(Box::new(Fault {
            kind,
            path,
            span,
            message,
            rule,
        })))
    }

    pub fn report_trailing(&mut self, space: &Space, end: u64) {
        let rest = space.trailing_range(end);
        if !rest.is_empty() && !self.is_muted {
            let bytes = space.bytes.get(rest.start as usize..).unwrap_or_default();
            self.visitor
                .visit_trailing(&self.path, space.span(rest), bytes);
        }
    }

    /// Returns `size` bytes at `at`, or a fault if fewer remain.
    pub fn bytes_at<'b>(&self, space: &Space<'b>, at: u64, size: u64) -> Walked<&'b [u8]> {
        let len = space.len();
        match at.checked_add(size) {
            // Both ends are within the space, so they fit in a `usize`.
            Some(end) if end <= len => Ok(&space.bytes[at as usize..end as usize]),
            _ => {
                let left = len.saturating_sub(at);
                let unit = if size == 1 { "byte" } else { "bytes" };
                let verb = if left == 1 { "remains" } else { "remain" };
                let message = format!("needs {size} {unit}, but {left} {verb}");
                self.fault(FaultKind::End, space.span(at.min(len)..len), message, None)
            }
        }
    }

    /// Reports a leaf value, and stores it if an expression refers to it.
    pub fn report_leaf(
        &mut self,
        space: &Space,
        range: Range<u64>,
        item: &Item,
        value: &Value,
    ) -> Walked<()> {
        if !self.is_muted {
            let node = node(self.program, &self.path, space, range, item);
            stop_on_break(self.visitor.visit_leaf(&node, value))?;
        }
        match item.own_step() {
            // Most numbers have no slot, so the cell is made only for those that have one.
            Some(step) => self.frames.set_field(step, value),
            None if item.has_columns => self.frames.set_value(item, Cell::of(value), ()),
            None => {}
        }
        Ok(())
    }

    /// Decodes a value; returns its end.
    pub fn walk_value(&mut self, space: &Space, at: u64, item: &Item) -> Walked<u64> {
        let form = &self.program.forms[item.form];
        match form.kind {
            FormKind::Number(size) => {
                let bytes = self.bytes_at(space, at, size)?;
                self.walk_number(space, at..at + size, bytes, (item, form.ty))?;
                Ok(at + size)
            }
            FormKind::Text => self.walk_text(space, at, item),
            FormKind::Items(inner, count) => self.walk_items(
                space,
                at,
                &Item {
                    count: count.or(item.count),
                    ..*item
                },
                inner,
            ),
            FormKind::Struct(unit) => self.with_unit(space, at, item, unit, |walker, unit| {
                walker.walk_group(space, at, item, |walker, _| {
                    let start = walker.walk_magic(space, at, item, unit.declaration.magic)?;
                    let end = walker.walk_fields(space, at, start, unit)?;
                    if walker.is_for_codec {
                        walker.compute_values(space, at..end, unit)?;
                    }
                    Ok((end, None))
                })
            }),
            FormKind::Choice(unit) => self.with_unit(space, at, item, unit, |walker, unit| {
                for step in &unit.steps {
                    let condition = step.choice.as_ref();
                    if walker.eval_condition(space, at, condition, "condition of a variant")? {
                        return walker.walk_field(space, at, step);
                    }
                }
                let message = format!("no variant of {} applies", unit.declaration.name);
                walker.fault(FaultKind::Value, space.span(at..at), message, None)
            }),
        }
    }

    /// Reports the start of a group, decodes it with `body`, and reports its end. `body` receives the items to
    /// visit, and returns the end and the number of items.
    pub fn walk_group(
        &mut self,
        space: &Space,
        at: u64,
        item: &Item,
        body: impl FnOnce(&mut Self, &VisitedItems) -> Walked<(u64, Option<u64>)>,
    ) -> Walked<u64> {
        let was_muted = self.is_muted;
        let visit = match was_muted {
            true => Visit::Nothing,
            false => self
                .visitor
                .enter(&node(self.program, &self.path, space, at..at, item)),
        };
        let is_indexed = visit == Visit::Index;
        self.is_muted = is_indexed || visit == Visit::Nothing;
        let was_validating = self.is_validating;
        self.is_validating |= is_indexed;
        let ranges = match visit {
            Visit::All => [0..u64::MAX, 0..0],
            Visit::Items(items) => [items, 0..0],
            Visit::Ends { first, last } => {
                let end = item.count.unwrap_or_default();
                [0..first, end.saturating_sub(last)..end]
            }
            Visit::Index | Visit::Nothing => [0..0, 0..0],
            Visit::Stop => return Err(Interrupt::Stopped),
        };
        let (end, count) = body(self, &VisitedItems { ranges, is_indexed })?;
        self.is_muted = was_muted;
        self.is_validating = was_validating;
        if was_muted {
            return Ok(end);
        }
        let items = if is_indexed {
            self.item_layout(space, end, item)
        } else {
            None
        };
        let node = Node {
            count,
            items,
            ..node(self.program, &self.path, space, at..end, item)
        };
        stop_on_break(self.visitor.leave(&node))?;
        Ok(end)
    }

    /// Returns the layout of the items in the list that was just walked, and that ends at `end`; `None` for other
    /// values, and for numbers.
    fn item_layout(&mut self, space: &Space, end: u64, list: &Item) -> Option<Arc<ItemLayout>> {
        let starts = std::mem::take(&mut self.item_starts);
        let FormKind::Items(inner, _) = self.program.forms[list.form].kind else {
            return None;
        };
        if let FormKind::Number(_) = self.program.forms[inner].kind {
            return None;
        }
        let lookahead = self.program.forms[inner].lookahead_size;
        let after = end..space.len().min(end.saturating_add(lookahead));
        let following = self
            .bytes_at(space, end, after.end - after.start)
            .unwrap_or_default();
        let following = following.to_vec();
        let item = list.array_item(inner);
        let stride = self.frames.item_size(&item);
        let layout = ItemLayout::new(self.program, item, &self.frames, stride, starts);
        Some(Arc::new(ItemLayout {
            following,
            ..layout
        }))
    }

    /// Reports the numbers at `at` whose index is in `visited`. All `count` numbers are within the space.
    fn walk_numbers(
        &mut self,
        space: &Space,
        at: u64,
        item: &Item,
        visited: &VisitedItems,
        count: u64,
    ) -> Walked<()> {
        let form = &self.program.forms[item.form];
        let FormKind::Number(size) = form.kind else {
            return Ok(());
        };
        let bytes = self.bytes_at(space, at, size * count)?;
        let mut next = 0;
        self.path.push(Segment::Index(0));
        for range in if self.is_muted {
            &[][..]
        } else {
            &visited.ranges
        } {
            // The ranges may overlap.
            for index in range.start.max(next)..range.end.min(count) {
                next = index + 1;
                if let Some(last) = self.path.last_mut() {
                    *last = Segment::Index(index);
                }
                let (start, end) = (size * index, size * next);
                let bytes = bytes.get(start as usize..end as usize).unwrap_or_default();
                self.walk_number(space, at + start..at + end, bytes, (item, form.ty))?;
            }
        }
        self.path.pop();
        Ok(())
    }

    /// Returns a fault for the first of `count` enum values that is unknown. The visitor receives nothing.
    fn validate_numbers(&mut self, space: &Space, at: u64, item: &Item, count: u64) -> Walked<()> {
        let mut at = at;
        for index in 0..count {
            self.path.push(Segment::Index(index));
            at = self.walk_value(space, at, item)?;
            self.path.pop();
        }
        Ok(())
    }

    fn walk_items(&mut self, space: &Space, at: u64, list: &Item, inner: FormId) -> Walked<u64> {
        let item = list.array_item(inner);
        let size = self.frames.item_size(&item);
        let (missing, count) = match (size, list.count) {
            (Some(size), Some(count)) => match self.bytes_at(space, at, size.saturating_mul(count))
            {
                Ok(_) => (None, Some(count)),
                Err(missing) if self.is_muted || !self.visitor.should_visit_partial_arrays() => {
                    return Err(missing);
                }
                // The items that fit, and the truncated one.
                Err(missing) => {
                    let present = space.len().saturating_sub(at) / size.max(1) + 1;
                    (Some(missing), Some(count.min(present)))
                }
            },
            (_, count) => (None, count),
        };
        self.frames.start_columns(list);
        let result = self.walk_group(space, at, list, |walker, visited| {
            if let (FormKind::Number(size), Some(count), None, false) = (
                walker.program.forms[inner].kind,
                count,
                &missing,
                item.has_columns,
            ) {
                if walker.is_validating && walker.program.forms[inner].may_fault {
                    walker.validate_numbers(space, at, &item, count)?;
                } else {
                    walker.walk_numbers(space, at, &item, visited, count)?;
                }
                return Ok((at + size * count, Some(count)));
            }
            let mut position = at;
            if let (Some(size), Some(count), None, false) = (size, count, &missing, walker.is_muted)
                && !item.has_columns
                && item.each.is_none()
                && walker.skips_structs(space, at..at + size * count, list, inner)
            {
                return Ok((at + size * count, Some(count)));
            }
            let was_muted = walker.is_muted;
            let inner_form = &walker.program.forms[inner];
            // The cost of items without bytes is known only after the first one.
            let must_walk = size == Some(0)
                || item.has_columns
                || walker.is_for_codec && (inner_form.needs_full_walk || item.each.is_some())
                || walker.is_validating && inner_form.may_fault;
            let mut tagged = match size {
                None if !walker.is_for_codec && !item.has_columns && item.each.is_none() => {
                    walker.tagged_items(inner, count)
                }
                _ => None,
            };
            // The costs before and after the items without bytes, once they are counted.
            let mut counted: Option<Range<Costs>> = None;
            let mut index = 0;
            while count.map_or(position < space.len(), |count| index < count) {
                let visit = visited.contains(index);
                let size = if counted.is_some() { Some(0) } else { size };
                if let (Some(size), Some(count), false, false) = (
                    size,
                    count,
                    visit,
                    must_walk && (counted.is_none() || item.has_columns),
                ) {
                    // Skips to the next visited item, or to the end.
                    let next = visited
                        .first_at_or_after(index)
                        .map_or(count, |next| next.min(count));
                    position += size * (next - index);
                    index = next;
                    continue;
                }
                if visited.is_indexed && size.is_none() && ItemLayout::is_indexed(index) {
                    walker.item_starts.push(position - at);
                }
                walker.is_muted = was_muted || !visit;
                if let Some(tagged) = &mut tagged {
                    let max = || visited.alike(index, count);
                    let skipped = walker.skip_items(space, position, tagged, max);
                    if skipped.items > 0 {
                        position += skipped.size;
                        index += skipped.items;
                        continue;
                    }
                }
                walker.path.push(Segment::Index(index));
                if item.each.is_some() {
                    walker.frames.set_current_item(&item, index, |()| None);
                }
                let before = walker.costs;
                let had_placed_bytes = std::mem::take(&mut walker.has_placed_bytes);
                let end = match &mut tagged {
                    Some(tagged) => walker.walk_tagged_item(space, position, &item, tagged)?,
                    None => walker.walk_value(space, position, &item)?,
                };
                walker.path.pop();
                // Fields at explicit offsets of an item without bytes may have some.
                let has_content = walker.has_placed_bytes;
                walker.has_placed_bytes |= had_placed_bytes;
                if end == position && item.each.is_some() && count.is_some() {
                    // The following items may have bytes.
                    walker.count_empty_items(space, position, 1, before)?;
                } else if end == position && counted.is_none() {
                    // The item is empty, so all following items are also empty.
                    let Some(count) = count else { break };
                    walker.count_empty_items(space, position, count - index, before)?;
                    let visits_all =
                        !was_muted && (has_content || walker.visitor.should_visit_empty_items());
                    if !visits_all && !item.has_columns {
                        break;
                    }
                    counted = Some(before..walker.costs);
                }
                if let Some(counted) = &counted {
                    // The following items are counted already.
                    walker.costs = counted.start;
                }
                position = end;
                index += 1;
            }
            walker.is_muted = was_muted;
            if item.each.is_some() {
                walker.frames.set_current_item(&item, u64::MAX, |()| None);
            }
            if let Some(counted) = counted {
                walker.costs = counted.end;
            }
            if count.is_none() && walker.is_for_codec {
                walker.require_end(space, position, &item)?;
            }
            Ok((position, list.count.or(Some(index))))
        });
        match (missing, result) {
            (Some(missing), Ok(_) | Err(Interrupt::Fault(_))) => Err(missing),
            (_, result) => result,
        }
    }

    /// Counts the `items` items without bytes at the end of a list against the limits. The first of them is walked, and
    /// the costs before it were `before`.
    fn count_empty_items(
        &mut self,
        space: &Space,
        at: u64,
        items: u64,
        before: Costs,
    ) -> Walked<()> {
        let following = items.saturating_sub(1);
        let nested = self.costs.empty_items.saturating_sub(before.empty_items);
        let placed = self.costs.placed_bytes.saturating_sub(before.placed_bytes);
        let further = nested.saturating_mul(following).saturating_add(items);
        self.costs.empty_items = self.costs.empty_items.saturating_add(further);
        let max = self.limits.max_empty_items;
        if self.costs.empty_items > max {
            let message =
                format!("has {items} items without bytes, over the limit of {max} per file");
            return self.fault(FaultKind::EmptyItems, space.span(at..at), message, None);
        }
        self.count_placed_bytes(space, at..at, placed.saturating_mul(following))
    }

    /// Returns a fault if an item at the end of a list without a count has no bytes: a codec would never stop reading.
    fn require_end(&mut self, space: &Space, at: u64, item: &Item) -> Walked<()> {
        if !self.program.forms[item.form].may_be_empty {
            return Ok(());
        }
        let (depth, costs, enclosing) = (self.path.len(), self.costs, self.frames.enclosing());
        // A codec ends the list at a fault.
        let is_empty = self.walk_value(space, at, item).is_ok();
        self.path.truncate(depth);
        self.costs = costs;
        self.frames.leave(enclosing, None);
        if !is_empty {
            return Ok(());
        }
        let message = "an item has no bytes, so the list never ends".to_owned();
        self.fault(FaultKind::Count, space.span(at..at), message, None)
    }

    /// Returns `true` if the visitor skips the fixed-size structs in `range`.
    fn skips_structs(
        &mut self,
        space: &Space,
        range: Range<u64>,
        list: &Item,
        inner: FormId,
    ) -> bool {
        let (FormKind::Struct(unit) | FormKind::Choice(unit)) = self.program.forms[inner].kind
        else {
            return false;
        };
        let (outer, _) = self.frames.enter(&self.program.units[unit], list.arguments);
        let node = node(self.program, &self.path, space, range, list);
        let skips = self
            .visitor
            .visit_structs(&node, &self.frames.visible_values());
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
    let bytes = space
        .bytes
        .get(range.start as usize..range.end as usize)
        .unwrap_or_default();
    let (ty, step) = (program.forms[item.form].ty, item.own_step());
    let (field, variant) = (
        step.map(|step| step.field),
        step.and_then(|step| step.variant),
    );
    let Item {
        count, decoding, ..
    } = *item;
    let span = space.span(range);
    Node {
        path,
        ty,
        field,
        variant,
        decoding,
        span,
        bytes,
        count,
        bit_field: None,
        bits: None,
        items: None,
        step,
    }
}
