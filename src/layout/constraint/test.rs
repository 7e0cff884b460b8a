//! Evaluates constraints and finds violations.

use std::collections::HashMap;

use super::forest::{Forest, faults};
use super::numbers::Numbers;
use super::scalar::Scalar;
use crate::layout::declaration::{Requirement, Type};
use crate::layout::expr::{Expr, Lookup};
use crate::layout::walk::Segment;

/// The tolerance for the length of a unit vector, enough for components of 8 bits.
const UNIT_TOLERANCE: f64 = 0.01;

/// A requirement with evaluated expressions.
#[derive(Debug)]
pub(super) enum Test<'b> {
    Below(i128),
    AtLeast(i128),
    UnitVector,
    OneOf(Vec<i128>),
    Finite,
    Unique,
    Ordered,
    Position,
    Equal,
    /// Each group of this many numbers is a permutation of 0 to the group's size − 1. 0 means the
    /// whole list.
    Permutation(usize),
    Forest(Forest),
    Sum {
        total: f64,
        tolerance: f64,
    },
    /// The mask of the reserved bits.
    ReservedZero(u128),
    /// The last byte of the strings is 0.
    Terminated,
    Holds(bool),
    /// At least one number is not 0.
    Some,
    /// The number of items in the list, the number for "no item", and the weights.
    IndexInto {
        len: i128,
        none: Option<i128>,
        weights: Option<Numbers<'b>>,
    },
    /// The index of the first item, and the number of items in the list.
    Within {
        first: i128,
        len: i128,
    },
}

/// A violation of a constraint.
pub(super) struct Violation {
    /// The index of the item in the list.
    pub(super) item: usize,
    /// The index of the number in an item that is an array; `None` for the whole item.
    pub(super) slot: Option<usize>,
    /// The offending number; `None` for the whole item.
    pub(super) found: Option<Scalar>,
    /// The number that it conflicts with.
    pub(super) previous: Option<Scalar>,
    /// The message, if it depends on the kind of violation.
    pub(super) message: Option<String>,
}

impl Violation {
    fn of(item: usize) -> Violation {
        Violation { item, slot: None, found: None, previous: None, message: None }
    }
}

