//! Runs a program and draws its undetermined values.

use std::collections::HashMap;

use super::Config;
use super::choices::{Choices, Trace, count_name};
use super::draw::{MAX_DRAWS, Sampler};
use super::lookahead::{Lookahead, with_bits};
use super::number_lists::{adapt_to_sum, next_unused_integer, normalize};
use super::relations::Relations;
use crate::layout::declaration::{Constraint, Declaration, Requirement, Shape, Type};
use crate::layout::expr::{BinaryOp, EvalError, Scope, Value};
use crate::layout::program::{
    Cell, Code, ComparedValues, FormId, FormKind, Frames, Item, Program, Step, Unit, ValueUse,
};
use crate::layout::tree::Tree;
use crate::layout::walk::Segment;

/// The maximum number of redraws for a file.
const MAX_RETRIES: usize = 100_000;

/// Draws the values of a file except derived ones.
pub(super) fn draw(ty: &'static Type, choices: Choices, config: &Config) -> (Tree<'static>, Trace) {
    let program = Program::of(ty);
    let mut generator = Generator {
        program,
        frames: Frames::new(program),
        sampler: Sampler::new(choices, config),
        values: Tree::new(ty),
        relations: Relations::new(ty),
        indexed_lists: HashMap::new(),
        max_items: config.max_items,
        max_list_items: config
            .max_items
            .saturating_mul(config.max_items.max(config.large_items)),
        retries: MAX_RETRIES,
    };
    generator.draw_value(&Item::root(program), None);
    (generator.values, generator.sampler.choices.trace)
}

pub(super) struct Generator<'c> {
    pub program: &'static Program,
    pub frames: Frames,
    pub sampler: Sampler<'c>,
    pub values: Tree<'static>,
    pub relations: Relations,
    /// The lists that the items of a list must index, by the form of the items.
    pub indexed_lists: HashMap<FormId, Vec<&'static [Segment]>>,
    pub max_items: u64,
    /// The maximum number of items in any list.
    max_list_items: u64,
    /// The remaining redraws for the whole file. With a limit per field, redraws would multiply in nested fields whose
    /// checks or constraints no value satisfies.
    retries: usize,
}

