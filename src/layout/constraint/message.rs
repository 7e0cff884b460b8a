//! Formats the messages of violated constraints.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

use super::numbers::Numbers;
use super::predicate::{Predicate, Violation};
use super::scalar::Scalar;
use crate::layout::declaration::constraint::format_int;
use crate::layout::declaration::{Constraint, Requirement};
use crate::layout::expr::Lookup;
use crate::layout::wording::join_alternatives;

/// Returns the message of a constraint, or the default message, with the placeholders of fields and imports replaced.
pub(super) fn message_template(constraint: &Constraint, values: &dyn Lookup) -> Cow<'static, str> {
    constraint
        .message_with(values)
        .unwrap_or(Cow::Borrowed(match constraint.requirement {
            Requirement::Below(_) | Requirement::IndexInto { .. } => {
                "found {found}, expected less than {limit}"
            }
            Requirement::AtLeast(_) => "found {found}, expected at least {limit}",
            Requirement::UnitVector => "found {found}, expected a vector of length 1",
            Requirement::OneOf(_) | Requirement::Counts { .. } => "found {found}, expected {limit}",
            Requirement::Finite => "{found} is not finite",
            Requirement::Unique => "{found} is a duplicate",
            Requirement::Ordered => "found {found} after {previous}, expected at least {previous}",
            Requirement::Position => "found {found}, expected {position}",
            Requirement::Equal => "found {found}, but the first item has {previous}",
            Requirement::SameLength => "{found} items, but the first list has {previous}",
            Requirement::Permutation { .. } | Requirement::Forest { .. } => "{problem}",
            Requirement::Sum { .. } => "adds up to {found}, expected {limit}",
            Requirement::ReservedZero => "reserved bits are set: {found:#x}",
            Requirement::Terminated => "the last string does not end with a NUL",
            Requirement::Holds(_) => "the condition does not hold",
            Requirement::Some(_) => "the condition holds for none of {items} items",
            Requirement::Within { .. } => "first {first} plus count {found} exceeds {limit}",
        }))
}

/// Replaces the remaining placeholders of a template with the details of a violation.
pub(super) fn fill_template(
    template: &str,
    predicate: &Predicate,
    numbers: &Numbers,
    violation: &Violation,
) -> String {
    let mut text = String::new();
    for part in template.split_inclusive(['{', '}']) {
        let _ = match part.strip_suffix('}') {
            None => write!(text, "{}", part.trim_end_matches('{')),
            Some(placeholder) => {
                write_placeholder(&mut text, placeholder, predicate, numbers, violation)
            }
        };
    }
    text
}

fn write_placeholder(
    text: &mut String,
    placeholder: &str,
    predicate: &Predicate,
    numbers: &Numbers,
    violation: &Violation,
) -> fmt::Result {
    let (name, format) = placeholder.split_once(':').unwrap_or((placeholder, ""));
    match (name, predicate) {
        ("limit", Predicate::Below(limit) | Predicate::AtLeast(limit)) => write!(text, "{limit}"),
        ("limit", Predicate::IndexInto { len, .. } | Predicate::Within { len, .. }) => {
            write!(text, "{len}")
        }
        ("limit", Predicate::Sum { total, .. }) => write!(text, "{total}"),
        ("limit", Predicate::OneOf(values)) => text.write_str(&join_alternatives(values)),
        ("limit", Predicate::Permutation(group_size)) => {
            write!(
                text,
                "{}",
                if *group_size == 0 {
                    numbers.len()
                } else {
                    *group_size
                }
            )
        }
        ("first", Predicate::Within { first, .. }) => write!(text, "{first}"),
        ("items", _) => write!(text, "{}", numbers.len()),
        ("position", _) => write!(text, "{}", violation.item),
        ("problem", _) => text.write_str(violation.message.as_deref().unwrap_or_default()),
        ("previous", _) => violation
            .previous
            .iter()
            .try_for_each(|previous| write!(text, "{previous}")),
        ("found", _) => match (
            violation.found,
            &*numbers.item(violation.item).collect::<Vec<_>>(),
        ) {
            (Some(number), _) => write_number(text, number, format),
            (None, [number]) => write_number(text, *number, format),
            (None, numbers) => write!(text, "{numbers:?}"),
        },
        _ => Ok(()),
    }
}

/// Writes a number; see [`format_int`] for integers.
fn write_number(text: &mut String, number: Scalar, format: &str) -> fmt::Result {
    match number {
        Scalar::Int(number) => text.write_str(&format_int(number, format)),
        number => write!(text, "{number}"),
    }
}
