//! Predicates: requirements with evaluated expressions.

use std::cmp::Ordering;
use std::collections::HashSet;

use super::forest::{Forest, invalid_parents};
use super::numbers::Numbers;
use super::scalar::Scalar;
use crate::layout::declaration::{Requirement, Type};
use crate::layout::expr::{Expr, Lookup, Value};
use crate::layout::walk::Segment;

/// The maximum deviation of a unit vector's length from 1, sufficient for 8-bit components.
const UNIT_TOLERANCE: f64 = 0.01;

/// A [`Requirement`] with evaluated expressions.
#[derive(Debug)]
pub(super) enum Predicate<'b> {
    Below(Scalar),
    AtLeast(Scalar),
    UnitVector,
    OneOf(Vec<Scalar>),
    Finite,
    Unique,
    Ordered,
    Position,
    Equal,
    /// Each group of this size is a permutation of 0 to the size − 1. If the size is 0, the whole list is one group.
    Permutation(usize),
    Forest(Forest),
    Sum {
        total: f64,
        tolerance: f64,
    },
    /// The bits of the mask are 0.
    ReservedZero(u128),
    /// The last byte of the strings is 0.
    Terminated,
    /// The result of the condition.
    Holds(bool),
    /// At least one number is not 0. Each number is the result of the condition for one item.
    Some,
    /// Each number is in `0..len`, or is `none` and has a weight of 0.
    IndexInto {
        /// The number of items in the list.
        len: i128,
        /// The number that means "no item".
        none: Option<i128>,
        weights: Option<Numbers<'b>>,
    },
    /// Each number is the length of a range that starts at `first` and ends at or before `len`.
    Within {
        /// The index of the first item.
        first: i128,
        /// The number of items in the list.
        len: i128,
    },
}

/// A violation of a constraint.
pub(super) struct Violation {
    /// The index of the item in the list.
    pub item: usize,
    /// The index of the number within the item; `None` if the whole item is wrong.
    pub component: Option<usize>,
    /// The wrong number; `None` if the message should show all numbers of the item.
    pub found: Option<Scalar>,
    /// The number for `{previous}`; `None` if the requirement has no such placeholder.
    pub previous: Option<Scalar>,
    /// The text for `{problem}`; `None` if the requirement has no such placeholder.
    pub message: Option<String>,
}

impl Violation {
    fn at(item: usize) -> Violation {
        Violation {
            item,
            component: None,
            found: None,
            previous: None,
            message: None,
        }
    }
}