impl Generator<'_> {
    /// Draws and returns a value; `before` is the previous item of a list. Returns only those fields of a struct that
    /// constraints compare, and `None` for arrays, lists and derived values.
    fn draw_value(&mut self, item: &Item, before: Option<&Value>) -> Option<Value> {
        let form = &self.program.forms[item.form];
        match form.kind {
            FormKind::Number(_) | FormKind::Text => self.draw_leaf(form.ty, item, before),
            FormKind::Items(inner, Some(count)) => {
                let drawn = self.draw_items(item, inner, count);
                self.adapt_together(&drawn, item);
                None
            }
            FormKind::Items(inner, None) => {
                let count = self.draw_count(item, inner);
                let drawn = self.draw_items(item, inner, count);
                self.replace_by_ranks(&drawn, item);
                None
            }
            FormKind::Struct(unit) | FormKind::Choice(unit) => {
                let unit = &self.program.units[unit];
                let (outer, _) = self.frames.enter(unit, item.arguments);
                let value = match form.kind {
                    FormKind::Struct(_) => self.draw_fields(&unit.steps, item),
                    _ => self
                        .choose_variant(&unit.steps)
                        .and_then(|step| self.draw_field(step)),
                };
                self.frames.leave_value(outer, item);
                value
            }
        }
    }

    /// Returns the number of items in a list, drawn if it is undetermined.
    fn draw_count(&mut self, list: &Item, inner: FormId) -> u64 {
        let count = list.count.unwrap_or_else(|| {
            let may_be_empty = self.program.forms[inner].may_be_empty;
            let drawn = self.sampler.draw_count(if may_be_empty {
                self.max_items
            } else {
                u64::MAX
            });
            let has_same_length = has_requirement(list.constraints(), Requirement::SameLength);
            self.relations
                .required_count(&self.sampler.path, drawn, has_same_length)
        });
        let count = if self.lacks_index_targets(inner) {
            0
        } else {
            count.min(self.max_list_items)
        };
        if let Some(counter) = self.relations.counters.get(&self.sampler.path) {
            self.values
                .set_value(counter, Some(Value::Int(count.into())));
            self.relations
                .list_counts
                .insert(&counter.clone(), Some(count));
        }
        self.relations
            .list_counts
            .insert(&self.sampler.path, Some(count));
        let expr = list.own_step().and_then(|step| step.field.count.as_ref());
        let name = expr
            .and_then(count_name)
            .or(self.sampler.path.last().copied());
        name.iter().for_each(|name| {
            self.sampler
                .choices
                .record_list(&self.sampler.path, *name, count)
        });
        count
    }

    fn draw_leaf(&mut self, ty: &Type, item: &Item, before: Option<&Value>) -> Option<Value> {
        let (step, compared) = (item.own_step(), self.compared_values());
        // The use of a list of numbers is that of its items.
        let value = match item.step.and_then(|step| step.usage) {
            Some(ValueUse::Derived) if item.is_array_item => {
                self.values.set_value(&self.sampler.path, None);
                return None;
            }
            Some(ValueUse::Derived) => return None,
            Some(ValueUse::Count) => {
                let max = ty
                    .int_type()
                    .and_then(|int| u64::try_from(int.range().1).ok());
                Value::Int(self.sampler.draw_count(max.unwrap_or(u64::MAX)).into())
            }
            // Items without bytes count against a limit.
            Some(ValueUse::UnboundedCount) => {
                Value::Int(self.sampler.draw_count(self.max_items).into())
            }
            None if self.relations.is_zero_weight(&self.sampler.path) => Value::Int(0),
            None => self
                .sampler
                .draw_leaf(ty, &compared.numbers, &compared.patterns),
        };
        let value = self.with_reserved_bits(value, ty, item);
        let value = self.adapt_word(value);
        let value = self.adapt(value, item, before);
        if let (Value::Int(number), Some(_)) = (&value, step) {
            self.relations
                .list_counts
                .insert(&self.sampler.path, u64::try_from(*number).ok());
        }
        self.set_value(step, &value);
        Some(value)
    }

    /// Sets at most one reserved bit in one of eight words, if files may violate the rule against set reserved bits.
    fn with_reserved_bits(&mut self, value: Value, ty: &Type, item: &Item) -> Value {
        let sampler = &self.sampler;
        let may_break =
            |c: &Constraint| c.requirement == Requirement::ReservedZero && !sampler.must_satisfy(c);
        match value {
            Value::Bits(word, declaration) if item.constraints().iter().any(may_break) => {
                let bits = match self.sampler.draw_below(8) {
                    1 => {
                        1 << self
                            .sampler
                            .draw_below(8 * ty.size().unwrap_or(1).clamp(1, 16))
                    }
                    _ => 0,
                };
                Value::Bits(word | bits & ty.reserved_bits(), declaration)
            }
            value => value,
        }
    }

    /// Sets a value of the file, and its slot if an expression refers to it.
    fn set_value(&mut self, step: Option<&Step>, value: &Value) {
        self.values
            .set_value(&self.sampler.path, Some(value.clone()));
        if let Some(step) = step {
            self.frames.set_field(step, value);
        }
    }

    /// Returns the numbers and patterns that the innermost unit compares values with.
    fn compared_values(&self) -> &'static ComparedValues {
        static NONE: ComparedValues = ComparedValues::NONE;
        self.frames
            .visible_values()
            .unit
            .map_or(&NONE, |unit| unit.compared_values(self.program))
    }

    /// Draws `count` items of a list.
    fn draw_items(&mut self, list: &Item, inner: FormId, count: u64) -> Vec<Option<Value>> {
        self.values.set_value(&self.sampler.path, None);
        let (item, mut drawn) = (list.array_item(inner), Vec::<Option<Value>>::new());
        self.frames.start_columns(list);
        for index in 0..count {
            self.sampler.path.push(Segment::Index(index));
            self.frames.set_current_item(&item, index, |()| None);
            let mut value = self.draw_value(&item, drawn.last().and_then(Option::as_ref));
            self.make_distinct(&drawn, &mut value, &item);
            if item.has_columns {
                let cell = value.as_ref().map(Cell::of);
                self.frames.set_value(&item, cell.unwrap_or_default(), ());
            }
            drawn.push(value);
            self.sampler.path.pop();
        }
        self.relate_items(&drawn, inner);
        drawn
    }

    /// Makes an item, or its fields, distinct from earlier items where a constraint requires it.
    fn make_distinct(&mut self, before: &[Option<Value>], value: &mut Option<Value>, item: &Item) {
        let is_unique = |sampler: &Sampler, constraints: &[Constraint]| {
            constraints
                .iter()
                .any(|c| c.requirement == Requirement::Unique && sampler.must_satisfy(c))
        };
        let ty = self.program.forms[item.form].ty;
        if is_unique(&self.sampler, item.constraints())
            && let Some(number) = next_unused_integer(before, value, None, ty)
        {
            self.values
                .set_value(&self.sampler.path, Some(number.clone()));
            *value = Some(number);
        }
        let Type::Declared(Declaration {
            shape: Shape::Struct(fields),
            ..
        }) = ty
        else {
            return;
        };
        for field in fields
            .iter()
            .filter(|field| is_unique(&self.sampler, field.constraints))
        {
            if let Some(number) = next_unused_integer(before, value, Some(field.name), &field.ty)
                && let Some(Value::Struct(scope)) = value
            {
                scope.push(field.name, number.clone());
                let path = [&self.sampler.path[..], &[Segment::Field(field.name)]].concat();
                self.values.set_value(&path, Some(number));
            }
        }
    }

    /// Adapts the numbers of an array to a required sum or unit length.
    fn adapt_together(&mut self, drawn: &[Option<Value>], list: &Item) {
        let joint = |r: Requirement| matches!(r, Requirement::Sum { .. } | Requirement::UnitVector);
        if !required_constraints(list).any(|constraint| joint(constraint.requirement)) {
            return;
        }
        let path_of =
            |index: usize| [&self.sampler.path[..], &[Segment::Index(index as u64)]].concat();
        let is_open = |index: &usize| !self.relations.is_zero_weight(&path_of(*index));
        let open: Vec<usize> = (0..drawn.len()).filter(is_open).collect();
        let drawn: Vec<Option<Value>> = open.iter().map(|index| drawn[*index].clone()).collect();
        for constraint in required_constraints(list) {
            if !self.sampler.must_satisfy(constraint) {
                continue;
            }
            let (of, numbers) = match constraint.requirement {
                Requirement::Sum {
                    of,
                    total,
                    tolerance,
                } => (of, adapt_to_sum(&drawn, of, total, tolerance)),
                Requirement::UnitVector => (None, normalize(&drawn)),
                _ => continue,
            };
            for (index, number) in open.iter().zip(numbers.unwrap_or_default()) {
                self.set_item(*index, of, number);
            }
        }
    }

    /// Sets an item of the current list, or its field `of`.
    pub fn set_item(&mut self, index: usize, of: Option<&'static str>, number: Value) {
        let steps = [Some(Segment::Index(index as u64)), of.map(Segment::Field)];
        let path = self
            .sampler
            .path
            .iter()
            .copied()
            .chain(steps.into_iter().flatten());
        self.values
            .set_value(&path.collect::<Vec<_>>(), Some(number));
    }

    /// Returns the first variant whose condition holds or, if none does, draws one whose condition cannot be evaluated;
    /// `None` if every condition is false.
    fn choose_variant(&mut self, variants: &'static [Step]) -> Option<&'static Step> {
        let open = match self.frames.choose_variant(variants) {
            Ok(step) => return Some(step),
            Err(open) => open,
        };
        open.get(self.sampler.draw_below(open.len() as u64) as usize)
            .copied()
    }

    fn draw_fields(&mut self, steps: &'static [Step], item: &Item) -> Option<Value> {
        let compared = self.compared_values();
        let mut kept = Scope::default();
        let mut lookahead = Lookahead::default();
        for step in steps {
            if step.field.lookahead {
                for attempt in 0..MAX_DRAWS + compared.numbers.len() + 128 {
                    self.sampler.select_forced_value(attempt, &compared.numbers);
                    self.draw_lookahead(step, &compared.numbers, &mut lookahead);
                    if self.allows_lookaheads(steps) || self.retries == 0 {
                        break;
                    }
                    self.retries -= 1;
                }
                self.sampler.forced = None;
                continue;
            }
            self.sampler.path.push(Segment::Field(step.field.name));
            let seen_bits = lookahead.next_bits(step, &mut self.frames);
            let mut value = None;
            let start = self.sampler.choices.trace.choices.len();
            for attempt in 0..MAX_DRAWS + compared.numbers.len() + 128 {
                self.sampler.select_forced_value(attempt, &compared.numbers);
                value = self.draw_field(step);
                if let (Some(drawn), Some(bits)) = (&value, seen_bits) {
                    let seen = self.adapt_word(with_bits(drawn, bits));
                    self.set_value(Some(step), &seen);
                    value = Some(seen);
                }
                if self.is_allowed(step) && self.is_new(step, &value) || self.retries == 0 {
                    if attempt > 0 && step.condition.is_none() {
                        self.sampler.record_direct_choices(start, &value, step);
                    }
                    break;
                }
                self.retries -= 1;
            }
            self.sampler.forced = None;
            if let (Some(Value::Bits(word, _)), true) = (&value, is_unique(step)) {
                self.relations.record_value(&self.sampler.path, *word);
            }
            self.sampler.path.pop();
            self.record_list_counts(steps);
            // The presence of the field was drawn, so the offset in its condition must be consistent with it.
            if let Some(Code::Binary(BinaryOp::NotEqual, sides, _)) = &step.condition
                && let [Code::Slot(offset, _), zero] = &**sides
                && zero.as_literal() == Some(0)
                && self.frames.eval_bool(step.condition.as_ref()?) == Err(EvalError::Unknown)
            {
                self.frames
                    .set_slot(*offset, &Value::Int(value.is_some().into()));
            }
            if let Some(value) = value.filter(|_| is_compared(step, item)) {
                kept.push(step.field.name, value);
            }
        }
        Some(Value::Struct(kept))
    }

    /// Returns `false` if a check or required condition of a field is false.
    fn is_allowed(&self, step: &Step) -> bool {
        let may_hold = |condition: &Code| self.frames.eval_bool(condition) != Ok(false);
        step.checks.iter().all(may_hold) && self.may_satisfy_constraints(step)
    }

    /// Returns `false` if a condition that a constraint of the field requires is false, and files must satisfy the
    /// constraint.
    pub fn may_satisfy_constraints(&self, step: &Step) -> bool {
        step.required_conditions
            .iter()
            .all(|(constraint, condition)| {
                !self.sampler.must_satisfy(constraint)
                    || self.frames.eval_bool(condition) != Ok(false)
            })
    }

    /// Draws the values that a look-ahead reads; the fields at the same offsets then get these bits.
    fn draw_lookahead(
        &mut self,
        ahead: &'static Step,
        literals: &[i128],
        lookahead: &mut Lookahead,
    ) {
        *lookahead = Lookahead {
            offset: Some(0),
            seen: Vec::new(),
        };
        let form = &self.program.forms[ahead.form];
        let FormKind::Struct(unit) = form.kind else {
            let value = self.sampler.draw_leaf(form.ty, literals, &[]);
            self.frames.set_field(ahead, &value);
            lookahead.seen.push((0, value));
            return;
        };
        let (Unit { steps, slots, .. }, mut at) = (&self.program.units[unit], 0);
        for step in steps {
            let ty = &step.field.ty;
            if *ty != Type::NulString && ty.item_type_and_count().is_none() {
                let value = self.sampler.draw_leaf(ty, literals, &[]);
                for (from, to) in &ahead.exports {
                    if slots[*from as usize].path == [step.field.name] {
                        self.frames.set_slot(*to, &value);
                    }
                }
                lookahead.seen.push((at, value));
            }
            let Some(size) = ty.size() else { return };
            at += size;
        }
    }

    /// Draws a field if its condition holds. If the condition cannot be evaluated, first draws whether the field is
    /// present.
    fn draw_field(&mut self, step: &'static Step) -> Option<Value> {
        if let Some(condition) = &step.condition
            && !self
                .frames
                .eval_bool(condition)
                .unwrap_or_else(|_| self.sampler.draw_below(2) == 1)
        {
            self.frames.set_absent(step);
            return None;
        }
        let count = step
            .count
            .as_ref()
            .and_then(|count| self.frames.eval_int(count).ok());
        let count = count.map(|count| u64::try_from(count).unwrap_or_default());
        let item = Item {
            count,
            ..Item::of_field(step)
        };
        let Some(block) = &step.block else {
            return self.draw_value(&item, None);
        };
        let name = if block.block.inline {
            self.sampler.path.pop()
        } else {
            None
        };
        let value = self.draw_value(&item.block_content(block), None);
        self.sampler.path.extend(name);
        value
    }
}

