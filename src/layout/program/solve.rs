//! Solves equations between expressions and numbers.

use super::code::{Cell, Code};
use crate::layout::expr::{BinaryOp, UnaryOp};

/// Returns `true` if the expression has no conditionals, no patterns, and no binary operations other than +, − and ×.
/// Distinct values then usually yield distinct results.
pub(crate) fn is_exact(code: &Code) -> bool {
    let mut is_exact = true;
    code.visit(&mut |part| {
        is_exact &= match part {
            Code::Binary(op, ..) => {
                matches!(op, BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply)
            }
            part => !matches!(part, Code::If(_) | Code::Matches(..)),
        }
    });
    is_exact
}

/// Solves `code = target` for the operand that `is_unknown` selects; `None` if that is impossible.
pub(crate) fn solve_for(
    code: &Code,
    target: i128,
    is_unknown: &dyn Fn(&Code) -> bool,
    cells: &[Cell],
) -> Option<i128> {
    match code {
        Code::Slot(..) | Code::Bits(..) => is_unknown(code).then_some(target),
        // A target that does not fit the operand is rejected later, when it is encoded.
        Code::Cast(a, _) => solve_for(a, target, is_unknown, cells),
        Code::Binary(op, operands, _) => {
            let [a, b] = &**operands;
            match (contains(a, is_unknown), contains(b, is_unknown)) {
                (true, false) => {
                    let left = solve_left_operand(*op, target, b.eval_int(cells).ok()?)?;
                    solve_for(a, left, is_unknown, cells)
                }
                (false, true) => {
                    let right = solve_right_operand(*op, a.eval_int(cells).ok()?, target)?;
                    solve_for(b, right, is_unknown, cells)
                }
                _ => None,
            }
        }
        Code::If(parts) => {
            let [condition, a, b] = &**parts;
            let chosen = if condition.eval_bool(cells).ok()? {
                a
            } else {
                b
            };
            solve_for(chosen, target, is_unknown, cells)
        }
        Code::Unary(UnaryOp::Negate, a, _) => {
            solve_for(a, target.checked_neg()?, is_unknown, cells)
        }
        _ => None,
    }
}

fn contains(code: &Code, is_unknown: &dyn Fn(&Code) -> bool) -> bool {
    let mut found = false;
    code.visit(&mut |part| {
        found |= matches!(part, Code::Slot(..) | Code::Bits(..)) && is_unknown(part);
    });
    found
}

/// Solves `x op b = target`.
fn solve_left_operand(op: BinaryOp, target: i128, b: i128) -> Option<i128> {
    match op {
        BinaryOp::Add => target.checked_sub(b),
        BinaryOp::Subtract => target.checked_add(b),
        BinaryOp::Multiply => (target.checked_rem(b)? == 0).then_some(target.checked_div(b)?),
        BinaryOp::Divide => target.checked_mul(b),
        _ => None,
    }
}

/// Solves `a op x = target`.
fn solve_right_operand(op: BinaryOp, a: i128, target: i128) -> Option<i128> {
    match op {
        BinaryOp::Add => target.checked_sub(a),
        BinaryOp::Subtract => a.checked_sub(target),
        BinaryOp::Multiply => solve_left_operand(op, target, a),
        _ => None,
    }
}

/// Returns an expression and a number: if the expression yields the number, the condition evaluates to `truth`. The
/// flag is `true` if no other number has this effect. For `x != 0`, the number is 1. Returns `None` if no equation
/// expresses the condition.
pub(crate) fn to_equation(
    condition: &'static Code,
    truth: bool,
    cells: &[Cell],
) -> Option<(&'static Code, i128, bool)> {
    match condition {
        Code::Unary(UnaryOp::Not, a, _) => to_equation(a, !truth, cells),
        Code::Slot(..) | Code::Bits(..) => Some((condition, truth.into(), true)),
        Code::Binary(op @ (BinaryOp::Equal | BinaryOp::NotEqual), operands, _) => {
            let [a, b] = &**operands;
            let number = b.eval_int(cells).ok()?;
            match (*op == BinaryOp::Equal, truth) {
                (true, true) | (false, false) => Some((a, number, true)),
                (false, true) if number == 0 => Some((a, 1, false)),
                _ => None,
            }
        }
        _ => None,
    }
}
