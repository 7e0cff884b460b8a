//! Prints constraints on numbers as `valid`, which Kaitai checks for each item of a list.

use std::borrow::Borrow;

use super::element::{expr_text, quoted};
use super::identifier::{Identifiers, KaitaiNames, identifier};
use crate::layout::declaration::{Constraint, Declaration, Field, Requirement, Shape, Type};
use crate::layout::expr::Expr;
use crate::layout::notation::atom;
use crate::layout::wording::{IndentedText, parenthesize_compound};

/// Prints `conditions` and the supported constraints on a field's numbers. The documentation of the field lists all
/// constraints.
pub(super) fn print_valid(
    out: &mut IndentedText,
    field: &Field,
    id: &str,
    mut conditions: Vec<String>,
    names: &KaitaiNames,
) {
    let flat = field.ty.flatten();
    let item = flat.item.without_byte_order();
    // A list of bytes is one value.
    let is_number = !flat.is_bytes()
        && matches!(
            item,
            Type::Unsigned(..=8) | Type::Signed(..=8) | Type::Float(_)
        );
    match field.constraints {
        [
            Constraint {
                requirement: Requirement::OneOf(values),
                condition: None,
                ..
            },
        ] if is_number && conditions.is_empty() => {
            let values: Vec<_> = values
                .iter()
                .map(|value| quoted(&expr_text(value, names)))
                .collect();
            out.push_nested(2, "valid:", |out| {
                out.push_line(format!("any-of: [{}]", values.join(", ")))
            });
        }
        constraints => {
            // A field has only one `valid`, so an enum is compared with its values.
            if !conditions.is_empty() {
                conditions.extend(enum_term(&flat.item));
            }
            let on_numbers = constraints.iter().filter(|_| is_number);
            conditions.extend(on_numbers.filter_map(|c| constraint_term(c, field, id, names)));
            print_valid_conditions(out, &conditions);
        }
    }
}

/// Prints a `valid` that requires all conditions; nothing if there are none.
pub(super) fn print_valid_conditions(out: &mut IndentedText, conditions: &[impl Borrow<str>]) {
    if !conditions.is_empty() {
        let all = quoted(&conditions.join(" and "));
        out.push_nested(2, "valid:", |out| out.push_line(format!("expr: {all}")));
    }
}

/// Returns the condition that an enum has one of its values; `None` for other types.
fn enum_term(ty: &Type) -> Option<String> {
    let declaration = ty.own_declaration()?;
    let Shape::Enum { values, .. } = declaration.shape else {
        return None;
    };
    let name = identifier(declaration.name);
    let terms: Vec<_> = values
        .iter()
        .map(|value| format!("_ == {name}::{}", identifier(value.name)))
        .collect();
    Some(format!("({})", terms.join(" or ")))
}

/// Returns a constraint as a condition on `_`, the value; `None` for unsupported constraints.
fn constraint_term(
    constraint: &Constraint,
    field: &Field,
    id: &str,
    names: &KaitaiNames,
) -> Option<String> {
    let number = |expr: &Expr| atom(expr, names, &names.notation());
    let term = match &constraint.requirement {
        Requirement::Below(limit) => format!("_ < {}", number(limit)),
        Requirement::AtLeast(limit) => format!("_ >= {}", number(limit)),
        Requirement::OneOf(values) => {
            let terms: Vec<_> = values
                .iter()
                .map(|value| format!("_ == {}", number(value)))
                .collect();
            format!("({})", terms.join(" or "))
        }
        // For an infinity or a NaN, the difference is a NaN.
        Requirement::Finite => "_ - _ == 0".to_owned(),
        Requirement::Ordered if field.ty.flatten().is_list() => {
            format!("(_index == 0 or not (_ < {id}[_index - 1]))")
        }
        _ => return None,
    };
    Some(match &constraint.condition {
        Some(condition) => format!(
            "(not {} or {term})",
            parenthesize_compound(&expr_text(condition, names))
        ),
        None => term,
    })
}

pub(super) fn reserved_bits_condition(field: &Field, ids: &Identifiers) -> String {
    let mut terms = Vec::new();
    if let Some(declaration) = field.ty.own_declaration() {
        add_zero_terms(
            declaration,
            &format!("{}.", ids.id(field.name)),
            ids,
            &mut terms,
        );
    }
    if terms.is_empty() {
        "true".to_owned()
    } else {
        terms.join(" and ")
    }
}

fn add_zero_terms(
    declaration: &Declaration,
    prefix: &str,
    ids: &Identifiers,
    terms: &mut Vec<String>,
) {
    for field in declaration.bit_fields() {
        let id = format!("{prefix}{}", ids.id(field.name));
        match field.declared {
            Some(inner) => add_zero_terms(inner, &format!("{id}_"), ids, terms),
            None if field.reserved && field.flag => terms.push(format!("not {id}")),
            None if field.reserved => terms.push(format!("{id} == 0")),
            None => {}
        }
    }
}