/// Returns the constraints on an item, including those on plausible values.
pub(super) fn required_constraints(
    item: &Item,
) -> impl Iterator<Item = &'static Constraint> + use<> {
    item.constraints()
        .iter()
        .chain(item.step.map_or(&[][..], |step| step.field.plausible))
}

/// Returns `true` if a constraint relates the values of the field in several items.
fn is_compared(step: &Step, item: &Item) -> bool {
    use Requirement::{Forest, Permutation, Position, Sum, Unique};
    let compares = |requirement| {
        matches!(
            requirement,
            Unique | Position | Permutation { .. } | Forest { .. }
        )
    };
    let refers = |requirement| match requirement {
        Sum { of, .. } | Permutation { of, .. } => of == Some(step.field.name),
        _ => false,
    };
    step.field
        .constraints
        .iter()
        .any(|constraint| compares(constraint.requirement))
        || item
            .constraints()
            .iter()
            .any(|constraint| refers(constraint.requirement))
}

/// Returns `true` if a constraint requires the field to be unique within a list.
pub(super) fn is_unique(step: &Step) -> bool {
    has_requirement(step.field.constraints, Requirement::Unique)
}

fn has_requirement(constraints: &[Constraint], requirement: Requirement) -> bool {
    constraints
        .iter()
        .any(|constraint| constraint.requirement == requirement)
}
