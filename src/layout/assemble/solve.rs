//! Expressions turned round: which value makes an expression come out as it must.

use super::frame::Frame;
use crate::layout::walk::Segment;
use crate::layout::{BinaryOp, Expr, UnaryOp};

/// The number that the value with the path `leaf` must have so that `expr` is `target`; `None` if there is none, or the
/// expression depends on it in a way that cannot be turned round.
pub(super) fn solve(
    expr: &Expr,
    target: i128,
    leaf: &[Segment],
    frame: &Frame,
    path: &[Segment],
) -> Option<i128> {
    match expr {
        Expr::Path(names) => (frame.path_of(names, path)? == leaf).then_some(target),
        // A cast to a narrower type could cut bits off; what was stored fits the type that it came from.
        Expr::Cast(a, _) => solve(a, target, leaf, frame, path),
        Expr::Binary(op, a, b) => {
            let depends = |expr: &Expr| frame.leaves_of(expr, path).iter().any(|other| other == leaf);
            match (depends(a), depends(b)) {
                (true, false) => solve(a, left(*op, target, frame.int(b)?)?, leaf, frame, path),
                (false, true) => solve(b, right(*op, frame.int(a)?, target)?, leaf, frame, path),
                _ => None,
            }
        }
        Expr::If(condition, a, b) => {
            let chosen = if frame.truth(condition)? { a } else { b };
            solve(chosen, target, leaf, frame, path)
        }
        Expr::Unary(UnaryOp::Negate, a) => solve(a, target.checked_neg()?, leaf, frame, path),
        _ => None,
    }
}

/// x in `x op b = target`.
fn left(op: BinaryOp, target: i128, b: i128) -> Option<i128> {
    match op {
        BinaryOp::Add => target.checked_sub(b),
        BinaryOp::Subtract => target.checked_add(b),
        BinaryOp::Multiply => (target.checked_rem(b)? == 0).then_some(target.checked_div(b)?),
        BinaryOp::Divide => target.checked_mul(b),
        _ => None,
    }
}

/// x in `a op x = target`.
fn right(op: BinaryOp, a: i128, target: i128) -> Option<i128> {
    match op {
        BinaryOp::Add => target.checked_sub(a),
        BinaryOp::Subtract => a.checked_sub(target),
        BinaryOp::Multiply => left(op, target, a),
        _ => None,
    }
}

/// A condition as an expression and the number that it must be, so that the condition is `truth`. Of `x != 0` that holds,
/// and of a flag, the number is 1.
pub(super) fn equation(condition: &Expr, truth: bool, frame: &Frame) -> Option<(Expr, i128)> {
    match condition {
        Expr::Unary(UnaryOp::Not, a) => equation(a, !truth, frame),
        Expr::Path(_) => Some((*condition, truth.into())),
        Expr::Binary(op @ (BinaryOp::Equal | BinaryOp::NotEqual), a, b) => {
            let number = frame.int(b)?;
            match (*op == BinaryOp::Equal, truth) {
                (true, true) | (false, false) => Some((**a, number)),
                (false, true) if number == 0 => Some((**a, 1)),
                _ => None,
            }
        }
        _ => None,
    }
}
