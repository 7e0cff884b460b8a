//! Goes through a declaration and draws what is not decided yet.

use super::Config;
use super::choices::{Choices, Trace};
use super::draw::{DRAWS, Draw};
use super::several::{balanced, distinct};
use super::uses::{Use, Used, name_of_count, of_fields, of_name, within};
use crate::layout::assemble::Values;
use crate::layout::walk::Segment;
use crate::layout::{
    BinaryOp, Constraint, Declaration, Expr, Field, Requirement, Scope, Shape, Type, Value, Variant,
};

/// How often values of a file are drawn anew.
const MAX_RETRIES: usize = 100_000;

/// The values of a file; those that follow from others are left out.
pub(super) fn values(ty: &'static Type, choices: Choices, config: &Config) -> (Values<'static>, Trace) {
    let draw = Draw::new(choices, config);
    let most = config.max_items.saturating_mul(config.max_items);
    let mut generator = Generator { draw, values: Values::new(ty), most, retries: MAX_RETRIES };
    generator.value(ty, &Around::default());
    (generator.values, generator.draw.choices.trace)
}

/// What surrounds a value.
#[derive(Default)]
struct Around<'a> {
    scope: Scope,
    arguments: &'static [Expr],
    /// Number of items of a list, where that is known.
    count: Option<u64>,
    /// What its number of items is called.
    count_name: Option<Segment>,
    /// The item before it in a list.
    before: Option<Value>,
    /// What the parts of the value are used for, and the value itself.
    used: Vec<Used>,
    own: Option<Use>,
    /// What the field says of the value, or of each item.
    constraints: &'static [Constraint],
    /// Numbers and strings that expressions compare with.
    literals: &'a [i128],
    patterns: &'a [&'static str],
}

struct Generator<'c> {
    draw: Draw<'c>,
    values: Values<'static>,
    /// How many items a list can have at most.
    most: u64,
    /// How often values can still be drawn anew, in the whole file: those that nothing satisfies may lie in each other.
    retries: usize,
}