impl<'b> Test<'b> {
    /// Evaluates a requirement; `None` if an expression has no value. `len` returns the number of items of a list,
    /// and `column` another field of the same items.
    pub(super) fn of(
        requirement: &Requirement,
        ty: &Type,
        values: &dyn Lookup,
        len: &dyn Fn(&[Segment]) -> Option<u64>,
        column: &dyn Fn(&str) -> Option<Numbers<'b>>,
    ) -> Option<Test<'b>> {
        let value = |expr: &Expr| expr.eval_int(values).ok();
        Some(match requirement {
            Requirement::Below(limit) => Test::Below(value(limit)?),
            Requirement::OneOf(values) => Test::OneOf(values.iter().filter_map(value).collect()),
            Requirement::AtLeast(limit) => Test::AtLeast(value(limit)?),
            Requirement::UnitVector => Test::UnitVector,
            Requirement::Finite => Test::Finite,
            Requirement::Unique => Test::Unique,
            Requirement::Ordered => Test::Ordered,
            Requirement::Position => Test::Position,
            Requirement::Equal | Requirement::SameLength => Test::Equal,
            Requirement::Permutation { groups, .. } => Test::Permutation(match groups {
                Some(groups) => usize::try_from(value(groups)?).ok()?,
                None => 0,
            }),
            Requirement::Forest { none, rooted, ids, parents_first } => Test::Forest(Forest {
                none: none.as_ref().and_then(value),
                rooted: *rooted,
                ids: ids.and_then(column).map(|ids| ids.firsts().map(Scalar::key).collect()),
                parents_first: *parents_first,
            }),
            Requirement::Sum { of: _, total, tolerance } => {
                Test::Sum { total: *total, tolerance: *tolerance }
            }
            Requirement::ReservedZero => Test::ReservedZero(ty.reserved_bits()),
            Requirement::Terminated if ty.flat().item == Type::NulString => Test::Terminated,
            Requirement::Terminated => return None,
            Requirement::Holds(condition) => Test::Holds(condition.eval_bool(values).ok()?),
            Requirement::Some(_) => Test::Some,
            Requirement::IndexInto { list, none, weights } => Test::IndexInto {
                len: len(list)?.into(),
                none: none.as_ref().and_then(value),
                weights: weights.and_then(column),
            },
            Requirement::Counts { list } => Test::OneOf(vec![len(list)?.into()]),
            Requirement::Within { list, first } => {
                Test::Within { first: value(first)?, len: len(list)?.into() }
            }
        })
    }

    /// Returns `true` if a requirement compares the items of a list with each other.
    pub(super) fn compares(requirement: &Requirement) -> bool {
        matches!(
            requirement,
            Requirement::Unique
                | Requirement::Ordered
                | Requirement::Position
                | Requirement::Equal
                | Requirement::Some(_)
                | Requirement::SameLength
                | Requirement::Permutation { .. }
                | Requirement::Forest { .. }
        )
    }

    /// Returns `true` if no number violates the requirement. Optimized for valid files.
    pub(super) fn allows(&self, numbers: &Numbers) -> bool {
        match self {
            Test::Below(limit) => numbers.are_below(*limit),
            Test::Finite => numbers.are_finite(),
            Test::Ordered => numbers.are_ascending(),
            Test::Holds(holds) => *holds,
            Test::IndexInto { len, none, weights } => numbers.are_positions(*len, *none, weights.as_ref()),
            _ => {
                let mut is_fine = true;
                self.violations(numbers, &mut |_| {
                    is_fine = false;
                    false
                });
                is_fine
            }
        }
    }

    /// Calls `each` with every violation until it returns `false`.
    pub(super) fn violations(&self, numbers: &Numbers, each: &mut dyn FnMut(Violation) -> bool) {
        let items = 0..numbers.len();
        let mut unless = |item: usize, holds: bool, found: Option<Scalar>| {
            holds || each(Violation { found, ..Violation::of(item) })
        };
        match self {
            Test::Below(limit) => {
                items.into_iter().all(|i| unless(i, numbers.item(i).all(|n| n.is_below(*limit)), None));
            }
            Test::AtLeast(limit) => {
                items.into_iter().all(|i| unless(i, numbers.item(i).all(|n| n.is_at_least(*limit)), None));
            }
            Test::UnitVector => {
                for item in items {
                    let square: f64 = numbers.item(item).map(|n| n.as_f64() * n.as_f64()).sum();
                    if !unless(item, (square.sqrt() - 1.0).abs() <= UNIT_TOLERANCE, None) {
                        return;
                    }
                }
            }
            Test::OneOf(values) => {
                let is_one = |number: Scalar| values.iter().any(|value| number.equals(*value));
                items.into_iter().all(|i| unless(i, numbers.item(i).all(is_one), None));
            }
            Test::Finite => {
                items.into_iter().all(|i| unless(i, numbers.item(i).all(Scalar::is_finite), None));
            }
            Test::Terminated => {
                items.into_iter().all(|i| unless(i, numbers.item(i).all(|last| last.equals(0)), None));
            }
            Test::Holds(holds) => {
                items.into_iter().all(|i| unless(i, *holds, None));
            }
            Test::Some => {
                unless(0, numbers.all().any(|truth| !truth.equals(0)), None);
            }
            Test::ReservedZero(mask) => {
                for (item, number) in numbers.firsts().enumerate() {
                    let Scalar::Int(word) = number else { continue };
                    let set = word as u128 & mask;
                    if !unless(item, set == 0, Some(Scalar::Int(set as i128))) {
                        return;
                    }
                }
            }
            Test::Sum { total, tolerance } => {
                for item in items {
                    let sum = Scalar::sum(numbers.item(item));
                    if !unless(item, (sum.as_f64() - total).abs() <= *tolerance, Some(sum)) {
                        return;
                    }
                }
            }
            Test::Within { first, len } => {
                for (item, number) in numbers.firsts().enumerate() {
                    let Scalar::Int(count) = number else { continue };
                    let is_inside = *first >= 0 && count >= 0 && count.saturating_add(*first) <= *len;
                    if !unless(item, is_inside, None) {
                        return;
                    }
                }
            }
            Test::IndexInto { len, none, weights } => {
                let mut weights = weights.iter().flat_map(Numbers::all);
                for item in items {
                    for (slot, number) in numbers.item(item).enumerate() {
                        let is_weightless = weights.next().is_none_or(|weight| weight.equals(0));
                        let is_none = none.is_some_and(|none| number.equals(none) && is_weightless);
                        let slot = (numbers.per_item > 1).then_some(slot);
                        let is_inside = number.is_below(*len) && number.is_at_least(0);
                        if !is_inside
                            && !is_none
                            && !each(Violation { slot, found: Some(number), ..Violation::of(item) })
                        {
                            return;
                        }
                    }
                }
            }
            Test::Unique => {
                let mut seen = HashMap::new();
                for item in items {
                    for (slot, number) in numbers.item(item).enumerate() {
                        if seen.insert(number.key(), item).is_some() {
                            let slot = (numbers.per_item > 1).then_some(slot);
                            if !each(Violation { slot, found: Some(number), ..Violation::of(item) }) {
                                return;
                            }
                        }
                    }
                }
            }
            Test::Ordered => {
                let mut previous: Option<Scalar> = None;
                for (item, number) in numbers.firsts().enumerate() {
                    // Only the first violation is reported.
                    if let Some(previous) = previous.replace(number).filter(|previous| number < *previous) {
                        let found = Some(number);
                        each(Violation { found, previous: Some(previous), ..Violation::of(item) });
                        return;
                    }
                }
            }
            Test::Position => {
                for (item, number) in numbers.firsts().enumerate() {
                    if !unless(item, number.equals(item as i128), Some(number)) {
                        return;
                    }
                }
            }
            Test::Equal => {
                let first = numbers.firsts().next();
                for (item, number) in numbers.firsts().enumerate() {
                    if Some(number) != first
                        && !each(Violation { found: Some(number), previous: first, ..Violation::of(item) })
                    {
                        return;
                    }
                }
            }
            Test::Permutation(group) => {
                let size = if *group == 0 { numbers.len() } else { *group };
                let mut seen = vec![usize::MAX; size];
                for (item, number) in numbers.firsts().enumerate() {
                    let round = item / size.max(1);
                    let place = usize::try_from(number.key()).ok().and_then(|number| seen.get_mut(number));
                    let message = match place {
                        None => format!("{number} is not in 0..{size}"),
                        Some(known) => {
                            if std::mem::replace(known, round) != round {
                                continue;
                            }
                            format!("{number} is a duplicate")
                        }
                    };
                    let message = Some(message);
                    if !each(Violation { found: Some(number), message, ..Violation::of(item) }) {
                        return;
                    }
                }
            }
            Test::Forest(forest) => {
                let parents: Vec<i128> = numbers.firsts().map(Scalar::key).collect();
                for (item, message) in faults(&parents, forest) {
                    let found = parents.get(item).map(|parent| Scalar::Int(*parent));
                    if !each(Violation { found, message: Some(message), ..Violation::of(item) }) {
                        return;
                    }
                }
            }
        }
    }
}
