//! Draws values that satisfy constraints between items, and constraints on bit fields.

use super::generator::{Generator, is_unique, required_constraints};
use super::number_lists::integers;
use super::relations::{ranks, to_forest, to_ordered_forest};
use crate::Severity;
use crate::layout::declaration::bits::WordFields;
use crate::layout::declaration::{Constraint, Declaration, Requirement, Shape, Type};
use crate::layout::expr::{Expr, Lookup, Value};
use crate::layout::program::{FormId, Item, Program, Step};
use crate::layout::walk::Segment;

impl Generator<'_> {
    /// Adapts a drawn value to its constraints.
    pub fn adapt(&mut self, value: Value, item: &Item, before: Option<&Value>) -> Value {
        let seen = self.frames.visible_values();
        let eval = |expr: &Expr| expr.eval_int(&seen).ok();
        let mut adapted = value;
        for constraint in required_constraints(item) {
            if !constraint.applies(&seen) || !self.sampler.must_satisfy(constraint) {
                continue;
            }
            let path = &self.sampler.path;
            let other = match (&constraint.requirement, &adapted) {
                (Requirement::Counts { list }, _) => {
                    self.relations.record_counter(path, list);
                    None
                }
                (requirement @ Requirement::IndexInto { none, .. }, Value::Int(number)) => {
                    let none = none.as_ref().and_then(eval);
                    self.relations
                        .index_for(path, *number, requirement, none, self.max_items)
                }
                (Requirement::Within { list, first }, Value::Int(number)) => {
                    let size = self.relations.list_counts.find(path, list).map(i128::from);
                    size.zip(eval(first)).map(|(size, drawn)| {
                        let position = drawn.rem_euclid(size + 1);
                        if let (Expr::Path([name]), [outer @ .., _]) = (first, &path[..]) {
                            let path = [outer, &[Segment::Field(name)]].concat();
                            self.values.set_value(&path, Some(Value::Int(position)));
                        }
                        number.rem_euclid(size - position + 1)
                    })
                }
                (requirement, _) => {
                    adapted = self.sampler.adapt(adapted, requirement, &seen, before);
                    None
                }
            };
            adapted = other.map_or(adapted, Value::Int);
        }
        adapted
    }

    /// Replaces the numbers in the structs of a list with positions, permutations or parents, where constraints require
    /// these.
    pub fn relate_items(&mut self, drawn: &[Option<Value>], item: FormId) {
        let Type::Declared(Declaration {
            shape: Shape::Struct(fields),
            ..
        }) = self.program.forms[item].ty
        else {
            return;
        };
        for field in *fields {
            for constraint in field.constraints {
                if !self.sampler.must_satisfy(constraint) {
                    continue;
                }
                let Some(numbers) = integers(drawn, Some(field.name)) else {
                    continue;
                };
                let seen = self.frames.visible_values();
                let eval =
                    |expr: &Option<Expr>| expr.as_ref().and_then(|expr| expr.eval_int(&seen).ok());
                let numbers = match constraint.requirement {
                    Requirement::Position => (0..numbers.len() as i128).collect(),
                    Requirement::Permutation { .. } => ranks(&numbers),
                    Requirement::Forest {
                        none,
                        rooted: false,
                        parents_first: false,
                        ..
                    } => to_forest(&numbers, eval(&none)),
                    Requirement::Forest { none, rooted, .. } => {
                        to_ordered_forest(&numbers, eval(&none), rooted)
                    }
                    _ => continue,
                };
                for (index, number) in numbers.into_iter().enumerate() {
                    self.set_item(index, Some(field.name), Value::Int(number));
                }
            }
        }
    }

    /// Returns `true` if items of a list must contain an index into another list that is empty.
    pub fn lacks_index_targets(&mut self, item: FormId) -> bool {
        let ty = self.program.forms[item].ty;
        let lists = self.indexed_lists.entry(item).or_insert_with(|| {
            let is_needed = |constraint: &&Constraint| constraint.rule.severity >= Severity::Error;
            let list = |constraint: &Constraint| match constraint.requirement {
                Requirement::IndexInto {
                    list, none: None, ..
                } => Some(list),
                _ => None,
            };
            Program::of(ty)
                .constraints()
                .filter(is_needed)
                .filter_map(list)
                .collect()
        });
        lists
            .iter()
            .any(|list| self.relations.list_counts.find(&self.sampler.path, list) == Some(0))
    }

    /// Replaces the numbers of a list with their ranks, where a constraint requires a permutation.
    pub fn replace_by_ranks(&mut self, drawn: &[Option<Value>], list: &Item) {
        for constraint in list.constraints() {
            let Requirement::Permutation { of, groups } = constraint.requirement else {
                continue;
            };
            if !self.sampler.must_satisfy(constraint) {
                continue;
            }
            let values = self.frames.visible_values();
            let group = groups.map_or(Ok(drawn.len() as i128), |groups| groups.eval_int(&values));
            let (Some(numbers), Ok(group @ 1..)) = (integers(drawn, of), group) else {
                continue;
            };
            for (index, number) in numbers.chunks(group as usize).flat_map(ranks).enumerate() {
                self.set_item(index, of, Value::Int(number));
            }
        }
    }

    /// Stores the numbers of items in the lists of a struct, where they are known.
    pub fn record_list_counts(&mut self, steps: &'static [Step]) {
        for step in steps.iter().filter(|step| step.block.is_none()) {
            let count = step
                .count
                .as_ref()
                .and_then(|code| self.frames.eval_int(code).ok()?.try_into().ok());
            self.sampler.path.push(Segment::Field(step.field.name));
            self.relations.list_counts.insert(&self.sampler.path, count);
            self.sampler.path.pop();
        }
    }

    /// Returns `false` if an earlier item has the same packed word and the word must be unique.
    pub fn is_new(&self, step: &Step, value: &Option<Value>) -> bool {
        match value {
            Some(Value::Bits(word, _)) if is_unique(step) => {
                self.relations.is_new(&self.sampler.path, *word)
            }
            _ => true,
        }
    }

    /// Returns `false` if the look-aheads drawn so far imply a field that violates a constraint.
    pub fn allows_lookaheads(&self, steps: &'static [Step]) -> bool {
        let follows = |step: &&Step| {
            step.condition
                .as_ref()
                .is_some_and(|condition| self.frames.eval_bool(condition) == Ok(true))
        };
        steps
            .iter()
            .filter(follows)
            .all(|step| self.may_satisfy_constraints(step))
    }

    /// Adapts the bit fields of a packed word to their constraints.
    pub fn adapt_word(&mut self, value: Value) -> Value {
        match value {
            Value::Bits(word, declaration) => {
                Value::Bits(self.adapt_bits(word, declaration), declaration)
            }
            other => other,
        }
    }

    fn adapt_bits(&mut self, mut word: u128, declaration: &'static Declaration) -> u128 {
        let fields = declaration.bit_fields();
        for field in fields {
            if let Some(inner) = field.declared {
                word = field
                    .bits
                    .insert(word, self.adapt_bits(field.bits.extract(word), inner));
            }
            for constraint in field.constraints {
                let values = WordFields {
                    word,
                    fields,
                    outer: &self.frames.visible_values(),
                };
                let Value::Int(number) = field.value(word) else {
                    continue;
                };
                if !constraint.applies(&values) || !self.sampler.must_satisfy(constraint) {
                    continue;
                }
                let path = [&self.sampler.path[..], &[Segment::Field(field.name)]].concat();
                let adapted = match &constraint.requirement {
                    requirement @ Requirement::IndexInto { none, .. } => {
                        let none = none.as_ref().and_then(|none| none.eval_int(&values).ok());
                        let index = self.relations.index_for(
                            &path,
                            number,
                            requirement,
                            none,
                            self.max_items,
                        );
                        index.unwrap_or(number)
                    }
                    Requirement::OneOf(allowed) if is_one_of(number, allowed, &values) => number,
                    Requirement::Holds(condition) if condition.eval_bool(&values) == Ok(false) => 0,
                    Requirement::Holds(_) => number,
                    requirement => {
                        match self
                            .sampler
                            .adapt(Value::Int(number), requirement, &values, None)
                        {
                            Value::Int(number) => number,
                            _ => number,
                        }
                    }
                };
                word = field.bits.insert(word, adapted as u128);
            }
        }
        word
    }
}

fn is_one_of(number: i128, allowed: &[Expr], values: &dyn Lookup) -> bool {
    allowed
        .iter()
        .any(|expr| expr.eval_int(values) == Ok(number))
}
