//! Runs a program and draws the values that are still open.

use std::collections::HashMap;

use super::Config;
use super::ahead::{Ahead, with_bits};
use super::choices::{Choices, Trace, name_of_count};
use super::draw::{DRAWS, Draw};
use super::relate::is_unique;
use super::relations::Relations;
use super::several::{balanced, distinct, unit_vector};
use crate::layout::assemble::Values;
use crate::layout::program::{Body, Call, Code, Compared, FormId, Frames, Kind, Program, Step, Unit, Use};
use crate::layout::walk::Segment;
use crate::layout::{BinaryOp, Constraint, Declaration, EvalError, Requirement, Scope, Shape, Type, Value};

/// The maximum number of redraws per file.
const MAX_RETRIES: usize = 100_000;

/// The values of a file; those that follow from others are left out.
pub(super) fn values(ty: &'static Type, choices: Choices, config: &Config) -> (Values<'static>, Trace) {
    let draw = Draw::new(choices, config);
    let most = config.max_items.saturating_mul(config.max_items);
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
    generator.value(&Context::of(program.root, &program.no_arguments, &Compared::NONE));
    (generator.values, generator.draw.choices.trace)
}

/// The value to draw, and the facts known about it.
#[derive(Clone)]
pub(super) struct Context<'a> {
    form: FormId,
    call: &'static Call,
    /// The field; `None` for items.
    step: Option<&'static Step>,
    /// Number of items of a list, where that is known.
    count: Option<u64>,
    /// The name under which the number of items is recorded.
    count_name: Option<Segment>,
    /// The item before it in a list.
    pub(super) before: Option<Value>,
    /// The constraints on the value, or on each item.
    pub(super) constraints: &'static [Constraint],
    /// What is plausible of the value, or of each item.
    plausible: &'static [Constraint],
    /// The numbers and patterns that expressions compare it with.
    compared: &'a Compared,
}

impl<'a> Context<'a> {
    fn of(form: FormId, call: &'static Call, compared: &'a Compared) -> Context<'a> {
        let (step, count, count_name, before) = (None, None, None, None);
        Context { form, call, step, count, count_name, before, constraints: &[], plausible: &[], compared }
    }
}

impl Context<'_> {
    /// Returns what files of this sort are to satisfy.
    pub(super) fn required(&self) -> impl Iterator<Item = &'static Constraint> + use<> {
        self.constraints.iter().chain(self.plausible)
    }

    fn requires(&self, is_it: impl Fn(&Requirement) -> bool) -> bool {
        self.constraints.iter().any(|constraint| is_it(&constraint.requirement))
    }
}

pub(super) struct Generator<'c> {
    pub(super) program: &'static Program,
    pub(super) frames: Frames,
    pub(super) draw: Draw<'c>,
    pub(super) values: Values<'static>,
    pub(super) relations: Relations,
    /// The lists that items of a form need a position in.
    pub(super) needed: HashMap<FormId, Vec<&'static [Segment]>>,
    pub(super) max_items: u64,
    /// How many items a list can have at most.
    most: u64,
    /// The redraws left for the whole file. Without a common limit, nested fields that no value satisfies would
    /// multiply.
    retries: usize,
}