impl Generator<'_> {
    /// Draws a value; returns what expressions may see of it.
    fn value(&mut self, ty: &'static Type, around: &Around) -> Option<Value> {
        match ty {
            Type::Array(item, count) => {
                let drawn = self.items(item, *count, around);
                self.balance(&drawn, around);
                None
            }
            Type::List(item) => {
                let (count, name) = (around.count, around.count_name.or(self.draw.path.last().copied()));
                let count = count.unwrap_or_else(|| self.draw.count()).min(self.most);
                name.iter().for_each(|name| self.draw.choices.list(&self.draw.path, *name, count));
                self.items(item, count, around);
                None
            }
            Type::Declared(declaration) => self.declared(ty, declaration, around),
            plain => self.leaf(plain, around),
        }
    }

    fn leaf(&mut self, ty: &Type, around: &Around) -> Option<Value> {
        let value = match around.own {
            Some(Use::Derived) => return None,
            Some(Use::Count) => Value::Int(self.draw.count().into()),
            _ => self.draw.leaf(ty, around.literals, around.patterns),
        };
        let value = around.constraints.iter().fold(value, |value, constraint| {
            let applies =
                constraint.condition.is_none_or(|condition| condition.eval_bool(&around.scope) == Ok(true));
            if !(applies && self.draw.respects(constraint)) {
                return value;
            }
            self.draw.adapted(value, &constraint.requirement, &around.scope, around.before.as_ref())
        });
        self.values.put(&self.draw.path, Some(value.clone()));
        Some(value)
    }

    /// Draws items; returns what expressions may see of them.
    fn items(&mut self, item: &'static Type, count: u64, around: &Around) -> Vec<Option<Value>> {
        self.values.put(&self.draw.path, None);
        let mut drawn: Vec<Option<Value>> = Vec::new();
        for index in 0..count {
            self.draw.path.push(Segment::Index(index));
            let (scope, before) = (around.scope.clone(), drawn.last().cloned().flatten());
            let around = Around {
                scope,
                before,
                count: None,
                count_name: None,
                own: None,
                used: Vec::new(),
                ..*around
            };
            let mut value = self.value(item, &around);
            self.make_distinct(&drawn, &mut value, item, &around);
            drawn.push(value);
            self.draw.path.pop();
        }
        drawn
    }

    /// Makes an item another than those before it in what a constraint says is unique: its number, or fields of it.
    fn make_distinct(
        &mut self,
        before: &[Option<Value>],
        item: &mut Option<Value>,
        ty: &'static Type,
        around: &Around,
    ) {
        let is_unique = |draw: &Draw, constraints: &[Constraint]| {
            constraints.iter().any(|c| c.requirement == Requirement::Unique && draw.respects(c))
        };
        if is_unique(&self.draw, around.constraints)
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

    /// Makes the numbers of an array add up, where a constraint says to what.
    fn balance(&mut self, drawn: &[Option<Value>], around: &Around) {
        for constraint in around.constraints.iter().filter(|constraint| self.draw.respects(constraint)) {
            let Requirement::Sum { of, total, tolerance } = constraint.requirement else { continue };
            let numbers = balanced(drawn, of, total, tolerance).unwrap_or_default();
            for (index, number) in numbers.into_iter().enumerate() {
                let steps = [Some(Segment::Index(index as u64)), of.map(Segment::Field)];
                let path = self.draw.path.iter().copied().chain(steps.into_iter().flatten());
                self.values.put(&path.collect::<Vec<_>>(), Some(number));
            }
        }
    }

    fn declared(&mut self, ty: &Type, declaration: &'static Declaration, around: &Around) -> Option<Value> {
        let arguments = around.arguments.iter().map(|argument| argument.eval(&around.scope).ok());
        let known = declaration.imports.iter().copied().zip(arguments);
        let scope = Scope::new(known.filter_map(|(name, value)| Some((name, value?))).collect());
        match declaration.shape {
            Shape::Struct(fields) => self.fields(fields, scope, &around.used),
            Shape::Choice(variants) => {
                let chosen = variants.iter().find(|variant| variant.condition.eval_bool(&scope) == Ok(true));
                let possible = || variants.iter().filter(|v| v.condition.eval_bool(&scope).is_err());
                let drawn = || possible().nth(self.draw.below(possible().count() as u64) as usize);
                let variant = chosen.or_else(drawn)?;
                self.field(
                    &variant.field,
                    &scope,
                    &[],
                    &literals(std::slice::from_ref(&variant.field), variants),
                )
            }
            Shape::Enum { .. } | Shape::Bits { .. } => self.leaf(ty, around),
        }
    }

    fn fields(&mut self, fields: &'static [Field], mut scope: Scope, outer: &[Used]) -> Option<Value> {
        let imports = scope.len();
        let used = [of_fields(fields), outer.to_vec()].concat();
        let literals = literals(fields, &[]);
        let mut ahead = Ahead::default();
        for field in fields {
            if field.lookahead {
                if let Some(value) = self.ahead(field, &literals.0, &mut ahead) {
                    scope.push(field.name, value);
                }
                continue;
            }
            self.draw.path.push(Segment::Field(field.name));
            let seen_bits = ahead.pass(field, &scope);
            let mut value = None;
            for attempt in 0..DRAWS + literals.0.len() + 128 {
                self.draw.force(attempt, &literals.0);
                value = self.field(field, &scope, &used, &literals);
                if let (Some(drawn), Some(bits)) = (&value, seen_bits) {
                    let seen = with_bits(drawn, bits);
                    self.values.put(&self.draw.path, Some(seen.clone()));
                    value = Some(seen);
                }
                let mut seen = scope.clone();
                seen.push(field.name, value.clone().unwrap_or(Value::Bool(false)));
                let holds = |condition: &Expr| condition.eval_bool(&seen) != Ok(false);
                let is_allowed = |constraint: &Constraint| match &constraint.requirement {
                    Requirement::Holds(condition) if self.draw.respects(constraint) => holds(condition),
                    _ => true,
                };
                let checks = field.checks.iter().all(|check| holds(&check.condition));
                if checks && field.constraints.iter().all(is_allowed) || self.retries == 0 {
                    break;
                }
                self.retries -= 1;
            }
            self.draw.forced = None;
            self.draw.path.pop();
            // Whether the field is there was open, so that it says now what its offset will be.
            if let Some(Expr::Binary(BinaryOp::NotEqual, Expr::Path([offset]), Expr::Literal(0))) =
                field.condition
                && scope.get(offset).is_none()
            {
                scope.push(offset, Value::Int(value.is_some().into()));
            }
            if let Some(value) = value {
                scope.push(field.name, value);
            }
        }
        Some(Value::Struct(scope.without_first(imports)))
    }

    /// What a look-ahead sees: the fields that lie there will have these bits.
    fn ahead(&mut self, looking: &Field, literals: &[i128], ahead: &mut Ahead) -> Option<Value> {
        *ahead = Ahead { at: Some(0), seen: Vec::new() };
        let Type::Declared(Declaration { shape: Shape::Struct(fields), .. }) = looking.ty else {
            let value = self.draw.leaf(&looking.ty, literals, &[]);
            ahead.seen.push((0, value.clone()));
            return Some(value);
        };
        let (mut scope, mut at) = (Scope::default(), 0);
        for field in fields.iter() {
            if !matches!(field.ty, Type::Array(..) | Type::List(_) | Type::NulString) {
                let value = self.draw.leaf(&field.ty, literals, &[]);
                scope.push(field.name, value.clone());
                ahead.seen.push((at, value));
            }
            at += field.ty.size()?;
        }
        Some(Value::Struct(scope))
    }

    /// One field, unless its condition says that it is not there; where that is not decided, it is decided now.
    fn field(
        &mut self,
        field: &'static Field,
        scope: &Scope,
        used: &[Used],
        literals: &(Vec<i128>, Vec<&'static str>),
    ) -> Option<Value> {
        let is_there = match &field.condition {
            Some(condition) => condition.eval_bool(scope).unwrap_or_else(|_| self.draw.below(2) == 1),
            None => true,
        };
        if !is_there {
            return None;
        }
        let count = field.count.as_ref().and_then(|count| count.eval_int(scope).ok());
        let (ty, arguments) = match &field.block {
            Some(block) => (&block.content, block.arguments),
            None => (&field.ty, field.arguments),
        };
        let around = Around {
            scope: scope.clone(),
            arguments,
            count: count
                .filter(|_| field.block.is_none())
                .map(|count| u64::try_from(count).unwrap_or_default()),
            count_name: field.count.as_ref().and_then(name_of_count),
            constraints: field.constraints,
            before: None,
            used: within(used, field.name),
            own: of_name(used, field.name),
            literals: &literals.0,
            patterns: &literals.1,
        };
        let is_inline = field.block.is_some_and(|block| block.inline);
        let name = if is_inline { self.draw.path.pop() } else { None };
        let value = self.value(ty, &around);
        self.draw.path.extend(name);
        value
    }
}

/// Values that a look-ahead saw, by their offsets from where it looked.
#[derive(Default)]
struct Ahead {
    /// Where the next field lies; `None` where that is not known.
    at: Option<u64>,
    seen: Vec<(u64, Value)>,
}

impl Ahead {
    /// The bits that were seen of a field, and which of its bits they are.
    fn pass(&mut self, field: &Field, scope: &Scope) -> Option<(u128, u128)> {
        let (at, size) = (self.at?, field.size(scope));
        self.at = size.map(|size| at + size);
        if size == Some(0) {
            return None;
        }
        match &self.seen.iter().find(|(place, _)| *place == at)?.1 {
            Value::Bits(word, Declaration { shape: Shape::Bits { fields, .. }, .. }) => {
                let known = fields.iter().filter(|field| !field.reserved);
                Some((*word, known.fold(0, |mask, field| mask | field.bits.mask())))
            }
            Value::Int(number) => Some((*number as u128, u128::MAX)),
            _ => None,
        }
    }
}

/// A number or packed word in which some bits are those that were seen.
fn with_bits(value: &Value, (bits, mask): (u128, u128)) -> Value {
    match value {
        Value::Bits(word, declaration) => Value::Bits(word & !mask | bits & mask, declaration),
        Value::Int(number) => Value::Int((*number as u128 & !mask | bits & mask) as i128),
        other => other.clone(),
    }
}

/// The numbers, with their neighbours, and patterns that checks and conditions compare with.
fn literals(fields: &'static [Field], variants: &'static [Variant]) -> (Vec<i128>, Vec<&'static str>) {
    let (mut numbers, mut patterns) = (Vec::new(), Vec::new());
    let mut note = |expr: &Expr| match expr {
        Expr::Literal(number) => {
            for number in [Some(*number), number.checked_add(1), number.checked_sub(1)].into_iter().flatten()
            {
                if !numbers.contains(&number) {
                    numbers.push(number);
                }
            }
        }
        Expr::Matches(_, pattern) => patterns.push(*pattern),
        _ => {}
    };
    for field in fields {
        field.checks.iter().for_each(|check| check.condition.visit(&mut note));
        for constraint in field.constraints {
            if let Requirement::Holds(condition) = &constraint.requirement {
                condition.visit(&mut note);
            }
        }
        field.condition.iter().for_each(|condition| condition.visit(&mut note));
        field.block.iter().flat_map(|block| block.arguments).for_each(|argument| argument.visit(&mut note));
        if let Some(Declaration { shape: Shape::Choice(variants), .. }) = field.ty.declaration() {
            variants.iter().for_each(|variant| variant.condition.visit(&mut note));
        }
    }
    variants.iter().for_each(|variant| variant.condition.visit(&mut note));
    (numbers, patterns)
}