impl<'b> Predicate<'b> {
    /// Evaluates the expressions of a requirement; `None` if a required expression has no value, or the list is
    /// missing. `len` returns the length of a list, and `column` the values of a field in all items.
    pub fn evaluate(
        requirement: &Requirement,
        ty: &Type,
        values: &dyn Lookup,
        len: &dyn Fn(&[Segment]) -> Option<u64>,
        column: &dyn Fn(&str) -> Option<Numbers<'b>>,
    ) -> Option<Predicate<'b>> {
        let value = |expr: &Expr| expr.eval_int(values).ok();
        let limit = |expr: &Expr| match expr.eval(values).ok()? {
            Value::Wide(number) => Some(Scalar::Wide(number)),
            other => other.to_int().ok().map(Scalar::Int),
        };
        Some(match requirement {
            Requirement::Below(expr) => Predicate::Below(limit(expr)?),
            Requirement::OneOf(values) => {
                let values: Vec<_> = values.iter().filter_map(limit).collect();
                Predicate::OneOf(if values.is_empty() {
                    return None;
                } else {
                    values
                })
            }
            Requirement::AtLeast(expr) => Predicate::AtLeast(limit(expr)?),
            Requirement::UnitVector => Predicate::UnitVector,
            Requirement::Finite => Predicate::Finite,
            Requirement::Unique => Predicate::Unique,
            Requirement::Ordered => Predicate::Ordered,
            Requirement::Position => Predicate::Position,
            Requirement::Equal | Requirement::SameLength => Predicate::Equal,
            Requirement::Permutation { groups, .. } => Predicate::Permutation(match groups {
                Some(groups) => usize::try_from(value(groups)?).ok()?,
                None => 0,
            }),
            Requirement::Forest {
                none,
                rooted,
                ids,
                parents_first,
            } => Predicate::Forest(Forest {
                none: none.as_ref().and_then(value),
                rooted: *rooted,
                ids: ids
                    .and_then(column)
                    .map(|ids| ids.first_numbers().map(Scalar::equality_key).collect()),
                parents_first: *parents_first,
            }),
            Requirement::Sum {
                of: _,
                total,
                tolerance,
            } => Predicate::Sum {
                total: *total,
                tolerance: *tolerance,
            },
            Requirement::ReservedZero => Predicate::ReservedZero(ty.reserved_bits()),
            Requirement::Terminated if ty.flatten().item == Type::NulString => {
                Predicate::Terminated
            }
            Requirement::Terminated => return None,
            Requirement::Holds(condition) => Predicate::Holds(condition.eval_bool(values).ok()?),
            Requirement::Some(_) => Predicate::Some,
            Requirement::IndexInto {
                list,
                none,
                weights,
            } => Predicate::IndexInto {
                len: len(list)?.into(),
                none: none.as_ref().and_then(value),
                weights: weights.and_then(column),
            },
            Requirement::Counts { list } => Predicate::OneOf(vec![Scalar::Int(len(list)?.into())]),
            Requirement::Within { list, first } => {
                // No list reaches to a larger index.
                let first = if let Scalar::Int(first) = limit(first)? {
                    first
                } else {
                    i128::MAX
                };
                Predicate::Within {
                    first,
                    len: len(list)?.into(),
                }
            }
        })
    }

    /// Returns `true` if a requirement compares the items of a list with each other.
    pub fn compares_items(requirement: &Requirement) -> bool {
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

    /// Returns `true` if no number violates the requirement. Fast for valid files.
    pub fn is_satisfied_by(&self, numbers: &Numbers) -> bool {
        match self {
            Predicate::Below(Scalar::Int(limit)) => numbers.are_below(*limit),
            Predicate::Finite => numbers.are_finite(),
            Predicate::Ordered => numbers.are_ascending(),
            Predicate::Holds(holds) => *holds,
            Predicate::IndexInto { len, none, weights } => {
                numbers.are_indices(*len, *none, weights.as_ref())
            }
            _ => self.for_each_violation(numbers, &mut |_| false),
        }
    }

    /// Calls `each` with each violation until `each` returns `false`. Returns `true` if `each` never did.
    pub fn for_each_violation(
        &self,
        numbers: &Numbers,
        each: &mut dyn FnMut(Violation) -> bool,
    ) -> bool {
        let mut items = 0..numbers.len();
        let mut first_numbers = numbers.first_numbers().enumerate();
        let mut check = |item: usize, holds: bool, found: Option<Scalar>| {
            holds
                || each(Violation {
                    found,
                    ..Violation::at(item)
                })
        };
        match self {
            Predicate::Below(limit) => items.all(|i| {
                check(
                    i,
                    numbers
                        .item(i)
                        .all(|n| n.compare(*limit).is_some_and(Ordering::is_lt)),
                    None,
                )
            }),
            Predicate::AtLeast(limit) => items.all(|i| {
                check(
                    i,
                    numbers
                        .item(i)
                        .all(|n| n.compare(*limit).is_some_and(Ordering::is_ge)),
                    None,
                )
            }),
            Predicate::UnitVector => items.all(|i| {
                let square: f64 = numbers.item(i).map(|n| n.as_f64() * n.as_f64()).sum();
                check(i, (square.sqrt() - 1.0).abs() <= UNIT_TOLERANCE, None)
            }),
            Predicate::OneOf(values) => {
                let is_one = |number: Scalar| {
                    values
                        .iter()
                        .any(|value| number.compare(*value).is_some_and(Ordering::is_eq))
                };
                items.all(|i| check(i, numbers.item(i).all(is_one), None))
            }
            Predicate::Finite => {
                items.all(|i| check(i, numbers.item(i).all(Scalar::is_finite), None))
            }
            Predicate::Terminated => {
                items.all(|i| check(i, numbers.item(i).all(|n| n.equals(0)), None))
            }
            Predicate::Holds(holds) => items.all(|i| check(i, *holds, None)),
            Predicate::Some => check(0, numbers.iter().any(|truth| !truth.equals(0)), None),
            Predicate::ReservedZero(mask) => first_numbers.all(|(item, number)| {
                let word = match number {
                    Scalar::Int(word) => word as u128,
                    Scalar::Wide(word) => word,
                    Scalar::F32(_) | Scalar::F64(_) => return true,
                };
                let set = word & mask;
                check(
                    item,
                    set == 0,
                    Some(i128::try_from(set).map_or(Scalar::Wide(set), Scalar::Int)),
                )
            }),
            Predicate::Sum { total, tolerance } => items.all(|i| {
                let sum = Scalar::sum(numbers.item(i));
                check(i, (sum.as_f64() - total).abs() <= *tolerance, Some(sum))
            }),
            Predicate::Within { first, len } => first_numbers.all(|(item, number)| {
                let fits = match number {
                    Scalar::Int(count) => {
                        *first >= 0 && count >= 0 && count.saturating_add(*first) <= *len
                    }
                    Scalar::Wide(_) => false,
                    Scalar::F32(_) | Scalar::F64(_) => true,
                };
                check(item, fits, None)
            }),
            Predicate::IndexInto { len, none, weights } => {
                let mut weights = weights.iter().flat_map(Numbers::iter);
                for_each_number(numbers, |item, component, number| {
                    let is_weightless = weights.next().is_none_or(|weight| weight.equals(0));
                    let is_none = none.is_some_and(|none| number.equals(none) && is_weightless);
                    is_none
                        || (number.is_below(*len) && number.is_at_least(0))
                        || each(Violation {
                            component,
                            found: Some(number),
                            ..Violation::at(item)
                        })
                })
            }
            Predicate::Unique => {
                let mut seen = HashSet::new();
                for_each_number(numbers, |item, component, number| {
                    seen.insert(number.equality_key())
                        || each(Violation {
                            component,
                            found: Some(number),
                            ..Violation::at(item)
                        })
                })
            }
            Predicate::Ordered => {
                let mut previous: Option<Scalar> = None;
                // Only the first violation is reported.
                let violation = first_numbers.find_map(|(item, number)| {
                    let previous = previous
                        .replace(number)
                        .filter(|previous| number < *previous)?;
                    Some(Violation {
                        found: Some(number),
                        previous: Some(previous),
                        ..Violation::at(item)
                    })
                });
                violation.is_none_or(each)
            }
            Predicate::Position => first_numbers
                .all(|(item, number)| check(item, number.equals(item as i128), Some(number))),
            Predicate::Equal => {
                let first = numbers.first_numbers().next();
                first_numbers.all(|(item, number)| {
                    Some(number) == first
                        || each(Violation {
                            found: Some(number),
                            previous: first,
                            ..Violation::at(item)
                        })
                })
            }
            Predicate::Permutation(group_size) => {
                let size = if *group_size == 0 {
                    numbers.len()
                } else {
                    *group_size
                };
                let mut seen = vec![usize::MAX; size];
                first_numbers.all(|(item, number)| {
                    let group = item / size.max(1);
                    let seen_in = usize::try_from(number.equality_key())
                        .ok()
                        .and_then(|n| seen.get_mut(n));
                    let message = match seen_in.map(|seen_in| std::mem::replace(seen_in, group)) {
                        None => format!("{number} is not in 0..{size}"),
                        Some(seen_in) if seen_in != group => return true,
                        Some(_) => format!("{number} is a duplicate"),
                    };
                    each(Violation {
                        found: Some(number),
                        message: Some(message),
                        ..Violation::at(item)
                    })
                })
            }
            Predicate::Forest(forest) => {
                let parents: Vec<i128> =
                    numbers.first_numbers().map(Scalar::equality_key).collect();
                invalid_parents(&parents, forest)
                    .into_iter()
                    .all(|(item, message)| {
                        let found = parents.get(item).map(|parent| Scalar::Int(*parent));
                        each(Violation {
                            found,
                            message: Some(message),
                            ..Violation::at(item)
                        })
                    })
            }
        }
    }
}

/// Calls `check` with each number until `check` returns `false`. Returns `true` if `check` never did. The arguments of
/// `check` are the index of the item, the index of the number within the item, and the number. The second index is
/// `None` if the item is one number.
fn for_each_number(
    numbers: &Numbers,
    mut check: impl FnMut(usize, Option<usize>, Scalar) -> bool,
) -> bool {
    let is_array = numbers.per_item > 1;
    (0..numbers.len()).all(|item| {
        let mut parts = numbers.item(item).enumerate();
        parts.all(|(part, number)| check(item, is_array.then_some(part), number))
    })
}
