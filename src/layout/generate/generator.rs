//! Runs a program and draws its undetermined values.

use std::collections::HashMap;

use super::Config;
use super::choices::{Choices, Trace, name_of_count};
use super::draw::{DRAWS, Draw};
use super::lookahead::{Lookahead, with_bits};
use super::relations::Relations;
use super::several::{balanced, distinct, unit_vector};
use crate::layout::assemble::Values;
use crate::layout::declaration::{Constraint, Declaration, Requirement, Shape, Type};
use crate::layout::expr::{BinaryOp, EvalError, Scope, Value};
use crate::layout::program::{Code, Compared, FormId, Frames, Item, Kind, Program, Step, Unit, Use};
use crate::layout::walk::Segment;

/// The maximum number of redraws for a file.
const MAX_RETRIES: usize = 100_000;

/// Draws the values of a file; derived values are omitted.
pub(super) fn values(ty: &'static Type, choices: Choices, config: &Config) -> (Values<'static>, Trace) {
    let draw = Draw::new(choices, config);
    let most = config.max_items.saturating_mul(config.max_items.max(config.large_items));
    let (program, values) = (Program::of(ty), Values::new(ty));
    let frames = Frames::new(program);
    let (relations, max_items, retries) = (Relations::new(ty), config.max_items, MAX_RETRIES);
    let mut generator = Generator {
        program,
        frames,
        draw,
        values,
        relations,
        needed: HashMap::new(),
        most,
        max_items,
        retries,
    };
    generator.value(&Item::root(program), None);
    (generator.values, generator.draw.choices.trace)
}

pub(super) struct Generator<'c> {
    pub(super) program: &'static Program,
    pub(super) frames: Frames,
    pub(super) draw: Draw<'c>,
    pub(super) values: Values<'static>,
    pub(super) relations: Relations,
    /// The lists that the items of each form need an index into.
    pub(super) needed: HashMap<FormId, Vec<&'static [Segment]>>,
    pub(super) max_items: u64,
    /// The maximum number of items of any list.
    most: u64,
    /// The remaining redraws for the whole file. With a limit per field, redraws of nested fields that no value
    /// satisfies would multiply.
    retries: usize,
}