impl Generator<'_> {
    /// Draws and returns a value. Structs are returned with the fields that constraints compare only, lists as `None`.
    fn value(&mut self, context: &Context) -> Option<Value> {
        let form = &self.program.forms[context.form];
        match form.kind {
            Kind::Items(item, Some(count)) => {
                let drawn = self.items(item, count, context);
                self.balance(&drawn, context);
                None
            }
            Kind::Items(item, None) => {
                let (count, name) = (context.count, context.count_name.or(self.draw.path.last().copied()));
                let count = count.unwrap_or_else(|| {
                    let has_same_length =
                        context.requires(|requirement| *requirement == Requirement::SameLength);
                    let drawn = self.draw.count();
                    self.relations.count(&self.draw.path, drawn, has_same_length)
                });
                let count = if self.lacks_positions(item) { 0 } else { count.min(self.most) };
                if let Some(counter) = self.relations.counter_of(&self.draw.path) {
                    self.values.put(counter, Some(Value::Int(count.into())));
                    self.relations.sizes.insert(&counter.clone(), Some(count));
                }
                self.relations.sizes.insert(&self.draw.path, Some(count));
                name.iter().for_each(|name| self.draw.choices.list(&self.draw.path, *name, count));
                let drawn = self.items(item, count, context);
                self.permute(&drawn, context);
                None
            }
            Kind::Unit(unit) => self.declared(form.ty, &self.program.units[unit], context),
            Kind::Number(_) | Kind::Text => self.leaf(form.ty, context),
        }
    }

    fn leaf(&mut self, ty: &Type, context: &Context) -> Option<Value> {
        let value = match context.step.and_then(|step| step.usage) {
            Some(Use::Derived) => return None,
            Some(Use::Count) => Value::Int(self.draw.count().into()),
            None if self.relations.is_weightless(&self.draw.path) => Value::Int(0),
            None => self.draw.leaf(ty, &context.compared.numbers, &context.compared.patterns),
        };
        let value = self.adapted_word(value);
        let value = self.adapted(value, context);
        if let (Value::Int(number), Some(_)) = (&value, context.step) {
            self.relations.sizes.insert(&self.draw.path, u64::try_from(*number).ok());
        }
        self.put(context.step, &value);
        Some(value)
    }

    /// Sets a value of the file, and its slot if an expression names it.
    fn put(&mut self, step: Option<&Step>, value: &Value) {
        self.values.put(&self.draw.path, Some(value.clone()));
        if let Some(step) = step {
            self.frames.set(step, value);
        }
    }

    /// Draws and returns items.
    fn items(&mut self, item: FormId, count: u64, context: &Context) -> Vec<Option<Value>> {
        self.values.put(&self.draw.path, None);
        let mut drawn: Vec<Option<Value>> = Vec::new();
        for index in 0..count {
            self.draw.path.push(Segment::Index(index));
            let before = drawn.last().cloned().flatten();
            let context =
                Context { form: item, step: None, count: None, count_name: None, before, ..*context };
            let mut value = self.value(&context);
            self.make_distinct(&drawn, &mut value, &context);
            drawn.push(value);
            self.draw.path.pop();
        }
        self.relate(&drawn, item);
        drawn
    }

    /// Makes an item another than those before it in what a constraint says is unique: its number, or fields of it.
    fn make_distinct(&mut self, before: &[Option<Value>], item: &mut Option<Value>, context: &Context) {
        let is_unique = |draw: &Draw, constraints: &[Constraint]| {
            constraints.iter().any(|c| c.requirement == Requirement::Unique && draw.respects(c))
        };
        let ty = self.program.forms[context.form].ty;
        if is_unique(&self.draw, context.constraints)
            && let Some(number) = distinct(before, item, None, ty)
        {
            self.values.put(&self.draw.path, Some(number.clone()));
            *item = Some(number);
        }
        let Type::Declared(Declaration { shape: Shape::Struct(fields), .. }) = ty else { return };
        for field in fields.iter().filter(|field| is_unique(&self.draw, field.constraints)) {
            if let Some(number) = distinct(before, item, Some(field.name), &field.ty)
                && let Some(Value::Struct(scope)) = item
            {
                scope.push(field.name, number.clone());
                let path = [&self.draw.path[..], &[Segment::Field(field.name)]].concat();
                self.values.put(&path, Some(number));
            }
        }
    }

    /// Makes the numbers of an array add up or a unit vector, where a constraint requires that.
    fn balance(&mut self, drawn: &[Option<Value>], context: &Context) {
        let is_together =
            |c: &Constraint| matches!(c.requirement, Requirement::Sum { .. } | Requirement::UnitVector);
        if !context.required().any(is_together) {
            return;
        }
        let path_of = |index: usize| [&self.draw.path[..], &[Segment::Index(index as u64)]].concat();
        let open = (0..drawn.len()).filter(|index| !self.relations.is_weightless(&path_of(*index)));
        let open: Vec<usize> = open.collect();
        let drawn: Vec<Option<Value>> = open.iter().map(|index| drawn[*index].clone()).collect();
        for constraint in context.required().filter(|constraint| self.draw.respects(constraint)) {
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

    fn declared(&mut self, ty: &Type, unit: &'static Unit, context: &Context) -> Option<Value> {
        match &unit.body {
            Body::Struct(steps) => {
                let (outer, _) = self.frames.enter(unit, context.call);
                let value = self.fields(unit, steps, context);
                self.frames.leave(outer, context.step);
                value
            }
            Body::Choice(variants) => {
                let (outer, _) = self.frames.enter(unit, context.call);
                let chosen = self.choose(variants);
                let value = chosen.and_then(|step| self.field(step, unit.compared(self.program)));
                self.frames.leave(outer, context.step);
                value
            }
            Body::Enum(_) | Body::Word(_) => self.leaf(ty, context),
        }
    }

    /// Returns the first alternative whose condition holds. Without one, draws from those whose condition is undecided.
    fn choose(&mut self, variants: &'static [(Code, Step)]) -> Option<&'static Step> {
        let open = match self.frames.choose(variants) {
            Ok(step) => return Some(step),
            Err(open) => open,
        };
        open.get(self.draw.below(open.len() as u64) as usize).copied()
    }

    fn fields(&mut self, unit: &'static Unit, steps: &'static [Step], context: &Context) -> Option<Value> {
        let compared = unit.compared(self.program);
        let mut kept = Scope::default();
        let mut ahead = Ahead::default();
        for step in steps {
            if step.field.lookahead {
                for attempt in 0..DRAWS + compared.numbers.len() + 128 {
                    self.draw.force(attempt, &compared.numbers);
                    self.ahead(step, &compared.numbers, &mut ahead);
                    if self.may_follow(steps) || self.retries == 0 {
                        break;
                    }
                    self.retries -= 1;
                }
                self.draw.forced = None;
                continue;
            }
            self.draw.path.push(Segment::Field(step.field.name));
            let seen_bits = ahead.pass(step, &mut self.frames);
            let mut value = None;
            let start = self.draw.choices.trace.choices.len();
            for attempt in 0..DRAWS + compared.numbers.len() + 128 {
                self.draw.force(attempt, &compared.numbers);
                value = self.field(step, compared);
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
            // Whether the field is there was open, so that it says now what its offset will be.
            if let Some(Code::Binary(BinaryOp::NotEqual, sides)) = &step.condition
                && let [Code::Slot(offset, _), Code::Int(0)] = **sides
                && self.frames.truth(step.condition.as_ref()?) == Err(EvalError::Unknown)
            {
                self.frames.put(offset, &Value::Int(value.is_some().into()));
            }
            if let Some(value) = value.filter(|_| is_compared(step, context)) {
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

    /// What a look-ahead sees: the fields that lie there will have these bits.
    fn ahead(&mut self, looking: &'static Step, literals: &[i128], ahead: &mut Ahead) {
        *ahead = Ahead { at: Some(0), seen: Vec::new() };
        let form = &self.program.forms[looking.form];
        let unit = if let Kind::Unit(unit) = form.kind { Some(&self.program.units[unit]) } else { None };
        let Some(Unit { body: Body::Struct(steps), slots, .. }) = unit else {
            let value = self.draw.leaf(form.ty, literals, &[]);
            self.frames.set(looking, &value);
            ahead.seen.push((0, value));
            return;
        };
        let mut at = 0;
        for step in steps {
            let ty = &step.field.ty;
            if *ty != Type::NulString && ty.items().is_none() {
                let value = self.draw.leaf(ty, literals, &[]);
                for (from, to) in &looking.exports {
                    if slots[*from as usize].path == [step.field.name] {
                        self.frames.put(*to, &value);
                    }
                }
                ahead.seen.push((at, value));
            }
            let Some(size) = ty.size() else { return };
            at += size;
        }
    }

    /// Draws a field if its condition holds. If the condition is undecided, presence is drawn, too.
    fn field(&mut self, step: &'static Step, compared: &Compared) -> Option<Value> {
        let is_there = match &step.condition {
            Some(condition) => self.frames.truth(condition).unwrap_or_else(|_| self.draw.below(2) == 1),
            None => true,
        };
        if !is_there {
            return None;
        }
        let count = step.count.as_ref().filter(|_| step.block.is_none());
        let count = count.and_then(|count| self.frames.int(count).ok());
        let (form, call) = step.content();
        let context = Context {
            step: Some(step),
            count: count.map(|count| u64::try_from(count).unwrap_or_default()),
            count_name: step.field.count.as_ref().and_then(name_of_count),
            constraints: step.field.constraints,
            plausible: step.field.plausible,
            ..Context::of(form, call, compared)
        };
        let is_inline = step.field.block.is_some_and(|block| block.inline);
        let name = if is_inline { self.draw.path.pop() } else { None };
        let value = self.value(&context);
        self.draw.path.extend(name);
        value
    }
}

/// Returns `true` if constraints compare the field with that of other items.
fn is_compared(step: &Step, context: &Context) -> bool {
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
        || context.requires(|requirement| match requirement {
            Requirement::Sum { of, .. } | Requirement::Permutation { of, .. } => *of == name,
            _ => false,
        })
}
