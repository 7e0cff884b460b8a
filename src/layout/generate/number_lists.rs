//! Adapts several numbers to a common constraint.

use std::collections::BTreeSet;

use crate::layout::declaration::Type;
use crate::layout::expr::Value;

/// Returns the number of an item, or of its field `of`.
fn item_number(item: &Option<Value>, of: Option<&str>) -> Option<Value> {
    match (item.as_ref()?, of) {
        (Value::Struct(scope), Some(name)) => scope.get(name).cloned(),
        (value, _) => Some(value.clone()),
    }
}

fn item_integer(item: &Option<Value>, of: Option<&str>) -> Option<i128> {
    if let Value::Int(integer) = item_number(item, of)? {
        Some(integer)
    } else {
        None
    }
}

/// Returns the integers of all items, or of their field `of`; `None` if one is missing.
pub(super) fn integers(items: &[Option<Value>], of: Option<&str>) -> Option<Vec<i128>> {
    items.iter().map(|item| item_integer(item, of)).collect()
}

/// Returns the next unused integer of a type; `None` if no earlier item has the same integer as this one. Also returns
/// `None` if the type is not an integer, or all its values are used.
pub(super) fn next_unused_integer(
    before: &[Option<Value>],
    item: &Option<Value>,
    of: Option<&str>,
    ty: &Type,
) -> Option<Value> {
    let (min, max) = ty.int_type()?.range();
    let taken: BTreeSet<i128> = before
        .iter()
        .filter_map(|item| item_integer(item, of))
        .collect();
    let own = item_integer(item, of).filter(|own| taken.contains(own))?;
    (own..=max)
        .chain(min..own)
        .take(taken.len() + 1)
        .find(|other| !taken.contains(other))
        .map(Value::Int)
}

/// Adapts the numbers of the items, or of their field `of`, to the sum `total`. The last number is the remainder; if
/// that is impossible, the first is `total` and the others are 0. `None` if there are no numbers or one is missing.
pub(super) fn adapt_to_sum(
    drawn: &[Option<Value>],
    of: Option<&str>,
    total: f64,
    tolerance: f64,
) -> Option<Vec<Value>> {
    let mut numbers = drawn
        .iter()
        .map(|item| item_number(item, of))
        .collect::<Option<Vec<_>>>()?;
    let others = numbers
        .split_last()?
        .1
        .iter()
        .map(as_f64)
        .sum::<Option<f64>>()?;
    // A remainder of floats is inexact.
    let is_exact = numbers.iter().all(|number| matches!(number, Value::Int(_)));
    let has_remainder = (0.0..=total).contains(&others) && (is_exact || tolerance > 0.0);
    if !has_remainder {
        numbers
            .iter_mut()
            .for_each(|number| *number = to_type_of(number, 0.0));
    }
    let (rest, target) = if has_remainder {
        (total - others, numbers.last_mut())
    } else {
        (total, numbers.first_mut())
    };
    target
        .into_iter()
        .for_each(|number| *number = to_type_of(number, rest));
    Some(numbers)
}

/// Normalises a vector. If the length is 0, subnormal or not finite, returns the last axis.
pub(super) fn normalize(drawn: &[Option<Value>]) -> Option<Vec<Value>> {
    let numbers = drawn
        .iter()
        .map(|item| item_number(item, None))
        .collect::<Option<Vec<_>>>()?;
    let components = numbers.iter().map(as_f64).collect::<Option<Vec<_>>>()?;
    let length = components.iter().map(|x| x * x).sum::<f64>().sqrt();
    let last = components.len().checked_sub(1)?;
    let component = |(axis, x): (usize, &f64)| match length.is_normal() {
        true => x / length,
        false => f64::from(u8::from(axis == last)),
    };
    let components = components.iter().enumerate().map(component);
    Some(
        numbers
            .iter()
            .zip(components)
            .map(|(number, component)| to_type_of(number, component))
            .collect(),
    )
}

fn as_f64(value: &Value) -> Option<f64> {
    match value {
        Value::Int(number) => Some(*number as f64),
        Value::F32(number) => Some((*number).into()),
        Value::F64(number) => Some(*number),
        _ => None,
    }
}

fn to_type_of(value: &Value, number: f64) -> Value {
    match value {
        Value::F32(_) => Value::F32(number as f32),
        Value::F64(_) => Value::F64(number),
        _ => Value::Int(number as i128),
    }
}