impl Generator<'_> {
    /// Draws and returns a value; `before` is the previous item of a list. Structs are returned with only the
    /// fields that constraints compare, lists as `None`.
    fn value(&mut self, item: &Item, before: Option<&Value>) -> Option<Value> {
        let form = &self.program.forms[item.form];
        match form.kind {
            Kind::Number(_) | Kind::Text => self.leaf(form.ty, item, before),
            Kind::Items(inner, Some(count)) => {
                let drawn = self.items(item, inner, count);
                self.balance(&drawn, item);
                None
            }
            Kind::Items(inner, None) => {
                let count = self.count(item, inner);
                let drawn = self.items(item, inner, count);
                self.permute(&drawn, item);
                None
            }
            Kind::Struct(unit) | Kind::Choice(unit) => {
                let unit = &self.program.units[unit];
                let (outer, _) = self.frames.enter(unit, item.call);
                let value = match form.kind {
                    Kind::Choice(_) => self.choose(&unit.steps).and_then(|step| self.field(step)),
                    _ => self.fields(&unit.steps, item),
                };
                self.frames.leave(outer, item.own_step());
                value
            }
        }
    }

    /// Returns the number of items of a list, drawn if it is undetermined.
    fn count(&mut self, list: &Item, inner: FormId) -> u64 {
        let count = list.count.unwrap_or_else(|| {
            let has_same_length = |c: &Constraint| c.requirement == Requirement::SameLength;
            let drawn = self.draw.count(u64::MAX);
            self.relations.count(&self.draw.path, drawn, list.constraints().iter().any(has_same_length))
        });
        let count = if self.lacks_positions(inner) { 0 } else { count.min(self.most) };
        if let Some(counter) = self.relations.counter_of(&self.draw.path) {
            self.values.put(counter, Some(Value::Int(count.into())));
            self.relations.sizes.insert(&counter.clone(), Some(count));
        }
        self.relations.sizes.insert(&self.draw.path, Some(count));
        let expr = list.own_step().and_then(|step| step.field.count.as_ref());
        let name = expr.and_then(name_of_count).or(self.draw.path.last().copied());
        name.iter().for_each(|name| self.draw.choices.list(&self.draw.path, *name, count));
        count
    }

    fn leaf(&mut self, ty: &Type, item: &Item, before: Option<&Value>) -> Option<Value> {
        let (step, compared) = (item.own_step(), self.compared());
        let value = match step.and_then(|step| step.usage) {
            Some(Use::Derived) => return None,
            Some(Use::Count) => {
                let max = ty.int().and_then(|int| u64::try_from(int.range().1).ok());
                Value::Int(self.draw.count(max.unwrap_or(u64::MAX)).into())
            }
            None if self.relations.is_weightless(&self.draw.path) => Value::Int(0),
            None => self.draw.leaf(ty, &compared.numbers, &compared.patterns),
        };
        let value = self.with_reserved_bits(value, ty, item);
        let value = self.adapted_word(value);
        let value = self.adapted(value, item, before);
        if let (Value::Int(number), Some(_)) = (&value, step) {
            self.relations.sizes.insert(&self.draw.path, u64::try_from(*number).ok());
        }
        self.put(step, &value);
        Some(value)
    }

    /// Sets some reserved bits of a word, if files may violate the rule against it.
    fn with_reserved_bits(&mut self, value: Value, ty: &Type, item: &Item) -> Value {
        let may_break = |c: &Constraint| c.requirement == Requirement::ReservedZero && !self.draw.respects(c);
        match value {
            Value::Bits(word, declaration) if item.constraints().iter().any(may_break) => {
                // Rarely, and at most one bit.
                let bits = match self.draw.below(8) {
                    1 => 1 << self.draw.below(8 * ty.size().unwrap_or(1).clamp(1, 16)),
                    _ => 0,
                };
                Value::Bits(word | bits & ty.reserved_bits(), declaration)
            }
            value => value,
        }
    }

    /// Sets a value of the file, and its slot if an expression refers to it.
    fn put(&mut self, step: Option<&Step>, value: &Value) {
        self.values.put(&self.draw.path, Some(value.clone()));
        if let Some(step) = step {
            self.frames.set(step, value);
        }
    }

    /// Returns the numbers and patterns that the innermost unit compares values with.
    fn compared(&self) -> &'static Compared {
        static NONE: Compared = Compared::NONE;
        self.frames.seen().unit.map_or(&NONE, |unit| unit.compared(self.program))
    }

    /// Draws and returns items.
    fn items(&mut self, list: &Item, inner: FormId, count: u64) -> Vec<Option<Value>> {
        self.values.put(&self.draw.path, None);
        let (item, mut drawn) = (list.item(inner), Vec::<Option<Value>>::new());
        for index in 0..count {
            self.draw.path.push(Segment::Index(index));
            let mut value = self.value(&item, drawn.last().and_then(Option::as_ref));
            self.make_distinct(&drawn, &mut value, &item);
            drawn.push(value);
            self.draw.path.pop();
        }
        self.relate(&drawn, inner);
        drawn
    }

    /// Makes an item, or fields of it, distinct from earlier items where a constraint requires it.
    fn make_distinct(&mut self, before: &[Option<Value>], value: &mut Option<Value>, item: &Item) {
        let is_unique = |draw: &Draw, constraints: &[Constraint]| {
            constraints.iter().any(|c| c.requirement == Requirement::Unique && draw.respects(c))
        };
        let ty = self.program.forms[item.form].ty;
        if is_unique(&self.draw, item.constraints())
            && let Some(number) = distinct(before, value, None, ty)
        {
            self.values.put(&self.draw.path, Some(number.clone()));
            *value = Some(number);
        }
        let Type::Declared(Declaration { shape: Shape::Struct(fields), .. }) = ty else { return };
        for field in fields.iter().filter(|field| is_unique(&self.draw, field.constraints)) {
            if let Some(number) = distinct(before, value, Some(field.name), &field.ty)
                && let Some(Value::Struct(scope)) = value
            {
                scope.push(field.name, number.clone());
                let path = [&self.draw.path[..], &[Segment::Field(field.name)]].concat();
                self.values.put(&path, Some(number));
            }
        }
    }

    /// Adapts the numbers of an array to a required sum or unit length.
    fn balance(&mut self, drawn: &[Option<Value>], list: &Item) {
        let is_together =
            |c: &Constraint| matches!(c.requirement, Requirement::Sum { .. } | Requirement::UnitVector);
        if !required(list).any(is_together) {
            return;
        }
        let path_of = |index: usize| [&self.draw.path[..], &[Segment::Index(index as u64)]].concat();
        let open = (0..drawn.len()).filter(|index| !self.relations.is_weightless(&path_of(*index)));
        let open: Vec<usize> = open.collect();
        let drawn: Vec<Option<Value>> = open.iter().map(|index| drawn[*index].clone()).collect();
        for constraint in required(list).filter(|constraint| self.draw.respects(constraint)) {
            let (of, numbers) = match constraint.requirement {
                Requirement::Sum { of, total, tolerance } => (of, balanced(&drawn, of, total, tolerance)),
                Requirement::UnitVector => (None, unit_vector(&drawn)),
                _ => continue,
            };
            let numbers = numbers.unwrap_or_default();
            for (index, number) in open.iter().zip(numbers) {
                let steps = [Some(Segment::Index(*index as u64)), of.map(Segment::Field)];
                let path = self.draw.path.iter().copied().chain(steps.into_iter().flatten());
                self.values.put(&path.collect::<Vec<_>>(), Some(number));
            }
        }
    }

    /// Returns the first variant whose condition holds. Without one, draws from those whose condition is
    /// undecided.
    fn choose(&mut self, variants: &'static [Step]) -> Option<&'static Step> {
        let open = match self.frames.choose(variants) {
            Ok(step) => return Some(step),
            Err(open) => open,
        };
        open.get(self.draw.below(open.len() as u64) as usize).copied()
    }

    fn fields(&mut self, steps: &'static [Step], item: &Item) -> Option<Value> {
        let compared = self.compared();
        let mut kept = Scope::default();
        let mut lookahead = Lookahead::default();
        for step in steps {
            if step.field.lookahead {
                for attempt in 0..DRAWS + compared.numbers.len() + 128 {
                    self.draw.force(attempt, &compared.numbers);
                    self.lookahead(step, &compared.numbers, &mut lookahead);
                    if self.may_follow(steps) || self.retries == 0 {
                        break;
                    }
                    self.retries -= 1;
                }
                self.draw.forced = None;
                continue;
            }
            self.draw.path.push(Segment::Field(step.field.name));
            let seen_bits = lookahead.pass(step, &mut self.frames);
            let mut value = None;
            let start = self.draw.choices.trace.choices.len();
            for attempt in 0..DRAWS + compared.numbers.len() + 128 {
                self.draw.force(attempt, &compared.numbers);
                value = self.field(step);
                if let (Some(drawn), Some(bits)) = (&value, seen_bits) {
                    let seen = self.adapted_word(with_bits(drawn, bits));
                    self.put(Some(step), &seen);
                    value = Some(seen);
                }
                if self.is_allowed(step) && self.is_new(step, &value) || self.retries == 0 {
                    if attempt > 0 && step.condition.is_none() {
                        self.draw.forget_attempts(start, &value, &step.field.ty, step.usage);
                    }
                    break;
                }
                self.retries -= 1;
            }
            self.draw.forced = None;
            if let (Some(Value::Bits(word, _)), true) = (&value, is_unique(step)) {
                self.relations.keep(&self.draw.path, *word);
            }
            self.draw.path.pop();
            self.size_lists(steps);
            // The presence of the field was drawn, so the offset in its condition must be consistent with it.
            if let Some(Code::Binary(BinaryOp::NotEqual, sides)) = &step.condition
                && let [Code::Slot(offset, _), Code::Int(0)] = **sides
                && self.frames.truth(step.condition.as_ref()?) == Err(EvalError::Unknown)
            {
                self.frames.put(offset, &Value::Int(value.is_some().into()));
            }
            if let Some(value) = value.filter(|_| is_compared(step, item)) {
                kept.push(step.field.name, value);
            }
        }
        Some(Value::Struct(kept))
    }

    /// Returns `false` if a field violates a check or constraint whose values are known.
    fn is_allowed(&self, step: &Step) -> bool {
        let holds = |condition: &Code| self.frames.truth(condition) != Ok(false);
        step.checks.iter().all(holds)
            && step.holds.iter().all(|(constraint, code)| !self.draw.respects(constraint) || holds(code))
    }

    /// Draws the values that a look-ahead reads; the fields at the same offsets then get these bits.
    fn lookahead(&mut self, looking: &'static Step, literals: &[i128], lookahead: &mut Lookahead) {
        *lookahead = Lookahead { at: Some(0), seen: Vec::new() };
        let form = &self.program.forms[looking.form];
        let Kind::Struct(unit) = form.kind else {
            let value = self.draw.leaf(form.ty, literals, &[]);
            self.frames.set(looking, &value);
            lookahead.seen.push((0, value));
            return;
        };
        let (Unit { steps, slots, .. }, mut at) = (&self.program.units[unit], 0);
        for step in steps {
            let ty = &step.field.ty;
            if *ty != Type::NulString && ty.items().is_none() {
                let value = self.draw.leaf(ty, literals, &[]);
                for (from, to) in &looking.exports {
                    if slots[*from as usize].path == [step.field.name] {
                        self.frames.put(*to, &value);
                    }
                }
                lookahead.seen.push((at, value));
            }
            let Some(size) = ty.size() else { return };
            at += size;
        }
    }

    /// Draws a field if its condition holds. If the condition is undecided, also draws its presence.
    fn field(&mut self, step: &'static Step) -> Option<Value> {
        let is_there = match &step.condition {
            Some(condition) => self.frames.truth(condition).unwrap_or_else(|_| self.draw.below(2) == 1),
            None => true,
        };
        if !is_there {
            return None;
        }
        let count = step.count.as_ref().and_then(|count| self.frames.int(count).ok());
        let count = count.map(|count| u64::try_from(count).unwrap_or_default());
        let item = Item { count, ..Item::of_field(step) };
        let Some(block) = &step.block else { return self.value(&item, None) };
        let name = if block.block.inline { self.draw.path.pop() } else { None };
        let value = self.value(&item.content(block), None);
        self.draw.path.extend(name);
        value
    }
}

/// Returns the constraints that generated files satisfy.
pub(super) fn required(item: &Item) -> impl Iterator<Item = &'static Constraint> + use<> {
    item.constraints().iter().chain(item.step.map_or(&[][..], |step| step.field.plausible))
}

/// Returns `true` if constraints compare the field across items.
fn is_compared(step: &Step, item: &Item) -> bool {
    let compares = |constraint: &Constraint| {
        matches!(
            constraint.requirement,
            Requirement::Unique
                | Requirement::Position
                | Requirement::Permutation { .. }
                | Requirement::Forest { .. }
        )
    };
    let name = Some(step.field.name);
    step.field.constraints.iter().any(compares)
        || item.constraints().iter().any(|constraint| match constraint.requirement {
            Requirement::Sum { of, .. } | Requirement::Permutation { of, .. } => of == name,
            _ => false,
        })
}

/// Returns `true` if a constraint requires the field to be unique within a list.
pub(super) fn is_unique(step: &Step) -> bool {
    step.field.constraints.iter().any(|constraint| constraint.requirement == Requirement::Unique)
}
